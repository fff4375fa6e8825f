//! Per-language switches for what a query cannot say.
//!
//! Each knob is an enum whose variants are the ways that languages differ; the
//! code that acts on it is in the file named after the question.

/// How one line becomes a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
}

/// How a language says that other files may use a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    /// Everything is visible.
    All,
    /// One of these words stands before the name; members of interfaces need none.
    Word(&'static [&'static str]),
    /// None of these words stands before the name.
    NotWord(&'static [&'static str]),
    /// Names without a leading underscore, or those that `__all__` lists.
    Underscore,
    /// Names that begin with a capital letter.
    UpperCase,
    /// What an export statement wraps or names.
    Export,
    /// `pub`, and the implementations of traits.
    Rust,
    /// Sections of a class, `static` elsewhere.
    Cpp,
    /// The last `private` or `public` before a method.
    Ruby,
}

/// How a signature is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureStyle {
    /// The text before the body.
    Text,
    /// Written anew from parameters and types, as TypeScript.
    Script,
}

/// How the text of an import becomes its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportStyle {
    /// The text without its quotes.
    Text,
    /// A tree of paths in braces, as in Rust.
    Tree,
    /// A Ruby call; `require_relative` is relative.
    Ruby,
}
