//! Writes what a round hands on, and takes from its ends until it fits.

use super::extract::RoundContext;
use crate::tokens::{Counter, Tokens};

/// The lists that can be made shorter, in the order in which that is done.
#[derive(Clone, Copy)]
enum List {
    OpenQuestions,
    Kept(usize),
    Findings,
    Relationships,
    Modules,
}

impl RoundContext {
    /// Writes everything that the round hands on.
    ///
    /// ```
    /// let nothing = loadline::prompt::RoundContext { number: 1, ..Default::default() };
    /// assert_eq!(nothing.text(), "## Round 1 Context");
    /// ```
    pub fn text(&self) -> String {
        let mut lines = vec![format!("## Round {} Context", self.number)];
        if !self.modules.is_empty() {
            lines.push(format!("Modules: {}", self.modules.join(", ")));
        }
        if !self.findings.is_empty() {
            lines.push("Findings:".to_owned());
            lines.extend(self.findings.iter().map(|finding| format!("- {finding}")));
        }
        if !self.relationships.is_empty() {
            lines.push(format!("Relationships: {}", self.relationships.join("; ")));
        }
        for (name, said) in self.kept.iter().filter(|(_, said)| !said.is_empty()) {
            lines.push(format!("{name}: {}", said.join("; ")));
        }
        if !self.open_questions.is_empty() {
            lines.push(format!(
                "Open questions: {}",
                self.open_questions.join("; ")
            ));
        }
        lines.join("\n")
    }

    /// Makes the lists shorter until the text fits, and returns it.
    ///
    /// Where not even the header fits, as much of it as does; the lists say what is
    /// in the text.
    pub(super) fn fit(&mut self, most: Tokens, counter: &Counter) -> String {
        let kept = (0..self.kept.len()).rev().map(List::Kept);
        let order = std::iter::once(List::OpenQuestions).chain(kept).chain([
            List::Findings,
            List::Relationships,
            List::Modules,
        ]);
        for list in order {
            if self.fits(most, counter) {
                return self.text();
            }
            self.shorten(list, most, counter);
        }
        if !self.fits(most, counter) {
            self.cut_finding(most, counter);
        }
        let text = self.text();
        let end = longest(text.len(), |end| {
            let start = text.floor_char_boundary(end);
            counter.count_up_to(&text[..start], most).is_some()
        });
        text[..text.floor_char_boundary(end)].to_owned()
    }

    fn fits(&self, most: Tokens, counter: &Counter) -> bool {
        counter.count_up_to(&self.text(), most).is_some()
    }

    /// Takes as few entries as possible from the end of a list; one finding stays.
    fn shorten(&mut self, list: List, most: Tokens, counter: &Counter) {
        let least = usize::from(matches!(list, List::Findings));
        let whole = std::mem::take(self.list(list));
        let least = least.min(whole.len());
        let more = longest(whole.len() - least, |more| {
            *self.list(list) = whole[..least + more].to_vec();
            self.fits(most, counter)
        });
        *self.list(list) = whole[..least + more].to_vec();
    }

    fn list(&mut self, list: List) -> &mut Vec<String> {
        match list {
            List::OpenQuestions => &mut self.open_questions,
            List::Kept(number) => &mut self.kept[number].1,
            List::Findings => &mut self.findings,
            List::Relationships => &mut self.relationships,
            List::Modules => &mut self.modules,
        }
    }

    /// Cuts the finding that is left to what fits, or leaves it out.
    fn cut_finding(&mut self, most: Tokens, counter: &Counter) {
        let Some(whole) = self.findings.pop() else {
            return;
        };
        let mut cut = |end: usize| {
            let end = whole.floor_char_boundary(end);
            self.findings = match end {
                0 => Vec::new(),
                end => vec![format!("{}…", whole[..end].trim_end())],
            };
            self.fits(most, counter)
        };
        let end = longest(whole.len(), &mut cut);
        cut(end);
    }
}

/// Returns the largest number up to `most` that fits, 0 where none does.
///
/// What fits has to fit with less, too; that holds for texts but for a token or so,
/// and what is returned was tried.
fn longest(most: usize, mut fits: impl FnMut(usize) -> bool) -> usize {
    if fits(most) {
        return most;
    }
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle
        } else {
            high = middle
        }
    }
    low
}
