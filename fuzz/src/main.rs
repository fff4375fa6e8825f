//! Runs the targets on stable Rust: seeds, damaged at random, on all cores.
//!
//!     fuzz [--seconds N | --inputs N] [--seed N] [--target NAME] [SEEDS...]
//!
//! SEEDS are files or directories; without any, the repository's own texts are taken. An input
//! that panics or takes longer than ten seconds is written to `fuzz/found/`, named by its
//! target, and the run fails. The files of `fuzz/regressions` are run first, as they are.
//! `cargo fuzz` finds more in the same time, and needs a nightly toolchain.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use loadline_fuzz::{TARGETS, Target, seeds};

/// What takes longer is a hang.
const SLOWEST: Duration = Duration::from_secs(10);
/// Inputs are kept below this, so that many fit into a second.
const LARGEST: usize = 12_288;
/// What formats are made of, to be put into the middle of others.
const ODD: [&str; 24] = [
    "{\"type\":\"tool_result\",\"content\":",
    "\"role\":\"assistant\"",
    "[[",
    "]]}}",
    "\u{202e}",
    "\u{feff}",
    "\r\n",
    "\0",
    "- [x] ",
    "## ",
    "| a | b |\n|--|--|\n",
    "```",
    "~~~md\n",
    "1e999",
    "-1",
    "99999999999999999999",
    "\"\\ud83d\"",
    "<![CDATA[",
    "</file>",
    "echo {",
    "#if",
    "/*",
    "\"\"\"",
    "\u{10fffd}",
];

struct Wishes {
    seconds: Option<u64>,
    inputs: Option<u64>,
    seed: u64,
    target: Option<String>,
    seeds: Vec<PathBuf>,
}

/// A small generator of random numbers (splitmix64); the same seed gives the same run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn main() -> ExitCode {
    let wishes = match wishes() {
        Ok(wishes) => wishes,
        Err(message) => {
            report(&format!("fuzz: {message}"));
            return ExitCode::from(2);
        }
    };
    // A panic is reported once, with the input that caused it.
    std::panic::set_hook(Box::new(|_| {}));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_wanted = |name: &str| wishes.target.as_deref().is_none_or(|it| it == name);
    let wanted: Vec<(&str, usize, Target)> =
        TARGETS.into_iter().filter(|(name, ..)| is_wanted(name)).collect();
    let bad: u64 = wanted.iter().map(|(name, _, target)| again(name, *target, root)).sum();
    let often = |(name, share, target)| std::iter::repeat_n((name, target), share);
    let targets: Vec<(&str, Target)> = wanted.iter().copied().flat_map(often).collect();
    let run = Run {
        targets: &targets,
        seeds: &all_seeds(&wishes, root),
        end: wishes.seconds.map(|it| Instant::now() + Duration::from_secs(it)),
        inputs: wishes.inputs.unwrap_or(u64::MAX),
        root,
        done: AtomicU64::new(0),
        bad: AtomicU64::new(bad),
    };
    let current: Vec<Mutex<Running>> = (0..threads()).map(|_| Mutex::default()).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| watch(&current, &is_over, root));
        let begin = |(number, running)| {
            let chance = Chance(wishes.seed.wrapping_add(number as u64 * 1_000_003));
            let run = &run;
            scope.spawn(move || run.work(chance, running))
        };
        let workers: Vec<_> = current.iter().enumerate().map(begin).collect();
        let ended: Vec<_> = workers.into_iter().map(|it| it.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a worker panicked outside of a target");
    });
    let (done, bad) = (run.done.into_inner(), run.bad.into_inner());
    report(&format!("fuzz: {done} inputs over {} targets, {bad} failed", wanted.len()));
    if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What all workers share.
struct Run<'a> {
    /// Each as often as its share says.
    targets: &'a [(&'static str, Target)],
    seeds: &'a [(&'static str, Vec<u8>)],
    end: Option<Instant>,
    inputs: u64,
    root: &'a Path,
    done: AtomicU64,
    bad: AtomicU64,
}

impl Run<'_> {
    /// Tries input after input until time or number is used up.
    fn work(&self, mut chance: Chance, running: &Mutex<Running>) {
        while self.end.is_none_or(|it| Instant::now() < it) {
            if self.done.fetch_add(1, Ordering::Relaxed) >= self.inputs {
                self.done.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            let (name, target) = self.targets[chance.below(self.targets.len())];
            let data = damaged(&seeds_of(self.seeds, name, &mut chance), &mut chance);
            running.lock().expect("nothing panics with it").begin(name, &data);
            if !survives(name, target, &data, self.root) {
                self.bad.fetch_add(1, Ordering::Relaxed);
            }
            running.lock().expect("nothing panics with it").since = None;
        }
    }
}

/// Runs what failed once, as it was; returns how many fail again.
fn again(name: &str, target: Target, root: &Path) -> u64 {
    let known = files(&[root.join("regressions").join(name)]).into_iter();
    let data = known.map(|file| fs::read(file).unwrap_or_default());
    data.filter(|it| !survives(name, target, it, root)).count() as u64
}

#[expect(clippy::print_stderr, reason = "this is a program")]
fn report(line: &str) {
    eprintln!("{line}");
}

