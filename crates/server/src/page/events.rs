//! Tells open pages when a log has changed, as server-sent events.
//!
//! Logs are listed every few seconds while a page is open; nothing is read. The page shows
//! a link that loads it again: what someone is reading does not change under their eyes.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use hyper::body::Bytes;
use loadline::agents::{Log, find_logs};

use super::State;
use crate::listen::Answer;

/// How often logs are listed.
const INTERVAL: Duration = Duration::from_secs(2);
/// Rounds after which something is sent in any case: only that tells that a page is closed.
const QUIET_ROUNDS: u32 = 8;
/// Events that wait to be sent.
const WAITING: usize = 4;

/// Answers with events until the page is closed.
pub(super) fn answer(state: Arc<State>) -> Answer {
    let (sender, body) = Channel::new(WAITING);
    tokio::spawn(async move {
        // The page is closed.
        let _ = tell(state, sender).await;
    });
    let mut answer = Response::new(body.boxed());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

async fn tell(
    state: Arc<State>,
    mut sender: Sender<Bytes>,
) -> Result<(), http_body_util::channel::SendError> {
    let mut known = listed(&state).await;
    sender.send_data(Bytes::from_static(b": watching\n\n")).await?;
    let mut quiet = 0;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = listed(&state).await;
        if now != known {
            known = now;
            quiet = 0;
            sender.send_data(Bytes::from_static(b"data: changed\n\n")).await?;
        } else if quiet == QUIET_ROUNDS {
            quiet = 0;
            sender.send_data(Bytes::from_static(b": still here\n\n")).await?;
        } else {
            quiet += 1;
        }
    }
}

async fn listed(state: &Arc<State>) -> Vec<Log> {
    let state = Arc::clone(state);
    let list = move || find_logs(&state.options.agents, &state.options.homes);
    tokio::task::spawn_blocking(list).await.unwrap_or_default()
}
