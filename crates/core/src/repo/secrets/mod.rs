//! Finds credentials in text and redacts them.
//!
//! What goes into a window leaves the machine, so keys and passwords must not
//! go with it. The rules are data (`data/secrets.toml`). One pass finds
//! the keywords of all rules; only a rule whose keyword is there gets to look,
//! only at what stands around it, and only then is its pattern compiled. Every pattern runs in linear time. What is found is told
//! by rule and place; the secret itself goes into no note and no error.
//!
//! This is a net, not a wall: a password that looks like a word gets through.

mod error;
mod finding;
mod keywords;
mod redact;
mod rule;
mod table;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use error::SecretError;
pub use finding::SecretFinding;
pub use table::{SecretOptions, SecretRule};

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
/// use loadline::repo::{SecretOptions, Secrets};
///
/// let secrets = Secrets::new(SecretOptions::default())?;
/// let text = "host = db\npassword = \"k3vQz81LmT0xWn5R\"\n";
/// let (redacted, findings) = secrets.redact(text);
/// assert_eq!(redacted, "host = db\npassword = \"[redacted: generic-secret]\"\n");
/// assert_eq!(findings[0].line, 2);
/// # Ok::<(), loadline::repo::SecretError>(())
/// ```
pub struct Secrets {
    rules: Vec<Rule>,
    keywords: Keywords,
    /// What stands for a secret in examples.
    placeholders: Patterns,
    /// What the user says is none.
    allow: Patterns,
}

impl Secrets {
    /// Reads the rules that are compiled in and adds the user's.
    ///
    /// A user's pattern that cannot be used is an error; it is named by its
    /// rule or number only, since it may hold what it looks for.
    pub fn new(options: SecretOptions) -> Result<Secrets, SecretError> {
        let table = table::read(options)?;
        let keywords = Keywords::new(&table.rules);
        Ok(Secrets {
            rules: table.rules.into_iter().map(Rule::new).collect(),
            keywords,
            placeholders: table.placeholders,
            allow: table.allow,
        })
    }

    /// Loads the rules that are compiled in.
    ///
    /// There is no result without them: text that should be redacted must never pass
    /// because the rules are missing.
    ///
    /// # Panics
    ///
    /// Never, unless the table that is compiled in is broken; a test loads it.
    pub fn builtin() -> Secrets {
        Secrets::new(SecretOptions::default()).expect("the built-in secret rules are valid")
    }

    /// Returns the rules by id and description, in the order of the table.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rules.iter().map(|rule| (rule.id(), rule.description()))
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
            if rule.accepts(secret) && !self.is_allowed(secret) {
                let hit = Hit { rule: index, span };
                found.push((whole, hit));
            }
        });
    }

    /// Tells whether a secret is a placeholder or one that the user knows of.
    fn is_allowed(&self, secret: &str) -> bool {
        // A long enough secret holds any short word by chance.
        const LONGEST_PLACEHOLDER: usize = 128;
        let is_placeholder =
            || secret.len() <= LONGEST_PLACEHOLDER && self.placeholders.any_fits(secret);
        is_placeholder() || self.allow.any_fits(secret)
    }
}

/// Shows no pattern: one that allows a certain secret holds it.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Secrets");
        shown.field("rules", &self.rules.len());
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
