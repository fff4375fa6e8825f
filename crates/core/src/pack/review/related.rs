//! Finds what depends on changed definitions: the definitions that mention their names.
//!
//! Names are looked up in the outlines of all files, so a name that many files use says
//! little and counts little. Nothing is resolved: a method of the same name elsewhere is
//! found, too, and pays with its rank.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Remark;
use crate::cache::{Cache, FileStamp};
use crate::pack::changes::ChangedFile;
use crate::pack::survey::{Facts, Parsed, State, Surveyed, survey};
use crate::pack::{PackError, PackOptions};
use crate::repo::{FileKind, Globs, Hunk, WalkOptions, walk};
use crate::syntax::{Definition, DefinitionKind, Outline, outline};
use crate::text::lines::merged;

/// A name that more files mention says nothing.
const MOST_FILES: usize = 60;
/// Shorter names are everywhere.
const SHORTEST: usize = 3;
/// A longer definition is shown by its head and the lines around the mention.
const LONG: u32 = 60;
/// Lines shown on either side of a mention.
const AROUND: u32 = 4;
/// The most places that compete.
const MOST_PLACES: usize = 400;

/// A file that depends on what changed, or that is pinned.
pub(super) struct Related {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) language: Option<&'static str>,
    /// From 0 to 1, of the best place.
    pub(super) worth: f64,
    pub(super) is_pinned: bool,
    /// The lines of each place, and what it is worth.
    pub(super) places: Vec<(Vec<(u32, u32)>, f64)>,
}

/// Names with the families of languages that define them.
type Names = BTreeMap<String, BTreeSet<&'static str>>;
/// How many files mention a name.
type Counts<'a> = BTreeMap<(&'a str, &'static str), usize>;

/// Finds the files that mention what changed, best first.
pub(super) fn find(
    root: &Path,
    changed: &[ChangedFile],
    options: &PackOptions,
    store: &Cache,
    notes: &mut Vec<Remark>,
) -> Result<Vec<Related>, PackError> {
    let pins = Globs::compile(&options.score.pin)?;
    let mut names = Names::new();
    for (name, family) in changed.iter().flat_map(changed_names) {
        names.entry(name).or_default().insert(family);
    }
    if names.is_empty() && pins.is_empty() {
        return Ok(Vec::new());
    }
    let known: BTreeSet<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    let unlimited = WalkOptions { max_file_size: None, ..options.walk.clone() };
    let mut texts =
        survey(walk(root, &unlimited)?.files, &Parsed::Written, &options.with_outlines(), store);
    texts.retain(|file| !known.contains(file.path.as_str()));
    let counts = counts(&texts, &names);
    let mut related: Vec<Related> = texts
        .iter()
        .filter_map(|file| {
            let State::Text(facts) = &file.state else {
                return None;
            };
            let is_pinned = pins.names(Path::new(&file.path));
            let is_generated = FileKind::of(&file.path, options.score.names()).generated;
            let places = places(file, facts, &names, &counts);
            let worth = places.values().copied().fold(0.0, f64::max);
            (is_pinned || worth > 0.0 && !is_generated).then(|| Related {
                path: file.path.clone(),
                stamp: file.stamp.clone(),
                language: file.language,
                worth,
                is_pinned,
                places: places.into_iter().collect(),
            })
        })
        .collect();
    related.sort_by(|left, right| {
        right.worth.total_cmp(&left.worth).then_with(|| left.path.cmp(&right.path))
    });
    notes.extend(cut(&mut related));
    Ok(related)
}

/// Keeps the best places where there are very many.
fn cut(related: &mut Vec<Related>) -> Option<Remark> {
    let mut left = MOST_PLACES;
    let found: usize = related.iter().map(|file| file.places.len()).sum();
    for file in related.iter_mut() {
        file.places.truncate(left);
        left -= file.places.len();
    }
    related.retain(|file| file.is_pinned || !file.places.is_empty());
    let message = format!("{found} places use what changed; the best {MOST_PLACES} compete");
    (found > MOST_PLACES).then(|| Remark::new("review", message))
}

/// Counts the files that mention each name.
fn counts<'a>(texts: &'a [Surveyed], names: &Names) -> Counts<'a> {
    let mut counts = Counts::new();
    for file in texts {
        let State::Text(facts) = &file.state else {
            continue;
        };
        let family = family(file.language.unwrap_or_default());
        let mentioned: BTreeSet<&str> =
            mentions(facts, family, names).map(|(name, _)| name).collect();
        for name in mentioned {
            *counts.entry((name, family)).or_default() += 1;
        }
    }
    counts
}

