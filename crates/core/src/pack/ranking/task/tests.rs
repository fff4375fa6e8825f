//! What ranking for a task promises, on small repositories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::features::FEATURES;
use super::*;
use crate::cache::{Cache, CacheOptions, ContentHash, FileStamp};
use crate::pack::ranking::contribution::Contribution;

const NOW: i64 = 1_700_000_000_000_000_000;

fn body(name: &str, words: &str) -> String {
    format!("def {name}():\n{}\n", format!("    {words}\n").repeat(12))
}

fn repository() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("src/parser.py", body("parse_header", "token = read(stream)") + &body("other", "pass")),
        ("src/writer.py", body("write_body", "stream.write(token)")),
        ("tests/test_parser.py", body("test_parse_header", "parse_header(stream) token header")),
        ("docs/parser.md", "parse header token stream\n".repeat(30)),
        ("src/empty.py", String::new()),
    ])
}

fn ranked(task: &str, messages: &[Message<'_>]) -> (Vec<RankedFile>, TaskWeights) {
    let weights = TaskWeights::default();
    let query = Query::new(task, &weights);
    let candidates: Vec<Candidate> = repository()
        .iter()
        .map(|(path, text)| {
            let index = FileIndex::build(text, language_of(Path::new(path)));
            Candidate::new(path, &index, &query).unwrap()
        })
        .collect();
    (rank(&candidates, messages, &Past::default(), &query, &weights, None), weights)
}

fn best(task: &str) -> String {
    let (ranked, weights) = ranked(task, &[]);
    let picks = choose(&ranked, 60, &weights, lines_cost);
    let best = picks.first().map(|pick| ranked[pick.file].path.clone());
    best.unwrap_or_default()
}

/// One token per line, two per file.
fn lines_cost(_: usize, ranges: &[(u32, u32)]) -> u64 {
    let lines = ranges.iter().map(|(first, last)| u64::from(last + 1 - first));
    2 + lines.sum::<u64>()
}

#[test]
fn code_comes_before_its_tests_and_documents() {
    assert_eq!(best("parse_header loses the last token"), "src/parser.py");
    assert_eq!(best("Writing a body: write_body() fails"), "src/writer.py");
}

#[test]
fn a_file_that_the_task_names_comes_first() {
    assert_eq!(best("token of the header\n\n  File \"src/writer.py\", line 3"), "src/writer.py");
    assert_eq!(best("token of the header in src\\writer.py:12"), "src/writer.py");
}

#[test]
fn messages_point_at_files() {
    let message =
        |text: &'static str, file: &'static str| Message { id: "", text, files: vec![file] };
    let messages = [
        message("Fix the frobnication of bodies", "src/writer.py"),
        message("Something else", "src/parser.py"),
    ];
    let (ranked, _) = ranked("frobnication again", &messages);
    let of = |path: &str| ranked.iter().find(|file| file.path == path).unwrap().signals.messages;
    assert_eq!((of("src/writer.py"), of("src/parser.py")), (1.0, 0.0));
}

/// The body of every passage of one Python file, in order.
fn bodies_of(text: &str, task: &str) -> Vec<f64> {
    let weights = TaskWeights::default();
    let query = Query::new(task, &weights);
    let index = FileIndex::build(text, Some("python"));
    let file = Candidate::new("src/a.py", &index, &query).unwrap();
    let mut passages =
        rank(&[file], &[], &Past::default(), &query, &weights, None).remove(0).passages;
    passages.sort_by_key(|passage| passage.first);
    let bodies = passages.iter().map(|passage| passage.signals.body);
    bodies.collect()
}

#[test]
fn f277_words_in_a_row_are_looked_for_as_one() {
    let text = body("one", "sockettimeout = 1") + &body("two", "other = 1");
    for task in ["Socket timeout", "a socket-timeout", "TCP socket timeout"] {
        assert!(bodies_of(&text, task)[0] > 0.0, "{task}");
    }
    // Words that hold sentences together keep others apart.
    assert_eq!(bodies_of(&text, "socket or timeout")[0], 0.0);
    let three = body("one", "tcpsockettimeout = 1");
    assert!(bodies_of(&three, "TCP socket timeout")[0] > 0.0);
}

#[test]
fn a_passage_is_about_what_it_stands_in() {
    let lines = format!("{}\n", "    a = 1\n".repeat(11)).repeat(4);
    let text = format!("def frobnicate():\n{lines}def other():\n{lines}");
    let bodies = bodies_of(&text, "frobnicate");
    let (inside, outside) = bodies.split_at(bodies.len() / 2);
    assert!(inside.iter().all(|body| *body > 0.1), "{bodies:?}");
    assert_eq!(outside.last(), Some(&0.0), "{bodies:?}");
}

#[test]
fn any_task_is_ranked() {
    let long = "parse header ".repeat(100_000);
    for task in ["", "   \n", "the of and", "修复解析器的问题", "ошибка", "%%% !!!", long.as_str()]
    {
        let (ranked, _) = ranked(task, &[]);
        assert!(ranked.iter().all(|file| file.score.is_finite()), "{task:.20}");
    }
}

#[test]
fn scores_are_the_sum_of_their_signals() {
    let (ranked, weights) = ranked("parse_header loses a token", &[]);
    for file in &ranked {
        assert_eq!(file.score, file.signals.score(&weights));
        for passage in &file.passages {
            assert_eq!(passage.score, passage.signals.score(&weights));
            assert_eq!(passage.signals.file, file.score);
            let sum = Contribution::sum(&passage.signals.contributions(&weights));
            assert!((sum - passage.score).abs() < 1e-9);
        }
        let sum = Contribution::sum(&file.signals.contributions(&weights));
        assert!((sum - file.score).abs() < 1e-9);
    }
}

#[test]
fn a_choice_stays_within_every_budget() {
    let (ranked, weights) = ranked("parse_header loses a token of the stream", &[]);
    for budget in 0..120 {
        let picks = choose(&ranked, budget, &weights, lines_cost);
        let spent: u64 = picks.iter().map(|pick| lines_cost(0, &pick.ranges)).sum();
        assert!(spent <= budget, "{budget} {spent}");
        for pick in &picks {
            assert!(pick.ranges.windows(2).all(|two| two[0].1 + 1 < two[1].0));
        }
    }
}

#[test]
fn a_file_with_two_likely_passages_stands_before_one_with_a_likelier_one() {
    let (mut ranked, weights) = ranked("parse_header token", &[]);
    for (path, scores) in [("src/parser.py", vec![0.4, 0.4]), ("src/writer.py", vec![0.5])] {
        let file = ranked.iter_mut().find(|file| file.path == path).unwrap();
        let judged = Some(Judged::new(Trees::builtin().log_odds(&[0; FEATURES]), 0.0));
        let some = file.passages[0];
        let passage = |(first, score)| RankedPassage { first, last: first, score, judged, ..some };
        file.passages = (1..).step_by(2).zip(scores).map(passage).collect();
    }
    let picks = choose(&ranked, 60, &weights, lines_cost);
    let paths: Vec<&str> = picks.iter().map(|pick| ranked[pick.file].path.as_str()).collect();
    assert_eq!(paths[..2], ["src/parser.py", "src/writer.py"]);
}

#[test]
fn f090_an_unchanged_file_is_not_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = Cache::open(directory.path(), CacheOptions::default());
    let texts = repository();
    let sources: Vec<TaskSource> = texts
        .iter()
        .map(|(path, text)| TaskSource {
            path: (*path).to_owned(),
            language: language_of(Path::new(path)),
            stamp: FileStamp {
                path: PathBuf::from("/").join(path),
                size: text.len() as u64,
                modified_ns: 1,
                changed_ns: None,
                inode: None,
            },
        })
        .collect();
    let read = |stamp: &FileStamp| {
        let path = stamp.path.to_string_lossy();
        match texts.get(path.trim_start_matches('/')) {
            Some(text) if text.is_empty() => Content::NotText,
            Some(text) => Content::Text(text.clone()),
            None => Content::Unreadable,
        }
    };
    let weights = TaskWeights::default();
    let first = Query::new("parse the header", &weights);
    let gathered = gather(&sources, &first, "raw", &store, NOW, read);
    assert_eq!((gathered.read, gathered.candidates.len()), (5, 4));
    // Another task, another process.
    let store = Cache::open(directory.path(), CacheOptions::default());
    let second = Query::new("write the body", &weights);
    let again = gather(&sources, &second, "raw", &store, NOW, read);
    assert_eq!((again.read, again.candidates.len()), (0, 4));
    let paths = |gathered: &Gathered| -> Vec<String> {
        gathered.candidates.iter().map(|candidate| candidate.path.clone()).collect()
    };
    assert_eq!(paths(&gathered), paths(&again));
    // Another form of the texts, and a file that was changed.
    assert_eq!(gather(&sources, &second, "redacted", &store, NOW, read).read, 5);
    let mut changed = sources.clone();
    changed[1].stamp.size += 1;
    assert_eq!(gather(&changed, &second, "raw", &store, NOW, read).read, 1);
}

