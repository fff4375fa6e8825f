//! `loadline chunk`

use insta::assert_snapshot;

use crate::common::{World, json, names, piped, run};

const FILES: &str = "
    //- /src/store.py
    import os

    LIMIT = 3

    class Store:
        def load(self, path):
            with open(path) as file:
                return file.read()

        def save(self, path, text):
            with open(path, 'w') as file:
                file.write(text)

    def main():
        Store().load('a')
    //- /guide.md
    # Guide

    ## Install

    Run it.

    ## Use

    Use it.
    //- /words.txt
    one
    two
    three
    ";

#[test]
fn f088_f089_chunks_are_a_table_for_people_and_json_for_programs() {
    let world = World::new(FILES);
    let args = ["chunk", "src/store.py", "guide.md", "--min-tokens", "0"];
    assert_snapshot!(run(&world, &args), @r"
    src/store.py: python, 66 tokens in 6 chunks
    lines  tokens  kind      in
      1-2       3  preamble
      3-4       5  constant  LIMIT
      5-5       3  class     Store
      6-9      20  method    Store > load
    10-13      25  method    Store > save
    14-15      10  function  main

    guide.md: markdown, 15 tokens in 3 chunks
    lines  tokens  kind      in
      1-2       3  preamble
      3-6       6  section   Install
      7-9       6  section   Use

    every line is in a chunk; counted by o200k, exact
    ");
    let args = ["chunk", "src/store.py", "--min-tokens", "0"];
    let document = json(&world, &args);
    let file = &document["files"][0];
    assert_eq!(file["path"], "src/store.py");
    assert_eq!(file["language"], "python");
    assert_eq!((&file["lines"], &file["complete"]), (&15.into(), &true.into()));
    let chunk = &file["chunks"][3];
    assert_eq!(chunk["lines"], serde_json::json!([6, 9]));
    assert_eq!(chunk["kind"], "method");
    assert_eq!(chunk["strategy"], "structural");
    assert_eq!(chunk["hierarchy"], serde_json::json!(["class:Store", "method:load"]));
    assert!(chunk.get("content").is_none());
    // The contents give the file back.
    for path in ["src/store.py", "guide.md"] {
        let args = ["chunk", path, "--content", "--min-tokens", "0"];
        let document = json(&world, &args);
        let contents = names(&document["files"][0]["chunks"], "content");
        assert_eq!(contents.concat(), world.work().read(path));
    }
    let shown = run(&world, &["chunk", "guide.md", "--content", "--min-tokens", "0"]);
    assert_snapshot!(shown, @r"
    guide.md: markdown, 15 tokens in 3 chunks

    1-2  3 tokens  preamble
    1: # Guide
    2:

    3-6  6 tokens  section  Install
    3: ## Install
    4:
    5: Run it.
    6:

    7-9  6 tokens  section  Use
    7: ## Use
    8:
    9: Use it.

    every line is in a chunk; counted by o200k, exact
    ");
}

#[test]
fn f081_sizes_levels_and_the_language_of_standard_input_are_flags() {
    let world = World::new(FILES);
    let count = |args: &[&str]| {
        let args = [&["chunk", "src/store.py"], args].concat();
        let document = json(&world, &args);
        document["files"][0]["chunks"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&["--min-tokens", "0", "--level", "class"]), 4);
    assert_eq!(count(&["--min-tokens", "0", "--max-tokens", "20"]), 8);
    assert_eq!(count(&["--by-lines", "--lines", "5", "--overlap", "0"]), 3);
    run(&world, &["chunk", "src/store.py", "--max-tokens", "10"])
        .exits(2)
        .says(&["`chunk.min_tokens` is 100"]);
    for flags in [["--path", "a.py"], ["--language", "python"]] {
        let args = [&["chunk", "-", "--json"][..], &flags].concat();
        piped(&world, &args, world.work().read("src/store.py"))
            .shows(&["\"language\": \"python\"", "\"structural\""]);
    }
}

#[test]
fn f085_bad_input_is_a_note_or_one_error() {
    let world = World::new(FILES);
    world.work().write("logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    world.work().write("empty.rs", "");
    world.work().write("latin.py", b"# caf\xe9 cr\xe8me br\xfbl\xe9e\nx = 1\n");
    world.work().write("broken.py", b"x = '\xff\xfe\xc3'\n# na\xc3\xafve caf\xc3\xa9\n");
    let files = ["chunk", "logo.png", "empty.rs", "latin.py", "words.txt"];
    assert_snapshot!(run(&world, &files), @r"
    empty.rs: rust, 0 tokens in 0 chunks

    latin.py: python, 11 tokens in 1 chunk
    lines  tokens  kind   in
      1-2      11  lines

    words.txt: text, 6 tokens in 1 chunk
    lines  tokens  kind   in
      1-3       6  lines

    every line is in a chunk; counted by o200k, exact
    --- stderr
    note: logo.png: not split: binary (png)
    note: words.txt: cut by lines: no grammar for it
    ");
    run(&world, &["chunk", "broken.py"]).exits(0);
    for path in ["missing.rs", "src"] {
        let run = run(&world, &["chunk", "guide.md", path]).exits(1).prints("");
        assert!(run.stderr.starts_with("error[LL-CLI-010]: cannot read"), "{run}");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
    }
}

#[test]
fn secrets_are_redacted_unless_told_otherwise() {
    let world = World::new("");
    let key = ["ghp_", "8dKq2mXv5LzT9wRb3YhN7cFs1PjG6uEa4VoW"].concat();
    world.work().write("a.py", format!("github_token = '{key}'\n"));
    let shown = |flags: &[&str]| run(&world, &[&["chunk", "a.py", "--content"], flags].concat());
    assert!(!shown(&[]).stdout.contains(&key));
    assert_eq!(shown(&[]).stderr, "note: a.py: 1 secret redacted\n");
    assert!(shown(&["--no-redact"]).stdout.contains(&key));
}
