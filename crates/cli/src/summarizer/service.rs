//! A model behind an address that speaks as Anthropic or OpenAI do.

use std::time::Duration;

use loadline::settings::format_duration;
use serde_json::{Value, json};
use ureq::Agent;

use super::{Failure, says_too_long};
use crate::env;

/// The version of Anthropic's API this speaks.
const VERSION: &str = "2023-06-01";

/// The longest summary, in tokens.
const MOST_TOKENS: u32 = 1_024;

/// The most bytes of an answer.
const ANSWER_LIMIT: u64 = 1 << 20;

/// Whom to ask.
pub(super) struct Options<'a> {
    pub(super) url: &'a str,
    pub(super) model: &'a str,
    /// `anthropic` or `openai`.
    pub(super) api: &'a str,
    pub(super) timeout: Duration,
}

/// A model at one address.
pub(super) struct Service {
    agent: Agent,
    address: String,
    model: String,
    is_openai: bool,
    key: Option<String>,
    patience: String,
}

impl Service {
    pub(super) fn new(options: Options<'_>) -> Service {
        let agent = Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            // The session goes to the configured address and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("loadline/", env!("CARGO_PKG_VERSION")))
            .build();
        let is_openai = options.api == "openai";
        let path = if is_openai { "chat/completions" } else { "messages" };
        let url = options.url.trim_end_matches('/');
        let url = url.strip_suffix("/v1").unwrap_or(url);
        let key = env::get(key_name(is_openai));
        Service {
            agent: agent.into(),
            address: format!("{url}/v1/{path}"),
            model: options.model.to_owned(),
            is_openai,
            key: key.map(|key| key.to_string_lossy().into_owned()),
            patience: format_duration(options.timeout),
        }
    }

    /// Has a text summarised.
    pub(super) fn ask(&self, task: &str, text: &str) -> Result<String, Failure> {
        let request = self.agent.post(&self.address);
        let request = match (&self.key, self.is_openai) {
            (Some(key), true) => request.header("authorization", format!("Bearer {key}")),
            // Models of one's own ask for no key.
            (None, true) => request,
            (Some(key), false) => {
                request.header("x-api-key", key).header("anthropic-version", VERSION)
            }
            (None, false) => {
                let reason = format!("{} is not set", key_name(false));
                return Err(Failure::Lasting(reason));
            }
        };
        let answer = request.send_json(self.question(task, text));
        let mut answer = answer.map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(ANSWER_LIMIT);
        let body = body.read_to_string();
        let body = body.map_err(|error| self.unreachable(&error))?;
        match status {
            200 => self.read(&body),
            _ => Err(refused(status, &body)),
        }
    }

    fn question(&self, task: &str, text: &str) -> Value {
        let model = &self.model;
        let said = json!({"role": "user", "content": text});
        if self.is_openai {
            let task = json!({"role": "system", "content": task});
            json!({"model": model, "messages": [task, said]})
        } else {
            json!({
                "model": model,
                "max_tokens": MOST_TOKENS,
                "system": task,
                "messages": [said],
            })
        }
    }

    fn read(&self, body: &str) -> Result<String, Failure> {
        let answer: Value = serde_json::from_str(body).unwrap_or_default();
        let texts: Vec<&str> = if self.is_openai {
            vec![&answer["choices"][0]["message"]["content"]]
        } else {
            let blocks = answer["content"].as_array();
            let blocks = blocks.into_iter().flatten();
            blocks.map(|block| &block["text"]).collect()
        }
        .into_iter()
        .filter_map(Value::as_str)
        .collect();
        if texts.is_empty() {
            Err(Failure::Lasting("its answer is not understood".to_owned()))
        } else {
            Ok(texts.concat())
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> Failure {
        Failure::Passing(match error {
            ureq::Error::Timeout(_) => format!("no answer within {}", self.patience),
            error => format!("cannot reach it: {error}"),
        })
    }
}

/// The variable that holds the key.
fn key_name(is_openai: bool) -> &'static str {
    if is_openai { env::OPENAI_API_KEY } else { env::API_KEY }
}

fn refused(status: u16, body: &str) -> Failure {
    match status {
        401 | 403 => Failure::Lasting(format!("the key is not accepted ({status})")),
        413 => Failure::TooLong("the session is too long for it (413)".to_owned()),
        _ if says_too_long(body) => {
            Failure::TooLong(format!("the session is too long for it ({status})"))
        }
        408 | 429 => Failure::Passing(format!("too many requests ({status})")),
        500.. => Failure::Passing(format!("it answered with status {status}")),
        _ => Failure::Lasting(format!("it answered with status {status}")),
    }
}
