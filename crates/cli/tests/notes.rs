//! `loadline notes`: reading, levels, documents and briefs

use serde_json::Value;

use crate::common::{Run, World, json, list, names, parsed, piped, run};
use crate::feature::{NOW, ROOT, at, files};

/// A project with one feature.
fn feature(notes: &[(&str, &str)]) -> World {
    let world = World::new("//- /.claude/active-focus.md\nfeature: login\n");
    for (name, text) in notes {
        world.work().write(&format!("{ROOT}/login/{name}"), text);
    }
    world
}

fn document(args: &[&str], world: &World) -> Value {
    json(world, &[args, &NOW[..], &["-c", "o200k"]].concat())
}

/// Compacts the notes of the feature, and returns what that says.
fn compact(level: &str, more: &[&str], world: &World) -> Value {
    document(&[&["notes", "compact", "login", "--level", level], more].concat(), world)
}

/// Where the feature's notes stand.
fn tokens(world: &World) -> u64 {
    document(&["notes", "status", "login"], world)["current_tokens"].as_u64().unwrap()
}

/// What Claude Code is told at an event.
fn hook(world: &World, moment: &str, event: &str) -> Run {
    let event = serde_json::json!({"session_id": "a", "cwd": world.work().root(), "hook_event_name": event, "source": "startup"});
    let args = [&["hook", "claude-code", moment][..], &NOW].concat();
    piped(world, &args, event.to_string())
}

/// Lines that are worth nothing, to make notes long.
fn filler(lines: usize) -> String {
    let line = |it: usize| format!("The {it}th remark of that day tells what the weather was.\n\n");
    (0..lines).map(line).collect()
}

/// The example of the design: verbose progress.
const VERBOSE: &str = "# Progress Update - 2024-01-15\n\nToday we made significant progress on the authentication feature.\nWe implemented the following features:\n- User login endpoint\n- Password hashing with bcrypt\n- JWT token generation\n\nTomorrow we plan to:\n- Add refresh tokens\n- Write integration tests\n";

#[test]
fn f185_f186_levels_begin_at_their_lower_bound() {
    let words = "word ".repeat(100);
    let world = feature(&[("progress.md", &words)]);
    let tokens = tokens(&world);
    for (percent, level, says, on) in [
        (69, "raw", "Continue normally", true),
        (70, "compact", "Consider compaction to free up space", true),
        (85, "summarize", "Summarization recommended to continue safely", true),
        (
            95,
            "handoff",
            "Context limit reached. Create handoff document and start new session",
            false,
        ),
    ] {
        // The largest budget of which the notes are at least that share.
        let most = (tokens * 100 / percent).to_string();
        let status = document(&["notes", "status", "login", "--max-tokens", &most], &world);
        assert_eq!(status["level"], level, "{percent}");
        assert_eq!(
            (&status["recommendation"], &status["can_continue"]),
            (&says.into(), &on.into())
        );
    }
}

#[test]
fn f187_notes_are_counted_and_other_files_are_not() {
    let world = feature(&[
        ("a.md", "one two three"),
        ("b.json", "{}"),
        ("claude-progress.txt", "four"),
        ("handoff.md", "my own"),
        ("picture.png", "no note"),
        (".hidden.md", "no note"),
    ]);
    world.work().write(&format!("{ROOT}/login/c.md"), b"\x89PNG\r\n\x1a\n\0\0");
    let status = parsed(&at(&world, &["notes", "status", "login", "--json"]).stdout);
    let files = names(&status["files"], "name");
    assert_eq!(files, ["a.md", "b.json", "claude-progress.txt", "handoff.md"]);
    assert_eq!(status["remarks"][0]["subject"], "c.md");
}

