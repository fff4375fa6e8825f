//! Packs of sources: what is admitted, what is chosen, how it is written. F026, F075 and
//! F104 to F122.

use serde_json::{Value, json};

use super::with;
use crate::common::{World, list, loadline, names, run};

/// Packs a list of sources, and checks that the text costs what the document says.
pub(super) fn pack(sources: &[Value], settings: &[(&str, &str)], flags: &[&str]) -> Value {
    pack_in(&World::new(""), sources, settings, flags)
}

/// Files that sources name must be there, whatever is quoted of them.
fn pack_in(world: &World, sources: &[Value], settings: &[(&str, &str)], flags: &[&str]) -> Value {
    for source in sources.iter().filter(|source| source["content"].is_string()) {
        let path = source["path"].as_str().unwrap();
        if !world.work().path(path).exists() {
            world.work().write(path, "\n".repeat(100));
        }
    }
    let list = json!({"schema": 1, "sources": sources});
    world.work().write("list.json", list.to_string());
    with(world, settings, &[&["pack", "-q", "--source", "list.json"], flags].concat())
}

/// The paths of the chunks that are shown, best first.
pub(super) fn paths(document: &Value) -> String {
    names(&document["chunks"], "path").join(" ")
}

/// What is left out, with its reason.
pub(super) fn omitted(document: &Value) -> String {
    let (paths, reasons) =
        (names(&document["omitted"], "path"), names(&document["omitted"], "reason"));
    let said = paths.iter().zip(reasons).map(|(path, reason)| format!("{path} {reason}"));
    said.collect::<Vec<_>>().join(", ")
}

fn content(document: &Value) -> &str {
    document["content"].as_str().unwrap()
}

/// A search result of so many tokens by the rule of thumb: words of three letters.
fn found(path: &str, tokens: usize, relevance: f64) -> Value {
    let words: Vec<String> = (0..tokens).map(|word| format!("{}{word:02}", &path[..1])).collect();
    let lines: Vec<String> = words.chunks(10).map(|line| line.join(" ")).collect();
    json!({"kind": "search_result", "path": path, "content": lines.join("\n"),
        "relevance": relevance, "time": "2026-01-01T00:00:00Z"})
}

/// One token per four units, so that costs can be read off a text.
const RULE: [(&str, &str); 1] = [("counter", "heuristic")];

#[test]
fn f110_f111_greedy_by_rank_past_what_does_not_fit() {
    let three = [found("a", 90, 0.9), found("b", 40, 0.8), found("c", 20, 0.7)];
    for (budget, want) in
        [("250", "a b c"), ("160", "a b"), ("140", "a c"), ("95", "b c"), ("5", "")]
    {
        let packed = pack(&three, &RULE, &["--budget", budget]);
        assert_eq!(paths(&packed), want, "{budget}");
        let reasons = omitted(&packed);
        assert_eq!(reasons.matches("over budget").count(), 3 - want.split_whitespace().count());
    }
    let ranks = [found("1", 90, 0.5), found("2", 90, 1.0), found("3", 90, 0.75)];
    assert_eq!(paths(&pack(&ranks, &RULE, &["--budget", "250"])), "2 3");
}

#[test]
fn f112_shares_keep_kinds_apart_and_pass_on_what_is_left() {
    let mut tools: Vec<Value> = ["t", "u", "v"].map(|name| found(name, 80, 1.0)).to_vec();
    for tool in &mut tools {
        tool["kind"] = json!("tool_result");
    }
    let all = [tools, vec![found("a", 80, 0.1), found("b", 80, 0.1)]].concat();
    let budget = ["--budget", "320"];
    assert_eq!(paths(&pack(&all, &RULE, &budget)), "t u v");
    let shares = ["--share", "tool_results=40%", "--share", "search_results=60%"];
    let shared = pack(&all, &RULE, &[&budget[..], &shares].concat());
    assert_eq!(paths(&shared), "t a b");
    // What a kind does not use goes to the others.
    let alone = pack(&all[..3], &RULE, &[&budget[..], &shares].concat());
    assert_eq!(paths(&alone), "t u v");
}

#[test]
fn f113_a_least_number_is_kept_by_cutting_chunks_short() {
    let two = [found("a", 90, 0.9), found("b", 95, 0.8)];
    let budget = ["--budget", "60"];
    assert_eq!(content(&pack(&two, &RULE, &budget)), "");
    let least = [RULE[0], ("rank.min_chunks", "1")];
    let packed = pack(&two, &least, &budget);
    assert_eq!(paths(&packed), "a");
    assert!(packed["chunks"][0]["lines"][1].as_u64() < Some(9), "{packed:#}");
    assert!(packed["tokens"].as_u64() <= Some(60));
    assert_eq!(content(&pack(&two, &least, &["--budget", "5"])), "");
}

