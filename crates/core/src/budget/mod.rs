//! How many tokens may be spent, and on what?
//!
//! Which model has which window is in `models`.

mod error;
mod model;
mod model_name;
mod models;

pub use error::BudgetError;
pub use model::{Model, ModelEntry, PriceEntry, Prices};
pub use models::Models;
