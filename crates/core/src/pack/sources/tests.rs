//! The numbered examples of packing sources, and what they leave open.

#![allow(clippy::unwrap_used)]

mod packing;
mod reading;
mod validation;

use loadline_testkit::Tree;

use super::*;
use crate::settings::Config;
use crate::tokens::{CountTokens, Counter, Precision};

/// One token per word, so that costs can be read off a text.
struct Words;

impl CountTokens for Words {
    fn name(&self) -> &str {
        "words"
    }

    fn precision(&self) -> Precision {
        Precision::Exact
    }

    fn count(&self, text: &str) -> Tokens {
        Tokens::new(text.split_whitespace().count() as u64)
    }
}

fn options() -> SourceOptions {
    let settings = Config::load([]).unwrap().settings().clone();
    SourceOptions::new(Counter::custom(Words), &settings, 0)
}

fn below(tree: &Tree) -> SourceOptions {
    SourceOptions { root: Some(tree.root().to_owned()), ..options() }
}

fn run(sources: Vec<PackSource>, budget: u64, options: &SourceOptions) -> PackedSources {
    let budget = Allocation::of(Tokens::new(budget));
    let packed = pack_sources(sources, &budget, options, &Cancel::new()).unwrap();
    assert!(packed.tokens <= budget.total());
    assert_eq!(options.counter.count(&packed.content), packed.tokens);
    packed
}

/// A text of so many different words, ten to a line.
fn words(name: &str, count: usize) -> String {
    let word = |number: usize| {
        let end = if number % 10 == 9 { "\n" } else { " " };
        format!("{name}{number}{end}")
    };
    (0..count).map(word).collect()
}

fn found(path: &str, text: &str, relevance: f64) -> PackSource {
    PackSource::new(SourceKind::SearchResult, path).content(text).relevance(relevance)
}

fn reasons(packed: &PackedSources) -> Vec<(String, String)> {
    let excluded = packed.excluded.iter();
    excluded.map(|gone| (gone.path.clone(), gone.reason.to_string())).collect()
}
