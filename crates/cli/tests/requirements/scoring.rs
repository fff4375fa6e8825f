//! Scores of files, F031 to F048, as `loadline score --json` and `pack` show them.

use serde_json::Value;

use super::{Repository, with};
use crate::common::{World, find, json, list, loadline, run};

const COMPAT: (&str, &str) = ("score.entry_points", "compat");

/// A world with files of these paths, whose contents are their paths.
fn files<'a>(paths: impl IntoIterator<Item = &'a str>) -> World {
    let world = World::new("");
    for path in paths {
        world.work().write(path, path);
    }
    world
}

/// Every file as `path score signal points ..`, the best first.
fn scores(world: &World, settings: &[(&str, &str)], args: &[&str]) -> Vec<String> {
    let document = with(world, settings, &[&["score", "--hidden"], args].concat());
    let line = |file: &Value| format!("{} {}{}", path(file), file["score"], signals(file));
    list(&document["files"]).iter().map(line).collect()
}

fn path(file: &Value) -> &str {
    file["path"].as_str().unwrap()
}

fn signals(file: &Value) -> String {
    let signals = file["signals"].as_object().unwrap().iter();
    signals.map(|(name, points)| format!(" {name} {points}")).collect()
}

/// What a file's name says, in the compatible and in the extended reading.
const KINDS: &str = "
    index.ts                  entry        entry
    main.js                   entry        entry
    src/index.ts              entry        entry
    cli.ts                    entry        entry
    src/cli.ts                -            entry
    src/deep/cli.ts           -            -
    packages/a/app.py         entry        entry
    index.test.ts             entry,test   entry,test
    utils.ts                  -            -
    index                     -            -
    reindex.ts                -            -
    src/lib.rs                -            entry
    src/main.rs               entry        entry
    src/repo/mod.rs           -            -
    pkg/__init__.py           -            entry
    app/shop/page.tsx         -            entry
    pkg/__main__.py           -            entry
    cmd/tool/main.go          entry        entry
    package.json              config       config
    packages/a/package.json   -            -
    .eslintrc.js              config       config
    tsconfig.build.json       config       config
    packages/a/vite.config.ts config       config
    Dockerfile                config       config
    Dockerfile.dev            -            -
    vite-plugin/a.ts          config       config
    src/config.ts             -            -
    setup.py                  -            config
    pom.xml                   -            config
    src/a.test.ts             test         test
    src/a.spec.js             test         test
    src/__tests__/a.ts        test         test
    __test__/a.ts             test         test
    tests/a.rs                -            test
    src/test/java/A.java      -            test
    pkg/a_test.go             -            test
    test_a.py                 -            test
    a_test.py                 -            test
    src/ATest.java            -            test
    a_spec.rb                 -            test
    src/repo/walk/tests.rs    -            test
    src/latest.rs             -            -
    src/contest.py            -            -
    src/testing.ts            -            -
    package-lock.json         lock         lock
    deep/yarn.lock            lock         lock
    pnpm-lock.yaml            lock         lock
    Cargo.lock                lock         lock
    go.sum                    lock         lock
    poetry.lock               -            lock
    uv.lock                   -            lock
    Gemfile.lock              -            lock
    composer.lock             -            lock
    bun.lock                  -            lock
    bun.lockb                 -            lock
    src/lock.rs               -            -
    src/api.gen.ts            -            generated
    src/api.generated.cs      -            generated
    static/a.min.js           -            generated
    api/a.pb.go               -            generated
    api/a_pb2.py              -            generated
    dist/a.js                 -            generated
    packages/a/build/a.js     -            generated
    src/build/plan.rs         -            -
    a/node_modules/b/a.js     -            generated
    vendor/a/a.go             -            generated
    third_party/a.c           -            generated
    web/.next/a.js            -            generated
    a/__pycache__/a.py        -            generated
    coverage/a.html           -            generated
    src/generator.ts          -            -
    build.rs                  -            -
";

#[test]
fn f032_f033_f037_f038_f039_names_say_what_a_file_is() {
    let rows: Vec<[&str; 3]> = KINDS
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().collect::<Vec<_>>().try_into().unwrap())
        .collect();
    let world = files(rows.iter().map(|row| row[0]));
    for (column, settings) in [(1, &[COMPAT][..]), (2, &[])] {
        let document = with(&world, settings, &["score", "--hidden"]);
        let of = |name: &str| {
            let mut omitted = document["omitted"].as_array().unwrap().iter();
            if omitted.any(|file| path(file) == name && file["reason"] == "lock_file") {
                return "lock".to_owned();
            }
            let file = find(&document["files"], "path", name);
            let kinds = [
                ("entry_point", 30, "entry"),
                ("config", 15, "config"),
                ("test_penalty", -15, "test"),
                ("generated_penalty", -50, "generated"),
            ];
            let kinds = kinds.into_iter().filter(|(signal, points, _)| {
                let has = file["signals"].get(signal);
                assert!(has.is_none_or(|has| has == *points), "{name}: {file}");
                has.is_some()
            });
            let kinds: Vec<&str> = kinds.map(|(_, _, kind)| kind).collect();
            if kinds.is_empty() { "-".to_owned() } else { kinds.join(",") }
        };
        for row in &rows {
            assert_eq!(of(row[0]), row[column], "{} {settings:?}", row[0]);
        }
    }
}

