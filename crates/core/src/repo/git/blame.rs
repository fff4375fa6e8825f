//! When each line of a file was last changed, and where the work tree stands.

use std::path::Path;

use super::command::run;

/// Returns when each line of a file was last committed, in seconds since 1970.
///
/// Lines that are not committed yet count as new. `None` where git does not know the file.
pub fn line_times(directory: &Path, file: &str) -> Option<Vec<i64>> {
    let output = run(directory, &["blame", "--line-porcelain", "--", file]).ok()?;
    let (mut times, mut time) = (Vec::new(), 0);
    for line in output.split(|byte| *byte == b'\n') {
        if let Some(value) = line.strip_prefix(b"committer-time ") {
            time = std::str::from_utf8(value).ok()?.parse().ok()?;
        } else if line.starts_with(b"\t") {
            times.push(time);
        }
    }
    Some(times)
}

/// Returns the branch and its last commit, such as `main at 1a2b3c4 fix the clock`.
pub fn current_branch(directory: &Path) -> Option<String> {
    let text = |arguments: &[&str]| {
        let output = run(directory, arguments).ok()?;
        Some(String::from_utf8_lossy(&output).trim().to_owned())
    };
    let commit = text(&["log", "-1", "--format=%h %s"])?;
    let branch = text(&["symbolic-ref", "--short", "-q", "HEAD"]);
    Some(format!("{} at {commit}", branch.as_deref().unwrap_or("detached HEAD")))
}
