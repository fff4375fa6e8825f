//! Replaces each secret with a marker.
//!
//! A marker is `[redacted: RULE]`, followed by the line breaks of what it
//! replaces. No rule may find anything in a marker or by help of one.

use std::ops::Range;

use super::finding::Hit;
use super::rule::Rule;
use super::table::{LONGEST_ID, is_id};

const OPEN: &str = "[redacted: ";
const CLOSE: u8 = b']';

/// Replaces hits, which are ordered and do not overlap, by their markers.
pub(super) fn replace(text: &str, hits: &[Hit], rules: &[Rule]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut copied = 0;
    for hit in hits {
        redacted.push_str(&text[copied..hit.span.start]);
        redacted.push_str(&replacement(text, hit, rules));
        copied = hit.span.end;
    }
    redacted.push_str(&text[copied..]);
    redacted
}

/// Returns what stands in the place of a hit.
fn replacement(text: &str, hit: &Hit, rules: &[Rule]) -> String {
    let mut marker = format!("{OPEN}{}]", rules[hit.rule].id());
    for line in text[hit.span.clone()].split_inclusive('\n') {
        if line.ends_with("\r\n") {
            marker.push('\r');
        }
        if line.ends_with('\n') {
            marker.push('\n');
        }
    }
    marker
}

/// Moves hits of the redacted text to their places in the original one.
///
/// They are ordered and touch no marker; `hits` are those replaced so far.
pub(super) fn restore(text: &str, hits: &[Hit], rules: &[Rule], found: Vec<Hit>) -> Vec<Hit> {
    let (mut grown, mut shrunk) = (0, 0);
    let mut before = hits.iter().peekable();
    let restored = found.into_iter().map(|Hit { rule, span }| {
        while let Some(hit) = before.next_if(|hit| hit.span.start + grown < span.start + shrunk) {
            grown += replacement(text, hit, rules).len();
            shrunk += hit.span.len();
        }
        let span = span.start + shrunk - grown..span.end + shrunk - grown;
        Hit { rule, span }
    });
    restored.collect()
}

/// Returns the places of all markers in a text, in order.
pub(super) fn markers(text: &str) -> Vec<Range<usize>> {
    let opened = text.match_indices(OPEN);
    let marker = opened.filter_map(|(start, _)| {
        let from = start + OPEN.len();
        let mut bytes = text[from..].bytes().take(LONGEST_ID + 1);
        let length = bytes.position(|byte| byte == CLOSE)?;
        let end = from + length;
        is_id(&text[from..end]).then_some(start..end + 1)
    });
    marker.collect()
}

/// Tells whether a span overlaps any of the markers.
pub(super) fn touches(markers: &[Range<usize>], span: &Range<usize>) -> bool {
    let behind = markers.partition_point(|marker| marker.end <= span.start);
    markers.get(behind).is_some_and(|marker| marker.start < span.end)
}
