//! Signatures, F049 to F056, as `pack --compress` and `map` write them.

use crate::common::{World, find, json, run};

/// What a pack shows of one file in its compressed form, without the frame.
fn compressed(path: &str, text: &str) -> String {
    let world = World::new("");
    world.work().write(path, text);
    let args = ["pack", "-q", "--compress", "--format", "plain", "--budget", "none"];
    let pack = run(&world, &args);
    let (_, shown) = pack.stdout.split_once(&format!("======== {path} ")).unwrap();
    shown.split_once(")\n").unwrap().1.trim_end().to_owned()
}

#[test]
fn f049_f050_f051_f052_f053_f054_exports_and_imports_of_a_script() {
    for (text, want) in [
        ("const local = 1;\n", ""),
        (
            "export async function a(x: T, y = 1, z?: U): Promise<R> {}\nexport function b(q) {}\n\
             function hidden() {}\nexport const c = (...rest: number[]): void => {};\n",
            "export async function a(x: T, y, z?: U): Promise<R>\nexport function b(q)\n\
             export function c(...rest: number[]): void",
        ),
        (
            "export class C { m(p: T): R { return p; } private x() {} n() {} }\n\
             class Hidden { m() {} }\nexport class Empty {}\n",
            "export class C { m(p: T): R; n() }\nexport class Empty {  }",
        ),
        (
            "export const A: number = 1;\nexport const B = { c: 1 };\nconst hidden = 2;\n",
            "export const A: number\nexport const B",
        ),
        (
            "export interface I extends J { m(): R }\nexport type T = 'a' | 'b';\n\
             export enum E { X }\nexport class C extends D {}\n",
            "export class C extends D {  }\nexport interface I extends J\n\
             export type T = 'a' | 'b'\nexport enum E",
        ),
        (
            "import a from 'a';\nimport { b } from './b.js';\nexport * from './c';\n\
             export const d = 1;\n",
            "export const d\n// 2 imports from: a, ./b.js",
        ),
    ] {
        assert_eq!(compressed("a.ts", text), want);
    }
    // The head says how much there is.
    let world = World::new("//- /a.ts\nexport const a = 1;\nexport const b = 2;\n");
    run(&world, &["pack", "-q", "--compress", "--format", "plain"])
        .shows(&["======== a.ts (signatures of 2 lines)\n"]);
}

#[test]
fn f050_f053_each_language_in_its_own_words() {
    for (path, text, want) in [
        (
            "a.rs",
            "pub fn f(x: u8) -> u8 { x }\npub struct S;\n",
            "pub fn f(x: u8) -> u8\npub struct S",
        ),
        ("a.py", "def f(x: int = 1) -> str:\n    return ''\n", "def f(x: int = 1) -> str:"),
        ("a.go", "package a\nfunc F(n int) error { return nil }\n", "func F(n int) error"),
        (
            "A.java",
            "public class A { public int b() { return 1; } }\n",
            "public class A\n    public int b()",
        ),
    ] {
        assert_eq!(compressed(path, text), want, "{path}");
    }
}

#[test]
fn f055_a_file_without_an_outline_shows_its_first_lines() {
    let shown = compressed("a.vue", &["ab"; 66].join("\n"));
    assert_eq!(shown.matches("<!-- ab -->").count(), 20);
    assert!(shown.ends_with("<!-- ... (46 more lines) -->"), "{shown}");
    assert!(!compressed("a.vue", &["ab"; 20].join("\n")).contains("more lines"));
    // A final line break does not begin another line.
    assert!(compressed("a.vue", &"ab\n".repeat(66)).ends_with("<!-- ... (46 more lines) -->"));
    assert_eq!(compressed("Makefile", "all: x"), "# all: x");
}

#[test]
fn f056_nineteen_languages_are_outlined_and_the_rest_says_why_not() {
    let world = World::new("//- /a.klingon\nnuqneH\n");
    let sources = [
        ("a.rs", "pub fn f() {}"),
        ("a.py", "def f(): pass"),
        ("a.js", "function f() {}"),
        ("a.ts", "function f() {}"),
        ("a.tsx", "function f() {}"),
        ("a.go", "package a\nfunc f() {}"),
        ("a.java", "class f {}"),
        ("a.c", "int f(void) { return 1; }"),
        ("a.cpp", "int f() { return 1; }"),
        ("a.cs", "class f {}"),
        ("a.rb", "def f; end"),
        ("a.php", "<?php function f() {}"),
        ("a.sh", "f() { :; }"),
        ("a.lua", "function f() end"),
        ("a.json", "{\"f\": 1}"),
        ("a.yml", "f: 1"),
        ("a.toml", "f = 1"),
        ("a.md", "# f"),
        ("a.html", "<h1>f</h1>"),
        ("a.css", "f { color: red }"),
    ];
    for (path, text) in sources {
        world.work().write(path, format!("{text}\n"));
    }
    let map = json(&world, &["map", "-q"]);
    for (path, _) in sources {
        let file = find(&map["files"], "path", path);
        let first = file["definitions"][0]["text"].as_str().unwrap_or_default();
        assert!(first.contains('f'), "{path}: {file}");
    }
    run(&world, &["chunk", "a.klingon"]).says(&["a.klingon: cut by lines: no grammar for it"]);
}
