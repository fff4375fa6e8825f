//! Finds what a line mentions: paths, addresses, names, numbers, error codes and quotations.
//!
//! Later turns refer to what was said by these. The scanners are written out rather than
//! regular expressions, since they see every line of a session.

/// What a mention is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MentionKind {
    /// A path of two or more components.
    Path,
    /// The address of a page.
    Url,
    /// A name that is not a plain word: with an underscore, a change of case, or digits.
    Name,
    /// A number of three digits or more, a version, or a hash.
    Number,
    /// A code such as `E0308` or `TS-2345`.
    Code,
    /// A quotation of several words.
    Quote,
}

/// Calls `found` with every mention of a line.
pub(crate) fn mentions<'a>(line: &'a str, mut found: impl FnMut(MentionKind, &'a str)) {
    urls(line, &mut found);
    if line.as_bytes().contains(&b'/') {
        paths(line, &mut found);
    }
    names(line, &mut found);
    words(line, &mut found);
    quotes(line, &mut found);
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn char_before(line: &str, at: usize) -> Option<char> {
    line.get(..at).and_then(|text| text.chars().next_back())
}

fn char_at(line: &str, at: usize) -> Option<char> {
    line.get(at..).and_then(|text| text.chars().next())
}

fn urls<'a>(line: &'a str, found: &mut impl FnMut(MentionKind, &'a str)) {
    let mut rest = 0;
    while let Some(at) = line.get(rest..).and_then(|text| text.find("http")) {
        let start = rest + at;
        let tail = &line[start..];
        let scheme = ["https://", "http://"].iter().find(|it| tail.starts_with(**it));
        let Some(scheme) = scheme else {
            rest = start + 4;
            continue;
        };
        let host = start + scheme.len();
        let ends = |letter: char| letter.is_whitespace() || "\"'<>)]}`\\".contains(letter);
        let end = line[host..].find(ends).map_or(line.len(), |at| host + at);
        rest = end.max(start + 4);
        if line[host..end].chars().count() >= 6 {
            found(MentionKind::Url, line[start..end].trim_end_matches(['.', ',', ';', ':']));
        }
    }
}

fn is_segment(letter: char) -> bool {
    is_word(letter) || matches!(letter, '@' | '+' | '.' | '-')
}

fn paths<'a>(line: &'a str, found: &mut impl FnMut(MentionKind, &'a str)) {
    let mut rest = 0;
    while let Some(slash) = line.get(rest..).and_then(|text| text.find('/')) {
        let slash = rest + slash;
        // Back to where the component before the slash begins.
        let head = &line[rest..slash];
        let run = head.rfind(|it: char| !is_segment(it) && it != '~');
        let mut start =
            run.map_or(rest, |at| rest + at + head[at..].chars().next().map_or(1, char::len_utf8));
        let before = |at: usize| char_before(line, at);
        let is_open =
            |at: usize| !before(at).is_some_and(|it| is_word(it) || it == '/' || it == '.');
        while start < slash && !is_open(start) {
            start += char_at(line, start).map_or(1, char::len_utf8);
        }
        let end = if is_open(start) { path_from(line, start) } else { None };
        let Some(end) = end else {
            rest = slash + 1;
            continue;
        };
        let path = &line[start..end];
        rest = end.max(slash + 1);
        let has_letter = path.bytes().any(|it| it.is_ascii_alphabetic());
        if path.chars().count() >= 6 && !path.starts_with("//") && has_letter {
            found(MentionKind::Path, path);
        }
    }
}

/// Returns the end of the path that begins at `start`, if there is one.
fn path_from(line: &str, start: usize) -> Option<usize> {
    let text = &line[start..];
    let marks = text.chars().take(2).take_while(|it| matches!(it, '~' | '.')).count();
    let prefixed = (0..=marks).rev().find(|&it| text[it..].starts_with('/'));
    let rooted = prefixed.and_then(|it| components(line, start + it + 1));
    rooted.or_else(|| components(line, start))
}

/// Returns the end of two or more components that begin at `start`.
fn components(line: &str, start: usize) -> Option<usize> {
    let mut end = None;
    let mut at = start;
    let mut count = 0;
    loop {
        let text = &line[at..];
        let length = text.find(|it: char| !is_segment(it)).unwrap_or(text.len());
        let run = &text[..length];
        if run.is_empty() {
            return end;
        }
        count += 1;
        if count >= 2
            && let Some(last) = run.rfind(is_word)
        {
            let width = run[last..].chars().next().map_or(1, char::len_utf8);
            end = Some(at + last + width);
        }
        if !text[length..].starts_with('/') {
            return end;
        }
        at += length + 1;
    }
}

fn names<'a>(line: &'a str, found: &mut impl FnMut(MentionKind, &'a str)) {
    let bytes = line.as_bytes();
    let begins = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$';
    let mut at = 0;
    while at < bytes.len() {
        if !begins(bytes[at]) {
            at += 1;
            continue;
        }
        let length =
            bytes[at..].iter().take_while(|&&it| begins(it) || it.is_ascii_digit()).count();
        let name = &line[at..at + length];
        if length >= 5 && is_name(name) {
            found(MentionKind::Name, name);
        }
        at += length;
    }
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    name.trim_matches('_').contains('_')
        || bytes.windows(2).any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase())
        || bytes.iter().any(u8::is_ascii_digit)
            && bytes.windows(2).any(|it| it.iter().all(u8::is_ascii_alphabetic))
}

