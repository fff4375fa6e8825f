//! What chunks promise, by the numbered examples.

use proptest::prelude::*;

use super::*;
use crate::Diagnose;
use crate::syntax::outline;

/// One token per word.
fn count(text: &str) -> Tokens {
    Tokens::new(text.split_whitespace().count() as u64)
}

fn cut(text: &str, language: &str, options: &ChunkOptions) -> Chunked {
    let outlined = outline(language, text);
    let source =
        ChunkSource { path: "a", language: Some(language), outline: Some(outlined.as_ref()) };
    chunk(text, &source, options, count).unwrap()
}

fn loose(level: ChunkLevel) -> ChunkOptions {
    ChunkOptions { min_tokens: Tokens::ZERO, level, ..ChunkOptions::default() }
}

fn lines(chunked: &Chunked) -> Vec<(u32, u32)> {
    chunked.chunks.iter().map(|chunk| (chunk.first, chunk.last)).collect()
}

fn kinds(chunked: &Chunked) -> Vec<&'static str> {
    chunked.chunks.iter().map(|chunk| chunk.kind).collect()
}

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

fn windows(total: usize, lines: usize, overlap: usize) -> Vec<(u32, u32)> {
    let options = ChunkOptions { lines, overlap, ..ChunkOptions::default() };
    super::tests::lines(&cut(&numbered(total), "nothing", &options))
}

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
fn f078_chunks_are_whole_definitions() {
    let text = "import os\n\ndef one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 3\n";
    let chunked = cut(text, "python", &loose(ChunkLevel::Class));
    assert_eq!(lines(&chunked), [(1, 2), (3, 6), (7, 9)]);
    assert_eq!(kinds(&chunked), ["preamble", "function", "class"]);
    assert_eq!(chunked.chunks[1].text, "def one():\n    return 1\n\n\n");
}

#[test]
fn f079_a_class_file_is_its_preamble_and_its_class() {
    let chunked = cut(CLASS, "csharp", &loose(ChunkLevel::Class));
    assert_eq!(lines(&chunked), [(1, 5), (6, 19)]);
    assert_eq!(kinds(&chunked), ["preamble", "class"]);
    // By methods: the head with its fields, then each with its attributes and comments.
    let chunked = cut(CLASS, "csharp", &loose(ChunkLevel::Method));
    assert_eq!(lines(&chunked), [(1, 5), (6, 10), (11, 13), (14, 16), (17, 19)]);
    assert_eq!(kinds(&chunked)[1..], ["class", "method", "method", "method"]);
    assert!(chunked.chunks[2].text.contains("[Pure]"));
    assert!(chunked.chunks[3].text.contains("// Two of them."));
}

#[test]
fn f080_levels_have_names() {
    for (name, level) in [
        ("class", Some(ChunkLevel::Class)),
        ("method", Some(ChunkLevel::Method)),
        ("function", Some(ChunkLevel::Method)),
        ("block", Some(ChunkLevel::Block)),
        ("word", None),
    ] {
        assert_eq!(ChunkLevel::named(name), level);
    }
}

#[test]
fn f080_blocks_are_cut_where_they_end() {
    let text = "fn f() {\n    if a {\n        b();\n    }\n    let c = 1;\n    for d in e {\n        g();\n    }\n}\n";
    let chunked = cut(text, "rust", &loose(ChunkLevel::Block));
    assert_eq!(lines(&chunked), [(1, 4), (5, 9)]);
    assert_eq!(kinds(&chunked), ["function", "block"]);
    assert_eq!(chunked.chunks[1].hierarchy, ["function:f"]);
    assert_eq!(cut(text, "rust", &loose(ChunkLevel::Method)).chunks.len(), 1);
}

#[test]
fn f081_sizes_that_contradict_are_an_error() {
    let options = ChunkOptions::default();
    assert_eq!((options.max_tokens.get(), options.min_tokens.get()), (2_000, 100));
    let options = ChunkOptions { max_tokens: Tokens::new(99), ..options };
    assert_eq!(options.check().unwrap_err().code(), "LL-CTX-010");
    let options = ChunkOptions { lines: 5, overlap: 5, ..ChunkOptions::default() };
    assert_eq!(options.check().unwrap_err().code(), "LL-CTX-011");
}

