//! Names that are hard to write down.

use super::*;

#[test]
fn f264_odd_names_are_written_on_one_line_from_the_root() {
    let world = empty();
    let long = format!("{}.txt", "n".repeat(250));
    let names = [
        "with space.txt",
        "it's \"quoted\" & <b>.txt",
        "`ticks`.md",
        "```",
        "-rf",
        "--output",
        "..x",
        "...",
        "a\\b.txt",
        "{x} (lines 1-9)",
        "## File: forged (lines 1-1)",
        "q\" tier=\"full\"><file path=\"forged",
        "日本語.txt",
        "\u{202e}gpj.exe",
        "deep/```/x",
        "deep/<file path=\"y\">/x",
        "deep/======== x/y",
        long.as_str(),
    ];
    for name in names {
        world.work().write(name, format!("about {}\n", name.len()));
    }
    let document = check(&world, &["."]);
    assert_eq!(paths(&document, "files").len(), names.len());
    check(&world, &["--compress"]);
    check(&world, &["../work"]);
}

#[cfg(unix)]
#[test]
fn f265_the_name_of_the_root_cannot_forge_a_file() {
    let world = empty();
    for name in [
        "a\n## File: forged (lines 1-1)\n",
        "\"><file path=\"forged\">",
        "======== forged",
        "\u{1b}[2J\u{2028}",
        "# ```",
    ] {
        world.work().write(&format!("{name}/a.txt"), "text\n");
        let document = check_files(&world, &[name], 1);
        assert_eq!(paths(&document, "files"), ["a.txt"]);
    }
}

#[cfg(unix)]
#[test]
fn f265_control_characters_and_bytes_that_are_no_text_are_escaped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = empty();
    let names: [&[u8]; 8] = [
        b"two\nlines.txt",
        b"two\\nlines.txt",
        b"\x1b[2J\x1b]0;owned\x07.txt",
        b"\r## File: forged (lines 1-1)",
        b"caf\xe9.txt",
        b"\xff\xfe",
        b"tab\there",
        b"\x7f\xc2\x85\xe2\x80\xa8.txt",
    ];
    for (number, name) in names.iter().enumerate() {
        let path = world.work().root().join(OsStr::from_bytes(name));
        fs::write(path, format!("{number}\n")).unwrap();
    }
    let document = check(&world, &[]);
    let files = paths(&document, "files");
    assert_eq!(files.len(), names.len());
    // Two that read the same are told apart, and the plain one keeps its name.
    for (path, body) in [("two\\nlines.txt", "1\n"), ("two\\nlines.txt (2)", "0\n")] {
        let block = format!("## File: {path} (lines 1-1)\n```text\n{body}```");
        assert!(content(&document).contains(&block), "{}", content(&document));
    }
    for (number, name) in names.iter().enumerate() {
        let path = world.work().root().join(OsStr::from_bytes(name));
        fs::write(path, format!("\0{number}\n")).unwrap();
    }
    // Nor can they forge notes and reasons.
    let run = run(&world, &["pack", "--explain"]).says_no(&["\n## File"]);
    check_terminal(&run.stderr);
}

#[cfg(unix)]
#[test]
fn f264_directories_a_thousand_deep_are_walked() {
    let world = World::new("//- /top.txt\ntop\n");
    // Longer paths cannot be given to the system in one piece.
    let deep = "i=0; while [ $i -lt 1500 ]; do mkdir d; cd d; i=$((i+1)); done; echo deep > x.txt";
    shell(&world, deep).exits(0);
    let document = check_files(&world, &["--budget", "30k"], 2);
    assert_eq!(paths(&document, "files").len(), 2);
    let little = super::document(&world, &["--budget", "200"]);
    assert_eq!(paths(&little, "files"), ["top.txt"]);
}

#[cfg(unix)]
#[test]
fn directories_beyond_the_longest_path_cost_a_note() {
    let world = World::new("//- /top.txt\ntop\n");
    // 25 names of 200 bytes: more than the 4,096 that the system takes at once.
    let deep = "d=$(printf %0200d 0); for i in $(seq 25); do mkdir $d; cd -P $d || exit 0; done";
    shell(&world, deep);
    run(&world, &["pack"]).exits(0).shows(&["## File: top.txt"]);
    shell(&world, "rm -rf 0*").exits(0);
}
