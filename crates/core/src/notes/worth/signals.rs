//! The signals of units, by name.

use std::collections::HashMap;

use super::Background;
use super::language::{Language, Mentions};
use super::place::Places;
use super::recency::Recency;
use crate::notes::read::{date_in, label_of};
use crate::notes::words::WORDS;
use crate::notes::{Notes, Role, Unit, UnitKind};

macro_rules! signals {
    ($($name:ident)*) => {
        /// Signals that do not depend on a role.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Signal { $($name),* }
        const PLAIN: &[&str] = &[$(stringify!($name)),*];
    };
}

signals! {
    always recent very_recent undated newest place top end
    names names_few names_in_focus path words words_many short long
    heading code row item sentence field
    box_open in_box depth indented focus focus_recent said_before rare form introduces
    done_recent old_open old_done digits code_span
    frontier frontier_open box_mixed box_all_done labelled standing share_done dated_newest dated
    file_live file_todo file_know file_base file_other details capitals
    role_common role_rank_file role_rank_section
    section_size section_first section_place section_early file_share
    near_top near_end upper lower
    says_command says_not says_open command_line starts_order starts_deed link
    above_soon above_later above_known above_scope above_past above_reference above_commands
    past_age past_age_sharp past_newest past_names past_words
}

/// Signals that there are once per role: the unit's own, the one of its heading, the one
/// of its words, and the own one by how recent, how much in focus, how lately changed.
const BY_ROLE: [&str; 6] = ["role", "around", "cue", "recent", "focus", "past_age"];
const ROLES: usize = Role::ALL.len();

/// The signals of the lists of `[says]`, `[starts]` and `[above]` in `data/notes.toml`.
const SAYS: [Signal; 3] = [Signal::says_command, Signal::says_not, Signal::says_open];
const STARTS: [Signal; 2] = [Signal::starts_order, Signal::starts_deed];
const ABOVE: [Signal; 7] = [
    Signal::above_soon,
    Signal::above_later,
    Signal::above_known,
    Signal::above_scope,
    Signal::above_past,
    Signal::above_reference,
    Signal::above_commands,
];

/// After so many bytes from the top or the end of a file, what is near has faded to a third:
/// about a screen, and about five.
const NEAR: f32 = 1600.0;
const FAR: f32 = 6000.0;

/// How many signals there are.
pub(super) const SIGNALS: usize = PLAIN.len() + BY_ROLE.len() * ROLES;

/// The signals of one unit.
pub(in crate::notes) type Row = [f32; SIGNALS];

/// The signals of one unit, by what they mean.
pub(in crate::notes) struct Signals<'a>(pub(super) &'a Row);

impl Signals<'_> {
    fn has(&self, signal: Signal) -> bool {
        self.0[signal as usize] > 0.0
    }

    /// Returns how recent the unit is, from 0 to 1, where that is known.
    pub(in crate::notes) fn recent(&self) -> Option<f32> {
        (!self.has(Signal::undated)).then_some(self.0[Signal::recent as usize])
    }

    /// Tells whether it says where the work is.
    pub(in crate::notes) fn says_state(&self) -> bool {
        [Signal::share_done, Signal::standing, Signal::dated_newest].iter().any(|it| self.has(*it))
    }

    /// Tells whether its file says where the work is.
    pub(in crate::notes) fn is_in_live_file(&self) -> bool {
        self.has(Signal::file_live)
    }

    /// Tells whether its file says what the project is, or what was learned.
    pub(in crate::notes) fn is_in_reference(&self) -> bool {
        self.has(Signal::file_base) || self.has(Signal::file_know)
    }
}

/// Returns the names of all signals, in order.
pub(super) fn names() -> impl Iterator<Item = String> {
    let of_roles = BY_ROLE
        .iter()
        .flat_map(|by| Role::ALL.iter().map(move |role| format!("{by}_{}", role.name())));
    PLAIN.iter().map(|it| (*it).to_owned()).chain(of_roles)
}

