//! Finds files that the user named one by one and the walk passed over.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::filter::Filter;
use super::name::without_dots;
use super::place::Place;
use super::visit::found;
use super::walk::{WalkOptions, Walked};

/// Marks the named files among those found, and adds those that are missing, as well as
/// those of a list.
///
/// A name that leads to no plain file inside the tree is treated as a glob
/// that matches nothing.
pub(super) fn visit_named(
    place: &Place,
    filter: &Filter,
    options: &WalkOptions,
    listed: &[PathBuf],
    walked: &mut Walked,
) {
    if options.named.is_empty() && listed.is_empty() {
        return;
    }
    let mut known: HashMap<_, _> = walked
        .files
        .iter()
        .enumerate()
        .map(|(number, file)| (file.relative.clone(), number))
        .collect();
    let named = options.named.iter().map(|name| (name, true));
    for (name, is_named) in named.chain(listed.iter().map(|name| (name, false))) {
        let relative = without_dots(name);
        if let Some(&number) = known.get(&relative) {
            walked.files[number].named |= is_named;
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
                file.named = is_named;
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
