//! The configuration as a whole: agreement of defaults and table, layers, errors.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::Diagnose;
use crate::tokens::Tokens;

fn project(text: &str) -> Result<Config, ConfigError> {
    Config::load([Layer::project("loadline.toml", text)])
}

/// Returns the defaults with the keys that are commented out put back in.
fn defaults_in_full() -> String {
    let uncommented = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => rest.to_owned(),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = Config::defaults_toml().lines().map(uncommented).collect();
    lines.join("\n").replace("tool_results = \"40%\"", "tool_results = \"100%\"")
}

#[test]
fn f246_defaults_and_known_keys_agree() {
    let config = project(&defaults_in_full()).unwrap();
    assert_eq!(config.notes(), [], "the defaults hold only known keys");
    let set: BTreeSet<String> = config
        .show()
        .filter(|shown| *shown.source != Source::Default)
        .map(|shown| shown.key)
        .collect();
    for key in known_keys() {
        let found = set.iter().any(|path| key.matches(&key::KeyPath::dotted(path)));
        assert!(found, "`{}` is not in defaults.toml", key.path);
    }
    assert_eq!(set.len(), known_keys().len());
}

#[test]
fn f246_every_default_is_documented() {
    let text = Config::defaults_toml();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let key = pair[1].trim_start_matches('#');
        let is_key = key.contains(" = ") && !key.starts_with(' ');
        assert!(!is_key || pair[0].starts_with("# "), "{}", pair[1]);
    }
}

#[test]
fn the_defaults_are_those_of_the_requirements() {
    let config = Config::load([]).unwrap();
    let Settings { budget, cache, rank, session, memory, .. } = config.settings();
    assert_eq!(budget.window, None);
    assert_eq!(budget.response_reserve, Tokens::new(8_000));
    assert_eq!(cache.api_ttl, Duration::from_secs(300));
    assert_eq!(rank.half_life, Duration::from_secs(168 * 3_600));
    assert_eq!(session.total, None);
    assert_eq!(session.allocations.reserved_for_response, 45.0);
    assert_eq!(memory.max_age, Duration::from_secs(30 * 86_400));
    assert_eq!(memory.preserve.len(), 3);
    assert_eq!(config.notes(), []);
    assert!(config.show().all(|shown| *shown.source == Source::Default));
}

#[test]
fn f246_stronger_layers_win_and_are_remembered() {
    let keys = ["model", "pack.format", "pack.pin", "chunk.lines", "dedup.overlap"];
    let all = "model = 'user'\n[pack]\nformat = 'xml'\npin = ['a', 'b']\n[chunk]\nlines = 10";
    let config = Config::load([
        Layer::flags([("--model", "model", "flag")]),
        Layer::environment([
            ("LOADLINE_MODEL", "env"),
            ("LOADLINE_PACK_FORMAT", "json"),
            ("LOADLINE_COUNTER", ""),
        ]),
        Layer::project("p.toml", "model = 'project'\n[pack]\nformat = 'plain'\npin = ['c']"),
        Layer::user("u.toml", all),
    ])
    .unwrap();
    let sources: Vec<Source> = keys.iter().map(|key| config.source(key).unwrap().clone()).collect();
    assert_eq!(
        sources,
        [
            Source::Flag("--model".into()),
            Source::Environment("LOADLINE_PACK_FORMAT".into()),
            Source::Project("p.toml".into()),
            Source::User("u.toml".into()),
            Source::Default,
        ]
    );
    let settings = config.settings();
    assert_eq!(settings.model, "flag");
    assert_eq!(settings.counter, None, "an empty variable is not set");
    assert_eq!(settings.pack.pin, ["c"], "arrays replace");
    assert_eq!(settings.chunk.lines, 10, "tables merge");
}

#[test]
fn showing_is_in_the_order_of_the_defaults() {
    let config =
        project("[budget.shares]\nb = '60%'\na = '40%'\n[models.\"x.1\"]\nwindow = 9").unwrap();
    let lines: Vec<String> = config
        .show()
        .filter(|shown| shown.key.starts_with("budget") || shown.key.starts_with("models"))
        .map(|shown| format!("{} = {:?} ({})", shown.key, shown.value, shown.source))
        .collect();
    assert_eq!(
        lines,
        [
            "budget.window = None (defaults.toml (built in))",
            "budget.response_reserve = Some(\"8000\") (defaults.toml (built in))",
            "budget.system_reserve = Some(\"2000\") (defaults.toml (built in))",
            "budget.margin = None (defaults.toml (built in))",
            "budget.preset = Some(\"\\\"none\\\"\") (defaults.toml (built in))",
            "budget.shares.a = Some(\"\\\"40%\\\"\") (loadline.toml)",
            "budget.shares.b = Some(\"\\\"60%\\\"\") (loadline.toml)",
            "models.\"x.1\".window = Some(\"9\") (loadline.toml)",
        ]
    );
}

