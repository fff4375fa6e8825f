use proptest::prelude::*;

use super::super::ItemKind;
use super::super::testing::options;
use super::*;

/// Checks what the steps make of a text, whether or not that saves a token here.
fn check(text: &str, want: &str) {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let options = options();
    let shorter = format!("{mark}{}", shortened(body, &options).0.text);
    assert_eq!(shorter, want, "of {text:?}");
    let compacted = compact_notes(text, &options).text;
    assert!(compacted == want || compacted == text, "{compacted:?}");
}

fn stays(text: &str) {
    assert_eq!(compact_notes(text, &options()).text, text);
}

const LONG: &str =
    "The cache is filled when the first request arrives and emptied at night, always.";

#[test]
fn f188_decoration_goes() {
    check("## The plan #####\n\ntext ##\n", "## The plan\n\ntext ##\n");
    check("Plan of the week\n=======\n\ntext\n", "# Plan of the week\n\ntext\n");
    check("Plan of the week\n-------\n\ntext\n", "## Plan of the week\n\ntext\n");
    check("one\n\n---\n\ntwo\n\n* * *\n", "one\n\ntwo\n\n");
    check("- **Status**: done\n- **Owner**: ann\n", "- Status: done\n- Owner: ann\n");
    check("## 🚀 Launch plan\n\ntext\n", "## Launch plan\n\ntext\n");
    check("text\n\n=====================\n\nmore\n", "text\n\nmore\n");
    check(
        "[![CI](https://img.shields.io/x.svg)](https://ci) ![v](https://badge.io/badge.svg)\n\ntext\n",
        "\ntext\n",
    );
}

#[test]
fn f188_names_lose_their_quotes_and_words_keep_them() {
    check(
        "Call `load()` of `/api/users`, see `6d0c0ba` and `@scope/mail`.\n",
        "Call load() of /api/users, see 6d0c0ba and @scope/mail.\n",
    );
    stays("Run `make all` on `main`, set `x` to `3` or `--fast`.\n");
}

#[test]
fn f188_stress_and_states_stay() {
    stays("Do **not** push.\n");
    stays("## ✅ Login\n\ntext\n");
    stays("**1.** first\n\n**- x** second\n");
}

#[test]
fn f188_wrapped_lines_are_joined_and_others_are_not() {
    let wrapped = "The service reads its settings from one file and from the environment of\nthe process that starts it, in that\norder.\n";
    check(wrapped, &format!("{}\n", wrapped.trim_end().replace('\n', " ")));
    stays(
        "Status: almost done, only the tests of the second service are still to come\nOwner: ann\n",
    );
    stays("short\nlines\n");
}

#[test]
fn f188_white_space_goes() {
    check("a\n\n\n\nb   \n   \n\nc\n", "a\n\nb  \n\nc\n");
}

#[test]
fn f188_filler_goes() {
    check(
        "In order to start, it is important to note that the port is free.\n",
        "To start, the port is free.\n",
    );
    check("Please note that ports differ.\n", "Ports differ.\n");
    stays("`in order to` stays in code\n");
}

#[test]
fn f188_repetition_goes() {
    check(&format!("{LONG}\n\n# B\n\n{LONG}\n\nend\n"), &format!("{LONG}\n\n# B\n\nend\n"));
    check(
        "retrying the connection\nretrying the connection\nretrying the connection\n",
        "retrying the connection (×3)\n",
    );
    check(
        "[10:00:01] retry\n[10:00:02] retry\n[10:00:03] retry\n[10:00:09] retry\n",
        "[10:00:01] retry (×4, until 10:00:09)\n",
    );
    let item = "- Ran the whole suite of tests on three systems";
    check(&format!("# Log\n\n{item}\n- b\n{item}\n"), &format!("# Log\n\n{item}\n- b\n"));
    // The same words under another heading say something else.
    stays(&format!("# Todo\n\n{item}\n\n# Done\n\n{item}\n"));
}

#[test]
fn f188_links_that_follow_from_others_are_shortened() {
    let first = "[#1](https://github.com/a/b/issues/1)";
    check(
        &format!(
            "{first} and [#2](https://github.com/a/b/pull/2), https://github.com/a/b/pull/3.\n"
        ),
        &format!("{first} and #2, #3.\n"),
    );
    stays(&format!("{first} and [#2](https://github.com/c/d/pull/2)\n"));
    check("[https://example.com/x](https://example.com/x)\n", "<https://example.com/x>\n");
}

#[test]
fn f189_tool_output_goes_up_to_the_blank_line() {
    check(
        "Bash output: ls\nREADME.md\nSrc\nTests and more files of the project\n\nafter\n",
        "[Tool output removed]\n\nafter\n",
    );
    let counter = options().counter;
    assert!(counter.count("[Tool output removed]").get() <= 5);
    check(
        "Grep output: many\nsrc/a.rs: one\nerror: it failed here\nsrc/b.rs: two and three\n\nafter\n",
        "[Tool output removed]\nerror: it failed here\n\nafter\n",
    );
    // Nothing is longer than it was.
    stays("Bash output: ok\n");
}

#[test]
fn f190_lines_that_match_a_pattern_stay() {
    stays("**Critical** lines   \n\nADR-12 **bold**\n");
    let mut options = options();
    options.preserve.push(regex::Regex::new("IMPORTANT:").unwrap());
    let text = "IMPORTANT: **keep**\n\n**drop**\n";
    assert_eq!(compact_notes(text, &options).text, "IMPORTANT: **keep**\n\ndrop\n");
}

