//! `loadline feature status`, `context status`, `context report` and `check --features`

use crate::common::{World, json, loadline, parsed, run};

const NOW: &str = "2024-01-25T14:30:00Z";

/// One feature per level of a budget of 100 tokens, and one of each kind of note.
fn world() -> World {
    let words = |count: usize| "word ".repeat(count);
    let files = [
        ("feature-a/progress.md", words(20)),
        ("feature-b/progress.md", words(74)),
        ("feature-c/progress.md", words(89)),
        ("feature-d/progress.md", words(99)),
        ("login/tasks.md", "- [x] login page\n- [ ] logout\n".to_owned()),
        ("login/notes.md", "## Decision: PostgreSQL\n\nOne service less.\n".to_owned()),
        (
            "login/state.json",
            "{\n  \"filesModified\": [\"src/a.ts\"],\n  \"lastCompaction\": {\"timestamp\": \"2024-01-24T10:15:00Z\", \"level\": \"compact\", \"tokensBefore\": 18670, \"tokensAfter\": 10220, \"savedTokens\": 8450}\n}\n".to_owned(),
        ),
        (
            "login/.compaction/history/compact_2024-01-24.json",
            r#"{"id":"compact_1706091300","timestamp":"2024-01-24T10:15:00Z","level":"compact","tokensBefore":18670,"tokensAfter":10220,"savedTokens":8450,"files":[],"canRevert":true,"expiresAt":"2024-01-25T22:15:00Z"}"#.to_owned(),
        ),
    ];
    let world = World::new("//- /README.md\n# Project\n");
    for (name, text) in files {
        world.work().write(&format!(".claude/plans/features/{name}"), text);
    }
    world
}

fn args<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [rest, &["--now", NOW, "--counter", "o200k"]].concat()
}

#[test]
fn f232_the_tokens_of_a_feature_are_shown() {
    let world = world();
    let shown =
        run(&world, &args(&["feature", "status", "login", "--tokens", "--max-tokens", "60"]))
            .exits(0)
            .shows(&[
                "%)\n  Max: 60 tokens\n  Level: ",
                ")\n  Last Checked: 2024-01-25 14:30:00\n",
            ]);
    let want =
        "📊 Feature Status: login\n━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n🔢 Token Usage:\n  Current: ";
    assert!(shown.stdout.starts_with(want), "{shown}");
    let last = "\n📦 Last Compaction:\n  Timestamp: 2024-01-24 10:15:00\n  Level: compact\n  Saved: 8,450 tokens (18,670 → 10,220)\n";
    assert!(shown.stdout.contains(last), "{shown}");
    let history = "compact_1706091300: compact, 8,450 tokens saved, can be reverted until 2024-01-25 22:15:00\n";
    assert!(shown.stdout.contains(history), "{shown}");
}

#[test]
fn f222_f223_status_writes_token_usage_and_nothing_else() {
    let world = world();
    let path = world.home().join("work/.claude/plans/features/login/state.json");
    let before = std::fs::read_to_string(&path).unwrap();
    let document = json(&world, &args(&["feature", "status", "login"]));
    assert_eq!(document["feature"], "login");
    assert_eq!(document["can_continue"], true);
    assert_eq!(document["recommendation"], "Continue normally");
    assert_eq!(document["last_compaction"]["saved_tokens"], 8_450);
    assert_eq!(document["files"].as_array().unwrap().len(), 3);
    let after = std::fs::read_to_string(&path).unwrap();
    let state = parsed(&after);
    assert_eq!(state["tokenUsage"]["currentTokens"], document["current_tokens"]);
    assert_eq!(state["tokenUsage"]["lastChecked"], NOW);
    let kept = before.trim_end().trim_end_matches('}').trim_end();
    assert!(after.starts_with(kept), "{after}");
    // What it wrote itself does not count.
    let again = json(&world, &args(&["feature", "status", "login"]));
    assert_eq!(again["current_tokens"], document["current_tokens"]);
    let document = json(&world, &args(&["feature", "status", "login"]));
    assert_eq!(document["last_compaction"]["level"], "compact");
    assert_eq!(document["history"][0]["saved_tokens"], 8_450);
}

#[test]
fn a_feature_is_shown_with_its_tasks() {
    let world = world();
    let focus = world.home().join("work/.claude/active-focus.md");
    std::fs::write(focus, "# Focus\n\nfeature: login\n").unwrap();
    run(&world, &args(&["feature", "status"])).shows(&[
        "Current task: logout\n1 done, 0 in progress, 1 to come; 1 decision, 0 blockers\n",
        "  tasks.md\n",
    ]);
}