fn by_role(block: usize, role: Role) -> usize {
    PLAIN.len() + block * ROLES + role as usize
}

/// Returns the signals of all units, without what the repository says.
pub(super) fn rows(notes: &Notes, language: &Language, recency: &Recency) -> Vec<Row> {
    let world = World::of(notes, language, recency);
    let mut seen: HashMap<&[u32], ()> = HashMap::new();
    let unit = |(number, unit): (usize, &Unit)| {
        let mut row = [0.0; SIGNALS];
        world.words(number, unit, &mut row);
        world.time(number, unit, &mut row);
        world.form(number, unit, &mut row);
        world.among(number, unit, &mut row);
        world.phrases(unit, &mut row);
        let words = &language.words[number];
        if words.len() > 3 && seen.insert(words.as_slice(), ()).is_some() {
            row[Signal::said_before as usize] = 1.0;
        }
        row
    };
    notes.units.iter().enumerate().map(unit).collect()
}

/// What all units say together.
struct World<'a> {
    notes: &'a Notes,
    language: &'a Language,
    recency: &'a Recency,
    /// Per word: how much the open work is about it, up to 1.
    focus: Vec<f32>,
    /// Per unit: how close it is to where done ends and open begins.
    frontier: Vec<f32>,
    /// Per section: boxes that are done, and that are not.
    boxes: HashMap<Option<usize>, (u32, u32)>,
    /// Per unit: how many details it has.
    details: Vec<u32>,
    /// Per file: what its name says.
    files: Vec<Signal>,
    /// Per section: what its title says, as bits.
    above: Vec<u32>,
    places: Places,
}

