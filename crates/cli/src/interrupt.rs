//! Ctrl-C stops work between two steps, and a second one stops the program.

use loadline::pack::Cancel;

/// Does work that a Ctrl-C cancels; before and after it, Ctrl-C does the usual thing.
pub(crate) fn cancelling<T>(work: impl FnOnce(&Cancel) -> T) -> T {
    let cancel = handler::install();
    let result = work(&cancel);
    handler::remove();
    result
}

#[cfg(unix)]
mod handler {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, LazyLock};

    use loadline::pack::Cancel;
    use signal_hook::consts::SIGINT;
    use signal_hook::flag;

    struct Flags {
        /// Whether Ctrl-C ends the program; handlers stay for good.
        usual: Arc<AtomicBool>,
        cancelled: Arc<AtomicBool>,
    }

    static FLAGS: LazyLock<Flags> = LazyLock::new(|| {
        let flags = Flags { usual: Arc::new(AtomicBool::new(false)), cancelled: Arc::default() };
        // In this order: a second Ctrl-C finds the flag that the first one set. Where
        // none of this works, Ctrl-C ends the program as ever.
        let _ = flag::register_conditional_default(SIGINT, Arc::clone(&flags.usual));
        let _ = flag::register_conditional_default(SIGINT, Arc::clone(&flags.cancelled));
        let _ = flag::register(SIGINT, Arc::clone(&flags.cancelled));
        flags
    });

    pub(super) fn install() -> Cancel {
        FLAGS.usual.store(false, Ordering::SeqCst);
        Cancel::by(Arc::clone(&FLAGS.cancelled))
    }

    pub(super) fn remove() {
        FLAGS.usual.store(true, Ordering::SeqCst);
    }
}

#[cfg(not(unix))]
mod handler {
    use loadline::pack::Cancel;

    pub(super) fn install() -> Cancel {
        Cancel::new()
    }

    pub(super) fn remove() {}
}
