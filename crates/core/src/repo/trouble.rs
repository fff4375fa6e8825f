//! Describes what is wrong with a directory entry.

use std::fs::{self, FileType};
use std::path::Path;

/// Says what something that is neither file nor directory nor link is.
pub(super) fn special_message(file_type: FileType) -> String {
    format!("{}, not read", special_kind(file_type))
}

/// Names what is neither file nor directory nor link.
#[cfg(unix)]
pub(super) fn special_kind(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        "named pipe"
    } else if file_type.is_socket() {
        "socket"
    } else if file_type.is_block_device() || file_type.is_char_device() {
        "device"
    } else {
        "not a file"
    }
}

/// Names what is neither file nor directory nor link.
#[cfg(not(unix))]
pub(super) fn special_kind(_file_type: FileType) -> &'static str {
    "not a file"
}

/// Finds an ignore file that is not a plain file: opening it could block for ever.
pub(super) fn trap(directory: &Path, own: &[&'static str]) -> Option<(&'static str, FileType)> {
    let names = [".gitignore", ".ignore", ".git", ".git/info/exclude"];
    names.into_iter().chain(own.iter().copied()).find_map(|name| {
        let file_type = fs::metadata(directory.join(name)).ok()?.file_type();
        let is_plain = file_type.is_file() || file_type.is_dir();
        (!is_plain).then_some((name, file_type))
    })
}

/// Calls `tell` with the path and the words of every single error inside of one.
pub(super) fn for_each_cause<'a>(
    error: &'a ignore::Error,
    tell: &mut dyn FnMut(Option<&'a Path>, String),
) {
    match error {
        ignore::Error::Partial(errors) => {
            for error in errors {
                for_each_cause(error, tell);
            }
        }
        error => tell(path_of(error), reason(error)),
    }
}

/// Returns what an error of the walker says, without the path.
pub(super) fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => reason(err),
        ignore::Error::WithLineNumber { line, err } => format!("line {line}: {}", reason(err)),
        ignore::Error::Io(error) => format!("cannot read it: {error}"),
        other => other.to_string(),
    }
}

/// Returns the path an error of the walker is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}
