//! `loadline completions`: what a shell needs to complete our arguments.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;
use serde::Serialize;

use crate::args::Args;
use crate::error::Result;
use crate::ui::Ui;

/// Print the completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: loadline completions fish > \
                        ~/.config/fish/completions/loadline.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Json {
    shell: String,
    script: String,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, ui: &mut Ui) -> Result<()> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "loadline", &mut script);
    if ui.wants_json() {
        let shell = args.shell.to_string();
        let script = String::from_utf8_lossy(&script).into_owned();
        return Ok(ui.json(&Json { shell, script })?);
    }
    Ok(ui.out().write_all(&script)?)
}
