//! How a value of an older format becomes one of ours.

use std::time::Duration;

use serde_json::Value as Json;
use toml::Value;

use crate::settings::duration::format_duration;
use crate::settings::number::from_fraction;

/// A conversion; `None` means that the value cannot be carried over.
pub(super) type Convert = fn(&Json) -> Option<Value>;

/// Keeps texts, numbers, flags and lists as they are.
pub(super) fn same(value: &Json) -> Option<Value> {
    Some(match value {
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::String(text) => Value::String(text.clone()),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64()?),
        },
        Json::Array(items) => Value::Array(items.iter().map(same).collect::<Option<_>>()?),
        Json::Null | Json::Object(_) => return None,
    })
}

/// Takes one text for a list of one.
pub(super) fn list(value: &Json) -> Option<Value> {
    match value {
        Json::String(text) => Some(Value::Array(vec![Value::String(text.clone())])),
        other => same(other),
    }
}

/// Turns a fraction, 0.3, into percent, 30.
pub(super) fn fraction_to_percent(value: &Json) -> Option<Value> {
    Some(number(from_fraction(value.as_f64()?)))
}

/// Keeps percent; with a sign where a point could make it look like a fraction.
pub(super) fn percent(value: &Json) -> Option<Value> {
    Some(match number(value.as_f64()?) {
        Value::Float(percent) => Value::String(format!("{percent}%")),
        whole => whole,
    })
}

/// Turns percent, 40, into a share, "40%".
pub(super) fn percent_to_share(value: &Json) -> Option<Value> {
    Some(Value::String(format!("{}%", value.as_f64()?)))
}

/// Turns milliseconds into a duration.
pub(super) fn millis(value: &Json) -> Option<Value> {
    duration(value.as_u64()?)
}

/// Turns hours into a duration; fractions of an hour are kept to the millisecond.
pub(super) fn hours(value: &Json) -> Option<Value> {
    let hours = value.as_f64().filter(|hours| *hours >= 0.0)?;
    duration((hours * 3_600_000.0).round() as u64)
}

/// Turns an age into a duration: below 1,000 it is meant in days, else in milliseconds.
///
/// The older code had both, under one name; no sane age in milliseconds is
/// below a second, and none in days above 999.
pub(super) fn age(value: &Json) -> Option<Value> {
    match value.as_u64()? {
        days @ 0..1_000 => duration(days * 86_400_000),
        millis => duration(millis),
    }
}

/// Turns the name of a vocabulary, `cl100k_base`, into that of a counter, `cl100k`.
pub(super) fn counter(value: &Json) -> Option<Value> {
    let name = value.as_str()?;
    let name = name.strip_suffix("_base").unwrap_or(name);
    Some(Value::String(name.to_owned()))
}

/// Turns JavaScript's `/^## Decision:/gm` into `^## Decision:`, for a list of them.
pub(super) fn patterns(value: &Json) -> Option<Value> {
    let patterns = value.as_array()?.iter().map(pattern);
    Some(Value::Array(patterns.collect::<Option<_>>()?))
}

/// What says "up to the next blank line" in the older patterns; ours do so anyway.
const UP_TO_BLANK: &str = r"[\s\S]*?(?=";

fn pattern(value: &Json) -> Option<Value> {
    let text = value.as_str()?;
    let literal = text
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'))
        .filter(|(_, flags)| flags.chars().all(|flag| "dgimsuvy".contains(flag)));
    // Every line is tried by itself, so `g` and `m` go without saying.
    let (body, flags) = literal.unwrap_or((text, ""));
    let body = match body.find(UP_TO_BLANK) {
        Some(end) if body.ends_with(')') => &body[..end],
        _ => body,
    };
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"];
    if body.is_empty() || looks_around.iter().any(|look| body.contains(look)) {
        return None;
    }
    let ignore_case = if flags.contains('i') { "(?i)" } else { "" };
    Some(Value::String(format!("{ignore_case}{body}")))
}

fn duration(millis: u64) -> Option<Value> {
    let duration = Duration::from_millis(millis);
    Some(Value::String(format_duration(duration)))
}

/// Writes 30 rather than 30.0.
fn number(number: f64) -> Value {
    let whole = number.fract() == 0.0 && number.abs() < 1e15;
    if whole { Value::Integer(number as i64) } else { Value::Float(number) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(convert: Convert, from: &Json, to: Option<&str>) {
        let converted = convert(from).map(|value| value.to_string());
        assert_eq!(converted.as_deref(), to, "{from}");
    }

    #[test]
    fn f245_an_age_is_in_days_or_milliseconds() {
        check(age, &json!(30), Some("\"30d\""));
        check(age, &json!(2_592_000_000_u64), Some("\"30d\""));
        check(age, &json!(1_000), Some("\"1s\""));
        check(age, &json!("30"), None);
        check(millis, &json!(3_600_000), Some("\"1h\""));
        check(millis, &json!(-1), None);
        check(hours, &json!(24), Some("\"1d\""));
        check(hours, &json!(0.5), Some("\"30m\""));
    }

    #[test]
    fn fractions_become_round_percentages() {
        check(fraction_to_percent, &json!(0.3), Some("30"));
        check(fraction_to_percent, &json!(0.7), Some("70"));
        check(fraction_to_percent, &json!(0.855), Some("85.5"));
        check(percent, &json!(5), Some("5"));
        check(percent, &json!(1.0), Some("1"));
        check(percent, &json!(0.5), Some("\"0.5%\""));
        check(percent_to_share, &json!(40), Some("\"40%\""));
    }

    #[test]
    fn patterns_lose_what_javascript_adds() {
        let old = json!(["/^ADR-\\d+/gm", "/error|fail/gi", "/usr/bin"]);
        let new = "['^ADR-\\d+', \"(?i)error|fail\", \"/usr/bin\"]";
        check(patterns, &old, Some(new));
        let removed = json!(["/^Bash output:[\\s\\S]*?(?=\\n\\n|$)/gm"]);
        check(patterns, &removed, Some("[\"^Bash output:\"]"));
        check(patterns, &json!(["/(?!x)y/"]), None);
    }
}
