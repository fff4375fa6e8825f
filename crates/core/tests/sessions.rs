//! Sessions of every shape and format, trimmed by every strategy to any budget:
//! what is written is valid, within the budget, in order, and leads back to the
//! original byte for byte.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use loadline::Diagnose;
use loadline::archive::Archive;
use loadline::session::{
    Draft, DraftTurn, Role, SessionError, SessionFormat, Transcript, TrimOptions, TrimStrategy,
    check_session, convert_session, read_session, recall_handles, restore_session, trim,
    turns_tokens, write_session,
};
use loadline::tokens::{Counter, Tokens};
use serde_json::{Value, json};

/// Sessions that are made and trimmed by each strategy.
const CASES: u64 = 240;

const STRATEGIES: [TrimStrategy; 3] =
    [TrimStrategy::Coverage, TrimStrategy::Priority, TrimStrategy::Window];

fn counter() -> Counter {
    "o200k".parse().unwrap()
}

/// Numbers that look random and are always the same.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| _ = random.next());
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }

    /// Once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const WORDS: &str = "session budget the parser fails when cache is stale fix src/store.rs \
    load_index() größer 日本語 🚢 retry `--limit=40` E0308 test and please window.ts never always";

fn words(random: &mut Random, most: usize) -> String {
    let count = 1 + random.below(most);
    let known: Vec<&str> = WORDS.split(' ').collect();
    let words: Vec<&str> = (0..count).map(|_| random.one(&known)).collect();
    words.join(" ")
}

fn path(random: &mut Random) -> String {
    let directory = random.one(&["src", "src/session", "tests", "/home/dev/app/lib"]);
    let name = random.one(&["store", "parse", "window", "größe", "main"]);
    format!("{directory}/{name}.{}", random.one(&["rs", "ts", "py"]))
}

/// What a tool answers: nothing, a few lines, hundreds, one long line, JSON.
fn answer(random: &mut Random) -> String {
    let count = match random.below(12) {
        0 => 0,
        1 => 60 + random.below(240),
        2..6 => 10 + random.below(40),
        _ => 1 + random.below(8),
    };
    let mut text = match random.below(9) {
        0 => words(random, 40).repeat(1 + random.below(30)).replace(' ', ""),
        1 => {
            let rows = (0..count).map(|row| json!({"id": row, "name": words(random, 3)}));
            Value::from_iter(rows).to_string()
        }
        2 => {
            let rows = (0..count).map(|row| json!({"id": row, "path": path(random)}));
            serde_json::to_string_pretty(&Value::from_iter(rows)).unwrap()
        }
        3..6 => (1..=count).map(|line| format!("{line:>6}→    {}\n", words(random, 9))).collect(),
        6 => (0..count)
            .map(|line| format!("{}:{line}:{}\n", path(random), words(random, 6)))
            .collect(),
        7 => {
            let odd = "\r\n\t\u{1b}[31m error \"quoted\" \\ \u{0}\n";
            (0..count).map(|_| words(random, 4) + odd).collect()
        }
        _ => (0..count).map(|_| format!("{}\n", words(random, 12))).collect(),
    };
    if random.once_in(4) {
        text = text.trim_end().to_owned();
    }
    text
}

fn call(random: &mut Random) -> (&'static str, Value) {
    let file = path(random);
    match random.below(8) {
        0 => {
            let command = format!("cat > a.py <<'E'\n{}\nE", answer(random));
            ("Bash", json!({"command": command}))
        }
        1 | 2 => {
            let command = format!("cargo test {} 2>&1 | tail", words(random, 3));
            let input = json!({"command": command, "description": words(random, 5)});
            ("Bash", input)
        }
        3 => {
            let input = json!({"file_path": file, "offset": random.below(300), "limit": 40});
            ("Read", input)
        }
        4 => {
            let (old, new) = (words(random, 20), answer(random));
            let input = json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": false});
            ("Edit", input)
        }
        5 => ("Write", json!({"file_path": file, "content": answer(random)})),
        6 => {
            let input =
                json!({"pattern": words(random, 2), "path": "src", "-n": true, "glob": null});
            ("Grep", input)
        }
        _ => {
            let open = json!({"content": words(random, 8), "status": "pending"});
            let todos = json!({"todos": [open, {"content": "", "status": "done"}]});
            ("TodoWrite", todos)
        }
    }
}

