//! The counter `api`: asks the provider, remembers the answer for a while, and
//! falls back to counting offline where it gets none.
//!
//! The first failure ends the asking: a run over a thousand files must not
//! meet the same closed door a thousand times. The note about it is one, and
//! the precision is from then on that of the fallback.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use loadline::Remark;
use loadline::cache::{Cache, ContentHash};
use loadline::tokens::{CountSource, CountTokens, Counter, Precision, Tokens};
use serde_json::{Value, json};

use crate::env;
use crate::http::Service;

/// The name of the counter.
pub(crate) const NAME: &str = "api";

/// The version of the API this speaks.
const VERSION: &str = "2023-06-01";

/// The most bytes an answer may have; a real one has thirty.
const ANSWER_LIMIT: u64 = 64 * 1024;

/// What the counter needs to know.
pub(crate) struct ApiOptions {
    /// Address of the service.
    pub(crate) url: String,
    /// How long to wait for an answer.
    pub(crate) timeout: Duration,
    /// The key; without one nothing is sent.
    pub(crate) key: Option<String>,
    /// The model to count for.
    pub(crate) model: String,
    /// What counts where the service does not.
    pub(crate) fallback: Counter,
    /// Where answers are remembered, for how long, and what time it is.
    pub(crate) store: Arc<Cache>,
    pub(crate) ttl: Duration,
    pub(crate) now_ns: i64,
}

/// A counter that asks a service; clones share what happened.
#[derive(Clone)]
pub(crate) struct ApiCounter(Arc<State>);

struct State {
    options: ApiOptions,
    service: Service,
    asked: AtomicU64,
    failure: OnceLock<String>,
}

impl ApiCounter {
    /// Makes a counter; nothing is sent yet.
    pub(crate) fn new(options: ApiOptions) -> ApiCounter {
        let address = format!("{}/v1/messages/count_tokens", options.url.trim_end_matches('/'));
        ApiCounter(Arc::new(State {
            service: Service::new("the service", address, options.timeout),
            asked: AtomicU64::new(0),
            failure: OnceLock::new(),
            options,
        }))
    }

    /// Returns the counter that stepped in, if one had to.
    pub(crate) fn fallback(&self) -> Option<&Counter> {
        let failed = self.0.failure.get().is_some();
        failed.then_some(&self.0.options.fallback)
    }

    /// Returns where the counts came from.
    pub(crate) fn source(&self) -> CountSource {
        match self.0.asked.load(Ordering::Relaxed) {
            _ if self.fallback().is_some() => CountSource::Offline,
            0 => CountSource::Cache,
            _ => CountSource::Api,
        }
    }

    /// Says why the service was not used to the end, if so.
    pub(crate) fn note(&self) -> Option<Remark> {
        let reason = self.0.failure.get()?;
        let fallback = self.0.options.fallback.name();
        let message = format!("{reason}; counted with {fallback} instead");
        Some(Remark::new(NAME, message))
    }
}

impl CountTokens for ApiCounter {
    fn name(&self) -> &str {
        NAME
    }

    fn precision(&self) -> Precision {
        match self.fallback() {
            Some(fallback) => fallback.precision(),
            None => Precision::Exact,
        }
    }

    fn count(&self, text: &str) -> Tokens {
        // The service refuses messages without content.
        if text.trim().is_empty() {
            return self.0.options.fallback.count(text);
        }
        let hash = ContentHash::of(text.as_bytes());
        let known = self.0.remembered(&hash).or_else(|| self.0.ask(&hash, text));
        known.unwrap_or_else(|| self.0.options.fallback.count(text))
    }
}

impl State {
    fn kind(&self) -> String {
        format!("api/{}", self.options.model)
    }

    fn remembered(&self, hash: &ContentHash) -> Option<Tokens> {
        let options = &self.options;
        let value = options.store.fresh_fact(&self.kind(), hash, options.now_ns, options.ttl)?;
        let bytes = <[u8; 8]>::try_from(value).ok()?;
        Some(Tokens::new(u64::from_le_bytes(bytes)))
    }

    fn ask(&self, hash: &ContentHash, text: &str) -> Option<Tokens> {
        if self.failure.get().is_some() {
            return None;
        }
        match self.input_tokens(text) {
            Ok(tokens) => {
                self.asked.fetch_add(1, Ordering::Relaxed);
                // The service counts a request; the frame of its one message is not the text's.
                let frame = u64::try_from(self.options.fallback.framing().request).unwrap_or(0);
                let tokens = tokens.saturating_sub(frame);
                let fact = (*hash, tokens.to_le_bytes().to_vec());
                let now_ns = self.options.now_ns;
                self.options.store.record_facts(&self.kind(), &[fact], now_ns);
                Some(Tokens::new(tokens))
            }
            Err(reason) => {
                // Another thread may have failed first; its reason stands.
                let _ = self.failure.set(reason);
                None
            }
        }
    }

    /// Returns the tokens of a request with this text, or the reason why they are not known.
    fn input_tokens(&self, text: &str) -> Result<u64, String> {
        self.service.check()?;
        let Some(key) = &self.options.key else {
            return Err(format!("{} is not set", env::API_KEY));
        };
        let message = json!({"role": "user", "content": text});
        let question = json!({"model": self.options.model, "messages": [message]});
        let headers = [("x-api-key", key.as_str()), ("anthropic-version", VERSION)];
        let (status, body) = self.service.post(&headers, &question, ANSWER_LIMIT)?;
        match status {
            200 => {}
            401 | 403 => return Err(format!("{} is not accepted", env::API_KEY)),
            429 => return Err("too many requests (429)".to_owned()),
            status => return Err(format!("the service answered with status {status}")),
        }
        let answer: Value = serde_json::from_slice(&body?).unwrap_or_default();
        let tokens = answer["input_tokens"].as_u64();
        tokens.ok_or_else(|| "the service's answer is not understood".to_owned())
    }
}
