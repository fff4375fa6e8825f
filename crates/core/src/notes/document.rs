//! Writes documents from units: a summary, a handoff, a brief for a new session.
//!
//! Every line is a unit in its own words; nothing is invented. Units stand under the role
//! they have, details under what they belong to. Documents are read back by the reader of
//! notes, and what is read back is written the same.

use super::compact::is_name;
use super::read::bare_state;
use super::unit::TITLE_WORDS;
use super::words::WORDS;
use super::{Notes, Role, Unit, UnitKind};

/// How a handoff begins.
pub(super) const HANDOFF_TITLE: &str = "# HANDOFF DOCUMENT:";
/// How a summary begins.
pub(super) const SUMMARY_TITLE: &str = "# Summary:";

/// Tells whether a text is a document that was written from notes.
pub(super) fn is_document(text: &str) -> bool {
    [HANDOFF_TITLE, SUMMARY_TITLE].iter().any(|it| text.trim_start().starts_with(it))
}

/// Parents of at most so many bytes stand in front of their details.
const SHORT_PARENT: usize = 60;
/// Texts of fewer bytes, such as "Priority: medium", need the heading that they stand under.
const SHORT: usize = 40;
/// Parents of more bytes are not repeated for the sake of a detail.
const LONG_PARENT: usize = 160;
/// What a document is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It takes the place of notes.
    Summary,
    /// It takes the place of notes, and a new session starts with it.
    Handoff,
    /// A new session starts with it; the notes stay.
    Brief,
}

/// How the lines of a section begin. Numbers are for lists that are whole: beside
/// `(24 of 57)` they would say nothing, and they cost a token each.
#[derive(Clone, Copy)]
enum Mark {
    Plain,
    Numbered,
}

/// A section of a document: its title, its roles, how its lines begin, and whether it is
/// there even where the notes say nothing of the kind.
type Part = (&'static str, &'static [Role], Mark, bool);

const HANDOFF: [Part; 7] = [
    ("COMPLETED ✅", &[Role::Done], Mark::Plain, false),
    ("IN PROGRESS 🔄", &[Role::Current], Mark::Plain, false),
    ("NEXT STEPS", &[Role::Next], Mark::Numbered, true),
    ("FILES MODIFIED", &[Role::File], Mark::Plain, false),
    ("BLOCKING ISSUES", &[Role::Blocker], Mark::Plain, true),
    ("KEY DECISIONS & CONSTRAINTS", &[Role::Decision, Role::Constraint], Mark::Numbered, false),
    ("CONTEXT FOR NEXT SESSION", &[Role::Context, Role::Other], Mark::Plain, false),
];

const SUMMARY: [Part; 8] = [
    ("Completed", &[Role::Done], Mark::Plain, false),
    ("In Progress", &[Role::Current], Mark::Plain, false),
    ("Next Steps", &[Role::Next], Mark::Plain, false),
    ("Blocking Issues", &[Role::Blocker], Mark::Plain, false),
    ("Constraints", &[Role::Constraint], Mark::Plain, false),
    ("Key Decisions", &[Role::Decision], Mark::Numbered, false),
    ("Files Modified", &[Role::File], Mark::Plain, false),
    ("Context", &[Role::Context, Role::Other], Mark::Plain, false),
];

/// A document in the making.
pub(super) struct Document<'a> {
    pub(super) notes: &'a Notes,
    pub(super) form: Form,
    /// What stands above the first section.
    pub(super) head: String,
    /// The unit that names the current task.
    pub(super) task: Option<usize>,
    /// Whether lines say where they come from.
    pub(super) cite: bool,
}

