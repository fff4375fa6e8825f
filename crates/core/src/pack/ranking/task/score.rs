//! Scores passages and files by the words that were found.

use std::collections::HashMap;

use super::TaskKind;
use super::body::{Rarity, best, bodies, ratio, smooth};
use super::features::{At, Describer, Formula, Row};
use super::history::{History, message_scores};
use super::index::Probe;
use super::query::Query;
use super::signals::{FileSignals, Lift, PassageSignals};
use super::trees::{Judged, Trees};
use super::weights::TaskWeights;
use crate::cache::ContentHash;

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
    /// Of the content, where it is known.
    pub(crate) hash: Option<ContentHash>,
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
    /// Its passages, by score.
    pub passages: Vec<RankedPassage>,
    /// Whether it is wanted whatever the task says, and before anything else.
    pub pinned: bool,
    /// Of the content, where it is known; equal contents have the same.
    pub hash: Option<ContentHash>,
}

impl RankedFile {
    /// Adds what the caller knows of the file to its score and its passages'; `best` is
    /// what the best of all passages scores on the scale of the files.
    pub fn lift(&mut self, lift: Lift, best: f64, weights: &TaskWeights) {
        self.signals.lift = lift;
        self.score = self.signals.score(weights);
        for passage in &mut self.passages {
            passage.signals.file = self.score;
            passage.score += (1.0 - weights.own) * lift.part() * best;
        }
    }

    /// Returns the last line, 0 for an empty file.
    pub fn last_line(&self) -> u32 {
        let lasts = self.passages.iter().map(|passage| passage.last);
        lasts.max().unwrap_or(0)
    }
}

/// A run of lines with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedPassage {
    /// First line, 1-based.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Whether it says or defines a word of the task itself, not only its neighbours.
    pub matched: bool,
    /// Its score.
    pub score: f64,
    /// Where the score of the formula comes from.
    pub signals: PassageSignals,
    /// Where a learned score comes from.
    pub judged: Option<Judged>,
}

/// Passages that the trees judge, the best by the formula.
const JUDGED: usize = 1_000;
/// What the formula says of the passages after them counts for so much.
const AFTER: f64 = 1e-6;

/// Scores all passages of all files; files stay in their order.
pub(crate) fn score(
    files: &[Candidate],
    history: &History<'_>,
    query: &Query,
    weights: &TaskWeights,
    trees: Option<&Trees>,
) -> Vec<RankedFile> {
    let (mut ranked, rows) = scored(files, history, query, weights, trees.is_some());
    if let Some(trees) = trees {
        judge(&mut ranked, &rows, trees);
    }
    for file in &mut ranked {
        file.passages.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then(left.first.cmp(&right.first))
        });
    }
    ranked
}

/// Scores the described passages anew: what the trees say, and the formula with one voice.
fn judge(ranked: &mut [RankedFile], rows: &[Described], trees: &Trees) {
    let score = |at: At| ranked[at.0].passages[at.1].score;
    let best = rows.first().map_or(1.0, |row| score(row.at));
    let judged = rows.iter().map(|Described { at, row }| {
        let formula = ratio(score(*at), best).max(f64::MIN_POSITIVE).ln();
        (*at, Judged::new(trees.log_odds(row), formula))
    });
    let judged: Vec<(At, Judged)> = judged.collect();
    for passage in ranked.iter_mut().flat_map(|file| &mut file.passages) {
        passage.score *= AFTER;
    }
    for ((file, passage), judged) in judged {
        let passage = &mut ranked[file].passages[passage];
        passage.score = judged.share();
        passage.judged = Some(judged);
    }
}

/// A passage as the trees see it.
pub(crate) struct Described {
    pub(crate) at: At,
    pub(crate) row: Row,
}

