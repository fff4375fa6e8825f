//! Reads sessions of agents, measures them and makes them smaller.
//!
//! ```text
//! read -> units -> value -> fit -> write -> check
//! ```
//!
//! [`read_session`] reads what any agent wrote into a [`Transcript`]; everything
//! else works on that. Whatever changes a session makes a [`Draft`], which
//! [`write_session`] writes in the format that it was read from.

mod compress;
mod cost;
mod draft;
mod error;
mod fill;
mod format;
mod handoff;
mod ingest;
mod marker;
mod mentions;
mod pins;
mod recall;
mod score;
mod stats;
mod summary;
mod tool;
mod transcript;
mod trim;
mod units;

pub use compress::{
    CompressOptions, Compressed, CompressedPiece, CompressedText, ResultLimits, ResultSize,
    ResultStrategy, Thinking, ToolUse, compress_session,
};
pub use cost::{BLOCK_TOKENS, IMAGE_TOKENS, block_tokens, turn_tokens, turns_tokens};
pub use draft::{Change, Draft, DraftBlock, DraftTurn};
pub use error::{OriginalError, SessionError};
pub use fill::WindowFill;
use format::rounds;
pub use format::{SessionFormat, Violation};
pub use handoff::session_handoff;
pub use ingest::{IngestOptions, IngestRule, ingest_result, tool_kind_name};
pub use pins::pinned_text;
pub use recall::{
    LineRange, NoRange, RecallTarget, recall, recall_handles, recall_turns, restore_session,
};
pub use score::{ScoreTurnOptions, TurnKind, TurnScore, TurnSignals, score_turns};
pub use stats::{
    Amounts, Billed, BlockKind, Compared, FileUse, LargeBlock, SessionStats, ToolTotals,
    session_stats,
};
pub use summary::{Summarize, SummaryTurn};
pub use transcript::{Block, Call, CallResult, Content, Images, Role, Transcript, Turn, Usage};
pub use trim::{
    Keeping, TrimDue, TrimDueOptions, TrimOptions, TrimStrategy, Trimmed, TurnFate, trim,
    trim_archived, trim_due, trim_excerpt, trim_summarized,
};

use serde_json::Value;

use crate::Remark;

/// Reads a session; its format is found by content unless it is given.
///
/// ```
/// use loadline::session::{Role, read_session};
/// let session = read_session(br#"[{"role":"user","content":"hello"}]"#.to_vec(), None)?;
/// assert_eq!(session.format.name(), "anthropic");
/// assert_eq!(session.turns[0].role, Role::User);
/// # Ok::<(), loadline::session::SessionError>(())
/// ```
pub fn read_session(
    source: Vec<u8>,
    format: Option<SessionFormat>,
) -> Result<Transcript, SessionError> {
    let format = match format {
        Some(format) => format,
        None => SessionFormat::detect(&source)?,
    };
    let mut transcript = Transcript::empty(format);
    format.codec().read(&source, &mut transcript)?;
    let last = || transcript.turns.iter().rev().find_map(|turn| turn.model.clone());
    transcript.model = transcript.model.take().or_else(last);
    transcript.source = source;
    Ok(transcript)
}

/// Writes a draft of a session in the session's own format.
///
/// A draft that changes nothing gives the session back byte for byte. What is written is
/// read again and checked: it breaks no rule that the session kept before.
pub fn write_session(transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
    if draft.is_whole(transcript) {
        return Ok(transcript.source().to_vec());
    }
    let written = transcript.format.codec().write(transcript, draft)?;
    checked(written, transcript.format, || check_session(transcript))
}

/// Writes a draft of a session in another format. What that cannot say is left out;
/// [`conversion_losses`] lists it.
///
/// What is written is checked as by [`write_session`].
pub fn convert_session(
    transcript: &Transcript,
    draft: &Draft,
    to: SessionFormat,
) -> Result<Vec<u8>, SessionError> {
    if to == transcript.format {
        return write_session(transcript, draft);
    }
    let turns = rounds(&draft.turns(transcript));
    let written = to.codec().build(&turns, transcript);
    checked(written, to, || check_session(&Transcript { turns, ..Transcript::empty(to) }))
}

