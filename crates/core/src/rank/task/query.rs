//! The words of a task, with what each is worth.

use std::collections::HashMap;

use crate::rank::terms::{Term, each_term};

/// Of a longer task this much is read; the rest is logs.
const MOST_BYTES: usize = 256 << 10;
/// The most different words that are looked for.
const MOST_WORDS: usize = 512;

/// The words of a task, ready to be looked up.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Each word once, by number.
    words: Vec<Word>,
    /// Each stem once, by number.
    stems: Vec<u32>,
    stem_weights: Vec<f64>,
    /// The task in lower case, as far as it was read.
    text: String,
    /// Its first line that is not blank, in lower case.
    title: String,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    word: u32,
    stem: u16,
    weight: f64,
}

/// How often a term occurs.
#[derive(Clone, Copy, Default)]
struct Occurrence {
    count: u32,
    in_title: bool,
    order: usize,
}

impl Occurrence {
    fn weight(&self, title: f64) -> f64 {
        let weight = 1.0 + f64::from(self.count.max(1)).ln();
        if self.in_title { weight * title } else { weight }
    }
}

impl Query {
    /// Reads a task; words of its first line count `title` times as much.
    pub fn new(task: &str, title: f64) -> Query {
        let text = &task[..task.floor_char_boundary(MOST_BYTES)];
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let mut found: HashMap<Term, Occurrence> = HashMap::new();
        each_term(text, |term, _| {
            let order = found.len();
            let entry = found.entry(term).or_insert(Occurrence {
                order,
                ..Occurrence::default()
            });
            entry.count += 1;
        });
        each_term(first, |term, _| {
            if let Some(entry) = found.get_mut(&term) {
                entry.in_title = true;
            }
        });
        let mut found: Vec<(Term, Occurrence)> = found.into_iter().collect();
        found.sort_by(|left, right| {
            let weight = right.1.weight(title).total_cmp(&left.1.weight(title));
            weight.then(left.1.order.cmp(&right.1.order))
        });
        found.truncate(MOST_WORDS);
        Query {
            text: text.to_lowercase(),
            title: first.to_lowercase(),
            ..Query::of(&found, title)
        }
    }

    fn of(found: &[(Term, Occurrence)], title: f64) -> Query {
        let mut stems: Vec<u32> = found.iter().map(|(term, _)| term.stem).collect();
        stems.sort_unstable();
        stems.dedup();
        let mut merged = vec![Occurrence::default(); stems.len()];
        let mut words: Vec<Word> = Vec::new();
        for (term, occurrence) in found {
            let slot = stems.partition_point(|stem| *stem < term.stem);
            if let Some(entry) = merged.get_mut(slot) {
                entry.count += occurrence.count;
                entry.in_title |= occurrence.in_title;
            }
            words.push(Word {
                word: term.word,
                stem: slot as u16,
                weight: occurrence.weight(title),
            });
        }
        words.sort_by_key(|word| word.word);
        words.dedup_by_key(|word| word.word);
        Query {
            words,
            stems,
            stem_weights: merged.iter().map(|entry| entry.weight(title)).collect(),
            ..Query::default()
        }
    }

    /// Tells whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The task in lower case.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The first line of the task in lower case.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn stems(&self) -> &[u32] {
        &self.stems
    }

    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// Which word of the task this is.
    pub(crate) fn word_slot(&self, word: u32) -> Option<u16> {
        let slot = self.words.binary_search_by_key(&word, |entry| entry.word).ok()?;
        u16::try_from(slot).ok()
    }

    /// Which stem of the task this is.
    pub(crate) fn stem_slot(&self, stem: u32) -> Option<u16> {
        let slot = self.stems.binary_search(&stem).ok()?;
        u16::try_from(slot).ok()
    }

    pub(crate) fn word_weight(&self, slot: usize) -> f64 {
        self.words.get(slot).map_or(0.0, |word| word.weight)
    }

    pub(crate) fn stem_weight(&self, slot: usize) -> f64 {
        self.stem_weights.get(slot).copied().unwrap_or_default()
    }
}
