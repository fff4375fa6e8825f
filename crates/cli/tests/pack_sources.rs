//! `loadline pack --source` and `--open`

use std::process::Stdio;

use crate::common::{Run, World, commit_all, find, json, loadline, names, parsed, run};

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
fn f073_lists_open_files_and_standard_input_are_packed_instead_of_the_repository() {
    let world = World::new(PROJECT);
    let sources = ["--source", "hits.txt", "--source", "list.json", "--open", "src/b.rs"];
    let args = [&["pack", "-q", "--budget", "300", "--query", "second"][..], &sources].concat();
    let packed = run(&world, &args);
    let want = "# Sources\n\n## Tool result: cargo test (lines 1-1)\n```plaintext\n1 failed\n```\n\n\
                ## File: src/a.rs (lines 1-3)\n```rust\nfn first() {}\nfn second() {}\nfn third() {}\n```\n\n\
                ## File: src/b.rs (lines 1-1)\n```rust\nfn other() {}\n```\n";
    assert_eq!((packed.code, packed.stdout.as_str()), (0, want), "{packed}");
    piped(&world, "src/a.rs:1:fn first() {}\n", &[]).shows(&["## File: src/a.rs (lines 1-3)\n"]);
}

#[test]
fn f102_f114_the_document_says_what_became_of_every_source_and_why() {
    let world = World::new(PROJECT);
    let document = json(&world, &["pack", "-q", "--budget", "300", "--source", "hits.txt"]);
    let chunk = &document["chunks"][0];
    assert_eq!(chunk["path"], "src/a.rs");
    assert_eq!(chunk["lines"], serde_json::json!([2, 2]));
    assert_eq!(chunk["signals"]["source"], 0.6);
    assert_eq!(document["omitted"][0]["reason"], "unreadable");
    assert!(document["tokens"].as_u64().unwrap() <= 300);
    let args =
        ["pack", "--budget", "300", "--source", "hits.txt", "--query", "second", "--explain"];
    let said =
        run(&world, &args).says(&["Relevance: 1.00 × 0.50 = 0.500", "omitted, unreadable: 1"]);
    let score = said.stderr.lines().find_map(|line| line.split_once("shown, score "));
    let score: f64 = score.unwrap().1.parse().unwrap();
    let products = said.stderr.lines().filter(|line| line.contains(" × "));
    let sum: f64 =
        products.map(|line| line.split_once(" = ").unwrap().1.parse::<f64>().unwrap()).sum();
    assert!((sum - score).abs() < 0.003, "{said}");
    let document = json(&world, &[&args[..], &["-q"]].concat());
    let chunk = &document["chunks"][0];
    let parts = chunk["explain"].as_array().unwrap();
    let product = |part: &serde_json::Value| {
        let of = |name: &str| part[name].as_f64().unwrap();
        assert!((of("value") * of("weight") - of("product")).abs() < 1e-9);
        of("product")
    };
    let sum: f64 = parts.iter().map(product).sum();
    assert!((sum - chunk["score"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!(parts[0]["signal"], "relevance");
    assert_eq!(document["summary"]["omitted"]["unreadable"], 1);
}

#[test]
fn f025_shares_are_typed_or_set_and_what_is_left_is_given_on() {
    let world = World::new(PROJECT);
    let base = ["pack", "-q", "--budget", "300", "--open", "src/b.rs"];
    let with = |shares: &[&str]| run(&world, &[&base[..], shares].concat());
    with(&["--share", "open_files=60%", "--share", "tool_results=40"]).shows(&["fn other() {}"]);
    with(&["--share", "tool_results=40%"]).shows(&["fn other() {}"]);
    with(&["--share", "open_files=60%", "--share", "tool_results=60%"])
        .exits(2)
        .says(&["sum to 120; they must sum to 100"]);
    with(&["--share", "files=60%"]).says(&["unknown share \"files\""]);
    world.work().write("many.json", shared());
    let args = ["pack", "-q", "--budget", "440", "--source", "many.json"];
    let kinds = |world: &World, args: &[&str]| {
        let document = json(world, args);
        let kinds = names(&document["chunks"], "kind");
        (kinds.iter().filter(|kind| **kind == "tool_result").count(), kinds.len())
    };
    let (tools, all) = kinds(&world, &args);
    assert!(all > tools && tools == 3, "{tools} of {all}");
    world
        .work()
        .write("loadline.toml", "[budget.shares]\nother = \"90%\"\ntool_results = \"10%\"\n");
    let (tools, all_shared) = kinds(&world, &args);
    assert!(tools < 3 && all_shared >= all - 1, "{tools} of {all_shared}");
}

#[test]
fn f248_bad_lists_and_flags_that_mean_nothing_together_are_refused() {
    let world = World::new(PROJECT);
    run(&world, &["pack", "--source", "bad.json"])
        .exits(2)
        .says(&["LL-CTX-012", "bad.json:2:12: expected value"]);
    for (args, code, hint) in [
        (&["--query", "x"][..], "LL-CLI-014", "--source FILE"),
        (&["--share", "other=10%"], "LL-CLI-014", "--source FILE"),
        (&["--task", "x", "--query", "y"], "LL-CLI-014", "--task"),
        (&["--open", "src/a.rs", "--tree"], "LL-CLI-015", "remove --tree"),
        (&["--open", "src/a.rs", "--hidden"], "LL-CLI-015", "remove --hidden"),
    ] {
        run(&world, &[&["pack"], args].concat()).exits(2).prints("").says(&[code, hint]);
    }
}

/// Three outputs of tools and three search results, each of about 50 tokens.
fn shared() -> String {
    let source = |kind: &str, name: &str, number: usize| {
        let words: Vec<String> = (0..16).map(|word| format!("{name}{number}x{word}")).collect();
        let (path, text) = (format!("{name}{number}.txt"), words.join(" "));
        format!("{{\"kind\":{kind:?},\"path\":{path:?},\"content\":{text:?}}}")
    };
    let tools = (0..3).map(|number| source("tool_result", "tool", number));
    let others = (0..3).map(|number| source("other", "note", number));
    let all: Vec<String> = others.chain(tools).collect();
    format!("{{\"schema\":1,\"sources\":[{}]}}", all.join(","))
}

#[test]
fn f092_weights_are_scaled_with_a_note_or_refused() {
    let world = World::new(PROJECT);
    world.work().write("loadline.toml", "[rank]\nrelevance = 5\nrecency = 3\nsource = 2\n");
    let args = ["pack", "--budget", "300", "--open", "src/a.rs"];
    run(&world, &args).exits(0).says(&["rank: the weights add up to 10.000"]);
    run(&world, &[&args[..], &["--strict"]].concat()).exits(2).prints("").says(&["LL-CLI-016"]);
}

#[test]
fn f096_a_file_as_committed_has_the_time_of_its_commit() {
    let world = World::new(PROJECT).with("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
    commit_all(&world, "first");
    world.work().write("src/b.rs", "fn changed() {}\n");
    let args = ["pack", "-q", "--budget", "300", "--open", "src/a.rs", "--open", "src/b.rs"];
    let document = json(&world, &args);
    let recency = |path: &str| {
        find(&document["chunks"], "path", path)["signals"]["recency"].as_f64().unwrap()
    };
    assert!(recency("src/a.rs") < 0.01, "{document:#}");
    assert!(recency("src/b.rs") > 0.9, "{document:#}");
}

#[test]
fn f076_bad_places_and_ranges_cost_notes() {
    let world = World::new(PROJECT);
    let list = "src/a.rs:2\n../secret:1\n/etc/passwd:1\nsrc/a.rs:9\nsrc/../b.rs:1\n";
    world.work().write("odd.txt", list);
    world.work().write(
        "range.json",
        "{\"schema\":1,\"sources\":[{\"kind\":\"reference\",\"path\":\"src/a.rs\",\"lines\":[2,99]}]}",
    );
    let args = ["pack", "--budget", "300", "--source", "odd.txt", "--source", "range.json"];
    run(&world, &args).exits(0).shows(&["## File: src/a.rs (lines 1-3)\n"]).says(&[
        "../secret: not packed: its path contains `..`",
        "/etc/passwd: not packed: its path leads out of the root",
        "src/../b.rs: not packed: its path contains `..`",
        "src/a.rs: skipped: it has 3 lines, and none with number 9",
        "src/a.rs: lines 2-99: it has only 3",
    ]);
}

#[test]
fn f027_budgets_in_which_nothing_fits() {
    let world = World::new(PROJECT);
    for budget in ["0", "3"] {
        let empty =
            run(&world, &["pack", "--budget", budget, "--open", "src/a.rs"]).exits(0).prints("");
        let note = format!("budget: nothing fits a budget of {budget} tokens");
        assert!(empty.stderr.contains(&note), "{empty}");
    }
    run(&world, &["pack", "--budget=-5", "--open", "src/a.rs"]).exits(2);
}

/// The handler of signals is there when the kernel says so.
#[cfg(target_os = "linux")]
#[test]
fn f123_ctrl_c_ends_the_work_without_output() {
    let world = World::new(PROJECT);
    let line = |number: usize| format!("line {number} of a text that takes a while to count\n");
    let text: String = (0..20_000).map(line).collect();
    let mut args = vec!["pack".to_owned(), "-o".to_owned(), "out.md".to_owned()];
    for number in 0..40 {
        let name = format!("large{number}.txt");
        world.work().write(&name, format!("{number}\n{text}"));
        args.extend(["--open".to_owned(), name]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command = loadline(&world, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let catches = |text: &str| {
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    };
    loop {
        assert!(child.try_wait().unwrap().is_none(), "it ended before the signal");
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        if catches(&text).is_some_and(|mask| mask & 0b10 != 0) {
            break;
        }
        std::thread::yield_now();
    }
    crate::common::shell(&world, &format!("kill -INT {}", child.id())).exits(0);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{said}");
    assert!(said.contains("LL-CTX-001"), "{said}");
    assert!(!world.work().path("out.md").exists());
}

/// A module whose function is found by a line in its middle, and what it calls.
const STORE: &str = "
    //- /src/store.py
    class Store:
        limit = 10
        path = 'store.db'

        def first(self):
            return 1

        def evict_oldest(self):
            oldest = self.find()
            normalise_key(oldest)
            self.drop(oldest)
            return oldest

        def last(self):
            return 2
    //- /src/keys.py
    def normalise_key(key):
        return key.strip().lower()
    //- /src/other.py
    def unrelated():
        pass
    ";

/// Packs what a list on standard input names.
fn piped(world: &World, list: &str, args: &[&str]) -> Run {
    let base = ["pack", "-q", "--budget", "2000", "--source", "-"];
    crate::common::piped(world, &[&base[..], args].concat(), list).exits(0)
}

#[test]
fn f283_f285_what_other_tools_print_is_a_source_with_the_definitions_it_names() {
    let world = World::new(STORE);
    let hit = run(&world, &["search", "evict oldest", "-n", "1", "--json"]).stdout;
    for list in [
        hit.as_str(),
        "src/store.py\n",
        "src/store.py:10\n",
        "src/store.py:9:        oldest = self.find()\n",
        "src/store.py:10:13: error: find is not defined\n",
        "src/other.py:1:def unrelated():\nsrc/store.py:9\n",
    ] {
        piped(&world, list, &[]).shows(&["def evict_oldest(self):\n", "class Store:\n"]);
    }
    piped(&world, "src/other.py:1\n", &["--task", "evict the oldest"])
        .shows(&["def unrelated():\n", "def evict_oldest(self):\n"]);
    piped(&world, "src/store.py:10\n", &[])
        .shows(&["def normalise_key(key):\n"])
        .hides(&["def unrelated"]);
    let document = parsed(&piped(&world, "src/store.py:10\n", &["--json"]).stdout);
    assert_eq!(names(&document["chunks"], "kind"), ["search_result", "reference"]);
}

#[test]
fn f282_the_last_pack_of_sources_is_shown_by_kind_and_chunk() {
    let world = World::new(STORE);
    world.work().write("hits.txt", "src/store.py:10\n");
    let args = ["pack", "-q", "--budget", "2k", "--source", "hits.txt", "--open", "src/other.py"];
    assert_eq!(run(&world, &args).code, 0);
    run(&world, &["context", "show"]).shows(&[
        " of 2,000 tokens (",
        "open files",
        "search results",
        "references",
        "1. src/other.py:1-2 (6 tokens) [open]\n",
        "2. src/store.py:8-12 (31 tokens) [search]\n",
    ]);
    let document = json(&world, &["context", "show"]);
    assert_eq!(document["chunks"][2]["kind"], "reference", "{document:#}");
}

#[test]
fn pins_and_a_diff_go_with_sources() {
    let world = World::new(PROJECT);
    commit_all(&world, "first");
    world.work().write("src/c.rs", "fn new() {}\n");
    let args = ["pack", "-q", "--budget", "300", "--source", "hits.txt", "--pin", "src/b.rs"];
    let packed =
        run(&world, &[&args[..], &["--diff"]].concat()).shows(&["+fn new() {}", "fn second() {}"]);
    let heads: Vec<&str> = packed.stdout.lines().filter(|line| line.starts_with("## ")).collect();
    let want = ["## Changes since HEAD", "## File: src/b.rs (lines 1-1)"];
    assert_eq!(heads[..2], want, "{packed}");
    world.work().write("src/b.rs", "fn other() {}\n".repeat(200));
    run(&world, &[&["pack"], &args[2..]].concat())
        .says(&["src/b.rs: pinned, but not whole: it needs about"]);
}

#[test]
fn f286_a_second_pack_shows_what_is_new_or_changed() {
    let world = World::new(PROJECT);
    for args in [
        &["pack", "--budget", "600"][..],
        &["pack", "--budget", "600", "--task", "the second function"],
        &["pack", "--budget", "600", "--open", "src/a.rs", "--open", "src/b.rs"],
    ] {
        world.work().write("src/b.rs", "fn other() {}\n");
        let first = json(&world, &[args, &["-q"]].concat());
        world.work().write("src/b.rs", "fn second_other() {}\n");
        let id = first["id"].as_str().unwrap();
        let second = run(&world, &[args, &["--since-pack", id]].concat()).exits(0);
        let text = second.shows(&["fn second_other() {}"]).hides(&["fn first()"]).stdout;
        let list = text.find("## Unchanged: shown in the earlier pack\n").expect("the list");
        assert!(text[list..].contains("src/a.rs\n"), "{text}");
        run(&world, &[args, &["--since-pack", "last"]].concat()).hides(&["fn second_other() {}"]);
    }
    run(&world, &["pack", "--since-pack", "nowhere"]).exits(2).prints("").says(&["LL-CLI-040"]);
}

#[test]
fn signatures_of_the_files_that_sources_name() {
    let world = World::new(PROJECT);
    world.work().write("src/b.rs", "pub fn other() {\n    let inside = 1;\n}\n");
    let args = ["pack", "--compress", "--source", "hits.txt", "--open", "src/b.rs"];
    let packed = run(&world, &[&args[..], &["--budget", "300"]].concat())
        .exits(0)
        .shows(&["pub fn other()"])
        .hides(&["inside"])
        .says(&["gone.rs: left out: not a file"]);
    let heads = packed.stdout.lines().filter(|line| line.starts_with("## File: "));
    assert_eq!(heads.count(), 2, "{packed}");
    run(&world, &["pack", "--compress", "--source", "list.json"]).exits(2);
}
