use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fit::{WindowMessage, slide_window};
use crate::session::summary::{SUMMARY_HEADING, SummaryTurn};
use crate::session::transcript::{Content, Role};
use crate::session::{check_session, read_session, write_session};

fn o200k() -> Counter {
    "o200k".parse().unwrap()
}

fn options(strategy: TrimStrategy, budget: u64) -> TrimOptions {
    TrimOptions {
        counter: o200k(),
        budget: Tokens::new(budget),
        strategy,
        keep_last: None,
        preserve: Vec::new(),
        handle: Some("k3f9c2td".to_owned()),
    }
}

fn read(messages: &[Value]) -> Transcript {
    read_session(Value::from(messages).to_string().into_bytes(), None).unwrap()
}

fn says(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A call and its result.
fn round(id: usize, command: &str, result: &str) -> [Value; 2] {
    let id = format!("c{id}");
    [
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": result}]}),
    ]
}

/// Words of about `tokens` tokens.
fn words(seed: usize, tokens: usize) -> String {
    let list = [
        "one", "two", "red", "blue", "old", "new", "cat", "dog", "sun",
    ];
    let word = |place: usize| list[(place * 7 + seed) % list.len()];
    (0..tokens)
        .map(|place| format!("{} ", word(place)))
        .collect()
}

fn lines(count: usize) -> String {
    (0..count)
        .map(|line| format!("row {line} has a value\n"))
        .collect()
}

/// Trims, and checks what every trim promises.
fn trimmed(transcript: &Transcript, options: &TrimOptions) -> (Trimmed, Transcript) {
    let trimmed = trim(transcript, options).unwrap();
    assert!(trimmed.after <= options.budget, "{trimmed:?}");
    let bytes = write_session(transcript, &trimmed.draft);
    let left = read_session(bytes, Some(transcript.format)).unwrap();
    assert_eq!(turns_tokens(&options.counter, &left.turns), trimmed.after);
    assert_eq!(check_session(&left), []);
    let numbers: Vec<usize> = trimmed
        .draft
        .turns
        .iter()
        .filter_map(|turn| match turn {
            DraftTurn::Of { turn, .. } => Some(*turn),
            DraftTurn::New { .. } => None,
        })
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    (trimmed, left)
}

fn texts(transcript: &Transcript) -> Vec<&str> {
    transcript
        .turns
        .iter()
        .flat_map(|turn| turn.texts())
        .collect()
}

#[test]
fn f146_the_first_message_always_stays() {
    let message = |tokens, group| WindowMessage {
        tokens: Tokens::new(tokens),
        group,
    };
    let slide = |messages: &[WindowMessage], most: u64| {
        let window = slide_window(messages, Tokens::new(most), |_| Tokens::new(10));
        (window.first, window.from, window.omitted)
    };
    assert_eq!(slide(&[], 100), (0, 0, 0));
    assert_eq!(
        slide(&[message(500, 0)], 100),
        (1, 1, 0),
        "even over the budget"
    );
    assert_eq!(slide(&[message(500, 0), message(1, 1)], 100), (1, 2, 1));
    // A budget is law for a session: its least is named instead.
    let session = read(&[says("user", &words(0, 300)), says("assistant", "ok")]);
    let error = trim(&session, &options(TrimStrategy::Window, 100)).unwrap_err();
    let SessionError::OverBudget { needed, available } = error else {
        panic!("{error:?}");
    };
    assert_eq!(available, Tokens::new(100));
    assert!(needed > Tokens::new(300));
    assert_eq!(
        trim(&session, &options(TrimStrategy::Window, 100))
            .unwrap_err()
            .to_string(),
        format!("what must stay needs {needed} tokens; the budget has 100")
    );
}

#[test]
fn f147_the_newest_stay_without_a_gap() {
    let message = |group| WindowMessage {
        tokens: Tokens::new(if group == 6 { 500 } else { 50 }),
        group,
    };
    let messages: Vec<WindowMessage> = (0..10).map(message).collect();
    let window = slide_window(&messages, Tokens::new(700), |_| Tokens::new(10));
    assert_eq!(
        (window.from, window.omitted),
        (7, 6),
        "it stops at what does not fit"
    );
    let window = slide_window(&messages, Tokens::new(949), |_| Tokens::new(10));
    assert_eq!((window.from, window.omitted), (2, 1));
    let window = slide_window(&messages, Tokens::new(950), |_| Tokens::new(10));
    assert_eq!(
        (window.from, window.omitted),
        (1, 0),
        "all of it fits without a marker"
    );
}

#[test]
fn f148_a_marker_says_how_many_are_omitted_and_is_counted() {
    let messages: Vec<Value> = (0..50)
        .map(|number| {
            says(
                if number % 2 == 0 { "user" } else { "assistant" },
                &words(number, 50),
            )
        })
        .collect();
    let session = read(&messages);
    let mut options = options(TrimStrategy::Window, 320);
    let (_, left) = trimmed(&session, &options);
    let marker = "[45 earlier messages omitted for brevity]\n\
                  [loadline: kept 5 of 50 messages; recall k3f9c2td]";
    assert_eq!(texts(&left)[1], marker);
    options.handle = None;
    let (_, left) = trimmed(&session, &options);
    let texts = texts(&left);
    assert_eq!(texts.len(), 6);
    assert_eq!(texts[1], "[45 earlier messages omitted for brevity]");
    assert_eq!(texts[2], words(46, 50));
}

#[test]
fn f149_the_request_is_first_and_the_newest_is_last() {
    let messages: Vec<Value> = (0..20)
        .map(|number| says("user", &format!("Message {number} {}", words(0, 44))))
        .collect();
    let session = read(&messages);
    let (_, left) = trimmed(&session, &options(TrimStrategy::Window, 500));
    let texts = texts(&left);
    assert!(texts[0].starts_with("Message 0 "));
    assert!(texts[texts.len() - 1].starts_with("Message 19 "));
}

#[test]
fn f150_calls_stay_with_their_results() {
    let mut messages = vec![says("user", "look")];
    for number in 0..10 {
        messages.extend(round(number, "ls", &words(number, 100)));
    }
    let session = read(&messages);
    for budget in (60..1_200).step_by(50) {
        let (_, left) = trimmed(&session, &options(TrimStrategy::Window, budget));
        let calls: Vec<&str> = left
            .turns
            .iter()
            .flat_map(|it| it.calls())
            .map(|it| it.id.as_str())
            .collect();
        let results: Vec<&str> = left
            .turns
            .iter()
            .flat_map(|it| it.results())
            .map(|it| it.call.as_str())
            .collect();
        assert_eq!(calls, results);
    }
}

#[test]
fn f166_the_last_five_stay_verbatim() {
    let mut messages = vec![says("user", "look")];
    for number in 0..20 {
        messages.extend(round(number, "ls", &words(number, 200)));
    }
    let session = read(&messages);
    let (done, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_600));
    let results: Vec<&str> = left
        .turns
        .iter()
        .flat_map(|it| it.results())
        .map(|it| it.text.as_str())
        .collect();
    for number in 15..20 {
        assert!(results.contains(&words(number, 200).as_str()), "{number}");
    }
    assert!(done.notes.is_empty());
}

