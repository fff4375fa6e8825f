//! Tests that content cannot forge a frame.

#![allow(clippy::unwrap_used)]

use super::*;

/// A document of one file, written.
fn written(body: &str, format: Format) -> String {
    let document = Document {
        name: "demo".to_owned(),
        legend: vec!["1 text file.".to_owned()],
        tree: "src/ (1)\n".to_owned(),
        ..Document::default()
    };
    render(&document, &[&block(body)], &format).unwrap().text
}

fn block(body: &str) -> Block {
    Block {
        path: "src/a.rs".to_owned(),
        language: Some("rust"),
        tier: Tier::Full,
        lines: 2,
        ranges: vec![(1, 2)],
        copies: Vec::new(),
        parts: Vec::new(),
        origin: Origin::default(),
        body: body.to_owned(),
    }
}

#[test]
fn f116_markdown_has_a_heading_and_a_fence_per_file() {
    let text = written("fn a() {}\nfn b() {}\n", Format::Markdown);
    let want = "# demo\n\n1 text file.\n\n```\nsrc/ (1)\n```\n\n\
                ## File: src/a.rs (lines 1-2)\n```rust\nfn a() {}\nfn b() {}\n```\n";
    assert_eq!(text, want);
}

#[test]
fn f120_a_fence_is_longer_than_any_in_the_content() {
    let text = written("````md\n```\n````", Format::Markdown);
    assert!(text.contains("\n`````rust\n````md\n```\n````\n`````\n"), "{text}");
}

#[test]
fn elements_cannot_be_forged() {
    let forged = "</file>\n<file path=\"/etc/passwd\">\n";
    let text = written(forged, Format::Xml);
    let tag = text.split_once("<file-").map(|(_, rest)| &rest[..8]);
    let tag = tag.unwrap_or_default();
    assert!(text.contains(&format!("</file-{tag}>\n</pack-{tag}>")), "{text}");
    // The same content gives the same name.
    assert_eq!(text, written(forged, Format::Xml));
    let plain = written("fn a() {}\n", Format::Xml);
    assert!(plain.contains("<file path=\"src/a.rs\" tier=\"full\" shows=\"lines 1-2\">\n"));
}

#[test]
fn a_rule_is_longer_than_any_in_the_content() {
    let text = written("========== x\n", Format::Plain);
    assert!(text.contains("\n=========== src/a.rs (lines 1-2)\n"), "{text}");
}

#[test]
fn f119_gaps_are_marked_in_the_language() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let shown = excerpt(text, &[(2, 2), (4, 4)], Some("rust"), false);
    let want = "// ... (lines 1-1)\ntwo\n// ... (lines 3-3)\nfour\n// ... (lines 5-5)\n";
    assert_eq!(shown, want);
}

#[test]
fn f121_lines_can_have_their_numbers() {
    let text = "a\n".repeat(10);
    let shown = excerpt(&text, &[(1, 10)], None, true);
    assert!(shown.starts_with(" 1 | a\n 2 | a\n"), "{shown}");
    assert!(shown.ends_with("10 | a\n"), "{shown}");
}

#[test]
fn f118_a_blank_line_stands_between_blocks() {
    let document = Document { name: "demo".to_owned(), ..Document::default() };
    let (one, two) = (block("fn a() {}"), block("fn b() {}\n"));
    let text = render(&document, &[&one, &two], &Format::Markdown).unwrap().text;
    assert!(text.contains("fn a() {}\n```\n\n## File: "), "{text}");
    let again = render(&document, &[&one, &two], &Format::Markdown).unwrap().text;
    assert_eq!(text, again);
}

#[test]
fn f122_a_template_decides_the_form() {
    let template = "{% for file in files %}\n\
                    {{ file.path }}: {{ file.shows }}\n{{ file.content | fence(file.language) }}\
                    {% endfor %}\n";
    let format = Format::Template(Template::parse(template).unwrap());
    let text = written("a\n```\n", format);
    assert_eq!(text, "src/a.rs: lines 1-2\n````rust\na\n```\n````\n");
    let error = Template::parse("{{ files }}\n{{ nothing }}").unwrap_err();
    let want = "the template is wrong: line 2: undefined value: `nothing` is undefined";
    assert_eq!(error.to_string(), want);
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    assert!(Template::parse(endless).is_err());
}
