//! The server over streamable HTTP, for this machine only.
//!
//! Only loopback addresses are listened on. A browser that was led here by a
//! name of someone else's is turned away by its `Host` or `Origin`, and where a
//! token is set, requests without it. Every request stands for itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;

use crate::error::ServerError;
use crate::mcp::Mcp;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// Connections at once; more wait.
const CONNECTIONS: usize = 64;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of the largest request.
const LARGEST: usize = 4 << 20;
/// How long to wait where no connection can be taken.
const PAUSE: Duration = Duration::from_millis(100);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Mcp, NeverSessionManager>;

/// Where to listen, and who is let in.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// A loopback address; port 0 takes any that is free.
    pub address: SocketAddr,
    /// What requests must bring as `Authorization: Bearer`; none lets in whoever
    /// can reach the address.
    pub token: Option<String>,
}

/// Serves until the process ends; `ready` is told the address.
pub fn serve_http(
    mcp: Mcp,
    options: &HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServerError> {
    let address = options.address;
    if !address.ip().is_loopback() {
        return Err(ServerError::NotLoopback { address });
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let gate = Gate { service: service(mcp), token: options.token.as_deref().map(Arc::from) };
        accept(listener, gate).await
    })
}

/// The protocol, without sessions.
fn service(mcp: Mcp) -> Service {
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(["localhost", "127.0.0.1", "::1"])
        .with_allowed_origins(origins)
        .enforce_origin_validation();
    let sessions = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(mcp.clone()), sessions, config)
}

/// Takes connections, each on a task of its own.
async fn accept(listener: TcpListener, gate: Gate) -> Result<(), ServerError> {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = Arc::clone(&connections).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a client that is gone already.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let gate = gate.clone();
        tokio::spawn(async move {
            let _permit = permit;
            // A client that breaks off hurts nobody else.
            let _ = serve(stream, gate).await;
        });
    }
}

async fn serve(stream: TcpStream, gate: Gate) -> hyper::Result<()> {
    let answer = service_fn(move |request| {
        let gate = gate.clone();
        async move { Ok::<_, Infallible>(gate.answer(request).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

/// Lets in who may ask.
#[derive(Clone)]
struct Gate {
    service: Service,
    token: Option<Arc<str>>,
}

impl Gate {
    async fn answer(self, request: Request<Incoming>) -> Answer {
        if request.uri().path().trim_end_matches('/') != PATH {
            return plain(StatusCode::NOT_FOUND, "MCP is served at /mcp.\n");
        }
        if !self.lets_in(request.headers()) {
            let mut answer = plain(StatusCode::UNAUTHORIZED, "A bearer token is required.\n");
            let scheme = http::HeaderValue::from_static("Bearer");
            answer.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return answer;
        }
        match whole(request).await {
            Ok(request) => self.service.handle(request).await,
            Err(answer) => answer,
        }
    }

    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let brought = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
        let (scheme, brought) = brought.unwrap_or_default().split_at_checked(7).unwrap_or_default();
        scheme.eq_ignore_ascii_case(b"bearer ") && are_equal(brought, token.as_bytes())
    }
}

/// Waits for the whole of a request: not for ever, and not for more than is read.
async fn whole(request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Answer> {
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
fn are_equal(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |all, (a, b)| all | (a ^ b));
    left.len() == right.len() && differences == 0
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    let kind = http::HeaderValue::from_static("text/plain; charset=utf-8");
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
