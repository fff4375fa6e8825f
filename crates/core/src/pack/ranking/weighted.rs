//! Ranks chunks by four weighted factors: relevance, recency, source, place.
//!
//! Every factor lies between 0 and 1, the weights add up to 1, and so does the
//! score lie between 0 and 1. A score comes apart into its parts: see
//! [`WeightedScore::contributions`]. Ranking for a task is in `task`; this one needs
//! no index and serves callers who bring chunks of their own.

use std::collections::BTreeSet;
use std::time::Duration;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Serialize;

use super::contribution::Contribution;
use crate::{Diagnose, Diagnosis, Remark};

/// The most chunks that are ranked; what comes after them is left out.
pub const MOST_CHUNKS: usize = 50_000;
/// Globs must be shorter than this.
const LONGEST_GLOB: usize = 200;
/// The least that relevance may weigh.
const LEAST_RELEVANCE: f64 = 0.25;

/// How much each factor counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankWeights {
    /// The match with the query.
    pub relevance: f64,
    /// Being fresh.
    pub recency: f64,
    /// The kind of source.
    pub source: f64,
    /// The place in the file.
    pub position: f64,
}

impl Default for RankWeights {
    fn default() -> RankWeights {
        RankWeights::V1
    }
}

impl RankWeights {
    /// Relevance .5, recency .3, source .2.
    pub const V1: RankWeights =
        RankWeights { relevance: 0.5, recency: 0.3, source: 0.2, position: 0.0 };

    fn sum(&self) -> f64 {
        self.relevance + self.recency + self.source + self.position
    }

    /// Makes the weights add up to 1, and says so where they did not.
    ///
    /// # Errors
    ///
    /// Weights that are negative, no numbers or all zero; under `strict` also
    /// a sum that is off by more than .01; relevance below .25.
    pub fn checked(self, strict: bool) -> Result<(RankWeights, Option<Remark>), RankError> {
        let all = [self.relevance, self.recency, self.source, self.position];
        let sum = self.sum();
        if all.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || sum <= 0.0 {
            return Err(RankError::Weights(sum));
        }
        let off = (sum - 1.0).abs() > 0.01;
        if off && strict {
            return Err(RankError::Weights(sum));
        }
        let weights = RankWeights {
            relevance: self.relevance / sum,
            recency: self.recency / sum,
            source: self.source / sum,
            position: self.position / sum,
        };
        if weights.relevance < LEAST_RELEVANCE {
            return Err(RankError::Relevance(weights.relevance));
        }
        let note = off.then(|| {
            let message = format!("weights add up to {sum:.2}, scaled to 1");
            Remark::new("rank", message)
        });
        Ok((weights, note))
    }
}

/// Which part of a file a chunk is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The head of a class or an interface.
    TypeHeader,
    /// Imports.
    Imports,
    /// Anything else.
    #[default]
    Other,
}

/// A chunk to be ranked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightedChunk {
    /// The path, with `/` between its parts.
    pub path: String,
    /// The text.
    pub text: String,
    /// First line, 1-based.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Lines of its file, where that is known.
    pub lines: Option<u32>,
    /// What a search said, from 0 to 1.
    pub search_score: Option<f64>,
    /// When it last changed, in nanoseconds since 1970.
    pub changed_ns: Option<i64>,
    /// Priority of its source from 0 to 100, where that is known.
    pub priority: Option<u32>,
    /// Which part of its file it is.
    pub part: Part,
}

/// A glob, as in `.gitignore`, with a factor for what matches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Boost {
    /// The glob.
    pub glob: String,
    /// More than 1 lifts, less lowers.
    pub factor: f64,
}

/// How chunks are ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedOptions {
    /// The weights.
    pub weights: RankWeights,
    /// Refuses weights that do not add up to 1, rather than scaling them.
    pub strict: bool,
    /// The age at which recency is one half.
    pub half_life: Duration,
    /// Chunks that score less are left out.
    pub min_score: f64,
    /// Factors by path; those of several matching globs multiply.
    pub boosts: Vec<Boost>,
    /// The time now, in nanoseconds since 1970.
    pub now_ns: i64,
}

