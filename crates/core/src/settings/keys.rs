//! All settings, as plain values, and the one table of what each may be.
//!
//! The fields below are the keys of `loadline.toml`; `defaults.toml` holds the
//! default of each and says what it is for. A test keeps the two together, so that
//! nothing is described twice.
//! Names that belong to other modules (models, counters, renderers' options)
//! are kept as text here and are resolved where they are used.

#![allow(missing_docs, reason = "defaults.toml describes every key")]

use std::time::Duration;

use toml::Table;

use crate::budget::Amount;
use crate::settings::ConfigError;
use crate::settings::either::{Ladder, LadderSetting, Share};
use crate::settings::key::Key;
use crate::settings::kind::{Address, Choice, Flag, Opaque, Size, Text, Texts, Time, Unset};
use crate::settings::number::{Number, Percent, Ratio, SmallPercent, Span, TokenCount, whole};
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
        model: String = Text,
        counter: Option<String> = Unset(Text),
    }
    tables {
        budget: BudgetSettings,
        cache: CacheSettings,
        archive: ArchiveSettings,
        api: ApiSettings,
        pressure: PressureSettings,
        models: Vec<(String, Table)>,
        pack: PackSettings,
        score: ScoreSettings,
        tiers: TierSettings,
        chunk: ChunkSettings,
        rank: RankSettings,
        dedup: DedupSettings,
        session: SessionSettings,
        memory: MemorySettings,
        hook: HookSettings,
        compact: CompactSettings,
        resume: ResumeSettings,
        phases: PhaseTables,
        round: RoundSettings,
    }
}

section! {
    /// `[budget]`
    BudgetSettings in "budget." {
        window: Option<Tokens> = Unset(TokenCount(1)),
        response_reserve: Tokens = TokenCount(0),
        system_reserve: Tokens = TokenCount(0),
        margin: Option<f64> = Unset(Ratio(Span::above(0.0, 1.0))),
        preset: String = Choice(&["none", "packer", "session", "workflow", "files", "feature"]),
    }
    tables {
        shares: Vec<(String, Amount)>,
    }
}

section! {
    /// `[cache]`
    CacheSettings in "cache." {
        enabled: bool = Flag,
        max_entries: usize = whole::<usize>(1, MANY),
        api_ttl: Duration = ANY,
        max_size: u64 = Size,
    }
}

section! {
    /// `[archive]`
    ArchiveSettings in "archive." {
        retention: Duration = ANY,
        warn_size: u64 = Size,
    }
}

section! {
    /// `[api]`
    ApiSettings in "api." {
        url: String = Address,
        timeout: Duration = SOME,
    }
}

section! {
    /// `[pressure]`
    PressureSettings in "pressure." {
        ladder: LadderSetting = Ladder(&["session", "rounds", "memory", "proactive"]),
        show_above: f64 = Percent(HUNDRED),
    }
}

section! {
    /// `[pack]`
    PackSettings in "pack." {
        pin: Vec<String> = Texts,
        boost: Vec<String> = Texts,
        include: Vec<String> = Texts,
        exclude: Vec<String> = Texts,
        compress: bool = Flag,
        format: String = Choice(&["markdown", "xml", "json", "plain"]),
        strategy: String = Choice(&["overview", "greedy"]),
        order: String = Choice(&["auto", "file", "rank"]),
        max_file_size: u64 = Size,
    }
}

section! {
    /// `[score]`: points from 0 to 100 per signal.
    ScoreSettings in "score." {
        entry: u32 = whole::<u32>(0, 100),
        importer: u32 = whole::<u32>(0, 100),
        importer_cap: u32 = whole::<u32>(0, 100),
        export: u32 = whole::<u32>(0, 100),
        export_cap: u32 = whole::<u32>(0, 100),
        commit: u32 = whole::<u32>(0, 100),
        commit_cap: u32 = whole::<u32>(0, 100),
        edge_case: u32 = whole::<u32>(0, 100),
        config: u32 = whole::<u32>(0, 100),
        test_penalty: u32 = whole::<u32>(0, 100),
        generated_penalty: u32 = whole::<u32>(0, 100),
        boost: u32 = whole::<u32>(0, 100),
        git_window: Duration = SOME,
        entry_points: String = Choice(&["extended", "compat"]),
    }
}

section! {
    /// `[tiers]`
    TierSettings in "tiers." {
        oversized: Tokens = TokenCount(1),
        oversized_min_score: u32 = whole::<u32>(0, 100),
        floor_score: u32 = whole::<u32>(0, 100),
    }
}

section! {
    /// `[chunk]`
    ChunkSettings in "chunk." {
        max_tokens: Tokens = TokenCount(1),
        min_tokens: Tokens = TokenCount(0),
        prefer_structural: bool = Flag,
        lines: usize = whole::<usize>(1, MANY),
        overlap: usize = whole::<usize>(0, MANY),
    }
}

