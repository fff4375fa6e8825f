//! Loadline for Python.
//!
//! Thin: every function takes plain values, lets other threads of Python run while the
//! library works, and returns plain values. The library's errors become exceptions, one
//! class per code. `python/loadline/__init__.py` is the public face.

mod arrow;
mod error;
mod notes;
mod repository;
mod sessions;
mod similar;
mod source;
mod texts;

use pyo3::prelude::*;

#[pymodule]
mod _loadline {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrow::{
        arrow_chunk, arrow_count, arrow_near_duplicates, arrow_redact, arrow_stats, arrow_trim,
    };
    #[pymodule_export]
    use crate::notes::{notes_brief, notes_units};
    #[pymodule_export]
    use crate::repository::{map, pack, search};
    #[pymodule_export]
    use crate::sessions::{bill, compress, convert, formats, read_session, recall, stats, trim};
    #[pymodule_export]
    use crate::texts::{Counter, chunk, fit, outline, redact};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Turns what serde can write into Python's own values.
fn plain(python: Python<'_>, value: &impl serde::Serialize) -> PyResult<Py<PyAny>> {
    Ok(pythonize::pythonize(python, value)?.unbind())
}
