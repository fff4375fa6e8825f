//! Writes paths so that people can read them safely.
//!
//! A file name may hold anything but a slash and a NUL: newlines that forge a
//! line of output, escapes that repaint a terminal, bytes that are not text.

use std::cmp::Ordering;
use std::fmt::Write;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// Writes a path on one line, with `/` between its parts.
///
/// Control characters appear as `\n` or `\u{1b}`, bytes that are not text as
/// `\xff`. Everything else, quotes and backslashes included, stands as it is.
///
/// ```
/// use loadline::repo::display_path;
/// assert_eq!(display_path("src/a b.rs".as_ref()), "src/a b.rs");
/// assert_eq!(display_path("two\nlines".as_ref()), "two\\nlines");
/// ```
pub fn display_path(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' if MAIN_SEPARATOR == '\\' => shown.push('/'),
                character if character.is_control() || is_invisible(character) => {
                    shown.extend(character.escape_default());
                }
                character => shown.push(character),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Characters that turn the direction of a line or end it, without being controls.
///
/// Joiners are letters of some scripts, and of many emoji.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Compares paths by their bytes, with `/` between the parts on every system.
pub(super) fn compare(left: &Path, right: &Path) -> Ordering {
    let left = left.as_os_str().as_encoded_bytes();
    let right = right.as_os_str().as_encoded_bytes();
    if MAIN_SEPARATOR == '/' {
        return left.cmp(right);
    }
    let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
    left.iter().map(slash).cmp(right.iter().map(slash))
}

/// Drops the `.` parts of a path, so that `./src` and `src` read the same.
///
/// A path that is nothing else becomes the empty path.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|component| !matches!(component, Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f265_a_name_cannot_forge_output() {
        for (name, want) in [
            ("src/main.rs", "src/main.rs"),
            ("it's \"quoted\".txt", "it's \"quoted\".txt"),
            ("a\nerror: b", "a\\nerror: b"),
            ("\u{1b}[2Jx", "\\u{1b}[2Jx"),
            ("\u{202e}gpj.exe", "\\u{202e}gpj.exe"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(display_path(Path::new(name)), want);
        }
    }

    #[test]
    #[cfg(unix)]
    fn bytes_that_are_no_text_are_escaped() {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9/\xff");
        assert_eq!(display_path(Path::new(name)), "caf\\xe9/\\xff");
    }

    #[test]
    fn f264_paths_compare_and_read_the_same_everywhere() {
        assert_eq!(compare("a-b/x".as_ref(), "a/x".as_ref()), Ordering::Less);
        assert_eq!(without_dots(Path::new("./src/./a")), Path::new("src/a"));
        assert_eq!(without_dots(Path::new(".")), Path::new(""));
        assert_eq!(without_dots(Path::new("../a")), Path::new("../a"));
    }
}
