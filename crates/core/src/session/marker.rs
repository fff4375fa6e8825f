//! Writes the markers that stand where something was cut.
//!
//! A marker says how much stayed and how to recall the rest, so that nothing is dropped
//! silently.

use crate::text::thousands;

/// Says what was cut and how to recall it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marker<'a> {
    /// Recalls the whole; `None` if it was not archived.
    pub(crate) handle: Option<&'a str>,
    /// The number of the turn in the whole, from 0; `None` if the whole is one text.
    pub(crate) turn: Option<usize>,
}

/// How every marker begins.
pub(crate) const BEGINNING: &str = "[loadline: ";

impl Marker<'_> {
    /// Says how many of a kind of thing were kept: `[loadline: kept 42 of 9,812 lines; recall k3f9c2td:7]`.
    pub(crate) fn kept(&self, kept: usize, total: usize, things: &str) -> String {
        let [kept, total] = [kept, total].map(|it| thousands(it as u64));
        let recall = match (self.handle, self.turn) {
            (None, _) => String::new(),
            (Some(handle), None) => format!("; recall {handle}"),
            (Some(handle), Some(turn)) => format!("; recall {handle}:{}", turn + 1),
        };
        format!("{BEGINNING}kept {kept} of {total} {things}{recall}]")
    }
}
