//! Numbers, amounts and times as people read them.

use jiff::Timestamp;
pub(super) use loadline::text::{plural, thousands};
use loadline::usage::UsageGroup;

/// Writes a number briefly: 812, 12.3k, 1.4M.
pub(super) fn brief(number: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let value = number as f64 / unit;
        if value < 100.0 { format!("{value:.1}{name}") } else { format!("{value:.0}{name}") }
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// Writes an amount of money: $1,234.50.
pub(super) fn dollars(amount: f64) -> String {
    let sign = if amount < -0.005 { "-" } else { "" };
    let cents = (amount.abs() * 100.0).round() as u64;
    format!("{sign}${}.{:02}", thousands(cents / 100), cents % 100)
}

/// Writes what requests cost. For those without a price no money is made up.
pub(super) fn cost(group: &UsageGroup) -> String {
    let is_partial = group.unpriced > 0 && group.unpriced < group.requests;
    let rest = if is_partial { " + unpriced" } else { "" };
    amount(group, group.cost) + rest
}

/// Writes an amount of money that requests caused, unless none of them has a price.
pub(super) fn amount(group: &UsageGroup, amount: f64) -> String {
    if group.requests > 0 && group.unpriced == group.requests {
        "no price".to_owned()
    } else {
        dollars(amount)
    }
}

pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.0} %", part / whole * 100.0) } else { String::new() }
}

/// Writes a size in bytes: 812 B, 1.4 MB.
pub(super) fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{} kB", number / 1_000),
        _ => format!("{:.1} MB", number as f64 / 1e6),
    }
}

/// Writes a time to the minute, in UTC.
pub(super) fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Writes a time given in nanoseconds since 1970 to the minute.
pub(super) fn minute_ns(time: i64) -> String {
    Timestamp::from_nanosecond(i128::from(time)).map_or_else(|_| String::new(), minute)
}

/// Writes how long something took: 45 s, 12 min, 3 h 5 min, 2 days.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.0} s");
    }
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0..60 => format!("{minutes} min"),
        60..2_880 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => plural(minutes / 1_440, "day"),
    }
}

/// Shortens a text to some characters, at its end.
pub(super) fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Shortens a path to some characters, at its beginning: its end says which one it is.
pub(super) fn clipped_path(path: &str, most: usize) -> String {
    let length = path.chars().count();
    if length <= most {
        return path.to_owned();
    }
    let kept: String = path.chars().skip(length + 1 - most).collect();
    format!("…{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([812, 12_340, 1_400_000].map(brief), ["812", "12.3k", "1.4M"]);
        assert_eq!([0.0, 1234.5, -0.25].map(dollars), ["$0.00", "$1,234.50", "-$0.25"]);
        assert_eq!(
            [45.0, 700.0, 11_100.0, 2e5].map(duration),
            ["45 s", "12 min", "3 h 5 min", "2 days"]
        );
        let group =
            |unpriced| UsageGroup { requests: 2, unpriced, cost: 1.5, ..UsageGroup::default() };
        assert_eq!([0, 1, 2].map(|it| cost(&group(it))), ["$1.50", "$1.50 + unpriced", "no price"]);
        assert_eq!(clipped_path("/home/me/project", 8), "…project");
        assert_eq!(clipped("one two", 5), "one…");
    }
}
