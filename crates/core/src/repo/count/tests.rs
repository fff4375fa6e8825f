//! Counting as a caller sees it, with and without a store.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::cache::CacheOptions;
use crate::tokens::{CountSource, CountTokens, Precision, Tokens};
use loadline_testkit::Tree;

/// Long after the files of a test were written, so that stamps are believed.
const LATER: i64 = i64::MAX / 2;

fn options(counters: &[&str]) -> CountOptions {
    CountOptions {
        counters: counters.iter().map(|name| name.parse().unwrap()).collect(),
        now_ns: LATER,
        ..CountOptions::default()
    }
}

fn count(root: &Path, counters: &[&str], store: &Cache) -> CountReport {
    count_paths(&[root.to_owned()], &options(counters), store).unwrap()
}

fn row(file: &FileCount) -> (u64, u64, &str, u64, CountSource) {
    (file.bytes, file.lines, file.encoding, file.tokens[0].get(), file.source)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn sample() -> Tree {
    let tree = Tree::new(
        "
        //- /hello.txt
        hello, world
        //- /main.rs
        fn main() {}
        //- /sub/lib.rs
        pub fn lib() {}
        //- /empty
        ",
    );
    tree.write("image.png", b"\x89PNG\r\n\x1a\n\0\0");
    tree.write("nul", b"a\0b");
    tree.write("latin.txt", b"une fen\xeatre \xe0 c\xf4t\xe9\r\n");
    tree.write("broken.txt", "süße Grüße, schön, \u{fc}".as_bytes().split_last().unwrap().1);
    tree
}

#[test]
fn f076_text_is_counted_and_the_rest_is_noted() {
    let tree = sample();
    let report = count(tree.root(), &["o200k"], &Cache::disabled());
    let names: Vec<String> = report.files.iter().map(|file| name(&file.path)).collect();
    assert_eq!(names, ["broken.txt", "empty", "hello.txt", "latin.txt", "main.rs", "lib.rs"]);
    assert_eq!(row(&report.files[1]), (0, 0, "UTF-8", 0, CountSource::Offline));
    assert_eq!(row(&report.files[2]), (13, 1, "UTF-8", 4, CountSource::Offline));
    assert_eq!(report.files[3].encoding, "windows-1252");
    assert_eq!(report.files[4].language, Some("rust"));
    let notes: Vec<String> = report
        .notes
        .iter()
        .map(|note| format!("{}: {}", name(Path::new(&note.subject)), note.message))
        .collect();
    let want = [
        "broken.txt: malformed UTF-8, some characters replaced",
        "image.png: binary (png), not counted",
        "nul: binary, not counted",
    ];
    assert_eq!(notes, want);
}

#[test]
fn a_second_run_opens_no_file_and_says_the_same() {
    let tree = sample();
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), CacheOptions::default());
    let counters = ["o200k", "calibrated"];
    let first = count(tree.root(), &counters, &store);
    let asked = store.stats();
    let second = count(tree.root(), &counters, &store);
    // Every question about a file was answered, so none had to be read.
    assert_eq!(store.stats().misses, asked.misses);
    let sources = |report: &CountReport, source| {
        let of_source = |file: &&FileCount| file.source == source;
        report.files.iter().filter(of_source).count()
    };
    assert_eq!(sources(&first, CountSource::Cache), 0);
    assert_eq!(sources(&second, CountSource::Offline), 0);
    assert_eq!(without_source(second), without_source(first));
    assert_eq!(store.take_notes(), []);
}

fn without_source(mut report: CountReport) -> CountReport {
    for file in &mut report.files {
        file.source = CountSource::Offline;
    }
    report
}

#[test]
fn a_changed_file_is_counted_again_and_a_touched_one_is_known() {
    let tree = sample();
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), CacheOptions::default());
    count(tree.root(), &["o200k"], &store);
    tree.write("main.rs", "fn main() { run() }\n");
    let touched = fs::File::options().write(true).open(tree.path("hello.txt"));
    let past = std::time::SystemTime::UNIX_EPOCH;
    touched.unwrap().set_modified(past).unwrap();
    let report = count(tree.root(), &["o200k"], &store);
    let source = |wanted: &str| {
        let mut files = report.files.iter();
        files.find(|file| name(&file.path) == wanted).unwrap().source
    };
    assert_eq!(source("main.rs"), CountSource::Offline);
    assert_eq!(source("hello.txt"), CountSource::Cache);
    // A new counter counts, and the old one stays known.
    let both = count(tree.root(), &["o200k", "heuristic"], &store);
    assert_eq!(both.total(0), report.total(0));
    assert!(both.total(1) > Some(Tokens::ZERO));
    assert_eq!(both.total(2), None);
}

