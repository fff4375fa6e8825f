use proptest::prelude::*;

use super::super::testing::options;
use super::*;

#[test]
fn f205_documents_of_other_tools_are_read() {
    let text = "=====================\nHANDOFF\n=====================\nSession: s1\n\nCURRENT: login page (40%)\nDONE: setup, design\n- tests\nNEXT:\n1. logout\n\nFILES: src/a.rs, src/b.rs\nISSUES: None blocking\nDECISIONS MADE:\n- PostgreSQL\n\n**CONTEXT FOR CONTINUATION**\nSee the wiki.\n";
    let handoff = parse_handoff(text);
    let facts = handoff.facts;
    assert_eq!(handoff.session.as_deref(), Some("s1"));
    assert_eq!(facts.current_task.as_deref(), Some("login page"));
    assert_eq!(facts.percent, Some(40));
    assert_eq!(facts.completed, ["setup", "design", "tests"]);
    assert_eq!(facts.next_steps, ["logout"]);
    assert_eq!(facts.files, ["src/a.rs", "src/b.rs"]);
    assert!(facts.blockers.is_empty());
    assert_eq!(facts.decisions, ["PostgreSQL"]);
    assert_eq!(facts.context, ["See the wiki."]);
    assert_eq!(parse_handoff(""), Handoff::default());
}

fn many(count: usize, what: &str) -> Vec<String> {
    (0..count).map(|it| format!("{what} number {it}")).collect()
}

#[test]
fn f207_a_handoff_fits_its_share_of_the_window() {
    let facts = Facts {
        completed: many(500, "completed task"),
        context: many(300, "line of context"),
        next_steps: many(40, "open task"),
        decisions: many(20, "decision"),
        ..Facts::default()
    };
    let options = options();
    let most = Tokens::new(4_000);
    let handoff = Handoff::new("login", &facts, &options);
    let (fitted, note) = handoff.fit(most, &options.counter);
    assert!(note.is_none());
    let text = write_handoff(&fitted);
    assert!(options.counter.count(&text) <= most);
    assert_eq!(fitted.facts.next_steps.len(), 40);
    assert_eq!(fitted.facts.decisions.len(), 20);
    assert_eq!(fitted.facts.context.len(), 5);
    assert!(!fitted.facts.completed.is_empty());
    assert_eq!(fitted.facts.completed.last(), facts.completed.last());
    assert_eq!(fitted.omitted + fitted.facts.completed.len(), 500);
    assert_eq!(parse_handoff(&text), fitted);
    // What must stay does, and a note says that it is too much.
    let (fitted, note) =
        Handoff::new("login", &facts, &options).fit(Tokens::new(50), &options.counter);
    assert_eq!(fitted.facts.next_steps.len(), 40);
    assert!(note.is_some());
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let odd = prop::sample::select(vec![
        "none",
        "(50% complete)",
        "Working file: x",
        "## NEXT",
        "✅ ✅",
        "- [ ] x",
        "1. 2. 3.",
        "(3 earlier ones are in the archive)",
        "None",
        "a, b",
        "**b**",
        "> q",
        "#",
        "  ",
    ]);
    let text = prop_oneof![odd.prop_map(str::to_owned), ".{0,30}", "[a-z ]{1,20}"];
    prop::collection::vec(text, 0..5)
}

proptest! {
    #[test]
    fn f205_what_is_written_is_read_back(
        (completed, in_progress, next_steps, files) in (texts(), texts(), texts(), texts()),
        (blockers, decisions, constraints, context) in (texts(), texts(), texts(), texts()),
        heads in texts(),
        percent in prop::option::of(0u8..=200),
    ) {
        let mut options = options();
        options.session = heads.first().cloned();
        options.checkpoint = heads.get(1).cloned();
        let facts = Facts {
            current_task: heads.get(2).cloned(),
            working_file: heads.get(3).cloned(),
            percent,
            completed, in_progress, next_steps, files, blockers, decisions, constraints, context,
        };
        let handoff = Handoff::new("login", &facts, &options);
        prop_assert_eq!(parse_handoff(&write_handoff(&handoff)), handoff);
    }
}
