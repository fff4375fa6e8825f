//! Measures the work against its limits of time and memory.
//!
//! ```text
//! cargo bench -p loadline --bench limits [-- FILE...]
//! ```
//!
//! One row per limit of `docs/requirements.md` (F253 to F260) and of sessions and
//! windows: the bar, what was measured, and whether the bar was met. Times are CPU
//! times of all threads, the least of several rounds; memory is the most that a fresh process held. The
//! exit status is 1 if a limit is not met. Files named on the command line are cut
//! as well, with a bar in proportion to their size.
#![allow(clippy::print_stdout)]

mod inputs;
mod sessions;
mod windows;

use std::process::{Command, ExitCode};
use std::time::Duration;

use inputs::{LANGUAGES, QUERY, cut, mixed_sources, pieces, text};
use loadline::budget::Allocation;
use loadline::fit::{Item, Policy, select};
use loadline::notes::{NotesOptions, compact_notes};
use loadline::pack::ranking::{
    FileIndex, Past, TaskCandidate, TaskQuery, TaskWeights, WeightedChunk, WeightedOptions,
    rank_for_task, rank_weighted,
};
use loadline::pack::{
    Cancel, PackSource, PackedSources, SourceOptions, pack_sources, preview_sources,
};
use loadline::repo::language_of;
use loadline::session::{
    TrimOptions, check_session, read_session, session_stats, trim, write_session,
};
use loadline::settings::Config;
use loadline::text::{DedupOptions, Piece, dedup};
use loadline::tokens::{Counter, Tokens};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Rounds of which the least time counts.
const ROUNDS: usize = 7;
/// The argument of the child process whose memory is measured.
const CHILD: &str = "--pack-once";
/// The same, for trimming a session of 100 MB.
const TRIM_CHILD: &str = "--trim-once";
/// A round takes at least this long; the clock of a busy thread moves in steps.
const ROUND: Duration = Duration::from_millis(40);

