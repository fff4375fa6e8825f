//! Makes an outline of what a query captured.
//!
//! One pass over the definitions in source order finds which definition is a member of which,
//! drops what is local to a function, and joins each definition with what wraps
//! it and what stands before it.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::capture::{Captures, Found, Outer, capture};
use super::doc;
use super::error::SyntaxError;
use super::imports;
use super::language::{Entry, Language};
use super::outline::{Definition, DefinitionKind, Outline};
use super::parse::{ParseLimits, parse};
use super::query::Compiled;
use super::signature;
use super::source::Source;
use super::style::Visibility;
use super::visibility::{self, Candidate};

/// Outlines a text in one language.
pub(super) fn outline_as(
    entry: Entry,
    text: &str,
    limits: &ParseLimits,
) -> Result<Outline, SyntaxError> {
    let language = entry.language;
    let tree = parse(language, text, limits)?;
    let compiled = entry.compiled()?;
    let captures = capture(compiled, &tree, text, limits)?;
    let source = Source::new(text, &captures.omitted);
    let extract = Extract {
        language,
        compiled,
        source: &source,
        captures: &captures,
        locals: captures.locals.iter().map(String::as_str).collect(),
        // Looks at the whole text, so once and only where it matters.
        is_header: language.visibility == Visibility::Cpp && source.is_header(),
    };
    let kept = extract.place();
    let definitions = extract.definitions(&kept);
    Ok(Outline {
        language: language.id,
        lines: source.lines(),
        exports: extract.exports(&definitions, &kept),
        references: references(&captures, &source),
        imports: imports::imports(language.imports, &source, &captures.imports),
        definitions,
        has_errors: tree.root_node().has_error(),
    })
}

/// A definition with its place among the others.
pub(super) struct Placed<'a, 'tree> {
    pub(super) found: &'a Found<'tree>,
    pub(super) parent: Option<usize>,
    /// From the start of what wraps it to its end.
    pub(super) range: Range<usize>,
    /// Whether an export statement wraps it.
    pub(super) wrapped_in_export: bool,
    /// The visibility that the last section of its class names.
    pub(super) section: Option<&'a str>,
}

struct Extract<'a, 'tree> {
    language: &'a Language,
    compiled: &'a Compiled,
    source: &'a Source<'a>,
    captures: &'a Captures<'tree>,
    locals: HashSet<&'a str>,
    is_header: bool,
}

impl<'a, 'tree> Extract<'a, 'tree> {
    /// Finds the parent and the wrapping of each definition that is not local.
    fn place(&self) -> Vec<Placed<'a, 'tree>> {
        let mut kept: Vec<Placed<'a, 'tree>> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut sections: Vec<Option<&'a str>> = Vec::new();
        let mut outers = OuterStack::new(&self.captures.outers);
        let mut markers = self.captures.sections.iter().peekable();
        for found in &self.captures.definitions {
            let start = found.node.start_byte();
            while let Some(marker) = markers.next_if(|marker| marker.start < start) {
                close(&mut open, &kept, marker.start);
                if let Some(top) = open.last() {
                    sections[*top] = Some(self.source.text(marker));
                }
            }
            close(&mut open, &kept, start);
            outers.advance(start);
            let parent = open.last().copied();
            if parent.is_some_and(|parent| kept[parent].found.kind.is_function()) {
                continue;
            }
            let inside =
                parent.map_or(0..usize::MAX, |parent| kept[parent].found.node.byte_range());
            let wrapped = outers.around(found, &inside, self.source);
            let (range, export) = wrapped.unwrap_or((found.node.byte_range(), false));
            open.push(kept.len());
            sections.push(None);
            kept.push(Placed {
                found,
                parent,
                range,
                wrapped_in_export: export,
                section: parent.and_then(|parent| sections[parent]),
            });
        }
        kept
    }

    fn definitions(&self, kept: &[Placed<'a, 'tree>]) -> Vec<Definition> {
        let mut definitions: Vec<Definition> = Vec::with_capacity(kept.len());
        for placed in kept {
            let definition = self.definition(placed, kept, &definitions);
            definitions.push(definition);
        }
        visibility::settle(self.language.visibility, &mut definitions);
        definitions
    }

    fn definition(
        &self,
        placed: &Placed<'a, 'tree>,
        kept: &[Placed<'a, 'tree>],
        before: &[Definition],
    ) -> Definition {
        let found = placed.found;
        let parent = placed.parent.and_then(|parent| before.get(parent));
        let name = signature::name(self.source, found);
        let start = self.source.after_omitted(placed.range.start);
        let lead = doc::lead(self.source, placed.range.start);
        let exported = visibility::is_exported(
            self.language.visibility,
            &Candidate {
                placed,
                name: &name,
                head: &self.source.without_omitted(start..found.name.start.max(start)),
                lead: self.source.text(&(lead.start..start)),
                parent: parent.zip(placed.parent.map(|parent| &kept[parent])),
                locals: &self.locals,
                is_header: self.is_header,
            },
        );
        let prefix = self.compiled.prefixes.get(found.pattern);
        let prefix = prefix.and_then(Option::as_deref);
        let style = self.language;
        Definition {
            signature: signature::signature(style, self.source, placed, start, prefix, exported),
            kind: member_kind(found.kind, parent),
            exported,
            first_line: self.source.line(start),
            last_line: self.source.last_line(&placed.range),
            lead_line: self.source.line(lead.start),
            parent: placed.parent,
            name,
        }
    }

