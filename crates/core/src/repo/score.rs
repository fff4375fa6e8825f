//! Scores files by how much they matter before any task is known.
//!
//! A score is a sum of named signals, held in [0, 100]. It is worked out once
//! per run, from facts that others gathered: nothing here opens a file, so any
//! list of facts can be scored again with other facts. One table of points
//! serves every kind of project.

use std::cmp::Ordering;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::RepoError;
use super::filter::Globs;
use super::kind::{EntryPoints, FileKind};
use crate::settings::{ScoreSettings, Settings};

mod edge;

pub use edge::has_edge_case;

/// No score is above this.
const HIGHEST: u32 = 100;

/// What is known about a file when it is scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// How many other files import it.
    pub importers: u32,
    /// How many names it exports.
    pub exports: u32,
    /// How many commits touched it within the window.
    pub commits: u32,
    /// Whether a manifest names it as what is run or imported.
    pub named_entry: bool,
    /// Whether its text has a mark such as TODO, see [`has_edge_case`].
    pub edge_case: bool,
    /// Whether its text shows that no person wrote it, see [`content_kind`].
    ///
    /// [`content_kind`]: crate::repo::content_kind
    pub generated: bool,
}

/// The points of a file, one field per signal.
///
/// The two penalties are taken off, the others added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// For an entry point.
    pub entry_point: u32,
    /// For the files that import it.
    pub importers: u32,
    /// For the names it exports.
    pub exports: u32,
    /// For recent commits.
    pub commits: u32,
    /// For a mark such as TODO.
    pub edge_case: u32,
    /// For a configuration file.
    pub config: u32,
    /// For a file that the user named.
    pub boost: u32,
    /// Taken off a test.
    pub test_penalty: u32,
    /// Taken off what is generated, vendored or minified.
    pub generated_penalty: u32,
    /// A score that the caller gave in place of all the others.
    pub given: u32,
}

impl Serialize for Signals {
    /// Writes the signals that are not zero, by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = self.named().into_iter();
        serializer.collect_map(named.filter(|(_, points)| *points != 0))
    }
}

impl Signals {
    /// Returns the signals by name; what is taken off is negative.
    pub fn named(&self) -> [(&'static str, i64); 10] {
        [
            ("entry_point", i64::from(self.entry_point)),
            ("importers", i64::from(self.importers)),
            ("exports", i64::from(self.exports)),
            ("commits", i64::from(self.commits)),
            ("edge_case", i64::from(self.edge_case)),
            ("config", i64::from(self.config)),
            ("boost", i64::from(self.boost)),
            ("test_penalty", -i64::from(self.test_penalty)),
            ("generated_penalty", -i64::from(self.generated_penalty)),
            ("given", i64::from(self.given)),
        ]
    }

    /// Returns the sum, between 0 and 100.
    pub fn score(&self) -> u32 {
        let sum: i64 = self.named().iter().map(|(_, points)| points).sum();
        sum.clamp(0, i64::from(HIGHEST)) as u32
    }
}

/// A file with its score and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileScore {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// From 0 to 100.
    pub score: u32,
    /// Where the score comes from.
    pub signals: Signals,
    /// Whether the user asked for the whole file regardless of its score.
    pub pinned: bool,
}

impl FileScore {
    /// Compares by score, highest first, then by the bytes of the path.
    ///
    /// This order is total for the files of one tree.
    pub fn rank(&self, other: &FileScore) -> Ordering {
        let by_score = other.score.cmp(&self.score);
        by_score.then_with(|| self.path.cmp(&other.path))
    }
}

/// How files are scored.
#[derive(Clone, Debug)]
pub struct ScoreOptions {
    /// The points of each signal, and which names count.
    ///
    /// `entry_points = "compat"` repeats the reference implementation: its
    /// names of entry points, tests and lock files, and no generated files.
    pub points: ScoreSettings,
    /// Globs as in `.gitignore` of files that are wanted whole.
    pub pin: Vec<String>,
    /// Globs as in `.gitignore` of files that score higher.
    pub boost: Vec<String>,
}

impl From<&Settings> for ScoreOptions {
    fn from(settings: &Settings) -> ScoreOptions {
        ScoreOptions {
            points: settings.score.clone(),
            pin: settings.pack.pin.clone(),
            boost: settings.pack.boost.clone(),
        }
    }
}

impl ScoreOptions {
    /// Returns which names count as entry points, tests and so on.
    pub(crate) fn names(&self) -> EntryPoints {
        match self.points.entry_points.as_str() {
            "compat" => EntryPoints::Compat,
            _ => EntryPoints::Extended,
        }
    }
}

/// Scores files, highest first; lock files are left out.
///
/// Every file handed in is scored, and no file is read. Fails only where a
/// glob makes no sense.
///
/// ```
/// use loadline::repo::{FileFacts, ScoreOptions, score_files};
/// use loadline::settings::Config;
/// let config = Config::load([])?;
/// let facts = [FileFacts {
///     path: "src/index.ts".to_owned(),
///     importers: 2,
///     ..FileFacts::default()
/// }];
/// let scores = score_files(&facts, &ScoreOptions::from(config.settings()))?;
/// assert_eq!(scores[0].score, 36);
/// assert_eq!(scores[0].signals.entry_point, 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_files(
    facts: &[FileFacts],
    options: &ScoreOptions,
) -> Result<Vec<FileScore>, RepoError> {
    let scorer = Scorer {
        points: &options.points,
        names: options.names(),
        pin: Globs::compile(&options.pin)?,
        boost: Globs::compile(&options.boost)?,
    };
    let mut scores: Vec<FileScore> = facts.iter().filter_map(|file| scorer.score(file)).collect();
    scores.sort_unstable_by(FileScore::rank);
    Ok(scores)
}

struct Scorer<'a> {
    points: &'a ScoreSettings,
    names: EntryPoints,
    pin: Globs,
    boost: Globs,
}

impl Scorer<'_> {
    fn score(&self, file: &FileFacts) -> Option<FileScore> {
        let kind = FileKind::of(&file.path, self.names);
        if kind.lock {
            return None;
        }
        let signals = self.signals(file, kind);
        Some(FileScore {
            path: file.path.clone(),
            score: signals.score(),
            signals,
            pinned: self.pin.names(Path::new(&file.path)),
        })
    }

    fn signals(&self, file: &FileFacts, kind: FileKind) -> Signals {
        let points = self.points;
        let when = |holds: bool, points: u32| if holds { points } else { 0 };
        let each = |count: u32, points: u32, cap: u32| count.saturating_mul(points).min(cap);
        // The reference implementation looks at names only.
        let extended = self.names == EntryPoints::Extended;
        let generated = kind.generated || (file.generated && extended);
        let entry_point = kind.entry_point || (file.named_entry && extended);
        Signals {
            entry_point: when(entry_point, points.entry),
            importers: each(file.importers, points.importer, points.importer_cap),
            exports: each(file.exports, points.export, points.export_cap),
            commits: each(file.commits, points.commit, points.commit_cap),
            edge_case: when(file.edge_case, points.edge_case),
            config: when(kind.config, points.config),
            boost: when(self.boost.names(Path::new(&file.path)), points.boost),
            test_penalty: when(kind.test, points.test_penalty),
            generated_penalty: when(generated, points.generated_penalty),
            given: 0,
        }
    }
}

#[cfg(test)]
mod tests;
