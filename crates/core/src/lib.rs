//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.

pub use config::{
    AllocationSettings, ApiSettings, BudgetSettings, CacheSettings, ChunkSettings, Config,
    ConfigError, DedupSettings, ImportFormat, Imported, LadderSetting, Layer, MemorySettings,
    PackSettings, ParseDurationError, ParseSizeError, PressureSettings, PrioritySettings,
    RankSettings, ScoreSettings, SessionSettings, Settings, ShareSetting, Shown, Source,
    TierSettings, environment_variables, format_duration, import_config, parse_duration,
    parse_size,
