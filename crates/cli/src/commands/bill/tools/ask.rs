//! Asks an MCP server for its tools.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use loadline::agents::McpServer;
use serde_json::{Value, json};

/// How long a server may take for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a server and returns the definitions of its tools.
pub(super) fn definitions(server: &McpServer) -> Result<Vec<Value>, String> {
    let Some((program, arguments)) = server.command.as_deref().and_then(<[_]>::split_first) else {
        return Err("called over the network, not asked".to_owned());
    };
    let mut child = Command::new(program)
        .args(arguments)
        .envs(server.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{program} does not start: {error}"))?;
    let found = talk(&mut child);
    // It has answered, or never will.
    let _ = child.kill();
    let _ = child.wait();
    found
}

fn talk(child: &mut Child) -> Result<Vec<Value>, String> {
    let mut stdin = child.stdin.take().ok_or("it has no input")?;
    let stdout = child.stdout.take().ok_or("it has no output")?;
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // Nobody listens any more once the answer was there.
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut request = |method: &str, id: u64, parameters: Value| -> Result<Value, String> {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        writeln!(stdin, "{request}").map_err(|_| "it ended".to_owned())?;
        if method == "initialize" {
            let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            let answer = await_answer(&answers, id)?;
            writeln!(stdin, "{told}").map_err(|_| "it ended".to_owned())?;
            return Ok(answer);
        }
        await_answer(&answers, id)
    };
    let client = json!({"name": "loadline", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    request("initialize", 1, hello)?;
    let mut definitions = Vec::new();
    let mut parameters = json!({});
    for id in 2..100 {
        let page = request("tools/list", id, parameters)?;
        definitions.extend(page["tools"].as_array().into_iter().flatten().cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => parameters = json!({ "cursor": cursor }),
            None => break,
        }
    }
    Ok(definitions)
}

fn await_answer(answers: &mpsc::Receiver<String>, id: u64) -> Result<Value, String> {
    loop {
        let line = answers.recv_timeout(PATIENCE).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => "it did not answer within 20 seconds".to_owned(),
            mpsc::RecvTimeoutError::Disconnected => "it ended without an answer".to_owned(),
        })?;
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        if answer["id"] != id {
            continue;
        }
        return match answer["error"]["message"].as_str() {
            Some(message) => Err(message.to_owned()),
            None => Ok(answer["result"].clone()),
        };
    }
}
