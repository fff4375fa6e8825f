//! A bar for work that takes a while; quick work shows none.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use loadline::pack::{Progress, Stage};

/// Who waits no longer than this needs no bar.
const QUICK: Duration = Duration::from_millis(500);

/// A bar that appears when the work turns out to be long.
#[derive(Debug)]
pub(crate) struct Bar {
    start: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// Starts the clock.
    pub(crate) fn new() -> Bar {
        Bar { start: Instant::now(), bar: OnceLock::new() }
    }

    /// Takes the bar away, so that what follows stands alone.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn at(&self, stage: Stage, done: usize, total: usize) {
        if self.bar.get().is_none() && self.start.elapsed() < QUICK {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} files");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.with_style(style.progress_chars("█▉▊▋▌▍▎▏ "))
        });
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        let message = match stage {
            Stage::Read => "reading",
            Stage::Score => "scoring",
            _ => "choosing",
        };
        if bar.message() != message {
            bar.set_message(message);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
