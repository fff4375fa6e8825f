//! The overview: what was spent when and on what, what was paid again and why, and what
//! trimming would have saved.

use jiff::ToSpan;
use jiff::civil::Date;
use loadline::usage::{UsageGroup, UsageReport};
use maud::{Markup, html};

use super::State;
use super::chart::{Bar, bars, meter};
use super::layout::{Page, figures, more, remarks, table};
use super::text::{amount, brief, clipped_path, cost, dollars, percent, plural, thousands};

/// How many days are drawn.
const DAYS: i32 = 60;
/// How many groups of a kind are listed.
const LISTED: usize = 10;

pub(super) fn page(state: &State) -> Page {
    let data = state.data();
    let report = data.report(state);
    let body = html! {
        h1 { "Overview" }
        @if report.total.requests == 0 {
            p { "No requests of Claude Code, Codex, the Gemini CLI, opencode or pi were found in \
                 the logs of your home directory. Work with one of them, then load this page again." }
        } @else {
            (markup(report))
        }
        (remarks(&data.remarks))
        (remarks(&report.notes))
    };
    Page::new("Overview", "/", body)
}

/// Writes a report.
fn markup(report: &UsageReport) -> Markup {
    let total = &report.total;
    let again = total.paid_again();
    let part = percent(again, total.cost);
    let part = if part.is_empty() { part } else { format!("({part})") };
    html! {
        (figures(&[
            ("spent", amount(total, total.cost)),
            ("requests", thousands(total.requests as u64)),
            ("tokens", brief(total.spending.total())),
            ("saved by caches", dollars(total.savings.dollars)),
            ("paid again", format!("{} {}", amount(total, again), part)),
        ]))
        @if total.unpriced > 0 {
            p.faint { (plural(total.unpriced as u64, "request")) " without a price count with their tokens, and not with money." }
        }
        h2 { "Spent by day" }
        (by_day(&report.days))
        h2 { "Paid again" }
        (paid_again(report))
        h2 { "Paid for" }
        (paid_for(total))
        @for (title, groups) in [("project", &report.projects), ("model", &report.models), ("agent", &report.agents)] {
            h2 { "By " (title) }
            (by_group(title, groups))
        }
    }
}

/// Draws the last days, those without a request too; in tokens where nothing has a price.
fn by_day(days: &[UsageGroup]) -> Markup {
    let dated: Vec<(Date, &UsageGroup)> =
        days.iter().filter_map(|it| Some((it.name.parse().ok()?, it))).collect();
    let (Some((oldest, _)), Some((last, _))) = (dated.first(), dated.last()) else {
        return html! { p.faint { "The logs do not say when requests were made." } };
    };
    let first = (*last).saturating_sub((DAYS - 1).days()).max(*oldest);
    let is_priced = dated.iter().any(|(_, it)| it.cost > 0.0);
    let drawn: Vec<Bar> = first
        .series(1.day())
        .take_while(|day| day <= last)
        .map(|day| {
            let group =
                dated.binary_search_by_key(&day, |(day, _)| *day).ok().map(|at| dated[at].1);
            let tokens = group.map_or(0, |it| it.spending.total());
            let money = group.map_or(0.0, |it| it.cost);
            Bar {
                value: if is_priced { money } else { tokens as f64 },
                title: group.map_or_else(String::new, |it| {
                    let price = cost(it);
                    let requests = plural(it.requests as u64, "request");
                    format!("{day}: {price}, {requests}, {} tokens", brief(tokens))
                }),
            }
        })
        .collect();
    let most = drawn.iter().map(|it| it.value).fold(0.0, f64::max);
    let most = if is_priced { dollars(most) } else { format!("{} tokens", brief(most as u64)) };
    let label = format!("Spent by day from {first} to {last}, at most {most}");
    let from = format!("{first}, at most {most} a day");
    bars(&label, &drawn, [&from, &last.to_string()])
}

/// What had been sent before and was written again, by cause.
fn paid_again(report: &UsageReport) -> Markup {
    let total = &report.total;
    if total.again.is_empty() {
        return html! { p { "Nothing that had been sent before was written again." } };
    }
    let most = total.again.iter().map(|it| it.cost).fold(0.0, f64::max);
    let rows = total.again.iter().map(|it| {
        vec![
            html! { (it.cause.title()) },
            html! { (thousands(it.requests as u64)) },
            html! { (thousands(it.tokens)) },
            html! { (dollars(it.cost)) },
            meter(it.cost, most),
        ]
    });
    let columns = ["because of", "requests|n wide", "tokens|n wide", "cost|n", ""];
    html! {
        (table("Paid again, by cause", &columns, rows))
        @if report.trim_savings >= 0.005 {
            p {
                "Trimming sessions when their cache was cold would have saved about "
                strong { (dollars(report.trim_savings)) }
                " (" (percent(report.trim_savings, total.cost)) "), reckoned with a tenth of it read again. "
                code { "loadline resume" } " does that."
            }
        }
    }
}

fn paid_for(total: &UsageGroup) -> Markup {
    let kinds = total.paid_for();
    let most = kinds.iter().map(|(.., cost)| *cost).fold(0.0, f64::max);
    let row = |(name, tokens, cost): (&str, u64, f64)| {
        let (tokens, price) = (thousands(tokens), dollars(cost));
        vec![html! { (name) }, html! { (tokens) }, html! { (price) }, meter(cost, most)]
    };
    let columns = ["what", "tokens|n", "cost|n", ""];
    table("What was paid for", &columns, kinds.into_iter().map(row))
}

fn by_group(title: &'static str, groups: &[UsageGroup]) -> Markup {
    let most = groups.iter().map(|it| it.cost).fold(0.0, f64::max);
    let row = |it: &UsageGroup| {
        let cause = it.again.first().map_or("", |it| it.cause.title());
        vec![
            html! { span title=(it.name) { (clipped_path(&it.name, 44)) } },
            html! { (thousands(it.requests as u64)) },
            html! { (cost(it)) },
            html! { (amount(it, it.paid_again())) },
            html! { (cause) },
            meter(it.cost, most),
        ]
    };
    let columns =
        [title, "requests|n wide", "cost|n", "again|n", "mostly because of|wide", "|wide"];
    let all = format!("loadline bill --by {title} --all");
    html! {
        (table(&format!("By {title}"), &columns, groups.iter().take(LISTED).map(row)))
        (more(groups.len(), LISTED, title, Some(&all)))
    }
}
