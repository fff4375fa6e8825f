//! Takes what is wanted most while there is room, and writes it down in order.

use std::collections::HashSet;
use std::ops::Range;

use super::order::Order;
use crate::session::marker::Marker;

/// A longer line is kept in part.
const LONGEST_LINE: usize = 500;

/// How much may be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) chars: usize,
    pub(super) lines: usize,
    /// The share of the beginning, where a text is cut within a line.
    pub(super) head_ratio: f64,
}

/// What was kept.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// With a marker.
    pub(super) text: String,
    pub(super) kept: usize,
    pub(super) total: usize,
}

/// Cuts a text into lines. A line break at its very end begins no line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.split('\n').collect()
}

/// Takes groups of lines in the order in which they are wanted, each as a whole.
pub(super) fn choose(
    lines: &[&str],
    order: &Order,
    room: Room,
    marker: Marker<'_>,
) -> Option<Chosen> {
    let mut left = room;
    let mut taken: Vec<usize> = Vec::new();
    let mut is_taken: HashSet<usize> = HashSet::new();
    // What does not fit is passed over, but not for ever.
    let mut misses = 0;
    for group in order.groups() {
        let fresh: Vec<usize> = group.clone().filter(|it| !is_taken.contains(it)).collect();
        let chars: usize = fresh.iter().map(|it| cost(lines[*it])).sum();
        if fresh.len() > left.lines || chars > left.chars {
            misses += 1;
            if misses > 64 || left.lines == 0 {
                break;
            }
            continue;
        }
        left.lines -= fresh.len();
        left.chars -= chars;
        is_taken.extend(&fresh);
        taken.extend(fresh);
    }
    taken.sort_unstable();
    let kept = taken.len();
    let is_cut = kept < lines.len() || taken.iter().any(|it| cost(lines[*it]) < lines[*it].len());
    (kept > 0 && is_cut).then(|| Chosen {
        text: write(lines, &taken, room.head_ratio, marker),
        kept,
        total: lines.len(),
    })
}

/// Keeps characters of the beginning and of the end.
pub(super) fn characters(
    text: &str,
    lines: usize,
    room: Room,
    marker: Marker<'_>,
) -> Option<Chosen> {
    let total = text.chars().count();
    if room.chars == 0 || room.chars >= total {
        return None;
    }
    let (head, tail) = ends(text, total, room.chars, room.head_ratio);
    let marker = marker.kept(room.chars, total, "characters");
    let text = format!("{head}\n{marker}\n{tail}");
    let kept = head.matches('\n').count() + tail.matches('\n').count() + 2;
    Some(Chosen {
        text,
        kept: kept.min(lines),
        total: lines,
    })
}

/// Writes lines in order, with a marker in the largest gap and a note in the others.
fn write(lines: &[&str], taken: &[usize], head_ratio: f64, marker: Marker<'_>) -> String {
    let gaps = gaps(lines.len(), taken);
    let largest = gaps.iter().rev().max_by_key(|gap| gap.len()).cloned();
    let marker = marker.kept(taken.len(), lines.len(), "lines");
    let mut text = String::new();
    let mut next_gap = gaps.into_iter().peekable();
    let mut gap_before = |place: usize, text: &mut String| {
        while let Some(gap) = next_gap.next_if(|gap| gap.start < place) {
            if largest.as_ref() == Some(&gap) {
                text.push_str(&marker)
            } else {
                text.push_str(&format!("[… {} lines]", gap.len()))
            }
            text.push('\n');
        }
    };
    for number in taken {
        gap_before(*number, &mut text);
        push_line(lines[*number], head_ratio, &mut text);
    }
    gap_before(lines.len() + 1, &mut text);
    // Where lines were only cut within, nothing has said so yet.
    if largest.is_none() {
        text.push_str(&marker);
        text.push('\n');
    }
    text.pop();
    text
}

fn push_line(line: &str, head_ratio: f64, text: &mut String) {
    let length = line.chars().count();
    if length > LONGEST_LINE {
        let (head, tail) = ends(line, length, LONGEST_LINE, head_ratio);
        text.push_str(&format!("{head}…{tail}"));
    } else {
        text.push_str(line)
    }
    text.push('\n');
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

/// Returns so many characters of the beginning and of the end of a text.
fn ends(text: &str, length: usize, chars: usize, head_ratio: f64) -> (&str, &str) {
    // A share of a number of characters is well within what a float holds.
    let head = ((chars as f64 * head_ratio) as usize).min(chars);
    let tail = chars - head;
    let place = |number: usize| {
        let found = text.char_indices().nth(number);
        found.map_or(text.len(), |(place, _)| place)
    };
    let head = &text[..place(head)];
    (head, &text[place(length - tail)..])
}

/// What a line takes of the room: its characters, as far as they are kept, and its end.
fn cost(line: &str) -> usize {
    let length = if line.len() > 4 * LONGEST_LINE {
        LONGEST_LINE
    } else {
        line.chars().count().min(LONGEST_LINE)
    };
    length + 1
}
