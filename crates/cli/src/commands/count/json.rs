//! The document of `count --json`: every file, whatever is shown otherwise.

use loadline::repo::{FileCount, LanguageCount};
use loadline::tokens::{Counter, Precision, Tokens};
use serde::Serialize;
use serde_json::{Map, Value};

use super::show::Counted;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counters: Vec<CounterJson<'a>>,
    model: Option<ModelJson<'a>>,
    total: TotalJson,
    languages: Vec<Row<LanguageCount>>,
    files: Vec<Row<&'a FileCount>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CounterJson<'a> {
    name: &'a str,
    precision: Precision,
    /// What stepped in for `api`, if anything had to.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ModelJson<'a> {
    name: &'a str,
    window: Tokens,
    tokens: Tokens,
    percent: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TotalJson {
    files: usize,
    lines: u64,
    bytes: u64,
    tokens: TokensJson,
}

/// A file or a language with its tokens.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row<T> {
    #[serde(flatten)]
    of: T,
    tokens: TokensJson,
}

/// Tokens by the name of the counter, in the order of the counters.
type TokensJson = Map<String, Value>;

/// Makes the document.
pub(super) fn document<'a>(counted: &'a Counted<'_>) -> Document<'a> {
    let files = &counted.report.files;
    let by_name = |tokens: &[Tokens]| -> TokensJson {
        let numbers = tokens.iter().map(|tokens| Value::from(tokens.get()));
        counted.counter_names().zip(numbers).collect()
    };
    let counter = |counter: &'a Counter| CounterJson {
        name: counter.name(),
        precision: counter.precision(),
        fallback: counted.fallback(counter).map(Counter::name),
    };
    let languages = counted.languages().into_iter();
    Document {
        counters: counted.counters.list.iter().map(counter).collect(),
        model: model_json(counted),
        total: TotalJson {
            files: files.len(),
            lines: files.iter().map(|file| file.lines).sum(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            tokens: by_name(&counted.total()),
        },
        languages: languages
            .map(|language| Row { tokens: by_name(&language.tokens), of: language })
            .collect(),
        files: files.iter().map(|file| Row { of: file, tokens: by_name(&file.tokens) }).collect(),
    }
}

fn model_json<'a>(counted: &'a Counted<'_>) -> Option<ModelJson<'a>> {
    let window = counted.window.as_ref()?;
    let tokens = counted.model_total(window.model);
    Some(ModelJson {
        name: &window.model.name,
        window: window.tokens,
        tokens,
        percent: tokens.get() as f64 * 100.0 / window.tokens.get() as f64,
    })
}
