//! Named sources of a prompt, each with its share of one budget.
//!
//! A source either has its items, of which as many are taken as fit, or it makes a
//! text of any size that it is asked for: a pack of a repository, a trimmed session.

use std::error::Error;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::error::PromptError;
use super::state::read_json;
use crate::budget::Amount;
use crate::tokens::Tokens;

/// Why a source could not make its text.
pub(super) type Trouble = Box<dyn Error + Send + Sync>;

/// Makes a text of at most so many tokens.
type Maker<'a> = Box<dyn Fn(Tokens) -> Result<String, Trouble> + 'a>;

/// Something that a prompt is made from.
pub struct PromptSource<'a> {
    /// Its name, and the name of its share.
    pub name: String,
    /// Its heading; `None` writes its texts without one.
    pub title: Option<String>,
    /// How much of the budget it may take before others have had theirs.
    pub share: Amount,
    pub(super) brings: Brings<'a>,
}

/// What a source brings.
pub(super) enum Brings<'a> {
    Items(Vec<SourceItem>),
    Made(Maker<'a>),
}

/// One text of a source, which may have shorter forms.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceItem {
    /// What it is called.
    pub name: String,
    /// How much it is wanted; of equals the first goes before.
    pub score: f64,
    /// Whether the prompt must have it.
    pub required: bool,
    /// The text, and shorter forms of it, from most to least detail.
    pub texts: Vec<String>,
}

impl SourceItem {
    /// Makes an item of one text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceItem {
        SourceItem { name: name.into(), score: 0.0, required: false, texts: vec![text.into()] }
    }

    /// Says how much it is wanted.
    #[must_use]
    pub fn score(mut self, score: f64) -> SourceItem {
        self.score = score;
        self
    }

    /// Says that the prompt must have it.
    #[must_use]
    pub fn required(mut self) -> SourceItem {
        self.required = true;
        self
    }

    /// Adds a shorter form, for when there is not room for those before it.
    #[must_use]
    pub fn or(mut self, text: impl Into<String>) -> SourceItem {
        self.texts.push(text.into());
        self
    }
}

impl<'a> PromptSource<'a> {
    /// Makes a source of items.
    pub fn new(name: impl Into<String>, share: Amount, items: Vec<SourceItem>) -> Self {
        let name = name.into();
        PromptSource { title: Some(name.clone()), name, share, brings: Brings::Items(items) }
    }

    /// Makes a source that writes a text of at most the tokens it is asked for.
    ///
    /// It is asked for its share, and once more where others leave room.
    pub fn made(
        name: impl Into<String>,
        share: Amount,
        make: impl Fn(Tokens) -> Result<String, Box<dyn Error + Send + Sync>> + 'a,
    ) -> Self {
        let name = name.into();
        PromptSource {
            title: Some(name.clone()),
            name,
            share,
            brings: Brings::Made(Box::new(make)),
        }
    }

    /// Gives it a heading.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Returns the heading as it is written.
    pub(super) fn heading(&self) -> String {
        let title = self.title.as_ref();
        title.map_or_else(String::new, |title| format!("## {title}\n\n"))
    }
}

impl fmt::Debug for PromptSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PromptSource");
        shown.field("name", &self.name).field("share", &self.share);
        if let Brings::Items(items) = &self.brings {
            shown.field("items", items);
        }
        shown.finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct ListJson {
    sources: Vec<SourceJson>,
}

#[derive(Deserialize)]
struct SourceJson {
    name: String,
    title: Option<String>,
    #[serde(default)]
    share: ShareJson,
    text: Option<String>,
    #[serde(default)]
    items: Vec<ItemJson>,
}

#[derive(Deserialize)]
struct ItemJson {
    name: Option<String>,
    text: String,
    /// Shorter forms.
    #[serde(default)]
    shorter: Vec<String>,
    #[serde(default)]
    score: f64,
    #[serde(default)]
    required: bool,
}

/// `"20%"`, `8000`, `"8k"` or `"rest"`.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
struct ShareJson(Amount);

impl Default for ShareJson {
    fn default() -> ShareJson {
        ShareJson(Amount::Tokens(Tokens::ZERO))
    }
}

impl TryFrom<Value> for ShareJson {
    type Error = String;

    fn try_from(value: Value) -> Result<ShareJson, String> {
        let wrong =
            || format!("share {value} is not known; write \"20%\", 8000, \"8k\" or \"rest\"");
        let amount = match &value {
            Value::Number(number) => number.as_u64().map(|it| Amount::Tokens(Tokens::new(it))),
            Value::String(text) => share(text),
            _ => None,
        };
        amount.map(ShareJson).ok_or_else(wrong)
    }
}

fn share(text: &str) -> Option<Amount> {
    if text == "rest" {
        return Some(Amount::Rest);
    }
    match text.strip_suffix('%') {
        Some(percent) => {
            let percent: f64 = percent.trim().parse().ok()?;
            let in_range = (0.0..=100.0).contains(&percent);
            in_range.then_some(Amount::PercentOfAvailable(percent))
        }
        None => text.parse().ok().map(Amount::Tokens),
    }
}

/// Reads sources from JSON: `{"sources": [{"name", "share", "items": [{"text"}]}]}`.
///
/// A share is `"20%"`, `8000`, `"8k"` or `"rest"`; a source without one has what the
/// others leave. Instead of items there may be one `text`.
pub fn read_sources(json: &[u8]) -> Result<Vec<PromptSource<'static>>, PromptError> {
    let list: ListJson = read_json(json)?;
    let sources = list.sources.into_iter().map(|source| {
        let text = source.text.map(|text| SourceItem::new(&source.name, text));
        let items = source.items.into_iter().enumerate().map(|(number, item)| {
            let name = item.name.unwrap_or_else(|| (number + 1).to_string());
            let mut texts = vec![item.text];
            texts.extend(item.shorter);
            SourceItem { name, score: item.score, required: item.required, texts }
        });
        let items = text.into_iter().chain(items).collect();
        let mut named = PromptSource::new(source.name, source.share.0, items);
        if source.title.is_some() {
            named.title = source.title.filter(|title| !title.is_empty());
        }
        named
    });
    Ok(sources.collect())
}
