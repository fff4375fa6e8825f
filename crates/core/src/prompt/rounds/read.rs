//! The output of rounds, as it comes: one object, a list, lines, or in a fence.

use serde_json::{Map, Value};

use crate::prompt::state::kind;
use crate::{Diagnose, Diagnosis};

/// What one round put out.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundReport {
    /// Its number, from 1.
    pub number: u64,
    /// What it put out.
    pub output: Map<String, Value>,
}

/// Why the output of rounds cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RoundError {
    /// It is not JSON, and holds none in a fence.
    #[error("unrecognised round output: {0}")]
    NoJson(String),
    /// It is in a file of several.
    #[error("{file}: {error}")]
    InFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: Box<RoundError>,
    },
    /// A round is something else than an object.
    #[error("round {round} is {found}; it must be an object")]
    NoObject {
        /// Which one, from 1.
        round: usize,
        /// What it is.
        found: &'static str,
    },
}

impl Diagnose for RoundError {
    fn diagnosis(&self) -> Diagnosis {
        let code = match self {
            RoundError::InFile { error, .. } => error.code(),
            RoundError::NoJson(_) => "LL-RND-001",
            RoundError::NoObject { .. } => "LL-RND-002",
        };
        Diagnosis::operation(code)
            .hint("`loadline round compress --schema` prints what is expected")
    }
}

/// Reads the output of one round or of several.
///
/// Takes an object, a list of objects, `{"rounds": [...]}`, an object per line, or a
/// text with one of these in a fence, as models like to answer. The number of a round
/// is its `round`, or else its place.
pub fn read_rounds(bytes: &[u8]) -> Result<Vec<RoundReport>, RoundError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    let values = values(text)?;
    values.into_iter().enumerate().map(|(place, value)| report(place, value)).collect()
}

fn values(text: &str) -> Result<Vec<Value>, RoundError> {
    let whole = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => match lines(text).or_else(|| fenced(text)) {
            Some(value) => value,
            None => {
                let reason =
                    if text.is_empty() { "it is empty".to_owned() } else { error.to_string() };
                return Err(RoundError::NoJson(reason));
            }
        },
    };
    Ok(match whole {
        Value::Array(rounds) => rounds,
        Value::Object(mut object) => match object.remove("rounds") {
            Some(Value::Array(rounds)) => rounds,
            Some(other) => {
                object.insert("rounds".to_owned(), other);
                vec![Value::Object(object)]
            }
            None => vec![Value::Object(object)],
        },
        other => vec![other],
    })
}

/// Reads an object per line.
fn lines(text: &str) -> Option<Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let values = lines.map(|line| serde_json::from_str::<Value>(line).ok());
    let values = values.collect::<Option<Vec<Value>>>()?;
    (!values.is_empty()).then(|| Value::from(values))
}

/// Reads the first fence that holds JSON.
fn fenced(text: &str) -> Option<Value> {
    let blocks = text.split("```").skip(1).step_by(2);
    let mut bodies = blocks.map(|block| block.split_once('\n').map_or(block, |(_, body)| body));
    bodies.find_map(|body| serde_json::from_str(body.trim()).ok())
}

fn report(place: usize, value: Value) -> Result<RoundReport, RoundError> {
    let round = place + 1;
    let mut output = match value {
        Value::Object(output) => output,
        other => return Err(RoundError::NoObject { round, found: kind(&other) }),
    };
    let names = ["round", "roundNumber", "round_number", "number"];
    let number = names.iter().find_map(|name| output.get(*name)?.as_u64());
    let number = number.unwrap_or(round as u64);
    // Some runners wrap what the model said.
    if let Some(Value::Object(inner)) = output.get_mut("output") {
        output = std::mem::take(inner);
    }
    for name in names {
        output.remove(name);
    }
    Ok(RoundReport { number, output })
}
