//! All settings, as plain values, and the one table of what each may be.
//!
//! The fields below are the keys of `loadline.toml`; `defaults.toml` holds the
//! default of each and says what it is for. A test keeps the two together.
//! Names that belong to other modules (models, counters, renderers' options)
//! are kept as text here and are resolved where they are used.

use std::time::Duration;

use toml::Table;

use crate::budget::Amount;
use crate::settings::ConfigError;
use crate::settings::either::{Ladder, LadderSetting, Share};
use crate::settings::key::Key;
use crate::settings::kind::{Address, Choice, Flag, Opaque, Size, Text, Texts, Time, Unset};
use crate::settings::number::{Number, Percent, Ratio, Span, TokenCount, whole};
use crate::settings::section::{Section, section};
use crate::settings::values::Values;
use crate::tokens::Tokens;

/// Weights and other numbers that only have to be positive.
const POSITIVE: Span = Span::new(0.0, f64::INFINITY);
/// Zero to one.
const UNIT: Span = Span::new(0.0, 1.0);
/// Zero to a hundred.
const HUNDRED: Span = Span::new(0.0, 100.0);
/// Above zero, up to a hundred.
const THRESHOLD: Span = Span::above(0.0, 100.0);
/// No duration is too short.
const ANY: Time = Time(Duration::ZERO);
/// Something that takes no time makes no sense.
const SOME: Time = Time(Duration::from_millis(1));
/// The most lines, turns or entries that can be asked for.
const MANY: i64 = 1_000_000_000;

section! {
    /// Everything that can be configured.
    Settings in "" {
        /// The model to count and budget for.
        model: String = Text,
        /// The counter to use instead of the model's.
        counter: Option<String> = Unset(Text),
    }
    tables {
        /// How large the window is and what is held back.
        budget: BudgetSettings,
        /// The cache of counts.
        cache: CacheSettings,
        /// Originals of what was cut.
        archive: ArchiveSettings,
        /// The counting service.
        api: ApiSettings,
        /// When to speak up about a filling window.
        pressure: PressureSettings,
        /// Models of the user's own, by name, sorted; the tables are not checked here.
        models: Vec<(String, Table)>,
        /// Which files are packed, and how.
        pack: PackSettings,
        /// How files are scored without a task.
        score: ScoreSettings,
        /// Which rendition a file gets.
        tiers: TierSettings,
        /// How files are cut.
        chunk: ChunkSettings,
        /// How chunks are ranked by weighted factors.
        rank: RankSettings,
        /// What counts as the same content twice.
        dedup: DedupSettings,
        /// Sessions and their trimming.
        session: SessionSettings,
        /// Notes of features and their compaction.
        memory: MemorySettings,
        /// What becomes of tools' outputs before a model sees them.
        hook: HookSettings,
        /// Phases of the user's own, by name, sorted; the tables are not checked here.
        phases: PhaseTables,
        /// What is carried from one round to the next.
        round: RoundSettings,
    }
}

section! {
    /// `[budget]`
    BudgetSettings in "budget." {
        /// The whole window; unset means the model's.
        window: Option<Tokens> = Unset(TokenCount(1)),
        /// Held back for the reply.
        response_reserve: Tokens = TokenCount(0),
        /// Held back for the system prompt.
        system_reserve: Tokens = TokenCount(0),
        /// The part of the budget that may be filled; unset means by the counter's precision.
        margin: Option<f64> = Unset(Ratio(Span::above(0.0, 1.0))),
        /// A named set of reserves and shares.
        preset: String = Choice(&["none", "packer", "session", "workflow", "files", "feature"]),
    }
    tables {
        /// Named parts of the budget, sorted by name; none means one budget for all.
        shares: Vec<(String, Amount)>,
    }
}

section! {
    /// `[cache]`
    CacheSettings in "cache." {
        /// Whether counts are kept between runs.
        enabled: bool = Flag,
        /// How many counts are kept.
        max_entries: usize = whole::<usize>(1, MANY),
        /// How long a count of the counting service is believed; own counts never age.
        api_ttl: Duration = ANY,
        /// The most bytes of the cache.
        max_size: u64 = Size,
    }
}

section! {
    /// `[archive]`
    ArchiveSettings in "archive." {
        /// How long `archive prune` keeps an original since its last use; zero means for good.
        retention: Duration = ANY,
        /// The size of all originals above which a warning is due.
        warn_size: u64 = Size,
    }
}

