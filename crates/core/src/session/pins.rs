//! What the user pinned: words that stay in every trim, compaction and handoff.
//!
//! Pins are lines of a file of the user's. A line `@FILE#Heading` stands for a section of
//! another file and is looked up anew each time, so that a pinned rule is never out of
//! date. In files of rules, such as `AGENTS.md`, a heading or a line that ends with
//! `<!-- pin -->` is pinned where it stands.

use super::cost::BLOCK_TOKENS;
use super::draft::{Draft, DraftTurn};
use super::transcript::{Role, Transcript};
use crate::Remark;
use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

/// What marks a line or a section of a file of rules.
const MARK: &str = "<!-- pin -->";

/// How pinned words begin.
const HEADING: &str = "[Pinned by the user; these stay as they are]";

/// Returns what is pinned, one thing after another; empty if nothing is.
///
/// `pins` is the user's file, `rules` are files in which lines may be marked, and `read`
/// returns the text of a file that a pin names.
///
/// ```
/// use loadline::session::pinned_text;
/// let rules = "# Rules\n## Tests <!-- pin -->\nNever skip them.\n## Style\nShort lines.\n";
/// let read = |name: &str| (name == "AGENTS.md").then(|| rules.to_owned());
/// let (text, remarks) = pinned_text("Ship on Friday.\n@AGENTS.md#Style\n", &[rules], read);
/// assert_eq!(text, "Ship on Friday.\n## Style\nShort lines.\n## Tests\nNever skip them.");
/// assert!(remarks.is_empty());
/// ```
pub fn pinned_text(
    pins: &str,
    rules: &[&str],
    read: impl Fn(&str) -> Option<String>,
) -> (String, Vec<Remark>) {
    let (mut pinned, mut remarks) = (Vec::new(), Vec::new());
    for line in pins.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let Some(named) = line.strip_prefix('@') else {
            pinned.push(line.to_owned());
            continue;
        };
        let (file, heading) = match named.split_once('#') {
            Some((file, heading)) => (file, Some(heading.trim())),
            None => (named, None),
        };
        let found = read(file.trim()).and_then(|text| match heading {
            Some(heading) => section(&text, |title| title.eq_ignore_ascii_case(heading)),
            None => Some(text.trim().to_owned()),
        });
        match found {
            Some(text) => pinned.push(text),
            None => remarks.push(Remark::new(named, "pinned, but not found")),
        }
    }
    for rules in rules {
        for line in rules.lines().filter(|line| line.trim_end().ends_with(MARK)) {
            let plain = line.trim_end().trim_end_matches(MARK).trim_end();
            let title = plain.trim_start_matches('#').trim();
            let whole = plain.starts_with('#').then(|| section(rules, |it| it == title));
            pinned.push(whole.flatten().unwrap_or_else(|| plain.trim().to_owned()));
        }
    }
    pinned.dedup();
    (pinned.join("\n"), remarks)
}

/// Returns the first section whose title is wanted, with its heading, without marks.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let plain = |line: &str| line.trim_end().trim_end_matches(MARK).trim_end().to_owned();
    let mut lines = text.lines().map(plain);
    let is_title = |line: &String| {
        let depth = level(line);
        depth > 0 && is_wanted(line[depth..].trim())
    };
    let first = lines.find(is_title)?;
    let depth = level(&first);
    let inside = lines.take_while(|line| !(1..=depth).contains(&level(line)));
    let all: Vec<String> = std::iter::once(first).chain(inside).collect();
    Some(all.join("\n").trim_end().to_owned())
}

/// Pinned words as they are written, as far as they fit into a quarter of a budget.
pub(super) fn pinned_words(
    pinned: &str,
    budget: Tokens,
    counter: &Counter,
) -> (Option<String>, Vec<Remark>) {
    let lines: Vec<&str> = pinned.lines().collect();
    let write = |taken: usize| format!("{HEADING}\n{}", lines[..taken].join("\n"));
    let most = Tokens::new(budget.get() / 4);
    let taken = fit_prefix(lines.len(), most, counter, write).map_or(0, |it| it.taken);
    let remark = (taken < lines.len()).then(|| {
        let message = format!("only {taken} of {} lines fit into a quarter", lines.len());
        Remark::new("pins", message)
    });
    ((taken > 0).then(|| write(taken)), remark.into_iter().collect())
}

/// What pinned words cost in a session.
pub(super) fn words_tokens(words: &str, counter: &Counter) -> Tokens {
    counter.count(words).saturating_add(Tokens::new(BLOCK_TOKENS + 1))
}

/// Adds pinned words to a draft: to our own words in it, or before all of its turns.
pub(super) fn add_words(draft: &mut Draft, transcript: &Transcript, words: &str) {
    let ours = draft.turns.iter_mut().find_map(|turn| match turn {
        DraftTurn::New { role: Role::User, text } => Some(text),
        _ => None,
    });
    if let Some(text) = ours {
        text.push_str("\n\n");
        text.push_str(words);
        return;
    }
    let is_system = |turn: &DraftTurn| match turn {
        DraftTurn::Of { turn, .. } => transcript.turns[*turn].role == Role::System,
        DraftTurn::New { .. } => false,
    };
    let first = draft.turns.iter().take_while(|turn| is_system(turn)).count();
    draft.turns.insert(first, DraftTurn::New { role: Role::User, text: words.to_owned() });
}
