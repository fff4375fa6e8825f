//! Tests of what paths say.

use super::*;

fn extended(path: &str) -> FileKind {
    FileKind::of(path, EntryPoints::Extended)
}

#[test]
fn documents_and_data() {
    for path in ["README.md", "docs/a.rst", "LICENSE", "notes.txt"] {
        assert!(extended(path).documentation, "{path}");
    }
    for path in ["a.json", "b/c.yaml", "d.csv", "Cargo.lock"] {
        assert!(extended(path).data, "{path}");
    }
    let code = extended("src/a.rs");
    assert_eq!(code, FileKind::default());
    assert_eq!(extended(""), FileKind::default());
}
