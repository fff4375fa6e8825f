//! What the messages of several formats have in common: content that is a text or a list
//! of parts, results, arguments that are JSON in a text, and lists of one turn per record.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::{Value, json};

use super::frame::{Listed, left_out};
use super::json::{Source, elements, list, quoted, take_string, text, value, with_members};
use super::{SessionFormat, pictures};
use crate::session::draft::{Change, Draft, DraftTurn, Stays};
use crate::session::transcript::{Block, Content, Images, Role, Transcript, Turn};

/// Reads the content of a message: a text, or a list of parts.
pub(super) fn content_blocks(
    source: Source<'_>,
    content: &str,
    read: impl Fn(&str) -> Content,
) -> Vec<Block> {
    let block = |raw: &str, content| Block::new(content, source.place(raw));
    match text(content) {
        Some(text) => vec![block(content, Content::Text(text))],
        None => {
            let parts = elements(content).into_iter();
            parts.map(|raw| block(raw, read(raw))).collect()
        }
    }
}

/// Writes the content of a message: one text as it was, anything else as a list.
pub(super) fn write_content(parts: &[String]) -> String {
    match parts {
        [text] if text.starts_with('"') => text.clone(),
        parts => list(parts),
    }
}

/// Joins the texts of a result and counts its pictures.
pub(super) fn result_text(content: Option<Value>, format: SessionFormat) -> (String, Images) {
    let mut images = Images::default();
    match content {
        Some(Value::String(text)) => (text, images),
        Some(Value::Array(mut parts)) => {
            let mut texts: Vec<String> = Vec::new();
            for part in &mut parts {
                if let Some(text) = take_string(part, "text") {
                    texts.push(text);
                    continue;
                }
                // Anything else, such as the name of a tool that was found, is short.
                let found = if is_image(part) {
                    pictures::images(part, format)
                } else {
                    Images { count: 0, tokens: part.to_string().len() as u64 / 4 }
                };
                images.count += found.count;
                images.tokens = images.tokens.saturating_add(found.tokens);
            }
            (texts.join("\n"), images)
        }
        _ => (String::new(), images),
    }
}

fn is_image(part: &Value) -> bool {
    const TYPES: [&str; 8] = [
        "image",
        "document",
        "image_url",
        "input_image",
        "input_file",
        "input_audio",
        "file",
        "audio",
    ];
    let kind = part.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| TYPES.contains(&kind)) || part.get("inlineData").is_some()
}

/// Returns a thought as Anthropic's API takes it: whole, with the signature of a model.
pub(super) fn signed_thought(raw: &str) -> Option<Value> {
    let block = value(raw);
    let text = |key: &str| block.get(key).and_then(Value::as_str);
    match text("type")? {
        "redacted_thinking" => Some(block),
        "thinking" => {
            // pi keeps what other providers want to see again under the same name.
            let signature = text("signature").or_else(|| text("thinkingSignature"));
            let signature = signature.filter(|it| !it.is_empty() && !it.starts_with('{'))?;
            let thought = text("thinking").unwrap_or_default();
            Some(json!({"type": "thinking", "thinking": thought, "signature": signature}))
        }
        _ => None,
    }
}

/// Writes another text into the content of a result; parts that are not text stay.
pub(super) fn with_result_text(content: &str, kind: &str, text: &str) -> String {
    if !content.starts_with('[') {
        return quoted(text);
    }
    let is_text = |raw: &&str| value(raw).get("text").is_some_and(Value::is_string);
    let others = elements(content).into_iter().filter(|raw| !is_text(raw));
    let mut parts = vec![json!({"type": kind, "text": text}).to_string()];
    parts.extend(others.map(str::to_owned));
    list(&parts)
}

/// Writes another text into a part: a bare text, or an object with a text. What had no
/// text becomes a text part of type `kind`.
pub(super) fn with_text(raw: &str, content: &Content, kind: &str, text: &str) -> String {
    match content {
        Content::Text(_) if raw.starts_with('"') => quoted(text),
        Content::Text(_) => with_members(raw, [("text", quoted(text))]),
        _ => json!({"type": kind, "text": text}).to_string(),
    }
}

