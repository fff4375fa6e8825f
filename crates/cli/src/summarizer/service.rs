//! A model behind an address that speaks as Anthropic or OpenAI do.

use loadline::settings::SessionSettings;
use serde_json::{Value, json};

use super::{Failure, says_too_long};
use crate::{env, http};

/// The version of Anthropic's API this speaks.
const VERSION: &str = "2023-06-01";

/// The longest summary, in tokens.
const MOST_TOKENS: u32 = 1_024;

/// The most bytes of an answer.
const ANSWER_LIMIT: u64 = 1 << 20;

/// A model at one address.
pub(super) struct Service {
    service: http::Service,
    model: String,
    is_openai: bool,
    key: Option<String>,
}

impl Service {
    pub(super) fn new(url: &str, model: &str, settings: &SessionSettings) -> Service {
        let is_openai = settings.summarizer_api == "openai";
        let path = if is_openai { "chat/completions" } else { "messages" };
        let url = url.trim_end_matches('/');
        let address = format!("{}/v1/{path}", url.strip_suffix("/v1").unwrap_or(url));
        let key = env::get(key_name(is_openai));
        Service {
            service: http::Service::new("it", address, settings.summarizer_timeout),
            model: model.to_owned(),
            is_openai,
            key: key.map(|key| key.to_string_lossy().into_owned()),
        }
    }

    /// Has a text summarised.
    pub(super) fn ask(&self, task: &str, text: &str) -> Result<String, Failure> {
        self.service.check().map_err(Failure::Lasting)?;
        let bearer = self.key.as_ref().map(|key| format!("Bearer {key}"));
        let headers = match (&self.key, &bearer) {
            (_, Some(bearer)) if self.is_openai => vec![("authorization", bearer.as_str())],
            // Models of one's own ask for no key.
            _ if self.is_openai => Vec::new(),
            (Some(key), _) => vec![("x-api-key", key.as_str()), ("anthropic-version", VERSION)],
            (None, _) => {
                let reason = format!("{} is not set", key_name(false));
                return Err(Failure::Lasting(reason));
            }
        };
        let question = self.question(task, text);
        let answer = self.service.post(&headers, &question, ANSWER_LIMIT);
        let (status, body) = answer.map_err(Failure::Passing)?;
        let body = String::from_utf8(body.map_err(Failure::Passing)?);
        let body = body.map_err(|error| Failure::Passing(format!("cannot reach it: {error}")))?;
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
