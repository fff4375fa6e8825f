//! Sources from text.

use super::*;
use crate::Diagnose;

#[test]
fn f073_our_own_form_has_all_fields() {
    let text = r#"{"schema":1,"sources":[
        {"kind":"search_result","path":"src/a.rs","lines":[3,9],"content":"x","relevance":0.8,
         "time":"2026-01-01T00:00:00Z"},
        {"kind":"open_files","path":"b"},
        {"kind":"memo","path":"c","content":"y","time":"soon"},
        {"path":"d"}]}"#;
    let read = read_sources("list.json", text).unwrap();
    let want = found("src/a.rs", "x", 0.8).lines(3, 9).changed_ns(1_767_225_600_000_000_000);
    assert_eq!(read.sources[0], want);
    assert_eq!(read.sources[1], PackSource::new(SourceKind::OpenFile, "b"));
    assert_eq!(read.sources[2].kind, SourceKind::Other);
    assert_eq!(read.sources.len(), 3);
    let notes: Vec<String> = read.notes.iter().map(Remark::to_string).collect();
    let want = [
        "list.json: sources[2]: the kind \"memo\" is not known, taken as other",
        "list.json: sources[2]: invalid time \"soon\", expected one such as 2026-01-31T12:00:00Z",
        "list.json: sources[3]: left out: missing field `kind`",
    ];
    assert_eq!(notes, want);
}

#[test]
fn f076_a_text_that_is_no_list_is_refused_with_its_place() {
    for (text, want) in [
        ("{\"schema\":1,\n \"sources\":null}", "x:2:15: invalid type: null, expected a sequence"),
        ("{\"schema\":1,\n\"sources\":[}", "x:2:12: expected value"),
        ("{\"schema\":2,\"sources\":[]}", "x:1:1: schema 2 is not known, only 1"),
        ("\nhello\n", "x:2:1: expected `path`, `path:line` or `path:line:text`"),
    ] {
        let error = read_sources("x", text).unwrap_err();
        assert_eq!(error.to_string(), want);
        assert_eq!(error.code(), "LL-CTX-012");
        assert!(error.hint().unwrap().contains("rg --json"));
    }
    assert_eq!(read_sources("x", " \n").unwrap(), ReadSources::default());
}

#[test]
fn f073_ripgrep_and_its_context_are_search_results() {
    let event = |kind: &str, line: u32, text: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"data\":{{\"path\":{{\"text\":\"a.rs\"}},\"lines\":\
             {{\"text\":\"{text}\\n\"}},\"line_number\":{line},\"submatches\":[]}}}}\n"
        )
    };
    let text = [
        "{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"a.rs\"}}}\n".to_owned(),
        event("context", 2, "two"),
        event("match", 3, "three"),
        event("match", 9, "nine"),
        "broken\n".to_owned(),
        "{\"type\":\"summary\",\"data\":{}}\n".to_owned(),
    ];
    let read = read_sources("rg", &text.concat()).unwrap();
    let hit = |text: &str| PackSource::new(SourceKind::SearchResult, "a.rs").content(text);
    let want = [hit("two\nthree\n").lines(2, 3), hit("nine\n").lines(9, 9)];
    assert_eq!(read.sources, want);
    assert_eq!(read.notes[0].subject, "rg:5");
}

#[test]
fn f073_lists_of_places_are_search_results() {
    let text = "src/a b.rs:3:let x: u32 = 1;\n--\nC:\\x.rs:12\nnothing\nb.rs:7\nb.rs:8\n";
    let read = read_sources("hits", text).unwrap();
    let hit = |path: &str| PackSource::new(SourceKind::SearchResult, path);
    let want = [
        hit("src/a b.rs").content("let x: u32 = 1;").lines(3, 3),
        hit("C:\\x.rs").lines(12, 12),
        hit("b.rs").lines(7, 8),
    ];
    assert_eq!(read.sources, want);
    assert_eq!(read.notes[0].subject, "hits:4");
}

#[test]
fn f073_lines_without_content_are_read() {
    let tree = Tree::new("//- /a.txt\none\ntwo\nthree\nfour\n");
    let read = read_sources("hits", "a.txt:2\na.txt:3\na.txt:99\n").unwrap();
    let packed = run(read.sources, 100, &below(&tree));
    assert!(packed.content.contains("(lines 1-4)\n```text\none\ntwo\nthree\nfour\n```\n"));
    assert_eq!(packed.notes[0].message, "skipped: it has 4 lines, and none with number 99");
}
