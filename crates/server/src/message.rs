//! Checks that a line or a body is one message of the protocol, before anything else
//! reads it.
//!
//! Whoever sends something else is told so with the codes that JSON-RPC has for it. What
//! is not checked here is left to the protocol.

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Bytes of the largest message that is read.
pub(crate) const LARGEST: usize = 4 << 20;

/// The parts of a message; none may be there twice.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: String,
    #[serde(default, deserialize_with = "some")]
    id: Option<Value>,
    method: Option<String>,
    #[serde(default, rename = "params")]
    _params: IgnoredAny,
    #[serde(default, deserialize_with = "given")]
    result: bool,
    #[serde(default, deserialize_with = "given")]
    error: bool,
}

/// Keeps a `null` that is written apart from nothing at all.
fn some<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(from).map(|_| true)
}

/// What is wrong with a message, and which request it was, where that is known.
#[derive(Debug)]
pub(crate) struct Malformed {
    id: Option<RequestId>,
    error: Box<ErrorData>,
}

impl Malformed {
    /// Says that a message is not one of JSON-RPC.
    pub(crate) fn invalid(message: impl Into<String>, id: Option<RequestId>) -> Malformed {
        Malformed { id, error: Box::new(ErrorData::invalid_request(message.into(), None)) }
    }

    /// Says that a message has too many bytes.
    pub(crate) fn too_large() -> Malformed {
        Malformed::invalid(format!("the message is larger than {LARGEST} bytes"), None)
    }

    fn parse(message: impl Into<String>) -> Malformed {
        Malformed { id: None, error: Box::new(ErrorData::parse_error(message.into(), None)) }
    }

    /// Returns the answer.
    pub(crate) fn answer(self) -> TxJsonRpcMessage<RoleServer> {
        TxJsonRpcMessage::<RoleServer>::error(*self.error, self.id)
    }
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Malformed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::parse("not UTF-8"))?;
    // A text that is nested too deeply counts as a wrong one.
    serde_json::from_str::<Value>(text)
        .map_err(|error| Malformed::parse(format!("not JSON: {error}")))?;
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| {
        Malformed::invalid(format!("not a message of JSON-RPC 2.0: {error}"), None)
    })?;
    let id = match &envelope.id {
        None => None,
        Some(id) => Some(RequestId::deserialize(id).map_err(|_| {
            Malformed::invalid("the id of a request is a string or a whole number", None)
        })?),
    };
    if envelope.jsonrpc != "2.0" {
        return Err(Malformed::invalid("jsonrpc must be \"2.0\"", id));
    }
    if envelope.method.is_none() && !envelope.result && !envelope.error {
        return Err(Malformed::invalid("a request has a method", id));
    }
    let message = serde_json::from_str(text);
    message.map_err(|_| Malformed::invalid("not a message of this protocol", id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> (i32, Option<String>) {
        let malformed = read(text.as_bytes()).unwrap_err();
        (malformed.error.code.0, malformed.id.map(|id| id.to_string()))
    }

    #[test]
    fn what_is_not_a_message_has_the_code_for_it() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}"#, "[".repeat(900));
        for text in ["", "nonsense", "{", "{\"jsonrpc\":\"2.0\",", "{}x", deep.as_str()] {
            assert_eq!(code(text), (-32700, None), "{text}");
        }
        assert_eq!(read(b"{\"a\":\"\xff\"}").unwrap_err().error.code.0, -32700);
        for text in [
            "1",
            "[]",
            "{}",
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        ] {
            assert_eq!(code(text), (-32600, None), "{text}");
        }
        for text in [r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":7}"#] {
            assert_eq!(code(text), (-32600, Some("7".to_owned())), "{text}");
        }
    }

    #[test]
    fn messages_are_read() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":7}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#,
        ] {
            read(text.as_bytes()).unwrap();
        }
    }
}