impl<'a> World<'a> {
    fn of(notes: &'a Notes, language: &'a Language, recency: &'a Recency) -> World<'a> {
        let mut boxes: HashMap<Option<usize>, (u32, u32)> = HashMap::new();
        let mut details = vec![0; notes.units.len()];
        for unit in &notes.units {
            if let Some(parent) = unit.parent {
                details[parent] += 1;
            }
            if unit.state.is_some() {
                let count = boxes.entry(unit.section).or_default();
                let side = if unit.role == Role::Done { &mut count.0 } else { &mut count.1 };
                *side += 1;
            }
        }
        World {
            focus: focus(notes, language, recency),
            frontier: frontier(notes),
            notes,
            language,
            recency,
            boxes,
            details,
            files: notes.files.iter().map(|it| of_file(it)).collect(),
            above: notes.sections.iter().map(|it| WORDS.above(&it.title)).collect(),
            places: Places::of(notes),
        }
    }

    /// What is said, and whether the open work is about it.
    fn words(&self, number: usize, unit: &Unit, row: &mut Row) {
        let words = &self.language.words[number];
        let length = self.language.lengths[number];
        let told = self.language.told(words, |_| 1.0).max(1e-6);
        let focus = self.language.told(words, |it| self.focus[it as usize]) / told;
        let names = self.language.rare_names(number).count() as f32;
        let mut set = |signal: Signal, value: f32| row[signal as usize] = value;
        set(Signal::always, 1.0);
        set(Signal::names, names.ln_1p());
        set(Signal::names_few, names.min(3.0) / 3.0);
        set(Signal::names_in_focus, names.min(4.0) / 4.0 * focus);
        set(Signal::path, f32::from(has_path(&unit.text)));
        set(Signal::words, (length as f32).ln_1p());
        set(Signal::words_many, length.min(40) as f32 / 40.0);
        set(Signal::short, f32::from(length <= 3));
        set(Signal::long, f32::from(unit.text.len() > 240));
        set(Signal::focus, focus);
        set(Signal::rare, told / words.len().max(3) as f32);
        set(Signal::digits, f32::from(unit.text.bytes().any(|it| it.is_ascii_digit())));
        set(Signal::code_span, f32::from(unit.text.contains('`')));
        set(Signal::share_done, f32::from(has_share(&unit.text)));
        let recent = self.recent(number);
        set(Signal::focus_recent, focus * recent);
        row[by_role(4, unit.role)] = focus;
    }

    fn recent(&self, number: usize) -> f32 {
        if self.recency.known[number] { self.recency.of[number] } else { 0.0 }
    }

    /// How recent it is.
    fn time(&self, number: usize, unit: &Unit, row: &mut Row) {
        let (known, place) = (self.recency.known[number], self.recency.place[number]);
        let recent = self.recent(number);
        let old = if known { 1.0 - self.recency.of[number] } else { 0.0 };
        let own = date_in(&unit.text);
        let is_newest = own.is_some() && own == self.recency.newest;
        let mut set = |signal: Signal, value: f32| row[signal as usize] = value;
        set(Signal::recent, recent);
        set(Signal::very_recent, recent.powi(4));
        set(Signal::undated, f32::from(!known));
        set(Signal::newest, f32::from(recent >= 0.95));
        set(Signal::place, place);
        set(Signal::top, f32::from(place < 0.1));
        set(Signal::end, f32::from(place > 0.9));
        set(Signal::dated, f32::from(own.is_some()));
        set(Signal::dated_newest, f32::from(is_newest));
        if unit.role == Role::Done {
            set(Signal::done_recent, recent);
            set(Signal::old_done, old);
        }
        if unit.role.is_open() {
            set(Signal::old_open, old);
        }
        row[by_role(3, unit.role)] = recent * recent;
    }

    /// How it is written, and where.
    fn form(&self, number: usize, unit: &Unit, row: &mut Row) {
        let section = self.notes.section(unit);
        let kind = match unit.kind {
            UnitKind::Heading => Signal::heading,
            UnitKind::Code => Signal::code,
            UnitKind::Row => Signal::row,
            UnitKind::Item => Signal::item,
            UnitKind::Sentence => Signal::sentence,
            UnitKind::Field => Signal::field,
        };
        let (done, open) = self.boxes.get(&unit.section).copied().unwrap_or_default();
        let is_open = unit.state.is_some() && unit.role == Role::Next;
        let mut set = |signal: Signal, value: f32| row[signal as usize] = value;
        set(kind, 1.0);
        set(self.files[unit.file], 1.0);
        set(Signal::box_open, f32::from(is_open));
        set(Signal::in_box, f32::from(unit.state.is_some()));
        set(Signal::depth, section.map_or(0, |it| it.depth).min(5) as f32 / 5.0);
        set(Signal::indented, f32::from(unit.indent >= 2 && unit.kind != UnitKind::Heading));
        set(Signal::form, f32::from(WORDS.is_form(&unit.text)));
        set(Signal::introduces, f32::from(unit.text.ends_with([':', '：'])));
        set(Signal::frontier, self.frontier[number]);
        set(Signal::frontier_open, self.frontier[number] * f32::from(unit.role == Role::Next));
        set(Signal::box_mixed, f32::from(done > 0 && open > 0));
        set(Signal::box_all_done, f32::from(done > 0 && open == 0));
        set(Signal::labelled, f32::from(label_of(&unit.text).is_some()));
        set(Signal::standing, f32::from(WORDS.is_standing(&unit.text)));
        set(Signal::details, (self.details[number] as f32).ln_1p());
        set(Signal::capitals, f32::from(has_capitals(&unit.text)));
        row[by_role(0, unit.role)] = 1.0;
        let around = section.and_then(|it| it.role).unwrap_or(Role::Other);
        row[by_role(1, around)] = 1.0;
        row[by_role(2, unit.cue.unwrap_or(Role::Other))] = 1.0;
    }
}

impl World<'_> {
    /// What its words, its first word and the heading above it say.
    fn phrases(&self, unit: &Unit, row: &mut Row) {
        let says = WORDS.says(&unit.text);
        let above = unit.section.map_or(0, |it| self.above[it]);
        let found = [(&SAYS[..], says), (&STARTS, WORDS.starts(&unit.text)), (&ABOVE, above)];
        for (signals, lists) in found {
            for (list, signal) in signals.iter().enumerate() {
                row[*signal as usize] = f32::from(lists & (1 << list) != 0);
            }
        }
        let is_command = unit.kind == UnitKind::Code && row[Signal::says_command as usize] > 0.0;
        row[Signal::command_line as usize] = f32::from(is_command);
        let is_link = unit.text.contains("](") || unit.text.contains("://");
        row[Signal::link as usize] = f32::from(is_link);
    }

