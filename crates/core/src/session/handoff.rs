//! Summarises a session for whoever continues it.
//!
//! By rule, without a model: the task as it was given, the latest requests, the
//! files that were changed, the last commands, one line for each turn that
//! mattered, and where the work stopped. Same session, same text.

use std::collections::{BTreeMap, HashSet};

use super::score::{ScoreTurnOptions, score_turns};
use super::summary::{SummaryTurn, lines_by_rule};
use super::tool::{ToolKind, headline};
use super::transcript::{Call, Content, Role, Transcript};
use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

/// Requests of the user that are repeated, the newest.
const REQUESTS: usize = 4;
/// Files and commands that are listed.
const LISTED: usize = 12;
/// Characters of a command or a path that is listed.
const WIDEST: usize = 160;

/// A part of a handoff.
struct Section {
    title: &'static str,
    body: String,
    /// The most that it may take of the budget, in percent.
    share: u64,
}

/// Writes what whoever continues the work must know, in at most `budget` tokens.
///
/// Sections that do not fit are shortened, the account of what was said first.
/// Under a budget of some 50 tokens hardly more than the heading is left.
///
/// ```
/// use loadline::session::{read_session, session_handoff};
/// use loadline::tokens::{Counter, Tokens};
/// let log = br#"[{"role":"user","content":"Fix the login page."},
///     {"role":"assistant","content":"The form posts to the wrong address."}]"#;
/// let session = read_session(log.to_vec(), None)?;
/// let text = session_handoff(&session, &"o200k".parse()?, Tokens::new(500));
/// assert!(text.contains("## Task\n\nFix the login page."));
/// assert!(text.contains("## Where it stopped\n\nThe form posts to the wrong address."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn session_handoff(transcript: &Transcript, counter: &Counter, budget: Tokens) -> String {
    let (edited, commands) = work_done(transcript);
    let sections = [
        section("Task", 30, first_request(transcript)),
        section("Latest requests", 15, latest_requests(transcript)),
        section("Files changed", 10, listed(&edited)),
        section("Last commands", 10, listed(&commands)),
        section("What was said", 100, what_was_said(transcript, counter)),
        section("Where it stopped", 25, last_words(transcript)),
    ];
    let head = head(transcript);
    let text = with_shares(&head, sections, counter, budget);
    cut(&text, budget, counter)
}

fn section(title: &'static str, share: u64, body: String) -> Section {
    Section { title, body, share }
}

fn head(transcript: &Transcript) -> String {
    let mut facts = vec![format!("format {}", transcript.format.name())];
    facts.extend(transcript.model.iter().map(|model| format!("model {model}")));
    facts.extend(transcript.directory.iter().cloned());
    facts.push(format!("{} turns", transcript.turns.len()));
    format!("# Handoff\n\n{}\n", facts.join(", "))
}

/// Cuts every section to its share; the account of what was said gets what is left.
fn with_shares(head: &str, sections: [Section; 6], counter: &Counter, budget: Tokens) -> String {
    let room = budget.saturating_sub(counter.count(head)).get();
    let mut written: Vec<(u64, String)> = Vec::new();
    let mut spent = 0;
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|&place| (sections[place].share, place));
    for place in order {
        let Section { title, body, share } = &sections[place];
        let most = (room / 100 * share).min(room.saturating_sub(spent));
        // The heading and the seams.
        let most = most.saturating_sub(10);
        let body = cut(body, Tokens::new(most), counter);
        if body.trim().is_empty() {
            continue;
        }
        let text = format!("\n## {title}\n\n{}\n", body.trim_end());
        spent += counter.count(&text).get();
        written.push((place as u64, text));
    }
    written.sort();
    let body: String = written.into_iter().map(|(_, text)| text).collect();
    format!("{head}{body}")
}

/// The first text of the user that is not what an agent put there itself.
fn first_request(transcript: &Transcript) -> String {
    let mut requests = requests(transcript);
    requests.next().map(str::to_owned).unwrap_or_default()
}

fn latest_requests(transcript: &Transcript) -> String {
    let all: Vec<&str> = requests(transcript).skip(1).collect();
    let newest = all.iter().skip(all.len().saturating_sub(REQUESTS));
    let lines: Vec<String> =
        newest.map(|text| format!("- {}", one_line(text, 4 * WIDEST))).collect();
    lines.join("\n")
}

