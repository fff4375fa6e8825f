//! Packs for a task.

use super::*;

const CLOCK: &str = "
    //- /src/session.py
    def expire(session, clock):
        \"\"\"Ends a session when its time is over.\"\"\"
        if clock.now() > session.deadline:
            session.end()
    //- /src/colors.py
    def blend(left, right):
        return (left + right) // 2
    //- /tests/test_session.py
    def test_expire():
        assert expire(None, None) is None
    //- /logo.bin
    \u{0}\u{0}
    ";

fn for_task(tree: &Tree, task: &str, budget: u64) -> Packed {
    let options = options(Some(budget));
    pack_for_task(tree.root(), task, &options, &Store::disabled()).unwrap()
}

#[test]
fn the_file_that_the_task_is_about_comes_first() {
    let tree = Tree::new(CLOCK);
    let packed = for_task(
        &tree,
        "sessions expire too early after the clock change",
        500,
    );
    assert_eq!(packed.files[0].path, "src/session.py");
    assert_eq!(packed.files[0].score, 100);
    let head = "## File: src/session.py (lines 1-4)\n```python\ndef expire(session, clock):\n";
    assert!(packed.content.contains(head), "{}", packed.content);
    let names: Vec<_> = packed.files[0].named_signals();
    assert!(names.contains(&("kind", 1.0)), "{names:?}");
    let counted = options(None).counter.count(&packed.content);
    assert_eq!(counted, packed.tokens);
}

#[test]
fn f114_every_file_is_accounted_for() {
    let tree = Tree::new(CLOCK);
    let packed = for_task(&tree, "expire", 45);
    let all = packed.files.len() + packed.omitted.len();
    assert_eq!(all, 4, "{:?} {:?}", tiers(&packed), omitted(&packed));
    assert!(omitted(&packed).contains(&"logo.bin: not text".to_owned()));
    assert!(omitted(&packed).contains(&"src/colors.py: no match".to_owned()));
}

#[test]
fn f026_a_pack_for_a_task_never_exceeds_its_budget() {
    let tree = Tree::new(CLOCK);
    for number in 0..40 {
        let body = "    expire(session, clock)\n".repeat(30 + number);
        tree.write(
            &format!("src/use{number}.py"),
            format!("def use{number}():\n{body}"),
        );
    }
    for budget in [0, 1, 10, 40, 100, 333, 1_000, 5_000] {
        for counter in ["o200k", "claude-4.8", "heuristic"] {
            let mut options = options(Some(budget));
            options.counter = counter.parse().unwrap();
            let task = "expire session";
            let packed = pack_for_task(tree.root(), task, &options, &Store::disabled()).unwrap();
            let counted = options.counter.count(&packed.content).get();
            assert_eq!(counted, packed.tokens.get());
            assert!(counted <= budget, "{budget} {counter}");
            assert!(
                budget < 1_000 || counted * 100 >= budget * 90,
                "{counted} of {budget}"
            );
        }
    }
}

#[test]
fn odd_tasks_give_a_result() {
    let tree = Tree::new(CLOCK);
    for task in [
        "",
        "   \n",
        "\u{7}\u{0}",
        "the of and",
        "(.*)+[a-z]{9}\\",
        "会话过期太早",
        "تنتهي الجلسة",
    ] {
        let packed = for_task(&tree, task, 400);
        assert_eq!(packed.files.len() + packed.omitted.len(), 4, "{task:?}");
    }
    let notes = for_task(&tree, "", 400).notes;
    let note = "task: has no words to look for; packed by score instead";
    assert!(
        notes.iter().any(|found| found.to_string() == note),
        "{notes:?}"
    );
    let long = "session expire ".repeat(70_000);
    assert_eq!(for_task(&tree, &long, 400).files[0].path, "src/session.py");
}

#[test]
fn f259_a_task_gives_the_same_bytes_with_and_without_a_store() {
    let tree = Tree::new(CLOCK);
    let cache = tempfile::tempdir().unwrap();
    let store = Store::open(cache.path(), crate::StoreOptions::default());
    let options = PackOptions {
        now_ns: i64::MAX / 2,
        ..options(Some(300))
    };
    let without = Store::disabled();
    let first = pack_for_task(tree.root(), "clock change", &options, &without).unwrap();
    for _ in 0..2 {
        let again = pack_for_task(tree.root(), "clock change", &options, &store).unwrap();
        assert_eq!(first.content, again.content);
    }
}
