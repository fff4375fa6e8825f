//! Packs a directory under a budget and says what became of each file.
//!
//! ```text
//! cargo run --release -p loadline --example pack -- . 8k
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;

use loadline::cache::Cache;
use loadline::pack::{PackOptions, pack};
use loadline::settings::Config;
use loadline::tokens::Tokens;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".to_owned());
    let budget: Tokens = arguments.next().as_deref().unwrap_or("8k").parse()?;

    let config = Config::load([])?;
    let mut options = PackOptions::new("o200k".parse()?, config.settings());
    options.budget = Some(budget);

    let packed = pack(Path::new(&root), &options, &Cache::disabled())?;
    print!("{}", packed.content);
    for file in &packed.files {
        eprintln!("{:<10} {:>6}  {}", file.tier.name(), file.tokens.get(), file.path);
    }
    for file in &packed.omitted {
        eprintln!("{:<10} {:>6}  {}: {}", "omitted", "", file.path, file.reason);
    }
    eprintln!("{} of {budget} tokens", packed.tokens);
    Ok(())
}