fn user(random: &mut Random) -> Value {
    let most = if random.once_in(9) { 260 } else { 30 };
    let mut text = words(random, most);
    if random.once_in(6) {
        text = format!("{text}\n\n- {}\n- {}\n", words(random, 9), words(random, 9));
    }
    match random.below(6) {
        0 => {
            let injected = format!("<system-reminder>\n{}\n</system-reminder>", words(random, 60));
            json!([{"type": "text", "text": injected}, {"type": "text", "text": text}])
        }
        1 => json!([{"type": "text", "text": text}]),
        _ => json!(text),
    }
}

/// Writes a session as messages of Anthropic's API.
fn session(random: &mut Random) -> Vec<u8> {
    let rounds = match random.below(20) {
        0 => 16 + random.below(25),
        1 => 1,
        _ => 2 + random.below(13),
    };
    let mut messages = Vec::new();
    let mut ids = 0;
    let mut say =
        |role: &str, content: Value| messages.push(json!({"role": role, "content": content}));
    say("user", user(random));
    for round in 0..rounds {
        let mut blocks = Vec::new();
        if random.once_in(4) {
            let thought = words(random, 50);
            blocks.push(json!({"type": "thinking", "thinking": thought, "signature": "c2ln"}));
        }
        let calls = random.below(5).saturating_sub(usize::from(random.once_in(2)));
        if calls == 0 || random.once_in(2) {
            blocks.push(json!({"type": "text", "text": words(random, 60)}));
        }
        let mut results = Vec::new();
        for _ in 0..calls {
            ids += 1;
            let (name, input) = call(random);
            let id = format!("toolu_{ids:03}");
            blocks.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
            let content = if random.once_in(5) {
                json!([{"type": "text", "text": answer(random)}])
            } else {
                json!(answer(random))
            };
            let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if random.once_in(8) {
                result["is_error"] = true.into();
            }
            results.push(result);
        }
        say("assistant", json!(blocks));
        let is_last = round + 1 == rounds;
        if calls > 0 {
            if random.once_in(7) {
                results.push(json!({"type": "text", "text": words(random, 20)}));
            }
            say("user", json!(results));
        }
        if calls == 0 && !is_last || is_last && random.once_in(3) {
            say("user", user(random));
        }
        // Some send two messages, one after the other.
        if random.once_in(12) && calls > 0 && !is_last {
            say("user", user(random));
        }
    }
    let messages = Value::from(messages);
    let document = if random.once_in(3) {
        json!({"model": "claude-opus-4-8", "system": words(random, 20), "messages": messages})
    } else {
        messages
    };
    if random.once_in(3) {
        serde_json::to_vec_pretty(&document).unwrap()
    } else {
        serde_json::to_vec(&document).unwrap()
    }
}

/// A session of a seed, in the format that is its turn.
fn case(seed: u64) -> (Transcript, Random) {
    let mut random = Random::new(seed);
    let source = session(&mut random);
    let made = read_session(source, None).unwrap();
    assert_eq!(made.format, SessionFormat::Anthropic);
    assert_eq!(check_session(&made), [], "seed {seed}");
    let formats: Vec<SessionFormat> = SessionFormat::all().collect();
    let to = formats[seed as usize % formats.len()];
    let converted = convert_session(&made, &Draft::whole(&made), to).unwrap();
    let transcript = read_session(converted.clone(), Some(to)).unwrap();
    assert_eq!(transcript.source(), converted);
    assert_eq!(check_session(&transcript), [], "seed {seed} as {to}");
    (transcript, random)
}

/// What stays is in the order that it had, and nothing stays twice.
fn assert_in_order(draft: &Draft, seed: u64) {
    let mut last = None;
    for turn in &draft.turns {
        if let DraftTurn::Of { turn, blocks } = turn {
            for block in blocks {
                let place = Some((*turn, block.block));
                assert!(place > last, "seed {seed}: {place:?} after {last:?}");
                last = place;
            }
        }
    }
}

