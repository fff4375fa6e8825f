//! `loadline` as a server on a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

/// A server that ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    /// What its first line says after its port.
    pub(crate) said: String,
}

impl Server {
    /// Reads where a server listens: its first line begins with `before` and its port.
    pub(crate) fn new(child: Child, output: impl Read, before: &str) -> Server {
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        let address = line.strip_prefix(before).unwrap();
        let (port, said) = address.trim_end().split_once('/').unwrap();
        Server { child, port: port.parse().unwrap(), said: said.to_owned() }
    }

    /// Connects to it.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// Sends a request as it is; returns the status, the head and the body.
    pub(crate) fn send(&self, request: &str) -> (u16, String, String) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
