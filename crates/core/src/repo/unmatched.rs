//! Finds globs that were typed and match nothing, and guesses what was meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::filter::Globs;
use super::walk::{FoundFile, WalkOptions, walk};
use super::{RepoError, display_path};
use crate::text::nearest;

/// The flag whose globs name what is not found.
const EXCLUDE: &str = "--exclude";

/// Fails at the first typed glob that matches nothing.
pub(super) fn require(
    root: &Path,
    options: &WalkOptions,
    files: &[FoundFile],
) -> Result<(), RepoError> {
    for typed in &options.typed {
        let patterns: Vec<String> =
            typed.patterns.iter().map(|it| it.trim_start_matches('!').to_owned()).collect();
        let globs = Globs::compile(&patterns)?;
        let is_found = |files: &[FoundFile]| files.iter().any(|file| globs.names(&file.relative));
        if is_found(files) {
            continue;
        }
        // What is ignored anyway may be excluded, too.
        let exists = || patterns.iter().any(|it| root.join(it.trim_matches('/')).exists());
        let all = everything(root, options)?;
        let is_known = is_found(&all) || typed.flag == EXCLUDE && exists();
        if !is_known {
            let nearest = guess(&typed.glob, &all);
            return Err(RepoError::Unmatched {
                flag: typed.flag,
                glob: typed.glob.clone(),
                nearest,
            });
        }
    }
    Ok(())
}

/// All files, whatever is included or excluded.
fn everything(root: &Path, options: &WalkOptions) -> Result<Vec<FoundFile>, RepoError> {
    let all = WalkOptions {
        include: Vec::new(),
        exclude: Vec::new(),
        typed: Vec::new(),
        ..options.clone()
    };
    Ok(walk(root, &all)?.files)
}

/// The name of a file or directory, or the kind of files, that is nearest to a glob.
fn guess(glob: &str, files: &[FoundFile]) -> Option<String> {
    let (name, rest) = match glob.find("/*") {
        Some(at) => glob.split_at(at),
        None => (glob.trim_end_matches('/'), ""),
    };
    let mut known: BTreeSet<String> = BTreeSet::new();
    for file in files {
        let shown = |path: &Path| display_path(path);
        known.extend(file.relative.ancestors().map(shown));
        known.extend(file.relative.file_name().map(|name| shown(&PathBuf::from(name))));
        let ending = file.relative.extension().and_then(|ending| ending.to_str());
        known.extend(ending.map(|ending| format!("*.{ending}")));
    }
    let meant = nearest(name, known.iter().map(String::as_str).filter(|it| !it.is_empty()))?;
    Some(format!("{meant}{rest}"))
}
