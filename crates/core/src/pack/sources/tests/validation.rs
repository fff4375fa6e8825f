//! What may be packed at all.

use super::*;

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
