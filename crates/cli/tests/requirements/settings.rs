//! Settings and their imports, F242 to F250, and F266.

use serde_json::Value;

use super::{variable, with};
use crate::common::{World, find, json, list, loadline, run, write_user_config};

/// Imports a file of an older format: the settings that come of it, as `key = value`, and
/// what is said about it, as one text each.
fn import(name: &str, text: &str) -> (String, String) {
    let world = World::new("");
    world.work().write(name, text);
    let imported = run(&world, &["config", "import", name]).exits(0);
    world.work().write("loadline.toml", &imported.stdout);
    let shown = json(&world, &["config", "show"]);
    let own = list(&shown["settings"]).iter().filter(|setting| setting["layer"] == "project");
    let line = |it: &Value| format!("{} = {}", it["key"].as_str().unwrap(), it["value"]);
    let own: Vec<String> = own.map(line).collect();
    (own.join("\n"), imported.stderr)
}

#[track_caller]
fn check(name: &str, text: &str, want: &str, remarks: &[&str]) {
    let (settings, said) = import(name, text);
    let want: Vec<&str> = want.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(settings.lines().collect::<Vec<_>>(), want, "{name}");
    assert_eq!(said.lines().count(), remarks.len(), "{said}");
    for remark in remarks {
        assert!(said.contains(remark), "{remark}: {said}");
    }
}

