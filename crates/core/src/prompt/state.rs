//! The state of a piece of work: what a phase may need to see.
//!
//! It is read from JSON that some agent keeps. Names may be written `likeThis` or
//! `like_this`; what is missing is empty, what is unknown costs a note, and what
//! has the wrong type is an error that names its place.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::PromptError;
use super::message::ChatMessage;
use crate::Remark;

/// The names that a state may have, with their other spellings.
const FIELDS: [&[&str]; 11] = [
    &["phase"],
    &["systemPrompt", "system_prompt", "system"],
    &["designDocument", "design_document", "designDoc", "design_doc"],
    &["featureDescription", "feature_description", "feature"],
    &["typeDefinitions", "type_definitions", "types"],
    &["relevantTests", "relevant_tests", "tests"],
    &["currentUnit", "current_unit"],
    &["units"],
    &["failures", "failingTests", "failing_tests", "testFailures"],
    &["messages"],
    &["parts"],
];

/// The same for units.
const UNIT_FIELDS: [&[&str]; 3] = [
    &["file", "filePath", "file_path", "path"],
    &["implementation", "code"],
    &["dependencies", "dependsOn", "depends_on"],
];

/// The same for tests that fail.
const FAILURE_FIELDS: [&[&str]; 4] = [
    &["name", "testName", "test_name", "test"],
    &["error", "message"],
    &["received", "actual"],
    &["stack", "stackTrace", "stack_trace"],
];

/// The state of a piece of work.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WorkState {
    /// The phase that the work is in, where the state says it.
    pub phase: Option<String>,
    /// The instructions before everything: one text, or one for each phase.
    pub system_prompt: SystemPrompt,
    /// The document that the work follows.
    pub design_document: String,
    /// What is to be made; for phases before there is a design.
    pub feature_description: String,
    /// The types that the work uses.
    pub type_definitions: Texts,
    /// Tests of the current unit.
    pub relevant_tests: Texts,
    /// The unit at work.
    pub current_unit: Option<CurrentUnit>,
    /// All units, in the order in which they were made.
    pub units: Vec<Unit>,
    /// Tests that fail.
    pub failures: Vec<Failure>,
    /// What was said, the oldest first.
    pub messages: Vec<ChatMessage>,
    /// Texts under names of the user's own, for phases of the user's own.
    pub parts: BTreeMap<String, Texts>,
}

/// The instructions before everything: one text, or one for each phase by name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum SystemPrompt {
    /// For all phases.
    One(String),
    /// By phase; `default` is for those that have none.
    ByPhase(BTreeMap<String, String>),
}

impl Default for SystemPrompt {
    fn default() -> SystemPrompt {
        SystemPrompt::One(String::new())
    }
}

impl SystemPrompt {
    /// Returns the instructions of a phase.
    pub fn of(&self, phase: &str) -> &str {
        match self {
            SystemPrompt::One(text) => text,
            SystemPrompt::ByPhase(texts) => {
                let text = texts.get(phase).or_else(|| texts.get("default"));
                text.map_or("", String::as_str)
            }
        }
    }
}

/// One text or several.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Texts(pub Vec<String>);

impl TryFrom<Value> for Texts {
    type Error = String;

    fn try_from(value: Value) -> Result<Texts, String> {
        let wrong = |value: &Value| {
            format!("{} is not a text; write a text or a list of texts", kind(value))
        };
        match value {
            Value::Null => Ok(Texts::default()),
            Value::String(text) => Ok(Texts(vec![text])),
            Value::Array(elements) => elements
                .into_iter()
                .map(|element| match element {
                    Value::String(text) => Ok(text),
                    other => Err(wrong(&other)),
                })
                .collect::<Result<_, _>>()
                .map(Texts),
            other => Err(wrong(&other)),
        }
    }
}

/// The unit at work, by name or as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum CurrentUnit {
    /// The name of one of the units.
    Named(String),
    /// A unit that need not be among the others.
    Whole(Box<Unit>),
}

impl<'de> Deserialize<'de> for CurrentUnit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value {
            Value::String(name) => Ok(CurrentUnit::Named(name)),
            value @ Value::Object(_) => Unit::deserialize(value)
                .map(|unit| CurrentUnit::Whole(Box::new(unit)))
                .map_err(serde::de::Error::custom),
            other => Err(serde::de::Error::custom(format!(
                "{} is not a unit; write its name or the unit itself",
                kind(&other)
            ))),
        }
    }
}

/// A part of the work that is made, and approved, at once.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// How far it is.
    pub status: UnitStatus,
    /// Where it is written.
    pub file: Option<String>,
    /// What it is to do.
    pub description: Option<String>,
    /// Its code, once there is any.
    pub implementation: Option<String>,
    /// Its tests.
    pub tests: Texts,
    /// The names of the units that it needs.
    pub dependencies: Vec<String>,
}

/// How far a unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitStatus {
    /// Not begun.
    #[default]
    Pending,
    /// At work.
    InProgress,
    /// Made, and waiting for a yes.
    AwaitingApproval,
    /// Done.
    Approved,
    /// Done once, but something that it needs has changed since.
    NeedsReview,
}

