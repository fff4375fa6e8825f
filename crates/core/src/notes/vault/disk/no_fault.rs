//! The disk as it is: nothing fails on purpose.

use std::io;

/// No fault.
#[derive(Clone, Debug)]
pub(crate) struct Fault;

impl Fault {
    pub(crate) fn none() -> Fault {
        Fault
    }

    /// Lets every step happen.
    pub(super) fn before_step(&self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the bytes in one piece.
    pub(super) fn pieces<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        std::iter::once(bytes)
    }
}
