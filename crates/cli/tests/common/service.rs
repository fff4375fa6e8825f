//! A service on a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// A service that answers each request with the next of its answers, the last one for ever,
/// and passes on what it was asked.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) requests: Receiver<Request>,
}

/// What it was asked.
pub(crate) struct Request {
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Service {
    /// Starts a service; an empty answer means none, ever.
    pub(crate) fn start(answers: Vec<String>) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        thread::spawn(move || {
            // Connections are kept, so that silence is a time-out and not an end.
            let mut kept = Vec::new();
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let request = read_request(&stream);
                let answer = answers.get(number).or(answers.last()).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
                kept.push(stream);
                if sender.send(request).is_err() {
                    return;
                }
            }
        });
        Service { url, requests }
    }
}

fn read_request(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "cut off: {head}");
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap();
    let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Request { head, body: serde_json::from_slice(&body).unwrap() }
}

/// Writes an answer as it is sent.
pub(crate) fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}
