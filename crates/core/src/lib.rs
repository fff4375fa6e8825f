//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.
//!
//! Everything here is plain values and plain functions: no async, no printing,
//! no environment, no home directory, no clock. Start with [`Counter`] (how
//! many tokens is this?), [`Budget`] (how many may it be?) and [`Config`] (what
//! did the user ask for?); [`fill_context`] fills a whole prompt. ARCHITECTURE.md in the repository is the map.

mod budget;
mod chunk;
mod config;
mod count;
mod dedup;
mod diagnose;
mod fsio;
mod lines;
mod memory;
mod note;
mod pack;
mod rank;
mod repo;
mod round;
mod select;
mod session;
mod store;
mod syntax;
mod tokens;
mod usage;
mod window;

pub use budget::{
    Allocation, Amount, Budget, BudgetBuilder, BudgetError, BudgetPreset, Ladder, Ledger, Leftover,
    Model, ModelEntry, Models, Pressure, PriceEntry, Prices, Receipt, Reserve, Severity, Share,
    ShareLimit, ShareUse, packer_categories, session_trim_trigger, workflow_phase_response,
};
pub use chunk::{
    Chunk, ChunkError, ChunkLevel, ChunkOptions, ChunkSource, ChunkStrategy, Chunked, Passage,
    PassageOptions, chunk, chunk_outline, passages,
};
pub use config::{
    AllocationSettings, ApiSettings, BudgetSettings, CacheSettings, ChunkSettings, Config,
    ConfigError, DedupSettings, HookSettings, ImportFormat, Imported, LadderSetting, Layer,
    MemorySettings, PackSettings, ParseDurationError, ParseSizeError, PhaseTables,
    PressureSettings, PrioritySettings, RankSettings, RoundSettings, ScoreSettings,
    SessionSettings, Settings, ShareSetting, Shown, Source, TierSettings, environment_variables,
    format_duration, import_config, parse_duration, parse_size,
};
pub use count::{CountOptions, CountReport, FileCount, LanguageCount, count_paths, count_text};
pub use dedup::{
    DedupOptions, Deduped, DedupedLines, Piece, Removal, Removed, RemovedLine, dedup, dedup_lines,
    overlap_ratio,
};
pub use diagnose::Diagnose;
pub use fsio::{PathError, write_atomic};
pub use memory::{
    ArchivedFile, CONTEXT_FILE, Checkpoint, CheckpointFile, Compaction, ContextPrune,
    ContextWarning, Edits, HistoryEntry, HistoryFile, Lifecycle, OldFile, PruneOptions, PrunePlan,
    Pruned as PrunedNotes, RevertFile, RevertPlan, Reverted, Stage as FeatureStage, VaultError,
    WriteOptions, apply as apply_compaction, archived as archived_notes, before_tool_use,
    checkpoint as take_checkpoint, checkpoints as feature_checkpoints, compact as compact_feature,
    find_context_file, handle_context_warning, history as feature_history,
    is_unfinished as is_feature_unfinished, plan_context as plan_prune_context, plan_prune,
    plan_restore, plan_restore_context, plan_revert, prune as prune_feature, prune_context,
    recover as recover_feature, restore as restore_notes, restore_context,
    revert as revert_feature,
};
pub use memory::{
    COMPACTION_DIRECTORY, CompactedItem, CompactedNotes, CompactionPlan, FOCUS_FILE, Facts,
    Feature, FeatureLimit, FeatureStatus, Features, FileChange, HANDOFF_FILE, Handoff, ItemKind,
    Level, LimitCheck, MEMORY_MOST_LINES, MEMORY_TARGET_LINES, MEMORY_WARN_LINES, MeasuredFeature,
    MemoryError, MemoryOptions, NoteFile, ProjectMemory, STATE_FILE, SUMMARY_FILE, Saving,
    TASKS_FILE, TeamBudgets, TeamLimit, compact_notes, compress_memory, measure_feature,
    measure_features, parse_handoff, plan_compaction, plan_features, read_notes, read_savings,
    record_usage, write_handoff, write_summary,
};
pub use note::Note;
pub use pack::{
    Cancel, Excluded, KindUse, PackSource, PackedSources, ReadSources, SourceChunk, SourceKind,
    SourceListError, SourceOptions, SourceStats, SourcesError, SourcesPreview, pack_sources,
    preview_sources, read_sources,
};
pub use pack::{
    Format, MapEntry, Mapped, MappedFile, OmittedFile, PackError, PackOptions, PackOrder,
    PackSummary, Packed, PackedFile, PackedPassage, Progress, Scored, ScoredFile, Stage,
    SummaryFile, SummaryOmitted, Template, TemplateError, Tier, map, pack, pack_for_task, score,
};
pub use pack::{SearchFile, SearchHit, SearchOptions, Searched, search};
pub use pack::{ShowError, ShownFile, show_file};
pub use rank::contribution::Contribution;
pub use rank::task::{
    Candidate as TaskCandidate, Content as TaskContent, FileIndex, FileSignals, Gathered, Lift,
    Message, PassageSignals, Pick, Query as TaskQuery, RankedFile, RankedPassage, TaskKind,
    TaskSource, TaskWeights, choose as choose_lines, gather as look_up, rank as rank_for_task,
};
pub use rank::weighted::{
    Boost, MOST_CHUNKS, Part, RankError, RankWeights, WeightedChunk, WeightedOptions,
    WeightedRanking, WeightedScore, rank_weighted,
};
pub use repo::{
    Activity, ChangedFiles, Commit, ContentKind, Decoded, EntryPoints, FileFacts, FileKind,
    FileScore, FoundFile, GitHistory, HistoryOptions, ImportGraph, Manifest, RepoError,
    ScoreOptions, SecretError, SecretFinding, SecretOptions, SecretRule, Secrets, Signals,
    SourceFile, WalkOptions, Walked, WorkTree, changed_at, content_kind, decode, denied,
    display_path, has_edge_case, has_edge_case_compat, language_of, score_files, walk,
};
pub use round::{
    CompressedRounds, RoundContext, RoundError, RoundOptions, RoundReport, compress_rounds,
    read_rounds, round_schema,
};
pub use select::{
    Fate, Gain, Item, Order, Policy, Reason, Rendition, SelectError, Selection, SlidingWindow,
    WindowMessage, select, slide_window, window_marker,
};
pub use session::{
    Amounts, Billed, BlockKind, Compared, FileUse, LargeBlock, RestoreError, SessionStats,
    ToolTotals, recall_handles, recall_turns, restore_session, session_stats,
};
pub use session::{
    BLOCK_TOKENS, Block, Call, CallResult, Change, Content, Draft, DraftBlock, DraftTurn,
    IMAGE_TOKENS, Role, SessionError, SessionFormat, Transcript, TrimOptions, TrimStrategy,
    Trimmed, Turn, TurnFate, Usage, Violation, block_tokens, check_session, convert_session,
    read_session, trim, turn_tokens, turns_tokens, write_session,
};
pub use session::{
    CompressOptions, Compressed, CompressedPiece, CompressedText, ResultLimits, ResultSize,
    ResultStrategy, SUMMARY_HEADING, ScoreTurnOptions, Summarize, SummaryTurn, Thinking, ToolUse,
    TrimDue, TrimDueOptions, TurnKind, TurnScore, TurnSignals, compress_result, compress_session,
    score_turns, summarize_by_rule, trim_due, trim_summarized,
};
pub use session::{
    FoundSession, LineRange, NoRange, RecallError, RecallTarget, SessionPlaces, find_sessions,
    recall, session_handoff,
};
pub use session::{IngestOptions, IngestRule, WindowFill, ingest_result, tool_kind_name};
pub use store::{
    API_COUNT_TTL, BlobError, Blobs, CacheStats, ClearError, Cleared, ContentCount, ContentHash,
    CountCache, CountedFile, Cut, CutKind, CutLedger, CutTotal, FileStamp, KnownCount, KnownFile,
    LedgerError, Pruned, RecordedFile, Retention, Store, StoreInfo, StoreOptions,
};
pub use syntax::{
    ClassFact, ConstantFact, Definition, DefinitionKind, FunctionFact, Import, ImportKind, Outline,
    ParameterFact, ParseLimits, RenderOptions, ScriptFacts, Section, SectionReason, SyntaxError,
    languages as syntax_languages, outline, outline_within, render_facts, render_fallback,
    render_signatures, sections,
};
pub use tokens::{
    Calibration, CalibrationError, CountSource, CountTokens, Counter, CounterError, Framing,
    ParseTokensError, Precision, Residual, Sample, TokenCount, Tokens,
};
pub use usage::{
    Cost, LedgerRead, Request, RoundUsage, Savings, Spending, UsageAgent, UsageError, UsageGroup,
    UsageReport, UsageReportOptions, UsageTracker, read_ledger, read_opencode_database,
    read_requests, usage_report,
};
pub use window::{
    ChatMessage, ContextItem, ContextSource, CurrentUnit, Failure, FilledContext, FilledItem,
    FilledSource, LeftOut, MessageWindow, Most, PartRule, Phase, PhaseWindow, Phases, RoleStrategy,
    Texts, Unit, UnitStatus, WindowError, WindowItem, WindowOptions, WindowPart, WindowUsage,
    WorkState, build_window, fill_context, provider_messages, read_context_sources, read_messages,
    rescore, window_messages,
};
