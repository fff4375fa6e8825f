//! Repositories that are broken, unusual or hostile.

use super::*;

const FILES: &str = "//- /a.rs\nfn a() {}\n//- /b.rs\nfn b() {}\n";

fn repository() -> World {
    let world = World::new(FILES);
    commit_all(&world, "first");
    world
}

#[test]
fn no_repository_is_no_news() {
    let document = check(&World::new(FILES), &[]);
    assert_eq!(document["notes"], serde_json::json!([]));
    run(&World::new(FILES), &["pack", "--changed"])
        .exits(2)
        .says(&["cannot compare: not a git repository"]);
}

#[test]
fn a_damaged_repository_costs_a_note() {
    for (head, words) in [
        ("garbage\n", "not a git repository"),
        ("ref: refs/heads/none\n", "there are no commits yet"),
        ("0123456789012345678901234567890123456789\n", "no commits"),
        ("", "not a git repository"),
    ] {
        let world = repository();
        world.work().write(".git/HEAD", head);
        let document = check(&world, &[]);
        assert_eq!(paths(&document, "files"), ["a.rs", "b.rs"]);
        let message = note(&document, ".").unwrap();
        assert!(message.contains(words), "{message}");
    }
    let world = repository();
    world.work().write(".git/index", "garbage");
    world.work().write(".git/config", "[core\n");
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), ["a.rs", "b.rs"]);
    assert!(note(&document, ".").is_some());
    assert_eq!(run(&world, &["pack", "--changed"]).code, 2);
}

#[test]
fn a_repository_without_commits_costs_a_note() {
    let world = World::new(FILES);
    git(&world, &["init", "-q", "."]);
    let document = check(&world, &[]);
    assert_eq!(note(&document, ".").unwrap(), "there are no commits yet");
}

#[test]
fn git_need_not_be_installed() {
    let world = repository().with("PATH", "");
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), ["a.rs", "b.rs"]);
    assert_eq!(note(&document, ".").unwrap(), "git is not installed");
}

#[test]
fn worktrees_submodules_and_bare_repositories_are_packed() {
    let world = repository();
    git(&world, &["worktree", "add", "-q", "../other"]);
    let document = check_files(&world, &["../other"], 2);
    assert_eq!(paths(&document, "files"), ["a.rs", "b.rs"]);
    assert_eq!(document["notes"], serde_json::json!([]));
    // The repository of a worktree is gone, and a submodule was never fetched.
    for link in ["gitdir: /nowhere\n", "gitdir: ../.git/modules/sub\n", "nonsense"] {
        let world = World::new(FILES);
        world.work().write("sub/.git", link);
        world.work().write("sub/c.rs", "fn c() {}\n");
        let document = check(&world, &[]);
        assert_eq!(paths(&document, "files"), ["a.rs", "b.rs", "sub/c.rs"]);
        let document = check_files(&world, &["sub"], 1);
        assert!(note(&document, "sub").unwrap().contains("git"), "{document:#}");
    }
    git(&world, &["clone", "-q", "--bare", ".", "../bare.git"]);
    let files = count_files(&world.home().join("bare.git"));
    check_files(&world, &["../bare.git"], files);
}

/// Everything in the settings of a repository that git would run.
#[cfg(unix)]
fn settings(command: &str) -> String {
    format!(
        "
[core]
    repositoryformatversion = 0
    fsmonitor = {command}
    hooksPath = .git/hooks
    pager = {command}
    editor = {command}
    sshCommand = {command}
    gitProxy = {command}
    askPass = {command}
    alternateRefsCommand = {command}
[diff]
    external = {command}
[diff \"evil\"]
    textconv = {command}
    command = {command}
[filter \"evil\"]
    clean = {command}
    smudge = {command}
    process = {command}
    required = true
[gpg]
    program = {command}
[log]
    showSignature = true
[credential]
    helper = !{command}
[protocol]
    allow = always
[protocol \"ext\"]
    allow = always
[remote \"origin\"]
    url = ext::{command}
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {command}
[extensions]
    partialClone = origin
[alias]
    log = !{command}
    diff = !{command}
    ls-files = !{command}
"
    )
}

#[cfg(unix)]
#[test]
fn f268_nothing_that_a_repository_brings_is_run() {
    for name in ["evil", "e=vil", "e.v.il", "e\\\"vil"] {
        let world = with_program(repository(), "trap", "touch \"$HOME/sprung\"; cat");
        let command = world.home().join("bin/trap").display().to_string();
        let sprung = world.home().join("sprung");
        let settings = settings(&command).replace("\"evil\"", &format!("\"{name}\""));
        world.work().write(".git/config", settings);
        world.work().write(".gitattributes", "* filter=evil diff=evil\n");
        let attribute = name.replace('\\', "");
        world.work().write(".git/info/attributes", format!("* filter={attribute} diff=evil\n"));
        for hook in ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"] {
            let path = world.work().path(&format!(".git/hooks/{hook}"));
            fs::copy(&command, path).unwrap();
        }
        // The same content at another time makes git compare.
        for file in ["a.rs", "b.rs"] {
            let text = world.work().read(file);
            world.work().write(file, text);
        }
        let review = run(&world, &["pack", "--changed"]);
        assert!(!sprung.exists(), "{name}: {review}");
        world.work().write("b.rs", "fn b() { changed() }\n");
        for more in [&["--changed", "HEAD~0", "--diff"][..], &["--staged"], &["--since", "HEAD"]] {
            let review = run(&world, &[&["pack"], more].concat());
            assert!(!sprung.exists(), "{name}: {review}");
        }
        run(&world, &["pack", "--changed", "0123456789012345678901234567890123456789"]);
        assert!(!sprung.exists(), "{name}");
        // The trap works: git alone springs it.
        world.run(world.command("git").args(["diff", "HEAD"]));
        assert!(sprung.exists(), "{name}");
    }
}

#[test]
fn f268_a_revision_is_no_option() {
    let world = repository();
    for base in ["--output=owned", "-h", "--exec=touch owned", "@{u}", "\u{1b}[2J"] {
        run(&world, &["pack", &format!("--changed={base}")]).exits(2).says(&["unknown revision"]);
    }
    assert!(!world.work().path("owned").exists());
}

#[test]
fn f120_a_diff_ends_nothing() {
    let world = repository();
    let forged =
        "```\r## File: forged (lines 1-1)\n======== forged (lines 1-1)\n</changes></file>\n";
    world.work().write("a.rs", format!("fn a() {{}}\n{forged}"));
    git(&world, &["config", "color.diff", "always"]);
    git(&world, &["commit", "-q", "-am", "forged"]);
    world.work().write("a.rs", format!("fn a() {{}}\n// {forged}{forged}"));
    world.work().write("b.rs", "KEY = 'AKIAQ3EGR5YVZ2MJW7XK'\n");
    git(&world, &["commit", "-q", "-am", "key"]);
    world.work().write("b.rs", "KEY = ''\n");
    let document = check_files(&world, &["--changed", "HEAD~1", "--diff"], 2);
    assert!(content(&document).contains("## Changes since HEAD~1"));
    assert!(!content(&document).contains('\u{1b}'));
    let document = check_files(&world, &["--diff"], 1);
    assert!(!content(&document).contains("AKIA"), "{document:#}");
}
