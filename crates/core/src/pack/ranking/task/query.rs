//! Reads the words of a task, with what each is worth.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::weights::TaskWeights;
use crate::text::terms::{Term, each_term, name_term};

/// Of a longer task this much is read; the rest is logs.
const MOST_BYTES: usize = 256 << 10;
/// The most different words that are looked for.
const MOST_WORDS: usize = 512;

/// Words that hold English sentences together.
const STOP_WORDS: &str = "a about above after again all also although always am an and another any \
    anyone anything are aren as at be because been before being below between both but by can \
    cannot could couldn did didn do does doesn doing don during each either else enough etc even \
    ever every for from further get gets getting got had has have haven having he hence here him \
    his how however i if in instead into is isn it its itself just know let like likely look \
    looks made make makes many may maybe me might more most much must my need needs never no nor \
    not now of off often ok on once only or other our out over own perhaps please possible \
    rather really same see seem seems several shall she should shouldn since so some someone \
    something still such sure take than thank thanks that the their them then there these they \
    thing things think this those though through thus to too try trying under until up upon us \
    use used uses using usually very via want wanted wants was wasn way we well were what when \
    where whether which while who why will wish with within without won would wouldn yes yet you \
    your";

/// The words of a task, ready to be looked up.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Each word once, by number.
    words: Vec<Word>,
    /// Each stem once, by number.
    stems: Vec<u32>,
    stem_weights: Vec<f64>,
    /// Stems of the first line, and of code.
    title_stems: Vec<bool>,
    code_stems: Vec<bool>,
    /// Names of files in the task, bare and with their directory, in lower case.
    mentioned: HashSet<String>,
    /// Its first line that is not blank, in lower case.
    title: String,
    /// What of a long task is not looked for.
    cut: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    word: u32,
    weight: f64,
}

/// How often a term occurs.
#[derive(Clone, Copy, Default)]
struct Occurrence {
    count: u32,
    in_title: bool,
    /// Holds sentences together and says nothing.
    stop: bool,
    /// Has joints, or stands between back quotes or before a bracket.
    code: bool,
    /// Was not written as one word.
    compound: bool,
    order: usize,
}

impl Occurrence {
    fn weight(&self, weights: &TaskWeights) -> f64 {
        let mut weight = 1.0 + f64::from(self.count.max(1)).ln();
        if self.in_title {
            weight *= weights.title;
        }
        if self.compound {
            weight *= weights.compound;
        }
        if self.stop && !self.code {
            weight *= weights.stop;
        }
        weight
    }
}

impl Query {
    /// Reads a task.
    pub fn new(task: &str, weights: &TaskWeights) -> Query {
        let text = &task[..task.floor_char_boundary(MOST_BYTES)];
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let mut found: HashMap<Term, Occurrence> = HashMap::new();
        each_term(text, |term, joined| {
            let order = found.len();
            let entry = found.entry(term).or_insert(Occurrence { order, ..Occurrence::default() });
            entry.count += 1;
            entry.code |= joined;
        });
        for name in code_words(text) {
            if let Some(entry) = name_term(name).and_then(|term| found.get_mut(&term)) {
                entry.code = true;
            }
        }
        each_term(first, |term, _| {
            if let Some(entry) = found.get_mut(&term) {
                entry.in_title = true;
            }
        });
        each_term(STOP_WORDS, |term, _| {
            if let Some(entry) = found.get_mut(&term) {
                entry.stop = true;
            }
        });
        for (term, in_title) in compounds(text, first) {
            let order = found.len();
            let entry = found.entry(term).or_insert(Occurrence {
                compound: true,
                order,
                ..Occurrence::default()
            });
            if entry.compound {
                entry.count += 1;
                entry.in_title |= in_title;
            }
        }
        let mut found: Vec<(Term, Occurrence)> = found.into_iter().collect();
        found.sort_by(|left, right| {
            let weight = right.1.weight(weights).total_cmp(&left.1.weight(weights));
            weight.then(left.1.order.cmp(&right.1.order))
        });
        let cut = match (text.len() < task.len(), found.len() > MOST_WORDS) {
            (true, _) => Some(format!("long: the first {} KiB are read", MOST_BYTES >> 10)),
            (_, true) => Some(format!(
                "{} different words: the {MOST_WORDS} that weigh most are looked for",
                found.len()
            )),
            _ => None,
        };
        found.truncate(MOST_WORDS);
        Query {
            cut,
            mentioned: mentioned(text),
            title: first.to_lowercase(),
            ..Query::of(&found, weights)
        }
    }

    fn of(found: &[(Term, Occurrence)], weights: &TaskWeights) -> Query {
        let mut stems: Vec<u32> = found.iter().map(|(term, _)| term.stem).collect();
        stems.sort_unstable();
        stems.dedup();
        let mut merged = vec![Occurrence::default(); stems.len()];
        let mut words: Vec<Word> = Vec::new();
        for (term, occurrence) in found {
            let slot = stems.partition_point(|stem| *stem < term.stem);
            if let Some(entry) = merged.get_mut(slot) {
                entry.stop = occurrence.stop && (entry.stop || entry.count == 0);
                entry.count += occurrence.count;
                entry.in_title |= occurrence.in_title;
                entry.code |= occurrence.code;
            }
            words.push(Word { word: term.word, weight: occurrence.weight(weights) });
        }
        words.sort_by_key(|word| word.word);
        words.dedup_by_key(|word| word.word);
        Query {
            words,
            stems,
            stem_weights: merged.iter().map(|entry| entry.weight(weights)).collect(),
            title_stems: merged.iter().map(|entry| entry.in_title && !entry.stop).collect(),
            code_stems: merged.iter().map(|entry| entry.code).collect(),
            ..Query::default()
        }
    }