/// What the user said, in order; what begins with a tag was put there by the agent.
fn requests(transcript: &Transcript) -> impl Iterator<Item = &str> {
    let turns = transcript.turns.iter();
    let turns = turns.filter(|turn| turn.role == Role::User);
    turns
        .flat_map(|turn| turn.texts())
        .map(str::trim)
        .filter(|text| !text.is_empty() && !text.starts_with('<'))
}

/// The files that were changed, and the last commands, failures marked.
fn work_done(transcript: &Transcript) -> (Vec<String>, Vec<String>) {
    let failed = failures(transcript);
    let mut edited: BTreeMap<String, usize> = BTreeMap::new();
    let mut commands = Vec::new();
    for call in transcript.turns.iter().flat_map(|turn| turn.calls()) {
        let (kind, path) = ToolKind::of(&call.name, &call.arguments);
        match (kind, path) {
            (ToolKind::Edit | ToolKind::Write, Some(path)) => *edited.entry(path).or_default() += 1,
            (ToolKind::Command, path) => commands.push(command(call, path, &failed)),
            _ => {}
        }
    }
    let mut edited: Vec<(String, usize)> = edited.into_iter().collect();
    edited.sort_by(|(a, often), (b, other)| other.cmp(often).then_with(|| a.cmp(b)));
    let edited = edited.into_iter().map(|(path, times)| match times {
        1 => path,
        times => format!("{path} ({times} times)"),
    });
    let skipped = commands.len().saturating_sub(LISTED);
    (edited.collect(), commands.split_off(skipped))
}

fn command(call: &Call, path: Option<String>, failed: &HashSet<&str>) -> String {
    let line = headline(&call.arguments, path.as_deref());
    let line = one_line(&line, WIDEST);
    if failed.contains(call.id.as_str()) { format!("{line} (failed)") } else { line }
}

/// The calls that failed.
fn failures(transcript: &Transcript) -> HashSet<&str> {
    let blocks = transcript.turns.iter().flat_map(|turn| &turn.blocks);
    let failed = blocks.filter_map(|block| match &block.content {
        Content::Result(result) if result.is_error => Some(result.call.as_str()),
        _ => None,
    });
    failed.collect()
}

fn listed(lines: &[String]) -> String {
    let shown: Vec<String> = lines.iter().take(LISTED).map(|line| format!("- {line}")).collect();
    let more = lines.len().saturating_sub(LISTED);
    match more {
        0 => shown.join("\n"),
        more => format!("{}\n- and {more} more", shown.join("\n")),
    }
}

fn what_was_said(transcript: &Transcript, counter: &Counter) -> String {
    let scores = score_turns(transcript, counter, &ScoreTurnOptions::default());
    let turns: Vec<SummaryTurn> = scores
        .into_iter()
        .filter(|score| !score.preview.trim_start().starts_with('<'))
        .map(|score| SummaryTurn {
            turn: score.turn,
            role: score.role,
            text: score.preview,
            score: score.score,
        })
        .collect();
    let lines: Vec<String> = lines_by_rule(&turns).into_iter().map(|line| line.text).collect();
    lines.join("\n")
}

fn last_words(transcript: &Transcript) -> String {
    let turns = transcript.turns.iter().rev();
    let mut turns = turns.filter(|turn| turn.role == Role::Assistant);
    let texts = turns.find_map(|turn| {
        let texts: Vec<&str> = turn.texts().map(str::trim).collect();
        let text = texts.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    });
    texts.unwrap_or_default()
}

fn one_line(text: &str, widest: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(widest) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Cuts a text so that it costs at most `most`: between lines if it can.
fn cut(text: &str, most: Tokens, counter: &Counter) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let short = |end: usize| {
        let whole = &text[..end];
        let line = whole.rfind('\n').filter(|line| *line > whole.len() / 2);
        match line {
            Some(line) => format!("{}\n…", whole[..line].trim_end()),
            None => format!("{whole}…"),
        }
    };
    let fitted = fit_prefix(ends.len(), most, counter, |taken| match ends.get(taken) {
        None => text.to_owned(),
        Some(0) => String::new(),
        Some(&end) => short(end),
    });
    fitted.map_or_else(String::new, |it| it.text.trim_start().to_owned())
}
