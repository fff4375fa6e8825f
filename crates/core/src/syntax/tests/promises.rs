//! What holds for every language and any text.

use proptest::prelude::*;

use super::*;
use crate::syntax::language;

#[test]
fn every_query_compiles_and_fits_its_grammar() {
    let mut failed = Vec::new();
    for name in languages() {
        let entry = language::find(name).unwrap();
        if let Err(error) = entry.compiled() {
            failed.push(error.to_string());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn languages_have_the_names_that_files_are_given() {
    let extensions = [
        ("rs", "rust"),
        ("py", "python"),
        ("js", "javascript"),
        ("jsx", "javascript"),
        ("ts", "typescript"),
        ("tsx", "tsx"),
        ("h", "c"),
        ("hpp", "cpp"),
        ("cs", "csharp"),
        ("sh", "bash"),
        ("md", "markdown"),
        ("yml", "yaml"),
    ];
    for (extension, want) in extensions {
        let path = format!("a.{extension}");
        let name = crate::repo::language_of(path.as_ref()).unwrap();
        assert_eq!(language::find(name).unwrap().language.id, want, "{path}");
    }
}

/// Checks what must hold for any outline of a text.
fn check_promises(language: &str, text: &str) {
    let Ok(outline) = outline(language, text) else {
        return;
    };
    let lines = u32::try_from(text.split('\n').count()).unwrap();
    assert_eq!(outline.lines, lines);
    let mut last = 0;
    for (index, definition) in outline.definitions.iter().enumerate() {
        let Definition { lead_line, first_line, last_line, .. } = *definition;
        assert!(1 <= lead_line && lead_line <= first_line, "{definition:?}");
        assert!(first_line <= last_line && last_line <= lines, "{definition:?}");
        assert!(last <= first_line, "out of order: {definition:?}");
        assert!(!definition.signature.contains('\n'), "{definition:?}");
        assert!(definition.parent.is_none_or(|parent| parent < index));
        last = first_line;
    }
    let references = outline.references.iter().map(|(_, line)| *line);
    assert!(references.chain(outline.imports.iter().map(|i| i.line)).all(|line| line <= lines));
    assert_eq!(Outline::from_bytes(&outline.to_bytes()).as_ref(), Some(&outline));
    for section in sections(text, &outline) {
        assert!(text.contains(&section.text));
    }
    let shown = render_signatures("a", &outline, &RenderOptions::default());
    assert!(shown.contains("FILE: a"), "{shown}");
}

#[test]
fn a_shell_may_say_anything_after_a_brace() {
    for odd in ["\u{1f600}", "\u{10ffff}", "\u{1d7d8}", "é"] {
        check_promises("bash", &format!("deploy() {{\n  echo {{{odd}}} {{1..{odd}}}\n}}\n"));
    }
    let named = outline("bash", "größe() {\n  echo {😀\n}\n").unwrap();
    assert!(named.definitions.iter().any(|it| it.name == "größe"), "{named:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_text_is_outlined_without_panic(text in "\\PC{0,200}") {
        for language in languages() {
            check_promises(language, &text);
        }
    }

    #[test]
    fn pieces_of_any_language_are_outlined_without_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES.split('|').collect::<Vec<_>>()), 0..60),
    ) {
        let text = pieces.concat();
        for language in languages() {
            check_promises(language, &text);
        }
    }

    #[test]
    fn cut_or_damaged_bytes_never_panic(place in 0..100_000_usize, flip in 1..=255_u8) {
        let text = "/// Doc.\npub fn a(b: B) {}\nuse c::d;\n";
        let mut bytes = outline("rust", text).unwrap().to_bytes();
        let place = place % bytes.len();
        assert!(Outline::from_bytes(bytes.get(..place).unwrap()).is_none());
        bytes[place] ^= flip;
        let _ = Outline::from_bytes(&bytes);
    }
}

/// Pieces of many languages, apart by bars.
const PIECES: &str = "fn |pub |a|b1|(|)|{|}|[|]|<|>|;|:|,|=|\n|\n\n|  |\t|\
    class |def |function |export |import |from |\
    \"x\"|'|/* c */|// d\n|# e\n|@f\n|impl |struct |const |=> |é😀|-|private\n|```\n";
