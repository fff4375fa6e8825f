//! Names the signals that scores are made of, and weighs them.

use serde::{Serialize, Serializer};

use super::weights::TaskWeights;
use crate::pack::ranking::contribution::Contribution;

/// What a file's score is made of; every part is 1 for the best file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileSignals {
    /// Its best passages.
    #[serde(serialize_with = "rounded")]
    pub body: f64,
    /// Words of the task in its path.
    #[serde(serialize_with = "rounded")]
    pub path: f64,
    /// Names of the task that it defines.
    #[serde(serialize_with = "rounded")]
    pub names: f64,
    /// Messages of commits that touched it.
    #[serde(serialize_with = "rounded")]
    pub messages: f64,
    /// The task names the file itself.
    #[serde(serialize_with = "rounded")]
    pub mention: f64,
    /// Factor for what sort of file it is.
    #[serde(serialize_with = "rounded")]
    pub kind: f64,
    /// What the caller knows of it besides the task.
    #[serde(skip)]
    pub lift: Lift,
}

/// Writes four digits after the point, which are the same on every machine.
pub(in crate::pack) fn rounded<S: Serializer>(
    value: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // Adding nothing makes a negative zero a plain one.
    serializer.serialize_f64((value * 1e4).round() / 1e4 + 0.0)
}

/// What lifts a file whatever the task says; all zero for most files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lift {
    /// The user named it as one to prefer.
    pub boost: f64,
    /// It changed since a revision.
    pub changed: f64,
    /// It is open in an editor.
    pub open: f64,
    /// The score of the best file before anything is lifted.
    pub best: f64,
}

/// What a passage's score is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassageSignals {
    /// Words of the task in it and next to it.
    #[serde(serialize_with = "rounded")]
    pub body: f64,
    /// Names of the task that it defines.
    #[serde(serialize_with = "rounded")]
    pub names: f64,
    /// Part of its lines that are comments.
    #[serde(serialize_with = "rounded")]
    pub comments: f64,
    /// Factor for what sort of file it is in.
    #[serde(serialize_with = "rounded")]
    pub kind: f64,
    /// The score of its file.
    #[serde(serialize_with = "rounded")]
    pub file: f64,
}

impl Lift {
    /// What is added to a file's score.
    pub fn score(&self) -> f64 {
        self.part() * self.best
    }

    /// The same as a part of the best score.
    pub fn part(&self) -> f64 {
        self.boost + self.changed + self.open
    }
}

impl FileSignals {
    /// Weighs the signals.
    pub fn score(&self, weights: &TaskWeights) -> f64 {
        let FileSignals { body, path, names, messages, mention, kind, lift } = *self;
        let sum = body
            + weights.path * path
            + weights.names * names
            + weights.messages * messages
            + weights.mention * mention;
        sum * kind + lift.score()
    }

    /// Returns the parts that add up to the score.
    pub fn contributions(&self, weights: &TaskWeights) -> Vec<Contribution> {
        let (kind, lift) = (self.kind, self.lift);
        let mut parts = vec![
            Contribution::new("body", self.body, kind),
            Contribution::new("path", self.path, weights.path * kind),
            Contribution::new("names", self.names, weights.names * kind),
            Contribution::new("messages", self.messages, weights.messages * kind),
            Contribution::new("mention", self.mention, weights.mention * kind),
        ];
        let lifts = [
            Contribution::new("boost", lift.boost, lift.best),
            Contribution::new("changed", lift.changed, lift.best),
            Contribution::new("open", lift.open, lift.best),
        ];
        parts.extend(lifts.into_iter().filter(|part| part.value != 0.0));
        parts
    }
}

impl PassageSignals {
    /// Weighs the signals.
    pub fn score(&self, weights: &TaskWeights) -> f64 {
        let PassageSignals { body, names, comments, kind, file } = *self;
        let own = (body + weights.own_names * names) * kind * (1.0 - weights.comments * comments);
        weights.own * own + (1.0 - weights.own) * file
    }

    /// Returns the parts that add up to the score.
    pub fn contributions(&self, weights: &TaskWeights) -> Vec<Contribution> {
        let own = weights.own * self.kind * (1.0 - weights.comments * self.comments);
        vec![
            Contribution::new("body", self.body, own),
            Contribution::new("names", self.names, weights.own_names * own),
            Contribution::new("file", self.file, 1.0 - weights.own),
        ]
    }
}