#[test]
fn f188_what_has_a_meaning_of_its_own_stays() {
    for text in [
        "```\n# a #\n\n\n**b**\n```\n",
        "~~~md\n```\n**x**\n```\n~~~\n",
        "```md\n```js\n**x**\n```\n**y**\n```\n",
        "```\n**unclosed**\n\n\n",
        "    **indented**\n\n\n    code\n",
        "| **a** | b |\n|---|---|\n| 1 | 2 |\n",
        "<div>\n**html**\n</div>\n",
        "---\ntitle: **x**\n---\n",
        "- [ ] **task** in order to\n- [x] **done**\n",
        "## Decision: **PostgreSQL**\n\n**Because** of it.\n\n\n### Why ###\n\n**x**\n",
        "{\n  \"a\": \"**b**\"\n}\n",
        "[ref]: https://example.com/**x**\n",
    ] {
        stays(text);
    }
}

#[test]
fn f188_line_ends_and_byte_order_marks_stay() {
    check("\u{feff}# A #\r\n\r\n\r\n\r\ntext\r\n", "\u{feff}# A\r\n\r\ntext\r\n");
    stays("a **b**\rc\n\n\n\n");
}

#[test]
fn f193_items_say_what_was_reduced_and_where() {
    let text = "# Log\n\nBash output: x\none line\nanother line\nand so on and on\n\nsame line\nsame line\n\n**bold**\n";
    let compacted = compact_notes(text, &options());
    let items: Vec<_> = compacted.items.iter().map(|it| (it.kind, it.line)).collect();
    let want = [(ItemKind::ToolOutput, 3), (ItemKind::Duplicate, 8), (ItemKind::Verbose, 11)];
    assert_eq!(items, want);
    assert!(compacted.items.iter().all(|it| it.compacted_size <= it.original_size));
}

#[test]
fn f260_a_large_note_is_made_shorter_like_a_small_one() {
    let text =
        format!("# Log ##\n\n- **Done**: {LONG}\n\n```\ncode\n```\n\n{LONG} again and\nagain.\n\n");
    let times = 500;
    let compacted = compact_notes(&text.repeat(times), &options()).text;
    assert_eq!(compacted.matches("```\ncode\n```\n").count(), times);
    assert_eq!(compacted.matches(LONG).count(), 2, "what is said again goes");
    assert!(!compacted.contains("**"));
}

/// Pieces that notes are made of, with what tends to go wrong.
fn piece() -> impl Strategy<Value = String> {
    let words = "[a-zé*_`\\[\\]()<>#|~=.: -]{0,40}";
    let fixed = [
        "```\n# a #\n\n\n**b**\n```",
        "~~~md\n```\n**x**\n```\n~~~",
        "```js",
        "```",
        "    **code**",
        "| **a** | b |\n|---|---|\n| 1 | 2 |",
        "- [ ] **task**",
        "  - [x] sub",
        "- **Label**: value",
        "1. **one**\n   more",
        "## Decision: **x**",
        "# Head #",
        "Under\n=====",
        "---",
        "* * *",
        "> **quote**\n> more",
        "Bash output: x\nline\nline\nline and line",
        "error: **kept**",
        "<div>\n**h**\n</div>",
        "{\"a\": \"**b**\"}",
        "[#1](https://h/a/b/issues/1) [#2](https://h/a/b/issues/2)",
        "same line of the log\nsame line of the log",
        LONG,
        "The service reads its settings from one file and from the environment of\nthe process that **starts** it.",
        "",
        "   ",
        "---\nfront: matter\n---",
    ];
    let fixed: Vec<String> = fixed.iter().map(|it| (*it).to_owned()).collect();
    prop_oneof![3 => prop::sample::select(fixed), 1 => words.prop_map(|it| it)]
}

fn document() -> impl Strategy<Value = String> {
    let glue = prop::sample::select(vec!["\n", "\n\n", "\n\n\n"]);
    let parts = prop::collection::vec((piece(), glue), 0..14);
    (parts, any::<bool>()).prop_map(|(parts, crlf)| {
        let text: String = parts.into_iter().map(|(piece, glue)| piece + glue).collect();
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #[test]
    fn f197_a_note_never_grows_and_a_second_run_changes_nothing(text in document()) {
        let options = options();
        let once = compact_notes(&text, &options);
        let cost = |text: &str| options.counter.count(text);
        prop_assert!(once.text == text || cost(&once.text) < cost(&text));
        let twice = compact_notes(&once.text, &options);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.items.is_empty());
    }

    #[test]
    fn f190_guarded_lines_stay_in_order_byte_for_byte(text in document()) {
        let options = options();
        let compacted = compact_notes(&text, &options).text;
        let shape = Shape::of(&text, &options.preserve);
        let mut lines = compacted.lines();
        for line in (0..shape.lines.len()).filter(|it| shape.guards(*it)) {
            let line = shape.line(line);
            let found = line.trim().is_empty() || lines.any(|it| it == line);
            prop_assert!(found, "{:?} is lost", line);
        }
        prop_assert_eq!(blocks(&text), blocks(&compacted));
    }

    #[test]
    fn any_text_is_compacted_without_a_panic(text: String) {
        let _ = compact_notes(&text, &options());
    }
}
