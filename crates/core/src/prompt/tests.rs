//! Windows as a whole: phases, messages, the order of trimming.

mod filling;
mod phases;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Diagnose;
use crate::agents::{BLOCK_TOKENS, Role};

fn counter() -> Counter {
    "o200k".parse().unwrap()
}

fn state(value: &Value) -> WorkState {
    let (state, notes) = WorkState::read(value.to_string().as_bytes()).unwrap();
    assert_eq!(notes, []);
    state
}

fn build(state: &WorkState, phase: &str, window: u64) -> Result<Prompt, PromptError> {
    let phases = Phases::builtin().unwrap();
    let mut options = PromptOptions::new(counter());
    options.window = Tokens::new(window);
    build_prompt(state, phases.find(phase).unwrap(), &options)
}

/// So many tokens of text, the last of which is a number.
fn words(number: usize, tokens: usize) -> String {
    let text = format!("{number} {}", "word ".repeat(tokens.saturating_sub(2)));
    text.trim_end().to_owned()
}

fn said(number: usize, tokens: usize) -> Value {
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    json!({"role": role, "content": format!("Message {}", words(number, tokens - 1))})
}

fn full_state(messages: usize) -> Value {
    json!({
        "systemPrompt": "You write small functions.",
        "designDocument": "# A cache\n\nIt has a limit.",
        "featureDescription": "A cache with a limit.",
        "typeDefinitions": "type Key = string",
        "relevantTests": "it('evicts')",
        "currentUnit": "evict",
        "units": [
            {"name": "parse", "status": "approved", "file": "src/parse.ts", "implementation": "code of parse"},
            {"name": "insert", "status": "approved", "file": "src/insert.ts", "implementation": "code of insert"},
            {"name": "draft", "status": "pending", "implementation": "code of draft"},
            {"name": "lookup", "status": "approved", "filePath": "src/lookup.ts", "code": "code of lookup"},
            {"name": "empty", "status": "approved"},
            {"name": "touch", "status": "approved", "implementation": "code of touch"},
            {"name": "evict", "status": "in_progress", "description": "drops the oldest entry"},
        ],
        "failures": [
            {"name": "Lookup finds a key", "error": "boom", "expected": 1, "received": "2", "stack": "at a\nat b"},
            {"testName": "insert twice", "message": "bang"},
        ],
        "messages": (0..messages).map(|number| said(number, 50)).collect::<Vec<_>>(),
    })
}

fn messages(count: usize, tokens: usize) -> Vec<ChatMessage> {
    let message = |number| serde_json::from_value(said(number, tokens)).unwrap();
    (0..count).map(message).collect()
}

#[test]
fn f146_the_first_message_stays_and_one_is_itself() {
    let counter = counter();
    let none = keep_messages(&[], Tokens::new(100), &counter);
    assert_eq!((none.messages.len(), none.tokens), (0, Tokens::ZERO));
    let one = messages(1, 300);
    let window = keep_messages(&one, Tokens::new(100), &counter);
    assert_eq!(window.messages, one, "even over the budget");
    assert!(window.tokens > Tokens::new(100));
}

#[test]
fn f147_newest_first_without_a_gap_and_nothing_cut() {
    let mut all = messages(10, 50);
    all[6] = serde_json::from_value(said(6, 2_000)).unwrap();
    let window = keep_messages(&all, Tokens::new(1_000), &counter());
    assert_eq!(window.messages[0], all[0]);
    assert_eq!(window.messages[2..], all[7..], "it stops at the first that does not fit");
    assert!(window.tokens <= Tokens::new(1_000));
}

#[test]
fn f148_fifty_messages_keeping_four_leave_a_marker_for_45() {
    let all = messages(50, 50);
    let window = keep_messages(&all, Tokens::new(300), &counter());
    let marker = &window.messages[1];
    assert_eq!(marker.text(), "[45 earlier messages omitted for brevity]");
    assert_eq!(marker.role(), Role::System);
    assert_eq!(marker.phase(), Some("planning"));
    assert_eq!((window.kept, window.messages.len()), (5, 6));
    assert!(window.tokens <= Tokens::new(300), "the marker is counted");
    let phased: Vec<ChatMessage> = all.into_iter().map(|it| it.in_phase("testing")).collect();
    let window = keep_messages(&phased, Tokens::new(300), &counter());
    assert_eq!(window.messages[1].phase(), Some("testing"));
}

