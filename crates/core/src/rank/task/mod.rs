//! Which lines does a task need?

mod choose;
mod history;
mod index;
mod query;
mod score;
mod weights;

use std::collections::HashMap;
use std::path::Path;

pub use choose::{Pick, choose};
pub use history::Message;
pub use index::FileIndex;
pub use query::Query;
pub use score::{
    Candidate, FileSignals, PassageSignals, RankedFile, RankedPassage,
};
pub use weights::TaskWeights;

use crate::repo::{EntryPoints, FileKind};
use crate::language_of;

/// What sort of file it is, as far as ranking cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskKind {
    /// Code that runs.
    Source,
    /// A test.
    Test,
    /// What stands beside the code: documents, configuration, data, generated.
    Beside,
}

impl TaskKind {
    /// Sorts a file by its path.
    pub fn of(path: &str) -> TaskKind {
        let kind = FileKind::of(path, EntryPoints::Extended);
        let language = language_of(Path::new(path)).unwrap_or_default();
        let beside = matches!(language, "" | "gitignore" | "gitattributes" | "diff");
        if kind.documentation || kind.data || kind.lock || kind.generated || beside {
            TaskKind::Beside
        } else if kind.test {
            TaskKind::Test
        } else if kind.config {
            TaskKind::Beside
        } else {
            TaskKind::Source
        }
    }
}

impl Candidate {
    /// Looks the words of a task up in a file; `None` where the index is damaged.
    pub fn new(path: &str, index: &FileIndex, query: &Query) -> Option<Candidate> {
        Some(Candidate {
            path: path.to_owned(),
            kind: TaskKind::of(path),
            probe: index.probe(query)?,
        })
    }
}

/// Ranks the passages of files for a task.
pub fn rank(
    files: &[Candidate],
    messages: &[Message<'_>],
    query: &Query,
    weights: &TaskWeights,
) -> Vec<RankedFile> {
    let places: HashMap<&str, usize> =
        files.iter().enumerate().map(|(place, file)| (file.path.as_str(), place)).collect();
    let messages = history::message_scores(messages, &places, files.len(), query, weights);
    score::score(files, &messages, query, weights)
}
