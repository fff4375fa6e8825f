//! What became of every file in a pack for a task.

use std::collections::{BTreeMap, HashSet};

use super::Found;
use super::compose::Shown;
use super::preferences::Copies;
use crate::Remark;
use crate::pack::page::cost_of;
use crate::pack::ranking::task::{FileSignals, RankedFile, TaskWeights};
use crate::pack::render::Tier;
use crate::pack::{OmittedFile, PackOptions, Packed, PackedFile, PackedPassage, Reason};

/// Accounts for every file: shown, or left out and why.
pub(super) fn account(
    ranked: &[RankedFile],
    copies: &Copies,
    weights: &TaskWeights,
    fitted: Shown,
    found: Found,
    options: &PackOptions,
) -> Packed {
    let best = ranked.iter().map(|file| file.score).fold(0.0, f64::max);
    let percent = |score: f64| {
        if best > 0.0 { (100.0 * score / best).round() as u32 } else { 0 }
    };
    let shown: HashSet<usize> = fitted.blocks.iter().map(|(file, _)| *file).collect();
    let mut costs = fitted.counted.costs.into_iter();
    let files = fitted.blocks.into_iter().map(|(file, block)| PackedFile {
        tokens: costs.next().unwrap_or_else(|| cost_of(&block, options)),
        path: block.path,
        tier: block.tier,
        score: percent(ranked[file].score),
        task: Some(ranked[file].signals),
        parts: ranked[file].signals.contributions(weights),
        passages: passages(&ranked[file], &block.ranges, weights),
        text: block.body,
        ranges: block.ranges,
        because: (block.tier != Tier::Full).then_some(Reason::ChosenLines),
        change: None,
    });
    let mut omitted: BTreeMap<String, OmittedFile> =
        found.omitted.into_iter().map(|file| (file.path.clone(), file)).collect();
    let known: HashSet<&str> = ranked.iter().map(|file| file.path.as_str()).collect();
    for file in &found.sources {
        if !known.contains(file.path.as_str()) {
            omitted.insert(
                file.path.clone(),
                left_out(&file.path, Reason::Binary { kind: None }, None),
            );
        }
    }
    let mut notes = found.notes;
    for (number, file) in ranked.iter().enumerate() {
        if shown.contains(&number) {
            continue;
        }
        let reason = match copies.of.get(&number) {
            Some(of) => Reason::Duplicate { of: of.clone() },
            None if file.pinned && file.passages.is_empty() => Reason::Empty,
            None if file.score > 0.0 || file.pinned => Reason::OverBudget,
            None => Reason::NoMatch,
        };
        if file.pinned && !copies.of.contains_key(&number) {
            let note = format!("pinned, but not packed: {reason}");
            notes.push(Remark::new(file.path.clone(), note));
        }
        let score = Some(percent(file.score));
        omitted.insert(file.path.clone(), left_out(&file.path, reason, score));
    }
    Packed {
        content: fitted.counted.text,
        tokens: fitted.counted.tokens,
        files: files.collect(),
        omitted: omitted.into_values().collect(),
        notes,
    }
}

/// The passages of a file of which lines are shown, by line.
fn passages(file: &RankedFile, ranges: &[(u32, u32)], weights: &TaskWeights) -> Vec<PackedPassage> {
    let mut passages = Vec::new();
    for passage in &file.passages {
        let shown = ranges.iter().filter_map(|range| {
            let lines = (range.0.max(passage.first), range.1.min(passage.last));
            (lines.0 <= lines.1).then_some(lines)
        });
        passages.extend(shown.map(|lines| PackedPassage {
            lines,
            score: passage.score,
            learned: passage.judged.is_some(),
            parts: match &passage.judged {
                Some(judged) => judged.contributions(),
                None => passage.signals.contributions(weights),
            },
        }));
    }
    passages.sort_by_key(|passage| passage.lines);
    passages
}

fn left_out(path: &str, reason: Reason, score: Option<u32>) -> OmittedFile {
    OmittedFile { path: path.to_owned(), reason, score, tokens: None }
}

/// The signals of a file for a task, by name.
pub(in crate::pack) fn named(signals: &FileSignals) -> [(&'static str, f64); 9] {
    [
        ("body", signals.body),
        ("path", signals.path),
        ("names", signals.names),
        ("messages", signals.messages),
        ("mention", signals.mention),
        ("kind", signals.kind),
        ("boost", signals.lift.boost),
        ("changed", signals.lift.changed),
        ("open", signals.lift.open),
    ]
}
