//! What the next turns refer to, and how much of it is still there.

use std::collections::{BTreeMap, HashMap, HashSet};

use loadline::session::{Block, Content, Role, Turn};
use serde_json::Value;

use crate::mentions::{MentionKind, mentions};

/// What the next turns refer to, with its weight.
pub(crate) struct References {
    mentions: Vec<(MentionKind, String, f64)>,
    lines: Vec<(String, f64)>,
}

/// How much of it is still there.
pub(crate) struct Kept {
    pub(crate) recall: f64,
    pub(crate) by_kind: BTreeMap<&'static str, (f64, f64)>,
    pub(crate) missed: Vec<(&'static str, String, f64)>,
}

pub(crate) type Mentions = HashSet<(MentionKind, String)>;

pub(crate) fn mentions_of(text: &str) -> Mentions {
    let mut list = Mentions::new();
    for line in text.split('\n') {
        mentions(line, |kind, text| {
            list.insert((kind, text.to_owned()));
        });
    }
    list
}

fn name(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Path => "path",
        MentionKind::Url => "url",
        MentionKind::Name => "name",
        MentionKind::Number => "number",
        MentionKind::Code => "code",
        MentionKind::Quote => "quote",
    }
}

/// What is read of a block.
pub(crate) fn text_of(block: &Block) -> String {
    match &block.content {
        Content::Text(text) | Content::Thinking(text) => text.clone(),
        Content::Result(result) => result.text.clone(),
        Content::Call(call) => {
            let mut parts = vec![call.name.clone()];
            collect(&call.arguments, &mut parts);
            parts.join("\n")
        }
        Content::Image(_) | Content::Other(_) => String::new(),
    }
}

fn collect(value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::String(text) => parts.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|it| collect(it, parts)),
        Value::Object(members) => {
            for (key, value) in members {
                parts.push(format!("{key}:"));
                collect(value, parts);
            }
        }
        Value::Null => {}
        other => parts.push(other.to_string()),
    }
}

fn texts(turns: &[Turn]) -> Vec<String> {
    let blocks = turns.iter().flat_map(|turn| &turn.blocks);
    blocks.map(text_of).collect()
}

/// Lines of existing content that an edit must reproduce.
pub(crate) fn edited_lines(value: &Value, lines: &mut Vec<String>) {
    const KEYS: [&str; 7] =
        ["old_string", "oldText", "old_str", "old_text", "oldString", "search", "find"];
    let long = |line: &&str| line.trim().chars().count() >= 12;
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if KEYS.contains(&key.as_str()) => {
                        let found = text.split('\n').filter(long).take(10);
                        lines.extend(found.map(|line| line.trim().to_owned()));
                    }
                    Value::String(text) if text.contains("*** Begin Patch") => {
                        let context = text.split('\n').filter(|line| {
                            line.starts_with(['-', ' ']) && !line.starts_with("---")
                        });
                        let found = context.map(|line| &line[1..]).filter(long).take(20);
                        lines.extend(found.map(|line| line.trim().to_owned()));
                    }
                    other => edited_lines(other, lines),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| edited_lines(it, lines)),
        _ => {}
    }
}

impl References {
    pub(crate) fn of(history: &[Turn], next: &[&Turn]) -> References {
        let texts = texts(history);
        let mut counts: HashMap<(MentionKind, String), usize> = HashMap::new();
        for text in &texts {
            for mention in mentions_of(text) {
                *counts.entry(mention).or_default() += 1;
            }
        }
        let (mut wanted, mut shown): (Mentions, Mentions) = Default::default();
        let mut shown_texts: Vec<String> = Vec::new();
        let mut lines: HashSet<String> = HashSet::new();
        for turn in next {
            for block in &turn.blocks {
                if turn.role != Role::Assistant {
                    let text = text_of(block);
                    shown.extend(mentions_of(&text));
                    shown_texts.push(text);
                    continue;
                }
                if let Content::Text(_) | Content::Call(_) = block.content {
                    for mention in mentions_of(&text_of(block)) {
                        if counts.contains_key(&mention) && !shown.contains(&mention) {
                            wanted.insert(mention);
                        }
                    }
                }
                if let Content::Call(call) = &block.content {
                    let mut found = Vec::new();
                    edited_lines(&call.arguments, &mut found);
                    found.retain(|line| !shown_texts.iter().any(|text| text.contains(line)));
                    lines.extend(found);
                }
            }
        }
        let all = texts.len() as f64;
        let weight = |count: usize| ((all + 1.0) / (count as f64 + 0.5)).ln().max(0.1);
        let mut list: Vec<(MentionKind, String, f64)> = wanted
            .into_iter()
            .map(|mention| {
                let count = counts[&mention];
                (mention.0, mention.1, weight(count))
            })
            .collect();
        list.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut lines: Vec<(String, f64)> = lines
            .into_iter()
            .filter_map(|line| {
                let count = texts.iter().filter(|text| text.contains(&line)).count();
                (count > 0).then(|| (line, weight(count)))
            })
            .collect();
        lines.sort_by(|a, b| a.0.cmp(&b.0));
        References { mentions: list, lines }
    }