/// The places of a file that mention any of the names, with what each is worth.
fn places(
    file: &Surveyed,
    facts: &Facts,
    names: &Names,
    counts: &Counts<'_>,
) -> BTreeMap<Vec<(u32, u32)>, f64> {
    let mut places: BTreeMap<Vec<(u32, u32)>, f64> = BTreeMap::new();
    let family = family(file.language.unwrap_or_default());
    let Some(outline) = &facts.outline else {
        return places;
    };
    for (name, line) in mentions(facts, family, names) {
        let files = counts.get(&(name, family)).copied().unwrap_or(1);
        if files <= MOST_FILES {
            let worth = places.entry(place(outline, line, facts.lines)).or_default();
            *worth = worth.max(1.0 / (files as f64).sqrt());
        }
    }
    places
}

/// The names of what changed in a file or is gone from it, with the family of its language.
fn changed_names(file: &ChangedFile) -> Vec<(String, &'static str)> {
    let Some(language) = file.language else {
        return Vec::new();
    };
    let parsed = |text: &str| outline(language, text).ok();
    let after = file.text.as_ref().ok().and_then(|text| parsed(text));
    let before = file.before.as_deref().and_then(parsed);
    let mut names = BTreeSet::new();
    if let Some(after) = &after {
        names.extend(innermost(after, &file.touched()).map(|it| it.name.clone()));
    }
    if let Some(before) = &before {
        let removed: Vec<u32> = file.hunks().iter().flat_map(Hunk::removed).collect();
        let stays = |name: &str| {
            let after = after.as_ref();
            after.is_some_and(|after| after.definitions.iter().any(|it| it.name == name))
        };
        let gone = innermost(before, &removed).filter(|it| !stays(&it.name));
        names.extend(gone.map(|it| it.name.clone()));
    }
    let family = family(language);
    let is_telling = |name: &String| name.len() >= SHORTEST && name != "main";
    names.into_iter().filter(is_telling).map(|name| (name, family)).collect()
}

/// The smallest definitions of code that hold any of the lines.
fn innermost<'a>(outline: &'a Outline, lines: &[u32]) -> impl Iterator<Item = &'a Definition> {
    let numbers: BTreeSet<usize> = lines.iter().filter_map(|line| around(outline, *line)).collect();
    let all = numbers.into_iter().map(|number| &outline.definitions[number]);
    all.filter(|it| !it.kind.is_listed() && it.kind != DefinitionKind::Impl)
}

/// The number of the smallest definition around a line.
pub(super) fn around(outline: &Outline, line: u32) -> Option<usize> {
    let all = outline.definitions.iter().enumerate();
    let holding = all.filter(|(_, it)| it.lead_line <= line && line <= it.last_line);
    holding.min_by_key(|(_, it)| it.last_line - it.lead_line).map(|(number, _)| number)
}

/// The mentions of the names in a file, each with its line.
fn mentions<'a>(
    facts: &'a Facts,
    family: &'static str,
    names: &Names,
) -> impl Iterator<Item = (&'a str, u32)> {
    let references = facts.outline.as_ref().map_or(&[][..], |outline| &outline.references);
    let known = move |name: &str| names.get(name).is_some_and(|all| all.contains(family));
    let mentioned = references.iter().filter(move |(name, _)| known(name));
    mentioned.map(|(name, line)| (name.as_str(), *line))
}

/// The lines to show for a mention: the definition around it, or a few lines.
fn place(outline: &Outline, line: u32, lines: u32) -> Vec<(u32, u32)> {
    let near = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(lines));
    let Some(number) = around(outline, line) else {
        return vec![near];
    };
    let it = &outline.definitions[number];
    let mut ranges = openers(outline, number);
    if it.last_line - it.lead_line <= LONG {
        ranges.push((it.lead_line, it.last_line));
    } else {
        ranges.push((it.first_line, it.first_line));
        ranges.push((near.0.max(it.first_line), near.1.min(it.last_line)));
    }
    merged(ranges)
}

/// The first lines of what a definition is a member of.
pub(super) fn openers(outline: &Outline, number: usize) -> Vec<(u32, u32)> {
    let mut lines = Vec::new();
    let mut parent = outline.definitions[number].parent;
    while let Some(number) = parent {
        let it = &outline.definitions[number];
        lines.push((it.first_line, it.first_line));
        parent = it.parent;
    }
    lines
}

/// Languages whose files can use one another's names.
fn family(language: &'static str) -> &'static str {
    match language {
        "javascript" | "typescript" | "tsx" => "script",
        "c" | "cpp" => "c",
        "java" | "kotlin" | "scala" => "java",
        other => other,
    }
}
