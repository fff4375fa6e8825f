//! Reads notes as people and agents write them: into units with roles.
//!
//! ```text
//! text -> lines -> sections and units -> roles -> what was ticked anywhere
//! ```
//!
//! Notes follow no format, so nothing here fails. What a unit says about the work comes
//! from its own box, sign or label, then from what it is a detail of, then from the
//! headings and lead-ins above it, then from its words. One reader serves every level:
//! documents that were written from notes are notes again.

mod data;
mod markdown;

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::words::WORDS;
use super::{Notes, Role, Section, Unit, UnitKind, literal};

/// A date in the forms in use.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    literal(
        r"(?i)(20\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})|(?-u:\b)(\d{1,2})[/.](\d{1,2})[/.](20\d\d)|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2}),? (20\d\d)",
    )
});
/// The number of a session, a phase or a version.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    literal(
        r"(?i)(?:(?-u:\b)(?:session|phase|slice|wave|sprint|milestone|iteration|step|week|day|round|part|version|v)|会话|セッション|阶段|этап|фаза)\s*#?\s*(\d+)(?:\.(\d+))?",
    )
});
/// Titles that take more columns are sentences.
const LONG_TITLE: usize = 60;
/// `None` and words as short say that nothing is there, whatever follows a dash.
const SHORT_NOTHING: usize = 5;
/// A label has at most so many characters.
const LABEL: usize = 41;
/// A state is about a section of at most so many units; larger ones are about many things.
const SETTLED: usize = 8;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Reads notes, given by name and text, in order.
///
/// ```
/// use loadline::notes::{Role, read_notes};
/// let notes = read_notes(&[
///     ("tasks.md", "- [x] login\n- [ ] logout\n"),
///     ("progress.md", "We implemented the following features:\n- login page\n\nNext: mail\n"),
///     ("state.json", r#"{"filesModified": ["src/auth.ts"]}"#),
/// ]);
/// let with = |role| notes.units.iter().filter(|it| it.role == role).map(|it| it.text.as_str()).collect::<Vec<_>>();
/// assert_eq!(with(Role::Done), ["login", "login page"]);
/// assert_eq!(with(Role::Next), ["logout", "Next: mail"]);
/// assert_eq!(with(Role::File), ["src/auth.ts"]);
/// ```
pub fn read_notes(notes: &[(&str, &str)]) -> Notes {
    let mut reader = Reader::default();
    for (name, text) in notes {
        reader.notes.files.push((*name).to_owned());
        reader.section = None;
        reader.has_title = false;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "json" | "jsonl" => data::read(text, &mut reader),
            _ => markdown::read(text, &mut reader),
        }
    }
    let mut notes = reader.notes;
    settle(&mut notes);
    tick(&mut notes);
    notes
}

/// Notes in the making.
#[derive(Default)]
struct Reader {
    notes: Notes,
    /// The section that is being read.
    section: Option<usize>,
    /// Whether the file that is being read has a heading.
    has_title: bool,
}

/// A unit before its place and role are known.
struct Draft<'a> {
    text: &'a str,
    line: usize,
    kind: UnitKind,
    state: Option<char>,
    parent: Option<usize>,
    indent: usize,
    /// What its form says, such as the cell of a table.
    role: Option<Role>,
}

impl<'a> Draft<'a> {
    fn new(text: &'a str, line: usize, kind: UnitKind) -> Draft<'a> {
        Draft { text, line, kind, state: None, parent: None, indent: 0, role: None }
    }
}

impl Reader {
    /// Opens a section below another one.
    fn open(&mut self, parent: Option<usize>, title: &str, is_lead: bool) -> usize {
        let around = parent.and_then(|it| self.notes.sections.get(it));
        let is_finished = is_finished(title) || around.is_some_and(|it| it.is_finished);
        let says = subject(title);
        let role = WORDS.title(says).or_else(|| WORDS.cue(says).filter(|_| is_lead));
        // The steps of a finished plan are not to be done again.
        let over = is_finished && role.is_none_or(|it| matches!(it, Role::Current | Role::Next));
        let role = if over { Some(Role::Done) } else { role };
        let around_role = around.filter(|it| is_lead || it.passes_on()).and_then(|it| it.role);
        let section = Section {
            title: title.to_owned(),
            role: role.or(around_role),
            is_title: parent.is_none() && !is_lead && !self.has_title,
            depth: around.map_or(0, |it| it.depth) + usize::from(!is_lead),
            date: date_in(title).or(around.and_then(|it| it.date)),
            number: number_in(title).or(around.and_then(|it| it.number)),
            is_lead,
            is_finished,
        };
        self.has_title |= !is_lead;
        self.notes.sections.push(section);
        self.notes.sections.len() - 1
    }