#[test]
fn f199_notes_are_read_as_people_write_them_and_what_says_nothing_is_no_unit() {
    is_read(
        "tasks.md",
        "- [x] sign in\n- [ ] sign out\n- [~] reset\n",
        "done:sign in|next:sign out|current:reset",
    );
    is_read(
        "state.json",
        r#"{"tasks": [{"title": "mail", "status": "completed"}, {"title": "form", "status": "in_progress"}], "filesModified": ["src/a.ts"]}"#,
        "done:mail|current:form|file:src/a.ts",
    );
    is_read(
        "log.jsonl",
        "{\"task\": \"mail\", \"done\": true}\n{\"nextSteps\": [\"form\"]}\n",
        "next:form",
    );
    for (text, want) in [
        ("**Next steps:**\n- mail\n", "next:mail"),
        (
            "We implemented the following:\n- login\n\nTomorrow we plan to:\n- mail\n",
            "done:login|next:mail",
        ),
        ("## In Progress\nThe form is half done.\n", "current:The form is half done."),
        ("## Decision: PostgreSQL\nOne service less.\n", "decision:One service less."),
        ("Blocked by: the mail account\n", "blocker:Blocked by: the mail account"),
        (
            "| Task | State |\n|---|---|\n| mail | ✅ Done |\n| form | pending |\n",
            "done:mail | ✅ Done|next:form | pending",
        ),
        ("```markdown\n# Plan\n## Next\n- mail\n```\n", "next:mail"),
        ("## 下一步\r\n- 邮件登录\r\n", "next:邮件登录"),
        ("## Next\n- [DONE] sign in\n- [保留] reset\n", "done:[DONE] sign in|next:[保留] reset"),
        // The title of a file says little about its sections.
        ("# Progress\nPhase 1\n\n## Stack\n- Rust\n", "done:Phase 1|other:Rust"),
        ("# TODO\n## Mail\n- a link\n", "next:a link"),
        ("## Nächste Schritte\n- Anmeldung prüfen\n", "next:Anmeldung prüfen"),
        ("---\nstatus: phase 3 of 5\n---\n", "current:status: phase 3 of 5"),
        (
            "## Next\n- one thing to do\n\n## Log\n- [x] one thing to do\n",
            "done:one thing to do|done:one thing to do",
        ),
        (
            "## Next\n- [HIGH] Write the parser:\n  - Read a file\n\n## Log\n- [COMPLETED] ✅ Write the parser\n",
            "done:[HIGH] Write the parser:|done:Read a file|done:[COMPLETED] ✅ Write the parser",
        ),
        ("## Blockers\nNone\n", ""),
        ("## Blockers\n- None currently reported\n", ""),
        ("## Next\n- [ ] 02-01: TBD\n- [ ] 02-02: the form\n", "next:02-02: the form"),
        ("```\n│   ├── mail.ts # letters\n```\n", "other:mail.ts # letters"),
        ("# Plan\nResume file: None\n", ""),
        ("## Next\n- (unchanged)\n", ""),
        // A row of numbers says what others say in words; states in quotes are names.
        ("| AUTH-1 | Phase 2 | Pending |\n", "other:AUTH-1 | Phase 2 | Pending"),
        ("The state is one of `todo`, `done`.\n", "other:The state is one of `todo`, `done`."),
        (
            "A task goes todo -> wip -> done, or back.\n",
            "other:A task goes todo -> wip -> done, or back.",
        ),
        (
            "## In Progress\n> Every wave is merged, and\n> nothing is open.\n",
            "current:Every wave is merged, and nothing is open.",
        ),
        ("## Next\n1. sign in\n**Plans**: TBD\n**Owner**: Ann\n", "next:sign in|next:Owner: Ann"),
        (
            "## Decisions\n- cookies\n\n*Last updated: 2026-01-05*\n",
            "decision:cookies|other:*Last updated: 2026-01-05*",
        ),
        (
            "## Current Work\n- the form\n- [2024-06-10] Old imports removed\n",
            "current:the form|done:[2024-06-10] Old imports removed",
        ),
        (
            "**Requirements**: LOGIN-01\n**Success Criteria** (what must be TRUE):\n1. A user completes the form\n",
            "context:A user completes the form",
        ),
        (
            "## User Stories\n- As a user I want a link so that I can sign in\n",
            "context:As a user I want a link so that I can sign in",
        ),
        (
            "### FEAT-1: A link\n- File: `mail.ts`\n- Status: TODO\n",
            "next:File: `mail.ts`|next:Status: TODO",
        ),
    ] {
        is_read("a.md", text, want);
    }
}

#[test]
fn f199_long_texts_are_cut_into_sentences_but_not_inside_code() {
    let words = "The row stays locked until the token is written ".repeat(5);
    let text = format!("## Log\n{words}by `SELECT ... FOR UPDATE` alone. {words}again.\n");
    let want = format!("{words}by `SELECT ... FOR UPDATE` alone.|other:{words}again.");
    is_read("a.md", &text, &want);
}

