//! Tests of what git tells, in repositories made for them.

use std::process::Command;

use loadline_testkit::Tree;

use super::kept::{pack, unpack};
use super::*;
use crate::cache::CacheOptions;

const DAY: i64 = 24 * 60 * 60;
/// Some day in 2023.
const NOW: i64 = 1_700_000_000;

/// A repository with a clock of its own.
struct Repository {
    tree: Tree,
}

impl Repository {
    fn new(fixture: &str) -> Repository {
        let repository = Repository { tree: Tree::new(fixture) };
        repository.git(&["init", "-q", "-b", "main"], NOW);
        repository
    }

    fn git(&self, arguments: &[&str], time: i64) {
        let identity = ["user.name=a", "user.email=a@b", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.arg("-C").arg(self.tree.root());
        for setting in identity {
            command.args(["-c", setting]);
        }
        let date = format!("{time} +0000");
        command
            .args(arguments)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
    }

    /// Writes files and commits them some days before now.
    fn commit(&self, days: i64, message: &str, files: &[&str]) {
        for file in files {
            self.tree.write(file, format!("{days} {message}\n"));
        }
        self.git(&["add", "-A"], NOW);
        let arguments = ["commit", "-q", "--allow-empty", "-m", message];
        self.git(&arguments, NOW - days * DAY);
    }

    fn read(&self) -> GitHistory {
        GitHistory::read(self.tree.root(), &options(), &Cache::disabled())
    }
}

fn options() -> HistoryOptions {
    HistoryOptions::new(NOW * 1_000_000_000)
}

/// Writes activity as `path commits`.
fn counts(history: &GitHistory) -> Vec<String> {
    let activity = history.activity().into_iter();
    activity
        .map(|(path, activity)| format!("{} {}", display_path(path), activity.commits))
        .collect()
}

fn note(history: &GitHistory) -> &str {
    history.notes.first().map_or("", |note| &note.message)
}

#[test]
fn f035_other_branches_count_when_asked_for() {
    let repository = Repository::new("//- /a.rs\n");
    repository.commit(3, "first", &["a.rs"]);
    repository.git(&["checkout", "-q", "-b", "side"], NOW);
    repository.commit(2, "side", &["side.rs"]);
    repository.git(&["checkout", "-q", "main"], NOW);
    assert_eq!(counts(&repository.read()), ["a.rs 1"]);
    let all = HistoryOptions { all_refs: true, ..options() };
    let history = GitHistory::read(repository.tree.root(), &all, &Cache::disabled());
    assert_eq!(counts(&history), ["a.rs 1", "side.rs 1"]);
    repository.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], NOW);
    let history = repository.read();
    assert_eq!(history.commits.len(), 2, "a merge is no change of its own");
}

#[test]
fn a_directory_below_the_root_sees_its_own_files() {
    let repository = Repository::new("//- /a.rs\n//- /sub dir/b.rs\n");
    repository.commit(1, "all", &[]);
    repository.tree.write("sub dir/new.rs", "");
    repository.tree.write("new.rs", "");
    let directory = repository.tree.path("sub dir");
    let history = GitHistory::read(&directory, &options(), &Cache::disabled());
    assert_eq!(counts(&history), ["b.rs 1"]);
    let root = &history.tree.as_ref().unwrap().root;
    let resolved = |path: &Path| std::fs::canonicalize(path).unwrap();
    assert_eq!(resolved(root), resolved(repository.tree.root()));
    let changed = ChangedFiles::since(&directory, "HEAD");
    assert_eq!(changed.files, [Path::new("new.rs")]);
}

#[test]
fn f096_a_clean_file_is_as_old_as_its_commit() {
    let second = 1_000_000_000;
    assert_eq!(changed_at(50 * second, Some(9), true), 9 * second);
    assert_eq!(changed_at(50 * second, Some(9), false), 50 * second);
    assert_eq!(changed_at(5 * second, Some(9), false), 9 * second);
    assert_eq!(changed_at(5 * second, None, true), 5 * second);
    assert_eq!(changed_at(0, Some(i64::MAX), true), i64::MAX);
}

#[cfg(unix)]
#[test]
fn unusual_names_come_through() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new("//- /a\n");
    let names: [&[u8]; 4] = [b"two\nlines", b"quote\"d", b"\xff.bin", "日本".as_bytes()];
    for name in names {
        let path = repository.tree.root().join(self::log::to_path(name));
        // Some file systems take only text.
        let _ = std::fs::write(path, "x");
    }
    repository.commit(1, "odd", &["\n"]);
    let history = repository.read();
    for name in names {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        if repository.tree.root().join(path).exists() {
            assert!(history.activity().contains_key(path), "{}", display_path(path));
        }
    }
    assert!(history.activity().contains_key(Path::new("\n")));
}