    /// Adds a unit to the section that is being read; `None` where it says nothing.
    fn add(&mut self, draft: Draft<'_>) -> Option<usize> {
        let text = clean(draft.text);
        // An item such as `Mail:` has details; elsewhere it is a key without a value.
        let is_text = matches!(draft.kind, UnitKind::Sentence | UnitKind::Field);
        let is_key = is_text && text.ends_with(':') && !text.contains(' ');
        if says_nothing(&text) || is_key || !text.contains(char::is_alphanumeric) {
            return None;
        }
        // What is said about a file of notes, as in a list of them, is not about the work.
        let is_about_file = label_of(&text).is_some_and(is_file_name);
        let cue = WORDS.cue(&text).filter(|_| !is_about_file);
        let role = self.role_of(&draft, &text, cue);
        let has_sign = WORDS.sign(&text).is_some();
        let text = match draft.kind {
            UnitKind::Item | UnitKind::Sentence => WORDS.without_sign(&text).to_owned(),
            _ => text,
        };
        self.notes.units.push(Unit {
            file: self.notes.files.len() - 1,
            line: draft.line,
            text,
            role,
            kind: draft.kind,
            section: self.section,
            parent: draft.parent,
            state: draft.state,
            cue,
            has_sign,
            indent: draft.indent,
        });
        Some(self.notes.units.len() - 1)
    }

