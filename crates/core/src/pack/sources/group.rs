//! Gathers the lines that are known of one file, from however many sources.
//!
//! Overlapping sources of one file share a group, so that their lines can be
//! joined. Where two sources say different things of the same line, each has a
//! group of its own: mixing them would show a file that never was.

use std::collections::{BTreeMap, HashMap};

use crate::pack::render::Origin;
use crate::text::Nesting;
use crate::text::lines::merged;

/// Lines of one file.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The path as it is shown.
    pub(super) path: String,
    pub(super) language: Option<&'static str>,
    /// What the heading says it is.
    pub(super) origin: Origin,
    lines: BTreeMap<u32, String>,
    /// How its lines are nested, where the whole file is known.
    nesting: Option<Nesting>,
}

impl Group {
    /// The lines from first to last, if all are known.
    pub(super) fn text(&self, (first, last): (u32, u32)) -> Option<String> {
        let mut text = String::new();
        let mut next = first;
        for (number, line) in self.lines.range(first..=last.max(first)) {
            if *number != next {
                return None;
            }
            end_line(&mut text);
            text.push_str(line);
            next = number.checked_add(1)?;
        }
        (last >= first && u64::from(next) == u64::from(last) + 1).then_some(text)
    }

    /// Adds the lines that a reader needs to follow these, where they are known.
    pub(super) fn readable(&self, ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        match &self.nesting {
            Some(nesting) => nesting.readable(&ranges),
            None => merged(ranges),
        }
    }

    /// The last line that is known.
    pub(super) fn last(&self) -> u32 {
        self.lines.last_key_value().map_or(0, |(line, _)| *line)
    }

    fn agrees(&self, first: u32, text: &str) -> bool {
        let bare = |line: &str| line.trim_end_matches(['\r', '\n']).len();
        text.split_inclusive('\n').zip(first..).all(|(line, number)| {
            let known = self.lines.get(&number);
            known.is_none_or(|known| known[..bare(known)] == line[..bare(line)])
        })
    }

    fn add(&mut self, first: u32, text: &str) {
        for (line, number) in text.split_inclusive('\n').zip(first..) {
            self.lines.entry(number).or_insert_with(|| line.to_owned());
        }
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The groups of all sources.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// The groups of a file, by its path.
    by_path: HashMap<String, Vec<usize>>,
}

impl Groups {
    /// Puts lines of a file where they belong, and says whether they contradict
    /// others of that file.
    pub(super) fn add_file(
        &mut self,
        path: &str,
        language: Option<&'static str>,
        first: u32,
        text: &str,
    ) -> (usize, bool) {
        let known = self.by_path.get(path).cloned().unwrap_or_default();
        for number in &known {
            if self.list[*number].agrees(first, text) {
                self.list[*number].add(first, text);
                return (*number, false);
            }
        }
        let number = self.add_text(path, language, first, text);
        self.by_path.entry(path.to_owned()).or_default().push(number);
        (number, !known.is_empty())
    }

    /// Gives a text a group of its own.
    pub(super) fn add_text(
        &mut self,
        path: &str,
        language: Option<&'static str>,
        first: u32,
        text: &str,
    ) -> usize {
        let mut group = Group {
            path: path.to_owned(),
            language,
            origin: Origin::default(),
            lines: BTreeMap::new(),
            nesting: None,
        };
        group.add(first, text);
        self.list.push(group);
        self.list.len() - 1
    }

    /// Says how the lines of a group are nested, once all of them are known.
    pub(super) fn nest(&mut self, group: usize, nesting: Nesting) {
        if let Some(group) = self.list.get_mut(group) {
            group.nesting = Some(nesting);
        }
    }

    /// Says what a group is.
    pub(super) fn call(&mut self, group: usize, origin: Origin) {
        if let Some(group) = self.list.get_mut(group) {
            group.origin = origin;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_sources_are_joined() {
        let mut groups = Groups::default();
        assert_eq!(groups.add_file("a", None, 1, "one\ntwo"), (0, false));
        assert_eq!(groups.add_file("a", None, 2, "two\nthree\n"), (0, false));
        assert_eq!(groups.add_file("a", None, 3, "other\n"), (1, true));
        assert_eq!(groups.add_file("b", None, 1, "x"), (2, false));
        let group = &groups.list[0];
        assert_eq!(group.text((1, 3)).as_deref(), Some("one\ntwo\nthree\n"));
        assert_eq!(group.text((2, 4)), None);
        assert_eq!(group.text((3, 2)), None);
        assert_eq!(group.last(), 3);
    }
}