impl WeightedOptions {
    /// The defaults: profile `v1`, a half-life of 168 hours, tests times .8,
    /// generated files times .5, no threshold.
    pub fn new(now_ns: i64) -> WeightedOptions {
        let boost = |glob: &str, factor: f64| Boost { glob: glob.to_owned(), factor };
        WeightedOptions {
            weights: RankWeights::default(),
            strict: false,
            half_life: Duration::from_secs(168 * 60 * 60),
            min_score: 0.0,
            boosts: vec![
                boost("tests/", 0.8),
                boost("test/", 0.8),
                boost("*.test.*", 0.8),
                boost("*_test.*", 0.8),
                boost("*.generated.*", 0.5),
                boost("*.g.cs", 0.5),
                boost("*.min.js", 0.5),
            ],
            now_ns,
        }
    }
}

/// Why nothing can be ranked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// The weights cannot be used.
    #[error("the weights of ranking add up to {0}, expected 1 and none below 0")]
    Weights(f64),
    /// Relevance weighs too little for the ranking to answer the query.
    #[error("relevance weighs {0:.2} of all factors, expected {LEAST_RELEVANCE} or more")]
    Relevance(f64),
    /// A glob cannot be used.
    #[error("cannot use the glob `{glob}`: {why}")]
    Glob {
        /// The glob, or its beginning.
        glob: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Diagnose for RankError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            RankError::Weights(_) => Diagnosis::operation("LL-RNK-001")
                .hint("set the weights of [rank] so that they add up to 1"),
            RankError::Relevance(_) => Diagnosis::operation("LL-RNK-002")
                .hint("raise rank.relevance or lower the other weights"),
            RankError::Glob { .. } => Diagnosis::operation("LL-RNK-003")
                .hint("write a glob as in .gitignore, such as `src/**/*.rs`"),
        }
    }
}

/// A chunk's score with what it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeightedScore {
    /// The chunk, as its place among those given.
    #[serde(skip)]
    pub chunk: usize,
    /// The match with the query.
    pub relevance: f64,
    /// Being fresh.
    pub recency: f64,
    /// The kind of source.
    pub source: f64,
    /// The place in the file.
    pub position: f64,
    /// The factor of all globs that match.
    pub boost: f64,
    /// The score.
    #[serde(skip)]
    pub score: f64,
}

impl WeightedScore {
    fn total(&self, weights: &RankWeights) -> f64 {
        let sum = self.relevance * weights.relevance
            + self.recency * weights.recency
            + self.source * weights.source
            + self.position * weights.position;
        (sum * self.boost).clamp(0.0, 1.0)
    }

    /// Returns the parts that add up to the score.
    ///
    /// What globs change is a part of its own, and so is what is cut off at 1.
    pub fn contributions(&self, weights: &RankWeights) -> Vec<Contribution> {
        let factors = [
            Contribution::new("relevance", self.relevance, weights.relevance),
            Contribution::new("recency", self.recency, weights.recency),
            Contribution::new("source", self.source, weights.source),
            Contribution::new("position", self.position, weights.position),
        ];
        let mut parts: Vec<Contribution> =
            factors.into_iter().filter(|part| part.weight > 0.0).collect();
        let sum = Contribution::sum(&parts);
        if self.boost != 1.0 {
            parts.push(Contribution::new("boost", self.boost - 1.0, sum));
        }
        let over = sum * self.boost - 1.0;
        if over > 0.0 {
            parts.push(Contribution::new("limit", over, -1.0));
        }
        parts
    }
}

/// Chunks in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedRanking {
    /// By score; those below the threshold are left out.
    pub scores: Vec<WeightedScore>,
    /// The weights as they were used.
    pub weights: RankWeights,
    /// What was scaled or left out.
    pub notes: Vec<Remark>,
}

