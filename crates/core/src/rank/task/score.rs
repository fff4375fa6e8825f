//! From words that were found to a score for every passage.

use super::index::{Hit, Probe};
use super::query::Query;
use super::weights::TaskWeights;
use super::TaskKind;

/// A file with what was found in it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The path, with `/` between its parts.
    pub path: String,
    pub(crate) kind: TaskKind,
    pub(crate) probe: Probe,
    /// Stems of the task in the path.
    pub(crate) path_stems: Vec<u16>,
    /// How exactly the task names the file.
    pub(crate) mention: f64,
}

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

/// A file with its score.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// The path, with `/` between its parts.
    pub path: String,
    /// What sort of file it is.
    pub kind: TaskKind,
    /// Its score.
    pub score: f64,
    /// Where the score comes from.
    pub signals: FileSignals,
    /// Its passages, the best first.
    pub passages: Vec<RankedPassage>,
}

/// A run of lines with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedPassage {
    /// First line, 1-based.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Its score.
    pub score: f64,
    /// Where the score comes from.
    pub signals: PassageSignals,
}

/// Scores all passages of all files; the best file comes first.
pub(crate) fn score(
    files: &[Candidate],
    messages: &[f64],
    query: &Query,
    weights: &TaskWeights,
) -> Vec<RankedFile> {
    let rarity = Rarity::of(files, query, weights);
    let plain = bodies(files, query, &rarity, weights);
    let body: Vec<Vec<f64>> = plain.iter().map(|body| smooth(body, weights.smooth)).collect();
    let names: Vec<Vec<f64>> = files.iter().map(|file| names(file, query, &rarity, weights)).collect();
    let mut file_names: Vec<f64> = files.iter().map(|file| file_names(file, query, &rarity, weights)).collect();
    let mut file_bodies: Vec<f64> =
        plain.iter().map(|body| best(&smooth(body, weights.file_smooth), weights)).collect();
    let mut paths = path_scores(files, query);
    let mut messages = messages.to_vec();
    messages.resize(files.len(), 0.0);
    for part in [&mut file_names, &mut file_bodies, &mut paths, &mut messages] {
        normalise(part);
    }
    let most_names = names.iter().flatten().copied().fold(0.0, f64::max);
    let lifted = Lift::of(query);
    let top = (0..files.len())
        .map(|number| {
            (file_bodies[number]
                + weights.path * paths[number]
                + weights.names * file_names[number]
                + weights.messages * messages[number]
                + weights.mention * files[number].mention)
                * lifted.factor(&files[number], weights)
        })
        .fold(0.0, f64::max);
    let mut ranked: Vec<RankedFile> = Vec::with_capacity(files.len());
    for (number, file) in files.iter().enumerate() {
        let kind = lifted.factor(file, weights);
        let signals = FileSignals {
            body: file_bodies[number],
            path: paths[number],
            names: file_names[number],
            messages: messages[number],
            mention: file.mention,
            kind,
        };
        let score = signals.score(weights);
        let passage = |index: usize| {
            let span = &file.probe.spans[index];
            let lines = f64::from(span.last + 1 - span.first);
            let signals = PassageSignals {
                body: body[number][index],
                names: ratio(names[number][index], most_names),
                comments: f64::from(span.comments) / lines,
                kind,
                file: if weights.x1 > 0.0 { top * ratio(score, top).powf(1.0 + weights.x1) } else { score },
            };
            RankedPassage {
                first: span.first,
                last: span.last,
                score: signals.score(weights),
                signals,
            }
        };
        let mut passages: Vec<RankedPassage> =
            (0..file.probe.spans.len()).map(passage).collect();
        passages.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then(left.first.cmp(&right.first))
        });
        ranked.push(RankedFile {
            path: file.path.clone(),
            kind: file.kind,
            score,
            signals,
            passages,
        });
    }
    ranked
}

fn ratio(value: f64, most: f64) -> f64 {
    if most > 0.0 { value / most } else { 0.0 }
}

fn normalise(values: &mut [f64]) {
    let most = values.iter().copied().fold(0.0, f64::max);
    for value in values {
        *value = ratio(*value, most);
    }
}

