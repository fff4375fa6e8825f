//! `read`: the text of a file, or of a pack by its handle.

use loadline::pack::show_file;
use loadline::session::{RecallTarget, recall};

use super::super::answer::{Answer, ToolError};
use super::super::arguments::Arguments;
use super::super::job::Job;
use super::super::page::Block;
use super::super::resources::handle_of;
use super::notes;
use crate::roots::{Place, Refusal};

/// Bytes of the largest file that is read; a page shows only a part of it.
const LARGEST: u64 = 64 << 20;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let path = arguments.required("path", "a file below the root, or a handle")?;
    let max = arguments.max_tokens()?;
    let cursor = arguments.text("cursor")?;
    let lines = arguments.lines()?;
    let mut notes = notes("read", arguments);
    let (title, text) = match found(job, &path)? {
        Found::File(place) => file(job, &place, &mut notes)?,
        Found::Handle(handle) => kept(job, &handle)?,
    };
    let total = text.lines().count();
    let (first, last) = match &lines {
        Some(lines) => (*lines.get().start(), *lines.get().end()),
        None => (1, usize::MAX),
    };
    if total == 0 {
        return Ok(format!("{title} is empty\n").into());
    }
    if first > total {
        return Err(ToolError(format!("{title} has {total} lines")));
    }
    let asked = text.split_inclusive('\n').skip(first - 1);
    let block = Block {
        title,
        first: Some(first),
        total: Some(total),
        text: asked.take(last.saturating_sub(first - 1)).collect(),
        is_own: false,
    };
    job.page(vec![block], notes, cursor.as_deref(), max)
}

/// What a path means.
enum Found {
    File(Place),
    Handle(String),
}

/// A file comes first: a handle looks like a name.
fn found(job: &Job, path: &str) -> Result<Found, ToolError> {
    if let Some(handle) = handle_of(path) {
        return Ok(Found::Handle(handle.to_owned()));
    }
    match job.state.roots.find(Some(path)) {
        Ok(place) => Ok(Found::File(place)),
        Err(Refusal::Missing { .. }) if is_handle(path) && is_kept(job, path) => {
            Ok(Found::Handle(path.to_owned()))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

fn is_handle(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (6..=52).contains(&text.len()) && text.bytes().all(is_digit)
}

fn is_kept(job: &Job, handle: &str) -> bool {
    let archive = job.state.options.archive.as_ref();
    archive.is_some_and(|archive| archive.find(handle).is_ok())
}

fn file(job: &Job, place: &Place, notes: &mut Vec<String>) -> Result<(String, String), ToolError> {
    if place.absolute().is_dir() {
        let shown = place.shown();
        return Err(ToolError(format!("{shown:?} is a directory; use outline with this path")));
    }
    let mut options = job.pack_options();
    options.walk.max_file_size = Some(LARGEST);
    let shown = show_file(&place.root, &place.relative, &options)?;
    if shown.secrets > 0 {
        notes.push(format!("{} secrets redacted", shown.secrets));
    }
    Ok((place.shown(), shown.text))
}

fn kept(job: &Job, handle: &str) -> Result<(String, String), ToolError> {
    let target = RecallTarget { handle: handle.to_owned(), turns: None };
    Ok((handle.to_owned(), recalled(job, &target)?))
}

/// What a handle leads to, without secrets.
pub(in crate::mcp) fn recalled(job: &Job, target: &RecallTarget) -> Result<String, ToolError> {
    let Some(archive) = &job.state.options.archive else {
        return Err(ToolError::new(
            "originals are not available: the cache is off for this server",
        ));
    };
    Ok(job.redacted(recall(archive, target)?))
}
