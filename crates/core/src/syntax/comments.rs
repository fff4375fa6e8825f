//! Takes the comments out of a text.
//!
//! Line breaks stay, so that lines keep their numbers: what is packed without comments
//! can still be found and edited.

use super::language;
use super::parse::{ParseLimits, parse};

/// Returns a text without its comments; as it is where it cannot be parsed.
///
/// ```
/// # #[cfg(feature = "lang-rust")] {
/// use loadline::syntax::without_comments;
/// let text = "/// Doubles.\nfn double(x: u32) -> u32 {\n    2 * x // twice\n}\n";
/// assert_eq!(without_comments("rust", text), "\nfn double(x: u32) -> u32 {\n    2 * x\n}\n");
/// # }
/// ```
pub fn without_comments(language: &str, text: &str) -> String {
    let parsed = language::find(language)
        .and_then(|entry| parse(entry.language, text, &ParseLimits::default()).ok());
    let Some(tree) = parsed else {
        return text.to_owned();
    };
    let mut comments = Vec::new();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        let is_comment = node.kind().contains("comment") && node.is_named();
        if is_comment {
            comments.push(node.byte_range());
        }
        if !is_comment && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    // A first line of a script says what runs it.
    comments.retain(|comment| !text[comment.clone()].starts_with("#!"));
    let mut bare = String::with_capacity(text.len());
    let mut copied = 0;
    for comment in comments {
        bare.push_str(&text[copied..comment.start]);
        bare.extend(text[comment.clone()].matches('\n'));
        copied = comment.end;
    }
    bare.push_str(&text[copied..]);
    let lines = bare.split_inclusive('\n').map(|line| {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        line.trim_end().to_owned() + end
    });
    lines.collect()
}
