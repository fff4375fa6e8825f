//! What was counted, as files, as languages, as a tree or as a document.

use std::cmp::Reverse;
use std::io::{self, Write};

use loadline::budget::Model;
use loadline::repo::{CountReport, LanguageCount, display_path};
use loadline::tokens::{Counter, Tokens};

use super::{CountArgs, json};
use crate::api;
use crate::error::Result;
use crate::settings::Counters;
use crate::ui::{
    FAINT, STRONG, Sort, Table, TokenTree, TreeView, Ui, add, counter_words, first, percent,
    plural, thousands,
};

/// What files without a known language are called.
const OTHER: &str = "other";

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
fn numbers(tokens: &[Tokens]) -> impl Iterator<Item = String> {
    tokens.iter().map(|tokens| thousands(tokens.get()))
}

impl Counted<'_> {
    pub(super) fn show(&self, ui: &mut Ui) -> Result<()> {
        if ui.wants_json() {
            return Ok(ui.json(&json::document(self))?);
        }
        if self.args.tree {
            self.write_tree(ui.out())?;
        } else if self.args.by_language {
            self.write_languages(ui.out())?;
        } else {
            self.write_files(ui.out())?;
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
    fn heads(&self) -> impl Iterator<Item = String> {
        let is_alone = self.counters.list.len() == 1;
        self.counter_names().map(move |name| if is_alone { "tokens".to_owned() } else { name })
    }

    /// Returns what counted instead of a counter, if it could not.
    pub(super) fn fallback(&self, counter: &Counter) -> Option<&Counter> {
        let api = self.counters.api.as_ref();
        api.filter(|_| counter.name() == api::NAME)?.fallback()
    }

    /// Adds up the files by language, in the order that was asked for.
    pub(super) fn languages(&self) -> Vec<LanguageCount> {
        let mut languages = self.report.by_language();
        match self.args.sort {
            Sort::Tokens => {}
            Sort::Path => languages.sort_by_key(|language| language.language),
            Sort::Lines => languages.sort_by_key(|language| Reverse(language.lines)),
        }
        languages
    }

    /// Makes a table with a column for each counter before these.
    fn table<const N: usize>(&self, heads: [&str; N]) -> Table {
        let columns = "r".repeat(self.counters.list.len() + N - 1);
        let mut table = Table::new(&format!("{columns}l"));
        table.head(self.heads().chain(heads.map(str::to_owned)));
        table
    }

    fn write_files(&self, out: &mut impl Write) -> io::Result<()> {
        let mut table = self.table(["lines", "share", "path"]);
        let total = self.total();
        let all = &self.report.files;
        let (files, rest) = all.split_at(self.args.rows().min(all.len()));
        for file in files {
            let share = percent(first(&file.tokens).get(), first(&total).get());
            let cells = [thousands(file.lines), share, display_path(&file.path)];
            table.row(numbers(&file.tokens).chain(cells));
        }
        if !rest.is_empty() {
            let mut tokens = Vec::new();
            rest.iter().for_each(|file| add(&mut tokens, &file.tokens));
            let share = percent(first(&tokens).get(), first(&total).get());
            let lines = thousands(rest.iter().map(|file| file.lines).sum());
            let what = format!("... and {}", plural(rest.len() as u64, "more file"));
            table.styled(FAINT, numbers(&tokens).chain([lines, share, what]));
        }
        let lines = thousands(all.iter().map(|file| file.lines).sum());
        let what = format!("total, {}", plural(all.len() as u64, "file"));
        table.styled(STRONG, numbers(&total).chain([lines, String::new(), what]));
        table.write(out)
    }

    fn write_languages(&self, out: &mut impl Write) -> io::Result<()> {
        let mut table = self.table(["files", "lines", "share", "language"]);
        let total = self.total();
        let (mut files, mut lines) = (0, 0);
        for language in self.languages() {
            let cells = [
                thousands(language.files),
                thousands(language.lines),
                percent(first(&language.tokens).get(), first(&total).get()),
                language.language.unwrap_or(OTHER).to_owned(),
            ];
            table.row(numbers(&language.tokens).chain(cells));
            files += language.files;
            lines += language.lines;
        }
        let cells = [thousands(files), thousands(lines), String::new(), "total".to_owned()];
        table.styled(STRONG, numbers(&total).chain(cells));
        table.write(out)
    }

    /// Directories, with what is in them and a bar for their share.
    fn write_tree(&self, out: &mut impl Write) -> io::Result<()> {
        let mut tree = TokenTree::new(self.counters.list.len());
        for file in &self.report.files {
            tree.add(&file.path, file.lines, &file.tokens);
        }
        let view = TreeView {
            heads: self.heads().collect(),
            order: self.args.sort,
            rows: self.args.rows(),
            all: self.args.all,
        };
        tree.write(&view, out)
    }

    /// Says how sure each counter is, and how full the window would be.
    fn write_footer(&self, out: &mut impl Write) -> io::Result<()> {
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
