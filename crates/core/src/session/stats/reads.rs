//! Lists the files that were read, and what of them had been read before.
//!
//! A second look at other lines of a file repeats nothing; the same lines
//! again do, whether as a whole result or a part of one.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::{CallHead, Counts, blocks};
use crate::session::transcript::{ById, Content, Transcript};
use crate::tokens::Tokens;

/// How one file was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileUse {
    /// The file, relative to the directory of the session if it is below it.
    pub path: String,
    /// The tool that read it first.
    #[serde(skip)]
    pub tool: String,
    /// How often it was read.
    pub reads: usize,
    /// Tokens of everything shown of it.
    pub tokens: Tokens,
    /// Tokens of lines that an earlier read had shown.
    #[serde(rename = "repeated_tokens")]
    pub repeated: Tokens,
}

/// Lists the files that were read, by tokens.
pub(super) fn files(
    transcript: &Transcript,
    calls: &ById<'_, CallHead<'_>>,
    counts: &Counts,
) -> Vec<FileUse> {
    let mut files: BTreeMap<&str, (FileUse, HashSet<&str>)> = BTreeMap::new();
    for (turn, _, block, tokens) in blocks(transcript, counts) {
        let Content::Result(result) = &block.content else {
            continue;
        };
        let read = calls.get(turn, &result.call);
        let Some((call, path)) = read.and_then(|call| Some((call, call.reads.as_deref()?))) else {
            continue;
        };
        let path = within(path, transcript.directory.as_deref());
        let (file, seen) = files.entry(path).or_default();
        if file.reads == 0 {
            call.tool.clone_into(&mut file.tool);
        }
        file.reads += 1;
        file.tokens = file.tokens.saturating_add(tokens);
        let repeated = seen_before(&result.text, seen) * tokens.get() as f64;
        file.repeated = file.repeated.saturating_add(Tokens::new(repeated as u64));
    }
    let named =
        files.into_iter().map(|(path, (file, _))| FileUse { path: path.to_owned(), ..file });
    let mut files: Vec<FileUse> = named.collect();
    files.sort_by(|a, b| (b.tokens, &a.path).cmp(&(a.tokens, &b.path)));
    files
}

/// Returns the part of a text whose lines were seen, and remembers them all.
fn seen_before<'a>(text: &'a str, seen: &mut HashSet<&'a str>) -> f64 {
    let (mut again, mut whole) = (0, 0);
    // A line that stands twice in one result is not read twice.
    let mut new = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        whole += line.len();
        if seen.contains(line) { again += line.len() } else { new.push(line) }
    }
    seen.extend(new);
    if whole == 0 {
        return 0.0;
    }
    again as f64 / whole as f64
}

/// The same file is named absolutely at one time and relatively at another.
fn within<'a>(path: &'a str, directory: Option<&str>) -> &'a str {
    let inside = directory
        .and_then(|directory| path.strip_prefix(directory.trim_end_matches('/')))
        .and_then(|rest| rest.strip_prefix('/'));
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}
