//! What chunks promise, by the numbered examples.

use proptest::prelude::*;

use super::*;
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

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
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