    fn role_of(&self, draft: &Draft<'_>, text: &str, cue: Option<Role>) -> Role {
        let around = self.section.and_then(|it| self.notes.sections.get(it)?.role);
        if draft.kind == UnitKind::Heading {
            let role = around.or(cue).unwrap_or(Role::Other);
            let is_log = role == Role::Current && begins_with_date(text);
            return if is_log { Role::Done } else { role };
        }
        let own = draft.state.map(|state| WORDS.in_box(state)).or(draft.role);
        let own = own.or_else(|| WORDS.sign(text)).or_else(|| state_in_brackets(text));
        let own = own.or_else(|| {
            let done = text.starts_with("~~") || is_finished(text);
            done.then_some(Role::Done)
        });
        let own = own.or_else(|| WORDS.is_stamp(text).then_some(Role::Other));
        let own = own.or_else(|| role_of_label(text));
        // What a sentence says of itself is stronger than a heading that is about everything.
        let vague = matches!(around, None | Some(Role::Context | Role::Other));
        let own = own.or_else(|| cue.filter(|_| vague && draft.parent.is_none()));
        let role = own
            .or_else(|| Some(self.notes.units.get(draft.parent?)?.role))
            .or(around)
            .or(cue)
            .unwrap_or(Role::Other);
        // A line of a log tells what has happened, wherever it stands.
        let is_over = role == Role::Current || (role.is_open() && cue == Some(Role::Done));
        if is_over && draft.state.is_none() && begins_with_date(text) { Role::Done } else { role }
    }
}

/// A line such as `Status: done` is about the heading it stands under, and what that says.
fn settle(notes: &mut Notes) {
    let states: Vec<(usize, Role)> =
        notes.units.iter().filter_map(|it| Some((it.section?, bare_state(&it.text)?))).collect();
    for (section, role) in states {
        let inside = |it: &Unit| it.section == Some(section);
        if notes.units.iter().filter(|it| inside(it)).count() > SETTLED {
            continue;
        }
        for unit in notes.units.iter_mut().filter(|it| inside(it)) {
            let is_vague = matches!(unit.role, Role::Other | Role::Context | Role::Current);
            if unit.kind == UnitKind::Heading || is_vague {
                unit.role = role;
            }
        }
    }
}

/// Returns the state that a line names and nothing else, as in `Status: done`.
pub(super) fn bare_state(text: &str) -> Option<Role> {
    let state = WORDS.state(text.split_once([':', '：'])?.1)?;
    label_of(text).filter(|it| WORDS.title(it) == Some(Role::Current)).map(|_| state)
}

/// An item that is ticked or said to be finished anywhere is done everywhere, with its details.
fn tick(notes: &mut Notes) {
    let is_ticked = |it: &&Unit| {
        it.role == Role::Done && (it.state.is_some() || it.has_sign || is_finished(&it.text))
    };
    let done = notes.units.iter().filter(is_ticked).map(|it| spoken(task_of(&it.text)));
    let done: HashSet<String> = done.filter(|it| it.len() > 8).collect();
    if done.is_empty() {
        return;
    }
    let mut ticked = vec![false; notes.units.len()];
    for at in 0..ticked.len() {
        let unit = &mut notes.units[at];
        let of_ticked = unit.state.is_none() && unit.parent.is_some_and(|it| ticked[it]);
        if unit.role.is_open() && (of_ticked || done.contains(&spoken(task_of(&unit.text)))) {
            unit.role = Role::Done;
            ticked[at] = true;
        }
    }
}

/// Returns the state that a text begins with in brackets: `[DONE] Mail`.
fn state_in_brackets(text: &str) -> Option<Role> {
    let (state, rest) = text.strip_prefix('[')?.split_once(']')?;
    WORDS.state(state).filter(|_| !rest.starts_with('('))
}

/// Returns a task without a label in brackets and signs before it: `[HIGH] ✅ Mail` is `Mail`.
fn task_of(text: &str) -> &str {
    let label = text.strip_prefix('[').and_then(|it| it.split_once("] "));
    WORDS.without_sign(label.map_or(text, |it| it.1))
}

/// Returns a text as it sounds when it is read aloud: `last_mail:` is `Last mail`.
pub(super) fn spoken(text: &str) -> String {
    let quiet = |c: char| c.is_whitespace() || "_`*".contains(c);
    let words = text.split(quiet).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    words.trim_end_matches([':', '.', ';', ',', ' ']).to_lowercase()
}

/// Returns the part of a title that says what is below it: all of it, or of a sentence what is
/// before its first comma or the like.
fn subject(title: &str) -> &str {
    if title.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum::<usize>() <= LONG_TITLE {
        return title;
    }
    let first = title.split([':', '：', '，', '。', ',', ';', '(', '（']).find(|it| it.len() > 2);
    first.unwrap_or(title)
}

/// Tells whether a title or an item says that it is finished: `Phase 3 ✅`, `Mail (done)`.
fn is_finished(text: &str) -> bool {
    let plain = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '✅');
    let end =
        plain.rsplit(['(', '-', '–', '—', ':', '[']).next().filter(|it| it.len() < plain.len());
    let state = || end.and_then(|it| WORDS.state(it)) == Some(Role::Done);
    let capitals =
        || ["DONE", "COMPLETE", "COMPLETED", "SHIPPED"].iter().any(|it| has_word(text, it));
    let denied = || {
        ["NOT ", "PARTIAL", "IN"].iter().any(|it| text.contains(&format!("{it}COMPLETE")))
            || text.contains("NOT DONE")
    };
    (plain.ends_with(['✅', '✔', '☑']) || capitals() || state()) && !denied()
}

/// Tells whether a text says that there is nothing, by itself or behind a label or number.
fn says_nothing(text: &str) -> bool {
    if is_aside(text) {
        return true;
    }
    let value = text.split_once([':', '：']).map(|it| it.1).filter(|it| !it.trim().is_empty());
    // `None — all went as planned`
    let is_none = text.split_once(' ').is_some_and(|(first, rest)| {
        first.len() <= SHORT_NOTHING
            && (rest.starts_with(['—', '–']) || rest.starts_with("--"))
            && WORDS.is_nothing(first)
    });
    WORDS.is_nothing(text) || is_none || value.is_some_and(|it| WORDS.is_nothing(it))
}

/// Tells whether a text is a short remark in parentheses and names nothing: `(unchanged)`.
fn is_aside(text: &str) -> bool {
    let inside = ['(', '（'].iter().find_map(|it| text.strip_prefix(*it));
    let inside = inside.and_then(|it| it.strip_suffix([')', '）']));
    let plain = |it: &str| !it.contains(|c: char| c.is_ascii_digit() || "`()（）/_.".contains(c));
    inside.is_some_and(|it| it.chars().count() < 40 && plain(it))
}