/// How rare each word and stem of the task is.
struct Rarity {
    words: Vec<f64>,
    stems: Vec<f64>,
    /// Terms of a passage on average.
    average: f64,
}

impl Rarity {
    fn of(files: &[Candidate], query: &Query, weights: &TaskWeights) -> Rarity {
        let mut words = vec![0u32; query.words()];
        let mut stems = vec![0u32; query.stems().len()];
        let (mut windows, mut passages, mut terms) = (0.0, 0u64, 0u64);
        let mut seen: Vec<(u32, u32)> = Vec::new();
        for file in files {
            let spans = &file.probe.spans;
            let lines = spans.last().map_or(0, |span| span.last);
            windows += (f64::from(lines) / weights.window).ceil();
            passages += spans.len() as u64;
            terms += spans.iter().map(|span| u64::from(span.terms)).sum::<u64>();
            seen.clear();
            for hit in &file.probe.hits {
                let first = spans.get(hit.passage as usize).map_or(0, |span| span.first);
                let window = (f64::from(first.saturating_sub(1)) / weights.window) as u32;
                seen.push((u32::from(hit.stem), window));
                if hit.word != Hit::KIN {
                    seen.push((0x1_0000 + u32::from(hit.word), window));
                }
            }
            seen.sort_unstable();
            seen.dedup();
            for (slot, _) in &seen {
                match slot.checked_sub(0x1_0000) {
                    Some(word) => words[word as usize] += 1,
                    None => stems[*slot as usize] += 1,
                }
            }
        }
        let rarity = |count: &u32| {
            let count = f64::from(*count);
            (1.0 + (windows - count + 0.5).max(0.5) / (count + 0.5)).ln()
        };
        Rarity {
            words: words.iter().map(rarity).collect(),
            stems: stems.iter().map(rarity).collect(),
            average: (terms as f64 / (passages.max(1) as f64)).max(1.0),
        }
    }
}

/// The body score of every passage of every file.
fn bodies(
    files: &[Candidate],
    query: &Query,
    rarity: &Rarity,
    weights: &TaskWeights,
) -> Vec<Vec<f64>> {
    let mut bodies: Vec<(Vec<f64>, Vec<f64>)> = files
        .iter()
        .map(|file| body(file, query, rarity, weights))
        .collect();
    let most = |pick: fn(&(Vec<f64>, Vec<f64>)) -> &Vec<f64>| {
        bodies.iter().flat_map(|body| pick(body).iter().copied()).fold(0.0, f64::max)
    };
    let (most_words, most_stems) = (most(|body| &body.0), most(|body| &body.1));
    bodies
        .iter_mut()
        .map(|(words, stems)| {
            words
                .iter()
                .zip(stems.iter())
                .map(|(word, stem)| {
                    (1.0 - weights.stems) * ratio(*word, most_words)
                        + weights.stems * ratio(*stem, most_stems)
                })
                .collect()
        })
        .collect()
}

fn smooth(values: &[f64], share: f64) -> Vec<f64> {
    let at = |index: Option<usize>| index.and_then(|index| values.get(index)).copied().unwrap_or(0.0);
    (0..values.len())
        .map(|index| values[index] + share * (at(index.checked_sub(1)) + at(Some(index + 1))) / 2.0)
        .collect()
}

/// BM25 by words and by stems.
fn body(
    file: &Candidate,
    query: &Query,
    rarity: &Rarity,
    weights: &TaskWeights,
) -> (Vec<f64>, Vec<f64>) {
    let spans = &file.probe.spans;
    let mut words = vec![0.0; spans.len()];
    let mut stems = vec![0.0; spans.len()];
    let held: Vec<f64> = spans
        .iter()
        .map(|span| {
            weights.k1 * (1.0 - weights.b + weights.b * f64::from(span.terms) / rarity.average)
        })
        .collect();
    let gain = |count: f64, held: f64| count * (weights.k1 + 1.0) / (count + held);
    // Hits come by stem, so the counts of one stem are summed up as they come.
    let mut counts: Vec<f64> = vec![0.0; spans.len()];
    for same in file.probe.hits.chunk_by(|left, right| left.stem == right.stem) {
        for hit in same {
            let passage = hit.passage as usize;
            let Some(held) = held.get(passage) else { continue };
            let count = f64::from(hit.count);
            counts[passage] += count;
            if hit.word != Hit::KIN {
                let slot = usize::from(hit.word);
                words[passage] += query.word_weight(slot) * rarity.words[slot] * gain(count, *held);
            }
        }
        for hit in same {
            let passage = hit.passage as usize;
            let slot = usize::from(hit.stem);
            let Some(count) = counts.get_mut(passage).filter(|count| **count > 0.0) else {
                continue;
            };
            stems[passage] += query.stem_weight(slot) * rarity.stems[slot] * gain(*count, held[passage]);
            *count = 0.0;
        }
    }
    (words, stems)
}

