//! What is fuzzed: everything that reads what somebody else wrote.
//!
//! A target takes any bytes and must come back: no panic, no hang, no budget exceeded. `cargo
//! fuzz` and the runner in `main.rs` run the same functions. The first two bytes of an input
//! choose among formats, languages and budgets, so that one target covers them all.

use jiff::Timestamp;
use loadline::agents::Agent;
use loadline::budget::Allocation;
use loadline::notes::{NotesOptions, compact_notes, read_notes};
use loadline::pack::{
    Cancel, Format, PackSource, SourceKind, SourceOptions, pack_sources, read_sources,
};
use loadline::session::{
    CompressOptions, Draft, IngestOptions, SessionFormat, ToolUse, TrimOptions, TrimStrategy,
    compress_session, convert_session, ingest_result, read_session, session_stats, trim,
};
use loadline::settings::{Config, Layer, import_config, parse_duration, parse_size};
use loadline::syntax::{languages, outline as outline_of, render_fallback, without_comments};
use loadline::text::{ChunkOptions, ChunkSource, chunk as chunk_text, chunk_outline};
use loadline::tokens::{Counter, Tokens};

/// A function that must come back from any bytes.
pub type Target = fn(&[u8]);

/// The targets by name, with how many of 1,000 inputs are theirs: each gets about as much time.
pub const TARGETS: [(&str, usize, Target); 8] = [
    ("counters", 200, counters),
    ("outline", 8, outline),
    ("chunk", 10, chunk),
    ("sessions", 400, sessions),
    ("pack", 10, pack),
    ("notes", 15, notes),
    ("settings", 20, settings),
    ("hooks", 337, hooks),
];

const COUNTERS: [&str; 7] =
    ["o200k", "cl100k", "claude-3", "claude-4.7", "claude-4.8", "heuristic", "heuristic-code"];

/// Makes seeds that no file holds: the start of a session in every format, an event of every agent.
pub fn seeds(log: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let rows: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').take(14).collect();
    let start = rows.concat();
    let mut found = Vec::new();
    if let Ok(session) = read_session(start, None) {
        for format in SessionFormat::all() {
            let whole = convert_session(&session, &Draft::whole(&session), format);
            found.extend(whole.ok().map(|it| ("sessions", it)));
        }
    }
    let output: String = (1..120).map(|line| format!("line {line} of a long output\n")).collect();
    let events = Agent::ALL.into_iter().map(|it| it.sample_event(&output).to_string());
    found.extend(events.map(|it| ("hooks", it.into_bytes())));
    found
}

/// Takes the bytes that choose off the front.
fn choice(data: &[u8]) -> (usize, usize, &[u8]) {
    match data {
        [first, second, rest @ ..] => (usize::from(*first), usize::from(*second), rest),
        _ => (0, 0, data),
    }
}

fn counter(number: usize) -> Counter {
    COUNTERS[number % COUNTERS.len()].parse().expect("a counter of the list")
}

fn default_settings() -> loadline::settings::Settings {
    Config::load([]).expect("defaults are valid").settings().clone()
}

/// Counts, and counts up to a limit.
pub fn counters(data: &[u8]) {
    let (which, at, rest) = choice(data);
    let counter = counter(which);
    let text = String::from_utf8_lossy(rest);
    let whole = counter.count(&text);
    let mut half = at.min(text.len());
    while !text.is_char_boundary(half) {
        half -= 1;
    }
    let parts = counter.count(&text[..half]).get() + counter.count(&text[half..]).get();
    assert!(
        parts <= whole.get() + 64 || parts <= whole.get() * 2,
        "{parts} in parts, {whole} whole"
    );
}

/// Outlines, falls back, and removes comments.
pub fn outline(data: &[u8]) {
    let (which, _, rest) = choice(data);
    let languages: Vec<&str> = languages().collect();
    let language = languages[which % languages.len()];
    let text = String::from_utf8_lossy(rest);
    if let Ok(outline) = outline_of(language, &text) {
        let lines = text.lines().count().max(1);
        assert!(outline.definitions.iter().all(|it| (it.last_line as usize) <= lines + 1));
    }
    render_fallback("a", Some(language), &text);
    without_comments(language, &text);
}

/// Cuts a text into chunks, which must hold all of it.
pub fn chunk(data: &[u8]) {
    let (which, most, rest) = choice(data);
    let languages: Vec<&str> = languages().collect();
    let language = Some(languages[which % languages.len()]);
    let text = String::from_utf8_lossy(rest);
    let counter = counter(4);
    let outline = chunk_outline(language, &text);
    let outline = outline.as_ref().map(Result::as_ref);
    let source = ChunkSource { path: "a", language, outline };
    let mut options =
        ChunkOptions { max_tokens: Tokens::new(20 + most as u64), ..Default::default() };
    options.min_tokens = options.min_tokens.min(options.max_tokens);
    if let Ok(chunked) = chunk_text(&text, &source, &options, |it| counter.count(it)) {
        let mut next = 1;
        for chunk in &chunked.chunks {
            assert!(chunk.first <= next, "lines {next}-{} are in no chunk", chunk.first);
            next = next.max(chunk.last + 1);
        }
        assert!(next as usize > text.lines().count(), "lines from {next} on are in no chunk");
    }
}

