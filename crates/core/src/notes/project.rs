//! The memory of a project: one long file, measured in lines.

use super::compact::Sections;
use super::{NotesOptions, compact_notes};

/// Lines above which a project's memory is worth a warning.
pub const CONTEXT_WARN_LINES: usize = 800;
/// Lines above which it is compressed.
pub const CONTEXT_MOST_LINES: usize = 1_000;
/// Lines that it is compressed to.
pub const CONTEXT_TARGET_LINES: usize = 600;

/// A project's memory after a look at its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressedContext {
    /// What is left; the original where it is short enough.
    pub text: String,
    /// Lines before.
    pub lines_before: usize,
    /// Lines now.
    pub lines_after: usize,
    /// Whether it is so long that somebody should look.
    pub warn: bool,
    /// Headings whose lines are gone, the oldest first.
    pub dropped: Vec<String>,
}

/// Compresses a project's memory of more than 1,000 lines to 600.
///
/// Compacted first; where that is not enough, the oldest sections lose their
/// lines, but for headings, decisions, tasks and whatever else is guarded.
pub fn compress_memory(text: &str, options: &NotesOptions) -> CompressedContext {
    let lines_before = text.lines().count();
    let mut memory = CompressedContext {
        text: text.to_owned(),
        lines_before,
        lines_after: lines_before,
        warn: lines_before > CONTEXT_WARN_LINES,
        dropped: Vec::new(),
    };
    if lines_before <= CONTEXT_MOST_LINES {
        return memory;
    }
    let compacted = compact_notes(text, options).text;
    let sections = Sections::of(&compacted, options);
    let (text, dropped) = sections.newest(CONTEXT_TARGET_LINES);
    memory.lines_after = text.lines().count();
    memory.text = text;
    memory.dropped = dropped;
    memory
}
