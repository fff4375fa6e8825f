//! Scores all files without packing any.

use std::path::Path;

use serde::Serialize;

use super::{Gathered, OmittedFile, PackError, PackOptions, gather};
use crate::Remark;
use crate::cache::Cache;
use crate::pack::ranking::Contribution;
use crate::repo::Signals;
use crate::tokens::Tokens;

/// Every file of a repository with its score.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The texts, best first, then by the bytes of the path.
    pub files: Vec<ScoredFile>,
    /// What gets no score: binary, unreadable, denied and lock files, by path.
    pub omitted: Vec<OmittedFile>,
    /// Remarks about files and the work.
    pub notes: Vec<Remark>,
}

/// A file with its score.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoredFile {
    /// The path from the root.
    pub path: String,
    /// From 0 to 100.
    pub score: u32,
    /// Where the score comes from.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, i64>"))]
    pub signals: Signals,
    /// Whether it is packed in full, whatever its score.
    pub pinned: bool,
    /// Whether it changed since the base that was asked for.
    pub changed: bool,
    /// The lines of its text.
    pub lines: u32,
    /// The tokens of its text.
    pub tokens: Tokens,
}

/// Scores the files of a repository as [`pack`](super::pack) does.
///
/// ```
/// use loadline::pack::{PackOptions, score};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("main.py"), "def main():\n    print(1)\n")?;
/// let config = Config::load([])?;
/// let options = PackOptions::new("o200k".parse()?, config.settings());
/// let scored = score(root.path(), &options, &Cache::disabled())?;
/// assert_eq!(scored.files[0].path, "main.py");
/// assert_eq!(scored.files[0].signals.entry_point, 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score(root: &Path, options: &PackOptions, store: &Cache) -> Result<Scored, PackError> {
    let Gathered { candidates, omitted, mut notes } =
        gather(root, &options.with_outlines(), store)?;
    notes.extend(candidates.iter().filter_map(|it| it.facts.remark(&it.path)));
    let files = candidates.into_iter().map(|candidate| ScoredFile {
        path: candidate.path,
        score: candidate.score,
        signals: candidate.signals,
        pinned: candidate.pinned,
        changed: candidate.changed,
        lines: candidate.facts.lines,
        tokens: candidate.facts.tokens,
    });
    let mut files: Vec<ScoredFile> = files.collect();
    files.sort_by(|left, right| {
        let by_score = right.score.cmp(&left.score);
        by_score.then_with(|| left.path.cmp(&right.path))
    });
    Ok(Scored { files, omitted, notes })
}

/// The points of a file as parts of its score; what is cut off at 0 and 100 is one, too.
pub(super) fn parts(signals: &Signals) -> Vec<Contribution> {
    let named = signals.named().into_iter().filter(|(_, points)| *points != 0);
    let mut parts: Vec<Contribution> =
        named.map(|(name, points)| Contribution::new(name, points as f64, 1.0)).collect();
    let limit = f64::from(signals.score()) - Contribution::sum(&parts);
    if limit != 0.0 {
        parts.push(Contribution::new("limit", limit, 1.0));
    }
    parts
}
