//! One session: how its window filled, what fills it, what was read again, what it cost.

use http::StatusCode;
use loadline::agents::FoundSession;
use loadline::budget::Model;
use loadline::session::{SessionStats, Transcript, read_session, session_stats};
use loadline::tokens::Counter;
use loadline::usage::{CacheClock, CacheRules};
use maud::{Markup, html};

use super::State;
use super::data::Session;
use super::fills::{fields, files, kinds, largest};
use super::layout::{Page, figures, remarks};
use super::line::{Point, line};
use super::preview;
use super::route::Asked;
use super::text::{amount, cost, dollars, duration, minute, percent, plural, thousands};
use super::treemap::treemap;

const PLACE: &str = "/sessions";

/// A session that was read and measured.
pub(super) struct Opened {
    pub(super) found: FoundSession,
    pub(super) transcript: Transcript,
    pub(super) stats: SessionStats,
    pub(super) counter: Counter,
    pub(super) window: u64,
}

pub(super) fn page(state: &State, agent: &str, id: &str, asked: &Asked) -> Page {
    let data = state.data();
    let Some(session) = data.find(agent, id) else {
        let message = "It may have been deleted, or its log has no request yet. The list has all \
                       sessions that there are.";
        return Page::trouble(StatusCode::NOT_FOUND, PLACE, "No such session", message);
    };
    let title = session.project().unwrap_or(session.agent.name()).to_owned();
    let body = html! {
        h1 { (title) }
        p.faint {
            (session.agent.name()) " " code { (session.id) }
            @if let Some(model) = session.model() { ", " (model) }
            ", last used " (minute(session.last)) " UTC"
            @if session.is_helper { ", a helper of another session" }
        }
        @match open(state, session) {
            Ok(opened) => {
                (money(state, session, opened.stats.next_request().get(), opened.window))
                (measured(state, session, &opened))
                (preview::section(state, session, &opened, asked))
                (remarks(&opened.transcript.notes))
            }
            Err(error) => {
                (money(state, session, session.size(), 0))
                p { "Its content cannot be shown: " (error) "." }
            }
        }
    };
    Page::new(title, PLACE, body)
}

/// Reads a session and measures it by its model's counter.
fn open(state: &State, session: &Session) -> Result<Opened, String> {
    let options = &state.options;
    let found = session.found(options).ok_or("the agent's files do not have it")?;
    let bytes = found.read().map_err(|error| error.to_string())?;
    let transcript = read_session(bytes, found.format()).map_err(|error| error.to_string())?;
    let name = transcript.model.as_deref().or(session.model());
    let own = name.and_then(|it| options.models.find(it));
    let model = own.unwrap_or_else(|| options.models.find_or_generic(&options.settings.model).0);
    let counter = counter(options.settings.counter.as_deref(), model)?;
    let stats = session_stats(&transcript, &counter);
    let window = options.window.unwrap_or(model.window).get();
    Ok(Opened { found, transcript, stats, counter, window })
}

/// The counter that is set, or the model's. The counter that asks a service is left out:
/// the page uses no network.
fn counter(set: Option<&str>, model: &Model) -> Result<Counter, String> {
    let set = set.and_then(|name| Counter::open(name).ok());
    let opened = match set {
        Some(opened) => opened,
        None => Counter::open(&model.counter).map_err(|error| error.to_string())?,
    };
    Ok(opened.0)
}

/// What it cost, and what the next turn costs.
fn money(state: &State, session: &Session, size: u64, window: u64) -> Markup {
    let report = state.report(session.requests.clone());
    let total = &report.total;
    let filled = percent(size as f64, window as f64);
    let filled = if filled.is_empty() { filled } else { format!(" ({filled})") };
    let clock = CacheClock::at(&session.requests, &state.options.models, state.now());
    let next = clock.and_then(|it| if it.is_cold() { it.cold_cost() } else { it.warm_cost() });
    html! {
        (figures(&[
            ("cost", cost(total)),
            ("requests", thousands(total.requests as u64)),
            ("in the window", format!("{}{filled}", thousands(size))),
            ("paid again", amount(total, total.paid_again())),
            ("next turn", next.map_or("no price".to_owned(), |it| format!("at least {}", dollars(it)))),
        ]))
        p {
            @match clock {
                Some(clock) if clock.is_cold() => { "Its prompt cache is cold: the next turn writes all of it again." }
                Some(clock) => { "Its prompt cache is warm for " (duration(clock.seconds_left)) "." }
                None => { "Its log does not say when it was last used." }
            }
            @if let Some(most) = total.again.first() {
                " Mostly paid again because of: " (most.cause.title()) "."
            }
            @if report.trim_savings >= 0.005 {
                " Trimming it whenever it was cold would have saved about " (dollars(report.trim_savings)) "."
            }
        }
    }
}

fn measured(state: &State, session: &Session, opened: &Opened) -> Markup {
    let stats = &opened.stats;
    let points = points(state, session, opened);
    let pauses: Vec<&String> = points.iter().filter_map(|it| it.cold.as_ref()).collect();
    html! {
        h2 { "How the window filled" }
        (line("Tokens in the window after each turn", &points, opened.window))
        @if pauses.is_empty() {
            p.faint { "No pause was longer than the cache lives." }
        } @else {
            details {
                summary { (plural(pauses.len() as u64, "pause")) " after which the cache was cold, marked in the chart" }
                ul { @for pause in pauses.iter().take(60) { li { (pause) } } }
            }
        }
        h2 { "What fills it" }
        p.faint { (thousands(stats.tokens.get())) " tokens by " (opened.counter.name()) ", by kind, tool and file" }
        (treemap("What fills the session", &fields(stats)))
        (kinds(stats))
        h2 { "Files that were read" }
        (files(stats))
        h2 { "Largest blocks" }
        (largest(stats))
    }
}

/// Every turn, with what is known of it.
fn points(state: &State, session: &Session, opened: &Opened) -> Vec<Point> {
    let rules = CacheRules::of(session.model(), &state.options.models);
    let is_long = session.requests.iter().any(|it| it.spending.cache_write_long > 0);
    let life = if is_long { rules.long_life } else { rules.life } + rules.slack;
    let mut before = None;
    let turns = opened.transcript.turns.iter().zip(opened.stats.filled()).enumerate();
    turns
        .map(|(place, (turn, filled))| {
            let (number, role) = (place + 1, turn.role.name());
            let when = turn.time.map_or(String::new(), |it| format!(", {}", minute(it)));
            let passed = turn.time.zip(before).map(|(now, then)| now.duration_since(then));
            let passed = passed.map(|it| it.as_secs_f64()).filter(|it| *it > life);
            before = turn.time.max(before);
            Point {
                tokens: filled.get(),
                title: format!("turn {number}, {role}: {} tokens{when}", thousands(filled.get())),
                cold: passed.map(|it| format!("{} before turn {number}{when}", duration(it))),
            }
        })
        .collect()
}
