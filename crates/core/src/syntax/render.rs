//! Renders the signatures tier: what a file offers, without its bodies.
//!
//! JavaScript and TypeScript take the fixed form of `script.rs`, grouped by kind.
//! Other languages keep their source order, with members indented under their
//! type. Data, styles and pages are listed in short. A file without an outline
//! shows its first lines instead.

use super::language::{comment_of, find};
use super::outline::{Definition, DefinitionKind, ImportKind, Outline};
use super::signature::shortened;
use super::style::SignatureStyle;

/// Which form a summary has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RenderOptions {
    /// Leaves out what the original form lacks: types, what a class extends,
    /// and imports by a call. Interfaces are shown as classes.
    pub compat: bool,
}

/// Lines that a file without an outline shows.
const FALLBACK_LINES: usize = 20;
/// Entries that a file of data, styles or markup shows.
const LONGEST_LIST: usize = 60;
/// Characters of one line that lists the keys under a key.
const LONGEST_KEYS: usize = 120;

/// Writes the signatures of a file: header, exported symbols, imports.
///
/// ```
/// # #[cfg(feature = "lang-python")] {
/// let text = "import os\n\ndef size(path: str) -> int:\n    return os.stat(path).st_size\n";
/// let outline = loadline::syntax::outline("python", text)?;
/// assert_eq!(
///     loadline::syntax::render_signatures("a.py", &outline, &Default::default()),
///     "# FILE: a.py (5 lines)\ndef size(path: str) -> int:\n# 1 imports from: os",
/// );
/// # }
/// # Ok::<(), loadline::syntax::SyntaxError>(())
/// ```
pub fn render_signatures(path: &str, outline: &Outline, options: &RenderOptions) -> String {
    let entry = find(outline.language);
    let is_script = entry.is_some_and(|entry| entry.language.signatures == SignatureStyle::Script);
    let writer = Writer { outline, options };
    let mut lines = vec![header(outline.language, path, outline.lines as usize)];
    if is_script {
        lines.extend(writer.script_lines());
    } else {
        lines.extend(writer.nested_lines());
    }
    lines.extend(writer.imports());
    lines.join("\n")
}

/// Writes the first lines of a file as comments, for want of an outline.
///
/// ```
/// let shown = loadline::syntax::render_fallback("notes", None, "one\ntwo");
/// assert_eq!(shown, "// FILE: notes (2 lines)\n// one\n// two");
/// ```
pub fn render_fallback(path: &str, language: Option<&str>, text: &str) -> String {
    let language = language.unwrap_or_default();
    let total = text.split_terminator('\n').count();
    let mut lines = vec![header(language, path, total)];
    let first = text.split_terminator('\n').take(FALLBACK_LINES);
    lines.extend(first.map(|line| comment(language, line.trim_end_matches('\r'))));
    if total > FALLBACK_LINES {
        let more = total - FALLBACK_LINES;
        lines.push(comment(language, &format!("... ({more} more lines)")));
    }
    lines.join("\n")
}

fn header(language: &str, path: &str, lines: usize) -> String {
    comment(language, &format!("FILE: {path} ({lines} lines)"))
}

/// Makes a comment of one line.
pub(crate) fn comment(language: &str, line: &str) -> String {
    let style = comment_of(language);
    format!("{} {line}{}", style.open, style.close)
}

struct Writer<'a> {
    outline: &'a Outline,
    options: &'a RenderOptions,
}

