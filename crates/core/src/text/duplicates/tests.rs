//! The numbered examples, and what they leave open.

use super::*;

fn piece(path: &str, lines: (u32, u32), score: f64) -> Piece {
    Piece {
        source: "open_files".to_owned(),
        path: path.to_owned(),
        language: None,
        first: lines.0,
        last: lines.1,
        score,
        tokens: Tokens::new(u64::from(lines.1 + 1 - lines.0)),
        text: text(path, lines),
    }
}

fn text(path: &str, lines: (u32, u32)) -> String {
    (lines.0..=lines.1).map(|line| format!("{path} {line}\n")).collect()
}

/// One token per line.
fn run(pieces: Vec<Piece>, max_tokens: u64) -> Deduped {
    let options = DedupOptions { max_tokens: Tokens::new(max_tokens), ..DedupOptions::default() };
    let count = |text: &str| Tokens::new(text.lines().count() as u64);
    dedup(pieces, &options, |path, lines| Some(text(path, lines)), count)
}

fn lines(deduped: &Deduped) -> Vec<(u32, u32)> {
    deduped.kept.iter().map(|piece| (piece.first, piece.last)).collect()
}

fn same(source: &str, language: Option<&str>, text: &str, score: f64) -> Piece {
    Piece {
        source: source.to_owned(),
        path: source.to_owned(),
        language: language.map(str::to_owned),
        first: 0,
        last: 0,
        score,
        tokens: Tokens::new(10),
        text: text.to_owned(),
    }
}

#[test]
fn f104_equal_contents_leave_the_best_ranked() {
    let pieces =
        vec![same("a", None, "x", 80.0), same("b", None, "x", 100.0), same("c", None, "x", 90.0)];
    let left = run(pieces, 2_000);
    assert_eq!(left.kept.len(), 1);
    assert_eq!(left.kept[0].source, "b");
    assert_eq!(left.saved, Tokens::new(20));
    let why: Vec<_> =
        left.removed.iter().map(|gone| (gone.piece, gone.why.name(), gone.by)).collect();
    assert_eq!(why, [(0, "duplicate", 1), (2, "duplicate", 1)]);
}

#[test]
fn f104_white_space_counts_where_it_has_a_meaning() {
    for (language, left, right, equal) in [
        (Some("rust"), "a  {\n  b }", "a { b }", true),
        (Some("python"), "if a:\n  b", "if a:\n    b", false),
        (Some("python"), "if a:  \n  b\n", "if a:\n  b", true),
        (None, "a b", "a  b", false),
        (Some("rust"), "ab", "a b", false),
    ] {
        let pieces = vec![same("a", language, left, 1.0), same("b", language, right, 1.0)];
        assert_eq!(run(pieces, 10).kept.len() == 1, equal, "{left:?} {right:?}");
    }
}

#[test]
fn f105_lines_are_counted_inclusively() {
    assert_eq!(overlap_ratio((1, 50), (40, 80)), 11.0 / 41.0);
    assert_eq!(overlap_ratio((1, 50), (25, 75)), 26.0 / 50.0);
    assert_eq!(overlap_ratio((1, 50), (51, 80)), 0.0);
    assert_eq!(overlap_ratio((1, 50), (10, 20)), 1.0);
    assert_eq!(overlap_ratio((5, 4), (1, 9)), 0.0);
}

#[test]
fn f106_overlaps_become_one_with_each_line_once() {
    let left = run(vec![piece("a", (1, 50), 2.0), piece("a", (40, 80), 3.0)], 2_000);
    assert_eq!(lines(&left), [(1, 80)]);
    assert_eq!(left.kept[0].text, text("a", (1, 80)));
    assert_eq!(left.kept[0].score, 3.0);
    assert_eq!(left.kept[0].tokens, Tokens::new(80));
    assert_eq!(left.removed[0].why, Removal::Merged);
    assert_eq!(left.saved, Tokens::new(11));
}

#[test]
fn f106_what_is_too_large_for_one_loses_the_lower_ranked() {
    let left = run(vec![piece("a", (1, 50), 2.0), piece("a", (25, 75), 3.0)], 60);
    assert_eq!(lines(&left), [(25, 75)]);
    assert_eq!(left.removed[0].why, Removal::Overlap);
    // Below the threshold only the shared lines go.
    let left = run(vec![piece("a", (1, 50), 2.0), piece("a", (46, 95), 1.0)], 60);
    assert_eq!(lines(&left), [(1, 50), (51, 95)]);
    assert_eq!(left.kept[1].text, text("a", (51, 95)));
    let left = run(vec![piece("a", (1, 50), 1.0), piece("a", (46, 95), 2.0)], 60);
    assert_eq!(lines(&left), [(1, 45), (46, 95)]);
}

#[test]
fn f107_chains_are_found_and_the_order_is_kept() {
    let left = run(
        vec![
            piece("b", (1, 9), 9.0),
            piece("a", (70, 120), 3.0),
            piece("a", (1, 50), 2.0),
            piece("a", (40, 80), 1.0),
            piece("0", (1, 9), 0.5),
        ],
        2_000,
    );
    let kept: Vec<_> = left.kept.iter().map(|piece| (piece.path.as_str(), piece.last)).collect();
    assert_eq!(kept, [("b", 9), ("a", 120), ("0", 9)]);
}

#[test]
fn f108_nothing_everything_and_other_files() {
    assert_eq!(run(Vec::new(), 10), Deduped::default());
    let apart = vec![piece("a", (1, 5), 1.0), piece("a", (6, 9), 1.0), piece("b", (1, 9), 1.0)];
    let left = run(apart.clone(), 100);
    assert_eq!(left.kept, apart);
    assert!(left.removed.is_empty());
    let all = vec![same("a", None, "x", 1.0); 5];
    assert_eq!(run(all, 100).kept.len(), 1);
}

#[test]
fn pieces_that_cannot_be_read_again_stay() {
    let pieces = vec![piece("a", (1, 50), 2.0), piece("a", (46, 95), 1.0)];
    let left = dedup(pieces.clone(), &DedupOptions::default(), |_, _| None, |_| Tokens::ZERO);
    assert_eq!(left.kept, pieces);
}
