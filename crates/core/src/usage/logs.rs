//! Requests in the logs of agents, with what the provider counted for each.
//!
//! A transcript holds what is context; a bill holds more: what was said before a
//! compaction, on other branches, by helpers. So logs are read here line by line,
//! and only lines that can hold a bill are parsed. A request may stand in several
//! lines and several files; its key says so.

use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cost::Spending;

/// An agent whose logs are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageAgent {
    /// Claude Code.
    ClaudeCode,
    /// The Codex CLI.
    Codex,
    /// The Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
}

impl UsageAgent {
    /// All agents, in the order of the documentation.
    pub const ALL: [UsageAgent; 5] = [
        UsageAgent::ClaudeCode,
        UsageAgent::Codex,
        UsageAgent::Gemini,
        UsageAgent::Opencode,
        UsageAgent::Pi,
    ];

    /// Returns the name that flags and results use.
    pub const fn name(self) -> &'static str {
        match self {
            UsageAgent::ClaudeCode => "claude-code",
            UsageAgent::Codex => "codex",
            UsageAgent::Gemini => "gemini",
            UsageAgent::Opencode => "opencode",
            UsageAgent::Pi => "pi",
        }
    }

    /// Tells whose log this may be; `None` where no line holds a bill.
    pub fn detect(log: &[u8]) -> Option<UsageAgent> {
        let mut all = UsageAgent::ALL.into_iter();
        all.find(|agent| !read_requests(log, *agent).is_empty())
    }
}

/// One request with its bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who made it.
    pub agent: UsageAgent,
    /// The same for every record of one request, in whatever file.
    pub key: String,
    /// When.
    pub time: Option<Timestamp>,
    /// The model that answered, as the log has it.
    pub model: Option<String>,
    /// The directory that the agent worked in.
    pub project: Option<String>,
    /// What was counted.
    pub spending: Spending,
    /// What the log says that it cost, in dollars.
    pub logged_cost: Option<f64>,
}

/// Finds the requests in a log of an agent, each once.
///
/// Lines that cannot be read are passed over: a log may end in the middle of one.
pub fn read_requests(log: &[u8], agent: UsageAgent) -> Vec<Request> {
    let requests = match agent {
        UsageAgent::ClaudeCode => claude_code(log),
        UsageAgent::Codex => codex(log),
        UsageAgent::Gemini => gemini(log),
        UsageAgent::Opencode => opencode(log),
        UsageAgent::Pi => pi(log),
    };
    once(requests)
}

/// Keeps each request once: the record with the largest answer, in the place of the first.
pub(super) fn once(requests: Vec<Request>) -> Vec<Request> {
    let mut places = std::collections::HashMap::new();
    let mut kept: Vec<Request> = Vec::new();
    for request in requests {
        match places.get(&request.key) {
            None => {
                places.insert(request.key.clone(), kept.len());
                kept.push(request);
            }
            Some(&place) => {
                let known: &mut Request = &mut kept[place];
                // The bill of an unfinished answer grows with it.
                if request.spending.output > known.spending.output {
                    *known = request;
                }
            }
        }
    }
    kept
}

/// Returns the lines that hold a text and can be read.
fn lines<T: DeserializeOwned>(log: &[u8], needle: &str) -> impl Iterator<Item = T> {
    let finder = memmem::Finder::new(needle.as_bytes()).into_owned();
    let lines = log.split(|byte| *byte == b'\n');
    let lines = lines.filter(move |line| finder.find(line).is_some());
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeLine {
    timestamp: Option<String>,
    cwd: Option<String>,
    request_id: Option<String>,
    uuid: Option<String>,
    message: ClaudeMessage,
}

#[derive(Deserialize)]
struct ClaudeMessage {
    id: Option<String>,
    model: Option<String>,
    usage: ClaudeUsage,
}

#[derive(Deserialize)]
struct ClaudeUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation: Option<ClaudeCreation>,
}

#[derive(Deserialize)]
struct ClaudeCreation {
    ephemeral_1h_input_tokens: Option<u64>,
}