impl Document<'_> {
    /// Returns a unit as a line, without what it begins with in its section.
    pub(super) fn line(&self, unit: &Unit) -> String {
        let mut line = match unit.kind {
            UnitKind::Code => format!("`{}`", unit.text.trim_matches('`')),
            _ => format!("{}{}", self.before(unit).unwrap_or_default(), unquoted(&unit.text)),
        };
        if self.cite {
            line.push_str(&format!(" ({}:{})", self.notes.files[unit.file], unit.line));
        }
        line
    }

    /// Returns what a unit needs before it to be understood.
    fn before(&self, unit: &Unit) -> Option<String> {
        let parent = unit.parent.and_then(|it| self.notes.units.get(it));
        if let Some(parent) = parent {
            // One of the same role stands above it.
            let short = introduces(&parent.text) && parent.text.len() < SHORT_PARENT;
            let elsewhere = role(parent) != role(unit);
            return (short && elsewhere).then(|| format!("{} ", parent.text));
        }
        let section = self.notes.section(unit).filter(|it| it.title.len() < SHORT_PARENT)?;
        let needs_it = if section.is_lead {
            matches!(unit.role, Role::Other | Role::Context | Role::Done)
        } else {
            let is_text = !matches!(unit.kind, UnitKind::Heading | UnitKind::Row);
            let is_short = unit.text.len() < SHORT && !WORDS.names_task(&unit.text);
            is_text && is_short && unit.role != Role::File && !section.is_title
        };
        let names_subject = needs_it && WORDS.title(&section.title).is_none();
        names_subject.then(|| format!("{}: ", WORDS.without_sign(&section.title)))
    }

    /// Iterates over what a detail belongs to and is shown below, innermost first.
    pub(super) fn parents(&self, unit: usize) -> impl Iterator<Item = usize> {
        let units = &self.notes.units;
        let above = move |it: &usize| {
            let parent = units[*it].parent.filter(|parent| parent < it)?;
            let fits =
                role(&units[parent]) == role(&units[*it]) && units[parent].text.len() < LONG_PARENT;
            fits.then_some(parent)
        };
        std::iter::successors(above(&unit), above)
    }

    /// Tells whether a unit says nothing by itself: the title of a file or a short heading, such
    /// as "Mail" or "3. Next steps (this week)"; a line such as "Status: done", since the section
    /// where it is shown says that, or "Last updated: today"; the state of one of many phases, as
    /// files in directories below have it; one that introduces others, which stands above those
    /// that are shown.
    pub(super) fn is_frame(&self, unit: &Unit) -> bool {
        let title = unit.text.split(['(', '（']).next().unwrap_or_default();
        let words = title.split_whitespace().filter(|it| it.contains(char::is_alphabetic));
        let names_file = self.notes.section(unit).is_some_and(|it| it.is_title);
        let is_title = unit.kind == UnitKind::Heading
            && !unit.has_sign
            && (names_file || words.count() <= TITLE_WORDS);
        let is_short = unit.text.len() < SHORT_PARENT;
        let is_of_phase =
            self.notes.files[unit.file].contains('/') && WORDS.is_standing(&unit.text);
        is_title
            || (is_short && (is_of_phase || WORDS.is_stamp(&unit.text)))
            || introduces(&unit.text)
            || bare_state(&unit.text).is_some()
    }

    /// Writes the document with the units that are chosen, and what they are details of.
    pub(super) fn write(&self, chosen: &dyn Fn(usize) -> bool) -> String {
        let mut shown: Vec<bool> = (0..self.notes.units.len()).map(chosen).collect();
        for unit in (0..shown.len()).filter(|it| chosen(*it)) {
            self.parents(unit).for_each(|it| shown[it] = true);
        }
        let chosen: &dyn Fn(usize) -> bool = &|it| shown[it];
        let mut text = self.head.clone();
        let parts: &[Part] = match self.form {
            Form::Summary => &SUMMARY,
            Form::Handoff | Form::Brief => {
                self.current(chosen, &mut text);
                &HANDOFF
            }
        };
        let mut left = Vec::new();
        for (title, roles, mark, always) in parts {
            let mut lines = self.lines(roles, chosen);
            if roles.contains(&Role::File) {
                lines = files(lines);
            }
            let all = self.count(roles, &|_| true);
            let shown = self.count(roles, chosen);
            if matches!(mark, Mark::Numbered) && shown >= all {
                number(&mut lines);
            }
            if lines.is_empty() && all == 0 {
                if *always {
                    text.push_str(&format!("\n## {title}\nNone recorded\n"));
                }
                continue;
            }
            if lines.is_empty() && !always {
                left.push(format!("{} ({all})", title.to_lowercase()));
                continue;
            }
            text.push_str(&format!("\n## {title}{}\n", count(title, self.form, shown, all)));
            if lines.is_empty() {
                text.push_str("Only in the originals\n");
            }
            if roles.contains(&Role::File) {
                group(&lines, &mut text);
                continue;
            }
            for (_, line) in lines {
                text.push_str(&line);
                text.push('\n');
            }
        }
        if !left.is_empty() {
            text.push_str(&format!("\nOnly in the originals: {}\n", left.join(", ")));
        }
        text
    }

    /// Writes the current task, with what stands below it.
    fn current(&self, chosen: &dyn Fn(usize) -> bool, text: &mut String) {
        let Some(task) = self.task.filter(|it| chosen(*it)) else {
            return;
        };
        text.push_str("\n## CURRENT TASK\n");
        for unit in self.task_units().filter(|it| *it == task || chosen(*it)) {
            text.push_str(&self.line(&self.notes.units[unit]));
            text.push('\n');
        }
    }

    /// The task, and the other units of a section that is about nothing else.
    fn task_units(&self) -> impl Iterator<Item = usize> {
        let task = self.task.unwrap_or(usize::MAX);
        let of = |unit: usize| self.notes.units.get(unit);
        let own = of(task).and_then(|it| self.notes.section(it));
        let own = own.filter(|it| it.title.eq_ignore_ascii_case("current task"));
        let section = of(task).and_then(|it| it.section).filter(|_| own.is_some());
        let inside = move |it: &usize| {
            *it == task || (section.is_some() && of(*it).and_then(|it| it.section) == section)
        };
        (0..self.notes.units.len()).filter(inside)
    }

    /// Returns how many of the chosen units have one of these roles.
    fn count(&self, roles: &[Role], chosen: &dyn Fn(usize) -> bool) -> usize {
        let of_task: Vec<usize> = self.task_units().collect();
        let whole = |(at, unit): &(usize, &Unit)| {
            unit.kind != UnitKind::Heading
                && unit.parent.is_none()
                && roles.contains(&role(unit))
                && chosen(*at)
                && (self.form == Form::Summary || of_task.binary_search(at).is_err())
        };
        self.notes.units.iter().enumerate().filter(whole).count()
    }

    /// Returns the lines of a section with their depth.
    fn lines(&self, roles: &[Role], chosen: &dyn Fn(usize) -> bool) -> Vec<(usize, String)> {
        let units = &self.notes.units;
        let mut lines: Vec<(usize, String)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let of_task: Vec<usize> = match self.form {
            Form::Summary => Vec::new(),
            _ => self.task_units().collect(),
        };
        let here = |it: usize| {
            roles.contains(&role(&units[it])) && chosen(it) && of_task.binary_search(&it).is_err()
        };
        for (at, unit) in units.iter().enumerate().filter(|(at, _)| here(*at)) {
            while open.last().is_some_and(|it| Some(*it) != unit.parent) {
                open.pop();
            }
            let depth = open.len();
            open.push(at);
            let text = if depth > 0 { unquoted(&unit.text) } else { self.line(unit) };
            let line = (depth, format!("{}- {text}", "  ".repeat(depth)));
            // What introduced the lines above introduces those below as well.
            let above = lines.iter().rfind(|it| it.0 <= depth);
            if above != Some(&line) || !introduces(&text) {
                lines.push(line);
            }
        }
        lines
    }
}