#[test]
fn f199_what_stands_around_the_words_is_not_read_as_words() {
    for (text, want) in [
        // Tags around text, and a tag that the text is about.
        ("<objective>\nSend the mail.\n</objective>\n", "other:Send the mail."),
        ("## Next\n<name>the form</name>\n", "next:the form"),
        ("<script> runs at once.\n", "other:<script> runs at once."),
        ("<id>-<name>.md has the log.\n", "other:<id>-<name>.md has the log."),
        ("## Next\n- None — all went as planned\n", ""),
        ("## Next\n- None of the forms is sent\n", "next:None of the forms is sent"),
        // A sentence that introduces a list says in its first words what it is about.
        (
            "3. Range: what runs here now goes to the server as well, so that nobody waits:\n- the form\n",
            "other:the form",
        ),
        (
            "## Next Steps\n- [2026-01-05 10:00] - fixed the mail\n- [2026-01-06 10:00] - the form\n",
            "done:[2026-01-05 10:00] - fixed the mail|next:[2026-01-06 10:00] - the form",
        ),
        ("必须先登录。\n", "constraint:必须先登录。"),
    ] {
        is_read("a.md", text, want);
    }
    let sentence = "邮件里的链接在十五分钟之后失效，而且只能使用一次，之后必须重新申请。";
    let text = sentence.repeat(4);
    is_read("a.md", &text, &format!("constraint:{sentence}|constraint:{sentence}"));
}

#[test]
fn f204_a_short_line_is_shown_with_the_heading_it_stands_under() {
    let text = "# Grammar plan\n\n## Next\n- the mail form\n\n## Catalan\n- [ ] Duration: 1 week\n- [ ] Priority: low\n- [ ] a parser for verbs that follow no rule at all\n";
    let world = feature(&[("plan.md", text)]);
    let brief = at(&world, &["notes", "brief", "login", "--tokens", "500"]).stdout;
    assert!(brief.contains("Catalan: Priority: low\n"), "{brief}");
    assert!(!brief.contains("## CURRENT TASK\nCatalan: Duration"), "{brief}");
    assert!(brief.contains(" a parser for verbs that follow no rule at all\n"), "{brief}");
    assert!(!brief.contains("Grammar plan"), "{brief}");
}

/// Checks the units that are read from a note: its name, its text, and each unit's role and words.
fn is_read(name: &str, text: &str, want: &str) {
    let world = feature(&[(name, text)]);
    let document = document(&["notes", "units", "login"], &world);
    let read: Vec<String> = list(&document["units"])
        .iter()
        .filter(|it| it["kind"] != "heading")
        .map(|it| format!("{}:{}", it["role"].as_str().unwrap(), it["text"].as_str().unwrap()))
        .collect();
    assert!(read.join("|").ends_with(want), "{text:?}: {read:?}");
}

#[test]
fn f297_f298_f201_a_summary_keeps_details_with_their_item() {
    let text = format!(
        "# Log\n\n{}## Next Steps\n1. Add mail login\n   - with a link\n\n## Files Modified\n- src/auth.ts\n- tests/auth.test.ts\n- docs/auth.md\n\n## Decisions\n- Sessions live in cookies\n",
        filler(300)
    );
    let world = feature(&[("progress.md", &text)]);
    let plan = compact("summarize", &[], &world);
    assert_eq!(plan["information_loss"], true);
    let summary = &files(&world)["login/summary.md"];
    assert!(summary.starts_with("# Summary: login (2026-01-31)\nOriginals: loadline notes restore login summarize_1769860800\n"), "{summary}");
    for part in [
        "\n## Next Steps\n- Add mail login\n  - with a link\n",
        "\n## Key Decisions\n1. Sessions live in cookies\n",
        "\n## Files Modified (3 total)\nPrimary (1):\n- src/auth.ts\nTests (1):\n- tests/auth.test.ts\nDocs (1):\n- docs/auth.md\n",
    ] {
        assert!(summary.contains(part), "{part:?} in {summary}");
    }
    assert!(!summary.contains("None"), "{summary}");
    assert!(plan["compacted_tokens"].as_u64().unwrap() <= 1_500 + 5);
    // A summary of a summary does not decay.
    at(&world, &["notes", "compact", "login", "--level", "summarize"])
        .shows(&["nothing to do at level summarize"]);
}

