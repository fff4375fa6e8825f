//! Parses source files into outlines: what they define, import and mention.
//!
//! [`outline`] parses a text by the grammar of its language and keeps the facts.
//! [`render_signatures`] writes them as the signatures tier, [`sections`] picks
//! the parts of an oversized file worth showing. A language is a row in
//! `language.rs` and a directory of queries. What has no grammar or exceeds a
//! limit is an error that says so, and [`render_fallback`] shows its first lines.

// A build with few languages has no use for every knob.
#![cfg_attr(not(feature = "langs-default"), allow(dead_code, unused_macros, unused_imports))]

mod bytes;
mod capture;
mod comments;
mod doc;
mod error;
mod extract;
mod imports;
mod language;
mod outline;
mod parse;
mod query;
mod render;
mod script;
mod sections;
mod signature;
mod source;

mod style;
#[cfg(test)]
#[cfg(feature = "langs-default")]
mod tests;
mod visibility;

pub use comments::without_comments;
pub use error::SyntaxError;
pub use language::languages;
pub use outline::{Definition, DefinitionKind, Import, ImportKind, Outline};
pub use parse::ParseLimits;
pub(crate) use render::comment;
pub use render::{RenderOptions, render_fallback, render_signatures};
pub use sections::{Section, SectionReason, sections};

/// Outlines a text within the default limits.
///
/// Text with syntax errors is outlined as far as it goes, and flagged.
///
/// # Errors
///
/// Fails for an unknown language or an exceeded limit.
///
/// ```
/// # #[cfg(feature = "lang-rust")] {
/// let outline = loadline::syntax::outline("rust", "pub fn double(x: u32) -> u32 { 2 * x }")?;
/// assert_eq!(outline.definitions[0].signature, "pub fn double(x: u32) -> u32");
/// # }
/// # Ok::<(), loadline::syntax::SyntaxError>(())
/// ```
pub fn outline(language: &str, text: &str) -> Result<Outline, SyntaxError> {
    outline_within(language, text, &ParseLimits::default())
}

/// Outlines a text within the limits given.
///
/// # Errors
///
/// Fails for an unknown language or an exceeded limit.
pub fn outline_within(
    language: &str,
    text: &str,
    limits: &ParseLimits,
) -> Result<Outline, SyntaxError> {
    let unknown = || SyntaxError::UnknownLanguage(language.to_owned());
    let entry = language::find(language).ok_or_else(unknown)?;
    let outline = extract::outline_as(entry, text, limits)?;
    let retry = entry.language.retry.filter(|_| outline.has_errors);
    let Some(other) = retry.and_then(language::find) else {
        return Ok(outline);
    };
    match extract::outline_as(other, text, limits) {
        Ok(better) if !better.has_errors => Ok(better),
        _ => Ok(outline),
    }
}
