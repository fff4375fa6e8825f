//! `loadline statusline`: one line about the window, for Claude Code.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use loadline::agents::{Agent, read_log_end, read_requests};
use loadline::budget::Models;
use loadline::cache::ContentHash;
use loadline::session::WindowFill;
use loadline::usage::CacheClock;
use loadline::write_atomic;
use serde_json::Value;

use super::resume::cache_state;
use crate::args::Color;
use crate::env;
use crate::error::Result;
use crate::settings::{cache_directory, load_config, load_models, now};
use crate::ui::Ui;

/// What asks for the user.
const WARN: Style = AnsiColor::Yellow.on_default();
/// Cells of the bar.
const CELLS: u64 = 24;
/// What Claude Code holds back: from here on it compacts by itself.
const HELD_BACK: u64 = 33_000;
/// A log that grew more than this since the last time is read to the end next time.
const MOST: u64 = 64 << 20;

/// Bytes at the end of a log in which the last requests are looked for.
const END: u64 = 512 << 10;

/// Print a status line for Claude Code; reads what it says on standard input.
///
/// Model, how full the window is and what fills it (system and tools, memory files,
/// you, the agent, its thoughts, results of tools), how far automatic compaction is,
/// what the cache spares, for how long it is warm and what the next turn costs warm and
/// cold, and the cost so far. `loadline install claude-code` sets it up.
#[derive(Debug, clap::Args)]
pub(crate) struct StatuslineArgs {
    /// A status line that is shown before ours; it is given the same input.
    #[arg(long, value_name = "CMD")]
    chain: Option<String>,
}

/// What is known of the window.
#[derive(Debug, Default, PartialEq, Eq)]
struct Window {
    used: u64,
    size: u64,
    cached: u64,
}

/// Prints the line; what is not known is left out.
pub(crate) fn run(args: &StatuslineArgs, ui: &mut Ui) -> Result<()> {
    let mut input = Vec::new();
    // An agent that says nothing gets an empty line.
    let _ = std::io::stdin().read_to_end(&mut input);
    let before = args.chain.as_deref().and_then(|it| chained(it, &input));
    let body: Value = serde_json::from_slice(&input).unwrap_or_default();
    let path = body.get("transcript_path").and_then(Value::as_str);
    let fill = path.and_then(|path| fill(Path::new(path)));
    let config = load_config(Vec::new(), ui).ok();
    let at = config.as_ref().map_or(0.0, |it| it.settings().compact.at);
    let models = config.as_ref().and_then(|it| load_models(it, ui).ok());
    let clock =
        path.zip(models).and_then(|(path, models)| cache_clock(Path::new(path), &models, now(ui)));
    let line = line(&body, &fill.unwrap_or_default(), at, clock.as_ref());
    let lines: Vec<String> = before.into_iter().chain([line]).collect();
    let text = format!("{}\n", lines.join(" "));
    // The agent shows colours, though it is no terminal.
    let is_plain = match ui.global().color {
        Color::Auto => env::no_color(),
        Color::Always => false,
        Color::Never => true,
    };
    if is_plain {
        return Ok(ui.raw(anstream::adapter::strip_str(&text).to_string().as_bytes())?);
    }
    Ok(ui.raw(text.as_bytes())?)
}

/// What another status line says to the same input.
fn chained(command: &str, input: &[u8]) -> Option<String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It need not read what it is given.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Reads what was added to a log since the last time.
fn fill(path: &Path) -> Option<WindowFill> {
    let directory = cache_directory().ok()?.join("statusline");
    let name = ContentHash::of(path.as_os_str().as_encoded_bytes());
    let state = directory.join(format!("{name}.json"));
    let known = std::fs::read(&state).ok();
    let known = known.and_then(|bytes| serde_json::from_slice::<WindowFill>(&bytes).ok());
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    // A log that became shorter is another one.
    let mut fill = known.filter(|it| it.read <= length).unwrap_or_default();
    if fill.read < length {
        file.seek(SeekFrom::Start(fill.read)).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes).ok()?;
        fill.add(&bytes);
        let bytes = serde_json::to_vec(&fill).unwrap_or_default();
        // Without it the next time takes longer.
        let _ = write_atomic(&state, &bytes);
    }
    Some(fill)
}

/// Reads the clock of the cache off the end of a log.
fn cache_clock(log: &Path, models: &Models, now: Timestamp) -> Option<CacheClock> {
    let requests = read_requests(&read_log_end(log, END).ok()?, Agent::ClaudeCode);
    // How a session began, which tells what tools and system prompt take, is not read.
    CacheClock::at(&requests, models, now).map(|clock| CacheClock { base: 0, ..clock })
}

/// How long the cache is warm, and what the next turn costs.
fn cache_part(clock: &CacheClock) -> String {
    let faint = Style::new().dimmed();
    let state = cache_state(clock);
    match (clock.is_cold(), clock.warm_cost(), clock.cold_cost()) {
        (true, _, Some(cold)) => format!("{WARN}{state}{WARN:#}, next ${cold:.2}"),
        (true, ..) => format!("{WARN}{state}{WARN:#}"),
        (false, Some(warm), Some(cold)) => {
            format!("{faint}{state}, next ${warm:.2}, cold ${cold:.2}{faint:#}")
        }
        (false, ..) => format!("{faint}{state}{faint:#}"),
    }
}