#[test]
fn named_files_are_counted_once_whatever_is_ignored() {
    let tree = sample();
    tree.write(".gitignore", "*.rs\n");
    tree.write(".hidden", "x");
    let paths: Vec<PathBuf> = [".hidden", "sub", "main.rs", ".", "main.rs"]
        .iter()
        .map(|path| tree.root().join(path))
        .collect();
    let report = count_paths(&paths, &options(&["heuristic"]), &Cache::disabled()).unwrap();
    let names: Vec<String> = report.files.iter().map(|file| name(&file.path)).collect();
    let want = [".hidden", "lib.rs", "main.rs", "broken.txt", "empty", "hello.txt", "latin.txt"];
    assert_eq!(names, want);
    let missing = count_paths(&[tree.path("no")], &options(&[]), &Cache::disabled());
    assert!(missing.unwrap_err().to_string().contains("/no\""));
}

#[test]
fn f264_paths_are_shown_as_they_were_given() {
    // The tests of a package run in its directory.
    for (given, want) in [
        ("./src/repo/count", "src/repo/count/content.rs"),
        ("src/repo/count/content.rs", "src/repo/count/content.rs"),
        ("./src/./repo/count/content.rs", "src/repo/count/content.rs"),
    ] {
        let paths = [PathBuf::from(given)];
        let report = count_paths(&paths, &options(&["heuristic"]), &Cache::disabled()).unwrap();
        assert_eq!(report.files[0].path, Path::new(want));
    }
}

#[test]
fn a_custom_counter_is_never_cached() {
    struct Fixed(u64);
    impl CountTokens for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }
        fn precision(&self) -> Precision {
            Precision::Exact
        }
        fn count(&self, _text: &str) -> Tokens {
            Tokens::new(self.0)
        }
    }
    let tree = Tree::new("//- /a\nx\n//- /b\nx\n");
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), CacheOptions::default());
    for tokens in [1, 7] {
        let options = CountOptions {
            counters: vec![Counter::custom(Fixed(tokens)), "o200k".parse().unwrap()],
            ..options(&[])
        };
        let report = count_paths(&[tree.root().to_owned()], &options, &store).unwrap();
        assert_eq!(report.total(0), Some(Tokens::new(2 * tokens)));
        assert_eq!(report.total(1), Some(Tokens::new(4)));
    }
}

#[test]
fn the_report_does_not_depend_on_scheduling() {
    let tree = Tree::new("//- /x\n");
    for number in 0..300 {
        let path = format!("d{}/f{number}.txt", number % 7);
        tree.write(&path, format!("file {number}\n").repeat(number % 40));
    }
    let first = count(tree.root(), &["o200k"], &Cache::disabled());
    assert_eq!(first.files.len(), 301);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let again = pool.unwrap().install(|| count(tree.root(), &["o200k"], &Cache::disabled()));
        assert_eq!(again, first);
    }
}

#[test]
fn hostile_contents_are_counted() {
    let tree = Tree::new("//- /x\n");
    tree.write("spaces", " ".repeat(1_000_000));
    tree.write("letters", "a".repeat(1_000_000));
    tree.write("newlines", "\r\n".repeat(100_000));
    tree.write("high", [0xE9; 10_000]);
    let report = count(tree.root(), &["o200k", "claude-4.8"], &Cache::disabled());
    assert_eq!(report.notes, []);
    let lines: Vec<u64> = report.files.iter().map(|file| file.lines).collect();
    assert_eq!(lines, [1, 1, 100_000, 1, 0]);
    assert!(report.files[1].tokens.iter().all(|tokens| !tokens.is_zero()));
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_read_costs_a_note() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new("//- /a\nx\n//- /b\nx\n");
    fs::set_permissions(tree.path("a"), fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_anything = fs::read(tree.path("a")).is_ok();
    let report = count(tree.root(), &["heuristic"], &Cache::disabled());
    if may_read_anything {
        assert_eq!(report.files.len(), 2);
        return;
    }
    assert_eq!(report.files.len(), 1);
    assert!(report.notes[0].message.starts_with("cannot read it: "));
}

#[test]
fn languages_are_summed_most_tokens_first() {
    let tree = sample();
    let report = count(tree.root(), &["o200k"], &Cache::disabled());
    let languages = report.by_language();
    let names: Vec<_> = languages.iter().map(|language| language.language).collect();
    assert_eq!(names, [Some("text"), Some("rust"), None]);
    assert_eq!((languages[1].files, languages[1].lines), (2, 2));
    let sum = Tokens::checked_sum(languages.iter().map(|language| language.tokens[0]));
    assert_eq!(sum, report.total(0));
}

#[test]
fn standard_input_is_counted_by_its_name() {
    let options = options(&["o200k", "calibrated"]);
    let (file, notes) = count_text("main.rs", b"fn main() {}\n", &options);
    let file = file.unwrap();
    assert_eq!((file.language, file.lines, notes), (Some("rust"), 1, vec![]));
    assert!(file.tokens[1] > file.tokens[0]);
    let (file, notes) = count_text("-", b"\x7fELF\x02", &options);
    assert_eq!(file, None);
    assert_eq!(notes, [Remark::new("-", "binary (elf), not counted")]);
}
