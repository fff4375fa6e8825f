//! Counts the tokens of files and directories.
//!
//! The whole flow is [`count_paths`]: find the files, recall what is known
//! about unchanged ones, read and count the others on all cores, remember
//! that. With everything known, no file is opened.

mod content;
mod measure;
mod recall;
mod report;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::Remark;
use crate::cache::{Cache, FileStamp};
use crate::repo::walk;
use crate::repo::{RepoError, WalkOptions, without_dots};
use crate::tokens::Counter;
use measure::{measure_bytes, measure_file};
use recall::{recall, remember};

pub use report::{CountReport, FileCount, LanguageCount};

/// What to count, and how.
#[derive(Clone, Debug, Default)]
pub struct CountOptions {
    /// The counters; every file gets one number from each.
    pub counters: Vec<Counter>,
    /// Which files of a directory are counted.
    pub walk: WalkOptions,
    /// The time in nanoseconds since 1970, for the store; taken before the call.
    pub now_ns: i64,
}

/// Counts files, and the files below directories.
///
/// A file that is named is counted even if it is hidden or ignored; one that
/// is met twice is counted once. Binary files and what cannot be read cost a
/// note. Files come in the order of the paths, and within a directory in the
/// order of [`walk`]. What the store has to say stays in the store, see
/// [`Cache::take_notes`]. Contents are held one file per core at a time.
///
/// ```
/// use loadline::repo::{CountOptions, count_paths};
/// use loadline::cache::Cache;
/// use loadline::tokens::Tokens;
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("hello.txt"), "hello, world")?;
/// let options = CountOptions {
///     counters: vec!["o200k".parse().unwrap()],
///     ..CountOptions::default()
/// };
/// let paths = [directory.path().to_owned()];
/// let report = count_paths(&paths, &options, &Cache::disabled()).unwrap();
/// assert_eq!(report.total(0), Some(Tokens::new(3)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn count_paths(
    paths: &[PathBuf],
    options: &CountOptions,
    store: &Cache,
) -> Result<CountReport, RepoError> {
    let found = find(paths, &options.walk)?;
    let recalled = recall(&found.stamps, options, store);
    let measured: Vec<_> = found
        .stamps
        .par_iter()
        .zip(recalled)
        .map(|(stamp, recalled)| measure_file(stamp, recalled, options, store))
        .collect();
    remember(&found.stamps, &measured, options, store);
    let mut report = CountReport::new(found.notes);
    for (path, measured) in found.shown.into_iter().zip(measured) {
        report.add(path, measured, &options.counters);
    }
    Ok(report.sorted())
}

/// Counts one text that is not a file, such as standard input.
///
/// The name is shown, and tells the language. Returns no count where the
/// bytes are binary, and a note that says so.
///
/// ```
/// use loadline::repo::{CountOptions, count_text};
/// use loadline::tokens::Tokens;
/// let options = CountOptions {
///     counters: vec!["o200k".parse().unwrap()],
///     ..CountOptions::default()
/// };
/// let (file, notes) = count_text("-", b"hello, world", &options);
/// assert_eq!(file.unwrap().tokens, [Tokens::new(3)]);
/// assert!(notes.is_empty());
/// ```
pub fn count_text(
    name: &str,
    bytes: &[u8],
    options: &CountOptions,
) -> (Option<FileCount>, Vec<Remark>) {
    let mut report = CountReport::default();
    let measured = measure_bytes(bytes, &options.counters);
    report.add(PathBuf::from(name), Ok(measured), &options.counters);
    (report.files.pop(), report.notes)
}

/// The files to count: how they are shown and where they are, in parallel.
#[derive(Debug, Default)]
struct Found {
    shown: Vec<PathBuf>,
    stamps: Vec<FileStamp>,
    notes: Vec<Remark>,
}

fn find(paths: &[PathBuf], options: &WalkOptions) -> Result<Found, RepoError> {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in paths {
        let walked = walk(path, options)?;
        let shown = shown_root(path);
        found.notes.extend(walked.notes);
        for file in walked.files {
            // Only a second path can lead to a file again.
            if paths.len() > 1 && !seen.insert(file.stamp.path.clone()) {
                continue;
            }
            found.shown.push(match &shown {
                Some(directory) => directory.join(&file.relative),
                None => without_dots(path),
            });
            found.stamps.push(file.stamp);
        }
    }
    Ok(found)
}

/// Returns what stands before the names of a directory's files; a file has none.
fn shown_root(path: &Path) -> Option<PathBuf> {
    path.is_dir().then(|| without_dots(path))
}

#[cfg(test)]
mod tests;
