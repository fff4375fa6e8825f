//! Counters against their references: `tiktoken-rs` for OpenAI's vocabularies,
//! recorded counts of ctok 1.3.0 for Claude's.

#![allow(clippy::unwrap_used)]

use loadline::tokens::{Counter, Tokens};
use proptest::prelude::*;

fn counter(name: &str) -> Counter {
    name.parse().unwrap()
}

/// Texts in which every alternative of the split patterns comes up often.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[0-9]{1,5}",
        2 => "[ \t]{1,4}",
        1 => "[\r\n]{1,3}",
        3 => "[!-/:-@\\[-`{-~]{1,4}",
        2 => "'(s|S|t|re|VE|m|ll|d|ſ|x)",
        2 => "[éÉßſÅñǅʰªωΩΣДд]{1,3}",
        2 => "[日本語한국あアー々กขय़ि]{1,3}",
        1 => "[½²①Ⅷ٣४\u{301}\u{308}\u{fe0f}\u{200d}]{1,3}",
        1 => "[\u{a0}\u{2003}\u{3000}\u{85}\u{2028}]{1,2}",
        1 => "(🎉|👩🏽|🇺🇸|\u{fdd0}|\u{0}|\u{e000})",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn f005_openai_counts_agree_with_tiktoken(text in text()) {
        let o200k = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len();
        prop_assert_eq!(counter("o200k").count(&text), Tokens::new(o200k as u64));
        let cl100k = tiktoken_rs::cl100k_base_singleton().encode_ordinary(&text).len();
        prop_assert_eq!(counter("cl100k").count(&text), Tokens::new(cl100k as u64));
    }

    #[test]
    fn f009_a_count_does_not_depend_on_what_was_counted_before(text in text()) {
        for name in ["o200k", "claude-3", "claude-4.7", "claude-4.8"] {
            let warm = counter(name).count(&text);
            let cold = std::thread::scope(|scope| {
                scope.spawn(|| counter(name).count(&text)).join()
            });
            prop_assert_eq!(Some(warm), cold.ok());
        }
    }

    #[test]
    fn counting_up_to_a_limit_never_misjudges(text in text(), limit in 0_u64..40) {
        for name in Counter::NAMES {
            let counter = counter(name);
            let (count, limit) = (counter.count(&text), Tokens::new(limit));
            prop_assert_eq!(counter.count_up_to(&text, limit), (count <= limit).then_some(count));
        }
    }
}

#[test]
fn f005_claude_counts_agree_with_recorded_ones() {
    let rows = include_str!("fixtures/claude_counts.jsonl");
    let mut checked = 0;
    for row in rows.lines() {
        let (text, want): (String, [u64; 3]) = parse(row);
        let got =
            ["claude-3", "claude-4.7", "claude-4.8"].map(|name| counter(name).count(&text).get());
        assert_eq!(got, want, "{text:?}");
        checked += 1;
    }
    assert!(checked >= 3_000);
}

fn parse(row: &str) -> (String, [u64; 3]) {
    let (text, v3, v4_7, v4_8) = serde_json::from_str(row).unwrap();
    (text, [v3, v4_7, v4_8])
}

/// Runs of one character make merging by heap quadratic. The bench `speed` has
/// the times of whole megabytes; here a quarter of one is enough to notice.
#[test]
fn monotonous_texts_are_counted() {
    let long = |unit: &str| unit.repeat(250_000 / unit.len());
    for unit in [" ", "a", "\n", "-", "=-", "🎉", "日", "e\u{301}", "\t ", "'", "\0"] {
        let text = long(unit);
        for name in Counter::NAMES {
            let count = counter(name).count(&text);
            // One more for the start of a word that the frame of a message supplies.
            assert!(count.get() <= text.len() as u64 + 1, "{name} {unit:?}");
        }
    }
    // A run costs what its parts cost where no longer piece exists.
    let party = long("🎉");
    let one = counter("claude-4.8").count("🎉").get();
    let all = counter("claude-4.8").count(&party).get();
    assert_eq!(all, one * (party.len() as u64 / 4));
}
