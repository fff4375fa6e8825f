//! Fills a whole prompt from many sources within one budget.
//!
//! Each source has its share first. What one does not need goes to items of others
//! that did not fit, the most wanted first, and then to sources that can make more.

use serde::Serialize;

use super::error::PromptError;
use super::source::{Brings, PromptSource};
use crate::Remark;
use crate::budget::{Allocation, Amount, BudgetBuilder, Leftover, Share};
use crate::fit::{Chosen, Compose, Item, Offer, Place, Policy, fit};
use crate::tokens::{Counter, Tokens};

/// The names of the forms of an item, from most to least detail.
const FORMS: [&str; 4] = ["full", "short", "shorter", "shortest"];

/// The share of what no source has a share of.
const REST: &str = "(rest)";

/// What stands between two texts, at most.
const JOINT: Tokens = Tokens::new(2);

/// A prompt that was filled from many sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct FilledPrompt {
    /// The text, source by source in the order in which they were given.
    #[serde(rename = "content")]
    pub text: String,
    /// What it costs; never above the budget.
    pub tokens: Tokens,
    /// What it might cost.
    pub budget: Tokens,
    /// What each source got.
    pub sources: Vec<FilledSource>,
    /// What was odd.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
}

/// What a source got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilledSource {
    /// Its name.
    pub name: String,
    /// Its share; it has more only where others left some.
    pub share: Tokens,
    /// What its text costs, heading included.
    pub tokens: Tokens,
    /// What became of its items.
    pub items: Vec<FilledItem>,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilledItem {
    /// What it is called.
    pub name: String,
    /// In which form it is shown: `full`, `short`; `None` where it is not.
    pub form: Option<&'static str>,
    /// What that form costs; for one that is not shown, its shortest form.
    pub tokens: Tokens,
}

/// Fills a prompt from sources, each within its share and what others leave.
///
/// The shares are parts of what the budget has available. A source that is required
/// and does not fit is an error; nothing else is.
///
/// ```
/// use loadline::budget::{Amount, Budget};
/// use loadline::prompt::{SourceItem, PromptSource, fill_sources};
/// use loadline::tokens::Tokens;
/// let notes = vec![
///     SourceItem::new("style", "Short functions, plain words.").score(2.0),
///     SourceItem::new("history", "long ago ".repeat(400)).or("It is old.").score(1.0),
/// ];
/// let sources = [
///     PromptSource::new("task", Amount::PercentOfAvailable(20.0),
///         vec![SourceItem::new("task", "Add a limit to the cache.").required()]),
///     PromptSource::new("knowledge", Amount::PercentOfAvailable(80.0), notes),
/// ];
/// let counter = "o200k".parse()?;
/// let filled = fill_sources(&sources, Budget::of(Tokens::new(200)), &counter)?;
/// assert!(filled.tokens <= Tokens::new(200));
/// assert_eq!(filled.sources[1].items[1].form, Some("short"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_sources(
    sources: &[PromptSource<'_>],
    budget: BudgetBuilder,
    counter: &Counter,
) -> Result<FilledPrompt, PromptError> {
    let budget = budget
        .precision(counter.precision())
        .shares(shares(sources), Leftover::Redistribute)
        .build()?;
    let allocation = budget.allocate();
    let mut remarks = Vec::new();
    let mut filler = Filler::new(sources, counter, &allocation, &mut remarks)?;
    let fitted = fit(filler.items(), &allocation, &Policy::default(), &mut filler)?;
    let fates = fitted.selection.fates().iter();
    let forms: Vec<Option<usize>> = fates.map(|fate| fate.rendition()).collect();
    filler.make_more(&forms, &allocation, fitted.tokens)?;
    Ok(filler.report(&forms, &allocation, remarks))
}

