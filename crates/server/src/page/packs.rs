//! The last packs: where their tokens went, and why files are not in them.

use std::collections::BTreeMap;

use loadline::pack::{PackSummary, SummaryFile};
use maud::{Markup, html};

use super::State;
use super::chart::meter;
use super::layout::{Page, figures, more, table};
use super::route::{Asked, encoded};
use super::text::{clipped_path, minute_ns, percent, thousands};
use super::treemap::{Field, treemap};

/// How many packs are listed.
const LISTED: usize = 20;
/// How many files of each part.
const FILES: usize = 100;

pub(super) fn page(state: &State, asked: &Asked) -> Page {
    let packs = PackSummary::newest(&state.options.store, LISTED);
    let id = asked.query("pack");
    let chosen = packs.iter().find(|it| Some(it.id.as_str()) == id).or(packs.first());
    let body = html! {
        h1 { "Packs" }
        @if let Some(chosen) = chosen {
            @if id.is_some_and(|id| id != chosen.id) {
                p { "That pack is no longer in the cache; this is the newest." }
            }
            (list(&packs, chosen))
            (details(chosen))
        } @else {
            p { "The cache remembers no pack. Make one with " code { "loadline pack" } ", then load this page again." }
        }
    };
    Page::new("Packs", "/packs", body)
}

fn list(packs: &[PackSummary], chosen: &PackSummary) -> Markup {
    let row = |it: &PackSummary| {
        let current = (it.id == chosen.id).then_some("true");
        vec![
            html! { a href={ "/packs?pack=" (encoded(&it.id)) } aria-current=[current] { (minute_ns(it.packed_ns)) } },
            html! { span title=(it.root) { (clipped_path(&it.root, 40)) } },
            html! { (thousands((it.files.len() + it.chunks.len()) as u64)) },
            html! { (thousands(it.tokens)) },
            html! { @if let Some(budget) = it.budget { (thousands(budget)) } },
        ]
    };
    let columns = ["made (UTC)", "directory", "shown|n wide", "tokens|n", "budget|n wide"];
    table("The last packs", &columns, packs.iter().map(row))
}

fn details(pack: &PackSummary) -> Markup {
    let totals = pack.totals();
    html! {
        h2 { "Pack " code { (pack.id) } }
        (figures(&[
            ("tokens", thousands(pack.tokens)),
            ("of the budget", pack.budget.map_or("no budget".to_owned(), |it| percent(pack.tokens as f64, it as f64))),
            ("in full", thousands(totals.full_files as u64)),
            ("in sections", thousands(totals.section_files as u64)),
            ("as signatures", thousands(totals.signature_files as u64)),
            ("left out", thousands(totals.skipped_files as u64)),
        ]))
        p.faint { "Counted by " (pack.counter) "." }
        @if !pack.files.is_empty() {
            h3 { "Tokens by directory and file" }
            (treemap("Tokens of the pack by directory and file", &tree(&pack.files)))
            (shown(pack))
        }
        @if !pack.chunks.is_empty() { (chunks(pack)) }
        @if !pack.omitted.is_empty() { (omitted(pack)) }
    }
}

/// Files below the directories of the first level.
fn tree(files: &[SummaryFile]) -> Vec<Field> {
    let mut fields: BTreeMap<&str, Field> = BTreeMap::new();
    for file in files {
        let (directory, _) = file.path.split_once('/').unwrap_or((file.path.as_str(), ""));
        let field = fields.entry(directory).or_insert_with(|| Field {
            name: directory.to_owned(),
            tokens: 0,
            parts: Vec::new(),
        });
        field.tokens += file.tokens;
        if file.path != directory {
            let (name, tokens) = (file.path.clone(), file.tokens);
            field.parts.push(Field { name, tokens, parts: Vec::new() });
        }
    }
    let mut fields: Vec<Field> = fields.into_values().filter(|it| it.tokens > 0).collect();
    fields.sort_by(|a, b| (b.tokens, &a.name).cmp(&(a.tokens, &b.name)));
    for field in &mut fields {
        field.parts.sort_by(|a, b| (b.tokens, &a.name).cmp(&(a.tokens, &b.name)));
        // Many small files are one field: they could not be told apart.
        field.parts.truncate(40);
    }
    fields
}

fn shown(pack: &PackSummary) -> Markup {
    let mut files: Vec<&SummaryFile> = pack.files.iter().collect();
    files.sort_by(|a, b| (b.tokens, &a.path).cmp(&(a.tokens, &b.path)));
    let most = files.first().map_or(0, |it| it.tokens) as f64;
    let row = |it: &&SummaryFile| {
        vec![
            html! { span title=(it.path) { (clipped_path(&it.path, 60)) } },
            html! { (it.tier) },
            html! { @if let Some(because) = &it.because { (because) } },
            html! { (it.score) },
            html! { (thousands(it.tokens)) },
            meter(it.tokens as f64, most),
        ]
    };
    let columns =
        ["file", "shown", "not in full because|wide", "score|n wide", "tokens|n", "|wide"];
    html! {
        (table("Files in the pack", &columns, files.iter().take(FILES).map(row)))
        (more(files.len(), FILES, "file", None))
    }
}

fn chunks(pack: &PackSummary) -> Markup {
    let row = |it: &loadline::pack::SummaryChunk| {
        vec![
            html! { span title=(it.path) { (clipped_path(&it.path, 60)) } },
            html! { (it.lines.0) "-" (it.lines.1) },
            html! { (thousands(it.tokens)) },
        ]
    };
    let columns = ["source", "lines|n", "tokens|n"];
    html! {
        h3 { "Chunks" }
        (table("Chunks in the pack", &columns, pack.chunks.iter().take(FILES).map(row)))
        (more(pack.chunks.len(), FILES, "chunk", None))
    }
}

fn omitted(pack: &PackSummary) -> Markup {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &pack.omitted {
        *reasons.entry(file.reason.name()).or_default() += 1;
    }
    let row = |it: &loadline::pack::OmittedFile| {
        vec![
            html! { span title=(it.path) { (clipped_path(&it.path, 60)) } },
            html! { (it.reason) },
            html! { @if let Some(tokens) = it.tokens { (thousands(tokens.get())) } },
        ]
    };
    let columns = ["file", "because", "tokens|n"];
    html! {
        h3 { "Left out" }
        p { @for (reason, count) in &reasons { (reason) ": " (thousands(*count as u64)) ". " } }
        details {
            summary { "Files" }
            (table("Files that were left out", &columns, pack.omitted.iter().take(FILES).map(row)))
            (more(pack.omitted.len(), FILES, "file", None))
        }
    }
}
