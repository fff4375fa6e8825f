//! A test file that is not wired in would never run.

use std::fs;
use std::path::Path;

#[test]
fn every_file_is_wired_in() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let wired = fs::read_to_string(directory.join("it.rs")).unwrap();
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_code = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
        assert!(
            !is_code || name == "it" || wired.contains(&format!("mod {name};\n")),
            "tests/it.rs lacks `mod {name};`"
        );
    }
}