#[test]
fn models_are_tables_by_name() {
    let user =
        Layer::user("u.toml", "[models.b]\nwindow = 1\ncounter = 'o200k'\n[models.a]\noutput = 2");
    let project = Layer::project("p.toml", "[models.b]\nwindow = 3");
    let config = Config::load([user, project]).unwrap();
    let models = &config.settings().models;
    let names: Vec<&str> = models.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(models[1].1["window"].as_integer(), Some(3));
    assert_eq!(models[1].1["counter"].as_str(), Some("o200k"));
}

#[test]
fn f246_every_error_names_file_key_and_value() {
    for (text, code, key, value) in [
        ("model = 3", "LL-CFG-002", "model", "3"),
        ("model = ''", "LL-CFG-003", "model", "\"\""),
        ("[budget]\nwindow = 'lots'", "LL-CFG-002", "budget.window", "\"lots\""),
        ("[budget]\nwindow = 0", "LL-CFG-003", "budget.window", "0"),
        ("[budget]\nmargin = 1.5", "LL-CFG-003", "budget.margin", "1.5"),
        ("[budget]\npreset = 'x'", "LL-CFG-003", "budget.preset", "\"x\""),
        ("[budget.shares]\na = true", "LL-CFG-002", "budget.shares.a", "true"),
        ("[budget.shares]\na = '50%'\nb = '60%'", "LL-CFG-004", "budget.shares.a", "\"50%\""),
        ("[budget.shares]\na = '50%'", "LL-CFG-004", "budget.shares.a", "\"50%\""),
        ("[budget]\nwindow = 10000", "LL-CFG-004", "budget.window", "10000"),
        ("[cache]\napi_ttl = 300", "LL-CFG-002", "cache.api_ttl", "300"),
        ("[api]\nurl = 'ftp://x'", "LL-CFG-003", "api.url", "\"ftp://x\""),
        ("[pressure]\nladder = [80, 60]", "LL-CFG-003", "pressure.ladder", "[80, 60]"),
        ("[pack]\npin = 'a'", "LL-CFG-002", "pack.pin", "\"a\""),
        ("[score]\nentry = 101", "LL-CFG-003", "score.entry", "101"),
        ("[chunk]\nmax_tokens = 50", "LL-CFG-004", "chunk.max_tokens", "50"),
        ("[chunk]\noverlap = 50", "LL-CFG-004", "chunk.overlap", "50"),
        ("[rank]\nrelevance = -1", "LL-CFG-003", "rank.relevance", "-1"),
        ("[rank]\nrelevance = 0\nrecency = 0\nsource = 0", "LL-CFG-004", "rank.relevance", "0"),
        ("[session.allocations]\nskills = 4", "LL-CFG-004", "session.allocations.skills", "4"),
        ("[memory]\ncompact = 90", "LL-CFG-004", "memory.compact", "90"),
        ("models = 1", "LL-CFG-002", "models", "1"),
    ] {
        let error = project(text).unwrap_err();
        let message = error.to_string();
        assert_eq!(error.code(), code, "{message}");
        assert!(message.starts_with("loadline.toml: "), "{message}");
        assert!(message.contains(&format!("`{key}` is {value}")), "{message}");
        assert!(error.hint().unwrap().contains(key), "{message}");
    }
}

#[test]
fn an_error_in_a_variable_or_flag_names_it() {
    let layer = Layer::environment([("LOADLINE_BUDGET_MARGIN", "2")]);
    let error = Config::load([layer]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment variable LOADLINE_BUDGET_MARGIN: `budget.margin` is 2, which is out of range; \
         allowed: a ratio above 0 and up to 1, such as 0.4 or \"40%\""
    );
    let error = Config::load([Layer::flags([("--budget", "budget.window", "x")])]).unwrap_err();
    assert!(error.to_string().starts_with("flag --budget: `budget.window` is \"x\""));
}

#[test]
fn a_conflict_blames_the_strongest_layer() {
    let user = Layer::user("u.toml", "[chunk]\nmin_tokens = 300");
    let flag = Layer::flags([("--chunk-max", "chunk.max_tokens", "200")]);
    let error = Config::load([flag, user]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "flag --chunk-max: `chunk.max_tokens` is 200, but max_tokens must not be below min_tokens: \
         `chunk.min_tokens` is 300 (u.toml)"
    );
}

#[test]
fn f092_weights_are_normalised_with_a_note() {
    let config = project("[rank]\nrelevance = 5\nrecency = 3\nsource = 2").unwrap();
    let rank = &config.settings().rank;
    assert_eq!((rank.relevance, rank.recency, rank.source), (0.5, 0.3, 0.2));
    assert_eq!(config.notes().len(), 1);
    assert!(config.notes()[0].to_string().starts_with("rank: the weights add up to 10.000"));
    let close = project("[rank]\nrelevance = 0.505").unwrap();
    assert_eq!(close.notes(), []);
}

#[test]
fn f247_each_load_sees_the_layers_of_its_own_run() {
    let first = project("model = 'one'").unwrap();
    let second = project("model = 'two'").unwrap();
    assert_eq!(first.settings().model, "one");
    assert_eq!(second.settings().model, "two");
    assert_eq!(Config::load([]).unwrap().settings().model, "generic");
}
