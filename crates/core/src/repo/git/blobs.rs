//! Reads files as git keeps them, many in one run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write, copy, sink};
use std::path::Path;
use std::process::Stdio;

use super::command::git;

/// Returns the contents of blobs by their ids; those over `limit` bytes, and whatever
/// comes after something that cannot be read, are missing.
pub(crate) fn read_blobs<'a>(
    directory: &Path,
    ids: impl IntoIterator<Item = &'a str>,
    limit: u64,
) -> BTreeMap<&'a str, Vec<u8>> {
    let mut blobs = BTreeMap::new();
    let mut command = git(directory, &["cat-file", "--batch"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return blobs;
    };
    if let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
        let mut output = BufReader::new(output);
        for id in ids {
            match ask(&mut input, &mut output, id, limit) {
                Some(Some(bytes)) => drop(blobs.insert(id, bytes)),
                Some(None) => {}
                None => break,
            }
        }
    }
    let _ = child.wait();
    blobs
}

/// Asks for one blob; `Some(None)` where it is too large or missing.
fn ask(
    input: &mut impl Write,
    output: &mut impl BufRead,
    id: &str,
    limit: u64,
) -> Option<Option<Vec<u8>>> {
    writeln!(input, "{id}").and_then(|()| input.flush()).ok()?;
    let mut head = String::new();
    output.read_line(&mut head).ok()?;
    // `ID blob SIZE`, or `ID missing`.
    let Some(size) = head.trim().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok())
    else {
        return if head.is_empty() { None } else { Some(None) };
    };
    let mut content = output.take(size + 1);
    if size > limit {
        copy(&mut content, &mut sink()).ok()?;
        return Some(None);
    }
    let mut bytes = Vec::new();
    content.read_to_end(&mut bytes).ok()?;
    bytes.pop();
    Some(Some(bytes))
}
