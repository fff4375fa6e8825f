//! Removes pieces of text that repeat others.
//!
//! [`dedup`] takes pieces in the order of their rank. Equal contents leave the
//! best ranked; pieces of one file that share lines become one where the union
//! is small enough, and otherwise the lower ranked gives way. What was removed
//! is said, with what it saved. Order is kept, and each file is swept once, so
//! chains of overlaps are found.

mod overlap;

use std::collections::HashMap;

use crate::cache::ContentHash;
use crate::tokens::Tokens;

/// A run of lines of a file, or any text from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where it came from, such as `open_files`.
    pub source: String,
    /// The path of its file, with `/` between its parts.
    pub path: String,
    /// The language, where it is known.
    pub language: Option<String>,
    /// First line, 1-based; 0 for a text that is not part of a file.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Its rank; higher is better.
    pub score: f64,
    /// What it costs.
    pub tokens: Tokens,
    /// The text.
    pub text: String,
}

/// How duplicates are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DedupOptions {
    /// The part of the shorter piece's lines from which the lower ranked is
    /// dropped rather than trimmed.
    pub overlap: f64,
    /// The most that a union may cost.
    pub max_tokens: Tokens,
}

impl Default for DedupOptions {
    fn default() -> DedupOptions {
        DedupOptions { overlap: 0.3, max_tokens: Tokens::new(2_000) }
    }
}

/// Why a piece is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Another piece has the same content.
    Duplicate,
    /// It shares too many lines with a better one.
    Overlap,
    /// It is part of a union now.
    Merged,
}

/// A piece that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its place among the pieces that were given.
    pub piece: usize,
    /// Why it is gone.
    pub why: Removal,
    /// The place of the piece that stands for it.
    pub by: usize,
}

/// What is left, and what is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deduped {
    /// The pieces that stay, in the order in which they were given.
    pub kept: Vec<Piece>,
    /// The pieces that are gone, in the order in which they were given.
    pub removed: Vec<Removed>,
    /// What the pieces cost before, less what they cost now.
    pub saved: Tokens,
}

/// A piece on its way, with its place among those given.
#[derive(Clone, Debug)]
struct Placed {
    place: usize,
    piece: Piece,
}

/// Removes what is said twice.
///
/// `read` returns lines of a file, for unions and for pieces that are trimmed;
/// where it cannot, both pieces stay as they are. `count` counts a text. Costs
/// O(n log n) and one reading per union.
///
/// ```
/// use loadline::text::{DedupOptions, Piece, dedup};
/// use loadline::tokens::Tokens;
/// let piece = |path: &str, score: f64| Piece {
///     source: "open_files".to_owned(),
///     path: path.to_owned(),
///     language: None,
///     first: 1,
///     last: 2,
///     score,
///     tokens: Tokens::new(10),
///     text: "a\nb\n".to_owned(),
/// };
/// let pieces = vec![piece("x", 100.0), piece("y", 90.0), piece("z", 80.0)];
/// let left = dedup(pieces, &DedupOptions::default(), |_, _| None, |_| Tokens::ZERO);
/// assert_eq!((left.kept.len(), left.saved), (1, Tokens::new(20)));
/// ```
pub fn dedup(
    pieces: Vec<Piece>,
    options: &DedupOptions,
    mut read: impl FnMut(&str, (u32, u32)) -> Option<String>,
    mut count: impl FnMut(&str) -> Tokens,
) -> Deduped {
    let before = total(&pieces);
    let mut removed = Vec::new();
    let mut placed: Vec<Placed> =
        pieces.into_iter().enumerate().map(|(place, piece)| Placed { place, piece }).collect();
    drop_equal(&mut placed, &mut removed);
    let (mut kept, rest): (Vec<Placed>, Vec<Placed>) =
        placed.into_iter().partition(|placed| placed.piece.first == 0);
    let mut sweep =
        overlap::Sweep { options, read: &mut read, count: &mut count, removed: &mut removed };
    kept.extend(sweep.run(rest));
    kept.sort_by_key(|placed| placed.place);
    removed.sort_by_key(|removed| removed.piece);
    let kept: Vec<Piece> = kept.into_iter().map(|placed| placed.piece).collect();
    let saved = Tokens::new(before.saturating_sub(total(&kept)));
    Deduped { kept, removed, saved }
}

fn total(pieces: &[Piece]) -> u64 {
    let add = |sum: u64, piece: &Piece| sum.saturating_add(piece.tokens.get());
    pieces.iter().fold(0, add)
}

/// Leaves the best ranked of equal contents.
fn drop_equal(placed: &mut Vec<Placed>, removed: &mut Vec<Removed>) {
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|left, right| better(&placed[*left], &placed[*right]));
    let mut first: HashMap<ContentHash, usize> = HashMap::new();
    let mut gone = vec![false; placed.len()];
    for index in order {
        let Placed { place, piece } = &placed[index];
        let key = ContentHash::of(content_key(piece).as_bytes());
        match first.get(&key) {
            Some(by) => {
                gone[index] = true;
                removed.push(Removed { piece: *place, why: Removal::Duplicate, by: *by });
            }
            None => {
                first.insert(key, *place);
            }
        }
    }
    let mut gone = gone.iter();
    placed.retain(|_| !gone.next().copied().unwrap_or(false));
}

/// Higher scores first, then the order in which pieces were given.
fn better(left: &Placed, right: &Placed) -> std::cmp::Ordering {
    let score = right.piece.score.total_cmp(&left.piece.score);
    score.then(left.place.cmp(&right.place))
}

/// The content as far as it matters: indentation only where it has a meaning.
fn content_key(piece: &Piece) -> String {
    let mut key = String::with_capacity(piece.text.len() + 1);
    if is_braced(piece.language.as_deref()) {
        for word in piece.text.split_whitespace() {
            key.push_str(word);
            key.push(' ');
        }
        key.push('{');
    } else {
        for line in piece.text.trim_end().lines() {
            key.push_str(line.trim_end());
            key.push('\n');
        }
    }
    key
}

/// Tells whether white space has no meaning in a language.
fn is_braced(language: Option<&str>) -> bool {
    matches!(
        language,
        Some(
            "rust"
                | "javascript"
                | "jsx"
                | "typescript"
                | "tsx"
                | "go"
                | "java"
                | "c"
                | "cpp"
                | "csharp"
                | "php"
                | "kotlin"
                | "swift"
                | "scala"
                | "dart"
                | "css"
                | "json"
        )
    )
}

/// How much two pieces of lines share: shared lines of the shorter one's.
///
/// ```
/// assert_eq!(loadline::text::overlap_ratio((1, 50), (40, 80)), 11.0 / 41.0);
/// ```
pub fn overlap_ratio(left: (u32, u32), right: (u32, u32)) -> f64 {
    let length = |lines: (u32, u32)| (u64::from(lines.1) + 1).saturating_sub(u64::from(lines.0));
    let shared = length((left.0.max(right.0), left.1.min(right.1)));
    let shorter = length(left).min(length(right));
    if shorter == 0 {
        return 0.0;
    }
    shared as f64 / shorter as f64
}
