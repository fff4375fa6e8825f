use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::archive::{Archive, Cut, CutLedger};
use crate::session::summary::{SUMMARY_HEADING, SummaryTurn};
use crate::session::transcript::{Content, Role};
use crate::session::{check_session, read_session, write_session};

const BY_UNIT: [TrimStrategy; 2] = [TrimStrategy::Priority, TrimStrategy::Window];

fn o200k() -> Counter {
    "o200k".parse().unwrap()
}

fn options(strategy: TrimStrategy, budget: u64) -> TrimOptions {
    TrimOptions {
        strategy,
        handle: Some("k3f9c2td".to_owned()),
        ..TrimOptions::new(o200k(), Tokens::new(budget))
    }
}

fn read(messages: &[Value]) -> Transcript {
    read_session(Value::from(messages).to_string().into_bytes(), None).unwrap()
}

/// A session that begins with "look".
fn session(messages: impl IntoIterator<Item = Value>) -> Transcript {
    let first = [says("user", "look")];
    read(&first.into_iter().chain(messages).collect::<Vec<Value>>())
}

fn says(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// Messages of one speaker, each of about so many tokens.
fn talk(role: &str, count: usize, tokens: usize) -> impl Iterator<Item = Value> {
    (0..count).map(move |number| says(role, &words(number, tokens)))
}

/// A call and its result.
fn round(id: usize, result: &str) -> [Value; 2] {
    let id = format!("c{id}");
    [
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "list the files of it"}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": result}]}),
    ]
}

fn rounds(count: usize, result: impl Fn(usize) -> String) -> impl Iterator<Item = Value> {
    (0..count).flat_map(move |number| round(number, &result(number)))
}

/// Words of about `tokens` tokens.
fn words(seed: usize, tokens: usize) -> String {
    let list = ["one", "two", "red", "blue", "old", "new", "cat", "dog", "sun"];
    let word = |place: usize| list[(place * 7 + seed) % list.len()];
    (0..tokens).map(|place| format!("{} ", word(place))).collect()
}

fn lines(count: usize) -> String {
    (0..count).map(|line| format!("row {line} has a value\n")).collect()
}

/// Trims, and checks what every trim promises.
fn trimmed(transcript: &Transcript, options: &TrimOptions) -> (Trimmed, Transcript) {
    let trimmed = trim(transcript, options).unwrap();
    assert!(trimmed.after <= options.budget, "{trimmed:?}");
    let bytes = write_session(transcript, &trimmed.draft).unwrap();
    let left = read_session(bytes, Some(transcript.format)).unwrap();
    assert_eq!(turns_tokens(&options.counter, &left.turns), trimmed.after);
    assert_eq!(check_session(&left), []);
    let turns = trimmed.draft.turns.iter();
    let numbers: Vec<usize> = turns
        .filter_map(|turn| match turn {
            DraftTurn::Of { turn, .. } => Some(*turn),
            DraftTurn::New { .. } => None,
        })
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    (trimmed, left)
}

fn texts(transcript: &Transcript) -> Vec<&str> {
    let turns = transcript.turns.iter();
    turns.flat_map(|turn| turn.texts()).collect()
}

fn results(transcript: &Transcript) -> Vec<&str> {
    let turns = transcript.turns.iter();
    let results = turns.flat_map(|turn| turn.results());
    results.map(|result| result.text.as_str()).collect()
}

#[test]
fn f146_the_first_message_always_stays() {
    let messages: Vec<Value> = talk("user", 20, 60).collect();
    for budget in [150, 300, 900] {
        let (_, left) = trimmed(&read(&messages), &options(TrimStrategy::Window, budget));
        assert_eq!(texts(&left)[0], words(0, 60));
    }
    // A budget is never exceeded: an error names the least that would do.
    let session = read(&[says("user", &words(0, 300)), says("assistant", "ok")]);
    let error = trim(&session, &options(TrimStrategy::Window, 100)).unwrap_err();
    let SessionError::OverBudget { needed, available } = error else {
        panic!("{error:?}");
    };
    assert!(needed > Tokens::new(300));
    assert_eq!(available, Tokens::new(100));
    assert_eq!(
        error.to_string(),
        format!("what must stay needs {needed} tokens; the budget has 100")
    );
}

