//! The numbered examples of weighted ranking.

use super::*;

const HOUR: i64 = 3_600 * 1_000_000_000;
const NOW: i64 = 1_000_000 * HOUR;

fn chunk(path: &str, text: &str) -> WeightedChunk {
    WeightedChunk {
        path: path.to_owned(),
        text: text.to_owned(),
        first: 1,
        last: 10,
        ..WeightedChunk::default()
    }
}

fn bare() -> WeightedOptions {
    WeightedOptions { boosts: Vec::new(), ..WeightedOptions::new(NOW) }
}

fn one(chunk: WeightedChunk, query: &str) -> WeightedScore {
    rank_weighted(&[chunk], query, &bare()).unwrap().scores[0]
}

fn order(chunks: &[WeightedChunk], options: &WeightedOptions) -> Vec<usize> {
    let ranked = rank_weighted(chunks, "", options).unwrap();
    ranked.scores.iter().map(|score| score.chunk).collect()
}

#[test]
fn f091_profiles_and_combination() {
    let v1 = RankWeights::profile("v1").unwrap();
    assert_eq!((v1.relevance, v1.recency, v1.source, v1.position), (0.5, 0.3, 0.2, 0.0));
    let four = RankWeights::profile("016b").unwrap();
    assert_eq!((four.relevance, four.recency, four.source, four.position), (0.5, 0.15, 0.25, 0.1));
    assert_eq!(RankWeights::profile("v9"), None);
    let best = WeightedChunk {
        search_score: Some(1.0),
        changed_ns: Some(NOW),
        priority: Some(100),
        ..chunk("a", "")
    };
    assert_eq!(one(best, "x").score, 1.0);
}

#[test]
fn f092_weights_are_scaled_with_a_note() {
    let weights = RankWeights { relevance: 1.0, recency: 0.6, source: 0.4, position: 0.0 };
    let (scaled, note) = weights.checked(false).unwrap();
    assert_eq!(scaled, RankWeights::V1);
    assert!(note.unwrap().message.contains("2.00"));
    assert!(weights.checked(true).is_err());
    let close = RankWeights { relevance: 0.505, ..RankWeights::V1 };
    assert_eq!(close.checked(true).unwrap().1, None);
    for relevance in [f64::NAN, -1.0] {
        let bad = RankWeights { relevance, ..RankWeights::V1 };
        assert_eq!(bad.checked(false).unwrap_err().code(), "LL-RNK-001");
    }
}

#[test]
fn f093_relevance_by_search_or_words() {
    let text = chunk("src/Login.rs", "check the PASSWORD of a user");
    assert_eq!(one(text.clone(), "password user").relevance, 1.0);
    assert_eq!(one(text.clone(), "login token").relevance, 0.5);
    assert_eq!(one(text.clone(), "nothing here-of").relevance, 0.0);
    assert_eq!(one(text.clone(), "").relevance, 0.5);
    assert_eq!(one(text.clone(), "a of").relevance, 0.5);
    let searched = WeightedChunk { search_score: Some(0.37), ..text };
    assert_eq!(one(searched, "password").relevance, 0.37);
}

#[test]
fn f094_recency_halves_with_the_half_life() {
    let at = |hours: i64, half: u64| {
        let options = WeightedOptions { half_life: Duration::from_secs(half * 3_600), ..bare() };
        recency(Some(NOW - hours * HOUR), &options)
    };
    for (hours, half, want) in [
        (1, 24, 0.97),
        (24, 24, 0.5),
        (168, 24, 0.008),
        (24, 168, 0.906),
        (168, 168, 0.5),
        (720, 168, 0.051),
        (-5, 168, 1.0),
    ] {
        let got = at(hours, half);
        assert!((got - want).abs() < 0.002, "{hours} {half} {got}");
    }
    assert_eq!(at(1, 0), 0.0);
}

#[test]
fn f095_no_time_is_neutral() {
    assert_eq!(one(chunk("a", ""), "x").recency, 0.5);
}

#[test]
fn f097_source_is_its_priority() {
    for (priority, want) in
        [(Some(100), 1.0), (Some(80), 0.8), (Some(60), 0.6), (Some(40), 0.4), (None, 0.5)]
    {
        let chunk = WeightedChunk { priority, ..chunk("a", "") };
        assert_eq!(one(chunk, "x").source, want);
    }
}

#[test]
fn f098_position_prefers_beginnings_and_heads() {
    let at = |first: u32, part: Part| {
        let chunk = WeightedChunk { first, lines: Some(100), part, ..chunk("a", "") };
        position(&chunk)
    };
    assert_eq!(at(1, Part::Other), 0.8);
    assert_eq!(at(20, Part::Other), 0.8);
    assert_eq!(at(21, Part::Other), 0.5);
    assert_eq!(at(90, Part::TypeHeader), 1.0);
    assert_eq!(at(1, Part::Imports), 0.6);
}

