//! A prompt from many sources.

use super::*;
use crate::budget::{Amount, Budget};

fn percent(percent: f64) -> Amount {
    Amount::PercentOfAvailable(percent)
}

fn items(count: usize, tokens: usize) -> Vec<SourceItem> {
    let item = |number| SourceItem::new(format!("item{number}"), words(number, tokens));
    (0..count).map(item).collect()
}

fn fill(sources: &[PromptSource<'_>], tokens: u64) -> Result<FilledPrompt, PromptError> {
    fill_sources(sources, Budget::of(Tokens::new(tokens)), &counter())
}

fn shown(source: &FilledSource) -> usize {
    source.items.iter().filter(|item| item.form.is_some()).count()
}

#[test]
fn f281_every_source_has_its_share_and_what_others_leave() {
    let sources = [
        PromptSource::new("knowledge", percent(50.0), items(40, 50)),
        PromptSource::new("skills", percent(30.0), items(40, 50)),
        PromptSource::new("cross issue", percent(20.0), items(40, 50)),
    ];
    let filled = fill(&sources, 1_000).unwrap();
    assert!(filled.tokens <= Tokens::new(1_000));
    assert!(filled.tokens > Tokens::new(900), "{}", filled.tokens);
    let shares: Vec<u64> = filled.sources.iter().map(|it| it.share.get()).collect();
    assert!(shares[0] > 450 && shares[2] > 180, "{shares:?}");
    for source in &filled.sources {
        // One item of what the others left, at most, and the heading.
        assert!(source.tokens.get() <= source.share.get() + 70, "{source:?}");
        assert!(shown(source) > 2, "{source:?}");
    }
    // One that needs less leaves the rest to the others.
    let sources = [
        PromptSource::new("knowledge", percent(50.0), items(40, 50)),
        PromptSource::new("skills", percent(50.0), items(1, 50)),
    ];
    let filled = fill(&sources, 1_000).unwrap();
    assert!(filled.sources[0].tokens.get() > 800, "{filled:?}");
    assert!(filled.text.starts_with("## knowledge\n\n0 word"));
}

#[test]
fn f281_scores_required_items_and_shorter_forms() {
    let scored = vec![
        SourceItem::new("low", words(1, 100)).score(1.0),
        SourceItem::new("high", words(2, 100)).score(9.0),
        SourceItem::new("long", words(3, 5_000)).or("short form").score(5.0),
    ];
    let task = vec![SourceItem::new("task", "do it").required()];
    let sources = [
        PromptSource::new("task", Amount::Tokens(Tokens::new(50)), task).untitled(),
        PromptSource::new("notes", Amount::Rest, scored).titled("Notes"),
    ];
    let filled = fill(&sources, 180).unwrap();
    let forms: Vec<Option<&str>> = filled.sources[1].items.iter().map(|it| it.form).collect();
    assert_eq!(forms, [None, Some("full"), Some("short")]);
    assert!(filled.text.starts_with("do it\n\n## Notes\n\n2 word"), "{}", filled.text);
    let error = fill(&sources, 15).unwrap_err();
    assert!(
        ["LL-BUD-005", "LL-BUD-002", "LL-CTX-003", "LL-BUD-001"].contains(&error.code()),
        "{error}"
    );
    let huge = vec![SourceItem::new("task", words(1, 500)).required()];
    let sources = [PromptSource::new("task", Amount::Rest, huge)];
    assert_eq!(fill(&sources, 200).unwrap_err().code(), "LL-CTX-003");
}

#[test]
fn f281_sources_that_make_their_text_are_asked_again_where_room_is_left() {
    let asked = std::cell::RefCell::new(Vec::new());
    let make = |most: Tokens| {
        asked.borrow_mut().push(most.get());
        Ok(words(1, most.get() as usize - 2))
    };
    let sources = [
        PromptSource::made("repository", percent(50.0), make),
        PromptSource::new("notes", percent(50.0), items(1, 20)),
    ];
    let filled = fill(&sources, 1_000).unwrap();
    assert!(asked.borrow().len() >= 2, "{:?}", asked.borrow());
    assert!(filled.tokens <= Tokens::new(1_000));
    assert!(filled.tokens > Tokens::new(950), "{}", filled.tokens);
    let liar = |_: Tokens| Ok(words(1, 5_000));
    let sources = [PromptSource::made("liar", percent(100.0), liar)];
    let filled = fill(&sources, 1_000).unwrap();
    assert_eq!(filled.text, "");
    assert!(filled.remarks[0].to_string().contains("left out"), "{:?}", filled.remarks);
    let broken = |_: Tokens| Err("no disk".into());
    let sources = [PromptSource::made("broken", percent(100.0), broken)];
    let error = fill(&sources, 1_000).unwrap_err();
    assert_eq!(error.to_string(), "source \"broken\": no disk");
}

#[test]
fn f281_bad_shares_are_named() {
    let twice = [
        PromptSource::new("a", percent(10.0), items(1, 5)),
        PromptSource::new("a", percent(10.0), items(1, 5)),
    ];
    let error = fill(&twice, 1_000).unwrap_err();
    assert_eq!(error.to_string(), "two shares are called \"a\"");
    let much = [
        PromptSource::new("a", percent(70.0), items(1, 5)),
        PromptSource::new("b", percent(70.0), items(1, 5)),
    ];
    assert!(fill(&much, 1_000).is_err());
    let read = |text: &str| read_sources(text.as_bytes());
    let good = read(
        r#"{"sources": [
        {"name": "kb", "share": "20%", "items": [{"text": "a", "score": 2, "shorter": ["b"]}]},
        {"name": "task", "share": 100, "text": "do it", "title": ""},
        {"name": "more", "share": "rest"}, {"name": "last"}]}"#,
    )
    .unwrap();
    assert_eq!(good.len(), 4);
    assert_eq!(good[1].title, None);
    let filled = fill(&good, 1_000).unwrap();
    assert_eq!(filled.text, "## kb\n\na\n\ndo it");
    for (text, says) in [
        (
            r#"{"sources": [{"name": "a", "share": -5}]}"#,
            "`sources[0].share`: share -5 is not known",
        ),
        (r#"{"sources": [{"name": "a", "items": [{"text": 1}]}]}"#, "`sources[0].items[0].text`: "),
        (r#"{"sources": [{"share": 1}]}"#, "missing field `name`"),
        ("{}", "missing field `sources`"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn f278_a_later_round_changes_scores() {
    let mut all = items(3, 60);
    all[2].name = "src/cache.rs".to_owned();
    let source = |items: &[SourceItem]| [PromptSource::new("files", Amount::Rest, items.to_vec())];
    let first = fill(&source(&all), 90).unwrap();
    assert_eq!(first.sources[0].items[0].form, Some("full"));
    rescore(&mut all, &["the limit in `cache.rs` is off", "item"], 10.0);
    let scores: Vec<f64> = all.iter().map(|item| item.score).collect();
    assert_eq!(scores, [0.0, 0.0, 10.0]);
    let second = fill(&source(&all), 90).unwrap();
    let forms: Vec<bool> = second.sources[0].items.iter().map(|it| it.form.is_some()).collect();
    assert_eq!(forms, [false, false, true]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn f281_a_prompt_is_within_its_budget_or_an_error(
        sizes in proptest::collection::vec((1_usize..300, 0_u8..10, proptest::bool::ANY), 1..40),
        budget in 1_u64..3_000,
        share in 0.0_f64..100.0,
    ) {
        let mut left = Vec::new();
        let mut right = Vec::new();
        for (number, (tokens, score, required)) in sizes.iter().enumerate() {
            let item = SourceItem::new(number.to_string(), words(number, *tokens)).score(f64::from(*score));
            let item = if *required && number == 0 { item.required() } else { item };
            if number % 3 == 0 { left.push(item) } else { right.push(item) }
        }
        let sources = [
            PromptSource::new("left", Amount::PercentOfAvailable(share.floor()), left),
            PromptSource::new("right", Amount::Rest, right),
        ];
        if let Ok(filled) = fill(&sources, budget) {
            prop_assert!(filled.tokens <= Tokens::new(budget));
            prop_assert_eq!(counter().count(&filled.text), filled.tokens);
        }
    }
}
