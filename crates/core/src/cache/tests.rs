//! The store as its callers see it: what is known, for how long, and what
//! happens when the database is not what it should be.

use std::fs;
use std::path::{Path, PathBuf};

use loadline_testkit::Tree;

use super::database::{DATABASE_NAME, LOCK_NAME, set_aside_if_unused};
use super::*;
use crate::tokens::Tokens;

const SECOND: i64 = 1_000_000_000;
const NOW: i64 = 1_700_000_000 * SECOND;
const DAY: i64 = 24 * 60 * 60 * SECOND;

fn open(directory: &Path) -> Cache {
    Cache::open(directory, CacheOptions::default())
}

/// A new store.
fn opened() -> (tempfile::TempDir, Cache) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    (directory, store)
}

fn stamp(name: &str) -> FileStamp {
    FileStamp {
        path: std::env::temp_dir().join(name),
        size: 10,
        modified_ns: NOW - 60 * SECOND,
        changed_ns: Some(NOW - 60 * SECOND),
        inode: Some(u64::MAX),
    }
}

fn counted(stamp: FileStamp, tokens: u64) -> CountedFile {
    CountedFile {
        stamp,
        hash: ContentHash::of(&tokens.to_le_bytes()),
        count: ContentCount { tokens: Tokens::new(tokens), detail: b"text 3".to_vec() },
    }
}

/// The tokens known for one stamp by `o200k`.
fn tokens(store: &Cache, stamp: &FileStamp) -> Option<u64> {
    let known = store.lookup_counts("o200k", std::slice::from_ref(stamp), NOW);
    Some(known.into_iter().next()??.count.tokens.get())
}

/// Checks that a store works: what is recorded comes back.
#[track_caller]
fn check_works(store: &Cache) {
    store.record_counts("o200k", &[counted(stamp("works"), 7)], NOW);
    assert_eq!(tokens(store, &stamp("works")), Some(7));
}

#[test]
fn f009_counts_come_back_by_file_and_by_content() {
    let directory = tempfile::tempdir().unwrap();
    let files = [counted(stamp("a"), 1), counted(stamp("b"), u64::MAX)];
    open(directory.path()).record_counts("o200k", &files, NOW);

    let store = open(directory.path());
    let stamps = [stamp("b"), stamp("c"), stamp("a")];
    let known = store.lookup_counts("o200k", &stamps, NOW);
    assert_eq!(known[0].as_ref().unwrap().hash, files[1].hash);
    assert_eq!(known[0].as_ref().unwrap().count, files[1].count);
    assert_eq!(known[1], None);
    assert_eq!(known[2].as_ref().unwrap().count, files[0].count);
    let counts = store.content_counts("o200k", &[files[0].hash], NOW);
    assert_eq!(counts, [Some(files[0].count.clone())]);
    assert_eq!(store.stats(), CacheStats { hits: 3, misses: 1 });
}

#[test]
fn any_change_of_the_stamp_makes_a_file_unknown() {
    let (_directory, store) = opened();
    check_works(&store);
    let changes: [fn(&mut FileStamp); 7] = [
        |stamp| stamp.size += 1,
        |stamp| stamp.modified_ns += 1,
        |stamp| stamp.changed_ns = Some(NOW),
        |stamp| stamp.changed_ns = None,
        |stamp| stamp.inode = Some(2),
        |stamp| stamp.inode = None,
        |stamp| stamp.path = PathBuf::from("works"),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut changed = stamp("works");
        change(&mut changed);
        assert_eq!(tokens(&store, &changed), None, "change {index}");
    }
}

#[test]
fn a_stamp_is_believed_only_after_two_quiet_seconds() {
    let (_directory, store) = opened();
    for (age, known) in [(2 * SECOND, true), (2 * SECOND - 1, false), (-SECOND, false)] {
        let mut stamp = stamp(&format!("racy{age}"));
        stamp.modified_ns = NOW - age;
        let file = counted(stamp.clone(), 9);
        store.record_counts("o200k", std::slice::from_ref(&file), NOW);
        assert_eq!(tokens(&store, &stamp).is_some(), known, "age {age}");
        // The content is known in any case.
        assert!(store.content_counts("o200k", &[file.hash], NOW)[0].is_some());
    }
}

#[test]
fn relative_paths_are_never_known() {
    let (_directory, store) = opened();
    let mut relative = stamp("a");
    relative.path = PathBuf::from("src/main.rs");
    store.record_counts("o200k", &[counted(relative.clone(), 1)], NOW);
    assert_eq!(tokens(&store, &relative), None);
}

#[test]
fn the_stamp_of_a_real_file_changes_with_it() {
    let tree = Tree::new("//- /a.rs\nfn main() {}\n");
    let path = tree.path("a.rs");
    let stamp = |path: &Path| FileStamp::new(path, &fs::metadata(path).unwrap());
    let before = stamp(&path);
    assert_eq!(before, stamp(&path));
    assert_eq!(before.size, 13);
    tree.write("a.rs", "fn main() { run() }\n");
    assert_ne!(before, stamp(&path));
}

