//! Which files are there, what do they say, and in which language?
//!
//! A repository is a directory tree; git is not needed. [`walk`] finds the
//! files, [`decode`] turns their bytes into text, [`language_of`] names their
//! language, [`content_kind`] tells what no person wrote. [`denied`] and
//! [`Secrets`] keep credentials out. Nothing here runs or changes what it finds.

mod content_kind;
mod decode;
mod deny;
mod error;
mod filter;
mod language;
mod magic;
mod name;
mod secrets;
mod visit;
mod walk;

pub use content_kind::{ContentKind, content_kind};
pub use decode::{Decoded, decode};
pub use deny::denied;
pub use error::RepoError;
pub use language::language_of;
pub use name::display_path;
pub use secrets::{SecretError, SecretFinding, SecretOptions, SecretRule, Secrets};
pub use walk::{FoundFile, WalkOptions, Walked, walk};

pub(crate) use decode::static_encoding;
pub(crate) use magic::static_kind;
pub(crate) use name::without_dots;
