//! What must hold for the repository as a whole.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that may be longer, each with its reason.
const LONG_FILES: [(&str, &str); 0] = [];
const LONGEST: usize = 800;
const LONGEST_FUNCTION: usize = 90;
/// Functions that may be longer, each with its reason.
const LONG_FUNCTIONS: [(&str, &str); 0] = [];
/// Names that `loadline` itself may show; everything else lives in a room.
const ROOT_NAMES: usize = 25;
/// The rooms that never import one another, their tests aside.
const CLOSED_ROOMS: [&str; 4] = ["pack", "session", "notes", "prompt"];
/// The requirements are numbered F001 to F312.
const REQUIREMENTS: usize = 312;
/// Where tests run the program itself.
const PROGRAM_TESTS: [&str; 2] = ["crates/cli/tests/", "crates/server/tests/"];
/// Requirements that no command can show, each with its reason; a test of the library has them.
const NOT_THROUGH_THE_PROGRAM: [(&str, &str); 12] = [
    ("f007", "a counter of the caller's own is a matter of the library"),
    ("f028", "the books that `fit` keeps of every choice; a command shows only the outcome"),
    ("f068", "to do"),
    ("f253", "measured by `limits`, CPU time within one process"),
    ("f254", "measured by `limits`"),
    ("f255", "measured by `limits`"),
    ("f256", "measured by `limits`"),
    ("f257", "measured by `limits`"),
    ("f258", "measured by `limits`, memory of one process"),
    ("f260", "measured by `limits`"),
    ("f261", "measured by `benches/peers/run`"),
    ("f262", "this test is the check itself"),
];

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
        assert!(lines <= LONGEST || excused, "{name} has {lines} lines of code");
    }
}

#[test]
fn functions_stay_short() {
    for (name, text) in sources() {
        for (function, lines) in functions(&text) {
            let excused = LONG_FUNCTIONS.iter().any(|(long, _)| *long == function);
            assert!(lines <= LONGEST_FUNCTION || excused, "{function} in {name} has {lines} lines");
        }
    }
}

/// The functions of a formatted file with their lengths. A function ends at the
/// brace in the column where it began; code quoted in a string does not.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let Some((before, after)) = code.split_once("fn ") else {
            continue;
        };
        let is_qualifier = |word: &str| {
            matches!(word, "pub" | "const" | "async" | "extern") || word.starts_with("pub(")
        };
        if !before.split_whitespace().all(is_qualifier) || code.ends_with(['}', ';']) {
            continue;
        }
        let indent = line.len() - code.len();
        let inside =
            |line: &&&str| line.is_empty() || line.len() - line.trim_start().len() > indent;
        let length = 1 + lines[first + 1..].iter().take_while(inside).count();
        // The bodies of signatures on several lines begin at `) {`, in the same column.
        let closes_signature =
            |at: usize| lines.get(at).is_some_and(|line| line[indent..].starts_with(')'));
        let rest = if closes_signature(first + length) {
            1 + lines[first + length + 1..].iter().take_while(inside).count()
        } else {
            0
        };
        let name = after.split(['(', '<']).next().unwrap_or_default();
        found.push((name, length + rest + 1));
    }
    found
}

#[test]
fn no_bool_is_matched() {
    for (name, text) in sources() {
        let mut arms = text.lines().map(str::trim_start);
        let arm = arms.find(|line| {
            ["true =>", "false =>", "true if ", "false if "].iter().any(|arm| line.starts_with(arm))
        });
        assert_eq!(arm, None, "{name} matches on a bool");
    }
}

#[test]
fn the_root_of_the_library_shows_few_names() {
    let sources = sources();
    let root = &sources["crates/core/src/lib.rs"];
    let public = root.lines().filter_map(|line| line.strip_prefix("pub "));
    let names: usize = public.map(|line| line.split(',').count()).sum();
    assert!(names > 10, "only {names} names found");
    assert!(names <= ROOT_NAMES, "{names} names at the root");
}

#[test]
fn closed_rooms_do_not_import_one_another() {
    let sources = sources();
    for room in CLOSED_ROOMS {
        let inside = format!("crates/core/src/{room}/");
        let files = sources
            .iter()
            .filter(|(name, _)| name.starts_with(&inside) && !name.contains("/tests"));
        for (name, text) in files {
            for other in CLOSED_ROOMS.into_iter().filter(|other| *other != room) {
                let imports = text.contains(&format!("crate::{other}::"));
                assert!(!imports, "{name} imports `{other}`");
            }
        }
    }
}

