//! What each language gives, as a reader sees it: `queries/<language>/example.txt` has a
//! source and its outline, so that a new language brings its test with its queries.
//!
//! In outlines shown here, `+` is exported and `-` is not; the brackets hold the
//! lines, with the first line of leading comments and attributes before `<`. An
//! import with `^` is passed on at once, one with `~` is a call.
#![allow(clippy::unwrap_used)]

mod conformance;
mod promises;

use super::*;

#[test]
fn every_language_is_outlined_as_its_example_says() {
    let queries = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    for language in languages().filter(|language| *language != "tsx") {
        let example = std::fs::read_to_string(queries.join(language).join("example.txt"));
        let example = example.unwrap_or_else(|error| panic!("{language}: {error}"));
        let (text, want) = example.split_once("=====\n").unwrap();
        let got = shown(language, text);
        assert_eq!(got, want.trim(), "\n--- {language}\n{got}\n---");
    }
}

/// Writes an outline for comparison: one line per definition, then imports,
/// exports and references.
fn shown(language: &str, text: &str) -> String {
    let outline = outline(language, text).unwrap();
    let mut lines = Vec::new();
    for definition in &outline.definitions {
        let mut depth = 0;
        let mut parent = definition.parent;
        while let Some(index) = parent {
            depth += 1;
            parent = outline.definitions[index].parent;
        }
        let mark = if definition.exported { '+' } else { '-' };
        lines.push(format!(
            "{}{mark} {} {}: {} [{}]",
            "  ".repeat(depth),
            definition.kind.as_str(),
            definition.name,
            definition.signature,
            range(definition),
        ));
    }
    let imports = outline.imports.iter().map(|import| {
        let names = import.names.join(",");
        let open = if names.is_empty() { "" } else { "(" };
        let close = if names.is_empty() { "" } else { ")" };
        let arrow = match import.kind {
            ImportKind::Statement => "",
            ImportKind::Call => "~",
            ImportKind::Reexport => "^",
        };
        format!("{arrow}{}{open}{names}{close}", import.source)
    });
    let imports: Vec<String> = imports.collect();
    if !imports.is_empty() {
        lines.push(format!("imports {}", imports.join(" ")));
    }
    if !outline.exports.is_empty() {
        lines.push(format!("exports {}", outline.exports.join(" ")));
    }
    let references = outline.references.iter().map(|(name, _)| name.as_str());
    let references: Vec<&str> = references.collect();
    if !references.is_empty() {
        lines.push(format!("references {}", references.join(" ")));
    }
    if outline.has_errors {
        lines.push("errors".to_owned());
    }
    lines.join("\n")
}

fn range(definition: &Definition) -> String {
    let Definition { lead_line, first_line, last_line, .. } = definition;
    let lead = if lead_line == first_line { String::new() } else { format!("{lead_line}<") };
    let last = if last_line == first_line { String::new() } else { format!("-{last_line}") };
    format!("{lead}{first_line}{last}")
}
