//! Lines of `path:line`, `path:line:text` or `path:line:column:text`, or of paths alone.

use super::{ReadSources, SourceListError};
use crate::pack::sources::{PackSource, SourceKind};

const EXPECTED: &str = "expected `path`, `path:line` or `path:line:text`";

pub(super) fn read(name: &str, text: &str) -> Result<ReadSources, SourceListError> {
    let mut read = ReadSources::default();
    for (number, line) in text.lines().enumerate() {
        // What grep prints between groups of lines.
        if line.trim().is_empty() || line == "--" {
            continue;
        }
        match place(line) {
            Some((path, at, text)) => read.add_lines(path, at, text),
            None if is_path(line) => {
                let path = line.trim_end();
                read.sources.push(PackSource::new(SourceKind::SearchResult, path));
            }
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

/// Whether a line can be a path: prose and tables are not.
fn is_path(line: &str) -> bool {
    let line = line.trim_end();
    let is_dotted = line.contains(['/', '.']) && !line.ends_with('.');
    let is_prose = line.starts_with(' ') || [": ", " ("].iter().any(|it| line.contains(it));
    is_dotted && !is_prose && !line.contains(['\t', '`', '"'])
}

/// Takes a line apart at the first number between colons.
fn place(line: &str) -> Option<(&str, u32, Option<&str>)> {
    for (colon, _) in line.match_indices(':') {
        let (path, rest) = (&line[..colon], &line[colon + 1..]);
        let (digits, text) = match rest.split_once(':') {
            // A message says nothing of what stands there, so the file is read.
            Some((digits, text)) => (digits, Some(text).filter(|text| !has_column(text))),
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

/// Whether a column follows, as compilers print it before a message: `12: unused`.
fn has_column(text: &str) -> bool {
    let digits = text.split_once(':').map_or("", |(digits, _)| digits);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
