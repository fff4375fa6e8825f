//! Which files a command looks at: paths, lists, globs, ignore files.

use crate::common::{World, commit_all, git, names, parsed, piped, run, run_in};

const PROJECT: &str = "
    //- /README.md
    # A project
    //- /src/main.rs
    fn main() { lib::start() }
    //- /src/lib.rs
    pub fn start() {}
    //- /docs/guide.md
    # Guide
    //- /tests/start.rs
    fn starts() {}
    //- /.hidden.toml
    key = 1
    ";

fn repository() -> World {
    let world = World::new(PROJECT);
    git(&world, &["init", "-q", "."]);
    world
}

/// The paths of a pack, in the directory `from`.
fn packed_from(world: &World, from: &str, args: &[&str]) -> Vec<String> {
    let packed = run_in(world, from, &[&["pack", "-q", "--json"], args].concat()).exits(0);
    let document = parsed(&packed.stdout);
    names(&document["files"], "path").into_iter().map(str::to_owned).collect()
}

#[test]
fn f303_paths_are_from_the_root_wherever_one_stands() {
    let world = repository();
    for (from, args, want) in [
        ("src", &[][..], &["src/lib.rs", "src/main.rs"][..]),
        ("src", &["main.rs", "../docs"], &["docs/guide.md", "src/main.rs"]),
        (".", &["src/lib.rs", "src"], &["src/lib.rs", "src/main.rs"]),
        (".", &["docs", "README.md"], &["README.md", "docs/guide.md"]),
        ("docs", &["../.hidden.toml"], &[".hidden.toml"]),
        ("src", &["..", "--include", "lib.rs"], &["src/lib.rs"]),
        ("src", &["--include", "./lib.rs,main.rs"], &["src/lib.rs", "src/main.rs"]),
        (
            ".",
            &["--include", "*.{md,rs}", "--exclude", "docs/,tests"],
            &["README.md", "src/lib.rs", "src/main.rs"],
        ),
    ] {
        assert_eq!(packed_from(&world, from, args), want, "{from} {args:?}");
    }
    // Without a repository the directory that was typed is the root.
    let plain = World::new(PROJECT);
    assert_eq!(packed_from(&plain, ".", &["src"]), ["lib.rs", "main.rs"]);
    assert_eq!(
        packed_from(&plain, ".", &["src", "docs/guide.md"]),
        ["docs/guide.md", "src/lib.rs", "src/main.rs"]
    );
    for command in ["map", "score"] {
        run_in(&world, "src", &[command, "-q", "--json"])
            .shows(&["\"src/lib.rs\""])
            .hides(&["guide"]);
    }
    run_in(&world, "src", &["search", "-q", "-l", "start", "."])
        .shows(&["src/lib.rs\n"])
        .hides(&["tests/"]);
}

#[test]
fn f303_files_can_be_listed() {
    let world = repository();
    world.work().write("list", "src/main.rs\r\n\ngone.rs\ndocs/guide.md\n");
    let run = piped(
        &world,
        &["pack", "--budget", "2k", "--files-from", "-", "--json"],
        world.work().read("list"),
    );
    let document = parsed(&run.stdout);
    assert_eq!(document["files"][0]["path"], "docs/guide.md", "{run}");
    assert_eq!(document["files"][1]["path"], "src/main.rs");
    assert_eq!(document["files"].as_array().unwrap().len(), 2);
    assert_eq!(document["notes"][0]["subject"], "gone.rs");
    assert_eq!(packed_from(&world, ".", &["--files-from", "list"]).len(), 2);
    piped(&world, &["pack", "-q", "--files-from", "-"], "src/lib.rs\0docs\0")
        .shows(&["docs/guide.md", "src/lib.rs"]);
}

#[test]
fn f303_ignore_files_of_similar_tools_are_honoured() {
    for name in [".ignore", ".loadlineignore", ".repomixignore", ".aiderignore", ".cursorignore"] {
        let world = World::new(PROJECT);
        world.work().write(name, "docs/\n*.md\n");
        let files = packed_from(&world, ".", &[]);
        assert_eq!(files, ["src/lib.rs", "src/main.rs", "tests/start.rs"], "{name}");
    }
}

