//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.

mod budget;
mod diagnose;
mod fsio;
mod note;
mod tokens;

pub use budget::{
    Allocation, Amount, Budget, BudgetBuilder, BudgetError, BudgetPreset, Ladder, Ledger, Leftover,
    Model, ModelEntry, Models, Pressure, PriceEntry, Prices, Receipt, Reserve, Severity, Share,
    ShareLimit, ShareUse, packer_categories, session_trim_trigger, workflow_phase_response,
};
pub use diagnose::Diagnose;
pub use fsio::{PathError, write_atomic};
pub use note::Note;
pub use tokens::{
    Calibration, CalibrationError, CountSource, CountTokens, Counter, CounterError, Framing,
    ParseTokensError, Precision, Residual, Sample, TokenCount, Tokens,
};
