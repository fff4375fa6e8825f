//! How many tokens is this text, and how sure are we?
//!
//! [`Counter`] is the one type; behind it stand exact vocabularies (`bpe`), a
//! reconstruction of Claude's (`claude`), rules of thumb (`heuristic`), and
//! whatever a caller brings. [`Calibration`] fits a counter to billed usage,
//! and [`Framing`] holds what messages cost beside their text.

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
pub use counter::{CountSource, CountTokens, Counter, CounterError, TokenCount};
pub use framing::Framing;
pub use precision::Precision;