#[test]
fn f082_small_chunks_join_but_never_beyond_the_largest() {
    let function =
        |name: &str, words: usize| format!("def {name}():\n    f({})\n\n", "a, ".repeat(words));
    let text: String = ["a", "b", "c", "d"].iter().map(|name| function(name, 30)).collect();
    let sized = |min: u64, max: u64| ChunkOptions {
        min_tokens: Tokens::new(min),
        max_tokens: Tokens::new(max),
        ..ChunkOptions::default()
    };
    assert_eq!(cut(&text, "python", &sized(50, 100)).chunks.len(), 2);
    assert_eq!(cut(&text, "python", &sized(50, 60)).chunks.len(), 4);
    assert_eq!(cut(&text, "python", &sized(1, 60)).chunks.len(), 4);
    assert_eq!(cut("def a():\n    pass\n", "python", &ChunkOptions::default()).chunks.len(), 1);
}

#[test]
fn f083_what_is_too_large_is_cut_where_blocks_end() {
    let block = "    if a b c d:\n        e f g h\n        i j k l\n\n";
    let text = format!("def f():\n{}", block.repeat(12));
    let options = ChunkOptions {
        min_tokens: Tokens::ZERO,
        max_tokens: Tokens::new(60),
        ..ChunkOptions::default()
    };
    let chunked = cut(&text, "python", &options);
    let parts = chunked.chunks.len() as u32;
    assert!(parts > 2);
    for (number, chunk) in chunked.chunks.iter().enumerate() {
        assert_eq!(chunk.part, Some((number as u32 + 1, parts)));
        assert_eq!(chunk.marker, Some(format!("# [part {} of {parts}]\n", number + 1)));
        assert!(chunk.tokens.get() <= 60);
        let whole = format!("{}{}", chunk.marker.as_deref().unwrap(), chunk.text);
        assert_eq!(chunk.tokens, count(&whole));
        assert_eq!(chunk.hierarchy, ["function:f"]);
        if number > 0 {
            assert!(chunk.text.starts_with("    if"), "{:?}", chunk.text);
        }
    }
}

#[test]
fn f084_line_windows_overlap_by_five() {
    assert_eq!(windows(180, 50, 5), [(1, 50), (46, 95), (91, 140), (136, 180)]);
    assert_eq!(windows(100, 25, 0).len(), 4);
    assert_eq!(windows(60, 20, 5).len(), 4);
    assert_eq!(windows(5, 2, 0), [(1, 2), (3, 4), (5, 5)]);
    assert_eq!(windows(50, 50, 5), [(1, 50)]);
}

#[test]
fn f085_what_has_no_structure_is_cut_by_lines_with_a_note() {
    let deep = format!("x = {}1{}\n", "[".repeat(600), "]".repeat(600));
    let minified = format!("var a = {};\n", "1 + ".repeat(2_000));
    for (text, language) in [
        (numbered(60), "nothing"),
        ("}}} ((( %%% ]]]\n".repeat(60), "rust"),
        (minified, "javascript"),
        (deep, "python"),
    ] {
        let chunked = cut(&text, language, &ChunkOptions::default());
        assert!(!chunked.notes.is_empty(), "{language}");
        assert!(chunked.chunks.iter().all(|chunk| chunk.strategy == ChunkStrategy::LineBased));
    }
    let plain = ChunkOptions { prefer_structural: false, ..ChunkOptions::default() };
    assert_eq!(cut(CLASS, "csharp", &plain).chunks[0].strategy.name(), "line-based");
}

#[test]
fn f086_documents_are_cut_by_headings_never_through_fences_or_tables() {
    let text = "# Title\n\nintro\n\n## One\n\n```sh\n## no heading\n```\n\n## Two\n\n| a |\n|---|\n| b |\n";
    let chunked = cut(text, "markdown", &loose(ChunkLevel::Method));
    assert_eq!(lines(&chunked), [(1, 4), (5, 10), (11, 15)]);
    assert_eq!(chunked.chunks[1].hierarchy, ["section:One"]);
    let fence = format!(
        "## Big\n\n```\n{}```\n\n{}\ntail\n",
        "a b c\n".repeat(40),
        "| x | y |\n".repeat(30)
    );
    let options = ChunkOptions { max_tokens: Tokens::new(50), ..loose(ChunkLevel::Method) };
    let chunked = cut(&fence, "markdown", &options);
    let holding =
        |part: &str| chunked.chunks.iter().filter(|chunk| chunk.text.contains(part)).count();
    assert_eq!((holding("a b c"), holding("| x |")), (1, 1));
    assert!(chunked.notes.iter().any(|note| note.message.contains("cannot be split")));
}

