//! `loadline count`

use std::io::Read;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Map, Value, json};

use crate::common::{World, json, list, loadline, names, piped, run, write_user_config};

/// A small repository.
fn project() -> World {
    World::new(
        "
        //- /src/main.rs
        fn main() {
            println!(\"hello, world\");
        }
        //- /src/deep/er/table.rs
        pub const NUMBERS: [u32; 8] = [1, 2, 3, 5, 8, 13, 21, 34];
        pub const NAMES: [&str; 3] = [\"one\", \"two\", \"three\"];
        //- /README.md
        # Hello

        A program that greets the world.
        //- /notes/日本語.txt
        日本語のテキスト
        //- /target/out.o
        ignored
        //- /.gitignore
        target/
        //- /.secret/key.txt
        hidden
        ",
    )
}

#[test]
fn a_model_brings_its_counter_and_its_window() {
    let world = project();
    assert_snapshot!(run(&world, &["count", "README.md", "--model", "claude-opus-4-8"]), @r"
    tokens  lines    share  path
        13      3  100.0 %  README.md
        13      3           total, 1 file

    claude-4.8, reconstructed: unofficial, within about 0.1 %
    13 tokens = <0.1 % of claude-opus-4-8's 1,000,000
    ");
    assert_snapshot!(run(&world, &["count", "README.md", "-m", "gpt-9-ultra"]), @r#"
    --- stderr
    error[LL-CLI-001]: unknown model "gpt-9-ultra"
      hint: did you mean gpt-6-astra?
    --- exit 2
    "#);
    write_user_config(&world, "model = \"gpt-4\"\n[budget]\nwindow = 20000\n");
    assert_snapshot!(run(&world, &["count", "README.md"]), @r"
    tokens  lines    share  path
        11      3  100.0 %  README.md
        11      3           total, 1 file

    cl100k, exact
    11 tokens = 0.1 % of gpt-4's 20,000
    ");
}

#[test]
fn counters_are_compared_side_by_side() {
    let world = project();
    assert_snapshot!(run(&world, &["count", "--counter", "all", "-q"]), @r"
    o200k  cl100k  claude-3  claude-4.7  claude-4.8  heuristic  lines   share  path
       58      57        60          70          70         29      2  65.9 %  src/deep/er/table.rs
       12      12        15          17          17         11      3  13.6 %  src/main.rs
       11      11        11          13          13         11      3  12.5 %  README.md
        7       9         9           9           8          3      1   8.0 %  notes/日本語.txt
       88      89        95         109         108         54      9          total, 4 files

    o200k, exact
    cl100k, exact
    claude-3, reconstructed: unofficial, within about 0.1 %
    claude-4.7, reconstructed: unofficial, within about 0.1 %
    claude-4.8, reconstructed: unofficial, within about 0.1 %
    heuristic: a rule of thumb, off by up to 40 %
    ");
    let args = ["count", "README.md", "-c", "heuristic", "-c", "bpe", "-c", "o200k"];
    assert_snapshot!(run(&world, &args), @r"
    heuristic  o200k  lines    share  path
           11     11      3  100.0 %  README.md
           11     11      3           total, 1 file

    heuristic: a rule of thumb, off by up to 40 %
    o200k, exact
    ");
}

#[test]
fn files_are_a_list_a_tree_or_languages_and_can_be_chosen() {
    let world = project();
    assert_snapshot!(run(&world, &["count", "--tree"]), @r"
    tokens    share                    path
        88  100.0 %  ████████████████  total, 4 files
        70   79.5 %  ████████████▊     ├─ src/
        58   65.9 %  ██████████▌       │  ├─ deep/er/
        58   65.9 %  ██████████▌       │  │  └─ table.rs
        12   13.6 %  ██▏               │  └─ main.rs
        11   12.5 %  ██                ├─ README.md
         7    8.0 %  █▎                └─ notes/
         7    8.0 %  █▎                   └─ 日本語.txt

    o200k, exact
    ");
    assert_snapshot!(run(&world, &["count", "src", "--tree", "--top", "1", "--sort", "path"]), @r"
    tokens    share                    path
        70  100.0 %  ████████████████  src/, 2 files
        58   82.9 %  █████████████▎    ├─ deep/er/
        58   82.9 %  █████████████▎    │  └─ table.rs
        12   17.1 %  ██▊               └─ ... and 1 more file

    o200k, exact
    ");
    assert_snapshot!(run(&project(), &["count"]), @r"
    tokens  lines   share  path
        58      2  65.9 %  src/deep/er/table.rs
        12      3  13.6 %  src/main.rs
        11      3  12.5 %  README.md
         7      1   8.0 %  notes/日本語.txt
        88      9          total, 4 files

    o200k, exact
    ");
    assert_snapshot!(run(&project(), &["count", "--by-language"]), @r"
    tokens  files  lines   share  language
        70      2      5  79.5 %  rust
        11      1      3  12.5 %  markdown
         7      1      1   8.0 %  text
        88      4      9          total

    o200k, exact
    ");
    let paths = |args: &[&str]| {
        let document = json(&world, &[&["count", "--sort", "path"], args].concat());
        names(&document["files"], "path").join(" ")
    };
    assert_snapshot!(paths(&["--hidden"]), @".gitignore .secret/key.txt README.md notes/日本語.txt src/deep/er/table.rs src/main.rs");
    assert_snapshot!(paths(&["--no-ignore"]), @"README.md notes/日本語.txt src/deep/er/table.rs src/main.rs target/out.o");
    assert_snapshot!(paths(&["--include", "*.rs"]), @"src/deep/er/table.rs src/main.rs");
    assert_snapshot!(paths(&["--exclude", "src/"]), @"README.md notes/日本語.txt");
    assert_snapshot!(paths(&["src/main.rs", "target/out.o", "./src"]), @"src/deep/er/table.rs src/main.rs target/out.o");
}

#[test]
fn many_files_are_cut_short_unless_all_are_wanted() {
    let world = World::new("");
    for number in 1..=30 {
        world.work().write(&format!("{number:02}.txt"), "word ".repeat(number));
    }
    let shown = run(&world, &["count"]).stdout;
    let tail: Vec<&str> = shown.lines().skip(24).collect();
    assert_snapshot!(tail.join("\n"), @r"
         8      1  1.6 %  07.txt
         7      1  1.4 %  06.txt
        20      5  4.0 %  ... and 5 more files
       495     30         total, 30 files

    o200k, exact
    ");
    let all = run(&world, &["count", "--all"]).stdout;
    assert_eq!(all.lines().count(), 34);
    assert_snapshot!(run(&world, &["count", "--top", "1", "--sort", "path"]), @r"
    tokens  lines   share  path
         2      1   0.4 %  01.txt
       493     29  99.6 %  ... and 29 more files
       495     30          total, 30 files

    o200k, exact
    ");
    assert_eq!(json(&world, &["count", "--top", "1"])["files"].as_array().unwrap().len(), 30);
}

#[test]
fn standard_input_is_counted_where_asked_for() {
    let world = project();
    assert_snapshot!(piped(&world, &["count", "-"], "hello, world\n"), @r"
    tokens  lines    share  path
         4      1  100.0 %  -
         4      1           total, 1 file

    o200k, exact
    ");
    let args = ["count", "-", "README.md"];
    assert_snapshot!(piped(&world, &args, "hello, world\n"), @r"
    tokens  lines   share  path
        11      3  73.3 %  README.md
         4      1  26.7 %  -
        15      4          total, 2 files

    o200k, exact
    ");
    assert_snapshot!(piped(&world, &["count", "-"], b"\x7fELF\0\0"), @r"
    tokens  lines  share  path
         0      0         total, 0 files

    o200k, exact
    --- stderr
    note: -: binary (elf), not counted
    ");
}

#[test]
fn the_document_has_everything() {
    let world = project();
    let document = json(&world, &["count", "README.md", "-m", "gpt-4", "-c", "all"]);
    let counters = [
        ("o200k", "exact", 11),
        ("cl100k", "exact", 11),
        ("claude-3", "reconstructed", 11),
        ("claude-4.7", "reconstructed", 13),
        ("claude-4.8", "reconstructed", 13),
        ("heuristic", "heuristic", 11),
    ];
    let tokens: Map<String, Value> =
        counters.iter().map(|(name, _, tokens)| ((*name).to_owned(), json!(tokens))).collect();
    let counters =
        counters.map(|(name, precision, _)| json!({"name": name, "precision": precision}));
    let want = json!({
        "schema": 1,
        "counters": counters,
        "model": {"name": "gpt-4", "window": 8192, "tokens": 11, "percent": 0.13427734375},
        "total": {"files": 1, "lines": 3, "bytes": 42, "tokens": tokens},
        "languages": [
            {"language": "markdown", "files": 1, "bytes": 42, "lines": 3, "tokens": tokens},
        ],
        "files": [
            {"path": "README.md", "bytes": 42, "lines": 3, "language": "markdown",
                "encoding": "UTF-8", "source": "offline", "tokens": tokens},
        ],
        "remarks": [],
    });
    // As texts, so that the order of the keys counts.
    assert_eq!(document.to_string(), want.to_string());
}

#[test]
fn f009_the_second_run_is_served_from_the_cache() {
    let world = project();
    let sources = |args: &[&str]| {
        let document = json(&world, &[&["count", "--now", "2030-01-01T00:00:00Z"], args].concat());
        list(&document["files"]).iter().map(|file| file["source"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(sources(&[]), ["offline"; 4]);
    assert_eq!(sources(&[]), ["cache"; 4]);
    assert_eq!(sources(&["--no-cache"]), ["offline"; 4]);
    assert_eq!(sources(&["-c", "heuristic"]), ["offline"; 4]);
}

#[test]
fn without_a_cache_nothing_is_written() {
    let world = project();
    run(&world, &["count", "--no-cache"]);
    let world = world.with("LOADLINE_NO_CACHE", "1");
    run(&world, &["count"]);
    assert!(!world.home().join(".cache").exists());
}

#[test]
fn a_damaged_or_useless_cache_costs_a_note() {
    let world = World::new("//- /a.txt\nhello\n//- /file\nnot a directory\n");
    run(&world, &["count", "a.txt"]);
    let database = world.home().join(".cache/loadline/cache.db");
    assert!(database.is_file());
    std::fs::write(&database, "not a database at all, but long enough").unwrap();
    assert_snapshot!(run(&world, &["count", "a.txt"]), @r"
    tokens  lines    share  path
         2      1  100.0 %  a.txt
         2      1           total, 1 file

    o200k, exact
    --- stderr
    note: [HOME]/.cache/loadline/cache.db: damaged, moved aside and rebuilt: its last page is cut
    ");
    let world = world.with("LOADLINE_CACHE_DIR", "file");
    assert_snapshot!(run(&world, &["count", "a.txt"]), @r"
    tokens  lines    share  path
         2      1  100.0 %  a.txt
         2      1           total, 1 file

    o200k, exact
    --- stderr
    note: file/cache.db: working without it: cannot create file: File exists (os error 17)
    ");
}

#[test]
fn f006_f252_what_cannot_be_counted_costs_a_note_or_is_refused_with_a_hint() {
    let world = project();
    assert_snapshot!(run(&world, &["count", "absent.txt"]), @r#"
    --- stderr
    error[LL-CTX-004]: no such file or directory: "absent.txt"
      hint: check the spelling; relative paths start at the current directory
    --- exit 1
    "#);
    assert_snapshot!(run(&world, &["count", "-c", "abacus"]), @r#"
    --- stderr
    error[LL-CTX-002]: unknown counter "abacus"
      hint: use one of o200k, cl100k, claude-3, claude-4.7, claude-4.8, heuristic, heuristic-code, calibrated or hf:FILE
    --- exit 2
    "#);
    assert_snapshot!(run(&world, &["count", "--include", "a{"]), @r#"
    --- stderr
    error[LL-CFG-003]: "a{" is not a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
      hint: write globs as in .gitignore, such as *.rs, src/** or docs/
    --- exit 2
    "#);
    assert_snapshot!(run(&world, &["count", "--sort", "token"]), @r"
    --- stderr
    error: invalid value 'token' for '--sort <BY>'
      [possible values: tokens, path, lines]

      tip: a similar value exists: 'tokens'

    For more information, try '--help'.
    --- exit 2
    ");
    let run = run(&world, &["count", "-c", "hf:no-such.json"])
        .exits(0)
        .shows(&["heuristic: a rule of thumb"]);
    let note = "note: hf:no-such.json: cannot count with no-such.json";
    assert!(run.stderr.contains(note), "{run}");
}

#[test]
fn binary_files_are_noted_and_only_so_many() {
    let world = World::new("//- /a.txt\nhello\n");
    for number in 0..14 {
        world.work().write(&format!("{number:02}.bin"), b"\x00\x01\x02\x03");
    }
    assert_snapshot!(run(&world, &["count"]), @r"
    tokens  lines    share  path
         2      1  100.0 %  a.txt
         2      1           total, 1 file

    o200k, exact
    --- stderr
    note: 00.bin, 01.bin, 02.bin and 11 more: binary, not counted
    ");
}

#[cfg(unix)]
#[test]
fn strange_files_stop_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::new("//- /a.txt\nhello\n");
    let work = world.work().root();
    std::os::unix::fs::symlink("nowhere", work.join("dangling")).unwrap();
    std::fs::write(work.join(OsStr::from_bytes(b"caf\xe9.txt")), "un caf\u{e9}").unwrap();
    std::fs::write(work.join("a\u{1b}[31m.txt"), "red").unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(work.join("fifo")).status();
    assert!(fifo.unwrap().success());
    assert_snapshot!(run(&world, &["count"]), @r"
    tokens  lines   share  path
         2      1  40.0 %  a.txt
         2      1  40.0 %  caf\xe9.txt
         1      1  20.0 %  a\u{1b}[31m.txt
         5      3          total, 3 files

    o200k, exact
    --- stderr
    note: dangling: link to nothing
    note: fifo: named pipe, not read
    ");
    assert_snapshot!(run(&world, &["count", "fifo"]), @r"
    tokens  lines  share  path
         0      0         total, 0 files

    o200k, exact
    --- stderr
    note: fifo: named pipe, not read
    ");
    assert_snapshot!(run(&world, &["count", "dangling"]), @r#"
    --- stderr
    error[LL-CTX-004]: no such file or directory: "dangling"
      hint: check the spelling; relative paths start at the current directory
    --- exit 1
    "#);
    let document = json(&world, &["count", "--sort", "path"]);
    assert_eq!(document["files"][2]["path"], "caf\\xe9.txt");
}

#[test]
fn a_closed_pipe_is_success() {
    let world = World::new("");
    for number in 0..3000 {
        world.work().write(&format!("{number:04}-{}.txt", "x".repeat(40)), "");
    }
    let mut command = loadline(&world, &["count", "--all", "--no-cache"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 6];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let world = World::new("//- /a.txt\nhello\n");
    let has_colours = |world: &World, args: &[&str]| run(world, args).stdout.contains('\u{1b}');
    assert!(!has_colours(&world, &["count"]));
    assert!(has_colours(&world, &["count", "--color", "always"]));
    assert!(!has_colours(&world, &["count", "--color", "never"]));
    let world = world.with("CLICOLOR_FORCE", "1");
    assert!(has_colours(&world, &["count"]));
    let world = world.with("NO_COLOR", "1");
    assert!(!has_colours(&world, &["count"]));
}
