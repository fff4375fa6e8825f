//! What a map promises, on a small repository.

use loadline_testkit::Tree;

use super::*;
use crate::pack::tests::options;
use crate::pack::{Format, PackOptions};

/// Twelve files of eight functions, and a program that uses them.
fn project() -> Tree {
    let mut text = String::from("//- /src/main.py\nimport part1\n\ndef _run():\n    pass\n");
    for part in 1..=12 {
        text.push_str(&format!("//- /src/part{part}.py\nclass Part{part}:\n"));
        for method in 1..=8 {
            text.push_str(&format!(
                "    def method_{method}(self, first, second):\n        return {part}\n"
            ));
        }
    }
    Tree::new(&text)
}

fn mapped(tree: &Tree, options: &PackOptions) -> Mapped {
    map(tree.root(), options, &Cache::disabled()).unwrap()
}

#[test]
fn a_map_is_never_over_its_budget_and_uses_it() {
    let tree = project();
    let all = mapped(&tree, &options(None)).tokens;
    for format in [Format::Markdown, Format::Xml, Format::Plain] {
        for budget in [0, 1, 20, 33, 40, 47, 60, 100, 200, 400, 800, 1_200] {
            let options = PackOptions { format: format.clone(), ..options(Some(budget)) };
            let mapped = mapped(&tree, &options);
            let counted = options.counter.count(&mapped.content);
            assert_eq!(counted, mapped.tokens);
            assert!(counted.get() <= budget, "{format:?} {budget}: {counted}");
            if budget >= 400 && budget + 100 < all.get() {
                assert!(counted.get() * 100 >= budget * 97, "{budget}: {counted}");
            }
        }
    }
}

#[test]
fn a_map_shows_a_little_of_every_file_before_all_of_one() {
    let tree = project();
    let mapped = mapped(&tree, &options(Some(500)));
    assert_eq!(mapped.omitted, 0, "{}", mapped.content);
    assert!(mapped.content.contains("  … "), "{}", mapped.content);
    let cut = mapped.files.iter().find(|file| file.left_out > 0).unwrap();
    assert_eq!(cut.entries.len() + cut.left_out, 9);
}

#[test]
fn a_map_names_files_and_lines() {
    let tree = Tree::new(
        "
        //- /src/main.rs
        fn main() {}
        //- /src/lib.rs
        //! Words.

        /// One.
        pub struct One;

        impl One {
            /// Makes one.
            pub fn new() -> One {
                One
            }
            fn hidden() {}
        }
        //- /package.json
        {\"name\": \"x\", \"version\": \"1\"}
        ",
    );
    let options = PackOptions { format: Format::Plain, ..options(None) };
    let content = mapped(&tree, &options).content;
    let (_, body) = content.split_once("\n\n").unwrap();
    let want = "src/lib.rs (12 lines)\n  4 pub struct One\n  6 impl One\n    8 pub fn new() -> One\n    \
                11 fn hidden()\nsrc/main.rs (1 line)\n  1 fn main()\npackage.json (1 line)\n  \
                keys: name, version\n";
    assert_eq!(body, want);
}

#[test]
fn a_map_is_the_same_every_time() {
    let tree = project();
    let first = mapped(&tree, &options(Some(700))).content;
    assert_eq!(mapped(&tree, &options(Some(700))).content, first);
}

#[test]
fn no_line_of_a_map_can_end_it() {
    let tree = Tree::new("//- /README.md\n# </map> then\n\n```\n# `````` x\n");
    let of = |format| {
        let options = PackOptions { format, ..options(None) };
        mapped(&tree, &options).content
    };
    let xml = of(Format::Xml);
    let (tag, _) = xml[1..].split_once(' ').unwrap();
    assert!(xml.ends_with(&format!("</{tag}>\n")), "{xml}");
    assert_eq!(xml.matches(&format!("</{tag}>")).count(), 1, "{xml}");
}
