//! The library as a whole: one binary for all tests that need no private names.

mod cache_processes;
mod counters;
mod limits;
mod secrets;
mod sessions;
