//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.
//!
//! Everything here is plain values and plain functions: no async, no printing,
//! no environment, no home directory, no clock. Each public module is a room:
//!
//! - [`tokens`] counts, [`budget`] says how much may be spent, [`fit`] chooses what goes in.
//! - [`repo`], [`syntax`] and [`text`] read repositories, definitions and lines.
//! - [`pack`] packs a repository, a task or search results; [`session`] trims an agent's
//!   transcript; [`notes`] reduces what agents write down; [`prompt`] builds prompts.
//! - [`archive`] keeps originals of what was cut; [`cache`] remembers what was worked out.
//! - [`agents`] knows where agents keep their logs and how they call hooks; [`usage`] says
//!   what their work cost; [`settings`] what the user asked for.
//!
//! ARCHITECTURE.md in the repository is the map.

pub mod agents;
pub mod archive;
pub mod budget;
pub mod cache;
mod diagnose;
mod files;
pub mod fit;
mod fsio;
pub mod notes;
pub mod pack;
pub mod prompt;
mod remark;
pub mod repo;
pub mod session;
pub mod settings;
pub mod syntax;
pub mod text;
pub mod tokens;
pub mod usage;

pub use diagnose::{Diagnose, Diagnosis, Fault};
pub use files::read_plain_file;
pub use fsio::{PathError, write_atomic};
pub use remark::Remark;
