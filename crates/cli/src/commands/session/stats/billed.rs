//! What was billed, beside what is counted.

use std::io::Write;

use loadline::budget::Pressure;
use loadline::session::{Billed, Compared};
use loadline::tokens::Tokens;

use crate::error::Result;
use crate::ui::{STRONG, Table, plural, thousands};

/// Writes growth and replies beside their bills, and what the next request would send.
pub(super) fn write(billed: &Billed, window: Tokens, out: &mut impl Write) -> Result<()> {
    let mut table = Table::headed(
        "lrrrrr",
        ["billed", "compared", "billed", "counted", "median error", "95 % within"],
    );
    let mut row = |name: &str, it: &Compared| {
        table.row([
            name.to_owned(),
            thousands(it.compared as u64),
            thousands(it.billed.get()),
            thousands(it.counted.get()),
            error(it.residual.median),
            error(it.residual.p95),
        ]);
    };
    billed.growth.iter().for_each(|it| row("growth", it));
    billed.replies.iter().for_each(|it| row("replies", it));
    writeln!(out)?;
    table.write(out)?;
    let requests = plural(billed.requests as u64, "request");
    let unseen = thousands(billed.unseen.get());
    writeln!(
        out,
        "{requests}; system prompt and tools, which the log does not show: ~{unseen} tokens."
    )?;
    let next = Pressure::new(billed.next, window)?;
    let (tokens, share) = (thousands(billed.next.get()), next.percent());
    Ok(writeln!(out, "{STRONG}Next request: ~{tokens} ({share}% of context){STRONG:#}")?)
}

fn error(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}
