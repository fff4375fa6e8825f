//! Posts JSON to a service: the one place that uses the network.

use std::time::Duration;

use loadline::settings::format_duration;
use serde_json::Value;
use ureq::{Agent, Error};

/// Something that answers at one address.
pub(crate) struct Service {
    agent: Agent,
    name: &'static str,
    address: String,
    patience: String,
}

/// A status, and the body or why it cannot be read.
pub(crate) type Answer = (u16, Result<Vec<u8>, String>);

impl Service {
    /// Nothing is sent yet; `name` is what messages call it.
    pub(crate) fn new(name: &'static str, address: String, timeout: Duration) -> Service {
        let agent = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // Keys and sessions go to the configured address and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("loadline/", env!("CARGO_PKG_VERSION")))
            .build();
        Service { agent: agent.into(), name, address, patience: format_duration(timeout) }
    }

    /// Fails where this build cannot ask anybody.
    pub(crate) fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Sends a document and waits for the answer, of at most `limit` bytes.
    pub(crate) fn post(
        &self,
        headers: &[(&str, &str)],
        body: &Value,
        limit: u64,
    ) -> Result<Answer, String> {
        let mut request = self.agent.post(&self.address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = request.send_json(body).map_err(|error| self.reason(&error))?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(limit).read_to_vec();
        Ok((status, body.map_err(|error| self.reason(&error))))
    }

    fn reason(&self, error: &Error) -> String {
        match error {
            Error::Timeout(_) => format!("no answer within {}", self.patience),
            error => format!("cannot reach {}: {error}", self.name),
        }
    }
}
