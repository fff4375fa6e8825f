//! JSON as people write it: with comments and trailing commas.

use serde_json::Value;

/// Reads JSON that may hold `//` and `/* */` comments and trailing commas.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&plain(text)))
        .map_err(|error| error.to_string())
}

/// Turns comments and trailing commas into white space, so that positions stay.
fn plain(text: &str) -> String {
    let mut bytes = without_comments(text.as_bytes());
    drop_trailing_commas(&mut bytes);
    // Only whole characters were replaced, each byte by a space.
    String::from_utf8(bytes).unwrap_or_default()
}

fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut plain = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = match (text[at], text.get(at + 1)) {
            (b'"', _) => {
                at = string_end(text, at);
                continue;
            }
            (b'/', Some(b'/')) => find(text, at, b"\n"),
            (b'/', Some(b'*')) => (find(text, at + 2, b"*/") + 2).min(text.len()),
            _ => {
                at += 1;
                continue;
            }
        };
        plain[at..end].fill(b' ');
        at = end;
    }
    plain
}

fn drop_trailing_commas(text: &mut [u8]) {
    let mut comma = None;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => {
                comma = None;
                at = string_end(text, at);
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    text[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
}

/// Returns the place after the string that begins at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn find(text: &[u8], from: usize, needle: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let found = memchr::memmem::find(rest, needle);
    found.map_or(text.len(), |offset| from + offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_trailing_commas_are_forgiven() {
        let text =
            "\u{feff}{ // one\n \"a\": [1, 2,], /* two */ \"b\": \"//no, }\", \"c\\\"\": 1,\n}";
        assert_eq!(parse(text).unwrap(), json!({"a": [1, 2], "b": "//no, }", "c\"": 1}));
        for broken in ["", "{", "/*", "\"", "{\"a\":\\", "// only"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }
}
