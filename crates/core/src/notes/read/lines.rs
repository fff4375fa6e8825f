//! Reads a markdown note line by line.

use std::sync::LazyLock;

use regex::Regex;

use super::Facts;
use crate::notes::compact::{code_lines, is_decision_title};

/// Characters of a reason that is kept with a decision.
const REASON: usize = 200;

/// An item of a list: its indent, its box if it has one, and its words.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^([\s>]*)(?:[-*+•]|\d{1,9}[.)])\s+(?:\[([^\]\[])\](?:\s+|$))?(.*)$").ok()
});
/// A heading of any depth.
static HEADING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s{0,3}(#{1,6})\s*(\S.*?)\s*#*\s*$").ok());
/// A line that says what it is, such as `Decision: ...`.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^[\s>*_-]*(decision|decided|adr[- ]?\d+|blocker|blocked(?: by| on)?|blocking issues?|next steps?|current task|current focus|working file|constraint)\s*[*_]*\s*:\s*[*_]*\s*(.*)$").ok()
});
/// A share that is done.
static PERCENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*\(?\b(\d{1,3})\s*%(?:\s+(?:complete|done))?\)?\s*$").ok());

/// Strong words; two stars after a slash are a glob.
static STRONG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(^|[^/*\w])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*").ok());

/// What the lines under a heading are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Current,
    Completed,
    InProgress,
    Next,
    Files,
    Blockers,
    Decisions,
    /// The section of one decision.
    Decision,
    Constraints,
    Context,
    Other,
}

/// Reads one note.
pub(super) fn read(text: &str, facts: &mut Facts) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let code = code_lines(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader::default();
    let mut index = 0;
    while index < lines.len() {
        if code.get(index).copied().unwrap_or(false) {
            index += 1;
            continue;
        }
        let free = |at: usize| !code.get(at).copied().unwrap_or(false);
        let mut whole = lines[index].trim_end().to_owned();
        let mut end = index + 1;
        while end < lines.len() && free(end) && goes_on(lines[end - 1], lines[end]) {
            whole.push(' ');
            whole.push_str(lines[end].trim());
            end += 1;
        }
        reader.line(&whole, facts);
        index = end;
    }
}

/// Tells whether a line is the rest of the item or sentence before it.
fn goes_on(before: &str, line: &str) -> bool {
    let starts = |line: &str| line.trim().is_empty() || is_heading(line) || item_of(line).is_some();
    let plain = !starts(line) && !line.trim_start().starts_with(['|', '>']);
    let labelled = LABEL.as_ref().is_some_and(|it| it.is_match(line));
    let marked = line
        .trim_start()
        .starts_with(['✅', '🔄', '⏳', '❌', '☑', '✔']);
    let item = item_of(before).is_some() || line.starts_with([' ', '\t']);
    let sentence = line.starts_with(|c: char| c.is_lowercase()) && before.len() > 50;
    plain
        && !labelled
        && !marked
        && (item || sentence)
        && !before.trim().is_empty()
        && !is_heading(before)
}

fn is_heading(line: &str) -> bool {
    HEADING.as_ref().is_some_and(|it| it.is_match(line))
}

fn item_of(line: &str) -> Option<regex::Captures<'_>> {
    ITEM.as_ref()?.captures(line)
}

/// The section that is being read.
#[derive(Default)]
struct Reader {
    /// Topics of the headings above, by depth.
    sections: Vec<(usize, Topic)>,
    /// Whether the section's first words were taken.
    begun: bool,
}

impl Reader {
    fn topic(&self) -> Topic {
        let known = self.sections.iter().rev().map(|(_, topic)| *topic);
        let mut known = known.filter(|topic| *topic != Topic::Other);
        known.next().unwrap_or(Topic::Other)
    }

    fn line(&mut self, line: &str, facts: &mut Facts) {
        if line.trim().is_empty() {
            return;
        }
        let heading = HEADING.as_ref().and_then(|it| it.captures(line));
        if let Some(found) = heading {
            let depth = found.get(1).map_or(1, |it| it.as_str().len());
            let title = clean(found.get(2).map_or("", |it| it.as_str()));
            return self.heading(depth, &title, facts);
        }
        if let Some(found) = item_of(line) {
            let part = |index| found.get(index).map(|it| it.as_str());
            let indent = part(1).map_or(0, |it| it.replace('\t', "    ").len());
            let state = part(2).and_then(|it| it.chars().next());
            let words = part(3).unwrap_or_default();
            return self.item(indent, state, words, facts);
        }
        self.words(line, facts);
    }

    fn heading(&mut self, depth: usize, title: &str, facts: &mut Facts) {
        self.sections.retain(|(other, _)| *other < depth);
        let topic = topic_of(title);
        self.begun = false;
        if topic == Topic::Decision {
            facts.decisions.push(decision_title(title).to_owned());
        }
        // Below "Decisions", a heading names one of them.
        let nested = self.topic() == Topic::Decisions && topic == Topic::Other;
        if nested {
            facts.decisions.push(title.to_owned());
        }
        let topic = if nested { Topic::Decision } else { topic };
        self.sections.push((depth, topic));
    }

    fn item(&mut self, indent: usize, state: Option<char>, words: &str, facts: &mut Facts) {
        let text = clean(words);
        if text.is_empty() || is_none(&text) {
            return;
        }
        if let Some(state) = state {
            return task(state, text, facts);
        }
        if self.marked(words, facts) || labelled(words, facts) {
            return;
        }
        let outer = indent < 2;
        match self.topic() {
            Topic::Completed if outer => facts.completed.push(text),
            Topic::InProgress if outer => facts.in_progress.push(text),
            Topic::Next if outer => facts.next_steps.push(text),
            Topic::Files => facts.files.extend(path_in(words)),
            Topic::Blockers if outer => facts.blockers.push(text),
            Topic::Decisions if outer => facts.decisions.push(text),
            Topic::Decision => self.reason(&text, facts),
            Topic::Constraints if outer => facts.constraints.push(text),
            Topic::Context if outer => facts.context.push(text),
            Topic::Current if !self.begun => self.current(&text, facts),
            _ => {}
        }
    }

    fn words(&mut self, line: &str, facts: &mut Facts) {
        let text = clean(line);
        if text.is_empty() || is_none(&text) || self.marked(line, facts) || labelled(line, facts) {
            return;
        }
        match self.topic() {
            Topic::Current if !self.begun => self.current(&text, facts),
            Topic::Files => facts.files.extend(listed_paths(line)),
            Topic::Blockers => facts.blockers.push(text),
            Topic::Decision => self.reason(&text, facts),
            Topic::Decisions if text.contains(' ') && !text.ends_with(':') => {
                facts.decisions.push(text);
            }
            Topic::Context if !line.trim_start().starts_with('|') => facts.context.push(text),
            _ => {}
        }
    }

    fn current(&mut self, text: &str, facts: &mut Facts) {
        self.begun = true;
        if facts.current_task.is_none() {
            let (task, percent) = with_percent(text);
            facts.current_task = Some(task);
            facts.percent = facts.percent.or(percent);
        }
    }

    /// The first words below a decision are its reason.
    fn reason(&mut self, text: &str, facts: &mut Facts) {
        let status = text.to_lowercase();
        let about = ["status", "date", "owner", "author"];
        if self.begun || about.iter().any(|it| status.starts_with(it)) {
            return;
        }
        self.begun = true;
        let Some(decision) = facts.decisions.last_mut() else {
            return;
        };
        let end = text
            .char_indices()
            .nth(REASON)
            .map_or(text.len(), |(place, _)| place);
        let sentence = text[..end].find(". ").map_or(end, |place| place + 1);
        decision.push_str(" — ");
        decision.push_str(text[..sentence].trim_end());
    }

    /// Reads lines that begin with a sign of their state.
    fn marked(&self, words: &str, facts: &mut Facts) -> bool {
        let words = words.trim_start();
        let sign = words.chars().next().unwrap_or(' ');
        let text = clean(words);
        if text.is_empty() || matches!(self.topic(), Topic::Decision | Topic::Decisions) {
            return false;
        }
        match sign {
            '✅' | '☑' | '✔' => facts.completed.push(text),
            '🔄' | '🚧' => facts.in_progress.push(text),
            '⏳' | '🔜' | '☐' => facts.next_steps.push(text),
            '⛔' | '🛑' | '🚫' => facts.blockers.push(text),
            _ => return false,
        }
        true
    }
}

/// Files a task by the sign in its box.
fn task(state: char, text: String, facts: &mut Facts) {
    let lower = text.to_lowercase();
    let begun = lower.contains("in progress") || lower.contains("🔄") || lower.contains("(wip)");
    let blocked = lower.contains("blocked") || lower.contains("🚫");
    match state {
        'x' | 'X' | '✓' | '✔' | '✅' => return facts.completed.push(text),
        '~' | '/' | '-' | '>' | '*' => facts.in_progress.push(text.clone()),
        _ if begun => facts.in_progress.push(text.clone()),
        _ => facts.next_steps.push(text.clone()),
    }
    if blocked {
        facts.blockers.push(text);
    }
}

/// Reads lines that say what they are.
fn labelled(line: &str, facts: &mut Facts) -> bool {
    let Some(found) = LABEL.as_ref().and_then(|it| it.captures(line)) else {
        return false;
    };
    let part = |index| found.get(index).map_or("", |it| it.as_str());
    let (label, text) = (part(1).to_lowercase(), clean(part(2)));
    if text.is_empty() || is_none(&text) {
        return false;
    }
    match label.split(' ').next().unwrap_or_default() {
        "decision" | "decided" => facts.decisions.push(text),
        "blocker" | "blocked" | "blocking" => facts.blockers.push(text),
        "next" => facts.next_steps.push(text),
        "working" => facts.working_file = facts.working_file.take().or(Some(text)),
        "constraint" => facts.constraints.push(text),
        "current" => {
            let (task, percent) = with_percent(&text);
            facts.current_task = facts.current_task.take().or(Some(task));
            facts.percent = facts.percent.or(percent);
        }
        _ => facts.decisions.push(clean(line)),
    }
    true
}

/// Finds out what a section is about by its heading.
fn topic_of(title: &str) -> Topic {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |word: &str| words.contains(&word);
    let starts = |text: &str| lower.starts_with(text);
    if starts("decision:") || (has("adr") && words.iter().any(|it| it.parse::<u32>().is_ok())) {
        return Topic::Decision;
    }
    if is_decision_title(title) {
        return Topic::Decisions;
    }
    let few = words.iter().filter(|it| !it.is_empty()).count() <= 5;
    match () {
        () if has("blocker") || has("blockers") || has("blocking") || has("blocked") => {
            Topic::Blockers
        }
        () if few && has("issues") && !has("fixed") && !has("resolved") && !has("closed") => {
            Topic::Blockers
        }
        () if starts("current task") || starts("current focus") || lower == "current" => {
            Topic::Current
        }
        () if lower.contains("in progress")
            || lower.contains("in-progress")
            || has("wip")
            || has("ongoing") =>
        {
            Topic::InProgress
        }
        () if few
            && (has("completed") || has("done") || has("finished") || has("accomplished")) =>
        {
            Topic::Completed
        }
        () if few
            && (has("next")
                || has("todo")
                || has("todos")
                || has("remaining")
                || has("upcoming")
                || has("pending")) =>
        {
            Topic::Next
        }
        () if few
            && has("files")
            && (has("modified")
                || has("changed")
                || has("touched")
                || has("created")
                || has("key")
                || has("affected")
                || words.len() == 1) =>
        {
            Topic::Files
        }
        () if few && (has("constraint") || has("constraints")) => Topic::Constraints,
        () if few
            && (has("context")
                || has("overview")
                || has("summary")
                || has("status")
                || has("notes")
                || has("background")
                || has("goal")
                || has("objective")) =>
        {
            Topic::Context
        }
        () => Topic::Other,
    }
}

/// Returns a decision without the word for it.
fn decision_title(title: &str) -> &str {
    let rest = title
        .get(..9)
        .filter(|it| it.eq_ignore_ascii_case("decision:"));
    rest.map_or(title, |_| title[9..].trim())
}

/// Takes a share that is done from the end of a task.
pub(in crate::notes) fn with_percent(text: &str) -> (String, Option<u8>) {
    let found = PERCENT.as_ref().and_then(|it| it.captures(text));
    let percent = found
        .as_ref()
        .and_then(|it| it.get(1)?.as_str().parse().ok());
    let start = found.and_then(|it| Some(it.get(0)?.start()));
    match (percent, start) {
        (Some(percent @ 0..=100), Some(start)) if start > 0 => {
            (clean(&text[..start]), Some(percent))
        }
        _ => (text.to_owned(), None),
    }
}

/// Returns the path that an item names.
fn path_in(words: &str) -> Option<String> {
    if let Some((_, rest)) = words.split_once('`') {
        let (path, _) = rest.split_once('`')?;
        return is_path(path).then(|| path.to_owned());
    }
    let words = clean(words);
    let first = words.split([' ', '\t']).next().unwrap_or_default();
    let first = first.trim_end_matches([':', ',', ';']);
    is_path(first).then(|| first.to_owned())
}

/// Returns the paths of a line such as `Core: src/a.rs, src/b.rs`.
pub(in crate::notes) fn listed_paths(line: &str) -> Vec<String> {
    let line = clean(line).replace('`', "");
    let list = line
        .split_once(": ")
        .map_or(line.as_str(), |(_, list)| list);
    let paths = list.split(',').map(str::trim);
    paths
        .filter(|path| is_path(path))
        .map(str::to_owned)
        .collect()
}

fn is_path(text: &str) -> bool {
    let last = text.rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.chars().all(char::is_alphanumeric)
    });
    let web = text.contains("://");
    !text.is_empty()
        && !text.contains(char::is_whitespace)
        && !web
        && (text.contains('/') || extension)
}

/// Makes one line of a text: no markers before it, no emphasis, single spaces.
pub(in crate::notes) fn clean(text: &str) -> String {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text = text.replace('\u{fe0f}', "");
    if let Some(strong) = STRONG.as_ref().filter(|_| text.contains("**")) {
        text = strong.replace_all(&text, "$1$2").into_owned();
    }
    loop {
        let rest = without_marker(&text).trim();
        if rest.len() == text.len() {
            return text;
        }
        text = rest.to_owned();
    }
}

/// Takes one marker off the start of a line.
fn without_marker(text: &str) -> &str {
    let signs = [
        '✅', '☑', '✔', '🔄', '🚧', '⏳', '🔜', '☐', '⛔', '🛑', '🚫', '#', '>', '•',
    ];
    if let Some(rest) = text.strip_prefix(signs) {
        return rest;
    }
    if let Some(rest) = text.strip_prefix("__").and_then(|it| it.strip_suffix("__")) {
        return rest;
    }
    match item_of(text).and_then(|item| item.get(3)) {
        Some(words) => &text[words.start()..],
        None if matches!(text, "-" | "*" | "+") => "",
        None => text,
    }
}

/// Tells whether a text says that there is nothing.
pub(in crate::notes) fn is_none(text: &str) -> bool {
    let plain = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let plain = plain.to_lowercase();
    matches!(
        plain.as_str(),
        "" | "none"
            | "n/a"
            | "na"
            | "nothing"
            | "none blocking"
            | "nil"
            | "none currently"
            | "none yet"
            | "tbd"
    )
}
