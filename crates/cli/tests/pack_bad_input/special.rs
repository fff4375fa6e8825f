//! What is no plain file, and what cannot be opened.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::*;

#[test]
fn links_are_not_followed() {
    let world = World::new("//- /a.txt\nhere\n//- /deep/b.txt\nthere\n");
    fs::write(world.home().join("outside.txt"), "not yours\n").unwrap();
    fs::create_dir(world.home().join("beside")).unwrap();
    fs::write(world.home().join("beside/x.txt"), "not yours\n").unwrap();
    for (target, link) in [
        ("loop", "loop"),
        ("two", "one"),
        ("one", "two"),
        (".", "deep/self"),
        ("..", "deep/up"),
        ("a.txt", "inside"),
        ("../outside.txt", "outside"),
        ("../beside", "beside"),
        ("nowhere", "dangling"),
        ("/etc/passwd", "passwd"),
    ] {
        symlink(target, world.work().path(link)).unwrap();
    }
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), ["a.txt", "deep/b.txt"]);
    assert!(!content(&document).contains("not yours"));
    for (link, words) in [
        ("loop", "cannot be followed"),
        ("one", "cannot be followed"),
        ("outside", "out of the tree"),
        ("beside", "out of the tree"),
        ("passwd", "out of the tree"),
        ("dangling", "link to nothing"),
    ] {
        let message = note(&document, link).unwrap();
        assert!(message.contains(words), "{link}: {message}");
    }
    // Naming a link does not follow it either.
    for name in ["passwd", "beside/x.txt"] {
        run(&world, &["pack", "--pin", name]).exits(2).prints("");
    }
}

#[test]
fn pipes_and_sockets_are_not_opened() {
    let world = World::new("//- /a.txt\nhere\n");
    shell(&world, "mkfifo pipe").exits(0);
    let _socket = UnixListener::bind(world.work().path("socket")).unwrap();
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), ["a.txt"]);
    assert_eq!(note(&document, "pipe").unwrap(), "named pipe, not read");
    assert_eq!(note(&document, "socket").unwrap(), "socket, not read");
    let root = check_files(&world, &["pipe"], 0);
    assert_eq!(note(&root, "pipe").unwrap(), "named pipe, not read");
    // Reading an ignore file that is a pipe would never end.
    shell(&world, "mkdir trap; mkfifo trap/.gitignore; echo x > trap/x.txt").exits(0);
    let document = check_files(&world, &[], 1);
    assert!(note(&document, "trap").unwrap().starts_with("not entered"));
}

#[test]
fn f071_what_cannot_be_read_is_noted() {
    let world = World::new(
        "
        //- /a.txt
        here
        //- /locked.txt
        locked
        //- /shut/b.txt
        shut
        ",
    );
    if is_root(&world) {
        return;
    }
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(world.work().path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("locked.txt", 0o000);
    mode("shut", 0o000);
    let document = check_files(&world, &[], 2);
    mode("shut", 0o755);
    assert_eq!(paths(&document, "files"), ["a.txt"]);
    assert_eq!(reason(&document, "locked.txt").unwrap(), "unreadable");
    for subject in ["locked.txt", "shut"] {
        let message = note(&document, subject).unwrap();
        assert!(message.contains("Permission denied"), "{message}");
    }
}

#[test]
fn f072_nothing_to_pack_is_no_error() {
    let document = check_files(&empty(), &[], 0);
    assert_eq!(paths(&document, "files"), [""; 0]);
    assert!(content(&document).starts_with("# work\n"));
}

#[test]
fn a_root_may_be_a_file_but_must_be_something() {
    let world = World::new("//- /a.rs\nfn a() {}\n");
    let document = check(&world, &["a.rs"]);
    assert_eq!(paths(&document, "files"), ["a.rs"]);
    let missing = run(&world, &["pack", "missing\u{1b}[2J"]).exits(1).prints("");
    assert!(
        missing.stderr.starts_with("error[LL-CTX-004]: no such file or directory"),
        "{missing}"
    );
    check_terminal(&missing.stderr);
}
