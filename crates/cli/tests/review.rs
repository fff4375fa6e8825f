//! `loadline pack --changed`, `--since`, `--staged`, `--diff`: a review.

use std::fs;

use crate::common::{World, commit_all, git, json, list, run};

const PROJECT: &str = "
    //- /.gitignore
    ignored.txt
    //- /.github/workflows/ci.yml
    on: push
    jobs:
      test: {}
    //- /src/clock.py
    def now():
        return 1


    def expire(session):
        if session.deadline < now():
            session.end()
        return session


    def unrelated():
        return 'far away'
    //- /src/login.py
    from clock import expire


    class Login:
        def check(self, session):
            return expire(session)

        def other(self):
            return 'nothing to see'
    //- /tests/test_clock.py
    from clock import expire


    def test_expire():
        assert expire(session())
    //- /src/colors.py
    def blend(left, right):
        return (left + right) // 2
    //- /src/old name.py
    def first():
        return 1


    def second():
        return 2


    def third():
        return 3
    //- /src/gone.py
    def gone():
        return 0
    ";

/// A branch `topic` whose base has moved on, with changes of every sort.
fn branch() -> World {
    let world = World::new(PROJECT);
    let work = world.work();
    commit_all(&world, "first");
    git(&world, &["checkout", "-qb", "topic"]);
    git(&world, &["checkout", "-q", "main"]);
    work.write("src/moved.py", "def moved():\n    return 'on main'\n");
    work.write("src/colors.py", "def blend(left, right):\n    return left\n");
    commit_all(&world, "main moves on");
    git(&world, &["checkout", "-q", "topic"]);
    work.write("src/clock.py", work.read("src/clock.py").replace("< now()", "<= now()"));
    git(&world, &["mv", "src/old name.py", "src/new name.py"]);
    let renamed = work.read("src/new name.py").replace("return 3", "return 33");
    work.write("src/new name.py", renamed);
    git(&world, &["rm", "-q", "src/gone.py"]);
    git(&world, &["commit", "-qam", "topic"]);
    work.write(".github/workflows/ci.yml", "on: pull_request\njobs:\n  test: {}\n");
    work.write("src/staged.py", "def staged():\n    return 1\n");
    git(&world, &["add", "src/staged.py"]);
    work.write("src/fresh.py", "def fresh():\n    return 'no line break at the end'");
    work.write("ignored.txt", "not for anyone\n");
    world
}

/// The diff that a pack shows.
fn diff_of(content: &str) -> String {
    let (_, rest) = content.split_once("```diff\n").unwrap_or_default();
    rest.split_once("\n```\n").map(|(diff, _)| format!("{diff}\n")).unwrap_or_default()
}

