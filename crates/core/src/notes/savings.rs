//! Sums up what compactions saved, from the history that they leave behind.

use jiff::Timestamp;
use serde::Serialize;

use super::{Feature, HistoryEntry, Level, history};
use crate::Remark;
use crate::tokens::Tokens;

/// One compaction that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Saving {
    /// The feature.
    pub feature: String,
    /// The name of the record, by which it can be reverted.
    pub id: String,
    /// When it was carried out.
    #[serde(rename = "timestamp")]
    pub time: Timestamp,
    /// The level.
    pub level: String,
    /// The tokens of the feature before.
    pub tokens_before: Tokens,
    /// The tokens of the feature after.
    pub tokens_after: Tokens,
    /// Until when it can be reverted, if that is known.
    #[serde(rename = "expires_at")]
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

/// Reads what the compactions of a feature saved, oldest first.
///
/// Reverts and prunes are in the history too, and save nothing.
pub fn read_savings(feature: &Feature) -> (Vec<Saving>, Vec<Remark>) {
    let (entries, notes) = match history(feature) {
        Ok(read) => read,
        Err(error) => return (Vec::new(), vec![Remark::new("history", error.to_string())]),
    };
    let saving = |entry: HistoryEntry| {
        entry.level.parse::<Level>().ok()?;
        Some(Saving {
            feature: feature.name().to_owned(),
            id: entry.id,
            time: entry.timestamp,
            level: entry.level,
            tokens_before: Tokens::new(entry.tokens_before?),
            tokens_after: Tokens::new(entry.tokens_after?),
            expires: Some(entry.expires_at),
            reverted: entry.reverted,
        })
    };
    let mut savings: Vec<Saving> = entries.into_iter().filter_map(saving).collect();
    savings.sort_by(|left, right| (left.time, &left.id).cmp(&(right.time, &right.id)));
    (savings, notes)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        write("a.json", &record("compact_1", "2024-01-24T10:15:00Z", false));
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
        assert!(notes[0].message.contains("c.json is damaged"), "{notes:?}");
    }
}
