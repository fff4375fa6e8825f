//! `loadline session score`: shows the scores of turns and their signals.

use loadline::session::{ScoreTurnOptions, TurnScore, score_turns};
use serde::Serialize;

use super::SourceArgs;
use crate::error::Result;
use crate::ui::{Table, Ui, thousands};

/// Show the score of each turn and the signals behind it.
///
/// A score is a sum of points between 0 and 100; `session trim --strategy priority`
/// ranks by it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline session score session.jsonl
  loadline session score --json session.jsonl | jq '.turns[] | select(.score >= 70)'")]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Number of last turns that score at least 85 [default: session.keep_last, or 5].
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Match parts of words, so that "address" counts as "add".
    #[arg(long)]
    parts_of_words: bool,
}

/// The document of `session score`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    turns: &'a [TurnScore],
}

/// Scores, and shows every turn.
pub(crate) fn run(args: &ScoreArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let options = ScoreTurnOptions {
        whole_words: !args.parts_of_words,
        keep_last: args
            .keep_last
            .or(session.config.settings().session.keep_last)
            .unwrap_or(ScoreTurnOptions::default().keep_last),
    };
    let scores = score_turns(&session.transcript, &session.counter, &options);
    if ui.wants_json() {
        let document = Document { counter: session.counter.name(), turns: &scores };
        return Ok(ui.json(&document)?);
    }
    let mut table = Table::headed("rllrrl", ["turn", "role", "kind", "tokens", "score", "signals"]);
    for score in &scores {
        let signals = score.signals.list().into_iter();
        let signals: Vec<String> = signals.map(|(name, it)| format!("{name} {it}")).collect();
        table.row([
            (score.turn + 1).to_string(),
            score.role.name().to_owned(),
            score.kind.name().to_owned(),
            thousands(score.tokens.get()),
            score.score.to_string(),
            signals.join(", "),
        ]);
    }
    Ok(table.write(ui.out())?)
}
