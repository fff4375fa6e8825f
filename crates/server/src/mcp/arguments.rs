//! Reads the arguments of a request, leniently.
//!
//! Models write `"8000"` for 8000 and `"8k"` for both; that is understood. What
//! a tool does not know is named in a note, what is missing or senseless is an
//! error that says what to write instead.

use loadline::session::LineRange;
use loadline::tokens::Tokens;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::answer::ToolError;

/// What an answer may cost unless the request says otherwise.
pub(super) const DEFAULT_TOKENS: u64 = 8_000;
/// The most that an answer costs, whatever the request says.
///
/// Clients replace results above 25,000 tokens of their own model, which can be
/// 1.6 times as many as ours.
pub(super) const MOST_TOKENS: u64 = 15_000;
/// The fewest tokens that an answer can be written in.
pub(super) const FEWEST_TOKENS: u64 = 200;
/// Characters of a text that are looked at.
const LONGEST: usize = 200_000;

/// The arguments of one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    values: JsonObject,
}

impl Arguments {
    /// Takes what a request brings.
    pub(super) fn new(values: Option<JsonObject>) -> Arguments {
        let values = values.unwrap_or_default();
        Arguments { values }
    }

    /// Returns a text; `null` and nothing but spaces count as not given.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, ToolError> {
        let text = match self.values.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => {
                let kind = kind(other);
                return Err(ToolError(format!("{name} is {kind}; write a string")));
            }
        };
        let text: String = text.chars().take(LONGEST).collect();
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    /// Returns a text that must be there.
    pub(super) fn required(&self, name: &str, meaning: &str) -> Result<String, ToolError> {
        let missing = || ToolError(format!("{name} is missing; write {meaning}"));
        self.text(name)?.ok_or_else(missing)
    }

    /// Returns a range of lines: `7`, `3-7` or `3-`.
    pub(super) fn lines(&self) -> Result<Option<LineRange>, ToolError> {
        let Some(text) = self.text("lines")? else {
            return Ok(None);
        };
        let range = text.trim().parse::<LineRange>();
        range.map(Some).map_err(|error| ToolError(format!("lines: {error}")))
    }

    /// Returns a number of tokens: `8000`, `"8000"` or `"8k"`.
    pub(super) fn tokens(&self, name: &str) -> Result<Option<Tokens>, ToolError> {
        let refuse = |value: &Value| {
            let value: String = value.to_string().chars().take(40).collect();
            ToolError(format!("{name} is {value}; write a number of tokens such as 8000"))
        };
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value @ Value::String(text)) => {
                let tokens = text.trim().parse::<Tokens>();
                tokens.map(Some).map_err(|_| refuse(value))
            }
            Some(value) => {
                let whole = value.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0);
                // A number beyond all windows is as good as the largest.
                let tokens = value.as_u64().or(whole.map(|it| it as u64));
                tokens.map(|it| Some(Tokens::new(it))).ok_or_else(|| refuse(value))
            }
        }
    }

    /// Returns what the answer may cost.
    pub(super) fn max_tokens(&self) -> Result<Tokens, ToolError> {
        let asked = self.tokens("max_tokens")?;
        let asked = asked.unwrap_or(Tokens::new(DEFAULT_TOKENS));
        enough("max_tokens", asked)?;
        Ok(asked.min(Tokens::new(MOST_TOKENS)))
    }

    /// Says which arguments a tool does not know, and which were changed.
    pub(super) fn notes(&self, known: &[&str]) -> Vec<String> {
        let unknown = self.values.keys().filter(|name| !known.contains(&name.as_str()));
        let unknown: Vec<String> =
            unknown.take(5).map(|name| name.chars().take(40).collect()).collect();
        let mut notes = Vec::new();
        if !unknown.is_empty() {
            let (unknown, known) = (unknown.join(", "), known.join(", "));
            notes.push(format!("ignored unknown arguments: {unknown}; known arguments: {known}"));
        }
        let asked = self.tokens("max_tokens").ok().flatten();
        if asked.is_some_and(|asked| asked.get() > MOST_TOKENS) {
            notes.push(format!("max_tokens is at most {MOST_TOKENS}"));
        }
        notes
    }
}

/// Refuses a number of tokens that no answer can be written in.
pub(super) fn enough(name: &str, tokens: Tokens) -> Result<(), ToolError> {
    if tokens.get() < FEWEST_TOKENS {
        Err(ToolError(format!("{name} is {tokens}; write {FEWEST_TOKENS} or more")))
    } else {
        Ok(())
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(value: Value) -> Arguments {
        Arguments::new(value.as_object().cloned())
    }

    #[test]
    fn numbers_are_understood_as_models_write_them() {
        for (value, tokens) in [
            (json!({}), DEFAULT_TOKENS),
            (json!({"max_tokens": null}), DEFAULT_TOKENS),
            (json!({"max_tokens": 4000}), 4_000),
            (json!({"max_tokens": 4000.0}), 4_000),
            (json!({"max_tokens": "4000"}), 4_000),
            (json!({"max_tokens": "4k"}), 4_000),
            (json!({"max_tokens": 1e30}), MOST_TOKENS),
            (json!({"max_tokens": u64::MAX}), MOST_TOKENS),
        ] {
            let read = arguments(value.clone()).max_tokens();
            assert_eq!(read, Ok(Tokens::new(tokens)), "{value}");
        }
        for value in
            [json!(-1), json!(0), json!(199), json!("many"), json!([1]), json!(1.5), json!(true)]
        {
            let read = arguments(json!({"max_tokens": value})).max_tokens();
            let said = read.unwrap_err().0;
            assert!(said.starts_with("max_tokens is "), "{said}");
        }
    }

    #[test]
    fn what_is_missing_unknown_or_of_the_wrong_kind_is_named() {
        let given = arguments(json!({"query": ["a"], "limit": 3, "path": "  "}));
        let said = given.required("query", "words").unwrap_err().0;
        assert_eq!(said, "query is a list; write a string");
        let said = given.required("task", "a task").unwrap_err().0;
        assert_eq!(said, "task is missing; write a task");
        assert_eq!(given.text("path"), Ok(None));
        let notes = given.notes(&["query", "path"]);
        assert_eq!(notes, ["ignored unknown arguments: limit; known arguments: query, path"]);
        let lines = arguments(json!({"lines": "9-3"})).lines().unwrap_err().0;
        assert_eq!(lines, "lines: malformed range \"9-3\"; write 7, 3-7 or 3-");
        assert!(arguments(json!({"lines": 7})).lines().unwrap().is_some());
    }
}
