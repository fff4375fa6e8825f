//! Anthropic's counting service, one question at a time.

use loadline::settings::format_duration;
use serde::{Deserialize, Serialize};
use ureq::Agent;

use super::ApiOptions;
use crate::env;

/// The version of the API this speaks.
const VERSION: &str = "2023-06-01";

/// The most bytes an answer may have; a real one has thirty.
const ANSWER_LIMIT: u64 = 64 * 1024;

/// The service at one address.
pub(super) struct Service {
    agent: Agent,
    address: String,
    model: String,
    key: Option<String>,
    patience: String,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: [Message<'a>; 1],
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Deserialize)]
struct Answer {
    input_tokens: u64,
}

impl Service {
    pub(super) fn new(options: &ApiOptions) -> Service {
        let agent = Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            // The key goes to the configured address and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("loadline/", env!("CARGO_PKG_VERSION")))
            .build();
        let url = options.url.trim_end_matches('/');
        Service {
            agent: agent.into(),
            address: format!("{url}/v1/messages/count_tokens"),
            model: options.model.clone(),
            key: options.key.clone(),
            patience: format_duration(options.timeout),
        }
    }

    /// Returns the tokens of a request with this text, or the reason why they are not known.
    pub(super) fn input_tokens(&self, text: &str) -> Result<u64, String> {
        let Some(key) = &self.key else {
            return Err(format!("{} is not set", env::API_KEY));
        };
        let question =
            Question { model: &self.model, messages: [Message { role: "user", content: text }] };
        let request = self.agent.post(&self.address);
        let answer = request
            .header("x-api-key", key)
            .header("anthropic-version", VERSION)
            .send_json(&question);
        let mut answer = answer.map_err(|error| self.reason(&error))?;
        match answer.status().as_u16() {
            200 => {}
            401 | 403 => return Err(format!("{} is not accepted", env::API_KEY)),
            429 => return Err("too many requests (429)".to_owned()),
            status => return Err(format!("the service answered with status {status}")),
        }
        let body = answer.body_mut().with_config().limit(ANSWER_LIMIT);
        match body.read_json::<Answer>() {
            Ok(answer) => Ok(answer.input_tokens),
            Err(ureq::Error::Json(_)) => Err("the service's answer is not understood".to_owned()),
            Err(error) => Err(self.reason(&error)),
        }
    }

    fn reason(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(_) => format!("no answer within {}", self.patience),
            error => format!("cannot reach the service: {error}"),
        }
    }
}
