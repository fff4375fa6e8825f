//! A cache that is damaged or cannot be written costs notes, never the result.

use super::*;

fn project() -> World {
    World::new("//- /a.rs\nfn a() {}\n//- /b.md\n# B\n\nSome words.\n")
}

/// The files below a directory.
fn files_in(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files
}

#[test]
fn a_damaged_cache_changes_no_result() {
    let world = project();
    let first = run(&world, &["pack"]).stdout;
    let cache = world.home().join(".cache");
    let names = files_in(&cache);
    assert!(!names.is_empty());
    for garbage in [b"".as_slice(), b"garbage", &[0xff; 100_000]] {
        for name in &names {
            fs::write(name, garbage).unwrap();
        }
        packed(&world, &[], "markdown").prints(&first);
    }
    // Sound pages, damaged in the middle.
    fs::remove_dir_all(&cache).unwrap();
    run(&world, &["pack"]);
    for name in files_in(&cache) {
        let mut bytes = fs::read(&name).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0x5a);
        fs::write(&name, bytes).unwrap();
    }
    assert_eq!(packed(&world, &[], "markdown").stdout, first);
}

#[test]
fn a_cache_that_cannot_be_there_costs_a_note() {
    let first = run(&project(), &["pack"]).stdout;
    let world = project();
    fs::write(world.home().join(".cache"), "a file").unwrap();
    let document = check(&world, &[]);
    assert!(!document["notes"].as_array().unwrap().is_empty());
    assert_eq!(run(&world, &["pack"]).stdout, first);
}

#[cfg(unix)]
#[test]
fn a_cache_that_is_read_only_costs_no_more() {
    use std::os::unix::fs::PermissionsExt;
    let world = project();
    let first = run(&world, &["pack"]).stdout;
    let cache = world.home().join(".cache/loadline");
    let mode = |mode: u32| fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    world.work().write("c.rs", "fn c() {}\n");
    let second = packed(&world, &[], "markdown").shows(&["## File: c.rs", "## File: a.rs"]).stdout;
    mode(0o755);
    assert_ne!(first, second);
}
