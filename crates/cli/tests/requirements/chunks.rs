//! Chunks, F078 to F090, as `loadline chunk --json` shows them.

use serde_json::Value;

use super::with;
use crate::common::{World, list, names, run};

/// The document of one file, cut with these flags.
fn cut(path: &str, text: &str, flags: &[&str]) -> Value {
    let world = World::new("");
    world.work().write(path, text);
    with(&world, &[], &[&["chunk", path, "--content"], flags].concat())
}

/// Each chunk as `first-last kind`.
fn shown(document: &Value) -> Vec<String> {
    let shown = |chunk: &Value| {
        let kind = chunk["kind"].as_str().unwrap();
        format!("{}-{} {kind}", chunk["lines"][0], chunk["lines"][1])
    };
    list(&document["files"][0]["chunks"]).iter().map(shown).collect()
}

#[track_caller]
fn check(path: &str, text: &str, flags: &[&str], want: &[&str]) {
    assert_eq!(shown(&cut(path, text, flags)), want, "{flags:?}");
}

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

const ANY: [&str; 2] = ["--min-tokens", "0"];

const CLASS: &str = "using System;
using System.IO;

namespace App
{
    /// <summary>Adds.</summary>
    public class Sum
    {
        private int total;

        [Pure]
        public int One() { return 1; }

        // Two of them.
        public int Two() { return 2; }

        public int Three() { return 3; }
    }
}
";

#[test]
fn f078_f079_f080_definitions_with_what_belongs_to_them() {
    let script = "import os\n\ndef one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 3\n";
    let by = |level: &'static str| ["--min-tokens", "0", "--level", level];
    check("a.py", script, &by("class"), &["1-2 preamble", "3-6 function", "7-9 class"]);
    check("a.cs", CLASS, &by("class"), &["1-5 preamble", "6-19 class"]);
    let methods = ["1-5 preamble", "6-10 class", "11-13 method", "14-16 method", "17-19 method"];
    check("a.cs", CLASS, &by("method"), &methods);
    check("a.cs", CLASS, &by("function"), &methods);
    let block = "fn f() {\n    if a {\n        b();\n    }\n    let c = 1;\n    for d in e {\n        g();\n    }\n}\n";
    check("a.rs", block, &by("block"), &["1-4 function", "5-9 block"]);
    check("a.rs", block, &by("method"), &["1-9 function"]);
    let world = World::new("//- /a.rs\nfn f() {}\n");
    run(&world, &["chunk", "a.rs", "--level", "word"]).exits(2);
}

#[test]
fn f082_small_chunks_join_but_never_beyond_the_largest() {
    let function = |name: &str| format!("def {name}():\n    f({})\n\n", "a, ".repeat(30));
    let text: String = ["a", "b", "c", "d"].map(function).concat();
    for (least, most, chunks) in [("100", "200", 2), ("100", "110", 4), ("1", "200", 4)] {
        let flags = ["--min-tokens", least, "--max-tokens", most];
        assert_eq!(shown(&cut("a.py", &text, &flags)).len(), chunks, "{flags:?}");
    }
    check("a.py", "def a():\n    pass\n", &[], &["1-2 function"]);
}

#[test]
fn f083_what_is_too_large_is_cut_where_blocks_end() {
    let block = "    if a b c d:\n        e f g h\n        i j k l\n\n";
    let text = format!("def f():\n{}", block.repeat(12));
    let document = cut("a.py", &text, &["--min-tokens", "0", "--max-tokens", "80"]);
    let chunks = document["files"][0]["chunks"].as_array().unwrap();
    assert!(chunks.len() > 2, "{document:#}");
    for (number, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk["part"], serde_json::json!([number + 1, chunks.len()]));
        assert!(chunk["tokens"].as_u64().unwrap() <= 80, "{chunk}");
        assert_eq!(chunk["hierarchy"], serde_json::json!(["function:f"]));
        let content = chunk["content"].as_str().unwrap();
        assert!(number == 0 || content.starts_with("    if"), "{content}");
    }
    // So are windows of long lines.
    let long = cut("a.txt", &("word ".repeat(100) + "\n").repeat(60), &[]);
    let chunks = long["files"][0]["chunks"].as_array().unwrap();
    assert!(chunks.iter().all(|chunk| chunk["tokens"].as_u64().unwrap() <= 2_000));
    assert_eq!(chunks[0]["part"], serde_json::json!([1, 3]));
}

