//! What notes are made of: units, each with what it says about the work.

use serde::{Deserialize, Serialize};

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
    /// The section it is in.
    pub parent: Option<usize>,
    /// How many headings are around its units; a lead-in adds none.
    pub depth: usize,
    /// The date in its title, or around it, as year, month and day in one number.
    pub date: Option<u32>,
    /// The number of its session, phase or version, or of the one around it.
    pub number: Option<f64>,
    /// Whether it is a line of text, not a heading.
    pub is_lead: bool,
}

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
    /// That is the first below a heading such as "Current Task", else the first that is
    /// being worked on, else the first open one.
    pub fn current_task(&self) -> Option<usize> {
        let named = |unit: &Unit| {
            let title = self.section(unit).map_or("", |it| it.title.as_str()).to_lowercase();
            title.starts_with("current task") || title.starts_with("current focus")
        };
        let open = |role: Role| {
            let found = move |it: &Unit| it.role == role && it.kind != UnitKind::Heading;
            self.units.iter().position(found)
        };
        let first = self.units.iter().position(|it| it.role.is_open() && named(it));
        first.or_else(|| open(Role::Current)).or_else(|| open(Role::Next))
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
            indent: 0,
        }));
    }
}
