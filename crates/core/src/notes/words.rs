//! What the words of notes mean: the tables of `data/notes.toml`, made ready for use.
//!
//! People write notes in many languages and forms. What they use is data, so that a
//! language is added without touching code.

mod phrases;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use phrases::Phrases;
use regex::Regex;
use serde::Deserialize;

use super::{Role, literal};
use crate::text::terms::Term;

/// All tables.
pub(super) struct Words {
    titles: Lists,
    cues: Lists,
    says: Phrases,
    starts: Phrases,
    above: Phrases,
    signs: HashMap<char, Role>,
    boxes: HashMap<char, Role>,
    states: HashMap<String, Role>,
    nothing: HashSet<String>,
    files: [Vec<String>; 4],
    task: Phrases,
    standing: Phrases,
    form: Phrases,
    stamp: Phrases,
    stop: HashSet<u32>,
    endings: HashSet<String>,
    generic: HashSet<String>,
    /// Phrases, and what says the same in fewer words.
    pub(super) phrases: BTreeMap<String, String>,
}

/// The tables, read once.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let data: Data = toml::from_str(include_str!("../../data/notes.toml")).expect("own data");
    Words::of(data)
});

/// No state has more bytes.
const LONGEST_STATE: usize = 32;
/// A name in quotes, with what is before it.
static QUOTED_NAME: LazyLock<Regex> =
    LazyLock::new(|| literal(r#"(^|[^\w])(?:`[^\s`]+`|'[\w.-]+'|"[\w.-]+")"#));

#[derive(Deserialize)]
struct Data {
    title: Vec<List>,
    cue: Vec<List>,
    says: Says,
    starts: Starts,
    above: Above,
    signs: HashMap<Role, String>,
    boxes: HashMap<Role, String>,
    states: HashMap<Role, Vec<String>>,
    nothing: Nothing,
    files: FileNames,
    labels: Labels,
    stop: Row,
    endings: Row,
    generic: Row,
    phrases: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct List {
    role: Role,
    phrases: Vec<String>,
}

#[derive(Deserialize)]
struct Says {
    command: Vec<String>,
    negation: Vec<String>,
    open: Vec<String>,
}

#[derive(Deserialize)]
struct Starts {
    order: Vec<String>,
    deed: Vec<String>,
}

#[derive(Deserialize)]
struct Above {
    soon: Vec<String>,
    later: Vec<String>,
    known: Vec<String>,
    scope: Vec<String>,
    past: Vec<String>,
    reference: Vec<String>,
    commands: Vec<String>,
}

#[derive(Deserialize)]
struct Nothing {
    phrases: Vec<String>,
}

#[derive(Deserialize)]
struct FileNames {
    live: Vec<String>,
    todo: Vec<String>,
    know: Vec<String>,
    base: Vec<String>,
}

#[derive(Deserialize)]
struct Labels {
    task: Vec<String>,
    standing: Vec<String>,
    form: Vec<String>,
    stamp: Vec<String>,
}

#[derive(Deserialize)]
struct Row {
    words: String,
}

/// Lists of phrases in order, each with its role.
struct Lists {
    phrases: Phrases,
    roles: Vec<Role>,
}

impl Lists {
    fn of(lists: &[List]) -> Lists {
        Lists {
            phrases: Phrases::of(lists.iter().map(|list| &list.phrases)),
            roles: lists.iter().map(|list| list.role).collect(),
        }
    }

    /// Iterates over the roles that a text names, in the order of the lists.
    fn roles(&self, text: &str) -> impl Iterator<Item = Role> {
        let found = self.phrases.in_text(text);
        let roles = self.roles.iter().enumerate();
        roles.filter(move |(list, _)| found & (1 << list) != 0).map(|(_, role)| *role)
    }
}

impl Words {
    fn of(data: Data) -> Words {
        let letters = |table: HashMap<Role, String>| -> HashMap<char, Role> {
            let rows = table.into_iter();
            rows.flat_map(|(role, signs)| signs.chars().map(|it| (it, role)).collect::<Vec<_>>())
                .collect()
        };
        let states = data.states.into_iter();
        let labels = |phrases: &Vec<String>| Phrases::of([phrases]);
        let FileNames { live, todo, know, base } = data.files;
        let Says { command, negation, open } = &data.says;
        let Starts { order, deed } = &data.starts;
        let Above { soon, later, known, scope, past, reference, commands } = &data.above;
        Words {
            titles: Lists::of(&data.title),
            cues: Lists::of(&data.cue),
            says: Phrases::of([command, negation, open]),
            starts: Phrases::of([order, deed]),
            above: Phrases::of([soon, later, known, scope, past, reference, commands]),
            signs: letters(data.signs),
            boxes: letters(data.boxes),
            states: states
                .flat_map(|(role, words)| words.into_iter().map(move |it| (it, role)))
                .collect(),
            nothing: data.nothing.phrases.into_iter().collect(),
            files: [live, todo, know, base],
            task: labels(&data.labels.task),
            standing: labels(&data.labels.standing),
            form: labels(&data.labels.form),
            stamp: labels(&data.labels.stamp),
            stop: data.stop.words.split_whitespace().map(|it| Term::of(it).word).collect(),
            phrases: data.phrases,
            endings: data.endings.words.split_whitespace().map(str::to_owned).collect(),
            generic: data.generic.words.split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Returns what a heading, a label or a lead-in says about what is below it.
    pub(super) fn title(&self, text: &str) -> Option<Role> {
        self.titles.roles(text).next()
    }

    /// Returns what a sentence says of itself.
    ///
    /// Quoted names say nothing, and a row of states, as in `todo -> wip -> done`, says
    /// which there are.
    pub(super) fn cue(&self, text: &str) -> Option<Role> {
        let text = without_quoted_names(text);
        let first = self.cues.roles(&text).next()?;
        let is_row = ["→", "->"].iter().any(|it| text.contains(it))
            && [Role::Next, Role::Current, Role::Done]
                .iter()
                .all(|state| self.cues.roles(&text).any(|it| it == *state));
        (!is_row).then_some(first)
    }

    /// Returns which lists of `[says]` a text has a phrase of, as bits.
    pub(super) fn says(&self, text: &str) -> u32 {
        self.says.in_text(text)
    }

    /// Returns which lists of `[starts]` a text begins with a phrase of, as bits.
    pub(super) fn starts(&self, text: &str) -> u32 {
        self.starts.at_start(text)
    }

    /// Returns which lists of `[above]` a title has a phrase of, as bits.
    pub(super) fn above(&self, title: &str) -> u32 {
        self.above.in_text(title)
    }

    /// Returns what the sign says that a text begins with, behind three other signs at most.
    pub(super) fn sign(&self, text: &str) -> Option<Role> {
        let start = text.chars().take(4).take_while(|it| !it.is_alphanumeric());
        start.into_iter().find_map(|it| self.signs.get(&it).copied())
    }

    /// Returns a text without the signs of its state that it begins with.
    pub(super) fn without_sign<'a>(&self, text: &'a str) -> &'a str {
        let sign = |c: char| self.signs.contains_key(&c) || c == '\u{fe0f}' || c == ' ';
        let rest = text.trim_start_matches(sign);
        if rest.is_empty() { text } else { rest }
    }

    /// Returns what the box of an item says.
    pub(super) fn in_box(&self, state: char) -> Role {
        self.boxes.get(&state).copied().unwrap_or(Role::Next)
    }

    /// Returns the state that a whole cell or value names.
    pub(super) fn state(&self, text: &str) -> Option<Role> {
        let plain = text.trim_matches(|c: char| !c.is_alphanumeric());
        let state = (plain.len() <= LONGEST_STATE)
            .then(|| self.states.get(&plain.to_lowercase().replace(['_', '-'], " ")).copied());
        state.flatten().or_else(|| self.sign(text.trim()))
    }

    /// Tells whether a text says that there is nothing.
    pub(super) fn is_nothing(&self, text: &str) -> bool {
        let plain = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        plain.is_empty() || (plain.len() < 26 && self.nothing.contains(&plain.to_lowercase()))
    }

    /// Returns which kind of notes a file holds by its name, of [`super::worth`]'s four.
    pub(super) fn file_kind(&self, name: &str) -> Option<usize> {
        let name = name.to_lowercase();
        self.files.iter().position(|words| words.iter().any(|it| name.contains(it.as_str())))
    }

    /// Tells whether a heading or a line begins as those do that name the current task.
    pub(super) fn names_task(&self, text: &str) -> bool {
        self.task.at_start(text) != 0
    }

    /// Tells whether a line says where the work is, such as `Phase: 3 of 5`.
    pub(super) fn is_standing(&self, text: &str) -> bool {
        let label = text.find([':', '：']).filter(|end| *end < 60);
        label.is_some() && self.standing.at_start(text) != 0
    }

    /// Tells whether a line is form, such as `Last updated: today`.
    pub(super) fn is_form(&self, text: &str) -> bool {
        self.form.at_start(text) != 0
    }

    /// Tells whether a text says when a note was written, which says nothing of the work.
    pub(super) fn is_stamp(&self, text: &str) -> bool {
        text.bytes().any(|it| it.is_ascii_digit()) && self.stamp.in_text(text) != 0
    }

    /// Tells whether a word carries no meaning of its own.
    pub(super) fn is_stop(&self, term: Term) -> bool {
        self.stop.contains(&term.word)
    }

    /// Tells whether a word says only that its subject is one.
    pub(super) fn is_generic(&self, word: &str) -> bool {
        self.generic.contains(word)
    }

    /// Tells whether a word with this ending is the name of a file.
    pub(super) fn is_ending(&self, ending: &str) -> bool {
        ending.len() <= 6 && self.endings.contains(&ending.to_ascii_lowercase())
    }
}

/// Takes out words that stand in quotes or marks of code by themselves: `'in_progress'`.
fn without_quoted_names(text: &str) -> Cow<'_, str> {
    if !text.contains(['`', '\'', '"']) {
        return Cow::Borrowed(text);
    }
    QUOTED_NAME.replace_all(text, "$1 ")
}
