//! The document of `pack --json`, which programs and benchmarks read.

use loadline::Remark;
use loadline::pack::ranking::Contribution;
use loadline::pack::{
    OmittedFile, PackSummary, PackTotals, Packed, PackedFile, PackedPassage, Reason, Tier,
};
use loadline::repo::ChangeStatus;
use loadline::tokens::Tokens;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::commands::models::BudgetJson;
use crate::error::Result;
use crate::ui::{self, Ui};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    schema: u32,
    tokens: Tokens,
    budget: Option<u64>,
    /// How the budget follows from the model's window, unless one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_parts: Option<BudgetJson>,
    counter: &'a str,
    /// Names the pack, for `--since-pack`.
    id: &'a str,
    summary: PackTotals,
    files: Vec<FileJson<'a>>,
    omitted: &'a [OmittedFile],
    notes: Vec<Remark>,
    content: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson<'a> {
    path: &'a str,
    tier: Tier,
    score: u32,
    tokens: Tokens,
    ranges: &'a [(u32, u32)],
    signals: Map<String, Value>,
    /// What happened to it, in a review.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeStatus>,
    /// What is shown of it.
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(flatten)]
    because: Option<&'a Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainJson<'a>>,
}

/// Where a score comes from; the products add up to it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExplainJson<'a> {
    score: f64,
    parts: &'a [Contribution],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    passages: &'a [PackedPassage],
}

/// Writes the document.
pub(super) fn document(
    packed: &Packed,
    summary: &PackSummary,
    budget_parts: Option<BudgetJson>,
    explain: bool,
    ui: &mut Ui,
) -> Result<Vec<u8>> {
    let document = Document {
        schema: ui::SCHEMA,
        tokens: packed.tokens,
        budget: summary.budget,
        budget_parts,
        counter: &summary.counter,
        id: &summary.id,
        summary: summary.totals(),
        files: packed.files.iter().map(|it| file(it, explain)).collect(),
        omitted: &packed.omitted,
        notes: ui.take_remarks(),
        content: &packed.content,
    };
    Ok(ui::to_json(&document)?)
}

fn file(file: &PackedFile, explain: bool) -> FileJson<'_> {
    FileJson {
        path: &file.path,
        tier: file.tier,
        score: file.score,
        tokens: file.tokens,
        ranges: &file.ranges,
        signals: named(&file.named_signals()),
        change: file.change,
        text: &file.text,
        because: file.because.as_ref(),
        explain: explain.then(|| ExplainJson {
            score: Contribution::sum(&file.parts),
            parts: &file.parts,
            passages: &file.passages,
        }),
    }
}

/// Returns the signals that are not zero, rounded.
pub(super) fn named(signals: &[(&'static str, f64)]) -> Map<String, Value> {
    let nonzero = signals.iter().filter(|(_, value)| *value != 0.0);
    nonzero
        .map(|(name, value)| {
            let value = if value.fract() == 0.0 {
                Value::from(*value as i64)
            } else {
                Value::from((value * 1e4).round() / 1e4)
            };
            ((*name).to_owned(), value)
        })
        .collect()
}