#[test]
fn f297_a_summary_says_a_thing_once() {
    let text = format!(
        "---\nlast_activity: plan 3 was run\n---\n# Log\n\n{}## Current\nLast activity: plan 3 was run\n\n## Completed\n- Actions taken:\n  - src/clock.ts is read once\n- Actions taken:\n  - src/mail.ts makes the link\n\n## Files Modified\n- Monitoring:\n  - src/watch.ts\n- Start:\n  - src/start.ts\n",
        filler(300)
    );
    let world = feature(&[("progress.md", &text)]);
    at(&world, &["notes", "compact", "login", "--level", "summarize"]);
    let summary = &files(&world)["login/summary.md"];
    for part in [
        "\n- Actions taken:\n  - src/clock.ts is read once\n  - src/mail.ts makes the link\n",
        "\n## Files Modified (2 total)\n- src/watch.ts\n- src/start.ts\n",
    ] {
        assert!(summary.contains(part), "{part:?} in {summary}");
    }
    assert_eq!(summary.matches("plan 3 was run").count(), 1, "{summary}");
}

#[test]
fn f297_a_part_of_a_list_has_no_numbers_and_names_no_quotes() {
    let steps: Vec<String> = (1..90)
        .map(|it| format!("{it}. Mend `src/part{it}.ts` and run `make test {it}`\n"))
        .collect();
    let text = format!("## Next Steps\n{}\n## Decisions\n- Keep `AUTH_URL`\n", steps.concat());
    let world = feature(&[("progress.md", &text)]);
    compact("handoff", &["--tokens", "500"], &world);
    let handoff = &files(&world)["login/handoff.md"];
    let part = handoff.split("\n## NEXT STEPS (").nth(1).unwrap();
    let line = part.lines().nth(1).unwrap();
    assert!(
        line.starts_with("- Mend src/part") && line.contains(" and run `make test "),
        "{handoff}"
    );
    assert!(handoff.contains("\n## KEY DECISIONS & CONSTRAINTS\n1. Keep AUTH_URL\n"), "{handoff}");
}

#[test]
fn f203_f204_f205_f299_a_handoff_is_filled_and_reads_back() {
    let text = format!(
        "## Current Task\nImplementing OAuth2 (75% complete)\nWorking file: src/oauth.ts\n\n## Completed\n- Login form\n\n## In Progress\n- Token refresh\n  - the clock is off\n\n## Next Steps\n1. Add mail login\n\n## Known Issues\n- No test account\n\n## Decisions\n- Sessions live in cookies\n\n## Background\nThe service behind the form was written for one tenant.\n\n# Diary\n\n{}",
        filler(200)
    );
    let world = feature(&[("progress.md", &text)]);
    let plan = compact("handoff", &["--tokens", "600"], &world);
    assert!(plan["compacted_tokens"].as_u64().unwrap() <= 600, "{plan}");
    let first = files(&world)["login/handoff.md"].clone();
    for part in [
        "# HANDOFF DOCUMENT: login\nGenerated: 2026-01-31T12:00:00Z\nCheckpoint: context_overflow-",
        "\nOriginals: loadline notes restore login handoff_1769860800\n",
        "\n## CURRENT TASK\nImplementing OAuth2 (75% complete)\nWorking file: src/oauth.ts\n",
        "\n## COMPLETED ✅\n- Login form\n",
        "\n## IN PROGRESS 🔄\n- Token refresh\n  - the clock is off\n",
        "\n## NEXT STEPS\n1. Add mail login\n",
        "\n## BLOCKING ISSUES\n- No test account\n",
        "\n## KEY DECISIONS & CONSTRAINTS\n1. Sessions live in cookies\n",
        "- The service behind the form was written for one tenant.\n",
    ] {
        assert!(first.contains(part), "{part:?} in {first}");
    }
    // Read and written again, with more notes beside it, it says the same.
    world.work().write(&format!("{ROOT}/login/diary.md"), filler(300));
    let more = ["notes", "compact", "login", "--level", "handoff", "--tokens", "2k"];
    at(&world, &more);
    let second = files(&world)["login/handoff.md"].clone();
    let until = |text: &str| {
        let start = text.find("## CURRENT TASK").unwrap();
        text[start..text.find("## CONTEXT").unwrap()].to_owned()
    };
    assert_eq!(until(&second), until(&first));
}

