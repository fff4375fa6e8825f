//! `loadline session compress`: a session with shorter results.

use loadline::session::{
    CompressOptions, Compressed, ResultSize, SessionFormat, Thinking, compress_session,
    convert_session,
};
use loadline::tokens::Tokens;
use regex::Regex;
use serde::Serialize;

use super::SourceArgs;
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::{Ui, plural, thousands};

/// Shorten long tool results and old arguments; what was cut can be recalled.
///
/// The last turns stay as they are. Longer results of older ones are cut the way
/// their tool asks for; in a session above 100 KB what is long ago is cut harder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline session compress session.jsonl > short.jsonl
  loadline session compress --json session.jsonl    what would be cut, and how")]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Tokens above which a result is cut; session.tool_result_limit otherwise.
    #[arg(long, value_name = "TOKENS")]
    limit: Option<Tokens>,
    /// Turns at the end that stay as they are.
    #[arg(long, value_name = "N", default_value = "4")]
    keep_last: usize,
    /// Drop the thoughts of the last answer too.
    #[arg(long, conflicts_with = "keep_thinking")]
    drop_thinking: bool,
    /// Keep all thoughts.
    #[arg(long)]
    keep_thinking: bool,
    /// Keep lines that match this pattern.
    #[arg(long, value_name = "REGEX")]
    preserve: Vec<Regex>,
    /// Write this format instead of the session's own.
    #[arg(long, value_name = "FORMAT")]
    to: Option<SessionFormat>,
}

#[derive(Serialize)]
struct Document<'a> {
    counter: &'a str,
    before: u64,
    after: u64,
    handle: Option<&'a str>,
    pieces: Vec<PieceJson<'a>>,
}

#[derive(Serialize)]
struct PieceJson<'a> {
    turn: usize,
    block: usize,
    tool: Option<&'a str>,
    strategy: &'a str,
    before: u64,
    after: u64,
}

/// Compresses, archives the original, and writes what is left.
pub(crate) fn run(
    args: &CompressArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let session = args.source.open(global, ui)?;
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
        return Ok(ui.json(&document(&compressed, counter, handle))?);
    }
    let format = args.to.unwrap_or(transcript.format);
    let bytes = convert_session(transcript, &compressed.draft, format)?;
    ui.raw(&bytes)?;
    ui.say(&format!(
        "{} of {} tokens left by {counter}; {} cut",
        thousands(compressed.after.get()),
        thousands(compressed.before.get()),
        plural(compressed.pieces.len() as u64, "block"),
    ));
    Ok(())
}

fn document<'a>(
    compressed: &'a Compressed,
    counter: &'a str,
    handle: Option<&'a str>,
) -> Document<'a> {
    let pieces = compressed.pieces.iter().map(|piece| PieceJson {
        turn: piece.turn + 1,
        block: piece.block + 1,
        tool: piece.tool.as_deref(),
        strategy: piece.strategy.name(),
        before: piece.before.get(),
        after: piece.after.get(),
    });
    Document {
        counter,
        before: compressed.before.get(),
        after: compressed.after.get(),
        handle,
        pieces: pieces.collect(),
    }
}
