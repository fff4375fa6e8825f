//! What a session should start with: the notes as they stand, under a budget.
//!
//! Nothing is changed. The same reader, the same worth and the same composer as for a
//! handoff, so that a brief shows what a handoff would.

use serde::Serialize;

use super::document::Form;
use super::plan::{Reading, read_all};
use super::worth::signal_names;
use super::{Feature, NotesError, NotesOptions, Role, UnitKind};
use crate::Remark;
use crate::tokens::Tokens;

/// What a session should start with.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Brief {
    /// The document; empty where the notes say nothing.
    pub text: String,
    /// Its tokens, never more than asked for.
    pub tokens: Tokens,
    /// How many units it shows, and how many there are.
    pub shown: (usize, usize),
    /// What was passed over.
    pub notes: Vec<Remark>,
}

/// Writes what a session should start with, in at most so many tokens.
pub fn brief(
    feature: &Feature,
    tokens: Tokens,
    options: &NotesOptions,
) -> Result<Brief, NotesError> {
    let (reading, notes) = read(feature, options)?;
    let nothing = |notes| Brief { text: String::new(), tokens: Tokens::ZERO, shown: (0, 0), notes };
    if reading.units() == 0 {
        return Ok(nothing(notes));
    }
    let from = feature.directory().display().to_string();
    match reading.write(feature.name(), Form::Brief, &from, tokens, options) {
        Ok(written) => Ok(Brief {
            tokens: options.counter.count(&written.text),
            shown: (written.shown.iter().filter(|it| **it).count(), reading.units()),
            text: written.text,
            notes,
        }),
        Err(error) => {
            let remark = Remark::new(feature.name(), format!("no brief: {error}"));
            Ok(nothing([notes, vec![remark]].concat()))
        }
    }
}

/// One unit of notes with what it is worth, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WeighedUnit {
    /// The file.
    pub file: String,
    /// The line where it begins.
    pub line: usize,
    /// What it says about the work.
    pub role: Role,
    /// How it is written.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: UnitKind,
    /// Its words.
    pub text: String,
    /// How much the next session needs it.
    pub needed: f64,
    /// How much later work refers to such units.
    pub used: f64,
    /// The signals that are not 0.
    pub signals: Vec<(String, f32)>,
}

/// Reads notes and says what each unit is worth.
pub fn weigh(
    feature: &Feature,
    options: &NotesOptions,
) -> Result<(Vec<WeighedUnit>, Vec<Remark>), NotesError> {
    let (reading, notes) = read(feature, options)?;
    let names = signal_names();
    let units = reading.weighed().map(|(file, unit, [needed, used], row)| WeighedUnit {
        file: file.to_owned(),
        line: unit.line,
        role: unit.role,
        kind: unit.kind,
        text: unit.text.clone(),
        needed,
        used,
        signals: names
            .iter()
            .zip(row)
            .filter(|(_, value)| **value != 0.0)
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
    });
    Ok((units.collect(), notes))
}

fn read(feature: &Feature, options: &NotesOptions) -> Result<(Reading, Vec<Remark>), NotesError> {
    let (names, mut notes) = feature.files()?;
    let files = read_all(feature, names, options, &mut notes)?;
    let texts: Vec<(&str, &str)> = files.iter().filter_map(|it| it.as_text()).collect();
    Ok((Reading::of(&texts, options), notes))
}
