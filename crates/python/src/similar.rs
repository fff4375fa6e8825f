//! Finds texts that are nearly the same, by MinHash.
//!
//! Two texts are as similar as the part of their runs of five words that they share. 128
//! smallest hashes of such runs estimate that; only texts that agree in some band of four
//! are compared.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

const WORDS: usize = 5;
const HASHES: usize = 128;
const BAND: usize = 4;

/// The smallest hashes of a text.
pub(crate) struct Signature([u64; HASHES]);

impl Signature {
    pub(crate) fn of(text: &str) -> Signature {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut smallest = [u64::MAX; HASHES];
        for run in words.windows(WORDS.min(words.len()).max(1)) {
            let hash = hash(run);
            for (place, least) in smallest.iter_mut().enumerate() {
                *least = (*least).min(mixed(hash ^ mixed(place as u64)));
            }
        }
        Signature(smallest)
    }

    fn similarity(&self, other: &Signature) -> f64 {
        let same = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        same as f64 / HASHES as f64
    }
}

/// Tells for every text which earlier one it repeats.
pub(crate) fn repeats(signatures: &[Option<Signature>], least: f64) -> Vec<Option<u64>> {
    let mut seen: HashMap<(usize, &[u64]), Vec<usize>> = HashMap::new();
    let mut found = Vec::with_capacity(signatures.len());
    for (row, signature) in signatures.iter().enumerate() {
        let Some(signature) = signature else {
            found.push(None);
            continue;
        };
        let bands = || signature.0.chunks(BAND).enumerate();
        let near = bands().flat_map(|band| seen.get(&band).into_iter().flatten());
        let is_near = |other: &&usize| {
            let other = signatures[**other].as_ref();
            other.is_some_and(|it| it.similarity(signature) >= least)
        };
        let first = near.filter(is_near).min().copied();
        found.push(first.map(|it| it as u64));
        // A repetition stands for nothing new.
        if first.is_none() {
            bands().for_each(|band| seen.entry(band).or_default().push(row));
        }
    }
    found
}

fn hash(run: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}

/// SplitMix64.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
