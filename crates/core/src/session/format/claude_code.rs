//! Sessions of Claude Code: one JSON object on each line, linked to a tree.
//!
//! What is context is the path from the leaf back to its root, which after a
//! compaction is a `compact_boundary`. One message of the model is several lines
//! that share its id, and calls that ran side by side put results on branches of
//! their own; both are brought together here, as the agent does before it sends
//! them. A trimmed session is written as the agent compacts: the log as it was,
//! a boundary, and the turns that stay, linked anew.

mod attachment;
mod build;
mod record;
#[cfg(test)]
mod tests;
mod write;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::check::{Violation, check_messages};
use super::frame::{Head, Layout};
use super::json::{Members, members, number, string};
use super::links::Path;
use super::{Codec, SessionFormat, malformed};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn, Usage};
use record::{Kind, Record, Records};

pub(super) struct ClaudeCode;

impl Codec for ClaudeCode {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let of_ours = |it: &Members<'_>| {
            let kind = string(it.get("type")).unwrap_or_default();
            let is_message = matches!(kind.as_str(), "user" | "assistant");
            it.contains_key("parentUuid")
                || is_message && it.contains_key("message") && it.contains_key("uuid")
                || record::is_passed_over(&kind) && it.contains_key("sessionId")
        };
        head.layout != Layout::List && head.objects.iter().any(of_ours)
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let records = Records::of(source, &mut transcript.notes);
        if records.all.is_empty() {
            return Err(malformed(SessionFormat::ClaudeCode, "it has no records"));
        }
        let context = Context::of(&records);
        let first = context.path.entries.first().map(|it| records.all[*it].line.start);
        let remarks = records.links.remarks(&context.path, first.unwrap_or(0), "uuid");
        transcript.notes.extend(remarks);
        let mut blank = 0;
        transcript.turns = context.turns(&records, &mut blank);
        if blank > 0 {
            transcript.passed_over.insert("blank message".to_owned(), blank);
        }
        count_others(&records, &context, transcript);
        if let Some(last) = context.path.entries.last().map(|it| &records.all[*it]) {
            let members = members(last.line.text);
            transcript.session = string(members.get("sessionId"));
            transcript.directory = string(members.get("cwd"));
        }
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        Ok(write::write(transcript, draft))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        build::build(turns, transcript)
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        let records = Records::of(transcript.source(), &mut Vec::new());
        let mut found: Vec<Violation> = Vec::from_iter(Context::of(&records).path.violation());
        let (sent, numbers) = as_sent(&transcript.turns);
        for Violation { turn, rule } in check_messages(&sent) {
            let turn = numbers.get(turn.wrapping_sub(1)).map_or(0, |it| it + 1);
            found.push(Violation { turn, rule });
        }
        found
    }
}

/// What the model would be shown next.
#[derive(Default)]
struct Context {
    /// The records from the root to the leaf.
    path: Path,
    /// The records of each turn, in order; none is in two.
    turns: Vec<Vec<usize>>,
}

impl Context {
    fn of(records: &Records<'_>) -> Context {
        let Some(leaf) = records.leaf() else {
            return Context::default();
        };
        let path = records.path(leaf);
        let mut gathered = Gathered::of(records, &path.entries);
        Context { turns: gathered.turns(records, &path.entries), path }
    }

    /// Reads the turns, and counts the lines that say nothing.
    fn turns(&self, records: &Records<'_>, blank: &mut usize) -> Vec<Turn> {
        let turns = self.turns.iter();
        turns
            .filter_map(|lines| {
                let lines: Vec<&Record<'_>> = lines.iter().map(|it| &records.all[*it]).collect();
                turn(&lines, blank)
            })
            .collect()
    }
}

/// Lines that belong together, whether or not they are on the path.
struct Gathered {
    /// The lines of each message of the model that is on the path.
    messages: HashMap<String, Vec<usize>>,
    /// The lines that answer a call.
    answers: HashMap<String, Vec<usize>>,
}

impl Gathered {
    fn of(records: &Records<'_>, path: &[usize]) -> Gathered {
        let on_path: HashSet<usize> = path.iter().copied().collect();
        let ids = path.iter().filter_map(|it| records.all[*it].message_id());
        let mut messages: HashMap<String, Vec<usize>> =
            ids.map(|id| (id.to_owned(), Vec::new())).collect();
        let mut answers: HashMap<String, Vec<usize>> = HashMap::new();
        let mut taken = on_path.clone();
        // Parents come before what they are parents of, so one pass finds all.
        for (number, record) in records.all.iter().enumerate() {
            let is_on_path = on_path.contains(&number);
            let is_near = || {
                records.survives(number)
                    && records.is_main(record)
                    && records.spoken_parent(number).is_some_and(|it| taken.contains(&it))
            };
            match &record.kind {
                Kind::Assistant => {
                    let lines = record.message_id().and_then(|id| messages.get_mut(id));
                    if let Some(lines) = lines
                        && (is_on_path || is_near())
                    {
                        lines.push(number);
                        taken.insert(number);
                    }
                }
                Kind::User if is_on_path || is_near() => {
                    for call in record.answers() {
                        let lines = answers.entry(call).or_default();
                        // A result on the path beats one beside it.
                        let beaten = lines.iter().any(|it| on_path.contains(it)) && !is_on_path;
                        if !beaten {
                            lines.retain(|it| is_on_path && on_path.contains(it));
                            lines.push(number);
                        }
                    }
                }
                _ => {}
            }
        }
        Gathered { messages, answers }
    }

