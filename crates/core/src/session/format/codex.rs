//! Logs of the Codex CLI ("rollouts"): one record on each line.
//!
//! Context are the items of the Responses API, which `response_item` records
//! hold, and the instructions of the first `session_meta`. A `compacted` record
//! puts other items in the place of all before it; `event_msg` records say the
//! same things again for people, but count what was billed and take turns back.
//!
//! A draft is written in the way Codex itself compacts: by a `compacted` record at
//! the end, whose `replacement_history` is all that a resumed session starts
//! from. Behind it stands the last `turn_context` once more where the draft keeps
//! what Codex said about the workspace, since Codex would say it again otherwise.

use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::check::{Answers, Violation};
use super::frame::{Entry, Head, each_entry, left_out, open_end};
use super::items::{Items, build_items, check};
use super::json::{Members, Source, elements, list, members, number, quoted, string, value};
use super::names::{Name, time_text};
use super::parts::joined;
use super::{Codec, SessionFormat, malformed};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn, Usage};

pub(super) struct Codex;

/// How messages begin that Codex writes in the user's name.
const NOT_THE_USER: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
];

impl Codec for Codex {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_record = |it: &Members<'_>| {
            it.contains_key("payload")
                && matches!(
                    string(it.get("type")).as_deref(),
                    Some(
                        "session_meta"
                            | "response_item"
                            | "event_msg"
                            | "turn_context"
                            | "compacted"
                    )
                )
        };
        head.objects.iter().any(is_record)
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let log = Log::of(source);
        if log.records == 0 {
            return Err(malformed(SessionFormat::Codex, "it has no records"));
        }
        *transcript = log.items.transcript;
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let source = transcript.source();
        let log = Log::of(source);
        let items = log.items.write(source, &draft.turns);
        let said: Vec<&str> = draft
            .turns
            .iter()
            .filter_map(|turn| match turn {
                DraftTurn::New { text, .. } => Some(text.as_str()),
                DraftTurn::Of { .. } => None,
            })
            .collect();
        let mut written = open_end(source);
        let line = format!(
            r#"{{"timestamp":{},"type":"compacted","payload":{{"message":{},"replacement_history":{}}}}}"#,
            quoted(&log.time),
            quoted(&said.join("\n\n")),
            list(&items),
        );
        written.extend(line.into_bytes());
        written.push(b'\n');
        if log.keeps_setting(draft) {
            written.extend(source[log.setting].trim_ascii());
            written.push(b'\n');
        }
        Ok(written)
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let mut written = String::new();
        let mut record = |at: &str, kind: &str, payload: Value| {
            let line = json!({"timestamp": at, "type": kind, "payload": payload});
            written.push_str(&line.to_string());
            written.push('\n');
        };
        let at = time_text(turns.iter().find_map(|turn| turn.time));
        record(&at, "session_meta", build_meta(turns, transcript, &at));
        for turn in turns.iter().filter(|turn| turn.role != Role::System) {
            let at = turn.time.map_or_else(|| at.clone(), |it| time_text(Some(it)));
            for item in build_items(turn, transcript) {
                record(&at, "response_item", item);
            }
            if turn.role == Role::User {
                let event = json!({"type": "user_message", "message": joined(turn)});
                record(&at, "event_msg", event);
            }
        }
        written.into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        // Codex answers by itself what was never answered.
        check(transcript, Answers::Optional)
    }

    /// A call whose reasoning is gone is refused.
    fn may_drop_thinking(&self) -> bool {
        false
    }
}

fn build_meta(turns: &[Turn], transcript: &Transcript, at: &str) -> Value {
    let systems = turns.iter().filter(|turn| turn.role == Role::System);
    let system: Vec<String> = systems.map(joined).collect();
    let name = transcript.session.as_deref().unwrap_or_default();
    let said: Vec<String> = turns.iter().map(joined).collect();
    let id = Name::of(&[&"codex", &name, &said.join("\n")]).uuid();
    let mut meta = json!({
        "id": id,
        "session_id": id,
        "timestamp": at,
        "cwd": transcript.directory.as_deref().unwrap_or("."),
        "originator": "loadline",
        "cli_version": "0.0.0",
        "source": "cli",
        "model_provider": null,
    });
    if !system.is_empty() {
        meta["base_instructions"] = json!({"text": system.join("\n\n")});
    }
    meta
}

/// A log, read to its end.
struct Log {
    items: Items,
    /// How many records were understood.
    records: usize,
    /// The last time that a record names.
    time: String,
    /// The last `turn_context`.
    setting: Range<usize>,
    /// How many turns are instructions and no items.
    instructions: usize,
}

impl Log {
    fn of(source: &[u8]) -> Log {
        let mut log = Log {
            items: Items::of(SessionFormat::Codex),
            records: 0,
            time: time_text(None),
            setting: 0..0,
            instructions: 0,
        };
        let mut remarks = Vec::new();
        each_entry(source, &mut remarks, |entry| {
            let is_record = log.read(&entry).is_some();
            log.records += usize::from(is_record);
            is_record
        });
        log.items.transcript.notes.extend(remarks);
        log
    }

