//! Reads sources from text: our own JSON, what `loadline search` and ripgrep print, lists
//! of places and of paths.

mod hits;
mod json;
mod list;
mod ripgrep;

use super::PackSource;
use crate::{Diagnose, Diagnosis, Remark};

/// The sources of one text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadSources {
    /// The sources, in the order of the text.
    pub sources: Vec<PackSource>,
    /// What could not be understood, and was left out.
    pub notes: Vec<Remark>,
}

/// Why a text cannot be read as a list of sources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{column}: {why}")]
pub struct SourceListError {
    /// Names the text.
    pub name: String,
    /// The line, 1-based.
    pub line: usize,
    /// The column, 1-based.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

impl Diagnose for SourceListError {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::usage("LL-CTX-012").hint(
            "give `{\"schema\":1,\"sources\":[...]}`, what `loadline search --json` or \
             `rg --json` prints, or lines of `path`, `path:line` or `path:line:text`",
        )
    }
}

/// Reads sources from a text; `name` stands for it in errors and notes.
///
/// The forms are told apart by how they begin:
///
/// - `{"schema":1,"sources":[{"kind":"search_result","path":"src/a.rs",
///   "lines":[3,9],"content":"...","relevance":0.8,"time":"2026-01-01T00:00:00Z"}]}`,
///   where only kind and path must be given. A file source without content has
///   its lines read. The kinds are `search_result`, `open_file`, `change`, `reference`,
///   `tool_result` and `other`.
/// - What `loadline search --json` prints.
/// - What `rg --json` prints. Matches and context that touch become one source.
/// - Lines of `path:line`, `path:line:text` or `path:line:column:text`, as `grep -n`,
///   `git grep -n` and compilers print them, or of paths alone, as `rg -l` and
///   `git diff --name-only` do.
///
/// One bad source among good ones costs a note. A text of white space is an
/// empty list.
///
/// # Errors
///
/// A text in none of these forms, with the place where that shows.
///
/// ```
/// use loadline::pack::{SourceKind, read_sources};
/// let read = read_sources("hits", "src/a.rs:3:fn a() {}\nsrc/a.rs:4:fn b() {}\n")?;
/// assert_eq!(read.sources[0].kind, SourceKind::SearchResult);
/// assert_eq!(read.sources[0].lines, Some((3, 4)));
/// # Ok::<(), loadline::pack::SourceListError>(())
/// ```
pub fn read_sources(name: &str, text: &str) -> Result<ReadSources, SourceListError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(ReadSources::default());
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return list::read(name, text);
    }
    if ripgrep::is_event(text) {
        Ok(ripgrep::read(name, text))
    } else if let Some(hits) = hits::read(text) {
        Ok(hits)
    } else {
        json::read(name, text)
    }
}

impl ReadSources {
    /// Adds lines of a file; those that follow the last ones join them.
    fn add_lines(&mut self, path: &str, line: u32, text: Option<&str>) {
        let count = text.map_or(1, |text| text.lines().count().max(1));
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let end = line.saturating_add(count - 1);
        if let Some(last) = self.sources.last_mut()
            && last.path == path
            && let Some((_, before)) = &mut last.lines
            && before.checked_add(1) == Some(line)
            && last.content.is_some() == text.is_some()
        {
            *before = end;
            if let (Some(content), Some(text)) = (&mut last.content, text) {
                end_line(content);
                content.extend_from_slice(text.as_bytes());
            }
            return;
        }
        let mut source = PackSource::new(super::SourceKind::SearchResult, path).lines(line, end);
        source.content = text.map(|text| text.as_bytes().to_vec());
        self.sources.push(source);
    }

    fn note(&mut self, name: &str, line: usize, why: &str) {
        self.notes.push(Remark::new(format!("{name}:{line}"), why));
    }
}

fn end_line(content: &mut Vec<u8>) {
    if content.last() != Some(&b'\n') {
        content.push(b'\n');
    }
}
