//! Tests of what paths say.

use super::*;

fn compat(path: &str) -> FileKind {
    FileKind::of(path, EntryPoints::Compat)
}

fn extended(path: &str) -> FileKind {
    FileKind::of(path, EntryPoints::Extended)
}

/// Checks one property of many paths: what compat says, and what extended says.
fn check(property: impl Fn(FileKind) -> bool, rows: &[(&str, bool, bool)]) {
    for (path, by_compat, by_extended) in rows {
        assert_eq!(property(compat(path)), *by_compat, "compat: {path}");
        assert_eq!(property(extended(path)), *by_extended, "extended: {path}");
    }
}

#[test]
fn f032_entry_points() {
    check(
        |kind| kind.entry_point,
        &[
            ("index.ts", true, true),
            ("main.js", true, true),
            ("src/index.ts", true, true),
            ("cli.ts", true, true),
            ("src/cli.ts", false, true),
            ("src/deep/cli.ts", false, false),
            ("packages/a/app.py", true, true),
            ("index.test.ts", true, true),
            ("utils.ts", false, false),
            ("index", false, false),
            ("index.", false, false),
            ("reindex.ts", false, false),
            ("src/lib.rs", false, true),
            ("src/main.rs", true, true),
            ("src/repo/mod.rs", false, true),
            ("pkg/__init__.py", false, true),
            ("pkg/__main__.py", false, true),
            ("cmd/tool/main.go", true, true),
        ],
    );
}

#[test]
fn f033_configuration() {
    check(
        |kind| kind.config,
        &[
            ("package.json", true, true),
            ("packages/a/package.json", false, false),
            (".eslintrc.js", true, true),
            ("tsconfig.build.json", true, true),
            ("packages/a/vite.config.ts", true, true),
            ("a.config.", false, false),
            (".env.local", true, true),
            ("Dockerfile", true, true),
            ("Dockerfile.dev", false, false),
            ("vite-plugin/a.ts", true, true),
            ("src/config.ts", false, false),
            ("setup.py", false, true),
            ("pom.xml", false, true),
        ],
    );
    assert!(extended("packages/a/package.json").data);
}

#[test]
fn f037_tests() {
    check(
        |kind| kind.test,
        &[
            ("src/a.test.ts", true, true),
            ("src/a.spec.js", true, true),
            ("src/__tests__/a.ts", true, true),
            ("__test__/a.ts", true, true),
            ("tests/a.rs", false, true),
            ("src/test/java/A.java", false, true),
            ("pkg/a_test.go", false, true),
            ("test_a.py", false, true),
            ("a_test.py", false, true),
            ("src/ATest.java", false, true),
            ("a_spec.rb", false, true),
            ("src/repo/walk/tests.rs", false, true),
            ("src/latest.rs", false, false),
            ("src/contest.py", false, false),
            ("src/testing.ts", false, false),
        ],
    );
}

#[test]
fn f038_lock_files() {
    check(
        |kind| kind.lock,
        &[
            ("package-lock.json", true, true),
            ("deep/yarn.lock", true, true),
            ("pnpm-lock.yaml", true, true),
            ("Cargo.lock", true, true),
            ("go.sum", true, true),
            ("poetry.lock", false, true),
            ("uv.lock", false, true),
            ("Gemfile.lock", false, true),
            ("composer.lock", false, true),
            ("bun.lock", false, true),
            ("bun.lockb", false, true),
            ("src/lock.rs", false, false),
        ],
    );
}

#[test]
fn f039_generated_vendored_and_minified() {
    check(
        |kind| kind.generated,
        &[
            ("src/api.gen.ts", false, true),
            ("src/api.generated.cs", false, true),
            ("static/a.min.js", false, true),
            ("api/a.pb.go", false, true),
            ("api/a_pb2.py", false, true),
            ("dist/index.js", false, true),
            ("packages/a/build/index.js", false, true),
            ("src/build/plan.rs", false, false),
            ("a/node_modules/b/index.js", false, true),
            ("vendor/a/a.go", false, true),
            ("third_party/a.c", false, true),
            ("web/.next/a.js", false, true),
            ("a/__pycache__/a.py", false, true),
            ("coverage/index.html", false, true),
            ("src/generator.ts", false, false),
            ("build.rs", false, false),
        ],
    );
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
