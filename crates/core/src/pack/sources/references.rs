//! Finds the definitions that sources name, so that a caller need not list them.
//!
//! A name that is defined in many places refers to none of them in particular, so only
//! names with one or two definitions count. The index of task packs knows them already.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::admit::Admitted;
use super::{PackSource, SourceKind, SourceOptions};
use crate::cache::Cache;
use crate::pack::ranking::task::{Query, TaskKind, TaskWeights};
use crate::pack::task::{find, gathered};
use crate::pack::{PackError, PackOptions};
use crate::text::terms::name_term;

/// The most definitions that are looked at.
const MOST: usize = 20;
/// The relevance of the one that is named most.
const MOST_RELEVANT: f64 = 0.2;
/// The most definitions that a name may have.
const MOST_PLACES: usize = 2;
/// Shorter names are too common to refer to anything.
const SHORTEST: usize = 4;

/// The definitions that the texts of files name, by how often they do.
pub(super) fn references(
    admitted: &Admitted,
    repository: &PackOptions,
    options: &SourceOptions,
) -> Result<Vec<PackSource>, PackError> {
    let Some(root) = &options.root else {
        return Ok(Vec::new());
    };
    let names = names(admitted);
    let joined: Vec<&str> = names.keys().map(String::as_str).collect();
    let query = Query::new(&joined.join("\n"), &TaskWeights::default());
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let disabled = Cache::disabled();
    let store = options.store.as_deref().unwrap_or(&disabled);
    let mut found = find(root, repository)?;
    let files = gathered(&found.sources, &query, repository, store, &mut found.notes);
    let mut places: HashMap<u16, Vec<(&str, u32)>> = HashMap::new();
    for file in files.candidates.iter().filter(|file| file.kind == TaskKind::Source) {
        for (word, line) in &file.probe.names {
            places.entry(*word).or_default().push((&file.path, *line));
        }
    }
    let mut defined: Vec<(usize, &str, u32)> = Vec::new();
    for (name, count) in &names {
        let slot = name_term(name).and_then(|term| query.word_slot(term.word));
        let places = slot.and_then(|slot| places.get(&slot)).map_or(&[][..], Vec::as_slice);
        if places.len() <= MOST_PLACES {
            defined.extend(places.iter().map(|(path, line)| (*count, *path, *line)));
        }
    }
    defined.sort_by(|one, other| other.0.cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let mut seen = HashSet::new();
    let new = defined
        .iter()
        .filter(|(_, path, line)| !admitted.shows(path, *line) && seen.insert((*path, *line)));
    let most = defined.first().map_or(1, |(count, ..)| *count) as f64;
    let sources = new.take(MOST).map(|(count, path, line)| {
        let relevance = MOST_RELEVANT * *count as f64 / most;
        let source = PackSource::new(SourceKind::Reference, *path).lines(*line, *line);
        // However fresh their files are, references come after what names them.
        source.relevance(relevance).changed_ns(0)
    });
    Ok(sources.collect())
}

/// Whether a word is a name rather than English: `parse_body`, `parseBody`, `Parser`.
fn is_code(word: &str) -> bool {
    let mut inner = word.chars().skip(1);
    let is_joined = inner.any(|c| c == '_' || c.is_uppercase());
    let starts = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts && (is_joined || word.starts_with(char::is_uppercase))
}

/// The names in a text.
pub(in crate::pack) fn names_in(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= SHORTEST && is_code(word)).collect()
}

/// The names in the texts of files, with how many of the texts have each.
fn names(admitted: &Admitted) -> BTreeMap<String, usize> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for text in admitted.texts.iter().filter(|text| text.kind.is_file()) {
        for name in names_in(&text.text) {
            *names.entry(name.to_owned()).or_default() += 1;
        }
    }
    names
}