#[test]
fn a_shallow_clone_has_a_note_and_is_not_kept() {
    let repository = Repository::new("//- /a\n");
    repository.commit(2, "first", &["a"]);
    repository.commit(1, "second", &["a"]);
    let url = format!("file://{}", repository.tree.root().display());
    repository.git(&["clone", "-q", "--depth=1", &url, "clone"], NOW);
    let clone = repository.tree.path("clone");
    let place = tempfile::tempdir().unwrap();
    let store = Cache::open(place.path(), CacheOptions::default());
    let history = GitHistory::read(&clone, &options(), &store);
    assert_eq!(note(&history), "a shallow clone, older commits are unknown");
    assert_eq!(counts(&history), ["a 1"]);
    assert_eq!(store.stats().misses, 0, "it was not even asked for");
}

#[test]
fn a_kept_log_serves_later_days_and_narrower_windows() {
    let repository = Repository::new("//- /a\n");
    repository.commit(30, "first", &["a"]);
    repository.commit(10, "second", &["a"]);
    let place = tempfile::tempdir().unwrap();
    let store = Cache::open(place.path(), CacheOptions::default());
    let ask = |days: u64, later: i64| {
        let options = HistoryOptions {
            window: Some(Duration::from_secs(days * DAY as u64)),
            now_ns: (NOW + later * DAY) * 1_000_000_000,
            ..options()
        };
        counts(&GitHistory::read(repository.tree.root(), &options, &store)).join(" ")
    };
    assert_eq!(ask(40, 0), "a 2");
    assert_eq!(store.stats().hits, 0);
    assert_eq!(ask(40, 20), "a 1");
    assert_eq!(ask(5, 0), "a 0");
    assert_eq!(ask(400, 0), "a 2", "the whole history was read anyway");
    assert_eq!(store.stats().hits, 3);
    repository.commit(0, "third", &["a"]);
    assert_eq!(ask(40, 0), "a 3", "another commit, another log");
    assert_eq!(store.take_notes(), []);
}

#[test]
fn reading_stops_behind_the_window() {
    let repository = Repository::new("//- /a\n");
    let stream: String = (0..300).map(|number| import(number, 300)).collect();
    let path = repository.tree.path("stream");
    std::fs::write(&path, stream).unwrap();
    let mut command = Command::new("git");
    command.arg("-C").arg(repository.tree.root());
    command.args(["fast-import", "--quiet"]);
    let input = std::fs::File::open(&path).unwrap();
    assert!(command.stdin(input).status().unwrap().success());
    let ask = |days: i64, least: usize| {
        let extent = Extent { since: Some(NOW - days * DAY), least };
        self::log::read(repository.tree.root(), false, extent).unwrap()
    };
    let log = ask(10, 0);
    let commits = self::log::parse(&log.bytes, b"");
    assert_eq!((commits.len(), log.complete), (111, false));
    assert!(commits.iter().all(|commit| commit.files.len() == 1));
    assert_eq!(commits[110].message, "commit 189");
    assert_eq!(self::log::parse(&ask(10, 150).bytes, b"").len(), 150);
    assert!(ask(250, 0).complete);

    // A log that stops early does not answer for more than it holds.
    let extent = |days: i64, least: usize| Extent { since: Some(NOW - days * DAY), least };
    let kept = pack(&log, extent(10, 5)).unwrap();
    assert!(unpack(&kept, extent(9, 5)).is_some());
    assert!(unpack(&kept, extent(11, 5)).is_none());
    assert!(unpack(&kept, extent(9, 6)).is_none());
    assert!(unpack(&kept[..10], extent(9, 5)).is_none());
}

/// One commit a day, as `git fast-import` reads it; the last one is of today.
fn import(number: i64, all: i64) -> String {
    let time = NOW - (all - 1 - number) * DAY;
    let message = format!("commit {number}");
    let content = number.to_string();
    format!(
        "commit refs/heads/main\ncommitter a <a@b> {time} +0000\ndata {}\n{message}\nM 100644 inline a\ndata {}\n{content}\n\n",
        message.len(),
        content.len()
    )
}

#[test]
fn patches_say_what_commits_wrote() {
    let repository = Repository::new("");
    repository.commit(2, "first", &["lib/a.txt"]);
    repository.commit(1, "second", &["lib/a.txt", "b.txt"]);
    let history = repository.read();
    let ids: Vec<&str> = history.commits.iter().map(|commit| commit.id.as_str()).collect();
    let patches = GitHistory::patches(repository.tree.root(), &ids);
    let at = |part: &str| patches.find(part).unwrap();
    assert!(at(ids[0]) < at("+1 second") && at("+1 second") < at(ids[1]));
    assert!(at(ids[1]) < at("+++ b/lib/a.txt\n@@ -0,0 +1 @@\n+2 first"));
    // Below the root, paths are the same; what is unknown says nothing.
    let below = repository.tree.root().join("lib");
    assert_eq!(GitHistory::patches(&below, &ids), patches);
    assert_eq!(GitHistory::patches(&below, &[&"0".repeat(40)]), "");
    assert_eq!(GitHistory::patches(&below, &[]), "");
    assert_eq!(WorkTree::find(&below).unwrap().prefix(), "lib/");
}
