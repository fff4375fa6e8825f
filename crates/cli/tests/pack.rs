//! `loadline pack`

use crate::common::{World, json, loadline, run};

/// Three files that import one another, a copy, a lock file and credentials.
pub(crate) const PROJECT: &str = "
    //- /package.json
    {\"name\": \"demo\"}
    //- /package-lock.json
    {\"lockfileVersion\": 3}
    //- /src/index.ts
    import { add } from './math';
    export function main(values: number[]): number {
      return values.reduce(add, 0);
    }
    //- /src/math.ts
    // TODO: carry
    export function add(a: number, b: number): number {
      return a + b;
    }
    export function sub(a: number, b: number): number {
      return a - b;
    }
    //- /old/math.ts
    // TODO: carry
    export function add(a: number, b: number): number {
      return a + b;
    }
    export function sub(a: number, b: number): number {
      return a - b;
    }
    ";

#[test]
fn f069_f267_a_document_accounts_for_every_file_and_token_and_holds_no_time() {
    let world = World::new(PROJECT);
    let document = json(&world, &["pack", "-q", "--budget", "300"]);
    let members: Vec<&str> = document.as_object().unwrap().keys().map(|key| &**key).collect();
    let want = "schema tokens budget counter id summary files omitted notes content";
    assert_eq!(members.join(" "), want);
    let summary = &document["summary"];
    let number = |name: &str| summary[name].as_u64().unwrap();
    assert_eq!(number("total_files"), 5);
    assert_eq!(number("skipped_files"), 2);
    assert_eq!(number("duplicate_files"), 1);
    assert!(number("duplicate_tokens") > 30);
    let shown = number("full_files") + number("section_files") + number("signature_files");
    assert_eq!(shown, 3);
    assert_eq!(number("used_tokens"), document["tokens"].as_u64().unwrap());
    assert_eq!(number("budget_tokens"), 300);
    let percent = (document["tokens"].as_f64().unwrap() / 3.0).round();
    assert_eq!(number("utilization_percent") as f64, percent);
    for name in ["path", "tier", "score", "tokens", "ranges", "signals"] {
        assert!(!document["files"][0][name].is_null(), "{name}");
    }
    assert_eq!(document["omitted"][0]["path"], "old/math.ts");
    let all = json(&world, &["pack", "-q", "--budget", "none"]);
    assert_eq!(all["summary"]["utilization_percent"], 0);
    let first = run(&world, &["pack", "--budget", "300"]);
    let talk = &first.stderr;
    assert!(talk.contains("of 300 tokens") && talk.ends_with(" s\n"), "{talk}");
    let document = json(&world, &["pack", "-q", "--budget", "300"]);
    assert_eq!(document, json(&world, &["pack", "-q", "--budget", "300"]));
    assert_eq!(document["content"], first.stdout);
}

#[test]
fn f239_signatures_decisions_and_changes_can_be_asked_for() {
    let world = World::new(PROJECT);
    run(&world, &["pack", "--compress", "--explain", "--budget", "1k"])
        .shows(&["export function add(a: number, b: number): number\n"])
        .hides(&["return a + b"])
        .says(&["signatures", "omitted, duplicate of src/math.ts: 1 file: old/math.ts"]);
}

#[test]
fn a_tree_shows_where_the_budget_went_and_documents_go_to_files() {
    let world = World::new(PROJECT);
    let both = run(&world, &["pack", "-q", "--tree", "--budget", "1k"]).begins("# work\n");
    let lines: Vec<&str> = both.stderr.lines().collect();
    assert!(lines[1].ends_with("total, 3 files"), "{both}");
    assert!(lines[2].ends_with("├─ src/"), "{both}");
    let tree = run(&world, &["pack", "-q", "--tree", "--budget", "1k", "-o", "ctx.md"]);
    assert_eq!((tree.stdout, tree.stderr.as_str()), (both.stderr, ""));
    assert_eq!(world.work().read("ctx.md"), both.stdout);
    run(&world, &["pack", "-q", "--json", "--budget", "1k", "-o", "ctx.json"])
        .exits(0)
        .prints("")
        .is_silent();
    assert!(world.work().read("ctx.json").starts_with("{\n  \"schema\": 1,"));
}

/// A session of its own has no terminal, whatever the tests run in.
#[cfg(target_os = "linux")]
#[test]
fn copying_needs_a_terminal() {
    let world = World::new(PROJECT);
    let plain = loadline(&world, &["pack", "--copy"]);
    let mut command = world.command("/usr/bin/setsid");
    command.arg("--wait").arg(plain.get_program()).args(plain.get_args());
    if !std::path::Path::new("/usr/bin/setsid").exists() {
        return;
    }
    world.run(&mut command).exits(1).says(&["error[LL-CLI-008]: no terminal", "-o FILE"]);
}