    fn turns(&mut self, records: &Records<'_>, path: &[usize]) -> Vec<Vec<usize>> {
        let mut turns: Vec<Vec<usize>> = Vec::new();
        let mut taken: HashSet<usize> = HashSet::new();
        for number in path {
            let record = &records.all[*number];
            if !record.is_shown() || taken.contains(number) {
                continue;
            }
            let message = record.message_id().and_then(|id| self.messages.remove(id));
            let lines = message.unwrap_or_else(|| vec![*number]);
            taken.extend(&lines);
            let calls = lines.iter().flat_map(|it| records.all[*it].calls());
            let answers = calls.flat_map(|call| self.answers.remove(&call).unwrap_or_default());
            let mut answers: Vec<usize> = answers.filter(|it| !taken.contains(it)).collect();
            answers.sort_unstable();
            answers.dedup();
            taken.extend(&answers);
            turns.push(lines);
            turns.push(answers);
        }
        turns.retain(|lines| !lines.is_empty());
        turns
    }
}

/// Makes a turn of lines; `None` if they say nothing.
fn turn(lines: &[&Record<'_>], blank: &mut usize) -> Option<Turn> {
    let first = lines.first()?;
    let role = match first.kind {
        Kind::Assistant => Role::Assistant,
        _ => Role::User,
    };
    let mut blocks: Vec<Block> = Vec::new();
    for line in lines {
        let said = line.blocks();
        *blank += usize::from(said.is_empty());
        blocks.extend(said);
    }
    if blocks.is_empty() {
        return None;
    }
    let mut turn = Turn::new(role, blocks);
    let id = first.message_id().map(str::to_owned);
    turn.id = id.or_else(|| first.uuid.clone());
    turn.time = first.time.as_deref().and_then(|it| it.parse().ok());
    if role == Role::Assistant {
        let message = |key| lines.iter().rev().find_map(|line| line.of_message(key));
        turn.model = message("model")
            .and_then(|raw| serde_json::from_str(raw).ok())
            .filter(|model| model != SYNTHETIC);
        turn.usage = message("usage").and_then(usage);
    }
    Some(turn)
}

/// The model of messages that no model wrote.
const SYNTHETIC: &str = "<synthetic>";

/// Reads what was counted. Nothing sent means that nothing was counted.
fn usage(raw: &str) -> Option<Usage> {
    let value: Value = serde_json::from_str(raw).ok()?;
    let usage = Usage {
        input: number(&value, "input_tokens"),
        output: number(&value, "output_tokens"),
        cache_read: number(&value, "cache_read_input_tokens"),
        cache_write: number(&value, "cache_creation_input_tokens"),
    };
    (usage.sent() > 0).then_some(usage)
}

/// Counts the records that are not context, by what they are.
fn count_others(records: &Records<'_>, context: &Context, transcript: &mut Transcript) {
    let shown: HashSet<usize> = context.turns.iter().flatten().copied().collect();
    let is_boundary = |it: &&usize| records.all[**it].kind == Kind::Boundary;
    let boundary = context.path.entries.iter().rfind(is_boundary).copied();
    for (number, record) in records.all.iter().enumerate() {
        let name = match &record.kind {
            Kind::Unknown(name) => {
                transcript.count_unknown(name);
                continue;
            }
            Kind::Passed(name) => name,
            Kind::Boundary => "system/compact_boundary",
            _ if shown.contains(&number) => continue,
            _ if !records.is_main(record) => "sidechain",
            _ if !records.survives(number) => "copy",
            _ if boundary.is_some_and(|it| number < it) => "compacted",
            _ => "other branch",
        };
        transcript.pass_over(name);
    }
}

/// Joins turns of the user as the agent does before it sends them: results first.
///
/// The second list has the number of the turn that each begins with.
fn as_sent(turns: &[Turn]) -> (Vec<Turn>, Vec<usize>) {
    let mut sent: Vec<Turn> = Vec::new();
    let mut numbers = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        match sent.last_mut() {
            Some(last) if last.role == Role::User && turn.role == Role::User => {
                last.blocks.extend(turn.blocks.iter().cloned());
                let is_result = |it: &Block| matches!(it.content, Content::Result(_));
                last.blocks.sort_by_key(|block| !is_result(block));
            }
            _ => {
                sent.push(turn.clone());
                numbers.push(number);
            }
        }
    }
    (sent, numbers)
}
