//! Takes back what was done to notes: first the plan, and what it says is then applied.

use http::StatusCode;
use loadline::notes::{Edits, Feature, NotesError, RevertPlan, WayBack, WriteOptions};
use maud::{Markup, html};

use super::State;
use super::layout::{Page, remarks, table};
use super::route::{Asked, Reply, encoded};
use super::text::bytes;

const PLACE: &str = "/notes";

impl State {
    fn write(&self) -> WriteOptions {
        let mut options = self.options.write.clone();
        options.now = self.now();
        options
    }
}

/// Shows what would be taken back, with a button that does it.
pub(super) fn page(state: &State, asked: &Asked) -> Page {
    let (name, id) = (asked.query("feature"), asked.query("id").unwrap_or_default());
    let Some(feature) = name.and_then(|it| state.feature(it)) else {
        return unknown();
    };
    let body = match WayBack::Revert(&feature).plan(id, Edits::Refuse, &state.write()) {
        Ok(plan) => confirm(state, &feature, &plan),
        Err(error) => return refused(&error),
    };
    Page::new(format!("Revert {id}"), PLACE, body)
}

/// Takes it back, and goes to the feature.
pub(super) fn apply(state: &State, asked: &Asked) -> Reply {
    let (name, id) = (asked.form("feature"), asked.form("id").unwrap_or_default());
    let Some(feature) = name.and_then(|it| state.feature(it)) else {
        return Reply::Page(unknown());
    };
    match WayBack::Revert(&feature).go(id, Edits::Refuse, &state.write()) {
        Ok(_) => Reply::Redirect(format!("/notes?feature={}", encoded(feature.name()))),
        Err(error) => Reply::Page(refused(&error)),
    }
}

fn confirm(state: &State, feature: &Feature, plan: &RevertPlan) -> Markup {
    let rows = plan.files.iter().map(|it| {
        let size = it.size.map_or_else(|| "removed".to_owned(), bytes);
        vec![html! { (it.name) }, html! { (size) }]
    });
    html! {
        h1 { "Revert " code { (plan.id) } }
        p { "These notes of " strong { (feature.name()) } " would be as they were before. What they are now is archived first, so that this can be reverted too." }
        (table("Notes that change", &["note", "size then|n"], rows))
        (remarks(&plan.notes))
        form action="/notes/revert" method="post" {
            input type="hidden" name="token" value=(state.options.token);
            input type="hidden" name="feature" value=(feature.name());
            input type="hidden" name="id" value=(plan.id);
            button { "Revert" }
            a href={ "/notes?feature=" (encoded(feature.name())) } { "Cancel" }
        }
    }
}

fn unknown() -> Page {
    let message = "It may have been renamed or deleted. The page of notes lists all features.";
    Page::trouble(StatusCode::NOT_FOUND, PLACE, "No such feature", message)
}

fn refused(error: &NotesError) -> Page {
    let message = format!("{error}.");
    Page::trouble(StatusCode::CONFLICT, PLACE, "Nothing was changed", &message)
}
