//! The table of rules: what is compiled in, and what a user adds.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::SecretError;
use super::rule::{Patterns, compile};

/// The table that is compiled in. It says itself how it is read.
pub(super) const BUILTIN: &str = include_str!("../../../data/secrets.toml");

/// How long the name of a rule may be.
pub(super) const LONGEST_ID: usize = 64;

/// What one kind of credential looks like.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SecretRule {
    /// The name, of lower-case letters, digits and hyphens.
    pub id: String,
    /// What it finds, for people.
    pub description: String,
    /// The rule looks only around these, on the same line, in any case.
    ///
    /// Without any, or with one of fewer than three bytes, it looks at the
    /// whole of every text, which is slow.
    pub keywords: Vec<String>,
    /// A regular expression, in which `^` and `$` are ends of lines. The secret is its group `secret`, or else the
    /// first group that took part, or else all that matched.
    pub pattern: String,
    /// How many bits per byte a secret has at least (0 for any, at most 8).
    pub min_entropy: f64,
    /// Regular expressions of secrets that are none.
    pub allow: Vec<String>,
    /// Looks beyond the end of the line that holds a keyword.
    pub multiline: bool,
    /// Gives way to any rule that is not generic.
    pub generic: bool,
}

/// What a user adds to the built-in rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SecretOptions {
    /// Further rules; one with the name of a built-in rule replaces it.
    pub rules: Vec<SecretRule>,
    /// Regular expressions of matches that are not secrets, for all rules.
    pub allow: Vec<String>,
    /// Names of rules to leave out.
    pub without: Vec<String>,
}

/// A rule, and how its pattern is read.
pub(super) struct TableRule {
    pub(super) rule: SecretRule,
    /// Whether classes such as `\w` go beyond ASCII. In a user's rule they do.
    pub(super) unicode: bool,
}

/// The rules as they are used.
pub(super) struct Table {
    pub(super) rules: Vec<TableRule>,
    pub(super) placeholders: Patterns,
    pub(super) allow: Patterns,
}

/// The file as it is written. Examples are for the test only.
#[derive(Deserialize)]
struct File {
    is: String,
    placeholders: Vec<String>,
    rule: Vec<SecretRule>,
}

/// Reads the built-in table and adds what the user wants.
pub(super) fn read(options: SecretOptions) -> Result<Table, SecretError> {
    let file: File = toml::from_str(BUILTIN)
        .map_err(|error| SecretError::Table { message: error.to_string() })?;
    let builtin = file.rule.into_iter().map(|rule| TableRule {
        rule: SecretRule { pattern: rule.pattern.replace("<is>", &file.is), ..rule },
        unicode: false,
    });
    let mut rules: Vec<TableRule> = builtin.collect();
    for rule in options.rules {
        check(&rule)?;
        rules.retain(|row| row.rule.id != rule.id);
        let unicode = true;
        rules.push(TableRule { rule, unicode });
    }
    leave_out(&mut rules, &options.without)?;
    check_allow(&options.allow)?;
    Ok(Table {
        rules,
        placeholders: Patterns::new(file.placeholders),
        allow: Patterns::new(options.allow),
    })
}

/// Takes rules out by name.
fn leave_out(rules: &mut Vec<TableRule>, without: &[String]) -> Result<(), SecretError> {
    let known: BTreeSet<&str> = rules.iter().map(|row| row.rule.id.as_str()).collect();
    if let Some(id) = without.iter().find(|id| !known.contains(id.as_str())) {
        return Err(SecretError::Unknown { id: id.clone() });
    }
    rules.retain(|row| !without.contains(&row.rule.id));
    Ok(())
}

/// Checks a user's rule now, since later nobody could be told.
fn check(rule: &SecretRule) -> Result<(), SecretError> {
    let id = &rule.id;
    if !is_id(id) {
        return Err(SecretError::Id { id: id.clone() });
    }
    let allow = rule.allow.iter().map(|pattern| compile(pattern, true));
    let all = [compile(&rule.pattern, true)].into_iter().chain(allow);
    for compiled in all {
        compiled.map_err(|reason| SecretError::Pattern { id: id.clone(), reason })?;
    }
    Ok(())
}

fn check_allow(allow: &[String]) -> Result<(), SecretError> {
    for (index, pattern) in allow.iter().enumerate() {
        compile(pattern, true)
            .map_err(|reason| SecretError::Allow { number: index + 1, reason })?;
    }
    Ok(())
}

/// Tells whether a name can stand in a marker.
pub(super) fn is_id(id: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(fits)
}