/// Tells whether a text introduces what follows it.
fn introduces(text: &str) -> bool {
    text.ends_with([':', '：'])
}

/// Returns the files of a list; what introduced them is none.
fn files(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let lines = lines.into_iter().filter(|(_, line)| !introduces(line));
    lines.map(|(_, line)| (0, line.trim_start().to_owned())).collect()
}

/// Puts numbers in the place of the first marks.
fn number(lines: &mut [(usize, String)]) {
    let mut number = 0;
    for (depth, line) in lines {
        if *depth > 0 {
            line.insert_str(0, &" ".repeat(*depth));
        } else {
            number += 1;
            line.replace_range(..1, &format!("{number}."));
        }
    }
}

/// Takes the marks of code off names that nobody takes for words, as compacting does.
fn unquoted(text: &str) -> String {
    let apart = |c: char| c.is_whitespace() || "(),:;.|".contains(c);
    let parts: Vec<&str> = text.split('`').collect();
    let mut plain = String::with_capacity(text.len());
    for (at, part) in parts.iter().enumerate() {
        let after = parts.get(at + 1).and_then(|it| it.chars().next()).unwrap_or(' ');
        let is_code = at % 2 == 1 && at + 1 < parts.len();
        if !is_code {
            // The mark that begins what was never closed.
            plain.push_str(if at % 2 == 1 { "`" } else { "" });
            plain.push_str(part);
        } else if is_name(part) && apart(plain.chars().next_back().unwrap_or(' ')) && apart(after) {
            plain.push_str(part);
        } else {
            plain.push_str(&format!("`{part}`"));
        }
    }
    plain
}

