//! One file per command: its arguments, whose comments are the help text, and
//! one function.

/// Declares commands, each with the function that runs it.
macro_rules! commands {
    ($(#[$($about:tt)*])* $visibility:vis enum $name:ident {
        $($(#[$($own:tt)*])* $command:ident($args:ty) => $run:path,)*
    }) => {
        $(#[$($about)*])*
        #[derive(Debug, clap::Subcommand)]
        $visibility enum $name {
            $($(#[$($own)*])* $command($args),)*
        }

        impl $name {
            /// Runs the command that was typed.
            $visibility fn run(&self, ui: &mut crate::ui::Ui) -> crate::error::Result<()> {
                match self {
                    $($name::$command(args) => $run(args, ui),)*
                }
            }
        }
    };
}

/// Declares a command that consists of others.
macro_rules! group {
    ($(#[$($about:tt)*])* $args:ident, $commands:ident { $($inner:tt)* }) => {
        $(#[$($about)*])*
        #[derive(Debug, clap::Args)]
        pub(crate) struct $args {
            #[command(subcommand)]
            command: $commands,
        }

        commands! {
            enum $commands { $($inner)* }
        }

        /// Runs the command that was typed.
        pub(crate) fn run(args: &$args, ui: &mut crate::ui::Ui) -> crate::error::Result<()> {
            args.command.run(ui)
        }
    };
}

mod archive;
mod bill;
mod cache;
mod check;
mod chunk;
mod completions;
mod config;
mod context;
mod count;
mod doctor;
mod feature;
mod hook;
mod install;
mod ledger;
mod man;
mod map;
mod mcp;
mod models;
mod notes;
mod pack;
mod paths;
mod pin;
mod recall;
mod remote;
mod resume;
mod round;
#[cfg(test)]
mod schema;
mod score;
mod search;
mod serve;
mod session;
mod source;
mod statusline;
mod usage;
mod window;

use std::io::{self, Write};

use crate::ui::{FAINT, escape_line};

commands! {
    /// The commands.
    pub(crate) enum Command {
        Pack(Box<pack::PackArgs>) => pack::run,
        Search(search::SearchArgs) => search::run,
        Map(map::MapArgs) => map::run,
        Score(score::ScoreArgs) => score::run,
        Context(context::ContextArgs) => context::run,
        Feature(feature::FeatureArgs) => feature::run,
        Notes(notes::NotesArgs) => notes::run,
        Count(count::CountArgs) => count::run,
        Chunk(chunk::ChunkArgs) => chunk::run,
        Session(session::SessionArgs) => session::run,
        Resume(resume::ResumeArgs) => resume::run,
        Recall(recall::RecallArgs) => recall::run,
        Pin(pin::PinArgs) => pin::run,
        Check(check::CheckArgs) => check::run,
        Hook(hook::HookArgs) => hook::run,
        Ledger(ledger::LedgerArgs) => ledger::run,
        Statusline(statusline::StatuslineArgs) => statusline::run,
        /// Set an agent up to use Loadline: hooks, and a status line where there is one.
        ///
        /// Shows what would change and asks; settings keep every key and comment, and what
        /// was there is kept, so that `loadline uninstall` puts it back byte for byte.
        #[command(after_help = "Examples:
  loadline install claude-code
  loadline install gemini --project --yes
  loadline install claude-code --status-line
  loadline install --mcp cursor --project
  loadline uninstall claude-code
  loadline doctor claude-code")]
        Install(install::InstallArgs) => install::install,
        /// Take Loadline out of an agent's settings again.
        Uninstall(install::InstallArgs) => install::uninstall,
        Doctor(doctor::DoctorArgs) => doctor::run,
        Window(window::WindowArgs) => window::run,
        Round(round::RoundArgs) => round::run,
        Usage(usage::UsageArgs) => usage::run,
        Bill(bill::BillArgs) => bill::run,
        Serve(serve::ServeArgs) => serve::run,
        Mcp(mcp::McpArgs) => mcp::run,
        Models(models::ModelsArgs) => models::run,
        Config(config::ConfigArgs) => config::run,
        Cache(cache::CacheArgs) => cache::run,
        Archive(archive::ArchiveArgs) => archive::run,
        Completions(completions::CompletionsArgs) => completions::run,
        Man(man::ManArgs) => man::run,
    }
}

/// Writes lines with their numbers before them.
fn write_lines(text: &str, first: u32, out: &mut impl Write) -> io::Result<()> {
    let last = first as usize + text.lines().count();
    let width = last.saturating_sub(1).to_string().len();
    for (number, line) in (first..).zip(text.lines()) {
        let (line, gap) = (escape_line(line), if line.is_empty() { "" } else { " " });
        writeln!(out, "{FAINT}{number:>width$}:{FAINT:#}{gap}{line}")?;
    }
    Ok(())
}
