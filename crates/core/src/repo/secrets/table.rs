//! The table of rules that is compiled in.

use serde::Deserialize;

/// The table; it says itself how it is read.
pub(super) const BUILTIN: &str = include_str!("../../../data/secrets.toml");

/// What one kind of credential looks like.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SecretRule {
    /// The name, of lower-case letters, digits and hyphens.
    pub(super) id: String,
    /// The rule looks only around these, on the same line, in any case.
    pub(super) keywords: Vec<String>,
    /// A regular expression, in which `^` and `$` are ends of lines. The secret is its
    /// group `secret`, else the first group that took part, else all that matched.
    pub(super) pattern: String,
    /// How many bits per byte a secret has at least (0 for any, at most 8).
    pub(super) min_entropy: f64,
    /// Regular expressions of secrets that are none.
    pub(super) allow: Vec<String>,
    /// Regular expressions of whole matches that hold no secret.
    pub(super) unless: Vec<String>,
    /// Looks beyond the end of the line that holds a keyword.
    pub(super) multiline: bool,
    /// Gives way to any rule that is not generic.
    pub(super) generic: bool,
}

/// The rules, and what stands for a secret in examples. Examples are for the test only.
#[derive(Deserialize)]
pub(super) struct Table {
    is: String,
    words: String,
    pub(super) placeholders: Vec<String>,
    #[serde(rename = "rule")]
    pub(super) rules: Vec<SecretRule>,
}

/// Reads the table.
pub(super) fn read() -> Table {
    let mut table: Table = toml::from_str(BUILTIN).expect("the built-in secret rules are valid");
    for rule in &mut table.rules {
        rule.pattern = rule.pattern.replace("<is>", &table.is);
        for allowed in &mut rule.allow {
            *allowed = allowed.replace("<words>", &table.words);
        }
    }
    table
}

/// How long the name of a rule may be.
pub(super) const LONGEST_ID: usize = 64;

/// Tells whether a name can stand in a marker.
pub(super) fn is_id(id: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(fits)
}
