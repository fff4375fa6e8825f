//! `loadline window phases`: which phases there are, and what each is made of.

use loadline::prompt::{Most, PartRule, Phase, Phases};
use serde::Serialize;

use crate::error::Result;
use crate::settings;
use crate::ui::{Table, Ui, thousands};

/// List the phases with their parts; `!` marks required parts.
#[derive(Debug, clap::Args)]
pub(crate) struct PhasesArgs {}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    phases: Vec<PhaseJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PhaseJson<'a> {
    name: &'a str,
    response: u64,
    strategy: &'static str,
    parts: Vec<String>,
}

/// Lists them.
pub(crate) fn run(_args: &PhasesArgs, ui: &mut Ui) -> Result<()> {
    let config = settings::load_config(Vec::new(), ui)?;
    let (phases, notes) = Phases::configured(&config.settings().phases.0)?;
    ui.remarks(notes);
    let phases: Vec<PhaseJson<'_>> = phases.iter().map(json).collect();
    if ui.wants_json() {
        return Ok(ui.json(&Document { phases })?);
    }
    let mut table = Table::headed("lrll", ["phase", "answer", "strategy", "parts"]);
    for phase in phases {
        table.row([
            phase.name.to_owned(),
            thousands(phase.response),
            phase.strategy.to_owned(),
            phase.parts.join(" "),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn json(phase: &Phase) -> PhaseJson<'_> {
    PhaseJson {
        name: &phase.name,
        response: phase.response.get(),
        strategy: phase.strategy.name(),
        parts: phase.parts.iter().map(part).collect(),
    }
}

fn part(rule: &PartRule) -> String {
    let mark = if rule.required { "!" } else { "" };
    let most = match rule.most {
        None => String::new(),
        Some(Most::Tokens(tokens)) => format!("<={}", thousands(tokens.get())),
        Some(Most::PercentOfRest(percent)) => format!("<={percent}%"),
    };
    format!("{}{mark}{most}", rule.part)
}