fn wishes() -> Result<Wishes, String> {
    let mut wishes =
        Wishes { seconds: None, inputs: None, seed: 1, target: None, seeds: Vec::new() };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |it: String| it.parse().map_err(|_| format!("{it:?} is not a number"));
        match argument.as_str() {
            "--seconds" => wishes.seconds = Some(number(value()?)?),
            "--inputs" => wishes.inputs = Some(number(value()?)?),
            "--seed" => wishes.seed = number(value()?)?,
            "--target" => wishes.target = Some(value()?),
            it if it.starts_with('-') => return Err(format!("unknown option {it}")),
            it => wishes.seeds.push(PathBuf::from(it)),
        }
    }
    let is_known = |it: &String| TARGETS.iter().any(|(name, ..)| name == it);
    if let Some(target) = wishes.target.as_ref().filter(|it| !is_known(it)) {
        let names: Vec<&str> = TARGETS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("unknown target {target:?}; known: {}", names.join(", ")));
    }
    if wishes.seconds.is_none() && wishes.inputs.is_none() {
        wishes.seconds = Some(60);
    }
    if wishes.seeds.is_empty() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        wishes.seeds =
            ["docs", "crates/core/data", "crates/core/src/syntax", "fuzz/src", "Cargo.toml"]
                .map(|it| root.join(it))
                .into();
    }
    Ok(wishes)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The files at and below some paths, in order.
fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            let mut below: Vec<PathBuf> = entries.map(|it| it.path()).collect();
            below.sort();
            found.extend(files(&below));
        } else if path.is_file() {
            found.push(path.clone());
        }
    }
    found
}

/// The seeds that are given, those that are made, by the target that they are for; "" is for all.
fn all_seeds(wishes: &Wishes, root: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let log = fs::read(root.join("../docs/tutorial/session.jsonl")).unwrap_or_default();
    let mut found = seeds(&log);
    for file in files(&wishes.seeds) {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        let target = TARGETS.iter().find(|(name, ..)| folder == *name);
        let data = fs::read(&file).unwrap_or_default();
        // What fuzz/corpora wrote has the bytes that choose already.
        let text = if target.is_some() { data.get(2..).unwrap_or_default() } else { &data };
        found.push((target.map_or("", |(name, ..)| name), text.to_vec()));
    }
    found
}

/// Those of a target more often than those of all.
fn seeds_of<'a>(seeds: &'a [(&str, Vec<u8>)], target: &str, chance: &mut Chance) -> Vec<&'a [u8]> {
    let wants = if chance.below(4) == 0 { "" } else { target };
    let of = |name: &str| {
        seeds.iter().filter(|(it, _)| *it == name).map(|(_, it)| it.as_slice()).collect()
    };
    let found: Vec<&[u8]> = of(wants);
    if found.is_empty() { of("") } else { found }
}

/// A piece of a seed, damaged in up to five ways; often whole lines from its start.
fn damaged(seeds: &[&[u8]], chance: &mut Chance) -> Vec<u8> {
    let seed = seeds.get(chance.below(seeds.len())).copied().unwrap_or_default();
    let line_from =
        |at: usize| seed[at..].iter().position(|it| *it == b'\n').map_or(at, |it| at + it + 1);
    let first = match chance.below(4) {
        0 => chance.below(seed.len()),
        1 => line_from(chance.below(seed.len()).min(seed.len())),
        _ => 0,
    };
    let mut last = (first + 1 + chance.below(LARGEST)).min(seed.len());
    if chance.below(2) == 0 {
        last = line_from(last);
    }
    let mut data = vec![chance.next() as u8, chance.next() as u8];
    data.extend(&seed[first..last]);
    for _ in 0..chance.below(6) {
        let at = chance.below(data.len());
        match chance.below(7) {
            0 => data.truncate(at.max(2)),
            1 => data[at] = chance.next() as u8,
            2 => data[at] ^= 1 << chance.below(8),
            3 => drop(data.splice(at..at, ODD[chance.below(ODD.len())].bytes())),
            4 => {
                // What chooses stays.
                let from = at.max(2).min(data.len());
                let end = (from + chance.below(64)).min(data.len());
                data.drain(from..end);
            }
            5 => {
                let piece = data[at..(at + chance.below(64)).min(data.len())].to_vec();
                let times = 1 + chance.below(20);
                drop(data.splice(at..at, piece.repeat(times)));
            }
            _ => {
                let other = seeds.get(chance.below(seeds.len())).copied().unwrap_or_default();
                let from = chance.below(other.len());
                let piece = other[from..(from + chance.below(200)).min(other.len())].to_vec();
                drop(data.splice(at..at, piece));
            }
        }
    }
    data.truncate(4 * LARGEST);
    data
}

/// What a worker is doing, and since when.
#[derive(Default)]
struct Running {
    name: &'static str,
    data: Vec<u8>,
    since: Option<Instant>,
}

impl Running {
    fn begin(&mut self, name: &'static str, data: &[u8]) {
        self.name = name;
        self.data.clear();
        self.data.extend_from_slice(data);
        self.since = Some(Instant::now());
    }
}

/// Ends the run where an input takes too long: it cannot be stopped otherwise.
fn watch(current: &[Mutex<Running>], is_over: &AtomicBool, root: &Path) {
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        for running in current {
            let running = running.lock().expect("nothing panics with it");
            if running.since.is_some_and(|it| it.elapsed() > SLOWEST) {
                keep(running.name, &running.data, root, "takes longer than ten seconds");
                std::process::exit(1);
            }
        }
    }
}

fn survives(name: &str, target: Target, data: &[u8], root: &Path) -> bool {
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(data))) else {
        return true;
    };
    let message = panic.downcast_ref::<String>().cloned();
    let message = message.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
    keep(name, data, root, &message.unwrap_or_default());
    false
}

/// Writes an input down, named by its content.
fn keep(name: &str, data: &[u8], root: &Path, what: &str) {
    let hash = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |it, byte| {
        (it ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let path = root.join("found").join(name).join(format!("{hash:016x}"));
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, data));
    let place = if written.is_ok() { path.display().to_string() } else { "nowhere".to_owned() };
    report(&format!("{name}: {what}; the input is in {place}"));
}