fn claude_code(log: &[u8]) -> Vec<Request> {
    let requests = lines::<ClaudeLine>(log, "\"usage\"").map(|line| {
        let usage = &line.message.usage;
        let written = usage.cache_creation_input_tokens.unwrap_or(0);
        let long = usage.cache_creation.as_ref();
        let long = long
            .and_then(|it| it.ephemeral_1h_input_tokens)
            .unwrap_or(0);
        let long = long.min(written);
        let id = line.message.id.or(line.uuid).unwrap_or_default();
        let request = line.request_id.unwrap_or_default();
        Request {
            agent: UsageAgent::ClaudeCode,
            key: format!("claude:{id}:{request}"),
            time: time(line.timestamp.as_deref()),
            model: line.message.model,
            project: line.cwd,
            spending: Spending {
                input: usage.input_tokens.unwrap_or(0),
                output: usage.output_tokens.unwrap_or(0),
                cache_read: usage.cache_read_input_tokens.unwrap_or(0),
                cache_write: written - long,
                cache_write_long: long,
            },
            logged_cost: None,
        }
    });
    // Errors are written down as answers of a model that does not exist.
    requests.filter(|it| it.spending.total() > 0).collect()
}

#[derive(Deserialize)]
struct CodexLine {
    timestamp: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    payload: Value,
}

fn codex(log: &[u8]) -> Vec<Request> {
    let (mut model, mut project) = (None, None);
    let mut before = Value::Null;
    let mut requests = Vec::new();
    for line in lines::<CodexLine>(log, "\"payload\"") {
        let text = |key: &str| line.payload[key].as_str().map(str::to_owned);
        match line.kind.as_str() {
            "session_meta" | "turn_context" => {
                model = text("model").or(model);
                project = text("cwd").or(project);
            }
            "event_msg" if line.payload["type"] == "token_count" => {
                let total = &line.payload["info"]["total_token_usage"];
                let usage = &line.payload["info"]["last_token_usage"];
                // The same count is told again with every change of the limits.
                if !usage.is_object() || (total.is_object() && *total == before) {
                    continue;
                }
                before = total.clone();
                let number = |key: &str| usage[key].as_u64().unwrap_or(0);
                let cached = number("cached_input_tokens").min(number("input_tokens"));
                let stamp = line.timestamp.as_deref().unwrap_or_default();
                requests.push(Request {
                    agent: UsageAgent::Codex,
                    key: format!("codex:{stamp}:{}", total["total_tokens"]),
                    time: time(line.timestamp.as_deref()),
                    model: model.clone(),
                    project: project.clone(),
                    spending: Spending {
                        input: number("input_tokens") - cached,
                        output: number("output_tokens"),
                        cache_read: cached,
                        ..Spending::default()
                    },
                    logged_cost: None,
                });
            }
            _ => {}
        }
    }
    requests
}

fn gemini(log: &[u8]) -> Vec<Request> {
    let whole: Option<Value> = serde_json::from_slice(log).ok();
    let project = |value: &Value| {
        let hash = value["projectHash"].as_str()?;
        Some(hash.chars().take(8).collect::<String>())
    };
    let mut requests: Vec<Request> = match whole {
        Some(chat) if chat["messages"].is_array() => {
            let messages = chat["messages"].as_array().into_iter().flatten();
            let project = project(&chat);
            let requests = messages.filter_map(|it| gemini_request(it, project.as_deref()));
            requests.collect()
        }
        _ => {
            let head = lines::<Value>(log, "\"projectHash\"").next();
            let project = head.as_ref().and_then(project);
            let messages = lines::<Value>(log, "\"tokens\"");
            let requests = messages.filter_map(|it| gemini_request(&it, project.as_deref()));
            requests.collect()
        }
    };
    // An answer that was broken off does not name its model; it is that of the one before.
    let mut model = requests.iter().find_map(|request| request.model.clone());
    for request in &mut requests {
        request.model = request.model.take().or(model.take());
        model.clone_from(&request.model);
    }
    requests
}

