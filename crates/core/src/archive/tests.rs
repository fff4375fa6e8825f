//! Tests of the archive: what can be recalled, from which project, and for how long.

use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Diagnose;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn archive() -> (tempfile::TempDir, Archive) {
    let directory = tempfile::tempdir().unwrap();
    let archive = Archive::new(directory.path(), Path::new("/work/shop"));
    (directory, archive)
}

/// Puts an empty file where the original with this text would lie.
fn plant(archive: &Archive, text: &str) -> ContentHash {
    let hash = ContentHash::parse(text).unwrap();
    write_private(&archive.own.path(&hash), b"").unwrap();
    hash
}

/// The retention of some days, that many days after now.
fn after(days: u32) -> Retention {
    let now = std::time::SystemTime::now() + DAY * days;
    let since = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    Retention { keep: 30 * DAY, now_ns: i64::try_from(since.as_nanos()).unwrap() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_was_put_comes_back(bytes: Vec<u8>) {
        let (_directory, archive) = archive();
        let hash = archive.put(&bytes).unwrap();
        prop_assert_eq!(archive.put(&bytes).unwrap(), hash);
        prop_assert_eq!(archive.get(&hash).unwrap(), bytes);
        let handle = archive.handle(&hash).unwrap();
        prop_assert_eq!(archive.find(&handle.to_uppercase()).unwrap(), hash);
    }
}

#[test]
fn a_damaged_original_is_named_and_can_be_put_again() {
    let (_directory, archive) = archive();
    let hash = archive.put(b"something long enough to damage").unwrap();
    let path = archive.own.path(&hash);
    let whole = fs::read(&path).unwrap();
    let other = zstd::encode_all(&b"something else"[..], 3).unwrap();
    for damage in [&whole[..whole.len() - 3], b"random bytes", b"", &other] {
        fs::write(&path, damage).unwrap();
        let error = archive.get(&hash).unwrap_err();
        assert_eq!(error.code(), "LL-STO-005", "{error}");
    }
    archive.put(b"something long enough to damage").unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn handles_grow_where_two_originals_begin_alike() {
    let (_directory, archive) = archive();
    let first = plant(&archive, &format!("k3f9c2td{}", "0".repeat(44)));
    assert_eq!(archive.handle(&first).unwrap(), "k3f9c2td");
    let second = plant(&archive, &format!("k3f9c2td0z{}", "0".repeat(42)));
    assert_eq!(archive.handle(&first).unwrap(), "k3f9c2td00");
    assert_eq!(archive.handle(&second).unwrap(), "k3f9c2td0z");
    assert_eq!(archive.find("k3f9c2td0z").unwrap(), second);
    let error = archive.find("k3f9c2").unwrap_err().to_string();
    assert_eq!(error, "the handle \"k3f9c2\" fits 2 originals: k3f9c2td00, k3f9c2td0z");
}

#[test]
fn unknown_and_malformed_handles_are_told_apart() {
    let (_directory, archive) = archive();
    for (handle, code) in [
        ("k3f9c2", "LL-STO-002"),
        ("k3f9c", "LL-STO-004"),
        ("../../etc", "LL-STO-004"),
        ("", "LL-STO-004"),
    ] {
        let error = archive.find(handle).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(&format!("{handle:?}")));
    }
    let error = archive.get(&ContentHash::of(b"never put")).unwrap_err();
    assert_eq!(error.code(), "LL-STO-002");
}

#[test]
fn d13_a_handle_leads_nowhere_in_another_project() {
    let (directory, archive) = archive();
    let hash = archive.put(b"the salaries of shop").unwrap();
    let handle = archive.handle(&hash).unwrap();
    let other = Archive::new(directory.path(), Path::new("/work/blog"));
    for error in [other.find(&handle).unwrap_err(), other.get(&hash).unwrap_err()] {
        assert_eq!(error.code(), "LL-STO-002");
        assert!(error.hint().unwrap().contains("project"), "{error}");
    }
    // What both have put is kept for both, and each may prune the other's at most by age.
    other.put(b"the salaries of shop").unwrap();
    assert!(other.find(&handle).is_ok() && archive.find(&handle).is_ok());
    assert_eq!(archive.size().projects, 2);
}

#[cfg(unix)]
#[test]
fn d13_everything_in_the_archive_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("data/archive");
    let archive = Archive::new(&directory, Path::new("/work/shop"));
    archive.put(b"secret").unwrap();
    let ledger = CutLedger::open(archive.directory()).unwrap();
    ledger.add(&Cut::new(1, CutKind::Trim)).unwrap();
    let mut pending = vec![directory];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        let metadata = fs::metadata(&path).unwrap();
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        let mode = metadata.permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{}", path.display());
        seen += 1;
        if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        }
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn only_what_was_not_used_for_long_is_pruned_and_only_when_asked() {
    let (_directory, archive) = archive();
    let hash = archive.put(b"original").unwrap();
    let shard = archive.own.path(&hash).parent().unwrap().to_owned();
    fs::write(shard.join(".tmpAbCdEf"), b"half").unwrap();
    fs::write(shard.join("letter.txt"), b"not ours").unwrap();
    assert!(archive.size().originals == 1 && archive.size().bytes > 0);

    for kept in [
        after(0),
        after(29),
        Retention { now_ns: i64::MIN, ..after(0) },
        Retention { keep: Duration::ZERO, ..after(9_000) },
    ] {
        assert_eq!(archive.prune(&kept), Pruned::default());
    }
    let pruned = archive.prune(&after(31));
    assert_eq!((pruned.originals, pruned.remarks.len()), (1, 0));
    assert!(pruned.bytes > 4 && archive.get(&hash).is_err());
    assert!(shard.join("letter.txt").is_file());
    fs::remove_file(shard.join("letter.txt")).unwrap();
    archive.prune(&after(31));
    assert!(directories_in_projects(&archive).is_empty());
}

