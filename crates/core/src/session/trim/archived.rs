//! Archives a session, trims it, and records what was cut: the whole flow in one call.
//!
//! The original is kept before anything is cut, since its handle is in the markers.

use super::{TrimOptions, Trimmed, trim_summarized};
use crate::Remark;
use crate::archive::{Archive, Cut, CutKind, CutLedger};
use crate::session::error::OriginalError;
use crate::session::summary::Summarize;
use crate::session::transcript::Transcript;

/// Where originals are kept, and when.
#[derive(Clone, Copy, Debug)]
pub struct Keeping<'a> {
    /// Keeps the original, and next to it the ledger of what was cut.
    pub archive: &'a Archive,
    /// The current time, in nanoseconds since 1970.
    pub now: i64,
}

/// Archives a session, trims it, and records what was cut.
///
/// Markers name the handle of the original in place of `options.handle`. A ledger that
/// cannot be written costs a remark.
///
/// ```
/// use loadline::archive::Archive;
/// use loadline::session::{Keeping, TrimOptions, read_session, restore_session, trim_archived};
/// use loadline::session::write_session;
/// use loadline::tokens::Tokens;
/// # let directory = tempfile::tempdir()?;
/// let archive = Archive::new(directory.path(), directory.path());
/// let turn = r#"{"role":"user","content":"One two three four five six seven."}"#;
/// let session = read_session([turn; 40].join("\n").into_bytes(), None)?;
/// let options = TrimOptions::new("o200k".parse()?, Tokens::new(200));
/// let keeping = Keeping { archive: &archive, now: 0 };
/// let trimmed = trim_archived(&session, &options, None, keeping)?;
/// assert!(trimmed.after.get() <= 200);
/// let written = write_session(&session, &trimmed.draft)?;
/// assert_eq!(restore_session(&written, &archive)?, session.source());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn trim_archived(
    transcript: &Transcript,
    options: &TrimOptions,
    summarizer: Option<&dyn Summarize>,
    keeping: Keeping<'_>,
) -> Result<Trimmed, OriginalError> {
    let archive = keeping.archive;
    let handle = archive.handle(&archive.put(transcript.source())?)?;
    let options = TrimOptions { handle: Some(handle.clone()), ..options.clone() };
    let mut trimmed = trim_summarized(transcript, &options, summarizer)?;
    if trimmed.after < trimmed.before {
        let row = Cut {
            rule: options.strategy.name().to_owned(),
            before: trimmed.before.get(),
            after: trimmed.after.get(),
            handle,
            ..Cut::new(keeping.now, CutKind::Trim)
        };
        let added = CutLedger::open(archive.directory()).and_then(|ledger| ledger.add(&row));
        let remark = added.err().map(|error| Remark::new("ledger", error.to_string()));
        trimmed.remarks.extend(remark);
    }
    Ok(trimmed)
}
