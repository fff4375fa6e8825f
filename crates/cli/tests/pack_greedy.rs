//! `loadline pack --strategy greedy` and `--compress`: one file after the other by score.

use serde_json::Value;

use crate::common::{World, json, run};

/// A function of about `8 * lines` tokens.
fn function(name: &str, lines: usize) -> String {
    let body: String = (0..lines).map(|line| format!("  step({line}, other);\n")).collect();
    format!("export function {name}(other: number): void {{\n{body}}}\n")
}

/// An entry point that others import, of three functions, and notes that nothing names;
/// files above 1,000 tokens are oversized.
fn world(lines: [usize; 3]) -> World {
    let world = World::new("//- /loadline.toml\ntiers.oversized = 1000\n");
    let functions = ["alpha", "beta", "gamma"].iter().zip(lines);
    let mut text: String = functions.map(|(name, lines)| function(name, lines)).collect();
    text.push_str(&"// Nothing of note stands here, line after line.\n".repeat(100));
    world.work().write("src/index.ts", text);
    world.work().write("src/user.ts", "import { alpha } from './index';\nalpha(1);\n");
    world.work().write("notes.md", "words and more words of filling\n".repeat(3_000));
    world
}

fn greedy(world: &World, budget: &str) -> Value {
    json(world, &["pack", "-q", "--strategy", "greedy", "--counter", "o200k", "-b", budget])
}

fn file<'a>(document: &'a Value, path: &str) -> &'a Value {
    let mut files = document["files"].as_array().unwrap().iter();
    files.find(|file| file["path"] == path).unwrap_or(&Value::Null)
}

fn content(document: &Value) -> &str {
    document["content"].as_str().unwrap()
}

#[test]
fn f058_f059_f060_f061_an_oversized_file_is_its_signatures_and_sections() {
    let world = world([40, 40, 40]);
    let all = greedy(&world, "6000");
    let index = file(&all, "src/index.ts");
    assert_eq!((&index["tier"], &index["reason"]), (&"sections".into(), &"oversized".into()));
    let head = "## File: src/index.ts (lines 1-126 of 226)\n```typescript\n\
                export function alpha(other: number): void\n";
    let between = "}\n\n// --- Export: beta ---\nexport function beta(";
    let text = content(&all);
    assert!(text.find(head).unwrap() < text.find(between).unwrap(), "{text}");
    let some = greedy(&world, "1000");
    let ranges = file(&some, "src/index.ts")["ranges"].as_array().unwrap().len();
    assert_eq!((ranges, content(&some).contains("--- Export: alpha ---")), (1, true));
    // By default 8,000 tokens are the limit.
    world.work().write("loadline.toml", "");
    assert_eq!(file(&greedy(&world, "6000"), "src/index.ts")["tier"], "full");
}

#[test]
fn f062_a_section_that_does_not_fit_does_not_stop_the_next() {
    let document = greedy(&world([40, 400, 40]), "1500");
    for (name, is_shown) in [("alpha", true), ("beta", false), ("gamma", true)] {
        let label = format!("// --- Export: {name} ---");
        assert_eq!(content(&document).contains(&label), is_shown, "{document:#}");
    }
}

#[test]
fn f063_parts_are_never_larger_than_the_whole() {
    let world = world([1, 1, 1]);
    let small =
        |number| format!("export function f{number}(a: number): number {{\n  return a;\n}}\n");
    world.work().write("src/index.ts", (0..120).map(small).collect::<String>());
    assert_eq!(file(&greedy(&world, "5000"), "src/index.ts")["tier"], "full");
}

#[test]
fn f064_an_oversized_file_of_low_score_is_left_out_when_not_all_fits() {
    let world = world([40, 40, 40]);
    let reason = |budget: &str| {
        let document = greedy(&world, budget);
        let omitted = document["omitted"].as_array().unwrap().iter();
        omitted.filter(|it| it["path"] == "notes.md").map(|it| it["reason"].clone()).next()
    };
    assert_eq!(reason("6000"), Some("below_threshold".into()));
    assert_eq!(reason("100000"), None);
    world.work().write("loadline.toml", "[tiers]\noversized = 1000\noversized_min_score = 0\n");
    assert_ne!(reason("6000"), Some("below_threshold".into()));
}

#[test]
fn f065_f066_signatures_stand_in_for_what_does_not_fit_and_come_first_from_a_floor_on() {
    let world = World::new("//- /loadline.toml\ntiers.floor_score = 45\n");
    for (name, of) in [("index", "main"), ("server", "serve")] {
        world.work().write(&format!("src/{name}.ts"), function(of, 300));
    }
    for number in 0..12 {
        let name = ["index", "server"][number % 2];
        let text = format!("import {{ main }} from './{name}';\n");
        world.work().write(&format!("src/user{number}.ts"), text);
    }
    let document = greedy(&world, "2800");
    assert_eq!(file(&document, "src/index.ts")["tier"], "full");
    assert_eq!(file(&document, "src/server.ts")["tier"], "signatures", "{document:#}");
}

#[test]
fn f049_f054_f057_compressed_every_file_is_its_signatures() {
    let world = World::new(crate::pack::PROJECT);
    let run = run(&world, &["pack", "-q", "--compress", "--budget", "1k"]).hides(&["return a + b"]);
    let want = "## File: src/index.ts (signatures of 4 lines)\n```typescript\n\
                export function main(values: number[]): number\n// 1 imports from: ./math\n```\n";
    assert!(run.stdout.contains(want), "{run}");
}
