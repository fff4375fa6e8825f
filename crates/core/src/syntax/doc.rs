//! Finds the comments and attributes that document a definition.

use super::source::Source;

/// Comments and attributes before a definition, without a blank line between.
#[derive(Debug, Default)]
pub(super) struct Lead {
    /// Where the first of them begins, or the definition itself.
    pub(super) start: usize,
}

/// Finds what belongs to the definition that begins at `start`.
pub(super) fn lead(source: &Source<'_>, start: usize) -> Lead {
    let mut lead = Lead { start };
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
    }
    lead
}
