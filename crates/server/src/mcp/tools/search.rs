//! `search`: passages most relevant to a query.

use loadline::pack::{SearchHit, SearchOptions, Searched, search};

use super::super::answer::{Answer, ToolError};
use super::super::arguments::Arguments;
use super::super::job::Job;
use super::super::page::Block;
use super::{narrow, notes};

/// Passages that can be paged through.
const PASSAGES: usize = 100;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let query = arguments.required("query", "what to look for, in words")?;
    let max = arguments.max_tokens()?;
    let cursor = arguments.text("cursor")?;
    let place = job.state.roots.find(arguments.text("path")?.as_deref())?;
    let mut options = SearchOptions { pack: job.pack_options(), limit: PASSAGES };
    options.pack.budget = None;
    narrow(&mut options.pack, &place);
    let found = search(&place.root, &query, &options, &job.state.options.store)?;
    if found.hits.is_empty() {
        let searched = found.searched;
        return Ok(format!(
            "Nothing found in {searched} text files below {}. Use other words, or names from outline.\n",
            place.shown()
        )
        .into());
    }
    let mut notes = notes("search", arguments);
    notes.extend(cursor.is_none().then(|| account(&found)));
    job.page(found.hits.into_iter().map(block).collect(), notes, cursor.as_deref(), max)
}

fn account(found: &Searched) -> String {
    let (matched, files) = (found.matched, found.files.len());
    let paged = if matched > PASSAGES {
        format!(", of which the first {PASSAGES} are available")
    } else {
        String::new()
    };
    format!("{matched} passages in {files} files match{paged}")
}

fn block(hit: SearchHit) -> Block {
    let first = Some(hit.lines.0 as usize);
    Block { title: hit.path, first, text: hit.text, ..Block::default() }
}
