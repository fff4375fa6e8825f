//! Reads a repository: its files, their text and language, and how much they matter.
//!
//! A repository is a directory tree; git is not needed, but asked where it is
//! there. [`walk`] finds the files, [`decode`] turns their bytes into text,
//! [`language_of`] names their language, [`FileKind`] their sort, and
//! [`content_kind`] tells what no person wrote. [`GitHistory`] knows how often
//! they change, [`ImportGraph`] who imports them, and [`score_files`] how much
//! they matter. [`denied`] and [`Secrets`] keep credentials out. Nothing here
//! runs or changes what it finds.

mod content_kind;
mod count;
mod decode;
mod deny;
mod entry;
mod error;
mod filter;
mod git;
mod graph;
mod kind;
mod language;
mod magic;
mod name;
mod named;
mod names;
mod place;
mod resolve;
mod score;
mod secrets;
mod trouble;
mod unmatched;
mod visit;
mod walk;

pub use content_kind::{ContentKind, content_kind};
pub use count::{CountOptions, CountReport, FileCount, LanguageCount, count_paths, count_text};
pub use decode::{Decoded, decode};
pub use deny::denied;
pub(crate) use entry::named_entry_points;
pub use error::RepoError;
pub(crate) use filter::{Filter, Globs};
pub use git::{
    Activity, Change, ChangeStatus, ChangedFiles, Changes, Commit, Comparison, GitHistory,
    HistoryOptions, WorkTree, changed_at, current_branch, line_times,
};
pub(crate) use git::{Hunk, Patch, read_blobs};
pub use graph::{ImportGraph, Manifest, SourceFile};
pub(crate) use kind::door_rank;
pub use kind::{EntryPoints, FileKind};
pub use language::language_of;
pub use name::display_path;
pub use score::{FileFacts, FileScore, ScoreOptions, Signals, has_edge_case, score_files};
pub use secrets::{SecretFinding, Secrets};
pub use walk::{FoundFile, TypedGlob, WalkOptions, Walked, walk};

pub(crate) use decode::static_encoding;
pub(crate) use magic::static_kind;
pub(crate) use name::without_dots;