#[test]
fn f031_f034_f035_f036_six_signals_with_their_caps() {
    let exports = |count: usize| -> String {
        (0..count).map(|number| format!("export const e{number} = {number};\n")).collect()
    };
    let repository = Repository::new();
    let work = repository.world.work();
    work.write("index.config.ts", format!("// TODO: all of it\n{}", exports(11)));
    work.write("few.ts", exports(3));
    for number in 0..11 {
        let more = if number < 2 { "import './few.js';\nimport './few';\n" } else { "" };
        work.write(&format!("i{number}.ts"), format!("import './index.config';\n{more}"));
    }
    for commit in 0..11 {
        work.write("index.config.ts", format!("// TODO: {commit}\n{}", exports(11)));
        if commit < 4 {
            work.write("few.ts", format!("{}// {commit}\n", exports(3)));
        }
        repository.commit(20 - commit, "more");
    }
    // Commits before the window do not count; marks do in upper case only.
    work.write("old.ts", "// todo\n");
    repository.commit(200, "old");
    let shown = |settings: &[(&str, &str)]| scores(&repository.world, settings, &repository.now());
    let all = shown(&[]);
    let everything = "entry_point 30 importers 30 exports 20 commits 10 edge_case 10 config 15";
    assert_eq!(all[0], format!("index.config.ts 100 {everything}"), "115 is held at 100");
    assert_eq!(all[1], "few.ts 16 importers 6 exports 6 commits 4");
    assert_eq!(all.last().unwrap(), "old.ts 0");
    let own = [("score.importer", "6"), ("score.importer_cap", "60"), ("score.git_window", "300d")];
    let all = shown(&own);
    assert!(all[0].contains("importers 60"), "{all:?}");
    assert!(all.contains(&"old.ts 1 commits 1".to_owned()), "{all:?}");
}

#[test]
fn f034_imports_are_resolved_in_the_languages_of_a_repository() {
    let world = World::new(
        "
        //- /py/pkg/__init__.py
        //- /py/pkg/a.py
        from .b import x
        from pkg.sub import c
        //- /py/pkg/b.py
        //- /py/pkg/sub/__init__.py
        //- /rs/Cargo.toml
        [package]
        name = 'my-core'
        //- /rs/src/lib.rs
        mod a;
        //- /rs/src/a.rs
        use crate::b::Thing;
        //- /rs/src/b.rs
        //- /go.mod
        module github.com/x/y
        //- /cmd/run.go
        package main
        import \"github.com/x/y/tool\"
        //- /tool/t.go
        package tool
        //- /c/a.c
        #include \"a.h\"
        #include <stdio.h>
        //- /c/a.h
        ",
    );
    let scored = scores(&world, &[], &[]);
    let imported = scored.iter().filter(|line| line.contains(" importers 3"));
    let mut imported: Vec<&str> = imported.map(|line| line.split(' ').next().unwrap()).collect();
    imported.sort_unstable();
    let want = [
        "c/a.h",
        "py/pkg/b.py",
        "py/pkg/sub/__init__.py",
        "rs/src/a.rs",
        "rs/src/b.rs",
        "tool/t.go",
    ];
    assert_eq!(imported, want);
}

#[test]
fn f035_other_branches_count_when_asked_for_and_every_file_does() {
    let repository = Repository::new();
    for number in 0..50 {
        repository.world.work().write(&format!("f{number}.rs"), "");
    }
    repository.commit(1, "many");
    let scored = scores(&repository.world, &[], &repository.now());
    assert_eq!(scored.len(), 50);
    assert!(scored.iter().all(|line| line.ends_with(" 1 commits 1")), "{scored:?}");
}

#[test]
fn f037_f039_penalties_are_recorded_and_stop_at_zero() {
    let world = files(["src/index.test.ts", "src/a.test.ts", "dist/index.js"]);
    world.work().write("src/parser.js", "// @generated by a tool\nexport const a = 1;\n");
    let want = [
        "src/index.test.ts 15 entry_point 30 test_penalty -15",
        "dist/index.js 0 entry_point 30 generated_penalty -50",
        "src/a.test.ts 0 test_penalty -15",
        "src/parser.js 0 generated_penalty -50",
    ];
    assert_eq!(scores(&world, &[], &[]), want);
    let own = [("score.test_penalty", "5"), ("score.generated_penalty", "0")];
    let scored = scores(&world, &own, &[]);
    assert_eq!(scored[0], "dist/index.js 30 entry_point 30");
    assert_eq!(scored[1], "src/index.test.ts 25 entry_point 30 test_penalty -5");
}