    /// Where it stands among the others: the first blocker of a list says more than the ninth,
    /// and a role that half of the notes have says little.
    fn among(&self, number: usize, unit: &Unit, row: &mut Row) {
        let place = &self.places.of[number];
        let is_heading = unit.kind == UnitKind::Heading;
        let alike = if is_heading { 0 } else { self.places.of_role[unit.role as usize] };
        let section = self.places.sections[place.section] as f32;
        let in_file = self.places.in_file[unit.file] as f32;
        let rank = |before: u32| 1.0 / (1.0 + before as f32);
        let mut set = |signal: Signal, value: f32| row[signal as usize] = value;
        set(Signal::role_common, (alike as f32).ln_1p() / 5.0);
        set(Signal::role_rank_file, rank(place.role_in_file));
        set(Signal::role_rank_section, rank(place.role_in_section));
        set(Signal::section_size, section.ln() / 4.0);
        set(Signal::section_first, f32::from(place.in_section == 1));
        set(Signal::section_place, place.in_section as f32 / section);
        set(Signal::section_early, rank(place.headings_before));
        set(Signal::file_share, in_file / self.notes.units.len() as f32);
        let (before, after) = (place.bytes, self.places.file_bytes[unit.file] - place.bytes);
        let near = |bytes: usize, reach: f32| (-(bytes as f32) / reach).exp();
        set(Signal::near_top, near(before, NEAR));
        set(Signal::near_end, near(after, NEAR));
        set(Signal::upper, near(before, FAR));
        set(Signal::lower, near(after, FAR));
    }
}

/// Returns what the name of a file says.
fn of_file(name: &str) -> Signal {
    match WORDS.file_kind(name) {
        Some(0) => Signal::file_live,
        Some(1) => Signal::file_todo,
        Some(2) => Signal::file_know,
        Some(_) => Signal::file_base,
        None => Signal::file_other,
    }
}

/// Adds what the repository says: the last commits, and when lines were last changed.
pub(super) fn add_past(
    rows: &mut [Row],
    notes: &Notes,
    language: &Language,
    past: &Mentions,
    background: &Background,
) {
    if !background.knows_git() {
        return;
    }
    let mut times: Vec<i64> = background.changed.values().flatten().copied().collect();
    times.sort_unstable();
    times.dedup();
    for (number, (row, unit)) in rows.iter_mut().zip(&notes.units).enumerate() {
        let file = background.changed.get(&notes.files[unit.file]);
        let time = file.and_then(|it| it.get(unit.line.saturating_sub(1)));
        let rank = |time: &i64| times.partition_point(|it| it <= time) as f32 / times.len() as f32;
        let age = time.map_or(0.5, rank);
        row[Signal::past_age as usize] = age;
        row[Signal::past_age_sharp as usize] = age.powi(4);
        row[Signal::past_newest as usize] = f32::from(age >= 0.999);
        row[Signal::past_names as usize] = past.of_names(&language.names[number]);
        row[Signal::past_words as usize] = past.of_words(&language.words[number]);
        row[by_role(5, unit.role)] = age * age;
    }
}

