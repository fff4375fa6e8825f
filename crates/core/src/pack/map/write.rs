//! Writes a map: one heading per file, and indented lines under it.
//!
//! Every line of content is indented, so that none can pass for a heading.

use super::{Line, MapEntry};
use crate::pack::listed::Listed;
use crate::pack::render::{Format, longest_run};

/// All that a map may show.
pub(super) struct Map<'a> {
    pub(super) name: String,
    pub(super) files: &'a [Listed],
    /// How many texts there are, with those that are copies of others.
    pub(super) total: usize,
    pub(super) format: &'a Format,
}

/// Which entries of which files are shown.
pub(super) struct Shown {
    /// By file: none for one that is not shown, else its entries in order.
    files: Vec<Option<Vec<usize>>>,
    parents: Vec<Vec<Option<usize>>>,
}

impl Shown {
    /// Shows nothing yet.
    pub(super) fn new(files: &[Listed]) -> Shown {
        Shown {
            files: vec![None; files.len()],
            parents: files.iter().map(|file| file.parents.clone()).collect(),
        }
    }

    /// The entries that a line adds: its own, and those it is inside of.
    pub(super) fn added(&self, (file, entry): Line) -> Vec<usize> {
        let chosen = self.files[file].as_deref().unwrap_or_default();
        let inside = std::iter::successors(entry, |&at| self.parents[file][at]);
        inside.filter(|at| chosen.binary_search(at).is_err()).collect()
    }

    /// Shows one more line; returns what was shown of the file.
    pub(super) fn add(&mut self, line: Line) -> Option<Vec<usize>> {
        let before = self.files[line.0].clone();
        let added = self.added(line);
        let chosen = self.files[line.0].get_or_insert_default();
        chosen.extend(added);
        chosen.sort_unstable();
        before
    }

    /// Takes back what was added to a file.
    pub(super) fn restore(&mut self, file: usize, before: Option<Vec<usize>>) {
        self.files[file] = before;
    }

    pub(super) fn files(&self) -> impl Iterator<Item = Option<&Vec<usize>>> {
        self.files.iter().map(Option::as_ref)
    }
}

impl Map<'_> {
    /// Writes what is shown.
    pub(super) fn write(&self, shown: &Shown) -> String {
        let body = self.body(shown);
        let files = shown.files().flatten().count();
        let legend = format!(
            "{files} of {} text files, best first, with what they define by line.",
            self.total
        );
        let name = &self.name;
        match self.format {
            // A template is for files; a map has none to give it.
            Format::Markdown | Format::Template(_) => {
                let fence = "`".repeat(longest_run(&body, '`').max(2) + 1);
                format!("# Map of {name}\n\n{legend}\n\n{fence}\n{body}{fence}\n")
            }
            Format::Plain => format!("Map of {name}: {legend}\n\n{body}"),
            Format::Xml => {
                let name = crate::pack::render::escape(name);
                let tag = tag(&body);
                format!("<{tag} name=\"{name}\">\n{legend}\n{body}</{tag}>\n")
            }
        }
    }

    fn body(&self, shown: &Shown) -> String {
        let mut out = String::new();
        for (file, chosen) in self.files.iter().zip(shown.files()) {
            let Some(chosen) = chosen else { continue };
            let lines = file.lines;
            let ending = if lines == 1 { "" } else { "s" };
            out.push_str(&format!("{} ({lines} line{ending})\n", file.path));
            for &at in chosen {
                write_entry(&mut out, &file.entries[at]);
            }
            let left_out = file.left_out(chosen);
            if left_out > 0 {
                out.push_str(&format!("  … {left_out} more\n"));
            }
        }
        out
    }
}

/// Names an element that no line can close, the same for the same lines.
fn tag(body: &str) -> String {
    let mut tag = "map".to_owned();
    let mut attempt = 0_u64;
    while body.contains(&format!("</{tag}")) {
        let hash = blake3::hash(format!("{attempt} {body}").as_bytes());
        tag = format!("map-{}", &hash.to_hex()[..8]);
        attempt += 1;
    }
    tag
}

fn write_entry(out: &mut String, entry: &MapEntry) {
    let indent = "  ".repeat(entry.depth + 1);
    match entry.line {
        Some(line) => out.push_str(&format!("{indent}{line} {}\n", entry.text)),
        None => out.push_str(&format!("{indent}{}\n", entry.text)),
    }
}
