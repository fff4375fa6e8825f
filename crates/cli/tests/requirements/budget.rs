//! Budgets, F016 to F030: windows, reserves, margins, shares and presets.

use serde_json::{Value, json};

use super::{variable, with};
use crate::common::{World, loadline, run};

/// The budget that `loadline models generic` shows under these settings.
fn budget(settings: &[(&str, &str)]) -> Value {
    with(&World::new(""), settings, &["models", "generic"])["budget"].clone()
}

fn preset(name: &str, settings: &[(&str, &str)]) -> Value {
    let mut all = vec![("budget.preset", name)];
    all.extend(settings);
    budget(&all)
}

#[test]
fn f016_f029_the_window_less_reserves_times_a_margin() {
    let of = |settings: &[(&str, &str)]| preset("files", settings)["available"].clone();
    assert_eq!(of(&[]), 83_613);
    assert_eq!(of(&[("budget.window", "200k")]), 173_613);
    assert_eq!(of(&[("budget.window", "8k")]), 813);
    let own = [
        ("budget.window", "16k"),
        ("budget.system_reserve", "5000"),
        ("budget.response_reserve", "2048"),
        ("budget.margin", "0.8"),
    ];
    assert_eq!(of(&own), 7_161);
    // Without a margin of its own, it follows the precision of the counter.
    for (counter, margin) in [("o200k", 1.0), ("calibrated", 0.97), ("heuristic", 0.9)] {
        assert_eq!(budget(&[("counter", counter)])["margin"], margin, "{counter}");
    }
}

#[test]
fn f012_f017_sums_that_overflow_or_leave_nothing_are_errors() {
    let world = World::new("//- /a.txt\nx\n");
    let mut command = loadline(&world, &["pack", "--model", "gpt-4"]);
    world
        .run(command.env(variable("budget.response_reserve"), "10000"))
        .exits(2)
        .prints("")
        .says(&["LL-BUD-005", "window 8192, reserves 12000"]);
    // What is held back by default leaves something of every window.
    let small = with(&world, &[], &["pack", "--model", "gpt-4"]);
    assert_eq!(small["budget"], 8_192 - 2_048 - 2_000, "{small:#}");
    let huge = "18446744073709551615";
    let mut command = loadline(&world, &["pack"]);
    command.env("LOADLINE_BUDGET_RESPONSE_RESERVE", "9223372036854775807");
    command.env("LOADLINE_BUDGET_SYSTEM_RESERVE", "9223372036854775807");
    world.run(&mut command).exits(2);
    for wrong in ["-1", &format!("{huge}0")] {
        run(&world, &["pack", "--budget", wrong]).exits(2);
    }
}

#[test]
fn f018_f019_the_window_is_the_models_unless_it_is_set() {
    let world = World::new("");
    let window = |name: &str, settings: &[(&str, &str)]| {
        with(&world, settings, &["models", name])["budget"]["window"].clone()
    };
    assert_eq!(window("claude-sonnet-4-5", &[]), 200_000);
    assert_eq!(window("gpt-4o", &[]), 128_000);
    assert_eq!(window("gemini-2.5-pro", &[]), 1_048_576);
    assert_eq!(window("gpt-4o", &[("budget.window", "50k")]), 50_000);
    // The windows of presets are for those who name no model.
    let packer = [("budget.preset", "packer")];
    assert_eq!(window("generic", &packer), 100_000);
    assert_eq!(window("gpt-4o", &packer), 128_000);
}

#[test]
fn f020_the_workflow_preset() {
    let budget = preset("workflow", &[]);
    assert_eq!(budget["available"], 96_000);
    assert_eq!(budget["reserves"]["response"], 4_000);
    let shares = json!({
        "system": 500, "design": 1_000, "types": 2_000, "current": 2_000,
        "messages": 20_000, "buffer": 70_500,
    });
    assert_eq!(budget["shares"], shares);
}

