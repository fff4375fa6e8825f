//! Finds credentials in text and redacts them.
//!
//! What goes into a window leaves the machine, so keys and passwords must not
//! go with it. The rules are data (`data/secrets.toml`). One pass finds
//! the keywords of all rules; only a rule whose keyword is there gets to look,
//! only at what stands around it, and only then is its pattern compiled. Every pattern runs
//! in linear time. A finding names its rule and its place, never the secret.
//!
//! This is a net, not a wall: a password that looks like a word gets through.

mod finding;
mod keywords;
mod redact;
mod rule;
mod table;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use finding::SecretFinding;

use finding::{Hit, resolve};
use keywords::Keywords;
use redact::{markers, replace, restore, touches};
use rule::{Patterns, Rule};

/// How often a text is searched again at most.
///
/// What one secret hid from a rule, the next search finds; more than one such
/// secret behind the other does not occur outside of attempts to.
const ROUNDS: usize = 16;

/// The rules that tell credentials from other text.
///
/// Making one takes less than a millisecond; patterns are compiled when they are
/// first needed, and shared by all threads.
///
/// ```
/// use loadline::repo::Secrets;
///
/// let secrets = Secrets::builtin();
/// let text = "host = db\npassword = \"k3vQz81LmT0xWn5R\"\n";
/// let (redacted, findings) = secrets.redact(text);
/// assert_eq!(redacted, "host = db\npassword = \"[redacted: generic-secret]\"\n");
/// assert_eq!(findings[0].line, 2);
/// ```
pub struct Secrets {
    rules: Vec<Rule>,
    keywords: Keywords,
    /// What stands for a secret in examples.
    placeholders: Patterns,
}

impl Secrets {
    /// Loads the rules that are compiled in.
    ///
    /// There is no result without them: text that should be redacted must never pass
    /// because the rules are missing.
    ///
    /// # Panics
    ///
    /// Never, unless the table that is compiled in is broken; a test loads it.
    pub fn builtin() -> Secrets {
        let table = table::read();
        let keywords = Keywords::new(&table.rules);
        let rules = table.rules.into_iter().map(Rule::new).collect();
        Secrets { rules, keywords, placeholders: Patterns::new(table.placeholders) }
    }

    /// Finds the credentials of a text, by their place.
    ///
    /// Findings do not overlap. Where several rules find the same, the one made
    /// for that kind of credential is named, or else the one that finds most.
    pub fn find(&self, text: &str) -> Vec<SecretFinding> {
        self.redact(text).1
    }

    /// Replaces every credential by `[redacted: RULE]`, and tells where they were.
    ///
    /// Line breaks inside a credential are kept, so lines keep their numbers.
    /// A text without findings is returned as it is. Redacting again changes
    /// nothing. Findings have their places in the original text.
    pub fn redact<'a>(&self, text: &'a str) -> (Cow<'a, str>, Vec<SecretFinding>) {
        let mut hits: Vec<Hit> = Vec::new();
        let mut redacted = Cow::Borrowed(text);
        for _ in 0..ROUNDS {
            let found = self.search(&redacted);
            if found.is_empty() {
                break;
            }
            let found = restore(text, &hits, &self.rules, found);
            hits.extend(found);
            hits.sort_by_key(|hit| hit.span.start);
            redacted = Cow::Owned(replace(text, &hits, &self.rules));
        }
        let findings = finding::locate(text, &hits, &self.rules);
        (redacted, findings)
    }

    /// Searches a text once. What is redacted already is left alone.
    fn search(&self, text: &str) -> Vec<Hit> {
        let mut matches = Vec::new();
        self.keywords.visit(text, |rule, stretch| {
            self.try_rule(rule, text, stretch, &mut matches);
        });
        if matches.is_empty() {
            return Vec::new();
        }
        let markers = markers(text);
        matches.retain(|(whole, _)| !touches(&markers, whole));
        resolve(matches.into_iter().map(|(_, hit)| hit).collect(), &self.rules)
    }

    /// Runs one rule on a stretch of text and collects what it finds.
    fn try_rule(
        &self,
        index: usize,
        text: &str,
        stretch: Range<usize>,
        found: &mut Vec<(Range<usize>, Hit)>,
    ) {
        let rule = &self.rules[index];
        rule.each_match(text, stretch, |whole, span| {
            let secret = &text[span.clone()];
            let around = text.get(whole.clone()).unwrap_or(secret);
            if rule.accepts(around, secret) && !self.is_placeholder(secret) {
                let hit = Hit { rule: index, span };
                found.push((whole, hit));
            }
        });
    }

    /// Tells whether a secret stands for one in an example.
    fn is_placeholder(&self, secret: &str) -> bool {
        // A long enough secret holds any short word by chance.
        const LONGEST_PLACEHOLDER: usize = 128;
        secret.len() <= LONGEST_PLACEHOLDER && self.placeholders.any_fits(secret)
    }
}

/// Shows how many rules there are; their patterns are long.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Secrets");
        shown.field("rules", &self.rules.len());
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
