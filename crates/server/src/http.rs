//! The server over streamable HTTP, for this machine only.
//!
//! Only loopback addresses are listened on. A browser that was led here by a
//! name of someone else's is turned away by its `Host` or `Origin`, and where a
//! token is set, requests without it. Every request stands for itself.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Collected, Full};
use hyper::body::{Bytes, Incoming};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::error::ServerError;
use crate::listen::{Answer, Service, are_equal, listen, plain, whole};
use crate::mcp::Mcp;
use crate::message::{Malformed, read};

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

type Protocol = StreamableHttpService<Mcp, NeverSessionManager>;

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
    if options.token.as_deref().is_some_and(|token| token.trim().is_empty()) {
        return Err(ServerError::EmptyToken);
    }
    listen(options.address, |address| {
        ready(address);
        Gate { protocol: protocol(mcp), token: options.token.as_deref().map(Arc::from) }
    })
}

/// The protocol, without sessions.
fn protocol(mcp: Mcp) -> Protocol {
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

/// Lets in who may ask.
#[derive(Clone)]
struct Gate {
    protocol: Protocol,
    token: Option<Arc<str>>,
}

impl Service for Gate {
    async fn answer(self, request: Request<Incoming>) -> Answer {
        if request.uri().path().trim_end_matches('/') != PATH {
            return plain(StatusCode::NOT_FOUND, "MCP is served at /mcp.\n");
        }
        if !self.lets_in(request.headers()) {
            let mut answer = plain(StatusCode::UNAUTHORIZED, "A bearer token is required.\n");
            let scheme = HeaderValue::from_static("Bearer");
            answer.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return answer;
        }
        let is_message = request.method() == Method::POST;
        let (head, body) = match whole(request).await {
            Ok(request) => request.into_parts(),
            Err(answer) => return answer,
        };
        // A body that is there as a whole comes in one piece.
        let Ok(body) = body.collect().await.map(Collected::to_bytes);
        if is_message && let Err(malformed) = read(&body) {
            return refused(malformed);
        }
        self.protocol.handle(Request::from_parts(head, Full::new(body))).await
    }
}

/// Answers what is not a message.
fn refused(malformed: Malformed) -> Answer {
    let said = serde_json::to_vec(&malformed.answer()).unwrap_or_default();
    let mut answer = Answer::new(Full::new(Bytes::from(said)).boxed());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    let kind = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

impl Gate {
    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let brought = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
        let (scheme, brought) = brought.unwrap_or_default().split_at_checked(7).unwrap_or_default();
        scheme.eq_ignore_ascii_case(b"bearer ") && are_equal(brought, token.as_bytes())
    }
}
