//! Tests of scoring: data in, scores out.

use super::*;
use crate::settings::{Config, Layer};

fn facts(path: &str) -> FileFacts {
    FileFacts { path: path.to_owned(), ..FileFacts::default() }
}

fn config(text: &str) -> Config {
    Config::load([Layer::project("loadline.toml", text)]).unwrap()
}

fn score_with(text: &str, facts: &[FileFacts]) -> Vec<FileScore> {
    let config = config(text);
    score_files(facts, &ScoreOptions::from(config.settings())).unwrap()
}

fn score(facts: FileFacts) -> FileScore {
    score_with("", &[facts]).pop().unwrap()
}

const COMPAT: &str = "score.entry_points = 'compat'";

#[test]
fn f031_six_signals_with_their_caps() {
    let everything = FileFacts {
        importers: 11,
        exports: 11,
        commits: 11,
        edge_case: true,
        ..facts("index.config.ts")
    };
    let scored = score(everything.clone());
    let want = Signals {
        entry_point: 30,
        importers: 30,
        exports: 20,
        commits: 10,
        edge_case: 10,
        config: 15,
        ..Signals::default()
    };
    assert_eq!(scored.signals, want);
    assert_eq!(scored.score, 100, "115 is held at 100");
    let few = FileFacts { importers: 2, exports: 3, commits: 4, ..facts("src/a.ts") };
    assert_eq!(score(few).score, 6 + 6 + 4);
    let many = FileFacts { importers: u32::MAX, ..facts("src/a.ts") };
    assert_eq!(score(many).score, 30);
    let doubled = score_with("score.importer = 6\nscore.importer_cap = 60", &[everything]);
    assert_eq!(doubled[0].signals.importers, 60);
}

#[test]
fn f037_the_penalty_is_recorded_and_stops_at_zero() {
    let scored = score(facts("src/index.test.ts"));
    assert_eq!((scored.score, scored.signals.test_penalty), (15, 15));
    assert_eq!(score(facts("src/a.test.ts")).score, 0);
    assert_eq!(score(facts("tests/main.rs")).score, 15);
    let compat = score_with(COMPAT, &[facts("tests/main.rs")]);
    assert_eq!(compat[0].score, 30);
    // Taken off the whole sum, and only then held at 100.
    let large = FileFacts {
        importers: 10,
        exports: 10,
        commits: 10,
        edge_case: true,
        ..facts("index.config.test.ts")
    };
    assert_eq!(score(large).score, 100);
}

#[test]
fn f038_lock_files_are_absent() {
    let scored = score_with("", &[facts("Cargo.lock"), facts("a.rs"), facts("x/uv.lock")]);
    assert_eq!(scored.len(), 1);
    assert_eq!(scored[0].path, "a.rs");
    assert_eq!(score_with(COMPAT, &[facts("x/uv.lock")]).len(), 1);
}

#[test]
fn f039_generated_files_score_low() {
    let generated = FileFacts { exports: 10, ..facts("dist/index.js") };
    let scored = score(generated.clone());
    assert_eq!((scored.score, scored.signals.generated_penalty), (0, 50));
    assert_eq!(score_with(COMPAT, &[generated])[0].score, 50);
    // What its content says counts as much as its name, and not twice.
    for path in ["src/parser.js", "dist/index.js"] {
        let by_content = FileFacts { exports: 10, generated: true, ..facts(path) };
        let scored = score(by_content.clone());
        assert_eq!((scored.score, scored.signals.generated_penalty), (0, 50));
        let compat = score_with(COMPAT, &[by_content]);
        assert_eq!(compat[0].signals.generated_penalty, 0);
    }
}

#[test]
fn f040_pinned_files_are_marked() {
    let files = [facts("docs/a.md"), facts("src/b.rs"), facts("c.rs")];
    let scored = score_with("pack.pin = ['docs/', 'b.rs']", &files);
    let pinned = scored.iter().filter(|file| file.pinned);
    let pinned: Vec<&str> = pinned.map(|file| file.path.as_str()).collect();
    assert_eq!(pinned, ["docs/a.md", "src/b.rs"]);
    assert_eq!(scored[0].score, 0, "a pin changes no score");
}

#[test]
fn f041_a_boost_adds_twenty() {
    let files = [facts("src/a/b.rs"), facts("src/c.rs"), facts("../out")];
    let scored = score_with("pack.boost = ['src/a/**']", &files);
    assert_eq!((scored[0].path.as_str(), scored[0].score), ("src/a/b.rs", 20));
    assert_eq!(scored[0].signals.boost, 20);
    assert!(scored[1..].iter().all(|file| file.score == 0));
    let config = config("pack.boost = ['src/{a']");
    let error = score_files(&files, &ScoreOptions::from(config.settings())).unwrap_err();
    assert!(error.to_string().contains("src/{a"), "{error}");
}