#[test]
fn a_damaged_index_is_made_anew() {
    let weights = TaskWeights::default();
    let query = Query::new("parse_header token stream", &weights);
    let index = FileIndex::build(&repository()["src/parser.py"], Some("python"));
    let whole = index.probe(&query).unwrap();
    assert!(!whole.hits.is_empty() && !whole.names.is_empty());
    let bytes = index.as_bytes();
    for end in 0..bytes.len() {
        // Never a panic; at most less is found.
        let cut = FileIndex::from_bytes(bytes[..end].to_vec());
        let _ = cut.and_then(|index| index.probe(&query));
    }
    for place in 0..bytes.len() {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 0xff;
        let _ = FileIndex::from_bytes(bytes).and_then(|index| index.probe(&query));
    }
    assert_ne!(ContentHash::of(bytes), ContentHash::of(b""));
}

#[test]
fn kinds_by_path() {
    for (path, kind) in [
        ("src/a.rs", TaskKind::Source),
        ("src/a_test.go", TaskKind::Test),
        ("App.Tests/Helper.cs", TaskKind::Test),
        ("examples/a/main.rs", TaskKind::Example),
        ("docs/conf.py", TaskKind::Example),
        ("README.md", TaskKind::NonCode),
        ("package.json", TaskKind::NonCode),
        ("setup.py", TaskKind::Source),
        ("vite.config.ts", TaskKind::Source),
        ("src/parser.y", TaskKind::Source),
        ("src/builtin.jq", TaskKind::Source),
        ("views/index.erb", TaskKind::Source),
        ("LICENSE", TaskKind::NonCode),
        ("vendor/a.go", TaskKind::NonCode),
    ] {
        assert_eq!(TaskKind::of(path), kind, "{path}");
    }
}