#[test]
fn f087_nothing_one_line_and_nested_functions() {
    assert_eq!(cut("", "rust", &ChunkOptions::default()), Chunked::default());
    for text in ["fn f() {}", "fn f() {}\n", "x", "\n"] {
        assert_eq!(cut(text, "rust", &ChunkOptions::default()).chunks.len(), 1, "{text:?}");
    }
    let text = "const a = () => {\n  const b = () => 1;\n  return function () { return b; };\n};\n\nexport default () => a;\n";
    let chunked = cut(text, "javascript", &loose(ChunkLevel::Method));
    assert_eq!(chunked.chunks.iter().map(|chunk| chunk.text.as_str()).collect::<String>(), text);
    assert_eq!(chunked.chunks[0].first, 1);
}

#[test]
fn f089_chunks_say_where_they_are() {
    let chunked = cut(CLASS, "csharp", &loose(ChunkLevel::Method));
    assert_eq!(chunked.chunks[2].hierarchy, ["namespace:App", "class:Sum", "method:One"]);
    assert_eq!(chunked.chunks[2].strategy.name(), "structural");
    assert_eq!(chunked.chunks[2].kind, "method");
    let chunked = cut(&numbered(3), "nothing", &ChunkOptions::default());
    assert!(chunked.chunks[0].hierarchy.is_empty());
    assert_eq!(chunked.chunks[0].tokens, Tokens::new(6));
}

fn check_lossless(text: &str, language: &str, options: &ChunkOptions) {
    let chunked = cut(text, language, options);
    let mut next = 1;
    for chunk in &chunked.chunks {
        let structural = chunk.strategy == ChunkStrategy::Structural;
        assert!(chunk.first == next || !structural && chunk.first < next, "{chunked:?}");
        assert!(chunk.last >= chunk.first);
        next = chunk.last + 1;
    }
    assert_eq!(next as usize, text.split_inclusive('\n').count() + 1);
    assert!(chunked.covers(text), "{chunked:?}");
    if chunked.chunks.iter().all(|chunk| chunk.strategy == ChunkStrategy::Structural) {
        let whole: String = chunked.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(whole, text);
    }
}

#[test]
fn f088_real_files_come_back_whole() {
    let counted = |min: u64, max: u64| ChunkOptions {
        min_tokens: Tokens::new(min),
        max_tokens: Tokens::new(max),
        ..ChunkOptions::default()
    };
    for text in [include_str!("mod.rs"), include_str!("structure.rs"), include_str!("tests.rs")] {
        for options in [
            counted(0, 2_000),
            counted(100, 2_000),
            counted(10, 40),
            loose(ChunkLevel::Class),
            loose(ChunkLevel::Block),
        ] {
            check_lossless(text, "rust", &options);
        }
    }
    check_lossless(CLASS, "csharp", &counted(0, 5));
}

#[test]
fn f083_windows_of_long_lines_are_split_too() {
    let line = "word ".repeat(100) + "\n";
    let text = line.repeat(60);
    let chunked = cut(&text, "nothing", &ChunkOptions::default());
    let most = ChunkOptions::default().max_tokens;
    assert!(chunked.chunks.iter().all(|chunk| chunk.tokens <= most));
    assert_eq!(chunked.chunks[0].part, Some((1, 3)));
    assert!(chunked.covers(&text));
    assert_eq!(chunked.notes.len(), 1, "{:?}", chunked.notes);
}

#[test]
fn f088_what_is_missing_changed_or_out_of_order_is_noticed() {
    let text = numbered(180);
    let whole = cut(&text, "nothing", &ChunkOptions::default());
    assert!(whole.covers(&text) && !whole.covers(&numbered(181)));
    let without = |gone: usize| {
        let mut chunked = whole.clone();
        chunked.chunks.remove(gone);
        chunked
    };
    assert!((0..4).all(|gone| !without(gone).covers(&text)));
    let mut swapped = whole.clone();
    swapped.chunks.swap(1, 2);
    assert!(!swapped.covers(&text));
    let mut changed = whole.clone();
    changed.chunks[3].text.push('x');
    assert!(!changed.covers(&text));
    assert!(Chunked::default().covers(""));
}

proptest! {
    #[test]
    fn f088_no_line_is_lost(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("def f():\n"), Just("    x = 1\n"), Just("\n"), Just("class A:\n"), Just("# c\n"),
                Just("## H\n"), Just("```\n"), Just("| a |\n"), Just("}\n"), Just("tail"), Just("@d\n"),
            ],
            0..80,
        ),
        min in 0u64..20,
        more in 1u64..40,
    ) {
        let text = parts.concat();
        let options = ChunkOptions {
            min_tokens: Tokens::new(min),
            max_tokens: Tokens::new(min + more),
            lines: 7,
            overlap: 2,
            ..ChunkOptions::default()
        };
        for language in ["python", "markdown", "nothing"] {
            check_lossless(&text, language, &options);
        }
    }
}
