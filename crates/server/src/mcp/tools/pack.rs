//! `pack`: the code that a task needs, as a text or as a handle.

use loadline::archive::Archive;
use loadline::pack::{Packed, PackedFile, pack_for_task};
use loadline::tokens::Tokens;
use rmcp::model::Resource;

use super::super::KeptPack;
use super::super::answer::{Answer, ToolError};
use super::super::arguments::{Arguments, DEFAULT_TOKENS, MOST_TOKENS, enough};
use super::super::job::Job;
use super::super::page::{Block, written_notes};
use super::super::resources::pack_uri;
use super::{narrow, notes};

/// The largest budget; no window holds more.
const LARGEST: u64 = 2_000_000;
/// What is kept free for notes, at most.
const NOTES: u64 = 80;
/// Files that an account names.
const NAMED: usize = 40;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let task = arguments.required("task", "what is to be done, in a sentence or more")?;
    let mut notes = notes("pack", arguments);
    let archive = job.state.options.archive.as_ref();
    let budget = budget(arguments, archive.is_some(), &mut notes)?;
    let place = job.state.roots.find(arguments.text("path")?.as_deref())?;
    let mut options = job.pack_options();
    options.budget = Some(if budget.get() <= MOST_TOKENS {
        budget.saturating_sub(Tokens::new(NOTES.min(budget.get() / 8)))
    } else {
        budget
    });
    narrow(&mut options, &place);
    let packed = pack_for_task(&place.root, &task, &options, &job.state.options.store)?;
    notes.extend(told(&packed));
    match archive.filter(|_| packed.tokens.get() > MOST_TOKENS) {
        Some(archive) => keep(job, archive, &task, &packed, budget, notes),
        None => show(job, packed, budget.min(Tokens::new(MOST_TOKENS)), notes),
    }
}

/// What was asked for, as far as it can be had.
fn budget(
    arguments: &Arguments,
    can_keep: bool,
    notes: &mut Vec<String>,
) -> Result<Tokens, ToolError> {
    let asked = arguments.tokens("budget")?;
    let asked = asked.unwrap_or(Tokens::new(DEFAULT_TOKENS));
    enough("budget", asked)?;
    let (most, why) = if can_keep { (LARGEST, "") } else { (MOST_TOKENS, "the cache is off, so ") };
    if asked.get() > most {
        notes.push(format!("{why}the budget is at most {most}"));
    }
    Ok(asked.min(Tokens::new(most)))
}

/// The notes that matter to a reader of the pack.
fn told(packed: &Packed) -> Vec<String> {
    let notes = packed.notes.iter();
    let notes = notes.filter(|note| ["task", "budget"].contains(&note.subject.as_str()));
    notes.map(ToString::to_string).collect()
}

/// Answers with the pack itself.
fn show(
    job: &Job,
    packed: Packed,
    budget: Tokens,
    notes: Vec<String>,
) -> Result<Answer, ToolError> {
    if packed.files.is_empty() {
        let nothing = "nothing relevant to this task found; rephrase it or use another path";
        return Err(ToolError::new(nothing));
    }
    let counter = job.counter();
    let left = budget.saturating_sub(packed.tokens).get();
    let notes = written_notes(&notes, left, counter);
    let text = format!("{}{notes}", packed.content);
    // At the seam two may cost more than each alone.
    if counter.count(&text) <= budget { Ok(text.into()) } else { Ok(packed.content.into()) }
}

/// Keeps the pack, and answers with its handle and what is in it.
fn keep(
    job: &Job,
    archive: &Archive,
    task: &str,
    packed: &Packed,
    budget: Tokens,
    notes: Vec<String>,
) -> Result<Answer, ToolError> {
    let kept = archive.put(packed.content.as_bytes());
    let handle = kept.and_then(|hash| archive.handle(&hash))?;
    let about: String = task.split_whitespace().collect::<Vec<_>>().join(" ");
    let about: String = about.chars().take(80).collect();
    let size = packed.content.len() as u64;
    job.state.remember(KeptPack { handle: handle.clone(), about: about.clone(), size });
    let (tokens, files) = (packed.tokens, packed.files.len());
    let mut text = format!(
        "pack {handle}: {tokens} of {budget} tokens, {files} files, {} omitted.\n\
         Page through it with read and path {handle}, or read single files:\n",
        packed.omitted.len()
    );
    text.extend(packed.files.iter().take(NAMED).map(line));
    if files > NAMED {
        text.push_str(&format!("and {} more\n", files - NAMED));
    }
    let page = job.page(vec![Block::plain(text)], notes, None, Tokens::new(DEFAULT_TOKENS))?;
    let link = Resource::new(pack_uri(&handle), format!("pack {handle}"))
        .with_description(about)
        .with_mime_type("text/markdown")
        .with_size(size);
    Ok(Answer { link: Some(link), ..page })
}

/// One line about a file: which lines, and what they cost.
fn line(file: &PackedFile) -> String {
    let ranges: Vec<String> =
        file.ranges.iter().take(6).map(|(first, last)| format!("{first}-{last}")).collect();
    let more = if file.ranges.len() > 6 { ",…" } else { "" };
    format!("{} {}{more} ({} tokens)\n", file.path, ranges.join(","), file.tokens)
}
