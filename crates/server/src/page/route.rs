//! Finds the page that an address names, and the values that it asks for.

use form_urlencoded::parse;
use http::{Method, StatusCode, Uri};

use super::layout::Page;
use super::{State, archive, notes, notes_revert, overview, packs, session, sessions};

/// What a browser asks for.
pub(super) struct Asked {
    is_change: bool,
    /// The parts of the path, decoded. They are compared with names, never used as paths.
    path: Vec<String>,
    query: Vec<(String, String)>,
    /// What a form sent.
    pub(super) form: Vec<(String, String)>,
}

/// What it gets.
pub(super) enum Reply {
    Page(Page),
    Redirect(String),
}

impl Asked {
    pub(super) fn new(method: &Method, uri: &Uri) -> Asked {
        let parts = uri.path().split('/').filter(|part| !part.is_empty());
        let query = parse(uri.query().unwrap_or_default().as_bytes());
        Asked {
            is_change: method != Method::GET && method != Method::HEAD,
            path: parts.map(decoded).collect(),
            query: query.into_owned().collect(),
            form: Vec::new(),
        }
    }

    /// Tells whether it asks for events.
    pub(super) fn is_events(&self) -> bool {
        !self.is_change && self.path == ["events"]
    }

    /// Returns a value of the address.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// Returns a number of the address; what is not one counts as not given.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.query(name)?.trim().parse().ok()
    }

    /// Returns a value of a form.
    pub(super) fn form(&self, name: &str) -> Option<&str> {
        find(&self.form, name)
    }
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Decodes a part of a path. A plus in a path is a plus.
fn decoded(part: &str) -> String {
    let part = part.replace('+', "%2B");
    parse(part.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

/// Encodes a text as a part of an address.
pub(super) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// Makes the page that was asked for.
pub(super) fn reply(state: &State, asked: &Asked) -> Reply {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    if asked.is_change {
        return match path.as_slice() {
            ["notes", "revert"] => notes_revert::apply(state, asked),
            _ => Reply::Page(Page::trouble(
                StatusCode::METHOD_NOT_ALLOWED,
                "",
                "Nothing was changed",
                "This page can only be looked at.",
            )),
        };
    }
    let page = match path.as_slice() {
        [] => overview::page(state),
        ["sessions"] => sessions::page(state, asked),
        ["session", agent, id] => session::page(state, agent, id, asked),
        ["packs"] => packs::page(state, asked),
        ["notes"] => notes::page(state, asked),
        ["notes", "revert"] => notes_revert::page(state, asked),
        ["archive"] => archive::page(state),
        _ => Page::trouble(
            StatusCode::NOT_FOUND,
            "",
            "No such page",
            "Follow one of the links above.",
        ),
    };
    Reply::Page(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path_are_decoded_and_encoded() {
        let uri: Uri = "/session/pi/a%2Fb+c%20%C3%A9?q=x+y&page=2".parse().unwrap();
        let asked = Asked::new(&Method::GET, &uri);
        assert_eq!(asked.path, ["session", "pi", "a/b+c é"]);
        assert_eq!((asked.query("q"), asked.number("page")), (Some("x y"), Some(2)));
        assert_eq!(encoded("a/b+c é"), "a%2Fb%2Bc%20%C3%A9");
    }
}
