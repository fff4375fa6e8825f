//! Reads a markdown note line by line.
//!
//! A parser of the standard would not do: notes have tables without heads, bold lines as
//! headings, fences around whole files, and indents of every kind.

use std::sync::LazyLock;

use regex::Regex;

use super::{Draft, Reader, clean, is_branch};
use crate::notes::compact::is_mark;
use crate::notes::document::is_document;
use crate::notes::words::WORDS;
use crate::notes::{Role, UnitKind, literal};

/// A whole line of strong words, with or without a colon.
static BOLD: LazyLock<Regex> =
    LazyLock::new(|| literal(r"^\s*(?:\*\*|__)([^*]{2,80}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*$"));
/// A line that begins with a label is a line of its own.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    literal(r"^\s*(?:\*\*|__)?(?:[\p{L}][^:*`]{1,40}?(?:\*\*|__)?\s*[:：]\s*\S|\S{1,12}:\s)")
});
static RULE: LazyLock<Regex> = LazyLock::new(|| literal(r"^\s*(?:[-=*_]\s*){3,}$"));
static TABLE_RULE: LazyLock<Regex> = LazyLock::new(|| literal(r"^\s*\|[\s:|-]+\|?\s*$"));
/// Keys of front matter that say where the work is.
static FRONT_KEY: LazyLock<Regex> = LazyLock::new(|| {
    literal(r"^(?:status|stopped_at|current|milestone|phase|next|progress|last_activity)")
});

/// Longer texts are cut into sentences, and sentences are joined up to the second length.
const LONG: usize = 280;
const JOINED: usize = 180;
/// Ends of sentences that no space need follow.
const CLOSED: [char; 4] = ['。', '！', '？', '；'];
/// How many lines front matter may have.
const FRONT_LINES: usize = 120;

/// Returns the depth and the words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let words = text.trim_start_matches('#');
    let depth = text.len() - words.len();
    let is_heading = (1..=6).contains(&depth)
        && line.len() - text.len() <= 3
        && words.starts_with(char::is_whitespace);
    is_heading.then(|| (depth, words.trim().trim_end_matches('#').trim_end()))
}

/// Returns what an item of a list consists of: what is before its mark, the sign in its box,
/// and the words.
fn item(line: &str) -> Option<(&str, Option<char>, &str)> {
    let marked = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let before = &line[..line.len() - marked.len()];
    let digits = marked.bytes().take_while(u8::is_ascii_digit).count();
    let text = match digits {
        0 => marked.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => marked[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = Some(text.trim_start()).filter(|it| it.len() < text.len())?;
    let boxed = text.strip_prefix('[').and_then(|inner| {
        let state = inner.chars().next()?;
        let rest = inner[state.len_utf8()..].strip_prefix(']')?;
        rest.starts_with(char::is_whitespace).then(|| (state, rest.trim_start()))
    });
    match boxed {
        Some((state, rest)) => Some((before, Some(state), rest)),
        None => Some((before, None, text)),
    }
}

/// Tells whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    item(line).is_some()
}

/// Reads one note.
pub(super) fn read(text: &str, reader: &mut Reader) {
    let all = plain_lines(text);
    let (first, end) = unwrapped(&all);
    let is_own = all.get(first).is_some_and(|it| is_document(it));
    let mut lines = Lines { all: &all[..end], next: first, reader, fences: Vec::new(), is_own };
    if is_own {
        // What a document says about itself is not a note.
        let head = lines.all.iter().position(|it| it.starts_with("## "));
        lines.next = head.unwrap_or(end);
    }
    lines.front_matter();
    let mut place = Place::default();
    while let Some(line) = lines.take() {
        lines.line(line, &mut place);
    }
}

/// Returns the lines without the marks of quotes and the tags around them, which are prose
/// like any other; in code they stay.
fn plain_lines(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let line = |line| {
        let line: &str = str::trim_end(line);
        is_code ^= fence(line).is_some();
        match line.strip_prefix('>') {
            _ if is_code => line,
            Some(quoted) => quoted.strip_prefix(' ').unwrap_or(quoted),
            None => untagged(line),
        }
    };
    text.lines().map(line).collect()
}

/// Returns a line without the tags that it begins or ends with, such as `<objective>`.
///
/// A tag that a sentence is about stays, as in `<script> runs at once` or `<id>.md has it`.
fn untagged(line: &str) -> &str {
    let mut rest = line;
    while let Some((before, tag)) = rest.rfind('<').map(|at| rest.split_at(at)) {
        let opening = format!("<{}", tag.trim_matches(['<', '>', '/']));
        let is_inside = before.trim_start().rfind(&opening).is_some_and(|at| at > 0);
        if !is_tag(tag) || !tag.starts_with("</") || is_inside {
            break;
        }
        rest = before.trim_end();
    }
    let Some((tag, after)) = rest.find('>').map(|at| rest.split_at(at + 1)) else {
        return rest;
    };
    let is_around = rest.len() < line.len() || after.is_empty();
    if is_tag(tag.trim_start()) && is_around { after.trim_start() } else { rest }
}

/// Tells whether a text is one tag of markup: `<task type="auto">`, `</task>`.
fn is_tag(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
    inside.map(|it| it.trim_start_matches('/')).is_some_and(|it| {
        let name = it.split_whitespace().next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_/".contains(&it));
        is_name && !it.contains(['<', '>']) && (it.len() == name.len() || it.contains('='))
    })
}

/// Returns the lines inside a fence around the whole note, or all of them.
fn unwrapped(lines: &[&str]) -> (usize, usize) {
    let Some(first) = lines.iter().position(|it| !it.is_empty()) else {
        return (0, lines.len());
    };
    let last = lines.iter().rposition(|it| !it.is_empty()).unwrap_or(first);
    let opens = matches!(lines[first].trim(), "```" | "```md" | "```markdown");
    let fences = lines.iter().filter(|it| fence(it).is_some()).count();
    let inside = &lines[(first + 1).min(last)..last];
    let has_headings = inside.iter().any(|it| heading(it).is_some());
    if opens && lines[last].trim() == "```" && fences % 2 == 0 && last > first && has_headings {
        (first + 1, last)
    } else {
        (0, lines.len())
    }
}

/// Returns what follows the marks of a fence.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"))
}

