//! Finds the comments and attributes that document a definition.

use std::ops::Range;

use super::capture::Found;
use super::source::Source;
use super::style::DocStyle;

/// Longest summary in characters.
const LONGEST: usize = 200;

/// Comments and attributes before a definition, without a blank line between.
#[derive(Debug, Default)]
pub(super) struct Lead {
    /// Where the first of them begins, or the definition itself.
    pub(super) start: usize,
    /// The comments among them, first to last.
    comments: Vec<Range<usize>>,
}

/// Finds what belongs to the definition that begins at `start`.
pub(super) fn lead(source: &Source<'_>, start: usize) -> Lead {
    let mut lead = Lead {
        start,
        comments: Vec::new(),
    };
    while let Some(part) = source.leading_part_before(lead.start) {
        let range = &part.range;
        let gap = source.text(&(range.end.min(lead.start)..lead.start));
        // A line comment of some grammars includes its line break.
        let has_break = source.text(range).ends_with('\n');
        let breaks = gap.matches('\n').count() + usize::from(has_break);
        let apart = part.comment && breaks > 1;
        if range.start >= lead.start || apart || !source.begins_line(range.start) {
            break;
        }
        lead.start = range.start;
        if part.comment {
            lead.comments.push(range.clone());
        }
    }
    lead.comments.reverse();
    lead
}

/// Returns the first sentence that documents a definition.
pub(super) fn summary(
    style: DocStyle,
    source: &Source<'_>,
    lead: &Lead,
    found: &Found<'_>,
) -> Option<String> {
    let comments = lead.comments.iter().map(|range| source.text(range));
    let text: String = match style {
        DocStyle::Inside => source.text(found.doc.as_ref()?).to_owned(),
        DocStyle::Any => comments.map(with_break).collect(),
        DocStyle::Marked(marks) => comments
            .filter(|comment| marks.iter().any(|mark| comment.starts_with(mark)))
            .map(with_break)
            .collect(),
    };
    first_sentence(&text)
}

fn with_break(comment: &str) -> String {
    format!("{}\n", comment.trim_end())
}

/// Strips comment marks and returns the text up to the end of the first sentence.
fn first_sentence(text: &str) -> Option<String> {
    let mut words = String::new();
    for line in text.lines().map(without_marks) {
        if line.is_empty() || line.starts_with('@') {
            if words.is_empty() {
                continue;
            }
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&line);
        if words.contains(". ") || words.ends_with(['.', '!', '?']) || words.len() > LONGEST {
            break;
        }
    }
    let end = words.find(". ").map_or(words.len(), |place| place + 1);
    let sentence: String = words.get(..end)?.chars().take(LONGEST).collect();
    (!sentence.is_empty()).then_some(sentence)
}

/// Strips what makes a line a comment, a string or a tag of XML.
fn without_marks(line: &str) -> String {
    let line = line.trim();
    let line = line.trim_end_matches("*/").trim_end_matches("-->");
    let is_mark = |mark: char| "/*!#-;%\"'<>".contains(mark) || mark.is_whitespace();
    let line = line.trim_start_matches(is_mark);
    let line = line.trim_end_matches("\"\"\"").trim_end_matches("'''");
    let line = line.trim_start_matches("summary>");
    line.trim_end_matches("</summary>").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_sentence_without_marks() {
        for (text, want) in [
            ("/// Adds two. Then more.", Some("Adds two.")),
            ("/**\n * Adds\n * two\n *\n * Later.\n */", Some("Adds two")),
            ("# Adds e.g. two", Some("Adds e.g.")),
            (
                "/// <summary>\n/// Adds two\n/// </summary>",
                Some("Adds two"),
            ),
            (
                "\"\"\"Adds two.\n\n    Later.\n    \"\"\"",
                Some("Adds two."),
            ),
            ("/** @param x */", None),
            ("//", None),
        ] {
            assert_eq!(first_sentence(text).as_deref(), want, "{text}");
        }
    }
}