#[test]
fn f302_a_review_holds_what_git_diff_says_since_the_merge_base() {
    let world = branch();
    let document = json(&world, &["pack", "-q", "--changed", "main", "--diff"]);
    let content = document["content"].as_str().unwrap();
    let base = git(&world, &["merge-base", "main", "HEAD"]);
    let base = base.trim();
    let said = git(&world, &["diff", base]);
    let shown = diff_of(content);
    let (fresh, tracked): (Vec<&str>, Vec<&str>) =
        shown.split_inclusive("\ndiff --git ").partition(|it| it.starts_with("a/src/fresh.py"));
    assert_eq!(fresh.len(), 1, "{shown}");
    let plain = |diff: &str| {
        // How a hunk of one line is written, and what it is named after, is a matter of taste.
        let lines = diff.lines().filter(|line| !line.starts_with("@@"));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let tracked: String = tracked.concat();
    assert_eq!(plain(tracked.trim_end_matches("\ndiff --git ")), plain(said.trim_end()));
    // It applies from the root of what it is compared with.
    git(&world, &["worktree", "add", "-q", "../base", base]);
    fs::write(world.home().join("shown.diff"), &shown).unwrap();
    git(&world, &["-C", "../base", "apply", "--check", "../shown.diff"]);
    git(&world, &["apply", "--check", "-R", "../shown.diff"]);
    let change = |file: &serde_json::Value| {
        Some(format!("{} {}", file["change"].as_str()?, file["path"].as_str()?))
    };
    let changes: Vec<String> = list(&document["files"]).iter().filter_map(change).collect();
    let want = [
        "modified .github/workflows/ci.yml",
        "modified src/clock.py",
        "untracked src/fresh.py",
        "renamed src/new name.py",
        "added src/staged.py",
    ];
    assert_eq!(changes, want);
    let head = format!("Changes since main (merge base {}): 6 files, ", &base[..7]);
    assert!(content.contains(&head), "{content}");
    assert!(content.contains("\nD src/gone.py +0 -2\n"), "{content}");
    assert!(content.contains("\nR src/old name.py -> src/new name.py +1 -1\n"), "{content}");
    assert!(!content.contains("on main") && !content.contains("not for anyone"), "{content}");
    assert_eq!(document["omitted"][0]["reason"], "deleted");
}

#[test]
fn f302_changed_definitions_come_whole_with_callers_and_tests() {
    let world = branch();
    let document = json(&world, &["pack", "-q", "--changed", "main", "--budget", "420"]);
    let content = document["content"].as_str().unwrap();
    for shown in [
        "def expire(session):\n    if session.deadline <= now():\n        session.end()\n    return session\n",
        "class Login:\n    def check(self, session):\n        return expire(session)\n",
        "def test_expire():\n    assert expire(session())\n",
    ] {
        assert!(content.contains(shown), "{shown}\n{content}");
    }
    for hidden in ["nothing to see", "blend", "far away"] {
        assert!(!content.contains(hidden), "{hidden}\n{content}");
    }
    assert!(document["tokens"].as_u64().unwrap() <= 420);
    // With room for it the rest of the changed files follows; unrelated ones never do.
    let document = json(&world, &["pack", "-q", "--changed", "main"]);
    let content = document["content"].as_str().unwrap();
    assert!(content.contains("far away") && !content.contains("blend"), "{content}");
    // A budget that holds no definition holds the changed lines, and says so.
    run(&world, &["pack", "--changed", "main", "--budget", "290"])
        .shows(&["<= now()"])
        .says(&["fit"]);
    for budget in 0..12 {
        let budget = (budget * 50).to_string();
        let packed =
            json(&world, &["pack", "-q", "--changed", "main", "--diff", "--budget", &budget]);
        assert!(packed["tokens"].as_u64().unwrap() <= budget.parse().unwrap(), "{packed:#}");
    }
}

#[test]
fn f302_ranges_stages_and_revisions_are_compared_as_git_does_and_unknown_ones_refused() {
    let world = branch();
    let changed = |args: &[&str]| {
        let document = json(&world, &[&["pack", "-q", "--diff"], args].concat());
        let content = document["content"].as_str().unwrap();
        let lines = content.lines().skip_while(|line| *line != "```").skip(1);
        let lines = lines
            .take_while(|line| *line != "```")
            .map(|line| line.rsplit_once(" +").map_or(line, |(line, _)| line).to_owned());
        (lines.collect::<Vec<_>>(), diff_of(content))
    };
    let topic = ["M src/clock.py", "D src/gone.py", "R src/old name.py -> src/new name.py"];
    assert_eq!(changed(&["--changed", "main...topic"]).0, topic);
    assert_eq!(changed(&["--changed", "main..."]).0, topic);
    let main = ["M src/colors.py", "A src/moved.py"];
    assert_eq!(changed(&["--changed", "topic...main"]).0, main);
    let both = changed(&["--changed", "main..topic"]).0;
    assert!(both.contains(&"D src/moved.py".to_owned()), "{both:?}");
    let since = changed(&["--since", "main"]).0;
    assert!(since.contains(&"M src/colors.py".to_owned()), "{since:?}");
    let now = ["M .github/workflows/ci.yml", "? src/fresh.py", "A src/staged.py"];
    assert_eq!(changed(&["--changed"]).0, now);
    assert_eq!(changed(&[]).0, now, "--diff alone");
    // What is staged is shown as it is staged.
    world.work().write("src/staged.py", "def edited_again():\n    return 2\n");
    let (staged, diff) = changed(&["--staged"]);
    assert_eq!(staged, ["A src/staged.py"]);
    assert!(diff.contains("+def staged():") && !diff.contains("edited_again"), "{diff}");
    // Paths are from the root, wherever one stands, and only what lies below is shown.
    assert_eq!(changed(&["--changed", "main", ".github"]).0, ["M .github/workflows/ci.yml"]);
    assert_eq!(changed(&["--changed", "main", "--include", "clock.py"]).0, ["M src/clock.py"]);
    for (args, hint) in [
        (&["--changed", "mian"][..], "did you mean \"main\"?"),
        (&["--since", "topci"], "did you mean \"topic\"?"),
        (&["--changed", "main...nowhere-at-all"], "`git branch --all` lists the branches"),
    ] {
        for more in [&[][..], &["--task", "sessions expire"]] {
            run(&world, &[&["pack"], args, more].concat())
                .exits(2)
                .prints("")
                .says(&["error[LL-CTX-006]: unknown revision", hint]);
        }
    }
}

#[test]
fn f302_a_hunk_inside_a_private_key_shows_nothing_of_it() {
    let world = World::new("");
    let line = |number: u32| {
        format!("MIIEow{number:02}IBAAKCAQEA7bq98{number:02}Xl0QpTzKq3vKkYc8dJmNfR2uT5wZ1aB3cD\n")
    };
    let body: String = (10..40).map(line).collect();
    let kind = "RSA PRIVATE KEY";
    let text = format!("one\n-----BEGIN {kind}-----\n{body}-----END {kind}-----\ntwo\n");
    world.work().write("notes.txt", &text);
    commit_all(&world, "first");
    world.work().write("notes.txt", text.replace(&line(25), &line(77)));
    world.work().write(".env", "KEY=abcdef\n");
    for more in [&[][..], &["--task", "notes two"]] {
        run(&world, &[&["pack", "--changed", "--diff"], more].concat())
            .shows(&["```diff\n"])
            .hides(&["MIIEow", "abcdef"])
            .says(&["notes.txt: 1 secret redacted"]);
    }
    run(&world, &["pack", "-q", "--diff", "--no-redact"]).shows(&["+MIIEow77"]);
}

#[test]
fn f302_a_repository_without_commits_is_all_new() {
    let world = World::new("//- /a.py\ndef a():\n    return 1\n//- /b.py\n");
    git(&world, &["init", "-q", "."]);
    git(&world, &["add", "a.py"]);
    let document = json(&world, &["pack", "-q", "--diff"]);
    let content = document["content"].as_str().unwrap();
    assert!(content.contains("\nA a.py +2 -0\n? b.py +0 -0\n"), "{content}");
}

#[test]
fn f284_recent_changes_are_a_source_beside_others() {
    let world = World::new(PROJECT);
    commit_all(&world, "begin");
    let colors = world.work().read("src/colors.py");
    world.work().write("src/colors.py", colors.replace("// 2", "/ 2"));
    world.work().write("ignored.txt", "src/clock.py:6\nsrc/login.py:5\n");
    let args = ["pack", "-q", "--source", "ignored.txt", "--changed", "--budget", "600"];
    let document = json(&world, &args);
    let of = |document: &serde_json::Value, kind: &str| -> Vec<String> {
        let chunks = list(&document["chunks"]).iter().filter(|chunk| chunk["kind"] == kind);
        chunks.map(|chunk| chunk["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of(&document, "change"), ["src/colors.py"]);
    assert!(document["content"].as_str().unwrap().contains("return (left + right) / 2"));
    assert!(of(&document, "search_result").contains(&"src/login.py".to_owned()));
    run(&world, &["context", "show"]).shows(&["[change]"]);
    let less = json(&world, &[&args[..], &["--exclude", "src/login.py"]].concat());
    assert!(!of(&less, "search_result").contains(&"src/login.py".to_owned()));
    assert!(less["summary"]["omitted"]["no match"] == 1, "{less}");
}
