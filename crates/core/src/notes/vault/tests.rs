//! Everything is whole after every crash, and everything comes back.

mod faults;
mod input;
mod kill;
mod round_trip;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tempfile::TempDir;

use super::super::{
    Compaction, CompactionPlan, Edits, Feature, Features, FileChange, Level, NotesError,
    NotesOptions, PruneOptions, Pruned, Reverted, WriteOptions, apply, history, prune, recover,
    revert,
};
use super::{Disk, Fault};
use crate::settings::Config;
use crate::tokens::{Counter, Tokens};

/// The second at which the tests begin.
pub(in crate::notes) const START: i64 = 1_769_860_800;
/// A day, in seconds.
pub(in crate::notes) const DAY: i64 = 86_400;

/// One file: its content, permissions and time.
type Kept = (Vec<u8>, u32, SystemTime);

/// A feature in a directory of its own.
pub(in crate::notes) struct World {
    pub(in crate::notes) feature: Feature,
    _directory: TempDir,
}

/// Memory is faster than a disk, where there is a file system in it.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

impl World {
    pub(in crate::notes) fn new(files: &[(&str, &str)]) -> World {
        let directory = directory();
        let world = World { feature: open(directory.path()), _directory: directory };
        for (index, (name, text)) in files.iter().enumerate() {
            world.write(name, text);
            let days = index as u64 + 1;
            world.age(name, Duration::from_secs(days * DAY as u64));
        }
        world
    }

    /// Notes of several kinds, one of them odd.
    pub(in crate::notes) fn usual() -> World {
        let world = World::new(&[
            ("notes.md", "old notes\n"),
            ("progress.md", "# Progress\n\nlong, long ago\n\nand so on\n"),
            ("state.json", "{\n  \"phase\": \"build\",\n  \"x\": [1,  2]\n}\n"),
            ("tasks.md", "- [x] one\n- [ ] two\n"),
            ("untouched.txt", "mine\n"),
        ]);
        world.set_mode("progress.md", 0o640);
        world.set_mode("notes.md", 0o444);
        fs::create_dir(world.feature.path("deeper")).unwrap();
        fs::write(world.feature.path("deeper/file.md"), "deep\n").unwrap();
        world
    }

    pub(in crate::notes) fn write(&self, name: &str, text: &str) {
        fs::write(self.feature.path(name), text).unwrap();
    }

    pub(in crate::notes) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.feature.path(name)).unwrap()
    }

    /// Gives a file a time before the start.
    pub(in crate::notes) fn age(&self, name: &str, age: Duration) {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(START as u64);
        let file = fs::File::options().write(true).open(self.feature.path(name)).unwrap();
        // Nanoseconds come back, too.
        file.set_modified(start - age + Duration::from_nanos(123_456_789)).unwrap();
    }

    #[cfg(unix)]
    fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.feature.path(name), permissions).unwrap();
    }

    #[cfg(not(unix))]
    fn set_mode(&self, _: &str, _: u32) {}

    /// Everything that is not kept below `.compaction`.
    pub(in crate::notes) fn tree(&self) -> BTreeMap<String, Kept> {
        tree(self.feature.directory())
    }

    /// Contents and permissions alone.
    pub(in crate::notes) fn contents(&self) -> BTreeMap<String, (Vec<u8>, u32)> {
        let tree = self.tree().into_iter();
        tree.map(|(name, (bytes, mode, _))| (name, (bytes, mode))).collect()
    }

    pub(in crate::notes) fn ids(&self) -> Vec<String> {
        let (entries, notes) = history(&self.feature).unwrap();
        assert_eq!(notes, []);
        entries.into_iter().map(|entry| entry.id).collect()
    }

    pub(in crate::notes) fn apply(
        &self,
        plan: CompactionPlan,
        options: &WriteOptions,
    ) -> Compaction {
        apply(&self.feature, plan, &memory(options.now), options).unwrap()
    }

    pub(in crate::notes) fn revert(&self, id: &str, now: i64) -> Result<Reverted, NotesError> {
        revert(&self.feature, id, Edits::Refuse, &options(now))
    }

    /// Says what a compaction of the usual notes is.
    pub(in crate::notes) fn plan(&self, level: Level) -> CompactionPlan {
        plan_in(&self.feature, level)
    }
}

pub(in crate::notes) fn plan_of(level: Level, changes: Vec<FileChange>) -> CompactionPlan {
    CompactionPlan {
        feature: "login".to_owned(),
        level,
        tokens_before: Tokens::new(18_670),
        tokens_after: Tokens::new(10_220),
        changes,
        document: None,
        preserved_decisions: Vec::new(),
        preserved_files: Vec::new(),
        information_loss: false,
        notes: Vec::new(),
        read: Vec::new(),
    }
}

/// Finds the feature of a directory, or makes it.
fn open(directory: &Path) -> Feature {
    fs::create_dir_all(directory.join("login")).unwrap();
    Features::new(directory).feature("login").unwrap()
}

