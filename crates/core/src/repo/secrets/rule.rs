//! One compiled rule; its pattern is compiled on first use.
//!
//! Patterns see bytes and are ASCII only: without Unicode's tables they compile faster
//! and run on smaller automata.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::table::SecretRule;

/// How large a compiled pattern may be, and the tables it builds as it runs.
const LARGEST: usize = 2 << 20;

/// A rule and, once it was needed, its pattern.
pub(super) struct Rule {
    rule: SecretRule,
    pattern: OnceLock<Regex>,
    allow: Patterns,
    unless: Patterns,
}

impl Rule {
    pub(super) fn new(rule: SecretRule) -> Rule {
        let allow = Patterns::new(rule.allow.clone());
        let unless = Patterns::new(rule.unless.clone());
        Rule { allow, unless, rule, pattern: OnceLock::new() }
    }

    pub(super) fn id(&self) -> &str {
        &self.rule.id
    }

    pub(super) fn is_generic(&self) -> bool {
        self.rule.generic
    }

    /// Tells whether a secret is random enough, and neither it nor the match that it is
    /// part of one of the exceptions.
    pub(super) fn accepts(&self, whole: &str, secret: &str) -> bool {
        is_random(secret.as_bytes(), self.rule.min_entropy)
            && !self.allow.any_fits(secret)
            && !self.unless.any_fits(whole)
    }

    /// Calls `found` with each match in a stretch and the secret inside it.
    ///
    /// The next match may begin where the last secret ended, so that what
    /// stands behind a secret is not lost to what comes after.
    pub(super) fn each_match(
        &self,
        text: &str,
        stretch: Range<usize>,
        mut found: impl FnMut(Range<usize>, Range<usize>),
    ) {
        let compile = || compile(&self.rule.pattern).expect("a test compiles every rule");
        let pattern = self.pattern.get_or_init(compile);
        let bytes = &text.as_bytes()[..stretch.end];
        let mut at = stretch.start;
        while let Some(captures) = pattern.captures_at(bytes, at) {
            let (whole, secret) = parts(&captures);
            at = secret.end.max(at + 1);
            // A pattern of bytes may part a character.
            if text.get(secret.clone()).is_some_and(|secret| !secret.is_empty()) {
                found(whole, secret);
            }
            if at > bytes.len() {
                return;
            }
        }
    }
}

/// Returns the place of a match and of the secret inside it.
fn parts(captures: &Captures<'_>) -> (Range<usize>, Range<usize>) {
    let whole = captures.get_match();
    let group = captures.name("secret");
    let group = group.or_else(|| captures.iter().skip(1).flatten().next());
    (whole.range(), group.unwrap_or(whole).range())
}

/// Compiles a pattern.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .multi_line(true)
        .size_limit(LARGEST)
        .dfa_size_limit(LARGEST)
        .build()
}

/// Patterns of which any may fit, compiled together when first needed.
pub(super) struct Patterns {
    patterns: Vec<String>,
    compiled: OnceLock<RegexSet>,
}

impl Patterns {
    pub(super) fn new(patterns: Vec<String>) -> Patterns {
        Patterns { patterns, compiled: OnceLock::new() }
    }

    /// Tells whether any of the patterns fits somewhere in a text.
    pub(super) fn any_fits(&self, text: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let compile = || {
            let built = RegexSetBuilder::new(&self.patterns)
                .size_limit(LARGEST)
                .dfa_size_limit(LARGEST)
                .build();
            built.unwrap_or_else(|_| RegexSet::empty())
        };
        self.compiled.get_or_init(compile).is_match(text.as_bytes())
    }
}

/// Tells whether a text has as many bits per byte as a secret, or most of what it can have.
///
/// No text of n bytes has more than log2 n, and none of hexadecimal digits more than four:
/// of random values of 14 letters and digits, three in ten have less than 3.5.
fn is_random(bytes: &[u8], min_entropy: f64) -> bool {
    const MOST: f64 = 0.8;
    let is_hex = bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let signs = if is_hex { bytes.len().min(16) } else { bytes.len() };
    entropy(bytes) >= min_entropy.min(MOST * (signs as f64).log2())
}

/// Returns the Shannon entropy of a text, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let length = bytes.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    let bits = shares.map(|count| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    });
    bits.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_bits_per_byte() {
        for (text, want) in [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("0123456789abcdef", 4.0)] {
            assert!((entropy(text.as_bytes()) - want).abs() < 1e-9, "{text}");
        }
    }
}
