//! The command as a whole: one file per command, one binary for all.

// The lint knows tests, but not the functions they share.
#![allow(clippy::unwrap_used)]

mod agents;
#[cfg(feature = "api")]
mod api;
mod archive;
mod bill;
mod cache;
mod chunk;
mod common;
mod completions;
mod config;
mod context;
mod count;
mod feature;
#[cfg(unix)]
mod guide;
mod help;
mod hook;
mod import;
mod install;
mod json;
mod man;
mod map;
#[cfg(feature = "server")]
mod mcp;
#[cfg(feature = "server")]
mod mcp_http;
mod memory;
mod models;
mod notes;
mod notes_vault;
mod pack;
mod pack_bad_input;
mod pack_greedy;
mod pack_options;
mod pack_overview;
mod pack_sources;
mod pack_task;
mod paths;
mod pins;
mod prune;
mod requirements;
mod resume;
mod review;
mod round;
mod score;
mod search;
#[cfg(feature = "server")]
mod serve;
mod session;
mod session_compress;
mod session_read;
mod session_score;
mod session_trim;
#[cfg(feature = "api")]
mod summarizer;
#[cfg(unix)]
mod terminal;
mod usage;
mod window;