/// Scores by the formula, with the passages in the order of the text, and describes the best.
pub(crate) fn scored(
    files: &[Candidate],
    history: &History<'_>,
    query: &Query,
    weights: &TaskWeights,
    is_described: bool,
) -> (Vec<RankedFile>, Vec<Described>) {
    let rarity = Rarity::of(files, query, weights);
    let plain = bodies(files, query, &rarity, weights);
    let body: Vec<Vec<f64>> = plain.iter().map(|body| smooth(body, weights.smooth)).collect();
    let names: Vec<Vec<f64>> = files.iter().map(|file| names(file, query, &rarity)).collect();
    let mut file_names: Vec<f64> =
        files.iter().map(|file| file_names(file, query, &rarity)).collect();
    let mut file_bodies: Vec<f64> = plain.iter().map(|body| best(body, weights)).collect();
    let mut paths = path_scores(files, query);
    let places: HashMap<&str, usize> =
        files.iter().enumerate().map(|(place, file)| (file.path.as_str(), place)).collect();
    let mut messages = message_scores(history.messages, &places, files.len(), query, weights);
    for part in [&mut file_names, &mut file_bodies, &mut paths, &mut messages] {
        normalise(part);
    }
    let most_names = names.iter().flatten().copied().fold(0.0, f64::max);
    let lifted = Wanted::of(query);
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
            lift: Lift::default(),
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
                file: score,
            };
            RankedPassage {
                first: span.first,
                last: span.last,
                matched: plain[number][index] > 0.0 || names[number][index] > 0.0,
                score: signals.score(weights),
                signals,
                judged: None,
            }
        };
        let passages: Vec<RankedPassage> = (0..file.probe.spans.len()).map(passage).collect();
        ranked.push(RankedFile {
            path: file.path.clone(),
            kind: file.kind,
            score,
            signals,
            passages,
            pinned: false,
            hash: file.hash,
        });
    }
    let formula = Formula {
        files,
        query,
        rarity: &rarity,
        plain: &plain,
        names: &names,
        ranked: &ranked,
        past: history.past,
    };
    let rows = if is_described { described(&formula) } else { Vec::new() };
    (ranked, rows)
}

/// Describes the best passages of all files.
fn described(formula: &Formula<'_>) -> Vec<Described> {
    let score = |at: &At| formula.ranked[at.0].passages[at.1].score;
    let all = formula.ranked.iter().enumerate();
    let all = all.flat_map(|(file, it)| (0..it.passages.len()).map(move |passage| (file, passage)));
    let mut best: Vec<At> = all.filter(|at| score(at) > 0.0).collect();
    let by_score = |one: &At, other: &At| score(other).total_cmp(&score(one)).then(one.cmp(other));
    if best.len() > JUDGED {
        best.select_nth_unstable_by(JUDGED, by_score);
        best.truncate(JUDGED);
    }
    best.sort_unstable_by(by_score);
    let describer = Describer::new(formula, &best);
    best.iter().map(|&at| Described { at, row: describer.row(at) }).collect()
}

fn normalise(values: &mut [f64]) {
    let most = values.iter().copied().fold(0.0, f64::max);
    for value in values {
        *value = ratio(*value, most);
    }
}

/// Names of the task that each passage defines.
fn names(file: &Candidate, query: &Query, rarity: &Rarity) -> Vec<f64> {
    let spans = &file.probe.spans;
    let mut scores = vec![0.0; spans.len()];
    let mut seen: Vec<(usize, u16)> = Vec::new();
    for (word, line) in &file.probe.names {
        let index = spans.partition_point(|span| span.last < *line);
        if index < spans.len() && !seen.contains(&(index, *word)) {
            seen.push((index, *word));
            scores[index] += name_worth(*word, query, rarity);
        }
    }
    scores
}

fn file_names(file: &Candidate, query: &Query, rarity: &Rarity) -> f64 {
    let mut words: Vec<u16> = file.probe.names.iter().map(|(word, _)| *word).collect();
    words.sort_unstable();
    words.dedup();
    words.iter().map(|word| name_worth(*word, query, rarity)).sum()
}

fn name_worth(word: u16, query: &Query, rarity: &Rarity) -> f64 {
    let slot = usize::from(word);
    query.word_weight(slot) * rarity.words[slot]
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
struct Wanted {
    tests: bool,
    examples: bool,
    non_code: bool,
}

impl Wanted {
    fn of(query: &Query) -> Wanted {
        let title: Vec<&str> = query.title().split(|c: char| !c.is_alphanumeric()).collect();
        let says = |words: &[&str]| title.iter().any(|word| words.contains(word));
        Wanted {
            tests: says(&["test", "tests", "testing", "testsuite"]),
            examples: says(&[
                "example",
                "examples",
                "sample",
                "demo",
                "playground",
                "bench",
                "benchmark",
                "benchmarks",
                "docs",
                "documentation",
                "tutorial",
                "website",
            ]),
            non_code: says(&[
                "docs",
                "doc",
                "documentation",
                "readme",
                "changelog",
                "typo",
                "config",
            ]),
        }
    }

    fn factor(&self, file: &Candidate, weights: &TaskWeights) -> f64 {
        match file.kind {
            TaskKind::Source => 1.0,
            TaskKind::Test if self.tests => weights.test.max(0.5),
            TaskKind::Test => weights.test,
            TaskKind::Example if self.examples => 1.0,
            TaskKind::Example => weights.example,
            TaskKind::NonCode if self.non_code => weights.non_code.max(0.5),
            TaskKind::NonCode => weights.non_code,
        }
    }
}
