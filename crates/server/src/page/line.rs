//! How a window filled, turn by turn, with the pauses in which its cache went cold.

use maud::{Markup, html};

use super::chart::{WIDTH, number};
use super::text::{brief, thousands};

const HEIGHT: f64 = 150.0;
/// The most points of a curve; more turns are drawn together, by their fullest.
const POINTS: usize = 240;

/// One turn.
pub(super) struct Point {
    pub(super) tokens: u64,
    /// What is shown on hover.
    pub(super) title: String,
    /// The pause before it, if the cache did not outlive it.
    pub(super) cold: Option<String>,
}

/// Draws the curve against a window.
pub(super) fn line(label: &str, points: &[Point], window: u64) -> Markup {
    let fullest = points.iter().map(|it| it.tokens).max().unwrap_or(0);
    // The window is the top, unless the session is far from it.
    let top = if fullest * 3 > window { window.max(fullest) } else { fullest.max(1) };
    let size = points.len().div_ceil(POINTS).max(1);
    let groups: Vec<&[Point]> = points.chunks(size).collect();
    let step = WIDTH / groups.len().max(1) as f64;
    let y = |tokens: u64| HEIGHT - (HEIGHT - 10.0) * tokens as f64 / top as f64;
    let fill = |group: &[Point]| group.iter().map(|it| it.tokens).max().unwrap_or(0);
    let at = |(place, group): (usize, &&[Point])| {
        format!("{},{}", number(step * (place as f64 + 0.5)), number(y(fill(group))))
    };
    let curve = groups.iter().enumerate().map(at).collect::<Vec<_>>().join(" ");
    let (first, last) = (step / 2.0, WIDTH - step / 2.0);
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                line.grid x1="0" x2=(WIDTH) y1=(number(y(top / 2))) y2=(number(y(top / 2))) {}
                line.grid x1="0" x2=(WIDTH) y1=(number(HEIGHT - 0.5)) y2=(number(HEIGHT - 0.5)) {}
                @if top >= window {
                    line.limit x1="0" x2=(WIDTH) y1=(number(y(window))) y2=(number(y(window))) {}
                }
                polygon.area points={ (number(first)) "," (HEIGHT) " " (curve) " " (number(last)) "," (HEIGHT) } {}
                polyline.curve points=(curve) {}
                text.faint x="2" y=(number(y(top / 2) - 3.0)) { (brief(top / 2)) }
                text.faint x="2" y=(number(y(top) - 2.0)) { (brief(top)) }
                @for (place, group) in groups.iter().enumerate() {
                    (column(step * place as f64, step, group))
                }
            }
            figcaption {
                span { (thousands(points.len() as u64)) " turns" }
                span { "window " (thousands(window)) " tokens" }
            }
        }
    }
}

/// What can be pointed at: the turns of one place, and the pause before them.
fn column(left: f64, width: f64, group: &[Point]) -> Markup {
    let fullest = group.iter().max_by_key(|it| it.tokens);
    html! {
        rect.hover x=(number(left)) y="0" width=(number(width)) height=(HEIGHT) {
            title { @if let Some(point) = fullest { (point.title) } }
        }
        @if let Some(pause) = group.iter().find_map(|it| it.cold.as_ref()) {
            line.gap x1=(number(left)) x2=(number(left)) y1="10" y2=(HEIGHT) { title { (pause) } }
        }
    }
}
