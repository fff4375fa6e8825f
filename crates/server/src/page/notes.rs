//! Notes: how full each feature is, what was done to it, and what a level would take out.

use std::collections::HashSet;

use http::StatusCode;
use loadline::notes::{
    Feature, HistoryEntry, Level, MeasuredFeature, NotesOptions, history, measure_features,
    plan_compaction,
};
use maud::{Markup, html};

use super::State;
use super::chart::meter;
use super::layout::{Page, remarks, table};
use super::route::{Asked, encoded};
use super::text::{bytes, minute, plural, thousands};

const PLACE: &str = "/notes";
/// The most lines of a file that are shown of a difference.
const LINES: usize = 60;
/// The levels that take something out.
const LEVELS: [Level; 3] = [Level::Compact, Level::Summarize, Level::Handoff];

impl State {
    /// How notes are measured now.
    pub(super) fn notes(&self) -> NotesOptions {
        NotesOptions { now: self.now(), ..self.options.notes.clone() }
    }

    /// Finds a feature among those that there are.
    pub(super) fn feature(&self, name: &str) -> Option<Feature> {
        let features = &self.options.features;
        let listed = features.list().unwrap_or_default();
        listed.iter().any(|it| it == name).then(|| features.feature(name).ok()).flatten()
    }
}

pub(super) fn page(state: &State, asked: &Asked) -> Page {
    let chosen = asked.query("feature");
    let feature = chosen.and_then(|name| state.feature(name));
    if chosen.is_some() && feature.is_none() {
        let message = "It may have been renamed or deleted. The page of notes lists all features.";
        return Page::trouble(StatusCode::NOT_FOUND, PLACE, "No such feature", message);
    }
    let options = state.notes();
    let body = match feature {
        Some(feature) => one(state, &feature, asked, &options),
        None => all(state, &options),
    };
    Page::new(chosen.unwrap_or("Notes"), PLACE, body)
}

fn all(state: &State, options: &NotesOptions) -> Markup {
    let root = state.options.features.root().display().to_string();
    let measured = measure_features(&state.options.features, options, &state.options.store);
    html! {
        h1 { "Notes" }
        p.faint { "Features in " code { (root) } }
        @match measured {
            Ok(features) if !features.is_empty() => { (pressure(&features)) }
            Ok(_) => {
                p { "There are no features here. Start " code { "loadline serve" } " in a project that keeps notes, or set " code { "memory.root" } "." }
            }
            Err(error) => { p { "The features cannot be listed: " (error) "." } }
        }
    }
}

fn pressure(features: &[MeasuredFeature]) -> Markup {
    let row = |(name, status): &MeasuredFeature| {
        let link = html! { a href={ "/notes?feature=" (encoded(name)) } { (name) } };
        match status {
            Ok(status) => vec![
                link,
                html! { (thousands(status.tokens.get())) },
                html! { (status.percent_text()) " %" },
                meter(status.percent(), 100.0),
                html! { (status.level.name()) },
            ],
            Err(error) => vec![link, html! {}, html! {}, html! {}, html! { (error) }],
        }
    };
    let columns = ["feature", "tokens|n wide", "of the budget|n", "", "level"];
    table("Features and how full they are", &columns, features.iter().map(row))
}

fn one(state: &State, feature: &Feature, asked: &Asked, options: &NotesOptions) -> Markup {
    let status = loadline::notes::measure_feature(feature, options, &state.options.store);
    let level = asked.query("level").and_then(|it| it.parse::<Level>().ok());
    let address = format!("/notes?feature={}", encoded(feature.name()));
    html! {
        h1 { (feature.name()) }
        @match status {
            Ok(status) => {
                p {
                    (thousands(status.tokens.get())) " of " (thousands(status.max_tokens.get()))
                    " tokens (" (status.percent_text()) " %), level " strong { (status.level.name()) } ". "
                    (status.level.recommendation())
                }
                @let rows = status.files.iter().map(|it| vec![
                    html! { (it.name) }, html! { (thousands(it.tokens.get())) }, html! { (bytes(it.bytes)) },
                ]);
                (table("Notes", &["note", "tokens|n", "size|n"], rows))
                (remarks(&status.notes))
            }
            Err(error) => { p { "It cannot be measured: " (error) "." } }
        }
        h2 { "History" }
        (past(state, feature))
        h2 id="diff" { "What a level would take out" }
        p {
            @for it in LEVELS {
                @let current = (level == Some(it)).then_some("true");
                a href={ (address) "&level=" (it.name()) "#diff" } aria-current=[current] { (it.name()) } " "
            }
        }
        @if let Some(level) = level { (difference(state, feature, level, options.clone())) }
    }
}

/// What was done, the latest first, and what can be taken back.
fn past(state: &State, feature: &Feature) -> Markup {
    let (entries, notes) = match history(feature) {
        Ok(history) => history,
        Err(error) => return html! { p { "The history cannot be read: " (error) "." } },
    };
    let now = state.now();
    let row = |it: &HistoryEntry| {
        let saved = it.saved_tokens.filter(|saved| *saved > 0);
        let address =
            format!("/notes/revert?feature={}&id={}", encoded(feature.name()), encoded(&it.id));
        vec![
            html! { (minute(it.timestamp)) },
            html! { code { (it.id) } },
            html! { (plural(it.files.len() as u64, "file")) },
            html! { @if let Some(saved) = saved { (thousands(saved)) } },
            html! {
                @if it.reverted { "reverted" }
                @else if it.can_be_reverted(&entries, now) { a href=(address) { "Revert…" } }
                @else { span.faint { "no longer" } }
            },
        ]
    };
    let columns = ["when (UTC)", "what", "files|wide", "tokens saved|n wide", "revert"];
    html! {
        @if entries.is_empty() { p.faint { "Nothing was done to it yet." } }
        @else { (table("What was done", &columns, entries.iter().rev().map(row))) }
        (remarks(&notes))
    }
}

/// The lines that a compaction would remove and add; nothing is written.
fn difference(state: &State, feature: &Feature, level: Level, mut options: NotesOptions) -> Markup {
    (state.options.background)(feature, &mut options);
    let plan = match plan_compaction(feature, Some(level), &options) {
        Ok(plan) => plan,
        Err(error) => return html! { p { "It cannot be planned: " (error) "." } },
    };
    let (before, after) = (plan.tokens_before.get(), plan.tokens_after.get());
    let text = |bytes: &Option<Vec<u8>>| {
        String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
    };
    html! {
        p { (thousands(before)) " tokens would be " (thousands(after)) "." }
        @if plan.changes.is_empty() { p.faint { "No note would change." } }
        @for change in &plan.changes {
            @let (old, new) = (text(&change.before), text(&change.after));
            h3 { (change.name) }
            @let (gone, come) = (only_in(&old, &new), only_in(&new, &old));
            pre tabindex="0" {
                @for line in gone.iter().take(LINES) { span.gone { "- " (line) "\n" } }
                @for line in come.iter().take(LINES) { span.come { "+ " (line) "\n" } }
            }
            p.faint { (thousands(gone.len() as u64)) " lines removed, " (thousands(come.len() as u64)) " added" }
        }
        (remarks(&plan.notes))
    }
}

/// The lines of a text that another does not have.
fn only_in<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let known: HashSet<&str> = other.lines().map(str::trim_end).collect();
    let lines = text.lines().map(str::trim_end);
    lines.filter(|it| !it.is_empty() && !known.contains(it)).collect()
}
