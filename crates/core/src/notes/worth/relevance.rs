//! How much units have to do with a task: BM25 over the units of the notes.
//!
//! A task is short and names little, so the units that match it best lend it their words,
//! and a section with such a unit counts a little for the others in it. A fit of sixteen
//! features of this kind was tried and is no better on repositories it has not seen.

use super::language::Language;
use crate::notes::{Notes, UnitKind};

/// So many units lend their words, each word at this weight.
const LENDERS: usize = 10;
const LENT: f32 = 0.3;
/// The largest share of units with a word that is asked for, and with one that is lent.
const COMMON: f32 = 0.15;
const COMMON_LENT: f32 = 0.05;
/// What the best unit of a section is worth to the others.
const AROUND: f32 = 0.2;

/// Returns for each unit how much it has to do with a task; the most is little above 1.
pub(super) fn relevance(task: &str, notes: &Notes, language: &Language) -> Vec<f64> {
    let mut asked = vec![0.0_f32; language.idf.len()];
    let rare = |word: u32, share: f32| {
        let all = language.words.len() as f32;
        language.idf[word as usize] >= (1.0 + all / (share * all).max(3.0)).ln() - 1e-4
    };
    for word in language.known(task).into_iter().filter(|it| rare(*it, COMMON)) {
        asked[word as usize] = 1.0;
    }
    let first = scores(&asked, language);
    let mut best: Vec<usize> = (0..first.len()).filter(|it| first[*it] > 0.0).collect();
    best.sort_by(|one, other| first[*other].total_cmp(&first[*one]).then(one.cmp(other)));
    let most = best.first().map_or(1.0, |it| first[*it]);
    for unit in best.into_iter().take(LENDERS) {
        for word in language.words[unit].iter().filter(|it| rare(**it, COMMON_LENT)) {
            asked[*word as usize] += LENT * first[unit] / most;
        }
    }
    let scores = scores(&asked, language);
    let most = scores.iter().copied().fold(1e-6, f32::max);
    around(&scores, notes).map(|(own, around)| f64::from((own + AROUND * around) / most)).collect()
}

fn scores(asked: &[f32], language: &Language) -> Vec<f32> {
    let all: usize = language.lengths.iter().sum();
    let average = (all as f32 / language.lengths.len().max(1) as f32).max(1.0);
    let score = |(words, length): (&Vec<u32>, &usize)| {
        let told = language.told(words, |it| asked[it as usize]);
        told * 2.2 / (1.0 + 1.2 * *length as f32 / average)
    };
    language.words.iter().zip(&language.lengths).map(score).collect()
}

/// Pairs the score of each unit with the best one below its heading.
fn around(scores: &[f32], notes: &Notes) -> impl Iterator<Item = (f32, f32)> {
    let mut place = 0;
    let mut places = Vec::with_capacity(scores.len());
    let mut best: Vec<f32> = vec![0.0];
    let mut file = 0;
    for (unit, score) in notes.units.iter().zip(scores) {
        if unit.kind == UnitKind::Heading || unit.file != file {
            (place, file) = (place + 1, unit.file);
            best.push(0.0);
        }
        best[place] = best[place].max(*score);
        places.push(place);
    }
    scores.iter().copied().zip(places.into_iter().map(move |it| best[it]))
}
