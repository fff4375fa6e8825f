//! `loadline pack --task`

use std::process::Stdio;

use crate::common::{World, commit_all, find, json, list, loadline, names, run};

const PROJECT: &str = "
    //- /src/session.py
    def expire(session, clock):
        \"\"\"Ends a session when its time is over.\"\"\"
        if clock.now() > session.deadline:
            session.end()
    //- /src/colors.py
    def blend(left, right):
        return (left + right) // 2
    //- /src/login.py
    # 用户登录会话过期检查
    def check():
        return 1
    //- /src/arabic.py
    # تنتهي الجلسة مبكرا
    def done():
        return 3
    ";

fn task<'a>(task: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["pack", "--budget", "400", "--task", task], more].concat()
}

#[test]
fn pins_changes_and_diffs_go_with_a_task() {
    let world = World::new(PROJECT);
    commit_all(&world, "first");
    let text = world.work().read("src/session.py");
    world.work().write("old/session.py", text);
    world.work().write("src/arabic.py", "def done():\n    return 4\n");
    let more = ["-q", "--pin", "colors.py", "--changed", "--diff", "--open", "src/login.py"];
    let document = json(&world, &task("sessions expire", &more));
    let find = |path: &str| find(&document["files"], "path", path);
    assert_eq!(document["files"][0]["path"], "src/colors.py");
    assert_eq!(document["files"][0]["tier"], "full");
    assert_eq!(find("src/arabic.py")["signals"]["changed"], 0.5);
    assert_eq!(find("src/login.py")["signals"]["open"], 0.5);
    let content = document["content"].as_str().unwrap();
    assert!(content.contains("## Changes since HEAD\n"), "{content}");
    assert!(content.contains("; the same as "), "{content}");
    assert!(document["tokens"].as_u64().unwrap() <= 400);
}

#[test]
fn f102_f287_signals_add_up_and_explain_ends_with_a_hint() {
    let world = World::new(PROJECT);
    let formula = ["-q", "--explain", "--rank", "formula"];
    let document = json(&world, &task("sessions expire", &formula));
    let product = |part: &serde_json::Value| {
        let of = |name: &str| part[name].as_f64().unwrap();
        assert!((of("value") * of("weight") - of("product")).abs() < 1e-9);
        of("product")
    };
    let adds_up = |scored: &serde_json::Value| {
        let sum: f64 = list(&scored["parts"]).iter().map(product).sum();
        assert!((sum - scored["score"].as_f64().unwrap()).abs() < 1e-9);
    };
    let explained = &document["files"][0]["explain"];
    adds_up(explained);
    let passages = explained["passages"].as_array().unwrap();
    assert_eq!(passages[0]["lines"], serde_json::json!([1, 4]));
    passages.iter().for_each(adds_up);
    run(&world, &task("sessions expire", &formula[1..])).says(&["     lines 1-4 1."]);
    run(&world, &task("sessions expire", &["--explain"]))
        .says(&[", log odds: start -", "omitted, no match: "]);
    let learned = json(&world, &task("sessions expire", &["-q", "--explain"]));
    let passage = &learned["files"][0]["explain"]["passages"][0];
    let sum: f64 = passage["parts"].as_array().unwrap().iter().map(product).sum();
    let share = 1.0 / (1.0 + (-sum).exp());
    assert!((share - passage["score"].as_f64().unwrap()).abs() < 1e-9, "{passage}");
    let plain = json(&world, &task("sessions expire", &["-q"]));
    assert!(plain["files"][0]["explain"].is_null());
    let hint = |args: &[&str]| {
        let said = run(&world, args).stderr;
        said.lines().rfind(|line| line.starts_with("hint: ")).unwrap_or_default().to_owned()
    };
    let nothing = hint(&task("zzzyx", &["--explain"]));
    assert!(nothing.contains("no file says a word of the task"), "{nothing}");
    let wide = ["pack", "--task", "sessions expire", "--budget", "50k", "--explain"];
    let wide = hint(&wide);
    assert!(wide.contains("less than half of the budget is used"), "{wide}");
    let small = hint(&["pack", "--task", "sessions expire", "--budget", "60", "--explain"]);
    assert!(small.contains("raise --budget"), "{small}");
}

#[test]
fn files_are_ordered_as_asked() {
    let world = World::new(PROJECT);
    let heads = |args: &[&str]| -> Vec<String> {
        let packed = run(&world, args);
        let lines = packed.stdout.lines().filter(|line| line.starts_with("## File: "));
        lines.map(str::to_owned).collect()
    };
    let open = ["-q", "--open", "src/colors.py"];
    let rank = heads(&task("sessions expire", &open));
    assert!(rank[0].contains("session.py"), "{rank:?}");
    let file = heads(&task("sessions expire", &[&open[..], &["--order", "file"]].concat()));
    assert!(file.is_sorted() && file.len() == rank.len(), "{file:?}");
    world.work().write("loadline.toml", "[pack]\norder = \"file\"\n");
    assert_eq!(heads(&task("sessions expire", &open)), file);
    run(&world, &task("x", &["--order", "size"])).exits(2);
}

