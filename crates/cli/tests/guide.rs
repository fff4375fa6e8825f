//! Runs every console block of the README and of `docs/`, and compares what it prints.
//!
//! A page's blocks run in order, in a world of their own with `docs/sample`, the tutorial's
//! session and the log of an agent. `LOADLINE_UPDATE_DOCS=1` writes what was printed into
//! the pages. A line `...` stands for any lines; times that a command took are not compared.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{env, fs};

use regex::Regex;

use crate::common::{World, with_program, write_home};

/// The time at which the commands of the pages run.
const NOW: &str = "2026-01-31T12:00:00Z";
/// What the tutorial's session calls the home directory.
const HOME: &str = "/home/me";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages, by their paths from the root.
fn pages() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    for directory in ["docs", "docs/tutorial", "docs/how-to"] {
        let entries = fs::read_dir(root().join(directory)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let pages = names.filter(|name| name.ends_with(".md"));
        found.extend(pages.map(|name| format!("{directory}/{name}")));
    }
    found.sort();
    found
}

/// A world with the files that the pages speak of.
fn world() -> World {
    let world = World::new("");
    let work = world.home().join("docs");
    copy(&root().join("docs/sample"), &work.join("sample"));
    let log = fs::read_to_string(root().join("docs/tutorial/session.jsonl")).unwrap();
    let here = log.replace(HOME, &world.home().display().to_string());
    write_home(&world, "docs/tutorial/session.jsonl", &log);
    let place = ".claude/projects/sample/5f0c2d1e-7a34-4b8e-9d21-6c0f3a9b1e42.jsonl";
    write_home(&world, place, here);
    // The pages type `loadline`; that they do so at a fixed time is nobody's business.
    let script = format!("exec '{}' --now {NOW} \"$@\"", env!("CARGO_BIN_EXE_loadline"));
    with_program(world, "loadline", &script).with("COLUMNS", "90")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs a command of a page as a terminal would show it.
fn typed(world: &World, directory: &Path, command: &str) -> String {
    let mut shell = world.command("/bin/sh");
    shell.current_dir(directory).stdin(Stdio::null());
    let run = world.run(shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]));
    run.stdout.replace("[HOME]", HOME)
}

/// Tells whether a line begins or ends a block; more backticks hold blocks with fewer.
fn is_fence(line: &str) -> bool {
    line.len() > 2 && line.bytes().all(|it| it == b'`')
}

/// Runs a page and returns it with what its commands print.
fn rerun(page: &str) -> String {
    let world = world();
    let mut directory = world.home().join("docs/sample");
    let mut lines = page.lines().peekable();
    let (mut written, mut fence) = (String::new(), None);
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        fence = line.strip_suffix("console").filter(|it| is_fence(it)).or(fence);
        fence = fence.filter(|it| *it != line);
        let Some((command, end)) = line.strip_prefix("$ ").zip(fence) else {
            continue;
        };
        let mut command = command.to_owned();
        while command.ends_with('\\') {
            let more = lines.next().unwrap();
            written += &format!("{more}\n");
            command = format!("{command}\n{more}");
        }
        let mut expected = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && *line != end) {
            expected += &format!("{line}\n");
        }
        let printed = match command.strip_prefix("cd ") {
            Some(to) => {
                directory = world.home().join(to);
                String::new()
            }
            None => typed(&world, &directory, &command),
        };
        written += if is_like(&expected, &printed) { &expected } else { &printed };
    }
    written
}

/// Tells whether a command printed what a page says.
fn is_like(expected: &str, printed: &str) -> bool {
    let time = Regex::new(r"\b\d+(\.\d+)? m?s\b").unwrap();
    let mask = |text: &str| time.replace_all(text, "0 s").into_owned();
    let any = |line: &str| match line {
        "..." => "(?:.*\n)*".to_owned(),
        line => format!("{}\n", regex::escape(line)),
    };
    let pattern: String = mask(expected).lines().map(any).collect();
    Regex::new(&format!("^{pattern}$")).unwrap().is_match(&mask(printed))
}

#[test]
fn every_console_block_is_true() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for name in pages() {
        let page = fs::read_to_string(root().join(&name)).unwrap();
        let blocks = page.lines().filter(|line| line.ends_with("```console")).count();
        if blocks == 0 {
            continue;
        }
        checked += blocks;
        let now = rerun(&page);
        if now == page {
            continue;
        }
        if env::var_os("LOADLINE_UPDATE_DOCS").is_some() {
            fs::write(root().join(&name), now).unwrap();
            continue;
        }
        let lines = page.lines().zip(now.lines()).find(|(old, new)| old != new);
        wrong.push(format!("{name}: {lines:?}"));
    }
    assert!(wrong.is_empty(), "LOADLINE_UPDATE_DOCS=1 rewrites them:\n{}", wrong.join("\n"));
    assert!(checked > 10, "only {checked} blocks found");
}

const REFERENCE: &str = "# Commands

Made from `--help` by a test; do not edit. To rewrite it:
`LOADLINE_UPDATE_DOCS=1 cargo test -p loadline-cli --test it guide`.

Every command takes the global options of the first. Results go to standard output, remarks
to standard error. The exit status is 0 for success, 1 for a failure or an empty search, 2 for a wrong
argument or setting, and 3 for a check that was not met.
";

/// Adds the help of a command, and of those below it, to the reference.
fn describe(world: &World, command: &[&str], page: &mut String) {
    let mut run = world.command(env!("CARGO_BIN_EXE_loadline"));
    let help = world.run(run.args(command).arg("--help")).stdout;
    // The global options are the same everywhere.
    let own = match command {
        [] => help.as_str(),
        _ => help.split("\nGlobal options:").next().unwrap(),
    };
    let name = ["loadline"].iter().chain(command).copied().collect::<Vec<_>>().join(" ");
    let examples = help.split("\nExamples:\n").nth(1).map(|it| format!("\nExamples:\n{it}"));
    let examples = examples.filter(|it| !own.contains(it.as_str())).unwrap_or_default();
    *page += &format!("\n## {name}\n\n```text\n{}\n{examples}```\n", own.trim_end());
    let listed = own.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = listed.lines().take_while(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|it| it.split_whitespace().next());
    for below in names.filter(|it| *it != "help") {
        describe(world, &[command, &[below]].concat(), page);
    }
}

#[test]
fn the_reference_is_what_help_says() {
    let world = World::new("").with("COLUMNS", "90");
    let mut page = REFERENCE.to_owned();
    describe(&world, &[], &mut page);
    let path = root().join("docs/reference/commands.md");
    if env::var_os("LOADLINE_UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(page.contains("## loadline session trim"), "{page}");
    let written = fs::read_to_string(path).unwrap();
    assert!(written == page, "docs/reference/commands.md is stale: LOADLINE_UPDATE_DOCS=1");
}
