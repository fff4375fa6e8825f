//! Writes numbers as people read them.

use crate::tokens::Tokens;

/// Writes a number with commas between thousands: 1,234,567.
pub fn thousands(number: u64) -> String {
    Tokens::new(number).with_commas()
}

/// Writes a number and its noun, in the plural unless there is one: 2,000 files.
pub fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}
