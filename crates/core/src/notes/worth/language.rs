//! The words and names that units use, and how rare they are.

use std::collections::{BTreeMap, HashMap};

use crate::notes::Notes;
use crate::notes::words::WORDS;
use crate::text::terms::{Term, each_term};

/// The words and names of all units.
pub(in crate::notes) struct Language {
    /// Per unit: its words, each once, in order of their numbers.
    pub(in crate::notes) words: Vec<Vec<u32>>,
    /// Per unit: how many words it has, each time counted.
    pub(super) lengths: Vec<usize>,
    /// Per unit: its names, each once.
    pub(super) names: Vec<Vec<u32>>,
    /// Per word: how much it tells.
    pub(in crate::notes) idf: Vec<f32>,
    /// Per name: how many units have it.
    pub(super) name_units: Vec<u32>,
    word_numbers: HashMap<u32, u32>,
    name_numbers: HashMap<u32, u32>,
}

impl Language {
    pub(super) fn of(notes: &Notes) -> Language {
        let mut language = Language {
            words: Vec::new(),
            lengths: Vec::new(),
            names: Vec::new(),
            idf: Vec::new(),
            name_units: Vec::new(),
            word_numbers: HashMap::new(),
            name_numbers: HashMap::new(),
        };
        let mut word_units: Vec<u32> = Vec::new();
        for unit in &notes.units {
            let mut words = Vec::new();
            each_word(&unit.text, |word| {
                words.push(number(&mut language.word_numbers, word, &mut word_units));
            });
            language.lengths.push(words.len());
            let words = once(words);
            words.iter().for_each(|it| word_units[*it as usize] += 1);
            language.words.push(words);
            let mut names = Vec::new();
            each_name(&unit.text, |name| {
                let units = &mut language.name_units;
                names.push(number(&mut language.name_numbers, name, units));
            });
            let names = once(names);
            names.iter().for_each(|it| language.name_units[*it as usize] += 1);
            language.names.push(names);
        }
        let all = notes.units.len() as f32;
        language.idf = word_units.iter().map(|it| (1.0 + all / (*it).max(1) as f32).ln()).collect();
        language
    }

    /// Returns the words of a text that the notes have, each once.
    pub(super) fn known(&self, text: &str) -> Vec<u32> {
        let mut known = Vec::new();
        each_word(text, |word| known.extend(self.word_numbers.get(&word)));
        once(known)
    }

    /// Adds up what words tell.
    pub(super) fn told(&self, words: &[u32], share: impl Fn(u32) -> f32) -> f32 {
        words.iter().map(|it| self.idf[*it as usize] * share(*it)).sum()
    }

    /// Returns a unit's names that do not stand everywhere.
    pub(super) fn rare_names(&self, unit: usize) -> impl Iterator<Item = u32> {
        let most = (self.words.len() as f32 * 0.1).max(3.0) as u32;
        let names = self.names[unit].iter().copied();
        names.filter(move |it| self.name_units[*it as usize] <= most)
    }
}

fn number(numbers: &mut HashMap<u32, u32>, key: u32, counts: &mut Vec<u32>) -> u32 {
    *numbers.entry(key).or_insert_with(|| {
        counts.push(0);
        counts.len() as u32 - 1
    })
}

fn once(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// How strongly words and names were mentioned by commits.
#[derive(Default)]
pub(super) struct Mentions {
    words: BTreeMap<u32, f32>,
    names: BTreeMap<u32, f32>,
}

/// By how much a commit counts less than the one after it.
const FADE: f32 = 0.8;
/// Bytes of a message that count.
const MESSAGE: usize = 400;

impl Mentions {
    pub(super) fn of_commits(commits: &[(String, Vec<String>)], language: &Language) -> Mentions {
        let mut mentions = Mentions::default();
        for (age, (message, paths)) in commits.iter().enumerate() {
            let weight = FADE.powi(age as i32);
            let end = message.char_indices().map(|it| it.0).take_while(|it| *it <= MESSAGE).last();
            mentions.add(&message[..end.unwrap_or(0)], weight, language);
            for path in paths {
                let name = path.rsplit('/').next().unwrap_or(path);
                mentions.add_name(Term::of(&name.to_lowercase()).word, weight, language);
            }
        }
        mentions
    }

    fn add(&mut self, text: &str, weight: f32, language: &Language) {
        for word in language.known(text) {
            *self.words.entry(word).or_default() += weight;
        }
        each_name(text, |name| self.add_name(name, weight, language));
    }

    fn add_name(&mut self, name: u32, weight: f32, language: &Language) {
        if let Some(number) = language.name_numbers.get(&name) {
            *self.names.entry(*number).or_default() += weight;
        }
    }

    /// How much of a unit's words were mentioned.
    pub(super) fn of_words(&self, words: &[u32]) -> f32 {
        let sum: f32 =
            words.iter().map(|it| self.words.get(it).map_or(0.0, |it| it.min(1.0))).sum();
        sum / words.len().max(4) as f32
    }

    /// How strongly a unit's names were mentioned, up to 1.
    pub(super) fn of_names(&self, names: &[u32]) -> f32 {
        let sum: f32 = names.iter().filter_map(|it| self.names.get(it)).sum();
        sum.min(1.0)
    }
}

/// Calls `take` with each word that has a meaning, as a number.
fn each_word(text: &str, mut take: impl FnMut(u32)) {
    each_term(text, |term, is_whole| {
        if !is_whole && !WORDS.is_stop(term) {
            take(term.stem);
        }
    });
}

/// Calls `take` with each name of a file, of something in code, or of a task, as a number.
fn each_name(text: &str, mut take: impl FnMut(u32)) {
    let part = |c: char| c.is_ascii_alphanumeric() || "_-./@#".contains(c);
    for run in text.split(|c| !part(c)).filter(|it| it.len() >= 3) {
        let run = run.trim_matches(['.', '/', '-', '@']);
        let last = run.rsplit('/').next().unwrap_or(run);
        if let Some((stem, ending)) = last.rsplit_once('.')
            && !stem.is_empty()
            && WORDS.is_ending(ending)
        {
            take(Term::of(&last.to_ascii_lowercase()).word);
        }
        for piece in run.split(['/', '.', '@']).filter(|it| it.len() >= 3) {
            if is_number_of_task(piece) {
                take(Term::of(&piece.to_ascii_lowercase()).word);
            }
            for word in piece.split(['-', '#']).filter(|it| it.len() >= 4 && is_identifier(it)) {
                take(Term::of(&word.to_ascii_lowercase()).word);
            }
        }
    }
}

/// Tells whether a word is a name such as `AUTH-12` or `#123`.
fn is_number_of_task(word: &str) -> bool {
    if let Some(digits) = word.strip_prefix('#') {
        return digits.len() >= 2 && digits.bytes().all(|it| it.is_ascii_digit());
    }
    let Some((letters, digits)) = word.split_once(['-', '_']) else {
        return false;
    };
    let capitals = letters.len() >= 2 && letters.bytes().all(|it| it.is_ascii_uppercase());
    capitals && digits.bytes().next().is_some_and(|it| it.is_ascii_digit())
}

/// Tells whether a word is written as names in code are.
fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    let snake = bytes[0].is_ascii_alphabetic()
        && bytes.windows(2).any(|it| it[0] == b'_' && it[1].is_ascii_alphanumeric());
    let camel = bytes.windows(2).any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
    snake || camel
}
