//! How long are originals kept?
//!
//! A blob is as old as its last use: putting the same content again makes it
//! new. Old ones go when something is put, at most once a day, since a store
//! may hold thousands. The time comes from the caller, as everywhere here.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::blobs::{BlobError, Blobs};
use super::hash::ContentHash;
use super::upkeep::blob_files;
use crate::Remark;

/// The file that says when old blobs were last looked for.
pub(super) const PRUNED_NAME: &str = "pruned";

/// How often old blobs are looked for.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long originals are kept, and what time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The age from which a blob goes; zero keeps all of them for good.
    pub keep: Duration,
    /// The present, in nanoseconds since 1970.
    pub now_ns: i64,
}

/// What pruning removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Blobs removed.
    pub blobs: u64,
    /// Bytes freed.
    pub bytes: u64,
    /// What had to stay, and why.
    pub notes: Vec<Remark>,
}

impl Blobs {
    /// Keeps `bytes` as [`put`](Blobs::put) does, as of now, and lets old blobs go.
    ///
    /// ```
    /// use loadline::store::{Blobs, Retention};
    /// let directory = tempfile::tempdir()?;
    /// let blobs = Blobs::new(directory.path());
    /// let day = std::time::Duration::from_secs(86_400);
    /// let at = |days: i64| Retention { keep: 30 * day, now_ns: days * 86_400_000_000_000 };
    /// let first = blobs.keep(b"first", &at(20_000))?;
    /// blobs.keep(b"second", &at(20_031))?;
    /// assert!(blobs.get(&first).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&self, bytes: &[u8], retention: &Retention) -> Result<ContentHash, BlobError> {
        let hash = self.put(bytes)?;
        let now = retention.now();
        if let Err(error) = stamp(&self.path(&hash), now)
            && error.kind() == io::ErrorKind::NotFound
        {
            // Another process has just found it too old.
            self.put(bytes)?;
        }
        if retention.keep > Duration::ZERO && self.is_due(now) {
            // What cannot be removed today can tomorrow.
            let _ = self.prune(retention);
        }
        Ok(hash)
    }

    /// Removes blobs that were not put for longer than they are kept.
    ///
    /// Leftovers of unfinished writes go as well. Scans all blobs.
    pub fn prune(&self, retention: &Retention) -> Pruned {
        let mut pruned = Pruned::default();
        let now = retention.now();
        if retention.keep == Duration::ZERO {
            return pruned;
        }
        for (path, is_blob, bytes) in blob_files(self.directory()) {
            if age(&path, now).is_none_or(|age| age <= retention.keep) {
                continue;
            }
            match fs::remove_file(&path) {
                Ok(()) => {
                    pruned.blobs += u64::from(is_blob);
                    pruned.bytes += bytes;
                }
                Err(error) => {
                    let message = format!("not removed: {error}");
                    let note = Remark::new(path.display().to_string(), message);
                    pruned.notes.push(note);
                }
            }
        }
        // Where this cannot be written, the next put looks again.
        let mark = self.directory().join(PRUNED_NAME);
        let _ = File::create(&mark).and_then(|file| file.set_modified(now));
        pruned
    }

    fn is_due(&self, now: SystemTime) -> bool {
        let mark = self.directory().join(PRUNED_NAME);
        // A mark of the future says nothing.
        age(&mark, now).is_none_or(|age| age >= DAY)
    }
}

impl Retention {
    fn now(&self) -> SystemTime {
        let since = Duration::from_nanos(self.now_ns.unsigned_abs());
        let time = if self.now_ns >= 0 {
            UNIX_EPOCH.checked_add(since)
        } else {
            UNIX_EPOCH.checked_sub(since)
        };
        time.unwrap_or(UNIX_EPOCH)
    }
}

/// Returns how long ago a file was written; `None` where that is not known, or to come.
fn age(path: &Path, now: SystemTime) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|it| it.modified());
    now.duration_since(modified.ok()?).ok()
}

fn stamp(path: &Path, now: SystemTime) -> io::Result<()> {
    let file = File::options().append(true).open(path)?;
    file.set_modified(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_800_000_000;

    fn at(days: i64) -> Retention {
        Retention {
            keep: 30 * DAY,
            now_ns: (START + days * 86_400) * 1_000_000_000,
        }
    }

    fn blobs() -> (tempfile::TempDir, Blobs) {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(directory.path());
        (directory, blobs)
    }

    #[test]
    fn old_blobs_go_and_used_ones_stay() {
        let (_directory, blobs) = blobs();
        let unused = blobs.keep(b"unused", &at(0)).unwrap();
        let used = blobs.keep(b"used", &at(0)).unwrap();
        blobs.keep(b"used", &at(20)).unwrap();
        blobs.keep(b"new", &at(30)).unwrap();
        assert!(blobs.get(&unused).is_ok(), "30 days are not over 30 days");
        blobs.keep(b"newer", &at(31)).unwrap();
        assert!(blobs.get(&unused).is_err());
        assert!(blobs.get(&used).is_ok());
    }

    #[test]
    fn old_blobs_are_looked_for_once_a_day() {
        let (_directory, blobs) = blobs();
        let hash = blobs.keep(b"old", &at(0)).unwrap();
        let half = |retention: Retention| Retention {
            keep: DAY / 4,
            now_ns: retention.now_ns + 43_200_000_000_000,
        };
        blobs.keep(b"new", &half(at(0))).unwrap();
        assert!(blobs.get(&hash).is_ok(), "looked for half a day before");
        let pruned = blobs.prune(&half(at(0)));
        assert_eq!((pruned.blobs, pruned.notes.len()), (1, 0));
        assert!(pruned.bytes > 0);
    }

    #[test]
    fn zero_keeps_for_good_and_the_future_is_not_old() {
        let (_directory, blobs) = blobs();
        let hash = blobs.keep(b"kept", &at(1_000)).unwrap();
        let forever = Retention {
            keep: Duration::ZERO,
            ..at(5_000)
        };
        blobs.keep(b"other", &forever).unwrap();
        assert_eq!(blobs.prune(&forever), Pruned::default());
        assert_eq!(blobs.prune(&at(0)).blobs, 0);
        assert!(blobs.get(&hash).is_ok());
        let ancient = Retention {
            keep: DAY,
            now_ns: i64::MIN,
        };
        assert_eq!(blobs.prune(&ancient).blobs, 0);
    }
}
