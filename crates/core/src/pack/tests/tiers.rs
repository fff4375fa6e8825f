//! Which tier a file gets, and why.

use super::*;

/// A function of about `8 * lines` tokens.
fn function(name: &str, lines: usize) -> String {
    let body: String = (0..lines).map(|line| format!("  step({line}, other);\n")).collect();
    format!("export function {name}(other: number): void {{\n{body}}}\n")
}

/// An entry point that others import, of three functions; it scores over 30.
fn oversized(lines: [usize; 3]) -> Tree {
    let tree = Tree::new("");
    let names = ["alpha", "beta", "gamma"];
    let functions = names.iter().zip(lines);
    let mut text: String = functions.map(|(name, lines)| function(name, lines)).collect();
    text.push_str(&"// Nothing of note stands here, line after line.\n".repeat(100));
    tree.write("src/index.ts", text);
    tree.write("src/user.ts", "import { alpha } from './index';\nalpha(1);\n");
    tree.write("notes.md", "words and more words of filling\n".repeat(3_000));
    tree
}

/// Options under which files above 1,000 tokens are oversized.
fn small(budget: u64) -> PackOptions {
    let mut options = options(Some(budget));
    options.tiers.oversized = Tokens::new(1_000);
    options
}

fn file<'a>(packed: &'a Packed, path: &str) -> &'a PackedFile {
    let found = packed.files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("{path} is not in {:?}, {:?}", tiers(packed), omitted(packed)))
}

#[test]
fn f058_an_oversized_file_is_shown_in_sections() {
    let tree = oversized([40, 40, 40]);
    let packed = packed(&tree, &small(6_000));
    let index = file(&packed, "src/index.ts");
    assert_eq!(index.tier, Tier::Sections);
    assert_eq!(index.because, Some(Reason::Oversized));
    // By default, 8,000 tokens are the limit.
    let options = options(Some(6_000));
    assert_eq!(options.tiers.oversized, Tokens::new(8_000));
    assert_eq!(options.tiers.oversized_min_score, 30);
    let packed = pack(tree.root(), &options, &Cache::disabled()).unwrap();
    assert_eq!(file(&packed, "src/index.ts").tier, Tier::Full);
}

#[test]
fn f059_signatures_come_before_the_sections() {
    let tree = oversized([40, 40, 40]);
    let packed = packed(&tree, &small(6_000));
    let head = "## File: src/index.ts (lines 1-126 of 226)\n```typescript\n\
                export function alpha(other: number): void\n";
    let at = packed.content.find(head).unwrap();
    let section = packed.content.find("// --- Export: alpha ---\n").unwrap();
    assert!(at < section, "{}", packed.content);
}

#[test]
fn f060_sections_have_labels_and_a_blank_line_between_them() {
    let tree = oversized([40, 40, 40]);
    let packed = packed(&tree, &small(6_000));
    let between = "}\n\n// --- Export: beta ---\nexport function beta(";
    assert!(packed.content.contains(between), "{}", packed.content);
}

#[test]
fn f061_sections_are_a_tier_of_their_own() {
    let tree = oversized([40, 40, 40]);
    let all = packed(&tree, &small(6_000));
    let index = file(&all, "src/index.ts");
    assert_eq!(index.ranges, [(1, 126)], "all sections fit");
    let some = packed(&tree, &small(1_000));
    let index = file(&some, "src/index.ts");
    assert_eq!((index.tier, index.ranges.len()), (Tier::Sections, 1));
    assert!(index.ranges[0].1 < 126, "{:?}", index.ranges);
    let none = packed(&tree, &small(45));
    assert!(none.files.is_empty(), "{:?}", tiers(&none));
    assert_eq!(none.tokens, small(45).counter.count(&none.content));
}

#[test]
fn f062_a_section_that_does_not_fit_does_not_stop_the_next() {
    let tree = oversized([40, 400, 40]);
    let packed = packed(&tree, &small(1_500));
    let index = file(&packed, "src/index.ts");
    assert_eq!(index.tier, Tier::Sections);
    assert!(packed.content.contains("// --- Export: alpha ---"));
    assert!(packed.content.contains("// --- Export: gamma ---"));
    assert!(!packed.content.contains("// --- Export: beta ---"));
    assert!(packed.tokens <= Tokens::new(1_500));
}

