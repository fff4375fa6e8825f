use super::super::testing::{feature, options};
use super::super::{measure_feature, plan_compaction, plan_features};
use super::*;
use crate::Diagnose;
use crate::budget::{Ladder, Pressure};
use crate::cache::Cache;
use crate::notes::Features;

const PROGRESS: &str = "# Progress ##\n\n- **Done**: login\n\nBash output: ls\na\nb\nc\nd and more of it\n\n## Decision: PostgreSQL for sessions\n\nRedis would be one more service.\n\n## Blockers\n\n- No test account\n\n## Files Modified\n\n- `src/auth.ts`\n";
const TASKS: &str = "# Tasks\n\n- [x] login\n  - with mail\n- [ ] logout\n- [~] reset\n";
const STATE: &str = "{\n  \"filesModified\": [\"src/api.ts\"],\n  \"other\": 1\n}\n";

fn long() -> String {
    let lines = (0..400).map(|it| format!("Paragraph {it} tells what was tried on that day.\n\n"));
    lines.collect()
}

fn plan_of(level: Level) -> (tempfile::TempDir, Feature, CompactionPlan) {
    let research = long();
    let files = [
        ("progress.md", PROGRESS),
        ("tasks.md", TASKS),
        ("state.json", STATE),
        ("research.md", research.as_str()),
    ];
    let (directory, feature) = feature(&files);
    let plan = plan_compaction(&feature, Some(level), &options()).unwrap();
    (directory, feature, plan)
}

#[test]
fn f185_levels_begin_at_their_lower_bound() {
    for (tokens, want) in [
        (0, Level::Raw),
        (69_999, Level::Raw),
        (70_000, Level::Compact),
        (84_999, Level::Compact),
        (85_000, Level::Summarize),
        (95_000, Level::Handoff),
        (200_000, Level::Handoff),
    ] {
        let mut options = options();
        options.max_tokens = Tokens::new(100_000);
        assert_eq!(level_of(Tokens::new(tokens), &options), want, "{tokens}");
    }
}

#[test]
fn f186_a_level_knows_what_to_say() {
    let said: Vec<(&str, bool)> =
        Level::ALL.iter().map(|it| (it.recommendation(), it.can_continue())).collect();
    let want = [
        ("Continue normally", true),
        ("Consider compaction to free up space", true),
        ("Summarization recommended to continue safely", true),
        ("Context limit reached. Create handoff document and start new session", false),
    ];
    assert_eq!(said, want);
    let error = "all".parse::<Level>().unwrap_err();
    assert_eq!(error.code(), "LL-MEM-004");
}

#[test]
fn f187_own_outputs_do_not_count() {
    let (directory, feature) = feature(&[
        ("a.md", "one two three"),
        ("b.json", "{}"),
        ("handoff.md", "much more"),
        ("c.txt", "no note"),
        (".hidden.md", "no note"),
    ]);
    std::fs::create_dir(feature.path(".compaction")).unwrap();
    std::fs::create_dir(feature.path("deep.md")).unwrap();
    let options = options();
    let status = measure_feature(&feature, &options, &Cache::disabled()).unwrap();
    let names: Vec<&str> = status.files.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a.md", "b.json"]);
    let count = |text: &str| options.counter.count(text).get();
    let want = count("one two three") + count("\n\n") + count("{}");
    assert_eq!(status.tokens.get(), want);
    drop(directory);
}

