//! Shows the last pack to a person.

use std::io::{self, Write};

use loadline::cache::CacheStats;
use loadline::pack::{PackSummary, SourceKind, SummaryFile, Tier};

use super::json::packed_at;
use super::{ReportArgs, ShowArgs, by_reason, by_tokens};
use crate::ui::{FAINT, STRONG, Table, escape_control, percent, plural, thousands};

/// Totals, tiers and the largest files.
pub(super) fn show(summary: &PackSummary, args: &ShowArgs, out: &mut impl Write) -> io::Result<()> {
    totals(summary, out)?;
    if !summary.chunks.is_empty() {
        return sources(summary, args.limit, out);
    }
    tiers(summary, out)?;
    let files = by_tokens(summary);
    if !files.is_empty() {
        writeln!(out, "\n{STRONG}largest files{STRONG:#}")?;
    }
    for (number, file) in files.iter().take(args.limit).enumerate() {
        writeln!(out, "{}. {}", number + 1, escape_control(&line(file)))?;
    }
    more(out, files.len(), args.limit)?;
    if args.excluded {
        writeln!(out, "\n{STRONG}left out{STRONG:#}")?;
        for file in summary.omitted.iter().take(args.limit) {
            let line = format!("{}: {}", file.path, file.reason);
            writeln!(out, "{}", escape_control(&line))?;
        }
        more(out, summary.omitted.len(), args.limit)?;
    }
    Ok(())
}

/// Totals, tiers, the cache, the reasons and the duplicates.
pub(super) fn report(
    summary: &PackSummary,
    args: &ReportArgs,
    out: &mut impl Write,
) -> io::Result<()> {
    totals(summary, out)?;
    tiers(summary, out)?;
    let cache = CacheStats { hits: summary.cache_hits, misses: summary.cache_misses };
    let (hits, misses) = (thousands(cache.hits), thousands(cache.misses));
    let share = percent(cache.hits, cache.hits + cache.misses);
    writeln!(out, "\ncache: {hits} hits, {misses} misses ({share} known)")?;
    selection(summary, args.limit, out)?;
    let saved: u64 = summary.duplicates().filter_map(|(file, _)| Some(file.tokens?.get())).sum();
    let count = plural(summary.duplicates().count() as u64, "duplicate");
    writeln!(out, "\n{count}, {} saved", plural(saved, "token"))?;
    for (file, of) in summary.duplicates().take(args.limit) {
        let line = format!("{} = {of}", file.path);
        writeln!(out, "  {}", escape_control(&line))?;
    }
    more(out, summary.duplicates().count(), args.limit)
}

/// What each kind of source took, and the chunks.
fn sources(summary: &PackSummary, limit: usize, out: &mut impl Write) -> io::Result<()> {
    let mut table = Table::headed("lrrr", ["source", "chunks", "tokens", "share"]);
    for kind in SourceKind::ALL {
        let chunks = summary.chunks.iter().filter(|chunk| chunk.kind == kind);
        let tokens: u64 = chunks.clone().map(|chunk| chunk.tokens).sum();
        let count = chunks.count() as u64;
        if count > 0 {
            let name = kind.share().replace('_', " ");
            let share = percent(tokens, summary.tokens);
            table.row([name, thousands(count), thousands(tokens), share]);
        }
    }
    table.write(out)?;
    writeln!(out, "\n{STRONG}chunks{STRONG:#}")?;
    for (number, chunk) in summary.chunks.iter().take(limit).enumerate() {
        let (first, last) = chunk.lines;
        let tokens = thousands(chunk.tokens);
        let line =
            format!("{}:{first}-{last} ({tokens} tokens) [{}]", chunk.path, chunk.kind.mark());
        writeln!(out, "{}. {}", number + 1, escape_control(&line))?;
    }
    more(out, summary.chunks.len(), limit)
}

fn totals(summary: &PackSummary, out: &mut impl Write) -> io::Result<()> {
    let tokens = thousands(summary.tokens);
    let used = match summary.budget {
        Some(budget) => format!(
            "{tokens} of {} tokens ({})",
            thousands(budget),
            percent(summary.tokens, budget)
        ),
        None => format!("{tokens} tokens"),
    };
    let when = packed_at(summary).map(|time| format!(", {time}"));
    writeln!(
        out,
        "{}: {used} by {}{}\n",
        escape_control(&summary.root),
        summary.counter,
        when.unwrap_or_default()
    )
}

fn tiers(summary: &PackSummary, out: &mut impl Write) -> io::Result<()> {
    let mut table = Table::headed("lrrr", ["tier", "files", "tokens", "share"]);
    for tier in [Tier::Full, Tier::Chunks, Tier::Sections, Tier::Signatures] {
        if tier == Tier::Chunks && summary.in_tier(tier).0 == 0 {
            continue;
        }
        let (files, tokens) = summary.in_tier(tier);
        table.row([
            tier.name().to_owned(),
            thousands(files as u64),
            thousands(tokens),
            percent(tokens, summary.tokens),
        ]);
    }
    let omitted = thousands(summary.omitted.len() as u64);
    table.row(["omitted".to_owned(), omitted, String::new(), String::new()]);
    table.write(out)
}

/// Why files are not there, or not in full.
fn selection(summary: &PackSummary, limit: usize, out: &mut impl Write) -> io::Result<()> {
    let mut reasons = std::collections::BTreeMap::<&str, Vec<&str>>::new();
    for file in &summary.files {
        if let Some(because) = &file.because {
            reasons.entry(because.name()).or_default().push(&file.path);
        }
    }
    for (reason, paths) in reasons {
        list(out, &format!("shown in sections, {reason}"), &paths, limit)?;
    }
    for (reason, files) in by_reason(summary) {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        list(out, &format!("left out, {reason}"), &paths, limit)?;
    }
    Ok(())
}

fn list(out: &mut impl Write, what: &str, paths: &[&str], limit: usize) -> io::Result<()> {
    let count = plural(paths.len() as u64, "file");
    writeln!(out, "\n{}: {count}", escape_control(what))?;
    for path in paths.iter().take(limit) {
        writeln!(out, "  {}", escape_control(path))?;
    }
    more(out, paths.len(), limit)
}

fn more(out: &mut impl Write, all: usize, limit: usize) -> io::Result<()> {
    match all.saturating_sub(limit) {
        0 => Ok(()),
        rest => writeln!(out, "{FAINT}  ... and {} more{FAINT:#}", thousands(rest as u64)),
    }
}

/// `src/a.rs:1-40 (312 tokens) [full]`.
fn line(file: &SummaryFile) -> String {
    let ranges = file.ranges.iter();
    let ranges: Vec<String> = ranges.map(|(first, last)| format!("{first}-{last}")).collect();
    let ranges = if ranges.is_empty() { String::new() } else { format!(":{}", ranges.join(",")) };
    let tokens = plural(file.tokens, "token");
    format!("{}{ranges} ({tokens}) [{}]", file.path, file.tier)
}
