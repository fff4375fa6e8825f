//! Keeps the first message of a row and the newest that fit.
//!
//! Nothing is cut within and nothing is weighed, so what is left has one gap, and
//! a marker says how many messages it was. Costs are asked for from the end and
//! only as far as the window reaches: a row of any length costs what is kept.

use crate::tokens::Tokens;

/// A message as a window sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowMessage {
    /// What it costs.
    pub tokens: Tokens,
    /// Neighbours of one group stay or go together, as a call and its results do.
    pub group: usize,
}

/// Which messages a window shows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct SlidingWindow {
    /// How many messages of the beginning stay: the first, with its group.
    pub first: usize,
    /// The message from which on all stay.
    pub from: usize,
    /// How many do not.
    pub omitted: usize,
}

/// Keeps the first message, even over the budget, and the newest that fit, without a gap.
///
/// `marker` is what the marker costs that stands for so many messages; it is
/// counted wherever one is needed.
///
/// ```
/// use loadline::fit::{WindowMessage, slide_window};
/// use loadline::tokens::Tokens;
/// let message = |group| WindowMessage { tokens: Tokens::new(50), group };
/// let messages: Vec<WindowMessage> = (0..50).map(message).collect();
/// let window = slide_window(&messages, Tokens::new(260), |_| Tokens::new(10));
/// assert_eq!((window.first, window.from, window.omitted), (1, 46, 45));
/// ```
pub fn slide_window(
    messages: &[WindowMessage],
    most: Tokens,
    marker: impl Fn(usize) -> Tokens,
) -> SlidingWindow {
    let groups: Vec<usize> = messages.iter().map(|message| message.group).collect();
    slide_lazily(&groups, most, marker, |number| messages[number].tokens)
}

/// As [`slide_window`], asking for a cost only where it matters.
pub(crate) fn slide_lazily(
    groups: &[usize],
    most: Tokens,
    marker: impl Fn(usize) -> Tokens,
    mut cost: impl FnMut(usize) -> Tokens,
) -> SlidingWindow {
    let in_first = groups.iter().take_while(|it| Some(*it) == groups.first());
    let first = in_first.count();
    let mut total = Tokens::ZERO;
    for number in 0..first {
        total = total.saturating_add(cost(number));
    }
    // The longest marker that could be needed; a shorter one costs no more.
    let marker = match groups.len() - first {
        0 => Tokens::ZERO,
        omitted => marker(omitted),
    };
    // From where on all fits beside a marker, and how far the walk has come.
    let (mut from, mut place) = (groups.len(), groups.len());
    for group in groups[first..].chunk_by(|a, b| a == b).rev() {
        place -= group.len();
        for number in place..place + group.len() {
            total = total.saturating_add(cost(number));
        }
        if total > most {
            break;
        }
        if from == place + group.len() && total.saturating_add(marker) <= most {
            from = place;
        }
    }
    // A row that fits as a whole needs no marker.
    if total <= most && place == first {
        from = first;
    }
    SlidingWindow { first, from, omitted: from - first }
}

/// Says how many messages do not stay.
pub fn window_marker(omitted: usize) -> String {
    format!("[{omitted} earlier messages omitted for brevity]")
}