/// Tells whether a character draws the branches of a tree.
fn is_branch(c: char) -> bool {
    c == ' ' || ('\u{2500}'..='\u{257f}').contains(&c)
}

/// Tells whether a text begins with a date, as lines of a log do.
fn begins_with_date(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    DATE.find(start).is_some_and(|it| it.start() == 0)
}

/// Returns what a labelled line says of itself: `Status: completed (Monday)` is done.
fn role_of_label(text: &str) -> Option<Role> {
    let label = label_of(text).filter(|it| !is_file_name(it))?;
    let role = WORDS.title(label)?;
    let value = text.split_once([':', '：']).map_or("", |it| it.1);
    let state = value.split(['(', ',', '.', ';', '—']).next().and_then(|it| WORDS.state(it));
    Some(state.filter(|_| role == Role::Current).unwrap_or(role))
}

/// Tells whether a label is the name of a file, such as `progress.md`.
fn is_file_name(label: &str) -> bool {
    let label = label.trim_matches('`');
    !label.contains(' ')
        && label
            .rsplit_once('.')
            .is_some_and(|(name, end)| !name.is_empty() && WORDS.is_ending(end))
}

/// Returns the label of a line that says what it is, such as `Next: mail`.
///
/// Asked several times of every unit, so not by a pattern.
pub(super) fn label_of(text: &str) -> Option<&str> {
    let is_word = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
    let (start, _) = text.char_indices().take(4).find(|it| is_word(it.1))?;
    let (label, value) = text[start..].split_once([':', '：'])?;
    let label = label.trim_end();
    let fits = label.starts_with(char::is_alphabetic)
        && !label.contains(['*', '`'])
        && (2..=LABEL).contains(&label.chars().count());
    (fits && !value.trim_start().is_empty()).then_some(label)
}

/// Returns the date in a text as year, month and day in one number.
pub(super) fn date_in(text: &str) -> Option<u32> {
    if !text.contains("20") {
        return None;
    }
    let found = DATE.captures(text)?;
    let number = |index: usize| found.get(index)?.as_str().parse::<u32>().ok();
    let (year, month, day) = match (number(1), number(4), found.get(7)) {
        (Some(year), ..) => (year, number(2)?, number(3)?),
        (None, Some(day), _) => (number(6)?, number(5)?, day),
        (None, None, name) => {
            let name = name?.as_str().to_lowercase();
            let month = MONTHS.iter().position(|it| *it == name)?;
            (number(9)?, month as u32 + 1, number(8)?)
        }
    };
    Some(year * 10_000 + month.min(99) * 100 + day.min(99))
}

fn number_in(text: &str) -> Option<f64> {
    let found = NUMBER.captures(text)?;
    let whole: f64 = found[1].parse().ok()?;
    let part = found.get(2).and_then(|it| format!("0.{}", it.as_str()).parse::<f64>().ok());
    Some(whole + part.unwrap_or(0.0))
}

fn has_word(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(place, _)| {
        !letter(text[..place].chars().next_back())
            && !letter(text[place + word.len()..].chars().next())
    })
}

/// Returns a text on one line without strong marks.
pub(super) fn clean(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    for mark in ["**", "__"] {
        if plain.contains(mark) {
            plain = without_marks(&plain, mark);
        }
    }
    plain
}

/// Takes off pairs of marks that stand next to words; `**/*.rs` and `__init__` stay.
fn without_marks(text: &str, mark: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(mark) {
        let inner = &rest[start + mark.len()..];
        let glued = mark == "__" && rest[..start].ends_with(char::is_alphanumeric);
        let begins = inner.starts_with(|c: char| !c.is_whitespace()) && !inner.starts_with('/');
        let end = inner.find(mark).filter(|end| {
            let after = &inner[end + mark.len()..];
            let word = mark == "__"
                && (after.starts_with(char::is_alphanumeric)
                    || *end < 12 && !inner[..*end].contains(' '));
            *end > 0 && !inner[..*end].ends_with(char::is_whitespace) && !word
        });
        match end.filter(|_| begins && !glued) {
            Some(end) => {
                plain.push_str(&rest[..start]);
                plain.push_str(&inner[..end]);
                rest = &inner[end + mark.len()..];
            }
            None => {
                plain.push_str(&rest[..start + mark.len()]);
                rest = inner;
            }
        }
    }
    plain.push_str(rest);
    plain
}
