//! Finds the lines that a task needs.
//!
//! A task is a text: an issue, a commit's message, a question. Its words are
//! looked up in an index of every file ([`gather`]), passages and files get
//! scores from named signals ([`rank`]), and [`choose`] picks lines for a
//! budget. docs/ranking.md has the formula and what each part is worth.

mod body;
mod choose;
mod corpus;
mod features;
mod history;
mod index;
mod past;
mod query;
mod score;
mod signals;
mod touched;
mod trees;
mod weights;

use std::path::Path;

pub(crate) use choose::{Choice, RelatedPassage};
pub use choose::{Pick, choose};
pub use corpus::{Content, Gathered, TaskSource, gather};
use history::History;
pub use history::Message;
pub use index::FileIndex;
pub use past::{Alike, Past, alike};
pub use query::Query;
pub use score::{Candidate, RankedFile, RankedPassage};
pub(in crate::pack) use signals::rounded;
pub use signals::{FileSignals, Lift, PassageSignals};
pub use trees::{Judged, Trees};
pub use weights::TaskWeights;

use crate::repo::language_of;
use crate::repo::{EntryPoints, FileKind};
use crate::text::terms::terms;

/// What sort of file it is, as far as ranking cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskKind {
    /// Code that runs.
    Source,
    /// A test.
    Test,
    /// An example or a benchmark.
    Example,
    /// What is not code: documents, configuration, data, generated.
    NonCode,
}

impl TaskKind {
    /// Sorts a file by its path.
    pub fn of(path: &str) -> TaskKind {
        let kind = FileKind::of(path, EntryPoints::Extended);
        let language = language_of(Path::new(path)).unwrap_or_default();
        let is_no_code = matches!(language, "" | "gitignore" | "gitattributes" | "diff");
        if kind.documentation || kind.data || kind.lock || kind.generated || is_no_code {
            TaskKind::NonCode
        } else if kind.test || parts(path).any(is_test_directory) {
            TaskKind::Test
        } else if kind.config && !is_written_as_code(language) {
            TaskKind::NonCode
        } else if parts(path).any(|part| EXAMPLES.contains(&part)) {
            TaskKind::Example
        } else {
            TaskKind::Source
        }
    }
}

/// Directories of code that shows how the rest is used.
const EXAMPLES: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "playground",
    "sandbox",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "docs",
    "doc",
    "documentation",
    "www",
    "website",
    "tutorial",
    "tutorials",
];

/// Whether configuration in a language is a program: `setup.py` is, `package.json` is not.
fn is_written_as_code(language: &str) -> bool {
    let is_script = matches!(language, "python" | "ruby" | "php" | "lua" | "groovy" | "scala");
    is_script
        || matches!(language, "javascript" | "jsx" | "typescript" | "tsx" | "kotlin" | "swift")
}

/// The directories of a path.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    directory.split('/').filter(|part| !part.is_empty())
}

/// Directories such as `App.Tests` or `unit-tests`.
fn is_test_directory(part: &str) -> bool {
    [".Tests", ".Test", "-tests", "-test", "_tests", "_test", ".UnitTests", ".IntegrationTests"]
        .iter()
        .any(|end| part.ends_with(end))
}

impl Candidate {
    /// Looks the words of a task up in a file; `None` where the index is damaged.
    pub fn new(path: &str, index: &FileIndex, query: &Query) -> Option<Candidate> {
        let mut path_stems: Vec<u16> =
            terms(path).iter().filter_map(|term| query.stem_slot(term.stem)).collect();
        path_stems.sort_unstable();
        path_stems.dedup();
        Some(Candidate {
            path: path.to_owned(),
            kind: TaskKind::of(path),
            probe: index.probe(query)?,
            path_stems,
            mention: query.mention(path),
            hash: None,
        })
    }
}

/// Ranks the passages of files for a task: by trees, or by the formula alone.
pub fn rank(
    files: &[Candidate],
    messages: &[Message<'_>],
    past: &Past,
    query: &Query,
    weights: &TaskWeights,
    trees: Option<&Trees>,
) -> Vec<RankedFile> {
    let history = History { messages, past };
    score::score(files, &history, query, weights, trees)
}

/// Describes the best passages by the formula as the trees see them, to fit trees by:
/// which file, its first and last line, and the numbers.
pub fn describe(
    files: &[Candidate],
    messages: &[Message<'_>],
    past: &Past,
    query: &Query,
    weights: &TaskWeights,
) -> Vec<(usize, (u32, u32), Vec<i16>)> {
    let history = History { messages, past };
    let (ranked, rows) = score::scored(files, &history, query, weights, true);
    let rows = rows.iter().map(|row| {
        let passage = &ranked[row.at.0].passages[row.at.1];
        (row.at.0, (passage.first, passage.last), row.row.to_vec())
    });
    rows.collect()
}

#[cfg(test)]
mod tests;