fn directories_in_projects(archive: &Archive) -> Vec<std::path::PathBuf> {
    originals::directories_in(&archive.directory().join(PROJECTS))
}

#[test]
fn what_an_older_version_kept_in_the_cache_is_taken_over() {
    let cache = tempfile::tempdir().unwrap();
    let old = Originals::new(cache.path().join("blobs"));
    let hash = old.put(b"kept long ago").unwrap();
    let row = Cut { handle: "h1".to_owned(), ..Cut::new(7, CutKind::Trim) };
    CutLedger::open(cache.path()).unwrap().add(&row).unwrap();
    fs::create_dir(cache.path().join("install")).unwrap();
    fs::write(cache.path().join("install/a.json"), "{}").unwrap();

    let (_directory, archive) = archive();
    for _ in 0..2 {
        assert_eq!(archive.take_over(cache.path()), []);
        let handle = archive.handle(&hash).unwrap();
        assert_eq!(archive.get(&archive.find(&handle).unwrap()).unwrap(), b"kept long ago");
        let ledger = CutLedger::open(archive.directory()).unwrap();
        assert_eq!(ledger.rows(0, 9).unwrap(), std::slice::from_ref(&row));
        assert!(archive.directory().join("install/a.json").is_file());
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
    }
    // A process of the older version was running still.
    let ledger = CutLedger::open(cache.path()).unwrap();
    ledger.add(&row).unwrap();
    ledger.add(&Cut::new(8, CutKind::Trim)).unwrap();
    drop(ledger);
    archive.take_over(cache.path());
    let ledger = CutLedger::open(archive.directory()).unwrap();
    assert_eq!(ledger.rows(0, 9).unwrap().len(), 2);
}

#[test]
fn an_unwritable_place_is_an_error_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = Archive::new(&file, Path::new("/")).put(b"x").unwrap_err();
    assert_eq!(error.code(), "LL-STO-001");
    assert!(error.to_string().contains("file"), "{error}");
}
