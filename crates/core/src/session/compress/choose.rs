//! Keeps the lines that are wanted most within the limits, and writes them in order.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::Limit;
use super::order::Order;
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, FitError, Item, Policy, fit, longest};
use crate::session::marker::Marker;
use crate::tokens::Tokens;

/// A longer line is kept in part.
const LONGEST_LINE: usize = 500;

/// Groups that do not fit are passed over, but not for ever.
const MOST_MISSES: usize = 64;

/// In how many steps the number of characters is tried.
const STEPS: usize = 64;

/// How much may be kept, whatever it costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) chars: usize,
    pub(super) lines: usize,
    /// The share of the beginning, where a text is cut within a line.
    pub(super) head_ratio: f64,
}

/// What was kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// With a marker.
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) total: usize,
}

/// Cuts a text into lines. A line break at its very end does not begin one.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.split('\n').collect()
}

/// Keeps groups of lines in the order in which they are wanted, each as a whole.
pub(super) fn choose(
    lines: &[&str],
    order: &Order,
    room: Room,
    limit: &Limit<'_>,
    marker: Marker<'_>,
) -> Option<Kept> {
    let mut excerpt = Excerpt {
        groups: within(lines, order, room),
        lines,
        head_ratio: room.head_ratio,
        limit,
        marker,
    };
    let groups = excerpt.groups.iter().enumerate();
    let items = groups.map(|(number, group)| {
        let line = |it: &usize| limit.size(&shown(lines[*it], room.head_ratio)).get() + 1;
        let cost = Tokens::new(group.iter().map(line).sum());
        Item::new(number, -(number as f64)).rendition("lines", cost)
    });
    let (items, allocation) = (items.collect(), Allocation::of(limit.most()));
    let policy = Policy { max_misses: Some(MOST_MISSES), ..Policy::default() };
    let fitted = fit(items, &allocation, &policy, &mut excerpt).ok()?;
    let Kept { lines: kept, .. } = fitted.written;
    let is_long = |line: &&str| matches!(shown(line, room.head_ratio), Cow::Owned(_));
    let is_cut = kept < lines.len() || lines.iter().any(is_long);
    (kept > 0 && is_cut).then_some(fitted.written)
}

/// Lists the lines of groups, each line once, while there is room.
fn within(lines: &[&str], order: &Order, room: Room) -> Vec<Vec<usize>> {
    let mut left = room;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashSet<usize> = HashSet::new();
    let mut misses = 0;
    for group in order.groups() {
        let fresh: Vec<usize> = group.clone().filter(|it| !seen.contains(it)).collect();
        let chars: usize = fresh.iter().map(|it| length(lines[*it]) + 1).sum();
        if fresh.len() > left.lines || chars > left.chars {
            misses += 1;
            if misses > MOST_MISSES || left.lines == 0 {
                break;
            }
        } else if !fresh.is_empty() {
            left.lines -= fresh.len();
            left.chars -= chars;
            seen.extend(&fresh);
            groups.push(fresh);
        }
    }
    groups
}

/// Lines of a text that a marker joins.
struct Excerpt<'a> {
    lines: &'a [&'a str],
    groups: Vec<Vec<usize>>,
    head_ratio: f64,
    limit: &'a Limit<'a>,
    marker: Marker<'a>,
}

impl Compose for Excerpt<'_> {
    type Written = Kept;
    type Error = FitError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Kept, FitError> {
        let groups = chosen.iter().map(|(group, _)| &self.groups[group]);
        let mut taken: Vec<usize> = groups.flatten().copied().collect();
        taken.sort_unstable();
        Ok(Kept { text: self.text(&taken), lines: taken.len(), total: self.lines.len() })
    }

    fn tokens(&self, kept: &Kept) -> Tokens {
        self.limit.size(&kept.text)
    }
}

impl Excerpt<'_> {
    /// Writes lines in order, with a marker in the largest gap and a short one in the others.
    fn text(&self, taken: &[usize]) -> String {
        let gaps = gaps(self.lines.len(), taken);
        let largest = gaps.iter().rev().max_by_key(|gap| gap.len()).cloned();
        let marker = self.marker.kept(taken.len(), self.lines.len(), "lines");
        let mut parts: Vec<Cow<'_, str>> = Vec::new();
        let mut next_gap = gaps.into_iter().peekable();
        for number in taken.iter().copied().chain([self.lines.len()]) {
            if let Some(gap) = next_gap.next_if(|gap| gap.end == number) {
                let is_largest = largest.as_ref() == Some(&gap);
                parts.push(if is_largest {
                    Cow::Borrowed(&marker)
                } else {
                    Cow::Owned(format!("[… {} lines]", gap.len()))
                });
            }
            let line = self.lines.get(number);
            parts.extend(line.map(|it| shown(it, self.head_ratio)));
        }
        // Where lines were only cut within, nothing has said so yet.
        if largest.is_none() {
            parts.push(Cow::Borrowed(&marker));
        }
        parts.join("\n")
    }
}

/// Keeps characters of the beginning and of the end.
pub(super) fn characters(
    text: &str,
    lines: usize,
    room: Room,
    limit: &Limit<'_>,
    marker: Marker<'_>,
) -> Option<Kept> {
    let total = text.chars().count();
    let most = room.chars.min(total.saturating_sub(1));
    let mut best = None;
    longest(STEPS, |step| {
        let chars = (most as u128 * step as u128 / STEPS as u128) as usize;
        if chars == 0 {
            return true;
        }
        let (head, tail) = ends(text, chars, room.head_ratio);
        let marker = marker.kept(chars, total, "characters");
        let short = format!("{head}\n{marker}\n{tail}");
        let fits = limit.size(&short) <= limit.most();
        if fits {
            let kept = head.matches('\n').count() + tail.matches('\n').count() + 2;
            best = Some(Kept { text: short, lines: kept.min(lines), total: lines });
        }
        fits
    });
    best
}

/// Returns what is shown of a line.
fn shown(line: &str, head_ratio: f64) -> Cow<'_, str> {
    if length(line) < LONGEST_LINE || line.chars().nth(LONGEST_LINE).is_none() {
        return Cow::Borrowed(line);
    }
    let (head, tail) = ends(line, LONGEST_LINE, head_ratio);
    Cow::Owned(format!("{head}…{tail}"))
}

/// Returns how many characters of a line are shown.
fn length(line: &str) -> usize {
    line.chars().take(LONGEST_LINE).count()
}

/// Returns the ranges of lines that were not taken.
fn gaps(total: usize, taken: &[usize]) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut next = 0;
    for number in taken.iter().copied().chain([total]) {
        if number > next {
            gaps.push(next..number);
        }
        next = number + 1;
    }
    gaps
}

/// Splits off a number of characters at the beginning and the end of a longer text.
fn ends(text: &str, chars: usize, head_ratio: f64) -> (&str, &str) {
    // A share of a number of characters is well within what a float holds.
    let head = ((chars as f64 * head_ratio) as usize).min(chars);
    let start = text.char_indices().nth(head).map_or(text.len(), |it| it.0);
    let end = match chars - head {
        0 => text.len(),
        tail => text.char_indices().nth_back(tail - 1).map_or(0, |it| it.0),
    };
    (&text[..start], &text[end..])
}
