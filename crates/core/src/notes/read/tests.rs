use super::*;

fn facts(text: &str) -> Facts {
    read_notes(&[("notes.md", text)])
}

#[test]
fn f199_tasks_are_found_by_their_boxes() {
    let facts = facts(
        "- [x] a\n- [X] **b**\n* [ ] c that\n  goes on\n1. [~] d\n  - [ ] e (blocked by f)\n- [ ]\n```\n- [ ] code\n```\n",
    );
    assert_eq!(facts.completed, ["a", "b"]);
    assert_eq!(facts.in_progress, ["d"]);
    assert_eq!(facts.next_steps, ["c that goes on", "e (blocked by f)"]);
    assert_eq!(facts.blockers, ["e (blocked by f)"]);
    assert_eq!(facts.current_task.as_deref(), Some("d"));
}

#[test]
fn f199_decisions_are_found_in_all_their_forms() {
    let facts = facts(
        "## Decision: JWT\n\n**Status**: accepted\n\nShort-lived. More words.\n\n## Key Decisions\n\n1. Bcrypt\n2. PostgreSQL\n\n### Queues\n\nNone needed.\n\n# ADR-007: Events\n\nDecision: use zstd\n\n##Decision: tight\n",
    );
    assert_eq!(
        facts.decisions,
        [
            "JWT — Short-lived.",
            "Bcrypt",
            "PostgreSQL",
            "Queues — None needed.",
            "ADR-007: Events",
            "use zstd",
            "tight"
        ]
    );
}

#[test]
fn f199_sections_say_what_their_items_are() {
    let facts = facts(
        "## Completed\n- a\n  - detail\n\n## In Progress\n- b\n\n## Next Steps\n1. c\n\n## Blocking Issues\nNone\n\n## Files Modified (2)\n- `src/a.rs` (new)\n- src/b.rs: changed\n\n## Constraints\n- under 5 ms\n\n## Current Task\nLogin page (78% complete)\nWorking file: src/login.ts\n",
    );
    assert_eq!(facts.completed, ["a"]);
    assert_eq!(facts.in_progress, ["b"]);
    assert_eq!(facts.next_steps, ["c"]);
    assert!(facts.blockers.is_empty());
    assert_eq!(facts.files, ["src/a.rs", "src/b.rs"]);
    assert_eq!(facts.constraints, ["under 5 ms"]);
    assert_eq!(facts.current_task.as_deref(), Some("Login page"));
    assert_eq!(facts.percent, Some(78));
    assert_eq!(facts.working_file.as_deref(), Some("src/login.ts"));
}

#[test]
fn f199_state_is_read_in_any_known_shape() {
    let state = r#"{
        "currentTask": {"title": "login", "progress": "40%"},
        "filesModified": ["a.rs", {"path": "b.rs"}, 7, null],
        "tasks": [{"name": "x", "status": "completed"}, {"name": "y", "status": "in_progress"},
                  {"name": "z"}, {"name": "w", "status": "blocked"}, "plain"],
        "decisions": [{"decision": "zstd", "rationale": "small"}],
        "nested": {"blockers": ["no account"]},
        "odd": [[[1]]]
    }"#;
    let facts = read_notes(&[("state.json", state)]);
    assert_eq!(facts.current_task.as_deref(), Some("login"));
    assert_eq!(facts.percent, Some(40));
    assert_eq!(facts.files, ["a.rs", "b.rs", "7"]);
    assert_eq!(facts.completed, ["x"]);
    assert_eq!(facts.in_progress, ["y"]);
    assert_eq!(facts.next_steps, ["z", "w", "plain"]);
    assert_eq!(facts.decisions, ["zstd: small"]);
    assert_eq!(facts.blockers, ["w", "no account"]);
    assert_eq!(read_notes(&[("state.json", "{broken")]), Facts::default());
    assert_eq!(read_notes(&[("package.json", state)]), Facts::default());
}

#[test]
fn globs_and_signs_survive_cleaning() {
    assert_eq!(clean("- **Core**: src/auth/**, src/api/**"), "Core: src/auth/**, src/api/**");
    assert_eq!(clean("  1. [x] ✅ done  twice "), "done twice");
    assert_eq!(clean("# - > a"), "a");
}
