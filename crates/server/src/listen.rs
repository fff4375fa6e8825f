//! Takes connections on a loopback address and hands their requests to a service.
//!
//! Only loopback addresses are listened on. A client may be slow, break off, say nothing or
//! send too much; none of that holds up the others. Whoever is one too many waits a little,
//! and is then told to come back later.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;

use crate::error::ServerError;
use crate::message::LARGEST;

/// Connections at once; more wait until the system hands them over.
const CONNECTIONS: usize = 512;
/// Requests at once; more wait for their turn, but not for long.
const REQUESTS: usize = 64;
/// How long a request waits for its turn.
const TURN: Duration = Duration::from_secs(2);
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait where no connection can be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// What a request is answered with.
pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Answers requests.
pub(crate) trait Service: Clone + Send + 'static {
    /// Answers one request.
    fn answer(self, request: Request<Incoming>) -> impl Future<Output = Answer> + Send;
}

/// Serves until the process ends. `start` is told the address and makes the service.
pub(crate) fn listen<S: Service>(
    address: SocketAddr,
    start: impl FnOnce(SocketAddr) -> S,
) -> Result<(), ServerError> {
    if !address.ip().is_loopback() {
        return Err(ServerError::NotLoopback { address });
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let service = start(listener.local_addr().map_err(failed)?);
        accept(listener, service).await
    })
}

/// Takes connections, each on a task of its own.
async fn accept<S: Service>(listener: TcpListener, service: S) -> Result<(), ServerError> {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let requests = Arc::new(Semaphore::new(REQUESTS));
    loop {
        let permit = Arc::clone(&connections).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a client that is gone already.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let turns = Turns { service: service.clone(), requests: Arc::clone(&requests) };
        tokio::spawn(async move {
            let _permit = permit;
            // A client that breaks off hurts nobody else.
            let _ = serve(stream, turns).await;
        });
    }
}

/// A service of which only so many requests are answered at once.
#[derive(Clone)]
struct Turns<S> {
    service: S,
    requests: Arc<Semaphore>,
}

impl<S: Service> Service for Turns<S> {
    async fn answer(self, request: Request<Incoming>) -> Answer {
        if let Ok(Ok(_turn)) = tokio::time::timeout(TURN, self.requests.acquire()).await {
            return self.service.answer(request).await;
        }
        // What is left unread would reset the connection before the answer is read.
        let _ = whole(request).await;
        let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE, "Too many requests; try again.\n");
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        answer
    }
}

async fn serve<S: Service>(stream: TcpStream, service: S) -> hyper::Result<()> {
    let answer = service_fn(move |request| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

/// Waits for the whole of a request: not for ever, and not for more than is read.
pub(crate) async fn whole(request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Answer> {
    let too_large = || plain(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large.\n");
    let said = request.headers().get(CONTENT_LENGTH);
    let said = said.and_then(|it| it.to_str().ok()?.parse::<usize>().ok());
    if said.is_some_and(|length| length > LARGEST) {
        return Err(too_large());
    }
    let (parts, body) = request.into_parts();
    let body = Limited::new(body, LARGEST).collect();
    match tokio::time::timeout(PATIENCE, body).await {
        Ok(Ok(body)) => Ok(Request::from_parts(parts, Full::new(body.to_bytes()))),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(plain(StatusCode::BAD_REQUEST, "The request was interrupted.\n")),
        Err(_) => Err(plain(StatusCode::REQUEST_TIMEOUT, "The request timed out.\n")),
    }
}

/// Compares without telling by the time it takes where the difference is.
pub(crate) fn are_equal(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |all, (a, b)| all | (a ^ b));
    left.len() == right.len() && differences == 0
}

/// Answers with a text.
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_token_is_equal() {
        assert!(are_equal(b"secret", b"secret"));
        for other in [&b"secres"[..], b"secre", b"secrets", b""] {
            assert!(!are_equal(other, b"secret"));
        }
    }
}
