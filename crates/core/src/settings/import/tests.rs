//! Imports of whole files, as people have them.

use std::time::Duration;

use super::*;
use crate::Diagnose;
use crate::budget::Amount;
use crate::settings::{Settings, Source};
use crate::tokens::Tokens;

/// Imports a file and loads the result, which must not have notes of its own.
fn import(name: &str, text: &str) -> (Imported, Settings) {
    let imported = import_config(name, text).unwrap();
    let config = Config::load([Layer::project("loadline.toml", imported.toml.as_str())]).unwrap();
    assert_eq!(config.notes(), [], "{}", imported.toml);
    (imported, config.settings().clone())
}

fn notes(imported: &Imported) -> Vec<String> {
    imported.notes.iter().map(Remark::to_string).collect()
}

const HANDOVER: &str = r#"
# what matters here
model: claude-sonnet-4-5
context:
  maxTokens: 90000
  pin:
    - src/index.ts
    - "docs/**"
  boost: src/core/**
compress: true
exclude: ['**/fixtures/**']
costWarningThreshold: 2.5
analysis:
  concurrency: 8
"#;

#[test]
fn f242_handover_yml_is_imported() {
    let (imported, settings) = import(".handover.yml", HANDOVER);
    assert_eq!(imported.format, ImportFormat::Handover);
    assert_eq!(settings.model, "claude-sonnet-4-5");
    assert_eq!(settings.budget.window, Some(Tokens::new(90_000)));
    assert_eq!(settings.pack.pin, ["src/index.ts", "docs/**"]);
    assert_eq!(settings.pack.boost, ["src/core/**"]);
    assert_eq!(settings.pack.exclude, ["**/fixtures/**"]);
    assert!(settings.pack.compress);
    assert_eq!(
        notes(&imported),
        [
            ".handover.yml: costWarningThreshold: no equivalent: costs are shown, not limited; \
             `loadline check --max-percent` limits tokens (was 2.5)",
            ".handover.yml: analysis.concurrency: no equivalent: analysis is always static and \
             uses all cores (was 8)",
        ]
    );
}

#[test]
fn f242_the_later_name_of_the_window_is_honoured() {
    let text = "contextWindow:\n  maxTokens: 50000\n  pin: [a.ts]\ncontext: be brief\n";
    let (imported, settings) = import("sub/.handover.yaml", text);
    assert_eq!(settings.budget.window, Some(Tokens::new(50_000)));
    assert_eq!(settings.pack.pin, ["a.ts"]);
    assert_eq!(imported.notes.len(), 1);

    let both = "context: {maxTokens: 20000}\ncontextWindow: {maxTokens: 50000}";
    let (imported, settings) = import(".handover.yml", both);
    assert_eq!(settings.budget.window, Some(Tokens::new(50_000)));
    assert_eq!(
        notes(&imported),
        [".handover.yml: context.maxTokens: replaced by `contextWindow.maxTokens`, \
             which is the same setting"]
    );
}

#[test]
fn the_written_file_names_the_origin_of_each_value() {
    let imported = import_config(
        ".handover.yml",
        "contextWindow: {maxTokens: 50000}\nserve: {transport: http}",
    )
    .unwrap();
    assert_eq!(
        imported.toml,
        "# Imported from .handover.yml (.handover.yml).\n\
         \n\
         [budget]\n\
         # was contextWindow.maxTokens\n\
         window = 50000\n\
         \n\
         # .handover.yml: serve.transport: no equivalent: servers are configured by flags of \
         `loadline mcp` and `loadline serve` (was \"http\")\n"
    );
}

const CONTEXT_JSON: &str = r#"{
  "totalTokens": 150000,
  "allocations": {
    "systemPrompt": 5, "skills": 3, "knowledgeBase": 3, "crossIssue": 2,
    "sessionSummary": 12, "sessionRecent": 33, "currentPrompt": 2,
    "reservedForResponse": 40
  },
  "compressionThreshold": 0.65,
  "showPressureAbove": 0.35,
  "useLLMSummarization": false
}"#;

#[test]
fn f243_context_json_is_imported() {
    let (imported, settings) = import("state/context.json", CONTEXT_JSON);
    assert_eq!(imported.format, ImportFormat::ContextJson);
    let session = &settings.session;
    assert_eq!(session.total, Some(Tokens::new(150_000)));
    assert_eq!(session.allocations.session_recent, 33.0);
    assert_eq!(session.allocations.reserved_for_response, 40.0);
    assert_eq!(session.compression_threshold, 0.65);
    assert_eq!(settings.pressure.show_above, 35.0);
    assert_eq!(imported.notes.len(), 1);
    assert!(imported.notes[0].to_string().contains("useLLMSummarization: no equivalent"));
}

#[test]
fn f243_allocations_that_are_not_given_are_zero() {
    let text = r#"{"totalTokens": 100000, "allocations": {"skills": 4, "sessionRecent": 60}}"#;
    let (_, settings) = import("context.json", text);
    let allocations = &settings.session.allocations;
    assert_eq!((allocations.skills, allocations.session_recent), (4.0, 60.0));
    assert_eq!((allocations.system_prompt, allocations.reserved_for_response), (0.0, 0.0));
}

const AGENT: &str = r"
project:
  name: acme
context:
  budget:
    total_tokens: 100000
    system_prompt_reserve: 3000
    response_reserve: 9000
    categories:
      tool_results: 40
      open_files: 30
      search_results: 20
      references: 10
  source_priority:
    tool_results: 90
    open_files: 100
  ranking:
    weights: {relevance: 0.50, source: 0.25, recency: 0.15, position: 0.10}
    recency_decay_hours: 24
    boosts:
      - pattern: 'src/core/**'
        factor: 1.2
  chunking:
    max_tokens: 1500
    min_tokens: 150
    prefer_structural: false
    line_based: {lines_per_chunk: 40, overlap_lines: 4}
  dedup:
    enabled: true
    overlap_threshold: 0.8
    merge_overlapping: true
  tokenizer: cl100k_base
";

#[test]
fn f244_agent_config_is_imported() {
    let (imported, settings) = import(".agent/config.yml", AGENT);
    assert_eq!(imported.format, ImportFormat::AgentConfig);
    assert_eq!(settings.counter.as_deref(), Some("cl100k"));
    assert_eq!(settings.budget.window, Some(Tokens::new(100_000)));
    assert_eq!(settings.budget.system_reserve, Tokens::new(3_000));
    let shares = &settings.budget.shares;
    assert_eq!(shares.len(), 4);
    assert_eq!(shares[3], ("tool_results".to_owned(), Amount::PercentOfAvailable(40.0)));
    assert_eq!(settings.rank.priority.open_files, 100);
    assert_eq!((settings.rank.source, settings.rank.position), (0.25, 0.1));
    assert_eq!(settings.rank.half_life, Duration::from_secs(86_400));
    assert_eq!(settings.chunk.max_tokens, Tokens::new(1_500));
    assert_eq!((settings.chunk.lines, settings.chunk.overlap), (40, 4));
    assert!(!settings.chunk.prefer_structural);
    assert_eq!(settings.dedup.overlap, 0.8);
    let keys: Vec<String> = imported.notes.iter().map(|note| note.subject.clone()).collect();
    assert_eq!(
        keys,
        [
            ".agent/config.yml: project.name",
            ".agent/config.yml: context.ranking.boosts",
            ".agent/config.yml: context.dedup.merge_overlapping",
        ]
    );
}

#[test]
fn f244_the_first_names_of_the_keys_are_accepted() {
    let text = "context:\n  budget: {total: 80000, response_reserve: 10000, system_reserve: 5000}\n  \
                ranking: {relevance_weight: 0.3, recency_weight: 0.6, source_weight: 0.1}\n  \
                chunking: {max_chunk_tokens: 1500, min_chunk_tokens: 150}\n";
    let (imported, settings) = import("config.yml", text);
    assert_eq!(imported.format, ImportFormat::AgentConfig);
    assert_eq!(imported.notes, []);
    assert_eq!(settings.budget.window, Some(Tokens::new(80_000)));
    assert_eq!(settings.rank.recency, 0.6);
    assert_eq!(settings.chunk.min_tokens, Tokens::new(150));
}

#[test]
fn f244_weights_that_do_not_add_up_are_settled_in_the_file() {
    let text = "context: {ranking: {relevance_weight: 0.4, source_weight: 0.4}}";
    let (imported, settings) = import(".agent/config.yml", text);
    assert_eq!(settings.rank.relevance, 0.363636);
    assert_eq!(
        notes(&imported),
        [".agent/config.yml: rank: the weights add up to 1.100, not 1; each was divided by that"]
    );
}

const COMPACTION: &str = r#"{
  "thresholds": {"warning": 0.6, "critical": 0.8, "emergency": 0.9},
  "tokenCounter": {"cacheTTL": 3600000, "cacheMaxSize": 500, "adjustmentFactor": 0.92},
  "pruning": {"maxAge": 2592000000, "maxLines": 400},
  "compaction": {
    "preservePatterns": ["/^## Decision:/gm", "/^ADR-\\d+/gm", "/error|fail|critical/gi"],
    "removePatterns": ["/^Read tool output:[\\s\\S]*?(?=\\n\\n)/gm"],
    "rollbackWindow": 172800000
  }
}"#;

#[test]
fn f245_compaction_config_is_imported() {
    let (imported, settings) = import("settings.json", COMPACTION);
    assert_eq!(imported.format, ImportFormat::Compaction);
    let memory = &settings.memory;
    assert_eq!((memory.compact, memory.summarize, memory.handoff), (60.0, 80.0, 90.0));
    assert_eq!(memory.max_age, Duration::from_secs(30 * 86_400));
    assert_eq!(memory.max_lines, 400);
    assert_eq!(memory.rollback_window, Duration::from_secs(48 * 3_600));
    assert_eq!(memory.preserve, ["^## Decision:", r"^ADR-\d+", "(?i)error|fail|critical"]);
    assert_eq!(memory.remove, ["^Read tool output:"]);
    assert_eq!(settings.cache.api_ttl, Duration::from_secs(3_600));
    assert_eq!(settings.cache.max_entries, 500);
    assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
}

#[test]
fn f245_a_flat_compaction_config_may_give_the_age_in_days() {
    let text = r#"{"maxAge": 14, "maxLines": 300, "rollbackWindow": 3600000}"#;
    let (imported, settings) = import("compaction.json", text);
    assert_eq!(imported.format, ImportFormat::Compaction);
    assert_eq!(settings.memory.max_age, Duration::from_secs(14 * 86_400));
    assert_eq!(settings.memory.rollback_window, Duration::from_secs(3_600));
}

#[test]
fn content_tells_the_format_where_the_name_does_not() {
    for (text, format) in [
        (HANDOVER, ImportFormat::Handover),
        (CONTEXT_JSON, ImportFormat::ContextJson),
        (AGENT, ImportFormat::AgentConfig),
        (COMPACTION, ImportFormat::Compaction),
        ("context: {maxTokens: 50000}", ImportFormat::Handover),
    ] {
        assert_eq!(import_config("stdin", text).unwrap().format, format);
    }
}

#[test]
fn f246_a_value_that_cannot_be_carried_over_is_a_note() {
    let text = "context: {maxTokens: lots, pin: null}\nunheard: of\n";
    let (imported, settings) = import(".handover.yml", text);
    assert_eq!(settings.budget.window, None);
    assert_eq!(
        notes(&imported),
        [
            ".handover.yml: context.maxTokens: no equivalent: `budget.window` is a number of \
             tokens, 1 or more, such as 8000 or \"8k\" (was \"lots\")",
            ".handover.yml: context.pin: no equivalent: `pack.pin` is an array of texts, none of \
             them empty (was null)",
            ".handover.yml: unheard: no equivalent: the key is not known (was \"of\")",
        ]
    );
}

#[test]
fn malformed_files_are_errors_with_a_position() {
    let json = import_config("context.json", "{\n  \"totalTokens\": ,\n}").unwrap_err();
    assert_eq!(json.code(), "LL-CFG-001");
    assert!(
        json.to_string().starts_with("cannot parse context.json, line 2, column 18: "),
        "{json}"
    );
    let yaml = import_config(".handover.yml", "context:\n  pin: [a\nmodel: x: y\n").unwrap_err();
    assert_eq!(yaml.code(), "LL-CFG-001");
    let message = yaml.to_string();
    assert!(message.starts_with("cannot parse .handover.yml, line 3, column "), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn an_unknown_format_is_an_error() {
    for text in ["name: something\n", "[1, 2]", "", "just text"] {
        let error = import_config("other.yml", text).unwrap_err();
        assert_eq!(error.code(), "LL-CFG-005", "{error}");
        assert!(error.to_string().starts_with("other.yml: "), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn an_empty_file_of_a_known_name_imports_nothing() {
    let (imported, _) = import(".handover.yml", "# nothing yet\n");
    assert_eq!(imported.toml, "# Imported from .handover.yml (.handover.yml).\n");
    assert_eq!(imported.notes, []);
}

#[test]
fn values_that_contradict_each_other_are_an_error() {
    let text = "context: {chunking: {max_tokens: 50, min_tokens: 60}}";
    let error = import_config(".agent/config.yml", text).unwrap_err();
    assert_eq!(error.code(), "LL-CFG-004");
    let expected = Source::Project(".agent/config.yml".into());
    assert!(matches!(error, ConfigError::Conflict { place, .. } if place == expected));
}

#[test]
fn every_row_leads_to_a_known_key() {
    for format in ImportFormat::ALL {
        for (pattern, target) in format.rows() {
            if let Target::Key(key, _) = target {
                let path = crate::settings::key::KeyPath::dotted(key);
                assert!(crate::settings::key::find_key(&path).is_some(), "{pattern}");
            }
        }
    }
}
