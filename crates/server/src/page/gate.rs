//! Decides who may see the page.
//!
//! The page shows what was said in sessions, so nobody else may read it: not another user
//! of this machine, and not a site that the browser has open. Whoever brings the token in
//! the address gets a cookie that no script can read and that no other site can use; a
//! change needs the token in its form as well. `Host` and `Origin` turn away sites that
//! had their name lead here.

use std::sync::Arc;

use form_urlencoded::parse;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderName, LOCATION,
    ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use maud::html;

use super::layout::{Frame, Page, content_policy};
use super::route::{Asked, Reply, reply};
use super::{State, events};
use crate::listen::{Answer, Service, are_equal, whole};

const SAME_ORIGIN: [HeaderName; 2] = [
    HeaderName::from_static("cross-origin-opener-policy"),
    HeaderName::from_static("cross-origin-resource-policy"),
];

#[derive(Clone)]
pub(super) struct Gate {
    state: Arc<State>,
    port: u16,
    policy: HeaderValue,
}

/// Why a request is turned away.
struct Refusal {
    status: StatusCode,
    title: &'static str,
    message: &'static str,
}

impl Gate {
    pub(super) fn new(state: Arc<State>, port: u16) -> Gate {
        let policy = HeaderValue::try_from(content_policy());
        Gate { state, port, policy: policy.expect("hashes are ASCII") }
    }

    /// Cookies of all ports are one jar, so the name says which server it is for.
    fn cookie_name(&self) -> String {
        format!("loadline-{}", self.port)
    }

    fn is_token(&self, brought: &str) -> bool {
        are_equal(brought.as_bytes(), self.state.options.token.as_bytes())
    }

    fn is_own_host(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{}", self.port))
    }

    /// Turns away what comes from another site.
    fn check_site(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).map(|it: &HeaderValue| it.to_str().unwrap_or("?"));
        let foreign = |message| {
            Err(Refusal { status: StatusCode::FORBIDDEN, title: "Another site", message })
        };
        if !text(HOST).is_some_and(|host| self.is_own_host(host)) {
            return foreign(
                "This page is served to 127.0.0.1 and localhost only. Open the address that \
                 loadline serve printed.",
            );
        }
        let is_own =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|it| self.is_own_host(it));
        if !text(ORIGIN).is_none_or(is_own) {
            return foreign("The request comes from a page of another site.");
        }
        Ok(())
    }

    /// Checks the token. Tells whether it was in the address, so that a cookie is due.
    fn check_token(&self, asked: &Asked, headers: &HeaderMap) -> Result<bool, Refusal> {
        let refused = |status, title, message| Err(Refusal { status, title, message });
        if let Some(token) = asked.query("token") {
            if self.is_token(token) {
                return Ok(true);
            }
            let message = "The token in the address is another one. Each start of loadline serve \
                           makes a new one: open the address that it printed last.";
            return refused(StatusCode::FORBIDDEN, "Wrong token", message);
        }
        let name = self.cookie_name();
        let cookies = headers.get_all(COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut pairs =
            cookies.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
        if pairs.any(|(key, value)| key == name && self.is_token(value)) {
            return Ok(false);
        }
        let message = "Open the address with the token that loadline serve printed. After that \
                       this browser is known.";
        refused(StatusCode::UNAUTHORIZED, "A token is needed", message)
    }

    /// A change must bring the token itself: a cookie is sent without anyone's doing.
    fn check_form(&self, asked: &Asked) -> Result<(), Refusal> {
        if asked.form("token").is_some_and(|it| self.is_token(it)) {
            return Ok(());
        }
        let message = "A change needs the token in its form. Go back, load the page again and \
                       repeat it.";
        Err(Refusal { status: StatusCode::FORBIDDEN, title: "Nothing was changed", message })
    }

    /// Makes the page; an answer that is not one comes as the other case.
    async fn admitted(&self, request: Request<Incoming>) -> Result<(Reply, bool), Answer> {
        let refuse = |refusal: Refusal| self.written(refused_page(&refusal), false);
        self.check_site(request.headers()).map_err(refuse)?;
        let mut asked = Asked::new(request.method(), request.uri());
        let is_first = self.check_token(&asked, request.headers()).map_err(refuse)?;
        if asked.is_events() {
            return Err(events::answer(Arc::clone(&self.state)));
        }
        if request.method() == Method::POST {
            let body = whole(request).await?.into_body().collect().await;
            let bytes = body.map(|it| it.to_bytes()).unwrap_or_default();
            asked.form = parse(&bytes).into_owned().collect();
            self.check_form(&asked).map_err(refuse)?;
        }
        let state = Arc::clone(&self.state);
        let done = tokio::task::spawn_blocking(move || reply(&state, &asked)).await;
        // A panic of a page is a page of its own, and the server goes on.
        Ok((done.unwrap_or_else(|_| Reply::Page(broken())), is_first))
    }

    fn written(&self, reply: Reply, sets_cookie: bool) -> Answer {
        let (status, body, location) = match reply {
            Reply::Page(page) => (page.status, Frame { page }.html(), None),
            Reply::Redirect(to) => (StatusCode::SEE_OTHER, String::new(), Some(to)),
        };
        let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        let fixed = HeaderValue::from_static;
        headers.insert(CONTENT_TYPE, fixed("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, fixed("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
        // With less than this a browser does not say where a form comes from.
        headers.insert(REFERRER_POLICY, fixed("same-origin"));
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        for name in SAME_ORIGIN {
            headers.insert(name, fixed("same-origin"));
        }
        if let Some(to) = location.and_then(|it| HeaderValue::try_from(it).ok()) {
            headers.insert(LOCATION, to);
        }
        if sets_cookie {
            let (name, token) = (self.cookie_name(), &self.state.options.token);
            let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict");
            headers.extend(HeaderValue::try_from(cookie).ok().map(|it| (SET_COOKIE, it)));
        }
        answer
    }
}

impl Service for Gate {
    async fn answer(self, request: Request<Incoming>) -> Answer {
        match self.admitted(request).await {
            Ok((reply, is_first)) => self.written(reply, is_first),
            Err(answer) => answer,
        }
    }
}

fn refused_page(refusal: &Refusal) -> Reply {
    let body = html! { h1 { (refusal.title) } p { (refusal.message) } };
    Reply::Page(Page {
        status: refusal.status,
        is_open: false,
        ..Page::new(refusal.title, "", body)
    })
}

fn broken() -> Page {
    let body = html! {
        h1 { "This page could not be made" }
        p { "That is a mistake in loadline. The other pages still work." }
    };
    Page { status: StatusCode::INTERNAL_SERVER_ERROR, ..Page::new("Error", "", body) }
}
