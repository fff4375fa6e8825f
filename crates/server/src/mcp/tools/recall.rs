//! `recall`: what was cut from a session, by the handle in its marker.

use loadline::session::RecallTarget;
use regex::RegexBuilder;

use super::super::answer::{Answer, ToolError};
use super::super::arguments::Arguments;
use super::super::job::Job;
use super::super::page::Block;
use super::super::resources::handle_of;
use super::{notes, read};

/// Bytes that a compiled pattern may take.
const LARGEST_PATTERN: usize = 1 << 20;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let handle = arguments.required("handle", "what a marker names, such as k3f9c2td:7")?;
    let max = arguments.max_tokens()?;
    let cursor = arguments.text("cursor")?;
    let lines = arguments.lines()?;
    let grep = arguments.text("grep")?;
    let handle = handle_of(&handle).unwrap_or(handle.trim()).to_owned();
    let target: RecallTarget =
        handle.parse().map_err(|error| ToolError(format!("handle: {error}")))?;
    let text = read::recalled(job, &target)?;
    let total = text.lines().count();
    let numbered = (1..).zip(text.split_inclusive('\n'));
    let mut asked: Vec<(usize, &str)> = numbered
        .filter(|(number, _)| lines.as_ref().is_none_or(|it| it.contains(*number)))
        .collect();
    if let Some(pattern) = &grep {
        let pattern = RegexBuilder::new(pattern)
            .size_limit(LARGEST_PATTERN)
            .build()
            .map_err(|error| ToolError(format!("grep: {error}")))?;
        asked.retain(|(_, line)| pattern.is_match(line.trim_end_matches(['\r', '\n'])));
    }
    if asked.is_empty() {
        return Err(ToolError(format!(
            "{handle} has {total} lines, and none of them is asked for; change lines or grep"
        )));
    }
    let block = block(handle, total, &asked, grep.is_some());
    job.page(vec![block], notes("recall", arguments), cursor.as_deref(), max)
}

/// Lines that were looked for have their numbers before them; others are counted.
fn block(title: String, total: usize, lines: &[(usize, &str)], is_sparse: bool) -> Block {
    let text = if is_sparse {
        let lines = lines.iter();
        let lines = lines.map(|(number, line)| format!("{number}: {}\n", line.trim_end()));
        lines.collect()
    } else {
        lines.iter().map(|(_, line)| *line).collect()
    };
    let first = lines.first().map(|(number, _)| *number);
    let total = (!is_sparse).then_some(total);
    Block { title, first: first.filter(|_| !is_sparse), total, text, is_own: false }
}
