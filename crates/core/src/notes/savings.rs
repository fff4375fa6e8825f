//! What compactions saved, read from the history that they leave behind.
//!
//! Reads `<feature>/.compaction/history/*.json` and nothing else of it; a
//! record that makes no sense costs a note.

use std::fs;

use jiff::Timestamp;
use serde::Deserialize;

use super::{COMPACTION_DIRECTORY, Feature, Level};
use crate::Remark;
use crate::tokens::Tokens;

/// One compaction that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// The feature.
    pub feature: String,
    /// The name of the record, by which it can be reverted.
    pub id: String,
    /// When it was carried out.
    pub time: Timestamp,
    /// The level.
    pub level: String,
    /// The tokens of the feature before.
    pub tokens_before: Tokens,
    /// The tokens of the feature after.
    pub tokens_after: Tokens,
    /// Until when it can be reverted, if that is known.
    pub expires: Option<Timestamp>,
    /// Whether it was taken back.
    pub reverted: bool,
}

impl Saving {
    /// Returns what was saved, which is nothing if it was taken back.
    pub fn saved(&self) -> Tokens {
        if self.reverted {
            Tokens::ZERO
        } else {
            self.tokens_before.saturating_sub(self.tokens_after)
        }
    }
}

/// A record as it is written; unknown members are no concern here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    timestamp: String,
    level: String,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    expires_at: Option<String>,
    #[serde(default)]
    reverted: bool,
}

/// Reads what the compactions of a feature saved, the oldest first.
pub fn read_savings(feature: &Feature) -> (Vec<Saving>, Vec<Remark>) {
    let directory = feature
        .directory()
        .join(COMPACTION_DIRECTORY)
        .join("history");
    let (mut savings, mut notes) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let read = fs::read(&path).map_err(|error| error.to_string());
        let parsed = read.and_then(|bytes| parse(feature.name(), &bytes));
        match parsed {
            Ok(saving) => savings.extend(saving),
            Err(reason) => {
                let message = format!("no record of a compaction: {reason}");
                notes.push(Remark::new(path.display().to_string(), message));
            }
        }
    }
    savings.sort_by(|left, right| (left.time, &left.id).cmp(&(right.time, &right.id)));
    notes.sort();
    (savings, notes)
}

/// Reads a record; reverts and prunings are in the history too, and are none.
fn parse(feature: &str, bytes: &[u8]) -> Result<Option<Saving>, String> {
    let record: Record = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let sizes = (record.tokens_before, record.tokens_after);
    let (Ok(_), (Some(before), Some(after))) = (record.level.parse::<Level>(), sizes) else {
        return Ok(None);
    };
    let time = record.timestamp.parse();
    Ok(Some(Saving {
        feature: feature.to_owned(),
        id: record.id,
        time: time.map_err(|_| format!("{:?} is no time", record.timestamp))?,
        level: record.level,
        tokens_before: Tokens::new(before),
        tokens_after: Tokens::new(after),
        expires: record.expires_at.and_then(|time| time.parse().ok()),
        reverted: record.reverted,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::feature;
    use super::*;

    #[test]
    fn f274_savings_come_from_the_history_and_bad_records_cost_a_note() {
        let (_directory, feature) = feature(&[("progress.md", "x")]);
        let history = feature.directory().join(".compaction/history");
        fs::create_dir_all(&history).unwrap();
        let record = |id: &str, time: &str, reverted: bool| {
            format!(
                r#"{{"id":"{id}","timestamp":"{time}","level":"compact","tokensBefore":18670,
                "tokensAfter":10220,"savedTokens":8450,"files":[],"canRevert":true,
                "expiresAt":"2024-01-26T10:15:00Z","reverted":{reverted},"other":1}}"#
            )
        };
        let write = |name: &str, text: &str| fs::write(history.join(name), text).unwrap();
        write("b.json", &record("compact_2", "2024-01-25T10:15:00Z", true));
        write(
            "a.json",
            &record("compact_1", "2024-01-24T10:15:00Z", false),
        );
        write("c.json", "{}");
        let revert = record("revert_3", "2024-01-26T10:15:00Z", false);
        write("e.json", &revert.replace("\"compact\"", "\"revert\""));
        write("d.txt", "no record");
        let (savings, notes) = read_savings(&feature);
        let ids: Vec<&str> = savings.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["compact_1", "compact_2"]);
        assert_eq!(savings[0].saved(), Tokens::new(8_450));
        assert_eq!(savings[1].saved(), Tokens::ZERO);
        assert!(savings[0].expires.is_some());
        assert_eq!(notes.len(), 1);
        assert!(notes[0].subject.ends_with("c.json"), "{notes:?}");
    }
}
