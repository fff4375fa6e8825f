//! What compactions saved, as one page: charts are part of it, nothing is loaded.

use std::fmt::Write as _;

use jiff::Timestamp;
use loadline::notes::{FeatureStatus, Level, Saving};

use super::savings::Savings;
use crate::memory::clock;
use crate::ui::{plural, thousands};

/// The width of a chart, and the height of the one over time.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
/// The height of one bar with the space below it.
const ROW: f64 = 28.0;
/// What is left of the bars, for names.
const NAMES: f64 = 180.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--faint:#6a737d;--line:#d8dee4;--a:#0969da;--raw:#1a7f37;--compact:#9a6700;--summarize:#bc4c00;--handoff:#cf222e}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--faint:#8b949e;--line:#30363d;--a:#58a6ff;--raw:#3fb950;--compact:#d29922;--summarize:#f0883e;--handoff:#f85149}}
body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-top:2rem}
svg{width:100%;height:auto}text{fill:var(--text);font-size:12px}.faint{fill:var(--faint);color:var(--faint)}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid var(--line)}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.raw{fill:var(--raw)}.compact{fill:var(--compact)}.summarize{fill:var(--summarize)}.handoff{fill:var(--handoff)}";

/// Writes the page.
pub(super) fn page(savings: &Savings, now: Timestamp) -> String {
    let total = plural(savings.total(), "token");
    let count = plural(savings.list.len() as u64, "compaction");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>Context report</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>Context report</h1>\n<p>{total} saved by {count}. <span class=\"faint\">As of {} UTC.</span></p>\n",
        clock(now)
    );
    page.push_str("<h2>How full features are</h2>\n");
    page.push_str(&bars(&savings.statuses));
    page.push_str("<h2>Tokens saved over time</h2>\n");
    page.push_str(&over_time(&savings.list));
    page.push_str("<h2>Compactions</h2>\n");
    page.push_str(&table(&savings.list));
    page.push_str("</body>\n</html>\n");
    page
}

/// Draws one bar for each feature; a full one is 100 percent or more.
fn bars(statuses: &[FeatureStatus]) -> String {
    if statuses.is_empty() {
        return "<p class=\"faint\">There are no features.</p>\n".to_owned();
    }
    let height = ROW * statuses.len() as f64;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n");
    for (index, status) in statuses.iter().enumerate() {
        let top = ROW * index as f64;
        let room = WIDTH - NAMES - 150.0;
        let width = (room * status.percent() / 100.0).clamp(1.0, room);
        let level = status.level.name();
        let label = format!("{} ({}%)", thousands(status.tokens.get()), status.percent_text());
        // Writing to a text does not fail.
        let _ = writeln!(
            svg,
            "<text x=\"0\" y=\"{:.0}\">{}</text><rect class=\"{level}\" x=\"{NAMES}\" y=\"{:.0}\" width=\"{width:.1}\" height=\"16\" rx=\"3\"/><text class=\"faint\" x=\"{:.1}\" y=\"{:.0}\">{label}{}</text>",
            top + 17.0,
            escape(&short(&status.feature)),
            top + 5.0,
            NAMES + width + 8.0,
            top + 17.0,
            if status.level == Level::Raw { String::new() } else { format!(" {level}") },
        );
    }
    svg + "</svg>\n"
}

/// Draws what was saved until each moment, as steps.
fn over_time(list: &[Saving]) -> String {
    let (Some(first), Some(last)) = (list.first(), list.last()) else {
        return "<p class=\"faint\">Nothing was compacted yet.</p>\n".to_owned();
    };
    let start = first.time.as_second();
    let span = (last.time.as_second() - start).max(1) as f64;
    let total: u64 = list.iter().map(|it| it.saved().get()).sum();
    let (room, floor) = (WIDTH - 90.0, HEIGHT - 30.0);
    let across = |time: Timestamp| 70.0 + room * (time.as_second() - start) as f64 / span;
    let up = |sum: u64| floor - (floor - 15.0) * sum as f64 / total.max(1) as f64;
    let (mut path, mut sum) = (format!("M70 {:.1}", up(0)), 0);
    for saving in list {
        sum += saving.saved().get();
        let _ = write!(path, "H{:.1}V{:.1}", across(saving.time), up(sum));
    }
    let _ = write!(path, "H{:.1}", WIDTH - 20.0);
    let day = |time: Timestamp| time.strftime("%Y-%m-%d").to_string();
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<path d=\"M70 15V{floor}H{}\" fill=\"none\" stroke=\"var(--line)\"/>\n<path d=\"{path}\" fill=\"none\" stroke=\"var(--a)\" stroke-width=\"2\"/>\n<text class=\"faint\" x=\"64\" y=\"20\" text-anchor=\"end\">{}</text><text class=\"faint\" x=\"64\" y=\"{floor}\" text-anchor=\"end\">0</text>\n<text class=\"faint\" x=\"70\" y=\"{}\">{}</text><text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n</svg>\n",
        WIDTH - 20.0,
        thousands(total),
        HEIGHT - 10.0,
        day(first.time),
        WIDTH - 20.0,
        HEIGHT - 10.0,
        day(last.time),
    )
}

fn table(list: &[Saving]) -> String {
    let mut table = "<table>\n<tr><th>Time (UTC)</th><th>Feature</th><th>Level</th><th class=\"n\">Before</th><th class=\"n\">After</th><th class=\"n\">Saved</th></tr>\n".to_owned();
    for saving in list.iter().rev() {
        let state = if saving.reverted { " (reverted)" } else { "" };
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}{state}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            clock(saving.time),
            escape(&saving.feature),
            escape(&saving.level),
            thousands(saving.tokens_before.get()),
            thousands(saving.tokens_after.get()),
            thousands(saving.saved().get()),
        );
    }
    table + "</table>\n"
}

/// Cuts a name to what fits left of the bars; names differ at their ends.
fn short(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len() {
        0..=24 => name.to_owned(),
        length => {
            let (head, tail) = (&letters[..11], &letters[length - 12..]);
            format!("{}…{}", String::from_iter(head), String::from_iter(tail))
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadline::tokens::Tokens;

    #[test]
    fn f274_the_page_stands_alone_and_escapes_what_it_shows() {
        let saving = |day: &str, reverted| Saving {
            feature: "login".to_owned(),
            id: "x".to_owned(),
            time: format!("2024-01-{day}T10:00:00Z").parse().unwrap(),
            level: "<b>".to_owned(),
            tokens_before: Tokens::new(1_000),
            tokens_after: Tokens::new(400),
            expires: None,
            reverted,
        };
        let status = FeatureStatus {
            feature: "login".to_owned(),
            files: Vec::new(),
            tokens: Tokens::new(900),
            max_tokens: Tokens::new(1_000),
            level: Level::Summarize,
            notes: Vec::new(),
        };
        let savings = Savings {
            list: vec![saving("01", false), saving("02", true), saving("05", false)],
            statuses: vec![status],
        };
        let page = page(&savings, Timestamp::UNIX_EPOCH);
        assert!(page.contains("1,200 tokens saved by 3 compactions"), "{page}");
        assert!(page.contains("&lt;b&gt; (reverted)") && !page.contains("<b>"));
        assert!(page.contains("prefers-color-scheme:dark"));
        assert!(!page.contains("http") && !page.contains("<script"));
        assert_eq!(page.matches("<svg").count(), 2);
        let empty = Savings { list: Vec::new(), statuses: Vec::new() };
        assert!(super::page(&empty, Timestamp::UNIX_EPOCH).contains("Nothing was compacted yet"));
    }
}
