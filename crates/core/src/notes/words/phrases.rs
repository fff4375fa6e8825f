//! Finds phrases in texts.
//!
//! The syntax is described at the head of `data/notes.toml`. Hundreds of phrases as patterns
//! take longer to build than most notes take to read, so they are compared as they stand.

use std::collections::HashMap;

/// Lists of phrases.
pub(super) struct Phrases {
    /// By the character that they begin with: one of ASCII, or another.
    ascii: [Vec<Phrase>; 128],
    others: HashMap<char, Vec<Phrase>>,
}

struct Phrase {
    /// The number of its list.
    list: usize,
    /// Its second byte where that is a letter, which tells most of them apart.
    second: Option<u8>,
    parts: Vec<Vec<Word>>,
    /// Whether a word must end where the phrase does.
    ends_word: bool,
}

struct Word {
    text: String,
    /// Whether more letters may follow.
    goes_on: bool,
}

impl Phrases {
    pub(super) fn of<'a>(lists: impl IntoIterator<Item = &'a Vec<String>>) -> Phrases {
        let mut ascii = [const { Vec::new() }; 128];
        let mut others: HashMap<char, Vec<Phrase>> = HashMap::new();
        for (list, phrases) in lists.into_iter().enumerate() {
            for phrase in phrases {
                let first = phrase.chars().next().expect("a phrase is not empty");
                let alike = match ascii.get_mut(first as usize) {
                    Some(alike) => alike,
                    None => others.entry(first).or_default(),
                };
                alike.push(Phrase::of(phrase, list));
            }
        }
        Phrases { ascii, others }
    }

    fn beginning(&self, first: char) -> &[Phrase] {
        match self.ascii.get(first as usize) {
            Some(alike) => alike,
            None => self.others.get(&first).map_or(&[], Vec::as_slice),
        }
    }

    /// Returns the numbers of the lists with a phrase that occurs in a text, as bits.
    pub(super) fn in_text(&self, text: &str) -> u32 {
        let text = text.to_lowercase();
        let mut lists = 0;
        let mut is_inside = false;
        for (place, first) in text.char_indices() {
            // A phrase in the Latin alphabet begins where a word does.
            let goes_on = is_inside && is_letter(first);
            is_inside = is_letter(first);
            if goes_on {
                continue;
            }
            let second = text.as_bytes().get(place + 1);
            for phrase in self.beginning(first) {
                let bit = 1 << phrase.list;
                let may_begin = phrase.second.as_ref().is_none_or(|it| Some(it) == second);
                if may_begin && lists & bit == 0 && phrase.begins(&text[place..]) {
                    lists |= bit;
                }
            }
        }
        lists
    }

    /// Returns the numbers of the lists with a phrase that a text begins with, signs before it
    /// not counted, as bits.
    pub(super) fn at_start(&self, text: &str) -> u32 {
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let first = text.chars().next().and_then(|it| it.to_lowercase().next());
        let phrases = first.map_or(&[][..], |it| self.beginning(it));
        if phrases.is_empty() {
            return 0;
        }
        let text = text.to_lowercase();
        let found = phrases.iter().filter(|it| it.begins(&text));
        found.fold(0, |lists, it| lists | 1 << it.list)
    }
}

impl Phrase {
    fn of(phrase: &str, list: usize) -> Phrase {
        let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let word = |word: &str| {
            let text = word.trim_end_matches('*');
            Word { text: text.to_owned(), goes_on: text.len() < word.len() }
        };
        let parts = phrase.split(" ... ").map(|part| part.split(' ').map(word).collect());
        Phrase {
            list,
            second: phrase.as_bytes().get(1).copied().filter(|it| !b" *".contains(it)),
            parts: parts.collect(),
            ends_word: latin(phrase.chars().next_back()),
        }
    }

    /// Tells whether a text in lower case begins with the phrase.
    fn begins(&self, text: &str) -> bool {
        self.goes_on(0, text)
    }

    /// Tells whether a text begins with a part, and has those behind it.
    fn goes_on(&self, part: usize, text: &str) -> bool {
        let is_last = part + 1 == self.parts.len();
        words(&self.parts[part], text, &|rest| {
            let mut places = rest.char_indices().map(|(place, _)| place);
            let ends = !(self.ends_word && rest.starts_with(is_letter));
            (is_last && ends)
                || (!is_last && places.any(|place| self.goes_on(part + 1, &rest[place..])))
        })
    }
}

/// Tells whether a text begins with these words, and what is behind them fits.
fn words(all: &[Word], text: &str, fits: &dyn Fn(&str) -> bool) -> bool {
    let Some((word, more)) = all.split_first() else {
        return fits(text);
    };
    let Some(mut rest) = text.strip_prefix(word.text.as_str()) else {
        return false;
    };
    loop {
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '_' || c == '-');
        let is_met = match more {
            [] => fits(rest),
            _ => next.len() < rest.len() && words(more, next, fits),
        };
        if is_met || !word.goes_on || !rest.starts_with(is_letter) {
            return is_met;
        }
        rest = &rest[1..];
    }
}

/// Tells whether a character is part of a word in the Latin alphabet.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_their_syntax_says() {
        let lists = [
            vec!["blocker*".to_owned(), "风险".to_owned()],
            vec!["file* ... changed".to_owned(), "in progress".to_owned(), "don't".to_owned()],
        ];
        let phrases = Phrases::of(&lists);
        for (text, lists) in [
            ("Blockers", 0b01),
            ("unblocker", 0),
            ("主要风险和问题", 0b01),
            ("Files that I changed", 0b10),
            ("Files that are unchanged", 0b10),
            ("file_changed", 0b10),
            ("filechanged", 0b10),
            ("Files exchangedly", 0),
            ("IN_PROGRESS", 0b10),
            ("in - progress, blocker", 0b11),
            ("in progresses", 0),
            ("inprogress", 0),
            ("Don't", 0b10),
            ("", 0),
        ] {
            assert_eq!(phrases.in_text(text), lists, "{text}");
        }
        assert_eq!(phrases.at_start("** Blockers: none"), 0b01);
        assert_eq!(phrases.at_start("no blockers"), 0);
        assert_eq!(phrases.at_start("…"), 0);
    }
}
