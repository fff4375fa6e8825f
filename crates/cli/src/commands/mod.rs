//! One file per command: its arguments, whose comments are the help text, and
//! one function.

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
mod refusal;
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

use clap::Subcommand;

use crate::args::Args;
use crate::error::Result;
use crate::ui::{FAINT, Ui, escape_line};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Pack(Box<pack::PackArgs>),
    Search(search::SearchArgs),
    Map(map::MapArgs),
    Score(score::ScoreArgs),
    Context(context::ContextArgs),
    Feature(feature::FeatureArgs),
    Notes(notes::NotesArgs),
    Count(count::CountArgs),
    Chunk(chunk::ChunkArgs),
    Session(session::SessionArgs),
    Resume(resume::ResumeArgs),
    Recall(recall::RecallArgs),
    Pin(pin::PinArgs),
    Check(check::CheckArgs),
    Hook(hook::HookArgs),
    Ledger(ledger::LedgerArgs),
    Statusline(statusline::StatuslineArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Window(window::WindowArgs),
    Round(round::RoundArgs),
    Usage(usage::UsageArgs),
    Bill(bill::BillArgs),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Models(models::ModelsArgs),
    Config(config::ConfigArgs),
    Cache(cache::CacheArgs),
    Archive(archive::ArchiveArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Runs the command that was typed.
pub(crate) fn run(args: Args, ui: &mut Ui) -> Result<()> {
    match &args.command {
        Command::Pack(args) => pack::run(args, ui),
        Command::Search(args) => search::run(args, ui),
        Command::Map(args) => map::run(args, ui),
        Command::Score(args) => score::run(args, ui),
        Command::Context(args) => context::run(args, ui),
        Command::Feature(args) => feature::run(args, ui),
        Command::Notes(args) => notes::run(args, ui),
        Command::Count(args) => count::run(args, ui),
        Command::Chunk(args) => chunk::run(args, ui),
        Command::Session(args) => session::run(args, ui),
        Command::Resume(args) => resume::run(args, ui),
        Command::Recall(args) => recall::run(args, ui),
        Command::Pin(args) => pin::run(args, ui),
        Command::Check(args) => check::run(args, ui),
        Command::Hook(args) => hook::run(args, ui),
        Command::Install(args) => install::install(args, ui),
        Command::Uninstall(args) => install::uninstall(args, ui),
        Command::Doctor(args) => doctor::run(args, ui),
        Command::Statusline(args) => statusline::run(args, ui),
        Command::Ledger(args) => ledger::run(args, ui),
        Command::Window(args) => window::run(args, ui),
        Command::Round(args) => round::run(args, ui),
        Command::Usage(args) => usage::run(args, ui),
        Command::Bill(args) => bill::run(args, ui),
        Command::Serve(args) => serve::run(args, ui),
        Command::Mcp(args) => mcp::run(args, ui),
        Command::Models(args) => models::run(args, ui),
        Command::Config(args) => config::run(args, ui),
        Command::Cache(args) => cache::run(args, ui),
        Command::Archive(args) => archive::run(args, ui),
        Command::Completions(args) => completions::run(args, ui),
        Command::Man(args) => man::run(args, ui),
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
