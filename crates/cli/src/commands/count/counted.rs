//! What was counted, and what all ways to show it need.

use std::io::Write;

use loadline::budget::Model;
use loadline::repo::CountReport;
use loadline::tokens::{Counter, Tokens};

use super::{CountArgs, json, languages, table, tree};
use crate::api;
use crate::error::Result;
use crate::settings::Counters;
use crate::ui::{STRONG, Ui, counter_words, percent, thousands};

pub(super) use crate::ui::{add, first};

/// What was counted, and what is needed to show it.
pub(super) struct Counted<'a> {
    pub(super) args: &'a CountArgs,
    pub(super) counters: &'a Counters,
    pub(super) window: Option<Window<'a>>,
    pub(super) report: CountReport,
}

/// The window that the tokens are a part of.
pub(super) struct Window<'a> {
    pub(super) model: &'a Model,
    pub(super) tokens: Tokens,
}

/// Writes one number per counter.
pub(super) fn numbers(tokens: &[Tokens]) -> impl Iterator<Item = String> {
    tokens.iter().map(|tokens| thousands(tokens.get()))
}

impl Counted<'_> {
    pub(super) fn show(&self, ui: &mut Ui) -> Result<()> {
        if ui.wants_json() {
            return Ok(ui.json(&json::document(self))?);
        }
        if self.args.tree {
            tree::write(self, ui.out())?;
        } else if self.args.by_language {
            languages::write(self, ui.out())?;
        } else {
            table::write(self, ui.out())?;
        }
        Ok(self.write_footer(ui.out())?)
    }

    /// Returns the sum of all files, one per counter.
    pub(super) fn total(&self) -> Vec<Tokens> {
        let mut sum = vec![Tokens::ZERO; self.counters.list.len()];
        let files = self.report.files.iter();
        files.for_each(|file| add(&mut sum, &file.tokens));
        sum
    }

    /// Returns the names of the counters.
    pub(super) fn counter_names(&self) -> impl Iterator<Item = String> {
        let counters = self.counters.list.iter();
        counters.map(|counter| counter.name().to_owned())
    }

    /// Returns the headings of the numbers; one counter alone is named below the table.
    pub(super) fn heads(&self) -> impl Iterator<Item = String> {
        let is_alone = self.counters.list.len() == 1;
        self.counter_names().map(move |name| if is_alone { "tokens".to_owned() } else { name })
    }

    /// Returns what counted instead of a counter, if it could not.
    pub(super) fn fallback(&self, counter: &Counter) -> Option<&Counter> {
        let api = self.counters.api.as_ref();
        api.filter(|_| counter.name() == api::NAME)?.fallback()
    }

    /// Says how sure each counter is, and how full the window would be.
    fn write_footer(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out)?;
        for counter in &self.counters.list {
            let name = self.fallback(counter).unwrap_or(counter).name();
            writeln!(out, "{}", counter_words(name, counter.precision()))?;
        }
        if let Some(window) = &self.window {
            let total = self.model_total(window.model).get();
            let share = percent(total, window.tokens.get());
            let (total, whole) = (thousands(total), thousands(window.tokens.get()));
            let name = &window.model.name;
            writeln!(out, "{STRONG}{total} tokens = {share} of {name}'s {whole}{STRONG:#}")?;
        }
        Ok(())
    }

    /// Returns the total by the model's own counter, else by the first.
    pub(super) fn model_total(&self, model: &Model) -> Tokens {
        let own = |name: &str| name == model.counter || name == api::NAME;
        let mut counters = self.counters.list.iter();
        let index = counters.position(|counter| own(counter.name()));
        self.total().get(index.unwrap_or(0)).copied().unwrap_or_default()
    }
}