    pub(crate) fn len(&self) -> usize {
        self.mentions.len() + self.lines.len()
    }

    pub(crate) fn kept(&self, history: &[Turn], after: &[Turn]) -> Kept {
        let text = verbatim(&texts(after).join("\n"), &texts(history).join("\n"));
        let known = mentions_of(&text);
        let mut kept = Kept { recall: 0.0, by_kind: BTreeMap::new(), missed: Vec::new() };
        let (mut sum, mut all) = (0.0, 0.0);
        let mut add = |kind: &'static str, text: &str, weight: f64, is_kept: bool| {
            all += weight;
            let by = kept.by_kind.entry(kind).or_default();
            by.1 += weight;
            if is_kept {
                (sum, by.0) = (sum + weight, by.0 + weight);
            } else {
                kept.missed.push((kind, text.to_owned(), weight));
            }
        };
        for (kind, mention, weight) in &self.mentions {
            let is_kept = match kind {
                MentionKind::Path | MentionKind::Url | MentionKind::Quote => {
                    text.contains(mention.as_str())
                }
                _ => known.contains(&(*kind, mention.clone())),
            };
            add(name(*kind), mention, *weight, is_kept);
        }
        for (line, weight) in &self.lines {
            add("line", line, *weight, text.contains(line.as_str()));
        }
        kept.recall = sum / all;
        kept
    }
}

/// The lines of a text that really stand in the history, but for a tag or number before them.
fn verbatim(text: &str, history: &str) -> String {
    let lines: HashSet<&str> = history.split('\n').map(str::trim).collect();
    let stands = |line: &str| {
        let bare = without_tag(line).trim();
        let line = line.trim();
        let is_line = |text: &str| !text.is_empty() && lines.contains(text);
        let is_part = |text: &str| text.chars().count() >= 40 && history.contains(text);
        is_line(line) || is_line(bare) || is_part(bare) || is_part(line)
    };
    let kept: Vec<&str> = text.split('\n').filter(|line| stands(line)).collect();
    kept.join("\n")
}

fn without_tag(line: &str) -> &str {
    let text = line.trim_start();
    if let Some(rest) = text.strip_prefix('[')
        && let Some(end) = rest.find(']')
        && (1..=60).contains(&rest[..end].chars().count())
    {
        return &rest[end + 1..];
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].strip_prefix(['|', ':', '\t']) {
        Some(rest) if digits > 0 => rest,
        _ => line,
    }
}

/// The lines that the user wrote.
pub(crate) fn instruction_lines(history: &[Turn]) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in history.iter().filter(|turn| turn.role == Role::User) {
        for text in turn.texts().filter(|text| !is_injected(text)) {
            let letters: Vec<char> = text.chars().collect();
            let text: String = if letters.len() > 4_000 {
                let end = &letters[letters.len() - 500..];
                letters[..1_500].iter().chain(&['\n']).chain(end).collect()
            } else {
                text.to_owned()
            };
            let long = text.split('\n').map(str::trim);
            lines.extend(long.filter(|it| it.chars().count() >= 8).map(str::to_owned));
        }
    }
    lines
}

fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    let tag = text.strip_prefix('<').is_some_and(|rest| {
        let bytes = rest.as_bytes();
        !(bytes.first() == Some(&b'h') && bytes.get(1).is_some_and(u8::is_ascii_digit))
    });
    let beginnings = [
        "# AGENTS",
        "Caveat:",
        "This session is being continued",
        "[Request interrupted",
        "Base directory for this skill",
        "[image]",
    ];
    tag || beginnings.iter().any(|it| text.starts_with(it))
}

/// The part of some lines that is still there, by length.
pub(crate) fn kept_part(lines: &[String], after: &[Turn]) -> Option<f64> {
    let text = texts(after).join("\n");
    let length = |line: &&String| line.chars().count() as f64;
    let all: f64 = lines.iter().map(|it| length(&it)).sum();
    let kept = lines.iter().filter(|line| text.contains(line.as_str()));
    let kept: f64 = kept.map(|it| length(&it)).sum();
    (all > 0.0).then_some(kept / all)
}