section! {
    /// `[api]`
    ApiSettings in "api." {
        /// Address of the counting service.
        url: String = Address,
        /// How long to wait for it.
        timeout: Duration = SOME,
    }
}

section! {
    /// `[pressure]`
    PressureSettings in "pressure." {
        /// The fill levels at which the message changes.
        ladder: LadderSetting = Ladder(&["session", "rounds", "memory", "proactive"]),
        /// Percent of the window below which nothing is shown.
        show_above: f64 = Percent(HUNDRED),
    }
}

section! {
    /// `[pack]`
    PackSettings in "pack." {
        /// Globs of files that are always packed in full.
        pin: Vec<String> = Texts,
        /// Globs of files that score higher.
        boost: Vec<String> = Texts,
        /// Globs of files to consider; empty means all.
        include: Vec<String> = Texts,
        /// Globs of files to leave out.
        exclude: Vec<String> = Texts,
        /// Whether every file is reduced to its outline.
        compress: bool = Flag,
        /// How the pack is written.
        format: String = Choice(&["markdown", "xml", "json", "plain"]),
        /// In which order files are written.
        order: String = Choice(&["auto", "file", "rank"]),
        /// Bytes above which a file is skipped.
        max_file_size: u64 = Size,
    }
}

section! {
    /// `[score]`: points from 0 to 100 per signal.
    ScoreSettings in "score." {
        /// An entry point.
        entry: u32 = whole::<u32>(0, 100),
        /// Each file that imports this one.
        importer: u32 = whole::<u32>(0, 100),
        /// All importers together at most.
        importer_cap: u32 = whole::<u32>(0, 100),
        /// Each exported name.
        export: u32 = whole::<u32>(0, 100),
        /// All exports together at most.
        export_cap: u32 = whole::<u32>(0, 100),
        /// Each recent commit.
        commit: u32 = whole::<u32>(0, 100),
        /// All commits together at most.
        commit_cap: u32 = whole::<u32>(0, 100),
        /// A mark such as TODO in the file.
        edge_case: u32 = whole::<u32>(0, 100),
        /// A configuration file.
        config: u32 = whole::<u32>(0, 100),
        /// Taken off a test.
        test_penalty: u32 = whole::<u32>(0, 100),
        /// Taken off what is generated, vendored or minified.
        generated_penalty: u32 = whole::<u32>(0, 100),
        /// Added by `pack.boost`.
        boost: u32 = whole::<u32>(0, 100),
        /// How far back commits count.
        git_window: Duration = SOME,
        /// Which names are entry points.
        entry_points: String = Choice(&["extended", "compat"]),
    }
}

section! {
    /// `[tiers]`
    TierSettings in "tiers." {
        /// Tokens above which a file is oversized.
        oversized: Tokens = TokenCount(1),
        /// The score from which an oversized file is packed in sections.
        oversized_min_score: u32 = whole::<u32>(0, 100),
        /// The score from which a file gets its outline at least.
        floor_score: u32 = whole::<u32>(0, 100),
    }
}

section! {
    /// `[chunk]`
    ChunkSettings in "chunk." {
        /// The largest chunk.
        max_tokens: Tokens = TokenCount(1),
        /// The smallest chunk; smaller ones join a neighbour.
        min_tokens: Tokens = TokenCount(0),
        /// Whether chunks follow the structure of the code.
        prefer_structural: bool = Flag,
        /// Lines per chunk where there is no structure.
        lines: usize = whole::<usize>(1, MANY),
        /// Lines such chunks share with the one before.
        overlap: usize = whole::<usize>(0, MANY),
    }
}

section! {
    /// `[rank]`: weights that add up to 1.
    RankSettings in "rank." {
        /// Weight of the match with the query.
        relevance: f64 = Number(POSITIVE),
        /// Weight of being fresh.
        recency: f64 = Number(POSITIVE),
        /// Weight of the kind of source.
        source: f64 = Number(POSITIVE),
        /// Weight of the place in the file.
        position: f64 = Number(POSITIVE),
        /// The age at which recency is one half.
        half_life: Duration = SOME,
        /// Ranks below this are dropped.
        min_score: f64 = Number(UNIT),
        /// As many chunks are shown if there are any, cut short if they must be.
        min_chunks: usize = whole::<usize>(0, MANY),
        /// Factor for each 60 lines of a file that a task has already.
        decay: f64 = Number(Span::above(0.0, 1.0)),
    }
    tables {
        /// Priority of each kind of source.
        priority: PrioritySettings,
    }
}

