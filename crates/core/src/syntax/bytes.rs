//! Outlines as bytes, for the cache.
//!
//! The cache checks its rows for damage; what is left to tell apart here are bytes
//! of another version and of a language that this build does not know. Those yield
//! nothing, and the caller parses again.

use super::language::find;
use super::outline::{Definition, Import, Outline};

/// Grows whenever the format or what an outline means changes.
const VERSION: u8 = 2;

/// The fields of an outline, with the language by its name.
type Fields<'a, Definitions, Imports, Names, References> =
    (u8, &'a str, u32, bool, Definitions, Imports, Names, References);

impl Outline {
    /// Writes the outline in a compact form for a cache.
    pub fn to_bytes(&self) -> Vec<u8> {
        let fields: Fields<'_, _, _, _, _> = (
            VERSION,
            self.language,
            self.lines,
            self.has_errors,
            &self.definitions,
            &self.imports,
            &self.exports,
            &self.references,
        );
        postcard::to_allocvec(&fields).expect("lists, texts and numbers can be written")
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, or `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Outline> {
        type Read<'a> = Fields<'a, Vec<Definition>, Vec<Import>, Vec<String>, Vec<(String, u32)>>;
        if bytes.first() != Some(&VERSION) {
            return None;
        }
        let (fields, rest): (Read<'_>, _) = postcard::take_from_bytes(bytes).ok()?;
        let (_, language, lines, has_errors, definitions, imports, exports, references) = fields;
        rest.is_empty().then_some(Outline {
            language: find(language)?.language.id,
            lines,
            has_errors,
            definitions,
            imports,
            exports,
            references,
        })
    }
}
