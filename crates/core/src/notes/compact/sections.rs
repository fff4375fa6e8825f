//! The sections of a note, of which the oldest can be reduced to what must stay.

use super::super::NotesOptions;
use super::shape::Shape;

/// The lines of a note by section.
pub(in crate::notes) struct Sections {
    sections: Vec<Section>,
}

/// A heading and the lines up to the next one.
struct Section {
    title: String,
    /// Lines with their ends, and whether each must stay.
    lines: Vec<(String, bool)>,
}

impl Sections {
    pub(in crate::notes) fn of(text: &str, options: &NotesOptions) -> Sections {
        let shape = Shape::of(text, &options.preserve);
        let mut sections: Vec<Section> = Vec::new();
        for (line, range) in shape.lines.iter().enumerate() {
            let heading = shape.heading_of(line).filter(|it| it.line == line);
            if heading.is_some() || sections.is_empty() {
                sections.push(Section {
                    title: heading.map(|it| it.title.clone()).unwrap_or_default(),
                    lines: Vec::new(),
                });
            }
            let stays = heading.is_some() || shape.guards(line);
            if let Some(section) = sections.last_mut() {
                section.lines.push((text[range.clone()].to_owned(), stays));
            }
        }
        Sections { sections }
    }

    /// Writes at most that many lines; the first sections are the oldest.
    ///
    /// What must stay does, even where it is more. Returns the titles of the
    /// sections that lost lines, too.
    pub(in crate::notes) fn newest(mut self, most: usize) -> (String, Vec<String>) {
        let mut total: usize = self.sections.iter().map(|it| it.lines.len()).sum();
        let mut dropped = Vec::new();
        for section in &mut self.sections {
            if total <= most {
                break;
            }
            let before = section.lines.len();
            section.lines.retain(|(_, stays)| *stays);
            let lost = before - section.lines.len();
            if lost > 0 {
                dropped.push(section.title.clone());
            }
            total -= lost;
        }
        let lines = self.sections.iter().flat_map(|it| &it.lines);
        (lines.map(|(line, _)| line.as_str()).collect(), dropped)
    }
}
