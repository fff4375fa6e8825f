//! Cuts a document by its headings, never through a fence or a table.

use super::{ChunkStrategy, Piece, Work};

/// Cuts before every heading of the second level; sections that are too large
/// also before those below it.
pub(super) fn sections(work: &Work<'_>) -> Vec<Piece> {
    let inside = guarded(work);
    let heading = |line: usize| match inside.get(line) {
        Some(false) => heading(work.lines[line]),
        _ => None,
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0;
    for line in 1..=work.lines.len() {
        let ends = line == work.lines.len() || heading(line).is_some_and(|(level, _)| level == 2);
        if !ends {
            continue;
        }
        let outer = heading(start).filter(|(level, _)| *level == 2).map(|(_, title)| title);
        let whole = piece(start, line, outer.as_deref(), None);
        if work.tokens(start, line) <= work.options.max_tokens {
            pieces.push(whole);
        } else {
            let mut from = start;
            for inner in start + 1..=line {
                let deeper = heading(inner).is_some_and(|(level, _)| level == 3);
                if inner == line || deeper {
                    let title = heading(from).filter(|(level, _)| *level == 3);
                    let title = title.map(|(_, title)| title);
                    pieces.push(piece(from, inner, outer.as_deref(), title.as_deref()));
                    from = inner;
                }
            }
        }
        start = line;
    }
    pieces
}

fn piece(start: usize, end: usize, outer: Option<&str>, inner: Option<&str>) -> Piece {
    let titles = outer.into_iter().chain(inner);
    Piece {
        start,
        end,
        strategy: ChunkStrategy::Structural,
        kind: if outer.is_some() { "section" } else { "preamble" },
        hierarchy: titles.map(|title| format!("section:{title}")).collect(),
        part: None,
    }
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let text = line.trim_end();
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    let title = rest.strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    (1..=6).contains(&level).then(|| (level, title.to_owned()))
}

/// Tells for every line whether the text must not be cut before it, since it
/// is inside of a fence or a table. Nothing is guarded in code.
pub(super) fn guarded(work: &Work<'_>) -> Vec<bool> {
    if !super::is_document(work.language) {
        return Vec::new();
    }
    let mut fence: Option<(char, usize)> = None;
    let mut table = false;
    let mut guarded = Vec::with_capacity(work.lines.len());
    for line in &work.lines {
        let text = line.trim();
        let mark = fence_mark(text);
        match (fence, mark) {
            (None, Some(mark)) => {
                guarded.push(false);
                fence = Some(mark);
                table = false;
            }
            (Some((open, length)), Some((close, longer))) if open == close && longer >= length => {
                guarded.push(true);
                let closes = text.trim_start_matches(close).is_empty();
                fence = if closes { None } else { fence };
            }
            (Some(_), _) => guarded.push(true),
            (None, None) => {
                let row = text.starts_with('|');
                guarded.push(row && table);
                table = row;
            }
        }
    }
    guarded
}

/// The mark and the length of a fence that begins or ends here.
pub(crate) fn fence_mark(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(mark).len();
    (length >= 3).then_some((mark, length))
}
