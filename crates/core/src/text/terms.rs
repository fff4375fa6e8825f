//! Splits text into the words that a search looks for.
//!
//! Code and prose are cut alike: a name such as `parseHttpBody_2` gives its
//! parts (`parse`, `http`, `body`) and itself without the joints
//! (`parsehttpbody2`), so that `parse_http_body_2` is the same word. Terms are
//! numbers, since only equality matters; two words share one so rarely that
//! it does not show. Scripts that write no spaces give pairs of characters.

/// A word as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term {
    /// Of the word's stem: `parsing` and `parsed` have the same.
    pub(crate) stem: u32,
    /// Of the word itself.
    pub(crate) word: u32,
}

/// Words of more characters are keys, hashes or pictures.
const LONGEST: usize = 64;

/// Calls `take` with every term of a text, in order.
///
/// The second value tells whether it is a whole name that has parts.
pub(crate) fn each_term(text: &str, mut take: impl FnMut(Term, bool)) {
    let mut splitter = Splitter::default();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        splitter.split(word, &mut take);
        rest = after;
    }
}

/// Returns the terms of a text in order.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    each_term(text, |term, _| terms.push(term));
    terms
}

/// Returns the term of a whole name, without its parts.
pub(crate) fn name_term(name: &str) -> Option<Term> {
    let joined: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let long = joined.chars().count();
    (2..=LONGEST).contains(&long).then(|| Term::of(&joined))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

impl Term {
    /// The term of a word in lower case.
    pub(crate) fn of(word: &str) -> Term {
        let own = hash(word.as_bytes());
        let stem = match stem(word) {
            Some((root, ending)) => hash_parts(root.as_bytes(), ending.as_bytes()),
            None => own,
        };
        Term { stem, word: own }
    }
}

/// Cuts names, with its memory kept between them.
#[derive(Default)]
struct Splitter {
    lower: String,
    /// Where the parts begin in `lower`.
    cuts: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Written without spaces between words.
    Dense,
}

impl Splitter {
    fn split(&mut self, word: &str, take: &mut impl FnMut(Term, bool)) {
        self.lower.clear();
        self.cuts.clear();
        let mut before: Option<Class> = None;
        let mut dense = false;
        let mut upper_at = None;
        for c in word.chars() {
            if c == '_' {
                before = None;
                continue;
            }
            let class = class_of(c);
            dense |= class == Class::Dense;
            let place = self.lower.len();
            match (before, class) {
                (None, _) => self.cut(place),
                (Some(Class::Upper), Class::Lower) => {
                    // `HTTPServer`: the last capital begins the next part.
                    if let Some(upper) = upper_at {
                        self.cut(upper);
                    }
                }
                (Some(last), class) if last != class => self.cut(place),
                _ => {}
            }
            upper_at = (class == Class::Upper).then_some(place);
            before = Some(class);
            if c.is_ascii() {
                self.lower.push(c.to_ascii_lowercase())
            } else {
                self.lower.extend(c.to_lowercase())
            }
        }
        if dense {
            return self.pairs(take);
        }
        self.emit(take);
    }

    fn cut(&mut self, place: usize) {
        if self.cuts.last() != Some(&place) {
            self.cuts.push(place);
        }
    }

    fn emit(&self, take: &mut impl FnMut(Term, bool)) {
        let whole = &self.lower;
        if self.cuts.len() > 1 {
            for (index, &start) in self.cuts.iter().enumerate() {
                let end = self.cuts.get(index + 1).copied().unwrap_or(whole.len());
                let part = &whole[start..end];
                if part.len() >= 2 && part.len() <= LONGEST {
                    take(Term::of(part), false);
                }
            }
        }
        if whole.len() >= 2 && whole.len() <= LONGEST {
            take(Term::of(whole), self.cuts.len() > 1);
        }
    }

    fn pairs(&self, take: &mut impl FnMut(Term, bool)) {
        let places: Vec<usize> = self.lower.char_indices().map(|(place, _)| place).collect();
        for (index, &start) in places.iter().enumerate() {
            let end = places.get(index + 2).copied().unwrap_or(self.lower.len());
            if index == 0 || places.len() > index + 1 {
                take(Term::of(&self.lower[start..end]), false);
            }
        }
    }
}

fn class_of(c: char) -> Class {
    match c {
        '0'..='9' => Class::Digit,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        // Kana, ideographs, hangul, and the scripts of South East Asia.
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Class::Dense,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Class::Dense,
        '\u{20000}'..='\u{3ffff}' => Class::Dense,
        c if c.is_numeric() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// Cuts the ending off an English word: what stays, and what replaces the rest.
fn stem(word: &str) -> Option<(&str, &'static str)> {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let (root, ending) = plural(word);
    let (root, ending) = match ending {
        "" => suffix(root).unwrap_or((root, "")),
        _ => (root, ending),
    };
    let root = match ending {
        "" if root.len() > 3 => root.strip_suffix('e').unwrap_or(root),
        _ => root,
    };
    match (ending, root.strip_suffix('y')) {
        ("", Some(shorter)) if shorter.len() > 2 => Some((shorter, "i")),
        _ => Some((root, ending)),
    }
}

fn plural(word: &str) -> (&str, &'static str) {
    if let Some(root) = word.strip_suffix("ies") {
        if root.len() > 2 {
            return (root, "i");
        }
        return (&word[..word.len() - 1], "");
    }
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return (word, "");
    }
    if let Some(root) = word.strip_suffix("es") {
        let hissing = ["s", "x", "z", "ch", "sh"];
        if hissing.iter().any(|end| root.ends_with(end)) && root.len() > 2 {
            return (root, "");
        }
    }
    match word.strip_suffix('s') {
        Some(root) if root.len() > 2 => (root, ""),
        _ => (word, ""),
    }
}

/// Endings with what takes their place; the first that leaves enough wins.
const ENDINGS: &[(&str, usize, &str)] = &[
    ("ization", 3, "iz"),
    ("isation", 3, "iz"),
    ("ational", 3, "at"),
    ("fulness", 3, "ful"),
    ("iveness", 3, "iv"),
    ("ations", 3, "at"),
    ("ation", 3, "at"),
    ("ating", 3, "at"),
    ("ated", 3, "at"),
    ("ator", 3, "at"),
    ("ates", 3, "at"),
    ("ate", 3, "at"),
    ("izing", 3, "iz"),
    ("ized", 3, "iz"),
    ("izer", 3, "iz"),
    ("ize", 3, "iz"),
    ("ise", 4, "iz"),
    ("ement", 4, ""),
    ("ment", 4, ""),
    ("ness", 4, ""),
    ("able", 4, ""),
    ("ible", 4, ""),
    ("ingly", 3, ""),
    ("edly", 3, ""),
    ("ing", 3, ""),
    ("ion", 4, ""),
    ("ied", 3, "i"),
    ("ed", 3, ""),
    ("er", 4, ""),
    ("or", 5, ""),
    ("ly", 4, ""),
];

fn suffix(word: &str) -> Option<(&str, &'static str)> {
    let last = word.bytes().next_back();
    // Most words end in another letter, which is looked at first.
    let alike = ENDINGS.iter().filter(|(end, ..)| end.bytes().next_back() == last);
    let (root, ending) = alike.into_iter().find_map(|(end, least, ending)| {
        let root = word.strip_suffix(end)?;
        let vowel = root.bytes().any(|byte| b"aeiouy".contains(&byte));
        (root.len() >= *least && vowel).then_some((root, *ending))
    })?;
    let bytes = root.as_bytes();
    match (ending, bytes) {
        // `running`: the doubled letter goes, but not in `missing` or `calling`.
        ("", [.., a, b]) if a == b && !b"lszaeiou".contains(b) => {
            Some((&root[..root.len() - 1], ""))
        }
        _ => Some((root, ending)),
    }
}

/// FNV-1a, folded; the same on every machine.
fn hash(bytes: &[u8]) -> u32 {
    hash_parts(bytes, &[])
}

fn hash_parts(first: &[u8], second: &[u8]) -> u32 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in first.iter().chain(second) {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (state ^ (state >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        // Terms are numbers, so known words are looked for.
        let known = [
            "parse",
            "http",
            "body",
            "parsehttpbody",
            "utf",
            "utf8",
            "server",
            "httpserver",
            "a1",
            "größe",
            "日本",
            "本語",
            "id",
        ];
        let name = |term: &Term| known.iter().find(|word| Term::of(word) == *term);
        let terms = terms(text);
        terms.iter().filter_map(name).map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn names_give_their_parts_and_themselves() {
        let whole = ["parse", "http", "body", "parsehttpbody"];
        for name in ["parseHttpBody", "parse_http_body", "PARSE_HTTP_BODY", "ParseHTTPBody"] {
            assert_eq!(words(name), whole, "{name}");
        }
        assert_eq!(words("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(words("utf8"), ["utf", "utf8"]);
        assert_eq!(words("a.id(x) _id_"), ["id", "id"]);
    }

    #[test]
    fn other_scripts_are_words_or_pairs() {
        assert_eq!(words("GRÖSSE Größe"), ["größe"]);
        assert_eq!(words("日本語"), ["日本", "本語"]);
        assert_eq!(terms("語").len(), 1);
        assert_eq!(terms("  ::!").len(), 0);
    }

    #[test]
    fn kin_share_a_stem() {
        for kin in [
            ["parse", "parses", "parsed", "parsing", "parser"].as_slice(),
            &["query", "queries", "queried"],
            &["create", "created", "creating", "creation", "creator"],
            &["run", "runs", "running"],
            &["normalize", "normalized", "normalizing", "normalization"],
            &["class", "classes"],
            &["index", "indexes", "indexed"],
        ] {
            let stems: Vec<u32> = kin.iter().map(|word| Term::of(word).stem).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{kin:?} {stems:?}");
        }
        for (left, right) in [("this", "thi"), ("bus", "bu"), ("node", "nod3"), ("sing", "s")] {
            assert_ne!(Term::of(left).stem, Term::of(right).stem, "{left} {right}");
        }
    }

    #[test]
    fn a_name_is_one_term() {
        assert_eq!(name_term("parse_http_body"), Some(Term::of("parsehttpbody")));
        assert_eq!(name_term("x"), None);
        assert_eq!(name_term(&"x".repeat(65)), None);
    }
}
