//! The archive and its ledger: what is kept, and what was cut.

use loadline::archive::{Archive, ArchivedProject, Cut, CutKind, CutLedger, CutTotal, LedgerError};
use maud::{Markup, html};

use super::State;
use super::chart::meter;
use super::layout::{Page, figures, table};
use super::text::{bytes, clipped_path, minute_ns, percent, thousands};

/// How many cuts are listed.
const LISTED: usize = 100;

pub(super) fn page(state: &State) -> Page {
    let body = html! {
        h1 { "Archive" }
        @if let Some(archive) = &state.options.archive { (kept(archive)) }
        @else { p { "There is no directory for the archive. Set HOME or LOADLINE_DATA_DIR." } }
    };
    Page::new("Archive", "/archive", body)
}

fn kept(archive: &Archive) -> Markup {
    let projects = archive.projects();
    let sum = |of: fn(&ArchivedProject) -> u64| projects.iter().map(of).sum::<u64>();
    html! {
        p.faint { "Originals of what was cut, in " code { (archive.directory().display()) } }
        (figures(&[
            ("originals", thousands(sum(|it| it.originals))),
            ("on disk", bytes(sum(|it| it.bytes))),
            ("projects", thousands(projects.len() as u64)),
        ]))
        @if projects.is_empty() { p.faint { "Nothing is kept yet." } }
        @else { (by_project(&projects)) }
        h2 { "Ledger" }
        // A ledger is made when something is first cut; looking makes none.
        @if archive.directory().join("ledger.db").is_file() {
            @match read(archive) {
                Ok((totals, rows)) => { (saved(&totals)) (cuts(&rows)) }
                Err(error) => { p { "The ledger cannot be read: " (error) "." } }
            }
        } @else {
            p.faint { "Nothing was cut yet." }
        }
    }
}

fn read(archive: &Archive) -> Result<(Vec<CutTotal>, Vec<Cut>), LedgerError> {
    let ledger = CutLedger::open(archive.directory())?;
    Ok((ledger.totals(i64::MIN)?, ledger.rows(i64::MIN, LISTED)?))
}

fn by_project(projects: &[ArchivedProject]) -> Markup {
    let most = projects.first().map_or(0, |it| it.bytes) as f64;
    let row = |it: &ArchivedProject| {
        let root = it.root.as_deref().unwrap_or("(of an older version)");
        vec![
            html! { span title=(root) { (clipped_path(root, 60)) } },
            html! { (thousands(it.originals)) },
            html! { (bytes(it.bytes)) },
            meter(it.bytes as f64, most),
        ]
    };
    let columns = ["project", "originals|n", "size|n", "|wide"];
    table("Originals by project", &columns, projects.iter().map(row))
}

fn saved(totals: &[CutTotal]) -> Markup {
    let sum = |of: fn(&CutTotal) -> u64| totals.iter().map(of).sum::<u64>();
    let (before, after) = (sum(|it| it.before), sum(|it| it.after));
    let gone = before.saturating_sub(after);
    let row = |it: &CutTotal| {
        vec![
            html! { (it.what.name()) },
            html! { (it.tool) },
            html! { (it.rule) },
            html! { (thousands(it.rows)) },
            html! { (thousands(it.before)) },
            html! { (thousands(it.after)) },
            html! { (thousands(it.recalled)) },
        ]
    };
    let columns =
        ["by", "tool", "rule|wide", "cuts|n", "before|n wide", "after|n wide", "recalled|n"];
    html! {
        p {
            (thousands(gone)) " tokens were not sent (" (percent(gone as f64, before as f64)) " of " (thousands(before)) "); "
            (thousands(sum(|it| it.recalled))) " of " (thousands(sum(|it| it.rows))) " cuts were asked for again."
        }
        (table("Cuts by tool and rule", &columns, totals.iter().map(row)))
    }
}

fn cuts(rows: &[Cut]) -> Markup {
    let row = |it: &Cut| {
        let size = |tokens: u64| {
            if it.what == CutKind::Recall { String::new() } else { thousands(tokens) }
        };
        vec![
            html! { (minute_ns(it.at)) },
            html! { (it.what.name()) },
            html! { (it.tool) },
            html! { (size(it.before)) },
            html! { (size(it.after)) },
            html! { code { (it.handle) } },
        ]
    };
    let columns = ["when (UTC)", "by", "tool|wide", "before|n", "after|n", "handle"];
    html! {
        h3 { "The last cuts" }
        (table("The last cuts", &columns, rows.iter().map(row)))
        p.faint { code { "loadline recall HANDLE" } " prints what was cut, in the project that it comes from." }
    }
}