#[test]
fn f304_what_matches_nothing_is_an_error_with_the_nearest_name() {
    let world = repository();
    for (args, message, hint) in [
        (
            &["--include", "scr/**"][..],
            "--include \"scr/**\" matches no file",
            "did you mean \"src/**\"?",
        ),
        (
            &["--include", "*.rs,*.mdd"],
            "--include \"*.mdd\" matches no file",
            "did you mean \"*.md\"?",
        ),
        (&["--exclude", "test"], "--exclude \"test\" matches no file", "did you mean \"tests\"?"),
        (
            &["--pin", "src/mian.rs"],
            "--pin \"src/mian.rs\" matches no file",
            "did you mean \"src/main.rs\"?",
        ),
        (&["--boost", "zzzzzz*"], "--boost \"zzzzzz*\" matches no file", "--hidden or --no-ignore"),
        (&["--include", "src/{a"], "\"src/{a\" is not a glob", "write globs as in .gitignore"),
        (&["--pin", "[z-a]"], "\"[z-a]\" is not a glob", "write globs as in .gitignore"),
        (
            &["--task", "start", "--open", "src/lbi.rs"],
            "--open \"src/lbi.rs\": no such file",
            "did you mean src/lib.rs?",
        ),
        (
            &["--open", "src/lbi.rs"],
            "--open \"src/lbi.rs\": no such file",
            "did you mean src/lib.rs?",
        ),
        (&["--model", "claude-opus-48"], "unknown model \"claude-opus-48\"", "claude-opus-4-8"),
        (&["--counter", "o20k"], "unknown counter \"o20k\"", "did you mean \"o200k\"?"),
        (&["--counter", "nonsense"], "unknown counter \"nonsense\"", "use one of "),
    ] {
        run(&world, &[&["pack", "--budget", "1k"], args].concat())
            .exits(2)
            .prints("")
            .says(&[message, hint]);
    }
    // What is there may be named, even if it would not be found.
    world.work().write(".gitignore", "target/\n");
    world.work().write("target/out.txt", "built\n");
    for args in
        [&["--exclude", "target"][..], &["--exclude", "target/"], &["--include", ".hidden.toml"]]
    {
        assert_eq!(run(&world, &[&["pack", "-q"], args].concat()).code, 0, "{args:?}");
    }
    for command in ["count", "map", "score"] {
        run(&world, &[command, "--include", "nothing-like-it"]).exits(2);
    }
    // Settings may come with many projects; what they name need not be there.
    world.work().write("loadline.toml", "pack.exclude = [\"vendor\"]\npack.pin = [\"gone.rs\"]\n");
    assert_eq!(run(&world, &["pack", "-q"]).code, 0);
}

#[test]
fn f304_names_of_every_script_work_in_globs() {
    for (name, glob) in [
        ("cafe\u{301}.md", "caf\u{e9}.md"),
        ("caf\u{e9}.md", "cafe\u{301}.md"),
        ("ภาษาไทยที่นี่.md", "ภาษาไทยที่นี่.md"),
        ("می\u{200c}خواهم.md", "می\u{200c}خواهم.md"),
        ("👩\u{200d}💻.md", "👩\u{200d}💻*"),
        ("한글.md", "한글.*"),
    ] {
        let world = World::new("//- /other.md\nother\n");
        world.work().write(&format!("d/{name}"), "inside\n");
        let glob = format!("d/{glob}");
        for flag in ["--include", "--exclude", "--pin", "--boost"] {
            let run = run(&world, &["pack", "-q", flag, &glob]).exits(0);
            assert_eq!(run.stdout.contains("inside"), flag != "--exclude", "{name} {flag} {run}");
            assert_eq!(run.stdout.contains("other.md"), flag != "--include", "{name} {flag} {run}");
        }
    }
}

#[test]
fn f304_remarks_that_say_the_same_are_one() {
    let world = World::new("//- /a.txt\nx\n");
    for number in 0..9 {
        world.work().write(&format!("k{number}/.env"), "KEY=1\n");
    }
    let run = run(&world, &["pack", "--hidden", "--budget", "1k"]);
    let notes: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("note: ")).collect();
    assert_eq!(notes.len(), 1, "{run}");
    assert!(
        notes[0].starts_with("note: k0/.env, k1/.env, k2/.env and 6 more: not packed"),
        "{run}"
    );
}

#[test]
fn f303_a_remote_repository_is_fetched_into_the_cache() {
    let world = repository();
    commit_all(&world, "first");
    git(&world, &["tag", "v1"]);
    world.work().write("src/later.rs", "pub fn later() {}\n");
    commit_all(&world, "second");
    let url = format!("file://{}", world.work().root().display());
    let elsewhere = world.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let packed =
        |args: &[&str]| run_in(&world, &elsewhere, &[&["pack", "--budget", "2k"], args].concat());
    packed(&["owner/name"]).says(&["for a repository on GitHub add --remote"]);
    packed(&[&url, "--log", "5"]).exits(0).shows(&["## File: src/later.rs", " second\n"]);
    packed(&[&format!("{url}@v1")]).shows(&["src/lib.rs"]).hides(&["later.rs"]);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    packed(&[&format!("{url}@nowhere")])
        .exits(1)
        .says(&["error[LL-CLI-035]: cannot fetch file://"]);
    // What was fetched once is used where nothing can be fetched.
    git(&world, &["tag", "-d", "v1"]);
    packed(&[&format!("{url}@v1")]).shows(&["src/lib.rs"]).says(&["as fetched before"]);
}
