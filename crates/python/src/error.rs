//! Errors of the library as exceptions of Python, one class per code.

use loadline::Diagnose;
use pyo3::prelude::*;

/// Makes the exception of an error: `loadline.errors.make(code, message, hint)`.
pub(crate) fn raised<E: Diagnose + std::error::Error>(error: E) -> PyErr {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        source = cause.source();
    }
    make(error.code(), &message, error.hint().as_deref())
}

/// Makes an exception by its code.
pub(crate) fn make(code: &str, message: &str, hint: Option<&str>) -> PyErr {
    Python::attach(|python| {
        let made = python
            .import("loadline.errors")
            .and_then(|module| module.call_method1("make", (code, message, hint)));
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}
