//! Expands Rust's grouped imports: `a::{b, c::{d, e}}`.

/// No import has more paths than this; what is beyond is dropped.
const MOST: usize = 1_000;

/// Writes out the paths of a use tree, without `as` and its name.
///
/// Tolerant: what is not closed ends with the text.
pub(super) fn expand(tree: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut prefixes = vec![String::new()];
    let mut name = String::new();
    for character in tree.chars() {
        match character {
            '{' => {
                let prefix = prefixes.last().cloned().unwrap_or_default();
                prefixes.push(prefix + name.trim());
                name.clear();
            }
            ',' | '}' => {
                finish(&prefixes, &mut name, &mut paths);
                if character == '}' && prefixes.len() > 1 {
                    prefixes.pop();
                }
            }
            other => name.push(other),
        }
    }
    finish(&prefixes, &mut name, &mut paths);
    paths
}

fn finish(prefixes: &[String], name: &mut String, paths: &mut Vec<String>) {
    let path = name.split(" as ").next().unwrap_or_default().trim();
    if !path.is_empty() && paths.len() < MOST {
        let prefix = prefixes.last().map_or("", String::as_str);
        let path = match path {
            "self" => prefix.trim_end_matches("::").to_owned(),
            path => format!("{prefix}{path}"),
        };
        paths.push(path.split_whitespace().collect());
    }
    name.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_written_out() {
        for (tree, want) in [
            ("a::b", &["a::b"][..]),
            ("a::b as c", &["a::b"]),
            ("a::{self, b, c::{d, e as f}, g::*}", &["a", "a::b", "a::c::d", "a::c::e", "a::g::*"]),
            ("{a, b::c}", &["a", "b::c"]),
            ("a::{\n    b,\n    c,\n}", &["a::b", "a::c"]),
            ("a::{b", &["a::b"]),
            ("}}a", &["a"]),
            ("", &[]),
        ] {
            assert_eq!(expand(tree), want, "{tree}");
        }
    }
}
