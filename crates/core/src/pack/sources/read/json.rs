//! Our own form: `{"schema":1,"sources":[...]}`.

use serde::Deserialize;
use serde_json::Value;

use super::{ReadSources, SourceListError};
use crate::Remark;
use crate::pack::sources::{PackSource, SourceKind};

/// The schema that is understood.
const SCHEMA: u64 = 1;

#[derive(Deserialize)]
struct Document {
    schema: u64,
    sources: Vec<Value>,
}

#[derive(Deserialize)]
struct Source {
    kind: String,
    #[serde(default)]
    path: String,
    content: Option<String>,
    lines: Option<(u32, u32)>,
    relevance: Option<f64>,
    time: Option<String>,
}

pub(super) fn read(name: &str, text: &str) -> Result<ReadSources, SourceListError> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        SourceListError {
            name: name.to_owned(),
            line: error.line(),
            column: error.column().max(1),
            why: why.strip_suffix(&place).unwrap_or(&why).to_owned(),
        }
    })?;
    if document.schema != SCHEMA {
        return Err(SourceListError {
            name: name.to_owned(),
            line: 1,
            column: 1,
            why: format!("schema {} is not known, only {SCHEMA}", document.schema),
        });
    }
    let mut read = ReadSources::default();
    for (number, value) in document.sources.into_iter().enumerate() {
        let place = format!("{name}: sources[{number}]");
        let source: Result<Source, _> = serde_json::from_value(value);
        match source {
            Ok(source) => read.add(source, &place),
            Err(error) => read.notes.push(Remark::new(place, format!("left out: {error}"))),
        }
    }
    Ok(read)
}

impl ReadSources {
    fn add(&mut self, source: Source, place: &str) {
        let kind = SourceKind::named(&source.kind).unwrap_or_else(|| {
            let message = format!("the kind {:?} is not known, taken as other", source.kind);
            self.notes.push(Remark::new(place, message));
            SourceKind::Other
        });
        let changed_ns = source.time.and_then(|time| {
            let changed_ns = nanoseconds(&time);
            if changed_ns.is_none() {
                let message =
                    format!("invalid time {time:?}, expected one such as 2026-01-31T12:00:00Z");
                self.notes.push(Remark::new(place, message));
            }
            changed_ns
        });
        self.sources.push(PackSource {
            kind,
            path: source.path,
            content: source.content.map(String::into_bytes),
            lines: source.lines,
            relevance: source.relevance,
            changed_ns,
            is_pinned: false,
        });
    }
}

fn nanoseconds(time: &str) -> Option<i64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    i64::try_from(time.as_nanosecond()).ok()
}
