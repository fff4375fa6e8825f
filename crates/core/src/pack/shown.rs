//! Shows one file as a pack would: decoded, and without secrets.
//!
//! For callers that read file by file under the same rules: what is not a
//! plain file is never opened, and what holds credentials stays closed.

use std::fs;
use std::path::Path;

use super::PackOptions;
use super::source::read_now;
use crate::cache::FileStamp;
use crate::repo::language_of;
use crate::repo::{Decoded, decode, denied, display_path};
use crate::{Diagnose, Diagnosis};

/// A file that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownFile {
    /// Its text, with markers in the place of secrets.
    pub text: String,
    /// The language, where it is known.
    pub language: Option<&'static str>,
    /// How many secrets were taken out.
    pub secrets: usize,
}

/// Why a file is not shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShowError {
    /// Its name says that it holds credentials.
    #[error("{path:?} is not shown: {why}")]
    Denied {
        /// The path from the root.
        path: String,
        /// What it holds.
        why: &'static str,
    },
    /// It is a directory, a link, a pipe or a device.
    #[error("{path:?} is not a plain file")]
    NotAFile {
        /// The path from the root.
        path: String,
    },
    /// It is not text.
    #[error("{path:?} is {kind}, not text")]
    Binary {
        /// The path from the root.
        path: String,
        /// What it is instead.
        kind: String,
    },
    /// It cannot be read, or is too large.
    #[error("{path:?}: {why}")]
    Unreadable {
        /// The path from the root.
        path: String,
        /// Why not.
        why: String,
    },
}

impl Diagnose for ShowError {
    fn diagnosis(&self) -> Diagnosis {
        let diagnosis = Diagnosis::operation("LL-CTX-004");
        match self {
            ShowError::Denied { .. } => diagnosis.hint("ask the user for what is needed of it"),
            _ => diagnosis,
        }
    }
}

/// Reads the file at `relative` below `root` as a pack shows it.
///
/// The caller sees to it that the path stays below the root.
///
/// ```
/// use loadline::pack::{PackOptions, show_file};
/// use loadline::settings::Config;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("main.py"), "print(1)\n")?;
/// let options = PackOptions::new("o200k".parse()?, Config::load([])?.settings());
/// let shown = show_file(root.path(), "main.py".as_ref(), &options)?;
/// assert_eq!((shown.text.as_str(), shown.language), ("print(1)\n", Some("python")));
/// assert!(show_file(root.path(), ".env".as_ref(), &options).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn show_file(
    root: &Path,
    relative: &Path,
    options: &PackOptions,
) -> Result<ShownFile, ShowError> {
    let path = display_path(relative);
    if let Some(why) = denied(relative) {
        return Err(ShowError::Denied { path, why });
    }
    let absolute = root.join(relative);
    let unreadable = |why: String| ShowError::Unreadable { path: path.clone(), why };
    let metadata = fs::symlink_metadata(&absolute)
        .map_err(|error| unreadable(format!("cannot read it: {error}")))?;
    if !metadata.is_file() {
        return Err(ShowError::NotAFile { path });
    }
    let limit = options.walk.max_file_size;
    if let Some(limit) = limit.filter(|limit| metadata.len() > *limit) {
        let size = metadata.len();
        return Err(unreadable(format!("{size} bytes, over the limit of {limit}")));
    }
    let mut stamp = FileStamp::new(&absolute, &metadata);
    let bytes = read_now(&mut stamp, limit).map_err(unreadable)?;
    shown_bytes(relative, &bytes, options)
}

/// Shows the bytes of the file at `relative`, wherever they come from.
pub(super) fn shown_bytes(
    relative: &Path,
    bytes: &[u8],
    options: &PackOptions,
) -> Result<ShownFile, ShowError> {
    let path = display_path(relative);
    if let Some(why) = denied(relative) {
        return Err(ShowError::Denied { path, why });
    }
    let text = match decode(bytes) {
        Decoded::Text { text, .. } => text,
        Decoded::Binary(kind) => return Err(ShowError::Binary { path, kind: kind.to_owned() }),
    };
    let (text, secrets) = match &options.secrets {
        Some(secrets) => {
            let (text, findings) = secrets.redact(&text);
            (text.into_owned(), findings.len())
        }
        None => (text.into_owned(), 0),
    };
    Ok(ShownFile { text, language: language_of(relative), secrets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Config;
    use loadline_testkit::Tree;

    fn options() -> PackOptions {
        let config = Config::load([]).unwrap();
        PackOptions::new("o200k".parse().unwrap(), config.settings())
    }

    #[test]
    fn what_a_pack_would_not_show_is_refused_with_its_reason() {
        let tree =
            Tree::new("//- /a/.env\nX=1\n//- /b.bin\n\0\0\0\u{1}\n//- /large.txt\n12345678\n");
        let mut options = options();
        options.walk.max_file_size = Some(8);
        for (path, why) in [
            ("a/.env", "\"a/.env\" is not shown: environment variables"),
            ("a", "\"a\" is not a plain file"),
            ("large.txt", "\"large.txt\": 9 bytes, over the limit of 8"),
        ] {
            let error = show_file(tree.root(), path.as_ref(), &options).unwrap_err();
            assert_eq!(error.to_string(), why);
        }
        let binary = show_file(tree.root(), "b.bin".as_ref(), &options).unwrap_err();
        assert!(matches!(binary, ShowError::Binary { .. }), "{binary}");
        let missing = show_file(tree.root(), "none.rs".as_ref(), &options).unwrap_err();
        assert!(missing.to_string().contains("cannot read it"), "{missing}");
    }

    #[test]
    fn secrets_are_redacted_and_counted() {
        // Put together here, so that no scanner finds a secret in this file.
        let key = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].concat();
        let tree = Tree::new(&format!("//- /a.py\nkey = \"{key}\"\n"));
        let shown = show_file(tree.root(), "a.py".as_ref(), &options()).unwrap();
        assert_eq!(shown.secrets, 1);
        assert!(!shown.text.contains(&key), "{}", shown.text);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_opened() {
        let tree = Tree::new("//- /a.txt\none\n");
        std::os::unix::fs::symlink(tree.path("a.txt"), tree.path("link.txt")).unwrap();
        let error = show_file(tree.root(), "link.txt".as_ref(), &options()).unwrap_err();
        assert_eq!(error.to_string(), "\"link.txt\" is not a plain file");
    }
}