/// A test that fails.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Failure {
    /// The name of the test.
    pub name: String,
    /// What it says.
    pub error: String,
    /// What should have come.
    pub expected: Option<Value>,
    /// What came.
    pub received: Option<Value>,
    /// From where.
    pub stack: Option<String>,
}

impl WorkState {
    /// Reads a state from JSON.
    ///
    /// ```
    /// use loadline::prompt::WorkState;
    /// let (state, notes) = WorkState::read(br#"{"systemPrompt": "Be brief.", "color": 1}"#)?;
    /// assert_eq!(state.system_prompt.of("planning"), "Be brief.");
    /// assert_eq!(notes[0].to_string(), "color: unknown field");
    /// let error = WorkState::read(br#"{"units": [{"name": 5}]}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("`units[0].name`: "));
    /// # Ok::<(), loadline::prompt::PromptError>(())
    /// ```
    pub fn read(json: &[u8]) -> Result<(WorkState, Vec<Remark>), PromptError> {
        let mut members: Map<String, Value> = read_json(json)?;
        members.retain(|_, value| !value.is_null());
        let mut known = Map::new();
        let mut notes = Vec::new();
        for (name, value) in members {
            let Some(spellings) = FIELDS.iter().find(|it| it.contains(&name.as_str())) else {
                notes.push(Remark::new(name, "unknown field"));
                continue;
            };
            if known.insert(spellings[0].to_owned(), value).is_some() {
                notes.push(Remark::new(name, "given twice; the later one counts"));
            }
        }
        let each = |value: Option<&mut Value>, fields: &[&[&str]]| {
            let list = value.and_then(Value::as_array_mut).into_iter().flatten();
            list.for_each(|entry| spell(entry, fields));
        };
        each(known.get_mut("units"), &UNIT_FIELDS);
        each(known.get_mut("failures"), &FAILURE_FIELDS);
        if let Some(unit) = known.get_mut("currentUnit") {
            spell(unit, &UNIT_FIELDS);
        }
        let state = read_value(Value::Object(known))?;
        Ok((state, notes))
    }

    /// Returns the unit at work: the one that is named, else the one in progress, else the
    /// first that is not approved.
    pub fn current(&self) -> Option<&Unit> {
        let is_at_work = |unit: &&Unit| unit.status == UnitStatus::InProgress;
        let is_open = |unit: &&Unit| unit.status != UnitStatus::Approved;
        match self.current_unit.as_ref() {
            Some(CurrentUnit::Whole(unit)) => Some(unit),
            Some(CurrentUnit::Named(name)) => self.units.iter().find(|unit| unit.name == *name),
            None => {
                let first_open = || self.units.iter().find(is_open);
                self.units.iter().find(is_at_work).or_else(first_open)
            }
        }
    }

    /// Goes back to a unit: all that need it, directly or not, need a review again.
    ///
    /// Returns their names, in order. Units that need one another are no trouble.
    ///
    /// ```
    /// use loadline::prompt::WorkState;
    /// let json = br#"{"units": [
    ///     {"name": "a", "status": "approved"},
    ///     {"name": "b", "status": "approved", "dependencies": ["a"]},
    ///     {"name": "c", "status": "approved", "dependencies": ["b"]},
    ///     {"name": "d", "status": "approved"}]}"#;
    /// let (mut state, _) = WorkState::read(json)?;
    /// assert_eq!(state.go_back("a"), ["b", "c"]);
    /// # Ok::<(), loadline::prompt::PromptError>(())
    /// ```
    pub fn go_back(&mut self, unit: &str) -> Vec<String> {
        let mut changed = BTreeSet::from([unit.to_owned()]);
        loop {
            let before = changed.len();
            for unit in &self.units {
                if unit.dependencies.iter().any(|it| changed.contains(it)) {
                    changed.insert(unit.name.clone());
                }
            }
            if changed.len() == before {
                break;
            }
        }
        let mut names = Vec::new();
        for other in &mut self.units {
            if other.name != unit && changed.contains(&other.name) {
                other.status = UnitStatus::NeedsReview;
                names.push(other.name.clone());
            }
        }
        names
    }
}

/// Gives fields their first spelling; of several, the first counts.
fn spell(value: &mut Value, fields: &[&[&str]]) {
    let Some(members) = value.as_object_mut() else {
        return;
    };
    for spellings in fields {
        for other in &spellings[1..] {
            if let Some(value) = members.remove(*other) {
                members.entry(spellings[0]).or_insert(value);
            }
        }
    }
}

/// Reads JSON, saying where it is wrong.
pub(super) fn read_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, PromptError> {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(malformed)?;
    reader.end().map_err(|error| PromptError::Malformed {
        place: ".".to_owned(),
        message: error.to_string(),
    })?;
    Ok(value)
}

/// Reads a value, saying where it is wrong.
pub(super) fn read_value<T: DeserializeOwned>(value: Value) -> Result<T, PromptError> {
    serde_path_to_error::deserialize(value).map_err(malformed)
}

fn malformed(error: serde_path_to_error::Error<serde_json::Error>) -> PromptError {
    PromptError::Malformed { place: error.path().to_string(), message: error.inner().to_string() }
}

/// Names what a value is.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
