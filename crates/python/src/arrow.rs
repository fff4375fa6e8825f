//! Columns of Arrow: counted, measured, trimmed, cut and redacted, without a copy on the
//! way in.
//!
//! A row that cannot be read gives nulls and a reason, never a failed batch.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, LargeBinaryArray, LargeStringArray, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_schema::DataType;
use loadline::repo::{Secrets, language_of};
use loadline::session::{self, Transcript, TrimOptions};
use loadline::text::{Chunk, ChunkOptions, ChunkSource, chunk_outline};
use loadline::tokens::{Counter, Tokens};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyArray;
use rayon::prelude::*;

use crate::similar::{Signature, repeats};
use crate::texts::counter;

/// Columns with their names, as pyarrow has them.
type Columns<'py> = Vec<(&'static str, Bound<'py, PyAny>)>;

/// Borrows the rows of a column of texts or bytes.
fn rows(array: &ArrayRef) -> PyResult<Vec<Option<&[u8]>>> {
    fn of<T: ByteArrayType>(array: &GenericByteArray<T>) -> Vec<Option<&[u8]>> {
        array.iter().map(|row| row.map(AsRef::as_ref)).collect()
    }
    match array.data_type() {
        DataType::Utf8 => Ok(of(array.as_bytes::<Utf8Type>())),
        DataType::LargeUtf8 => Ok(of(array.as_bytes::<LargeUtf8Type>())),
        DataType::Binary => Ok(of(array.as_bytes::<BinaryType>())),
        DataType::LargeBinary => Ok(of(array.as_bytes::<LargeBinaryType>())),
        DataType::Utf8View => {
            Ok(array.as_string_view().iter().map(|row| row.map(str::as_bytes)).collect())
        }
        other => Err(PyTypeError::new_err(format!("a column of texts or bytes, not of {other}"))),
    }
}

/// Works on every row: on all cores, or on this one only.
fn each<T: Send>(
    python: Python<'_>,
    rows: &[Option<&[u8]>],
    alone: bool,
    work: impl Fn(&[u8]) -> T + Sync,
) -> Vec<Option<T>> {
    let work = |row: &Option<&[u8]>| row.map(&work);
    python.detach(|| {
        if alone { rows.iter().map(work).collect() } else { rows.par_iter().map(work).collect() }
    })
}

fn columns<'py>(
    python: Python<'py>,
    columns: Vec<(&'static str, ArrayRef)>,
) -> PyResult<Columns<'py>> {
    let pyarrow = python.import("pyarrow")?;
    let column = |(name, array)| {
        let array = PyArray::from_array_ref(array).into_pyobject(python)?;
        Ok((name, pyarrow.call_method1("array", (array,))?))
    };
    columns.into_iter().map(column).collect()
}

fn text(row: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(row)
}

/// Tokens of every text.
#[pyfunction]
pub(crate) fn arrow_count<'py>(
    python: Python<'py>,
    array: PyArray,
    name: &str,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let (array, _) = array.into_inner();
    let counter = counter(Some(name))?;
    let counts = each(python, &rows(&array)?, alone, |row| counter.count(&text(row)).get());
    let counts: UInt64Array = counts.into_iter().collect();
    columns(python, vec![("tokens", Arc::new(counts))])
}

/// Texts without their secrets.
#[pyfunction]
pub(crate) fn arrow_redact<'py>(
    python: Python<'py>,
    array: PyArray,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let (array, _) = array.into_inner();
    let secrets = Secrets::builtin();
    let texts =
        each(python, &rows(&array)?, alone, |row| secrets.redact(&text(row)).0.into_owned());
    let texts: LargeStringArray = texts.into_iter().collect();
    columns(python, vec![("text", Arc::new(texts))])
}

/// The first row that each text nearly repeats.
#[pyfunction]
pub(crate) fn arrow_near_duplicates<'py>(
    python: Python<'py>,
    array: PyArray,
    least: f64,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let (array, _) = array.into_inner();
    let signatures = each(python, &rows(&array)?, alone, |row| Signature::of(&text(row)));
    let found: UInt64Array = python.detach(|| repeats(&signatures, least)).into_iter().collect();
    columns(python, vec![("duplicate_of", Arc::new(found))])
}

/// What a session is, or why it cannot be read.
type Read<T> = Result<T, String>;

fn read(row: &[u8]) -> Read<Transcript> {
    session::read_session(row.to_vec(), None).map_err(|error| error.to_string())
}

/// The counter of the session's model, where none was named.
fn own_counter(named: Option<&Counter>, session: &Transcript) -> Read<Counter> {
    if let Some(counter) = named {
        return Ok(counter.clone());
    }
    let model = session.model.as_deref();
    let found = model.and_then(|model| counter(Some(model)).ok());
    match found {
        Some(counter) => Ok(counter),
        None => "o200k".parse().map_err(|error| format!("{error}")),
    }
}

fn reasons<T>(rows: &[Option<Read<T>>]) -> StringArray {
    rows.iter().map(|row| row.as_ref()?.as_ref().err()).collect()
}

fn good<T>(row: &Option<Read<T>>) -> Option<&T> {
    row.as_ref()?.as_ref().ok()
}