fn tree(directory: &Path) -> BTreeMap<String, Kept> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        let name = entry.file_name().into_string().unwrap();
        if metadata.is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            files.insert(name, (bytes, mode(&metadata), metadata.modified().unwrap()));
        } else if metadata.is_dir() && name != ".compaction" {
            let below = tree(&entry.path()).into_iter();
            files.extend(below.map(|(file, kept)| (format!("{name}/{file}"), kept)));
        }
    }
    files
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

/// A disk that works and does not wait, so many seconds after the start.
pub(in crate::notes) fn options(now: i64) -> WriteOptions {
    failing(now, Fault::none())
}

fn failing(now: i64, fault: Fault) -> WriteOptions {
    WriteOptions {
        now: Timestamp::from_second(START + now).unwrap(),
        rollback_window: Duration::from_secs(DAY as u64),
        wait: Duration::ZERO,
        disk: Disk::testing(fault),
    }
}

pub(in crate::notes) fn memory(now: Timestamp) -> NotesOptions {
    static USUAL: LazyLock<NotesOptions> = LazyLock::new(|| {
        let config = Config::load(Vec::new()).unwrap();
        let counter = Counter::open("heuristic").unwrap().0;
        let (settings, window) = (&config.settings().memory, Tokens::new(200_000));
        NotesOptions::new(settings, counter, window, Timestamp::UNIX_EPOCH).unwrap()
    });
    NotesOptions { now, ..USUAL.clone() }
}

/// What may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Apply,
    Revert,
    Prune,
}

impl Action {
    const ALL: [Action; 3] = [Action::Apply, Action::Revert, Action::Prune];

    /// A world in which the action can be done, with something in its history.
    fn world(self) -> World {
        let world = World::usual();
        let first = FileChange {
            name: "tasks.md".to_owned(),
            before: Some(world.read("tasks.md").into_bytes()),
            after: Some(b"- [x] one\n- [x] two\n- [ ] three\n".to_vec()),
            items: Vec::new(),
        };
        world.apply(plan_of(Level::Compact, vec![first]), &options(0));
        if self == Action::Revert {
            world.apply(world.plan(Level::Summarize), &options(1));
        }
        for name in ["notes.md", "progress.md", "state.json", "untouched.txt"] {
            let old = Duration::from_secs(40 * DAY as u64);
            if self == Action::Prune && name != "notes.md" {
                world.age(name, old);
            }
        }
        world
    }

    /// Does it, with a day that lets what is older expire and be compressed.
    fn run(self, feature: &Feature, options: &WriteOptions) -> Result<(), NotesError> {
        let memory = memory(options.now);
        match self {
            Action::Apply => {
                let world_plan = plan_in(feature, Level::Handoff);
                apply(feature, world_plan, &memory, options).map(drop)
            }
            Action::Revert => {
                let id = format!("summarize_{}", START + 1);
                revert(feature, &id, Edits::Refuse, options).map(drop)
            }
            Action::Prune => {
                let prune_options = PruneOptions {
                    max_age: Duration::from_secs(30 * DAY as u64),
                    active: false,
                    lifecycle: None,
                };
                prune(feature, &prune_options, options).map(|_: Pruned| ())
            }
        }
    }

    /// The time at which it is done; the first entry of the history has expired then.
    fn now(self) -> i64 {
        match self {
            Action::Revert => DAY + 1,
            _ => 2 * DAY,
        }
    }
}

fn plan_in(feature: &Feature, level: Level) -> CompactionPlan {
    let bytes = |name: &str| fs::read(feature.path(name)).ok();
    let change = |name: &str, after: Option<&str>| FileChange {
        name: name.to_owned(),
        before: bytes(name),
        after: after.map(|text| text.as_bytes().to_vec()),
        items: Vec::new(),
    };
    plan_of(
        level,
        vec![
            change("deeper/file.md", Some("d\n")),
            change("notes.md", None),
            change("progress.md", Some("# Progress\n\nshort\n")),
            change("summary.md", Some("all of it\n")),
            change("tasks.md", Some("- [ ] two\n")),
        ],
    )
}

/// Asserts that all files are those before or all those after, and that the history agrees.
///
/// `before` and `after` are the same world with the action not done and done.
fn assert_whole(action: Action, world: &World, before: &World, after: &World, place: &str) -> bool {
    let notes = recover(&world.feature, &options(action.now()));
    assert!(notes.is_ok(), "{place}: {notes:?}");
    let own = world.feature.path(".compaction");
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let left = name == "pending.json" || name.starts_with("tmp-");
        assert!(!left, "{place}: {name} is left");
    }
    let contents = world.contents();
    let done = contents == after.contents();
    let message = || format!("{place}: neither before nor after: {:?}", contents.keys());
    assert!(done || contents == before.contents(), "{}", message());
    assert_ne!(before.contents(), after.contents());
    let expected = if done { after.ids() } else { before.ids() };
    assert_eq!(world.ids(), expected, "{place}");
    // No original is lost: what was done can be undone to the byte.
    if done {
        let id = expected.last().unwrap();
        world.revert(id, action.now() + 1).unwrap();
    }
    assert_eq!(world.contents(), before.contents(), "{place}");
    done
}
