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
    pack_for_task(tree.root(), task, &options, &Cache::disabled()).unwrap()
}

#[test]
fn the_file_that_the_task_is_about_comes_first() {
    let tree = Tree::new(CLOCK);
    let packed = for_task(&tree, "sessions expire too early after the clock change", 500);
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
    assert!(omitted(&packed).contains(&"logo.bin: binary".to_owned()));
    assert!(omitted(&packed).contains(&"src/colors.py: no match".to_owned()));
}

#[test]
fn f026_a_pack_for_a_task_never_exceeds_its_budget() {
    let tree = Tree::new(CLOCK);
    for number in 0..40 {
        let body = "    expire(session, clock)\n".repeat(30 + number);
        tree.write(&format!("src/use{number}.py"), format!("def use{number}():\n{body}"));
    }
    for budget in [0, 1, 10, 40, 100, 333, 1_000, 5_000] {
        for counter in ["o200k", "claude-4.8", "heuristic"] {
            let mut options = options(Some(budget));
            options.counter = counter.parse().unwrap();
            let task = "expire session";
            let packed = pack_for_task(tree.root(), task, &options, &Cache::disabled()).unwrap();
            let counted = options.counter.count(&packed.content).get();
            assert_eq!(counted, packed.tokens.get());
            assert!(counted <= budget, "{budget} {counter}");
            assert!(budget < 1_000 || counted * 100 >= budget * 80, "{counted} of {budget}");
        }
    }
}

#[test]
fn odd_tasks_give_a_result() {
    let tree = Tree::new(CLOCK);
    for task in
        ["", "   \n", "\u{7}\u{0}", "the of and", "(.*)+[a-z]{9}\\", "会话过期太早", "تنتهي الجلسة"]
    {
        let packed = for_task(&tree, task, 400);
        assert_eq!(packed.files.len() + packed.omitted.len(), 4, "{task:?}");
    }
    let notes = for_task(&tree, "", 400).notes;
    let note = "task: has no words to look for; packed by score instead";
    assert!(notes.iter().any(|found| found.to_string() == note), "{notes:?}");
    let long = "session expire ".repeat(70_000);
    assert_eq!(for_task(&tree, &long, 400).files[0].path, "src/session.py");
}

#[test]
fn f259_a_task_gives_the_same_bytes_with_and_without_a_store() {
    let tree = Tree::new(CLOCK);
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), crate::cache::CacheOptions::default());
    let options = PackOptions { now_ns: i64::MAX / 2, ..options(Some(300)) };
    let without = Cache::disabled();
    let first = pack_for_task(tree.root(), "clock change", &options, &without).unwrap();
    for _ in 0..2 {
        let again = pack_for_task(tree.root(), "clock change", &options, &store).unwrap();
        assert_eq!(first.content, again.content);
    }
}

fn with(tree: &Tree, task: &str, change: impl FnOnce(&mut PackOptions)) -> Packed {
    let mut options = options(Some(400));
    change(&mut options);
    let packed = pack_for_task(tree.root(), task, &options, &Cache::disabled()).unwrap();
    assert!(packed.tokens <= options.budget.unwrap());
    assert_eq!(options.counter.count(&packed.content), packed.tokens);
    packed
}

