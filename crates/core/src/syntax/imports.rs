//! Collects what a file depends on, as its language names it.

use super::capture::{FoundImport, unquoted};
use super::outline::Import;
use super::signature::one_line;
use super::source::Source;
use super::style::ImportStyle;

/// Deepest braces in a tree of paths that are followed.
const DEEPEST: usize = 64;

/// Turns captured sources into imports, in source order.
pub(super) fn imports(
    style: ImportStyle,
    source: &Source<'_>,
    found: &[FoundImport<'_>],
) -> Vec<Import> {
    let mut imports: Vec<(usize, Import)> = Vec::new();
    for item in found {
        let place = item.source.start_byte();
        let line = source.line(place);
        let names = item.names.iter().map(|range| source.text(range).to_owned());
        let names: Vec<String> = names.collect();
        // A statement that takes several names matches once for each.
        if let Some((last, import)) = imports.last_mut()
            && *last == place
        {
            let new = names.into_iter().filter(|name| !import.names.contains(name));
            let new: Vec<String> = new.collect();
            import.names.extend(new);
            continue;
        }
        let text = source.without_omitted(item.source.byte_range());
        for path in sources(style, &text) {
            let import = Import { source: path, names: names.clone(), line, kind: item.kind };
            imports.push((place, import));
        }
    }
    imports.into_iter().map(|(_, import)| import).collect()
}

fn sources(style: ImportStyle, text: &str) -> Vec<String> {
    let text = one_line(text);
    let sources = match style {
        ImportStyle::Text => vec![unquoted(&text)],
        ImportStyle::Tree => tree_paths(&text),
        ImportStyle::Ruby => vec![ruby_path(&text)],
    };
    sources.into_iter().filter(|path| !path.is_empty()).collect()
}

/// `require_relative "a"` asks for `./a`.
fn ruby_path(call: &str) -> String {
    let argument = call.find(['"', '\'']);
    let path = unquoted(
        argument.and_then(|place| call.get(place..)).unwrap_or_default().trim_end_matches(')'),
    );
    if call.starts_with("require_relative") && !path.starts_with('.') {
        format!("./{path}")
    } else {
        path
    }
}

/// Spells out a tree: `a::{b, c::{self, d}}` is `a::b`, `a::c` and `a::c::d`.
fn tree_paths(tree: &str) -> Vec<String> {
    if tree.starts_with("mod ") {
        return vec![tree.trim_end_matches(';').to_owned()];
    }
    let tree = tree.strip_prefix("use ").unwrap_or(tree).trim_end_matches(';');
    let mut paths = Vec::new();
    let mut prefixes: Vec<usize> = Vec::new();
    let mut path = String::new();
    let base = |prefixes: &[usize]| prefixes.last().copied().unwrap_or(0);
    let mut finish = |path: &mut String, base: usize| {
        let whole = path.split(" as ").next().unwrap_or_default().trim();
        let whole = whole.trim_end_matches("::self").trim_end_matches("::");
        if path.len() > base && !whole.is_empty() {
            paths.push(unquoted(whole));
        }
        path.truncate(base);
    };
    for letter in tree.chars() {
        match letter {
            '{' if prefixes.len() < DEEPEST => prefixes.push(path.len()),
            ',' => finish(&mut path, base(&prefixes)),
            '}' => {
                finish(&mut path, base(&prefixes));
                prefixes.pop();
                // The prefix itself has been used up.
                path.truncate(base(&prefixes));
            }
            ' ' if path.len() == base(&prefixes) => {}
            letter => path.push(letter),
        }
    }
    finish(&mut path, 0);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_tree_paths_are_spelled_out() {
        for (tree, want) in [
            ("std::fmt", "std::fmt"),
            ("a::b as c", "a::b"),
            ("a::{b, c::{self, d}, e::*}", "a::b a::c a::c::d a::e::*"),
            ("{a, b::c}", "a b::c"),
            ("::a::{b as _}", "::a::b"),
            ("mod x;", "mod x"),
            ("use App\\{A, B as C};", "App\\A App\\B"),
            ("a::{}", ""),
        ] {
            assert_eq!(tree_paths(tree).join(" "), want, "{tree}");
        }
    }

    #[test]
    fn ruby_paths_say_whether_they_are_relative() {
        assert_eq!(ruby_path("require 'json'"), "json");
        assert_eq!(ruby_path("require_relative('a/b')"), "./a/b");
        assert_eq!(ruby_path("require_relative \"../a\""), "../a");
    }
}
