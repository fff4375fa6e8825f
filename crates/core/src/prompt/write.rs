//! Writes a prompt as it is sent: one system text and messages, for either provider, or
//! as plain JSON; and says what each part of it cost.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::message::ChatMessage;
use super::{Prompt, PromptPart};
use crate::Remark;
use crate::agents::Role;
use crate::tokens::Tokens;

/// What each part of a window cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptUsage {
    /// The phase.
    pub phase: String,
    /// The system prompt.
    pub system_prompt: u64,
    /// The design document, or what stands in its place.
    pub design_doc: u64,
    /// The types.
    pub types: u64,
    /// The current unit and its tests.
    pub current_context: u64,
    /// Units that were approved before.
    pub previous_units: u64,
    /// The messages, with the marker.
    pub messages: u64,
    /// Other parts, headings, and what stands between parts.
    pub other: u64,
    /// All of it, counted as it is written.
    pub total: u64,
    /// When it was built, as the caller says.
    pub timestamp: Option<String>,
}

/// The JSON names of parts that have one of their own.
const NAMES: [(&str, &str); 9] = [
    ("system", "systemPrompt"),
    ("design", "designDocument"),
    ("feature", "designDocument"),
    ("types", "typeDefinitions"),
    ("tests", "relevantTests"),
    ("unit", "currentUnit"),
    ("units", "previousUnits"),
    ("failures", "failures"),
    ("implementation", "implementation"),
];

impl Prompt {
    /// Returns everything but the messages as one text.
    pub fn system_text(&self) -> String {
        let sections = self.parts.iter().filter(|part| !part.items.is_empty());
        let sections: Vec<String> = sections.map(PromptPart::text).collect();
        sections.join("\n\n")
    }

    /// Returns a part by name, if it has anything to show.
    pub fn part(&self, name: &str) -> Option<&PromptPart> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.name == name && !part.items.is_empty())
    }

    /// Says what each part cost, as of `time`.
    pub fn usage(&self, time: Option<Timestamp>) -> PromptUsage {
        let of = |names: &[&str]| {
            let parts = names.iter().filter_map(|name| self.part(name));
            Tokens::saturating_sum(parts.map(|part| part.tokens)).get()
        };
        let mut usage = PromptUsage {
            phase: self.phase.clone(),
            system_prompt: of(&["system"]),
            design_doc: of(&["design", "feature"]),
            types: of(&["types"]),
            current_context: of(&["unit", "tests"]),
            previous_units: of(&["units"]),
            messages: self.messages_tokens.get(),
            other: 0,
            total: self.tokens.get(),
            timestamp: time.map(|time| time.to_string()),
        };
        let named = usage.system_prompt
            + usage.design_doc
            + usage.types
            + usage.current_context
            + usage.previous_units
            + usage.messages;
        usage.other = usage.total.saturating_sub(named);
        usage
    }

    /// Writes the window with a field per part.
    pub fn to_json(&self) -> Value {
        let mut window = Map::new();
        let mut own = Map::new();
        for part in self.parts.iter().filter(|part| !part.items.is_empty()) {
            let texts = part.items.iter().map(|item| Value::from(item.text.clone()));
            let texts: Vec<Value> = texts.collect();
            let name = NAMES.iter().find(|(name, _)| *name == part.name);
            let listed = matches!(part.name.as_str(), "units" | "failures" | "implementation");
            let value = match texts.len() {
                1 if !listed => texts.into_iter().next().unwrap_or_default(),
                _ => Value::from(texts),
            };
            match name {
                Some((_, name)) => window.insert((*name).to_owned(), value),
                None => own.insert(part.name.clone(), value),
            };
        }
        for always in ["systemPrompt", "designDocument"] {
            window.entry(always).or_insert_with(|| Value::from(""));
        }
        if !own.is_empty() {
            window.insert("parts".to_owned(), Value::Object(own));
        }
        let messages = self.messages.iter();
        let messages = messages.map(|it| Value::Object(it.members().clone()));
        window.insert("recentMessages".to_owned(), messages.collect());
        window.insert("estimatedTokens".to_owned(), self.tokens.get().into());
        Value::Object(window)
    }

    /// Writes the prompt as the body of a request to a provider, without a model.
    pub fn to_request(
        &self,
        provider: Provider,
        convert: ConvertMessages<'_>,
        remarks: &mut Vec<Remark>,
    ) -> Value {
        let messages = provider_messages(&self.messages, provider, convert, remarks);
        let text = self.system_text();
        match provider {
            _ if text.is_empty() => json!({"messages": messages}),
            Provider::Anthropic => json!({"system": text, "messages": messages}),
            Provider::OpenAi => {
                let mut all = vec![json!({"role": "system", "content": text})];
                all.extend(messages);
                json!({"messages": all})
            }
        }
    }
}

impl PromptPart {
    /// Returns the part as it is written, heading included.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.items.iter().map(|item| item.text.as_str()).collect();
        let body = texts.join("\n\n");
        match &self.title {
            Some(title) if !body.is_empty() => format!("## {title}\n\n{body}"),
            _ => body,
        }
    }
}

/// A provider whose messages have a shape of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat.
    OpenAi,
}

impl Provider {
    /// Returns the name that flags and remarks use.
    pub const fn name(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
        }
    }
}

/// Rewrites messages from the shape of the first provider to that of the second, or
/// returns `None` where they cannot be read: `loadline::session::convert_messages`.
pub type ConvertMessages<'a> = &'a dyn Fn(&[Value], Provider, Provider) -> Option<Vec<Value>>;

/// Writes messages as a provider takes them.
///
/// Messages with blocks of the other provider's shape are converted.
pub fn provider_messages(
    messages: &[ChatMessage],
    provider: Provider,
    convert: ConvertMessages<'_>,
    remarks: &mut Vec<Remark>,
) -> Vec<Value> {
    let prepared = |provider: Provider| -> Vec<Value> {
        messages.iter().map(|it| prepare(it, provider)).collect()
    };
    let shape = messages.iter().find_map(ChatMessage::shape);
    let Some(shape) = shape.filter(|shape| *shape != provider) else {
        return prepared(provider);
    };
    // Of the two, only OpenAI takes system messages in between.
    convert(&prepared(Provider::Anthropic), shape, provider).unwrap_or_else(|| {
        let message = format!("could not be written for {}; left as given", provider.name());
        remarks.push(Remark::new("messages", message));
        prepared(provider)
    })
}

/// Keeps what a provider knows of a message; a system message in between is the user's
/// where there can be none.
fn prepare(message: &ChatMessage, provider: Provider) -> Value {
    let role = match message.role() {
        Role::System if provider == Provider::Anthropic => Role::User,
        role => role,
    };
    let mut members = Map::new();
    members.insert("role".to_owned(), role.name().into());
    for key in ["content", "tool_calls", "tool_call_id", "name"] {
        if let Some(value) = message.members().get(key) {
            members.insert(key.to_owned(), value.clone());
        }
    }
    Value::Object(members)
}
