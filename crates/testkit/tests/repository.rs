//! What must hold for the repository as a whole.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that may be longer, each with its reason.
const LONG_FILES: [(&str, &str); 0] = [];
const LONGEST: usize = 800;
/// The requirements are numbered F001 to F281.
const REQUIREMENTS: usize = 281;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below `crates`, by its path from the root.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().join("crates")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn files_stay_short() {
    for (name, text) in sources() {
        let code = text.lines().take_while(|line| *line != "#[cfg(test)]");
        let lines = code.count();
        let excused = LONG_FILES.iter().any(|(file, _)| *file == name);
        assert!(
            lines <= LONGEST || excused,
            "{name} has {lines} lines of code"
        );
    }
}

#[test]
fn the_architecture_names_only_what_exists() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|word| word.contains('/') && !word.contains([' ', '<', '*', ':']));
    let mut checked = 0;
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`");
        checked += 1;
    }
    assert!(checked > 10, "only {checked} paths found");
}

#[test]
fn f262_every_requirement_is_listed_and_what_is_built_is_tested() {
    let text = fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let tested: BTreeSet<String> = sources().values().flat_map(|text| tested(text)).collect();
    let mut listed = BTreeSet::new();
    for row in text.lines().filter(|line| line.starts_with("| F")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [number, promise, place, status] = cells[..] else {
            panic!("a row needs four cells: {row}");
        };
        let number = number.trim_start_matches("| ").to_lowercase();
        let status = status.trim_end_matches(" |");
        let built = status == "built" || status.starts_with("built differently: ");
        assert!(built || status == "open", "{number} is {status:?}");
        assert!(!promise.is_empty(), "{number} promises nothing");
        if built {
            assert!(!place.trim().is_empty(), "{number} is built nowhere");
            assert!(
                tested.contains(&number),
                "{number} is built but has no test"
            );
        }
        assert!(listed.insert(number.clone()), "{number} is listed twice");
    }
    assert_eq!(listed.len(), REQUIREMENTS);
    let first_and_last = (listed.first().unwrap(), listed.last().unwrap());
    assert_eq!(
        first_and_last,
        (&"f001".to_owned(), &format!("f{REQUIREMENTS}"))
    );
}

/// The requirement numbers at the beginning of the names of test functions.
fn tested(text: &str) -> Vec<String> {
    let is_number = |word: &&str| {
        let digits = word.strip_prefix('f').unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let names = text.split("fn ").skip(1);
    let numbers = names.flat_map(|name| name.split('_').take_while(is_number));
    numbers.map(str::to_owned).collect()
}
