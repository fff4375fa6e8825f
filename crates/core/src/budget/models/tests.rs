//! Tests of the table of models and of looking names up in it.

use std::collections::HashSet;

use super::*;
use crate::Diagnose;
use crate::tokens::Tokens;

fn builtin() -> Models {
    Models::builtin().unwrap()
}

fn found(name: &str) -> Option<String> {
    Some(builtin().find(name)?.name.clone())
}

fn entry(name: &str) -> ModelEntry {
    ModelEntry { name: name.to_owned(), ..ModelEntry::default() }
}

#[test]
fn every_name_and_alias_is_distinct_and_lower_case() {
    let models = builtin();
    let mut seen = HashSet::new();
    for name in models.iter().flat_map(Model::names) {
        assert!(seen.insert(name), "{name} appears twice");
        assert_eq!(name, name.to_ascii_lowercase());
    }
}

#[test]
fn every_entry_has_a_known_counter_and_sane_numbers() {
    let counters = ["o200k", "cl100k", "claude-3", "claude-4.7", "claude-4.8", "heuristic"];
    for model in builtin().iter() {
        assert!(counters.contains(&model.counter.as_str()), "{}", model.name);
        assert!(model.window >= Tokens::new(8_000), "{}", model.name);
        assert!(model.max_output.is_some(), "{}", model.name);
        if let Some(prices) = model.prices {
            assert!(prices.input <= prices.output, "{}", model.name);
            assert!(prices.cache_read.is_none_or(|read| read < prices.input), "{}", model.name);
        }
    }
}

#[test]
fn the_table_has_no_misspelled_key() {
    let table: toml::Table = toml::from_str(BUILTIN).unwrap();
    let known = ["name", "window", "max_output", "prices", "aliases"];
    let prices = ["input", "output", "cache_read", "cache_write"];
    for family in table["family"].as_array().unwrap() {
        for model in family["models"].as_array().unwrap() {
            let model = model.as_table().unwrap();
            assert!(model.keys().all(|key| known.contains(&key.as_str())), "{model}");
            if let Some(entry) = model.get("prices").and_then(toml::Value::as_table) {
                assert!(entry.keys().all(|key| prices.contains(&key.as_str())), "{model}");
            }
        }
    }
}

#[test]
fn every_name_finds_itself() {
    let models = builtin();
    for model in models.iter() {
        for name in model.names() {
            assert_eq!(models.find(name).map(|found| &found.name), Some(&model.name));
        }
    }
}

#[test]
fn claude_counters_follow_the_version() {
    let models = builtin();
    let counter = |name: &str| models.find(name).map(|model| model.counter.as_str());
    for name in ["claude-3-opus", "claude-3-7-sonnet", "claude-opus-4", "claude-opus-4-6"] {
        assert_eq!(counter(name), Some("claude-3"), "{name}");
    }
    assert_eq!(counter("claude-opus-4-7"), Some("claude-4.7"));
    for name in ["claude-opus-4-8", "claude-sonnet-5", "claude-opus-5", "claude-haiku-5-5"] {
        assert_eq!(counter(name), Some("claude-4.8"), "{name}");
    }
    assert_eq!(counter("gpt-4o"), Some("o200k"));
    assert_eq!(counter("gpt-4-turbo"), Some("cl100k"));
}

