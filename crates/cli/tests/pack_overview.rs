//! `loadline pack` without a task: door, breadth, depth.

use serde_json::Value;

use crate::common::{World, commit_all, find, json, run};

/// A package of many modules, each of several functions; one is edited over and over.
fn world() -> World {
    let world = World::new(
        "
        //- /README.md
        # Demo

        Adds numbers, in many ways.
        //- /pyproject.toml
        [project]
        name = 'demo'
        scripts.demo = 'demo.console:run'
        //- /docs/guide.md
        # Guide

        Words.
        ",
    );
    for module in 0..30 {
        let function = |number: usize| {
            let body: String =
                (0..12).map(|line| format!("    total += {line} * first\n")).collect();
            format!(
                "def add_{module}_{number}(first, second):\n    total = 0\n{body}    return total\n\n\n"
            )
        };
        let text: String = (0..8).map(function).collect();
        world.work().write(&format!("demo/module{module}.py"), text);
    }
    world.work().write("demo/console.py", "def run():\n    print('demo')\n");
    commit_all(&world, "first");
    for edit in 0..5 {
        let mut text = world.work().read("demo/module7.py");
        text.push_str(&format!("LAST = {edit}\n"));
        world.work().write("demo/module7.py", text);
        commit_all(&world, "more");
    }
    world
}

fn packed(world: &World, budget: u64) -> Value {
    let budget = budget.to_string();
    json(world, &["pack", "-q", "--counter", "o200k", "-b", &budget])
}

fn tier_of(document: &Value, path: &str) -> u8 {
    let mut files = document["files"].as_array().unwrap().iter();
    let file = files.find(|file| file["path"] == path);
    match file.map(|file| file["tier"].as_str().unwrap()) {
        Some("full") => 3,
        Some("sections") => 2,
        Some("signatures") => 1,
        _ => 0,
    }
}

#[test]
fn f300_an_overview_shows_the_door_then_breadth_then_depth_and_never_less_for_more() {
    let world = world();
    let document = packed(&world, 4_000);
    let text = document["content"].as_str().unwrap();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert!(headings[0].starts_with("## File: README.md (lines 1-3)"), "{headings:#?}");
    assert!(headings[1].starts_with("## File: pyproject.toml"), "{headings:#?}");
    assert!(text.contains("\ndemo/: console.py module0.py"), "{text}");
    // Breadth: every module is there with its signatures and their lines.
    for module in 0..30 {
        assert!(tier_of(&document, &format!("demo/module{module}.py")) > 0, "{headings:#?}");
    }
    assert!(text.contains("\n1 def add_0_0(first, second)\n"), "{text}");
    // Depth: what is edited most comes whole before others do.
    assert!(tier_of(&document, "demo/module7.py") > 1, "{headings:#?}");
    assert!(document["tokens"].as_u64().unwrap() > 3_880, "{}", document["tokens"]);
    let mut before = packed(&world, 500);
    for budget in [800, 1_300, 2_000, 3_200, 5_000, 8_000, 13_000, 21_000, 40_000] {
        let now = packed(&world, budget);
        for file in before["files"].as_array().unwrap() {
            let path = file["path"].as_str().unwrap();
            assert!(tier_of(&now, path) >= tier_of(&before, path), "{path} at {budget}");
        }
        before = now;
    }
    assert!(before["files"].as_array().unwrap().iter().all(|file| file["tier"] == "full"));
}

