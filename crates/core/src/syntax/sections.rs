//! Picks the parts of an oversized file that are worth showing in full.
//!
//! Sections come in the order in which they should be taken: what other files
//! use, then what is hard to get right, then what is marked as unfinished, then
//! what the file itself uses most. Choosing under a budget is the caller's.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::outline::{Definition, DefinitionKind, Outline};
use super::render::comment;
use crate::repo::has_edge_case;

/// A part of a file, with a label that says why it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// A comment in the file's language: `// --- Export: name ---`.
    pub label: String,
    /// Name of the definition.
    pub name: String,
    /// Why it is shown.
    pub reason: SectionReason,
    /// First line, 1-based, with its comments and attributes.
    pub first_line: u32,
    /// Last line, 1-based, inclusive.
    pub last_line: u32,
    /// The lines, without a final line break.
    pub text: String,
}

/// Why a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SectionReason {
    /// Other files can use it.
    Export,
    /// It decides much: many branches.
    Complex,
    /// It says `TODO`, `FIXME`, `HACK` or `XXX`.
    Unfinished,
    /// The file itself uses it often.
    Referenced,
}

/// Branches from which a function is complex.
const MANY_BRANCHES: usize = 8;
/// Uses from which a function is used often.
const MANY_USES: usize = 3;

/// Returns the sections of a file, most important first, each line range once.
///
/// ```
/// # #[cfg(feature = "lang-rust")] {
/// let text = "pub fn a() {}\nfn b() {\n    // TODO: more\n}\n";
/// let outline = loadline::syntax::outline("rust", text)?;
/// let labels: Vec<_> = loadline::syntax::sections(text, &outline).into_iter().map(|s| s.label).collect();
/// assert_eq!(labels, ["// --- Export: a ---", "// --- Edge case: b ---"]);
/// # }
/// # Ok::<(), loadline::syntax::SyntaxError>(())
/// ```
pub fn sections(text: &str, outline: &Outline) -> Vec<Section> {
    let lines: Vec<&str> = text.split('\n').collect();
    let chosen = exports(outline)
        .chain(complex(outline, &lines))
        .chain(unfinished(outline, &lines))
        .chain(referenced(outline));
    let mut seen = HashSet::new();
    let mut sections = Vec::new();
    for (reason, definition) in chosen {
        if seen.insert((definition.lead_line, definition.last_line)) {
            sections.push(section(reason, definition, outline, &lines));
        }
    }
    sections
}

type Chosen<'a> = (SectionReason, &'a Definition);

/// Exported functions first, then exported types with a body.
fn exports(outline: &Outline) -> impl Iterator<Item = Chosen<'_>> {
    let exported = || outline.definitions.iter().filter(|item| item.exported);
    let functions = exported().filter(|item| item.kind == DefinitionKind::Function);
    let types = exported().filter(|item| item.kind.is_type() && item.parent.is_none());
    functions.chain(types).map(|item| (SectionReason::Export, item))
}

fn complex<'a>(outline: &'a Outline, lines: &[&str]) -> impl Iterator<Item = Chosen<'a>> {
    let counted = functions(outline).map(|item| (branches(&body(item, lines)), item));
    let mut found: Vec<_> = counted.filter(|(count, _)| *count >= MANY_BRANCHES).collect();
    found.sort_by_key(|(count, item)| (Reverse(*count), item.first_line));
    found.into_iter().map(|(_, item)| (SectionReason::Complex, item))
}

fn unfinished<'a>(outline: &'a Outline, lines: &'a [&'a str]) -> impl Iterator<Item = Chosen<'a>> {
    let marked = functions(outline).filter(|item| has_edge_case(&body(item, lines)));
    marked.map(|item| (SectionReason::Unfinished, item))
}

fn referenced(outline: &Outline) -> impl Iterator<Item = Chosen<'_>> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (name, _) in &outline.references {
        *uses.entry(name).or_default() += 1;
    }
    let counted = functions(outline).map(|item| {
        let count = uses.get(item.name.as_str()).copied();
        (count.unwrap_or(0), item)
    });
    let mut found: Vec<_> = counted.filter(|(count, _)| *count >= MANY_USES).collect();
    found.sort_by_key(|(count, item)| (Reverse(*count), item.first_line));
    found.into_iter().map(|(_, item)| (SectionReason::Referenced, item))
}

/// Functions and methods whose text no exported section shows already.
fn functions(outline: &Outline) -> impl Iterator<Item = &Definition> {
    let is_shown = |item: &Definition| {
        let parent = item.parent.and_then(|parent| outline.definitions.get(parent));
        parent.is_some_and(|parent| parent.exported && parent.kind.is_type())
    };
    let functions = outline.definitions.iter();
    functions.filter(move |item| item.kind.is_function() && !is_shown(item))
}

fn body(definition: &Definition, lines: &[&str]) -> String {
    let first = (definition.lead_line as usize).saturating_sub(1);
    let last = (definition.last_line as usize).min(lines.len());
    lines.get(first..last).unwrap_or_default().join("\n")
}

/// Counts what makes a text branch, by the words and signs most languages use.
fn branches(text: &str) -> usize {
    const WORDS: [&str; 12] = [
        "if", "elif", "elsif", "else", "for", "while", "match", "case", "catch", "except",
        "rescue", "when",
    ];
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words = words.filter(|word| WORDS.contains(word)).count();
    words + text.matches("&&").count() + text.matches("||").count()
}

fn section(
    reason: SectionReason,
    definition: &Definition,
    outline: &Outline,
    lines: &[&str],
) -> Section {
    let kind = match reason {
        SectionReason::Export => "Export",
        _ => "Edge case",
    };
    let label = format!("--- {kind}: {} ---", definition.name);
    Section {
        label: comment(outline.language, &label),
        name: definition.name.clone(),
        reason,
        first_line: definition.lead_line,
        last_line: definition.last_line,
        text: body(definition, lines),
    }
}