/// Reads a session, measures it, trims it and writes it in every format.
pub fn sessions(data: &[u8]) {
    let (which, most, rest) = choice(data);
    let formats: Vec<SessionFormat> = SessionFormat::all().collect();
    let named = (which & 1 == 1).then(|| formats[which / 2 % formats.len()]);
    let Ok(session) = read_session(rest.to_vec(), named) else {
        return;
    };
    let counter = counter(6);
    let _ = session_stats(&session, &counter);
    for strategy in [TrimStrategy::Coverage, TrimStrategy::Priority] {
        let budget = Tokens::new(50 + 40 * most as u64);
        let options = TrimOptions { strategy, ..TrimOptions::new(counter.clone(), budget) };
        if let Ok(trimmed) = trim(&session, &options) {
            assert!(trimmed.after <= budget, "{} of {budget}", trimmed.after);
            let to = formats[most % formats.len()];
            for format in [session.format, to] {
                // Refusing is an answer; writing what cannot be read is not.
                if let Ok(written) = convert_session(&session, &trimmed.draft, format) {
                    assert!(written.is_empty() || read_session(written, Some(format)).is_ok());
                }
            }
        }
    }
    let _ = compress_session(&session, &CompressOptions::new(counter));
    let whole = convert_session(&session, &Draft::whole(&session), session.format);
    assert!(whole.is_ok_and(|it| it == rest), "an unchanged session is the same bytes");
}

/// Reads sources and packs them in every format, never over budget.
pub fn pack(data: &[u8]) {
    let (which, most, rest) = choice(data);
    let text = String::from_utf8_lossy(rest);
    let settings = default_settings();
    let mut options = SourceOptions::new(counter(which), &settings, 0);
    let formats = ["markdown", "xml", "json", "plain"];
    options.format = Format::named(formats[which / 8 % formats.len()]).unwrap_or_default();
    let mut sources = read_sources("fuzz", &text).map(|it| it.sources).unwrap_or_default();
    sources.retain(|it| it.content.is_some());
    let (head, tail) = text.split_once("\n\n").unwrap_or(("a.rs", &text));
    sources.push(PackSource::new(SourceKind::ToolResult, head).content(tail));
    let budget = Allocation::of(Tokens::new(30 + 8 * most as u64));
    if let Ok(packed) = pack_sources(sources, &budget, &options, &Cancel::new()) {
        let counted = options.counter.count(&packed.content);
        assert!(counted <= budget.total(), "{counted} of {}", budget.total());
        assert_eq!(counted, packed.tokens);
    }
}

/// Reads notes and compacts them.
pub fn notes(data: &[u8]) {
    let (which, _, rest) = choice(data);
    let text = String::from_utf8_lossy(rest);
    let names = ["progress.md", "tasks.md", "state.json", "log.jsonl", "notes.txt", "handoff.md"];
    let name = names[which % names.len()];
    let lines = text.lines().count() + 1;
    for unit in &read_notes(&[(name, &text)]).units {
        assert!(unit.line <= lines, "line {} of {lines}", unit.line);
    }
    let settings = default_settings();
    let window = Tokens::new(200_000);
    let options = NotesOptions::new(&settings.memory, counter(0), window, Timestamp::UNIX_EPOCH);
    let compacted = compact_notes(&text, &options.expect("defaults are valid"));
    assert!(compacted.text.len() <= text.len() + 200, "compacting adds");
}

/// Reads settings of ours and of other tools, sizes and durations.
pub fn settings(data: &[u8]) {
    let (which, _, rest) = choice(data);
    let text = String::from_utf8_lossy(rest);
    let layer = match which % 3 {
        0 => Layer::user("loadline.toml", text.clone()),
        1 => Layer::project("loadline.toml", text.clone()),
        _ => Layer::environment([("LOADLINE_PACK_BUDGET", text.clone())]),
    };
    if let Ok(config) = Config::load([layer]) {
        assert!(config.show().count() > 100);
    }
    let names = [".handover.yml", "context.json", ".agent/config.yml", "config.json"];
    let _ = import_config(names[which % names.len()], &text);
    let _ = parse_size(&text);
    let _ = parse_duration(&text);
}

/// Answers an event of every agent, and shortens its output.
pub fn hooks(data: &[u8]) {
    let (which, _, rest) = choice(data);
    let moments = ["pre-tool-use", "post-tool-use", "pre-compact", "session-start", "stop", "x"];
    let agent = Agent::ALL[which % Agent::ALL.len()];
    let text = String::from_utf8_lossy(rest);
    let body = serde_json::from_str(&text).unwrap_or_else(|_| agent.sample_event(&text));
    let event = agent.event(moments[which / 8 % moments.len()], body);
    let options = IngestOptions::new(counter(0));
    let tool = ToolUse { name: &event.tool, arguments: &event.arguments, is_error: false };
    event.shorten(|output| {
        let short = ingest_result(&tool, output, &options, Some("k3f9c2td"))?;
        assert!(short.after <= short.before);
        Some(short.text)
    });
    event.tell(&text);
}