#[test]
fn f234_all_features_are_shown_with_their_levels() {
    let world = world();
    let root = world.home().join("work/.claude/plans/features");
    let _ = std::fs::remove_dir_all(root.join("login"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("/", root.join("out")).unwrap();
    let shown = run(&world, &args(&["context", "status", "--max-tokens", "100"])).exits(0);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[..2], ["📊 Context Status - All Features", ""]);
    let starts = ["✅ feature-a: 2", "⚠️  feature-b: 7", "🔶 feature-c: 9", "🔴 feature-d: "];
    let ends = ["%) - RAW", "%) - COMPACT", "%) - SUMMARIZE", "%) - HANDOFF"];
    for (line, (start, end)) in lines[2..].iter().zip(starts.iter().zip(ends)) {
        assert!(line.starts_with(start) && line.ends_with(end), "{line}");
        assert!(line.contains(" tokens ("), "{line}");
    }
    #[cfg(unix)]
    assert!(lines[6].starts_with("⚪ out: "), "{shown}");
}

#[test]
fn f195_f272_levels_can_begin_earlier_and_a_budget_says_what_to_compact_first() {
    let world = world();
    let level = |more: &[&str]| {
        let all = [&["context", "status", "--max-tokens", "80"], more].concat();
        json(&world, &args(&all))["features"][1]["level"].clone()
    };
    assert_eq!(level(&[]), "summarize");
    assert_eq!(level(&["--proactive"]), "handoff");
    run(&world, &args(&["context", "status", "--budget", "50"]))
        .shows(&["tokens together, at most 50 wanted\n"]);
    let document = json(&world, &args(&["context", "status", "--budget", "1m"]));
    assert_eq!(document["compact"].as_array().unwrap().len(), 0);
    assert!(document["total_tokens"].as_u64().unwrap() > 200);
}

#[test]
fn f274_savings_are_reported_and_drawn() {
    let world = world();
    let shown = run(&world, &args(&["context", "report"])).exits(0);
    let want = "1 compaction of notes, 8,450 tokens saved\n  2024-01-24 10:15:00  login: compact, 18,670 → 10,220\n";
    assert!(shown.stdout.contains(want), "{shown}");
    let document = json(&world, &args(&["context", "report"]));
    assert_eq!(document["savings"]["saved_tokens"], 8_450);
    run(&world, &args(&["context", "report", "--html", "report.html"])).exits(0);
    let page = std::fs::read_to_string(world.home().join("work/report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
}

#[test]
fn f275_f276_a_gate_for_all_features_names_a_bad_file_of_budgets() {
    let world = world();
    let root = world.home().join("work");
    std::fs::write(
        root.join("budgets.toml"),
        "max_percent = 95\n[features.feature-a]\nmax_tokens = 10\n[teams.core]\nfeatures = ['feature-*']\nmax_tokens = '1k'\n",
    )
    .unwrap();
    run(&world, &args(&["check", "--features"])).exits(0).shows(&["ok: feature login: "]);
    run(&world, &args(&["check", "--budgets", "budgets.toml"]))
        .exits(3)
        .shows(&["ok: team core: ", "over: feature feature-a: "]);
    run(&world, &args(&["check", "--budgets", "budgets.toml", "--format", "github"]))
        .begins("::error file=.claude/plans/features/feature-a,");
    let sarif =
        run(&world, &args(&["check", "--budgets", "budgets.toml", "--format", "sarif"])).exits(3);
    assert!(serde_json::from_str::<serde_json::Value>(&sarif.stdout).is_ok(), "{sarif}");
    run(&world, &args(&["check", "--features", "--format", "json", "--max-tokens", "10"]))
        .exits(3)
        .shows(&["\"ok\": false"]);
    let path = world.home().join("work/budgets.toml");
    std::fs::write(path, "[teams.core]\nmax_tokens = 'many'\n").unwrap();
    run(&world, &args(&["check", "--budgets", "budgets.toml"]))
        .exits(2)
        .says(&["error[LL-MEM-008]"]);
    run(&world, &args(&["check", "--budgets", "gone.toml"])).exits(1);
}

#[test]
fn f196_bad_names_and_roots_outside_of_a_project_are_refused() {
    let world = world();
    run(&world, &["feature", "status", "../login"]).exits(2).says(&["error[LL-MEM-001]"]);
    run(&world, &["feature", "status", "gone"]).exits(1).says(&["known features: feature-a, "]);
    run(&world, &["feature", "status"]).exits(2);
    let path = world.home().join("work/loadline.toml");
    std::fs::write(path, "[memory]\nroot = '../elsewhere'\n").unwrap();
    run(&world, &["context", "status"]).exits(2).says(&["LL-CLI-027"]);
}

#[cfg(unix)]
#[test]
fn f273_a_watch_shows_changes_and_ends_on_ctrl_c() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let world = world();
    let all = args(&["context", "status", "--watch"]);
    let mut child = loadline(&world, &all).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut until =
        |end: &str| lines.by_ref().map(Result::unwrap).find(|it| it.contains(end)).unwrap();
    until("login: ");
    let note = world.home().join("work/.claude/plans/features/feature-a/more.md");
    std::fs::write(note, "word ".repeat(500)).unwrap();
    let line = until("feature-a: 5");
    assert!(line.contains(" tokens ("), "{line}");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert!(child.wait().unwrap().success());
}