#[test]
fn f026_f115_never_over_the_budget_and_nothing_twice() {
    let text = "fn a() {\n    b();\n}\n\nfn b() {}\n";
    let sources = [
        json!({"kind": "tool_result", "path": "cargo test", "content": "ok ".repeat(60)}),
        json!({"kind": "search_result", "path": "src/a.rs", "content": text, "lines": [10, 14]}),
        json!({"kind": "search_result", "path": "src/a.rs", "content": "fn c() {}", "lines": [90, 90]}),
        json!({"kind": "other", "path": "日本.md", "content": "## 見出し\n\n本文です。\n".repeat(20)}),
    ];
    for budget in (0..600).step_by(75) {
        let packed = pack(&sources, &[], &["--budget", &budget.to_string()]);
        let counted = super::count("o200k", content(&packed));
        assert_eq!(packed["tokens"], counted);
        assert!(counted <= budget, "{packed:#}");
    }
    let twice = pack(&[sources[0].clone(), sources[0].clone()], &[], &[]);
    assert_eq!(paths(&twice), "cargo test");
    assert_eq!(twice["summary"]["duplicates"], 1);
}

#[test]
fn f075_a_failing_source_costs_a_remark() {
    let world = World::new("//- /a.txt\none\n");
    let file = |path: &str| json!({"kind": "open_file", "path": path});
    let packed = pack_in(&world, &[file("gone.txt"), file("a.txt")], &[], &[]);
    assert_eq!([paths(&packed), omitted(&packed)], ["a.txt", "gone.txt unreadable"]);
    assert_eq!(packed["notes"][0]["message"], "file not found below the root");
    let many: Vec<Value> = (0..501).map(|number| found(&format!("{number}"), 1, 0.5)).collect();
    let packed = pack(&many, &[("dedup.enabled", "false")], &[]);
    let notes = packed["notes"].to_string();
    assert!(notes.contains("only the best 500 sources"), "{notes}");
}

#[test]
fn f104_f108_equal_contents_leave_the_best_ranked() {
    let of = |path: &str, text: &str, relevance: f64| json!({"kind": "open_file", "path": path, "content": text, "relevance": relevance});
    let three = [of("a.x", "x y", 0.8), of("b.x", "x y", 1.0), of("c.x", "x y", 0.9)];
    let left = pack(&three, &RULE, &[]);
    assert_eq!(paths(&left), "b.x");
    assert_eq!(omitted(&left), "a.x duplicate of b.x:1-1, c.x duplicate of b.x:1-1");
    assert_eq!(left["summary"]["saved_tokens"], 2);
    let kept = pack(&three, &[("dedup.enabled", "false")], &[]);
    assert_eq!(paths(&kept), "b.x c.x a.x");
    assert_eq!(paths(&pack(&vec![three[0].clone(); 5], &[], &[])), "a.x");
    // White space counts where it has a meaning.
    for (path, left, right, equal) in [
        ("rs", "a  {\n  b }", "a { b }", true),
        ("py", "if a:\n  b", "if a:\n    b", false),
        ("py", "if a:  \n  b\n", "if a:\n  b", true),
        ("x", "a b", "a  b", false),
        ("rs", "ab", "a b", false),
    ] {
        let pair = [of(&format!("a.{path}"), left, 1.0), of(&format!("b.{path}"), right, 0.5)];
        let is_one = pack(&pair, &[], &[])["chunks"].as_array().unwrap().len() == 1;
        assert_eq!(is_one, equal, "{left:?} {right:?}");
    }
}

#[test]
fn f105_f106_f107_overlapping_lines_are_shown_once() {
    let world = World::new("");
    for name in ["a", "b"] {
        let text: String = (1..=150).map(|line| format!("{name} {line:03}\n")).collect();
        world.work().write(&format!("{name}.txt"), text);
    }
    let run = |path: &str, lines: (u32, u32), relevance: f64| {
        json!({"kind": "search_result", "path": path, "lines": [lines.0, lines.1],
            "relevance": relevance})
    };
    let check = |sources: &[Value], settings: &[(&str, &str)], want: &[(u64, u64)]| {
        let packed = pack_in(&world, sources, &[&RULE[..], settings].concat(), &[]);
        let end = |chunk: &Value, end: usize| chunk["lines"][end].as_u64().unwrap();
        let chunks = list(&packed["chunks"]).iter();
        let lines: Vec<(u64, u64)> = chunks.map(|it| (end(it, 0), end(it, 1))).collect();
        assert_eq!(lines, want, "{packed:#}");
        for line in 1..=150 {
            assert!(content(&packed).matches(&format!("a {line:03}\n")).count() <= 1);
        }
        packed
    };
    let merged = check(&[run("a.txt", (1, 50), 0.2), run("a.txt", (40, 80), 0.9)], &[], &[(1, 80)]);
    assert_eq!(merged["summary"]["merged"], 1);
    // Too large for one chunk: from 30 % of the shorter one the lower ranked goes, below
    // that only the lines that they share. Lines are counted inclusively: 11 of 41 is less.
    let small = [("chunk.max_tokens", "100"), ("chunk.min_tokens", "0"), ("chunk.lines", "60")];
    let two = |first: (u32, u32), second: (u32, u32)| {
        [run("a.txt", first, 0.2), run("a.txt", second, 0.9)]
    };
    let dropped = check(&two((1, 50), (25, 75)), &small, &[(25, 75)]);
    assert_eq!(dropped["omitted"][0]["reason"], "overlaps a.txt:25-75");
    check(&two((1, 50), (40, 80)), &small, &[(40, 80), (1, 39)]);
    let strict = [&small[..], &[("dedup.overlap", "0.26")]].concat();
    check(&two((1, 50), (40, 80)), &strict, &[(40, 80)]);
    // Chains are found, other files are left alone, the order is kept.
    let chain = [
        run("b.txt", (1, 9), 1.0),
        run("a.txt", (70, 120), 0.6),
        run("a.txt", (1, 50), 0.4),
        run("a.txt", (40, 80), 0.2),
    ];
    check(&chain, &[], &[(1, 9), (1, 120)]);
}

