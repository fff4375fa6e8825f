//! Tests of the graph: a repository as text in, edges as text out.

use super::*;
use crate::repo::language_of;

/// Builds a graph from lines `path: import | import`, manifests apart, and
/// writes its edges as `path -> path path`, those without imports left out.
fn edges(files: &str, manifests: &[(&str, &str)]) -> String {
    let rows: Vec<(&str, Vec<String>)> = files
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
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

fn check(files: &str, manifests: &[(&str, &str)], want: &[&str]) {
    let found = edges(files, manifests);
    assert_eq!(found.lines().collect::<Vec<_>>(), want);
}

#[test]
fn f034_scripts_try_suffixes_in_order() {
    check(
        "
        src/a.ts: ./b | ./c.js | ./d | ../root | ./e.js | react | ./nowhere | ../../out
        src/b.ts
        src/b.tsx
        src/c.ts
        src/d/index.ts: .. | . | ../a
        src/e.js
        src/e.ts
        src/index.ts
        root.js
        out.ts
        ",
        &[],
        &[
            "src/a.ts -> src/b.ts src/c.ts src/d/index.ts src/e.js root.js",
            "src/d/index.ts -> src/a.ts src/index.ts",
        ],
    );
    check(
        "
        a.tsx: ./b.mjs | ./c.jsx | ./d.vue | ./e?raw | .hidden
        b.mts
        c.tsx
        d.vue: ./a
        e.ts
        ",
        &[],
        &["a.tsx -> b.mts c.tsx d.vue e.ts", "d.vue -> a.tsx"],
    );
}

#[test]
fn f034_tsconfig_maps_names() {
    let files = "
        app/src/a.ts: @/b | @lib/c | exact | src/b | ~/b | react
        app/src/b.ts
        app/src/lib/c.ts
        app/src/lib/index.ts
        other/d.ts: @/b
        ";
    let base = (
        "tsconfig.base.json",
        "{ // shared\n \"compilerOptions\": { \"baseUrl\": \"./app\", \"paths\": {
           \"@/*\": [\"src/*\",], \"@lib/*\": [\"src/nowhere/*\", \"src/lib/*\"],
           \"exact\": [\"src/lib\"] }, }, }",
    );
    let leaf = ("app/tsconfig.json", "{ \"extends\": \"../tsconfig.base\" }");
    check(
        files,
        &[base, leaf],
        &["app/src/a.ts -> app/src/b.ts app/src/lib/c.ts app/src/lib/index.ts"],
    );
    let looped = ("app/tsconfig.json", "{ \"extends\": \"./tsconfig.json\" }");
    check(files, &[looped], &[]);
}

#[test]
fn f034_python_from_any_root() {
    check(
        "
        src/pkg/__init__.py
        src/pkg/a.py: .b | . | .sub | ..out | .b.name | pkg.sub.c | os.path
        src/pkg/b.py
        src/pkg/sub/__init__.py
        src/pkg/sub/c.py: ..b | pkg.b.Name | pkg
        tools/run.py: helper | pkg.a
        tools/helper.py
        other/helper.py
        plain/deep/x.py: plain.deep.y
        plain/deep/y.py
        ",
        &[],
        &[
            "src/pkg/a.py -> src/pkg/__init__.py src/pkg/b.py src/pkg/sub/__init__.py src/pkg/sub/c.py",
            "src/pkg/sub/c.py -> src/pkg/__init__.py src/pkg/b.py",
            "tools/run.py -> src/pkg/a.py tools/helper.py",
            "plain/deep/x.py -> plain/deep/y.py",
        ],
    );
}

#[test]
fn f034_rust_modules_and_crates() {
    check(
        "
        core/src/lib.rs: mod a | pub(crate) mod b
        core/src/a.rs: crate::b::Thing | super::b::c | self::inner | std::fmt | super::*
        core/src/a/inner.rs: super::Outer | crate::top
        core/src/b/mod.rs: mod c | c::Deep
        core/src/b/c.rs: super::super::a | crate::{a::{self, inner::X}, b}
        core/src/a/tests.rs: super::*
        core/tests/it.rs: my_core::a::X | mod common
        core/tests/common/mod.rs
        cli/src/main.rs: use my_core::b::c::Y as Z | clap::Parser
        ",
        &[
            ("core/Cargo.toml", "[package]\nname = 'my-core'"),
            ("cli/Cargo.toml", "[package]\nname = 'my-cli'"),
        ],
        &[
            "core/src/lib.rs -> core/src/a.rs core/src/b/mod.rs",
            "core/src/a.rs -> core/src/a/inner.rs core/src/b/mod.rs core/src/b/c.rs",
            "core/src/a/inner.rs -> core/src/lib.rs core/src/a.rs",
            "core/src/b/mod.rs -> core/src/b/c.rs",
            "core/src/b/c.rs -> core/src/a.rs core/src/a/inner.rs core/src/b/mod.rs",
            "core/src/a/tests.rs -> core/src/a.rs",
            "core/tests/it.rs -> core/src/a.rs core/tests/common/mod.rs",
            "cli/src/main.rs -> core/src/b/c.rs",
        ],
    );
}

#[test]
fn f034_go_packages() {
    check(
        "
        main.go: github.com/x/y/pkg/a | fmt | github.com/x/yy | github.com/x/y/tool/b
        pkg/a/one.go
        pkg/a/two.go
        pkg/a/one_test.go: github.com/x/y
        tool/b/b.go
        ",
        &[
            ("go.mod", "// hello\nmodule github.com/x/y // main\n\ngo 1.22\n"),
            ("tool/go.mod", "module \"github.com/x/y/tool\"\n"),
        ],
        &["main.go -> pkg/a/one.go pkg/a/two.go tool/b/b.go", "pkg/a/one_test.go -> main.go"],
    );
}

#[test]
fn f034_java_and_csharp_names() {
    check(
        "
        m1/src/main/java/a/b/C.java: a.b.D | static a.b.E.make | a.util.* | java.util.List | D
        m1/src/main/java/a/b/D.java
        m2/src/main/java/a/b/D.java
        m2/src/main/java/a/b/E.java: a.b.D.Inner
        m2/src/main/java/a/util/F.java
        m2/src/main/java/a/util/G.java
        ",
        &[],
        &[
            "m1/src/main/java/a/b/C.java -> m1/src/main/java/a/b/D.java m2/src/main/java/a/b/E.java m2/src/main/java/a/util/F.java m2/src/main/java/a/util/G.java",
            "m2/src/main/java/a/b/E.java -> m2/src/main/java/a/b/D.java",
        ],
    );
    check(
        "
        src/Acme.Web/Pages/Index.cs: Acme.Core.Models | System.Linq | using Acme.Core
        src/Acme.Core/Models/User.cs
        src/Acme.Core/Clock.cs
        ",
        &[],
        &["src/Acme.Web/Pages/Index.cs -> src/Acme.Core/Models/User.cs src/Acme.Core/Clock.cs"],
    );
}

#[test]
fn f034_c_headers() {
    check(
        r#"
        src/a.c: "a.h" | <lib/b.h> | "util.h" | <stdio.h> | <string.h> | <c.h> | ../inc/d.h
        src/a.h
        include/lib/b.h
        deep/er/util.h
        lib/string.h
        include/c.h
        other/c.h
        inc/d.h
        "#,
        &[],
        &["src/a.c -> src/a.h include/lib/b.h deep/er/util.h include/c.h inc/d.h"],
    );
}

#[test]
fn f034_ruby_and_php() {
    check(
        "
        lib/gem.rb: gem/a | json | require_relative gem/b
        lib/gem/a.rb: ./b | require 'gem/c'
        lib/gem/b.rb: require_relative ../gem
        lib/gem/c.rb
        other/json.rb
        ",
        &[],
        &[
            "lib/gem.rb -> lib/gem/a.rb lib/gem/b.rb",
            "lib/gem/a.rb -> lib/gem/b.rb lib/gem/c.rb",
            "lib/gem/b.rb -> lib/gem.rb",
        ],
    );
    check(
        r"
        src/A.php: App\Model\User | use \App\Model\User as U | helpers.php | Psr\Log\X | Lone\Thing
        src/Model/User.php
        src/helpers.php
        x/Lone/Thing.php
        ",
        &[("composer.json", r#"{"autoload": {"psr-4": {"App\\": "src/"}}}"#)],
        &["src/A.php -> src/Model/User.php src/helpers.php x/Lone/Thing.php"],
    );
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
