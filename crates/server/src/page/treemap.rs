//! What fills a session, as areas: the larger, the more tokens.
//!
//! Fields are laid out in rows that keep them as square as they can be (Bruls, Huizing and
//! van Wijk, 2000). A field may be divided in the same way once more.

use maud::{Markup, html};

use super::chart::{WIDTH, number};
use super::text::{clipped_path, thousands};

const HEIGHT: f64 = 240.0;
/// How many colours there are.
const COLOURS: usize = 8;
/// Units of width that a letter takes, about.
const LETTER: f64 = 5.1;

/// Something that takes tokens.
#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) tokens: u64,
    /// What it consists of; what they do not cover is its own.
    pub(super) parts: Vec<Field>,
}

#[derive(Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Draws fields; colours follow their order.
pub(super) fn treemap(label: &str, fields: &[Field]) -> Markup {
    let whole = Place { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
    let total: u64 = fields.iter().map(|it| it.tokens).sum();
    let places = laid_out(&fields.iter().map(|it| it.tokens).collect::<Vec<_>>(), whole);
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                @for (number, (field, place)) in fields.iter().zip(places).enumerate() {
                    @let class = format!("c{}", number % COLOURS);
                    @for (part, place) in divided(field, place) {
                        (cell(field, &part, place, &class, total))
                    }
                }
            }
        }
    }
}

/// A field as its parts, or as itself where it has none.
fn divided(field: &Field, place: Place) -> Vec<(Field, Place)> {
    let mut parts = field.parts.clone();
    let named: u64 = parts.iter().map(|it| it.tokens).sum();
    let rest = field.tokens.saturating_sub(named);
    if rest > 0 || parts.is_empty() {
        parts.push(Field { name: field.name.clone(), tokens: rest, parts: Vec::new() });
    }
    parts.sort_by(|a, b| (b.tokens, &a.name).cmp(&(a.tokens, &b.name)));
    let places = laid_out(&parts.iter().map(|it| it.tokens).collect::<Vec<_>>(), place);
    parts.into_iter().zip(places).collect()
}

fn cell(field: &Field, part: &Field, place: Place, class: &str, total: u64) -> Markup {
    let share = part.tokens as f64 / total.max(1) as f64 * 100.0;
    let is_part = part.name != field.name;
    let room = ((place.width - 6.0) / LETTER).max(0.0) as usize;
    html! {
        g {
            rect.cell.(class) x=(number(place.x)) y=(number(place.y))
                width=(number(place.width)) height=(number(place.height)) {
                title {
                    @if is_part { (field.name) ": " }
                    (part.name) ", " (thousands(part.tokens)) " tokens (" (format!("{share:.1}")) " %)"
                }
            }
            @if room >= 4 && place.height > 13.0 {
                text x=(number(place.x + 3.0)) y=(number(place.y + 9.5)) { (clipped_path(&part.name, room)) }
            }
            @if room >= 6 && place.height > 25.0 {
                text.n x=(number(place.x + 3.0)) y=(number(place.y + 19.5)) { (thousands(part.tokens)) }
            }
        }
    }
}

/// Places sizes, which are sorted from the largest, in a rectangle.
fn laid_out(sizes: &[u64], within: Place) -> Vec<Place> {
    let total: u64 = sizes.iter().sum();
    let scale = within.width * within.height / total.max(1) as f64;
    let areas: Vec<f64> = sizes.iter().map(|size| *size as f64 * scale).collect();
    let (mut places, mut rest, mut start) = (Vec::new(), within, 0);
    while start < areas.len() {
        let side = rest.width.min(rest.height);
        let mut end = start + 1;
        while end < areas.len()
            && worst(&areas[start..=end], side) <= worst(&areas[start..end], side)
        {
            end += 1;
        }
        rest = row(&areas[start..end], rest, &mut places);
        start = end;
    }
    places
}

/// Places a row along the shorter side; returns what is left.
fn row(areas: &[f64], within: Place, places: &mut Vec<Place>) -> Place {
    let sum: f64 = areas.iter().sum();
    let is_column = within.width >= within.height;
    let side = within.width.min(within.height);
    let depth = if side > 0.0 { sum / side } else { 0.0 };
    let mut along = 0.0;
    for area in areas {
        let length = if depth > 0.0 { area / depth } else { 0.0 };
        places.push(if is_column {
            Place { x: within.x, y: within.y + along, width: depth, height: length }
        } else {
            Place { x: within.x + along, y: within.y, width: length, height: depth }
        });
        along += length;
    }
    if is_column {
        Place { x: within.x + depth, width: (within.width - depth).max(0.0), ..within }
    } else {
        Place { y: within.y + depth, height: (within.height - depth).max(0.0), ..within }
    }
}

/// How far from a square the worst field of a row is.
fn worst(areas: &[f64], side: f64) -> f64 {
    let sum: f64 = areas.iter().sum();
    let (least, most) =
        areas.iter().fold((f64::MAX, 0.0_f64), |(a, b), it| (a.min(*it), b.max(*it)));
    let (side, sum) = (side * side, sum * sum);
    if least <= 0.0 || side <= 0.0 {
        f64::MAX
    } else {
        (side * most / sum).max(sum / (side * least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_the_whole_and_stay_inside() {
        let whole = Place { x: 0.0, y: 0.0, width: 100.0, height: 60.0 };
        for sizes in [&[6_u64, 6, 4, 3, 2, 2, 1][..], &[1], &[5, 0, 0], &[]] {
            let places = laid_out(sizes, whole);
            assert_eq!(places.len(), sizes.len());
            let area: f64 = places.iter().map(|it| it.width * it.height).sum();
            assert!(sizes.is_empty() || (area - 6_000.0).abs() < 0.01, "{sizes:?}: {area}");
            for place in places {
                assert!(place.x + place.width < 100.01 && place.y + place.height < 60.01);
            }
        }
    }
}
