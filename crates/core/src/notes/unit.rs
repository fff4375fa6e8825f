//! What notes are made of: units, each with what it says about the work.

use serde::{Deserialize, Serialize};

use super::words::WORDS;

/// What a unit says about the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What is being worked on.
    Current,
    /// What is to be done.
    Next,
    /// What is in the way.
    Blocker,
    /// What was decided.
    Decision,
    /// What must be respected.
    Constraint,
    /// What is done.
    Done,
    /// A file that was changed.
    File,
    /// What the work is about.
    Context,
    /// Nothing of these, as far as the notes say.
    Other,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 9] = [
        Role::Current,
        Role::Next,
        Role::Blocker,
        Role::Decision,
        Role::Constraint,
        Role::Done,
        Role::File,
        Role::Context,
        Role::Other,
    ];

    /// Returns the name used in output: `current`, `next` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Current => "current",
            Role::Next => "next",
            Role::Blocker => "blocker",
            Role::Decision => "decision",
            Role::Constraint => "constraint",
            Role::Done => "done",
            Role::File => "file",
            Role::Context => "context",
            Role::Other => "other",
        }
    }

    /// Tells whether work on it is still to come.
    pub const fn is_open(self) -> bool {
        matches!(self, Role::Current | Role::Next | Role::Blocker)
    }
}

/// How a unit is written in the notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// A heading.
    Heading,
    /// An item of a list, or a sentence of a long one.
    Item,
    /// A sentence or a short paragraph.
    Sentence,
    /// A row of a table.
    Row,
    /// A line of code.
    Code,
    /// A key with its value, of front matter or JSON.
    Field,
}

/// One thing that notes say, on one line and without markers around it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unit {
    /// The number of its file.
    pub file: usize,
    /// The line where it begins, counted from 1.
    pub line: usize,
    /// The words.
    pub text: String,
    /// What it says about the work.
    pub role: Role,
    /// How it is written.
    pub kind: UnitKind,
    /// The section it belongs to.
    pub section: Option<usize>,
    /// The unit it is a detail of.
    pub parent: Option<usize>,
    /// The sign in its box.
    pub state: Option<char>,
    pub(super) cue: Option<Role>,
    /// Whether it begins with a sign of its state.
    pub(super) has_sign: bool,
    pub(super) indent: usize,
}

/// A heading, or a line that introduces what follows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Section {
    /// Its words.
    pub title: String,
    /// What it or the nearest section around it says about its units.
    pub role: Option<Role>,
    /// Whether it is the title of its file.
    pub is_title: bool,
    /// How many headings are around its units; a lead-in adds none.
    pub depth: usize,
    /// The date in its title, or around it, as year, month and day in one number.
    pub date: Option<u32>,
    /// The number of its session, phase or version, or of the one around it.
    pub number: Option<f64>,
    /// Whether it is a line of text, not a heading.
    pub is_lead: bool,
    /// Whether it or a section around it says that its work is finished.
    pub is_finished: bool,
}

impl Section {
    /// Tells whether the sections inside it are about what its title names.
    ///
    /// `# TODO` says so; `# Progress`, `# Active Context` and `# Execution plan of the parser`
    /// name a file.
    pub(super) fn passes_on(&self) -> bool {
        let vague = matches!(self.role, Some(Role::Current | Role::Done));
        !self.is_title || !(vague || self.title.split_whitespace().count() > TITLE_WORDS)
    }
}

/// Titles of more words name more than a role.
pub(super) const TITLE_WORDS: usize = 3;

/// Notes as they were read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Notes {
    /// The names of the files.
    pub files: Vec<String>,
    /// All sections, in order.
    pub sections: Vec<Section>,
    /// All units, in order.
    pub units: Vec<Unit>,
}

impl Notes {
    /// Returns the section of a unit.
    pub fn section(&self, unit: &Unit) -> Option<&Section> {
        self.sections.get(unit.section?)
    }

    /// Returns how many units have a role, headings and details of other units not counted.
    pub fn count(&self, role: Role) -> usize {
        let whole = |it: &&Unit| it.kind != UnitKind::Heading && it.parent.is_none();
        self.units.iter().filter(whole).filter(|it| it.role == role).count()
    }

    /// Returns the unit that names the current task, if one does.
    ///
    /// That is the one of the newest section among those that say it most clearly: below
    /// or behind "Current Task", "Current focus" or the like; with a sign or box of work in
    /// progress; below "In Progress"; to be done next. A heading with the word "current",
    /// such as "Current State", may be about anything and makes no task.
    pub fn current_task(&self) -> Option<usize> {
        let newest = |unit: &Unit| {
            let section = self.section(unit);
            section.map_or((0, 0.0), |it| (it.date.unwrap_or(0), it.number.unwrap_or(0.0)))
        };
        let clear = |unit: &Unit| self.clarity(unit);
        let found = self.units.iter().enumerate().filter_map(|(at, it)| Some((clear(it)?, at, it)));
        let best = found.max_by(|(one, left, first), (other, right, second)| {
            one.cmp(other)
                .then_with(|| newest(first).0.cmp(&newest(second).0))
                .then_with(|| newest(first).1.total_cmp(&newest(second).1))
                .then(right.cmp(left))
        });
        best.map(|(_, at, _)| at)
    }

    /// Returns how clearly a unit names the task that is being worked on.
    fn clarity(&self, unit: &Unit) -> Option<u8> {
        let says = |text: &str| WORDS.names_task(text);
        let is_text =
            !matches!(unit.kind, UnitKind::Heading | UnitKind::Code) && !WORDS.is_form(&unit.text);
        let is_whole = unit.parent.is_none();
        if !is_text || !is_whole || unit.cue == Some(Role::Done) && unit.state.is_none() {
            return None;
        }
        let title = self.section(unit).map_or("", |it| it.title.as_str());
        let is_open = matches!(unit.role, Role::Current | Role::Next);
        let in_progress = title.to_lowercase().contains("in progress");
        match unit.role {
            _ if is_open && (says(title) || says(&unit.text)) => Some(4),
            Role::Current if unit.state.is_some() || unit.has_sign => Some(3),
            Role::Current if in_progress || unit.kind == UnitKind::Field => Some(2),
            Role::Next if unit.state.is_some() => Some(1),
            Role::Next if unit.kind != UnitKind::Sentence => Some(0),
            _ => None,
        }
    }

    /// Adds changed files that the notes do not name.
    pub(super) fn add_files(&mut self, paths: &[String]) {
        let known = |path: &String, units: &[Unit]| units.iter().any(|it| it.text.contains(path));
        let new: Vec<String> = paths.iter().filter(|it| !known(it, &self.units)).cloned().collect();
        if new.is_empty() {
            return;
        }
        self.files.push("git".to_owned());
        let file = self.files.len() - 1;
        self.units.extend(new.into_iter().enumerate().map(|(line, text)| Unit {
            file,
            line: line + 1,
            text,
            role: Role::File,
            kind: UnitKind::Item,
            section: None,
            parent: None,
            state: None,
            cue: None,
            has_sign: false,
            indent: 0,
        }));
    }
}
