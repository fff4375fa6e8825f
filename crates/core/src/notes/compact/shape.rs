//! The parts of a markdown text, and which of its lines must stay as they are.
//!
//! A parser of the standard says where code, tables and markup are. Notes are
//! often written by models, which nest fences wrongly and break tables, so a
//! second, simpler look at the lines guards what only a person would see. A
//! line that either of them guards is left alone.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};
use regex::Regex;

use crate::notes::literal;

/// A heading and the lines of its section, which may hold deeper ones.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    pub(super) line: usize,
    pub(super) level: HeadingLevel,
    pub(super) title: String,
    pub(super) range: Range<usize>,
}

/// What a text is made of.
pub(super) struct Shape<'a> {
    pub(super) text: &'a str,
    /// The lines with their ends.
    pub(super) lines: Vec<Range<usize>>,
    /// Which lines must stay as they are.
    pub(super) guarded: Vec<bool>,
    /// Everything the parser saw.
    pub(super) events: Vec<(Event<'a>, Range<usize>)>,
    pub(super) headings: Vec<Heading>,
}

/// A line of a list of tasks.
static TASK: LazyLock<Regex> =
    LazyLock::new(|| literal(r"^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[([^\]\[])\](?:\s|$)"));
/// What a decision outside a heading begins with.
static DECISION: LazyLock<Regex> =
    LazyLock::new(|| literal(r"(?i)^[\s>*_#-]*(?:decision|decided|adr[- ]?\d)"));
/// The definition of a link or a footnote.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| literal(r"^\s{0,3}\[[^\]]+\]:"));

/// Returns the sign in the box of a line of a list of tasks.
fn task_state(line: &str) -> Option<char> {
    let found = TASK.captures(line)?;
    found.get(1)?.as_str().chars().next()
}

/// Tells whether a heading is about decisions.
fn is_decision_title(title: &str) -> bool {
    let mut words = title.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let word = word.to_ascii_lowercase();
        matches!(word.as_str(), "decision" | "decisions" | "adr" | "adrs")
    })
}

/// How markdown is read here.
pub(super) fn reading() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
}

impl<'a> Shape<'a> {
    /// Takes a text apart; lines that match a pattern are guarded, too.
    pub(super) fn of(text: &'a str, preserve: &[Regex]) -> Shape<'a> {
        let events = Parser::new_ext(text, reading()).into_offset_iter().collect();
        let mut shape =
            Shape { text, lines: lines(text), guarded: Vec::new(), events, headings: Vec::new() };
        shape.guarded = vec![false; shape.lines.len()];
        shape.headings = shape.find_headings();
        shape.guard_parsed();
        shape.guard_fences();
        shape.guard_lines(preserve);
        shape.guard_decisions();
        shape
    }

    /// Returns the text of a line without its end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        let line = self.lines.get(index).cloned().unwrap_or(0..0);
        self.text[line].trim_end_matches(['\n', '\r'])
    }

