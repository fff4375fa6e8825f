//! Fills a whole prompt from many sources within one budget.
//!
//! Each source has its share first. What one does not need goes to items of others
//! that did not fit, the most wanted first, and then to sources that can make more.
//! The text is counted as it is written, headings and all, and is made again with
//! less where it came out too long.

use std::collections::BTreeMap;

use super::error::PromptError;
use super::source::{Brings, PromptSource, SourceItem};
use crate::Remark;
use crate::budget::{Allocation, Amount, BudgetBuilder, Leftover, Share};
use crate::fit::{Fate, Item, Policy, select};
use crate::tokens::{Counter, Tokens};

/// The names of the forms of an item, from most to least detail.
const FORMS: [&str; 4] = ["full", "short", "shorter", "shortest"];

/// The share of what no source has a share of.
const REST: &str = "(rest)";

/// What stands between two texts, at most.
const JOINT: Tokens = Tokens::new(2);

/// A prompt that was filled from many sources.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct FilledPrompt {
    /// The text, source by source in the order in which they were given.
    pub text: String,
    /// What it costs; never above the budget.
    pub tokens: Tokens,
    /// What it might cost.
    pub budget: Tokens,
    /// What each source got.
    pub sources: Vec<FilledSource>,
    /// What was odd.
    pub notes: Vec<Remark>,
}

/// What a source got.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let budget = budget.precision(counter.precision());
    let most = budget.clone().build()?.available();
    let headings = sources.iter().map(|it| counter.count(&it.heading()));
    let mut frame = Tokens::saturating_sum(headings.map(|it| it.saturating_add(JOINT)));
    loop {
        let shared = budget
            .clone()
            .reserve("headings", frame)
            .shares(shares(sources), Leftover::Redistribute);
        let allocation = shared.build()?.allocate();
        let attempt = Attempt {
            sources,
            counter,
            allocation: &allocation,
        };
        let filled = attempt.fill(most)?;
        if filled.tokens <= most {
            return Ok(filled);
        }
        // Texts cost more together than alone: the next attempt has as much less.
        frame = frame.saturating_add(filled.tokens.saturating_sub(most));
    }
}

/// Gives items that others mention a better score, as when a later round knows more.
///
/// An item is mentioned by its name, or by the last component of a path.
///
/// ```
/// use loadline::prompt::{SourceItem, rescore};
/// let mut items = vec![SourceItem::new("src/cache.rs", "..."), SourceItem::new("b", "...")];
/// rescore(&mut items, &["the limit in cache.rs is off by one"], 10.0);
/// assert_eq!((items[0].score, items[1].score), (10.0, 0.0));
/// ```
pub fn rescore<T: AsRef<str>>(items: &mut [SourceItem], mentions: &[T], points: f64) {
    for item in items {
        let last = item.name.rsplit('/').next().unwrap_or(&item.name);
        let names = |text: &str| {
            let mut words = text.split(|it: char| it.is_whitespace() || ",;()`\"'".contains(it));
            words.any(|word| word == item.name || word == last)
        };
        if !last.is_empty() && mentions.iter().any(|text| names(text.as_ref())) {
            item.score += points;
        }
    }
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

/// One way to spend an allocation.
struct Attempt<'a, 'b> {
    sources: &'a [PromptSource<'b>],
    counter: &'a Counter,
    allocation: &'a Allocation,
}

/// The number of a source and of an item in it.
type Place = (usize, usize);

/// What became of every item.
type Fates<'a> = BTreeMap<Place, &'a Fate<Place>>;

/// What a source shows, before it is written.
#[derive(Default)]
struct Shown {
    texts: Vec<String>,
    items: Vec<FilledItem>,
}

impl Attempt<'_, '_> {
    fn fill(&self, most: Tokens) -> Result<FilledPrompt, PromptError> {
        let mut notes = Vec::new();
        let mut made = self.made(&mut notes)?;
        let items = self.items(&made);
        let keys: Vec<Place> = items.iter().map(|(key, _)| *key).collect();
        let items = items.into_iter().map(|(_, item)| item).collect();
        let selection = select(items, self.allocation, &Policy::default())?;
        let fates: Fates<'_> = keys.into_iter().zip(selection.fates()).collect();
        let left = self.allocation.total().saturating_sub(selection.tokens());
        self.make_more(&mut made, left)?;
        let mut shown = Vec::new();
        for (number, source) in self.sources.iter().enumerate() {
            shown.push(match &source.brings {
                Brings::Items(items) => self.shown(number, items, &fates),
                Brings::Made(_) => self.shown_made(&source.name, made[number].take()),
            });
        }
        Ok(self.write(shown, most, notes))
    }