/// The lines of a note, and where the reading is.
struct Lines<'a, 'r> {
    all: &'a [&'a str],
    next: usize,
    reader: &'r mut Reader,
    /// Open fences; those around markdown are read through.
    fences: Vec<bool>,
    /// Whether it is a document that was written from notes, with headings of ours.
    is_own: bool,
}

/// What the lines above say about the next one.
#[derive(Default)]
struct Place {
    /// Open headings with their depth.
    headings: Vec<(usize, usize)>,
    /// A lead-in, and whether it ends at a blank line.
    lead: Option<bool>,
    /// Open items with their indent.
    items: Vec<(usize, usize)>,
}

impl<'a> Lines<'a, '_> {
    fn take(&mut self) -> Option<&'a str> {
        let line = self.all.get(self.next)?;
        self.next += 1;
        Some(line)
    }

    fn peek(&self) -> &'a str {
        self.all.get(self.next).copied().unwrap_or_default()
    }

    /// Reads the keys of front matter that say where the work is.
    fn front_matter(&mut self) {
        if self.peek().trim() != "---" {
            return;
        }
        let rest = self.all[self.next + 1..].iter().take(FRONT_LINES);
        let Some(length) = rest.clone().position(|it| *it == "---") else {
            return;
        };
        for (index, line) in rest.take(length).enumerate() {
            if FRONT_KEY.is_match(line) {
                let mut draft = Draft::new(line, self.next + index + 2, UnitKind::Field);
                draft.role = Some(Role::Current);
                self.reader.add(draft);
            }
        }
        self.next += length + 2;
    }

    fn line(&mut self, line: &'a str, place: &mut Place) {
        let number = self.next;
        if let Some(language) = fence(line) {
            place.items.clear();
            return self.fence(language.trim());
        }
        if self.fences.last() == Some(&false) {
            return self.code(line, number, place);
        }
        if line.trim().is_empty() {
            if place.lead == Some(true) && !is_item(self.peek()) {
                self.end_lead(place);
            }
            return place.items.clear();
        }
        let text = line.trim_start();
        let strong = text.starts_with(['*', '_']);
        if is_mark(text) {
            return;
        }
        if RULE.is_match(line) {
            return self.end_lead(place);
        }
        if text.starts_with("<!--") {
            return self.comment(text);
        }
        if let Some((depth, title)) = heading(line) {
            self.heading(depth, &clean(title), place);
        } else if let Some(title) = banner(line, self.peek()) {
            self.heading(2, &title, place);
        } else if let Some((before, state, text)) = item(line) {
            self.item(before, state, text, place);
        } else if WORDS.sign(text).is_some() {
            self.item(&line[..line.len() - text.len()], None, text, place);
        } else if let Some(found) = strong.then(|| BOLD.captures(line)).flatten() {
            self.lead(&clean(&found[1]), false, place);
        } else if text.starts_with('|') {
            self.row(text, number);
        } else {
            self.text(line, number, place);
        }
    }

    /// Passes over a comment, which templates explain themselves in.
    ///
    /// One that is never closed is text like any other below its first line.
    fn comment(&mut self, first: &str) {
        if first.contains("-->") {
            return;
        }
        let rest = &self.all[self.next..];
        if let Some(length) = rest.iter().position(|it| it.contains("-->")) {
            self.next += length + 1;
        }
    }

    fn fence(&mut self, language: &str) {
        let is_notes = matches!(language, "md" | "markdown");
        match self.fences.last() {
            Some(_) if language.is_empty() => {
                self.fences.pop();
            }
            // A line of code that looks like a fence.
            Some(false) => {}
            _ => self.fences.push(is_notes),
        }
    }

    /// Reads a line of code; what stands on a branch of a drawn tree belongs to its directory.
    fn code(&mut self, line: &str, number: usize, place: &mut Place) {
        let rest = line.trim_start_matches(is_branch);
        let indent = line.chars().count() - rest.chars().count();
        let is_drawn = line.chars().take(indent).any(|it| it != ' ');
        while place.items.last().is_some_and(|(other, _)| *other >= indent || !is_drawn) {
            place.items.pop();
        }
        let mut draft = Draft::new(rest, number, UnitKind::Code);
        draft.parent = place.items.last().map(|(_, unit)| *unit);
        if let Some(unit) = self.reader.add(draft) {
            place.items.push((indent, unit));
        }
    }

    fn heading(&mut self, depth: usize, title: &str, place: &mut Place) {
        place.headings.retain(|(other, _)| *other < depth);
        place.lead = None;
        place.items.clear();
        let parent = place.headings.last().map(|(_, section)| *section);
        let section = self.reader.open(parent, title, false);
        place.headings.push((depth, section));
        self.reader.section = Some(section);
        if self.is_own && depth == 2 {
            return;
        }
        let mut draft = Draft::new(title, self.next, UnitKind::Heading);
        draft.indent = depth;
        self.reader.add(draft);
    }

    /// Opens a section for what a line of text introduces.
    fn lead(&mut self, title: &str, ends_at_blank: bool, place: &mut Place) {
        self.end_lead(place);
        place.items.clear();
        place.lead = Some(ends_at_blank);
        self.reader.section = Some(self.reader.open(self.reader.section, title, true));
    }

    fn end_lead(&mut self, place: &mut Place) {
        place.lead = None;
        self.reader.section = place.headings.last().map(|(_, section)| *section);
    }

    fn row(&mut self, text: &str, number: usize) {
        if TABLE_RULE.is_match(text) || TABLE_RULE.is_match(self.peek()) {
            return;
        }
        let cells = text.trim().trim_matches('|').split('|').map(str::trim);
        let cells: Vec<&str> = cells.filter(|it| !matches!(*it, "" | "-" | "—")).collect();
        let text = cells.join(" | ");
        let mut draft = Draft::new(&text, number, UnitKind::Row);
        // A row of numbers and states, `AUTH-1 | Phase 2 | Pending`, says what others say in words.
        let says_more = cells.iter().filter(|it| WORDS.state(it).is_none()).any(|it| is_text(it));
        let state = cells.iter().find_map(|it| WORDS.state(it));
        draft.role = state.map(|it| if says_more { it } else { Role::Other });
        self.reader.add(draft);
    }

    fn item(&mut self, before: &str, state: Option<char>, text: &str, place: &mut Place) {
        let number = self.next;
        let width = |it: char| if it == '\t' { 4 } else { usize::from(it != '>') };
        let indent: usize = before.chars().map(width).sum();
        let mut text = text.to_owned();
        while self.goes_on() && !self.is_label_below(before) {
            text.push(' ');
            text.push_str(self.take().unwrap_or_default().trim());
        }
        while place.items.last().is_some_and(|(other, _)| *other >= indent) {
            place.items.pop();
        }
        let parent = place.items.last().map(|(_, unit)| *unit);
        let mut first = None;
        for sentence in sentences(&clean(&text)) {
            let mut draft = Draft::new(&sentence, number, UnitKind::Item);
            (draft.state, draft.parent, draft.indent) = (state, first.or(parent), indent);
            let unit = self.reader.add(draft);
            first = first.or(unit);
        }
        if let Some(first) = first {
            place.items.push((indent, first));
        }
    }

    /// Reads a paragraph, or a line that introduces a list.
    fn text(&mut self, line: &str, number: usize, place: &mut Place) {
        let mut text = line.trim().to_owned();
        let introduces = |text: &str| text.ends_with([':', '：']);
        let follows = self.all[self.next..].iter().find(|it| !it.trim().is_empty());
        if introduces(&text) && follows.is_some_and(|it| is_item(it)) {
            return self.lead(&clean(text.trim_end_matches([':', '：'])), true, place);
        }
        while self.goes_on() && !self.begins_label(&text) && !self.begins_lead(&text) {
            text.push(' ');
            text.push_str(self.take().unwrap_or_default().trim());
            if introduces(&text) {
                break;
            }
        }
        for sentence in sentences(&clean(&text)) {
            self.reader.add(Draft::new(&sentence, number, UnitKind::Sentence));
        }
    }

    /// Tells whether the next line is labelled and stands no deeper than an item: another thing.
    fn is_label_below(&self, before: &str) -> bool {
        let line = self.peek();
        let indent = line.len() - line.trim_start().len();
        indent <= before.len() && LABELLED.is_match(line)
    }

    /// Tells whether the next line begins with a label, and not in the middle of a sentence.
    fn begins_label(&self, text: &str) -> bool {
        let next = self.peek();
        let is_inside = next.trim_start().starts_with(char::is_lowercase)
            && text.ends_with(|c: char| c.is_alphanumeric() || c == ',')
            && !LABELLED.is_match(text);
        !is_inside && LABELLED.is_match(next)
    }

    /// Tells whether the next line introduces a list by itself, and is not the end of a
    /// sentence that does.
    fn begins_lead(&self, text: &str) -> bool {
        let next = self.peek().trim();
        let mut after = self.all[(self.next + 1).min(self.all.len())..].iter();
        let leads = next.ends_with([':', '：'])
            && after.find(|it| !it.trim().is_empty()).is_some_and(|it| is_item(it));
        let is_over = text.ends_with(['.', '!', '?', '。']) || LABELLED.is_match(text);
        leads && is_over && next.starts_with(|c: char| c.is_uppercase() || c == '*')
    }

    /// Tells whether the next line is the rest of this one.
    fn goes_on(&self) -> bool {
        let line = self.peek();
        let begins = line.trim().is_empty()
            || line.trim_start().starts_with('|')
            || fence(line).is_some()
            || line.trim_start().starts_with("<!--")
            || is_item(line)
            || heading(line).is_some()
            || BOLD.is_match(line)
            || RULE.is_match(line)
            || WORDS.sign(line.trim_start()).is_some();
        !begins
    }
}

