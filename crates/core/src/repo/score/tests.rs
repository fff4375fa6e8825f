//! Scores of the reference implementation, from facts that no command takes.

use super::*;
use crate::settings::{Config, Layer};

/// Rows of the reference implementation's own output: facts and its score.
#[test]
fn f031_agrees_with_the_reference() {
    let compat = Layer::project("loadline.toml", "score.entry_points = 'compat'");
    let options = ScoreOptions::from(Config::load([compat]).unwrap().settings());
    for (path, importers, exports, commits, edge_case, want) in REFERENCE {
        let file = FileFacts {
            path: (*path).to_owned(),
            importers: *importers,
            exports: *exports,
            commits: *commits,
            edge_case: *edge_case,
            generated: false,
            named_entry: false,
        };
        assert_eq!(score_files(&[file], &options).unwrap()[0].score, *want, "{path}");
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