#[test]
fn f166_results_are_cut_first_and_then_it_is_said() {
    let mut messages = vec![says("user", "look")];
    for number in 0..10 {
        messages.extend(round(number, "ls", &lines(1_000)));
    }
    let session = read(&messages);
    let (done, left) = trimmed(&session, &options(TrimStrategy::Priority, 3_000));
    let calls = left.turns.iter().flat_map(|it| it.calls()).count();
    assert!(calls >= 5, "{calls}");
    assert!(done.notes.is_empty());
    let text = &left.turns[left.turns.len() - 1]
        .results()
        .next()
        .unwrap()
        .text;
    assert!(
        text.contains("of 1,000 lines; recall k3f9c2td:21]"),
        "{text}"
    );
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, 300));
    let [note] = &done.notes[..] else {
        panic!("{:?}", done.notes);
    };
    assert!(
        note.message.contains("of the last 5 turns do not fit"),
        "{note}"
    );
}

#[test]
fn a_budget_is_used_even_if_one_result_is_all_there_is() {
    let mut messages = vec![says("user", "look")];
    messages.extend(round(1, "make", &lines(20_000)));
    let session = read(&messages);
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, 4_000));
    assert!(done.after > Tokens::new(3_400), "{}", done.after);
}

#[test]
fn f167_the_highest_scores_stay_while_they_fit() {
    let mut messages = vec![says("user", "look")];
    for number in 0..30 {
        let text = match number {
            3 => format!("Please fix it: the cause is {}", words(number, 80)),
            4 => format!("Please fix it: the cause is {}", words(number, 2_000)),
            _ => words(number, 80),
        };
        messages.push(says("assistant", &text));
    }
    let session = read(&messages);
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_200));
    let kept = texts(&left);
    assert!(
        kept.iter()
            .any(|it| it.starts_with("Please fix") && it.len() < 1_000)
    );
    assert!(
        !kept.iter().any(|it| it.len() > 5_000),
        "what does not fit is passed over"
    );
    // Below 70, and still there: room is left for it.
    let scores = crate::session::score_turns(
        &session,
        &o200k(),
        &crate::session::ScoreTurnOptions::default(),
    );
    assert!(scores[20].score < 70);
    assert!(kept.contains(&words(19, 80).as_str()));
}