fn gemini_request(message: &Value, project: Option<&str>) -> Option<Request> {
    let tokens = message["tokens"].as_object()?;
    let number = |key: &str| tokens.get(key).and_then(Value::as_u64).unwrap_or(0);
    let cached = number("cached").min(number("input"));
    let spending = Spending {
        input: (number("input") - cached).saturating_add(number("tool")),
        output: number("output").saturating_add(number("thoughts")),
        cache_read: cached,
        ..Spending::default()
    };
    let (id, stamp) = (message["id"].as_str(), message["timestamp"].as_str());
    // opencode has tokens, too, but its messages say who spoke.
    let is_message = id.is_some() && message.get("role").is_none();
    (is_message && spending.total() > 0).then(|| Request {
        agent: UsageAgent::Gemini,
        key: format!("gemini:{}", id.unwrap_or_default()),
        time: time(stamp),
        model: message["model"].as_str().map(str::to_owned),
        project: project.map(str::to_owned),
        spending,
        logged_cost: None,
    })
}

fn opencode(log: &[u8]) -> Vec<Request> {
    let Ok(document) = serde_json::from_slice::<Value>(log) else {
        return Vec::new();
    };
    // A message as it is stored, or all of a session as it is exported.
    match document["messages"].as_array() {
        Some(messages) => {
            let infos = messages.iter().map(|message| &message["info"]);
            infos.filter_map(opencode_request).collect()
        }
        None => opencode_request(&document).into_iter().collect(),
    }
}

/// Reads a message of opencode as it is stored, in a file or in its database.
pub(super) fn opencode_request(info: &Value) -> Option<Request> {
    let tokens = &info["tokens"];
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let spending = Spending {
        input: number(&tokens["input"]),
        output: number(&tokens["output"]).saturating_add(number(&tokens["reasoning"])),
        cache_read: number(&tokens["cache"]["read"]),
        cache_write: number(&tokens["cache"]["write"]),
        cache_write_long: 0,
    };
    let created = info["time"]["created"].as_i64();
    (info["role"] == "assistant" && spending.total() > 0).then(|| Request {
        agent: UsageAgent::Opencode,
        key: format!("opencode:{}", info["id"].as_str().unwrap_or_default()),
        time: created.and_then(|it| Timestamp::from_millisecond(it).ok()),
        model: text(&info["modelID"]),
        project: text(&info["path"]["cwd"]).or(text(&info["path"]["root"])),
        spending,
        logged_cost: info["cost"].as_f64(),
    })
}

#[derive(Deserialize)]
struct PiLine {
    id: Option<String>,
    timestamp: Option<String>,
    message: PiMessage,
}

#[derive(Deserialize)]
struct PiMessage {
    role: String,
    model: Option<String>,
    usage: PiUsage,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PiUsage {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cost: Option<PiCost>,
}

#[derive(Deserialize)]
struct PiCost {
    total: Option<f64>,
}

fn pi(log: &[u8]) -> Vec<Request> {
    let mut heads = lines::<Value>(log, "\"cwd\"");
    let head = heads.find(|line| line["type"] == "session");
    let project = head.and_then(|line| line["cwd"].as_str().map(str::to_owned));
    let requests = lines::<PiLine>(log, "\"usage\"").enumerate();
    let requests = requests.map(|(number, line)| {
        let usage = &line.message.usage;
        let id = line.id.unwrap_or_else(|| number.to_string());
        let stamp = line.timestamp.as_deref().unwrap_or_default();
        let request = Request {
            agent: UsageAgent::Pi,
            key: format!("pi:{id}:{stamp}"),
            time: time(line.timestamp.as_deref()),
            model: line.message.model,
            project: project.clone(),
            spending: Spending {
                input: usage.input.unwrap_or(0),
                output: usage.output.unwrap_or(0),
                cache_read: usage.cache_read.unwrap_or(0),
                cache_write: usage.cache_write.unwrap_or(0),
                cache_write_long: 0,
            },
            logged_cost: usage.cost.as_ref().and_then(|cost| cost.total),
        };
        (line.message.role, request)
    });
    let answers = requests.filter(|(role, it)| role == "assistant" && it.spending.total() > 0);
    answers.map(|(_, request)| request).collect()
}

#[cfg(test)]
mod tests;