#[test]
fn f043_by_score_then_by_the_bytes_of_the_path() {
    let names = ["b", "a/b", "é", "a.ts", "Z", "_a", "a-b", "README"];
    let mut files: Vec<FileFacts> = names.iter().map(|name| facts(name)).collect();
    files.push(facts("z/index.ts"));
    let order = |files: &[FileFacts]| -> Vec<String> {
        let scored = score_with("", files).into_iter();
        scored.map(|file| file.path).collect()
    };
    let want = ["z/index.ts", "README", "Z", "_a", "a-b", "a.ts", "a/b", "b", "é"];
    assert_eq!(order(&files), want);
    files.reverse();
    assert_eq!(order(&files), want);
}

#[test]
fn f044_scores_follow_from_facts_alone() {
    // None of these files exists; their contents cannot matter.
    let files = [facts("no/such/index.ts"), facts("nor/this.rs")];
    assert_eq!(score_with("", &files), score_with("", &files));
}

#[test]
fn f045_every_file_is_scored() {
    let files: Vec<FileFacts> = (0..500).map(|n| facts(&format!("src/{n}.ts"))).collect();
    assert_eq!(score_with("", &files).len(), 500);
    assert!(score_with("", &[]).is_empty());
}

#[test]
fn f046_the_signals_explain_the_score() {
    let file = FileFacts { importers: 4, exports: 7, ..facts("src/auth/index.ts") };
    let scored = score(file);
    assert_eq!(scored.score, scored.signals.score());
    let Signals { entry_point, importers, exports, .. } = scored.signals;
    assert_eq!((entry_point, importers, exports), (30, 12, 14));
}

#[test]
fn f047_one_table_for_every_project() {
    let points = |path: &str| score(facts(path)).score;
    assert_eq!(points("src/main.rs"), points("src/main.ts"));
    assert_eq!(points("cmd/a/main.go"), points("a/__main__.py"));
}

#[test]
fn f048_a_list_can_be_scored_again() {
    let mut files = [facts("a.rs"), facts("b.rs")];
    assert_eq!(score_with("", &files)[0].path, "a.rs");
    files[1].importers = 1;
    let again = score_with("", &files);
    assert_eq!(again[0].path, "b.rs");
    // A caller may also order a list of its own.
    let mut own = again;
    own[1].score = 90;
    own.sort_by(FileScore::rank);
    assert_eq!(own[0].path, "a.rs");
}

/// Rows of the reference implementation's own output: facts and its score.
#[test]
fn f031_agrees_with_the_reference() {
    for (path, importers, exports, commits, edge_case, want) in REFERENCE {
        let file = FileFacts {
            path: (*path).to_owned(),
            importers: *importers,
            exports: *exports,
            commits: *commits,
            edge_case: *edge_case,
            generated: false,
        };
        assert_eq!(score_with(COMPAT, &[file])[0].score, *want, "{path}");
    }
}

/// Path, importers, exports, commits, a mark, score.
const REFERENCE: &[(&str, u32, u32, u32, bool, u32)] = &[
    ("src/auth/index.ts", 4, 7, 0, false, 56),
    ("src/analyzers/types.ts", 10, 40, 0, false, 50),
    ("src/regen/dep-graph.ts", 5, 13, 0, true, 45),
    ("src/cli/index.ts", 0, 0, 5, false, 35),
    ("vitest.config.ts", 0, 1, 4, true, 31),
    ("docs/src/content/docs/index.mdx", 0, 0, 0, false, 30),
    ("src/ai-rounds/validator.ts", 4, 5, 4, false, 26),
    ("package.json", 0, 0, 17, false, 25),
    ("src/renderers/render-06-modules.ts", 2, 1, 3, true, 21),
    ("commitlint.config.js", 0, 1, 0, false, 17),
    ("tsconfig.json", 0, 0, 0, false, 15),
    ("src/domain/entities.ts", 0, 6, 0, false, 12),
    ("docs/src/content/docs/contributor/architecture.md", 0, 0, 0, true, 10),
    ("src/cli/build-site.ts", 0, 2, 3, false, 7),
    ("README.md", 0, 0, 6, false, 6),
    ("AGENTS.md", 0, 0, 0, false, 0),
    ("src/ai-rounds/runner.test.ts", 0, 0, 0, true, 0),
    ("src/ai-rounds/validator.test.ts", 0, 0, 2, true, 0),
    ("src/analyzers/doc-detect.test.ts", 0, 0, 0, false, 0),
    ("src/analyzers/module-graph.test.ts", 0, 0, 3, false, 0),
];