#[test]
fn f063_parts_are_never_larger_than_the_whole() {
    let tree = Tree::new("");
    let text: String = (0..120)
        .map(|number| format!("export function f{number}(a: number): number {{\n  return a;\n}}\n"))
        .collect();
    tree.write("src/index.ts", &text);
    tree.write("notes.md", "words and more words of filling\n".repeat(3_000));
    let options = small(5_000);
    let whole = options.counter.count(&text);
    assert!(whole > Tokens::new(1_000) && whole < Tokens::new(4_000));
    let packed = packed(&tree, &options);
    assert_eq!(file(&packed, "src/index.ts").tier, Tier::Full);
}

#[test]
fn f064_an_oversized_file_of_low_score_is_left_out_when_not_all_fits() {
    let tree = oversized([40, 40, 40]);
    let omitted_notes = |options: &PackOptions| {
        let packed = packed(&tree, options);
        let found = packed.omitted.into_iter().find(|file| file.path == "notes.md");
        found.map(|file| file.reason)
    };
    let mut options = small(6_000);
    options.tiers.oversized_min_score = 20;
    assert_eq!(omitted_notes(&options), Some(Reason::BelowThreshold));
    // Where there is room for everything, everything is shown.
    assert_eq!(omitted_notes(&small(100_000)), None);
    // The rule can be switched off.
    options.tiers.oversized_min_score = 0;
    assert_ne!(omitted_notes(&options), Some(Reason::BelowThreshold));
}

#[test]
fn f065_what_scores_70_is_outlined_before_anything_else_is_shown() {
    let tree = Tree::new("");
    tree.write("src/index.ts", function("main", 300));
    tree.write("src/server.ts", function("serve", 300));
    let names = ["index", "server"];
    for number in 0..12 {
        let name = names[number % 2];
        tree.write(
            &format!("src/user{number}.ts"),
            format!("import {{ main }} from './{name}';\n"),
        );
    }
    let mut options = options(Some(2_800));
    options.tiers.floor_score = 45;
    options.tiers.oversized = Tokens::new(1_000_000);
    let packed = packed(&tree, &options);
    let of = |path: &str| file(&packed, path).tier;
    assert_eq!(of("src/index.ts"), Tier::Full);
    assert!(of("src/server.ts") >= Tier::Sections, "{:?}", tiers(&packed));
    assert_eq!(Config::load([]).unwrap().settings().tiers.floor_score, 70);
}

#[test]
fn f070_what_fits_exactly_is_shown_in_full() {
    let tree = Tree::new(PROJECT);
    // The tree at the head is smaller where the budget is.
    let roomy = packed(&tree, &options(Some(300)));
    let all = packed(&tree, &options(Some(roomy.tokens.get())));
    let exact = packed(&tree, &options(Some(all.tokens.get())));
    assert_eq!(exact.content, all.content);
    assert_eq!(exact.files.len(), 4);
    assert!(exact.files.iter().all(|file| file.tier == Tier::Full));
    let less = packed(&tree, &options(Some(all.tokens.get() - 1)));
    assert!(less.tokens < all.tokens);
    assert!(
        less.files.iter().any(|file| file.tier != Tier::Full) || less.files.len() < all.files.len()
    );
}

#[test]
fn f071_a_file_that_cannot_be_read_costs_a_note() {
    let tree = Tree::new(PROJECT);
    tree.write("gone.ts", "export const a = 1;\n");
    let options = options(Some(20_000));
    let Walked { files, .. } = walk(tree.root(), &options.walk).unwrap();
    std::fs::remove_file(tree.path("gone.ts")).unwrap();
    let surveyed = survey(files, &options, &Cache::disabled());
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
    survey(files(), &options, &store);
    std::fs::remove_file(tree.path("src/math.ts")).unwrap();
    let surveyed = survey(found, &options, &store);
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