/// Returns the role under which a unit is shown: code is never a task or a decision.
fn role(unit: &Unit) -> Role {
    if unit.kind == UnitKind::Code { Role::Other } else { unit.role }
}

/// Says behind a title how much there is, where that is not what is shown.
fn count(title: &str, form: Form, shown: usize, all: usize) -> String {
    let all = all.max(shown);
    match (title.eq_ignore_ascii_case("files modified"), form) {
        (true, Form::Summary) => format!(" ({all} total)"),
        (true, _) => format!(" ({all})"),
        _ if shown < all => format!(" ({shown} of {all})"),
        _ => String::new(),
    }
}

/// Writes changed files in groups by what they are for.
fn group(lines: &[(usize, String)], text: &mut String) {
    const GROUPS: [&str; 5] = ["Primary", "Tests", "Database", "Config", "Docs"];
    let mut groups: [Vec<&str>; 5] = Default::default();
    for (_, line) in lines {
        groups[group_of(line)].push(line);
    }
    let filled = groups.iter().filter(|it| !it.is_empty()).count();
    for (name, lines) in GROUPS.iter().zip(&groups).filter(|(_, lines)| !lines.is_empty()) {
        if filled > 1 {
            text.push_str(&format!("{name} ({}):\n", lines.len()));
        }
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
    }
}

fn group_of(line: &str) -> usize {
    let name = line.to_lowercase();
    let path = name.split_whitespace().find(|it| it.contains(['/', '.'])).unwrap_or(&name);
    let path = path.trim_matches(|c: char| !c.is_alphanumeric());
    let has = |words: &[&str]| words.iter().any(|it| path.contains(it));
    let ends = |endings: &[&str]| endings.iter().any(|it| path.ends_with(it));
    if has(&["test", "spec", "fixture"]) {
        1
    } else if has(&["migration", "schema", "/db/", "database"]) || ends(&[".sql", ".prisma"]) {
        2
    } else if ends(&[".md", ".mdx", ".txt", ".rst"]) {
        4
    } else if ends(&[".json", ".toml", ".yml", ".yaml", ".ini", ".cfg", ".env", ".lock"]) {
        3
    } else {
        0
    }
}