/// Tells whether a cell says something in words, and is more than a number with its kind.
fn is_text(cell: &str) -> bool {
    let has_digit = |it: &&str| it.contains(|c: char| c.is_ascii_digit());
    let (numbers, words): (Vec<&str>, Vec<&str>) = cell.split_whitespace().partition(has_digit);
    let words = words.iter().filter(|it| it.len() > 2).count();
    cell.chars().any(|it| it > '\u{2fff}') || words > usize::from(!numbers.is_empty())
}

/// Returns the title of a heading that is underlined, or stands in capitals.
fn banner(line: &str, next: &str) -> Option<String> {
    let plain = line.trim_matches(|c: char| c == '=' || c.is_whitespace());
    let title = plain.trim_end_matches(':');
    let underlined = next.len() >= 3 && next.bytes().all(|it| it == b'=');
    let framed = line.starts_with("==") && line.ends_with("==");
    let words = title.split_whitespace().count();
    let capitals = title.chars().any(char::is_uppercase)
        && !title.chars().any(|it| it.is_lowercase() || it == '`')
        && (1..=6).contains(&words)
        && !title.contains(':')
        && WORDS.title(title).is_some();
    let is_title = !title.is_empty() && (underlined || framed || capitals);
    is_title.then(|| clean(title))
}

