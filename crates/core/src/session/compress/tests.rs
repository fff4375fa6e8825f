use serde_json::json;

use super::*;

fn o200k() -> Counter {
    "o200k".parse().unwrap()
}

fn compressor<'a>(name: &str, limits: ResultLimits, counter: &'a Counter) -> Compressor<'a> {
    let tool = ToolUse { name, ..ToolUse::default() };
    Compressor {
        limits,
        counter,
        marker: Marker::default(),
        preserve: &[],
        kind: tool.kind(),
        is_error: false,
    }
}

/// Compresses by the usual limits.
fn compress(name: &str, text: &str) -> Option<CompressedText> {
    compressor(name, ResultLimits::default(), &o200k()).compress(text)
}

/// Lines that are like no other, so that they do not look like a log.
fn numbered(count: usize) -> String {
    let word = |number: usize| -> String {
        let digits = number.to_string();
        digits.bytes().map(|digit| char::from(digit + 49)).collect()
    };
    let line = |number: usize| format!("{number} line {} of it all\n", word(number));
    (0..count).map(line).collect()
}

#[test]
fn f176_above_2000_tokens_the_first_and_last_ten_lines() {
    let text = numbered(500);
    let (counter, fits) = (o200k(), numbered(100));
    let short = compressor("Read", ResultLimits::short(), &counter);
    let compressed = short.compress(&text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let kept: Vec<&str> = compressed.text.lines().collect();
    assert_eq!(kept[..10], lines[..10]);
    assert_eq!(kept[10], "[loadline: kept 20 of 500 lines]");
    assert_eq!(kept[11..], lines[490..]);
    let counted = (compressed.kept_lines, compressed.total_lines);
    assert_eq!(counted, (20, 500));
    assert!(counter.count(&fits) <= Tokens::new(2_000));
    assert_eq!(short.compress(&fits), None);
}

#[test]
fn f176_a_few_long_lines_are_cut_by_characters() {
    // Ten lines of each end would be the whole text twice.
    let (counter, line) = (o200k(), "word ".repeat(2_000));
    for count in [1, 2, 18, 20, 22] {
        let text = vec![line.as_str(); count].join("\n");
        let compressor = compressor("Bash", ResultLimits::short(), &counter);
        let short = compressor.compress(&text).unwrap();
        assert_eq!(short.strategy, ResultStrategy::Characters);
        assert!(short.text.chars().count() < 600, "{}", short.text);
        let total = crate::text::thousands(text.len() as u64);
        let marker = format!("[loadline: kept 500 of {total} characters]");
        assert!(short.text.contains(&marker), "{}", short.text);
    }
}

#[test]
fn f178_a_result_is_cut_to_8000_characters() {
    let text = numbered(5_000);
    let short = compress("Read", &text).unwrap();
    assert_eq!(short.strategy, ResultStrategy::HeadTail);
    assert!(short.text.chars().count() <= 8_100);
    assert!(short.text.starts_with("0 line a"));
    assert!(short.text.ends_with(text.lines().last().unwrap()));
    let mut lines = short.text.lines();
    let marker = lines.position(|it| it.starts_with("[loadline")).unwrap();
    let head = marker as f64 / short.kept_lines as f64;
    assert!((0.55..0.65).contains(&head), "{head}");
    // Short lines: 300 of the beginning and 200 of the end.
    let text = "a\n".repeat(1_000).replace("a\na\na", "b\na\nc");
    let limits =
        ResultLimits { most: ResultSize::Tokens(Tokens::new(1_500)), ..ResultLimits::default() };
    let short = compressor("Read", limits, &o200k()).compress(&text).unwrap();
    assert_eq!((short.kept_lines, short.total_lines), (500, 1_000));
    let kept: Vec<&str> = short.text.lines().collect();
    assert!(kept[300].starts_with("[loadline: kept 500 of 1,000"));
}

#[test]
fn f178_characters_keep_six_tenths_of_the_beginning() {
    let text = format!("{}{}", "a ".repeat(20_000), "b ".repeat(20_000));
    let short = compress("WebFetch", &text).unwrap();
    let count = |letter: char| short.text.matches(&format!("{letter} ")).count() as f64;
    let (a, b) = (count('a'), count('b'));
    assert!((a / (a + b) - 0.6).abs() < 0.01, "{a} {b}");
    assert!(a + b > 1_900.0, "as many as fit 2,000 tokens");
    // A dense text has fewer characters than the limit, and more tokens.
    let dense: String =
        (0..3_000).filter_map(|number| char::from_u32(0x4e00 + 7 * number)).collect();
    let short = compress("WebFetch", &dense).unwrap();
    assert!(short.before > Tokens::new(2_000) && short.after <= Tokens::new(2_000));
}

#[test]
fn f178_commands_keep_their_end_and_their_errors() {
    let mut text = numbered(2_000);
    let middle = text.find("\n1000 ").unwrap() + 1;
    text.insert_str(middle, "src/a.rs:7: error[E0308]: mismatched types\n");
    let short = compress("Bash", &text).unwrap();
    assert_eq!(short.strategy, ResultStrategy::Tail);
    let lines: Vec<&str> = short.text.lines().collect();
    assert_eq!(lines[0], text.lines().next().unwrap());
    assert!(lines.contains(&"src/a.rs:7: error[E0308]: mismatched types"));
    let last: Vec<&str> = text.lines().rev().take(100).collect();
    assert!(lines.iter().rev().zip(last).all(|(kept, was)| *kept == was));
    assert_eq!(short.text.matches("[loadline").count(), 1);
    assert!(short.text.contains("[… "), "the smaller gap is noted too");
}

#[test]
fn f178_failures_keep_twice_as_much() {
    let (counter, text) = (o200k(), numbered(2_000));
    let kept = |is_error| {
        let usual = compressor("Bash", ResultLimits::default(), &counter);
        let compressor = Compressor { is_error, ..usual };
        let short = compressor.with_room_for_errors().compress(&text).unwrap();
        short.kept_lines as f64
    };
    let ratio = kept(true) / kept(false);
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
}

/// A diff of files with hunks of eleven lines.
fn diff(files: usize, hunks: usize) -> String {
    let hunk = |file: usize, hunk: usize| {
        let context: String =
            (0..8).map(|line| format!(" context {file} {hunk} {line}\n")).collect();
        format!("@@ -{hunk},9 +{hunk},9 @@\n{context}-was {file} {hunk}\n+is {file} {hunk}\n")
    };
    let file = |file: usize| {
        let name = format!("diff --git a/f{file} b/f{file}\n--- a/f{file}\n+++ b/f{file}\n");
        let hunks = (0..hunks).map(|it| hunk(file, it));
        [name].into_iter().chain(hunks).collect::<String>()
    };
    (0..files).map(file).collect()
}

#[test]
fn f178_what_is_kept_depends_on_the_tool_and_the_text() {
    let files = || (0..40).flat_map(|file| (0..50).map(move |line| (file, line)));
    let matches = files().map(|(file, line)| format!("src/f{file}.rs:{line}: let v = {line};\n"));
    let paths = (0..1_000).map(|it| format!("src/deep/path/file{it}.rs\n"));
    let log = (0..3_000).map(|number| {
        let odd = match number {
            700 => "12:00:07 cache warmed\n",
            900 => "12:00:09 connection to database failed: timeout\n",
            _ => "",
        };
        format!("12:00:{number} GET /items/{number} 200 {number}ms\n{odd}")
    });
    let every = |count: usize, name: fn(usize) -> String| (0..count).map(name).collect();
    let cases: [(&str, String, ResultStrategy, Vec<String>); 4] = [
        (
            "Grep",
            matches.collect(),
            ResultStrategy::Elements,
            every(40, |file| format!("src/f{file}.rs:0:")),
        ),
        (
            "Glob",
            paths.collect(),
            ResultStrategy::Elements,
            every(2, |end| format!("src/deep/path/file{}.rs", end * 999)),
        ),
        (
            "Bash",
            log.collect(),
            ResultStrategy::Distinct,
            ["cache warmed", "connection to database failed", "2999ms"].map(str::to_owned).to_vec(),
        ),
        (
            "Bash",
            diff(30, 10),
            ResultStrategy::Hunks,
            every(30, |file| format!("diff --git a/f{file} b/f{file}")),
        ),
    ];
    for (tool, text, strategy, wanted) in cases {
        let short = compress(tool, &text).unwrap();
        assert_eq!(short.strategy, strategy);
        for part in wanted {
            assert!(short.text.contains(&part), "{part}");
        }
    }
    let whole = diff(1, 1);
    let (_, hunk) = whole.split_at(whole.find("@@").unwrap());
    let short = compress("Bash", &diff(30, 10)).unwrap();
    assert!(short.text.contains(hunk), "{}", short.text);
}

#[test]
fn f178_arrays_keep_five_items_of_either_end() {
    let items: Value = (0..500).map(|it| json!({"id": it, "name": "some name here"})).collect();
    let short = compress("api", &items.to_string()).unwrap();
    assert_eq!(short.strategy, ResultStrategy::Items);
    let list: Vec<Value> = serde_json::from_str(&short.text).unwrap();
    let all = items.as_array().unwrap();
    assert_eq!((list.len(), &list[..5]), (12, &all[..5]));
    assert_eq!(list[5], "... 490 items omitted ...");
    assert_eq!(list[6], "[loadline: kept 10 of 500 items]");
    assert_eq!(list[7..], all[495..]);
    let inner = json!({"total": 500, "items": items}).to_string();
    let short = compress("api", &inner).unwrap();
    let object: Value = serde_json::from_str(&short.text).unwrap();
    assert_eq!(object["total"], 500);
    assert_eq!(object["items"].as_array().unwrap().len(), 12);
    // Large items are fewer, and a broken array is text.
    let large: Value = (0..20).map(|it| format!("item {it} of the list ").repeat(60)).collect();
    let short = compress("api", &large.to_string()).unwrap();
    let list: Vec<Value> = serde_json::from_str(&short.text).unwrap();
    assert!(list.len() < 12, "{}", list.len());
    let broken = compress("api", &large.to_string().replace(',', " ")).unwrap();
    assert_eq!(broken.strategy, ResultStrategy::Characters);
}

#[test]
fn nothing_to_gain_is_none_and_once_is_enough() {
    for text in ["", "ok", "\n\n\n", "[]", "{}"] {
        assert_eq!(compress("Bash", text), None);
    }
    let once = compress("Bash", &numbered(3_000)).unwrap();
    assert_eq!(compress("Bash", &once.text), None);
}

#[test]
fn fifty_megabytes_are_not_counted() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Watched(Arc<AtomicUsize>);
    impl crate::tokens::CountTokens for Watched {
        fn name(&self) -> &str {
            "watched"
        }
        fn precision(&self) -> crate::tokens::Precision {
            crate::tokens::Precision::Exact
        }
        fn count(&self, text: &str) -> Tokens {
            self.0.fetch_add(text.len(), Ordering::Relaxed);
            Tokens::new(text.len() as u64 / 4)
        }
    }
    let bytes = Arc::new(AtomicUsize::new(0));
    let counter = Counter::custom(Watched(Arc::clone(&bytes)));
    for text in [numbered(400_000), "x".repeat(50_000_000)] {
        bytes.store(0, Ordering::Relaxed);
        let compressor = compressor("Bash", ResultLimits::default(), &counter);
        let short = compressor.compress(&text).unwrap();
        assert!(bytes.load(Ordering::Relaxed) < 1_000_000);
        let real = text.len() as f64 / 4.0;
        assert!((short.before.get() as f64 / real - 1.0).abs() < 0.05);
    }
}