#[test]
fn f242_handover_yml_is_imported() {
    check(
        ".handover.yml",
        "
# what matters here
model: claude-sonnet-4-5
context:
  maxTokens: 90000
  pin:
    - src/index.ts
    - \"docs/**\"
  boost: src/core/**
compress: true
exclude: ['**/fixtures/**']
costWarningThreshold: 2.5
analysis:
  concurrency: 8
",
        r#"
        model = "claude-sonnet-4-5"
        budget.window = 90000
        pack.pin = ["src/index.ts","docs/**"]
        pack.boost = ["src/core/**"]
        pack.exclude = ["**/fixtures/**"]
        pack.compress = true"#,
        &["costWarningThreshold: no equivalent: costs are shown", "analysis.concurrency: no equiv"],
    );
    // The later name of the window is honoured, whichever comes first.
    check(
        ".handover.yaml",
        "context: {maxTokens: 20000}\ncontextWindow: {maxTokens: 50000}",
        "budget.window = 50000",
        &["context.maxTokens: replaced by `contextWindow.maxTokens`"],
    );
    check(".handover.yml", "# nothing yet\n", "", &[]);
}

#[test]
fn f243_context_json_is_imported() {
    check(
        "context.json",
        r#"{"totalTokens": 150000, "compressionThreshold": 0.65, "showPressureAbove": 0.35,
        "useLLMSummarization": false, "allocations": {"systemPrompt": 5, "skills": 3,
        "knowledgeBase": 3, "crossIssue": 2, "sessionSummary": 12, "sessionRecent": 33,
        "currentPrompt": 2, "reservedForResponse": 40}}"#,
        "
        pressure.show_above = 35
        session.total = 150000
        session.compression_threshold = 0.65
        session.allocations.system_prompt = 5
        session.allocations.skills = 3
        session.allocations.knowledge_base = 3
        session.allocations.cross_issue = 2
        session.allocations.session_summary = 12
        session.allocations.session_recent = 33
        session.allocations.current_prompt = 2
        session.allocations.reserved_for_response = 40",
        &["useLLMSummarization: no equivalent"],
    );
    let part = r#"{"totalTokens": 100000, "allocations": {"skills": 4, "sessionRecent": 60}}"#;
    let (settings, _) = import("context.json", part);
    assert!(settings.contains("session_recent = 60"), "{settings}");
    assert!(
        settings.contains("reserved_for_response = 0"),
        "what is not given is zero: {settings}"
    );
}

#[test]
fn f244_agent_config_is_imported() {
    check(
        ".agent/config.yml",
        "
project:
  name: acme
context:
  budget:
    total_tokens: 100000
    system_prompt_reserve: 3000
    response_reserve: 9000
    categories: {tool_results: 40, open_files: 30, search_results: 20, references: 10}
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
",
        r#"
        counter = "cl100k"
        budget.window = 100000
        budget.response_reserve = 9000
        budget.system_reserve = 3000
        budget.shares.open_files = "30%"
        budget.shares.references = "10%"
        budget.shares.search_results = "20%"
        budget.shares.tool_results = "40%"
        chunk.max_tokens = 1500
        chunk.min_tokens = 150
        chunk.prefer_structural = false
        chunk.lines = 40
        chunk.overlap = 4
        rank.relevance = 0.5
        rank.recency = 0.15
        rank.source = 0.25
        rank.position = 0.1
        rank.half_life = "1d"
        rank.priority.tool_results = 90
        rank.priority.open_files = 100
        dedup.enabled = true
        dedup.overlap = 0.8"#,
        &["project.name", "context.ranking.boosts", "context.dedup.merge_overlapping"],
    );
    check(
        "config.yml",
        "context:\n  budget: {total: 80000, response_reserve: 10000, system_reserve: 5000}\n  \
         ranking: {relevance_weight: 0.3, recency_weight: 0.6, source_weight: 0.1}\n  \
         chunking: {max_chunk_tokens: 1500, min_chunk_tokens: 150}\n",
        "
        budget.window = 80000
        budget.response_reserve = 10000
        budget.system_reserve = 5000
        chunk.max_tokens = 1500
        chunk.min_tokens = 150
        rank.relevance = 0.3
        rank.recency = 0.6
        rank.source = 0.1",
        &[],
    );
    let odd = "context: {ranking: {relevance_weight: 0.4, source_weight: 0.4}}";
    let (settings, said) = import(".agent/config.yml", odd);
    assert!(settings.contains("rank.relevance = 0.363636"), "{settings}");
    assert!(said.contains("rank: the weights add up to 1.100, not 1"), "{said}");
}

#[test]
fn f245_the_compaction_config_is_imported_with_units() {
    check(
        "settings.json",
        r#"{"thresholds": {"warning": 0.6, "critical": 0.8, "emergency": 0.9},
        "tokenCounter": {"cacheTTL": 3600000, "cacheMaxSize": 500, "adjustmentFactor": 0.92},
        "pruning": {"maxAge": 2592000000, "maxLines": 400},
        "compaction": {"rollbackWindow": 172800000,
            "preservePatterns": ["/^## Decision:/gm", "/error|fail|critical/gi"],
            "removePatterns": ["/^Read tool output:[\\s\\S]*?(?=\\n\\n)/gm"]}}"#,
        r#"
        cache.max_entries = 500
        cache.api_ttl = "1h"
        memory.compact = 60
        memory.summarize = 80
        memory.handoff = 90
        memory.max_age = "30d"
        memory.max_lines = 400
        memory.rollback_window = "2d"
        memory.preserve = ["^## Decision:","(?i)error|fail|critical"]
        memory.remove = ["^Read tool output:"]"#,
        &["adjustmentFactor"],
    );
    // A flat one may give the age in days.
    let flat = r#"{"maxAge": 14, "maxLines": 300, "rollbackWindow": 3600000}"#;
    let want = "memory.max_age = \"14d\"\nmemory.max_lines = 300\nmemory.rollback_window = \"1h\"";
    check("compaction.json", flat, want, &[]);
    let world = World::new("");
    for (text, is_right) in
        [("1500ms", true), (" 5 m ", true), ("2w", true), ("30", false), ("1h30m", false)]
    {
        let mut command = loadline(&world, &["config", "validate"]);
        let run = world.run(command.env("LOADLINE_API_TIMEOUT", text));
        assert_eq!(run.code == 0, is_right, "{text}: {run}");
    }
}

#[test]
fn f246_what_cannot_be_carried_over_is_said_and_what_cannot_be_read_is_an_error() {
    check(
        ".handover.yml",
        "context: {maxTokens: lots, pin: null}\nunheard: of\n",
        "",
        &[
            "context.maxTokens: no equivalent: `budget.window` is a number of tokens",
            "context.pin: no equivalent: `pack.pin` is an array of texts",
            "unheard: no equivalent: the key is not known (was \"of\")",
        ],
    );
    let world = World::new("");
    for (name, text, code, part) in [
        ("context.json", "{\n  \"totalTokens\": ,\n}", "LL-CFG-001", "line 2, column 18: "),
        (".handover.yml", "context:\n  pin: [a\nmodel: x: y\n", "LL-CFG-001", "line 3, column "),
        ("other.yml", "a: 1", "LL-CFG-005", "not recognised"),
        (
            "config.yml",
            "context: {chunking: {max_tokens: 50, min_tokens: 60}}",
            "LL-CFG-004",
            "`chunk.max_tokens` is 50",
        ),
    ] {
        world.work().write(name, text);
        run(&world, &["config", "import", name]).exits(2).says(&[code, part]);
    }
}

#[test]
fn f246_stronger_layers_win_and_are_remembered() {
    let project = "model = 'gpt-4o'\n[pack]\nformat = 'plain'\npin = ['c']\n";
    let world = World::new("").with("LOADLINE_PACK_FORMAT", "json").with("LOADLINE_COUNTER", "");
    world.work().write("loadline.toml", project);
    write_user_config(
        &world,
        "model = 'o3'\n[pack]\nformat = 'xml'\npin = ['a', 'b']\n[chunk]\nlines = 10\n",
    );
    let shown = json(&world, &["config", "show"]);
    let of = |key: &str| {
        let found = find(&shown["settings"], "key", key);
        format!("{} {}", found["layer"].as_str().unwrap(), found["value"])
    };
    for (key, want) in [
        ("model", "project \"gpt-4o\""),
        ("counter", "default null"),
        ("pack.format", "environment \"json\""),
        ("pack.pin", "project [\"c\"]"),
        ("chunk.lines", "user 10"),
        ("dedup.overlap", "default 0.3"),
    ] {
        assert_eq!(of(key), want, "{key}");
    }
    // A flag is stronger than all of them.
    world.work().write("a.rs", "fn a() {}\n");
    run(&world, &["pack", "-q", "--format", "xml"]).begins("<pack ");
}

/// Text, code, key and value of every sort of mistake.
const MISTAKES: [(&str, &str, &str, &str); 22] = [
    ("model = 3", "002", "model", "3"),
    ("model = ''", "003", "model", "\"\""),
    ("[budget]\nwindow = 'lots'", "002", "budget.window", "\"lots\""),
    ("[budget]\nwindow = 0", "003", "budget.window", "0"),
    ("[budget]\nmargin = 1.5", "003", "budget.margin", "1.5"),
    ("[budget]\npreset = 'x'", "003", "budget.preset", "\"x\""),
    ("[budget.shares]\na = true", "002", "budget.shares.a", "true"),
    ("[budget.shares]\na = '50%'\nb = '60%'", "004", "budget.shares.a", "\"50%\""),
    ("[budget.shares]\na = '50%'", "004", "budget.shares.a", "\"50%\""),
    ("[budget]\nwindow = 9000\nsystem_reserve = 9000", "004", "budget.window", "9000"),
    ("[cache]\napi_ttl = 300", "002", "cache.api_ttl", "300"),
    ("[api]\nurl = 'ftp://x'", "003", "api.url", "\"ftp://x\""),
    ("[pressure]\nladder = [80, 60]", "003", "pressure.ladder", "[80, 60]"),
    ("[pack]\npin = 'a'", "002", "pack.pin", "\"a\""),
    ("[score]\nentry = 101", "003", "score.entry", "101"),
    ("[chunk]\nmax_tokens = 50", "004", "chunk.max_tokens", "50"),
    ("[chunk]\noverlap = 50", "004", "chunk.overlap", "50"),
    ("[rank]\nrelevance = -1", "003", "rank.relevance", "-1"),
    ("[rank]\nrelevance = 0\nrecency = 0\nsource = 0", "004", "rank.relevance", "0"),
    ("[session.allocations]\nskills = 4", "004", "session.allocations.skills", "4"),
    ("[memory]\ncompact = 90", "004", "memory.compact", "90"),
    ("models = 1", "002", "models", "1"),
];

#[test]
fn f246_every_error_names_file_key_and_value() {
    let world = World::new("");
    for (text, code, key, value) in MISTAKES {
        world.work().write("loadline.toml", text);
        let run =
            run(&world, &["config", "validate"]).exits(2).says(&[&format!("`{key}` is {value}")]);
        let head = format!("error[LL-CFG-{code}]: [HOME]/work/loadline.toml: ");
        assert!(run.stderr.starts_with(&head), "{run}");
        let hint = run.stderr.lines().last().unwrap();
        assert!(hint.starts_with("  hint: ") && hint.contains(key), "{run}");
    }
    // Variables are named too, and so is the stronger side of a conflict.
    world.work().write("loadline.toml", "[chunk]\nmin_tokens = 300\n");
    for (key, value, part) in [
        (
            "budget.margin",
            "2",
            "LOADLINE_BUDGET_MARGIN: `budget.margin` is 2, which is out of range",
        ),
        (
            "chunk.max_tokens",
            "200",
            "LOADLINE_CHUNK_MAX_TOKENS: `chunk.max_tokens` is 200, but max_tokens must not be below",
        ),
    ] {
        world
            .run(loadline(&world, &["config", "validate"]).env(variable(key), value))
            .says(&[part]);
    }
}

#[test]
fn f247_each_run_reads_its_settings_anew() {
    let world = World::new("");
    let model = || {
        let shown = json(&world, &["config", "show"]);
        shown["settings"][0]["value"].as_str().unwrap().to_owned()
    };
    for name in ["gpt-4o", "o3"] {
        world.work().write("loadline.toml", format!("model = '{name}'\n"));
        assert_eq!(model(), name);
    }
}

#[test]
fn f249_errors_of_budgets_have_stable_codes() {
    let world = World::new("//- /a.rs\nfn a() {}\n");
    let most = "18446744073709551615";
    for (settings, args, code) in [
        (&[("budget.window", "8k"), ("budget.system_reserve", "9k")][..], &[][..], "LL-CFG-004"),
        (&[("budget.response_reserve", most)], &[], "LL-BUD-003"),
        (&[("budget.response_reserve", "10k")], &["--model", "gpt-4"], "LL-BUD-005"),
        (&[], &["--open", "a.rs", "--share", "other=120%"], "LL-BUD-005"),
    ] {
        let mut command = loadline(&world, &[&["pack"], args].concat());
        for (key, value) in settings {
            command.env(variable(key), value);
        }
        world.run(&mut command).exits(2).says(&[code]);
    }
}

#[test]
fn f266_no_pattern_and_no_text_takes_more_than_linear_time() {
    // A quadratic search of a megabyte would take minutes.
    let world = World::new("");
    for (number, piece) in ["eyJ-", "password=\"", "://a:", "sk-ant-sk-proj-"].iter().enumerate() {
        world.work().write(&format!("{number}.txt"), piece.repeat((1 << 20) / piece.len()));
    }
    let packed = with(&world, &[], &["pack", "-q", "--budget", "1k"]);
    assert_eq!(list(&packed["omitted"]).len() + list(&packed["files"]).len(), 4);
    // What would need unbounded memory is refused with the pattern's name.
    world.work().write("loadline.toml", "[memory]\npreserve = ['(a{900}){900}{900}']\n");
    world.work().write(".claude/plans/features/a/notes.md", "hello\n");
    let wrong = run(&world, &["feature", "compact", "a", "--dry-run"]).says(&["memory.preserve"]);
    assert_ne!(wrong.code, 0, "{wrong}");
}

#[test]
fn f277_ranking_without_a_model_and_budgets_by_model() {
    let world = World::new("//- /src/session.py\ndef expire(): pass\n//- /src/color.py\nRED = 1\n");
    let packed = json(&world, &["pack", "-q", "--task", "sessions expire", "--budget", "200"]);
    assert_eq!(packed["files"][0]["path"], "src/session.py");
    let window = |name: &str| json(&world, &["models", name])["budget"]["window"].clone();
    assert_ne!(window("gpt-4o"), window("gemini-2.5-pro"));
    let facts = json(&world, &["cache", "info"])["facts"].clone();
    assert_ne!(facts, Value::Array(Vec::new()), "what was learned is kept");
}