/// Returns the shares of the sources, and one for the rest where none takes it.
fn shares(sources: &[PromptSource<'_>]) -> Vec<Share> {
    let own = sources.iter().map(|it| Share::new(&it.name, it.share));
    let mut shares: Vec<Share> = own.collect();
    if !sources.iter().any(|it| it.share == Amount::Rest) {
        shares.push(Share::new(REST, Amount::Rest));
    }
    shares
}

/// Writes the items that are chosen, source by source.
struct Filler<'a, 'b> {
    sources: &'a [PromptSource<'b>],
    counter: &'a Counter,
    /// Per source: the text that it made, if it makes its text.
    made: Vec<Option<String>>,
    /// Per item: the number of its source, and its number there.
    places: Vec<(usize, usize)>,
    /// Per source: how many of its items are shown.
    shown: Vec<usize>,
}

impl<'a, 'b> Filler<'a, 'b> {
    /// Asks the sources that make their text for one of their share.
    fn new(
        sources: &'a [PromptSource<'b>],
        counter: &'a Counter,
        allocation: &Allocation,
        remarks: &mut Vec<Remark>,
    ) -> Result<Filler<'a, 'b>, PromptError> {
        let mut filler = Filler {
            sources,
            counter,
            made: Vec::new(),
            places: Vec::new(),
            shown: vec![0; sources.len()],
        };
        for (number, source) in sources.iter().enumerate() {
            let limit = limit(allocation, &source.name).saturating_sub(filler.heading(number));
            let made = match &source.brings {
                Brings::Made(make) if !limit.is_zero() => {
                    Some(make(limit).map_err(|error| trouble(source, error))?)
                }
                _ => None,
            };
            let tokens = made.as_ref().map_or(Tokens::ZERO, |text| counter.count(text));
            if tokens > limit {
                let message =
                    format!("made {tokens} tokens where {limit} were asked for; left out");
                remarks.push(Remark::new(&source.name, message));
            }
            let made = made.filter(|text| tokens <= limit && !text.is_empty());
            let count = match &source.brings {
                Brings::Items(items) => items.len(),
                Brings::Made(_) => usize::from(made.is_some()),
            };
            filler.places.extend((0..count).map(|item| (number, item)));
            filler.made.push(made);
        }
        Ok(filler)
    }

    /// Returns what the heading of a source and what stands before it cost.
    fn heading(&self, source: usize) -> Tokens {
        let heading = self.sources[source].heading();
        self.counter.count(&heading).saturating_add(JOINT)
    }

    /// Returns everything that competes.
    fn items(&self) -> Vec<Item<(usize, usize)>> {
        let items = self.places.iter().map(|&(number, place)| {
            let source = &self.sources[number];
            let entry = |score| Item::new((number, place), score).in_share(&source.name);
            let Brings::Items(items) = &source.brings else {
                // It was asked for no more than its share, so it fits it.
                let made = self.made[number].as_deref().unwrap_or_default();
                return entry(f64::INFINITY).rendition(FORMS[0], self.cost(made));
            };
            let item = &items[place];
            let mut entry = entry(item.score);
            for (form, text) in item.texts.iter().enumerate() {
                entry = entry.rendition(form_name(form), self.cost(text));
            }
            // A blank text cannot be required: there is nothing to show.
            let is_blank = item.texts.iter().all(|text| text.trim().is_empty());
            if item.required && !is_blank { entry.required() } else { entry }
        });
        items.collect()
    }

    fn cost(&self, text: &str) -> Tokens {
        if text.trim().is_empty() {
            Tokens::ZERO
        } else {
            self.counter.count(text).saturating_add(JOINT)
        }
    }

    /// Returns the text of an item in a form.
    fn text(&self, (source, place): (usize, usize), form: usize) -> &str {
        match &self.sources[source].brings {
            Brings::Items(items) => &items[place].texts[form],
            Brings::Made(_) => self.made[source].as_deref().unwrap_or_default(),
        }
    }

    /// Writes each source with its heading; a source that shows nothing is empty.
    fn sections(&self, form: impl Fn(usize) -> Option<usize>) -> Vec<String> {
        let mut sections = vec![String::new(); self.sources.len()];
        for (item, &(source, place)) in self.places.iter().enumerate() {
            let Some(form) = form(item) else {
                continue;
            };
            let section = &mut sections[source];
            if section.is_empty() {
                section.push_str(&self.sources[source].heading());
            } else {
                section.push_str("\n\n");
            }
            section.push_str(self.text((source, place), form));
        }
        sections
    }

    /// Lets sources that filled their share make more of what is left.
    fn make_more(
        &mut self,
        forms: &[Option<usize>],
        allocation: &Allocation,
        mut spent: Tokens,
    ) -> Result<(), PromptError> {
        for number in 0..self.sources.len() {
            let source = &self.sources[number];
            let (Brings::Made(make), Some(text)) = (&source.brings, &self.made[number]) else {
                continue;
            };
            let limit = limit(allocation, &source.name).get();
            let (tokens, left) = (
                self.counter.count(text),
                allocation.total().saturating_sub(spent).saturating_sub(JOINT),
            );
            // A source that left a fifth of its share has nothing more to say, and asking
            // again costs as much as the first time.
            let used_its_share = tokens.get() >= limit / 5 * 4;
            if !used_its_share || left.get() < limit / 10 {
                continue;
            }
            let more = make(tokens.saturating_add(left)).map_err(|error| trouble(source, error))?;
            let before = self.made[number].replace(more);
            let text = joined(&self.sections(|item| forms[item]));
            match self.counter.count_up_to(&text, allocation.total()) {
                Some(tokens) if tokens > spent => spent = tokens,
                _ => self.made[number] = before,
            }
        }
        Ok(())
    }

    fn report(
        &self,
        forms: &[Option<usize>],
        allocation: &Allocation,
        remarks: Vec<Remark>,
    ) -> FilledPrompt {
        let sections = self.sections(|item| forms[item]);
        let text = joined(&sections);
        let sources = self.sources.iter().zip(&sections);
        let mut sources: Vec<FilledSource> = sources
            .map(|(source, section)| FilledSource {
                name: source.name.clone(),
                share: limit(allocation, &source.name),
                tokens: self.counter.count(section),
                items: Vec::new(),
            })
            .collect();
        for (&(source, place), form) in self.places.iter().zip(forms) {
            let (name, shortest) = match &self.sources[source].brings {
                Brings::Items(items) => (&items[place].name, items[place].texts.len() - 1),
                Brings::Made(_) => (&self.sources[source].name, 0),
            };
            let counted = self.text((source, place), form.unwrap_or(shortest));
            sources[source].items.push(FilledItem {
                name: name.clone(),
                form: form.map(form_name),
                tokens: self.counter.count(counted),
            });
        }
        FilledPrompt {
            tokens: self.counter.count(&text),
            budget: allocation.total(),
            text,
            sources,
            remarks,
        }
    }
}