/// Format, session, model, turns and tokens of every session.
#[pyfunction]
pub(crate) fn arrow_stats<'py>(
    python: Python<'py>,
    array: PyArray,
    name: Option<&str>,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let (array, _) = array.into_inner();
    let named = name.map(|name| counter(Some(name))).transpose()?;
    let found = each(python, &rows(&array)?, alone, |row| {
        let session = read(row)?;
        let counter = own_counter(named.as_ref(), &session)?;
        let stats = session::session_stats(&session, &counter);
        Ok((
            session.format,
            session.session,
            session.model,
            session.turns.len(),
            stats.user_turns,
            stats.tokens,
        ))
    });
    let text = |pick: fn(&Stats) -> Option<String>| -> ArrayRef {
        Arc::new(found.iter().map(|row| pick(good(row)?)).collect::<StringArray>())
    };
    let number = |pick: fn(&Stats) -> u64| -> ArrayRef {
        Arc::new(found.iter().map(|row| good(row).map(pick)).collect::<UInt64Array>())
    };
    columns(
        python,
        vec![
            ("format", text(|it| Some(it.0.name().to_owned()))),
            ("session", text(|it| it.1.clone())),
            ("model", text(|it| it.2.clone())),
            ("turns", number(|it| it.3 as u64)),
            ("user_turns", number(|it| it.4 as u64)),
            ("tokens", number(|it| it.5.get())),
            ("reason", Arc::new(reasons(&found))),
        ],
    )
}

/// Format, name, model, turns, turns of the user, tokens.
type Stats = (session::SessionFormat, Option<String>, Option<String>, usize, usize, Tokens);

/// Every session trimmed to a budget, in its own format.
#[pyfunction]
pub(crate) fn arrow_trim<'py>(
    python: Python<'py>,
    array: PyArray,
    budget: u64,
    name: Option<&str>,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let (array, _) = array.into_inner();
    let named = name.map(|name| counter(Some(name))).transpose()?;
    let found = each(python, &rows(&array)?, alone, |row| {
        let session = read(row)?;
        let counter = own_counter(named.as_ref(), &session)?;
        let options = TrimOptions::new(counter, Tokens::new(budget));
        let trimmed = session::trim(&session, &options).map_err(|error| error.to_string())?;
        let bytes = session::convert_session(&session, &trimmed.draft, session.format);
        let bytes = bytes.map_err(|error| error.to_string())?;
        Ok((bytes, trimmed.before.get(), trimmed.after.get()))
    });
    let bytes: LargeBinaryArray =
        found.iter().map(|row| good(row).map(|it: &(Vec<u8>, u64, u64)| it.0.as_slice())).collect();
    let before: UInt64Array = found.iter().map(|row| good(row).map(|it| it.1)).collect();
    let after: UInt64Array = found.iter().map(|row| good(row).map(|it| it.2)).collect();
    let reason = reasons(&found);
    columns(
        python,
        vec![
            ("content", Arc::new(bytes)),
            ("before", Arc::new(before)),
            ("after", Arc::new(after)),
            ("reason", Arc::new(reason)),
        ],
    )
}

/// The chunks of every text, each with the number of the row it comes from.
#[pyfunction]
pub(crate) fn arrow_chunk<'py>(
    python: Python<'py>,
    texts: PyArray,
    paths: PyArray,
    max_tokens: u64,
    name: &str,
    alone: bool,
) -> PyResult<Columns<'py>> {
    let ((array, _), (paths, _)) = (texts.into_inner(), paths.into_inner());
    let (array, paths) = (rows(&array)?, rows(&paths)?);
    let counter = counter(Some(name))?;
    let most = Tokens::new(max_tokens);
    let options = ChunkOptions { max_tokens: most, ..ChunkOptions::default() };
    let options = ChunkOptions { min_tokens: options.min_tokens.min(most), ..options };
    let cut = |(row, path): (&Option<&[u8]>, &Option<&[u8]>)| -> Vec<Chunk> {
        let (row, path) = (text(row.unwrap_or_default()), text(path.unwrap_or_default()));
        let language = language_of(Path::new(path.as_ref()));
        let outline = chunk_outline(language, &row);
        let outline = outline.as_ref().map(Result::as_ref);
        let source = ChunkSource { path: &path, language, outline };
        let chunked = loadline::text::chunk(&row, &source, &options, |it| counter.count(it));
        chunked.map(|it| it.chunks).unwrap_or_default()
    };
    let found: Vec<Vec<Chunk>> = python.detach(|| {
        if alone {
            array.iter().zip(&paths).map(cut).collect()
        } else {
            array.par_iter().zip(&paths).map(cut).collect()
        }
    });
    let numbered = found.iter().enumerate();
    let chunks: Vec<(usize, &Chunk)> =
        numbered.flat_map(|(row, chunks)| chunks.iter().map(move |it| (row, it))).collect();
    let number = |pick: fn(&(usize, &Chunk)) -> u32| -> ArrayRef {
        Arc::new(chunks.iter().map(|it| Some(pick(it))).collect::<UInt32Array>())
    };
    let kinds: StringArray = chunks.iter().map(|(_, it)| Some(it.kind)).collect();
    let texts: LargeStringArray = chunks.iter().map(|(_, it)| Some(it.text.as_str())).collect();
    columns(
        python,
        vec![
            ("row", number(|(row, _)| *row as u32)),
            ("first", number(|(_, it)| it.first)),
            ("last", number(|(_, it)| it.last)),
            ("tokens", number(|(_, it)| it.tokens.get() as u32)),
            ("kind", Arc::new(kinds)),
            ("text", Arc::new(texts)),
        ],
    )
}
