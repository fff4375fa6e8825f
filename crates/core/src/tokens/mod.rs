//! Counts the tokens of a text, and says how precise the count is.
//!
//! [`Counter`] is the one type; behind it are exact vocabularies (`bpe`), a
//! reconstruction of Claude's (`claude`), rules of thumb (`heuristic`), and
//! what a caller provides. [`Calibration`] fits a counter to billed usage,
//! and [`Framing`] has what messages cost in addition to their text.

mod amount;
mod bpe;
mod calibrate;
mod claude;
mod counter;
mod framing;
mod hash;
mod heuristic;
#[cfg_attr(not(feature = "hf"), path = "hf_disabled.rs")]
mod hf;
mod precision;
mod recent;

pub use amount::{ParseTokensError, Tokens};
pub use calibrate::{Calibration, CalibrationError, Residual, Sample};
pub(crate) use counter::is_seam;
pub use counter::{CountSource, CountTokens, Counter, CounterError};
pub use framing::Framing;
pub use precision::Precision;
