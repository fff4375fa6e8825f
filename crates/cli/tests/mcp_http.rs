//! `loadline mcp --http` over a real socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Server, World, loadline, parsed, run};

const FIXTURE: &str = "//- /a.py\ndef first():\n    return 1\n";

fn start() -> (World, Server) {
    let world = World::new(FIXTURE);
    let server = serve(&world);
    (world, server)
}

fn serve(world: &World) -> Server {
    let mut command = loadline(world, &["mcp", "--http", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = child.stderr.take().unwrap();
    let server = Server::new(child, stderr, "listening at http://127.0.0.1:");
    assert_eq!(server.said, "mcp");
    server
}

/// Posts a message; returns the status, the head in lower case and the body.
fn post(server: &Server, headers: &[(&str, &str)], body: &Value) -> (u16, String, String) {
    let mut given = vec![
        ("Host".to_owned(), format!("127.0.0.1:{}", server.port)),
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ("Connection".to_owned(), "close".to_owned()),
    ];
    for (name, value) in headers {
        given.retain(|(known, _)| known != name);
        given.push(((*name).to_owned(), (*value).to_owned()));
    }
    let body = body.to_string();
    let head: String = given.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = format!("Content-Length: {}", body.len());
    let (status, head, body) =
        server.send(&format!("POST /mcp HTTP/1.1\r\n{head}{length}\r\n\r\n{body}"));
    (status, head.to_ascii_lowercase(), body)
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
}

/// Reads the file that there is.
fn read() -> Value {
    call("read", json!({"path": "a.py"}))
}

fn initialize(revision: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
}

#[test]
fn requests_of_old_and_new_revisions_are_served_with_progress_before_the_answer() {
    let (_world, server) = start();
    let (status, head, body) = post(&server, &[], &initialize("2025-06-18"));
    assert_eq!(status, 200, "{body}");
    assert!(!head.contains("mcp-session-id"), "{head}");
    let answer = parsed(&body);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    let version = ("MCP-Protocol-Version", "2025-06-18");
    let (status, _, body) = post(&server, &[version], &read());
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("def first()"), "{body}");
    let mut new = read();
    new["params"]["_meta"] = crate::mcp::meta();
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "read"),
    ];
    let (status, _, body) = post(&server, &headers, &new);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("def first()") && body.contains("\"complete\""), "{body}");
    let mut pack = call("pack", json!({"task": "return the first"}));
    pack["params"]["_meta"] = json!({"progressToken": 5});
    let (status, head, body) = post(&server, &[], &pack);
    assert_eq!(status, 200);
    assert!(head.contains("text/event-stream"), "{head}");
    let progress = body.find("notifications/progress").unwrap();
    let answer = body.find("def first()").unwrap();
    assert!(progress < answer, "{body}");
}

#[test]
fn pages_of_others_and_other_names_are_turned_away() {
    let (_world, server) = start();
    for header in [
        ("Host", "evil.example"),
        ("Host", "evil.example:80"),
        ("Origin", "http://evil.example"),
        ("Origin", "https://127.0.0.1.evil.example"),
        ("Origin", "null"),
    ] {
        let (status, _, body) = post(&server, &[header], &read());
        assert_eq!(status, 403, "{header:?}: {body}");
        assert!(!body.contains("def first()"));
    }
    let (status, _, body) = post(&server, &[("Origin", "http://localhost:6274")], &read());
    assert_eq!(status, 200, "{body}");
}

#[test]
fn a_token_is_asked_for_where_one_is_set() {
    let world = World::new(FIXTURE).with("LOADLINE_MCP_TOKEN", "t0ken");
    let server = serve(&world);
    for header in [
        ("X-None", "1"),
        ("Authorization", "Bearer wrong"),
        ("Authorization", "Bearer"),
        ("Authorization", "Basic t0ken"),
        ("Authorization", "Bearer t0kenx"),
    ] {
        let (status, head, body) = post(&server, &[header], &read());
        assert_eq!(status, 401, "{header:?}: {body}");
        assert!(head.contains("www-authenticate: bearer"), "{head}");
    }
    let (status, _, _) = post(&server, &[("Authorization", "bearer t0ken")], &read());
    assert_eq!(status, 200);
}

#[test]
fn odd_requests_and_messages_get_a_status_and_the_server_goes_on() {
    let (_world, server) = start();
    let host = format!("Host: 127.0.0.1:{}\r\nConnection: close\r\n", server.port);
    let (status, _, _) = server.send(&format!("GET /mcp HTTP/1.1\r\n{host}\r\n"));
    assert_eq!(status, 405);
    let (status, _, _) = server.send(&format!("GET /etc/passwd HTTP/1.1\r\n{host}\r\n"));
    assert_eq!(status, 404);
    let (status, _, _) = server.send("nonsense\r\n\r\n");
    assert_eq!(status, 400);
    let length = 8 << 20;
    let (status, _, _) = server.send(&format!(
        "POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{}",
        "x".repeat(64)
    ));
    assert_eq!(status, 413);
    let (status, _, _) = post(&server, &[("MCP-Protocol-Version", "1999-01-01")], &json!({}));
    assert!((400..500).contains(&status), "{status}");
    let outside = call("read", json!({"path": "../../etc/passwd"}));
    let (status, _, body) = post(&server, &[], &outside);
    assert_eq!(status, 200);
    assert!(body.contains("outside the served directories"), "{body}");
    let (status, _, body) = post(&server, &[], &read());
    assert_eq!((status, body.contains("def first()")), (200, true));
    let host = format!("127.0.0.1:{}", server.port);
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}"#, "[".repeat(900));
    for (body, code) in [
        ("nonsense", -32700),
        ("", -32700),
        (&deep, -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
    ] {
        let length = body.len();
        let (status, _, answer) = server.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        ));
        assert_eq!(status, 400, "{body}: {answer}");
        let answer = parsed(&answer);
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
    }
}

#[test]
fn an_empty_token_is_refused() {
    for token in ["", " "] {
        let world = World::new(FIXTURE).with("LOADLINE_MCP_TOKEN", token);
        run(&world, &["mcp", "--http", "127.0.0.1:0"])
            .exits(2)
            .says(&["error[LL-SRV-005]: the token is empty", "unset LOADLINE_MCP_TOKEN"]);
    }
}

#[test]
fn silent_connections_end_and_hold_up_nobody() {
    let (_world, server) = start();
    let begun = Instant::now();
    let mut silent: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    // Half of a request is as silent as none, be it of the head or of the body.
    silent[1].write_all(b"POST /mcp HTTP/1.1\r\nHost:").unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 50\r\n\r\n{{",
        server.port
    );
    silent[2].write_all(head.as_bytes()).unwrap();
    let (status, _, body) = post(&server, &[], &read());
    assert_eq!((status, body.contains("def first()")), (200, true), "{body}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    for mut stream in silent {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    let took = begun.elapsed();
    assert!((4..20).contains(&took.as_secs()), "{took:?}");
}

#[test]
fn many_at_once_are_served_or_told_to_come_back() {
    let (_world, server) = start();
    let body = read().to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.port,
        body.len()
    );
    let connect = |_| {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let streams: Vec<TcpStream> = (0..800).map(connect).collect();
    for mut stream in streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let is_served = answer.starts_with("HTTP/1.1 200") && answer.contains("def first()");
        assert!(is_served || answer.starts_with("HTTP/1.1 503"), "{answer}");
    }
}
