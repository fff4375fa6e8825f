//! Names and times of what is added: they follow from the content, so that the same
//! input gives the same bytes.

use std::fmt::Display;

use jiff::Timestamp;

/// The time of what has none.
pub(super) const NO_TIME: &str = "1970-01-01T00:00:00.000Z";

/// Writes a time as agents do, to the millisecond.
pub(super) fn time_text(time: Option<Timestamp>) -> String {
    format!("{:.3}", time.unwrap_or(Timestamp::UNIX_EPOCH))
}

/// The time of the last record that has one, since the library reads no clock.
pub(super) fn last_time<'a>(times: impl DoubleEndedIterator<Item = &'a Option<String>>) -> String {
    times.rev().flatten().next().cloned().unwrap_or(NO_TIME.to_owned())
}

/// A name that follows from what it names.
pub(super) struct Name(blake3::Hash);

impl Name {
    /// Makes a name from parts, which are told apart.
    pub(super) fn of(parts: &[&dyn Display]) -> Name {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let part = part.to_string();
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Name(hasher.finalize())
    }

    /// The name as a UUID; it looks like a random one.
    pub(super) fn uuid(&self) -> String {
        let hex = self.0.to_hex();
        let [a, b, c, d, e] = [0..8, 8..12, 13..16, 17..20, 20..32].map(|range| &hex[range]);
        format!("{a}-{b}-4{c}-8{d}-{e}")
    }

    /// The first digits of the name.
    pub(super) fn digits(&self, count: usize) -> String {
        self.0.to_hex().chars().take(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_their_parts() {
        let name = Name::of(&[&"a", &1]).uuid();
        assert_eq!(name, Name::of(&[&"a", &1]).uuid());
        assert_ne!(name, Name::of(&[&"a1", &""]).uuid());
        assert_eq!((name.len(), &name[14..15]), (36, "4"));
    }
}
