//! The outline of a source file: its definitions, imports and exports.
//!
//! An [`Outline`] holds what ranking, signatures and chunking need of a file's
//! syntax. It borrows nothing from the text and can be kept in a cache.

use serde::{Deserialize, Serialize};

/// What a file defines, imports and mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Language whose grammar was used, such as `rust`.
    pub language: &'static str,
    /// Lines of the text; a final line break starts one more, empty line.
    pub lines: u32,
    /// Definitions in source order, without those inside of functions.
    pub definitions: Vec<Definition>,
    /// What the file depends on, in source order.
    pub imports: Vec<Import>,
    /// Names that other files can use, in source order, each once.
    pub exports: Vec<String>,
    /// Names that are called or used as types, each with its line; a name
    /// occurs once per line, and not where it is defined.
    pub references: Vec<(String, u32)>,
    /// Whether parts of the text are not correct syntax.
    pub has_errors: bool,
}

/// One named thing that a file defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name, without what it is a member of.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// One line in the file's language, without the body.
    pub signature: String,
    /// Whether other files can use it.
    pub exported: bool,
    /// First line, 1-based, without comments and attributes before it.
    pub first_line: u32,
    /// Last line, 1-based, inclusive.
    pub last_line: u32,
    /// First line of the comments and attributes that belong to it; equal to
    /// [`first_line`](Self::first_line) where there are none.
    pub lead_line: u32,
    /// Index of the definition that it is a member of; always a smaller one.
    pub parent: Option<usize>,
}

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DefinitionKind {
    /// A function outside of any type.
    Function,
    /// A function of a type.
    Method,
    /// A class.
    Class,
    /// A struct, record or union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// An alias of a type.
    Type,
    /// A constant.
    Constant,
    /// A variable at the top level.
    Variable,
    /// A property of a class.
    Property,
    /// A module or namespace.
    Module,
    /// A macro.
    Macro,
    /// An implementation for a type, as in Rust.
    Impl,
    /// A heading with the text under it.
    Heading,
    /// A key of a configuration or data file.
    Key,
    /// A selector of a style sheet.
    Selector,
    /// An element of a page.
    Element,
}

impl DefinitionKind {
    /// Every kind with its name.
    pub(super) const ALL: [(DefinitionKind, &'static str); 18] = [
        (DefinitionKind::Function, "function"),
        (DefinitionKind::Method, "method"),
        (DefinitionKind::Class, "class"),
        (DefinitionKind::Struct, "struct"),
        (DefinitionKind::Enum, "enum"),
        (DefinitionKind::Interface, "interface"),
        (DefinitionKind::Trait, "trait"),
        (DefinitionKind::Type, "type"),
        (DefinitionKind::Constant, "constant"),
        (DefinitionKind::Variable, "variable"),
        (DefinitionKind::Property, "property"),
        (DefinitionKind::Module, "module"),
        (DefinitionKind::Macro, "macro"),
        (DefinitionKind::Impl, "impl"),
        (DefinitionKind::Heading, "heading"),
        (DefinitionKind::Key, "key"),
        (DefinitionKind::Selector, "selector"),
        (DefinitionKind::Element, "element"),
    ];

    /// Returns its name in lower case, such as `function`.
    pub fn as_str(self) -> &'static str {
        let row = Self::ALL.iter().find(|(kind, _)| *kind == self);
        row.map_or("definition", |(_, name)| name)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let row = Self::ALL.iter().find(|(_, known)| *known == name);
        row.map(|(kind, _)| *kind)
    }

    /// Whether it has a body of statements.
    pub fn is_function(self) -> bool {
        matches!(self, DefinitionKind::Function | DefinitionKind::Method)
    }

    /// Whether it is an entry of data or markup rather than code.
    pub(crate) fn is_listed(self) -> bool {
        use DefinitionKind::{Element, Heading, Key, Selector};
        matches!(self, Heading | Key | Selector | Element)
    }

    /// Whether it is a value rather than a type or a function.
    pub(crate) fn is_value(self) -> bool {
        use DefinitionKind::{Constant, Property, Variable};
        matches!(self, Constant | Property | Variable)
    }

    /// Whether a function in it is a method.
    pub fn is_type(self) -> bool {
        use DefinitionKind::{Class, Enum, Impl, Interface, Struct, Trait};
        matches!(self, Class | Struct | Enum | Interface | Trait | Impl)
    }
}

/// Something that a file depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// What is imported as the language names it: `./a`, `crate::a::b`, `mod x`,
    /// `..a.b`, `<stdio.h>`. Quotes are dropped, angle brackets are kept.
    pub source: String,
    /// Names taken from it, where the language lists them.
    pub names: Vec<String>,
    /// Line, 1-based.
    pub line: u32,
    /// How it is imported.
    pub kind: ImportKind,
}

/// How something is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ImportKind {
    /// By a statement of its own.
    Statement,
    /// By a call where it is needed, as by `require("./a")`.
    Call,
    /// By a statement that passes it on, as by `export * from "./a"`.
    Reexport,
}