section! {
    /// `[rank]`: weights that add up to 1.
    RankSettings in "rank." {
        relevance: f64 = Number(POSITIVE),
        recency: f64 = Number(POSITIVE),
        source: f64 = Number(POSITIVE),
        position: f64 = Number(POSITIVE),
        half_life: Duration = SOME,
        min_score: f64 = Number(UNIT),
        min_chunks: usize = whole::<usize>(0, MANY),
        by: String = Choice(&["learned", "formula"]),
        decay: f64 = Number(Span::above(0.0, 1.0)),
        related: f64 = SmallPercent(Span::new(0.0, 100.0)),
    }
    tables {
        priority: PrioritySettings,
    }
}

section! {
    /// `[rank.priority]`: 0 to 100.
    PrioritySettings in "rank.priority." {
        tool_results: u32 = whole::<u32>(0, 100),
        open_files: u32 = whole::<u32>(0, 100),
        search_results: u32 = whole::<u32>(0, 100),
        changes: u32 = whole::<u32>(0, 100),
        references: u32 = whole::<u32>(0, 100),
    }
}

section! {
    /// `[dedup]`
    DedupSettings in "dedup." {
        enabled: bool = Flag,
        overlap: f64 = Ratio(UNIT),
    }
}

section! {
    /// `[session]`
    SessionSettings in "session." {
        total: Option<Tokens> = Unset(TokenCount(1)),
        compression_threshold: f64 = Ratio(UNIT),
        keep_last: Option<usize> = Unset(whole::<usize>(0, MANY)),
        tool_result_limit: Tokens = TokenCount(1),
        summarizer: Option<String> = Unset(Text),
        summarizer_url: Option<String> = Unset(Address),
        summarizer_model: Option<String> = Unset(Text),
        summarizer_api: String = Choice(&["anthropic", "openai"]),
        summarizer_timeout: Duration = SOME,
        summarizer_retries: usize = whole::<usize>(0, 10),
        summarizer_backoff: Duration = ANY,
        max_lines: usize = whole::<usize>(1, MANY),
    }
    tables {
        allocations: AllocationSettings,
    }
}

section! {
    /// `[session.allocations]`: percent of `session.total`, 100 together at most.
    AllocationSettings in "session.allocations." {
        system_prompt: f64 = Percent(HUNDRED),
        skills: f64 = Percent(HUNDRED),
        knowledge_base: f64 = Percent(HUNDRED),
        cross_issue: f64 = Percent(HUNDRED),
        session_summary: f64 = Percent(HUNDRED),
        session_recent: f64 = Percent(HUNDRED),
        current_prompt: f64 = Percent(HUNDRED),
        reserved_for_response: f64 = Percent(HUNDRED),
    }
}

section! {
    /// `[memory]`
    MemorySettings in "memory." {
        root: String = Text,
        max_tokens: Tokens = TokenCount(1),
        compact: f64 = Percent(THRESHOLD),
        summarize: f64 = Percent(THRESHOLD),
        handoff: f64 = Percent(THRESHOLD),
        proactive: bool = Flag,
        handoff_size: f64 = SmallPercent(THRESHOLD),
        max_age: Duration = SOME,
        max_lines: usize = whole::<usize>(1, MANY),
        rollback_window: Duration = ANY,
        preserve: Vec<String> = Texts,
        remove: Vec<String> = Texts,
        auto: bool = Flag,
        lifecycle: bool = Flag,
        dormant_after: Duration = SOME,
        archive_after: Duration = SOME,
        purge_after: Duration = SOME,
        max_archive: u64 = Size,
    }
}

section! {
    /// `[hook]`: tokens that outputs are cut to; 0 leaves them whole.
    HookSettings in "hook." {
        enabled: bool = Flag,
        least: Tokens = TokenCount(1),
        command: Tokens = TokenCount(0),
        search: Tokens = TokenCount(0),
        change: Tokens = TokenCount(0),
        read: Tokens = TokenCount(0),
        other: Tokens = TokenCount(0),
        repeats: bool = Flag,
        preserve: Vec<String> = Texts,
    }
    tables {
        tools: Vec<(String, Tokens)>,
    }
}

section! {
    /// `[compact]`
    CompactSettings in "compact." {
        at: f64 = Percent(HUNDRED),
        instructions: Option<String> = Unset(Text),
        pins: String = Text,
        rules: Vec<String> = Texts,
    }
}

section! {
    /// `[resume]`
    ResumeSettings in "resume." {
        least: Tokens = TokenCount(1),
        target: Tokens = TokenCount(1),
        auto: bool = Flag,
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
        budget: Tokens = TokenCount(1),
        keep: Vec<String> = Texts,
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