#[test]
fn f149_the_request_is_first_and_message_19_is_last() {
    let all = messages(20, 50);
    let window = keep_messages(&all, Tokens::new(500), &counter());
    assert_eq!(window.messages.first(), all.first());
    let last = window.messages.last().unwrap().text();
    assert!(last.starts_with("Message 19 "), "{last}");
}

#[test]
fn f150_calls_stay_with_their_results_in_both_shapes() {
    let anthropic = [
        json!({"role": "assistant", "content": [
            {"type": "text", "text": "look"},
            {"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a.rs"}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": words(1, 80)}]}),
    ];
    let openai = [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": words(1, 80)}),
    ];
    for pair in [anthropic, openai] {
        let mut all = messages(1, 20);
        for _ in 0..5 {
            all.extend(pair.iter().map(|it| serde_json::from_value(it.clone()).unwrap()));
        }
        for most in (100..700).step_by(20) {
            let window = keep_messages(&all, Tokens::new(most), &counter());
            assert_eq!(window.remarks, []);
            let tail = window.messages.len() - 1 - usize::from(window.omitted > 0);
            assert_eq!(tail % 2, 0, "a pair was torn at {most}");
            assert_eq!(window.messages.last(), all.last());
        }
        // A result whose call is gone is refused by providers, so it is left out.
        let orphans = [all[0].clone(), all[2].clone(), all[0].clone()];
        let window = keep_messages(&orphans, Tokens::new(700), &counter());
        assert_eq!(window.kept, 2);
        let note = "messages: 1 of 3 bring results of calls that are not there, left out";
        assert_eq!(window.remarks[0].to_string(), note);
    }
}

#[test]
fn empty_messages_are_left_out_with_one_note() {
    let mut all = messages(3, 20);
    all.insert(1, ChatMessage::new(Role::User, "  "));
    all.insert(2, serde_json::from_value(json!({"role": "assistant", "content": []})).unwrap());
    let window = keep_messages(&all, Tokens::new(700), &counter());
    assert_eq!(window.kept, 3);
    let note = "messages: 2 of 5 have no content, left out";
    assert_eq!(window.remarks[0].to_string(), note);
}

#[test]
fn f151_units_go_first_then_messages_and_never_what_is_required() {
    let state = state(&full_state(40));
    let whole = build(&state, "implementation", 100_000).unwrap();
    let names = |window: &Prompt| -> Vec<String> {
        let units = window.part("units");
        units.map_or(Vec::new(), |part| part.items.iter().map(|item| item.name.clone()).collect())
    };
    assert_eq!(names(&whole), ["insert", "lookup", "touch"]);
    let mut seen = Vec::new();
    let mut most = whole.tokens.get();
    let mut window = whole.clone();
    while let Ok(trimmed) = window.clone().trim_to(Tokens::new(most), &counter()) {
        assert!(trimmed.tokens <= Tokens::new(most));
        seen.push((names(&trimmed), trimmed.messages.len(), trimmed.part("tests").is_some()));
        for required in ["system", "design", "types", "unit"] {
            assert_eq!(trimmed.part(required), whole.part(required));
        }
        assert_eq!(trimmed.messages.first(), whole.messages.first());
        assert_eq!(trimmed.messages.last(), whole.messages.last());
        window = trimmed;
        most -= 7;
    }
    assert_eq!(seen[0], (names(&whole), 40, true));
    let units: Vec<&Vec<String>> = seen.iter().map(|(units, _, _)| units).collect();
    assert!(units.contains(&&vec!["lookup".to_owned(), "touch".to_owned()]), "the oldest first");
    // While units are there no message goes, and while messages can go no tests do.
    assert!(seen.iter().all(|(units, messages, _)| units.is_empty() || *messages == 40));
    assert!(seen.iter().all(|(_, messages, tests)| *tests || *messages <= 3));
    assert!(!seen.last().unwrap().2);
}

#[test]
fn f152_trimming_ends_with_a_typed_error() {
    let state = state(&full_state(3));
    let whole = build(&state, "implementation", 100_000).unwrap();
    let error = whole.trim_to(Tokens::new(60), &counter()).unwrap_err();
    assert_eq!(error.code(), "LL-CTX-003");
    let PromptError::TooLarge { part, needed, available, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(part, "the first and the newest message");
    assert_eq!(*available, Tokens::new(60));
    assert!(needed > available);
    // Two messages that do not fit are no endless loop either.
    let two = state_of_messages(2, 500);
    let error = build(&two, "planning", 2_300).unwrap_err();
    assert_eq!(error.code(), "LL-CTX-003");
    assert!(error.hint().unwrap().contains("raise the window"), "{error}");
}

fn state_of_messages(count: usize, tokens: usize) -> WorkState {
    let messages: Vec<Value> = (0..count).map(|number| said(number, tokens)).collect();
    state(&json!({"systemPrompt": "s", "featureDescription": "f", "messages": messages}))
}

#[test]
fn f143_the_error_names_the_largest_required_part_and_by_how_much() {
    let mut value = full_state(1);
    value["designDocument"] = words(1, 3_000).into();
    let error = build(&state(&value), "implementation", 3_000).unwrap_err();
    let PromptError::TooLarge { part, tokens, needed, available } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(part, "the design document");
    assert_eq!(*available, Tokens::new(1_500));
    assert!(tokens.get() >= 3_000 && needed > tokens);
    let over = needed.saturating_sub(*available).with_commas();
    assert!(
        error
            .to_string()
            .contains(&format!("what is required needs {over} tokens more than the 1,500"))
    );
}

#[test]
fn f153_tokens_are_counted_as_they_are_written() {
    let counter = counter();
    let state = state(&full_state(30));
    for phase in ["planning", "interface", "implementation", "testing"] {
        for window in [2_600, 3_500, 5_000, 100_000] {
            let Ok(window) = build(&state, phase, window) else {
                continue;
            };
            let messages = window.messages.iter().map(|it| it.tokens(&counter));
            let text = counter.count(&window.system_text()).get() + BLOCK_TOKENS;
            let sum = text + Tokens::saturating_sum(messages).get();
            assert_eq!(window.tokens.get(), sum, "{phase}");
            assert!(window.tokens <= window.available);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn f143_a_window_is_within_its_budget_or_an_error(
        sizes in proptest::collection::vec(1_usize..400, 0..60),
        design in 0_usize..1_500,
        unit_sizes in proptest::collection::vec(1_usize..800, 0..8),
        window in 1_500_u64..12_000,
        phase in proptest::sample::select(vec!["planning", "interface", "implementation", "testing"]),
        strategy in proptest::sample::select(RoleStrategy::ALL.to_vec()),
    ) {
        let messages: Vec<Value> = sizes.iter().enumerate().map(|(n, size)| said(n, size + 3)).collect();
        let units: Vec<Value> = unit_sizes.iter().enumerate().map(|(n, size)| json!({
            "name": format!("unit{n}"), "status": "approved", "implementation": words(n, *size)
        })).collect();
        let design = words(0, design);
        let state = state(&json!({
            "systemPrompt": "be brief", "designDocument": design, "typeDefinitions": "type A = B",
            "currentUnit": {"name": "now"}, "units": units, "messages": messages,
            "failures": [{"name": "unit1 fails", "error": "no"}],
        }));
        let phases = Phases::builtin().unwrap();
        let mut options = PromptOptions::new(counter());
        options.window = Tokens::new(window);
        options.strategy = strategy;
        match build_prompt(&state, phases.find(phase).unwrap(), &options) {
            Err(error) => prop_assert!(["LL-CTX-003", "LL-BUD-005"].contains(&error.code()), "{error}"),
            Ok(built) => {
                prop_assert!(built.tokens <= built.available);
                prop_assert!(built.tokens.get() < window);
                prop_assert!(built.system_text().contains(&design), "byte for byte");
                prop_assert_eq!(built.messages.last(), state.messages.last());
                prop_assert_eq!(built.messages.first(), state.messages.first());
                let kept: Vec<usize> = built.messages.iter()
                    .filter_map(|it| state.messages.iter().position(|all| all == it)).collect();
                prop_assert!(kept.is_sorted());
                prop_assert_eq!(kept.len() + built.omitted_messages, state.messages.len());
            }
        }
    }
}