#[test]
fn f116_f118_f119_f121_files_are_grouped_with_marks_for_gaps() {
    let hit = |path: &str, line: u32, text: &str, relevance: f64| {
        json!({"kind": "search_result", "path": path, "content": text, "lines": [line, line],
            "relevance": relevance})
    };
    let sources = [
        hit("b.rs", 51, "fn last() {}\n", 0.5),
        hit("b.rs", 15, "fn first() {}\n", 0.4),
        hit("a.py", 2, "x = 1", 0.1),
    ];
    let packed = pack(&sources, &[], &[]);
    let want = "# Sources\n\n## File: a.py (lines 2-2)\n```python\nx = 1\n```\n\n\
                ## File: b.rs (lines 15-15, 51-51)\n```rust\nfn first() {}\n\
                // ... (lines 16-50)\nfn last() {}\n```\n";
    assert_eq!(content(&packed), want);
    assert_eq!(content(&pack(&sources, &[], &[])), want);
    let ranked = pack(&sources, &[], &["--order", "rank", "--line-numbers"]);
    assert!(content(&ranked).starts_with("# Sources\n\n## File: b.rs"), "{ranked:#}");
    assert!(content(&ranked).contains("15 | fn first() {}\n"), "{ranked:#}");
    let others = [
        json!({"kind": "tool_result", "path": "cargo test", "content": "1 failed\n"}),
        json!({"kind": "other", "path": "notes", "content": "remember\n"}),
    ];
    let packed = pack(&others, &[], &[]);
    assert!(content(&packed).contains("## Tool result: cargo test (lines 1-1)\n"));
    assert!(content(&packed).contains("## Source: notes (lines 1-1)\n"));
    // What contradicts what it should repeat is shown beside it.
    let both = [hit("a.x", 1, "old", 0.5), hit("a.x", 1, "new", 0.6)];
    assert_eq!(pack(&both, &[], &[])["chunks"].as_array().unwrap().len(), 2);
}

#[test]
fn f117_a_fence_names_the_language() {
    for (path, want) in [
        ("a/b.cs", "csharp"),
        ("b.py", "python"),
        ("b.js", "javascript"),
        ("b.d.ts", "typescript"),
        ("B.JAVA", "java"),
        ("b.go", "go"),
        ("b.rs", "rust"),
        ("Dockerfile.dev", "dockerfile"),
        ("dev.Dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("a.unknown", "plaintext"),
    ] {
        let source = json!({"kind": "open_file", "path": path, "content": "x"});
        let packed = pack(&[source], &[], &[]);
        assert!(content(&packed).contains(&format!("\n```{want}\n")), "{path}: {packed:#}");
    }
}

#[test]
fn f122_a_template_decides_the_form() {
    let world = World::new("//- /src/a.rs\na\n```\n");
    let template = "{% for file in files %}\n{{ file.path }}: {{ file.shows }}\n\
                    {{ file.content | fence(file.language) }}{% endfor %}\n";
    world.work().write("form.j2", template);
    let packed = run(&world, &["pack", "-q", "src", "--template", "form.j2"]);
    assert_eq!(packed.to_string(), "a.rs: lines 1-2\n````rust\na\n```\n````\n");
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    for (template, why) in
        [("{{ files }}\n{{ nothing }}", "line 2: undefined value"), (endless, "")]
    {
        world.work().write("form.j2", template);
        let wrong = world
            .run(&mut loadline(&world, &["pack", "--template", "form.j2"]))
            .says(&[why, "the template is wrong"]);
        assert_ne!(wrong.code, 0, "{wrong}");
    }
}
