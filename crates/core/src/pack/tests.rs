//! What a pack promises, on small repositories.

mod search;
mod task;
mod tiers;

use loadline_testkit::Tree;

use super::*;
use crate::settings::Config;

const PROJECT: &str = "
    //- /package.json
    {\"name\": \"demo\"}
    //- /package-lock.json
    {\"lockfileVersion\": 3}
    //- /.env
    TOKEN=abc
    //- /src/index.ts
    import { add } from './math';
    export function main(values: number[]): number {
      return values.reduce(add, 0);
    }
    //- /src/math.ts
    // TODO: carry
    export function add(a: number, b: number): number {
      return a + b;
    }
    export function sub(a: number, b: number): number {
      return a - b;
    }
    //- /src/copy.ts
    // TODO: carry
    export function add(a: number, b: number): number {
      return a + b;
    }
    export function sub(a: number, b: number): number {
      return a - b;
    }
    //- /docs/guide.md
    # Guide

    Some words about adding and subtracting numbers in this demo.
    ```ts
    add(1, 2);
    ```
    ";

pub(super) fn options(budget: Option<u64>) -> PackOptions {
    let config = Config::load([]).unwrap();
    let mut options = PackOptions::new("o200k".parse().unwrap(), config.settings());
    options.budget = budget.map(Tokens::new);
    options.walk.hidden = true;
    options.walk.max_file_size = None;
    options
}

fn packed(tree: &Tree, options: &PackOptions) -> Packed {
    pack(tree.root(), options, &Cache::disabled()).unwrap()
}

fn tiers(packed: &Packed) -> Vec<String> {
    let files = packed.files.iter();
    files.map(|file| format!("{} {}", file.path, file.tier.name())).collect()
}

fn omitted(packed: &Packed) -> Vec<String> {
    let files = packed.omitted.iter();
    files.map(|file| format!("{}: {}", file.path, file.reason)).collect()
}

#[test]
fn f067_everything_is_shown_where_everything_fits() {
    let tree = Tree::new(PROJECT);
    let packed = packed(&tree, &options(Some(20_000)));
    let want = ["docs/guide.md full", "package.json full", "src/index.ts full", "src/math.ts full"];
    assert_eq!(tiers(&packed), want);
    let want =
        [".env: denied", "package-lock.json: lock file", "src/copy.ts: duplicate of src/math.ts"];
    assert_eq!(omitted(&packed), want);
    assert!(packed.content.contains("return a - b;"));
    assert!(!packed.content.contains("TOKEN"));
}

#[test]
fn f026_the_text_never_exceeds_the_budget() {
    let tree = Tree::new(PROJECT);
    for budget in [0, 1, 5, 20, 60, 100, 150, 200, 250, 300, 400, 1_000] {
        for format in [Format::Markdown, Format::Xml, Format::Plain] {
            for counter in ["o200k", "claude-4.8", "heuristic"] {
                let options = PackOptions {
                    format: format.clone(),
                    counter: counter.parse().unwrap(),
                    ..options(Some(budget))
                };
                let packed = packed(&tree, &options);
                let counted = options.counter.count(&packed.content);
                assert_eq!(counted, packed.tokens);
                assert!(counted <= Tokens::new(budget), "{budget} {format:?} {counter}");
                let accounted = packed.files.len() + packed.omitted.len();
                assert_eq!(accounted, 7, "{budget} {format:?} {counter}");
            }
        }
    }
}

#[test]
fn f072_an_empty_repository_is_an_empty_pack() {
    let tree = Tree::new("");
    let packed = packed(&tree, &options(Some(1_000)));
    assert!(packed.files.is_empty() && packed.omitted.is_empty());
    assert!(packed.tokens <= Tokens::new(1_000));
}

#[test]
fn secrets_are_redacted_and_noted() {
    let key = ["ghp_", "aZ3kQ9xV2mB7nC4dF6gH8jK1lP5rS0tU", "wY4e"].concat();
    let tree = Tree::new("");
    tree.write("a.py", format!("token = \"{key}\"\nprint(1)\n"));
    let packed = packed(&tree, &options(None));
    assert!(!packed.content.contains(&key), "{}", packed.content);
    assert!(packed.content.contains("[redacted: "), "{}", packed.content);
    assert_eq!(packed.notes[0].to_string(), "a.py: 1 secret redacted");
}

#[test]
fn f259_two_runs_give_the_same_bytes_with_and_without_a_store() {
    let tree = Tree::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), crate::cache::CacheOptions::default());
    let later = i64::MAX / 2;
    for budget in [Some(120), Some(250), None] {
        let options = PackOptions { now_ns: later, ..options(budget) };
        let first = pack(tree.root(), &options, &Cache::disabled()).unwrap();
        let second = pack(tree.root(), &options, &store).unwrap();
        let third = pack(tree.root(), &options, &store).unwrap();
        assert_eq!(first.content, second.content);
        assert_eq!(first.content, third.content);
        assert_eq!(omitted(&first), omitted(&third));
    }
}

#[test]
fn cancelled_work_stops_with_an_error_and_leaves_nothing_behind() {
    let tree = Tree::new(PROJECT);
    let options = options(Some(2_000));
    options.cancel.cancel();
    let store = Cache::disabled();
    let root = tree.root();
    let search_options = SearchOptions::new(options.clone());
    let errors = [
        pack(root, &options, &store).unwrap_err(),
        pack_for_task(root, "add numbers", &options, &store).unwrap_err(),
        map(root, &options, &store).unwrap_err(),
        search(root, "add numbers", &search_options, &store).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, PackError::Cancelled), "{error}");
        assert_eq!(error.code(), "LL-CTX-001");
    }
}
