//! What is worth carrying on, taken from the output of a round by rule.

use std::collections::HashSet;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::read::RoundReport;
use crate::Remark;

/// What a round hands on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundContext {
    /// The number of the round.
    #[serde(rename = "round")]
    pub number: u64,
    /// The modules that it looked at.
    pub modules: Vec<String>,
    /// What it found.
    pub findings: Vec<String>,
    /// How modules relate: `a -> b (type)`.
    pub relationships: Vec<String>,
    /// What it could not answer.
    pub open_questions: Vec<String>,
    /// Further fields that the caller asked for, by name.
    #[serde(serialize_with = "as_map")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, Vec<String>>")
    )]
    pub kept: Vec<(String, Vec<String>)>,
}

fn as_map<S: Serializer>(
    fields: &[(String, Vec<String>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, said)| (name, said)))
}

/// What newer rounds have said already.
#[derive(Default)]
pub(super) struct Said(HashSet<(usize, String)>);

const FINDINGS: [&str; 3] = ["findings", "keyFindings", "key_findings"];
const QUESTIONS: [&str; 2] = ["openQuestions", "open_questions"];

impl RoundContext {
    /// Takes what is known and asked for; the rest costs one note.
    pub(super) fn extract(
        report: &RoundReport,
        keep: &[String],
        notes: &mut Vec<Remark>,
    ) -> RoundContext {
        let mut fields = Fields {
            output: &report.output,
            round: report.number,
            used: HashSet::new(),
            notes: Vec::new(),
        };
        let context = RoundContext {
            number: report.number,
            modules: fields.list(&["modules"], module),
            findings: fields.list(&FINDINGS, sentence),
            relationships: fields.list(&["relationships"], relationship),
            open_questions: fields.list(&QUESTIONS, sentence),
            kept: keep
                .iter()
                .map(|name| (name.clone(), fields.list(&[name], sentence)))
                .filter(|(_, said)| !said.is_empty())
                .collect(),
        };
        fields.note_others();
        notes.append(&mut fields.notes);
        context
    }

    /// Leaves out what a newer round has said, and remembers what is left.
    pub(super) fn leave_out(&mut self, said: &mut Said) {
        let kept = self.kept.iter_mut().map(|(_, list)| list);
        let lists = [
            &mut self.modules,
            &mut self.findings,
            &mut self.relationships,
            &mut self.open_questions,
        ];
        for (kind, list) in lists.into_iter().chain(kept).enumerate() {
            list.retain(|text| said.0.insert((kind, text.clone())));
        }
    }
}

/// The fields of an output, and which of them were looked at.
struct Fields<'a> {
    output: &'a Map<String, Value>,
    round: u64,
    used: HashSet<String>,
    notes: Vec<Remark>,
}

impl Fields<'_> {
    /// Reads the entries of a list, whichever of its names it goes by.
    fn list(&mut self, names: &[&str], read: fn(&Value) -> Option<String>) -> Vec<String> {
        let mut list = Vec::new();
        for name in names {
            self.used.insert((*name).to_owned());
            match self.output.get(*name) {
                None | Some(Value::Null) => {}
                Some(Value::Array(entries)) => {
                    let read: Vec<Option<String>> = entries.iter().map(read).collect();
                    let unread = read.iter().filter(|it| it.is_none()).count();
                    if unread > 0 {
                        let message = format!("{unread} of {} entries say nothing", read.len());
                        self.note(name, message);
                    }
                    list.extend(read.into_iter().flatten());
                }
                Some(one) => match read(one) {
                    Some(text) => list.push(text),
                    None => self.note(name, "not a list of texts or objects; left out".into()),
                },
            }
        }
        list
    }

    fn note(&mut self, field: &str, message: String) {
        let subject = format!("round {}, {field}", self.round);
        self.notes.push(Remark::new(subject, message));
    }

    fn note_others(&mut self) {
        let others = self.output.keys().filter(|name| !self.used.contains(*name));
        let others: Vec<&str> = others.map(String::as_str).collect();
        if !others.is_empty() {
            let message = format!("not handed on: {}", others.join(", "));
            let subject = format!("round {}", self.round);
            self.notes.push(Remark::new(subject, message));
        }
    }
}

/// A module is its name.
fn module(value: &Value) -> Option<String> {
    said(value, &["name", "module", "path", "id"])
}

/// What else is said: a text, or an object that holds one.
fn sentence(value: &Value) -> Option<String> {
    let keys = ["finding", "question", "description", "text", "summary", "title", "name"];
    said(value, &keys)
}

/// `a -> b (type)`; the type may be missing.
fn relationship(value: &Value) -> Option<String> {
    let Value::Object(_) = value else {
        return said(value, &[]);
    };
    let from = said_by(value, &["from", "source"])?;
    let to = said_by(value, &["to", "target"])?;
    let kind = said_by(value, &["type", "kind", "relationship"]);
    Some(match kind {
        Some(kind) => format!("{from} -> {to} ({kind})"),
        None => format!("{from} -> {to}"),
    })
}

fn said(value: &Value, keys: &[&str]) -> Option<String> {
    match value {
        Value::Object(_) => said_by(value, keys),
        Value::String(text) => one_line(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn said_by(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| one_line(value.get(*key)?.as_str()?))
}

/// Puts a text on one line; a blank one says nothing.
fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}
