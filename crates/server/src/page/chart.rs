//! Small charts: bars over time, a meter in a table, a strip of turns.
//!
//! Every mark has a `<title>`, which browsers show on hover and screen readers read.
//! Positions are attributes and colours are classes: the policy allows no inline style.

use maud::{Markup, html};

/// The width of charts, in their own units.
pub(super) const WIDTH: f64 = 480.0;

const HEIGHT: f64 = 130.0;

/// A bar of a chart.
pub(super) struct Bar {
    pub(super) value: f64,
    pub(super) title: String,
}

/// Draws bars from left to right; the highest is as high as the chart.
pub(super) fn bars(label: &str, bars: &[Bar], captions: [&str; 2]) -> Markup {
    let most = bars.iter().map(|it| it.value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let step = WIDTH / bars.len().max(1) as f64;
    let gap = (step * 0.15).min(2.0);
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                line.grid x1="0" x2=(WIDTH) y1=(HEIGHT - 0.5) y2=(HEIGHT - 0.5) {}
                @for (place, bar) in bars.iter().enumerate() {
                    @let height = (HEIGHT - 4.0) * bar.value / most;
                    @let left = step * place as f64;
                    @if bar.value > 0.0 {
                        rect.bar x=(number(left + gap / 2.0)) y=(number(HEIGHT - height.max(1.0)))
                            width=(number((step - gap).min(40.0))) height=(number(height.max(1.0))) {
                            title { (bar.title) }
                        }
                    }
                }
            }
            figcaption { span { (captions[0]) } span { (captions[1]) } }
        }
    }
}

/// Draws how much of something there is, for a row of a table.
pub(super) fn meter(part: f64, whole: f64) -> Markup {
    let width = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    html! {
        svg.meter viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="10" rx="2" {}
            rect.bar width=(number(width)) height="10" rx="2" {}
        }
    }
}

/// Draws a row of small fields, each with a class and a title.
pub(super) fn strip(label: &str, fields: &[(&str, String)]) -> Markup {
    let step = WIDTH / fields.len().max(1) as f64;
    let gap = if step > 3.0 { 1.0 } else { 0.0 };
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " 16" } role="img" aria-label=(label) {
                @for (place, (class, title)) in fields.iter().enumerate() {
                    rect.(class) x=(number(step * place as f64)) y="0"
                        width=(number((step - gap).max(0.3))) height="16" {
                        title { (title) }
                    }
                }
            }
        }
    }
}

/// Draws a field of the colour of a class, for legends.
pub(super) fn mark(class: &str) -> Markup {
    html! { svg.mark viewBox="0 0 10 10" aria-hidden="true" { rect.(class) width="10" height="10" rx="2" {} } }
}

/// Writes a position with one decimal, as far as it has any.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