fn line(body: &Value, fill: &WindowFill, compact_at: f64, clock: Option<&CacheClock>) -> String {
    let faint = Style::new().dimmed();
    let mut parts: Vec<String> = Vec::new();
    let model = body.pointer("/model/display_name").and_then(Value::as_str);
    parts.extend(model.map(clean));
    let window = window(body);
    if window.size > 0 {
        let percent = (window.used as f64 / window.size as f64 * 100.0).round();
        let bar = bar(&window, fill);
        let (used, size) = (short(window.used), short(window.size));
        parts.push(format!("{bar} {used}/{size} {percent}%"));
        if compact_at > 0.0 && percent >= compact_at {
            parts.push(format!("{WARN}time to trim: loadline session trim{WARN:#}"));
        }
        let line = window.size.saturating_sub(HELD_BACK).max(1);
        let left = line.saturating_sub(window.used);
        parts.push(match left {
            0 => "compacting next".to_owned(),
            left => format!("{faint}{} to compaction{faint:#}", short(left)),
        });
        if window.cached > 0 && window.used > 0 {
            let cached = window.cached.saturating_mul(100) / window.used;
            parts.push(format!("{faint}cache {cached}%{faint:#}"));
        }
    }
    parts.extend(clock.map(cache_part));
    let cost = body.pointer("/cost/total_cost_usd").and_then(Value::as_f64);
    parts.extend(cost.map(|cost| format!("{faint}${cost:.2}{faint:#}")));
    parts.join(" · ")
}

/// How full the window is, as the agent says.
fn window(body: &Value) -> Window {
    let number = |path: &str| body.pointer(path).and_then(Value::as_u64);
    let usage = |key: &str| number(&format!("/context_window/current_usage/{key}")).unwrap_or(0);
    let cached = usage("cache_read_input_tokens");
    let size = number("/context_window/context_window_size").unwrap_or(0);
    let counted = usage("input_tokens").saturating_add(usage("cache_creation_input_tokens"));
    let counted = counted.saturating_add(cached);
    let percent = body.pointer("/context_window/used_percentage");
    let used = match (counted, percent.and_then(Value::as_f64)) {
        (0, Some(percent)) => (size as f64 * percent / 100.0) as u64,
        (counted, _) => counted,
    };
    Window { used, size, cached }
}

/// A bar of the window with a part for each kind of content.
fn bar(window: &Window, fill: &WindowFill) -> String {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    // What the log does not show: the system prompt and the tools.
    let shown = fill.total() / 4;
    let system = window.used.saturating_sub(shown).max(window.used / 20);
    let rest = window.used.saturating_sub(system);
    let part = |bytes: u64| match fill.total() {
        0 => 0,
        total => (u128::from(rest) * u128::from(bytes) / u128::from(total)) as u64,
    };
    let parts = [
        (system, '█', Style::new().dimmed()),
        (part(fill.memory), '█', colour(AnsiColor::Cyan)),
        (part(fill.user), '█', colour(AnsiColor::Green)),
        (part(fill.assistant), '█', colour(AnsiColor::Blue)),
        (part(fill.thinking), '█', colour(AnsiColor::Magenta)),
        (part(fill.results), '█', colour(AnsiColor::Yellow)),
    ];
    let cells = |tokens: u64| tokens.saturating_mul(CELLS) / window.size.max(1);
    let (mut text, mut sum, mut drawn) = (String::new(), 0, 0);
    for (tokens, cell, style) in parts {
        sum = u64::saturating_add(sum, tokens);
        let end = cells(sum).min(CELLS);
        if end > drawn {
            let run: String = std::iter::repeat_n(cell, (end - drawn) as usize).collect();
            text.push_str(&format!("{style}{run}{style:#}"));
            drawn = end;
        }
    }
    text.extend(std::iter::repeat_n('░', (CELLS - drawn) as usize));
    text
}

/// Writes a number of tokens in a few letters: 113k, 1.0M.
fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

/// A name without what could move a cursor.
fn clean(name: &str) -> String {
    name.chars().filter(|it| !it.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body() -> Value {
        json!({
            "model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"},
            "cost": {"total_cost_usd": 1.234},
            "context_window": {
                "context_window_size": 200_000,
                "current_usage": {"input_tokens": 2_000, "cache_creation_input_tokens": 8_000,
                    "cache_read_input_tokens": 90_000},
            },
        })
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_line_says_how_full_the_window_is() {
        let fill = WindowFill { results: 300_000, user: 20_000, ..WindowFill::default() };
        assert_eq!(
            plain(&line(&body(), &fill, 0.0, None)),
            "Opus 4.6 · ████████████░░░░░░░░░░░░ 100k/200k 50% · 67k to compaction · cache 90% · $1.23"
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(line(&Value::Null, &WindowFill::default(), 0.0, None), "");
        let odd = json!({"context_window": {"context_window_size": 1, "current_usage":
            {"input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX}}});
        assert!(!line(&odd, &WindowFill::default(), 0.0, None).is_empty());
        let body = json!({"model": {"display_name": "Opus\u{1b}[2J"}});
        assert_eq!(line(&body, &WindowFill::default(), 0.0, None), "Opus[2J");
        let full =
            json!({"context_window": {"context_window_size": 200_000, "used_percentage": 99.0}});
        assert!(
            plain(&line(&full, &WindowFill::default(), 0.0, None))
                .ends_with("99% · compacting next")
        );
    }
}