    /// Exported names: definitions outside of types, and what statements export.
    fn exports(&self, all: &[Definition], kept: &[Placed<'a, 'tree>]) -> Vec<String> {
        let mut found: Vec<(usize, &str)> = Vec::new();
        for (definition, placed) in all.iter().zip(kept) {
            if definition.exported && self.is_export(definition, placed, all) {
                found.push((placed.found.name.start, &definition.name));
            }
        }
        // `export default function f` exports one thing, under its own name.
        let is_named = |place: &usize| {
            let exported = found.iter().map(|(start, _)| start);
            let mut wrapped = kept.iter().filter(|it| it.wrapped_in_export);
            wrapped.any(|it| {
                it.range.contains(place)
                    && exported.clone().any(|start| *start == it.found.name.start)
            })
        };
        let stated = self.captures.exports.iter();
        let stated: Vec<_> =
            stated.filter(|(place, name)| name != "default" || !is_named(place)).collect();
        found.extend(stated.into_iter().map(|(place, name)| (*place, name.as_str())));
        found.sort_unstable();
        let mut seen = HashSet::new();
        let names = found.into_iter().map(|(_, name)| name);
        let names = names.filter(|name| seen.insert(*name));
        names.map(str::to_owned).collect()
    }

    fn is_export(&self, item: &Definition, placed: &Placed<'_, '_>, all: &[Definition]) -> bool {
        use DefinitionKind::{Impl, Module};
        let parent = item.parent.and_then(|parent| all.get(parent));
        let is_outside = parent.is_none_or(|parent| parent.kind == Module);
        // A statement that exports by name may give another name.
        let is_stated = self.language.visibility == Visibility::Export && !placed.wrapped_in_export;
        is_outside && !is_stated && item.kind != Impl && !item.kind.is_listed()
    }
}

/// Closes the definitions that end before a position.
fn close(open: &mut Vec<usize>, kept: &[Placed<'_, '_>], position: usize) {
    while let Some(top) = open.last() {
        if kept[*top].found.node.end_byte() > position {
            break;
        }
        open.pop();
    }
}

/// A function of a type is a method.
fn member_kind(kind: DefinitionKind, parent: Option<&Definition>) -> DefinitionKind {
    match parent {
        Some(parent) if kind == DefinitionKind::Function && parent.kind.is_type() => {
            DefinitionKind::Method
        }
        _ => kind,
    }
}

/// The wrappers that are open at a position.
struct OuterStack<'a> {
    next: std::iter::Peekable<std::slice::Iter<'a, Outer>>,
    open: Vec<&'a Outer>,
}

impl<'a> OuterStack<'a> {
    fn new(outers: &'a [Outer]) -> Self {
        OuterStack { next: outers.iter().peekable(), open: Vec::new() }
    }

    fn advance(&mut self, position: usize) {
        while let Some(outer) = self.next.next_if(|outer| outer.range.start <= position) {
            self.open.push(outer);
        }
        self.open.retain(|outer| outer.range.end > position);
    }

    /// Returns the range of the outermost wrapper that belongs to a definition,
    /// and whether one of its wrappers exports it.
    fn around(
        &self,
        found: &Found<'_>,
        inside: &Range<usize>,
        source: &Source<'_>,
    ) -> Option<(Range<usize>, bool)> {
        let node = found.node.byte_range();
        let belongs = |outer: &&&Outer| {
            let range = &outer.range;
            range.start >= inside.start
                && range.end <= inside.end
                && range.end >= node.end
                && range != inside
                // A bracket between them means that the definition is deeper down.
                && !source.without_omitted(range.start..node.start).contains(['{', '('])
        };
        let mut outers = self.open.iter().filter(belongs);
        let outermost = outers.next()?;
        let export = outermost.export || outers.any(|outer| outer.export);
        Some((outermost.range.clone(), export))
    }
}

fn references(captures: &Captures<'_>, source: &Source<'_>) -> Vec<(String, u32)> {
    let defined = captures.definitions.iter().map(|found| found.name.start);
    let defined: HashSet<usize> = defined.collect();
    let used = captures.references.iter();
    // Names of one letter are type parameters, mostly.
    let used = used.filter(|range| range.len() > 1 && !defined.contains(&range.start));
    let lines: BTreeSet<(u32, &str)> =
        used.map(|range| (source.line(range.start), source.text(range))).collect();
    lines.into_iter().map(|(line, name)| (name.to_owned(), line)).collect()
}
