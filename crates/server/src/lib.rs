//! Serves loadline: to agents as an MCP server, over stdio and over HTTP, and to people
//! as a page.
//!
//! This is the only crate that knows an async runtime and types of a wire.
//! [`Mcp`] answers requests with calls of the library, each on a thread of its
//! own; [`serve_stdio`] and [`serve_http`] bring requests in and answers out and
//! return when there is nobody left to serve. Nothing here prints: with stdio,
//! standard output is the protocol.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod error;
mod http;
mod listen;
mod mcp;
mod message;
mod page;
mod roots;
mod stdio;

pub use error::ServerError;
pub use http::{HttpOptions, serve_http};
pub use mcp::{Clock, Mcp, McpOptions};
pub use page::{Background, PageOptions, Pinned, serve_page};
pub use stdio::serve_stdio;
