//! What may be packed at all.

use super::*;

#[test]
fn f073_a_source_has_a_kind_a_place_and_what_is_known_of_it() {
    let source = PackSource::new(SourceKind::Reference, "a.txt")
        .content("one\n")
        .lines(7, 7)
        .relevance(0.5)
        .changed_ns(9);
    let packed = run(vec![source], 100, &options());
    let chunk = &packed.chunks[0];
    assert_eq!((chunk.kind, chunk.lines), (SourceKind::Reference, (7, 7)));
    assert_eq!((chunk.signals.relevance, chunk.signals.recency), (0.5, 1.0));
    for kind in SourceKind::ALL {
        assert_eq!(SourceKind::named(kind.name()), Some(kind));
        assert_eq!(SourceKind::named(kind.share()), Some(kind));
    }
}

#[test]
fn f074_priorities_order_what_is_equal_otherwise() {
    let options = options();
    let priority = |kind: SourceKind| kind.priority(&options.priority);
    assert_eq!(SourceKind::ALL.map(priority), [100, 80, 60, 40, 50]);
    let sources = SourceKind::ALL.iter().rev();
    let sources: Vec<PackSource> =
        sources.map(|kind| PackSource::new(*kind, kind.name()).content(kind.name())).collect();
    let packed = run(sources.clone(), 1_000, &options);
    let want = ["tool_result", "open_file", "search_result", "other", "reference"];
    assert_eq!(paths(&packed), want);
    let mut changed = options;
    changed.priority.references = 90;
    assert_eq!(paths(&run(sources, 1_000, &changed))[1], "reference");
}

#[test]
fn f075_a_failing_source_costs_a_note() {
    let tree = Tree::new("//- /a.txt\none\n");
    let file = |path: &str| PackSource::new(SourceKind::OpenFile, path);
    let packed = run(vec![file("gone.txt"), file("a.txt")], 100, &below(&tree));
    assert_eq!(paths(&packed), ["a.txt"]);
    let note = "gone.txt: file not found below the root";
    assert_eq!(packed.notes[0].to_string(), note);
    assert_eq!(reasons(&packed), [("gone.txt".into(), "unreadable".into())]);
    let few = SourceOptions { max_sources: 1, ..options() };
    let packed = run(vec![found("a", "x", 1.0), found("b", "y", 1.0)], 100, &few);
    assert_eq!(paths(&packed), ["a"]);
    assert_eq!(packed.notes[0].message, "only the first 1 sources are packed");
}

#[test]
fn f076_what_is_empty_or_binary_is_skipped_with_a_note() {
    let sources = vec![
        found("a.txt", " \n", 1.0),
        found("", "text", 1.0),
        found("b.bin", "a\0b", 1.0),
        PackSource::new(SourceKind::ToolResult, "").content("output"),
        PackSource::new(SourceKind::OpenFile, "c.txt").content(b"a\xffb".to_vec()),
        found("d.txt", "text", 1.0).lines(0, 4),
    ];
    let packed = run(sources, 100, &options());
    let notes: Vec<String> = packed.notes.iter().map(Remark::to_string).collect();
    let want = [
        "a.txt: skipped: it has no content",
        "source 2: skipped: it has no path",
        "b.bin: skipped: it is binary",
        "d.txt: lines 0-4 are not a valid range",
    ];
    assert_eq!(notes, want);
    assert!(packed.content.contains("a\u{fffd}b"), "{}", packed.content);
    assert!(packed.content.contains("tool_result 4 (lines 1-1)"));
}

#[test]
fn f076_files_lie_below_the_root() {
    let tree = Tree::new("//- /in/a.txt\none\n//- /b.txt\ntwo\n");
    let mut options = below(&tree);
    options.root = Some(tree.path("in"));
    let inside = tree.path("in/a.txt");
    for (path, want) in [
        ("./a.txt", None),
        (inside.to_str().unwrap(), None),
        ("../b.txt", Some("not packed: its path contains `..`")),
        ("x/../a.txt", Some("not packed: its path contains `..`")),
        ("x\\..\\a.txt", Some("not packed: its path contains `..`")),
        ("/etc/hosts", Some("not packed: its path leads out of the root")),
    ] {
        let source = PackSource::new(SourceKind::OpenFile, path);
        let packed = run(vec![source], 100, &options);
        let note = packed.notes.first().map(|note| note.message.as_str());
        assert_eq!(note, want, "{path}");
        assert_eq!(packed.chunks.is_empty(), want.is_some(), "{path}");
        if want.is_none() {
            assert!(packed.content.contains("## File: a.txt (lines 1-1)"));
        }
    }
    let tool = PackSource::new(SourceKind::ToolResult, "cat ../b.txt").content("two\n");
    assert_eq!(run(vec![tool], 100, &options).chunks.len(), 1);
}

#[cfg(unix)]
#[test]
fn f076_links_do_not_lead_out() {
    let tree = Tree::new("//- /in/a.txt\none\n//- /b.txt\ntwo\n//- /in/id_rsa\nkey\n");
    std::os::unix::fs::symlink(tree.path("b.txt"), tree.path("in/link")).unwrap();
    std::os::unix::fs::symlink(tree.path("in/id_rsa"), tree.path("in/key.txt")).unwrap();
    let mut options = below(&tree);
    options.root = Some(tree.path("in"));
    for path in ["link", "key.txt"] {
        let packed = run(vec![PackSource::new(SourceKind::OpenFile, path)], 100, &options);
        assert_eq!(reasons(&packed), [(path.to_owned(), "denied".to_owned())]);
    }
}

#[test]
fn f077_credentials_are_denied_by_name() {
    for path in [".env", ".git/config", "home/id_rsa", "credentials.json"] {
        for kind in [SourceKind::OpenFile, SourceKind::ToolResult] {
            let source = PackSource::new(kind, path).content("text");
            let packed = run(vec![source], 100, &options());
            assert_eq!(packed.excluded[0].reason.name(), "denied", "{path}");
            assert!(packed.content.is_empty());
        }
    }
}

#[test]
fn secrets_are_redacted() {
    let key = format!("key = \"ghp_{}\"\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let tool = PackSource::new(SourceKind::ToolResult, "env").content(key);
    let packed = run(vec![tool], 100, &options());
    assert!(packed.content.contains("[redacted: "), "{}", packed.content);
}
