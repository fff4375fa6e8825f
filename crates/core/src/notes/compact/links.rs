//! Shortens links whose target follows from an earlier one.
//!
//! The first `[#12](https://host/owner/name/issues/12)` of a note says where
//! such numbers lead; `#13` alone says the same from then on. The same goes
//! for people and commits. Links to other places stay whole.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};
use regex::Regex;

use super::super::ItemKind;
use super::edit::Edit;
use super::shape::Shape;
use crate::notes::literal;

/// The address of an issue or a change.
static ISSUE: LazyLock<Regex> =
    LazyLock::new(|| literal(r"https?://[^\s()<>\[\]]+/(?:pull|issues)/\d+"));

/// What a link is to, and how it can be written in short.
struct Short {
    range: Range<usize>,
    /// A number, a person or a commit: these do not share a place.
    sign: char,
    /// Where all of its kind are.
    place: String,
    text: String,
}

/// Finds links that an earlier one explains.
pub(super) fn edits(shape: &Shape<'_>) -> Vec<Edit> {
    let mut places: BTreeMap<char, String> = BTreeMap::new();
    let mut edits = Vec::new();
    for short in shorts(shape) {
        let Some(place) = places.get(&short.sign) else {
            places.insert(short.sign, short.place);
            continue;
        };
        if *place == short.place && !shape.is_guarded(&short.range) {
            edits.push(Edit { range: short.range, with: short.text, kind: ItemKind::Verbose });
        }
    }
    edits
}

/// Finds links that could be written in short, in order.
fn shorts(shape: &Shape<'_>) -> Vec<Short> {
    let mut shorts = Vec::new();
    let mut linked = 0_usize;
    for (event, range) in &shape.events {
        match event {
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) => {
                linked += 1;
                shorts.extend(link(shape, range, dest_url));
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => linked += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => linked = linked.saturating_sub(1),
            Event::Text(_) if linked == 0 => addresses(shape, range, &mut shorts),
            _ => {}
        }
    }
    shorts
}

/// Takes a link whose words are the end of its address.
fn link(shape: &Shape<'_>, range: &Range<usize>, address: &str) -> Option<Short> {
    let source = &shape.text[range.clone()];
    let words = source.strip_prefix('[')?.strip_suffix(&format!("]({address})"))?;
    let (place, last) = address.rsplit_once('/')?;
    let (sign, name) = match words.chars().next()? {
        sign @ ('#' | '@') => (sign, &words[1..]),
        _ => ('c', words),
    };
    let fits = match sign {
        '#' => name == last && name.bytes().all(|it| it.is_ascii_digit()),
        '@' => name == last,
        _ => {
            name.len() >= 7
                && last.starts_with(name)
                && last.bytes().all(|it| it.is_ascii_hexdigit())
        }
    };
    (fits && !name.is_empty() && place.contains("://")).then(|| Short {
        range: range.clone(),
        sign,
        place: place_of(place),
        text: words.to_owned(),
    })
}

/// Takes addresses of issues and changes that stand in the text as they are.
fn addresses(shape: &Shape<'_>, range: &Range<usize>, shorts: &mut Vec<Short>) {
    for found in ISSUE.find_iter(&shape.text[range.clone()]) {
        let place = range.start + found.start()..range.start + found.end();
        let next = shape.text[place.end..].chars().next().unwrap_or(' ');
        let before = shape.text[..place.start].chars().next_back().unwrap_or(' ');
        let ends = !next.is_alphanumeric() && !"/#?-_&=%".contains(next);
        let plain = before.is_whitespace() || before == '(';
        if let Some((path, number)) = found.as_str().rsplit_once('/').filter(|_| ends && plain) {
            shorts.push(Short {
                range: place,
                sign: '#',
                place: place_of(path),
                text: format!("#{number}"),
            });
        }
    }
}

/// Issues and changes of one repository are numbered together.
fn place_of(path: &str) -> String {
    let kinds = ["/issues", "/pull", "/pulls", "/-/merge_requests", "/-/issues"];
    let kind = kinds.iter().find_map(|kind| path.strip_suffix(kind));
    kind.unwrap_or(path).to_owned()
}