#[test]
fn f168_what_does_not_fit_is_summarised() {
    let mut messages = vec![says("user", "look")];
    messages.push(says(
        "user",
        &format!("Please remove the old cache. {}", words(1, 3_000)),
    ));
    messages.push(says(
        "assistant",
        &format!("Reading the sources first. {}", words(2, 3_000)),
    ));
    messages.extend((0..6).map(|it| says("user", &words(it, 50))));
    let session = read(&messages);
    let (done, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_000));
    let want = format!(
        "{SUMMARY_HEADING}\n[User] Please remove the old cache.\n[Agent] Reading the sources first."
    );
    assert_eq!(done.summary.as_deref(), Some(want.as_str()));
    assert_eq!(left.turns[1].role, Role::User);
    let recall = "[loadline: kept 7 of 9 units; recall k3f9c2td]";
    assert_eq!(texts(&left)[1], format!("{want}\n{recall}"));
}

#[test]
fn f169_what_stays_keeps_its_order() {
    let mut messages = vec![says("user", "look")];
    for number in 0..40 {
        let text = format!("{number} {}", words(number, 60));
        let text = if number % 3 == 0 {
            format!("{text} please")
        } else {
            text
        };
        messages.push(says(
            if number % 2 == 0 { "assistant" } else { "user" },
            &text,
        ));
    }
    let session = read(&messages);
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_500));
    let all = texts(&session);
    let kept: Vec<usize> = texts(&left)
        .iter()
        .filter_map(|text| all.iter().position(|it| it == text))
        .collect();
    assert!(kept.len() > 15 && kept.is_sorted(), "{kept:?}");
}

#[test]
fn f171_a_summarizer_of_the_caller_is_asked() {
    struct Fixed(Result<String, String>);
    impl Summarize for Fixed {
        fn summarize(&self, turns: &[SummaryTurn]) -> Result<String, String> {
            assert!(turns.len() > 5);
            self.0.clone()
        }
    }
    let mut messages = vec![says("user", "look")];
    messages.extend((0..30).map(|it| says("user", &words(it, 100))));
    let session = read(&messages);
    let options = options(TrimStrategy::Priority, 1_200);
    let good = Fixed(Ok("they spoke of many things".to_owned()));
    let done = trim_summarized(&session, &options, &good).unwrap();
    let summary = done.summary.unwrap();
    assert_eq!(
        summary,
        format!("{SUMMARY_HEADING}\nthey spoke of many things")
    );
    let long = Fixed(Ok("they spoke of one thing and of another\n".repeat(500)));
    let done = trim_summarized(&session, &options, &long).unwrap();
    assert!(done.after <= options.budget);
    assert!(done.summary.unwrap().lines().count() > 2);
    let bad = Fixed(Err("the command timed out".to_owned()));
    let done = trim_summarized(&session, &options, &bad).unwrap();
    assert_eq!(
        done.notes[0].to_string(),
        "summarizer: the command timed out; the summary is by rule"
    );
    assert!(done.summary.unwrap().contains("\n[User] "));
}

#[test]
fn f173_the_result_says_what_was_gained() {
    let mut messages = vec![says("user", "look")];
    messages.extend((0..30).map(|it| says("user", &words(it, 100))));
    let session = read(&messages);
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, 1_200));
    let ratio = 1.0 - done.after.get() as f64 / done.before.get() as f64;
    assert_eq!(done.compression_ratio(), ratio);
    assert!(ratio > 0.5 && done.kept_turns() > 5);
    assert!(done.summary.is_some());
    let nothing = Trimmed {
        draft: Draft::default(),
        before: Tokens::ZERO,
        after: Tokens::ZERO,
        summary: None,
        notes: Vec::new(),
    };
    assert_eq!(nothing.compression_ratio(), 0.0);
}