#[test]
fn f009_the_longest_unused_entries_are_pruned() {
    let directory = tempfile::tempdir().unwrap();
    let options = CacheOptions { max_entries: 16, ..CacheOptions::default() };
    let store = Cache::open(directory.path(), options);
    let name = |number: u64| format!("file{number}");
    for number in 0..16 {
        let when = NOW + i64::try_from(number).unwrap();
        store.record_counts("o200k", &[counted(stamp(&name(number)), number)], when);
    }
    // The first file is used again days later, so it outlives the second.
    assert_eq!(tokens(&store, &stamp(&name(0))), Some(0));
    store.lookup_counts("o200k", &[stamp(&name(0))], NOW + 5 * DAY);
    for number in 16..24 {
        let file = counted(stamp(&name(number)), number);
        store.record_counts("o200k", &[file], NOW + 6 * DAY);
    }
    let known = (0..24).filter(|number| tokens(&store, &stamp(&name(*number))).is_some());
    let known: Vec<u64> = known.collect();
    assert!(known.len() <= 18, "{known:?}");
    assert!(known.contains(&0), "{known:?}");
    assert!(!known.contains(&1), "{known:?}");
    assert!((16..24).all(|number| known.contains(&number)), "{known:?}");
    let info = store.info().unwrap();
    assert!(info.files <= 18 && info.facts[0].entries <= 18, "{info:?}");
}

#[test]
fn a_damaged_database_is_replaced_with_a_note() {
    let random: Vec<u8> = (0..20_000_u32).map(|n| (n * 31 % 251) as u8).collect();
    for damage in [random.as_slice(), b"short", b"SQLite format 3\0"] {
        let directory = tempfile::tempdir().unwrap();
        check_works(&open(directory.path()));
        let path = directory.path().join(DATABASE_NAME);
        fs::write(&path, damage).unwrap();

        let store = open(directory.path());
        let notes = store.take_notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].message.contains("moved aside"), "{notes:?}");
        assert_eq!(notes[0].subject, path.display().to_string());
        let aside = directory.path().join("cache.db.damaged");
        assert_eq!(fs::read(aside).unwrap(), damage);
        check_works(&store);
        assert_eq!(store.take_notes(), []);
    }
}

#[test]
fn a_cut_database_costs_at_most_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(DATABASE_NAME);
    let files: Vec<CountedFile> =
        (0..2_000).map(|number| counted(stamp(&format!("file{number}")), number)).collect();
    open(directory.path()).record_counts("o200k", &files, NOW);
    let whole = fs::read(&path).unwrap();
    for length in [1, 99, 100, 4_096, 10_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let store = open(directory.path());
        let stamps: Vec<FileStamp> = files.iter().map(|file| file.stamp.clone()).collect();
        let known = store.lookup_counts("o200k", &stamps, NOW);
        for (known, file) in known.iter().zip(&files) {
            let count = known.as_ref().map(|known| &known.count);
            assert!(count.is_none_or(|count| *count == file.count));
        }
        store.record_counts("o200k", &files, NOW);
        assert!(!store.take_notes().is_empty(), "cut to {length}");
        drop(store);
        check_works(&open(directory.path()));
    }
}

#[test]
fn a_directory_in_its_place_is_moved_aside() {
    let tree = Tree::new("//- /cache.db/inner.txt\nkeep me\n");
    let store = open(tree.root());
    check_works(&store);
    assert_eq!(store.take_notes().len(), 1);
    assert_eq!(tree.read("cache.db.damaged/inner.txt"), "keep me\n");
}

#[test]
fn another_schema_version_is_rebuilt() {
    for version in [0, 99] {
        let directory = tempfile::tempdir().unwrap();
        check_works(&open(directory.path()));
        let path = directory.path().join(DATABASE_NAME);
        let connection = database::connect_plainly(&path).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);

        let store = open(directory.path());
        let notes = store.take_notes();
        let want = format!("version was {version}");
        assert!(notes[0].message.contains(&want), "{notes:?}");
        assert_eq!(tokens(&store, &stamp("works")), None);
        check_works(&store);
    }
}

#[test]
fn an_unwritable_place_disables_the_store() {
    let tree = Tree::new("//- /file\nx\n");
    let store = open(&tree.path("file/store"));
    assert!(!store.is_enabled());
    let notes = store.take_notes();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].message.starts_with("working without it"), "{notes:?}");
    assert_eq!(tokens(&store, &stamp("a")), None);
}

#[test]
fn damage_found_while_running_costs_one_note() {
    let (directory, store) = opened();
    check_works(&store);
    let path = directory.path().join(DATABASE_NAME);
    let other = database::connect_plainly(&path).unwrap();
    other.execute_batch("DROP TABLE files").unwrap();
    drop(other);
    for _ in 0..3 {
        assert_eq!(tokens(&store, &stamp("works")), None);
    }
    let notes = store.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].message.contains("damaged and moved aside"), "{notes:?}");
    check_works(&open(directory.path()));
}

