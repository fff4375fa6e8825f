//! Decides which rules look at which part of a text.
//!
//! Almost every text holds almost no keyword, so what counts is how fast that
//! is known. The first three bytes of all keywords are marked in a table of
//! bits that fits the fastest cache; each place of a text costs one look into
//! it, and no look waits for the one before. (An Aho-Corasick automaton finds
//! the same at three quarters of the speed and takes 1.7 ms to build, where
//! this takes 0.02 ms; a command that looks at one file feels that.)
//!
//! A rule whose keyword turns up looks at what stands around it on the same
//! line, or, if its secrets span lines, at all that follows. Lines can be long:
//! a transcript has whole files on one. No rule looks at a byte twice, so the
//! work is linear in the length of the text.

use std::mem;
use std::ops::Range;

use super::table::SecretRule;

/// How many bytes of a keyword the table of bits knows.
const GRAM: usize = 3;
/// How many bits there are: 2 to this power, in words of 64.
const BITS: u32 = 16;
const WORDS: usize = 1 << (BITS - u64::BITS.ilog2());

/// How many bytes before a keyword its secret may begin.
const BEFORE: usize = 128;
/// How many bytes behind a keyword its secret may begin.
const BEHIND: usize = 256;

/// The keywords of all rules.
pub(super) struct Keywords {
    /// One bit per hash; set, if any keyword begins so.
    bits: Box<[u64; WORDS]>,
    /// All keywords, by the hash of their beginning.
    words: Vec<Word>,
    /// Which rules look at more than a line.
    multiline: Vec<bool>,
    /// Rules that look at every text.
    always: Vec<usize>,
}

/// A keyword of a rule.
struct Word {
    hash: u32,
    text: Box<[u8]>,
    rule: usize,
}

impl Keywords {
    /// Collects the keywords. A rule with one that is too short, or with none,
    /// looks at every text.
    pub(super) fn new(rules: &[SecretRule]) -> Keywords {
        let mut keywords = Keywords {
            bits: Box::new([0; WORDS]),
            words: Vec::new(),
            multiline: rules.iter().map(|rule| rule.multiline).collect(),
            always: Vec::new(),
        };
        for (index, rule) in rules.iter().enumerate() {
            let shortest = rule.keywords.iter().map(String::len).min();
            if shortest.is_none_or(|length| length < GRAM) {
                keywords.always.push(index);
            } else {
                rule.keywords.iter().for_each(|word| keywords.add(word, index));
            }
        }
        keywords.words.sort_by_key(|word| word.hash);
        keywords
    }

    fn add(&mut self, keyword: &str, rule: usize) {
        let text: Box<[u8]> = keyword.as_bytes().into();
        let Some(&[first, second, third]) = text.first_chunk() else {
            return;
        };
        let hash = hash([first, second, third, 0]);
        self.bits[word_of(hash)] |= bit_of(hash);
        self.words.push(Word { hash, text, rule });
    }

    /// Calls `look` with a rule and a stretch of text, for all that must look.
    pub(super) fn visit(&self, text: &str, mut look: impl FnMut(usize, Range<usize>)) {
        for &rule in &self.always {
            look(rule, 0..text.len());
        }
        // Where each rule will look next; most texts need none of it.
        let mut waiting: Vec<Range<usize>> = Vec::new();
        self.each_word(text.as_bytes(), |start, rule| {
            waiting.resize(self.multiline.len(), 0..0);
            let next = &mut waiting[rule];
            if start + BEHIND < next.end {
                return;
            }
            let near = self.near(text.as_bytes(), start, rule);
            if near.start <= next.end && next.end > 0 {
                next.end = near.end;
                return;
            }
            let before = mem::replace(next, near);
            if !before.is_empty() {
                look(rule, before);
            }
        });
        let left = waiting.into_iter().enumerate();
        for (rule, stretch) in left.filter(|(_, stretch)| !stretch.is_empty()) {
            look(rule, stretch);
        }
    }

    /// Returns where a rule looks that has a keyword at a place.
    fn near(&self, bytes: &[u8], start: usize, rule: usize) -> Range<usize> {
        let first = start.saturating_sub(BEFORE);
        let breaks = bytes[first..start].iter().rposition(|byte| *byte == b'\n');
        let begin = breaks.map_or(first, |at| first + at + 1);
        if self.multiline[rule] {
            return begin..bytes.len();
        }
        let enough = bytes.len().min(start + BEHIND);
        let breaks = bytes[start..enough].iter().position(|byte| *byte == b'\n');
        let end = breaks.map_or_else(|| end_of_word(bytes, enough), |at| start + at);
        begin..end
    }

