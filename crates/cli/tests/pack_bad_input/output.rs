//! Where the result goes, and where it cannot go.

use std::process::Stdio;

use super::*;

fn project() -> World {
    World::new("//- /a.rs\nfn a() {}\n//- /b.md\n# B\n")
}

#[test]
fn f252_an_output_that_cannot_be_written_is_one_clear_error() {
    let world = project();
    fs::create_dir(world.work().path("directory")).unwrap();
    for output in ["directory", "a.rs/out.md"] {
        let run = run(&world, &["pack", "-o", output]).exits(1).prints("");
        assert!(run.stderr.starts_with("error[LL-CLI-010]: cannot "), "{run}");
        assert!(run.stderr.contains(output.split('/').next().unwrap()), "{run}");
    }
    assert_eq!(fs::read_dir(world.work().root()).unwrap().count(), 3);
    assert_eq!(fs::read_dir(world.work().path("directory")).unwrap().count(), 0);
}

#[test]
fn directories_above_the_output_are_made_and_links_kept() {
    let world = project();
    let shown = run(&world, &["pack"]).stdout;
    fs::create_dir(world.work().path("new")).unwrap();
    for format in ["markdown", "xml", "plain", "json"] {
        let path = format!("new/deep/{format}");
        run(&world, &["pack", "--exclude", "new", "--format", format, "-o", &path])
            .exits(0)
            .prints("");
        let printed = run(&world, &["pack", "--exclude", "new", "--format", format]);
        assert_eq!(world.work().read(&path), printed.stdout);
    }
    assert_eq!(world.work().read("new/deep/markdown"), shown);
}

#[test]
fn f259_the_output_of_one_run_is_not_packed_by_the_next() {
    let world = project();
    for output in ["pack.md", "odd [1]* {x}!.md", "./sub/../pack 2.md"] {
        fs::create_dir_all(world.work().path("sub")).unwrap();
        let args = ["pack", "-o", output];
        assert_eq!(run(&world, &args).code, 0);
        let path = world.work().root().join(output);
        let first = fs::read(&path).unwrap();
        assert_eq!(run(&world, &args).code, 0);
        assert_eq!(fs::read(&path).unwrap(), first, "{output}");
        fs::remove_file(path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let world = project();
    run(&world, &["pack", "-o", "/dev/null"]).exits(0).prints("");
    let kind = fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());
}

#[cfg(target_os = "linux")]
#[test]
fn f252_a_full_disk_is_an_error() {
    let world = project();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    world
        .run(loadline(&world, &["pack"]).stdout(full))
        .exits(1)
        .says(&["error[LL-CLI-011]: cannot write the output"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let world = project();
    world.work().write("long.txt", "a line of some length\n".repeat(20_000));
    for format in ["markdown", "json"] {
        let mut command = loadline(&world, &["pack", "--budget", "none", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn f252_values_that_make_no_sense_are_usage_errors() {
    for args in [
        &["--format", "yaml"][..],
        &["--budget", "many"],
        &["--budget", "1.5"],
        &["--include", "a{"],
        &["--pin", "a{"],
        &["--counter", "abacus"],
        &["--counter", "o200k,claude"],
    ] {
        let args = [&["pack"], args].concat();
        let run = run(&project(), &args).exits(2).prints("");
        assert!(run.stderr.starts_with("error"), "{run}");
    }
}

#[test]
fn f070_a_budget_too_small_for_anything_gives_nothing_and_says_so() {
    let world = project();
    for budget in ["0", "1", "5", "31"] {
        let document = document(&world, &["--budget", budget]);
        assert!(document["tokens"].as_u64().unwrap() <= budget.parse().unwrap());
        let known = paths(&document, "files").len() + paths(&document, "omitted").len();
        assert_eq!(known, 2);
    }
}
