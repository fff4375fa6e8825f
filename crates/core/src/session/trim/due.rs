//! Tells when a session is long enough to trim, by its lines.
//!
//! For programs that do not count tokens between turns.

use crate::session::score::brings_only_results;
use crate::session::transcript::{Role, Transcript};

/// When a session has become too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrimDueOptions {
    /// Lines that a session may have.
    pub max_lines: usize,
    /// Messages of the user that stay, with everything that answered them.
    pub keep_pairs: usize,
    /// The fewest older turns that are worth trimming.
    pub least_old: usize,
}

impl Default for TrimDueOptions {
    fn default() -> TrimDueOptions {
        TrimDueOptions { max_lines: 200, keep_pairs: 10, least_old: 3 }
    }
}

/// A session that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrimDue {
    /// The lines that it has.
    pub lines: usize,
    /// The turn from which on it stays, from 0.
    pub keep_from: usize,
    /// The turns before that.
    pub old_turns: usize,
}

/// Tells whether a session has more lines than it may, and enough older turns to gain by it.
///
/// Of a session that is one document every turn is a line.
///
/// ```
/// use loadline::session::{TrimDueOptions, read_session, trim_due};
/// let session = read_session(br#"[{"role":"user","content":"hello"}]"#.to_vec(), None)?;
/// assert_eq!(trim_due(&session, &TrimDueOptions::default()), None);
/// # Ok::<(), loadline::session::SessionError>(())
/// ```
pub fn trim_due(transcript: &Transcript, options: &TrimDueOptions) -> Option<TrimDue> {
    let lines = lines(transcript);
    let turns = transcript.turns.iter().enumerate();
    let spoken = turns.filter(|(_, turn)| turn.role == Role::User && !brings_only_results(turn));
    let begins: Vec<usize> = spoken.map(|(number, _)| number).collect();
    let first = begins.len().checked_sub(options.keep_pairs)?;
    let keep_from = begins.get(first).copied().unwrap_or(transcript.turns.len());
    let older = &transcript.turns[..keep_from];
    let old_turns = older.iter().filter(|turn| turn.role != Role::System).count();
    let is_due = lines > options.max_lines && old_turns >= options.least_old;
    is_due.then_some(TrimDue { lines, keep_from, old_turns })
}

fn lines(transcript: &Transcript) -> usize {
    let lines = transcript.source().split(|byte| *byte == b'\n');
    let is_record = |line: &&[u8]| line.len() > 1 && line.starts_with(b"{") && line.ends_with(b"}");
    let records = lines.filter(is_record).count();
    if records > 1 { records } else { transcript.turns.len() }
}
