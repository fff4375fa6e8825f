//! Measures how fast counting is, next to its peers, in one run.
//!
//! ```text
//! cargo bench -p loadline-cli --bench speed [-- DIRECTORY]
//! ```
//!
//! DIRECTORY should hold at least 40 MB of source; the sources of cargo's
//! registry, which the build has just filled, are the default. Times are CPU
//! times of one thread, the least of three rounds; ratios compare within the
//! run. The whole command is run as a user would, cold and from its cache.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loadline::repo::{WalkOptions, walk};
use loadline::tokens::Counter;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

type Count = Box<dyn Fn(&str) -> usize>;

const ROUNDS: usize = 3;
/// Bytes of text: enough for steady numbers in a minute.
const MOST: usize = 60_000_000;

fn main() -> Result<()> {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let directory = given.map_or_else(registry_sources, PathBuf::from);
    let texts = texts(&directory)?;
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} files, {:.1} MB of text\n", texts.len(), bytes as f64 / 1e6);
    throughput(&texts, bytes)?;
    monotony()?;
    command(&directory)
}

fn throughput(texts: &[String], bytes: usize) -> Result<()> {
    let bpe_openai = bpe_openai::o200k_base();
    let tiktoken = tiktoken_rs::o200k_base()?;
    let ours: Counter = "o200k".parse()?;
    let mut peers: Vec<(&str, Count)> = vec![
        ("loadline o200k", Box::new(move |text| ours.count(text).get() as usize)),
        ("bpe-openai o200k", Box::new(move |text| bpe_openai.count(text))),
        ("tiktoken-rs o200k", Box::new(move |text| tiktoken.encode_ordinary(text).len())),
    ];
    for name in ["cl100k", "claude-3", "claude-4.8"] {
        let counter: Counter = name.parse()?;
        peers.push((name, Box::new(move |text| counter.count(text).get() as usize)));
    }
    println!("one thread               MB/s   loadline o200k is faster by      tokens");
    let mut first = None;
    for (name, count) in peers {
        let mut tokens = 0;
        let least = least(|| tokens = texts.iter().map(|text| count(text)).sum::<usize>());
        let speed = bytes as f64 / 1e6 / least.as_secs_f64();
        let ratio = *first.get_or_insert(speed) / speed;
        println!("  {name:<20} {speed:>7.1} {ratio:>29.1}x {tokens:>11}");
    }
    Ok(())
}

/// Texts on which naive tokenizers take quadratic time.
fn monotony() -> Result<()> {
    let mut state = 1_u64;
    let mut letter = |alphabet: &[u8]| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        alphabet[(state >> 33) as usize % alphabet.len()] as char
    };
    let units = " |a|A|\n|-|=|*|=-|🎉|日本語|e\u{301}|0".split('|');
    let mut texts: Vec<(String, String)> = units
        .map(|unit| {
            let label = format!("{unit:?} repeated");
            (label, unit.repeat(1_000_000 / unit.len()))
        })
        .collect();
    for (name, alphabet) in
        [("letters", &b"abcdefghijklmnopqrstuvwxyz"[..]), ("symbols", b"-=*#./_~<>")]
    {
        texts.push((format!("random {name}"), (0..1_000_000).map(|_| letter(alphabet)).collect()));
    }
    println!("\nslowest megabyte         seconds  text");
    for name in ["o200k", "cl100k", "claude-3", "claude-4.8"] {
        let counter: Counter = name.parse()?;
        let times = texts.iter().map(|(label, text)| {
            let time = least(|| {
                counter.count(text);
            });
            (time, label)
        });
        if let Some((time, label)) = times.max() {
            println!("  {name:<20} {:>9.3}  {label}", time.as_secs_f64());
        }
    }
    Ok(())
}

/// The command itself: one small file, and the whole tree cold and warm.
fn command(directory: &Path) -> Result<()> {
    let cache = tempfile::tempdir()?;
    let small = cache.path().join("small.rs");
    fs::write(&small, "fn main() {\n    println!(\"hello\");\n}\n")?;
    let runs = 40;
    let before = children()?;
    for _ in 0..runs {
        run(&cache.path().join("small"), &[small.as_os_str()])?;
    }
    let each = (children()? - before) / runs;
    println!("\nloadline count of one small file: {:.1} ms CPU", each.as_secs_f64() * 1e3);

    let (mut cold, mut warm) = (Spent::MOST, Spent::MOST);
    for round in 0..ROUNDS {
        let fresh = cache.path().join(format!("round-{round}"));
        cold = cold.min(run(&fresh, &[directory.as_os_str()])?);
        warm = warm.min(run(&fresh, &[directory.as_os_str()])?);
    }
    println!("loadline count of the tree        wall      CPU");
    for (name, spent) in [("first run", cold), ("second run, from cache", warm)] {
        let (wall, cpu) = (spent.wall.as_secs_f64(), spent.cpu.as_secs_f64());
        println!("  {name:<28} {:>7.1} ms {:>7.1} ms", wall * 1e3, cpu * 1e3);
    }
    let ratio = |cold: Duration, warm: Duration| cold.as_secs_f64() / warm.as_secs_f64();
    let (wall, cpu) = (ratio(cold.wall, warm.wall), ratio(cold.cpu, warm.cpu));
    println!("  {:<28} {wall:>7.1} x  {cpu:>7.1} x", "faster by");
    Ok(())
}

#[derive(Clone, Copy)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl Spent {
    const MOST: Spent = Spent { wall: Duration::MAX, cpu: Duration::MAX };

    fn min(self, other: Spent) -> Spent {
        Spent { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }
}

fn run(cache: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Spent> {
    let (before, start) = (children()?, Instant::now());
    let status = Command::new(env!("CARGO_BIN_EXE_loadline"))
        .args(["count", "--quiet", "--counter", "o200k"])
        .args(arguments)
        .env("LOADLINE_CACHE_DIR", cache)
        .stdout(Stdio::null())
        .status()?;
    assert!(status.success(), "loadline count failed");
    Ok(Spent { wall: start.elapsed(), cpu: children()? - before })
}

/// The least CPU time of a few rounds.
fn least(mut work: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let before = own();
        work();
        own() - before
    });
    rounds.min().unwrap_or_default()
}

/// CPU time of this thread; wall time where the system does not say.
fn own() -> Duration {
    let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => Duration::from_nanos(
            std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |time| time.as_nanos() as u64),
        ),
    }
}

/// CPU time of finished child processes, in steps of a hundredth of a second.
fn children() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = fields
        .split_whitespace()
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Ok(Duration::from_millis(ticks * 10))
}

fn texts(directory: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut bytes = 0;
    for file in walk(directory, &WalkOptions::default())?.files {
        if let Ok(text) = fs::read_to_string(file.path()) {
            bytes += text.len();
            texts.push(text);
            if bytes > MOST {
                break;
            }
        }
    }
    Ok(texts)
}

fn registry_sources() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.unwrap_or_default().join("registry/src")
}
