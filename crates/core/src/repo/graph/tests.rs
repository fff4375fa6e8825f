//! Tests of the graph: `imports.txt` has repositories as text, each with its edges.
//!
//! A case has lines `path: import | import`, manifests after `== path`, and after `=>` the
//! edges as `path -> path path`, files without imports left out.

use super::*;
use crate::repo::language_of;

#[test]
fn f034_imports_lead_to_files_of_the_repository() {
    for case in include_str!("imports.txt").split("\n\n# ") {
        // The name of the case.
        let case = case.split_once('\n').unwrap().1;
        let (input, want) = case.split_once("\n=>").unwrap();
        let mut parts = input.split("== ");
        let files = parts.next().unwrap();
        let manifests: Vec<_> = parts.map(|part| part.split_once('\n').unwrap()).collect();
        let found = edges(files, &manifests);
        assert_eq!(found.trim(), want.trim(), "{}", case.lines().next().unwrap());
    }
}

/// Builds a graph, and writes its edges.
fn edges(files: &str, manifests: &[(&str, &str)]) -> String {
    let lines = files.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let rows: Vec<(&str, Vec<String>)> = lines
        .map(|line| {
            let (path, imports) = line.split_once(": ").unwrap_or((line, ""));
            let imports = imports.split(" | ").filter(|import| !import.is_empty());
            (path, imports.map(str::to_owned).collect())
        })
        .collect();
    let files: Vec<SourceFile<'_>> = rows
        .iter()
        .map(|(path, imports)| SourceFile {
            path,
            language: language_of(path.as_ref()).unwrap_or_default(),
            imports,
        })
        .collect();
    let manifests: Vec<Manifest<'_>> =
        manifests.iter().map(|(path, text)| Manifest { path, text }).collect();
    assert!(manifests.iter().all(|it| Manifest::is_one(it.path)));
    let graph = ImportGraph::build(&files, &manifests);
    let mut text = String::new();
    for (position, file) in files.iter().enumerate() {
        let targets = graph.imports(position).iter();
        let targets: Vec<&str> = targets.map(|target| files[*target].path).collect();
        if !targets.is_empty() {
            text += &format!("{} -> {}\n", file.path, targets.join(" "));
        }
    }
    text
}

#[test]
fn a_manifest_that_makes_no_sense_costs_a_note() {
    let manifests = [
        ("tsconfig.json", "{"),
        ("go.mod", "go 1.2"),
        ("Cargo.toml", "= 1"),
        ("composer.json", "["),
    ];
    let manifests = manifests.map(|(path, text)| Manifest { path, text });
    let graph = ImportGraph::build(&[], &manifests);
    let mut subjects: Vec<&str> = graph.notes().iter().map(|note| &*note.subject).collect();
    subjects.sort_unstable();
    assert_eq!(subjects, ["Cargo.toml", "composer.json", "go.mod", "tsconfig.json"]);
}

#[test]
fn odd_imports_lead_nowhere() {
    let odd = [
        "", " ", ".", "..", "/", "::", "*", "\"", "<>", "\\", "a.", "...", "é::ü", "crate",
        "super", "mod ",
    ];
    for path in ["a.ts", "a.py", "a.rs", "a.go", "a.java", "a.cs", "a.c", "a.rb", "a.php", "é/ü.rs"]
    {
        let rows = odd.map(str::to_owned);
        let file = SourceFile {
            path,
            language: language_of(path.as_ref()).unwrap_or_default(),
            imports: &rows,
        };
        let graph = ImportGraph::build(&[file], &[]);
        assert!(graph.imports(0).is_empty(), "{path}");
    }
}
