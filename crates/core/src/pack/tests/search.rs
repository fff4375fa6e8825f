//! Searches, and that they rank as packs for a task do.

use super::*;
use crate::cache::CacheOptions;
use crate::pack::{SearchOptions, Searched, search};

const CODE: &str = "
    //- /src/session.py
    def expire(session, clock):
        \"\"\"Ends a session when its time is over.\"\"\"
        if clock.now() > session.deadline:
            session.end()
    //- /src/colors.py
    def blend(left, right):
        return (left + right) // 2
    //- /src/expiry/limits.py
    DAYS = 3
    //- /tests/test_session.py
    def test_expire():
        assert expire(None, None) is None
    //- /logo.bin
    \u{0}\u{0}
    ";

fn found(tree: &Tree, text: &str, options: &SearchOptions) -> Searched {
    search(tree.root(), text, options, &Cache::disabled()).unwrap()
}

fn all() -> SearchOptions {
    SearchOptions::new(options(None))
}

fn paths(searched: &Searched) -> Vec<&str> {
    searched.hits.iter().map(|hit| &*hit.path).collect()
}

#[test]
fn the_best_passage_comes_first_with_its_lines() {
    let tree = Tree::new(CODE);
    let searched = found(&tree, "when do sessions expire", &all());
    assert_eq!(paths(&searched), ["src/session.py", "tests/test_session.py"]);
    assert_eq!((searched.matched, searched.searched), (2, 4));
    let hit = &searched.hits[0];
    assert_eq!((hit.lines, hit.language), ((1, 4), Some("python")));
    assert!(hit.text.starts_with("def expire(session, clock):\n"));
    assert_eq!(hit.tokens, options(None).counter.count(&hit.text));
    let mut formula = all();
    formula.pack.rank_by = RankBy::Formula;
    let plain = found(&tree, "when do sessions expire", &formula);
    let weights = crate::pack::ranking::TaskWeights::default();
    assert_eq!(plain.hits[0].signals.score(&weights), plain.hits[0].score);
    assert!((0.0..1.0).contains(&hit.score), "{}", hit.score);
    let files: Vec<&str> = searched.files.iter().map(|file| &*file.path).collect();
    assert_eq!(files, ["src/session.py", "tests/test_session.py"]);
}

#[test]
fn a_file_that_matches_by_its_path_alone_is_found() {
    let tree = Tree::new(CODE);
    let searched = found(&tree, "limits", &all());
    assert_eq!(paths(&searched), ["src/expiry/limits.py"]);
}

#[test]
fn the_limit_and_the_budget_bound_what_is_returned() {
    let tree = Tree::new(CODE);
    let one = SearchOptions { limit: 1, ..all() };
    assert_eq!(found(&tree, "expire", &one).hits.len(), 1);
    let none = SearchOptions { limit: 0, ..all() };
    let searched = found(&tree, "expire", &none);
    assert_eq!((searched.hits.len(), searched.files.len()), (0, 2));
    let best = found(&tree, "expire", &one).hits[0].tokens.get();
    for (budget, hits) in [(best - 1, 0), (best, 1), (best + 1, 1), (10_000, 2)] {
        let options = SearchOptions::new(options(Some(budget)));
        let searched = found(&tree, "expire", &options);
        assert_eq!(searched.hits.len(), hits, "{budget}");
        assert_eq!(searched.notes.len(), usize::from(hits == 0), "{budget}");
    }
}

#[test]
fn nothing_to_look_for_finds_nothing() {
    let tree = Tree::new(CODE);
    for text in ["", " \n", "...", "zzyzx"] {
        let searched = found(&tree, text, &all());
        assert!(searched.hits.is_empty() && searched.files.is_empty());
    }
    let notes = found(&tree, "", &all()).notes;
    assert_eq!(notes[0].to_string(), "search: has no words to look for");
}

#[test]
fn f090_a_second_search_takes_everything_from_the_store() {
    let tree = Tree::new(CODE);
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), CacheOptions::default());
    let mut options = all();
    options.pack.now_ns = i64::MAX / 2;
    let first = found(&tree, "session clock", &options);
    assert!(!first.hits.is_empty());
    let again = || search(tree.root(), "session clock", &options, &store).unwrap();
    assert_eq!(again(), first);
    let misses = store.stats().misses;
    assert!(misses > 0);
    assert_eq!(again(), first);
    assert_eq!(store.stats().misses, misses);
}

#[test]
fn the_best_file_of_a_search_is_the_best_file_of_a_pack() {
    let tree = Tree::new(CODE);
    for text in ["expire", "blend colors", "limits", "deadline of a session"] {
        let packed = pack_for_task(tree.root(), text, &options(Some(500)), &Cache::disabled());
        let searched = found(&tree, text, &all());
        assert_eq!(packed.unwrap().files[0].path, searched.hits[0].path);
    }
}
