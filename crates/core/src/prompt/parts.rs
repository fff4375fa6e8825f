//! What each part of a window is made of, taken from the state of the work.

use super::phase::{MESSAGES, PartRule, Phase};
use super::state::{Failure, Unit, UnitStatus, WorkState};
use crate::Remark;

/// What a part could show, before anything is chosen.
pub(super) struct Gathered<'a> {
    pub(super) rule: &'a PartRule,
    /// In the order in which they are shown.
    pub(super) items: Vec<Material>,
    /// Whether later items go before earlier ones when there is not room for all.
    pub(super) newest_first: bool,
}

/// One text of a part.
pub(super) struct Material {
    pub(super) name: String,
    pub(super) text: String,
}

/// Gathers the parts of a phase; what is required and missing costs a note.
pub(super) fn gather<'a>(
    state: &WorkState,
    phase: &'a Phase,
    remarks: &mut Vec<Remark>,
) -> Vec<Gathered<'a>> {
    let mut parts = Vec::new();
    for rule in phase.parts.iter().filter(|rule| rule.part != MESSAGES) {
        let mut items = materials(state, phase, &rule.part);
        items.retain(|item| !item.text.trim().is_empty());
        if items.is_empty() && rule.required {
            let message = format!("phase {} requires it, and the state has none", phase.name);
            remarks.push(Remark::new(called(&rule.part), message));
        }
        parts.push(Gathered { newest_first: rule.part == "units", rule, items });
    }
    parts
}

fn materials(state: &WorkState, phase: &Phase, part: &str) -> Vec<Material> {
    let one = |text: &str| vec![Material::new(part, text)];
    let many = |texts: &[String]| texts.iter().map(|text| Material::new(part, text)).collect();
    match part {
        "system" => one(state.system_prompt.of(&phase.name)),
        "design" => one(&state.design_document),
        // Before there is a design, what is to be made stands in its place.
        "feature" if state.feature_description.trim().is_empty() => one(&state.design_document),
        "feature" => one(&state.feature_description),
        "types" => many(&state.type_definitions.0),
        "tests" => {
            let own = state.current().map_or(&[][..], |unit| &unit.tests.0);
            let mut tests: Vec<Material> = many(&state.relevant_tests.0);
            tests.extend(many(own));
            tests
        }
        "unit" => state.current().map(unit_at_work).into_iter().collect(),
        "units" => previous_units(state, phase),
        "failures" => state.failures.iter().map(failure).collect(),
        "implementation" => implementations(state, phase),
        name => many(state.parts.get(name).map_or(&[][..], |texts| &texts.0)),
    }
}

/// The approved units before the one at work, the newest last.
fn previous_units(state: &WorkState, phase: &Phase) -> Vec<Material> {
    let current = state.current().map(|unit| unit.name.as_str());
    let done = state.units.iter().filter(|unit| {
        unit.status == UnitStatus::Approved && current != Some(&unit.name) && unit.has_code()
    });
    let done: Vec<&Unit> = done.collect();
    let rule = phase.parts.iter().find(|rule| rule.part == "units");
    let count = rule.and_then(|rule| rule.count).unwrap_or(usize::MAX);
    let last = &done[done.len().saturating_sub(count)..];
    last.iter().map(|unit| previous_unit(unit)).collect()
}

fn previous_unit(unit: &Unit) -> Material {
    let file = unit.file.as_deref().unwrap_or("unknown");
    let code = unit.implementation.as_deref().unwrap_or_default();
    Material {
        name: unit.name.clone(),
        text: format!("// Previously implemented: {}\n// File: {file}\n{code}", unit.name),
    }
}

fn unit_at_work(unit: &Unit) -> Material {
    let mut text = format!("// Current unit: {}", unit.name);
    if let Some(file) = &unit.file {
        text.push_str(&format!("\n// File: {file}"));
    }
    for more in [&unit.description, &unit.implementation].into_iter().flatten() {
        text.push('\n');
        text.push_str(more);
    }
    Material { name: unit.name.clone(), text }
}

/// The code of units whose name is in the name of a failing test.
fn implementations(state: &WorkState, phase: &Phase) -> Vec<Material> {
    let shows_current = phase.parts.iter().any(|rule| rule.part == "unit");
    let shown = state.current().filter(|_| shows_current);
    let failing = state.units_of_failures().into_iter();
    failing
        .filter(|unit| unit.has_code() && shown.is_none_or(|shown| shown.name != unit.name))
        .map(|unit| Material {
            name: unit.name.clone(),
            text: format!(
                "// Implementation: {}\n// File: {}\n{}",
                unit.name,
                unit.file.as_deref().unwrap_or("unknown"),
                unit.implementation.as_deref().unwrap_or_default()
            ),
        })
        .collect()
}

