//! Command-line arguments as typed; `settings` turns them into library values.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, ValueEnum};
use jiff::Timestamp;

use crate::commands::Command;

/// Decide what goes into a model's context window, and keep it within a budget.
///
/// Exit codes: 0 success, 1 failure, 2 invalid usage or configuration, 3 a limit is
/// exceeded (`check`), 130 interrupted by Ctrl-C.
#[derive(Debug, Parser)]
#[command(
    name = "loadline",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The flags that every command has.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Print a JSON document instead of text; docs/json.md describes each.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Suppress remarks and progress.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since 1970.
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time)]
    pub(crate) now: Option<Timestamp>,
    /// Do not use the cache.
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    /// Read user settings from FILE instead of the default location.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colors.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the environment says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    let time = match text.parse::<i64>() {
        Ok(seconds) => Timestamp::from_second(seconds),
        Err(_) => text.parse::<Timestamp>(),
    };
    time.map_err(|_| "write 2026-01-31T12:00:00Z, or seconds since 1970".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_do_not_contradict_one_another() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_time_is_a_date_or_seconds() {
        let new_year = Timestamp::from_second(1_767_225_600).unwrap();
        for text in ["1767225600", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"] {
            assert_eq!(parse_time(text), Ok(new_year), "{text}");
        }
        for text in ["", "now", "2026-01-01", "99999999999999999999"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