fn best(body: &[f64], weights: &TaskWeights) -> f64 {
    let mut top = [0.0f64; 3];
    for value in body {
        let mut value = *value;
        for place in &mut top {
            if value > *place {
                std::mem::swap(place, &mut value);
            }
        }
    }
    top[0] + weights.second * top[1] + weights.third * top[2]
}

/// Names of the task that each passage defines.
fn names(file: &Candidate, query: &Query, rarity: &Rarity, weights: &TaskWeights) -> Vec<f64> {
    let spans = &file.probe.spans;
    let mut scores = vec![0.0; spans.len()];
    let mut seen: Vec<(usize, u16)> = Vec::new();
    for (word, line) in &file.probe.names {
        let index = spans.partition_point(|span| span.last < *line);
        if index < spans.len() && !seen.contains(&(index, *word)) {
            seen.push((index, *word));
            scores[index] += name_worth(*word, query, rarity, weights);
        }
    }
    scores
}

fn file_names(file: &Candidate, query: &Query, rarity: &Rarity, weights: &TaskWeights) -> f64 {
    let mut words: Vec<u16> = file.probe.names.iter().map(|(word, _)| *word).collect();
    words.sort_unstable();
    words.dedup();
    words
        .iter()
        .map(|word| name_worth(*word, query, rarity, weights))
        .sum()
}

fn name_worth(word: u16, query: &Query, rarity: &Rarity, weights: &TaskWeights) -> f64 {
    let slot = usize::from(word);
    let worth = query.word_weight(slot) * rarity.words[slot];
    if query.is_code(slot) { worth } else { worth * weights.plain_names }
}

/// Words of the task in each path, by how few paths have them.
fn path_scores(files: &[Candidate], query: &Query) -> Vec<f64> {
    let mut common = vec![0u32; query.stems().len()];
    for slot in files.iter().flat_map(|file| &file.path_stems) {
        common[usize::from(*slot)] += 1;
    }
    let total = files.len() as f64;
    let worth = |slot: &u16| {
        let slot = usize::from(*slot);
        let count = f64::from(common[slot]);
        query.stem_weight(slot) * (1.0 + (total - count + 0.5).max(0.5) / (count + 0.5)).ln()
    };
    files.iter().map(|file| file.path_stems.iter().map(worth).sum()).collect()
}

/// Which sorts of files a task asks for.
struct Lift {
    tests: bool,
    examples: bool,
    beside: bool,
}

impl Lift {
    fn of(query: &Query) -> Lift {
        let title: Vec<&str> = query
            .title()
            .split(|c: char| !c.is_alphanumeric())
            .collect();
        let says = |words: &[&str]| title.iter().any(|word| words.contains(word));
        Lift {
            tests: says(&["test", "tests", "testing", "testsuite"]),
            examples: says(&[
                "example", "examples", "sample", "demo", "playground", "bench", "benchmark",
                "benchmarks", "docs", "documentation", "tutorial", "website",
            ]),
            beside: says(&["docs", "doc", "documentation", "readme", "changelog", "typo", "config"]),
        }
    }

    fn factor(&self, file: &Candidate, weights: &TaskWeights) -> f64 {
        match file.kind {
            TaskKind::Source => 1.0,
            TaskKind::Test if self.tests => weights.test.max(0.5),
            TaskKind::Test => weights.test,
            TaskKind::Example if self.examples => 1.0,
            TaskKind::Example => weights.example,
            TaskKind::Beside if self.beside => weights.beside.max(0.5),
            TaskKind::Beside => weights.beside,
        }
    }
}
