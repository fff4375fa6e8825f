//! A client that writes lines, reads lines, and remembers all of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::common::{World, loadline, parsed};

/// What requests of the revision without a handshake carry.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

pub(super) struct Client<'a> {
    world: &'a World,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    heard: Vec<Value>,
    next: u64,
}

impl Client<'_> {
    /// Starts a server in a world.
    pub(super) fn start<'a>(world: &'a World, args: &[&str]) -> Client<'a> {
        let mut command = loadline(world, &["mcp"]);
        command.args(args).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        Client {
            world,
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            heard: Vec::new(),
            next: 0,
        }
    }

    /// Starts a server, and shakes hands by the latest revision that has this.
    pub(super) fn greeted<'a>(world: &'a World, args: &[&str]) -> Client<'a> {
        let mut client = Client::start(world, args);
        client.greet("2025-11-25");
        client
    }

    /// Shakes hands.
    pub(super) fn greet(&mut self, revision: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    /// Writes a line.
    pub(super) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Asks, and waits for the answer; what else is heard is kept.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request.to_string());
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            assert!(!line.is_empty(), "the server is gone: {request}");
            let message = parsed(&self.world.normalise(&line));
            assert_eq!(message["jsonrpc"], "2.0");
            assert_ne!(message["id"], "gone", "an answer to a cancelled request");
            self.heard.push(message.clone());
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Waits for the next line.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Returns the notifications of a method.
    pub(super) fn heard(&self, method: &str) -> Vec<&Value> {
        let heard = self.heard.iter();
        heard.filter(|it| it["method"] == method).collect()
    }

    /// Returns all that was heard.
    pub(super) fn transcript(&self) -> String {
        Value::from(self.heard.clone()).to_string()
    }
}

/// Closes the input; the server must end well, and have said nothing beside the protocol.
impl Drop for Client<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.child.kill();
            return;
        }
        drop(self.stdin.take());
        let (mut rest, mut said) = (String::new(), String::new());
        self.stdout.read_to_string(&mut rest).unwrap();
        for line in rest.lines() {
            let message = parsed(line);
            assert_ne!(message["id"], "gone", "an answer to a cancelled request");
        }
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
        assert!(self.child.wait().unwrap().success());
    }
}

/// The text of an answer of a tool.
pub(super) fn text(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {answer}")).to_owned()
}