section! {
    /// `[rank.priority]`: 0 to 100.
    PrioritySettings in "rank.priority." {
        /// What a tool printed.
        tool_results: u32 = whole::<u32>(0, 100),
        /// Files open in an editor.
        open_files: u32 = whole::<u32>(0, 100),
        /// What a search found.
        search_results: u32 = whole::<u32>(0, 100),
        /// What other content refers to.
        references: u32 = whole::<u32>(0, 100),
    }
}

section! {
    /// `[dedup]`
    DedupSettings in "dedup." {
        /// Whether duplicates are removed.
        enabled: bool = Flag,
        /// The part of the shorter chunk's lines from which two chunks overlap too much.
        overlap: f64 = Ratio(UNIT),
    }
}

section! {
    /// `[session]`
    SessionSettings in "session." {
        /// The window of a session; unset means `budget.window`, or the model's.
        total: Option<Tokens> = Unset(TokenCount(1)),
        /// The filled part of the window above which a footer says that older turns are summarised.
        compression_threshold: f64 = Ratio(UNIT),
        /// Turns at the end that stay as they are; unset leaves it to the strategy.
        keep_last: Option<usize> = Unset(whole::<usize>(0, MANY)),
        /// Tokens above which a tool result is compressed.
        tool_result_limit: Tokens = TokenCount(1),
        /// A command that summarises what it reads; unset means by rule.
        summarizer: Option<String> = Unset(Text),
        /// The address of a model that summarises; a command goes before it.
        summarizer_url: Option<String> = Unset(Address),
        /// The model to ask there.
        summarizer_model: Option<String> = Unset(Text),
        /// How it is spoken to there.
        summarizer_api: String = Choice(&["anthropic", "openai"]),
        /// How long to wait for a summary.
        summarizer_timeout: Duration = SOME,
        /// How often to ask again where that may help.
        summarizer_retries: usize = whole::<usize>(0, 10),
        /// The wait before asking again, doubled each time, 30 seconds at most.
        summarizer_backoff: Duration = ANY,
        /// Lines of a transcript above which trimming is due.
        max_lines: usize = whole::<usize>(1, MANY),
    }
    tables {
        /// What the window of a session is for.
        allocations: AllocationSettings,
    }
}

section! {
    /// `[session.allocations]`: percent of `session.total`, 100 together at most.
    AllocationSettings in "session.allocations." {
        /// The system prompt.
        system_prompt: f64 = Percent(HUNDRED),
        /// Skills.
        skills: f64 = Percent(HUNDRED),
        /// The knowledge base.
        knowledge_base: f64 = Percent(HUNDRED),
        /// Other issues.
        cross_issue: f64 = Percent(HUNDRED),
        /// The summary of older turns.
        session_summary: f64 = Percent(HUNDRED),
        /// Recent turns.
        session_recent: f64 = Percent(HUNDRED),
        /// The prompt at hand.
        current_prompt: f64 = Percent(HUNDRED),
        /// The reply.
        reserved_for_response: f64 = Percent(HUNDRED),
    }
}

section! {
    /// `[memory]`
    MemorySettings in "memory." {
        /// The directory of the features, from the project's root.
        root: String = Text,
        /// The budget of one feature.
        max_tokens: Tokens = TokenCount(1),
        /// Percent of the budget from which notes are compacted.
        compact: f64 = Percent(THRESHOLD),
        /// Percent from which they are summarised.
        summarize: f64 = Percent(THRESHOLD),
        /// Percent from which a handoff is due.
        handoff: f64 = Percent(THRESHOLD),
        /// Whether levels begin earlier, at 75, 88 and 93 percent.
        proactive: bool = Flag,
        /// Percent of a model's window that a handoff may take.
        handoff_size: f64 = Percent(THRESHOLD),
        /// The age from which a file is archived.
        max_age: Duration = SOME,
        /// The most lines of the project's context file.
        max_lines: usize = whole::<usize>(1, MANY),
        /// How long a compaction can be reverted.
        rollback_window: Duration = ANY,
        /// Regular expressions; a line that matches one is never dropped.
        preserve: Vec<String> = Texts,
        /// Regular expressions; from a line that matches one to the next blank line is dropped.
        remove: Vec<String> = Texts,
        /// Whether compaction starts by itself.
        auto: bool = Flag,
        /// Whether features that nobody touches are archived as a whole, and archives have an end.
        lifecycle: bool = Flag,
        /// How long a feature is untouched until it counts as dormant.
        dormant_after: Duration = SOME,
        /// How long it is untouched until all of it is archived.
        archive_after: Duration = SOME,
        /// How long an original stays in the archive.
        purge_after: Duration = SOME,
        /// The most bytes of an archive.
        max_archive: u64 = Size,
    }
}