#[test]
fn f027_odd_tasks_and_budgets_give_a_result() {
    let world = World::new(PROJECT);
    for odd in ["", "  \n", "the of and", "(.*)+[a-z]{9}\\", "\u{7}\u{1b}[31m", "$(rm -rf /)"] {
        let packed = run(&world, &task(odd, &[])).exits(0);
        assert!(!packed.stderr.contains('\u{1b}'), "{packed}");
    }
    run(&world, &task("", &[])).says(&["task: has no words to look for; packed by score instead"]);
    for (asked, path) in [("会话过期太早", "src/login.py"), ("تنتهي الجلسة", "src/arabic.py")]
    {
        let document = json(&world, &task(asked, &["-q"]));
        assert_eq!(document["files"][0]["path"], path);
        assert_eq!(document["files"].as_array().unwrap().len(), 1);
    }
    let with = |budget: &str| {
        let budget = format!("--budget={budget}");
        run(&world, &["pack", &budget, "--task", "sessions expire"])
    };
    for budget in ["0", "3"] {
        let empty = with(budget).exits(0).prints("");
        let note = format!("budget: nothing fits a budget of {budget} tokens");
        assert!(empty.stderr.contains(&note), "{empty}");
    }
    with("25").exits(0).says(&["budget: no lines fit a budget of 25 tokens"]);
    assert_eq!(with("-5").code, 2);
}

#[test]
fn a_task_of_a_megabyte_is_read_in_part_and_says_so() {
    let world = World::new(PROJECT);
    let long: String = (0..150_000).map(|word| format!("w{word:x} ")).collect();
    let long = format!("sessions expire\n{long}");
    assert!(long.len() > 900_000);
    world.work().write("task.txt", &long);
    let args = ["pack", "--budget", "300", "--exclude", "task.txt", "--task-file", "task.txt"];
    run(&world, &args)
        .exits(0)
        .shows(&["## File: src/session.py"])
        .says(&["task: long: the first 256 KiB are read"]);
    world.work().write("task.txt", &long[..20_000]);
    run(&world, &args).says(&["the 512 that weigh most are looked for"]);
}

#[test]
fn two_at_once_on_a_cold_store_give_the_same_bytes_as_one() {
    let world = World::new(PROJECT);
    for number in 0..300 {
        let text = format!("def expire{number}(session):\n    return {number}\n").repeat(20);
        world.work().write(&format!("src/many/m{number}.py"), text);
    }
    for mode in [&["--task", "sessions expire"][..], &[]] {
        let args = [&["pack", "--budget", "3000"], mode].concat();
        let alone = run(&world, &[&args[..], &["--no-cache"]].concat()).exits(0);
        let start = || {
            let mut command = loadline(&world, &args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        let (one, other) = (start(), start());
        for child in [one, other] {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(!said.contains("note: ") && !said.contains("error"), "{said}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), alone.stdout);
        }
    }
}

#[test]
fn f301_a_pack_says_its_task_shows_whole_functions_and_names_what_comes_next() {
    let world = World::new(PROJECT);
    for number in 0..40 {
        let body: String = (0..12).map(|at| format!("        session.step{at}()\n")).collect();
        let text = format!(
            "class Job{number}:\n    size = {number}\n\n    def expire_session(self):\n{body}"
        );
        world.work().write(&format!("src/job{number}.py"), text);
    }
    let args = ["pack", "-q", "--budget", "2000", "--task", "expire the session of job 7"];
    let packed = run(&world, &args)
        .shows(&[
            "\n## Task\n```\nexpire the session of job 7\n```\n",
            "class Job7:\n",
            "        session.step11()\n",
        ])
        .stdout;
    let next = packed.split("\n## Not shown: what comes next by relevance\n").nth(1);
    let next = next.expect("a list of what was left out");
    assert!(next.contains(".py:1-16 class Job"), "{next}");
    assert!(next.contains(" tokens)\n"), "{next}");
    run(&world, &[&args[..], &["--no-task-text"]].concat()).hides(&["## Task"]);
}

#[test]
fn related_passages_get_a_share_of_their_own() {
    let world = World::new(PROJECT);
    world.work().write("src/clock.py", "def tick():\n    return 1\n\n\nexpire_all = expire\n");
    world.work().write(
        "tests/test_end.py",
        "from src.session import expire\n\n\ndef test_end():\n    assert expire(None, None)\n",
    );
    for number in 0..30 {
        let body = "    the session sessions expires early\n".repeat(12);
        world.work().write(&format!("src/note{number}.py"), format!("def n{number}():\n{body}"));
    }
    let tests = |related: &str| {
        let document =
            json(&world, &task("sessions expire too early", &["-q", "--related", related]));
        assert!(document["tokens"].as_u64().unwrap() <= 400);
        names(&document["files"], "path").contains(&"tests/test_end.py")
    };
    assert!(!tests("0"));
    assert!(tests("40%"));
    run(&world, &task("x", &["--related", "120%"])).exits(2).says(&["rank.related"]);
}
