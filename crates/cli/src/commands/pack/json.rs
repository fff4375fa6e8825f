//! The document of `pack --json`, which programs and benchmarks read.

use loadline::{PackOptions, Packed, PackedFile, Signals};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::ui::Ui;

#[derive(Serialize)]
struct Document<'a> {
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    files: Vec<FileJson<'a>>,
    omitted: Vec<OmittedJson<'a>>,
    content: &'a str,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    tier: &'static str,
    score: u32,
    tokens: u64,
    ranges: &'a [(u32, u32)],
    signals: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
}

#[derive(Serialize)]
struct OmittedJson<'a> {
    path: &'a str,
    reason: &'a str,
    score: Option<u32>,
}

/// Writes the document.
pub(super) fn document(
    packed: &Packed,
    options: &PackOptions,
    ui: &mut Ui,
) -> Result<Vec<u8>, CommandError> {
    let omitted = packed.omitted.iter().map(|file| OmittedJson {
        path: &file.path,
        reason: &file.reason,
        score: file.score,
    });
    let document = Document {
        tokens: packed.tokens.get(),
        budget: options.budget.map(loadline::Tokens::get),
        counter: options.counter.name(),
        files: packed.files.iter().map(file).collect(),
        omitted: omitted.collect(),
        content: &packed.content,
    };
    Ok(ui.document(&document)?)
}

fn file(file: &PackedFile) -> FileJson<'_> {
    FileJson {
        path: &file.path,
        tier: file.tier.name(),
        score: file.score,
        tokens: file.tokens.get(),
        ranges: &file.ranges,
        signals: signals(&file.signals),
        because: file.because.as_deref(),
    }
}

/// The signals that said something, by name.
pub(super) fn signals(signals: &Signals) -> Map<String, Value> {
    let named = signals.named().into_iter();
    named
        .filter(|(_, points)| *points != 0)
        .map(|(name, points)| (name.to_owned(), points.into()))
        .collect()
}
