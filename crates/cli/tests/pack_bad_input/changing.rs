//! Files that change while they are packed.
//!
//! Git is asked after all files were read once and before those that are chosen
//! are read again. A program of that name changes the tree just then.
#![cfg(unix)]

use std::io::Read;
use std::process::Stdio;

use super::*;

const FILES: &str = "
    //- /stays.txt
    it stays
    //- /vanishes.txt
    it was here
    //- /grows.txt
    it grows
    //- /link.txt
    it was no link
    //- /pipe.txt
    it was no pipe
    //- /directory.txt
    it was no directory
    //- /binary.txt
    it was no binary
    ";

const CHANGES: &str = "
    cd ../work 2>/dev/null || exit 128
    rm -f vanishes.txt
    i=0; while [ $i -lt 2000 ]; do echo more; i=$((i+1)); done >> grows.txt
    rm -f link.txt; ln -s ../outside.txt link.txt
    rm -f pipe.txt; mkfifo pipe.txt
    rm -f directory.txt; mkdir directory.txt
    printf 'a\\0b' > binary.txt
    exit 128";

#[test]
fn f071_files_that_change_are_left_out_with_a_note() {
    for args in [&["--budget", "4k"], &["--budget", "none"], &["--budget", "60"]] {
        for format in ["json", "markdown", "xml", "plain"] {
            let world = with_program(World::new(FILES), "git", CHANGES);
            fs::write(world.home().join("outside.txt"), "not yours\n").unwrap();
            let run = packed(&world, args, format).hides(&["not yours"]);
            if format != "json" {
                continue;
            }
            let document = parsed(&run.stdout);
            let known = [paths(&document, "files"), paths(&document, "omitted")].concat();
            assert_eq!(known.len(), 7, "{document:#}");
            // Where all is shown, what was read at first is kept.
            if args[1] != "4k" {
                continue;
            }
            // What grew while it was read is shown as it was.
            assert_eq!(paths(&document, "files"), ["grows.txt", "stays.txt"]);
            for path in paths(&document, "omitted") {
                let reason = reason(&document, &path).unwrap();
                assert!(["binary", "unreadable"].contains(&reason.as_str()), "{document:#}");
                let Some(message) = note(&document, &path).filter(|_| reason != "binary") else {
                    continue;
                };
                let missing = message.starts_with("cannot read it: No such file");
                assert!(missing || message == "changed while it was packed", "{message}");
            }
        }
    }
}

#[test]
fn f263_an_interrupted_run_leaves_the_old_output_and_nothing_else() {
    let wait = "echo ready > ../ready; exec sleep 5";
    let world = with_program(World::new(FILES), "git", wait);
    let output = world.home().join("out");
    fs::create_dir(&output).unwrap();
    fs::write(output.join("pack.md"), "old\n").unwrap();
    shell(&world, "mkfifo ../ready").exits(0);
    let mut command = loadline(&world, &["pack", "-o", "../out/pack.md"]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut ready = String::new();
    let mut pipe = fs::File::open(world.home().join("ready")).unwrap();
    pipe.read_to_string(&mut ready).unwrap();
    shell(&world, &format!("kill -INT {}", child.id())).exits(0);
    assert!(!child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(output.join("pack.md")).unwrap(), "old\n");
    assert_eq!(fs::read_dir(&output).unwrap().count(), 1);
}

#[test]
fn f263_runs_at_the_same_time_do_not_disturb_each_other() {
    let world = World::new(FILES);
    let want = run(&World::new(FILES), &["pack"]).stdout;
    let mut command = loadline(&world, &["pack", "-o", "../out.md"]);
    command.stderr(Stdio::null());
    let children: Vec<_> = (0..6).map(|_| command.spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let written = fs::read_to_string(world.home().join("out.md")).unwrap();
    assert_eq!(written, want);
    let left = fs::read_dir(world.home()).unwrap();
    let left = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".tmp")
    });
    assert_eq!(left.count(), 0);
}