    /// Asks for whole names, and not for their parts.
    pub(crate) fn of_names<'a>(names: impl Iterator<Item = &'a String>) -> Query {
        let terms: BTreeSet<Term> = names.filter_map(|name| name_term(name)).collect();
        let once = Occurrence { count: 1, ..Occurrence::default() };
        let found: Vec<(Term, Occurrence)> =
            terms.into_iter().take(MOST_WORDS).map(|term| (term, once)).collect();
        Query::of(&found, &TaskWeights::default())
    }

    /// Says what of a long task is not looked for, where that is so.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// Tells whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How exactly the task names a file: 1 with its directory, a half without.
    pub(crate) fn mention(&self, path: &str) -> f64 {
        if self.mentioned.is_empty() {
            return 0.0;
        }
        let path = path.to_lowercase();
        let mut cuts = path.rmatch_indices('/').map(|(place, _)| &path[place + 1..]);
        let (Some(name), place) = (cuts.next(), cuts.next().unwrap_or(&path)) else {
            return if self.mentioned.contains(&path) { 1.0 } else { 0.0 };
        };
        match (self.mentioned.contains(place), self.mentioned.contains(name)) {
            (true, _) => 1.0,
            (_, true) => 0.5,
            _ => 0.0,
        }
    }

    /// The first line of the task in lower case.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn stems(&self) -> &[u32] {
        &self.stems
    }

    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// Which word of the task this is.
    pub(crate) fn word_slot(&self, word: u32) -> Option<u16> {
        let slot = self.words.binary_search_by_key(&word, |entry| entry.word).ok()?;
        u16::try_from(slot).ok()
    }

    /// Which stem of the task this is.
    pub(crate) fn stem_slot(&self, stem: u32) -> Option<u16> {
        let slot = self.stems.binary_search(&stem).ok()?;
        u16::try_from(slot).ok()
    }

    pub(crate) fn word_weight(&self, slot: usize) -> f64 {
        self.words.get(slot).map_or(0.0, |word| word.weight)
    }

    pub(crate) fn stem_weight(&self, slot: usize) -> f64 {
        self.stem_weights.get(slot).copied().unwrap_or_default()
    }
}

impl Query {
    /// Tells whether a stem stands in the first line and says something.
    pub(crate) fn is_title(&self, stem: u16) -> bool {
        self.title_stems.get(usize::from(stem)).copied().unwrap_or_default()
    }

    /// Tells whether a stem is written as code somewhere.
    pub(crate) fn is_code(&self, stem: u16) -> bool {
        self.code_stems.get(usize::from(stem)).copied().unwrap_or_default()
    }
}

/// Words that are written as code: between back quotes, after a dot or two
/// colons, or before an opening bracket.
fn code_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in text.lines() {
        for (number, part) in line.split('`').enumerate() {
            let quoted = number % 2 == 1;
            let mut rest = part;
            while let Some(start) = rest.find(is_name) {
                let before = rest[..start].chars().next_back();
                let tail = &rest[start..];
                let end = tail.find(|c| !is_name(c)).unwrap_or(tail.len());
                let (word, after) = tail.split_at(end);
                let called = after.starts_with(['(', '.']) && !after.starts_with(". ");
                let member = matches!(before, Some('.' | ':' | '@' | '#' | '$'));
                if quoted || called && after.len() > 1 || member {
                    words.push(word);
                }
                rest = after;
            }
        }
    }
    words
}

/// Two and three words in a row as one: `socket timeout` may be `socketTimeout`
/// in code. Tells for each whether it stands in the first line.
fn compounds(text: &str, first: &str) -> Vec<(Term, bool)> {
    let stop: HashSet<&str> = STOP_WORDS.split_whitespace().collect();
    let says = |word: &&str| !stop.contains(word.to_lowercase().as_str());
    let mut found = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> =
            line.split(|c| !is_name(c)).filter(|word| !word.is_empty()).collect();
        for size in [2, 3] {
            let rows = words.windows(size).filter(|row| row.iter().all(says));
            let terms = rows.filter_map(|row| name_term(&row.concat()));
            found.extend(terms.map(|term| (term, line == first)));
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Collects what looks like the name of a file, alone and with its directory.
fn mentioned(text: &str) -> HashSet<String> {
    let is_path = |c: char| c.is_alphanumeric() || "_-./+@\\".contains(c);
    text.split(|c| !is_path(c))
        .map(|token| token.trim_matches(['.', '/', '-', '+', '@', '\\']))
        .filter(|token| token.len() <= 300 && token.contains('.'))
        .flat_map(|token| {
            let token = token.replace('\\', "/").to_lowercase();
            let mut cuts =
                token.rmatch_indices('/').map(|(place, _)| token[place + 1..].to_owned());
            let (name, place) = (cuts.next(), cuts.next());
            [name, place, Some(token.clone())].into_iter().flatten().collect::<Vec<_>>()
        })
        .collect()
}
