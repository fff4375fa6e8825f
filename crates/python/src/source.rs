//! What Python gives: a text, bytes, the path of a file, or values as an API has them.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use serde_json::Value;

/// Something to read.
pub(crate) struct Source(pub(crate) Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Source {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Source> {
        if let Ok(text) = object.cast::<PyString>() {
            // Half a surrogate pair is text for Python, but for nobody else.
            return Ok(Source(text.to_string_lossy().into_owned().into_bytes()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Source(bytes.as_bytes().to_vec()));
        }
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyDict>() {
            let value: Value = pythonize::depythonize(&object)?;
            return Ok(Source(value.to_string().into_bytes()));
        }
        match object.extract::<PathBuf>() {
            Ok(path) => Ok(Source(std::fs::read(path)?)),
            Err(_) => Err(PyTypeError::new_err(
                "give a str, bytes, a pathlib.Path, or a list or dict of messages",
            )),
        }
    }
}

impl Source {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}
