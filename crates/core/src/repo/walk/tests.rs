//! What a walk finds, in trees made for the purpose.

use std::fs;
use std::path::Path;

use super::*;
use crate::repo::display_path;
use loadline_testkit::Tree;

fn found(root: &Path, options: &WalkOptions) -> Vec<String> {
    names(&walk(root, options).unwrap())
}

fn names(walked: &Walked) -> Vec<String> {
    walked.files.iter().map(|file| display_path(&file.relative)).collect()
}

fn notes(root: &Path) -> Vec<String> {
    let walked = walk(root, &WalkOptions::default()).unwrap();
    let subject = |note: &Remark| {
        let name = Path::new(&note.subject).file_name();
        name.unwrap_or_default().to_string_lossy().into_owned()
    };
    walked.notes.iter().map(|note| format!("{}: {}", subject(note), note.message)).collect()
}

fn sample() -> Tree {
    Tree::new(
        "
        //- /.gitignore
        target/
        *.log
        //- /.loadlineignore
        secret.txt
        !keep.log
        //- /.github/ci.yml
        on: push
        //- /.git/config
        [core]
        //- /a-b/x.rs
        x
        //- /a/x.rs
        x
        //- /a/.ignore
        y.rs
        //- /a/y.rs
        y
        //- /keep.log
        kept
        //- /lost.log
        lost
        //- /secret.txt
        secret
        //- /target/out.rs
        out
        ",
    )
}

#[test]
fn ignore_files_are_honoured_and_the_order_is_by_bytes() {
    let tree = sample();
    let options = WalkOptions::default();
    assert_eq!(found(tree.root(), &options), ["a-b/x.rs", "a/x.rs", "keep.log"]);
    // The ignore files above a directory count as well.
    tree.write("a/more.log", "x");
    assert_eq!(found(&tree.path("a"), &options), ["x.rs"]);
}

#[test]
fn ignore_files_end_where_a_repository_begins() {
    let tree = Tree::new(
        "
        //- /.gitignore
        *
        //- /plain/.gitignore
        *.log
        //- /plain/a.log
        //- /plain/a.rs
        //- /plain/inner/.git/HEAD
        //- /plain/inner/b.log
        //- /repo/.git/HEAD
        //- /repo/.gitignore
        *.log
        //- /repo/src/a.log
        //- /repo/src/a.rs
        //- /repo/inner/.git/HEAD
        //- /repo/inner/b.log
        ",
    );
    let options = WalkOptions::default();
    // Without git, what lies above does not count.
    assert_eq!(found(&tree.path("plain"), &options), ["a.rs"]);
    assert_eq!(found(&tree.path("repo"), &options), ["inner/b.log", "src/a.rs"]);
    assert_eq!(found(&tree.path("repo/src"), &options), ["a.rs"]);
    assert_eq!(found(&tree.path("plain/inner"), &options), ["b.log"]);
}

#[test]
fn excludes_of_the_repository_and_of_the_user_count() {
    let tree = sample();
    tree.write(".git/info/exclude", "a-b\n");
    tree.write("elsewhere/excludes", "/keep.log\nx.rs\n");
    tree.write("a/.gitignore", "!x.rs\n");
    let options = WalkOptions {
        excludes_file: Some(tree.path("elsewhere/excludes")),
        ..WalkOptions::default()
    };
    assert_eq!(found(tree.root(), &options), ["a/x.rs", "elsewhere/excludes", "keep.log"]);
}

#[test]
fn a_bad_line_in_an_ignore_file_is_noted_and_the_rest_holds() {
    let tree = Tree::new("//- /.gitignore\n{\n*.log\n//- /a.log\n//- /b\n");
    assert_eq!(found(tree.root(), &WalkOptions::default()), ["b"]);
    let notes = notes(tree.root());
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with(".gitignore: line 1: "), "{notes:?}");
}

#[test]
#[cfg(unix)]
fn pipes_and_sockets_are_never_opened() {
    let tree = Tree::new("//- /a\n");
    let made = std::process::Command::new("mkfifo").arg(tree.path("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("socket")).unwrap();
    assert_eq!(found(tree.root(), &WalkOptions::default()), ["a"]);
    assert_eq!(notes(tree.root()), ["pipe: named pipe, not read", "socket: socket, not read"]);
    assert_eq!(notes(&tree.path("pipe")), ["pipe: named pipe, not read"]);
    // The walker opens ignore files without a look.
    fs::create_dir(tree.path("trap")).unwrap();
    fs::rename(tree.path("pipe"), tree.path("trap/.gitignore")).unwrap();
    fs::create_dir(tree.path("trap/inside")).unwrap();
    assert_eq!(found(tree.root(), &WalkOptions::default()), ["a"]);
    let not_entered = "trap: not entered, its .gitignore is a named pipe";
    assert_eq!(notes(tree.root()), ["socket: socket, not read", not_entered]);
    assert_eq!(notes(&tree.path("trap")), [not_entered]);
    assert_eq!(notes(&tree.path("trap/inside")), [not_entered]);
    assert_eq!(notes(Path::new("/dev/null")), ["null: device, not read"]);
}

#[test]
fn files_can_be_named_one_by_one() {
    let tree = sample();
    let with = |named: &[&str], exclude: &[&str]| WalkOptions {
        named: named.iter().map(PathBuf::from).collect(),
        exclude: exclude.iter().map(|&glob| glob.to_owned()).collect(),
        ..WalkOptions::default()
    };
    let usual = found(tree.root(), &WalkOptions::default());
    let options = with(&["./.github/ci.yml", "a/x.rs", "a/x.rs", "missing", ""], &[]);
    let walked = walk(tree.root(), &options).unwrap();
    let named = walked.files.iter().filter(|file| file.named);
    let named: Vec<&Path> = named.map(|file| file.relative.as_path()).collect();
    assert_eq!(named, [Path::new(".github/ci.yml"), Path::new("a/x.rs")]);
    assert_eq!(walked.files.len(), usual.len() + 1);
    let options = with(&[".github/ci.yml", "../x", ".git/config"], &["ci.yml"]);
    assert_eq!(found(tree.root(), &options), usual);
}