#[test]
fn f187_odd_files_cost_a_note() {
    let (_directory, feature) = feature(&[("a.md", "text")]);
    std::fs::write(feature.path("b.md"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    std::fs::write(feature.path("c.md"), b"caf\xe9 na\xefve and so on").unwrap();
    let status = measure_feature(&feature, &options(), &Cache::disabled()).unwrap();
    assert!(status.notes.iter().any(|it| it.subject == "b.md"), "{:?}", status.notes);
    let plan = plan_compaction(&feature, Some(Level::Compact), &options()).unwrap();
    assert!(plan.notes.iter().any(|it| it.subject == "c.md"), "{:?}", plan.notes);
}

#[test]
fn f222_what_is_recorded_does_not_count_and_the_rest_stays() {
    let (_directory, feature) = feature(&[("state.json", STATE)]);
    let options = options();
    let store = Cache::disabled();
    let before = measure_feature(&feature, &options, &store).unwrap();
    assert!(super::super::record_usage(&feature, &before, options.now).unwrap());
    let text = std::fs::read_to_string(feature.path("state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["other"], 1);
    assert_eq!(state["tokenUsage"]["currentTokens"], before.tokens.get());
    assert_eq!(state["tokenUsage"]["lastChecked"], "2024-01-25T15:30:00Z");
    assert!(text.starts_with("{\n  \"filesModified\": [\"src/api.ts\"],\n  \"other\": 1,\n"));
    let after = measure_feature(&feature, &options, &store).unwrap();
    assert_eq!(after.tokens, before.tokens);
}

#[test]
fn f191_without_a_level_the_one_that_is_reached_is_planned() {
    let (_directory, feature, plan) = plan_of(Level::Raw);
    assert!(plan.is_empty());
    let mut options = options();
    for (percent, want) in
        [(50, Level::Raw), (75, Level::Compact), (90, Level::Summarize), (99, Level::Handoff)]
    {
        options.max_tokens = Tokens::new(plan.tokens_before.get() * 100 / percent);
        let plan = plan_compaction(&feature, None, &options).unwrap();
        assert_eq!(plan.level, want);
        assert_eq!(plan.is_empty(), want == Level::Raw);
    }
}

#[test]
fn f195_the_preset_acts_earlier() {
    let pressure = Pressure::new(Tokens::new(93), Tokens::new(100)).unwrap();
    assert_eq!(Level::of_step(Ladder::proactive().step(&pressure)), Level::Handoff);
    assert_eq!(Level::of_step(Ladder::memory().step(&pressure)), Level::Summarize);
}

#[test]
fn f192_a_plan_writes_nothing_and_counts_in_memory() {
    let (_directory, feature, plan) = plan_of(Level::Compact);
    assert!(plan.tokens_after < plan.tokens_before);
    assert!(!plan.saved().is_zero());
    let text = std::fs::read_to_string(feature.path("progress.md")).unwrap();
    assert_eq!(text, PROGRESS);
    let change = &plan.changes[0];
    assert_eq!(change.name, "progress.md");
    let after = String::from_utf8(change.after.clone().unwrap()).unwrap();
    assert!(after.contains("## Decision: PostgreSQL for sessions\n"), "{after}");
    assert!(after.contains("[Tool output removed]"), "{after}");
    // Nothing that counts grew, and applying it has the effect that it says.
    std::fs::write(feature.path("progress.md"), after).unwrap();
    let status = measure_feature(&feature, &options(), &Cache::disabled()).unwrap();
    assert_eq!(status.tokens, plan.tokens_after);
}

#[test]
fn f198_a_summary_takes_the_place_of_the_notes() {
    let (_directory, _feature, plan) = plan_of(Level::Summarize);
    let document = plan.document.clone().unwrap();
    let want = "# Summary: login (2024-01-25)\n\n## Completed\n- login\n\n## In Progress\n- reset\n\n## Next Steps\n- logout\n\n## Blocking Issues\n- No test account\n\n## Key Decisions\n1. PostgreSQL for sessions — Redis would be one more service.\n\n## Files Modified (2 total)\n- src/auth.ts\n- src/api.ts\n";
    assert_eq!(document, want);
    let names: Vec<(&str, bool)> =
        plan.changes.iter().map(|it| (it.name.as_str(), it.after.is_some())).collect();
    let want =
        [("progress.md", false), ("research.md", false), ("summary.md", true), ("tasks.md", true)];
    assert_eq!(names, want);
    let tasks = plan.changes[3].after.clone().unwrap();
    assert_eq!(tasks, b"# Tasks\n\n- [ ] logout\n- [~] reset\n");
    assert!(plan.tokens_after.get() * 5 < plan.tokens_before.get());
}

#[test]
fn f199_open_tasks_stay_whatever_they_say() {
    let text =
        "- [ ] support [x] boxes\n- [x] done\n  - [ ] but this is open\n  detail\n- [ ] last\n";
    let want = "- [ ] support [x] boxes\n  - [ ] but this is open\n- [ ] last\n";
    assert_eq!(open_tasks(text).as_deref(), Some(want));
    assert_eq!(open_tasks("- [ ] a\n"), None);
}

#[test]
fn f201_a_summary_says_what_it_preserved_and_that_something_is_lost() {
    let (_directory, _feature, plan) = plan_of(Level::Summarize);
    assert_eq!(plan.preserved_decisions.len(), 1);
    assert_eq!(plan.preserved_files, ["src/auth.ts", "src/api.ts"]);
    assert!(plan.information_loss);
    assert_eq!(plan.items().filter(|it| it.kind == ItemKind::OldContent).count(), 3);
}

#[test]
fn f197_a_summary_that_is_no_shorter_is_not_planned() {
    let (_directory, feature) = feature(&[("a.md", "- [ ] one\n")]);
    let plan = plan_compaction(&feature, Some(Level::Summarize), &options()).unwrap();
    assert!(plan.is_empty());
    assert_eq!(plan.tokens_after, plan.tokens_before);
    assert_eq!(plan.notes.len(), 1);
}

#[test]
fn f203_a_handoff_has_its_sections() {
    let (_directory, _feature, plan) = plan_of(Level::Handoff);
    let document = plan.document.clone().unwrap();
    let want = "# HANDOFF DOCUMENT: login\nGenerated: 2024-01-25T15:30:00Z\n\n## CURRENT TASK\nreset\n\n## COMPLETED\n✅ login\n\n## IN PROGRESS\n🔄 reset\n\n## NEXT STEPS\n1. logout\n\n## FILES MODIFIED (2)\n- src/auth.ts\n- src/api.ts\n\n## BLOCKING ISSUES\n- No test account\n\n## KEY DECISIONS & CONSTRAINTS\n1. PostgreSQL for sessions — Redis would be one more service.\n\n## CONTEXT FOR NEXT SESSION\nNone\n";
    assert_eq!(document, want);
    assert!(plan.tokens_after.get() * 5 < plan.tokens_before.get());
}

#[test]
fn f204_f241_a_handoff_after_a_handoff_loses_nothing() {
    let (_directory, feature) = feature(&[("tasks.md", "- [x] logout\n- [ ] mail\n")]);
    let older = "# HANDOFF DOCUMENT: login\n\n## NEXT STEPS\n1. logout\n2. reset\n\n## KEY DECISIONS & CONSTRAINTS\n1. PostgreSQL\n";
    std::fs::write(feature.path("handoff.md"), older).unwrap();
    let mut options = options();
    options.changed_files = vec!["src/by-git.ts".to_owned()];
    let plan = plan_compaction(&feature, Some(Level::Handoff), &options).unwrap();
    let facts = parse_handoff(plan.document.as_deref().unwrap()).facts;
    assert_eq!(facts.next_steps, ["mail", "reset"]);
    assert_eq!(facts.completed, ["logout"]);
    assert_eq!(facts.decisions, ["PostgreSQL"]);
    assert_eq!(facts.files, ["src/by-git.ts"]);
}

#[test]
fn f196_names_stay_inside() {
    let (directory, _feature) = feature(&[]);
    let features = Features::new(directory.path());
    for name in ["", "..", "a/b", "a b", "../login", "login\0", "lögin"] {
        let error = features.feature(name).unwrap_err();
        assert_eq!(error.code(), "LL-MEM-001", "{name}");
    }
    let error = features.feature("logout").unwrap_err();
    assert_eq!(error.code(), "LL-MEM-002");
    assert_eq!(error.hint().as_deref(), Some("known features: login"));
    assert_eq!(features.list().unwrap(), ["login"]);
}

#[cfg(unix)]
#[test]
fn f196_links_do_not_lead_out() {
    let (directory, _feature) = feature(&[("a.md", "x")]);
    let outside = tempfile::tempdir().unwrap();
    let root = directory.path();
    std::fs::write(outside.path().join("secret.md"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
    let beside = format!("{}-old", root.display());
    std::fs::create_dir(&beside).unwrap();
    std::os::unix::fs::symlink(&beside, root.join("near")).unwrap();
    let features = Features::new(root);
    for name in ["out", "near"] {
        assert_eq!(features.feature(name).unwrap_err().code(), "LL-MEM-003");
    }
    std::fs::remove_dir(&beside).unwrap();
    let feature = features.feature("login").unwrap();
    let secret = outside.path().join("secret.md");
    std::os::unix::fs::symlink(secret, feature.path("link.md")).unwrap();
    let (names, notes) = feature.files().unwrap();
    assert_eq!(names, ["a.md"]);
    assert_eq!(notes.len(), 1);
}

#[test]
fn f272_the_feature_that_saves_most_is_compacted_first() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::create_dir(directory.path().join(name)).unwrap();
        std::fs::write(directory.path().join(name).join("a.md"), text).unwrap();
    };
    write("small", "- **Done**: one\n- **Done**: two\n");
    write("large", &"- **Done**: one\n\n\n\n- **Next**: two\n\n".repeat(40));
    let features = Features::new(directory.path());
    let options = options();
    let plans = plan_features(&features, Tokens::MAX, &options).unwrap();
    assert!(plans.is_empty());
    let total =
        |plans: &[CompactionPlan]| plans.iter().map(|it| it.tokens_before.get()).sum::<u64>();
    let all = plan_features(&features, Tokens::ZERO, &options).unwrap();
    assert_eq!(all[0].feature, "large");
    let some = plan_features(&features, Tokens::new(total(&all) - 1), &options).unwrap();
    assert_eq!(some.len(), 1);
    assert_eq!((some[0].feature.as_str(), some[0].level), ("large", Level::Compact));
}

#[test]
fn f202_a_long_project_memory_is_compressed_to_600_lines() {
    let section = |it: usize| {
        format!("## Day {it}\n\n- [ ] task {it}\n\nline {it} a\nline {it} b\nline {it} c\n\n")
    };
    let text: String = (0..100).map(section).collect();
    let memory = super::super::compress_memory(&text, &options());
    assert!(!memory.warn && memory.text == text);
    let text: String = (0..120).map(section).collect();
    assert!(super::super::compress_memory(&text, &options()).warn);
    let text: String = (0..200).map(section).collect();
    let memory = super::super::compress_memory(&text, &options());
    assert!(memory.lines_after <= 700 && memory.lines_after > 500, "{}", memory.lines_after);
    assert!(memory.text.contains("## Day 0\n") && memory.text.contains("- [ ] task 0\n"));
    assert!(memory.text.contains("line 199 c\n") && !memory.text.contains("line 0 a\n"));
    assert_eq!(memory.dropped.first().map(String::as_str), Some("Day 0"));
}
