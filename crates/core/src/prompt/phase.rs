//! Phases are data: which parts a window is made of, in which order, within which limits.
//!
//! Those that are built in are written down in `data/phases.toml`; a user changes
//! them and adds others in the same words, under `[phases.NAME]` of `loadline.toml`.

use std::str::FromStr;

use toml::{Table, Value};

use super::error::PromptError;
use crate::Remark;
use crate::tokens::Tokens;

/// The table that is compiled in.
const BUILTIN: &str = include_str!("../../data/phases.toml");

/// The keys of a phase.
const KEYS: [&str; 3] = ["response", "strategy", "parts"];

/// The keys of a part.
const PART_KEYS: [&str; 5] = ["part", "required", "most", "count", "title"];

/// The name of the part that is made of messages.
pub(super) const MESSAGES: &str = "messages";

/// A phase of the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// What is held back for the answer.
    pub response: Tokens,
    /// How much it wants to see, where it is asked.
    pub strategy: RoleStrategy,
    /// What its window is made of, in order.
    pub parts: Vec<PartRule>,
}

/// One part of a window, and how much of it there may be.
#[derive(Clone, Debug, PartialEq)]
pub struct PartRule {
    /// What it is: `system`, `units`, or a name of the state's own parts.
    pub part: String,
    /// Its heading; `None` for the usual one.
    pub title: Option<String>,
    /// Whether all of it must be in the window.
    pub required: bool,
    /// The most it may take.
    pub most: Option<Most>,
    /// The most items of it.
    pub count: Option<usize>,
}

/// The most that a part may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    /// So many tokens.
    Tokens(Tokens),
    /// A percentage of what is left when its turn comes.
    PercentOfRest(f64),
}

impl Most {
    /// Returns the limit, given what is left.
    pub(super) fn of(self, rest: Tokens) -> Tokens {
        match self {
            Most::Tokens(tokens) => tokens.min(rest),
            Most::PercentOfRest(percent) => {
                Tokens::new((rest.get() as f64 * percent / 100.0) as u64).min(rest)
            }
        }
    }
}

/// How much a role wants to see. Only what is not required follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoleStrategy {
    /// As much as there is room for.
    #[default]
    Adaptive,
    /// 12,000 to 18,000 tokens: a planner's.
    Broad,
    /// 4,000 to 8,000 tokens: a coder's.
    Focused,
    /// 6,000 to 10,000 tokens: a reviewer's.
    ChangeFocused,
}

impl RoleStrategy {
    /// All strategies, in the order of the documentation.
    pub const ALL: [RoleStrategy; 4] = [
        RoleStrategy::Adaptive,
        RoleStrategy::Broad,
        RoleStrategy::Focused,
        RoleStrategy::ChangeFocused,
    ];

    /// Returns the name that flags and files use.
    pub const fn name(self) -> &'static str {
        match self {
            RoleStrategy::Adaptive => "adaptive",
            RoleStrategy::Broad => "broad",
            RoleStrategy::Focused => "focused",
            RoleStrategy::ChangeFocused => "change-focused",
        }
    }

    /// Returns the tokens to aim at, least and most; `None` for all there are.
    pub const fn range(self) -> Option<(Tokens, Tokens)> {
        let (least, most) = match self {
            RoleStrategy::Adaptive => return None,
            RoleStrategy::Broad => (12_000, 18_000),
            RoleStrategy::Focused => (4_000, 8_000),
            RoleStrategy::ChangeFocused => (6_000, 10_000),
        };
        Some((Tokens::new(least), Tokens::new(most)))
    }
}

impl FromStr for RoleStrategy {
    type Err = String;

    fn from_str(name: &str) -> Result<RoleStrategy, String> {
        let mut all = RoleStrategy::ALL.into_iter();
        all.find(|it| it.name() == name).ok_or_else(|| {
            let names = RoleStrategy::ALL.map(RoleStrategy::name).join(", ");
            format!("unknown strategy {name:?}; use one of {names}")
        })
    }
}

/// The phases there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases {
    phases: Vec<Phase>,
}

impl Phases {
    /// Reads the phases that are compiled in. A test keeps them readable.
    pub fn builtin() -> Result<Phases, PromptError> {
        let table: Table = BUILTIN
            .parse()
            .map_err(|error: toml::de::Error| bad("built in", error.message().to_owned()))?;
        let mut phases = Phases { phases: Vec::new() };
        for (name, value) in &table {
            let table = value.as_table().ok_or_else(|| bad(name, "it must be a table"))?;
            phases.lay(name, table, &mut Vec::new())?;
        }
        Ok(phases)
    }

