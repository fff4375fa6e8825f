//! Chunks, duplicates, shares, and the text that comes of them.

use super::*;
use crate::Diagnose;
use crate::budget::{Budget, Leftover, Share, ShareLimit};
use crate::pack::ranking::{RankError, RankWeights};

/// The cost of the head, and of a heading with its fence.
const HEAD: u64 = 2;
const FRAME: u64 = 7;

fn allocation(budget: u64, shares: Vec<Share>, leftover: Leftover) -> Allocation {
    let budget = Budget::of(Tokens::new(budget)).shares(shares, leftover);
    budget.build().unwrap().allocate()
}

fn tool(name: &str, count: usize) -> PackSource {
    PackSource::new(SourceKind::ToolResult, name).content(words(name, count))
}

#[test]
fn f110_greedy_by_rank_past_what_is_too_large() {
    let sources = || {
        vec![
            found("a", &words("a", 900), 0.9),
            found("b", &words("b", 100), 0.8),
            found("c", &words("c", 50), 0.7),
        ]
    };
    let packed = run(sources(), 1_000 + HEAD + 2 * FRAME, &options());
    assert_eq!(paths(&packed), ["a", "b"]);
    assert_eq!(reasons(&packed), [("c".into(), "over budget".into())]);
    let packed = run(sources(), 500, &options());
    assert_eq!(paths(&packed), ["b", "c"]);
    let three = vec![
        found("1", &words("a", 100), 0.50),
        found("2", &words("b", 100), 1.0),
        found("3", &words("c", 100), 0.75),
    ];
    assert_eq!(paths(&run(three, 250, &options())), ["2", "3"]);
}

#[test]
fn f111_what_is_left_goes_to_what_fits() {
    let sources = vec![
        found("a", &words("a", 60), 0.9),
        found("b", &words("b", 500), 0.8),
        found("c", &words("c", 20), 0.1),
    ];
    let packed = run(sources, 60 + 20 + HEAD + 2 * FRAME, &options());
    assert_eq!(paths(&packed), ["a", "c"]);
    assert_eq!(packed.tokens, Tokens::new(60 + 20 + HEAD + 2 * FRAME));
}

#[test]
fn f025_f112_shares_keep_kinds_apart_and_pass_on_what_is_left() {
    let sources = || {
        let open = PackSource::new(SourceKind::OpenFile, "open").content(words("o", 500));
        vec![tool("tool", 200), open]
    };
    let pack = |leftover: Leftover| {
        let budget = allocation(
            1_000,
            [
                ("tool_results", 40.0),
                ("open_files", 30.0),
                ("search_results", 20.0),
                ("references", 10.0),
            ]
            .map(|(name, percent)| Share::percent(name, percent))
            .to_vec(),
            leftover,
        );
        pack_sources(sources(), &budget, &options(), &Cancel::new()).unwrap()
    };
    let kept = pack(Leftover::Keep);
    assert_eq!(paths(&kept), ["tool"]);
    assert_eq!(reasons(&kept), [("open".into(), "over share".into())]);
    assert_eq!(paths(&pack(Leftover::Redistribute)), ["tool", "open"]);
    let kinds = pack(Leftover::Redistribute).stats.kinds;
    assert_eq!(kinds[0].tokens, Tokens::new(200));
    assert_eq!(kinds[1].tokens, Tokens::new(500));
}

#[test]
fn f113_a_least_number_is_kept_by_cutting_chunks_short() {
    let sources = || vec![found("a", &words("a", 200), 0.9), found("b", &words("b", 300), 0.8)];
    let mut options = options();
    assert_eq!(run(sources(), 100, &options).content, "");
    options.min_chunks = 1;
    let packed = run(sources(), 100, &options);
    assert_eq!(paths(&packed), ["a"]);
    assert!(packed.chunks[0].is_cut);
    assert_eq!(packed.chunks[0].lines, (1, 9));
    assert_eq!(packed.tokens, Tokens::new(90 + HEAD + FRAME));
    assert_eq!(run(sources(), 5, &options).content, "");
}

