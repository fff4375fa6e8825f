//! Brings what changed lately, and what is pinned, as sources.

use std::path::Path;

use super::source::{PackSource, SourceKind};
use crate::Remark;
use crate::pack::{PackError, PackOptions, changes};
use crate::repo::{Comparison, Globs, display_path, walk};
use crate::text::lines::merged;

/// Finds the lines below a directory that changed, as sources.
///
/// Files that are gone, or that must not be packed, bring none.
pub fn changed_sources(
    root: &Path,
    comparison: &Comparison,
    options: &PackOptions,
) -> Result<(Vec<PackSource>, Vec<Remark>), PackError> {
    let changed = changes::gather(root, comparison, options)?;
    let there = changed.files.iter().filter(|file| file.text.is_ok());
    let sources = there.flat_map(|file| {
        let lines = file.touched().into_iter().map(|line| (line.max(1), line.max(1)));
        let ranges = merged(lines.collect()).into_iter();
        ranges.map(|(first, last)| {
            PackSource::new(SourceKind::Change, file.path.as_str()).lines(first, last)
        })
    });
    Ok((sources.collect(), changed.notes))
}

/// The files that `--pin` asks for, as sources that come before all others.
pub fn pinned_sources(root: &Path, options: &PackOptions) -> Result<Vec<PackSource>, PackError> {
    let pins = Globs::compile(&options.score.pin)?;
    if pins.is_empty() {
        return Ok(Vec::new());
    }
    let files = walk(root, &options.walk)?.files.into_iter();
    let wanted = files.filter(|file| pins.names(&file.relative));
    let sources = wanted.map(|file| {
        PackSource::new(SourceKind::OpenFile, display_path(&file.relative).replace('\\', "/"))
            .pinned()
    });
    Ok(sources.collect())
}
