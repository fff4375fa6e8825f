//! Shortens the output of a tool before a model first sees it.
//!
//! What is cut then breaks no cache and never has to be cut later. But nobody knows
//! yet what the next turns need, so only what they hardly ever refer to goes: the
//! middle of logs, of test runs and of listings, and what an editor echoes. Files that
//! were read stay whole.

use regex::Regex;

use super::compress::{CompressedText, Compressor, ResultLimits, ToolUse, is_diff};
use super::marker::Marker;
use super::tool::ToolKind;
use crate::tokens::{Counter, Tokens};

/// What becomes of the outputs of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IngestRule {
    /// They stay as they are.
    Whole,
    /// Longer ones are cut to this many tokens.
    AtMost(Tokens),
}

/// How outputs are shortened before a model sees them.
#[derive(Clone, Debug)]
pub struct IngestOptions {
    /// Counts what is long.
    pub counter: Counter,
    /// Outputs up to this many tokens stay as they are, whatever the rules.
    pub least: Tokens,
    /// For commands that do not show files: builds, tests, logs.
    pub command: IngestRule,
    /// For searches and listings.
    pub search: IngestRule,
    /// For what editing and writing tools echo.
    pub change: IngestRule,
    /// For tools that show files, and commands that do.
    pub read: IngestRule,
    /// For all others: the web, other agents, tools of servers.
    pub other: IngestRule,
    /// For tools by name, before all others; the first that fits wins.
    pub tools: Vec<(Regex, IngestRule)>,
    /// Lines that match any of these stay, as far as they fit.
    pub preserve: Vec<Regex>,
}

impl IngestOptions {
    /// The usual rules.
    pub fn new(counter: Counter) -> IngestOptions {
        let at_most = |tokens| IngestRule::AtMost(Tokens::new(tokens));
        IngestOptions {
            counter,
            least: Tokens::new(2_000),
            command: at_most(500),
            search: at_most(1_000),
            change: at_most(500),
            read: IngestRule::Whole,
            other: IngestRule::Whole,
            tools: Vec::new(),
            preserve: Vec::new(),
        }
    }

    /// Sets the rule of all tools.
    pub fn set_all(&mut self, rule: IngestRule) {
        self.tools.clear();
        for each in
            [&mut self.command, &mut self.search, &mut self.change, &mut self.read, &mut self.other]
        {
            *each = rule;
        }
    }

    fn rule(&self, tool: &ToolUse<'_>, kind: ToolKind) -> IngestRule {
        let named = self.tools.iter().find(|(name, _)| name.is_match(tool.name));
        match (named, kind) {
            (Some((_, rule)), _) => *rule,
            (None, ToolKind::Command) => self.command,
            (None, ToolKind::Search) => self.search,
            (None, ToolKind::Edit | ToolKind::Write) => self.change,
            (None, ToolKind::Read) => self.read,
            (None, ToolKind::Plan | ToolKind::Other) => self.other,
        }
    }
}

/// Shortens the output of a tool before a model sees it, or returns `None` if it stays.
///
/// `handle` recalls the whole text.
///
/// ```
/// use loadline::session::{IngestOptions, ToolUse, ingest_result};
/// let options = IngestOptions::new("o200k".parse()?);
/// let arguments = serde_json::json!({"command": "npm test"});
/// let tool = ToolUse { name: "Bash", arguments: &arguments, is_error: false };
/// let output: String = (0..5_000).map(|line| format!("ok {line} - it works\n")).collect();
/// let short = ingest_result(&tool, &output, &options, Some("k3f9c2td"));
/// assert!(short.is_some_and(|short| short.after.get() <= 2_000));
///
/// let arguments = serde_json::json!({"file_path": "src/lib.rs"});
/// let tool = ToolUse { name: "Read", arguments: &arguments, is_error: false };
/// assert_eq!(ingest_result(&tool, &output, &options, None), None, "a file stays whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ingest_result(
    tool: &ToolUse<'_>,
    text: &str,
    options: &IngestOptions,
    handle: Option<&str>,
) -> Option<CompressedText> {
    let kind = tool.kind();
    let IngestRule::AtMost(most) = options.rule(tool, kind) else {
        return None;
    };
    let least = options.least.max(most);
    let is_short = text.len() as u64 <= least.get();
    // Whoever asks for a diff wants to see all of it.
    let is_wanted = kind == ToolKind::Command && is_diff(text);
    if is_short || options.counter.count_up_to(text, least).is_some() || is_wanted {
        return None;
    }
    let compressor = Compressor {
        limits: ResultLimits::at_most(most),
        counter: &options.counter,
        marker: Marker { handle, turn: None },
        preserve: &options.preserve,
        kind,
        is_error: tool.is_error,
    };
    compressor.with_room_for_errors().compress(text)
}

/// Returns what a call does in one word, for tables: `read`, `command`, `search` and so on.
pub fn tool_kind_name(name: &str, arguments: &serde_json::Value) -> &'static str {
    match ToolKind::of(name, arguments).0 {
        ToolKind::Edit => "edit",
        ToolKind::Write => "write",
        ToolKind::Read => "read",
        ToolKind::Command => "command",
        ToolKind::Search => "search",
        ToolKind::Plan => "plan",
        ToolKind::Other => "other",
    }
}