#[test]
fn f027_nothing_fits_an_empty_budget_and_that_is_no_error() {
    for budget in [0, 1, 8] {
        let packed = run(vec![found("a", "one two three\n", 1.0)], budget, &options());
        assert_eq!((packed.content.as_str(), packed.tokens), ("", Tokens::ZERO));
        let note = format!("budget: nothing fits a budget of {budget} tokens");
        assert_eq!(packed.notes[0].to_string(), note);
    }
    let packed = run(Vec::new(), 100, &options());
    assert_eq!(packed.content, "");
    assert_eq!(packed.notes[0].message, "there is no content to pack");
}

#[test]
fn f017_reserves_that_leave_nothing_are_an_error() {
    let budget = Budget::of(Tokens::new(1_000)).reserve("response", Tokens::new(1_000));
    assert!(budget.build().unwrap_err().code().starts_with("LL-BUD-"));
}

#[test]
fn f114_everything_left_out_has_its_reason() {
    let mut options = options();
    options.rank.min_score = 0.3;
    let sources = vec![
        found("a", "same text\n", 0.9),
        found("b", "same text\n", 0.8),
        found("c", &words("c", 400), 0.9),
        found("d", "low\n", 0.0),
        found(".env", "x", 1.0),
        found("e", "\0", 1.0),
    ];
    let packed = run(sources, 100, &options);
    let mut reasons = reasons(&packed);
    reasons.sort();
    let want = [
        (".env", "denied"),
        ("b", "duplicate of a:1-1"),
        ("c", "over budget"),
        ("d", "below threshold"),
        ("e", "binary"),
    ];
    assert_eq!(reasons, want.map(|(path, why)| (path.to_owned(), why.to_owned())));
    assert_eq!((packed.stats.duplicates, packed.stats.saved), (1, Tokens::new(2)));
    assert_eq!((packed.stats.sources, packed.stats.admitted), (6, 4));
}

#[test]
fn f115_what_costs_nothing_is_not_chosen_and_nothing_twice() {
    let twice = vec![tool("same", 30), tool("same", 30)];
    let packed = run(twice, 1_000, &options());
    assert_eq!(packed.chunks.len(), 1);
    assert_eq!(packed.content.matches("same7 ").count(), 1);
}

#[test]
fn f104_f106_sources_that_overlap_are_shown_once() {
    let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    let tree = Tree::new("//- /a.txt\n");
    tree.write("a.txt", &text);
    let file = |first: u32, last: u32, relevance: f64| {
        let source = PackSource::new(SourceKind::SearchResult, "a.txt");
        source.lines(first, last).relevance(relevance)
    };
    let packed = run(vec![file(1, 20, 0.2), file(15, 40, 0.9)], 1_000, &below(&tree));
    assert_eq!(packed.chunks.len(), 1);
    assert_eq!(packed.chunks[0].lines, (1, 40));
    assert_eq!(packed.chunks[0].score, packed.chunks[0].signals.score);
    assert_eq!(packed.stats.merged, 1);
    assert_eq!(packed.stats.saved, Tokens::new(12));
    assert_eq!(packed.content.matches("line 17\n").count(), 1);
    // Windows of one long text share lines, too.
    let long: String = (1..=180).map(|line| format!("row {line}\n")).collect();
    let long = PackSource::new(SourceKind::ToolResult, "log").content(long);
    let mut options = options();
    options.dedup.as_mut().unwrap().max_tokens = Tokens::new(120);
    let packed = run(vec![long], 1_000, &options);
    assert_eq!(packed.content.matches("row 47\n").count(), 1);
    assert!(packed.content.contains("log (lines 1-180)"), "{}", packed.content);
}