/// Lists what a session in another format does not hold any more.
///
/// `written` is what [`convert_session`] wrote.
pub fn conversion_losses(
    transcript: &Transcript,
    draft: &Draft,
    written: &[u8],
    to: SessionFormat,
) -> Vec<Remark> {
    let turns = draft.turns(transcript);
    let left = read_session(written.to_vec(), Some(to)).map(|it| it.turns).unwrap_or_default();
    let (before, after) = (Kinds::of(&turns), Kinds::of(&left));
    let lost = |what: &str, before: usize, after: usize| {
        let lost = before.saturating_sub(after);
        let message = format!("{lost} of {before} {what} left out: {to} has no place for them");
        (lost > 0).then(|| Remark::new("convert", message))
    };
    let blocks = turns.iter().flat_map(|turn| &turn.blocks);
    let odd = blocks.filter(|block| is_odd(transcript.raw(block))).count();
    let odd = (odd > 0).then(|| {
        let what = "with half characters, endless numbers or deep nesting";
        Remark::new("convert", format!("{odd} blocks {what}: those are replaced"))
    });
    let lost = [
        lost("thoughts", before.thoughts, after.thoughts),
        lost("pictures", before.images, after.images),
        lost("instructions of the system", before.system, after.system),
        lost("blocks of unknown types", before.others, after.others),
        odd,
    ];
    lost.into_iter().flatten().collect()
}

/// Tells whether the JSON of a block is more than a parser takes.
fn is_odd(raw: &str) -> bool {
    !raw.is_empty() && serde_json::from_str::<Value>(raw).is_err()
}

/// How many blocks there are of the kinds that not every format has.
#[derive(Default)]
struct Kinds {
    thoughts: usize,
    images: usize,
    system: usize,
    others: usize,
}

impl Kinds {
    fn of(turns: &[Turn]) -> Kinds {
        let system = usize::from(turns.iter().any(|turn| turn.role == Role::System));
        let mut kinds = Kinds { system, ..Kinds::default() };
        for block in turns.iter().flat_map(|turn| &turn.blocks) {
            match &block.content {
                Content::Thinking(_) => kinds.thoughts += 1,
                Content::Image(_) => kinds.images += 1,
                Content::Result(result) => kinds.images += result.images.count,
                Content::Other(_) => kinds.others += 1,
                Content::Text(_) | Content::Call(_) => {}
            }
        }
        kinds
    }
}

/// Refuses a session that breaks a rule which was not broken before.
fn checked(
    written: Vec<u8>,
    format: SessionFormat,
    before: impl FnOnce() -> Vec<Violation>,
) -> Result<Vec<u8>, SessionError> {
    let transcript = read_session(written, Some(format))?;
    let mut found = check_session(&transcript);
    if !found.is_empty() {
        let before = before();
        found.retain(|it| !before.iter().any(|known| known.rule == it.rule));
    }
    match found.into_iter().next() {
        Some(violation) => Err(SessionError::Invalid { format, violation }),
        None => Ok(transcript.source),
    }
}

/// Writes the messages of one provider in the shape of another, if they can be read.
pub fn convert_messages(
    messages: &[Value],
    from: SessionFormat,
    to: SessionFormat,
) -> Option<Vec<Value>> {
    let source = serde_json::to_vec(messages).ok()?;
    let transcript = read_session(source, Some(from)).ok()?;
    let bytes = convert_session(&transcript, &Draft::whole(&transcript), to).ok()?;
    match serde_json::from_slice(&bytes).ok()? {
        Value::Array(messages) => Some(messages),
        Value::Object(mut body) => match body.remove("messages")? {
            Value::Array(messages) => Some(messages),
            _ => None,
        },
        _ => None,
    }
}

/// Lists what a provider or agent would refuse about a session.
pub fn check_session(transcript: &Transcript) -> Vec<Violation> {
    transcript.format.codec().check(transcript)
}
