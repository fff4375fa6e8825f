//! Finds files that the user named one by one and the walk passed over.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path};

use super::filter::Filter;
use super::name::without_dots;
use super::place::Place;
use super::visit::found;
use super::walk::{WalkOptions, Walked};

/// Marks the named files among those found, and adds those that are missing.
///
/// A name that leads to no plain file inside the tree is treated as a glob
/// that matches nothing.
pub(super) fn visit_named(
    place: &Place,
    filter: &Filter,
    options: &WalkOptions,
    walked: &mut Walked,
) {
    if options.named.is_empty() {
        return;
    }
    let mut known: HashMap<_, _> = walked
        .files
        .iter()
        .enumerate()
        .map(|(number, file)| (file.relative.clone(), number))
        .collect();
    for name in &options.named {
        let relative = without_dots(name);
        if let Some(&number) = known.get(&relative) {
            walked.files[number].named = true;
            continue;
        }
        if !stays(&relative) || !filter.wants(&relative) {
            continue;
        }
        let path = place.absolute.join(&relative);
        let is_real = fs::canonicalize(&path).is_ok_and(|real| real == path);
        let metadata = fs::symlink_metadata(&path).ok().filter(|_| is_real);
        let Some(metadata) = metadata.filter(fs::Metadata::is_file) else {
            continue;
        };
        match found(place, &path, &metadata, options.max_file_size) {
            Ok(mut file) => {
                file.named = true;
                known.insert(relative, walked.files.len());
                walked.files.push(file);
            }
            Err(note) => walked.notes.push(note),
        }
    }
}

/// Tells whether a path stays in the tree and out of `.git`.
fn stays(relative: &Path) -> bool {
    let mut parts = relative.components();
    parts.all(|part| matches!(part, Component::Normal(name) if name != ".git"))
}
