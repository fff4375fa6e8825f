//! The command as a whole: one file per command, one binary for all.

// The lint knows tests, but not the functions they share.
#![allow(clippy::unwrap_used)]

#[cfg(feature = "api")]
mod api;
mod cache;
mod common;
mod completions;
mod config;
mod count;
mod help;
mod import;
mod man;
mod models;
mod pack_bad_input;
mod wiring;
