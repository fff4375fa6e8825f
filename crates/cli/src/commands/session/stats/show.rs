//! What a session holds, as tables and a chart.

use std::io::Write;

use jiff::Timestamp;
use loadline::budget::Pressure;
use loadline::session::{Billed, Compared, SessionStats};
use loadline::tokens::Tokens;

use super::Session;
use crate::error::Result;
use crate::ui::{
    Chart, FAINT, STRONG, Table, bar, percent, plural, shortened, shortened_path, thousands,
};

/// What is shown, and how.
pub(super) struct Show<'a> {
    pub(super) session: &'a Session,
    pub(super) stats: &'a SessionStats,
    pub(super) window: Tokens,
    /// Rows of a list.
    pub(super) limit: usize,
    /// Columns of the screen.
    pub(super) width: usize,
}

impl Show<'_> {
    /// Writes everything that there is something to say about.
    pub(super) fn write(&self, out: &mut impl Write) -> Result<()> {
        self.head(out)?;
        self.chart(out)?;
        self.kinds(out)?;
        self.tools(out)?;
        self.files(out)?;
        self.largest(out)?;
        if let Some(billed) = &self.stats.billed {
            write_billed(billed, self.window, out)?;
        }
        self.lines(out)
    }

    fn head(&self, out: &mut impl Write) -> Result<()> {
        let (stats, transcript) = (self.stats, &self.session.transcript);
        let pressure = Pressure::new(stats.tokens, self.window)?;
        let (tokens, share) = (thousands(stats.tokens.get()), pressure.percent());
        writeln!(out, "{STRONG}Session tokens: ~{tokens} ({share}% of context){STRONG:#}")?;
        let turns = plural(transcript.turns.len() as u64, "turn");
        let mut facts = vec![
            transcript.format.name().to_owned(),
            self.session.model.name.clone(),
            format!("window {}", thousands(self.window.get())),
            format!("counted by {}", self.session.counter.name()),
            format!("{turns}, {} of the user", stats.user_turns),
        ];
        facts.extend(stats.span.map(|(first, last)| lasted(first, last)));
        Ok(writeln!(out, "{FAINT}{}{FAINT:#}", facts.join(" · "))?)
    }

    /// How the window filled.
    fn chart(&self, out: &mut impl Write) -> Result<()> {
        let steps = self.stats.filled().iter();
        let steps: Vec<u64> = steps.map(|tokens| tokens.get()).collect();
        writeln!(out)?;
        let chart =
            Chart { steps: &steps, window: self.window.get(), width: self.width, noun: "turn" };
        Ok(chart.write(out)?)
    }

    fn kinds(&self, out: &mut impl Write) -> Result<()> {
        let whole = self.stats.tokens.get();
        let mut table = Table::new("lrrrl");
        let row = |name: &str, blocks: usize, tokens: Tokens| {
            let share = percent(tokens.get(), whole);
            [
                name.to_owned(),
                thousands(blocks as u64),
                thousands(tokens.get()),
                share,
                bar(tokens.get(), whole),
            ]
        };
        table.head(["role", "blocks", "tokens", "share", ""]);
        for (role, amounts) in &self.stats.roles {
            table.row(row(role.name(), amounts.blocks, amounts.tokens));
        }
        table.row([const { String::new() }; 5]);
        table.head(["kind", "blocks", "tokens", "share", ""]);
        for (kind, amounts) in &self.stats.kinds {
            table.row(row(kind.name(), amounts.blocks, amounts.tokens));
        }
        writeln!(out)?;
        Ok(table.write(out)?)
    }

    fn tools(&self, out: &mut impl Write) -> Result<()> {
        if self.stats.tools.is_empty() {
            return Ok(());
        }
        let whole = self.stats.tokens.get();
        let mut table =
            Table::headed("lrrrrr", ["tool", "calls", "failed", "tokens in", "out", "share"]);
        for tool in self.stats.tools.iter().take(self.limit) {
            let (call, result) = (tool.call_tokens.get(), tool.result_tokens.get());
            let name = if tool.name.is_empty() { "(unknown)" } else { &tool.name };
            table.row([
                shortened(name, self.width / 2),
                thousands(tool.calls as u64),
                if tool.errors == 0 { String::new() } else { thousands(tool.errors as u64) },
                thousands(call),
                thousands(result),
                percent(call.saturating_add(result), whole),
            ]);
        }
        writeln!(out)?;
        table.write(out)?;
        self.more(self.stats.tools.len(), "more tool", out)
    }

    fn files(&self, out: &mut impl Write) -> Result<()> {
        let files = &self.stats.files;
        if files.is_empty() {
            return Ok(());
        }
        let mut table = Table::headed("rrrl", ["tokens", "repeated", "reads", "file"]);
        for file in files.iter().take(self.limit) {
            let repeated = file.repeated.get();
            table.row([
                thousands(file.tokens.get()),
                if repeated == 0 { String::new() } else { thousands(repeated) },
                thousands(file.reads as u64),
                shortened_path(&file.path, self.width.saturating_sub(26)),
            ]);
        }
        writeln!(out)?;
        table.write(out)?;
        self.more(files.len(), "more file", out)?;
        let repeated = self.stats.repeated().get();
        if repeated > 0 {
            let (cost, share) =
                (plural(repeated, "token"), percent(repeated, self.stats.tokens.get()));
            writeln!(out, "Reading the same lines again cost {cost}, {share}.")?;
        }
        Ok(())
    }

    fn largest(&self, out: &mut impl Write) -> Result<()> {
        let mut table = Table::headed("rrll", ["tokens", "turn", "largest blocks", ""]);
        for block in self.stats.largest.iter().take(self.limit) {
            let kind = match &block.tool {
                Some(tool) => format!("{}, {tool}", block.kind.name()),
                None => block.kind.name().to_owned(),
            };
            table.row([
                thousands(block.tokens.get()),
                thousands(block.turn as u64),
                shortened(&kind, 24),
                about(&block.about, self.width.saturating_sub(44)),
            ]);
        }
        writeln!(out)?;
        Ok(table.write(out)?)
    }

    /// What else stands in the file.
    fn lines(&self, out: &mut impl Write) -> Result<()> {
        let transcript = &self.session.transcript;
        let others = &transcript.passed_over;
        if !others.is_empty() {
            let lines = plural(others.values().sum::<usize>() as u64, "line");
            let types = plural(others.len() as u64, "type");
            writeln!(
                out,
                "{FAINT}{lines} of {types} are not sent to the model; --json lists them.{FAINT:#}"
            )?;
        }
        if !transcript.unknown.is_empty() {
            let unknown = transcript.unknown.iter();
            let unknown = unknown.map(|(name, count)| format!("{name} {count}"));
            let unknown = unknown.collect::<Vec<_>>().join(", ");
            writeln!(out, "Of unknown types: {unknown}")?;
        }
        Ok(())
    }

    fn more(&self, count: usize, noun: &str, out: &mut impl Write) -> Result<()> {
        if count > self.limit {
            let rest = plural((count - self.limit) as u64, noun);
            writeln!(out, "{FAINT}... and {rest}{FAINT:#}")?;
        }
        Ok(())
    }
}

