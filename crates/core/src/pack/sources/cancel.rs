//! Stops work from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::pack::PackError;

/// A switch that stops a pack between two steps. Clones share it.
///
/// ```
/// use loadline::pack::Cancel;
/// let cancel = Cancel::new();
/// let other = cancel.clone();
/// other.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Makes a switch that is off.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Makes a switch of a flag that someone else may set, such as a handler of signals.
    pub fn by(flag: Arc<AtomicBool>) -> Cancel {
        Cancel(flag)
    }

    /// Stops the work; it cannot be resumed.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Tells whether the work is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn check(&self) -> Result<(), PackError> {
        if self.is_cancelled() { Err(PackError::Cancelled) } else { Ok(()) }
    }
}