/// A key counts as read where a file of the product has its section and its field. That is
/// coarse, but a setting that is only validated and shown fails it.
#[test]
fn every_setting_is_read() {
    let sources = sources();
    let is_product = |name: &&String| {
        let reads = !name.contains("core/src/settings/") || name.ends_with("settings/budget.rs");
        reads && !["/tests", "/benches/", "/examples/"].iter().any(|part| name.contains(part))
    };
    // Each file as it is, and in a form in which `MemorySettings` and `memory_settings` are one.
    let product: Vec<(&str, String)> = sources
        .iter()
        .filter(|(name, _)| is_product(name))
        .map(|(_, text)| text.split("\n#[cfg(test)]").next().unwrap_or_default())
        .map(|text| (text, text.to_lowercase().replace("_settings", "settings")))
        .collect();
    let defaults = root().join("crates/core/src/settings/defaults.toml");
    let mut section = String::new();
    let mut checked = 0;
    for line in fs::read_to_string(defaults).unwrap().lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        }
        let key = line.strip_prefix('#').unwrap_or(line);
        let Some((key, _)) = key.split_once(" = ").filter(|_| !key.starts_with(' ')) else {
            continue;
        };
        let mut parts: Vec<&str> = section.split('.').filter(|part| !part.is_empty()).collect();
        // Tables with free names are read as a whole.
        if !["shares", "models", "tools", "phases"].iter().any(|free| parts.ends_with(&[free])) {
            parts.push(key);
        }
        let field = parts.pop().unwrap();
        let is_read = product.iter().any(|(text, lower)| {
            let is_about = parts.last().is_none_or(|part| {
                let name = format!("{}settings", part.trim_end_matches('s'));
                has_field(text, part) || lower.contains(&name)
            });
            is_about && has_field(text, field)
        });
        assert!(is_read, "nothing reads `{section}.{key}`");
        checked += 1;
    }
    assert!(checked > 100, "only {checked} keys found");
}

/// Tells whether a text has `.name`, as a whole word.
fn has_field(text: &str, name: &str) -> bool {
    let field = format!(".{name}");
    text.split(&field)
        .skip(1)
        .any(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn every_test_file_is_wired_in() {
    let sources = sources();
    for package in ["core", "cli"] {
        let directory = format!("crates/{package}/tests/");
        let wired = &sources[&format!("{directory}it.rs")];
        let files = sources.keys().filter_map(|name| name.strip_prefix(&directory));
        for file in files {
            let name = file.split(['/', '.']).next().unwrap();
            let is_wired = name == "it" || wired.contains(&format!("mod {name};\n"));
            assert!(is_wired, "{directory}it.rs lacks `mod {name};`");
        }
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

/// Every page of the repository, by its path from the root.
fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.starts_with('.') && !["target", "data"].contains(&name) {
            pages(&path, found);
        } else if name.ends_with(".md") || name == "llms.txt" {
            found.push(path);
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let mut found = Vec::new();
    pages(&root(), &mut found);
    let mut checked = 0;
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") || target.contains([' ', '\n', '`', '"']) {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let to = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(to.exists(), "{} links to {target}, which is not there", page.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&to).unwrap();
                let mut headings = text.lines().filter(|line| line.starts_with('#')).map(slug);
                assert!(headings.any(|it| it == anchor), "{} links to {target}", page.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} links found");
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

#[test]
fn the_book_has_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut found = Vec::new();
    pages(&root().join("docs"), &mut found);
    for page in found {
        let name = page.strip_prefix(root().join("docs")).unwrap().display().to_string();
        let times = summary.matches(&format!("({name})")).count();
        let is_listed = times == 1 || name == "SUMMARY.md" || name.starts_with("sample/");
        assert!(is_listed, "docs/SUMMARY.md lists {name} {times} times");
    }
}

/// Every manifest of a package or plugin has the version of the workspace.
#[test]
fn versions_agree() {
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    for plugin in [".claude-plugin", ".codex-plugin"] {
        let path = root().join("plugins/loadline").join(plugin).join("plugin.json");
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(&format!("\"version\": {version}")), "{plugin}");
    }
}

#[test]
fn f262_every_requirement_is_listed_and_what_is_built_is_tested() {
    let text = fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let (mut anywhere, mut through_the_program) = (BTreeSet::new(), BTreeSet::new());
    for (file, text) in sources() {
        let numbers = tested(&text);
        if PROGRAM_TESTS.iter().any(|place| file.starts_with(place)) {
            through_the_program.extend(numbers.iter().cloned());
        }
        anywhere.extend(numbers);
    }
    // Tests of the module for Python run the program beside it.
    let python = fs::read_to_string(root().join("crates/python/tests/test_loadline.py")).unwrap();
    through_the_program.extend(tested(&python.replace("def test_", "fn ")));
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
        let excuse = NOT_THROUGH_THE_PROGRAM.iter().find(|(it, _)| *it == number);
        if built {
            assert!(!place.trim().is_empty(), "{number} is built nowhere");
            let is_tested = match excuse {
                Some(_) => anywhere.contains(&number),
                None => through_the_program.contains(&number),
            };
            assert!(is_tested, "{number} is built but no test runs it");
        }
        let stale = excuse.is_some() && through_the_program.contains(&number);
        assert!(!stale, "{number} needs no exception any more");
        assert!(listed.insert(number.clone()), "{number} is listed twice");
    }
    let numbers = (1..=REQUIREMENTS).map(|number| format!("f{number:03}"));
    assert!(listed.into_iter().eq(numbers), "F001 to F{REQUIREMENTS}, each once");
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