    /// Reads the phases that are compiled in and lays a user's own tables over them.
    ///
    /// Takes the tables as `Settings::phases` has them.
    ///
    /// ```
    /// use loadline::prompt::Phases;
    /// use loadline::settings::{Config, Layer};
    /// let file = r#"
    ///     [phases.triage]
    ///     response = 500
    ///     parts = ["system!", { part = "ticket", most = "30%" }, "messages"]
    /// "#;
    /// let config = Config::load([Layer::project("loadline.toml", file)])?;
    /// let (phases, notes) = Phases::configured(&config.settings().phases.0)?;
    /// assert_eq!(phases.find("triage")?.parts.len(), 3);
    /// assert!(notes.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn configured(tables: &[(String, Table)]) -> Result<(Phases, Vec<Remark>), PromptError> {
        let mut phases = Phases::builtin()?;
        let mut notes = Vec::new();
        for (name, table) in tables {
            phases.lay(name, table, &mut notes)?;
        }
        Ok((phases, notes))
    }

    /// Returns the phase of that name.
    pub fn find(&self, name: &str) -> Result<&Phase, PromptError> {
        let found = self.phases.iter().find(|phase| phase.name == name);
        found.ok_or_else(|| PromptError::UnknownPhase {
            name: name.to_owned(),
            known: self.iter().map(|phase| phase.name.clone()).collect(),
        })
    }

    /// Returns all phases, those of the user's own last.
    pub fn iter(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter()
    }

    /// Lays what is written of a phase over what is known of it.
    fn lay(
        &mut self,
        name: &str,
        table: &Table,
        notes: &mut Vec<Remark>,
    ) -> Result<(), PromptError> {
        let known = self.phases.iter().position(|phase| phase.name == name);
        let mut phase = match known {
            Some(known) => self.phases[known].clone(),
            None => Phase {
                name: name.to_owned(),
                response: Tokens::new(4_000),
                strategy: RoleStrategy::Adaptive,
                parts: Vec::new(),
            },
        };
        for (key, value) in table {
            match key.as_str() {
                "response" => phase.response = tokens(name, key, value)?,
                "strategy" => phase.strategy = strategy(name, value)?,
                "parts" => phase.parts = parts(name, value, notes)?,
                _ => notes.push(unknown(name, key, &KEYS)),
            }
        }
        if phase.parts.is_empty() {
            return Err(bad(name, "it has no parts; list them in `parts`"));
        }
        match known {
            Some(known) => self.phases[known] = phase,
            None => self.phases.push(phase),
        }
        Ok(())
    }
}

fn strategy(phase: &str, value: &Value) -> Result<RoleStrategy, PromptError> {
    let name = value.as_str().ok_or_else(|| wrong(phase, "strategy", value, "a name"))?;
    name.parse().map_err(|message: String| bad(phase, message))
}

fn parts(
    phase: &str,
    value: &Value,
    notes: &mut Vec<Remark>,
) -> Result<Vec<PartRule>, PromptError> {
    let list = value.as_array().ok_or_else(|| wrong(phase, "parts", value, "a list"))?;
    let mut parts: Vec<PartRule> = Vec::new();
    for value in list {
        let part = match value {
            Value::String(name) => PartRule::named(name),
            Value::Table(table) => table_part(phase, table, notes)?,
            other => return Err(wrong(phase, "a part", other, "a name or a table")),
        };
        if part.part.is_empty() {
            return Err(bad(phase, "a part has no name; write part = \"NAME\""));
        }
        if parts.iter().any(|other| other.part == part.part) {
            return Err(bad(phase, format!("part {:?} is listed twice", part.part)));
        }
        parts.push(part);
    }
    Ok(parts)
}

fn table_part(
    phase: &str,
    table: &Table,
    notes: &mut Vec<Remark>,
) -> Result<PartRule, PromptError> {
    let text = |key: &str, value: &Value| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| wrong(phase, key, value, "a text"))
    };
    let name = table.get("part").map(|it| text("part", it)).transpose()?;
    let mut part = PartRule::named(&name.unwrap_or_default());
    for (key, value) in table {
        match key.as_str() {
            "part" => {}
            "title" => part.title = Some(text(key, value)?),
            "required" => {
                let flag = value.as_bool();
                part.required = flag.ok_or_else(|| wrong(phase, key, value, "true or false"))?;
            }
            "count" => {
                let count = value.as_integer().and_then(|it| usize::try_from(it).ok());
                part.count = Some(count.ok_or_else(|| wrong(phase, key, value, "0 or more"))?);
            }
            "most" => part.most = Some(most(phase, value)?),
            _ => notes.push(unknown(phase, key, &PART_KEYS)),
        }
    }
    Ok(part)
}

fn most(phase: &str, value: &Value) -> Result<Most, PromptError> {
    let percent = value.as_str().and_then(|text| text.trim().strip_suffix('%'));
    let Some(percent) = percent else {
        return tokens(phase, "most", value).map(Most::Tokens);
    };
    let percent = percent.trim().parse::<f64>().ok();
    let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
    let percent = percent.ok_or_else(|| wrong(phase, "most", value, "0% to 100%"))?;
    Ok(Most::PercentOfRest(percent))
}

fn tokens(phase: &str, key: &str, value: &Value) -> Result<Tokens, PromptError> {
    let tokens = match value {
        Value::Integer(count) => u64::try_from(*count).ok().map(Tokens::new),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    tokens.ok_or_else(|| wrong(phase, key, value, "tokens, such as 8000 or \"8k\""))
}

impl PartRule {
    /// Reads a part that is only named; `name!` is required.
    fn named(name: &str) -> PartRule {
        let (part, required) = match name.trim().strip_suffix('!') {
            Some(name) => (name, true),
            None => (name.trim(), false),
        };
        PartRule { part: part.to_owned(), title: None, required, most: None, count: None }
    }
}

fn bad(phase: &str, message: impl Into<String>) -> PromptError {
    PromptError::BadPhase { phase: phase.to_owned(), message: message.into() }
}

fn wrong(phase: &str, key: &str, value: &Value, allowed: &str) -> PromptError {
    bad(phase, format!("{key} is {value}; it must be {allowed}"))
}

fn unknown(phase: &str, key: &str, keys: &[&str]) -> Remark {
    let message = format!("unknown key `{key}`; known keys: {}", keys.join(", "));
    Remark::new(format!("phase {phase:?}"), message)
}
