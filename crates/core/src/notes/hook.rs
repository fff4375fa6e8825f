//! Before an agent uses a tool: are its notes too full, and what is done about it?

use super::apply::compact;
use super::{
    Compaction, Feature, FeatureStatus, Level, NotesError, NotesOptions, WriteOptions,
    measure_feature,
};
use crate::budget::{Pressure, Severity};
use crate::cache::Cache;

/// The percentage from which a snapshot is taken to be safe.
const CLOSE: f64 = 90.0;

/// What to tell an agent whose notes are full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct ContextWarning {
    /// How serious it is.
    pub severity: Severity,
    /// What would help.
    pub level: Level,
    /// The sentence to show.
    pub message: String,
    /// How full the notes are.
    pub status: FeatureStatus,
}

impl ContextWarning {
    /// Makes the warning for a feature that is this full; `None` at level raw.
    pub fn of(status: FeatureStatus) -> Option<ContextWarning> {
        let severity = match status.level {
            Level::Raw => return None,
            Level::Compact => Severity::Warning,
            Level::Summarize => Severity::Critical,
            Level::Handoff => Severity::Emergency,
        };
        let pressure = Pressure::new(status.tokens, status.max_tokens).ok()?;
        Some(ContextWarning {
            severity,
            level: status.level,
            message: severity.message(&pressure),
            status,
        })
    }

    /// Tells whether the limit is so close that a snapshot is due: 90 percent.
    pub fn is_close(&self) -> bool {
        self.status.percent() >= CLOSE
    }
}

/// Says whether a feature's notes are too full for work to go on as it is.
///
/// Reads, and never writes.
pub fn before_tool_use(
    feature: &Feature,
    memory: &NotesOptions,
    store: &Cache,
) -> Result<Option<ContextWarning>, NotesError> {
    Ok(ContextWarning::of(measure_feature(feature, memory, store)?))
}

/// Does what a warning says would help: compacts, summarises or hands over.
pub fn handle_context_warning(
    feature: &Feature,
    warning: &ContextWarning,
    memory: &NotesOptions,
    options: &WriteOptions,
) -> Result<Compaction, NotesError> {
    compact(feature, Some(warning.level), memory, options)
}

#[cfg(test)]
mod tests {
    use super::super::vault::tests::{World, memory, options};
    use super::super::{checkpoint, checkpoints};
    use super::*;
    use crate::tokens::Tokens;

    /// Long enough to be worth saying once.
    const LONG: &str = "The handler of the login form was read once more, and it still looks just \
        as it did the last time.";

    /// A feature of this many tokens of 1,000.
    fn warning(tokens: u64) -> Option<ContextWarning> {
        let words = "word ".repeat(tokens as usize * 4 / 5);
        let world = World::new(&[("progress.md", &words)]);
        let mut memory = memory(options(0).now);
        memory.max_tokens = Tokens::new(1_000);
        let store = Cache::disabled();
        before_tool_use(&world.feature, &memory, &store).unwrap()
    }

    #[test]
    fn f227_a_warning_follows_the_level() {
        assert_eq!(warning(600), None);
        let messages = [
            (785, "Context at 78.5%. Consider compaction."),
            (900, "Context at 90.0%. Summarization recommended."),
            (980, "Context limit reached. Creating handoff document."),
        ];
        for (tokens, message) in messages {
            assert_eq!(warning(tokens).unwrap().message, message);
        }
    }

    #[test]
    fn f230_a_snapshot_is_due_at_90_percent_and_taken_once() {
        assert!(!warning(890).unwrap().is_close());
        assert!(warning(900).unwrap().is_close());
        let world = World::usual();
        let (first, new) = checkpoint(&world.feature, "context_overflow", &options(0)).unwrap();
        assert!(new && first.starts_with("context_overflow-2026-01-31-"), "{first}");
        let (second, new) = checkpoint(&world.feature, "context_overflow", &options(9)).unwrap();
        assert!(!new && first == second);
        world.write("notes.md2", "more");
        assert!(checkpoint(&world.feature, "context_overflow", &options(10)).unwrap().1);
        assert_eq!(checkpoints(&world.feature).unwrap().0.len(), 2);
    }

    #[test]
    fn f228_a_warning_is_handled_by_its_level() {
        let said = format!("{LONG}\n\n").repeat(35);
        let world = World::new(&[("progress.md", &said), ("tasks.md", "- [ ] two\n")]);
        let mut memory = memory(options(0).now);
        for (most, level) in [(960, Level::Summarize), (1_150, Level::Compact)] {
            memory.max_tokens = Tokens::new(most);
            let store = Cache::disabled();
            let found = before_tool_use(&world.feature, &memory, &store).unwrap();
            assert_eq!(found.as_ref().map(|it| it.level), Some(level), "{found:?}");
            let now = options(most as i64);
            let done =
                handle_context_warning(&world.feature, &found.unwrap(), &memory, &now).unwrap();
            let entry = done.entry.unwrap();
            assert_eq!(entry.level, level.name());
            assert!(done.plan.saved() > Tokens::new(500));
            world.revert(&entry.id, most as i64 + 1).unwrap();
            assert_eq!(world.read("progress.md"), said);
        }
    }
}