/// Reads arguments that are JSON in a text; what is not JSON stays a text.
pub(super) fn parsed(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Writes arguments as the text that holds them.
pub(super) fn unparsed(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Joins the texts of a turn with blank lines.
pub(super) fn joined(turn: &Turn) -> String {
    turn.texts().collect::<Vec<_>>().join("\n\n")
}

/// Reads records that are one turn each; others are remarked on and left out.
pub(super) fn read_listed(
    listed: &Listed<'_>,
    transcript: &mut Transcript,
    read: impl Fn(&str) -> Option<Turn>,
) {
    for record in &listed.records {
        match read(record) {
            Some(turn) => transcript.turns.push(turn),
            None => transcript.notes.push(left_out(listed.source, record)),
        }
    }
    transcript.notes.extend(listed.remarks.iter().cloned());
}

/// Writes the records of a draft, one for each turn. A record of which everything stays
/// is copied; turns that are not in the list are not written.
pub(super) fn write_listed(
    listed: &Listed<'_>,
    transcript: &Transcript,
    draft: &Draft,
    new: impl Fn(Role, &str) -> String,
    write: impl Fn(&str, &Turn, &[Stays<'_>]) -> Option<String>,
) -> Vec<u8> {
    let record_of = |turn: &Turn| {
        let start = turn.blocks.first()?.raw.start;
        let ends_before = |record: &&str| listed.source.place(record).end <= start;
        let at = listed.records.partition_point(ends_before);
        let record = listed.records.get(at)?;
        listed.source.place(record).contains(&start).then_some(*record)
    };
    let records = draft.turns.iter().filter_map(|turn| match turn {
        DraftTurn::New { role, text } => Some(new(*role, text)),
        DraftTurn::Of { turn, blocks } => {
            let turn = transcript.turns.get(*turn)?;
            let record = record_of(turn)?;
            let stays = turn.stays(blocks);
            let is_whole =
                stays.len() == turn.blocks.len() && stays.iter().all(|it| it.1.is_none());
            if is_whole {
                Some(record.to_owned())
            } else if stays.is_empty() {
                None
            } else {
                write(record, turn, &stays)
            }
        }
    });
    listed.with(&records.collect::<Vec<_>>())
}

/// Returns the text that takes the place of a block's own.
pub(super) fn new_text(change: Option<&Change>) -> Option<&str> {
    match change {
        Some(Change::Text(text)) => Some(text),
        _ => None,
    }
}

/// The blocks that a draft keeps by their places in the source, for formats in which a
/// call and its result are one record.
pub(super) struct Kept<'a>(HashMap<(usize, bool), Stays<'a>>);

impl<'a> Kept<'a> {
    pub(super) fn of(turns: &'a [Turn], draft: &'a Draft) -> Kept<'a> {
        let mut kept = HashMap::new();
        for turn in &draft.turns {
            if let DraftTurn::Of { turn, blocks } = turn
                && let Some(turn) = turns.get(*turn)
            {
                for stays in turn.stays(blocks) {
                    let is_result = matches!(stays.0.content, Content::Result(_));
                    kept.insert((stays.0.raw.start, is_result), stays);
                }
            }
        }
        Kept(kept)
    }

    /// Returns what is said or called at a place.
    pub(super) fn said(&self, place: &Range<usize>) -> Option<Stays<'a>> {
        self.0.get(&(place.start, false)).copied()
    }

    /// Returns the result at a place.
    pub(super) fn result(&self, place: &Range<usize>) -> Option<Stays<'a>> {
        self.0.get(&(place.start, true)).copied()
    }

    /// Returns a call within a record by its id.
    pub(super) fn call(&self, record: &Range<usize>, id: &str) -> Option<Stays<'a>> {
        let mut calls = self.0.values().copied();
        calls.find(|(block, _)| {
            let is_call = matches!(&block.content, Content::Call(call) if call.id == id);
            is_call && record.contains(&block.raw.start)
        })
    }
}
