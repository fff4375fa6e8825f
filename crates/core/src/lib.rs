//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.

mod diagnose;
mod fsio;
mod note;
mod tokens;

pub use diagnose::Diagnose;
pub use fsio::{PathError, write_atomic};
pub use note::Note;
pub use tokens::{
    Calibration, CalibrationError, CountSource, CountTokens, Counter, CounterError, Framing,
    ParseTokensError, Precision, Residual, Sample, TokenCount, Tokens,
};
