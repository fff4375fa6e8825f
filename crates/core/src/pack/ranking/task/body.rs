//! Scores how well passages match the words of a task: BM25, by words and by stems.

use super::index::Hit;
use super::query::Query;
use super::score::Candidate;
use super::weights::TaskWeights;

/// How rare each word and stem of the task is.
pub(super) struct Rarity {
    pub(super) words: Vec<f64>,
    pub(super) stems: Vec<f64>,
    /// Terms of a passage on average.
    average: f64,
}

impl Rarity {
    pub(super) fn of(files: &[Candidate], query: &Query, weights: &TaskWeights) -> Rarity {
        let mut words = vec![0u32; query.words()];
        let mut stems = vec![0u32; query.stems().len()];
        let (mut windows, mut passages, mut terms) = (0.0, 0u64, 0u64);
        let mut seen: Vec<(u32, u32)> = Vec::new();
        for file in files {
            let spans = &file.probe.spans;
            let lines = spans.last().map_or(0, |span| span.last);
            windows += (f64::from(lines) / weights.window).ceil();
            passages += spans.len() as u64;
            terms += spans.iter().map(|span| u64::from(span.terms)).sum::<u64>();
            seen.clear();
            for hit in &file.probe.hits {
                let first = spans.get(hit.passage as usize).map_or(0, |span| span.first);
                let window = (f64::from(first.saturating_sub(1)) / weights.window) as u32;
                seen.push((u32::from(hit.stem), window));
                if hit.word != Hit::KIN {
                    seen.push((0x1_0000 + u32::from(hit.word), window));
                }
            }
            seen.sort_unstable();
            seen.dedup();
            for (slot, _) in &seen {
                match slot.checked_sub(0x1_0000) {
                    Some(word) => words[word as usize] += 1,
                    None => stems[*slot as usize] += 1,
                }
            }
        }
        let rarity = |count: &u32| {
            let count = f64::from(*count);
            (1.0 + (windows - count + 0.5).max(0.5) / (count + 0.5)).ln()
        };
        Rarity {
            words: words.iter().map(rarity).collect(),
            stems: stems.iter().map(rarity).collect(),
            average: (terms as f64 / (passages.max(1) as f64)).max(1.0),
        }
    }
}

/// The scores of a file's passages, by words and by stems.
type Bodies = (Vec<f64>, Vec<f64>);

/// The body score of every passage of every file.
pub(super) fn bodies(
    files: &[Candidate],
    query: &Query,
    rarity: &Rarity,
    weights: &TaskWeights,
) -> Vec<Vec<f64>> {
    let mut bodies: Vec<Bodies> =
        files.iter().map(|file| body(file, query, rarity, weights)).collect();
    let most = |pick: fn(&Bodies) -> &Vec<f64>| {
        bodies.iter().flat_map(|body| pick(body).iter().copied()).fold(0.0, f64::max)
    };
    let (most_words, most_stems) = (most(|body| &body.0), most(|body| &body.1));
    bodies
        .iter_mut()
        .zip(files)
        .map(|((words, stems), file)| {
            words
                .iter()
                .zip(stems.iter())
                .zip(&file.probe.spans)
                .map(|((word, stem), span)| {
                    let mixed = (1.0 - weights.stems) * ratio(*word, most_words)
                        + weights.stems * ratio(*stem, most_stems);
                    if span.tests { mixed * weights.inner_test } else { mixed }
                })
                .collect()
        })
        .collect()
}

pub(super) fn smooth(values: &[f64], share: f64) -> Vec<f64> {
    let at =
        |index: Option<usize>| index.and_then(|index| values.get(index)).copied().unwrap_or(0.0);
    (0..values.len())
        .map(|index| values[index] + share * (at(index.checked_sub(1)) + at(Some(index + 1))) / 2.0)
        .collect()
}

/// BM25 by words and by stems.
fn body(file: &Candidate, query: &Query, rarity: &Rarity, weights: &TaskWeights) -> Bodies {
    let spans = &file.probe.spans;
    let mut words = vec![0.0; spans.len()];
    let mut stems = vec![0.0; spans.len()];
    let held: Vec<f64> = spans
        .iter()
        .map(|span| {
            weights.k1 * (1.0 - weights.b + weights.b * f64::from(span.terms) / rarity.average)
        })
        .collect();
    let gain = |count: f64, held: f64| count * (weights.k1 + 1.0) / (count + held);
    // Hits come by stem, so the counts of one stem are summed up as they come.
    let mut counts: Vec<f64> = vec![0.0; spans.len()];
    for same in file.probe.hits.chunk_by(|left, right| left.stem == right.stem) {
        for hit in same {
            let passage = hit.passage as usize;
            let Some(held) = held.get(passage) else {
                continue;
            };
            let count = f64::from(hit.count);
            counts[passage] += count;
            if hit.word != Hit::KIN {
                let slot = usize::from(hit.word);
                words[passage] += query.word_weight(slot) * rarity.words[slot] * gain(count, *held);
            }
        }
        for hit in same {
            let passage = hit.passage as usize;
            let slot = usize::from(hit.stem);
            let Some(count) = counts.get_mut(passage).filter(|count| **count > 0.0) else {
                continue;
            };
            stems[passage] +=
                query.stem_weight(slot) * rarity.stems[slot] * gain(*count, held[passage]);
            *count = 0.0;
        }
    }
    (words, stems)
}

pub(super) fn best(body: &[f64], weights: &TaskWeights) -> f64 {
    let mut top = [0.0f64; 3];
    for value in body {
        let mut value = *value;
        for place in &mut top {
            if value > *place {
                std::mem::swap(place, &mut value);
            }
        }
    }
    top[0] + weights.second * top[1] + weights.third * top[2]
}

/// A part of the most; nothing of nothing.
pub(super) fn ratio(value: f64, most: f64) -> f64 {
    if most > 0.0 { value / most } else { 0.0 }
}
