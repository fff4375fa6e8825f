//! Sessions that look real, of any size, the same in every run.

use serde_json::{Value, json};

use super::inputs::{LANGUAGES, Writer, text};

/// Writes the log of a session of Claude Code: reads, edits, commands and words
/// between them, until it is `bytes` long.
pub(crate) fn claude_code(bytes: usize) -> Vec<u8> {
    let mut log = Log::default();
    log.record("user", json!(format!("Fix this.\n{}", sentences(0, 900))));
    let mut round = 0;
    while log.bytes.len() < bytes {
        log.round(round);
        round += 1;
        if round % 12 == 0 {
            log.record("user", json!(sentences(round, 300)));
        }
    }
    log.bytes
}

#[derive(Default)]
struct Log {
    bytes: Vec<u8>,
    records: usize,
}

impl Log {
    fn record(&mut self, kind: &str, content: Value) {
        let parent = self.records.checked_sub(1).map(|it| format!("u{it}"));
        let mut message = json!({"role": kind, "content": content});
        if kind == "assistant" {
            message["id"] = json!(format!("msg_{}", self.records));
            message["type"] = json!("message");
            message["model"] = json!("claude-opus-4-8");
        }
        let record = json!({
            "parentUuid": parent,
            "isSidechain": false,
            "userType": "external",
            "cwd": "/srv/app",
            "sessionId": "5e55",
            "version": "2.1.0",
            "type": kind,
            "uuid": format!("u{}", self.records),
            "timestamp": "2026-01-05T10:00:00.000Z",
            "message": message,
        });
        self.bytes.extend(record.to_string().bytes());
        self.bytes.push(b'\n');
        self.records += 1;
    }

    /// A call with its result, as long as they are in practice.
    fn round(&mut self, round: usize) {
        let (_, ending, writer) = LANGUAGES[round % LANGUAGES.len()];
        let path = format!("/srv/app/src/part{}/file{}.{ending}", round % 7, round % 31);
        let (name, input, result) = match round % 5 {
            0 | 3 => {
                let shown = numbered(writer, 2_000 + 900 * (round % 9), round % 31);
                ("Read", json!({"file_path": path}), shown)
            }
            1 => {
                let (old, new) = (text(writer, 300, 5), text(writer, 500, round as u64));
                let input = json!({"file_path": path, "old_string": old, "new_string": new});
                ("Edit", input, format!("The file {path} has been updated."))
            }
            2 => {
                let output = text(writer, 1_500, round as u64);
                let command = format!("cargo test part{} 2>&1 | tail -40", round % 7);
                ("Bash", json!({"command": command}), output)
            }
            _ => {
                let found = text(writer, 1_200, round as u64);
                let lines = found.lines().enumerate();
                let lines = lines.map(|(at, line)| format!("{path}:{at}:{line}\n"));
                let input = json!({"pattern": "expire_session", "path": "src"});
                ("Grep", input, lines.collect())
            }
        };
        let id = format!("toolu_{round}");
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        let words = json!({"type": "text", "text": sentences(round, 120)});
        self.record("assistant", json!([words, call]));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": result});
        self.record("user", json!([result]));
    }
}

fn sentences(seed: usize, bytes: usize) -> String {
    let (_, _, markdown) = LANGUAGES[4];
    let mut words = text(markdown, bytes, seed as u64);
    words.truncate(words.floor_char_boundary(bytes));
    words
}

fn numbered(writer: Writer, bytes: usize, seed: usize) -> String {
    let text = text(writer, bytes, seed as u64);
    let lines = text.lines().enumerate();
    lines.map(|(at, line)| format!("{:>6}→{line}\n", at + 1)).collect()
}