#[test]
fn f174_what_is_left_replays_and_the_original_is_untouched() {
    let mut messages = vec![says("user", "look")];
    for number in 0..10 {
        messages.extend(round(number, "ls", &lines(300)));
    }
    let source = Value::from(messages).to_string().into_bytes();
    let session = read_session(source.clone(), None).unwrap();
    for strategy in [TrimStrategy::Priority, TrimStrategy::Window] {
        let (done, _) = trimmed(&session, &options(strategy, 4_000));
        assert!(done.after < done.before);
        assert_eq!(session.source(), source);
    }
}

#[test]
fn lines_to_preserve_stay() {
    let mut messages = vec![says("user", "look")];
    messages.push(says(
        "assistant",
        &format!("the token is KEEP-1 here\n{}", words(1, 60)),
    ));
    messages.push(says(
        "assistant",
        &format!("{}\nand KEEP-2 there", words(2, 9_000)),
    ));
    messages.extend((0..40).map(|it| says("user", &words(it, 60))));
    let session = read(&messages);
    let wanted = Regex::new("KEEP-[0-9]").unwrap();
    for strategy in [TrimStrategy::Priority, TrimStrategy::Window] {
        let options = TrimOptions {
            preserve: vec![wanted.clone()],
            ..options(strategy, 900)
        };
        let (_, left) = trimmed(&session, &options);
        let text = texts(&left).join("\n");
        assert!(text.contains("the token is KEEP-1 here"), "{strategy:?}");
        // One that does not fit is at least quoted by the summary.
        if strategy == TrimStrategy::Priority {
            assert!(text.contains("\nand KEEP-2 there"), "{text}");
        }
    }
}

#[test]
fn more_or_fewer_of_the_last_turns_can_be_asked_for() {
    let mut messages = vec![says("user", "look")];
    messages.extend((0..40).map(|it| says("assistant", &words(it, 60))));
    messages[3] = says(
        "user",
        &format!("please fix it, the answer is {}", words(9, 300)),
    );
    let session = read(&messages);
    let kept = |keep_last| {
        let options = TrimOptions {
            keep_last: Some(keep_last),
            ..options(TrimStrategy::Priority, 800)
        };
        let (_, left) = trimmed(&session, &options);
        left.turns
            .iter()
            .filter(|it| it.role == Role::Assistant)
            .count()
    };
    assert!(kept(10) >= 10);
    assert!(kept(2) < 10);
}

#[test]
fn a_first_unit_that_is_too_large_is_cut_to_a_quarter() {
    let mut messages = vec![says("user", &format!("Fix it.\n{}", lines(4_000)))];
    messages.extend((0..40).map(|it| says("assistant", &words(it, 60))));
    let session = read(&messages);
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 2_000));
    let first = texts(&left)[0];
    assert!(first.starts_with("Fix it.\nrow 0"));
    assert!(first.contains("of 4,001 lines; recall k3f9c2td:1]"));
    let tokens = o200k().count(first).get();
    assert!((400..=500).contains(&tokens), "{tokens}");
    let error = trim(&session, &options(TrimStrategy::Priority, 20)).unwrap_err();
    let SessionError::OverBudget { needed, .. } = error else {
        panic!("{error:?}");
    };
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, needed.get()));
    assert!(done.after <= needed);
}

#[test]
fn what_is_broken_is_left_out_with_a_note() {
    let [call, _] = round(1, "ls", "");
    let [_, orphan] = round(2, "ls", "gone");
    let mut messages = vec![says("user", "look"), orphan, call];
    messages.extend((0..40).map(|it| says("user", &words(it, 60))));
    let [dangling, _] = round(3, "ls", "");
    messages.push(dangling);
    let session = read(&messages);
    assert!(!check_session(&session).is_empty());
    for strategy in [TrimStrategy::Priority, TrimStrategy::Window] {
        let (done, _) = trimmed(&session, &options(strategy, 900));
        assert_eq!(done.notes.len(), 3, "{:?}", done.notes);
    }
}