#[test]
fn f207_a_document_never_exceeds_its_budget_and_says_what_is_left() {
    let tasks: String =
        (0..400).map(|it| format!("- [ ] step {it} of the long migration\n")).collect();
    let world = feature(&[("tasks.md", &tasks)]);
    for (level, budget) in [("handoff", 300), ("summarize", 800)] {
        let tokens = budget.to_string();
        let plan = compact(level, &["--tokens", &tokens, "--dry-run"], &world);
        let after = plan["compacted_tokens"].as_u64().unwrap();
        assert!(after <= budget && after > budget / 2, "{level}: {after}");
    }
    at(&world, &["notes", "compact", "login", "--level", "handoff", "--tokens", "300"]);
    let text = &files(&world)["login/handoff.md"];
    assert!(text.contains(" of 400)\n") || text.contains(" of 399)\n"), "{text}");
}

#[test]
fn f197_what_would_not_save_is_left_alone() {
    let world = feature(&[("a.md", "- [ ] one\n")]);
    let before = files(&world);
    for level in ["compact", "summarize", "handoff"] {
        at(&world, &["notes", "compact", "login", "--level", level])
            .shows(&["nothing to do at level"]);
    }
    assert_eq!(files(&world), before);
}

#[test]
fn f188_f189_f190_compacting_takes_out_what_says_nothing() {
    let long = "The cache is filled when the first request arrives and emptied at night.";
    let text = format!(
        "# Log #####\n\n{long}\n\n## Later\n\n{long}\n\nBash output: ls\nREADME.md\nsrc and more\nerror: it failed here\nand so on and on and on\n\n- **Done**: login\n\n```\n# a #\n\n\n**b**\n```\n\n## Decision: **PostgreSQL**\n\n**Because** of it.\n"
    );
    let world = feature(&[("progress.md", &text)]);
    let done = compact("compact", &[], &world);
    assert!(done["saved_tokens"].as_u64().unwrap() > 20, "{done}");
    let after = &files(&world)["login/progress.md"];
    assert_eq!(after.matches(long).count(), 1, "{after}");
    for part in [
        "# Log\n",
        "[Tool output removed]\nerror: it failed here\n",
        "- Done: login\n",
        "```\n# a #\n\n\n**b**\n```\n",
        "## Decision: **PostgreSQL**\n\n**Because** of it.\n",
    ] {
        assert!(after.contains(part), "{part:?} in {after}");
    }
}

#[test]
fn f296_verbose_progress_becomes_a_few_lines_with_every_fact() {
    let world = feature(&[("progress.md", VERBOSE)]);
    let done = compact("compact", &[], &world);
    let tokens = |key: &str| done[key].as_u64().unwrap();
    assert!(tokens("compacted_tokens") * 100 <= tokens("original_tokens") * 60, "{done}");
    let after = files(&world)["login/progress.md"].to_lowercase();
    for fact in [
        "2024-01-15",
        "authentication:",
        "progress",
        "user login endpoint",
        "password hashing with bcrypt",
        "jwt token generation",
        "next: add",
        "refresh tokens",
        "integration tests",
    ] {
        assert!(after.contains(fact), "{fact} in {after}");
    }
}

#[test]
fn f188_old_finished_lines_are_folded_once_and_come_back() {
    let day = |it: usize| {
        let (month, day) = (1 + it / 28, 1 + it % 28);
        format!(
            "## 2025-{month:02}-{day:02} Session\n\n- [x] Added the handler number {it} and its tests to the service\n- [x] Fixed the clock of server {it} after it went wrong twice\n  - it was set by hand in room {it}\n- Removed the page {it} that nobody had opened since the summer\n- Decision: sessions of day {it} live in cookies\n\n"
        )
    };
    let old: String = (0..56).rev().map(day).collect();
    let text = format!("# Log\n\n{old}## Next\n\n- [ ] the last one\n");
    let world = feature(&[("progress.md", &text)]);
    let compact = ["notes", "compact", "login", "--level", "compact"];
    let done = document(&compact, &world);
    let tokens = |key: &str| done[key].as_u64().unwrap();
    assert!(tokens("original_tokens") > 4_000, "{done}");
    assert!(tokens("saved_tokens") * 100 >= tokens("original_tokens") * 10, "{done}");
    let after = &files(&world)["login/progress.md"];
    assert!(after.contains(" older lines: compact_1769860800]\n"), "{after}");
    assert!(after.contains("- [ ] the last one") && after.contains("handler number 55"), "{after}");
    assert_eq!(after.matches("live in cookies").count(), 56, "{after}");
    // What was folded counts the next time.
    at(&world, &compact).shows(&["nothing to do at level compact"]);
    at(&world, &["notes", "restore", "login", "compact_1769860800", "--force"]).exits(0);
    assert_eq!(files(&world)["login/progress.md"], text);
}