fn paths(packed: &Packed) -> Vec<&str> {
    packed.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn f059_pinned_files_come_first_and_whole_whatever_the_task_says() {
    let tree = Tree::new(CLOCK);
    let pinned = with(&tree, "expire session", |options| {
        options.score.pin = vec!["colors.py".to_owned()];
    });
    assert_eq!(paths(&pinned)[..2], ["src/colors.py", "src/session.py"]);
    assert_eq!(pinned.files[0].tier, Tier::Full);
}

#[test]
fn f026_pinned_files_that_are_too_large_are_cut_to_their_best_passages() {
    let tree = Tree::new(CLOCK);
    let filler = |name: &str| format!("def {name}():\n{}", "    return value\n".repeat(40));
    let middle = "def rollover(journal):\n    journal.rotate()\n    return journal\n\n";
    let large = [filler("a"), filler("b"), middle.to_owned(), filler("c")].concat();
    tree.write("src/large.py", &large);
    tree.write("src/huge.py", large.repeat(9));
    for budget in [60, 120, 300, 1_200] {
        let packed = with(&tree, "journal rollover", |options| {
            options.budget = Some(Tokens::new(budget));
            options.score.pin = vec!["large.py".to_owned(), "huge.py".to_owned()];
        });
        assert!(budget < 1_200 || paths(&packed).contains(&"src/large.py"));
        assert!(budget < 1_200 || paths(&packed).contains(&"src/huge.py"));
        let cut = packed.files.iter().filter(|file| file.tier == Tier::Chunks);
        assert!(budget < 1_200 || cut.count() >= 1);
        assert!(budget < 1_200 || packed.content.contains("def rollover"), "{budget}");
    }
    let none = with(&tree, "journal", |options| {
        options.budget = Some(Tokens::new(3));
        options.score.pin = vec!["large.py".to_owned()];
    });
    let note = "src/large.py: pinned, but not packed: over budget";
    let notes: Vec<String> = none.notes.iter().map(ToString::to_string).collect();
    assert!(notes.contains(&note.to_owned()), "{notes:?}");
}

#[test]
fn boosted_and_open_files_score_higher_and_say_so() {
    let tree = Tree::new(CLOCK);
    let plain = with(&tree, "expire session", |_| {});
    assert!(!paths(&plain).contains(&"src/colors.py"));
    let open = with(&tree, "expire session", |options| {
        options.open = vec![tree.path("src/colors.py"), tree.path("gone.py")];
    });
    let shown = open.files.iter().find(|file| file.path == "src/colors.py");
    let shown = shown.unwrap();
    assert_eq!(shown.score, 50);
    assert!(shown.named_signals().contains(&("open", 0.5)));
    let notes: Vec<String> = open.notes.iter().map(ToString::to_string).collect();
    assert!(notes[0].ends_with("gone.py: open, but not among the texts that are packed"));
    let boosted = with(&tree, "expire session", |options| {
        options.score.boost = vec!["colors.py".to_owned()];
    });
    let shown = boosted.files.iter().find(|file| file.path == "src/colors.py");
    assert_eq!(shown.unwrap().score, 20);
}

#[test]
fn f104_equal_files_are_shown_once_for_a_task_too() {
    let tree = Tree::new(CLOCK);
    let text = std::fs::read_to_string(tree.path("src/session.py")).unwrap();
    tree.write("old/copy.py", &text);
    let packed = with(&tree, "expire session clock", |_| {});
    let head = "## File: src/session.py (lines 1-4; the same as old/copy.py)\n";
    assert!(packed.content.contains(head), "{}", packed.content);
    assert_eq!(packed.content.matches("session.end()").count(), 1);
    let twin = "old/copy.py: duplicate of src/session.py".to_owned();
    assert!(omitted(&packed).contains(&twin), "{:?}", omitted(&packed));
    let both = with(&tree, "expire session clock", |options| {
        options.dedup = false;
    });
    assert_eq!(both.content.matches("session.end()").count(), 2);
}

#[test]
fn files_are_written_by_path_or_the_best_first() {
    let tree = Tree::new(CLOCK);
    let task = "expire session";
    let packed = |order| with(&tree, task, |options| options.order = order);
    let (best, auto) = (packed(Some(PackOrder::Rank)), packed(None));
    assert_eq!(best.content, auto.content);
    assert_eq!(paths(&best)[0], "src/session.py");
    let by_path = packed(Some(PackOrder::Path));
    assert!(paths(&by_path).is_sorted() && by_path.content.contains(", by path;"));
    tree.write("src/main.py", "def main():\n    return 0\n");
    let pack_by = |order| {
        let options = PackOptions { order, ..options(Some(2_000)) };
        pack(tree.root(), &options, &Cache::disabled()).unwrap()
    };
    let (by_path, by_score) = (pack_by(None), pack_by(Some(PackOrder::Rank)));
    assert_eq!(by_path.tokens, by_score.tokens);
    let heads: Vec<&str> =
        by_score.content.lines().filter(|line| line.starts_with("## File: ")).collect();
    assert!(!heads.is_sorted(), "{heads:?}");
    let cost = |packed: &Packed| -> Vec<(String, Tokens)> {
        let files = packed.files.iter();
        files.map(|file| (file.path.clone(), file.tokens)).collect()
    };
    assert_eq!(cost(&by_path), cost(&by_score));
}

#[test]
fn f102_the_parts_of_files_and_passages_add_up() {
    let tree = Tree::new(CLOCK);
    let packed = |rank_by: RankBy| {
        with(&tree, "expire session clock", |options| {
            options.rank_by = rank_by;
            options.open = vec![tree.path("src/colors.py")];
            options.score.boost = vec!["*.py".to_owned()];
        })
    };
    let formula = packed(RankBy::Formula);
    let best = Contribution::sum(&formula.files[0].parts);
    for file in &formula.files {
        let score = Contribution::sum(&file.parts);
        assert_eq!((100.0 * score / best).round() as u32, file.score);
        assert!(!file.passages.is_empty());
        for passage in &file.passages {
            assert!((Contribution::sum(&passage.parts) - passage.score).abs() < 1e-9);
            let file_part = passage.parts.iter().find(|part| part.signal == "file");
            assert!((file_part.unwrap().value - score).abs() < 1e-9);
        }
    }
    let learned = packed(RankBy::Learned);
    let passages = learned.files.iter().flat_map(|file| &file.passages);
    // Files that say nothing of the task are here only because they are preferred.
    for passage in passages.filter(|passage| passage.learned) {
        let share = 1.0 / (1.0 + (-Contribution::sum(&passage.parts)).exp());
        assert!(share <= passage.score + 1e-9, "{passage:?}");
    }
    let plain = pack(tree.root(), &options(Some(2_000)), &Cache::disabled()).unwrap();
    for file in &plain.files {
        assert_eq!(Contribution::sum(&file.parts).round(), f64::from(file.score));
    }
}

#[test]
fn scripts_without_spaces_match_their_own_text_and_names() {
    let tree = Tree::new(CLOCK);
    tree.write("src/login.py", "# 用户登录会话过期检查\ndef check():\n    return 1\n");
    tree.write("src/name.py", "def 会话过期():\n    return 2\n");
    tree.write("src/arabic.py", "# تنتهي الجلسة مبكرا\ndef done():\n    return 3\n");
    let chinese = with(&tree, "会话过期太早", |_| {});
    let mut first: Vec<&str> = paths(&chinese)[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["src/login.py", "src/name.py"]);
    assert_eq!(paths(&with(&tree, "الجلسة", |_| {})), ["src/arabic.py"]);
}