#[test]
fn f116_f119_files_are_grouped_with_marks_for_gaps() {
    let hit = |path: &str, first: u32, text: &str, relevance: f64| {
        found(path, text, relevance).lines(first, first)
    };
    let sources = || {
        vec![
            hit("b.rs", 51, "fn last() {}\n", 0.5),
            hit("b.rs", 15, "fn first() {}\n", 0.4),
            hit("a.py", 2, "x = 1", 0.1),
        ]
    };
    let packed = run(sources(), 1_000, &options());
    let want = "# Sources\n\n## File: a.py (lines 2-2)\n```python\nx = 1\n```\n\n\
                ## File: b.rs (lines 15-15, 51-51)\n```rust\nfn first() {}\n\
                // ... (lines 16-50)\nfn last() {}\n```\n";
    assert_eq!(packed.content, want);
    let mut options = options();
    options.order = crate::pack::PackOrder::Rank;
    options.line_numbers = true;
    let packed = run(sources(), 1_000, &options);
    assert!(packed.content.starts_with("# Sources\n\n## File: b.rs"));
    assert!(packed.content.contains("15 | fn first() {}\n"));
}

#[test]
fn f118_f120_the_same_sources_give_the_same_bytes_that_no_fence_breaks() {
    let sources = || vec![tool("log", 2_000), found("a.md", "```\nx\n```\n", 0.5)];
    let packed = run(sources(), 3_000, &options());
    assert_eq!(packed, run(sources(), 3_000, &options()));
    assert!(packed.content.contains("\n````markdown\n```\nx\n```\n````\n"));
}

#[test]
fn f123_a_preview_chooses_the_same_without_writing() {
    let sources = || vec![tool("a", 50), tool("b", 60), tool("c", 900)];
    let budget = Allocation::of(Tokens::new(200));
    let preview = preview_sources(sources(), &budget, &options(), &Cancel::new()).unwrap();
    let packed = run(sources(), 200, &options());
    assert_eq!(preview.chunks, packed.chunks);
    assert_eq!(preview.excluded, packed.excluded);
    assert_eq!(preview.stats, packed.stats);
    assert_eq!((preview.tokens, preview.content.as_str()), (packed.tokens, ""));
    assert_eq!((packed.stats.chunks, packed.stats.selected), (4, 2));
}

#[test]
fn f123_f263_a_cancelled_pack_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let budget = Allocation::of(Tokens::new(200));
    let error = pack_sources(vec![tool("a", 5)], &budget, &options(), &cancel).unwrap_err();
    assert!(matches!(error, PackError::Cancelled), "{error}");
    assert_eq!(error.code(), "LL-CTX-001");
}

#[test]
fn f123_packs_run_at_the_same_time() {
    let pack = || run(vec![tool("a", 50), tool("b", 60)], 100, &options());
    let alone = pack();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|_| scope.spawn(pack)).collect();
        for pack in running {
            assert_eq!(pack.join().unwrap(), alone);
        }
    });
}

#[test]
fn f026_the_text_is_never_over_the_budget() {
    let counter: Counter = "o200k".parse().unwrap();
    let options = SourceOptions { counter, ..options() };
    for budget in (0..900).step_by(37) {
        let sources = vec![
            tool("cargo test", 40),
            found("src/a.rs", "fn a() {\n    b();\n}\n\nfn b() {}\n", 0.9).lines(10, 14),
            found("src/a.rs", "fn c() {}\n", 0.7).lines(90, 90),
            found("日本.md", &"## 見出し\n\n本文です。\n".repeat(20), 0.6),
        ];
        run(sources, budget, &options);
    }
}

#[test]
fn f250_errors_of_ranking_have_stable_codes() {
    let mut options = options();
    options.rank.weights = RankWeights { relevance: 0.1, recency: 0.9, source: 0.0, position: 0.0 };
    let budget = Allocation::of(Tokens::new(200));
    let error = pack_sources(vec![tool("a", 5)], &budget, &options, &Cancel::new());
    let error = error.unwrap_err();
    assert!(matches!(error, PackError::Rank(RankError::Relevance { .. })));
    assert_eq!(error.code(), "LL-RNK-002");
    assert!(error.hint().unwrap().contains("rank.relevance"));
}

#[test]
fn sources_that_contradict_each_other_are_shown_apart() {
    let sources = vec![found("a.txt", "old\nline\n", 0.5), found("a.txt", "new\nline\n", 0.6)];
    let packed = run(sources, 100, &options());
    assert_eq!(packed.chunks.len(), 2);
    assert_eq!(packed.notes.len(), 1);
    let options = SourceOptions { dedup: None, ..options() };
    let same = vec![found("a", "x\n", 0.5), found("b", "x\n", 0.5)];
    assert_eq!(run(same, 100, &options).chunks.len(), 2);
}