section! {
    /// `[hook]`: tokens that outputs are cut to; 0 leaves them whole.
    HookSettings in "hook." {
        /// Whether outputs are cut at all.
        enabled: bool = Flag,
        /// Outputs up to this stay as they are.
        least: Tokens = TokenCount(1),
        /// For commands: builds, tests, logs.
        command: Tokens = TokenCount(0),
        /// For searches and listings.
        search: Tokens = TokenCount(0),
        /// For what editing tools echo.
        change: Tokens = TokenCount(0),
        /// For files that are read.
        read: Tokens = TokenCount(0),
        /// For all other tools.
        other: Tokens = TokenCount(0),
        /// Whether an output that was seen before becomes a pointer to the first.
        repeats: bool = Flag,
        /// Regular expressions; lines that match stay, as far as they fit.
        preserve: Vec<String> = Texts,
    }
    tables {
        /// Tokens for tools by name, before all others.
        tools: Vec<(String, Tokens)>,
    }
}

/// The names of the tools are the user's.
impl Section for Vec<(String, Tokens)> {
    fn collect_keys(keys: &mut Vec<Key>) {
        keys.push(Key { path: "hook.tools.*", rule: &TokenCount(0) });
    }

    fn read(values: &Values) -> Result<Self, ConfigError> {
        let tools = values.within("hook.tools");
        tools.map(|(path, entry)| Ok((last(&path.0), entry.read(path, &TokenCount(0))?))).collect()
    }
}

section! {
    /// `[round]`
    RoundSettings in "round." {
        /// The most tokens that one round hands to the next.
        budget: Tokens = TokenCount(1),
        /// Further fields of a round's output that are handed on.
        keep: Vec<String> = Texts,
        /// Percent of a round's budget from which there is a warning.
        warn_at: f64 = Percent(THRESHOLD),
    }
}

/// Phases of a work, by name, as they are written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseTables(pub Vec<(String, Table)>);

/// The names of the phases are the user's.
impl Section for PhaseTables {
    fn collect_keys(keys: &mut Vec<Key>) {
        keys.push(Key { path: "phases.*.*", rule: &Opaque });
    }

    fn read(values: &Values) -> Result<Self, ConfigError> {
        Ok(PhaseTables(tables(values, "phases")))
    }
}

/// The names of the shares are the user's.
impl Section for Vec<(String, Amount)> {
    fn collect_keys(keys: &mut Vec<Key>) {
        keys.push(Key { path: "budget.shares.*", rule: &Share });
    }

    fn read(values: &Values) -> Result<Self, ConfigError> {
        let shares = values.within("budget.shares");
        shares.map(|(path, entry)| Ok((last(&path.0), entry.read(path, &Share)?))).collect()
    }
}

/// The names of the models and what is said about them are the user's.
impl Section for Vec<(String, Table)> {
    fn collect_keys(keys: &mut Vec<Key>) {
        keys.push(Key { path: "models.*.*", rule: &Opaque });
    }

    fn read(values: &Values) -> Result<Self, ConfigError> {
        Ok(tables(values, "models"))
    }
}

/// Returns tables under names of the user's own, as they are.
fn tables(values: &Values, within: &str) -> Vec<(String, Table)> {
    let mut tables: Vec<(String, Table)> = Vec::new();
    for (path, entry) in values.within(within) {
        let name = path.0.get(1).cloned().unwrap_or_default();
        if tables.last().is_none_or(|(last, _)| *last != name) {
            tables.push((name, Table::new()));
        }
        if let Some((_, table)) = tables.last_mut() {
            table.insert(last(&path.0), entry.value.clone());
        }
    }
    tables
}

/// Returns the last segment of a path.
fn last(segments: &[String]) -> String {
    segments.last().cloned().unwrap_or_default()
}
