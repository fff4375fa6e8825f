//! The counts of many files, and their sums.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::content::Content;
use super::measure::Measured;
use crate::Remark;
use crate::repo::{display_path, language_of};
use crate::tokens::{CountSource, Counter, Tokens};

/// One file and its counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileCount {
    /// The path as it was given, or below a directory as that was given.
    #[serde(serialize_with = "as_shown")]
    pub path: PathBuf,
    /// The size in bytes.
    pub bytes: u64,
    /// The number of lines; a last one without an end counts.
    pub lines: u64,
    /// The language, if the name tells; see [`crate::repo::language_of`].
    pub language: Option<&'static str>,
    /// The encoding, such as `UTF-8`; see [`crate::repo::decode`].
    pub encoding: &'static str,
    /// The tokens, one number per counter.
    #[serde(skip)]
    pub tokens: Vec<Tokens>,
    /// Whether the file had to be counted or was known.
    pub source: CountSource,
}

fn as_shown<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&display_path(path))
}

/// The files of one language together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LanguageCount {
    /// The language; `None` stands for files whose name tells none.
    pub language: Option<&'static str>,
    /// The number of files.
    pub files: u64,
    /// The sum of their sizes.
    pub bytes: u64,
    /// The sum of their lines.
    pub lines: u64,
    /// The sums of their tokens, one per counter; at most [`Tokens::MAX`].
    #[serde(skip)]
    pub tokens: Vec<Tokens>,
}

/// What counting came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountReport {
    /// The files that are text, in order.
    pub files: Vec<FileCount>,
    /// What was left out or is strange, in the order of its subject.
    pub notes: Vec<Remark>,
}

impl CountReport {
    /// Sums the tokens by one counter, given by its place in the options.
    ///
    /// Returns `None` where there is no such counter for some file, or the sum
    /// does not fit 64 bits.
    pub fn total(&self, counter: usize) -> Option<Tokens> {
        self.files
            .iter()
            .try_fold(Tokens::ZERO, |sum, file| sum.checked_add(*file.tokens.get(counter)?))
    }

    /// Sums by language, most tokens of the first counter first, then by name.
    pub fn by_language(&self) -> Vec<LanguageCount> {
        let mut languages: BTreeMap<Option<&'static str>, LanguageCount> = BTreeMap::new();
        for file in &self.files {
            let language = languages.entry(file.language).or_default();
            language.language = file.language;
            language.add(file);
        }
        let mut languages: Vec<LanguageCount> = languages.into_values().collect();
        // The sort is stable, so equal numbers stay in the order of the names.
        languages.sort_by(|left, right| right.tokens.first().cmp(&left.tokens.first()));
        languages
    }

    pub(super) fn new(notes: Vec<Remark>) -> CountReport {
        CountReport { files: Vec::new(), notes }
    }

    /// Adds what was found out about a file: a row, a note, or both.
    pub(super) fn add(
        &mut self,
        path: PathBuf,
        measured: Result<Measured, String>,
        counters: &[Counter],
    ) {
        let measured = match measured {
            Ok(measured) => measured,
            Err(message) => return self.note(&path, message),
        };
        let (lines, encoding, lossy) = match measured.content {
            Content::Binary { kind: "binary" } => return self.note(&path, "binary, not counted"),
            Content::Binary { kind } => {
                return self.note(&path, format!("binary ({kind}), not counted"));
            }
            Content::Text { lines, encoding, lossy } => (lines, encoding, lossy),
        };
        if lossy {
            self.note(&path, format!("malformed {encoding}, some characters replaced"));
        }
        let corrected = counters.iter().zip(measured.tokens);
        self.files.push(FileCount {
            bytes: measured.bytes,
            lines,
            language: language_of(&path),
            encoding,
            tokens: corrected.map(|(counter, tokens)| counter.correct(tokens)).collect(),
            source: measured.source,
            path,
        });
    }

    /// Brings the notes in order; those of a walk come before those of its files.
    pub(super) fn sorted(mut self) -> CountReport {
        self.notes.sort_unstable();
        self.notes.dedup();
        self
    }

    fn note(&mut self, path: &std::path::Path, message: impl Into<String>) {
        self.notes.push(Remark::new(display_path(path), message));
    }
}

impl LanguageCount {
    fn add(&mut self, file: &FileCount) {
        self.files = self.files.saturating_add(1);
        self.bytes = self.bytes.saturating_add(file.bytes);
        self.lines = self.lines.saturating_add(file.lines);
        self.tokens.resize(file.tokens.len().max(self.tokens.len()), Tokens::ZERO);
        for (sum, tokens) in self.tokens.iter_mut().zip(&file.tokens) {
            *sum = sum.saturating_add(*tokens);
        }
    }
}
