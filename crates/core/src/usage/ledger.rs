//! A ledger of rounds in a file: an object per line, or a list.

use serde_json::Value;

use super::tracker::RoundUsage;
use crate::{Diagnose, Diagnosis, Remark};

/// Why there is nothing to report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// No line says what a round or a request used.
    #[error("no usage found")]
    NoUsage,
}

impl Diagnose for UsageError {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::operation("LL-USE-001").hint(
            "give a ledger with lines such as {\"input\":1000,\"output\":500,\"budget\":8000}, \
             or the log of an agent",
        )
    }
}

/// A ledger that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerRead {
    /// The rounds, in the order of the file.
    pub rounds: Vec<RoundUsage>,
    /// Lines that could not be read, and why.
    pub notes: Vec<Remark>,
}

/// Reads a ledger: an object per line, or a list of objects.
///
/// A line that is wrong costs a note that names the field; the others count.
///
/// ```
/// let read = loadline::usage::read_ledger(b"{\"input\": 10, \"output\": 5}\n{\"input\": -1}\n");
/// assert_eq!(read.rounds.len(), 1);
/// let note = read.notes[0].to_string();
/// assert!(note.starts_with("line 2: `input`: invalid value: integer `-1`"), "{note}");
/// ```
pub fn read_ledger(bytes: &[u8]) -> LedgerRead {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut ledger = LedgerRead::default();
    if let Ok(Value::Array(entries)) = serde_json::from_str(text) {
        for (number, entry) in entries.into_iter().enumerate() {
            ledger.add(format!("entry {}", number + 1), entry);
        }
        return ledger;
    }
    for (number, line) in text.lines().enumerate() {
        let subject = format!("line {}", number + 1);
        match serde_json::from_str(line) {
            _ if line.trim().is_empty() => {}
            Ok(entry) => ledger.add(subject, entry),
            Err(error) => ledger.notes.push(Remark::new(subject, format!("no JSON: {error}"))),
        }
    }
    ledger
}

impl LedgerRead {
    fn add(&mut self, subject: String, entry: Value) {
        let names = ["input", "inputTokens", "input_tokens"];
        let is_entry = names.iter().any(|name| entry.get(*name).is_some());
        if !is_entry {
            self.notes.push(Remark::new(subject, "it has no `input`; passed over"));
            return;
        }
        match serde_path_to_error::deserialize::<_, RoundUsage>(entry) {
            Ok(round) => self.rounds.push(round),
            Err(error) => {
                let message = format!("`{}`: {}; passed over", error.path(), error.inner());
                self.notes.push(Remark::new(subject, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f129_a_ledger_has_either_spelling() {
        let read = read_ledger(
            br#"{"round":1,"inputTokens":10,"outputTokens":5,"contextTokens":2,"fileContentTokens":3,"budget":100,"cacheRead":4,"cacheCreation":1}
{"round":2,"input_tokens":20,"output_tokens":6,"file_content":7,"cache_read":8,"cache_write":9,"model":"gpt-5"}

not json
{"note": "hello"}
{"input": 1, "output": "many"}
"#,
        );
        assert_eq!(read.rounds.len(), 2);
        let [first, second] = &read.rounds[..] else {
            panic!("{read:?}");
        };
        assert_eq!((first.input, first.context, first.file_content), (10, 2, 3));
        assert_eq!((first.cache_read, first.cache_creation), (4, 1));
        assert_eq!((second.file_content, second.cache_creation), (7, 9));
        let notes: Vec<String> = read.notes.iter().map(Remark::to_string).collect();
        assert!(notes[0].starts_with("line 4: no JSON"), "{notes:?}");
        assert!(notes[1].starts_with("line 5: it has no `input`"), "{notes:?}");
        assert!(notes[2].starts_with("line 6: `output`: "), "{notes:?}");
        assert_eq!(read_ledger(br#"[{"input":1},{"input":2}]"#).rounds.len(), 2);
        assert_eq!(read_ledger(b""), LedgerRead::default());
    }
}