impl Writer<'_> {
    /// Functions, classes, constants and types, in this order.
    fn script_lines(&self) -> Vec<String> {
        use DefinitionKind::{Class, Constant, Function, Interface, Variable};
        let compat = self.options.compat;
        let mut groups: [Vec<String>; 4] = Default::default();
        for (index, definition) in self.outline.definitions.iter().enumerate() {
            if definition.parent.is_some() || !definition.exported {
                continue;
            }
            let (group, line) = match definition.kind {
                Function => (0, self.signature(definition)),
                Class => (1, self.class_line(index, definition)),
                Interface if compat => (1, self.class_line(index, definition)),
                Constant => (2, definition.signature.clone()),
                _ if compat => continue,
                Variable => (2, definition.signature.clone()),
                _ => (3, definition.signature.clone()),
            };
            groups[group].push(line);
        }
        groups.concat()
    }

    /// A signature; the original form has no marks of optional parameters.
    fn signature(&self, definition: &Definition) -> String {
        let signature = &definition.signature;
        if self.options.compat { without_marks(signature) } else { signature.clone() }
    }

    fn class_line(&self, index: usize, class: &Definition) -> String {
        let members = self.members(index);
        let compat = self.options.compat;
        let methods = members.filter(|member| member.kind == DefinitionKind::Method);
        let methods = methods.map(|member| self.signature(member)).collect();
        let head =
            if compat { format!("export class {}", class.name) } else { class.signature.clone() };
        class_line(&head, methods)
    }

    fn members(&self, parent: usize) -> impl Iterator<Item = &Definition> {
        // Members follow their parent in source order.
        let definitions = &self.outline.definitions;
        let end = definitions.get(parent).map_or(0, |parent| parent.last_line);
        let rest = definitions.iter().skip(parent + 1);
        let rest = rest.take_while(move |member| member.first_line <= end);
        rest.filter(move |member| member.parent == Some(parent) && member.exported)
    }

    fn nested_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut shown: usize = 0;
        let mut left_out: usize = 0;
        for (index, definition) in self.outline.definitions.iter().enumerate() {
            if !definition.exported {
                continue;
            }
            let is_listed = definition.kind.is_listed();
            if is_listed && definition.kind == DefinitionKind::Key && definition.parent.is_some() {
                continue;
            }
            if is_listed && shown >= LONGEST_LIST {
                left_out += 1;
                continue;
            }
            shown += 1;
            let depth = if is_listed { 0 } else { self.depth(definition) };
            let indent = "    ".repeat(depth);
            lines.push(format!("{indent}{}", self.line(index, definition)));
        }
        if left_out > 0 {
            let more = format!("... ({left_out} more)");
            lines.push(comment(self.outline.language, &more));
        }
        lines
    }

    /// A signature; a key is followed by the keys under it.
    fn line(&self, index: usize, definition: &Definition) -> String {
        if definition.kind != DefinitionKind::Key {
            return definition.signature.clone();
        }
        let keys: Vec<&str> = self.members(index).map(|key| key.name.as_str()).collect();
        if keys.is_empty() {
            return definition.signature.clone();
        }
        let separator = if definition.signature.ends_with(']') { " " } else { ": " };
        let line = format!("{}{separator}{}", definition.signature, keys.join(", "));
        shortened(line, LONGEST_KEYS)
    }

    fn depth(&self, definition: &Definition) -> usize {
        let parent = |definition: &&Definition| {
            let parent = definition.parent?;
            self.outline.definitions.get(parent)
        };
        std::iter::successors(Some(definition), |definition| parent(definition)).count() - 1
    }

    fn imports(&self) -> Option<String> {
        let style = comment_of(self.outline.language);
        let of_kind = |kind| {
            let imports = self.outline.imports.iter();
            let imports = imports.filter(move |import| import.kind == kind);
            imports.map(|import| import.source.as_str())
        };
        let mut sources: Vec<&str> = of_kind(ImportKind::Statement).collect();
        for source in of_kind(ImportKind::Call).filter(|_| !self.options.compat) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        imports_line(style.open, style.close, sources)
    }
}

/// Takes the `?` off the parameters of a signature, but not off the types in it.
fn without_marks(signature: &str) -> String {
    let mut depth = 0_usize;
    let mut letters = signature.chars().peekable();
    let mut out = String::with_capacity(signature.len());
    while let Some(letter) = letters.next() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '?' if depth == 1 && letters.peek().is_some_and(|next| ":,)".contains(*next)) => {
                continue;
            }
            _ => {}
        }
        out.push(letter);
    }
    out
}

/// A class and its methods on one line; without methods two spaces remain.
fn class_line(head: &str, methods: Vec<String>) -> String {
    format!("{head} {{ {} }}", methods.join("; "))
}

/// `// N imports from: a, b`, or nothing for no imports.
fn imports_line(open: &str, close: &str, sources: Vec<&str>) -> Option<String> {
    let count = sources.len();
    let sources = sources.join(", ");
    (count > 0).then(|| format!("{open} {count} imports from: {sources}{close}"))
}