    /// Calls `found` with the place and the rule of each keyword, in order of place.
    fn each_word(&self, bytes: &[u8], mut found: impl FnMut(usize, usize)) {
        // Four bytes can be read at once; the fourth is not used.
        for (start, gram) in bytes.array_windows().enumerate() {
            let hash = hash(*gram);
            if self.bits[word_of(hash)] & bit_of(hash) != 0 {
                self.compare(hash, bytes, start, &mut found);
            }
        }
        if let Some(&[first, second, third]) = bytes.last_chunk() {
            let hash = hash([first, second, third, 0]);
            self.compare(hash, bytes, bytes.len() - GRAM, &mut found);
        }
    }

    /// Compares the keywords that may be at a place with what is there.
    fn compare(&self, hash: u32, bytes: &[u8], start: usize, found: &mut impl FnMut(usize, usize)) {
        let first = self.words.partition_point(|word| word.hash < hash);
        let alike = self.words[first..].iter();
        for word in alike.take_while(|word| word.hash == hash) {
            let here = bytes[start..].get(..word.text.len());
            if here.is_some_and(|here| here.eq_ignore_ascii_case(&word.text)) {
                found(start, word.rule);
            }
        }
    }
}

/// Mixes the first three of four bytes, whatever the case of letters.
fn hash(gram: [u8; 4]) -> u32 {
    // This sets the bit that is the case of a letter; other characters that it
    // makes alike are told apart when the whole keyword is compared.
    let folded = (u32::from_le_bytes(gram) | 0x0020_2020) & 0x00ff_ffff;
    folded.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)
}

/// Returns which word of the table holds the bit of a hash.
fn word_of(hash: u32) -> usize {
    // The remainder is the number itself, and saves a check at every byte.
    (hash / u64::BITS) as usize % WORDS
}

/// Returns the bit of a hash within its word.
fn bit_of(hash: u32) -> u64 {
    1 << (hash % u64::BITS)
}

/// Returns the next place where no secret can be cut in two.
fn end_of_word(bytes: &[u8], from: usize) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let end = bytes[from..].iter().position(is_end);
    end.map_or(bytes.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::super::table::read;
    use super::*;

    /// What each rule looks at.
    fn looks(keywords: &Keywords, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut looks = Vec::new();
        keywords.visit(text, |rule, stretch| looks.push((rule, stretch)));
        looks
    }

    fn keywords(words: &[&[&str]], multiline: bool) -> Keywords {
        let mut rules = read().rules;
        rules.truncate(words.len());
        for (rule, words) in rules.iter_mut().zip(words) {
            rule.keywords = words.iter().map(|&word| word.to_owned()).collect();
            rule.multiline = multiline;
        }
        Keywords::new(&rules)
    }

    #[test]
    fn a_rule_looks_once_around_its_keywords() {
        let keywords = keywords(&[&["sk-", "key"], &["sk-ant-"]], false);
        let text = "nothing\nSK-ant-KEY sk-\n\nas\nkey";
        assert_eq!(looks(&keywords, text), [(0, 8..22), (0, 27..30), (1, 8..22)]);
        assert_eq!(looks(&keywords, "k\u{e9}y sk\n-"), []);
        assert_eq!(looks(&keywords, ""), []);
    }

    #[test]
    fn long_lines_are_cut_between_words() {
        let keywords = keywords(&[&["key"]], false);
        let far = "word ".repeat(100);
        let text = format!("{far}key {far}{far}KEY={}", "x".repeat(999));
        assert_eq!(looks(&keywords, &text), [(0, 372..758), (0, 1_376..text.len())]);
        let text = format!("key {}key\nkey", "x".repeat(999));
        assert_eq!(looks(&keywords, &text), [(0, 0..1_006), (0, 1_007..1_010)]);
    }

    #[test]
    fn some_rules_look_further() {
        let several = keywords(&[&["begin"]], true);
        assert_eq!(looks(&several, "a\nBEGIN\nb\nbegin"), [(0, 2..15)]);
        let short = keywords(&[&["ab", "begin"], &[]], false);
        assert_eq!(looks(&short, "x\ny"), [(0, 0..3), (1, 0..3)]);
    }
}
