//! Reads a markdown note line by line.

use std::sync::LazyLock;

use regex::Regex;

use super::Facts;
use super::topic::{SIGNS, Topic};
use super::words::{clean, is_none, item_of, listed_paths, path_in};
use crate::notes::compact::code_lines;
use crate::notes::literal;

/// Characters of a reason that is kept with a decision.
const REASON: usize = 200;

/// A heading of any depth.
static HEADING: LazyLock<Regex> = LazyLock::new(|| literal(r"^\s{0,3}(#{1,6})\s*(\S.*?)\s*#*\s*$"));
/// A line that says what it is, such as `Decision: ...`.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    literal(
        r"(?i)^[\s>*_-]*(decision|decided|adr[- ]?\d+|blocker|blocked(?: by| on)?|blocking issues?|next steps?|current task|current focus|working file|constraint)\s*[*_]*\s*:\s*[*_]*\s*(.*)$",
    )
});

/// Reads one note.
pub(super) fn read(text: &str, facts: &mut Facts) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let code = code_lines(text);
    let lines: Vec<&str> = text.lines().collect();
    let is_code = |at: usize| code.get(at).copied().unwrap_or(false);
    let mut reader = Reader::default();
    let mut index = 0;
    while index < lines.len() {
        if is_code(index) {
            index += 1;
            continue;
        }
        let mut whole = lines[index].trim_end().to_owned();
        let mut end = index + 1;
        while end < lines.len() && !is_code(end) && goes_on(lines[end - 1], lines[end]) {
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
    let start = line.trim_start();
    let begins = start.is_empty()
        || start.starts_with(|c| "|>❌".contains(c) || sign_of(c).is_some())
        || HEADING.is_match(line)
        || LABEL.is_match(line)
        || item_of(line).is_some();
    let of_item = item_of(before).is_some() || line.starts_with([' ', '\t']);
    let of_sentence = line.starts_with(|c: char| c.is_lowercase()) && before.len() > 50;
    let follows_text = !before.trim().is_empty() && !HEADING.is_match(before);
    !begins && (of_item || of_sentence) && follows_text
}

/// Returns the state that a sign stands for.
fn sign_of(letter: char) -> Option<Topic> {
    let known = SIGNS.iter().find(|(sign, _)| *sign == letter);
    known.map(|(_, topic)| *topic)
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
        let above = self.sections.iter().rev().map(|(_, topic)| *topic);
        let mut known = above.filter(|topic| *topic != Topic::Other);
        known.next().unwrap_or(Topic::Other)
    }

    fn line(&mut self, line: &str, facts: &mut Facts) {
        if line.trim().is_empty() {
            return;
        }
        if let Some(found) = HEADING.captures(line) {
            return self.heading(found[1].len(), &clean(&found[2]), facts);
        }
        let item = item_of(line);
        let words =
            item.as_ref().map_or(line, |item| item.get(3).map_or("", |words| words.as_str()));
        let text = clean(words);
        if text.is_empty() || is_none(&text) {
            return;
        }
        let state = item.as_ref().and_then(|item| item.get(2));
        if let Some(state) = state.and_then(|state| state.as_str().chars().next()) {
            return task(state, text, facts);
        }
        if self.marked(words, facts) || labelled(words, facts) {
            return;
        }
        match item {
            Some(item) => self.item(item[1].replace('\t', "    ").len(), words, text, facts),
            None => self.words(line, text, facts),
        }
    }

    fn heading(&mut self, depth: usize, title: &str, facts: &mut Facts) {
        self.sections.retain(|(other, _)| *other < depth);
        self.begun = false;
        let mut topic = Topic::of_heading(title);
        if topic == Topic::Decision {
            facts.decisions.push(decision_title(title).to_owned());
        }
        // Below "Decisions", a heading names one of them.
        if topic == Topic::Other && self.topic() == Topic::Decisions {
            facts.decisions.push(title.to_owned());
            topic = Topic::Decision;
        }
        self.sections.push((depth, topic));
    }

    fn item(&mut self, indent: usize, words: &str, text: String, facts: &mut Facts) {
        match self.topic() {
            Topic::Files => facts.files.extend(path_in(words)),
            Topic::Decision => self.reason(&text, facts),
            Topic::Current => self.current(&text, facts),
            topic if indent < 2 => facts.add(topic, text),
            _ => {}
        }
    }

    fn words(&mut self, line: &str, text: String, facts: &mut Facts) {
        match self.topic() {
            Topic::Current => self.current(&text, facts),
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

    /// The first words of a section about the current task are the task.
    fn current(&mut self, text: &str, facts: &mut Facts) {
        if !self.begun {
            self.begun = true;
            facts.set_current(text);
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
        let end = text.char_indices().nth(REASON);
        let end = end.map_or(text.len(), |(place, _)| place);
        let sentence = text[..end].find(". ").map_or(end, |place| place + 1);
        decision.push_str(" — ");
        decision.push_str(text[..sentence].trim_end());
    }

    /// Reads lines that begin with a sign of their state.
    fn marked(&self, words: &str, facts: &mut Facts) -> bool {
        let first = words.trim_start().chars().next();
        let topic = first.and_then(sign_of);
        let is_about_decisions = matches!(self.topic(), Topic::Decision | Topic::Decisions);
        match topic.filter(|_| !is_about_decisions) {
            Some(topic) => facts.add(topic, clean(words)),
            None => return false,
        }
        true
    }
}

/// Files a task by the sign in its box.
fn task(state: char, text: String, facts: &mut Facts) {
    let lower = text.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|it| lower.contains(it));
    if matches!(state, 'x' | 'X' | '✓' | '✔' | '✅') {
        return facts.completed.push(text);
    }
    if says(&["blocked", "🚫"]) {
        facts.blockers.push(text.clone());
    }
    if matches!(state, '~' | '/' | '-' | '>' | '*') || says(&["in progress", "🔄", "(wip)"]) {
        facts.in_progress.push(text);
    } else {
        facts.next_steps.push(text);
    }
}

/// Reads lines that say what they are.
fn labelled(line: &str, facts: &mut Facts) -> bool {
    let Some(found) = LABEL.captures(line) else {
        return false;
    };
    let (label, text) = (found[1].to_lowercase(), clean(&found[2]));
    if text.is_empty() || is_none(&text) {
        return false;
    }
    match label.split(' ').next().unwrap_or_default() {
        "decision" | "decided" => facts.decisions.push(text),
        "blocker" | "blocked" | "blocking" => facts.blockers.push(text),
        "next" => facts.next_steps.push(text),
        "working" => facts.working_file = facts.working_file.take().or(Some(text)),
        "constraint" => facts.constraints.push(text),
        "current" => facts.set_current(&text),
        // An ADR is known by its number.
        _ => facts.decisions.push(clean(line)),
    }
    true
}

/// Returns a decision without the word for it.
fn decision_title(title: &str) -> &str {
    match title.split_at_checked(9) {
        Some((label, rest)) if label.eq_ignore_ascii_case("decision:") => rest.trim(),
        _ => title,
    }
}
