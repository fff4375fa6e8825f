//! What the rules find, and what redacting a text does to it.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Examples {
    rule: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    id: String,
    matches: Vec<String>,
    misses: Vec<String>,
}

fn examples() -> Vec<Example> {
    let examples: Examples = toml::from_str(table::BUILTIN).unwrap();
    examples.rule
}

fn secrets() -> Secrets {
    Secrets::builtin()
}

/// Fills the shapes of an example, such as `{hex:32}`, with characters.
///
/// They are spelled out nowhere, so that nobody takes an example for a leak.
fn fill(example: &str) -> String {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut filled = String::new();
    let mut rest = example;
    let mut shapes = 0;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let shape = after.split_once('}').and_then(|(shape, after)| {
            let (class, length) = shape.split_once(':')?;
            let alphabet = match class {
                "hex" => "0123456789abcdef".to_owned(),
                "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
                "num" => "0123456789".to_owned(),
                "az" => LETTERS.to_owned(),
                "an" => format!("{LETTERS}0123456789"),
                "low" => format!("{}0123456789", &LETTERS[26..]),
                "up" => format!("{}0123456789", &LETTERS[..26]),
                "b32" => format!("{}234567", &LETTERS[..26]),
                "b64" => format!("{LETTERS}0123456789+/"),
                "word" => format!("{LETTERS}0123456789_-"),
                _ => return None,
            };
            Some((alphabet, length.parse::<usize>().ok()?, after))
        });
        match shape {
            // The step has no divisor in common with any alphabet's length.
            Some((alphabet, length, after)) => {
                let letter = |index: usize| {
                    alphabet.as_bytes()[(index * 23 + shapes * 7 + 11) % alphabet.len()]
                };
                filled.extend((0..length).map(|index| char::from(letter(index))));
                rest = after;
                shapes += 1;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

#[test]
fn f266_the_table_is_right() {
    let mut ids = std::collections::BTreeSet::new();
    for rule in table::read().rules {
        assert!(table::is_id(&rule.id), "{}", rule.id);
        assert!(ids.insert(rule.id.clone()), "{} twice", rule.id);
        let known = |keyword: &String| keyword.len() >= 3 && keyword.to_lowercase() == *keyword;
        assert!(!rule.keywords.is_empty() && rule.keywords.iter().all(known), "{}", rule.id);
        for pattern in rule.allow.iter().chain(&rule.unless).chain([&rule.pattern]) {
            rule::compile(pattern).expect(&rule.id);
        }
    }
}

#[test]
fn every_rule_finds_its_examples_and_nothing_else() {
    let secrets = secrets();
    let mut wrong = Vec::new();
    for example in examples() {
        assert!(!example.matches.is_empty() && !example.misses.is_empty());
        for text in &example.matches {
            let found = secrets.find(&fill(text));
            if !found.iter().any(|finding| finding.rule == example.id) {
                wrong.push(format!("{} does not find {text:?}: {found:?}", example.id));
            }
        }
        for text in &example.misses {
            let found = secrets.find(&fill(text));
            if found.iter().any(|finding| finding.rule == example.id) {
                wrong.push(format!("{} finds {text:?}", example.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(text: &str, want: &str) {
    let text = fill(text);
    let (redacted, _) = secrets().redact(&text);
    assert_eq!(redacted, want);
}

#[test]
fn only_the_secret_goes() {
    check(
        "url = \"postgres://app:{an:20}@db/app\"",
        "url = \"postgres://app:[redacted: database-url]@db/app\"",
    );
    check("a = \"ghp_{an:36}\" # b\nc", "a = \"[redacted: github-token]\" # b\nc");
}

#[test]
fn keys_of_several_lines_keep_their_lines() {
    check(
        "a\r\n-----BEGIN PRIVATE KEY-----\r\n{b64:64}\r\n{b64:64}\r\n-----END PRIVATE KEY-----\r\nb",
        "a\r\n-----BEGIN PRIVATE KEY-----\r\n[redacted: private-key]\r\n\r\n-----END PRIVATE KEY-----\r\nb",
    );
}

#[test]
fn the_rule_for_a_kind_names_a_finding() {
    let text = fill("API_TOKEN = \"glpat-{an:20}\"");
    let found = secrets().find(&text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, "gitlab-token");
    assert_eq!(&text[found[0].span.clone()], fill("glpat-{an:20}"));
}

#[test]
fn findings_have_places_in_the_original() {
    let text = fill("é\nAKIA{b32:16}\n\nx: sk_live_{an:24} ghp_{an:36}\n");
    let found = secrets().find(&text);
    let lines: Vec<_> = found.iter().map(|finding| (finding.rule.as_str(), finding.line)).collect();
    assert_eq!(lines, [("aws-access-key-id", 2), ("stripe-key", 4), ("github-token", 4)]);
    for finding in found {
        assert!(!text[finding.span].contains(char::is_whitespace));
    }
}

#[test]
fn f265_findings_hold_no_secret() {
    let text = fill("password = \"{an:20}\"");
    let shown = format!("{:?}", secrets().find(&text));
    assert!(!shown.contains(&fill("{an:12}")), "{shown}");
}

/// Pieces of text that rules look at, in any order.
fn text() -> impl Strategy<Value = String> {
    let all = examples().into_iter();
    let filled: Vec<String> = all
        .flat_map(|example| example.matches.into_iter().chain(example.misses))
        .map(|text| fill(&text))
        .collect();
    let glue = "| |\n|\r\n|é|=|: |\"|'|@|://|token|\
        password = \"|-----END|[redacted: jwt]|[redacted: generic-secret]|]|,|twilio |-----BEGIN PRIVATE KEY-----\n|sk-|\u{2028}";
    let glue = prop::sample::select(glue.split('|').collect::<Vec<_>>());
    let piece =
        prop_oneof![prop::sample::select(filled), glue.prop_map(str::to_owned), "[ -~\n]{0,12}",];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn redacting_keeps_lines_and_is_done_at_once(text in text()) {
        thread_local!(static SECRETS: Secrets = secrets());
        SECRETS.with(|secrets| {
            let (redacted, found) = secrets.redact(&text);
            prop_assert_eq!(redacted.split('\n').count(), text.split('\n').count());
            prop_assert_eq!(matches!(redacted, Cow::Borrowed(_)), found.is_empty());
            prop_assert!(found.is_sorted_by(|left, right| left.span.end <= right.span.start));
            for finding in &found {
                let line = text[..finding.span.start].matches('\n').count() + 1;
                prop_assert_eq!(finding.line as usize, line);
            }
            let (again, more) = secrets.redact(&redacted);
            prop_assert_eq!(&again, &redacted);
            prop_assert!(more.is_empty());
            Ok(())
        })?;
    }
}
