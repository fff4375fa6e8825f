//! Reads JSON notes such as `state.json`: keys are headings, values are units.

use serde_json::{Map, Value};

use super::{Draft, Reader};
use crate::notes::state::OWN_MEMBERS;
use crate::notes::words::WORDS;
use crate::notes::{Role, UnitKind};

/// Keys that name an object, in the order in which they are asked.
const NAMES: [&str; 10] =
    ["title", "name", "task", "decision", "description", "content", "text", "path", "file", "id"];
const REASONS: [&str; 3] = ["rationale", "reason", "why"];
/// Deeper values are data, not notes.
const DEEPEST: usize = 4;

/// Reads one document, or one per line.
pub(super) fn read(text: &str, reader: &mut Reader) {
    let values: Vec<(usize, Value)> = match serde_json::from_str(text) {
        Ok(value) => vec![(1, value)],
        Err(_) => {
            let lines = text.lines().enumerate();
            let values = lines.map(|(at, line)| Some((at + 1, serde_json::from_str(line).ok()?)));
            values.flatten().collect()
        }
    };
    for (line, value) in values {
        Walk { reader, line }.value(&value, 0);
    }
}

/// Goes through a value. Only JSON lines say on which line a value is.
struct Walk<'r> {
    reader: &'r mut Reader,
    line: usize,
}

impl Walk<'_> {
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(object) => match label(object).filter(|_| depth > 0) {
                Some(text) => self.named(text, object),
                None => self.members(object, depth),
            },
            Value::Array(values) if depth <= DEEPEST => {
                values.iter().for_each(|it| self.value(it, depth + 1));
            }
            Value::String(text) => {
                self.reader.add(Draft::new(text, self.line, UnitKind::Item));
            }
            _ => {}
        }
    }

    fn members(&mut self, object: &Map<String, Value>, depth: usize) {
        for (key, value) in object {
            if OWN_MEMBERS.contains(&key.as_str()) || depth > DEEPEST {
                continue;
            }
            let title = spaced(key);
            match value {
                Value::Object(_) | Value::Array(_) => {
                    let around = self.reader.section;
                    self.reader.section = Some(self.reader.open(around, &title, false));
                    self.value(value, depth + 1);
                    self.reader.section = around;
                }
                Value::String(text) if !text.is_empty() => self.field(&title, text),
                Value::Number(number) => self.field(&title, &number.to_string()),
                _ => {}
            }
        }
    }

    fn field(&mut self, title: &str, text: &str) {
        let field = format!("{title}: {text}");
        let mut draft = Draft::new(&field, self.line, UnitKind::Field);
        draft.role = WORDS.title(title).or(Some(Role::Context));
        self.reader.add(draft);
    }

    /// Adds an object that has a name, with its reason and its state.
    fn named(&mut self, name: &str, object: &Map<String, Value>) {
        let of = |keys: &[&str]| keys.iter().find_map(|it| object.get(*it)?.as_str());
        let reason = of(&REASONS).map(|it| format!(": {it}")).unwrap_or_default();
        let text = format!("{name}{reason}");
        let is_true = |key: &&str| object.get(*key) == Some(&Value::Bool(true));
        let state = of(&["status", "state"]).and_then(|it| WORDS.state(it));
        let mut draft = Draft::new(&text, self.line, UnitKind::Item);
        draft.role = state;
        if state == Some(Role::Done) || ["done", "completed"].iter().any(is_true) {
            draft.state = Some('x');
        }
        self.reader.add(draft);
    }
}

/// Returns what an object is called.
fn label(object: &Map<String, Value>) -> Option<&str> {
    NAMES.iter().find_map(|it| object.get(*it)?.as_str())
}

/// Returns a key as words: `filesModified` as `files modified`.
fn spaced(key: &str) -> String {
    let mut words = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() && !words.ends_with(' ') {
            words.push(' ');
        }
        words.push(if letter == '_' { ' ' } else { letter.to_ascii_lowercase() });
    }
    words.trim().to_owned()
}
