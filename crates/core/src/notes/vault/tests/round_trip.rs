//! Whatever is done in whatever order: taken back, it is as it was.

use proptest::prelude::*;

use super::super::super::{compact, restore};
use super::*;

const NAMES: [&str; 7] =
    ["progress.md", "tasks.md", "state.json", "summary.md", "handoff.md", "заметки.md", "data.bin"];

#[derive(Clone, Debug)]
enum Step {
    /// A plan of no sense.
    Change(Vec<(usize, Option<Vec<u8>>)>),
    /// A plan as users get it.
    Compact(Level),
    Prune(u64),
    /// Takes back something in the history, by its number from the end.
    Revert(usize),
    /// Brings back what something in the history archived.
    Restore(usize),
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just("# Progress\n".to_owned()),
        Just("## Decision: use tokens\n".to_owned()),
        Just("- [ ] open task\n- [x] done task\n".to_owned()),
        Just("Bash output: ls\na\nb\nc\n\n".to_owned()),
        Just("The same line, said more than once.\n\n".to_owned()),
        Just("{\"phase\": \"build\",\n \"x\": 1}\n".to_owned()),
        "[a-z é]{0,30}\r?\n?",
    ];
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat().into_bytes());
    prop_oneof![8 => text, 1 => prop::collection::vec(any::<u8>(), 0..40)]
}

fn step() -> impl Strategy<Value = Step> {
    let level = prop_oneof![Just(Level::Compact), Just(Level::Summarize), Just(Level::Handoff)];
    let change = (0..NAMES.len(), prop::option::weighted(0.7, content()));
    prop_oneof![
        2 => prop::collection::vec(change, 1..4).prop_map(Step::Change),
        3 => level.prop_map(Step::Compact),
        1 => (0_u64..60).prop_map(Step::Prune),
        2 => (0_usize..5).prop_map(Step::Revert),
        1 => (0_usize..5).prop_map(Step::Restore),
    ]
}

/// Does one step; what cannot be done is refused and changes nothing.
fn take(world: &World, step: Step, now: i64) {
    let feature = &world.feature;
    let options = options(now);
    let before = world.tree();
    let nth_last = |number: usize| world.ids().into_iter().rev().nth(number);
    let done = match step {
        Step::Change(files) => {
            let mut changes: BTreeMap<usize, FileChange> = BTreeMap::new();
            for (name, after) in files {
                changes.insert(
                    name,
                    FileChange {
                        name: NAMES[name].to_owned(),
                        before: fs::read(feature.path(NAMES[name])).ok(),
                        after,
                        items: Vec::new(),
                    },
                );
            }
            let plan = plan_of(Level::Compact, changes.into_values().collect());
            apply(feature, plan, &memory(options.now), &options).map(drop)
        }
        Step::Compact(level) => {
            compact(feature, Some(level), &memory(options.now), &options).map(drop)
        }
        Step::Prune(days) => {
            let old = PruneOptions {
                max_age: Duration::from_secs(days * DAY as u64),
                active: false,
                lifecycle: None,
            };
            prune(feature, &old, &options).map(drop)
        }
        Step::Revert(number) => match nth_last(number) {
            Some(id) => revert(feature, &id, Edits::Refuse, &options).map(drop),
            None => Ok(()),
        },
        Step::Restore(number) => match nth_last(number) {
            Some(id) => restore(feature, &id, Edits::Replace, &options).map(drop),
            None => Ok(()),
        },
    };
    if done.is_err() {
        assert_eq!(world.tree(), before, "{done:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn f218_everything_comes_back_byte_for_byte(
        files in prop::collection::btree_map(
            0..NAMES.len(), (content(), 0_u64..60, prop::sample::select(vec![0o644, 0o600, 0o444])), 1..6,
        ),
        steps in prop::collection::vec(step(), 1..6),
    ) {
        let world = World::new(&[]);
        for (name, (bytes, days, mode)) in &files {
            fs::write(world.feature.path(NAMES[*name]), bytes).unwrap();
            world.age(NAMES[*name], Duration::from_secs(days * DAY as u64));
            world.set_mode(NAMES[*name], *mode);
        }
        let original = world.tree();
        let mut now = 0;
        for step in steps {
            now += 1;
            take(&world, step, now);
        }
        for id in world.ids().into_iter().rev() {
            now += 1;
            let reverted = world.revert(&id, now);
            prop_assert!(reverted.is_ok(), "{id}: {reverted:?}");
        }
        prop_assert_eq!(world.tree(), original);
    }
}