#[test]
fn f022_the_session_preset_is_cut_in_percent_of_the_window() {
    let budget = preset("session", &[]);
    assert_eq!(budget["reserves"]["response"], 90_000);
    let shares = json!({
        "system_prompt": 10_000, "skills": 6_000, "knowledge_base": 6_000, "cross_issue": 4_000,
        "session_summary": 20_000, "session_recent": 60_000, "current_prompt": 4_000,
    });
    assert_eq!(budget["shares"], shares);
    let half = preset("session", &[("session.total", "99999")]);
    assert_eq!(half["shares"]["skills"], 2_999, "rounded down");
}

#[test]
fn f024_f025_the_packer_preset_and_its_shares() {
    let budget = preset("packer", &[]);
    assert_eq!(budget["available"], 90_000);
    let shares = json!({
        "tool_results": 36_000, "open_files": 27_000, "search_results": 18_000,
        "references": 9_000,
    });
    assert_eq!(budget["shares"], shares);
    let other = [("budget.system_reserve", "8k"), ("budget.response_reserve", "15k")];
    assert_eq!(preset("packer", &other)["available"], 77_000);
    let world = World::new("//- /loadline.toml\n[budget.shares]\ntool_results = '40%'\n");
    run(&world, &["models", "generic"]).exits(2).says(&["add up to 100%"]);
}

#[test]
fn f030_the_notes_of_a_feature_have_80000_tokens() {
    assert_eq!(preset("feature", &[])["available"], 80_000);
    let other = [("memory.max_tokens", "57600")];
    assert_eq!(preset("feature", &other)["available"], 57_600);
    let world = World::new("//- /.claude/plans/features/login/notes.md\nhello\n");
    let status = with(&world, &[], &["feature", "status", "login", "--tokens"]);
    assert_eq!(status["max_tokens"], 80_000);
}

#[test]
fn f022_shares_of_a_preset_fill_a_prompt() {
    let world = World::new("");
    let words = |count: usize| vec!["word"; count].join(" ");
    let sources = json!({"sources": [
        {"name": "skills", "items": [{"text": words(20)}, {"text": words(20)}]},
        {"name": "session_recent", "items": [{"text": words(50)}]},
    ]});
    world.work().write("sources.json", sources.to_string());
    let settings = [("budget.preset", "session"), ("session.total", "1000")];
    let filled = with(&world, &settings, &["window", "fill", "sources.json"]);
    assert_eq!(filled["budget"], 550, "55 of 100 are not for the reply");
    assert_eq!(filled["sources"][0]["share"], 30);
    assert_eq!(filled["sources"][1]["share"], 300);
}

#[test]
fn f241_a_fresh_start_keeps_what_the_next_session_needs() {
    let world = World::new(
        "
        //- /.claude/plans/features/login/tasks.md
        # Progress

        - [x] form
        - [ ] tokens expire

        ## Decision: sessions live in Redis
        ",
    );
    // A handoff must save tokens to be written, so that the notes must be long.
    let diary: String =
        (0..200).map(|it| format!("The weather of day {it} was fine.\n\n")).collect();
    world.work().write(".claude/plans/features/login/diary.md", diary);
    run(&world, &["feature", "compact", "login", "--level", "handoff", "--tokens", "600"]).exits(0);
    let handoff = world.work().read(".claude/plans/features/login/handoff.md");
    for part in ["form", "tokens expire", "sessions live in Redis"] {
        assert!(handoff.contains(part), "{handoff}");
    }
}

#[test]
fn f278_items_that_a_later_round_scores_higher_come_first() {
    let world = World::new("");
    let chosen = |scores: [u32; 2]| {
        let sources = json!({"sources": [{"name": "files", "items": [
            {"name": "cache.rs", "text": "one two three four five", "score": scores[0]},
            {"name": "limit.rs", "text": "six seven eight nine ten", "score": scores[1]},
        ]}]});
        world.work().write("sources.json", sources.to_string());
        let filled = with(&world, &[], &["window", "fill", "sources.json", "--budget", "12"]);
        filled["content"].as_str().unwrap().contains("six")
    };
    assert!(!chosen([2, 1]));
    assert!(chosen([2, 3]));
}
