//! Times in records: text such as `2026-01-31T12:00:00Z`, to the nanosecond.

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(source)?;
    text.parse().map_err(D::Error::custom)
}

/// The same for a time that may be missing.
pub(super) mod maybe {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => serializer.collect_str(time),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        source: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(source)?;
        let time = text.map(|text| text.parse().map_err(D::Error::custom));
        time.transpose()
    }
}
