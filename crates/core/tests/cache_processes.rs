//! F226: several processes use one store at once.
//!
//! The test starts its own binary again, several times, and each of those
//! runs opens the same new directory, records, clears, and looks up.

// Clippy knows tests by their attribute, and the functions below have none.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use loadline::cache::{Cache, CacheOptions, ContentHash};

const PROCESSES: u32 = 6;
const ROUNDS: u32 = 20;
const NOW: i64 = 1_700_000_000_000_000_000;

/// The name under which a child finds this test.
const TEST: &str = "cache_processes::f226_processes_share_one_store";

/// Where a child works, and which of the children it is.
const DIRECTORY: &str = "LOADLINE_TEST_STORE";
const NUMBER: &str = "LOADLINE_TEST_NUMBER";

#[test]
fn f226_processes_share_one_store() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        let number = std::env::var(NUMBER).unwrap().parse().unwrap();
        return work(Path::new(&directory), number);
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("new");
    let children: Vec<Child> = (0..PROCESSES).map(|number| start(&directory, number)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
    }
    // Whatever they did to it, the store is whole.
    let store = Cache::open(&directory, CacheOptions::default());
    store.record_facts("kind", &[(ContentHash::of(b"x"), vec![1])], NOW);
    assert_eq!(store.info().unwrap().database_version, 3);
    assert_eq!(store.take_notes(), []);
}

fn start(directory: &Path, number: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env(DIRECTORY, directory)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// What one child does. No answer may be wrong and nothing may be reported;
/// an answer may be missing, since the first child clears the store now and then.
fn work(directory: &Path, number: u32) {
    for round in 0..ROUNDS {
        let store = Cache::open(directory, CacheOptions::default());
        let facts: Vec<(ContentHash, Vec<u8>)> = (0..50_u32)
            .map(|fact| {
                let content = [number, round, fact].map(u32::to_le_bytes).concat();
                (ContentHash::of(&content), content)
            })
            .collect();
        store.record_facts("kind", &facts, NOW);
        if number == 0 && round % 5 == 0 {
            Cache::clear(directory).unwrap();
        }
        for (hash, content) in &facts {
            let fact = store.fact("kind", hash, NOW);
            assert!(fact.is_none_or(|fact| fact == *content));
        }
        assert!(store.is_enabled());
        assert_eq!(store.take_notes(), []);
    }
}
