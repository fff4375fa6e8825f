//! Which model does this name mean?
//!
//! The same model is called `claude-opus-4-8`, `anthropic/claude-opus-4.8`,
//! `us.anthropic.claude-opus-4-8-v1:0` or `claude-opus-4-8@default`, depending
//! on who serves it. These are the rules that see through that. They know no
//! models; the table is in `model`.

/// Vendors whose name, followed by a dot, stands before a model's name.
const VENDORS: [&str; 8] =
    ["anthropic", "openai", "google", "meta", "mistral", "deepseek", "qwen", "xai"];

/// Returns the spellings to look for, the one that was given first.
pub(super) fn spellings(name: &str) -> Vec<String> {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let bare = strip_vendor(strip_path(&lower)).to_owned();
    let dashed = if bare.starts_with("claude") { bare.replace('.', "-") } else { bare.clone() };
    let mut spellings = vec![name.to_owned(), lower, bare, dashed];
    spellings.dedup();
    spellings
}

/// Tells whether `name` is `known` with a date, a tag or a variant after it.
///
/// The part after `known` must begin at a boundary and must not go on with a
/// version number: `gpt-4-0613` is a `gpt-4`, but `gpt-4.1` is not, nor is
/// `claude-opus-4-8` a `claude-opus-4`. Four digits or more are a date, and
/// digits followed by a letter (`70b`) are a size.
pub(super) fn is_variant_of(name: &str, known: &str) -> bool {
    let Some(rest) = name.strip_prefix(known) else {
        return false;
    };
    let mut rest = rest.chars();
    match rest.next() {
        Some('@' | ':' | '[') => true,
        Some('-' | '.') => !starts_with_version(rest.as_str()),
        _ => false,
    }
}

/// Returns how many single-character edits turn one name into the other.
pub(super) fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().enumerate() {
        // `diagonal` is the cell of the row before, one column to the left.
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

/// Drops everything up to the last slash: `openrouter/anthropic/`, `models/`.
fn strip_path(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Drops a vendor and whatever region stands before it: `us.anthropic.`.
fn strip_vendor(name: &str) -> &str {
    for vendor in VENDORS {
        let Some(at) = name.find(vendor) else {
            continue;
        };
        let starts = at == 0 || name[..at].ends_with('.');
        if let (true, Some(rest)) = (starts, name[at + vendor.len()..].strip_prefix('.')) {
            return rest;
        }
    }
    name
}

fn starts_with_version(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let next = text.as_bytes().get(digits);
    (1..4).contains(&digits) && next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_seen_through() {
        for (name, want) in [
            ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
            ("openrouter/openai/gpt-4.1", "gpt-4.1"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("bedrock/us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6-v1"),
            ("anthropic.claude-3-haiku", "claude-3-haiku"),
            ("mistral.mistral-large", "mistral-large"),
            ("  GPT-4o ", "gpt-4o"),
        ] {
            let spellings = spellings(name);
            assert_eq!(spellings.last().map(String::as_str), Some(want), "{name}");
        }
    }

    #[test]
    fn variants_stop_at_a_boundary_and_before_a_version() {
        for (name, known, want) in [
            ("gpt-4-0613", "gpt-4", true),
            ("gpt-4o", "gpt-4", false),
            ("gpt-4.1", "gpt-4", false),
            ("gpt-4.1-mini", "gpt-4", false),
            ("gpt-5-12", "gpt-5", false),
            ("claude-opus-4-8", "claude-opus-4", false),
            ("claude-opus-4-20250514-v1:0", "claude-opus-4", true),
            ("claude-opus-4@20250514", "claude-opus-4", true),
            ("claude-opus-4-8[1m]", "claude-opus-4-8", true),
            ("o3-latest", "o3", true),
            ("o30", "o3", false),
            ("llama-3.3-70b", "llama-3.3", true),
            ("gpt-4", "gpt-4", false),
            ("gpt-4é", "gpt-4", false),
        ] {
            assert_eq!(is_variant_of(name, known), want, "{name} {known}");
        }
    }

    #[test]
    fn distance_counts_edits() {
        for (left, right, want) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("gpt-4o", "gpt-4", 1),
            ("opsu", "opus", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(left, right), want, "{left} {right}");
        }
    }
}
