//! What the tests of this domain share.

use jiff::Timestamp;

use super::{Feature, Features, NotesOptions};
use crate::settings::Config;
use crate::tokens::Tokens;

/// Returns the default options, with a fixed time.
pub(super) fn options() -> NotesOptions {
    let config = Config::load(Vec::new()).unwrap();
    let counter = "o200k".parse().unwrap();
    let now: Timestamp = "2024-01-25T15:30:00Z".parse().unwrap();
    let settings = &config.settings().memory;
    NotesOptions::new(settings, counter, Tokens::new(200_000), now).unwrap()
}

/// Writes the files of a feature called `login`.
pub(super) fn feature(files: &[(&str, &str)]) -> (tempfile::TempDir, Feature) {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("login");
    std::fs::create_dir(&place).unwrap();
    for (name, text) in files {
        std::fs::write(place.join(name), text).unwrap();
    }
    let feature = Features::new(directory.path()).feature("login").unwrap();
    (directory, feature)
}
