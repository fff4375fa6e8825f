//! Exceeded limits as GitHub annotations and as SARIF.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Format;
use crate::ui::thousands;

/// Whether one thing keeps to its limit, and where it is.
pub(super) struct Finding {
    pub(super) subject: String,
    pub(super) path: String,
    pub(super) tokens: u64,
    pub(super) limit: u64,
    pub(super) ok: bool,
}

impl Finding {
    fn message(&self) -> String {
        let (tokens, limit) = (thousands(self.tokens), thousands(self.limit));
        format!("{} has {tokens} tokens, {limit} allowed", self.subject)
    }
}

/// Writes annotations of a workflow, or a SARIF document.
pub(super) fn annotate(
    format: Format,
    findings: &[Finding],
    out: &mut impl Write,
) -> io::Result<()> {
    if format == Format::Sarif {
        serde_json::to_writer_pretty(&mut *out, &sarif(findings))?;
        return writeln!(out);
    }
    for finding in findings.iter().filter(|it| !it.ok) {
        let (file, message) = (property(&finding.path), data(&finding.message()));
        writeln!(out, "::error file={file},title=Context budget::{message}")?;
    }
    let over = findings.iter().filter(|it| !it.ok).count();
    let total = findings.len();
    writeln!(out, "::notice title=Context budget::{over} of {total} limits exceeded")
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn sarif(findings: &[Finding]) -> Value {
    let result = |finding: &Finding| {
        json!({
            "ruleId": "context-budget",
            "level": "error",
            "message": { "text": finding.message() },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": finding.path } }
            }],
        })
    };
    let results: Vec<Value> = findings.iter().filter(|it| !it.ok).map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "loadline",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{
                    "id": "context-budget",
                    "shortDescription": { "text": "More tokens than the budget allows" },
                }],
            }},
            "results": results,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> [Finding; 2] {
        let finding = |name: &str, tokens: u64| Finding {
            subject: format!("feature {name}"),
            path: format!("notes/{name}"),
            tokens,
            limit: 1_000,
            ok: tokens <= 1_000,
        };
        [finding("a", 500), finding("b,:%", 1_500)]
    }

    #[test]
    fn f276_annotations_name_what_is_over_and_nothing_else() {
        let mut out = Vec::new();
        annotate(Format::Github, &findings(), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "::error file=notes/b%2C%3A%25,title=Context budget::feature b,:%25 has 1,500 tokens, 1,000 allowed\n::notice title=Context budget::1 of 2 limits exceeded\n"
        );
        let document = sarif(&findings());
        let results = document["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["level"], "error");
        assert_eq!(document["version"], "2.1.0");
    }
}
