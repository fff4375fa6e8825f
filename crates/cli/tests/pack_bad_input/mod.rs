//! `loadline pack` on everything that can be wrong with a tree.
//!
//! Each case is packed in every format. Whatever it is, the command ends well,
//! every file is packed, omitted or noted, and no name and no content can pass
//! for something else.

mod cache;
mod changing;
mod content;
mod credentials;
mod encoding;
mod git;
mod names;
mod output;
mod special;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Run, World, commit_all, find, git, loadline, names, parsed, run};
#[cfg(unix)]
use crate::common::{shell, with_program};

/// What some readers take for the end of a line.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Packs a world with hidden files in every format, and returns the document.
fn check(world: &World, args: &[&str]) -> Value {
    let files = count_files(world.work().root());
    check_files(world, args, files)
}

/// As [`check`], where the number of files is known.
fn check_files(world: &World, args: &[&str], files: usize) -> Value {
    let document = document(world, args);
    let all = [paths(&document, "files"), paths(&document, "omitted")].concat();
    assert_eq!(all.len(), files, "{document:#}");
    all.iter().for_each(|path| check_path(path));
    for (format, shown) in [
        ("xml", shown_in_xml as fn(&str) -> Vec<String>),
        ("markdown", shown_in_markdown),
        ("plain", shown_in_plain),
    ] {
        let shown = shown(&packed(world, args, format).stdout);
        if args.contains(&"--budget") {
            // Frames cost more in one format than in another.
            assert!(shown.iter().all(|path| all.contains(path)), "{shown:?}");
        } else {
            assert_eq!(sorted(shown), sorted(paths(&document, "files")));
        }
    }
    document
}

/// Packs with `--format json` and reads the document.
fn document(world: &World, args: &[&str]) -> Value {
    let run = packed(world, args, "json");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"))
}

fn packed(world: &World, args: &[&str], format: &str) -> Run {
    let args = [&["pack", "--hidden", "--format", format], args].concat();
    let run = run(world, &args).exits(0);
    check_terminal(&run.stderr);
    run
}

/// What is said on the terminal moves no cursor and turns no line around.
fn check_terminal(text: &str) {
    let is_bad = |c: &char| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
    assert_eq!(text.chars().find(is_bad), None, "{text:?}");
}

/// A path stays in the tree and on its line.
fn check_path(path: &str) {
    assert!(!path.is_empty() && !path.starts_with('/'), "{path:?}");
    assert!(path.split('/').all(|part| part != ".." && !part.is_empty()), "{path:?}");
    assert!(!path.contains(LINE_ENDS), "{path:?}");
    check_terminal(path);
}

/// The files in a pack; elements begin and end as often, and nowhere else.
fn shown_in_xml(text: &str) -> Vec<String> {
    let name = text.strip_prefix("<pack").unwrap();
    let name = name.split(' ').next().unwrap();
    let count = |mark: &str| text.matches(&format!("{mark}{name}")).count();
    assert_eq!((count("<pack"), count("</pack")), (1, 1), "{text}");
    let begin = format!("<file{name} path=\"");
    let heads = text.split(&begin).skip(1);
    let files: Vec<String> = heads
        .map(|head| {
            let path = head.split('"').next().unwrap();
            let path = path.replace("&quot;", "\"").replace("&lt;", "<");
            path.replace("&gt;", ">").replace("&amp;", "&")
        })
        .collect();
    let marks = (count("<file"), count("</file"));
    assert_eq!(marks, (files.len(), files.len()), "{text}");
    files
}

/// The headings outside of fences.
fn shown_in_markdown(text: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut open: Option<usize> = None;
    for line in text.split(LINE_ENDS) {
        let body = line.trim_start();
        let ticks = body.len() - body.trim_start_matches('`').len();
        match open {
            Some(length) if ticks >= length && body.trim_end().len() == ticks => open = None,
            Some(_) => {}
            None if ticks >= 3 => open = Some(ticks),
            None => headings.extend(line.strip_prefix("## File: ").map(without_extent)),
        }
    }
    assert_eq!(open, None, "a fence stays open: {text}");
    headings
}

/// What stands behind rules, after the first.
fn shown_in_plain(text: &str) -> Vec<String> {
    let rule = text.split(' ').next().unwrap();
    let begins = format!("{rule} ");
    let lines = text.split(LINE_ENDS);
    let heads = lines.filter_map(|line| line.strip_prefix(&begins));
    let files = heads.skip(1).filter(|head| !head.starts_with("Changes since "));
    files.map(without_extent).collect()
}

/// Takes the lines that are shown off a heading.
fn without_extent(heading: &str) -> String {
    heading.rsplit_once(" (").unwrap().0.to_owned()
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

/// The plain files below a directory, without what git keeps for itself.
fn count_files(directory: &Path) -> usize {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let of = |entry: fs::DirEntry| match entry.file_type().unwrap() {
        _ if entry.file_name() == ".git" => 0,
        kind if kind.is_dir() => count_files(&entry.path()),
        kind => usize::from(kind.is_file()),
    };
    entries.map(|entry| of(entry.unwrap())).sum()
}

fn paths(document: &Value, list: &str) -> Vec<String> {
    names(&document[list], "path").into_iter().map(str::to_owned).collect()
}

/// Why a file is not packed; nothing where it is.
fn reason(document: &Value, path: &str) -> Option<String> {
    let mut omitted = document["omitted"].as_array().unwrap().iter();
    let file = omitted.find(|file| file["path"] == path)?;
    Some(file["reason"].as_str().unwrap().to_owned())
}

/// What is noted about a thing.
fn note(document: &Value, subject: &str) -> Option<String> {
    let mut notes = document["notes"].as_array().unwrap().iter();
    let note = notes.find(|note| note["subject"] == subject)?;
    Some(note["message"].as_str().unwrap().to_owned())
}

fn content(document: &Value) -> &str {
    document["content"].as_str().unwrap()
}

/// Tells whether permissions hold nobody back.
#[cfg(unix)]
fn is_root(world: &World) -> bool {
    let probe = world.home().join("probe");
    fs::write(&probe, "x").unwrap();
    let mut command = world.command("/bin/chmod");
    world.run(command.arg("000").arg(&probe));
    fs::read(&probe).is_ok()
}

/// An empty tree.
fn empty() -> World {
    World::new("//- /.keep/\n")
}
