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