#[test]
fn names_resolve_however_they_are_written() {
    for (name, want) in [
        ("Claude-Opus-4-8", "claude-opus-4-8"),
        ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("claude-opus-4-8[1m]", "claude-opus-4-8"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
        ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet"),
        ("vertex_ai/claude-opus-4@20250514", "claude-opus-4"),
        ("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4-1106-preview", "gpt-4-turbo"),
        ("gpt-4-turbo-2024-04-09", "gpt-4-turbo"),
        ("gpt-3.5-turbo-0125", "gpt-3.5-turbo"),
        ("gpt-5.1-codex-max", "gpt-5.1-codex"),
        ("gpt-5.5-2026-04-23", "gpt-5.5"),
        ("o1-2024-12-17", "o1"),
        ("models/gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
        ("gemini/gemini-3-pro-preview", "gemini-3-pro"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b"),
        ("groq/openai/gpt-oss-120b", "gpt-oss-120b"),
        ("mistral/mistral-large-2512", "mistral-large"),
    ] {
        assert_eq!(found(name).as_deref(), Some(want), "{name}");
    }
}

#[test]
fn a_family_does_not_swallow_its_neighbours() {
    for name in
        ["gpt-4.9", "gpt-4p", "claude-opus-4-9", "claude-opus-6", "gpt-7", "o9", "", "llama"]
    {
        assert_eq!(found(name), None, "{name}");
    }
}

#[test]
fn f018_unknown_models_get_the_window_of_their_family() {
    let models = builtin();
    for (name, window) in [
        ("anthropic/claude-novella-9", 200_000),
        ("models/gemini-99", 1_000_000),
        ("who-knows", 128_000),
    ] {
        let (model, note) = models.find_or_generic(name);
        assert_eq!(model.window, Tokens::new(window), "{name}");
        assert!(note.unwrap().message.contains("unknown model"));
    }
    assert_eq!(models.find_or_generic("gpt-4o").1, None);
    let (generic, _) = models.find_or_generic("who-knows");
    let prices = generic.prices.unwrap();
    assert_eq!((prices.input, prices.output), (15.0, 75.0));
}

#[test]
fn f018_entries_override_what_they_name_and_nothing_else() {
    let mut change = entry("gpt-5");
    change.window = Some(64_000);
    change.prices.output = Some(99.0);
    change.aliases = vec!["house-model".to_owned()];
    let models = builtin().with_overrides(&[change]).unwrap();
    let model = models.find("House-Model").unwrap();
    assert_eq!(model.name, "gpt-5");
    assert_eq!(model.window, Tokens::new(64_000));
    assert_eq!(model.counter, "o200k");
    let prices = model.prices.unwrap();
    assert_eq!((prices.input, prices.output), (1.25, 99.0));
    assert_eq!(models.iter().count(), builtin().iter().count());
}

#[test]
fn a_new_model_needs_window_and_counter() {
    let mut new = entry("gtp-5");
    let error = builtin().with_overrides(&[new.clone()]).unwrap_err();
    assert_eq!(error.code(), "LL-BUD-005");
    let text = error.to_string();
    assert!(text.starts_with("model \"gtp-5\" has no counter"), "{text}");
    assert!(error.hint().unwrap().contains("gpt-5"));
    new.counter = Some("heuristic".to_owned());
    let error = builtin().with_overrides(&[new.clone()]).unwrap_err();
    assert!(error.to_string().contains("has no window"));
    new.window = Some(4_000);
    let models = builtin().with_overrides(&[new.clone()]).unwrap();
    assert_eq!(models.iter().last().unwrap().name, "gtp-5");
    new.prices.input = Some(1.0);
    let error = builtin().with_overrides(&[new]).unwrap_err();
    assert!(error.to_string().contains("prices.output"));
}

#[test]
fn impossible_entries_name_the_model_and_the_value() {
    let mut zero = entry("gpt-5");
    zero.window = Some(0);
    let error = builtin().with_overrides(&[zero]).unwrap_err();
    assert_eq!(error.to_string(), "window of model \"gpt-5\" is 0; it must be at least 1 token");
    for price in [-1.0, f64::NAN, f64::INFINITY] {
        let mut bad = entry("gpt-5");
        bad.prices.input = Some(price);
        assert!(builtin().with_overrides(&[bad]).is_err(), "{price}");
    }
    assert!(builtin().with_overrides(&[entry(" ")]).is_err());
}

#[test]
fn suggestions_are_near_few_and_stable() {
    let models = builtin();
    assert_eq!(models.suggest("claude-opsu-5").first(), Some(&"claude-opus-5"));
    assert_eq!(models.suggest("gpt4o").first(), Some(&"gpt-4o"));
    assert!(models.suggest("completely different").is_empty());
    assert!(models.suggest("gpt-5.9").len() <= 3);
    assert_eq!(models.suggest("gpt-5.9"), models.suggest("gpt-5.9"));
}