#[test]
fn a_task_brings_what_the_notes_say_about_it() {
    let items = |it: usize| format!("- [ ] Teach the printer of room {it} to staple\n");
    let open: String = (0..80).map(items).collect();
    let about = |what: &str| -> String {
        (0..80).map(|it| format!("Room {it} has a {what}.\n\n")).collect()
    };
    let (doors, lamps) = (about("grey door"), about("brass lamp"));
    let text = format!(
        "# Notes\n\n## Next\n\n{open}\n## Mail\n\n{doors}The queue of letters drops envelopes without a stamp.\n\nEnvelopes are kept in `post/envelope.rs`.\n\n{lamps}"
    );
    let world = feature(&[("progress.md", &text)]);
    let brief = ["notes", "brief", "login", "--tokens", "250"];
    let without = document(&brief, &world)["content"].to_string();
    let task = [&brief[..], &["--task", "letters lose their envelopes"]].concat();
    let with = document(&task, &world)["content"].to_string();
    for line in ["drops envelopes without a stamp", "post/envelope.rs"] {
        assert!(with.contains(line), "{with}");
    }
    assert!(!without.contains("drops envelopes"), "{without}");
}

#[test]
fn what_only_names_introduces_or_was_taken_back_is_not_in_a_document() {
    let day = |it: usize| {
        format!("## 2026-01-0{it}\n\nStatus: {it} of 40 tests pass\n\nThe form has field {it}.\n\n")
    };
    let log: String = (1..6).map(day).collect();
    let text = format!(
        "# Progress\n\nLast updated: 2026-01-05\n\n{log}## Gotchas\n\n- Mail:\n- Never send to \
         more than one address\n\n{}",
        filler(300)
    );
    let world = feature(&[("progress.md", &text)]);
    let brief = document(&["notes", "brief", "login", "--tokens", "700"], &world);
    let brief = brief["content"].to_string();
    assert!(brief.contains("5 of 40 tests pass"), "{brief}");
    assert!(brief.contains("Never send to more than one address"), "{brief}");
    for part in ["4 of 40", "1 of 40", "Last updated", "- Mail:", "- Gotchas", "- Progress"] {
        assert!(!brief.contains(part), "{part}: {brief}");
    }
}

#[test]
fn f190_what_the_settings_preserve_is_in_every_document() {
    let text = format!("{}IMPORTANT: keep the old port open\n\n{}", filler(200), filler(100));
    for (level, name) in [("summarize", "summary.md"), ("handoff", "handoff.md")] {
        let world = feature(&[("progress.md", &text)]);
        world.work().write("loadline.toml", "[memory]\npreserve = ['^IMPORTANT:']\n");
        at(&world, &["notes", "compact", "login", "--level", level, "--tokens", "200"]);
        let text = &files(&world)[&format!("login/{name}")];
        assert!(text.contains("IMPORTANT: keep the old port open"), "{text}");
    }
}

#[test]
fn notes_are_briefed_from_any_place() {
    let world = World::new("");
    let text = format!("{VERBOSE}\n## Notes\n\n{}", filler(200));
    world.work().write("memory-bank/progress.md", &text);
    world.work().write("PROGRESS.md", &text);
    for name in ["memory-bank", "PROGRESS.md"] {
        let brief = ["notes", "brief", name, "--tokens", "200", "--task", "refresh tokens"];
        let document = document(&brief, &world);
        assert!(document["tokens"].as_u64().unwrap() <= 200, "{document}");
        let content = document["content"].as_str().unwrap();
        assert!(content.contains("Add refresh tokens"), "{content}");
    }
    run(&world, &["notes", "brief", "memory-bank", "--cite", "--tokens", "300"])
        .shows(&[" (progress.md:"]);
    run(&world, &["notes", "brief", "gone"]).exits(1);
    at(&world, &["notes", "diff", "memory-bank", "--level", "summarize"])
        .shows(&["+ # Summary: memory-bank (2026-01-31)", "- # Progress Update - 2024-01-15"]);
}

