//! Cuts a pack into parts of at most so many tokens, at the borders of files.
//!
//! The first part begins with a table of contents. A file that is larger than a part
//! goes on in the next one, under its heading.

use loadline::fit::longest;
use loadline::tokens::{Counter, Tokens};

/// Parts smaller than this have no room for their own headings.
pub(super) const SMALLEST: Tokens = Tokens::new(200);
/// The most of the first part that the table of contents may take: one in so many.
const CONTENTS: u64 = 4;
/// What a line of the table costs besides the names in it, at most.
const LINE: u64 = 10;
/// What `Part 1 of 9.` costs, at most; the numbers are known only at the end.
const TITLE: Tokens = Tokens::new(16);

/// A piece of a pack, with the path of the file that it shows.
struct Piece<'a> {
    name: Option<&'a str>,
    text: String,
}

/// Cuts markdown into parts, none over `most` tokens.
pub(super) fn split(content: &str, most: Tokens, counter: &Counter) -> Vec<String> {
    let room = most.saturating_sub(TITLE);
    let pieces = pieces(content);
    let names: Vec<&str> = pieces.iter().filter_map(|piece| name(piece)).collect();
    let lines = 2 + counter.count(content).get() / room.get().max(1);
    let table = counter.count(&names.join(", ")).get() + LINE * lines;
    let contents_room = Tokens::new(table.min(most.get() / CONTENTS));
    let mut parts: Vec<Vec<Piece<'_>>> = Vec::new();
    let (mut part, mut left) = (Vec::new(), room.saturating_sub(contents_room));
    for piece in pieces.into_iter().flat_map(|piece| fitting(piece, room, counter)) {
        let tokens = counter.count(&piece.text).saturating_add(Tokens::new(1));
        if tokens > left && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
            left = room;
        }
        left = left.saturating_sub(tokens);
        part.push(piece);
    }
    parts.push(part);
    let count = parts.len();
    let table = contents(&parts, contents_room, counter);
    let written = parts.iter().enumerate().map(|(number, part)| {
        let table = if number == 0 { table.as_str() } else { "" };
        let text: String = part.iter().map(|piece| piece.text.as_str()).collect();
        match count {
            1 => text,
            _ => format!("Part {} of {count}.\n\n{table}{text}", number + 1),
        }
    });
    written.collect()
}

/// What is in which part: `2: src/a.rs, src/b.rs`, as much as fits.
fn contents(parts: &[Vec<Piece<'_>>], most: Tokens, counter: &Counter) -> String {
    let line = |(number, part): (usize, &Vec<Piece<'_>>)| {
        let overview = (number == 0).then_some("overview");
        let names = overview.into_iter().chain(part.iter().filter_map(|piece| piece.name));
        format!("- part {}: {}\n", number + 1, names.collect::<Vec<&str>>().join(", "))
    };
    let lines: Vec<String> = parts.iter().enumerate().map(line).collect();
    let whole = |count: usize| {
        let more = if count < lines.len() { "- ...\n" } else { "" };
        format!("Contents:\n\n{}{more}\n", lines[..count].concat())
    };
    let count = longest(lines.len(), |count| counter.count(&whole(count)) <= most);
    count.filter(|count| *count > 0).map(whole).unwrap_or_default()
}

/// The path in the heading of a piece.
fn name(piece: &str) -> Option<&str> {
    let heading = piece.strip_prefix("## ")?.lines().next()?;
    let heading = heading.split_once(": ").map_or(heading, |(_, path)| path);
    Some(heading.rsplit_once(" (").map_or(heading, |(path, _)| path))
}

/// Cuts markdown before every heading that is not inside a fence.
fn pieces(content: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let (mut at, mut fence) = (0, "");
    for line in content.split_inclusive('\n') {
        let ticks = fence_of(line);
        if !fence.is_empty() {
            if line.trim_end() == fence {
                fence = "";
            }
        } else if !ticks.is_empty() {
            fence = ticks;
        } else if line.starts_with("## ") && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().copied().skip(1).chain([content.len()]);
    starts.iter().zip(ends).map(|(start, end)| &content[*start..end]).collect()
}

/// The backticks that a line begins with, if they are a fence.
fn fence_of(line: &str) -> &str {
    let ticks = line.len() - line.trim_start_matches('`').len();
    if ticks >= 3 { &line[..ticks] } else { "" }
}

/// A piece as it is, or cut between lines where it is too large, each part with the
/// heading and in a fence of its own.
fn fitting<'a>(piece: &'a str, most: Tokens, counter: &Counter) -> Vec<Piece<'a>> {
    let name = name(piece);
    if counter.count_up_to(piece, most).is_some() {
        return vec![Piece { name, text: piece.to_owned() }];
    }
    let heading = name.and_then(|_| piece.find('\n')).unwrap_or(0);
    let (heading, rest) = piece.split_at(heading);
    let rest = rest.trim_start_matches('\n');
    let fence = if heading.is_empty() { "" } else { fence_of(rest) };
    let (open, body) = match rest.find('\n') {
        Some(end) if !fence.is_empty() => rest.split_at(end + 1),
        _ => ("", rest),
    };
    let body = body.trim_end_matches('\n').strip_suffix(fence).unwrap_or(body);
    let again = format!("{heading} (continued)\n{open}\n{fence}\n\n");
    let room = most.saturating_sub(counter.count(&again)).saturating_sub(Tokens::new(2));
    let slices = slices(body, room, counter).into_iter().enumerate();
    let texts = slices.map(|(number, slice)| {
        let end = if slice.ends_with('\n') { "" } else { "\n" };
        match (number, heading) {
            (_, "") => slice.to_owned(),
            (0, _) => format!("{heading}\n{open}{slice}{end}{fence}\n\n"),
            _ => format!("{heading} (continued)\n{open}{slice}{end}{fence}\n\n"),
        }
    });
    texts.map(|text| Piece { name, text }).collect()
}

/// Cuts a text between lines; a line that is too large, between letters.
fn slices<'a>(text: &'a str, most: Tokens, counter: &Counter) -> Vec<&'a str> {
    let (mut rest, mut slices) = (text, Vec::new());
    let fitting = |rest: &str, ends: &[usize]| {
        let fits = |count: usize| count == 0 || counter.count(&rest[..ends[count - 1]]) <= most;
        longest(ends.len(), fits).filter(|count| *count > 0).map(|count| ends[count - 1])
    };
    while counter.count_up_to(rest, most).is_none() {
        let lines: Vec<usize> = rest.match_indices('\n').map(|(at, _)| at + 1).collect();
        let letters = || rest.char_indices().map(|(at, it)| at + it.len_utf8());
        let cut = fitting(rest, &lines)
            .or_else(|| fitting(rest, &letters().collect::<Vec<usize>>()))
            .or_else(|| letters().next())
            .unwrap_or(rest.len());
        let (slice, after) = rest.split_at(cut);
        slices.push(slice);
        rest = after;
    }
    if !rest.is_empty() {
        slices.push(rest);
    }
    slices
}
