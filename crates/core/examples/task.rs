//! Packs the lines of a repository that a task needs, twice: the second run
//! finds the index of every unchanged file in the store and reads only what
//! it shows.
//!
//! ```text
//! cargo run --release -p loadline --example task -- REPOSITORY STORE "the task" [BUDGET]
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use loadline::cache::{Cache, CacheOptions};
use loadline::pack::{PackOptions, pack_for_task};
use loadline::settings::Config;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, store, task, rest @ ..] = arguments.as_slice() else {
        return Err("usage: task REPOSITORY STORE TASK [BUDGET]".into());
    };
    let store = Cache::open(Path::new(store), CacheOptions::default());
    let config = Config::load([])?;
    let mut options = PackOptions::new("o200k".parse()?, config.settings());
    options.budget = Some(rest.first().map_or("8k", String::as_str).parse()?);
    // Recent commits count for more, so a ranking needs the time.
    options.now_ns = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos())?;

    for run in ["first run", "second run"] {
        let start = Instant::now();
        let packed = pack_for_task(Path::new(root), task, &options, &store)?;
        println!("{run}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        if run == "second run" {
            for file in &packed.files {
                println!("{:>6}  {}", file.tokens.get(), file.path);
            }
            println!("{:>6}  in all", packed.tokens.get());
        }
    }
    Ok(())
}
