//! The counter `api`: asks the provider, remembers the answer for a while, and
//! falls back to counting offline where it gets none.
//!
//! The first failure ends the asking: a run over a thousand files must not
//! meet the same closed door a thousand times. The note about it is one, and
//! the precision is from then on that of the fallback.

#[cfg_attr(not(feature = "api"), path = "api/service_disabled.rs")]
mod service;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use loadline::Remark;
use loadline::cache::{Cache, ContentHash};
use loadline::tokens::{CountSource, CountTokens, Counter, Precision, Tokens};

use service::Service;

/// The name of the counter.
pub(crate) const NAME: &str = "api";

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
        ApiCounter(Arc::new(State {
            service: Service::new(&options),
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
        match self.service.input_tokens(text) {
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
}