/// Finds the words that the open and the newest work is about.
fn focus(notes: &Notes, language: &Language, recency: &Recency) -> Vec<f32> {
    let mut focus = vec![0.0_f32; language.idf.len()];
    for (number, unit) in notes.units.iter().enumerate() {
        let (recent, known) = (recency.of[number], recency.known[number]);
        let open = match unit.role {
            Role::Current => 2.0,
            Role::Next => 1.2,
            Role::Blocker => 0.6,
            _ => 0.0,
        };
        let weight = if known && recent > 0.9 {
            open + 1.0
        } else if known && recent < 0.6 {
            open * 0.4
        } else {
            open
        };
        for word in &language.words[number] {
            focus[*word as usize] += weight;
        }
    }
    focus.iter().map(|it| (it / 4.0).min(1.0)).collect()
}

/// Finds how close units are to a place where done tasks end and open ones begin.
fn frontier(notes: &Notes) -> Vec<f32> {
    let mut close = Vec::with_capacity(notes.units.len());
    for file in notes.units.chunk_by(|left, right| left.file == right.file) {
        let is_task =
            |it: &Unit| it.state.is_some() || WORDS.sign(&it.text).is_some() || has_state(&it.text);
        let tasks: Vec<(usize, bool)> = file
            .iter()
            .enumerate()
            .filter(|(_, it)| is_task(it))
            .map(|(place, it)| (place, it.role == Role::Done))
            .collect();
        let turns = tasks.windows(2).filter(|it| it[0].1 != it[1].1);
        let turns: Vec<f32> = turns.map(|it| (it[0].0 + it[1].0) as f32 / 2.0).collect();
        for place in 0..file.len() {
            let after = turns.partition_point(|it| *it < place as f32);
            let near = [after.checked_sub(1), Some(after)];
            let near = near.into_iter().flatten().filter_map(|it| turns.get(it));
            let distance = near.map(|it| (place as f32 - it).abs()).min_by(f32::total_cmp);
            close.push(distance.map_or(0.0, |it| (-it / 6.0).exp()));
        }
    }
    close
}

fn has_state(text: &str) -> bool {
    ["DONE", "TODO", "COMPLETE", "PENDING"].iter().any(|it| text.contains(it))
}

/// Tells whether a text has a word in capitals, such as `NEVER` or `API`.
fn has_capitals(text: &str) -> bool {
    let apart = |it: char| !it.is_ascii_alphanumeric() && it != '_';
    text.split(apart).any(|it| it.len() > 2 && it.bytes().all(|it| it.is_ascii_uppercase()))
}

/// Tells whether a text names a path or a file.
fn has_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    let slash = bytes.windows(3).any(|it| word(it[0]) && it[1] == b'/' && word(it[2]));
    let mut dots = memchr::memchr_iter(b'.', bytes);
    slash
        || dots.any(|dot| {
            let letters = bytes[dot + 1..].iter().take_while(|it| word(**it)).count();
            (2..=4).contains(&letters)
        })
}

/// Tells whether a text says how much is done: `40 %`, `3/7`, `3 of 7`, or a bar.
fn has_share(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |it: Option<&u8>| it.is_some_and(u8::is_ascii_digit);
    let spaced = |place: usize| if bytes.get(place) == Some(&b' ') { place + 1 } else { place };
    let before = |place: usize| match place.checked_sub(1) {
        Some(it) if bytes[it] == b' ' => it.checked_sub(1).and_then(|it| bytes.get(it)),
        Some(it) => bytes.get(it),
        None => None,
    };
    let percent = memchr::memchr_iter(b'%', bytes).any(|it| digit(before(it)));
    let slash = memchr::memchr_iter(b'/', bytes)
        .any(|it| digit(before(it)) && digit(bytes.get(spaced(it + 1))));
    let of =
        text.match_indices(" of ").any(|(it, _)| digit(before(it)) && digit(bytes.get(it + 4)));
    percent || slash || of || text.contains(['█', '▓', '░'])
}
