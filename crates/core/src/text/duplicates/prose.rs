//! Removes lines of prose that a document repeats.
//!
//! Only prose: in code, data, tables, headings and lists of tasks or steps an
//! equal line has a meaning of its own, so those stay as they are. So does what
//! begins something: a line that ends with a colon, or that others are below.

use std::collections::HashMap;

use crate::text::chunk::{fence_mark, indent};

/// Shorter lines are said twice by chance.
const LEAST_CHARS: usize = 20;

/// A line that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedLine {
    /// Its number in the text that was given, 1-based.
    pub line: u32,
    /// The number of the equal line that stays.
    pub first: u32,
}

/// A document without the lines that it said twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DedupedLines {
    /// What is left.
    pub text: String,
    /// The lines that are gone, in their order.
    pub removed: Vec<RemovedLine>,
}

/// Leaves the first of equal lines of prose in a document.
///
/// Lines are compared without the white space around them and must have 20
/// characters. Blank lines, fences and what is in them, front matter, indented
/// code, JSON, tables, markup, headings, numbered lists and lists of tasks are
/// kept. Linear.
///
/// ```
/// let text = "Run the tests before you commit.\n\nRun the tests before you commit.\n";
/// let left = loadline::text::dedup_lines(text);
/// assert_eq!(left.text, "Run the tests before you commit.\n\n");
/// assert_eq!((left.removed[0].line, left.removed[0].first), (3, 1));
/// ```
pub fn dedup_lines(text: &str) -> DedupedLines {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut deduped = DedupedLines::default();
    for (index, guarded) in guarded(&lines).into_iter().enumerate() {
        let line = lines[index];
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let next = lines.get(index + 1).copied().unwrap_or_default();
        if !guarded && is_prose(line) && !begins(line, next) {
            let first = *seen.entry(line.trim()).or_insert(number);
            if first != number {
                deduped.removed.push(RemovedLine { line: number, first });
                continue;
            }
        }
        deduped.text.push_str(line);
    }
    deduped
}

/// Tells for every line whether it is in a fence or in front matter, where an
/// open fence reaches to the end.
fn guarded(lines: &[&str]) -> Vec<bool> {
    let dashes = |line: &&str| line.trim_end() == "---";
    let front = match lines.first().filter(|line| dashes(line)) {
        Some(_) => lines.iter().skip(1).position(dashes),
        None => None,
    };
    let front = front.map_or(0, |end| end + 2);
    let mut open: Option<(char, usize)> = None;
    let fenced = lines.iter().skip(front).map(|line| {
        let text = line.trim();
        match (open, fence_mark(text)) {
            (None, mark) => {
                open = mark;
                mark.is_some()
            }
            (Some((kind, length)), Some((mark, longer))) => {
                let bare = text.trim_start_matches(mark).is_empty();
                if mark == kind && longer >= length && bare {
                    open = None;
                }
                true
            }
            (Some(_), None) => true,
        }
    });
    std::iter::repeat_n(true, front).chain(fenced).collect()
}

fn is_prose(line: &str) -> bool {
    let text = line.trim();
    let item = text.strip_prefix(['-', '*', '+']).unwrap_or(text);
    let item = item.trim_start();
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_digits.len() < text.len() && after_digits.starts_with(['.', ')']);
    indent(line) < 4
        && text.chars().nth(LEAST_CHARS - 1).is_some()
        && text.contains(char::is_alphabetic)
        && !numbered
        && !text.contains('|')
        && !item.starts_with(['#', '{', '}', '[', ']', '"', '<'])
}

/// Tells whether a line belongs to what follows: it announces it, others are
/// below it, or it is underlined as a heading.
fn begins(line: &str, next: &str) -> bool {
    let rule = next.trim();
    let underlined = !rule.is_empty() && rule.chars().all(|c| matches!(c, '=' | '-'));
    let above = !rule.is_empty() && indent(next) > indent(line);
    line.trim_end().ends_with(':') || above || underlined
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "Sessions live for twenty minutes.\n";

    fn removed(text: &str) -> Vec<(u32, u32)> {
        let deduped = dedup_lines(text);
        let gone: Vec<(u32, u32)> =
            deduped.removed.iter().map(|removed| (removed.line, removed.first)).collect();
        let kept = text.split_inclusive('\n').count() - gone.len();
        assert_eq!(deduped.text.split_inclusive('\n').count(), kept, "{text}");
        gone
    }

    fn stays(text: &str) {
        assert_eq!(removed(text), [], "{text}");
        assert_eq!(dedup_lines(text).text, text);
    }

    #[test]
    fn f109_prose_said_twice_is_said_once() {
        let text = format!("# A\n\n{SAID}\n\n## B\n  {SAID}\n- A point about the sessions\n{SAID}");
        assert_eq!(removed(&text), [(7, 3), (10, 3)]);
        assert_eq!(
            dedup_lines(&text).text,
            format!("# A\n\n{SAID}\n\n## B\n\n- A point about the sessions\n")
        );
        let crlf = "Sessions live for twenty minutes.\r\n";
        assert_eq!(removed(&format!("{crlf}\r\n{SAID}{crlf}")), [(3, 1), (4, 1)]);
        assert_eq!(removed("- Always run the tests.\n- Always run the tests.\n"), [(2, 1)]);
    }

    #[test]
    fn f109_twenty_characters_count_and_not_bytes() {
        stays(&"nineteen characters\n".repeat(2));
        assert_eq!(removed(&"exactly twenty chars\n".repeat(2)), [(2, 1)]);
        stays(&"十九個字符十九個字符十九個字符十九個字\n".repeat(2));
        assert_eq!(removed(&"二十個字符二十個字符二十個字符二十個字符\n".repeat(2)), [(2, 1)]);
        stays("");
        stays(&"\n \n".repeat(20));
        stays(&"12345 67890 12345 67890 12345\n".repeat(2));
    }

    #[test]
    fn f109_code_is_never_touched() {
        for fence in ["```", "~~~", "````"] {
            stays(&format!("{SAID}{fence}rust\n{SAID}{SAID}{fence}\n"));
            stays(&format!("{fence}\n{SAID}{SAID}"));
        }
        // A shorter mark, another one, or one with a word does not close.
        stays(&format!("````\n```\n~~~~\n````rust\n{SAID}{SAID}````\n"));
        assert_eq!(removed(&format!("{SAID}```\n{SAID}```\n{SAID}")), [(5, 1)]);
        stays(&format!("    {SAID}").repeat(2));
        stays(&format!("\t{SAID}").repeat(2));
    }

    #[test]
    fn f109_data_tables_headings_and_tasks_stay() {
        for line in [
            "{\"name\": \"a long enough value\"}",
            "  \"name\": \"a long enough value\",",
            "[1, 2, 3, \"four\", \"five\", \"six\"],",
            "| a cell | another cell | third |",
            "a cell without | bars at the ends",
            "## A heading that stands twice",
            "- [ ] write the tests for this",
            "* [x] write the tests for this",
            "1. Run the tests of the library.",
            "<p>A paragraph of markup here</p>",
            "What follows is another matter:",
        ] {
            stays(&format!("{line}\n\n").repeat(2));
        }
        stays(&"A heading that is underlined\n----------------------------\n".repeat(2));
        stays(&format!("---\ntitle: {SAID}other: x\ntitle: {SAID}---\n"));
    }

    #[test]
    fn f109_what_has_lines_below_it_stays() {
        stays("- Settings of the server\n  - port\n\n- Settings of the server\n  - host\n");
    }
}
