//! Lengths of time as people write them: `24h`, `30d`, `1500ms`.
//!
//! A bare number is refused on purpose. One of the older formats used the same
//! key for days in one place and for milliseconds in another; a unit settles it.

use std::time::Duration;

/// The units, largest first: the order in which [`format_duration`] tries them.
const UNITS: [(&str, u64); 6] = [
    ("w", 7 * 24 * 60 * 60 * 1000),
    ("d", 24 * 60 * 60 * 1000),
    ("h", 60 * 60 * 1000),
    ("m", 60 * 1000),
    ("s", 1000),
    ("ms", 1),
];

/// Why a text is not a length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is not a duration; write a number and a unit: 1500ms, 90s, 5m, 24h, 30d or 2w")]
pub struct ParseDurationError {
    value: String,
}

/// Parses a whole number followed by `ms`, `s`, `m`, `h`, `d` or `w`.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(loadline::settings::parse_duration("5m"), Ok(Duration::from_secs(300)));
/// assert!(loadline::settings::parse_duration("30").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, ParseDurationError> {
    parse(text.trim()).ok_or_else(|| ParseDurationError { value: text.to_owned() })
}

fn parse(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, unit) = text.split_at(end);
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit.trim_start())?;
    let millis = digits.parse::<u64>().ok()?.checked_mul(*scale)?;
    Some(Duration::from_millis(millis))
}

/// Writes a duration in the largest unit that says it exactly, down to milliseconds.
///
/// Weeks are read but never written: days are what people configure.
pub fn format_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let fitting =
        UNITS.iter().skip(1).find(|(_, scale)| millis > 0 && millis.is_multiple_of(*scale));
    match fitting {
        Some((unit, scale)) => format!("{}{unit}", millis / scale),
        None => "0s".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_its_largest_exact_unit() {
        for text in ["0s", "1ms", "1500ms", "90s", "5m", "24h", "30d"] {
            let duration = parse_duration(text).unwrap();
            let again = format_duration(duration);
            assert_eq!(parse_duration(&again), Ok(duration), "{text}");
        }
        assert_eq!(format_duration(Duration::from_secs(86_400)), "1d");
        assert_eq!(format_duration(Duration::from_millis(3_600_000)), "1h");
        assert_eq!(format_duration(Duration::from_millis(1_500)), "1500ms");
    }
}