/// Writes growth and replies beside their bills, and what the next request would send.
fn write_billed(billed: &Billed, window: Tokens, out: &mut impl Write) -> Result<()> {
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
            part_words(it.residual.median),
            part_words(it.residual.p95),
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

fn part_words(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// Shortens a path from its beginning, anything else from its end.
fn about(text: &str, width: usize) -> String {
    if text.contains('/') && !text.contains(' ') {
        shortened_path(text, width)
    } else {
        shortened(text, width)
    }
}

/// Writes how long a session lasted, in its two largest units.
fn lasted(first: Timestamp, last: Timestamp) -> String {
    let seconds = last.as_second().saturating_sub(first.as_second()).max(0);
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let largest = units.iter().position(|(unit, _)| seconds >= *unit).unwrap_or(3);
    let mut left = seconds;
    let parts = units.iter().skip(largest).take(2).map(|(unit, name)| {
        let amount = left / unit;
        left %= unit;
        format!("{amount} {name}")
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_two_units() {
        let zero = Timestamp::UNIX_EPOCH;
        for (seconds, text) in
            [(0, "0 s"), (61, "1 min 1 s"), (8_040, "2 h 14 min"), (200_000, "2 d 7 h")]
        {
            let end = Timestamp::from_second(seconds).unwrap();
            assert_eq!(lasted(zero, end), text);
        }
    }
}