    /// Asks the sources that make their text for one of their share.
    fn made(&self, notes: &mut Vec<Remark>) -> Result<Vec<Option<String>>, PromptError> {
        let mut texts = Vec::new();
        for source in self.sources {
            let limit = self.limit(&source.name);
            let text = match &source.brings {
                Brings::Items(_) => None,
                Brings::Made(_) if limit.is_zero() => None,
                Brings::Made(make) => Some(make(limit).map_err(|error| trouble(source, error))?),
            };
            let tokens = text.as_ref().map(|text| self.counter.count(text));
            if let Some(tokens) = tokens.filter(|tokens| *tokens > limit) {
                let message =
                    format!("made {tokens} tokens where {limit} were asked for; left out");
                notes.push(Remark::new(&source.name, message));
                texts.push(None);
                continue;
            }
            texts.push(text.filter(|text| !text.is_empty()));
        }
        Ok(texts)
    }

    /// Lets sources that filled their share make more of what is left.
    fn make_more(&self, made: &mut [Option<String>], mut left: Tokens) -> Result<(), PromptError> {
        for (source, text) in self.sources.iter().zip(made) {
            let (Brings::Made(make), Some(text)) = (&source.brings, text) else {
                continue;
            };
            let (tokens, limit) = (self.counter.count(text), self.limit(&source.name));
            // A source that left a fifth of its share has nothing more to say.
            let is_hungry = tokens.get() >= limit.get() / 5 * 4;
            // Asking again costs as much as the first time.
            if !is_hungry || left.get() < limit.get() / 10 {
                continue;
            }
            let room = tokens.saturating_add(left);
            let more = make(room).map_err(|error| trouble(source, error))?;
            let grown = self.counter.count(&more);
            if grown > tokens && grown <= room {
                left = left.saturating_sub(grown.saturating_sub(tokens));
                *text = more;
            }
        }
        Ok(())
    }

    fn limit(&self, share: &str) -> Tokens {
        self.allocation.limit(share).unwrap_or(Tokens::ZERO)
    }

    /// Returns everything that competes, by source and item.
    fn items(&self, made: &[Option<String>]) -> Vec<(Place, Item<Place>)> {
        let cost = |text: &str| {
            if text.trim().is_empty() {
                Tokens::ZERO
            } else {
                self.counter.count(text).saturating_add(JOINT)
            }
        };
        let mut all = Vec::new();
        for (number, source) in self.sources.iter().enumerate() {
            let Brings::Items(items) = &source.brings else {
                // It asked for no more than its share, so it fits it.
                if let Some(text) = &made[number] {
                    let item = Item::new((number, 0), f64::INFINITY);
                    let tokens = self.counter.count(text);
                    let item = item.rendition(FORMS[0], tokens).in_share(&source.name);
                    all.push(((number, 0), item));
                }
                continue;
            };
            for (place, item) in items.iter().enumerate() {
                let mut entry = Item::new((number, place), item.score).in_share(&source.name);
                for (form, text) in item.texts.iter().enumerate() {
                    entry = entry.rendition(form_name(form), cost(text));
                }
                // A blank text cannot be required: there is nothing to show.
                let blank = item.texts.iter().all(|text| text.trim().is_empty());
                let entry = if item.required && !blank {
                    entry.required()
                } else {
                    entry
                };
                all.push(((number, place), entry));
            }
        }
        all
    }

    fn shown(&self, source: usize, items: &[SourceItem], fates: &Fates<'_>) -> Shown {
        let mut shown = Shown::default();
        for (place, item) in items.iter().enumerate() {
            let form = fates
                .get(&(source, place))
                .and_then(|fate| fate.rendition());
            let text = form.and_then(|form| item.texts.get(form));
            shown.texts.extend(text.cloned());
            let counted = text.or(item.texts.last());
            shown.items.push(FilledItem {
                name: item.name.clone(),
                form: form.map(form_name),
                tokens: counted.map_or(Tokens::ZERO, |text| self.counter.count(text)),
            });
        }
        shown
    }

    fn shown_made(&self, name: &str, text: Option<String>) -> Shown {
        let items = text.iter().map(|text| FilledItem {
            name: name.to_owned(),
            form: Some(FORMS[0]),
            tokens: self.counter.count(text),
        });
        Shown {
            items: items.collect(),
            texts: text.into_iter().collect(),
        }
    }

    fn write(&self, shown: Vec<Shown>, most: Tokens, notes: Vec<Remark>) -> FilledPrompt {
        let (mut sections, mut sources) = (Vec::new(), Vec::new());
        for (source, shown) in self.sources.iter().zip(shown) {
            let body = shown.texts.join("\n\n");
            let section = if body.is_empty() {
                body
            } else {
                source.heading() + &body
            };
            sources.push(FilledSource {
                name: source.name.clone(),
                share: self.limit(&source.name),
                tokens: self.counter.count(&section),
                items: shown.items,
            });
            sections.push(section);
        }
        sections.retain(|section| !section.is_empty());
        let text = sections.join("\n\n");
        FilledPrompt {
            tokens: self.counter.count(&text),
            budget: most,
            text,
            sources,
            notes,
        }
    }
}

fn form_name(form: usize) -> &'static str {
    FORMS[form.min(FORMS.len() - 1)]
}

fn trouble(source: &PromptSource<'_>, error: super::source::Trouble) -> PromptError {
    PromptError::Source {
        name: source.name.clone(),
        message: error.to_string(),
    }
}
