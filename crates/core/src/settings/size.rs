//! Sizes of files as people write them: `2MiB`, `500kB`, `4096`.

/// The units by name, in lower case; a bare number is bytes.
const UNITS: [(&str, u64); 8] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// Why a text is not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is not a size; write bytes or a unit: 4096, 500kB, 2MiB, 1GiB")]
pub struct ParseSizeError {
    value: String,
}

/// Parses a whole number of bytes with an optional unit, in any case.
///
/// `kB`, `MB` and `GB` are powers of 1,000; `KiB`, `MiB` and `GiB` of 1,024.
///
/// ```
/// assert_eq!(loadline::settings::parse_size("2MiB"), Ok(2 * 1024 * 1024));
/// ```
pub fn parse_size(text: &str) -> Result<u64, ParseSizeError> {
    parse(text.trim()).ok_or_else(|| ParseSizeError { value: text.to_owned() })
}

fn parse(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
    digits.parse::<u64>().ok()?.checked_mul(*scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_with_and_without_units() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4_096),
            ("12B", 12),
            ("500kB", 500_000),
            ("2MiB", 2_097_152),
            ("2 mib", 2_097_152),
            ("1GB", 1_000_000_000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }
}
