//! How much of what providers call a credential is redacted, and how much of what only
//! looks like one is left alone.
//!
//! The list is `fixtures/credentials.toml`, which says where it comes from. Values are random,
//! and the same in every run.

use loadline::repo::Secrets;
use serde::Deserialize;

/// How many values each format is tried with.
const VALUES: u64 = 20;

#[derive(Deserialize)]
struct List {
    format: Vec<Format>,
    twin: Vec<Twin>,
}

#[derive(Deserialize)]
struct Format {
    name: String,
    leak: String,
    twin: String,
}

#[derive(Deserialize)]
struct Twin {
    name: String,
    text: String,
}

fn list() -> List {
    toml::from_str(include_str!("fixtures/credentials.toml")).expect("the list is TOML")
}

/// A sequence of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..length).map(|_| char::from(letters[self.next() as usize % letters.len()])).collect()
    }

    /// Returns what a shape such as `{hex:32}` stands for.
    fn value(&mut self, class: &str, length: usize) -> Option<String> {
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const DIGITS: &str = "0123456789";
        let alphabet = match class {
            "hex" => "0123456789abcdef".to_owned(),
            "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
            "num" => DIGITS.to_owned(),
            "az" => [UPPER, LOWER].concat(),
            "an" => [UPPER, LOWER, DIGITS].concat(),
            "low" => [LOWER, DIGITS].concat(),
            "up" => [UPPER, DIGITS].concat(),
            "b32" => [UPPER, "234567"].concat(),
            "b64" => [UPPER, LOWER, DIGITS, "+/"].concat(),
            "url" => [UPPER, LOWER, DIGITS, "_-"].concat(),
            "pw" => [UPPER, LOWER, DIGITS, "!@#%^*-_+=."].concat(),
            "uuid" => {
                let parts = [8, 4, 4, 4, 12].map(|length| self.text("0123456789abcdef", length));
                return Some(parts.join("-"));
            }
            _ => return None,
        };
        Some(self.text(&alphabet, length))
    }

    /// Fills the shapes of a text.
    fn fill(&mut self, shapes: &str) -> String {
        let mut filled = String::new();
        let mut rest = shapes;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let value = after.split_once('}').and_then(|(shape, behind)| {
                let (class, length) = shape.split_once(':')?;
                Some((self.value(class, length.parse().ok()?)?, behind))
            });
            let (value, behind) = value.unwrap_or_else(|| ("{".to_owned(), after));
            filled.push_str(&value);
            rest = behind;
        }
        filled + rest
    }
}

/// Takes the marks out of a leak, and returns the text and its secret.
fn unmark(marked: &str) -> (String, String) {
    let (before, rest) = marked.split_once('«').expect("a leak marks its secret");
    let (secret, behind) = rest.split_once('»').expect("a mark is closed");
    (format!("{before}{secret}{behind}"), secret.to_owned())
}

/// Tells whether neither half of a secret is left in a text.
fn is_gone(secret: &str, text: &str) -> bool {
    let (first, second) = secret.split_at(secret.len() / 2);
    !text.contains(first) && !text.contains(second)
}

/// What a share of the tries was, and which formats it is made of.
struct Tally {
    tries: u64,
    hits: u64,
    names: Vec<String>,
}

impl Tally {
    fn of<'a>(cases: impl Iterator<Item = (&'a str, Vec<bool>)>) -> Tally {
        let mut tally = Tally { tries: 0, hits: 0, names: Vec::new() };
        for (name, hits) in cases {
            let count = hits.iter().filter(|hit| **hit).count();
            tally.tries += hits.len() as u64;
            tally.hits += count as u64;
            if count > 0 {
                tally.names.push(format!("{name} ({count} of {})", hits.len()));
            }
        }
        tally
    }

    fn percent(&self) -> f64 {
        self.hits as f64 * 100.0 / self.tries as f64
    }
}

#[test]
fn documented_formats_are_caught_and_their_twins_are_left_alone() {
    let secrets = Secrets::builtin();
    let list = list();
    let tries = |shapes: &str, wrong: &dyn Fn(&str) -> bool| -> Vec<bool> {
        (0..VALUES).map(|seed| wrong(&Random(seed).fill(shapes))).collect()
    };
    let missed = Tally::of(list.format.iter().map(|format| {
        let is_missed = |marked: &str| {
            let (text, secret) = unmark(marked);
            !is_gone(&secret, &secrets.redact(&text).0)
        };
        (format.name.as_str(), tries(&format.leak, &is_missed))
    }));
    let twins = list.format.iter().map(|format| (format.name.as_str(), format.twin.as_str()));
    let twins = twins.chain(list.twin.iter().map(|twin| (twin.name.as_str(), twin.text.as_str())));
    let is_changed = |text: &str| secrets.redact(text).0 != text;
    let wrong = Tally::of(twins.map(|(name, text)| (name, tries(text, &is_changed))));
    let caught = 100.0 - missed.percent();
    println!(
        "{} formats, {caught:.1} % caught; missed:\n  {}\n{} twins, {:.1} % redacted:\n  {}",
        list.format.len(),
        missed.names.join("\n  "),
        list.format.len() + list.twin.len(),
        wrong.percent(),
        wrong.names.join("\n  "),
    );
    assert!(list.format.len() >= 90);
    assert!(caught >= 95.0 && wrong.percent() <= 2.0);
}
