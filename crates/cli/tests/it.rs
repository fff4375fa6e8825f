//! The command as a whole: one file per command, one binary for all.

mod cache;
mod common;
mod completions;
mod config;
mod help;
mod import;
mod man;
mod models;
mod wiring;