    /// Returns the line that holds a byte.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        let after = self.lines.partition_point(|line| line.start <= offset);
        after.saturating_sub(1)
    }

    /// Tells whether any line of a range must stay as it is.
    pub(super) fn is_guarded(&self, range: &Range<usize>) -> bool {
        self.lines_of(range).any(|line| self.guards(line))
    }

    /// Tells whether a line must stay as it is.
    pub(super) fn guards(&self, line: usize) -> bool {
        self.guarded.get(line).copied().unwrap_or(true)
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    /// Returns the heading that a line stands under.
    pub(super) fn heading_of(&self, line: usize) -> Option<&Heading> {
        let after = self.headings.partition_point(|it| it.line <= line);
        self.headings.get(after.checked_sub(1)?)
    }

    /// Returns the lines that hold a range, without blank ones at its end.
    fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let inside = self.text.get(range.clone()).unwrap_or_default().trim_end();
        let last = range.start + inside.len().saturating_sub(1);
        self.line_at(range.start)..self.line_at(last) + 1
    }

    fn guard(&mut self, lines: Range<usize>) {
        let end = lines.end.min(self.guarded.len());
        self.guarded[lines.start.min(end)..end].fill(true);
    }

    fn find_headings(&self) -> Vec<Heading> {
        let heading = |(event, range): &(Event<'_>, Range<usize>)| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(Heading {
                line: self.line_at(range.start),
                level: *level,
                title: title_of(&self.text[range.clone()]),
                range: range.clone(),
            }),
            _ => None,
        };
        self.events.iter().filter_map(heading).collect()
    }

    /// Guards what the standard calls code, a table, markup or front matter.
    fn guard_parsed(&mut self) {
        let mut guarded = Vec::new();
        let mut items: Vec<Range<usize>> = Vec::new();
        for (event, range) in &self.events {
            match event {
                Event::Start(
                    Tag::CodeBlock(_)
                    | Tag::HtmlBlock
                    | Tag::Table(_)
                    | Tag::MetadataBlock(_)
                    | Tag::FootnoteDefinition(_),
                )
                | Event::InlineHtml(_)
                | Event::Html(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_) => guarded.push(range.clone()),
                Event::Start(Tag::Item) => items.push(range.clone()),
                Event::TaskListMarker(_) => guarded.extend(items.last().cloned()),
                _ => {}
            }
        }
        for range in guarded {
            self.guard(self.lines_of(&range));
        }
    }

    /// Guards fences as people mean them: one with a language opens another inside.
    fn guard_fences(&mut self) {
        let mut open: Vec<(char, usize)> = Vec::new();
        for index in 0..self.lines.len() {
            let fence = fence_of(self.line(index));
            let was_open = !open.is_empty();
            match (fence, open.last()) {
                (Some((mark, length, bare)), Some((opener, least)))
                    if bare && mark == *opener && length >= *least =>
                {
                    open.pop();
                }
                (Some((mark, length, _)), None) => open.push((mark, length)),
                (Some((mark, length, false)), Some(_)) => open.push((mark, length)),
                _ => {}
            }
            if was_open || !open.is_empty() {
                self.guard(index..index + 1);
            }
        }
    }

    /// Guards lines by what they look like.
    fn guard_lines(&mut self, preserve: &[Regex]) {
        let mut in_math = false;
        for index in 0..self.lines.len() {
            let line = self.line(index);
            let start = line.trim_start();
            let math = line.trim() == "$$";
            let looks = start.starts_with(['|', '<', '{', '}', '"'])
                || start.starts_with("[{")
                || start.starts_with("[\"")
                || line.matches(" | ").count() > 1
                || task_state(line).is_some()
                || DECISION.is_match(line)
                || DEFINITION.is_match(line);
            if looks || math || in_math || preserve.iter().any(|it| it.is_match(line)) {
                self.guard(index..index + 1);
            }
            in_math ^= math;
        }
    }

    /// Guards every section whose heading is about decisions.
    fn guard_decisions(&mut self) {
        let sections: Vec<Range<usize>> = self
            .headings
            .iter()
            .enumerate()
            .filter(|(_, heading)| is_decision_title(&heading.title))
            .map(|(index, heading)| {
                let mut after = self.headings[index + 1..].iter();
                let next = after.find(|next| next.level <= heading.level);
                heading.line..next.map_or(self.lines.len(), |next| next.line)
            })
            .collect();
        for section in sections {
            self.guard(section);
        }
    }
}

/// Returns where the lines of a text are, with their ends.
pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let line = |line: &str| {
        let range = start..start + line.len();
        start = range.end;
        range
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns the mark and length of a fence, and whether nothing else is on the line.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let quote = |c: char| c.is_whitespace() || c == '>';
    let start = line.trim_start_matches(quote);
    let item = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = item.strip_prefix(['-', '*', '+', '.', ')']).map(str::trim_start);
    let start = match item {
        Some(item) if !start.starts_with("```") && item.starts_with(['`', '~']) => item,
        _ => start,
    };
    let mark = start.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = start.trim_start_matches(mark);
    let length = start.len() - rest.len();
    // A span of code on one line does not open a fence.
    (length >= 3 && !(mark == '`' && rest.contains('`')))
        .then(|| (mark, length, rest.trim().is_empty()))
}

/// Returns the words of a heading.
fn title_of(heading: &str) -> String {
    let first = heading.lines().next().unwrap_or_default();
    let title = first.trim().trim_start_matches('#').trim_end_matches('#');
    title.replace("**", "").trim().to_owned()
}