#[test]
fn f226_a_write_lock_held_too_long_costs_one_note() {
    let (directory, store) = opened();
    check_works(&store);
    let other = database::connect_plainly(&directory.path().join(DATABASE_NAME)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(tokens(&store, &stamp("works")), Some(7), "readers go on");
    // Only the first write waits; it takes two seconds.
    for _ in 0..3 {
        store.record_counts("o200k", &[counted(stamp("late"), 1)], NOW);
    }
    let notes = store.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].message.contains("locked"), "{notes:?}");
}

#[test]
fn clearing_removes_all_that_is_ours_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    check_works(&open(directory.path()));
    fs::write(directory.path().join(DATABASE_NAME), b"damage").unwrap();
    check_works(&open(directory.path()));
    let stranger = directory.path().join("notes.txt");
    fs::write(&stranger, b"mine").unwrap();

    let cleared = Cache::clear(directory.path()).unwrap();
    assert!(cleared.bytes > 0);
    assert_eq!(cleared.notes, []);
    let mut names: Vec<String> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["CACHEDIR.TAG", LOCK_NAME, "notes.txt"]);
    assert!(stranger.is_file());
    check_works(&open(directory.path()));
}

#[test]
fn f226_clearing_a_store_in_use_empties_it() {
    let (directory, store) = opened();
    check_works(&store);
    let cleared = Cache::clear(directory.path()).unwrap();
    assert_eq!(cleared.notes.len(), 1);
    assert_eq!(tokens(&store, &stamp("works")), None);
    check_works(&store);
    assert_eq!(tokens(&open(directory.path()), &stamp("works")), Some(7));
    assert_eq!(store.take_notes(), []);
}

#[test]
fn f226_a_database_in_use_is_not_moved_aside() {
    let (directory, store) = opened();
    assert!(!set_aside_if_unused(directory.path()));
    drop(store);
    assert!(set_aside_if_unused(directory.path()));
}

#[cfg(unix)]
#[test]
fn the_store_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("deep/store");
    let store = open(&directory);
    check_works(&store);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn d13_a_flipped_bit_makes_a_row_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(DATABASE_NAME);
    let fact = ContentHash::of(b"a text");
    let flips = [
        "UPDATE files SET value = CAST(X'09' || substr(value, 2) AS BLOB)",
        "UPDATE files SET hash = randomblob(32)",
        "UPDATE facts SET value = CAST(X'09' || substr(value, 2) AS BLOB)",
        "UPDATE facts SET recorded = recorded + 1",
    ];
    for (index, flip) in flips.iter().enumerate() {
        let store = open(directory.path());
        check_works(&store);
        store.record_facts("outline/v1", &[(fact, vec![7; 9])], NOW);
        let other = database::connect_plainly(&path).unwrap();
        assert!(other.execute(flip, []).unwrap() > 0);
        drop(other);
        let by_file = tokens(&store, &stamp("works"));
        let by_content = store.fact("outline/v1", &fact, NOW);
        let expected = if index < 2 { (None, Some(vec![7; 9])) } else { (Some(7), None) };
        assert_eq!((by_file, by_content), expected, "{flip}");
        assert_eq!(store.take_notes(), []);
    }
}

#[test]
fn d13_the_longest_unused_bytes_go_first() {
    let directory = tempfile::tempdir().unwrap();
    let options = CacheOptions { max_bytes: 1_000_000, ..CacheOptions::default() };
    let store = Cache::open(directory.path(), options);
    let hash = |number: i64| ContentHash::of(&number.to_le_bytes());
    for number in 0..300 {
        let value = vec![number as u8; 10_000];
        store.record_facts("outline/v1", &[(hash(number), value)], NOW + number);
        let size = fs::metadata(directory.path().join(DATABASE_NAME)).unwrap();
        assert!(size.len() < 1_100_000, "{} after {number}", size.len());
    }
    let known = |number| store.fact("outline/v1", &hash(number), NOW).is_some();
    let first = (0..300).find(|number| known(*number)).unwrap();
    assert!((200..280).contains(&first), "{first}");
    assert!((first..300).all(known));
}

#[test]
fn d13_what_else_this_program_keeps_there_is_not_a_strangers() {
    for name in ["install/a.json", "statusline/x", "hook.log", "blobs/ab/c", "ledger.db-wal"] {
        let tree = Tree::new(&format!("//- /{name}\nx\n"));
        check_works(&open(tree.root()));
        Cache::clear(tree.root()).unwrap();
        assert_eq!(tree.read(name), "x\n");
    }
}

#[test]
fn f226_threads_with_their_own_connections_agree() {
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let directory = directory.path();
            scope.spawn(move || {
                for round in 0..10 {
                    let store = open(directory);
                    let name = format!("{thread}-{round}");
                    store.record_counts("o200k", &[counted(stamp(&name), round)], NOW);
                    assert_eq!(tokens(&store, &stamp(&name)), Some(round));
                    assert_eq!(store.take_notes(), []);
                }
            });
        }
    });
    assert_eq!(open(directory.path()).info().unwrap().files, 80);
}

#[test]
fn a_store_can_be_shared_by_threads() {
    fn check<T: Send + Sync>() {}
    check::<Cache>();
}
