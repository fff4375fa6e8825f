//! What is configured, and who said so?

mod duration;
mod size;

pub use duration::{ParseDurationError, format_duration, parse_duration};
pub use size::{ParseSizeError, parse_size};