/// Cuts a long text into sentences, short ones joined.
fn sentences(text: &str) -> Vec<String> {
    if text.len() < LONG {
        return vec![text.to_owned()];
    }
    let starts = |c: char| c.is_uppercase() || "`\"(".contains(c) || c > '\u{3000}';
    let is_end = |(place, c): &(usize, char)| match c {
        ' ' => {
            text[..*place].ends_with(['.', '!', '?', ';']) && text[place + 1..].starts_with(starts)
        }
        _ => CLOSED.contains(c),
    };
    let ends = text.char_indices().filter(is_end).map(|(place, c)| match c {
        ' ' => place,
        _ => place + c.len_utf8(),
    });
    let mut sentences: Vec<String> = Vec::new();
    let mut start = 0;
    for end in ends.chain([text.len()]) {
        let sentence = text[start..end].trim();
        if sentence.is_empty() {
            continue;
        }
        // Code such as `SELECT ... FOR UPDATE` is not cut.
        let is_inside_code = sentence.matches('`').count() % 2 == 1;
        if is_inside_code && end < text.len() {
            continue;
        }
        start = end;
        match sentences.last_mut().filter(|it| it.len() + sentence.len() < JOINED) {
            Some(last) => {
                if !last.ends_with(CLOSED) {
                    last.push(' ');
                }
                last.push_str(sentence);
            }
            None => sentences.push(sentence.to_owned()),
        }
    }
    sentences
}
