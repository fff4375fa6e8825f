//! Shows a result again whenever files change, until Ctrl-C.
//!
//! Changes come in bursts (an editor writes a file in several steps), so they
//! are waited out for a moment, and a result that is the same is not shown
//! again: what a command writes itself does not wake it for good.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use loadline::pack::Cancel;
use notify::{RecursiveMode, Watcher};

use crate::error::{RequestError, Result};
use crate::interrupt;

/// How long a burst of changes is waited out.
const SETTLE: Duration = Duration::from_millis(150);
/// How often a Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);
/// The longest that a burst is waited out; some files never rest.
const LONGEST: Duration = Duration::from_secs(1);

/// Shows a result now and after every change below a directory.
///
/// `show` gets what was shown before and returns what it showed.
pub(crate) fn watch(
    directory: &Path,
    mut show: impl FnMut(Option<&str>) -> Result<String>,
) -> Result<()> {
    let (sender, changes) = channel();
    let failed = |error: notify::Error| RequestError::NoWatch {
        path: directory.to_owned(),
        reason: error.to_string(),
    };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file does not change it.
        let read = event.as_ref().is_ok_and(|it| it.kind.is_access());
        if !read {
            // Nobody listens any more where the command is ending.
            let _ = sender.send(());
        }
    })
    .map_err(failed)?;
    watcher.watch(directory, RecursiveMode::Recursive).map_err(failed)?;
    interrupt::cancelling(|cancel| {
        let mut shown = show(None)?;
        while wait(&changes, cancel) {
            shown = show(Some(&shown))?;
        }
        Ok(())
    })
}

/// Waits for a change and for the rest after it; false where the work is to end.
fn wait(changes: &Receiver<()>, cancel: &Cancel) -> bool {
    loop {
        if cancel.is_cancelled() {
            return false;
        }
        match changes.recv_timeout(TICK) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    let began = Instant::now();
    while began.elapsed() < LONGEST && changes.recv_timeout(SETTLE).is_ok() {}
    !cancel.is_cancelled()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f273_a_burst_of_changes_is_one_refresh() {
        let (sender, changes) = channel();
        for _ in 0..20 {
            sender.send(()).unwrap();
        }
        assert!(wait(&changes, &Cancel::new()));
        assert!(changes.try_recv().is_err());
        drop(sender);
        assert!(!wait(&changes, &Cancel::new()));
    }
}
