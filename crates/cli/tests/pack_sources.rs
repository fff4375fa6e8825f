//! `loadline pack --source` and `--open`

use std::io::Write;
use std::process::Stdio;

use crate::common::{World, json, loadline, run};

const PROJECT: &str = "
    //- /src/a.rs
    fn first() {}
    fn second() {}
    fn third() {}
    //- /src/b.rs
    fn other() {}
    //- /hits.txt
    src/a.rs:2
    gone.rs:1
    //- /list.json
    {\"schema\":1,\"sources\":[{\"kind\":\"tool_result\",\"path\":\"cargo test\",\"content\":\"1 failed\"}]}
    //- /bad.json
    {\"schema\":1,
    \"sources\":[}
    ";

#[test]
fn f073_lists_and_open_files_are_packed_instead_of_the_repository() {
    let world = World::new(PROJECT);
    let sources = [
        "--source",
        "hits.txt",
        "--source",
        "list.json",
        "--open",
        "src/b.rs",
    ];
    let args = [
        &["pack", "-q", "--budget", "300", "--query", "second"][..],
        &sources,
    ]
    .concat();
    let packed = run(&world, &args);
    let want = "# Sources\n\n## File: cargo test (lines 1-1)\n```plaintext\n1 failed\n```\n\n\
                ## File: src/a.rs (lines 2-2)\n```rust\nfn second() {}\n```\n\n\
                ## File: src/b.rs (lines 1-1)\n```rust\nfn other() {}\n```\n";
    assert_eq!((packed.code, packed.stdout.as_str()), (0, want), "{packed}");
}

#[test]
fn f114_the_document_says_what_became_of_every_source() {
    let world = World::new(PROJECT);
    let document = json(
        &world,
        &["pack", "-q", "--budget", "300", "--source", "hits.txt"],
    );
    let chunk = &document["chunks"][0];
    assert_eq!(chunk["path"], "src/a.rs");
    assert_eq!(chunk["lines"], serde_json::json!([2, 2]));
    assert_eq!(chunk["signals"]["source"], 0.6);
    assert_eq!(document["omitted"][0]["reason"], "unreadable");
    assert!(document["tokens"].as_u64().unwrap() <= 300);
}

#[test]
fn f025_shares_add_up_to_100() {
    let world = World::new(PROJECT);
    let base = ["pack", "-q", "--budget", "300", "--open", "src/b.rs"];
    let with = |shares: &[&str]| run(&world, &[&base[..], shares].concat());
    let good = with(&["--share", "open_files=60%", "--share", "tool_results=40"]);
    assert!(good.stdout.contains("fn other() {}"), "{good}");
    let bad = with(&["--share", "open_files=60%"]);
    assert_eq!(bad.code, 2);
    assert!(
        bad.stderr.contains("sum to 60; they must sum to 100"),
        "{bad}"
    );
    let unknown = with(&["--share", "files=60%"]);
    assert!(
        unknown.stderr.contains("there is no share \"files\""),
        "{unknown}"
    );
}

#[test]
fn f248_a_bad_list_is_named_with_its_place() {
    let world = World::new(PROJECT);
    let bad = run(&world, &["pack", "--source", "bad.json"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("LL-CTX-012"), "{bad}");
    assert!(
        bad.stderr.contains("bad.json:2:12: expected value"),
        "{bad}"
    );
}

#[test]
fn f073_standard_input_is_a_list() {
    let world = World::new(PROJECT);
    let mut command = loadline(&world, &["pack", "-q", "--budget", "300", "--source", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"src/a.rs:1:fn first() {}\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("## File: src/a.rs (lines 1-1)\n"), "{text}");
}
