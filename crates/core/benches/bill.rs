//! Replays recorded requests under several ways to handle the prompt cache, and prices them.
//!
//! ```text
//! cargo bench -p loadline --bench bill [-- REQUESTS.tsv.gz]
//! ```
//!
//! The file has one request per line: repository, thread, helper or not, seconds since
//! the first request of the thread, model, and as billed: input, written, of it for an
//! hour, read, output. The default lies next to the repository; without it nothing is
//! measured.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use loadline::agents::{Agent, Request, Spending};
use loadline::budget::{Models, Prices};
use loadline::usage::{CacheRules, Cut, ReplayMoment, replay, trim_when_cold};

const DEFAULT: &str = "../../../shared/bench/bill/requests_dev.tsv.gz";
/// What reading from a cache costs, in parts of the price of input.
const READS: [f64; 3] = [0.1, 0.05, 0.025];
/// Parts of what was cut that have to be read again. The last is what our trim loses at
/// 32,000 tokens: 1 - .980, the recall of `crr.py`.
const REREADS: [f64; 5] = [0.0, 0.1, 0.3, 0.5, 0.02];
/// The settings of `loadline resume`.
const LEAST: u64 = 40_000;
const TARGET: u64 = 16_000;

type Failure = Box<dyn std::error::Error>;
type Threads = BTreeMap<String, Vec<Request>>;

fn main() -> Result<(), Failure> {
    let mut given = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join(DEFAULT);
    let path: PathBuf = given.next().map_or(default, Into::into);
    if !path.is_file() {
        println!("no recorded requests; nothing measured");
        return Ok(());
    }
    let threads = read(&path)?;
    let requests: usize = threads.values().map(Vec::len).sum();
    println!("{requests} requests of {} threads\n", threads.len());
    reproduce(&threads);
    let models = Models::builtin()?;
    for read in READS {
        policies(&threads, &models, read);
    }
    Ok(())
}

fn read(path: &Path) -> Result<Threads, Failure> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    let mut threads = Threads::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[project, thread, _, seconds, model, ref numbers @ ..] = fields.as_slice() else {
            return Err(format!("not a request: {line}").into());
        };
        let numbers: Vec<u64> = numbers.iter().map(|it| it.parse()).collect::<Result<_, _>>()?;
        let [input, written, long, read, output] = numbers[..] else {
            return Err(format!("not a request: {line}").into());
        };
        let milliseconds = (seconds.parse::<f64>()? * 1_000.0) as i64;
        let requests = threads.entry(format!("{project} {thread}")).or_default();
        requests.push(Request {
            agent: Agent::ClaudeCode,
            key: String::new(),
            time: Some(Timestamp::from_millisecond(milliseconds)?),
            model: Some(model.to_owned()),
            project: Some(project.to_owned()),
            thread: thread.to_owned(),
            spending: Spending {
                input,
                output,
                cache_read: read,
                cache_write: written - long,
                cache_write_long: long,
            },
            logged_cost: None,
        });
    }
    Ok(threads)
}

fn nothing(_: ReplayMoment) -> Cut {
    Cut::default()
}

fn written(spending: &Spending) -> u64 {
    spending.cache_write + spending.cache_write_long
}

/// Compares what the rules say was read and written with what was billed.
fn reproduce(threads: &Threads) {
    let (mut errors, mut sums) = (Vec::new(), [0u64; 4]);
    for requests in threads.values() {
        let billed: Spending = requests.iter().map(|it| it.spending).sum();
        let said: Spending =
            replay(requests, CacheRules::ANTHROPIC, 0.0, nothing).into_iter().sum();
        let most = (billed.cache_read + written(&billed)).max(1);
        errors.push(billed.cache_read.abs_diff(said.cache_read) as f64 / most as f64);
        let all = [billed.cache_read, said.cache_read, written(&billed), written(&said)];
        sums.iter_mut().zip(all).for_each(|(sum, it)| *sum += it);
    }
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[((errors.len() - 1) as f64 * part) as usize] * 100.0;
    let off = |a: u64, b: u64| (b as f64 / a as f64 - 1.0) * 100.0;
    println!(
        "reproduced: error per thread, median {:.3} %, 90 % below {:.2} %, worst {:.1} %; \
         in all, read {:+.2} %, written {:+.2} %\n",
        at(0.5),
        at(0.9),
        at(1.0),
        off(sums[0], sums[1]),
        off(sums[2], sums[3]),
    );
}

/// A way to handle the cache: how a thread is spent on, given what is read again.
type Policy = fn(&[Request], f64) -> Vec<Spending>;

