//! Sections, and signatures in the form of the reference implementation.

use super::*;

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

#[test]
fn the_form_of_the_reference_knows_classes_only() {
    let text = "export interface I extends J { m(): R }\nexport type T = 'a' | 'b';\n\
                export enum E { X }\nexport class C extends D {}\n";
    let outline = outline("typescript", text).unwrap();
    let want = "// FILE: a.ts (5 lines)\nexport class I { m(): R }\nexport class C {  }";
    assert_eq!(render_signatures("a.ts", &outline, &RenderOptions { compat: true }), want);
}