#[test]
fn f084_line_windows_overlap_by_five() {
    for (total, flags, want) in [
        (180, &[][..], &["1-50", "46-95", "91-140", "136-180"][..]),
        (100, &["--lines", "25", "--overlap", "0"], &["1-25", "26-50", "51-75", "76-100"]),
        (60, &["--lines", "20"], &["1-20", "16-35", "31-50", "46-60"]),
        (5, &["--lines", "2", "--overlap", "0"], &["1-2", "3-4", "5-5"]),
        (50, &[], &["1-50"]),
    ] {
        let want: Vec<String> = want.iter().map(|lines| format!("{lines} lines")).collect();
        assert_eq!(shown(&cut("a.txt", &numbered(total), flags)), want, "{total} {flags:?}");
    }
}

#[test]
fn f085_what_has_no_structure_is_cut_by_lines_with_a_remark() {
    let deep = format!("x = {}1{}\n", "[".repeat(600), "]".repeat(600));
    let minified = format!("var a = {};\n", "1 + ".repeat(2_000));
    for (path, text) in [
        ("a.txt", numbered(60)),
        ("a.rs", "}}} ((( %%% ]]]\n".repeat(60)),
        ("a.js", minified),
        ("a.py", deep),
    ] {
        let document = cut(path, &text, &[]);
        assert_ne!(document["remarks"], serde_json::json!([]), "{path}");
        let strategies = names(&document["files"][0]["chunks"], "strategy");
        assert!(strategies.iter().all(|it| *it == "line_based"), "{document:#}");
    }
    check("a.cs", CLASS, &["--by-lines"], &["1-19 lines"]);
}

#[test]
fn f086_documents_are_cut_by_headings_never_through_fences_or_tables() {
    let text = "# Title\n\nintro\n\n## One\n\n```sh\n## no heading\n```\n\n## Two\n\n| a |\n|---|\n| b |\n";
    check("a.md", text, &ANY, &["1-4 preamble", "5-10 section", "11-15 section"]);
    let (fence, table) = ("a b c\n".repeat(40), "| x | y |\n".repeat(30));
    let text = format!("## Big\n\n```\n{fence}```\n\n{table}\ntail\n");
    let document = cut("a.md", &text, &["--min-tokens", "0", "--max-tokens", "50"]);
    let contents = names(&document["files"][0]["chunks"], "content");
    let holding = |part: &str| contents.iter().filter(|content| content.contains(part)).count();
    assert_eq!((holding("a b c"), holding("| x |")), (1, 1));
    assert!(document["remarks"].to_string().contains("cannot be split"), "{document:#}");
}

#[test]
fn f087_nothing_one_line_and_nested_functions() {
    check("a.rs", "", &[], &[]);
    for text in ["fn f() {}", "fn f() {}\n", "x", "\n"] {
        assert_eq!(shown(&cut("a.rs", text, &[])).len(), 1, "{text:?}");
    }
    let text = "const a = () => {\n  const b = () => 1;\n  return function () { return b; };\n};\n\nexport default () => a;\n";
    let document = cut("a.js", text, &ANY);
    assert_eq!(names(&document["files"][0]["chunks"], "content").concat(), text);
}

#[test]
fn f090_what_was_learned_of_a_content_is_not_worked_out_again() {
    let world = World::new("");
    for number in 0..20 {
        world.work().write(&format!("f{number}.rs"), format!("fn session{number}() {{}}\n"));
    }
    // Files are trusted by their stamps once those are older than the clock's grain.
    let ask = || run(&world, &["search", "session clock", "-q", "--now", "2100-01-01T00:00:00Z"]);
    let facts = || with(&world, &[], &["cache", "info"])["facts"].clone();
    let first = ask();
    let learned = facts();
    assert!(learned[0]["entries"].as_u64() >= Some(20), "{learned}");
    assert_eq!(ask(), first);
    assert_eq!(facts(), learned);
}
