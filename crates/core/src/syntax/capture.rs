//! Runs a language's query over a tree and sorts what it captures by role.
//!
//! The result still points into the tree; `extract.rs` makes an outline of it.

use std::ops::{ControlFlow, Range};

use tree_sitter::{
    Node, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator, Tree,
};

use super::error::SyntaxError;
use super::outline::{DefinitionKind, ImportKind};
use super::parse::ParseLimits;
use super::query::{Compiled, Role};

/// A definition as the query found it.
#[derive(Debug, Clone)]
pub(super) struct Found<'tree> {
    pub(super) node: Node<'tree>,
    pub(super) kind: DefinitionKind,
    /// Empty for what has no name, such as a default export.
    pub(super) name: Range<usize>,
    /// Where the body begins; the signature ends there.
    pub(super) body: Option<usize>,
    /// Where the value begins, which is part of it only while it is short.
    pub(super) value: Option<usize>,
    pub(super) pattern: usize,
}

/// What wraps a definition and belongs to it, such as an export statement.
#[derive(Debug, Clone)]
pub(super) struct Outer {
    pub(super) range: Range<usize>,
    pub(super) export: bool,
}

/// A part of the text that no signature shows.
#[derive(Debug, Clone)]
pub(super) struct Omitted {
    pub(super) range: Range<usize>,
    /// Whether it belongs to what follows: a comment or an attribute.
    pub(super) leads: bool,
    pub(super) comment: bool,
}

/// A source of an import, with the names taken from it in this match.
#[derive(Debug, Clone)]
pub(super) struct FoundImport<'tree> {
    pub(super) source: Node<'tree>,
    pub(super) names: Vec<Range<usize>>,
    pub(super) kind: ImportKind,
}

/// All captures of one text, by role, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Captures<'tree> {
    pub(super) definitions: Vec<Found<'tree>>,
    pub(super) outers: Vec<Outer>,
    pub(super) omitted: Vec<Omitted>,
    pub(super) imports: Vec<FoundImport<'tree>>,
    /// Names that are exported without being a definition here, by position.
    pub(super) exports: Vec<(usize, String)>,
    /// Definitions that a statement elsewhere exports.
    pub(super) locals: Vec<String>,
    pub(super) references: Vec<Range<usize>>,
    /// Where the visibility of the members that follow changes, and to what.
    pub(super) sections: Vec<Range<usize>>,
}

/// Matches in progress at one time; beyond it the oldest are dropped.
const MATCH_LIMIT: u32 = 4096;
/// Steps of the query between two calls of its progress callback.
const STEPS_PER_CALL: u64 = 1000;

/// Runs the query, or gives up after the steps that the limits allow.
pub(super) fn capture<'tree>(
    compiled: &Compiled,
    tree: &'tree Tree,
    text: &str,
    limits: &ParseLimits,
) -> Result<Captures<'tree>, SyntaxError> {
    let mut captures = Captures::default();
    let mut left = limits.steps / STEPS_PER_CALL;
    let mut gave_up = false;
    let mut count_down = |_: &QueryCursorState| {
        gave_up = left == 0;
        left = left.saturating_sub(1);
        if gave_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut count_down);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let (query, root) = (&compiled.query, tree.root_node());
    let mut matches = cursor.matches_with_options(query, root, text.as_bytes(), options);
    while let Some(found) = matches.next() {
        captures.add(compiled, found, text);
    }
    drop(matches);
    if gave_up {
        return Err(SyntaxError::TooSlow(limits.steps));
    }
    captures.sort();
    Ok(captures)
}

impl<'tree> Captures<'tree> {
    fn add(&mut self, compiled: &Compiled, found: &QueryMatch<'_, 'tree>, text: &str) {
        let mut parts = Parts::default();
        for capture in found.captures() {
            let node = capture.node;
            let role = compiled.roles.get(capture.index as usize);
            match role.copied().unwrap_or(Role::Ignored) {
                Role::Definition(kind) => parts.definition = Some((node, kind)),
                Role::Name => parts.name = Some(node),
                Role::Declarator => parts.name = Some(innermost_declarator(node)),
                Role::Body => parts.body = Some(node.start_byte()),
                Role::Value => parts.value = Some(node.start_byte()),
                Role::Source(kind) => parts.source = Some((node, kind)),
                Role::Imported => parts.imported.push(node.byte_range()),
                role => self.add_single(role, node, text),
            }
        }
        self.add_parts(parts, found.pattern_index);
    }

    /// Adds a capture that means something by itself.
    fn add_single(&mut self, role: Role, node: Node<'tree>, text: &str) {
        let range = node.byte_range();
        let written = || text.get(range.clone()).unwrap_or_default().to_owned();
        match role {
            Role::Outer | Role::OuterExport => {
                let export = role == Role::OuterExport;
                self.outers.push(Outer { range, export });
            }
            Role::Comment | Role::Attribute | Role::Omit => self.omitted.push(Omitted {
                range: range.clone(),
                leads: role != Role::Omit,
                comment: role == Role::Comment,
            }),
            Role::Export => self.exports.push((range.start, unquoted(&written()))),
            Role::ExportLocal => self.locals.push(unquoted(&written())),
            Role::ExportDefault => self.exports.push((range.start, "default".to_owned())),
            Role::ExportAll => self.exports.push((range.start, "*".to_owned())),
            Role::Reference => self.references.push(range),
            Role::Section => self.sections.push(range),
            _ => {}
        }
    }

    fn add_parts(&mut self, parts: Parts<'tree>, pattern: usize) {
        if let Some((source, kind)) = parts.source {
            self.imports.push(FoundImport { source, names: parts.imported, kind });
        }
        if let Some((node, kind)) = parts.definition {
            let body = || node.child_by_field_name("body").map(|body| body.start_byte());
            self.definitions.push(Found {
                node,
                kind,
                name: parts
                    .name
                    .map_or(node.start_byte()..node.start_byte(), |name| name.byte_range()),
                body: parts.body.or_else(body),
                value: parts.value,
                pattern,
            });
        }
    }

    /// Sorts by position and drops what several patterns found: the first wins.
    fn sort(&mut self) {
        let place = |found: &Found<'_>| {
            let range = found.node.byte_range();
            (range.start, std::cmp::Reverse(range.end))
        };
        self.definitions.sort_by_key(|found| (place(found), found.pattern));
        self.definitions.dedup_by_key(|found| place(found));
        self.outers.sort_by_key(|outer| (outer.range.start, std::cmp::Reverse(outer.range.end)));
        self.omitted.sort_by_key(|omitted| omitted.range.start);
        self.imports.sort_by_key(|import| import.source.start_byte());
        self.exports.sort();
        self.references.sort_by_key(|range| range.start);
        self.references.dedup();
        self.sections.sort_by_key(|range| range.start);
    }
}

/// What one match says about one definition or import.
#[derive(Debug, Default)]
struct Parts<'tree> {
    definition: Option<(Node<'tree>, DefinitionKind)>,
    name: Option<Node<'tree>>,
    body: Option<usize>,
    value: Option<usize>,
    source: Option<(Node<'tree>, ImportKind)>,
    imported: Vec<Range<usize>>,
}

/// Follows a C declarator to the name that it declares.
fn innermost_declarator(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    loop {
        let next = inner.child_by_field_name("declarator").or_else(|| match inner.kind() {
            "parenthesized_declarator" | "reference_declarator" => inner.named_child(0),
            "qualified_identifier" => inner.child_by_field_name("name"),
            _ => None,
        });
        match next {
            Some(next) => inner = next,
            None => return inner,
        }
    }
}

/// Returns a text without the quotes around it.
pub(super) fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}