#[test]
fn f147_the_newest_stay_without_a_gap() {
    let tokens = |number: usize| if number == 6 { 500 } else { 50 };
    let messages = (0..10).map(|number| says("user", &words(number, tokens(number))));
    let session = read(&messages.collect::<Vec<Value>>());
    let all = turns_tokens(&o200k(), &session.turns).get();
    // What does not fit is not passed over, and what fits whole needs no marker.
    for (budget, kept) in [(700, 3), (all - 1, 8), (all, 9)] {
        let (_, left) = trimmed(&session, &options(TrimStrategy::Window, budget));
        let newest: Vec<String> = (10 - kept..10).map(|it| words(it, tokens(it))).collect();
        assert!(texts(&left).ends_with(&newest.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(left.turns.len(), 1 + kept + usize::from(budget < all));
    }
}

#[test]
fn f148_a_marker_says_how_many_are_omitted_and_is_counted() {
    let session = read(&talk("user", 50, 50).collect::<Vec<Value>>());
    let marker = "[45 earlier messages omitted for brevity]";
    let recall = "\n[loadline: kept 5 of 50 messages; recall k3f9c2td]";
    let with_handle = options(TrimStrategy::Window, 320);
    let without = TrimOptions { handle: None, ..with_handle.clone() };
    for (options, recall) in [(with_handle, recall), (without, "")] {
        let (_, left) = trimmed(&session, &options);
        let texts = texts(&left);
        assert_eq!(texts.len(), 6);
        assert_eq!(texts[1], format!("{marker}{recall}"));
        assert_eq!(texts[2], words(46, 50));
    }
}

#[test]
fn f149_the_request_is_first_and_the_newest_is_last() {
    let message = |number| says("user", &format!("Message {number} {}", words(0, 44)));
    let session = read(&(0..20).map(message).collect::<Vec<Value>>());
    let (_, left) = trimmed(&session, &options(TrimStrategy::Window, 500));
    let texts = texts(&left);
    assert!(texts[0].starts_with("Message 0 "));
    assert!(texts[texts.len() - 1].starts_with("Message 19 "));
}

#[test]
fn f150_calls_stay_with_their_results() {
    let session = session(rounds(10, |number| words(number, 100)));
    for budget in (60..1_200).step_by(50) {
        let (_, left) = trimmed(&session, &options(TrimStrategy::Window, budget));
        let turns = || left.turns.iter();
        let calls = turns().flat_map(|it| it.calls()).map(|it| &it.id);
        let results = turns().flat_map(|it| it.results()).map(|it| &it.call);
        assert!(calls.eq(results));
    }
}

#[test]
fn f166_the_last_five_stay_verbatim() {
    let session = session(rounds(20, |number| words(number, 200)));
    let (done, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_600));
    for number in 15..20 {
        assert!(results(&left).contains(&words(number, 200).as_str()), "{number}");
    }
    assert!(done.remarks.is_empty());
}

#[test]
fn f166_results_are_cut_first_and_then_it_is_said() {
    let session = session(rounds(10, |_| lines(1_000)));
    let (done, left) = trimmed(&session, &options(TrimStrategy::Priority, 3_000));
    let results = results(&left);
    assert!(results.len() >= 5 && done.remarks.is_empty());
    let last = results[results.len() - 1];
    assert!(last.contains("of 1,000 lines; recall k3f9c2td:21]"), "{last}");
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, 300));
    let [remark] = &done.remarks[..] else {
        panic!("{:?}", done.remarks);
    };
    assert!(remark.message.contains("of the last 5 turns do not fit"));
}

#[test]
fn a_budget_is_used_even_if_one_result_is_all_there_is() {
    let session = session(round(1, &lines(20_000)));
    let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, 4_000));
    assert!(done.after > Tokens::new(3_400), "{}", done.after);
}