#[test]
fn the_system_is_kept_and_counted() {
    let messages: Vec<Value> = (0..40).map(|it| says("user", &words(it, 60))).collect();
    let body = json!({"system": words(0, 300), "messages": messages});
    let session = read_session(body.to_string().into_bytes(), None).unwrap();
    for strategy in [TrimStrategy::Priority, TrimStrategy::Window] {
        let (_, left) = trimmed(&session, &options(strategy, 900));
        assert_eq!(left.turns[0].role, Role::System);
        assert!(trim(&session, &options(strategy, 200)).is_err());
    }
}

fn any_session() -> impl Strategy<Value = Vec<Value>> {
    let text = prop_oneof![
        3 => (0_usize..99, 1_usize..120).prop_map(|(seed, tokens)| words(seed, tokens)),
        1 => (30_usize..400).prop_map(lines),
        1 => "\\PC{1,60}",
        1 => Just("Please fix the answer.".to_owned()),
    ];
    let turn = (text, 0_u8..6, 0_usize..3);
    prop::collection::vec(turn, 1..40).prop_map(|turns| {
        let mut messages = vec![says("user", "begin")];
        for (number, (text, kind, calls)) in turns.into_iter().enumerate() {
            let text = if text.trim().is_empty() {
                "x".to_owned()
            } else {
                text
            };
            match kind {
                0 => messages.push(says("user", &text)),
                1 => messages.push(says("assistant", &text)),
                _ => {
                    let ids: Vec<String> =
                        (0..=calls).map(|it| format!("c{number}-{it}")).collect();
                    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
                    let asks = ids.iter().map(|id| {
                        json!({"type": "tool_use", "id": id, "name": "Read",
                            "input": {"file_path": "a.rs", "why": text}})
                    });
                    let asks: Value = [thought].into_iter().chain(asks).collect();
                    let answers = ids.iter().map(
                        |id| json!({"type": "tool_result", "tool_use_id": id, "content": text}),
                    );
                    let extra = (kind == 5).then(|| json!({"type": "text", "text": "and more"}));
                    let answers: Value = answers.chain(extra).collect();
                    messages.push(json!({"role": "assistant", "content": asks}));
                    messages.push(json!({"role": "user", "content": answers}));
                }
            }
        }
        messages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_trimmed_session_fits_replays_and_is_in_order(
        messages in any_session(),
        budget in 20_u64..4_000,
        keep_last in prop::option::of(0_usize..8),
        by_score in any::<bool>(),
    ) {
        let session = read(&messages);
        let strategy = if by_score { TrimStrategy::Priority } else { TrimStrategy::Window };
        let options = TrimOptions { keep_last, ..options(strategy, budget) };
        match trim(&session, &options) {
            Ok(_) => {
                let (done, left) = trimmed(&session, &options);
                let begins = left.turns[0].texts().any(|text| text == "begin");
                prop_assert!(begins, "{done:?}");
            }
            Err(SessionError::OverBudget { needed, available }) => {
                prop_assert!(needed > available);
                prop_assert_eq!(available, options.budget);
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_window_is_within_its_budget(
        sizes in prop::collection::vec((0_u64..100, 0_usize..3), 0..40),
        most in 0_u64..2_000,
    ) {
        let mut group = 0;
        let messages: Vec<WindowMessage> = sizes
            .iter()
            .map(|(tokens, step)| {
                group += usize::from(*step > 0);
                WindowMessage { tokens: Tokens::new(*tokens), group }
            })
            .collect();
        let window = slide_window(&messages, Tokens::new(most), |_| Tokens::new(10));
        let total = |range: &[WindowMessage]| range.iter().map(|it| it.tokens.get()).sum::<u64>();
        let first = total(&messages[..window.first]);
        let marker = if window.omitted > 0 { 10 } else { 0 };
        let kept = first + marker + total(&messages[window.from..]);
        prop_assert!(kept <= most || window.from == messages.len());
        prop_assert_eq!(window.omitted, window.from - window.first);
        if let (Some(at), Some(before)) = (messages.get(window.from), window.from.checked_sub(1)) {
            prop_assert!(messages[before].group != at.group || window.omitted == 0);
        }
    }
}

#[test]
fn pictures_do_not_stop_it() {
    let picture = json!({"type": "image", "source": {"type": "url", "url": "x"}});
    let mut messages =
        vec![json!({"role": "user", "content": [picture, {"type": "text", "text": "see"}]})];
    messages.extend((0..40).map(|it| says("assistant", &words(it, 60))));
    let session = read(&messages);
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 2_000));
    assert!(
        left.turns[0]
            .blocks
            .iter()
            .any(|it| it.content == Content::Image)
    );
}
