//! A run and its neighbours, which decide the markers it takes.

use super::class::{self, Class};
use super::runs::{Run, Runs};

/// The words that bind to an apostrophe before them.
const CONTRACTIONS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];

/// A window of five runs: two before the current one and two after it.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    window: [Option<Run<'a>>; 5],
    runs: Runs<'a>,
}

impl<'a> Place<'a> {
    /// The place of the first run of a text.
    pub(super) fn first(text: &'a str) -> Place<'a> {
        let mut runs = Runs::new(text);
        let window = [None, None, runs.next(), runs.next(), runs.next()];
        Place { window, runs }
    }

    /// Moves on to the next run.
    pub(super) fn advance(&mut self) {
        let [_, before, run, after, later] = self.window;
        self.window = [before, run, after, later, self.runs.next()];
    }

    /// The place of the next run, without what follows its neighbour.
    pub(super) fn next(&self) -> Place<'a> {
        let [_, before, run, after, later] = self.window;
        Place { window: [before, run, after, later, None], runs: Runs::new("") }
    }

    /// The run at this place; none behind the end.
    pub(super) fn run(&self) -> Option<Run<'a>> {
        self.window[2]
    }

    /// The run before this one.
    pub(super) fn before(&self) -> Option<Run<'a>> {
        self.window[1]
    }

    /// The run after this one.
    pub(super) fn after(&self) -> Option<Run<'a>> {
        self.window[3]
    }

    /// Whether this run writes a start marker where it touches a space on its left.
    pub(super) fn starts_word(&self) -> bool {
        self.run().is_some_and(|run| match run.class {
            Class::Word | Class::StrayMark => true,
            Class::Punctuation => !self.is_opening_quote(),
            Class::Digit | Class::Hard => takes_border(run, run.body.chars().next()),
            Class::Space => false,
        })
    }

    /// Whether this run writes an end marker where it touches a space on its right.
    pub(super) fn ends_word(&self) -> bool {
        self.run().is_some_and(takes_right_border)
    }

    /// Whether the run after this one starts with one space and no more.
    pub(super) fn touches_seam(&self) -> bool {
        self.after().is_some_and(|run| {
            run.class == Class::Space && run.body.starts_with(' ') && !run.body.starts_with("  ")
        })
    }

    /// Whether this is a lone apostrophe right before a word, as in `'tis`.
    pub(super) fn is_opening_quote(&self) -> bool {
        let word_follows =
            self.after().is_some_and(|run| matches!(run.class, Class::Word | Class::StrayMark));
        word_follows && self.run().is_some_and(|run| run.body == "'")
    }

    /// Whether this word continues a mark that has opened it.
    pub(super) fn is_fused(&self) -> bool {
        self.before().is_some_and(|run| run.class == Class::StrayMark)
    }

    /// Whether this word binds to a lone apostrophe before it, as in `it's`.
    pub(super) fn is_contraction(&self) -> bool {
        self.before().is_some_and(|run| run.body == "'")
            && self.run().is_some_and(|run| CONTRACTIONS.contains(&run.body))
            && !self.window[0].is_some_and(takes_right_border)
    }
}

fn takes_right_border(run: Run<'_>) -> bool {
    run.class == Class::Punctuation || takes_border(run, run.body.chars().next_back())
}

/// Whether a run takes a marker at the side of its character `edge`.
fn takes_border(run: Run<'_>, edge: Option<char>) -> bool {
    edge.is_some_and(|edge| {
        class::is_selector(edge)
            || class::is_like_punctuation(edge)
            || class::is_border_digit(edge) && class::is_digit_run(run.body)
    })
}