#[test]
fn f167_the_highest_scores_stay_while_they_fit() {
    let session = session((0..30).map(|number| {
        let request = |tokens| format!("Please fix it: the cause is {}", words(number, tokens));
        let text = match number {
            3 => request(80),
            4 => request(2_000),
            _ => words(number, 80),
        };
        says("assistant", &text)
    }));
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_200));
    let kept = texts(&left);
    let is_request = |it: &&str| it.starts_with("Please fix") && it.len() < 1_000;
    assert!(kept.iter().any(is_request));
    assert!(!kept.iter().any(|it| it.len() > 5_000), "what does not fit is passed over");
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
    let long = |role, sentence: &str| says(role, &format!("{sentence} {}", words(1, 3_000)));
    let large = [
        long("user", "Please remove the old cache."),
        long("assistant", "Reading the sources first."),
    ];
    let session = session(large.into_iter().chain(talk("user", 6, 50)));
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
    let session = session((0..40).map(|number| {
        let please = if number % 3 == 0 { " please" } else { "" };
        let role = if number % 2 == 0 { "assistant" } else { "user" };
        says(role, &format!("{number} {}{please}", words(number, 60)))
    }));
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 1_500));
    let all = texts(&session);
    let place = |text: &&str| all.iter().position(|it| it == text);
    let kept: Vec<usize> = texts(&left).iter().filter_map(place).collect();
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
    let session = session(talk("user", 30, 100));
    let options = options(TrimStrategy::Priority, 1_200);
    let summarized = |answer: Result<&str, &str>| {
        let answer = answer.map(str::to_owned).map_err(str::to_owned);
        let done = trim_summarized(&session, &options, Some(&Fixed(answer))).unwrap();
        assert!(done.after <= options.budget);
        (done.summary.unwrap(), done.remarks)
    };
    let (summary, _) = summarized(Ok("they spoke of many things"));
    let want = format!("{SUMMARY_HEADING}\nthey spoke of many things");
    assert_eq!(summary, want);
    let long = "they spoke of one thing and of another\n".repeat(500);
    assert!(summarized(Ok(&long)).0.lines().count() > 2);
    let (summary, remarks) = summarized(Err("the command timed out"));
    assert_eq!(
        remarks[0].to_string(),
        "summarizer: the command timed out; summarised by rule instead"
    );
    assert!(summary.contains("\n[User] "));
}

#[test]
fn f172_a_summary_is_cut_between_lines_and_counted_again() {
    let session = session(rounds(60, |number| words(number, 200)));
    for budget in (200..3_000).step_by(100) {
        let (done, _) = trimmed(&session, &options(TrimStrategy::Priority, budget));
        let summary = done.summary.unwrap_or_default();
        let mut lines = summary.lines();
        assert!(lines.next().is_none_or(|it| it == SUMMARY_HEADING));
        assert!(lines.all(|it| it == "[Agent] list the files of it"), "{summary}");
    }
}

#[test]
fn f173_the_result_says_what_was_gained() {
    let session = session(talk("user", 30, 100));
    let (mut done, _) = trimmed(&session, &options(TrimStrategy::Priority, 1_200));
    assert!(done.kept_turns() > 5 && done.summary.is_some());
    for (before, after, ratio) in [(1_000, 250, 0.75), (8, 8, 0.0), (0, 0, 0.0)] {
        (done.before, done.after) = (Tokens::new(before), Tokens::new(after));
        assert_eq!(done.compression_ratio(), ratio);
    }
}

#[test]
fn f174_what_is_left_replays_and_the_original_is_untouched() {
    let session = session(rounds(10, |_| lines(300)));
    let source = session.source().to_vec();
    for strategy in BY_UNIT {
        let (done, _) = trimmed(&session, &options(strategy, 4_000));
        assert!(done.after < done.before);
        assert_eq!(session.source(), source);
    }
}

#[test]
fn a_trim_is_archived_and_recorded_once() {
    let directory = tempfile::tempdir().unwrap();
    let archive = &Archive::new(directory.path(), directory.path());
    let session = session(talk("user", 30, 100));
    // What fits is kept, but nothing was cut.
    for (budget, cuts) in [(100_000, 0), (1_200, 1)] {
        let options = TrimOptions::new(o200k(), Tokens::new(budget));
        let keeping = Keeping { archive, now: 7 };
        let done = trim_archived(&session, &options, None, keeping).unwrap();
        let handle = done.handle.unwrap();
        let original = archive.get(&archive.find(&handle).unwrap()).unwrap();
        assert_eq!(original, session.source());
        assert_eq!(done.remarks, []);
        let ledger = CutLedger::open(directory.path()).unwrap();
        let rows = ledger.rows(0, 10).unwrap();
        assert_eq!(rows.len(), cuts);
        let is_it = |row: &Cut| row.handle == handle && row.after == done.after.get();
        assert!(rows.iter().all(is_it));
    }
}

#[test]
fn lines_to_preserve_stay() {
    let small = format!("the token is KEEP-1 here\n{}", words(1, 60));
    let large = format!("{}\nand KEEP-2 there", words(2, 9_000));
    let said = [small, large].map(|text| says("assistant", &text));
    let session = session(said.into_iter().chain(talk("user", 40, 60)));
    let wanted = Regex::new("KEEP-[0-9]").unwrap();
    for strategy in BY_UNIT {
        let options = TrimOptions { preserve: vec![wanted.clone()], ..options(strategy, 900) };
        let (_, left) = trimmed(&session, &options);
        let text = texts(&left).join("\n");
        assert!(text.contains("the token is KEEP-1 here"), "{strategy:?}");
        // One that does not fit is at least quoted by the summary.
        let is_quoted = text.contains("\nand KEEP-2 there");
        assert_eq!(is_quoted, strategy == TrimStrategy::Priority, "{text}");
    }
}