#[test]
fn f040_f041_files_are_pinned_and_lifted_by_glob() {
    let world = files(["docs/a.md", "src/a/b.rs", "c.rs"]);
    let document = json(&world, &["score", "--pin", "docs/", "--boost", "src/a/**"]);
    let shown = document["files"].as_array().unwrap().iter();
    let shown: Vec<String> =
        shown.map(|file| format!("{} {} {}", path(file), file["score"], file["pinned"])).collect();
    assert_eq!(shown, ["src/a/b.rs 20 false", "c.rs 0 false", "docs/a.md 0 true"]);
    run(&world, &["score", "--boost", "src/{a"]).exits(2).says(&["src/{a"]);
    // A pinned file is packed whole before files of a better score.
    world.work().write("docs/a.md", "word ".repeat(200));
    world.work().write("src/index.rs", "fn a() {}\n".repeat(200));
    let packed = json(&world, &["pack", "-q", "--budget", "400", "--pin", "docs/"]);
    assert_eq!(find(&packed["files"], "path", "docs/a.md")["tier"], "full");
    let small = with(&world, &[], &["pack", "--budget", "150", "--pin", "docs/"]);
    assert!(small["notes"][0]["message"].as_str().unwrap().contains("pinned"), "{small:#}");
}

#[test]
fn f042_changed_files_come_first() {
    let repository = Repository::new();
    let work = repository.world.work();
    for name in ["same", "edited", "deleted", "later"] {
        work.write(&format!("{name}.rs"), format!("fn {name}() {{}}\n").repeat(40));
    }
    repository.commit(2, "first");
    work.write("later.rs", "fn now() {}\n");
    repository.commit(1, "second");
    work.write("edited.rs", "fn now() {}\n");
    work.write("new é.rs", "fn new() {}\n");
    std::fs::remove_file(work.path("deleted.rs")).unwrap();
    let changed = |base: &str| {
        let document = with(&repository.world, &[], &["score", &format!("--changed={base}")]);
        let changed = list(&document["files"]).iter().filter(|file| file["changed"] == true);
        let mut changed: Vec<String> = changed.map(|file| path(file).to_owned()).collect();
        changed.sort_unstable();
        changed.join(" ")
    };
    assert_eq!(changed("HEAD"), "edited.rs new é.rs");
    assert_eq!(changed("HEAD~1"), "edited.rs later.rs new é.rs");
    let packed = json(&repository.world, &["pack", "-q", "--changed", "--budget", "300"]);
    for name in ["edited.rs", "new é.rs"] {
        assert_eq!(find(&packed["files"], "path", name)["tier"], "full", "{packed:#}");
    }
}

#[test]
fn f043_f045_f047_every_file_by_score_then_by_the_bytes_of_its_path() {
    let world = files(["b", "a/b", "é", "a.ts", "Z", "_a", "a-b", "README", "z/index.ts"]);
    let scored = scores(&world, &[], &[]);
    let order: Vec<&str> = scored.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(order, ["z/index.ts", "README", "Z", "_a", "a-b", "a.ts", "a/b", "b", "é"]);
    let many: Vec<String> = (0..500).map(|number| format!("src/{number}.ts")).collect();
    let many = files(many.iter().map(String::as_str));
    assert_eq!(json(&many, &["score"])["total"], 500);
    // One table for all languages.
    let mains = files(["src/main.rs", "src/main.ts", "cmd/a/main.go", "a/__main__.py"]);
    assert!(scores(&mains, &[], &[]).iter().all(|line| line.ends_with(" 30 entry_point 30")));
}

#[test]
fn f044_f048_scores_are_worked_out_once_and_can_be_given() {
    let world = World::new("");
    for name in ["a", "b", "c"] {
        world.work().write(&format!("{name}.rs"), format!("fn {name}() {{}}\n").repeat(60));
    }
    let shown = |args: &[&str]| {
        let base = ["pack", "-q", "--budget", "450", "--include", "*.rs"];
        let packed = json(&world, &[&base, args].concat());
        let full = list(&packed["files"]).iter().filter(|file| file["tier"] == "full");
        full.map(path).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(&[]), "a.rs");
    world.work().write("list.json", r#"[{"path": "b.rs", "score": 90}]"#);
    assert_eq!(shown(&["--scores", "list.json"]), "b.rs");
    // What `score` prints is such a list, and gives the pack that it came from.
    let run = world.run(loadline(&world, &["score", "--json"]).arg("--boost=c.rs"));
    world.work().write("scores.json", run.stdout);
    assert_eq!(shown(&["--scores", "scores.json"]), "c.rs");
    assert_eq!(shown(&["--boost", "c.rs"]), "c.rs");
}
