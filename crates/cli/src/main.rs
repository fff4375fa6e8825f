//! The `loadline` command: what was typed, what it means, one library call,
//! what comes out.
//!
//! This file only turns a result into an exit code. A broken pipe is success:
//! the reader has seen enough.

mod agent;
mod api;
mod args;
mod commands;
mod env;
mod error;
#[cfg_attr(not(feature = "api"), path = "http_disabled.rs")]
mod http;
mod interrupt;
mod memory;
mod output;
mod pins;
mod settings;
mod setup;
mod summarizer;
mod ui;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;
use crate::error::CommandError;
use crate::ui::Ui;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return error::report_usage(&error),
    };
    let mut ui = Ui::new(&args.global);
    let result = args.command.run(&mut ui);
    match result.and_then(|()| ui.finish().map_err(CommandError::from)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(&mut ui),
    }
}
