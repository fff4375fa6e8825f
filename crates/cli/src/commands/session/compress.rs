//! `loadline session compress`: a session with shorter results.

use loadline::session::{
    CompressOptions, CompressedPiece, ResultSize, SessionFormat, Thinking, compress_session,
    conversion_losses, convert_session,
};
use loadline::tokens::Tokens;
use regex::Regex;
use serde::Serialize;

use super::SourceArgs;
use crate::error::Result;
use crate::ui::{Ui, plural, thousands};

/// Shorten long tool results and old arguments; cut content can be recalled.
///
/// The last turns stay unchanged. Long results of earlier turns are shortened by rules
/// for each tool; in sessions above 100 KB, old turns are shortened further.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline session compress session.jsonl > short.jsonl
  loadline session compress --json session.jsonl    what would be cut, and how")]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Shorten results above this many tokens [default: session.tool_result_limit].
    #[arg(long, value_name = "TOKENS")]
    limit: Option<Tokens>,
    /// Number of last turns to keep unchanged.
    #[arg(long, value_name = "N", default_value = "4")]
    keep_last: usize,
    /// Drop all thinking, including that of the last answer.
    #[arg(long, conflicts_with = "keep_thinking")]
    drop_thinking: bool,
    /// Keep all thinking.
    #[arg(long)]
    keep_thinking: bool,
    /// Keep lines that match REGEX; may be repeated.
    #[arg(long, value_name = "REGEX")]
    preserve: Vec<Regex>,
    /// Output format [default: the session's].
    #[arg(long, value_name = "FORMAT")]
    to: Option<SessionFormat>,
}

/// The document of `session compress`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    before: Tokens,
    after: Tokens,
    handle: Option<&'a str>,
    pieces: &'a [CompressedPiece],
}

/// Compresses, archives the original, and writes what is left.
pub(crate) fn run(args: &CompressArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let transcript = &session.transcript;
    let handle = session.archive()?;
    let usual = session.config.settings().session.tool_result_limit;
    let mut options = CompressOptions::new(session.counter.clone());
    options.limits.most = ResultSize::Tokens(args.limit.unwrap_or(usual));
    options.keep_last = args.keep_last;
    options.preserve = args.preserve.clone();
    options.handle = handle;
    options.thinking = match (args.drop_thinking, args.keep_thinking) {
        (true, _) => Thinking::Drop,
        (false, true) => Thinking::Keep,
        (false, false) => Thinking::KeepLast,
    };
    let compressed = compress_session(transcript, &options);
    let (counter, handle) = (session.counter.name(), options.handle.as_deref());
    if ui.wants_json() {
        return Ok(ui.json(&Document {
            counter,
            before: compressed.before,
            after: compressed.after,
            handle,
            pieces: &compressed.pieces,
        })?);
    }
    let format = args.to.unwrap_or(transcript.format);
    let bytes = convert_session(transcript, &compressed.draft, format)?;
    if format != transcript.format {
        ui.remarks(conversion_losses(transcript, &compressed.draft, &bytes, format));
    }
    ui.raw(&bytes)?;
    ui.say(&format!(
        "{} of {} tokens left by {counter}; {} cut",
        thousands(compressed.after.get()),
        thousands(compressed.before.get()),
        plural(compressed.pieces.len() as u64, "block"),
    ));
    Ok(())
}
