//! Writes what a round hands on, and as much of it as fits.

use super::extract::RoundContext;
use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

impl RoundContext {
    /// Writes everything that the round hands on.
    ///
    /// ```
    /// let nothing = loadline::prompt::RoundContext { number: 1, ..Default::default() };
    /// assert_eq!(nothing.text(), "## Round 1 Context");
    /// ```
    pub fn text(&self) -> String {
        let mut lines = vec![format!("## Round {} Context", self.number)];
        let mut list = |name: &str, entries: &[String], start: &str, between: &str| {
            if !entries.is_empty() {
                lines.push(format!("{name}:{start}{}", entries.join(between)));
            }
        };
        list("Modules", &self.modules, " ", ", ");
        list("Findings", &self.findings, "\n- ", "\n- ");
        list("Relationships", &self.relationships, " ", "; ");
        for (name, entries) in &self.kept {
            list(name, entries, " ", "; ");
        }
        list("Open questions", &self.open_questions, " ", "; ");
        lines.join("\n")
    }

    /// Returns what fits of it, and that as it is written; none where no more than the
    /// heading would fit.
    ///
    /// Entries go from the ends of their lists: open questions first, then kept fields,
    /// findings but one, relationships, modules. A single finding that is too long is
    /// cut.
    pub(super) fn fit(&self, most: Tokens, counter: &Counter) -> Option<(RoundContext, String)> {
        let bare = RoundContext { number: self.number, ..RoundContext::default() };
        let heading = bare.text();
        let is_stub = |text: &String| *text == heading && self.text() != heading;
        let entries = fit_prefix(self.optional_entries(), most, counter, |entries| {
            self.with_entries(entries).text()
        });
        if let Some(fitted) = entries {
            let written = Some(fitted.text).filter(|text| !is_stub(text))?;
            return Some((self.with_entries(fitted.taken), written));
        }
        let finding = self.findings.first().map_or("", String::as_str);
        let cut = |bytes: usize| {
            let cut = finding[..finding.floor_char_boundary(bytes)].trim_end();
            let findings = (!cut.is_empty()).then(|| format!("{cut}…"));
            RoundContext { findings: findings.into_iter().collect(), ..bare.clone() }
        };
        let fitted = fit_prefix(finding.len(), most, counter, |it| cut(it).text())?;
        let written = Some(fitted.text).filter(|text| !is_stub(text))?;
        Some((cut(fitted.taken), written))
    }

    /// Returns the lists in the order in which their entries are kept, each with the
    /// number of entries that always stay.
    fn lists(&mut self) -> impl Iterator<Item = (usize, &mut Vec<String>)> {
        let kept = self.kept.iter_mut().map(|(_, list)| (0, list));
        let first = [(0, &mut self.modules), (0, &mut self.relationships), (1, &mut self.findings)];
        let last = [(0, &mut self.open_questions)];
        first.into_iter().chain(kept).chain(last)
    }

    fn optional_entries(&self) -> usize {
        let mut whole = self.clone();
        let lists = whole.lists();
        lists.map(|(least, list)| list.len().saturating_sub(least)).sum()
    }

    /// Returns it with so many entries beyond those that always stay.
    fn with_entries(&self, mut entries: usize) -> RoundContext {
        let mut context = self.clone();
        for (least, list) in context.lists() {
            let more = list.len().saturating_sub(least).min(entries);
            list.truncate(least + more);
            entries -= more;
        }
        context
    }
}