impl WorkState {
    /// Returns the units whose name, in lower case, is in the name of a failing test.
    pub fn units_of_failures(&self) -> Vec<&Unit> {
        let failing = self.failures.iter().map(|it| it.name.to_lowercase());
        let failing: Vec<String> = failing.collect();
        let is_named = |unit: &&Unit| {
            let name = unit.name.to_lowercase();
            !name.is_empty() && failing.iter().any(|test| test.contains(&name))
        };
        self.units.iter().filter(is_named).collect()
    }
}

impl Unit {
    fn has_code(&self) -> bool {
        let code = self.implementation.as_deref();
        code.is_some_and(|code| !code.trim().is_empty())
    }
}

/// Writes a failing test as models know it from reports.
fn failure(failure: &Failure) -> Material {
    let mut text = format!("### Failed Test: {}", failure.name);
    let value = |value: &serde_json::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    text.push_str(&format!("\n**Error**: {}", failure.error));
    if let Some(expected) = &failure.expected {
        text.push_str(&format!("\n**Expected**: {}", value(expected)));
    }
    if let Some(received) = &failure.received {
        text.push_str(&format!("\n**Received**: {}", value(received)));
    }
    if let Some(stack) = failure.stack.as_deref().filter(|it| !it.trim().is_empty()) {
        let fence = fence(stack);
        text.push_str(&format!("\n**Stack**:\n{fence}\n{}\n{fence}", stack.trim_end()));
    }
    Material { name: failure.name.clone(), text }
}

/// Lines of a failing test that are left, step by step, where there is no room for more.
pub(super) const FAILURE_LINES: [usize; 5] = [48, 24, 12, 6, 3];

/// Cuts failing tests to so many lines of their beginning and end; tells whether there
/// are any.
pub(super) fn shrink_failures(gathered: &mut [Gathered<'_>], lines: usize) -> bool {
    let mut failures = gathered.iter_mut().filter(|it| it.rule.part == "failures").peekable();
    let found = failures.peek().is_some();
    for material in failures.flat_map(|part| &mut part.items) {
        let all: Vec<&str> = material.text.lines().collect();
        if all.len() > lines {
            let (head, tail) = (&all[..lines.div_ceil(2)], &all[all.len() - lines / 2..]);
            let gap = format!("[… {} lines]", all.len() - lines);
            material.text = [head, &[&gap], tail].concat().join("\n");
        }
    }
    found
}

/// Returns a fence that the text does not hold.
fn fence(text: &str) -> String {
    let mut longest = 0;
    for run in text.split(|letter| letter != '`') {
        longest = run.len().max(longest);
    }
    "`".repeat(longest.max(2) + 1)
}

impl Material {
    fn new(name: &str, text: &str) -> Material {
        Material { name: name.to_owned(), text: text.to_owned() }
    }
}

/// Returns the heading of a part; the system prompt has none.
pub(super) fn title(rule: &PartRule) -> Option<String> {
    if let Some(title) = &rule.title {
        return Some(title.clone());
    }
    Some(match rule.part.as_str() {
        "system" => return None,
        "design" => "Design Document".to_owned(),
        "feature" => "Feature Description".to_owned(),
        "types" => "Type Definitions".to_owned(),
        "tests" => "Relevant Tests".to_owned(),
        "unit" => "Current Unit".to_owned(),
        "units" => "Previous Units".to_owned(),
        "failures" => "Failing Tests".to_owned(),
        "implementation" => "Implementation".to_owned(),
        own => own.to_owned(),
    })
}

/// Names a part in an error or a note.
pub(super) fn called(part: &str) -> String {
    match part {
        "system" => "the system prompt".to_owned(),
        "design" => "the design document".to_owned(),
        "feature" => "the feature description".to_owned(),
        "types" => "the type definitions".to_owned(),
        "tests" => "the relevant tests".to_owned(),
        "unit" => "the current unit".to_owned(),
        "units" => "the previous units".to_owned(),
        MESSAGES => "the first and the newest message".to_owned(),
        own => format!("part {own:?}"),
    }
}
