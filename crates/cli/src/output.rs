//! Writes files as a whole, also when interrupted.
//!
//! A file is first written under another name in the same directory. A signal in
//! that moment would leave it there, so signals wait until it is in its place.

use std::path::Path;

use loadline::write_atomic;

use crate::error::Result;
use crate::ui::Ui;

/// Writes a file as a whole or not at all, and leaves nothing else behind.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(held::hold(|| write_atomic(path, bytes))?)
}

/// Writes bytes to a file, or without one to standard output as they are.
pub(crate) fn deliver(path: Option<&Path>, bytes: &[u8], ui: &mut Ui) -> Result<()> {
    match path {
        Some(path) => write(path, bytes),
        None => Ok(ui.raw(bytes)?),
    }
}

#[cfg(unix)]
mod held {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, LazyLock};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};

    static SIGNALS: LazyLock<Held> = LazyLock::new(|| Held::new(&[SIGINT, SIGTERM, SIGHUP]));

    /// Does short work; a signal that arrives meanwhile ends the program after it.
    pub(super) fn hold<T>(work: impl FnOnce() -> T) -> T {
        let (result, signal) = SIGNALS.during(work);
        if let Some(signal) = signal {
            // Where even that fails, the program ends by itself soon.
            let _ = low_level::emulate_default_handler(signal);
        }
        result
    }

    /// Signals that can be made to wait.
    pub(super) struct Held {
        /// Whether they do the usual thing; handlers stay for good.
        usual: Arc<AtomicBool>,
        arrived: Arc<AtomicUsize>,
    }

    impl Held {
        pub(super) fn new(signals: &[i32]) -> Held {
            let held = Held { usual: Arc::new(AtomicBool::new(true)), arrived: Arc::default() };
            for &signal in signals {
                let number = usize::try_from(signal).unwrap_or_default();
                // A signal that cannot be held ends the program as before.
                let _ = flag::register_conditional_default(signal, Arc::clone(&held.usual));
                let _ = flag::register_usize(signal, Arc::clone(&held.arrived), number);
            }
            held
        }

        /// Does the work and returns the signal that arrived meanwhile, if any.
        pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> (T, Option<i32>) {
            self.usual.store(false, Ordering::SeqCst);
            let result = work();
            self.usual.store(true, Ordering::SeqCst);
            let signal = i32::try_from(self.arrived.swap(0, Ordering::SeqCst)).ok();
            (result, signal.filter(|signal| *signal > 0))
        }
    }

    #[cfg(test)]
    mod tests {
        use signal_hook::consts::SIGUSR1;

        use super::*;

        #[test]
        fn a_signal_waits_for_the_end_of_the_work() {
            let held = Held::new(&[SIGUSR1]);
            let (result, signal) = held.during(|| {
                low_level::raise(SIGUSR1).unwrap();
                "done"
            });
            assert_eq!((result, signal), ("done", Some(SIGUSR1)));
            assert_eq!(held.during(|| 2), (2, None));
        }
    }
}

#[cfg(not(unix))]
mod held {
    pub(super) fn hold<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}