/// What the user said and stayed in place, in the order of the session.
fn assert_users_in_order(source: &Transcript, trimmed: &Transcript, seed: u64) {
    let of = |it: &Transcript| -> Vec<String> {
        let turns = it.turns.iter().filter(|turn| turn.role == Role::User);
        turns.flat_map(|turn| turn.texts().map(str::to_owned)).collect()
    };
    let said = of(source);
    let known: BTreeSet<&String> = said.iter().collect();
    let mut rest = said.iter();
    for text in of(trimmed).iter().filter(|text| known.contains(text)) {
        assert!(rest.any(|it| it == text), "seed {seed}: {text:?} is out of order");
    }
}

#[test]
fn coverage_trims_and_restores_sessions_of_all_shapes() {
    trim_and_restore(TrimStrategy::Coverage, 1);
}

#[test]
fn priority_trims_and_restores_sessions_of_all_shapes() {
    trim_and_restore(TrimStrategy::Priority, 1 + CASES);
}

#[test]
fn window_trims_and_restores_sessions_of_all_shapes() {
    trim_and_restore(TrimStrategy::Window, 1 + 2 * CASES);
}

fn trim_and_restore(strategy: TrimStrategy, first_seed: u64) {
    let counter = counter();
    let directory = tempfile::tempdir().unwrap();
    let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
    let (mut trimmed, mut whole, mut refused) = (0, 0, 0);
    for seed in first_seed..first_seed + CASES {
        let (transcript, mut random) = case(seed);
        let before = turns_tokens(&counter, &transcript.turns).get();
        let most = (before * 6 / 5).max(301);
        let budget = if random.once_in(8) {
            20 + random.below(280) as u64
        } else {
            300 + random.below((most - 300) as usize) as u64
        };
        let handle = blobs.handle(&blobs.put(transcript.source()).unwrap()).unwrap();
        let mut options = TrimOptions {
            keep_last: random.once_in(4).then(|| random.below(12)),
            handle: Some(handle.clone()),
            ..options(budget, strategy)
        };
        let name = format!(
            "seed {seed}, {budget} of {before} as {} by {}",
            transcript.format,
            strategy.name()
        );
        let outcome = match trim(&transcript, &options) {
            Err(SessionError::OverBudget { needed, available }) => {
                assert_eq!(available, options.budget, "{name}");
                assert!(needed > available, "{name}: {needed}");
                refused += 1;
                options.budget = needed;
                trim(&transcript, &options)
            }
            other => other,
        };
        let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_in_order(&outcome.draft, seed);
        let written = write_session(&transcript, &outcome.draft).unwrap();
        if seed % 5 == 0 {
            let again = trim(&transcript, &options).unwrap();
            let again = write_session(&transcript, &again.draft);
            assert_eq!(again.as_deref(), Ok(written.as_slice()), "{name}");
        }
        let back = read_session(written.clone(), Some(transcript.format)).unwrap();
        let after = turns_tokens(&counter, &back.turns);
        assert!(after <= options.budget, "{name}: {after} are left");
        assert_eq!(check_session(&back), [], "{name}");
        assert_users_in_order(&transcript, &back, seed);
        if outcome.draft.is_whole(&transcript) {
            assert_eq!(written, transcript.source(), "{name}");
            whole += 1;
            continue;
        }
        trimmed += 1;
        assert!(recall_handles(&written).contains(&handle), "{name}: no handle");
        let restored = restore_session(&written, &blobs).unwrap();
        assert!(restored == transcript.source(), "{name}: restored another");
    }
    assert!(
        trimmed > 120 && whole > 12 && refused < 12,
        "{trimmed} trimmed, {whole} whole, {refused} refused"
    );
}

fn options(budget: u64, strategy: TrimStrategy) -> TrimOptions {
    TrimOptions {
        strategy,
        handle: Some("k3f9c2td".to_owned()),
        ..TrimOptions::new(counter(), Tokens::new(budget))
    }
}