/// Ranks chunks: by score, then priority of the source, path and line.
///
/// # Errors
///
/// Weights or globs that cannot be used; see [`RankError`].
pub fn rank_weighted(
    chunks: &[WeightedChunk],
    query: &str,
    options: &WeightedOptions,
) -> Result<WeightedRanking, RankError> {
    let (weights, note) = options.weights.checked(options.strict)?;
    let boosts = compile(&options.boosts)?;
    let mut notes: Vec<Remark> = note.into_iter().collect();
    if chunks.len() > MOST_CHUNKS {
        let message = format!("{} chunks, only the first {MOST_CHUNKS} are ranked", chunks.len());
        notes.push(Remark::new("rank", message));
    }
    let words = keywords(query);
    let mut scores: Vec<WeightedScore> = chunks
        .iter()
        .take(MOST_CHUNKS)
        .enumerate()
        .map(|(number, chunk)| {
            let mut score = WeightedScore {
                chunk: number,
                relevance: relevance(chunk, &words),
                recency: recency(chunk.changed_ns, options),
                source: chunk.priority.map_or(0.5, |priority| f64::from(priority.min(100)) / 100.0),
                position: position(chunk),
                boost: boost(&chunk.path, &boosts),
                score: 0.0,
            };
            score.score = score.total(&weights);
            score
        })
        .filter(|score| score.score >= options.min_score)
        .collect();
    scores.sort_by(|left, right| {
        let (one, other) = (&chunks[left.chunk], &chunks[right.chunk]);
        let score = right.score.total_cmp(&left.score);
        let priority = other.priority.cmp(&one.priority);
        score
            .then(priority)
            .then_with(|| one.path.cmp(&other.path))
            .then(one.first.cmp(&other.first))
    });
    Ok(WeightedRanking { scores, weights, notes })
}

/// The different words of a query that say something, in lower case.
fn keywords(query: &str) -> BTreeSet<String> {
    query
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect()
}

fn relevance(chunk: &WeightedChunk, words: &BTreeSet<String>) -> f64 {
    if let Some(score) = chunk.search_score {
        return if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
    }
    if words.is_empty() {
        return 0.5;
    }
    let (text, path) = (chunk.text.to_lowercase(), chunk.path.to_lowercase());
    let found = words.iter().filter(|word| text.contains(*word) || path.contains(*word)).count();
    found as f64 / words.len() as f64
}

/// One half for each half-life; what has no time is neither fresh nor old.
fn recency(changed_ns: Option<i64>, options: &WeightedOptions) -> f64 {
    let Some(changed) = changed_ns else {
        return 0.5;
    };
    let age = options.now_ns.saturating_sub(changed).max(0) as f64;
    let half = options.half_life.as_nanos() as f64;
    if half <= 0.0 {
        return if age == 0.0 { 1.0 } else { 0.0 };
    }
    0.5f64.powf(age / half)
}

/// The beginning of a file and the heads of types come first.
fn position(chunk: &WeightedChunk) -> f64 {
    let early = chunk
        .lines
        .is_some_and(|lines| u64::from(chunk.first.saturating_sub(1)) * 5 < u64::from(lines));
    match chunk.part {
        Part::TypeHeader => 1.0,
        Part::Imports => 0.6,
        Part::Other if early => 0.8,
        Part::Other => 0.5,
    }
}

fn compile(boosts: &[Boost]) -> Result<Vec<(Gitignore, f64)>, RankError> {
    let failed = |glob: &str, why: &str| RankError::Glob {
        glob: glob.chars().take(60).collect(),
        why: why.to_owned(),
    };
    boosts
        .iter()
        .map(|Boost { glob, factor }| {
            if glob.chars().count() >= LONGEST_GLOB {
                return Err(failed(glob, "it has 200 characters or more"));
            }
            if !factor.is_finite() || *factor < 0.0 {
                return Err(failed(glob, &format!("its factor is {factor}")));
            }
            let mut builder = GitignoreBuilder::new("");
            builder.add_line(None, glob).map_err(|error| failed(glob, &error.to_string()))?;
            let matcher = builder.build().map_err(|error| failed(glob, &error.to_string()))?;
            Ok((matcher, *factor))
        })
        .collect()
}

/// Factors multiply, within .1 and 3.
fn boost(path: &str, boosts: &[(Gitignore, f64)]) -> f64 {
    let matching = boosts.iter().filter(|(glob, _)| {
        glob.matched_path_or_any_parents(path.trim_start_matches('/'), false).is_ignore()
    });
    let factor: f64 = matching.map(|(_, factor)| factor).product();
    factor.clamp(0.1, 3.0)
}