#[test]
fn more_or_fewer_of_the_last_turns_can_be_asked_for() {
    let request = format!("please fix it, the answer is {}", words(9, 300));
    let before = talk("assistant", 2, 60).chain([says("user", &request)]);
    let session = session(before.chain(talk("assistant", 37, 60)));
    let kept = |keep_last| {
        let options =
            TrimOptions { keep_last: Some(keep_last), ..options(TrimStrategy::Priority, 800) };
        let (_, left) = trimmed(&session, &options);
        let is_answer = |turn: &&crate::session::Turn| turn.role == Role::Assistant;
        left.turns.iter().filter(is_answer).count()
    };
    assert!(kept(10) >= 10);
    assert!(kept(2) < 10);
}

#[test]
fn a_first_unit_that_is_too_large_is_cut_to_a_quarter() {
    let first = says("user", &format!("Fix it.\n{}", lines(4_000)));
    let messages = [first].into_iter().chain(talk("assistant", 40, 60));
    let session = read(&messages.collect::<Vec<Value>>());
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
fn what_is_broken_is_left_out_with_a_remark() {
    let ([call, _], [_, orphan]) = (round(1, ""), round(2, "gone"));
    let [dangling, _] = round(3, "");
    let said = [orphan, call].into_iter().chain(talk("user", 40, 60));
    let session = session(said.chain([dangling]));
    assert!(!check_session(&session).is_empty());
    for strategy in BY_UNIT {
        let (done, _) = trimmed(&session, &options(strategy, 900));
        assert_eq!(done.remarks.len(), 3, "{:?}", done.remarks);
    }
}

#[test]
fn the_system_is_kept_and_counted() {
    let messages: Vec<Value> = talk("user", 40, 60).collect();
    let body = json!({"system": words(0, 300), "messages": messages});
    let session = read_session(body.to_string().into_bytes(), None).unwrap();
    for strategy in BY_UNIT {
        let (_, left) = trimmed(&session, &options(strategy, 900));
        assert_eq!(left.turns[0].role, Role::System);
        assert!(trim(&session, &options(strategy, 200)).is_err());
    }
}

#[test]
fn pictures_do_not_stop_it() {
    let picture = json!({"type": "image", "source": {"type": "url", "url": "x"}});
    let first = json!({"role": "user", "content": [picture, {"type": "text", "text": "see"}]});
    let messages = [first].into_iter().chain(talk("assistant", 40, 60));
    let session = read(&messages.collect::<Vec<Value>>());
    let (_, left) = trimmed(&session, &options(TrimStrategy::Priority, 2_000));
    let mut blocks = left.turns[0].blocks.iter();
    assert!(blocks.any(|it| it.content == Content::Image));
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
            let text = if text.trim().is_empty() { "x" } else { &text };
            match kind {
                0 => messages.push(says("user", text)),
                1 => messages.push(says("assistant", text)),
                _ => messages.extend(calls_with_thought(number, calls, text, kind == 5)),
            }
        }
        messages
    })
}

/// Several calls behind a thought, then their results and perhaps more words.
fn calls_with_thought(number: usize, calls: usize, text: &str, more: bool) -> [Value; 2] {
    let ids: Vec<String> = (0..=calls).map(|it| format!("c{number}-{it}")).collect();
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let call = |id| {
        json!({"type": "tool_use", "id": id, "name": "Read",
            "input": {"file_path": "a.rs", "why": text}})
    };
    let result = |id| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    let more = more.then(|| json!({"type": "text", "text": "and more"}));
    let asked: Value = [thought].into_iter().chain(ids.iter().map(call)).collect();
    let answered: Value = ids.iter().map(result).chain(more).collect();
    [json!({"role": "assistant", "content": asked}), json!({"role": "user", "content": answered})]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_trimmed_session_fits_replays_and_is_in_order(
        messages in any_session(),
        budget in 20_u64..4_000,
        keep_last in prop::option::of(0_usize..8),
        strategy in prop::sample::select(BY_UNIT.to_vec()),
    ) {
        let session = read(&messages);
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
}
