//! What stands around a pack, how it is cut, and where it goes.

use crate::common::{World, commit_all, find, json, run};

const PROJECT: &str = "
    //- /src/a.rs
    //! A module.

    /// Adds.
    pub fn add(a: u32, b: u32) -> u32 {
        a + b // the sum
    }
    //- /src/b.py
    #!/usr/bin/env python
    # Says hello.
    def hello():
        return '# not a comment'  # but this is
    //- /ask.md
    Explain the code.
    ";

fn repository() -> World {
    let world = World::new(PROJECT);
    commit_all(&world, "the first\n\nwith a body");
    world
}

#[test]
fn f303_header_log_and_instructions_stand_around_the_pack_and_within_the_budget() {
    let world = repository();
    let around = ["--header", "Hello.", "--log", "3", "--instructions", "ask.md"];
    let packed = |more: &[&str]| json(&world, &[&["pack", "-q"], &around[..], more].concat());
    let document = packed(&["--budget", "400"]);
    let content = document["content"].as_str().unwrap();
    assert!(
        content.starts_with("Hello.\n\n# work\n")
            && content.contains("```\n\n## Recent commits\n\n"),
        "{content}"
    );
    assert!(content.contains(" the first\n") && !content.contains("with a body"), "{content}");
    assert!(content.ends_with(" the first\n\n## Instructions\n\nExplain the code.\n"), "{content}");
    for budget in (60..400).step_by(34) {
        let document = packed(&["--budget", &budget.to_string()]);
        assert!(document["tokens"].as_u64().unwrap() <= budget, "{document:#}");
    }
    let task = packed(&["--task", "add numbers", "--format", "xml"]);
    let content = task["content"].as_str().unwrap();
    assert!(
        content.starts_with("<header>\nHello.\n</header>\n") && content.contains("\n<log>\n"),
        "{content}"
    );
    run(&world, &[&["pack", "--budget", "20"], &around[..]].concat())
        .exits(2)
        .says(&["error[LL-CTX-003]: the header, the log"]);
}

#[test]
fn f303_comments_can_be_removed_and_lines_keep_their_numbers() {
    let world = repository();
    for more in [&[][..], &["--task", "add the sum"], &["--budget", "none"]] {
        let document = json(&world, &[&["pack", "-q", "--remove-comments"], more].concat());
        let content = document["content"].as_str().unwrap();
        assert!(content.contains("pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}"), "{content}");
        assert!(!content.contains("// the sum") && !content.contains("Adds"), "{content}");
        let text = "\n\n\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
        assert_eq!(find(&document["files"], "path", "src/a.rs")["text"], text);
    }
    run(&world, &["pack", "-q", "--remove-comments"])
        .shows(&["#!/usr/bin/env python\n\ndef hello():\n    return '# not a comment'\n"]);
    run(&world, &["pack", "-q"]).shows(&["/// Adds."]);
}

#[test]
fn f303_a_pack_can_be_split_between_files() {
    let world = World::new("");
    for number in 0..12 {
        let body: String = (0..20).map(|line| format!("def f{number}_{line}(): pass\n")).collect();
        world.work().write(&format!("src/m{number:02}.py"), body);
    }
    let long: String = (0..400).map(|line| format!("x{line} = {line}\n")).collect();
    world.work().write("long.py", long);
    run(&world, &["pack", "-b", "none", "--split", "900", "-o", "ctx.md"]).exits(0);
    let parts: Vec<String> = (1..)
        .map(|number| world.work().path(&format!("ctx.{number}.md")))
        .take_while(|path| path.exists())
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(parts.len() > 4, "{}", parts.len());
    // What was written before is not packed again.
    run(&world, &["pack", "-b", "none", "--split", "900", "-o", "ctx.md"]).exits(0);
    assert_eq!(world.work().read("ctx.1.md"), parts[0]);
    assert!(
        parts[0]
            .starts_with(&format!("Part 1 of {}.\n\nContents:\n\n- part 1: overview", parts.len()))
    );
    assert!(parts[0].contains("src/m03.py"), "{}", parts[0]);
    for part in &parts {
        world.work().write("part", part);
        let counted = json(&world, &["count", "part"]);
        let tokens = counted["total"]["tokens"].as_object().unwrap().values().next().unwrap();
        assert!(tokens.as_u64().unwrap() <= 900, "{part}");
    }
    let all: String = parts.concat();
    assert!(all.contains("def f11_19(): pass\n") && all.contains("x399 = 399\n"));
    // A file that goes on in another part has its heading and its fence there, too.
    assert!(all.contains("## File: long.py (lines 1-400) (continued)\n```python\n"), "{all}");
    for part in &parts {
        assert_eq!(part.matches("```").count() % 2, 0, "{part}");
    }
    let split = ["--split", "900"];
    let refused = [&split[..], &["--split", "20", "-o", "a.md"], &["-o", "a.xml", "-f", "xml"]];
    for args in [refused[0], refused[1], &[&split[..], refused[2]].concat()] {
        assert_eq!(run(&world, &[&["pack"], args].concat()).code, 2, "{args:?}");
    }
}

#[test]
fn f303_templates_see_the_task_the_tokens_and_the_log() {
    let world = repository();
    let template = world.home().join("t.jinja");
    let text = "{{ task }}|{{ log }}|{{ header }}|{{ diff }}|{{ tree }}|{{ tokens }}\
        {% for file in files %}|{{ file.path }} {{ file.tokens }}{% endfor %}";
    std::fs::write(&template, text).unwrap();
    world.work().write("src/a.rs", "pub fn add() {}\n");
    let form = ["pack", "-q", "--template", template.to_str().unwrap()];
    let around = ["--task", "add", "--diff", "--log", "1", "--header", "H"];
    let run = run(&world, &[&form[..], &around].concat());
    let parts: Vec<&str> = run.stdout.split('|').collect();
    assert_eq!((parts[0], parts[2]), ("add", "H"), "{run}");
    assert!(parts[1].ends_with(" the first\n") && parts[3].contains("+pub fn add() {}"), "{run}");
    let tokens: u64 = parts[5].parse().unwrap();
    assert!(tokens == 5 && parts[6].starts_with("src/a.rs "), "{run}");
}

#[cfg(unix)]
#[test]
fn f303_a_native_clipboard_comes_before_the_terminal() {
    let world = crate::common::with_program(repository(), "wl-copy", "cat > \"$HOME/copied\"");
    let copied = world.home().join("copied");
    let world = world.with("WAYLAND_DISPLAY", "wayland-0");
    run(&world, &["pack", "--copy", "--budget", "500"]).exits(0).prints("").says(&["copied "]);
    assert!(std::fs::read_to_string(copied).unwrap().starts_with("# work\n"));
}