/// Messages that begin with a word of the user.
fn messages(rest: impl IntoIterator<Item = Value>) -> Transcript {
    let first = json!({"role": "user", "content": "look at it"});
    let all: Value = std::iter::once(first).chain(rest).collect();
    read_session(all.to_string().into_bytes(), None).unwrap()
}

fn asks(id: &str) -> Value {
    let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}});
    json!({"role": "assistant", "content": [call]})
}

fn answers(id: &str, text: &str) -> Value {
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
    json!({"role": "user", "content": [result]})
}

#[test]
fn what_is_no_session_is_one_clear_error() {
    let code = |source: &[u8]| {
        let error = read_session(source.to_vec(), None).unwrap_err();
        (error.code(), error.to_string().lines().count())
    };
    assert_eq!(code(b""), ("LL-SES-001", 1));
    assert_eq!(code(b" \n\n"), ("LL-SES-001", 1));
    let others: [&[u8]; 4] = [
        b"fn main() {}\n",
        b"\x00\xff\xfe\x01",
        br#"{"name": "loadline", "version": 3}"#,
        b"[1, 2, 3]",
    ];
    for source in others {
        assert_eq!(code(source), ("LL-SES-002", 1), "{source:?}");
    }
}

#[test]
fn a_document_that_ends_early_is_an_error_or_a_session() {
    let mut random = Random::new(7);
    let source = session(&mut random);
    for part in 1..40 {
        let end = source.len() * part / 40;
        match read_session(source[..end].to_vec(), None) {
            Ok(session) => assert!(!session.notes.is_empty(), "{end} bytes are no whole"),
            Err(error) => assert!(error.code().starts_with("LL-SES-00"), "{error}"),
        }
    }
}

#[test]
fn one_result_of_five_megabytes_is_cut() {
    let line = "a line of a log that goes on and on, 0123456789\n";
    let long = line.repeat(5_000_000 / line.len() + 1);
    for text in [long.clone(), long.replace('\n', " ")] {
        let session = messages([asks("a"), answers("a", &text)]);
        for strategy in STRATEGIES {
            let done = trim(&session, &options(4_000, strategy)).unwrap();
            assert!(done.after.get() <= 4_000, "{} by {}", done.after, strategy.name());
            let written = write_session(&session, &done.draft).unwrap();
            assert_eq!(check_session(&read_session(written, None).unwrap()), []);
        }
    }
}

#[test]
fn a_budget_of_one_says_what_is_needed() {
    let (session, _) = case(9);
    for strategy in STRATEGIES {
        let error = trim(&session, &options(1, strategy)).unwrap_err();
        let SessionError::OverBudget { needed, available } = error.clone() else {
            panic!("{error}");
        };
        assert_eq!((error.code(), available.get()), ("LL-CTX-003", 1));
        assert!(error.hint().unwrap().contains(&needed.to_string()));
        let done = trim(&session, &options(needed.get(), strategy)).unwrap();
        assert!(done.after <= needed, "{}", strategy.name());
    }
}

#[test]
fn broken_sessions_are_trimmed_all_the_same() {
    let long = "a line of output\n".repeat(400);
    let broken = [
        ("an orphan", vec![answers("gone", &long), asks("a"), answers("a", &long)]),
        ("no answer", vec![asks("a"), asks("b"), answers("b", &long), asks("c")]),
        ("an id twice", vec![asks("a"), answers("a", &long), asks("a"), answers("a", &long)]),
        ("two answers", vec![asks("a"), answers("a", &long), answers("a", &long)]),
    ];
    for (name, rest) in broken {
        let session = messages(rest);
        let source = session.source().to_vec();
        for strategy in STRATEGIES {
            let done = trim(&session, &options(700, strategy)).unwrap();
            let written = write_session(&session, &done.draft).unwrap();
            let back = read_session(written, None).unwrap();
            let after = turns_tokens(&counter(), &back.turns);
            assert!(after.get() <= 700, "{name} by {}: {after}", strategy.name());
            assert!(!back.turns.is_empty(), "{name} by {}", strategy.name());
        }
        assert_eq!(session.source(), source, "{name}");
    }
}
