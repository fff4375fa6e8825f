//! `loadline search`

use insta::assert_snapshot;

use crate::common::{World, piped, run};

const FILES: &str = "
    //- /src/session.py
    def expire(session, clock):
        if clock.now() > session.deadline:
            session.end()
    //- /src/colors.py
    def blend(left, right):
        return left + right
    //- /tests/test_session.py
    def test_expire():
        assert expire(None, None) is None
    ";

#[test]
fn passages_are_shown_the_best_first_also_as_lines_of_json() {
    let world = World::new(FILES);
    assert_snapshot!(run(&world, &["search", "-q", "when do sessions expire"]), @r"
    src/session.py 1-3 score 0.94
    1: def expire(session, clock):
    2:     if clock.now() > session.deadline:
    3:         session.end()

    tests/test_session.py 1-2 score 0.02
    1: def test_expire():
    2:     assert expire(None, None) is None
    ");
    let lines = |flags: &[&str]| {
        let args = [&["search", "expire", "--json"], flags].concat();
        let run = run(&world, &args).exits(0);
        let lines = run.stdout.lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let hits = lines(&[]);
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0]["path"], "src/session.py");
    assert_eq!(hits[0]["lines"], serde_json::json!([1, 3]));
    assert!(hits[0]["text"].as_str().unwrap().starts_with("def expire"));
    assert!(hits[0]["tokens"].as_u64().unwrap() > 10);
    assert!(hits[0]["score"].as_f64() > hits[1]["score"].as_f64());
    assert!(hits[0]["signals"]["file"].as_f64().unwrap() > 0.0);
    assert!(lines(&["--no-text"])[0].get("text").is_none());
    let tokens = hits[0]["tokens"].to_string();
    assert_eq!(lines(&["--budget", &tokens]).len(), 1);
    let run = piped(&world, &["search", "-ql", "-"], "Blend is too dark\n\nLook at colors.py.\n");
    assert_eq!(run.stdout.lines().next(), Some("src/colors.py"), "{run}");
}

#[test]
fn f238_paths_alone_can_be_piped_and_finding_nothing_is_exit_code_1() {
    let world = World::new(FILES);
    run(&world, &["search", "-q", "--files", "sessions expire"])
        .prints("src/session.py\ntests/test_session.py\n");
    run(&world, &["search", "-ql", "-n", "1", "sessions expire"]).prints("src/session.py\n");
    let lines = run(&world, &["search", "-ql", "sessions expire", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(lines.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["schema"], &first["path"]), (&1.into(), &"src/session.py".into()));
    assert!(first["score"].as_f64().unwrap() > 1.0);
    assert_eq!(first["signals"]["kind"], 1.0);
    for text in ["zzyzx", "..."] {
        for flags in [&["-q"][..], &["-q", "--json"], &["-q", "--files"]] {
            let run = run(&world, &[&["search", text], flags].concat());
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (1, "", ""));
        }
    }
    let told = run(&world, &["search", "zzyzx"]);
    assert!(told.stderr.starts_with("nothing found; 3 text files searched"), "{told}");
    run(&world, &["search", "expire", "nowhere"]).exits(1).says(&["nowhere"]);
}