const POLICIES: [(&str, Policy); 9] = [
    ("as recorded", |thread, _| replay(thread, CacheRules::ANTHROPIC, 0.0, nothing)),
    ("1 h life", |thread, _| {
        let rules = CacheRules { life: 3_600.0, ..CacheRules::ANTHROPIC };
        let spent = replay(thread, rules, 0.0, nothing).into_iter();
        spent.map(|it| Spending { cache_write: 0, cache_write_long: written(&it), ..it }).collect()
    }),
    ("keep alive for 1 h", keep_alive),
    ("clear old results at 100k", |thread, reread| {
        let clear = |moment: ReplayMoment| match moment.sent {
            0..100_000 => Cut::default(),
            sent => Cut { old: (sent - moment.base.min(sent)) / 2, new: 0 },
        };
        replay(thread, CacheRules::ANTHROPIC, reread, clear)
    }),
    ("cut 10 % of what grows", |thread, reread| {
        let part = 0.1 * (1.0 - reread);
        let cut = |moment: ReplayMoment| Cut { old: 0, new: (moment.grown as f64 * part) as u64 };
        replay(thread, CacheRules::ANTHROPIC, reread, cut)
    }),
    ("window of 60k at every request", |thread, reread| {
        let window = |moment: ReplayMoment| Cut { old: moment.sent.saturating_sub(60_000), new: 0 };
        replay(thread, CacheRules::ANTHROPIC, reread, window)
    }),
    ("trim at 60k, warm or cold", |thread, reread| {
        let trim = trim_when_cold(60_000, TARGET);
        let always = |moment: ReplayMoment| trim(ReplayMoment { is_cold: true, ..moment });
        replay(thread, CacheRules::ANTHROPIC, reread, always)
    }),
    ("trim when cold (loadline)", |thread, reread| {
        replay(thread, CacheRules::ANTHROPIC, reread, trim_when_cold(LEAST, TARGET))
    }),
    ("oracle: all gone when cold", |thread, _| {
        replay(thread, CacheRules::ANTHROPIC, 0.0, trim_when_cold(0, 0))
    }),
];

/// Reads the cache once before it dies, for at most an hour.
fn keep_alive(thread: &[Request], _: f64) -> Vec<Spending> {
    let (short, hour) = (CacheRules::ANTHROPIC.life - 10.0, 3_600.0);
    let rules = CacheRules { life: hour, ..CacheRules::ANTHROPIC };
    let mut gaps = Vec::new();
    let spent = replay(thread, rules, 0.0, |moment| {
        gaps.push(moment.gap);
        Cut::default()
    });
    let mut held = 0;
    let alive = spent.into_iter().zip(gaps).zip(thread).map(|((mut spending, gap), request)| {
        if request.spending.cache_write_long == 0 {
            let times = (gap.min(hour) / short) as u64;
            spending.cache_read += times * held;
        }
        held = spending.cache_read + written(&spending);
        spending
    });
    alive.collect()
}

/// Prices every policy.
fn policies(threads: &Threads, models: &Models, read: f64) {
    println!("reading at {read} of input; dollars, saved, share of threads dearer by > 1 %, worst");
    println!(
        "{:32} {}",
        "",
        REREADS.map(|it| format!("{:>26}", format!("{:.0} % read again", it * 100.0))).concat()
    );
    let recorded = costs(threads, models, read, POLICIES[0].1, 0.0);
    for (name, policy) in POLICIES {
        let cells = REREADS.map(|reread| {
            let costs = costs(threads, models, read, policy, reread);
            let (before, after): (f64, f64) = (recorded.iter().sum(), costs.iter().sum());
            let dearer = recorded.iter().zip(&costs).map(|(before, after)| after / before - 1.0);
            let dearer: Vec<f64> = dearer.filter(|it| *it > 0.01).collect();
            let worst = dearer.iter().copied().fold(0.0, f64::max) * 100.0;
            let share = dearer.len() as f64 / costs.len() as f64 * 100.0;
            let saved = (1.0 - after / before) * 100.0;
            format!("{:>26}", format!("{after:.0} {saved:+.1}% {share:.0}% {worst:+.0}%"))
        });
        println!("{name:32} {}", cells.concat());
    }
    println!();
}

/// What each thread costs.
fn costs(threads: &Threads, models: &Models, read: f64, policy: Policy, reread: f64) -> Vec<f64> {
    let cost = |thread: &Vec<Request>| {
        let spent = policy(thread, reread);
        let paid = spent.iter().zip(thread).map(|(spending, request)| {
            let prices = request.model.as_deref().and_then(|it| models.find(it)?.prices);
            let prices = prices.map(|it| Prices { cache_read: Some(it.input * read), ..it });
            prices.map_or(0.0, |it| spending.cost(Some(&it)).total())
        });
        paid.sum()
    };
    threads.values().map(cost).collect()
}
