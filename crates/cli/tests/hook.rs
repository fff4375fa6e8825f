//! `loadline hook claude-code pre-tool-use`

use serde_json::{Value, json};

use crate::common::{Run, World, piped};
use crate::feature::{NOW, ROOT, files, project};

fn hook_with(world: &World, input: &str) -> Run {
    piped(world, &[&["hook", "claude-code", "pre-tool-use"][..], &NOW].concat(), input)
}

/// Says what Claude Code says.
fn hook(world: &World, session: &str) -> Run {
    let event = json!({
        "session_id": session,
        "transcript_path": "/nowhere/session.jsonl",
        "cwd": world.work().root(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls", "description": "list"},
        "tool_use_id": "toolu_01",
    });
    hook_with(world, &event.to_string())
}

fn answer(run: &Run) -> Value {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The project with a budget for notes.
fn full(tokens: &str) -> World {
    project().with("LOADLINE_MEMORY_MAX_TOKENS", tokens)
}

#[test]
fn f229_f231_a_warning_in_the_words_of_claude_code() {
    let world = full("1500");
    let run = hook(&world, "abc");
    let answer = answer(&run);
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("Context at "), "{message}");
    assert!(message.contains("Run: loadline feature compact login."), "{message}");
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], "PreToolUse");
    let context = specific["additionalContext"].as_str().unwrap();
    assert!(context.contains("The notes of feature login have 1,"), "{context}");
    // Whether the tool may be used is not for us to say.
    assert_eq!(specific.as_object().unwrap().len(), 2, "{specific}");
    // Once is enough for a session, another one is told anew.
    assert_eq!(hook(&world, "abc").stdout, "");
    assert!(!hook(&world, "def").stdout.is_empty());
}

#[test]
fn f229_silent_where_there_is_nothing_to_say() {
    let silent = |world: &World, input: &str| {
        hook_with(world, input).exits(0).prints("").is_silent();
    };
    // Enough room, no feature, no project, a feature that is not there, no sense.
    silent(&full("80k"), "{}");
    silent(&World::new("//- /a.md\n"), "{}");
    let world = full("1000");
    for focus in ["no feature here", "feature: other", "feature: ../../etc", ""] {
        world.work().write(".claude/active-focus.md", focus);
        silent(&world, "{}");
    }
    for input in ["", "[]", "no json", "{\"cwd\": 7}", "{\"cwd\": \"/nowhere\"}"] {
        silent(&world, input);
    }
    let world = full("not a number");
    silent(&world, "{}");
}

#[test]
fn f230_a_checkpoint_is_taken_from_90_percent() {
    let world = full("1270");
    let run = hook(&world, "abc");
    let answer = answer(&run);
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains(" Checkpoint: context_overflow-2026-01-31-"), "{message}");
    let kept = files(&world);
    let kept: Vec<&String> = kept.keys().filter(|name| name.contains("checkpoints")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    hook(&world, "def");
    let again = files(&world);
    assert_eq!(again.keys().filter(|name| name.contains("checkpoints")).count(), 1);
}

#[test]
fn f269_compaction_by_itself_where_it_is_asked_for() {
    let world = full("1500").with("LOADLINE_MEMORY_AUTO", "true");
    let before = files(&world);
    let run = hook(&world, "abc");
    let answer = answer(&run);
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("Saved: ") && message.contains(" --revert "), "{message}");
    assert!(files(&world)["login/progress.md"].len() < before["login/progress.md"].len());
    // There is room again.
    assert_eq!(hook(&world, "abc").stdout, "");
}

#[test]
fn f231_features_outside_of_the_project_are_not_touched_by_a_hook() {
    let world = full("1000");
    let inside = world.work().path(ROOT);
    let outside = world.home().join("elsewhere");
    std::fs::rename(&inside, &outside).unwrap();
    let root = outside.display().to_string();
    let world = world.with("LOADLINE_MEMORY_ROOT", root);
    assert_eq!(hook(&world, "abc").to_string(), "");
}

#[test]
fn f229_an_unknown_hook_does_not_stop_a_tool() {
    let world = World::new("");
    for args in [
        &["hook", "claude-code", "on-fire"][..],
        &["hook", "nobody", "pre-tool-use"],
        &["hook", "claude-code"],
        &["hook"],
    ] {
        piped(&world, args, "{}").exits(0).prints("");
    }
}

#[cfg(unix)]
#[test]
fn d13_links_to_devices_are_not_read() {
    use std::os::unix::fs::symlink;
    // Reading one of them would not end; the hook answers as if they were not there.
    for name in [
        ".claude/active-focus.md",
        &format!("{ROOT}/login/state.json"),
        &format!("{ROOT}/login/handoff.md"),
        &format!("{ROOT}/login/.compaction"),
        &format!("{ROOT}/login/warned.md"),
    ] {
        let world = full("1000").with("LOADLINE_MEMORY_AUTO", "true");
        let path = world.work().path(name);
        let _ = std::fs::remove_file(&path);
        symlink("/dev/zero", &path).unwrap();
        assert_eq!(hook(&world, "abc").code, 0, "{name}");
    }
    let world = World::new("");
    for event in ["pre-compact", "session-start", "post-tool-use"] {
        let input = json!({"transcript_path": "/dev/zero", "session_id": "s", "cwd": "/"});
        piped(&world, &["hook", "claude-code", event], input.to_string()).exits(0);
    }
}

#[cfg(unix)]
#[test]
fn d13_a_linked_root_of_features_is_not_followed() {
    use std::os::unix::fs::symlink;
    for linked in [ROOT, ".claude/plans"] {
        let world = full("1000");
        let outside = world.home().join("elsewhere");
        std::fs::rename(world.work().path(linked), &outside).unwrap();
        symlink(&outside, world.work().path(linked)).unwrap();
        assert_eq!(hook(&world, "abc").stdout, "");
        let args = ["feature", "compact", "login", "--level", "compact"];
        crate::feature::at(&world, &args).says(&["is a link"]);
        let kept = outside.join(if linked == ROOT { "login" } else { "features/login" });
        assert!(kept.is_dir() && !kept.join(".compaction").exists());
    }
}
