//! The document of `count --json`: every file, whatever is shown otherwise.

use loadline::repo::{FileCount, LanguageCount, display_path};
use loadline::tokens::{Counter, Tokens};
use serde::Serialize;
use serde_json::{Map, Value};

use super::counted::Counted;
use super::languages;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    counters: Vec<CounterJson<'a>>,
    model: Option<ModelJson<'a>>,
    total: TotalJson,
    languages: Vec<LanguageJson>,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
struct CounterJson<'a> {
    name: &'a str,
    precision: &'static str,
    /// What stepped in for `api`, if anything had to.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'a str>,
}

#[derive(Serialize)]
struct ModelJson<'a> {
    name: &'a str,
    window: u64,
    tokens: u64,
    percent: f64,
}

/// Numbers by the name of the counter, in the order of the counters.
type TokensJson = Map<String, Value>;

#[derive(Serialize)]
struct TotalJson {
    files: u64,
    lines: u64,
    bytes: u64,
    tokens: TokensJson,
}

#[derive(Serialize)]
struct LanguageJson {
    language: Option<&'static str>,
    #[serde(flatten)]
    total: TotalJson,
}

#[derive(Serialize)]
struct FileJson {
    path: String,
    tokens: TokensJson,
    lines: u64,
    bytes: u64,
    language: Option<&'static str>,
    encoding: &'static str,
    source: &'static str,
}

/// Makes the document.
pub(super) fn document<'a>(counted: &'a Counted<'_>) -> Document<'a> {
    let files = &counted.report.files;
    let counters = counted.counters.list.iter();
    Document {
        counters: counters
            .map(|counter| counter_json(counted, counter))
            .collect(),
        model: model_json(counted),
        total: TotalJson {
            files: files.len() as u64,
            lines: files.iter().map(|file| file.lines).sum(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            tokens: tokens_json(counted, &counted.total()),
        },
        languages: languages::sorted(counted)
            .into_iter()
            .map(|language| language_json(counted, &language))
            .collect(),
        files: files.iter().map(|file| file_json(counted, file)).collect(),
    }
}

fn counter_json<'a>(counted: &'a Counted<'_>, counter: &'a Counter) -> CounterJson<'a> {
    CounterJson {
        name: counter.name(),
        precision: counter.precision().name(),
        fallback: counted.fallback(counter).map(Counter::name),
    }
}

fn model_json<'a>(counted: &'a Counted<'_>) -> Option<ModelJson<'a>> {
    let window = counted.window.as_ref()?;
    let tokens = counted.model_total(window.model);
    Some(ModelJson {
        name: &window.model.name,
        window: window.tokens.get(),
        tokens: tokens.get(),
        percent: tokens.get() as f64 * 100.0 / window.tokens.get() as f64,
    })
}

fn language_json(counted: &Counted<'_>, language: &LanguageCount) -> LanguageJson {
    LanguageJson {
        language: language.language,
        total: TotalJson {
            files: language.files,
            lines: language.lines,
            bytes: language.bytes,
            tokens: tokens_json(counted, &language.tokens),
        },
    }
}

fn file_json(counted: &Counted<'_>, file: &FileCount) -> FileJson {
    // A service says where its counts come from for a run as a whole.
    let api = counted.counters.api.as_ref();
    let source = api.map_or(file.source, |api| api.source());
    FileJson {
        path: display_path(&file.path),
        tokens: tokens_json(counted, &file.tokens),
        lines: file.lines,
        bytes: file.bytes,
        language: file.language,
        encoding: file.encoding,
        source: source.name(),
    }
}

fn tokens_json(counted: &Counted<'_>, tokens: &[Tokens]) -> TokensJson {
    let numbers = tokens.iter().map(|tokens| Value::from(tokens.get()));
    counted.counter_names().zip(numbers).collect()
}
