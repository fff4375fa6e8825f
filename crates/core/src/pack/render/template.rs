//! Writes a pack by the user's own Jinja template.

use std::fmt;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};

use super::{Block, Document, Tier, markdown};
use crate::tokens::Counter;
use crate::{Diagnose, Diagnosis};

/// A template, checked.
///
/// It sees `name`, `remarks`, `task`, `tree`, `changes` (`since`, `text`), `not_shown` and `files`,
/// each with `path`, `kind`, `language`, `tier`, `shows`, `lines`, `ranges`, `same` and
/// `content`. `{{ file.content | fence(file.language) }}` puts a fence around a
/// text that is longer than any in it.
///
/// ```
/// use loadline::pack::Template;
/// let template = Template::parse("{% for file in files %}{{ file.path }}\n{% endfor %}");
/// assert!(template.is_ok());
/// assert!(Template::parse("{{ files").is_err());
/// ```
#[derive(Clone)]
pub struct Template {
    environment: Arc<Environment<'static>>,
    /// Counts what the template shows.
    counter: Option<Counter>,
}

/// Why a template cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template is wrong: {why}")]
pub struct TemplateError {
    why: String,
}

impl Diagnose for TemplateError {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::operation("LL-CTX-005")
            .hint("it is a Jinja template; `loadline pack --help` lists what it sees")
    }
}

const NAME: &str = "template";
/// Steps that a template may take for each file, and once besides.
const STEPS_PER_FILE: u64 = 10_000;

impl Template {
    /// Reads a template, and tries it on a small example.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        Template::with(text, &[], None)
    }

    /// Reads a template that sees further texts by their names, and `tokens`: what all
    /// files that are shown cost, and each of them.
    pub fn with(
        text: &str,
        parts: &[(&'static str, String)],
        counter: Option<Counter>,
    ) -> Result<Template, TemplateError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build().map_err(wrong)?);
        environment.add_filter("fence", fence);
        for name in ["header", "log", "instructions", "task"] {
            let part = parts.iter().find(|(known, _)| *known == name);
            let text = part.map_or("", |(_, text)| text);
            environment.add_global(name, Value::from(text));
        }
        environment.add_template_owned(NAME, text.to_owned()).map_err(wrong)?;
        let template = Template { environment: Arc::new(environment), counter };
        let body = "fn main() {}\n".to_owned();
        let example = Block::new("src/main.rs", Some("rust"), Tier::Full, body);
        let example = Block { lines: 1, ranges: vec![(1, 1)], ..example };
        template.render(&Document::default(), &[&example])?;
        Ok(template)
    }

    pub(super) fn render(
        &self,
        document: &Document,
        blocks: &[&Block],
    ) -> Result<String, TemplateError> {
        let mut environment = Environment::clone(&self.environment);
        environment.set_fuel(Some(STEPS_PER_FILE * (blocks.len() as u64 + 1)));
        let template = environment.get_template(NAME).map_err(wrong)?;
        template.render(view(document, blocks, self.counter.as_ref())).map_err(wrong)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template").finish_non_exhaustive()
    }
}

/// What a template sees.
fn view(document: &Document, blocks: &[&Block], counter: Option<&Counter>) -> Value {
    let part = |name: &str| document.parts().find(|part| part.name == name);
    let text = |name: &str| part(name).map_or("", |part| part.text.as_str());
    let changes = part("changes").map(|part| {
        let since = part.attribute.as_ref().map_or("", |(_, since)| since.as_str());
        context! { since => since, text => part.text.as_str() }
    });
    let cost = |block: &&Block| counter.map_or(0, |counter| counter.count(&block.body).get());
    let costs: Vec<u64> = blocks.iter().map(cost).collect();
    let files = blocks.iter().zip(&costs).map(|(block, tokens)| file(block, *tokens));
    let files: Vec<Value> = files.collect();
    context! {
        name => document.name.as_str(),
        remarks => document.remarks().map(str::to_owned).collect::<Vec<String>>(),
        task => text("task"),
        tree => text("tree"),
        not_shown => text("not_shown"),
        changes => changes,
        diff => text("changes"),
        tokens => costs.iter().sum::<u64>(),
        files => files,
    }
}

fn file(block: &Block, tokens: u64) -> Value {
    let ranges = block.ranges.iter();
    let ranges: Vec<Vec<u32>> = ranges.map(|(first, last)| vec![*first, *last]).collect();
    context! {
        path => block.path.as_str(),
        kind => block.origin.element(),
        language => block.language.unwrap_or("plaintext"),
        tier => block.tier.name(),
        shows => block.extent(),
        lines => block.lines,
        ranges => ranges,
        same => block.copies.clone(),
        content => block.body.as_str(),
        tokens => tokens,
    }
}

fn fence(text: &str, language: Option<&str>) -> String {
    let mut out = String::new();
    markdown::fenced(&mut out, text, language.unwrap_or_default());
    out
}

fn wrong(error: minijinja::Error) -> TemplateError {
    let place = error.line().map(|line| format!("line {line}: "));
    let detail = error.detail().map(|detail| format!(": {detail}"));
    let why =
        format!("{}{}{}", place.unwrap_or_default(), error.kind(), detail.unwrap_or_default());
    TemplateError { why }
}
