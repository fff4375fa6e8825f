//! The list of sessions, newest first: search, and a page at a time.

use maud::{Markup, html};

use super::State;
use super::data::Session;
use super::layout::{Page, remarks, table};
use super::route::{Asked, encoded};
use super::text::{brief, bytes, clipped, clipped_path, cost, minute, plural, thousands};

/// Sessions on one page.
const LISTED: usize = 50;

pub(super) fn page(state: &State, asked: &Asked) -> Page {
    let data = state.data();
    let query = asked.query("q").unwrap_or_default().trim();
    let found: Vec<&Session> = data.sessions.iter().filter(|it| it.matches(query)).collect();
    let last = found.len().div_ceil(LISTED).max(1);
    let number = asked.number("page").unwrap_or(1).clamp(1, last as u64) as usize;
    // Only what is shown is priced.
    let shown = found.iter().skip((number - 1) * LISTED).take(LISTED);
    let columns = [
        "last used (UTC)",
        "agent|wide",
        "session",
        "requests|n wide",
        "cost|n",
        "tokens|n wide",
        "log|n wide",
    ];
    let body = html! {
        h1 { "Sessions" }
        form action="/sessions" method="get" role="search" {
            input type="search" name="q" value=(query) aria-label="Search sessions"
                placeholder="project, agent, model or id";
            button { "Search" }
        }
        p.faint {
            (plural(found.len() as u64, "session"))
            @if !query.is_empty() { " found of " (thousands(data.sessions.len() as u64)) }
            @if data.silent > 0 { "; " (plural(data.silent as u64, "log")) " without a request not listed" }
        }
        @if found.is_empty() {
            p {
                @if query.is_empty() { "There are no sessions yet." }
                @else { "No session has that in its project, agent, model or id. " a href="/sessions" { "Show all" } }
            }
        } @else {
            (table("Sessions, newest first", &columns, shown.map(|session| row(state, session))))
        }
        (pages(query, number, last))
        (remarks(&data.remarks))
    };
    Page::new("Sessions", "/sessions", body)
}

impl Session {
    /// Tells whether each word is somewhere in what names the session.
    fn matches(&self, query: &str) -> bool {
        let named = [
            self.agent.name(),
            &self.id,
            self.project().unwrap_or_default(),
            self.model().unwrap_or_default(),
        ];
        let text = named.join("\n").to_lowercase();
        query.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// The address of its page.
    pub(super) fn address(&self) -> String {
        format!("/session/{}/{}", self.agent.name(), encoded(&self.id))
    }
}

fn row(state: &State, session: &Session) -> Vec<Markup> {
    let total = state.report(session.requests.clone()).total;
    let project = session.project().unwrap_or("(unknown project)");
    vec![
        html! { (minute(session.last)) },
        html! { (session.agent.name()) },
        html! {
            a href=(session.address()) title=(project) { (clipped_path(project, 40)) }
            " " span.faint { (clipped(&session.id, 14)) }
            @if session.is_helper { " " span.tag { "helper" } }
        },
        html! { (thousands(total.requests as u64)) },
        html! { (cost(&total)) },
        html! { (brief(session.size())) },
        html! { (bytes(session.log.length)) },
    ]
}

fn pages(query: &str, number: usize, last: usize) -> Markup {
    let address = |number: usize| format!("/sessions?q={}&page={number}", encoded(query));
    html! {
        @if last > 1 {
            nav.pages aria-label="Pages of the list" {
                @if number > 1 { a href=(address(number - 1)) rel="prev" { "Newer" } }
                span.faint { "page " (number) " of " (last) }
                @if number < last { a href=(address(number + 1)) rel="next" { "Older" } }
            }
        }
    }
}
