//! Takes over what an older version kept in the cache directory.
//!
//! It kept originals and the ledger there, where `cache clear` reached them. Each
//! step can be repeated, so that two processes, or one that was killed, do no harm.

use std::fs;
use std::path::Path;

use super::Archive;
use super::error::LedgerError;
use super::ledger::{CutLedger, LEDGER_NAME};
use super::originals::{Originals, directories_in};
use crate::Remark;
use crate::fsio::{IoResultExt, create_private_directory, write_private};

/// What else belongs to the archive: the settings of agents before `install`.
const INSTALL: &str = "install";
/// Where the older version kept originals, inside the cache directory.
const OLD_ORIGINALS: &str = "blobs";
/// The file by which it remembered when it last removed some.
const OLD_MARK: &str = "pruned";

impl Archive {
    /// Moves originals and the ledger out of a cache directory of an older version.
    ///
    /// Costs a few looks at the disk where there is nothing to do. What cannot be moved
    /// stays where it is, is named, and is tried again the next time.
    pub fn take_over(&self, cache: &Path) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let blobs = cache.join(OLD_ORIGINALS);
        if blobs.is_dir() {
            self.take_originals(&blobs, &mut remarks);
        }
        let ledger = cache.join(LEDGER_NAME);
        if ledger.is_file()
            && let Err(error) = self.take_ledger(&ledger)
        {
            remarks.push(Remark::new(ledger.display().to_string(), error.to_string()));
        }
        for entry in fs::read_dir(cache.join(INSTALL)).into_iter().flatten().flatten() {
            let to = self.directory.join(INSTALL).join(entry.file_name());
            // A newer record knows more.
            if !to.exists() {
                let _ = move_file(&entry.path(), &to);
            }
        }
        let _ = fs::remove_dir(cache.join(INSTALL));
        remarks
    }

    fn take_originals(&self, blobs: &Path, remarks: &mut Vec<Remark>) {
        let old = Originals::new(blobs.to_owned());
        for file in old.files() {
            let moved = if file.is_whole {
                let below = file.path.strip_prefix(blobs).unwrap_or(&file.path);
                move_file(&file.path, &self.unbound.directory().join(below))
            } else {
                fs::remove_file(&file.path).at("remove", &file.path)
            };
            // Another process may have moved it just now.
            if let Err(error) = moved
                && file.path.exists()
            {
                let name = file.path.display().to_string();
                remarks.push(Remark::new(name, error.to_string()));
            }
        }
        for shard in directories_in(blobs) {
            let _ = fs::remove_dir(shard);
        }
        let _ = fs::remove_file(blobs.join(OLD_MARK));
        let _ = fs::remove_dir(blobs);
    }

    fn take_ledger(&self, old: &Path) -> Result<(), LedgerError> {
        CutLedger::open(&self.directory)?.add_all_of(old)?;
        for suffix in ["", "-wal", "-shm"] {
            let mut path = old.as_os_str().to_owned();
            path.push(suffix);
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

/// Moves a file, also to another disk.
fn move_file(from: &Path, to: &Path) -> Result<(), crate::PathError> {
    if let Some(parent) = to.parent() {
        create_private_directory(parent)?;
    }
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    write_private(to, &fs::read(from).at("read", from)?)?;
    fs::remove_file(from).at("remove", from)
}
