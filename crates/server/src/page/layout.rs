//! The frame of all pages: head, navigation and the one stylesheet; and their tables.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use loadline::Remark;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::text::plural;

/// The stylesheet, inside of every page.
const STYLE: &str = include_str!("style.css");

/// Shows a link when a log has changed.
const SCRIPT: &str =
    "new EventSource('/events').onmessage=()=>{document.getElementById('changed').hidden=false}";

/// The pages, with their addresses.
const PLACES: [(&str, &str); 5] = [
    ("/", "Overview"),
    ("/sessions", "Sessions"),
    ("/packs", "Packs"),
    ("/notes", "Notes"),
    ("/archive", "Archive"),
];

/// A page without its frame.
pub(super) struct Page {
    pub(super) status: StatusCode,
    pub(super) title: String,
    /// The address of the page in the navigation that it belongs to.
    pub(super) place: &'static str,
    /// Whether the reader may go to other pages.
    pub(super) is_open: bool,
    pub(super) body: Markup,
}

impl Page {
    pub(super) fn new(title: impl Into<String>, place: &'static str, body: Markup) -> Page {
        Page { status: StatusCode::OK, title: title.into(), place, is_open: true, body }
    }

    /// A page that says what went wrong, and what to do.
    pub(super) fn trouble(
        status: StatusCode,
        place: &'static str,
        title: &str,
        message: &str,
    ) -> Page {
        let body = html! { h1 { (title) } p { (message) } };
        Page { status, ..Page::new(title, place, body) }
    }
}

/// A page in its frame.
pub(super) struct Frame {
    pub(super) page: Page,
}

impl Frame {
    pub(super) fn html(&self) -> String {
        let page = &self.page;
        let whole = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // Without it browsers ask for /favicon.ico.
                    link rel="icon" href="data:,";
                    title { (page.title) " - Loadline" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header {
                        span.brand { "Loadline" }
                        @if page.is_open { (navigation(page.place)) }
                    }
                    @if page.is_open {
                        p.notice id="changed" role="status" hidden {
                            "A session went on. " a href="" { "Load this page again" }
                        }
                    }
                    main id="main" { (page.body) }
                    @if page.is_open { script { (PreEscaped(SCRIPT)) } }
                }
            }
        };
        whole.into_string()
    }
}

fn navigation(place: &str) -> Markup {
    html! {
        nav aria-label="Pages" {
            @for (address, name) in PLACES {
                @let current = (address == place).then_some("page");
                a href=(address) aria-current=[current] { (name) }
            }
        }
    }
}

/// What a browser may do with a page: show it with its own stylesheet, run its one line of
/// script, and send its forms here. Nothing is loaded.
pub(super) fn content_policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; \
         img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// Writes a table; what does not fit is scrolled to inside of it.
///
/// A column is its heading and its classes: `"tokens|n"` has numbers, and `"calls|n wide"` is
/// not shown on narrow screens.
pub(super) fn table(
    label: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Vec<Markup>>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr {
                    @for column in columns {
                        @let (name, class) = parts(column);
                        th scope="col" class=(class) { (name) }
                    }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (cell, column) in row.into_iter().zip(columns) {
                                td class=(parts(column).1) { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The heading of a column, and its classes.
fn parts<'a>(column: &&'a str) -> (&'a str, &'a str) {
    column.split_once('|').unwrap_or((column, ""))
}

/// Says how many more there are than are listed, with what lists them all, if something does.
pub(super) fn more(count: usize, listed: usize, noun: &str, all: Option<&str>) -> Markup {
    html! {
        @if count > listed {
            p.faint {
                (plural((count - listed) as u64, noun)) " more"
                @if let Some(command) = all { ": " code { (command) } }
            }
        }
    }
}

/// Numbers with what they are, large.
pub(super) fn figures(figures: &[(&str, String)]) -> Markup {
    html! {
        dl.figures {
            @for (name, value) in figures {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// Writes what the program says about its work.
pub(super) fn remarks(remarks: &[Remark]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            details {
                summary { "Remarks (" (remarks.len()) ")" }
                ul {
                    @for remark in remarks.iter().take(50) {
                        li { (remark.subject) ": " (remark.message) }
                    }
                }
            }
        }
    }
}