/// Numbers, hashes and codes: what begins where a word does.
fn words<'a>(line: &'a str, found: &mut impl FnMut(MentionKind, &'a str)) {
    let mut at = 0;
    while let Some(start) = line.get(at..).and_then(|text| text.find(is_word)) {
        let start = at + start;
        let text = &line[start..];
        let length = text.find(|it: char| !is_word(it)).unwrap_or(text.len());
        let (run, end) = (&text[..length], start + length);
        at = end;
        let bytes = run.as_bytes();
        if bytes[0].is_ascii_digit() && char_before(line, start) != Some('.') {
            number(line, start, run, &mut at, found);
        }
        let is_hash = (7..=40).contains(&bytes.len())
            && bytes.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
            && bytes.iter().any(u8::is_ascii_digit)
            && bytes.iter().any(|it| it.is_ascii_alphabetic());
        if is_hash {
            found(MentionKind::Number, run);
        }
        if bytes[0].is_ascii_uppercase()
            && let Some(end) = code(line, start, run)
        {
            found(MentionKind::Code, &line[start..end]);
        }
    }
}

fn number<'a>(
    line: &'a str,
    start: usize,
    run: &'a str,
    at: &mut usize,
    found: &mut impl FnMut(MentionKind, &'a str),
) {
    if !run.bytes().all(|it| it.is_ascii_digit()) {
        return;
    }
    let end = start + run.len();
    let (mut last, mut groups) = (end, 1);
    let mut before_last = end;
    loop {
        let text = &line[last..];
        let digits = text
            .strip_prefix('.')
            .map_or(0, |it| it.bytes().take_while(u8::is_ascii_digit).count());
        if digits == 0 {
            break;
        }
        before_last = last;
        last += 1 + digits;
        groups += 1;
    }
    if groups == 1 {
        if run.len() >= 3 && char_at(line, end) != Some('.') {
            found(MentionKind::Number, run);
        }
        return;
    }
    if char_at(line, last).is_some_and(is_word) {
        (last, groups) = (before_last, groups - 1);
    }
    if groups >= 2 {
        *at = last;
        found(MentionKind::Number, &line[start..last]);
    }
}

/// Returns the end of a code such as `E0308` that begins at `start`.
fn code(line: &str, start: usize, run: &str) -> Option<usize> {
    let letters = run.bytes().take_while(u8::is_ascii_uppercase).count();
    if letters > 6 {
        return None;
    }
    let digits = if letters == run.len() {
        line[start + letters..].strip_prefix('-')?
    } else {
        &run[letters..]
    };
    let length = digits.find(|it: char| !is_word(it)).unwrap_or(digits.len());
    let is_code =
        (3..=5).contains(&length) && digits.bytes().take(length).all(|it| it.is_ascii_digit());
    let dash = usize::from(letters == run.len());
    is_code.then_some(start + letters + dash + length)
}

fn quotes<'a>(line: &'a str, found: &mut impl FnMut(MentionKind, &'a str)) {
    let mut at = 0;
    while let Some(open) = line.get(at..).and_then(|text| text.find(['"', '`', '\''])) {
        let open = at + open;
        at = open + 1;
        let mark = char::from(line.as_bytes()[open]);
        let Some(length) = line[at..].find(mark) else {
            continue;
        };
        let quote = &line[at..at + length];
        if length > 4 * 80 || !(6..=80).contains(&quote.chars().count()) {
            continue;
        }
        at += length + 1;
        let quote = quote.trim();
        if quote.chars().count() >= 6 && quote.contains(' ') {
            found(MentionKind::Quote, quote);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(MentionKind, &str)]) {
        let mut list = Vec::new();
        mentions(line, |kind, text| list.push((kind, text)));
        list.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(list, expected, "{line}");
    }

    #[test]
    fn paths_have_two_components_or_more() {
        use MentionKind::Path;
        check("open src/lib.rs now", &[(Path, "src/lib.rs")]);
        check(
            "./a/bc.d, ../x/yz/ and ~/u/v.txt",
            &[(Path, "./a/bc.d"), (Path, "../x/yz"), (Path, "~/u/v.txt")],
        );
        check("/usr/lib/x --", &[(Path, "/usr/lib/x")]);
        check("/usr and a//b and a/b", &[]);
        check("x=a/b/c.rs:12", &[(Path, "a/b/c.rs")]);
    }

    #[test]
    fn names_are_no_plain_words() {
        use MentionKind::Name;
        check(
            "plain words, parseLine, snake_case utf8x MAX",
            &[(Name, "parseLine"), (Name, "snake_case"), (Name, "utf8x")],
        );
    }

    #[test]
    fn numbers_hashes_codes() {
        use MentionKind::{Code, Name, Number};
        check(
            "12 1234 v1.2.3 1.2.3 1.2.3a",
            &[(Number, "1234"), (Number, "1.2.3"), (Number, "1.2")],
        );
        check("error[E0308] TS-2345", &[(Code, "E0308"), (Code, "TS-2345"), (Number, "2345")]);
        check(
            "deadbeef1 77cafe0",
            &[(Number, "deadbeef1"), (Name, "deadbeef1"), (Name, "cafe0"), (Number, "77cafe0")],
        );
    }

    #[test]
    fn quotes_and_addresses() {
        use MentionKind::{Quote, Url};
        check("say \"not so fast\" or 'short'", &[(Quote, "not so fast")]);
        check("see https://a.bc/de.", &[(Url, "https://a.bc/de")]);
    }
}
