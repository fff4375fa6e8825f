//! A disk that fails at a given step, or a program that ends there.
//!
//! Only tests are built with it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What happens at which step; all clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    kind: Kind,
    done: Arc<AtomicU64>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    None,
    /// The program ends before this step, as if it were killed.
    Kill(u64),
    /// This step fails, and all others work.
    FailOnce(u64, io::ErrorKind),
    /// This step fails, and all that follow.
    FailFrom(u64, io::ErrorKind),
}

impl Fault {
    pub(crate) fn none() -> Fault {
        Fault::new(Kind::None)
    }

    pub(crate) fn kill(step: u64) -> Fault {
        Fault::new(Kind::Kill(step))
    }

    pub(crate) fn fail_once(step: u64, error: io::ErrorKind) -> Fault {
        Fault::new(Kind::FailOnce(step, error))
    }

    pub(crate) fn fail_from(step: u64, error: io::ErrorKind) -> Fault {
        Fault::new(Kind::FailFrom(step, error))
    }

    fn new(kind: Kind) -> Fault {
        Fault { kind, done: Arc::default() }
    }

    /// Returns how many steps there were, those that failed included.
    pub(crate) fn steps(&self) -> u64 {
        self.done.load(Ordering::SeqCst)
    }

    pub(super) fn before_step(&self) -> io::Result<()> {
        let step = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        match self.kind {
            // Nothing is flushed, dropped or cleaned up, as after SIGKILL.
            Kind::Kill(at) if step == at => std::process::abort(),
            Kind::FailOnce(at, kind) if step == at => Err(kind.into()),
            Kind::FailFrom(at, kind) if step >= at => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// Returns the bytes in two pieces, so that a file can be half written.
    pub(super) fn pieces<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (head, tail) = bytes.split_at(bytes.len() / 2);
        [head, tail].into_iter()
    }
}