    fn read(&mut self, entry: &Entry<'_>) -> Option<()> {
        let (line, record) = (entry.line, &entry.members);
        let kind = string(record.get("type"))?;
        let payload: &RawValue = record.get("payload")?;
        if let Some(time) = string(record.get("timestamp")) {
            self.time = time;
        }
        match kind.as_str() {
            "session_meta" => self.meta(line, payload),
            "turn_context" => {
                let members: Members<'_> = serde_json::from_str(payload.get()).ok()?;
                self.items.transcript.model =
                    string(members.get("model")).or(self.items.transcript.model.take());
                self.items.transcript.directory =
                    string(members.get("cwd")).or(self.items.transcript.directory.take());
                self.setting = line.place(line.text);
                self.items.transcript.pass_over("turn_context");
            }
            "response_item" => self.item(line, payload.get()),
            "compacted" => self.compacted(line, payload),
            "event_msg" => self.event(payload),
            "inter_agent_communication" => self.communication(line, payload),
            "world_state" | "security_risk_score" | "inter_agent_communication_metadata" => {
                self.items.transcript.pass_over(&kind);
            }
            _ => self.items.transcript.count_unknown(&kind),
        }
        Some(())
    }

    fn meta(&mut self, line: Source<'_>, payload: &RawValue) {
        self.items.transcript.pass_over("session_meta");
        let meta = members(payload.get());
        // A log that was forked repeats what it was forked from.
        if self.items.transcript.session.is_none() {
            self.items.transcript.session = string(meta.get("id"));
            self.items.transcript.directory = string(meta.get("cwd"));
        }
        let instructions = meta.get("base_instructions").map(|it| it.get());
        let instructions = instructions.and_then(|it| serde_json::from_str::<Members<'_>>(it).ok());
        if self.items.transcript.turns.is_empty()
            && let Some(raw) = instructions.as_ref().and_then(|it| it.get("text"))
            && let Some(text) = string(Some(raw))
        {
            let block = Block::new(Content::Text(text), line.place(raw.get()));
            self.items.transcript.turns.push(Turn::new(Role::System, vec![block]));
            self.instructions = 1;
        }
    }

    fn item(&mut self, line: Source<'_>, raw: &str) {
        let before = self.items.transcript.turns.len();
        if !self.items.read(line, raw) {
            self.items.transcript.notes.push(left_out(line, raw));
        }
        for turn in &mut self.items.transcript.turns[before..] {
            turn.time = self.time.parse().ok();
            if turn.role == Role::Assistant {
                turn.model.clone_from(&self.items.transcript.model);
            }
        }
    }

    fn compacted(&mut self, line: Source<'_>, payload: &RawValue) {
        let members = members(payload.get());
        let history = members.get("replacement_history").map(|it| it.get());
        if let Some(history) = history.filter(|it| it.starts_with('[')) {
            self.items.truncate(self.instructions);
            for raw in elements(history) {
                self.item(line, raw);
            }
            return;
        }
        // Older logs name no items: what the user said stays, and the summary.
        let instructions = self.instructions;
        self.items.retain(|number, turn| number < instructions || is_user(turn));
        if let Some(message) = members.get("message") {
            self.item(line, message.get());
        }
    }

    fn event(&mut self, payload: &RawValue) {
        let event = value(payload.get());
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "token_count" => self.count(&event["info"]["last_token_usage"]),
            "thread_rolled_back" => self.roll_back(number(&event, "num_turns")),
            _ => {}
        }
        self.items.transcript.pass_over(&format!("event_msg {kind}"));
    }

    fn count(&mut self, usage: &Value) {
        let turns = self.items.transcript.turns.iter_mut().rev();
        let mut answers = turns.filter(|turn| turn.role == Role::Assistant);
        if let (true, Some(turn)) = (usage.is_object(), answers.next()) {
            let cached = number(usage, "cached_input_tokens");
            turn.usage = Some(Usage {
                input: number(usage, "input_tokens").saturating_sub(cached),
                output: number(usage, "output_tokens"),
                cache_read: cached,
                cache_write: 0,
            });
        }
    }

    /// Takes back what the user said last, `count` times, with all that followed.
    fn roll_back(&mut self, count: u64) {
        let turns = &self.items.transcript.turns;
        let said: Vec<usize> = (0..turns.len()).filter(|it| is_user(&turns[*it])).collect();
        let Some(first) = said.first().filter(|_| count > 0) else {
            return;
        };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let mut cut = said[said.len().saturating_sub(count)];
        // What was said about the workspace for that turn goes with it.
        while cut > *first && is_setting(&turns[cut - 1]) {
            cut -= 1;
        }
        self.items.truncate(cut);
    }

    /// A message from another agent, which the model is shown as one of the user's.
    fn communication(&mut self, line: Source<'_>, payload: &RawValue) {
        let members = members(payload.get());
        if let Some(content) = members.get("content") {
            self.item(line, content.get());
        }
    }

    /// Tells whether a draft keeps what Codex said about the workspace.
    fn keeps_setting(&self, draft: &Draft) -> bool {
        let is_kept = |turn: &DraftTurn| match turn {
            DraftTurn::Of { turn, blocks } => {
                *turn >= self.instructions
                    && !blocks.is_empty()
                    && self.items.transcript.turns.get(*turn).is_some_and(is_setting)
            }
            DraftTurn::New { .. } => false,
        };
        !self.setting.is_empty() && draft.turns.iter().any(is_kept)
    }
}

/// Tells whether the user said this, and not Codex in the user's name.
fn is_user(turn: &Turn) -> bool {
    turn.role == Role::User && !is_setting(turn)
}

/// Tells whether Codex said this about the workspace and its rules.
fn is_setting(turn: &Turn) -> bool {
    let first = turn.texts().next().unwrap_or_default().trim_start();
    let is_in_the_users_name = NOT_THE_USER.iter().any(|it| first.starts_with(it));
    turn.role == Role::System || turn.role == Role::User && is_in_the_users_name
}

#[cfg(test)]
mod tests;
