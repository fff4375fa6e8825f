//! Writes docs/json.md from the types of the documents, and checks that it is current.
//!
//! Descriptions are the doc comments of the fields. `LOADLINE_UPDATE_DOCS=1` rewrites
//! the page.

use std::fmt::Write;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{
    archive, bill, cache, check, chunk, completions, config, context, count, doctor, feature,
    install, ledger, man, map, models, notes, pack, pin, recall, resume, round, score, search,
    session, usage, window,
};

/// The name of a document's command, and its schema.
type Document = (&'static str, Schema);

/// Describes the document of a command.
fn document<T: JsonSchema>(command: &'static str) -> Document {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.inline_subschemas = true);
    (command, settings.into_generator().into_root_schema_for::<T>())
}

const HEAD: &str = "# JSON documents

Made from the types by a test; do not edit. To rewrite it:
`LOADLINE_UPDATE_DOCS=1 cargo test -p loadline-cli --bin loadline schema`.

With `--json` a command prints one document on standard output. Every document has

- `schema`: the version of this page, 1;
- `remarks`: what the program says about its work, as a list of `subject` and `message`.
  The documents of `pack` call it `notes`.

Keys are in snake_case. New keys may appear in any release; a key is removed or changes
its meaning only together with `schema`. Times are RFC 3339, `tokens` are counts by the
`counter` of the document.

A command that fails prints a document on standard error and keeps its exit code:

```json
{\"schema\": 1, \"error\": {\"code\": \"LL-CLI-001\", \"message\": \"unknown model \\\"gtp-5\\\"\", \"hint\": \"did you mean gpt-5?\"}, \"remarks\": []}
```

`search --json` prints one line of JSON for each result instead of a document.
";

fn documents() -> Vec<Document> {
    vec![
        document::<archive::InfoJson>("archive info"),
        document::<archive::PathJson>("archive path"),
        document::<loadline::archive::Pruned>("archive prune"),
        document::<cache::ClearJson>("cache clear"),
        document::<cache::InfoJson>("cache info"),
        document::<archive::PathJson>("cache path"),
        document::<check::CheckJson>("check"),
        document::<check::features::FeaturesJson<'_>>("check --features"),
        document::<chunk::show::Document<'_>>("chunk"),
        document::<completions::Json>("completions"),
        document::<config::DefaultJson>("config default"),
        document::<config::EnvJson>("config env"),
        document::<config::ImportJson>("config import"),
        document::<config::PathsJson>("config path"),
        document::<config::ShowJson>("config show"),
        document::<config::ValidateJson>("config validate"),
        document::<context::prune::Document>("context prune"),
        document::<context::savings::ReportJson<'_>>("context report"),
        document::<context::json::Shown<'_>>("context show"),
        document::<context::status::StatusJson<'_>>("context status"),
        document::<count::json::Document<'_>>("count"),
        document::<doctor::Document>("doctor"),
        document::<feature::compact::CompactionJson<'_>>("feature compact"),
        document::<feature::compact_all::AllJson<'_>>("feature compact --all"),
        document::<feature::revert::RevertJson<'_>>(
            "feature compact --revert, context prune --restore",
        ),
        document::<feature::history::Document>("feature history"),
        document::<feature::status::StatusJson<'_>>("feature status"),
        document::<install::Document>("install, uninstall"),
        document::<ledger::Document>("ledger"),
        document::<man::Json>("man"),
        document::<map::Document<'_>>("map"),
        document::<models::ListJson<'_>>("models"),
        document::<models::OneJson<'_>>("models NAME"),
        document::<notes::brief::BriefJson>("notes brief"),
        document::<notes::diff::DiffJson>("notes diff"),
        document::<notes::units::UnitsJson>("notes units"),
        document::<pack::json::Document<'_>>("pack"),
        document::<pack::sources::Document<'_>>("pack --source, --open"),
        document::<recall::RecallJson<'_>>("recall"),
        document::<round::compress::Document<'_>>("round compress"),
        document::<resume::Document<'_>>("resume"),
        document::<round::usage::Document>("round usage"),
        document::<score::Document<'_>>("score"),
        document::<search::Line<'_, loadline::pack::SearchHit>>("search, each line"),
        document::<search::Line<'_, loadline::pack::SearchFile>>("search --files, each line"),
        document::<session::compress::Document<'_>>("session compress"),
        document::<session::pressure::PressureJson>("session pressure"),
        document::<session::score::Document<'_>>("session score"),
        document::<session::stats::StatsJson<'_>>("session stats"),
        document::<session::trim::Document<'_>>("session trim"),
        document::<session::undo::Document>("session undo"),
        document::<pin::Document<'_>>("pin"),
        document::<usage::show::Document<'_>>("usage"),
        document::<usage::show::Document<'_>>("bill"),
        document::<bill::tools::Document>("bill tools"),
        document::<window::build::Document<'_>>("window build"),
        document::<window::fill::Document<'_>>("window fill"),
        document::<window::messages::Document<'_>>("window messages"),
        document::<window::phases::Document<'_>>("window phases"),
    ]
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (command, schema) in documents() {
        // Writing to a text cannot fail.
        let _ = write!(page, "\n## {command}\n\n| key | type | meaning |\n|---|---|---|\n");
        rows("", schema.as_value(), &mut page);
    }
    page
}

