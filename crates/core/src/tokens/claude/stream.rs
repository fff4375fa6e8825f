//! Writes a text's runs as a stream of characters and markers, and prices it.
//!
//! The tokenizer does not see spaces between words. Words carry markers for
//! their start and end, so `a b` is `⟨bow⟩a⟨eow⟩⟨bow⟩b⟨eow⟩`; one space
//! between an end and a start is that seam and costs nothing. Punctuation and
//! some digits take a marker on a side that touches a space. No piece of the
//! vocabulary reaches across an end or before a start, nor from white space or
//! an ASCII digit to anything else, so the stream can be priced segment by
//! segment, and most segments repeat.

use super::class::Class;
use super::place::Place;
use super::runs::Run;
use super::{Family, case};
use crate::tokens::recent::Recent;

/// Starts a word.
pub(super) const BOW: u8 = 0xF8;
/// Ends a word.
pub(super) const EOW: u8 = 0xF9;
/// The next letter is a capital.
pub(super) const SHIFT: u8 = 0xFA;
/// The next word is all capitals.
pub(super) const CAPS: u8 = 0xFB;

/// Prices a stream while it is written.
pub(super) struct Stream<'a> {
    family: &'a Family,
    memory: &'a mut Memory,
    /// Tokens of all closed segments.
    count: u64,
    /// Whether the last thing written was the end of a word.
    ended: bool,
}

/// What one thread keeps from text to text.
#[derive(Default)]
pub(super) struct Memory {
    words: Recent,
    segments: Recent,
    segment: Vec<u8>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(family: &'a Family, memory: &'a mut Memory) -> Stream<'a> {
        memory.segment.clear();
        Stream { family, memory, count: 0, ended: false }
    }

    /// Prices a normalised text without its final newlines, until more than `limit` tokens.
    pub(super) fn count_to(mut self, text: &str, limit: u64) -> u64 {
        let mut place = Place::first(text);
        self.open(&place);
        while place.run().is_some() && self.count <= limit {
            self.write(&place);
            place.advance();
        }
        self.close();
        self.count
    }

    /// Writes what the message frame leaves for the text to begin with.
    fn open(&mut self, place: &Place<'_>) {
        let space_first = place.run().is_some_and(|run| run.body.starts_with(' '));
        if !self.family.frame_opens_word || space_first {
            return;
        }
        if place.is_opening_quote() {
            self.count += 1;
        } else if !place.starts_word() {
            self.marker(BOW);
        }
    }

    fn write(&mut self, place: &Place<'_>) {
        let Some(Run { class, body }) = place.run() else {
            return;
        };
        match class {
            Class::Space => self.space(body, place),
            Class::Word if place.is_fused() || place.is_contraction() => {
                self.text(body);
                self.end();
            }
            Class::Word => self.word(body),
            Class::StrayMark => {
                self.marker(BOW);
                self.text(body);
                if !place.after().is_some_and(|run| run.class == Class::Word) {
                    self.end();
                }
            }
            Class::Digit if body.is_ascii() => {
                self.close();
                self.count += body.len().div_ceil(3) as u64;
            }
            Class::Punctuation | Class::Digit | Class::Hard => {
                let touches_space = match place.before() {
                    Some(run) => run.class == Class::Space && run.body.ends_with(' '),
                    None => self.family.frame_opens_word,
                };
                if touches_space && place.starts_word() {
                    self.marker(BOW);
                }
                self.text(body);
                if place.ends_word() && place.touches_seam() {
                    self.end();
                }
            }
        }
    }

    fn word(&mut self, body: &str) {
        self.close();
        let Memory { words, segment, .. } = &mut *self.memory;
        let family = self.family;
        let cost = words.count(body.as_bytes(), |_| {
            segment.push(BOW);
            if let Some(marker) = case::spell(body, family.caps_from, segment) {
                segment.insert(0, marker);
            }
            segment.push(EOW);
            family.trie.tile(segment)
        });
        segment.clear();
        self.count += cost as u64;
        self.ended = true;
    }

    fn space(&mut self, body: &str, place: &Place<'_>) {
        let is_seam = body == " " && self.ended && place.next().starts_word();
        self.close();
        if is_seam {
            return;
        }
        for run in body.as_bytes().chunk_by(|left, right| left == right) {
            match run[0] {
                b' ' | b'\t' | b'\n' => self.count += self.family.run_cost(run[0], run.len()),
                _ => self.memory.segment.extend_from_slice(run),
            }
        }
        self.close();
    }

    fn marker(&mut self, marker: u8) {
        self.close();
        self.memory.segment.push(marker);
    }

    fn text(&mut self, body: &str) {
        self.memory.segment.extend_from_slice(body.as_bytes());
        self.ended = false;
    }

    fn end(&mut self) {
        self.memory.segment.push(EOW);
        self.close();
        self.ended = true;
    }

    /// Prices the open segment.
    fn close(&mut self) {
        let Memory { segments, segment, .. } = &mut *self.memory;
        let cost = match segment.len() {
            length @ 0..=1 => length,
            _ => segments.count(segment, |_| self.family.trie.tile(segment)),
        };
        self.count += cost as u64;
        self.ended = false;
        segment.clear();
    }
}
