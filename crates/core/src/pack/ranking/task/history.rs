//! Scores files by the commit messages that resemble the task.

use std::collections::HashMap;

use super::past::Past;
use super::query::Query;
use super::weights::TaskWeights;
use crate::repo::Commit;
use crate::text::terms::each_term;

/// How many commits are looked at, the newest first.
pub(crate) const COMMITS: usize = 1_000;

/// A commit as ranking sees it.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The id of the commit.
    pub id: &'a str,
    /// Subject and body.
    pub text: &'a str,
    /// Paths of the files it changed, with `/` between their parts.
    pub files: Vec<&'a str>,
}

/// What the commits before say.
pub(crate) struct History<'a> {
    pub(crate) messages: &'a [Message<'a>],
    pub(crate) past: &'a Past,
}

impl<'a> From<&'a Commit> for Message<'a> {
    /// Files whose path is not UTF-8 are left out.
    fn from(commit: &'a Commit) -> Message<'a> {
        Message {
            id: &commit.id,
            text: &commit.message,
            files: commit.files.iter().filter_map(|file| file.to_str()).collect(),
        }
    }
}

/// Gives each file a share of the commits that touched it, by how much their
/// messages resemble the task.
pub(crate) fn message_scores(
    messages: &[Message<'_>],
    places: &HashMap<&str, usize>,
    files: usize,
    query: &Query,
    weights: &TaskWeights,
) -> Vec<f64> {
    let mut scores = vec![0.0; files];
    for ((alike, _), message) in likenesses(messages, query, weights).iter().zip(messages) {
        let share = alike.powi(3) / (message.files.len().max(1) as f64).sqrt();
        for file in &message.files {
            if let Some(place) = places.get(file).and_then(|place| scores.get_mut(*place)) {
                *place += share;
            }
        }
    }
    scores
}

/// How much the latest messages resemble the task, and the part of its words that each has.
pub(super) fn likenesses(
    messages: &[Message<'_>],
    query: &Query,
    weights: &TaskWeights,
) -> Vec<(f64, f64)> {
    let messages = &messages[..messages.len().min(COMMITS)];
    let counted: Vec<(Vec<(u16, f64)>, f64)> =
        messages.iter().map(|message| counts(message.text, query)).collect();
    let mut common = vec![0.0; query.stems().len()];
    let mut total = 0.0;
    for (found, length) in &counted {
        total += length;
        for (slot, _) in found {
            common[usize::from(*slot)] += 1.0;
        }
    }
    let number = counted.len() as f64;
    let average = (total / number.max(1.0)).max(1.0);
    let worth = |slot: usize| {
        let rare = (1.0 + (number - common[slot] + 0.5) / (common[slot] + 0.5)).ln();
        query.stem_weight(slot) * rare
    };
    let all: f64 = (0..common.len()).map(worth).sum();
    let likeness = |(found, length): &(Vec<(u16, f64)>, f64)| {
        let held = weights.k1 * (1.0 - weights.b + weights.b * length / average);
        let slots = found.iter().map(|(slot, count)| (worth(usize::from(*slot)), count));
        let alike =
            slots.clone().map(|(worth, count)| worth * count * (weights.k1 + 1.0) / (count + held));
        (alike.sum(), slots.map(|(worth, _)| worth).sum::<f64>() / all.max(f64::MIN_POSITIVE))
    };
    counted.iter().map(likeness).collect()
}

/// Counts the words of the task in a message; also how many terms there are.
fn counts(text: &str, query: &Query) -> (Vec<(u16, f64)>, f64) {
    let mut slots: Vec<u16> = Vec::new();
    let mut length = 0.0;
    let text = &text[..text.floor_char_boundary(8 << 10)];
    each_term(text, |term, _| {
        length += 1.0;
        slots.extend(query.stem_slot(term.stem));
    });
    slots.sort_unstable();
    let counted = slots.chunk_by(|left, right| left == right);
    let counted = counted.filter_map(|same| Some((*same.first()?, same.len() as f64)));
    (counted.collect(), length)
}