/// Writes a row for each member of an object, and for what is in it.
fn rows(prefix: &str, schema: &Value, page: &mut String) {
    for part in parts(schema) {
        let members = part["properties"].as_object().into_iter().flatten();
        for (key, member) in members {
            let path = format!("{prefix}{key}");
            let meaning = member["description"].as_str().unwrap_or_else(|| usual(key));
            // What follows is for readers of the library.
            let meaning = meaning.split("\n\n").next().unwrap_or_default();
            let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
            let kind = kind(member).replace('|', "\\|");
            let _ = writeln!(page, "| `{path}` | {kind} | {} |", meaning.replace('|', "\\|"));
            for inner in parts(member) {
                rows(&format!("{path}."), inner, page);
                rows(&format!("{path}[]."), &inner["items"], page);
            }
        }
    }
}

/// What a key means wherever it stands, if its field says nothing of its own.
fn usual(key: &str) -> &'static str {
    let mut rows = include_str!("schema.txt").lines().filter_map(|row| row.split_once(": "));
    rows.find(|(name, _)| *name == key).map_or("", |(_, meaning)| meaning)
}

/// Returns a schema, or the alternatives that it stands for.
fn parts(schema: &Value) -> Vec<&Value> {
    let alternatives = ["anyOf", "oneOf", "allOf"].iter();
    let alternatives: Vec<&Value> =
        alternatives.filter_map(|key| schema[*key].as_array()).flatten().flat_map(parts).collect();
    std::iter::once(schema).chain(alternatives).collect()
}

/// Names the type of a member: `string`, `number or null`, `list of object`.
fn kind(schema: &Value) -> String {
    let mut names: Vec<String> = Vec::new();
    for part in parts(schema) {
        let values = part["enum"].as_array().into_iter().flatten();
        names.extend(values.chain(part.get("const")).map(|it| format!("`{it}`")));
        match &part["type"] {
            Value::String(_) if part.get("enum").or(part.get("const")).is_some() => {}
            Value::String(name) => names.push(named(name, part)),
            Value::Array(types) => {
                let types = types.iter().filter_map(Value::as_str);
                names.extend(types.map(|name| named(name, part)));
            }
            _ => {}
        }
    }
    names.dedup();
    if names.is_empty() {
        return "any".to_owned();
    }
    names.join(" or ")
}

fn named(name: &str, schema: &Value) -> String {
    match name {
        "array" if schema.get("prefixItems").is_some() => "pair".to_owned(),
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" if schema.get("properties").is_none() => "map".to_owned(),
        name => name.to_owned(),
    }
}

#[test]
fn the_page_describes_every_document() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = page();
    if std::env::var_os("LOADLINE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "LOADLINE_UPDATE_DOCS=1 rewrites docs/json.md");
}