fn main() -> Result<ExitCode> {
    if std::env::args().any(|argument| argument == CHILD) {
        pack(&mixed_sources())?;
        println!("{}", peak_memory()?);
        return Ok(ExitCode::SUCCESS);
    }
    if std::env::args().any(|argument| argument == TRIM_CHILD) {
        trim_large()?;
        println!("{}", peak_memory()?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report { missed: 0 };
    println!("row   what                                           bar    measured");
    packing(&mut report)?;
    counting(&mut report)?;
    ranking(&mut report)?;
    stages(&mut report)?;
    chunking(&mut report)?;
    sessions(&mut report)?;
    windows::windows(&mut report)?;
    notes(&mut report)?;
    memory(&mut report)?;
    let files = std::env::args().skip(1);
    for path in files.filter(|argument| !argument.starts_with("--")) {
        chunking_file(&path, &mut report)?;
    }
    Ok(ExitCode::from(u8::from(report.missed > 0)))
}

/// Prints rows and remembers whether one was not met.
struct Report {
    missed: usize,
}

impl Report {
    fn row(&mut self, row: &str, what: &str, bar: u64, measured: f64, unit: &str) {
        let met = measured < bar as f64;
        self.missed += usize::from(!met);
        let word = if met { "pass" } else { "FAIL" };
        println!("{row}  {what:<42} {bar:>4} {unit} {measured:>8.2} {unit}  {word}");
    }

    fn time(&mut self, row: &str, what: &str, bar: u64, measured: Duration) {
        self.row(row, what, bar, measured.as_secs_f64() * 1e3, "ms");
    }
}

fn source_options() -> Result<SourceOptions> {
    let settings = Config::load([])?.settings().clone();
    let mut options = SourceOptions::new("o200k".parse()?, &settings, 1 << 60);
    options.query = QUERY.to_owned();
    Ok(options)
}

fn budget() -> Allocation {
    Allocation::of(Tokens::new(32_000))
}

fn pack(sources: &[PackSource]) -> Result<PackedSources> {
    let options = source_options()?;
    Ok(pack_sources(sources.to_vec(), &budget(), &options, &Cancel::new())?)
}

fn packing(report: &mut Report) -> Result<()> {
    let sources = mixed_sources();
    let options = source_options()?;
    let run = || pack_sources(sources.clone(), &budget(), &options, &Cancel::new());
    // Grammars and patterns are made ready by the first.
    let packed = run()?;
    assert_eq!(packed.stats.admitted, 100, "not all sources were admitted");
    let time = least(run);
    report.time("F253", "pack of 100 mixed sources, warm", 250, time);
    Ok(())
}

fn counting(report: &mut Report) -> Result<()> {
    for name in ["o200k", "claude-4.8"] {
        let counter: Counter = name.parse()?;
        let mut text = text(LANGUAGES[0].2, 60_000, 1);
        while counter.count(&text).get() > 10_000 {
            let shorter = text.floor_char_boundary(text.len() - text.len() / 200);
            text.truncate(shorter);
        }
        let tokens = counter.count(&text).get();
        assert!(tokens > 9_000, "the text is too short");
        let what = format!("count of {tokens} tokens by {name}");
        report.time("F254", &what, 10, least(|| counter.count(&text)));
    }
    Ok(())
}

fn ranking(report: &mut Report) -> Result<()> {
    for (chunks, bar) in [(1_000, 50), (10_000, 100)] {
        let weighted = weighted_chunks(chunks)?;
        let options = WeightedOptions::new(1 << 60);
        let time = least(|| rank_weighted(&weighted, QUERY, &options));
        let what = format!("weighted ranking of {} chunks", weighted.len());
        report.time("F255", &what, bar, time);
        let (files, passages) = indexes(chunks);
        let weights = TaskWeights::default();
        let query = TaskQuery::new(QUERY, &weights);
        let time = least(|| {
            let found =
                files.iter().filter_map(|(path, index)| TaskCandidate::new(path, index, &query));
            let found: Vec<TaskCandidate> = found.collect();
            rank_for_task(&found, &[], &Past::default(), &query, &weights, None)
        });
        let what = format!("task ranking of {passages} passages");
        report.time("F255", &what, bar, time);
    }
    Ok(())
}

/// So many chunks of many files.
fn weighted_chunks(count: usize) -> Result<Vec<WeightedChunk>> {
    let counter: Counter = "heuristic".parse()?;
    let mut chunks = Vec::new();
    for number in 0.. {
        let (language, ending, writer) = LANGUAGES[number % LANGUAGES.len()];
        let text = text(writer, 20_000, number as u64);
        let path = format!("src/part{}/file{number}.{ending}", number % 20);
        let cut = cut(language, &text, &counter)?;
        chunks.extend(cut.chunks.into_iter().map(|chunk| WeightedChunk {
            path: path.clone(),
            first: chunk.first,
            last: chunk.last,
            lines: None,
            search_score: None,
            changed_ns: Some(1 << 59),
            priority: Some(60),
            part: loadline::pack::ranking::Part::Other,
            text: chunk.text,
        }));
        if chunks.len() >= count {
            break;
        }
    }
    chunks.truncate(count);
    Ok(chunks)
}

/// Indexes of files that have so many passages together, and how many there are.
fn indexes(count: usize) -> (Vec<(String, FileIndex)>, usize) {
    let mut files = Vec::new();
    let mut passages = 0;
    for number in 0.. {
        let (language, ending, writer) = LANGUAGES[number % LANGUAGES.len()];
        let text = text(writer, 20_000, number as u64);
        let cut = loadline::text::passages(
            &text,
            Some(language),
            loadline::text::PassageOptions::default(),
        );
        passages += cut.len();
        let path = format!("src/part{}/file{number}.{ending}", number % 20);
        files.push((path, FileIndex::build(&text, Some(language))));
        if passages >= count {
            break;
        }
    }
    (files, passages)
}

/// Duplicates, choice and writing, on the chunks of the pack of 100 sources.
fn stages(report: &mut Report) -> Result<()> {
    let sources = mixed_sources();
    let options = source_options()?;
    let mut pieces = pieces(&sources, &options.counter)?;
    pieces.sort_by(|left, right| right.score.total_cmp(&left.score));
    let dedup_options = options.dedup.unwrap_or_else(DedupOptions::default);
    let count = |text: &str| options.counter.count(text);
    let deduped = || dedup(pieces.clone(), &dedup_options, |_, _| None, count);
    let kept = deduped().kept;
    assert!(kept.len() < pieces.len(), "there are no duplicates");
    let what = format!("duplicates among {} chunks", pieces.len());
    report.time("F256", &what, 25, least(deduped));

    let item = |(number, piece): (usize, &Piece)| {
        Item::new(number, piece.score).rendition("chunk", piece.tokens)
    };
    let items: Vec<Item<usize>> = kept.iter().enumerate().map(item).collect();
    let time = least(|| select(items.clone(), &budget(), &Policy::default()));
    report.time("F256", &format!("choice of {} chunks", items.len()), 25, time);

    // Writing is what a pack does beyond its preview.
    let cancel = Cancel::new();
    let planned = least(|| preview_sources(sources.clone(), &budget(), &options, &cancel));
    let whole = least(|| pack_sources(sources.clone(), &budget(), &options, &cancel));
    let written = whole.saturating_sub(planned);
    report.time("F256", "writing the pack", 25, written);
    Ok(())
}

fn chunking(report: &mut Report) -> Result<()> {
    let counter: Counter = "o200k".parse()?;
    for (language, _, writer) in LANGUAGES {
        for (name, bytes, bar) in
            [("10 KB", 10_000, 50), ("100 KB", 100_000, 200), ("1 MB", 1_000_000, 500)]
        {
            let text = text(writer, bytes, 7);
            let chunked = cut(language, &text, &counter)?;
            assert!(chunked.covers(&text), "{language} was not cut whole");
            let time = least(|| cut(language, &text, &counter));
            report.time("F257", &format!("chunks of {name} of {language}"), bar, time);
        }
    }
    Ok(())
}

/// Cuts a file; a megabyte may take half a second.
fn chunking_file(path: &str, report: &mut Report) -> Result<()> {
    let counter: Counter = "o200k".parse()?;
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let language = language_of(std::path::Path::new(path)).unwrap_or_default();
    let time = least(|| cut(language, &text, &counter));
    let what = format!("chunks of {} KB, {language} as named", text.len() / 1000);
    report.time("F257", &what, (text.len() as u64 / 2_000).max(50), time);
    Ok(())
}

/// A session of 1 MB, as Claude Code writes it.
fn sessions(report: &mut Report) -> Result<()> {
    let source = sessions::claude_code(1_000_000);
    let options = trim_options()?;
    let read = || read_session(source.clone(), None);
    let session = read()?;
    assert_eq!(check_session(&session), [], "the session is not valid");
    let time = least(|| read().map(|it| session_stats(&it, &options.counter)));
    report.time("F154", "stats of a session of 1 MB", 60, time);
    let trimmed = trim(&session, &options)?;
    assert!(trimmed.after <= options.budget, "it was not trimmed");
    let time = least(|| -> Result<Vec<u8>> {
        let session = read()?;
        let trimmed = trim(&session, &options)?;
        Ok(write_session(&session, &trimmed.draft)?)
    });
    report.time("F166", "trim of a session of 1 MB", 200, time);
    Ok(())
}

/// Notes of 1 MB, the second half of which repeats the first.
fn notes(report: &mut Report) -> Result<()> {
    let settings = Config::load([])?.settings().clone();
    let (window, now) = (Tokens::new(200_000), jiff::Timestamp::UNIX_EPOCH);
    let options = NotesOptions::new(&settings.memory, "o200k".parse()?, window, now)?;
    let text = text(LANGUAGES[4].2, 500_000, 3).repeat(2);
    assert!(compact_notes(&text, &options).text.len() < text.len(), "nothing was saved");
    report.time(
        "F260",
        "compacting notes of 1 MB",
        1_000,
        least(|| compact_notes(&text, &options)),
    );
    Ok(())
}

fn trim_options() -> Result<TrimOptions> {
    Ok(TrimOptions {
        handle: Some("k3f9c2td".to_owned()),
        ..TrimOptions::new("o200k".parse()?, Tokens::new(32_000))
    })
}

fn trim_large() -> Result<()> {
    let session = read_session(sessions::claude_code(100_000_000), None)?;
    let trimmed = trim(&session, &trim_options()?)?;
    let written = write_session(&session, &trimmed.draft)?;
    assert!(!written.is_empty(), "nothing was written");
    Ok(())
}

fn memory(report: &mut Report) -> Result<()> {
    let rows = [
        ("F258", "memory of a process that packs once", 100, CHILD),
        ("F166", "memory of a trim of 100 MB", 1_024, TRIM_CHILD),
    ];
    for (row, what, bar, child) in rows {
        let output = Command::new(std::env::current_exe()?).arg(child).output()?;
        let kilobytes: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
        report.row(row, what, bar, kilobytes / 1024.0, "MB");
    }
    Ok(())
}

/// The most memory that this process held, in kilobytes.
fn peak_memory() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.ok_or("the system does not say")?.parse()?)
}

/// The least CPU time of a few rounds.
fn least<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut times = 1;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut spent = Duration::ZERO;
        while spent < ROUND {
            let before = cpu_time();
            for _ in 0..times {
                std::hint::black_box(work());
            }
            spent = cpu_time().saturating_sub(before);
            if spent < ROUND {
                times *= 2;
            }
        }
        best = best.min(spent / times);
    }
    best
}

/// CPU time of all threads that are alive.
fn cpu_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let stat = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
