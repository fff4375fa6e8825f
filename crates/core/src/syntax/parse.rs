//! Turns a text into a syntax tree, within limits.
//!
//! The limits keep one hostile or generated file from stopping the run. Work is
//! counted in steps of the parser, not in seconds: the library reads no clock,
//! and the same text must give the same outline on a busy machine. A tree with
//! errors in it is still a tree. Nothing here recurses, so depth costs no stack.

use std::borrow::Cow;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::error::SyntaxError;
use super::language::Language;

/// How much work a text may cost before its outline is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Longest text in bytes.
    pub bytes: usize,
    /// Longest mean line in bytes; above it a text counts as minified.
    pub line_bytes: usize,
    /// Deepest nesting of syntax.
    pub depth: u32,
    /// Steps of the parser; the default takes about five seconds.
    pub steps: u64,
}

impl Default for ParseLimits {
    fn default() -> Self {
        ParseLimits { bytes: 8 << 20, line_bytes: 1024, depth: 500, steps: 25_000_000 }
    }
}

/// Steps of the parser between two calls of its progress callback.
const STEPS_PER_CALL: u64 = 100;

/// Parses `text`, or says which limit it exceeds.
pub(super) fn parse(
    language: &Language,
    text: &str,
    limits: &ParseLimits,
) -> Result<Tree, SyntaxError> {
    check_size(text, limits)?;
    let grammar = (language.grammar)();
    let mut parser = Parser::new();
    parser.set_language(&grammar).map_err(|error| SyntaxError::Query {
        language: language.id,
        message: error.to_string(),
    })?;
    let tree = parse_in_steps(&mut parser, &scanned(language, text), limits.steps);
    let tree = tree.ok_or(SyntaxError::TooSlow(limits.steps))?;
    check_shape(&tree, limits)?;
    Ok(tree)
}

/// The bytes that the grammar sees, as many as the text has.
///
/// The scanner for shells looks characters up in a table of 256, and crashes on what is far
/// beyond it; it sees letters instead.
fn scanned<'t>(language: &Language, text: &'t str) -> Cow<'t, [u8]> {
    if language.id != "bash" || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

fn check_size(text: &str, limits: &ParseLimits) -> Result<(), SyntaxError> {
    if text.len() > limits.bytes {
        return Err(SyntaxError::TooLarge { bytes: text.len(), limit: limits.bytes });
    }
    let average = text.len() / text.lines().count().max(1);
    if average > limits.line_bytes {
        return Err(SyntaxError::Minified { average, limit: limits.line_bytes });
    }
    Ok(())
}

fn parse_in_steps(parser: &mut Parser, bytes: &[u8], steps: u64) -> Option<Tree> {
    let mut left = steps / STEPS_PER_CALL;
    let mut count_down = |_: &ParseState| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut count_down);
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Nodes of a subtree that is too small to be too deep or too slow.
const SMALL: usize = 64;

/// Refuses trees that are too deep, or that a query would take too long over.
///
/// For each node, a query looks for the next sibling with a name. A long run of
/// siblings without one, such as thousands of stray brackets, takes a time that
/// grows with its square, which the steps of the query do not show.
fn check_shape(tree: &Tree, limits: &ParseLimits) -> Result<(), SyntaxError> {
    let mut cursor = tree.walk();
    // Of each level above: how many siblings without a name came last.
    let mut runs: Vec<u64> = vec![0];
    let mut work: u64 = 0;
    loop {
        let node = cursor.node();
        if let Some(run) = runs.last_mut() {
            *run = if node.is_named() { 0 } else { *run + 1 };
            work += *run;
        }
        if work > limits.steps {
            let steps = limits.steps;
            return Err(SyntaxError::TooSlow(steps));
        }
        // A subtree is never deeper than it has nodes.
        let deepest = runs.len() + node.descendant_count();
        let limit = limits.depth as usize;
        if runs.len() > limit {
            let limit = limits.depth;
            return Err(SyntaxError::TooDeep(limit));
        }
        let skip = deepest <= limit && node.descendant_count() <= SMALL;
        if !goto_next(&mut cursor, &mut runs, skip) {
            return Ok(());
        }
    }
}

/// Goes to the next node in the order of the text; recursion would overflow.
fn goto_next(cursor: &mut TreeCursor<'_>, runs: &mut Vec<u64>, skip_children: bool) -> bool {
    if !skip_children && cursor.goto_first_child() {
        runs.push(0);
        return true;
    }
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
        runs.pop();
    }
    true
}

#[cfg(test)]
#[cfg(feature = "langs-default")]
mod tests {
    use super::*;
    use crate::syntax::{outline, outline_within};

    #[test]
    fn f085_each_limit_has_its_own_reason() {
        let long = "// a\n".repeat(2 << 20);
        let minified = format!("const a = \"{}\";", "x".repeat(2000));
        let deep = format!("fn f() {{ {}{} }}", "(\n".repeat(600), ")".repeat(600));
        for (text, code) in [(&long, "bytes"), (&minified, "minified"), (&deep, "nested")] {
            let error = outline("rust", text).unwrap_err();
            assert!(error.to_string().contains(code), "{error}");
        }
        let unknown = outline("klingon", "").unwrap_err();
        assert_eq!(unknown.to_string(), "no grammar for language \"klingon\"");
    }

    #[test]
    fn f085_a_text_that_costs_too_many_steps_is_given_up() {
        let limits = ParseLimits { steps: 1000, ..ParseLimits::default() };
        let text = "fn f() { a + b }\n".repeat(1000);
        let error = outline_within("rust", &text, &limits).unwrap_err();
        assert_eq!(error, SyntaxError::TooSlow(1000));
    }

    #[test]
    fn a_hundred_megabytes_of_parentheses_do_not_overflow_the_stack() {
        let text = "((((((((((((((((\n".repeat(100 * 1024 * 1024 / 17);
        assert!(outline("rust", &text).is_err());
        let part = text.get(..256 << 10).unwrap();
        for language in crate::syntax::languages() {
            // Not every language nests here: to Markdown these are words.
            let _ = outline(language, part);
        }
    }

    #[test]
    fn broken_syntax_is_used_and_flagged() {
        let outline = outline("rust", "pub fn f() {}\nfn (((\n").unwrap();
        assert!(outline.has_errors);
        assert_eq!(outline.definitions[0].signature, "pub fn f()");
    }
}
