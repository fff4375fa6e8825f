//! Files that are written as a whole, whoever interrupts.
//!
//! A file is first written beside its place under another name. A signal in
//! that moment would leave it there, so signals wait until it is in its place.

use std::path::Path;

use loadline::write_atomic;

use crate::error::CommandError;

/// Writes a file as a whole or not at all, and leaves nothing else behind.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    Ok(held::hold(|| write_atomic(path, bytes))?)
}

#[cfg(unix)]
mod held {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};

    /// Does short work; a signal that arrives meanwhile ends the program after it.
    pub(super) fn hold<T>(work: impl FnOnce() -> T) -> T {
        let (result, signal) = held(&[SIGINT, SIGTERM, SIGHUP], work);
        if let Some(signal) = signal {
            // Where even that fails, the program ends by itself soon.
            let _ = low_level::emulate_default_handler(signal);
        }
        result
    }

    /// Does the work and returns the signal that arrived meanwhile, if any.
    pub(super) fn held<T>(signals: &[i32], work: impl FnOnce() -> T) -> (T, Option<i32>) {
        let over = Arc::new(AtomicBool::new(false));
        let arrived = Arc::new(AtomicUsize::new(0));
        for &signal in signals {
            // Handlers stay for good, so after the work they do the usual thing.
            let _ = flag::register_conditional_default(signal, Arc::clone(&over));
            let number = usize::try_from(signal).unwrap_or_default();
            let _ = flag::register_usize(signal, Arc::clone(&arrived), number);
        }
        let result = work();
        let signal = arrived.swap(0, Ordering::SeqCst);
        over.store(true, Ordering::SeqCst);
        (
            result,
            i32::try_from(signal).ok().filter(|signal| *signal > 0),
        )
    }

    #[cfg(test)]
    mod tests {
        use signal_hook::consts::SIGUSR1;

        use super::*;

        #[test]
        fn a_signal_waits_for_the_end_of_the_work() {
            let (result, signal) = held(&[SIGUSR1], || {
                low_level::raise(SIGUSR1).unwrap();
                "done"
            });
            assert_eq!((result, signal), ("done", Some(SIGUSR1)));
        }
    }
}

#[cfg(not(unix))]
mod held {
    pub(super) fn hold<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}