impl Compose for Filler<'_, '_> {
    type Written = String;
    type Error = PromptError;

    /// The first item of a source brings its heading.
    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let source = self.places[place.item].0;
        if self.shown[source] > 0 || place.now.is_some() {
            return Some(plain.cost);
        }
        Some(plain.cost.saturating_add(self.heading(source)))
    }

    fn take(&mut self, place: Place, _risen: &mut Vec<usize>) {
        self.shown[self.places[place.item].0] += usize::from(place.now.is_none());
    }

    fn give_back(&mut self, place: Place) {
        self.shown[self.places[place.item].0] -= usize::from(place.now.is_none());
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<String, PromptError> {
        Ok(joined(&self.sections(|item| chosen.rendition(item))))
    }

    fn tokens(&self, written: &String) -> Tokens {
        self.counter.count(written)
    }
}

fn joined(sections: &[String]) -> String {
    let shown = sections.iter().filter(|section| !section.is_empty());
    shown.map(String::as_str).collect::<Vec<_>>().join("\n\n")
}

fn limit(allocation: &Allocation, share: &str) -> Tokens {
    allocation.limit(share).unwrap_or(Tokens::ZERO)
}

fn form_name(form: usize) -> &'static str {
    FORMS[form.min(FORMS.len() - 1)]
}

fn trouble(source: &PromptSource<'_>, error: super::source::Trouble) -> PromptError {
    PromptError::Source { name: source.name.clone(), message: error.to_string() }
}
