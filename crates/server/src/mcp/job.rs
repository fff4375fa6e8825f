//! A call of the library on a thread of its own: with progress, and a way to stop.
//!
//! The library blocks, so it never runs on the thread that serves. Whoever
//! cancels a request, or goes away, stops the work between two steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadline::pack::{Cancel, PackOptions, Progress, Stage};
use loadline::tokens::{Counter, Tokens};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;

use super::answer::{Answer, ToolError};
use super::page::{Block, Pages};
use super::{Mcp, State};

/// How often progress is told.
const TICK: Duration = Duration::from_millis(250);

/// Steps of one stage; what is told is a number of them.
const STEPS: u64 = 1_000;

/// What work needs of the server.
pub(super) struct Job {
    pub(super) state: Arc<State>,
    cancel: Cancel,
    gauge: Arc<Gauge>,
}

impl Job {
    /// Returns the options of packs, as of now.
    pub(super) fn pack_options(&self) -> PackOptions {
        PackOptions {
            now_ns: (self.state.options.clock)(),
            progress: Some(Arc::clone(&self.gauge) as Arc<dyn Progress>),
            cancel: self.cancel.clone(),
            ..self.state.options.pack.clone()
        }
    }

    /// Takes credentials out of a text, unless the server was told to leave them in.
    pub(super) fn redacted(&self, text: String) -> String {
        match &self.state.options.pack.secrets {
            Some(secrets) => secrets.redact(&text).0.into_owned(),
            None => text,
        }
    }

    pub(super) fn counter(&self) -> &Counter {
        &self.state.options.pack.counter
    }

    /// Answers with the page at a cursor, or the first, in at most `max` tokens.
    pub(super) fn page(
        &self,
        blocks: Vec<Block>,
        notes: Vec<String>,
        cursor: Option<&str>,
        max: Tokens,
    ) -> Result<Answer, ToolError> {
        Ok(Pages { blocks, notes }.page(cursor, max, self.counter())?.into())
    }
}

/// How far the work is, in steps of all stages; it never goes back.
#[derive(Debug, Default)]
struct Gauge(AtomicU64);

impl Progress for Gauge {
    fn at(&self, stage: Stage, done: usize, total: usize) {
        let before = match stage {
            Stage::Read => 0,
            Stage::Score => 1,
            _ => 2,
        };
        let (done, total) = (done as u64, (total as u64).max(1));
        let part = (done * STEPS / total).min(STEPS);
        self.0.fetch_max(before * STEPS + part, Ordering::Relaxed);
    }
}

impl Gauge {
    fn message(steps: u64) -> &'static str {
        match steps / STEPS {
            0 => "reading files",
            1 => "scoring files",
            _ => "selecting what fits",
        }
    }
}

/// Stops the work when nobody waits for it any more.
struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Mcp {
    /// Runs work on a thread of its own, and tells how far it is.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Job) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let cancelled = || ToolError::new("cancelled");
        let permit = tokio::select! {
            permit = Arc::clone(&self.state.jobs).acquire_owned() => permit,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let job =
            Job { state: Arc::clone(&self.state), cancel: Cancel::new(), gauge: Arc::default() };
        let _stop = StopOnDrop(job.cancel.clone());
        let mut teller = Teller::new(context, Arc::clone(&job.gauge));
        let mut handle = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&job)
        });
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                done = &mut handle => {
                    return done.unwrap_or_else(|_| {
                        Err(ToolError::new("internal error; please report it"))
                    });
                }
                () = context.ct.cancelled() => return Err(cancelled()),
                _ = ticks.tick(), if teller.is_wanted() => teller.tell(context).await,
            }
        }
    }
}

/// Tells a client how far its request is, where it wants to know.
struct Teller {
    token: Option<ProgressToken>,
    gauge: Arc<Gauge>,
    told: Option<u64>,
}

impl Teller {
    fn new(context: &RequestContext<RoleServer>, gauge: Arc<Gauge>) -> Teller {
        Teller { token: context.meta.get_progress_token(), gauge, told: None }
    }

    fn is_wanted(&self) -> bool {
        self.token.is_some()
    }

    /// Tells what is new; a client that does not listen does not stop the work.
    async fn tell(&mut self, context: &RequestContext<RoleServer>) {
        let steps = self.gauge.0.load(Ordering::Relaxed);
        let Some(token) = self.token.clone().filter(|_| self.told < Some(steps)) else {
            return;
        };
        self.told = Some(steps);
        let progress = ProgressNotificationParam::new(token, steps as f64)
            .with_total(3.0 * STEPS as f64)
            .with_message(Gauge::message(steps));
        let _ = context.peer.notify_progress(progress).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows() {
        let gauge = Gauge::default();
        let seen = |stage, done, total| {
            gauge.at(stage, done, total);
            gauge.0.load(Ordering::Relaxed)
        };
        assert_eq!(seen(Stage::Read, 5, 10), 500);
        assert_eq!(seen(Stage::Read, 3, 10), 500);
        assert_eq!(seen(Stage::Score, 0, 0), 1_000);
        assert_eq!(seen(Stage::Read, 10, 10), 1_000);
        assert_eq!(seen(Stage::Choose, 9, 3), 3_000);
    }
}
