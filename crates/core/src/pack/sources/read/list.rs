//! Lines of `path:line` or `path:line:text`.

use super::{ReadSources, SourceListError};

const EXPECTED: &str = "expected `path:line` or `path:line:text`";

pub(super) fn read(name: &str, text: &str) -> Result<ReadSources, SourceListError> {
    let mut read = ReadSources::default();
    for (number, line) in text.lines().enumerate() {
        // What grep prints between groups of lines.
        if line.trim().is_empty() || line == "--" {
            continue;
        }
        match place(line) {
            Some((path, at, text)) => read.add_lines(path, at, text),
            None => read.note(name, number + 1, EXPECTED),
        }
    }
    if !read.sources.is_empty() {
        return Ok(read);
    }
    let blank = text.lines().take_while(|line| line.trim().is_empty());
    Err(SourceListError {
        name: name.to_owned(),
        line: blank.count() + 1,
        column: 1,
        why: EXPECTED.to_owned(),
    })
}

/// Takes a line apart at the first number between colons.
fn place(line: &str) -> Option<(&str, u32, Option<&str>)> {
    for (colon, _) in line.match_indices(':') {
        let (path, rest) = (&line[..colon], &line[colon + 1..]);
        let (digits, text) = match rest.split_once(':') {
            Some((digits, text)) => (digits, Some(text)),
            None => (rest.trim_end(), None),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || path.trim().is_empty() {
            continue;
        }
        let at = digits.parse().ok().filter(|at| *at > 0)?;
        return Some((path, at, text));
    }
    None
}