#[test]
fn f227_f228_a_warning_follows_the_level_and_is_handled_by_it() {
    let text = format!("# Diary\n\n{}", filler(300));
    let world = feature(&[("progress.md", &text)]);
    let tokens = tokens(&world);
    for (percent, says) in [
        (78, "Context at 78."),
        (90, "Summarization recommended."),
        (98, "Context limit reached. Creating handoff document."),
    ] {
        let world = feature(&[("progress.md", &text)])
            .with("LOADLINE_MEMORY_MAX_TOKENS", (tokens * 100 / percent).to_string());
        hook(&world, "pre-tool-use", "PreToolUse").shows(&[says]);
        let world = world.with("LOADLINE_MEMORY_AUTO", "true");
        let answer = hook(&world, "pre-tool-use", "PreToolUse");
        if percent > 80 {
            answer.shows(&["Saved: "]).hides(&["again before you rely on them: progress.md"]);
        }
    }
}

#[test]
fn a_session_starts_with_where_the_work_stands() {
    let world = feature(&[("progress.md", VERBOSE)]);
    hook(&world, "session-start", "SessionStart").shows(&["Add refresh tokens"]);
}

#[test]
fn notes_are_found_where_projects_keep_them_and_below() {
    let world = World::new(
        "
        //- /.planning/STATE.md
        ## In Progress
        - wiring the mail queue
        //- /.planning/phases/02-mail/PLAN.md
        ## Next Steps
        - retry mails that bounce
        ",
    );
    let mut git = world.command("git");
    assert_eq!(world.run(git.args(["init", "-q", "."])).code, 0);
    run(&world, &["notes", "brief"])
        .exits(0)
        .shows(&["wiring the mail queue", "retry mails that bounce"]);
    run(&world, &["notes", "status", ".planning", "--tokens", "--json"])
        .shows(&["phases/02-mail/PLAN.md"]);
}

#[test]
fn f200_notes_in_directories_below_are_compacted_and_come_back() {
    let plan = format!("## Next Steps\n\n- **retry** mails that bounce\n\n{}", filler(200));
    let said = plan.clone() + "\n\n\n\n" + &filler(200);
    for level in ["compact", "summarize", "handoff"] {
        let world =
            World::new("//- /.planning/STATE.md\n## In Progress\n- wiring the mail queue\n");
        world.work().write(".planning/phases/02-mail/PLAN.md", &said);
        let done = document(&["notes", "compact", ".planning", "--level", level], &world);
        let plan = world.work().root().join(".planning/phases/02-mail/PLAN.md");
        let left = std::fs::read_to_string(&plan).unwrap_or_default();
        assert!(left.len() < said.len(), "{level}: {done}");
        assert_eq!(left.is_empty(), level != "compact", "{level}");
        // A directory that is gone comes back, too.
        if left.is_empty() {
            std::fs::remove_dir_all(world.work().root().join(".planning/phases")).unwrap();
        }
        let id = done["history_id"].as_str().unwrap();
        at(&world, &["notes", "restore", ".planning", id, "--force"]).exits(0);
        assert_eq!(std::fs::read_to_string(&plan).unwrap(), said, "{level}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_to_a_note_is_not_followed() {
    let world = World::new("//- /.planning/STATE.md\n## In Progress\n- wiring the mail queue\n");
    let said = format!("# Plan\n\n{}{}", filler(100), filler(100));
    world.work().write(".planning/phases/PLAN.md", &said);
    let done = document(&["notes", "compact", ".planning", "--level", "compact"], &world);
    let root = world.work().root().join(".planning");
    std::fs::rename(root.join("phases"), world.work().root().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.work().root().join("elsewhere"), root.join("phases")).unwrap();
    let before = world.work().read("elsewhere/PLAN.md");
    let id = done["history_id"].as_str().unwrap();
    let back = at(&world, &["notes", "restore", ".planning", id, "--force"]);
    assert_ne!(back.code, 0, "{back}");
    assert_eq!(world.work().read("elsewhere/PLAN.md"), before);
}

#[test]
fn f109_prose_said_twice_is_said_once_and_code_stays() {
    let said = "The mail queue retries every message three times.";
    let code = "```rust\nfn retry(message: &Message) -> bool {\n    true\n}\n```";
    let note = format!("# Mail\n\n{said}\n\n{code}\n\n## Later\n\n{code}\n\n{said}\n");
    let world = World::new("//- /notes/mail.md\nx\n");
    world.work().write("notes/mail.md", note);
    run(&world, &["notes", "compact", "notes", "--level", "compact"]).exits(0);
    let left = world.work().read("notes/mail.md");
    assert_eq!(left.matches(said).count(), 1, "{left}");
    assert_eq!(left.matches(code).count(), 2, "{left}");
}
