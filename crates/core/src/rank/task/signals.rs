//! What scores are made of, by name.

use super::weights::TaskWeights;

/// What a file's score is made of; every part is 1 for the best file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileSignals {
    /// Its best passages.
    pub body: f64,
    /// Words of the task in its path.
    pub path: f64,
    /// Names of the task that it defines.
    pub names: f64,
    /// Messages of commits that touched it.
    pub messages: f64,
    /// The task names the file itself.
    pub mention: f64,
    /// Factor for what sort of file it is.
    pub kind: f64,
}

/// What a passage's score is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassageSignals {
    /// Words of the task in it and beside it.
    pub body: f64,
    /// Names of the task that it defines.
    pub names: f64,
    /// Part of its lines that are comments.
    pub comments: f64,
    /// Factor for what sort of file it is in.
    pub kind: f64,
    /// The score of its file.
    pub file: f64,
}

impl FileSignals {
    /// Weighs the signals.
    pub fn score(&self, weights: &TaskWeights) -> f64 {
        let FileSignals {
            body,
            path,
            names,
            messages,
            mention,
            kind,
        } = *self;
        let sum = body
            + weights.path * path
            + weights.names * names
            + weights.messages * messages
            + weights.mention * mention;
        sum * kind
    }

    /// Says signal by signal where the score comes from, and their sum anew.
    pub fn explain(&self, weights: &TaskWeights) -> Vec<String> {
        let rows = [
            ("body", self.body, 1.0),
            ("path", self.path, weights.path),
            ("names", self.names, weights.names),
            ("messages", self.messages, weights.messages),
            ("mention", self.mention, weights.mention),
        ];
        explained(&rows, &[("kind", self.kind)], self.score(weights))
    }
}

fn explained(rows: &[(&str, f64, f64)], factors: &[(&str, f64)], score: f64) -> Vec<String> {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(name, value, weight)| {
            format!("{name}: {value:.3} × {weight:.2} = {:.3}", value * weight)
        })
        .collect();
    let factors = factors.iter().filter(|(_, factor)| *factor != 1.0);
    lines.extend(factors.map(|(name, factor)| format!("{name}: × {factor:.2}")));
    lines.push(format!("score: {score:.3}"));
    lines
}

impl PassageSignals {
    /// Weighs the signals.
    pub fn score(&self, weights: &TaskWeights) -> f64 {
        let PassageSignals {
            body,
            names,
            comments,
            kind,
            file,
        } = *self;
        let own = (body + weights.own_names * names) * kind * (1.0 - weights.comments * comments);
        weights.own * own + (1.0 - weights.own) * file
    }

    /// Says signal by signal where the score comes from, and their sum anew.
    pub fn explain(&self, weights: &TaskWeights) -> Vec<String> {
        let own = weights.own * self.kind * (1.0 - weights.comments * self.comments);
        let rows = [
            ("body", self.body, own),
            ("names", self.names, weights.own_names * own),
            ("file", self.file, 1.0 - weights.own),
        ];
        explained(&rows, &[], self.score(weights))
    }
}
