//! Shortens the strings in long arguments of calls, and keeps their shape.
//!
//! What a call was given is in the file or was run by now; what the next turns
//! need is which file and which command, so paths stay and the rest is cut.

use serde_json::{Map, Value};

use super::choose::{self, Room};
use super::order::{Ends, Order};
use super::{Compressor, Limit, ResultLimits, ResultSize};
use crate::session::cost::call_text;
use crate::session::marker::BEGINNING;
use crate::session::tool::ToolKind;
use crate::session::transcript::Call;
use crate::tokens::Tokens;

/// Arguments of this many bytes stay as they are.
const SHORT: usize = 500;
/// Lines of either end that are kept of a file that was written.
const WRITTEN_LINES: usize = 3;
/// Characters that are kept of a command.
const COMMAND_CHARS: usize = 200;
/// Characters that are kept of either side of an edit.
const EDIT_CHARS: usize = 100;

/// What is cut of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentRule {
    /// By what they are, for calls that are long ago.
    Old,
    /// Strings above the limit of results, as results are.
    Long,
}

/// Shortens the strings of arguments, or returns `None` if there is nothing to gain.
///
/// The second and third values are what the call cost before and costs after.
pub(crate) fn shorten_arguments(
    compressor: &Compressor<'_>,
    call: &Call,
    rule: ArgumentRule,
) -> Option<(Value, Tokens, Tokens)> {
    let text = call_text(&call.name, &call.arguments);
    if text.len() <= SHORT {
        return None;
    }
    let shorter = shorten(compressor, &call.arguments, "", rule)?;
    let before = compressor.counter.count(&text);
    let after = compressor.counter.count(&call_text(&call.name, &shorter));
    (after < before).then_some((shorter, before, after))
}

/// Returns a value with shorter strings, or `None` where none is too long.
fn shorten(
    compressor: &Compressor<'_>,
    value: &Value,
    key: &str,
    rule: ArgumentRule,
) -> Option<Value> {
    match value {
        Value::String(text) => shorten_text(compressor, text, key, rule).map(Value::String),
        Value::Array(elements) => {
            let shorter: Vec<Option<Value>> =
                elements.iter().map(|it| shorten(compressor, it, key, rule)).collect();
            let is_shorter = shorter.iter().any(Option::is_some);
            let pairs = shorter.into_iter().zip(elements);
            is_shorter.then(|| pairs.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
        }
        Value::Object(members) => {
            let mut is_shorter = false;
            let mut copy = Map::new();
            for (key, value) in members {
                let shorter = shorten(compressor, value, key, rule);
                is_shorter |= shorter.is_some();
                copy.insert(key.clone(), shorter.unwrap_or_else(|| value.clone()));
            }
            is_shorter.then_some(Value::Object(copy))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn shorten_text(
    compressor: &Compressor<'_>,
    text: &str,
    key: &str,
    rule: ArgumentRule,
) -> Option<String> {
    // What was cut before is left alone, and so are paths.
    if text.contains(BEGINNING) || key.to_lowercase().contains("path") {
        return None;
    }
    if rule == ArgumentRule::Long {
        let other = Compressor { kind: ToolKind::Other, ..*compressor };
        return other.compress(text).map(|short| short.text);
    }
    let is_side = key.starts_with("old") || key.starts_with("new");
    let short = match compressor.kind {
        ToolKind::Edit if is_side => cut_chars(compressor, text, EDIT_CHARS),
        ToolKind::Edit | ToolKind::Write => cut_lines(compressor, text, WRITTEN_LINES),
        _ if matches!(key, "command" | "cmd" | "commands") => {
            cut_chars(compressor, text, COMMAND_CHARS)
        }
        _ if text.len() > SHORT => {
            let limits = ResultLimits { most: ResultSize::Bytes(SHORT), ..ResultLimits::old() };
            let short = Compressor { limits, ..*compressor };
            short.compress(text).map(|short| short.text)
        }
        _ => None,
    };
    short.filter(|short| short.len() < text.len())
}

/// Keeps characters of the beginning.
fn cut_chars(compressor: &Compressor<'_>, text: &str, most: usize) -> Option<String> {
    let (end, _) = text.char_indices().nth(most)?;
    let total = text.chars().count();
    let marker = compressor.marker.kept(most, total, "characters");
    Some(format!("{} {marker}", &text[..end]))
}

/// Keeps lines of either end, or characters if there are too few lines to choose from.
fn cut_lines(compressor: &Compressor<'_>, text: &str, each: usize) -> Option<String> {
    let lines = choose::lines(text);
    let room =
        Room { chars: usize::MAX, lines: 2 * each, head_ratio: compressor.limits.head_ratio };
    if lines.len() <= 2 * each + 2 {
        let is_long = text.len() > SHORT;
        return is_long.then(|| cut_chars(compressor, text, SHORT)).flatten();
    }
    let ends = Ends { head: each, tail: each };
    let mut order = Order::first(&lines, ends, false, compressor.preserve);
    order.head_tail(lines.len());
    let limit = Limit { most: ResultSize::Bytes(usize::MAX), counter: compressor.counter };
    choose::choose(&lines, &order, room, &limit, compressor.marker).map(|kept| kept.text)
}
