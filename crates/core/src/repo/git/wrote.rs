//! Reads what a few commits changed.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use super::command::git;

/// Of the patches no more is read.
const MOST_BYTES: u64 = 4 << 20;

/// Returns the patches of commits in the order of their ids, each after its id.
///
/// Empty where git cannot say; cut short where they are long.
pub(super) fn patches(directory: &Path, ids: &[&str]) -> String {
    // The attributes of a user must not decide what names a hunk.
    let arguments = [
        "-c",
        "core.attributesFile=/dev/null",
        "-c",
        "diff.suppressBlankEmpty=false",
        "diff-tree",
        "--stdin",
        "--root",
        "-r",
        "--patch",
        "--unified=3",
        "--inter-hunk-context=0",
        "--diff-algorithm=myers",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--ignore-submodules=all",
    ];
    let mut command = git(directory, &arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return String::new();
    };
    let mut bytes = Vec::new();
    if let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
        // The ids of a few commits fit into a pipe that nobody reads yet.
        let asked = input.write_all((ids.join("\n") + "\n").as_bytes());
        drop(input);
        if asked.is_ok() && output.take(MOST_BYTES).read_to_end(&mut bytes).is_err() {
            bytes.clear();
        }
    }
    // It may have ended by itself meanwhile.
    let _ = child.kill();
    let _ = child.wait();
    String::from_utf8_lossy(&bytes).into_owned()
}
