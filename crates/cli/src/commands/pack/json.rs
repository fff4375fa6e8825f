//! The document of `pack --json`, which programs and benchmarks read.

use loadline::pack::ranking::Contribution;
use loadline::pack::{OmittedFile, PackSummary, Packed, PackedFile, Reason, Tier};
use loadline::repo::Signals;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::ui::Ui;

#[derive(Serialize)]
struct Document<'a> {
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    summary: SummaryJson,
    files: Vec<FileJson<'a>>,
    omitted: &'a [OmittedFile],
    content: &'a str,
}

/// The numbers of a pack; none of them depends on how long it took.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct SummaryJson {
    total_files: usize,
    full_files: usize,
    section_files: usize,
    signature_files: usize,
    skipped_files: usize,
    used_tokens: u64,
    budget_tokens: u64,
    utilization_percent: u64,
    duplicate_files: usize,
    duplicate_tokens: u64,
}

impl SummaryJson {
    /// Takes the numbers of a summary.
    pub(in crate::commands) fn new(summary: &PackSummary) -> SummaryJson {
        let duplicates = || summary.duplicates();
        SummaryJson {
            total_files: summary.files.len() + summary.omitted.len(),
            full_files: summary.in_tier(Tier::Full).0,
            section_files: summary.in_tier(Tier::Sections).0 + summary.in_tier(Tier::Chunks).0,
            signature_files: summary.in_tier(Tier::Signatures).0,
            skipped_files: summary.omitted.len(),
            used_tokens: summary.tokens,
            budget_tokens: summary.budget.unwrap_or(0),
            utilization_percent: summary.utilization_percent(),
            duplicate_files: duplicates().count(),
            duplicate_tokens: duplicates()
                .filter_map(|(file, _)| Some(file.tokens?.get()))
                .sum(),
        }
    }
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
    #[serde(flatten)]
    because: Option<&'a Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainJson>,
}

/// Where a score comes from; the products add up to it.
#[derive(Serialize)]
struct ExplainJson {
    score: f64,
    parts: Vec<PartJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<PassageJson>,
}

#[derive(Serialize)]
struct PassageJson {
    lines: (u32, u32),
    score: f64,
    parts: Vec<PartJson>,
}

/// One signal's part of a score.
#[derive(Serialize)]
pub(super) struct PartJson {
    signal: &'static str,
    value: f64,
    weight: f64,
    product: f64,
}

/// The parts of a score, for programs.
pub(super) fn parts(parts: &[Contribution]) -> Vec<PartJson> {
    let part = |part: &Contribution| PartJson {
        signal: part.signal,
        value: part.value,
        weight: part.weight,
        product: part.product(),
    };
    parts.iter().map(part).collect()
}

fn explained(file: &PackedFile) -> ExplainJson {
    let passages = file.passages.iter().map(|passage| PassageJson {
        lines: passage.lines,
        score: passage.score,
        parts: parts(&passage.parts),
    });
    ExplainJson {
        score: Contribution::sum(&file.parts),
        parts: parts(&file.parts),
        passages: passages.collect(),
    }
}

/// Writes the document.
pub(super) fn document(
    packed: &Packed,
    summary: &PackSummary,
    explain: bool,
    ui: &mut Ui,
) -> Result<Vec<u8>, CommandError> {
    let document = Document {
        tokens: packed.tokens.get(),
        budget: summary.budget,
        counter: &summary.counter,
        summary: SummaryJson::new(summary),
        files: packed.files.iter().map(|it| file(it, explain)).collect(),
        omitted: &packed.omitted,
        content: &packed.content,
    };
    Ok(ui.document(&document)?)
}

fn file(file: &PackedFile, explain: bool) -> FileJson<'_> {
    FileJson {
        path: &file.path,
        tier: file.tier.name(),
        score: file.score,
        tokens: file.tokens.get(),
        ranges: &file.ranges,
        signals: named(&file.named_signals()),
        because: file.because.as_ref(),
        explain: explain.then(|| explained(file)),
    }
}

/// The signals of a packed file that said something.
pub(super) fn named(signals: &[(&'static str, f64)]) -> Map<String, Value> {
    let told = signals.iter().filter(|(_, value)| *value != 0.0);
    told.map(|(name, value)| {
        let value = if value.fract() == 0.0 {
            Value::from(*value as i64)
        } else {
            Value::from((value * 1e4).round() / 1e4)
        };
        ((*name).to_owned(), value)
    })
    .collect()
}

/// The signals that said something, by name.
pub(in crate::commands) fn signals(signals: &Signals) -> Map<String, Value> {
    let named = signals.named().into_iter();
    named
        .filter(|(_, points)| *points != 0)
        .map(|(name, points)| (name.to_owned(), points.into()))
        .collect()
}