#[test]
fn f116_outputs_of_tools_are_not_called_files() {
    let tool = PackSource::new(SourceKind::ToolResult, "cargo test").content("1 failed\n");
    let other = PackSource::new(SourceKind::Other, "notes").content("remember\n");
    let packed = run(vec![tool, other], 100, &options());
    assert!(packed.content.contains("## Tool result: cargo test (lines 1-1)\n"));
    assert!(packed.content.contains("## Source: notes (lines 1-1)\n"));
}

#[test]
fn f083_a_part_of_something_says_which() {
    let mut options = options();
    options.chunk.max_tokens = Tokens::new(40);
    options.chunk.min_tokens = Tokens::ZERO;
    options.min_chunks = 0;
    let body: String = (0..30).map(|line| format!("    call{line}(a, b, c)\n")).collect();
    let text = format!("def long(a, b, c):\n{body}");
    let source = found("src/a.py", &text, 0.9);
    let packed = run(vec![source], 60, &options);
    assert_eq!(packed.chunks.len(), 1, "{}", packed.content);
    let (first, last) = packed.chunks[0].lines;
    let head = format!("## File: src/a.py (lines {first}-{last} (part ");
    assert!(packed.content.contains(&head), "{}", packed.content);
}

#[test]
fn f025_kinds_without_a_share_have_the_rest_together() {
    let tool = |number: usize| {
        let name = format!("t{number}");
        PackSource::new(SourceKind::ToolResult, name.clone()).content(words(&name, 40))
    };
    let sources = || {
        let hits = (0..4).map(|number| {
            let name = format!("h{number}");
            found(&format!("src/{name}.txt"), &words(&name, 40), 1.0)
        });
        hits.chain((0..4).map(tool)).collect::<Vec<_>>()
    };
    let share =
        |name: &str, limit: u64| ShareLimit { name: name.to_owned(), limit: Tokens::new(limit) };
    let shares = vec![share("tool_results", 80), share(SourceKind::REST, 120)];
    let budget = Allocation::with_shares(Tokens::new(200), shares, Leftover::Redistribute).unwrap();
    let packed = pack_sources(sources(), &budget, &options(), &Cancel::new()).unwrap();
    let of = |kind| packed.chunks.iter().filter(|chunk| chunk.kind == kind).count();
    assert_eq!((of(SourceKind::ToolResult), of(SourceKind::SearchResult)), (1, 3));
    assert!(packed.tokens <= budget.total());
}

#[test]
fn f123_work_is_cancelled_between_any_two_steps() {
    /// Cancels the work when it has counted so often.
    struct Stopping(Cancel, std::sync::atomic::AtomicUsize);
    impl CountTokens for Stopping {
        fn name(&self) -> &str {
            "stopping"
        }
        fn precision(&self) -> Precision {
            Precision::Exact
        }
        fn count(&self, text: &str) -> Tokens {
            let before = self.1.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            if before == 1 {
                self.0.cancel();
            }
            Words.count(text)
        }
    }
    let sources = || {
        let text = |number: usize| words(&format!("w{number}x"), 60);
        (0..6).map(move |number| found(&format!("a{number}.txt"), &text(number), 0.5))
    };
    let budget = Allocation::of(Tokens::new(150));
    let mut cancelled = 0;
    for steps in 1..400 {
        let cancel = Cancel::new();
        let counter = Stopping(cancel.clone(), steps.into());
        let options = SourceOptions { counter: Counter::custom(counter), ..options() };
        match pack_sources(sources().collect(), &budget, &options, &cancel) {
            Err(error) => {
                assert!(matches!(error, PackError::Cancelled), "{error}");
                cancelled += 1;
            }
            // The last count is the end of the work.
            Ok(packed) => assert!(!packed.content.is_empty()),
        }
    }
    assert!(cancelled > 10, "{cancelled}");
}
