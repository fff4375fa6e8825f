//! The promises F049 to F060 by number.

use super::*;

#[track_caller]
fn check_script(text: &str, want: &[&str]) {
    let outline = outline("typescript", text).unwrap();
    let shown = render_signatures("a.ts", &outline, &RenderOptions::default());
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(lines, want);
}

#[test]
fn f049_a_file_without_exports_is_its_header() {
    let want = "// FILE: commitlint.config.js (2 lines)";
    let outline = outline("javascript", "const local = 1;\n").unwrap();
    let options = RenderOptions::default();
    assert_eq!(render_signatures("commitlint.config.js", &outline, &options), want);
}

#[test]
fn f050_functions_show_parameters_and_return_types() {
    check_script(
        "export async function a(x: T, y = 1, z?: U): Promise<R> {}\n\
         export function b(q) {}\n\
         function hidden() {}\n\
         export const c = (...rest: number[]): void => {};\n",
        &[
            "export async function a(x: T, y, z: U): Promise<R>",
            "export function b(q)",
            "export function c(...rest: number[]): void",
        ],
    );
}

#[test]
fn f051_classes_show_their_public_methods_on_one_line() {
    check_script(
        "export class C { m(p: T): R { return p; } private x() {} n() {} }\n\
         class Hidden { m() {} }\n\
         export class Empty {}\n",
        &["export class C { m(p: T): R; n() }", "export class Empty {  }"],
    );
}

#[test]
fn f052_constants_show_their_type() {
    check_script(
        "export const A: number = 1;\nexport const B = { c: 1 };\nconst hidden = 2;\n",
        &["export const A: number", "export const B"],
    );
}

#[test]
fn f053_types_follow_unless_the_original_form_is_asked_for() {
    let text = "export interface I extends J { m(): R }\nexport type T = 'a' | 'b';\n\
                export enum E { X }\nexport class C extends D {}\n";
    check_script(
        text,
        &[
            "export class C extends D {  }",
            "export interface I extends J",
            "export type T = 'a' | 'b'",
            "export enum E",
        ],
    );
    let outline = outline("typescript", text).unwrap();
    let compat = RenderOptions { compat: true };
    let want = "// FILE: a.ts (5 lines)\nexport class I { m(): R }\nexport class C {  }";
    assert_eq!(render_signatures("a.ts", &outline, &compat), want);
}

#[test]
fn f054_imports_come_last_by_source_and_not_at_all_when_there_are_none() {
    check_script(
        "import a from 'a';\nimport { b } from './b.js';\nexport * from './c';\nexport const d = 1;\n",
        &["export const d", "// 2 imports from: a, ./b.js"],
    );
    check_script("export const d = 1;\n", &["export const d"]);
}

#[test]
fn f055_a_file_without_an_outline_shows_its_first_lines() {
    let text = ["ab"; 66].join("\n");
    let shown = render_fallback("src/file.ts", Some("typescript"), &text);
    assert_eq!(shown.len(), 174);
    assert!(shown.ends_with("// ab\n// ... (46 more lines)"), "{shown}");
    assert_eq!(render_fallback("a.py", Some("python"), "x\n"), "# FILE: a.py (2 lines)\n# x\n# ");
    let page = render_fallback("a.vue", Some("vue"), "<p>");
    assert_eq!(page, "<!-- FILE: a.vue (1 lines) -->\n<!-- <p> -->");
    let twenty = render_fallback("a", None, &["x"; 20].join("\n"));
    assert!(!twenty.contains("more lines"));
}

#[test]
fn f056_what_cannot_be_parsed_says_why() {
    for language in ["typescript", "javascript", "python", "rust", "go"] {
        assert!(languages().any(|known| known == language), "{language}");
    }
    let error = outline("klingon", "nuqneH").unwrap_err();
    assert_eq!(error.to_string(), "no grammar for language \"klingon\"");
}

#[test]
fn f060_sections_come_by_importance_each_range_once() {
    let branches = "  if (a && b) { c(); } else if (d || e) { f(); }\n".repeat(3);
    let text = format!(
        "function later() {{\n  // TODO: finish\n  tiny();\n}}\n\
         export class Store {{\n  // FIXME\n  get() {{}}\n}}\n\
         function hard() {{\n{branches}}}\n\
         export function api() {{\n  // HACK\n  tiny();\n}}\n\
         function tiny() {{}}\n\
         tiny();\n"
    );
    let outline = outline("typescript", &text).unwrap();
    let sections = sections(&text, &outline);
    let labels: Vec<&str> = sections.iter().map(|section| section.label.as_str()).collect();
    let want = [
        "// --- Export: api ---",
        "// --- Export: Store ---",
        "// --- Edge case: hard ---",
        "// --- Edge case: later ---",
        "// --- Edge case: tiny ---",
    ];
    assert_eq!(labels, want);
    let api = &sections[0];
    assert_eq!(api.text, "export function api() {\n  // HACK\n  tiny();\n}");
    assert_eq!((api.first_line, api.last_line), (14, 17));
}