#[test]
fn f040_f041_f289_pins_boosts_and_manifests_count() {
    let world = world();
    let pack =
        |budget: &str| json(&world, &["pack", "-q", "-b", budget, "--pin", "demo/module3.py"]);
    assert_eq!(tier_of(&pack("3000"), "demo/module3.py"), 3);
    // Of several, all come before what is not pinned.
    let both = ["--pin", "demo/module3.py,demo/module4.py", "-b", "1500"];
    let both = json(&world, &[&["pack", "-q"], &both[..]].concat());
    let content = both["content"].as_str().unwrap();
    let headings: Vec<&str> = content.lines().filter(|it| it.starts_with("## File: ")).collect();
    assert!(headings[0].starts_with("## File: demo/module3.py"), "{content}");
    assert!(headings[1].starts_with("## File: demo/module4.py"), "{content}");
    let small = pack("600");
    let notes = small["notes"].to_string();
    assert!(notes.contains("pinned, but") && notes.contains("tokens"), "{notes}");
    let score = |arguments: &[&str]| {
        let document = json(&world, &[&["pack", "-q", "-b", "6000"], arguments].concat());
        find(&document["files"], "path", "demo/module3.py")["score"].as_u64().unwrap()
    };
    assert!(score(&["--boost", "demo/module3.py"]) > score(&[]));
    let signals = |command: &[&str], path: &str| {
        let document = json(&world, command);
        find(&document["files"], "path", path)["signals"]["entry_point"].clone()
    };
    for command in [&["pack", "-q", "-b", "6000"][..], &["score", "-q"]] {
        assert!(signals(command, "demo/console.py").as_f64() > Some(0.0), "{command:?}");
        assert!(signals(command, "demo/module3.py").is_null(), "{command:?}");
    }
}

#[test]
fn f067_f070_where_everything_fits_everything_is_shown_in_full() {
    let world = World::new(crate::pack::PROJECT);
    let all = packed(&world, 20_000);
    assert!(all["files"].as_array().unwrap().iter().all(|file| file["tier"] == "full"));
    // The tree at the head is smaller where the budget is.
    let exact = packed(&world, packed(&world, 300)["tokens"].as_u64().unwrap());
    let again = packed(&world, exact["tokens"].as_u64().unwrap());
    assert_eq!(exact["content"], again["content"]);
    let less = packed(&world, again["tokens"].as_u64().unwrap() - 1);
    assert!(less["tokens"].as_u64() < again["tokens"].as_u64());
}

#[test]
fn f288_the_parts_of_the_budget_are_in_the_document() {
    let world = World::new(crate::pack::PROJECT);
    let document = json(&world, &["pack", "-q", "--model", "claude-opus-4-8"]);
    let parts = &document["budget_parts"];
    let number = |name: &str| parts[name].as_u64().unwrap();
    let reserves = parts["reserves"].as_object().unwrap().values();
    let reserved: u64 = reserves.map(|it| it.as_u64().unwrap()).sum();
    assert!(number("available") <= number("window") - reserved, "{parts}");
    assert_eq!(parts["available"], document["budget"]);
    assert!(json(&world, &["pack", "-q", "-b", "1k"])["budget_parts"].is_null());
}

#[test]
fn f055_f056_what_cannot_be_parsed_says_so_once_and_shows_its_first_lines() {
    let world = world();
    let deep = format!("const first = 1;\nconst x = {}1{};\n", "[".repeat(900), "]".repeat(900));
    world.work().write("demo/deep.js", format!("{deep}{}", "run(first);\n".repeat(400)));
    let run = run(&world, &["pack", "-b", "12k"]).shows(&["const first = 1;\n"]);
    assert_eq!(run.stderr.matches("demo/deep.js: no outline: ").count(), 1, "{run}");
    // Code with nothing but errors has no signatures either.
    let world = World::new("//- /a.py\nprint(1)\n");
    world.work().write("broken.py", "def ((((\n class : :\n".repeat(30));
    crate::common::run(&world, &["pack", "--compress"])
        .shows(&["```python\n# def ((((\n"])
        .says(&["broken.py: no outline: syntax errors\n"]);
}

#[test]
fn f116_an_empty_file_says_so() {
    let world = World::new("//- /a.py\nprint(1)\n");
    world.work().write("empty.py", "");
    run(&world, &["pack", "-q", "-b", "1k"]).shows(&["## File: empty.py (empty)\n"]);
    world.work().write("empty.py", "x = 1\n");
    std::fs::remove_file(world.work().path("a.py")).unwrap();
    crate::common::run(&world, &["pack", "-q", "-b", "1k"]).shows(&["\n1 text file.\n"]);
}
