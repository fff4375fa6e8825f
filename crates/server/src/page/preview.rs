//! What a trim to a chosen budget would leave of a session. Nothing is written.

use std::path::Path;

use loadline::cache::ContentHash;
use loadline::session::{TrimOptions, Trimmed, Turn, TurnFate, trim, turn_tokens};
use loadline::tokens::Tokens;
use maud::{Markup, html};

use super::State;
use super::chart::{mark, strip};
use super::data::Session;
use super::layout::{figures, more, remarks, table};
use super::route::Asked;
use super::session::Opened;
use super::text::{clipped, percent, thousands};

/// Budgets that one click away.
const USUAL: [u64; 5] = [8_000, 16_000, 32_000, 64_000, 100_000];
/// The smallest budget, and what the slider moves by.
const LEAST: u64 = 2_000;
const STEP: u64 = 500;
/// The most turns that are listed.
const LISTED: usize = 400;

/// Writes the form, and below it what was asked for.
pub(super) fn section(state: &State, session: &Session, opened: &Opened, asked: &Asked) -> Markup {
    let tokens = opened.stats.tokens.get();
    let asked = asked.number("budget").map(|it| it.clamp(LEAST, LEAST.max(tokens)));
    let usual = state.options.settings.resume.target.get();
    let address = session.address();
    html! {
        h2 id="trim" { "Trim preview" }
        @if tokens <= LEAST {
            p.faint { "The session is too small to be trimmed." }
        } @else {
            form action={ (address) "#trim" } method="get" {
                label for="budget" { "Budget" }
                span.faint { (thousands(LEAST)) }
                input id="budget" type="range" name="budget" min=(LEAST) max=(tokens) step=(STEP)
                    value=(asked.unwrap_or(usual.min(tokens)));
                span.faint { (thousands(tokens)) }
                button { "Preview" }
            }
            p {
                "Or: "
                @for budget in USUAL.into_iter().filter(|it| *it < tokens) {
                    a href={ (address) "?budget=" (budget) "#trim" } { (thousands(budget)) } " "
                }
            }
            @if let Some(budget) = asked { (preview(state, opened, budget)) }
        }
    }
}

fn preview(state: &State, opened: &Opened, budget: u64) -> Markup {
    let options = TrimOptions {
        pinned: (state.options.pinned)(&opened.found.directory),
        keep_last: state.options.settings.session.keep_last,
        handle: handle(state, opened),
        ..TrimOptions::new(opened.counter.clone(), Tokens::new(budget))
    };
    match trim(&opened.transcript, &options) {
        Ok(trimmed) => outcome(opened, &trimmed, budget),
        Err(error) => {
            html! { p { "It cannot be trimmed to " (thousands(budget)) " tokens: " (error) "." } }
        }
    }
}

/// The name that the original would be recalled by. It follows from the content, so it is
/// known before anything is kept.
fn handle(state: &State, opened: &Opened) -> Option<String> {
    let archive = state.options.archive.as_ref()?;
    let directory = &opened.found.directory;
    let own = loadline::archive::Archive::new(archive.directory(), project(directory));
    own.handle(&ContentHash::of(opened.transcript.source())).ok()
}

/// The root of the repository around a directory, or the directory itself.
fn project(directory: &Path) -> &Path {
    directory.ancestors().find(|it| it.join(".git").exists()).unwrap_or(directory)
}

fn outcome(opened: &Opened, trimmed: &Trimmed, budget: u64) -> Markup {
    let fates = trimmed.fates(&opened.transcript);
    let count = |fate: TurnFate| fates.iter().filter(|it| **it == fate).count() as u64;
    let fields: Vec<(&str, String)> = fates
        .iter()
        .zip(&opened.transcript.turns)
        .enumerate()
        .map(|(place, (fate, turn))| {
            (fate.name(), format!("turn {}, {}: {}", place + 1, turn.role.name(), fate.name()))
        })
        .collect();
    let (before, after) = (trimmed.before.get(), trimmed.after.get());
    html! {
        (figures(&[
            ("budget", thousands(budget)),
            ("before", thousands(before)),
            ("after", thousands(after)),
            ("gone", percent(before.saturating_sub(after) as f64, before as f64)),
        ]))
        (strip("What becomes of each turn", &fields))
        p {
            @for fate in [TurnFate::Kept, TurnFate::Shrunk, TurnFate::Cut] {
                (mark(fate.name())) " " (thousands(count(fate))) " " (fate.name()) " \u{a0} "
            }
        }
        p.faint {
            "Lines of a turn that is cut may be quoted in an excerpt. Nothing was written; "
            code { "loadline session trim FILE --budget " (budget) } " does it."
        }
        (remarks(&trimmed.remarks))
        details {
            summary { "What is cut or shrunk, and how it is recalled" }
            (turns(opened, &fates, trimmed.handle.as_deref()))
        }
    }
}

fn turns(opened: &Opened, fates: &[TurnFate], handle: Option<&str>) -> Markup {
    let changed: Vec<(usize, (&TurnFate, &Turn))> = fates
        .iter()
        .zip(&opened.transcript.turns)
        .enumerate()
        .filter(|(_, (fate, _))| **fate != TurnFate::Kept)
        .collect();
    let row = |(place, (fate, turn)): &(usize, (&TurnFate, &Turn))| {
        let number = place + 1;
        let text = turn.texts().find(|it| !it.trim().is_empty()).map(str::to_owned);
        let call = || turn.calls().next().map(|it| it.name.clone());
        let about = text.or_else(call).unwrap_or_else(|| "results".to_owned());
        let first = about.trim().lines().next().unwrap_or_default();
        vec![
            html! { (number) },
            html! { (turn.role.name()) },
            html! { (mark(fate.name())) " " (fate.name()) },
            html! { (clipped(first, 100)) },
            html! { (thousands(turn_tokens(&opened.counter, turn).get())) },
            html! { @if let Some(handle) = handle { code { (handle) ":" (number) } } },
        ]
    };
    let columns = ["turn|n", "role|wide", "fate", "about", "tokens|n wide", "recall"];
    html! {
        (table("Turns that are cut or shrunk", &columns, changed.iter().take(LISTED).map(row)))
        (more(changed.len(), LISTED, "turn", None))
    }
}