#[test]
fn f099_factors_multiply_within_bounds() {
    let boost_of = |path: &str, rows: &[(&str, f64)]| {
        let rows: Vec<Boost> = rows
            .iter()
            .map(|(glob, factor)| Boost { glob: (*glob).to_owned(), factor: *factor })
            .collect();
        boost(path, &compile(&rows).unwrap())
    };
    assert_eq!(boost_of("src/a.rs", &[("src/", 2.0), ("*.rs", 1.25)]), 2.5);
    assert_eq!(boost_of("src/a.rs", &[("src/", 2.0), ("*.rs", 2.0)]), 3.0);
    assert_eq!(boost_of("src/a.rs", &[("src/", 0.1), ("*.rs", 0.1)]), 0.1);
    assert_eq!(boost_of("lib/a.py", &[("src/", 2.0)]), 1.0);
    let defaults = WeightedOptions::new(NOW);
    let boosts = compile(&defaults.boosts).unwrap();
    assert_eq!(boost("tests/a.rs", &boosts), 0.8);
    assert_eq!(boost("src/a.generated.ts", &boosts), 0.5);
    assert_eq!(boost("src/a.ts", &boosts), 1.0);
}

#[test]
fn f100_scores_below_the_threshold_are_left_out() {
    let chunks = [chunk("a", "match"), chunk("b", "none")];
    let options = WeightedOptions { min_score: 0.5, ..bare() };
    let ranked = rank_weighted(&chunks, "match", &options).unwrap();
    assert_eq!(ranked.scores.len(), 1);
    assert_eq!(rank_weighted(&chunks, "match", &bare()).unwrap().scores.len(), 2);
}

#[test]
fn f101_ties_go_by_priority_path_and_line() {
    let with = |path: &str, first: u32, priority: u32, search: f64| WeightedChunk {
        first,
        priority: Some(priority),
        search_score: Some(search),
        ..chunk(path, "")
    };
    let chunks = [
        with("b", 1, 50, 0.5),
        with("a", 9, 50, 0.5),
        with("a", 2, 50, 0.5),
        // The same score from a better source: .38 * .5 + .8 * .2.
        with("z", 1, 80, 0.38),
    ];
    assert_eq!(order(&chunks, &bare()), [3, 2, 1, 0]);
}

#[test]
fn f102_the_parts_add_up_to_the_score() {
    let best =
        WeightedChunk { search_score: Some(0.95), priority: Some(80), ..chunk("tests/a", "") };
    let ranked = rank_weighted(&[best], "x", &WeightedOptions::new(NOW)).unwrap();
    let parts = ranked.scores[0].contributions(&ranked.weights);
    let lines: Vec<String> = parts.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "relevance: 0.95 × 0.50 = 0.475",
            "recency: 0.50 × 0.30 = 0.150",
            "source: 0.80 × 0.20 = 0.160",
            "boost: -0.20 × 0.79 = -0.157",
        ]
    );
    assert!((ranked.scores[0].score - 0.785 * 0.8).abs() < 1e-12);
}

#[test]
fn f102_the_parts_add_up_whatever_the_globs_say() {
    for factor in [0.0, 0.5, 1.0, 1.7, 3.0] {
        let options = WeightedOptions {
            weights: RankWeights::FOUR_FACTORS,
            boosts: vec![Boost { glob: "a".to_owned(), factor }],
            ..bare()
        };
        let one = WeightedChunk { search_score: Some(0.9), priority: Some(70), ..chunk("a", "") };
        let ranked = rank_weighted(&[one], "x", &options).unwrap();
        let score = ranked.scores[0];
        let parts = score.contributions(&ranked.weights);
        let sum: f64 = parts.iter().map(|part| part.value * part.weight).sum();
        assert!((sum - score.score).abs() < 1e-12, "{factor} {parts:?}");
    }
}

#[test]
fn f103_limits_are_kept() {
    let many = vec![chunk("a", ""); MOST_CHUNKS + 1];
    let ranked = rank_weighted(&many, "x", &bare()).unwrap();
    assert_eq!(ranked.scores.len(), MOST_CHUNKS);
    assert!(ranked.notes[0].message.contains("50001 chunks"));
    let weights = RankWeights { relevance: 0.2, recency: 0.5, source: 0.3, position: 0.0 };
    assert_eq!(weights.checked(false).unwrap_err().code(), "LL-RNK-002");
    let options =
        WeightedOptions { boosts: vec![Boost { glob: "a".repeat(200), factor: 1.0 }], ..bare() };
    assert_eq!(rank_weighted(&[], "x", &options).unwrap_err().code(), "LL-RNK-003");
}
