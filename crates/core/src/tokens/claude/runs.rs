//! Cuts a normalised text into runs of one class.

use super::class::{self, Class};

/// A maximal stretch of characters of one class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    pub(super) class: Class,
    pub(super) body: &'a str,
}

/// Iterates over the runs of a text.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    rest: &'a str,
}

impl<'a> Runs<'a> {
    pub(super) fn new(text: &'a str) -> Runs<'a> {
        Runs { rest: text }
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let first = self.rest.chars().next()?;
        let class = class::at_start(first);
        let (body, rest) = self.rest.split_at(run_length(self.rest, first, class));
        self.rest = rest;
        Some(Run { class, body })
    }
}

fn run_length(text: &str, first: char, class: Class) -> usize {
    let same =
        text.bytes().take_while(|&byte| byte.is_ascii() && class::of_ascii(byte) == class).count();
    if text.as_bytes().get(same).is_none_or(u8::is_ascii) && same > 0 {
        return same;
    }
    let continues = |character: char| match class {
        Class::StrayMark => class::at_start(character) == Class::StrayMark,
        // A selector rides on the character before it, whatever kind that is.
        Class::Hard => {
            class::of(character) == Class::Hard
                && (class::is_selector(character)
                    || class::hard_kind(character) == class::hard_kind(first))
        }
        _ => class::of(character) == class,
    };
    let start = same.max(first.len_utf8());
    text.len() - text[start..].trim_start_matches(continues).len()
}
