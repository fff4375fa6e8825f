//! Which tier a file gets, and why; what the command shows is tested there.

use super::*;

#[test]
fn f071_a_file_that_cannot_be_read_costs_a_note() {
    let tree = Tree::new(PROJECT);
    tree.write("gone.ts", "export const a = 1;\n");
    let options = options(Some(20_000));
    let Walked { files, .. } = walk(tree.root(), &options.walk).unwrap();
    std::fs::remove_file(tree.path("gone.ts")).unwrap();
    let surveyed = survey(files, &Parsed::Written, &options, &Cache::disabled());
    let gone = surveyed.into_iter().find(|file| file.path == "gone.ts").unwrap();
    let note = survey::remark(&gone).unwrap().to_string();
    assert!(note.starts_with("gone.ts: cannot read it: "), "{note}");
    let (texts, omitted) = part(vec![gone]);
    assert!(texts.is_empty());
    assert_eq!(omitted[0].reason, Reason::Unreadable);
}

#[test]
fn what_stands_elsewhere_too_says_so() {
    let tree = Tree::new(PROJECT);
    let packed = packed(&tree, &options(Some(20_000)));
    let head = "## File: src/math.ts (lines 1-7; the same as src/copy.ts)\n";
    assert!(packed.content.contains(head), "{}", packed.content);
}

#[test]
fn f068_a_file_that_is_known_is_not_opened_again() {
    let tree = Tree::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    let store = Cache::open(cache.path(), crate::cache::CacheOptions::default());
    let options = PackOptions { now_ns: i64::MAX / 2, ..options(Some(20_000)) };
    let files = || walk(tree.root(), &options.walk).unwrap().files;
    let found = files();
    survey(files(), &Parsed::Written, &options, &store);
    std::fs::remove_file(tree.path("src/math.ts")).unwrap();
    let surveyed = survey(found, &Parsed::Written, &options, &store);
    let math = surveyed.iter().find(|file| file.path == "src/math.ts");
    assert!(matches!(math.unwrap().state, State::Text(_)));
}

#[test]
fn f261_a_repository_of_many_files_is_packed_in_one_go() {
    let tree = Tree::new("");
    for number in 0..300 {
        let text = format!("export function f{number}(a: number) {{\n  return a;\n}}\n");
        tree.write(&format!("src/part{}/f{number}.ts", number % 7), text);
    }
    let packed = packed(&tree, &options(Some(4_000)));
    assert_eq!(packed.files.len() + packed.omitted.len(), 300);
    assert!(packed.tokens.get() > 3_880, "{}", packed.tokens);
}
