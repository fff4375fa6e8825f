//! Compiles the queries of a language and names their captures.
//!
//! A query names its captures by role; `crates/core/queries/README.md` lists
//! them. A query is compiled when its language is first used, once per process,
//! since some take a tenth of a second.

use tree_sitter::Query;

use super::error::SyntaxError;
use super::language::Language;
use super::outline::{DefinitionKind, ImportKind};

/// What a capture stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Definition(DefinitionKind),
    Name,
    Declarator,
    Body,
    Value,
    Outer,
    OuterExport,
    Comment,
    Attribute,
    Omit,
    Source(ImportKind),
    Imported,
    Export,
    ExportLocal,
    ExportDefault,
    ExportAll,
    Reference,
    Section,
    /// Captures that only serve predicates.
    Ignored,
}

/// A query with the roles of its captures and the prefixes of its patterns.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) query: Query,
    pub(super) roles: Vec<Role>,
    /// By pattern: the word to put before a signature, set by `#set! prefix`.
    pub(super) prefixes: Vec<Option<String>>,
}

impl Compiled {
    /// Compiles all queries of a language as one.
    pub(super) fn new(language: &Language) -> Result<Self, SyntaxError> {
        let fail = |message: String| SyntaxError::Query { language: language.id, message };
        let text = language.queries.join("\n");
        let query = Query::new(&(language.grammar)(), &text);
        let query = query.map_err(|error| fail(error.to_string()))?;
        let roles = query
            .capture_names()
            .iter()
            .map(|name| role(name).ok_or_else(|| fail(format!("capture @{name} has no meaning"))));
        Ok(Compiled { roles: roles.collect::<Result<_, _>>()?, prefixes: prefixes(&query), query })
    }
}

fn role(name: &str) -> Option<Role> {
    if let Some(kind) = name.strip_prefix("definition.") {
        return DefinitionKind::from_name(kind).map(Role::Definition);
    }
    if name.starts_with('_') {
        return Some(Role::Ignored);
    }
    Some(match name {
        "name" => Role::Name,
        "declarator" => Role::Declarator,
        "body" => Role::Body,
        "value" => Role::Value,
        "outer" => Role::Outer,
        "outer.export" => Role::OuterExport,
        "comment" => Role::Comment,
        "attribute" => Role::Attribute,
        "omit" => Role::Omit,
        "source" => Role::Source(ImportKind::Statement),
        "source.call" => Role::Source(ImportKind::Call),
        "source.reexport" => Role::Source(ImportKind::Reexport),
        "imported" => Role::Imported,
        "export" => Role::Export,
        "export.local" => Role::ExportLocal,
        "export.default" => Role::ExportDefault,
        "export.all" => Role::ExportAll,
        "reference" => Role::Reference,
        "section" => Role::Section,
        _ => return None,
    })
}

fn prefixes(query: &Query) -> Vec<Option<String>> {
    let prefix = |pattern| {
        let settings = query.property_settings(pattern).iter();
        let mut prefixes = settings.filter(|setting| &*setting.key == "prefix");
        prefixes.next()?.value.as_deref().map(str::to_owned)
    };
    (0..query.pattern_count()).map(prefix).collect()
}
