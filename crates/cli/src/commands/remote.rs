//! Remote repositories: shallow, partial clones in the cache.
//!
//! Git does the work, with the user's own credentials and proxies, but without hooks,
//! filters and prompts. A clone is fetched anew each time it is asked for, used as it is
//! where that fails, and removed when nobody asked for it for a week.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use loadline::Remark;
use loadline::cache::ContentHash;

use crate::error::{RequestError, Result};
use crate::settings;
use crate::ui::Ui;

/// Clones that were not used for so long are removed.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Its time says when a clone was used last.
const USED: &str = "used";
/// Commits that are fetched, for scores and `--log`.
const DEPTH: &str = "--depth=100";
const SCHEMES: [&str; 5] = ["https://", "http://", "ssh://", "git://", "file://"];

/// A repository elsewhere, and which state of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Remote {
    url: String,
    reference: String,
}

impl Remote {
    /// Reads `https://host/owner/name[@ref]`, `git@host:owner/name[@ref]`, or with
    /// `--remote` also `owner/name[@ref]`.
    pub(super) fn parse(typed: &Path, is_remote: bool) -> Option<Remote> {
        let typed = typed.to_str()?;
        let is_short = is_remote && !typed.contains(':') && typed.matches('/').count() >= 1;
        let url = if is_short { format!("https://github.com/{typed}") } else { typed.to_owned() };
        let scheme = SCHEMES.iter().find(|scheme| url.starts_with(**scheme));
        // The name of a user may stand before the host.
        let host = match scheme {
            Some(scheme) => scheme.len() + url[scheme.len()..].find('/')?,
            None => url.strip_prefix("git@").and_then(|rest| rest.find(':'))? + "git@".len(),
        };
        let (place, reference) = match url[host..].split_once('@') {
            Some((path, reference)) => (host + path.len(), reference),
            None => (url.len(), ""),
        };
        Some(Remote { url: url[..place].to_owned(), reference: reference.to_owned() })
    }

    /// Brings the repository into the cache and returns where it is.
    pub(super) fn fetch(&self, ui: &mut Ui) -> Result<PathBuf> {
        let clones = settings::cache_directory()?.join("clones");
        remove_old(&clones);
        let key = ContentHash::of(format!("{}@{}", self.url, self.reference).as_bytes());
        let key: String = key.to_string().chars().take(16).collect();
        let name = self.url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or("clone");
        let name = name.trim_end_matches(".git");
        let name = if name.is_empty() || name.starts_with('.') { "clone" } else { name };
        let place = clones.join(key);
        let directory = place.join(name);
        let is_new = !directory.join(".git").exists();
        ui.say(&format!("fetching {}", self.url));
        if let Err(reason) = self.update(&directory, is_new) {
            if is_new {
                let _ = fs::remove_dir_all(&place);
                return Err(RequestError::NoRemote { url: self.url.clone(), reason }.into());
            }
            let message = format!("as fetched before, since it cannot be fetched: {reason}");
            ui.remarks([Remark::new(self.url.clone(), message)]);
        }
        let _ = fs::write(place.join(USED), "");
        Ok(directory)
    }

    fn update(&self, directory: &Path, is_new: bool) -> Result<(), String> {
        if is_new {
            fs::create_dir_all(directory).map_err(|error| error.to_string())?;
            git(directory, &["init", "-q", "--template="])?;
            git(directory, &["remote", "add", "--", "origin", &self.url])?;
        }
        let reference = if self.reference.is_empty() { "HEAD" } else { &self.reference };
        let fetch = ["fetch", "-q", DEPTH, "--filter=blob:none", "--no-tags"];
        git(directory, &[&fetch[..], &["--", "origin", reference]].concat())?;
        git(directory, &["checkout", "-q", "--force", "--detach", "FETCH_HEAD"])
    }
}

/// Runs git without anything that would ask, or that the repository would bring.
fn git(directory: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory);
    for setting in [
        "core.hooksPath=/dev/null",
        "filter.lfs.smudge=",
        "filter.lfs.process=",
        "filter.lfs.required=false",
        "advice.detachedHead=false",
    ] {
        command.args(["-c", setting]);
    }
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE"] {
        command.env_remove(variable);
    }
    command
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "http:https:ssh:git:file")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.starts_with("fatal: ")).or(text.lines().next());
    Err(line.unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
}

/// Removes clones that nobody used for a while.
fn remove_old(clones: &Path) {
    let Ok(entries) = fs::read_dir(clones) else {
        return;
    };
    for entry in entries.flatten() {
        let used = fs::metadata(entry.path().join(USED)).and_then(|it| it.modified());
        let age = used.ok().and_then(|used| SystemTime::now().duration_since(used).ok());
        if age.is_some_and(|age| age > KEPT) {
            // What cannot be removed is in somebody's way, but not in ours.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f303_what_names_a_remote_repository() {
        for (typed, short, want) in [
            ("https://host/o/n", false, Some(("https://host/o/n", ""))),
            (
                "https://me@host/o/n.git@feature/x",
                false,
                Some(("https://me@host/o/n.git", "feature/x")),
            ),
            ("git@host:o/n@v1", false, Some(("git@host:o/n", "v1"))),
            ("file:///tmp/o@main", false, Some(("file:///tmp/o", "main"))),
            ("o/n@v2", true, Some(("https://github.com/o/n", "v2"))),
            ("o/n", false, None),
            ("src", true, None),
            ("C:/code", false, None),
        ] {
            let remote = Remote::parse(Path::new(typed), short);
            let remote = remote.as_ref().map(|it| (it.url.as_str(), it.reference.as_str()));
            assert_eq!(remote, want, "{typed}");
        }
    }
}
