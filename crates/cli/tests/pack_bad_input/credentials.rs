//! Files that hold credentials.

use super::*;

const FILES: &str = "
    //- /.env
    STRIPE=sk_live_4eC39HqLyjWDarjtT1zdp7dcQ1x2
    NAME=demo
    //- /app/.env
    NAME=deep
    //- /id_rsa
    nothing here
    //- /.npmrc
    registry=https://example.com
    //- /.env.example
    STRIPE=
    //- /main.rs
    fn main() {}
    ";

#[test]
fn f077_credentials_are_not_packed_whatever_matches_them() {
    let world = World::new(FILES);
    for args in [
        &[][..],
        &["--include", "*"],
        &["--include", ".env*", "--include", "id_*"],
        &["--pin", "*"],
        &["--pin", "**/.env", "--boost", ".env"],
        &["--no-ignore"],
        &["--no-redact"],
    ] {
        let document = document(&world, args);
        let files = paths(&document, "files");
        assert!(!files.iter().any(|path| path.ends_with(".env")), "{args:?}: {files:?}");
        assert_eq!(reason(&document, ".env").unwrap(), "denied");
        let message = note(&document, ".env").unwrap();
        assert_eq!(message, "not packed: environment variables; give its full path to pack it");
    }
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), [".env.example", "main.rs"]);
}

#[test]
fn f077_a_file_that_is_named_is_packed_without_its_secrets() {
    let world = World::new(FILES);
    for args in [
        &[".", "--include", ".env"][..],
        &["--include", "./.env"],
        &["--include", "/.env"],
        &[".env"],
        &["--pin", ".env", "--include", ".env"],
    ] {
        // Without `--hidden`, which `document` adds.
        let args = [&["pack", "--json"], args].concat();
        let document = parsed(&run(&world, &args).stdout);
        assert_eq!(paths(&document, "files"), [".env"], "{args:?}");
        assert!(content(&document).contains("NAME=demo"));
        assert!(!content(&document).contains("sk_live"), "{args:?}");
        assert_eq!(note(&document, ".env").unwrap(), "1 secret redacted");
    }
    let raw = document(&world, &[".env", "--no-redact"]);
    assert!(content(&raw).contains("sk_live"));
    // One path names one file.
    let document = check(&world, &["--pin", ".env"]);
    assert_eq!(paths(&document, "files"), [".env", ".env.example", "main.rs"]);
    assert_eq!(reason(&document, "app/.env").unwrap(), "denied");
    // An exclude still wins.
    let none = super::document(&world, &["--pin", ".env", "--exclude", ".env"]);
    assert_eq!(paths(&none, "files"), [".env.example", "main.rs"]);
}

#[test]
fn f077_a_project_cannot_name_the_files_of_its_user() {
    let world = World::new(FILES);
    world.work().write("loadline.toml", "[pack]\npin = ['.env']\n");
    let document = document(&world, &[]);
    assert_eq!(reason(&document, ".env").unwrap(), "denied");
    assert!(!content(&document).contains("NAME=demo"));
}

#[test]
fn f077_what_git_keeps_is_not_named_into_a_pack() {
    let world = World::new(FILES);
    git(&world, &["init", "-q", "."]);
    for args in [
        &["--pin", ".git/config"][..],
        &["--pin", "../.bashrc"],
        &["--pin", "app/../.env"],
        &["--include", "."],
    ] {
        run(&world, &[&["pack"], args].concat()).hides(&["[core]", "demo"]);
    }
}
