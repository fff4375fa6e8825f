//! Where a secret is, and which of several rules names it.

use std::cmp::Reverse;
use std::ops::Range;

use super::rule::Rule;

/// Where a credential is, and what kind it is. Never the credential itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFinding {
    /// The id of the rule that found it.
    pub rule: String,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
}

/// What one rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The rule's place in the table.
    pub(super) rule: usize,
    /// The place of the secret in the text.
    pub(super) span: Range<usize>,
}

/// Joins hits that overlap, so that no byte of any is left standing.
///
/// A joined hit is named after the best of its parts: a rule for one kind of
/// credential before a generic one, then the longest, then the first.
pub(super) fn resolve(mut hits: Vec<Hit>, rules: &[Rule]) -> Vec<Hit> {
    let rank = |hit: &Hit| (rules[hit.rule].is_generic(), Reverse(hit.span.len()), hit.rule);
    hits.sort_by_key(|hit| (hit.span.start, rank(hit)));
    let mut joined: Vec<(Hit, Range<usize>)> = Vec::new();
    for hit in hits {
        match joined.last_mut() {
            Some((best, span)) if hit.span.start < span.end => {
                span.end = span.end.max(hit.span.end);
                if rank(&hit) < rank(best) {
                    *best = hit;
                }
            }
            _ => {
                let span = hit.span.clone();
                joined.push((hit, span));
            }
        }
    }
    let whole = |(best, span): (Hit, Range<usize>)| Hit { span, ..best };
    joined.into_iter().map(whole).collect()
}

/// Turns hits, ordered by place, into findings with line numbers.
pub(super) fn locate(text: &str, hits: &[Hit], rules: &[Rule]) -> Vec<SecretFinding> {
    let mut line = 1_u32;
    let mut counted = 0;
    let locate = |hit: &Hit| {
        let breaks = text[counted..hit.span.start].matches('\n').count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        counted = hit.span.start;
        SecretFinding { rule: rules[hit.rule].id().to_owned(), line, span: hit.span.clone() }
    };
    hits.iter().map(locate).collect()
}
