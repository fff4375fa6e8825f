//! Cuts code along its definitions.

use super::line::Line;
use super::{ChunkLevel, ChunkStrategy, Piece, Work};
use crate::syntax::{Definition, DefinitionKind, Outline};

/// Nesting beyond this is not followed.
const DEEPEST: usize = 50;

/// Cuts along the definitions of an outline; every line is in one piece.
pub(super) fn definitions(outline: &Outline, work: &Work<'_>) -> Vec<Piece> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); outline.definitions.len()];
    let mut outer = Vec::new();
    for (index, definition) in outline.definitions.iter().enumerate() {
        match definition.parent.and_then(|parent| members.get_mut(parent)) {
            Some(members) => members.push(index),
            None => outer.push(index),
        }
    }
    let mut cutter = Cutter { outline, members, work, pieces: Vec::new(), next: 0 };
    cutter.run(&outer, work.lines.len(), &Place::default());
    cutter.pieces
}

/// Where in the structure the cutter is.
#[derive(Clone, Default)]
struct Place {
    hierarchy: Vec<String>,
    depth: usize,
}

struct Cutter<'a> {
    outline: &'a Outline,
    members: Vec<Vec<usize>>,
    work: &'a Work<'a>,
    pieces: Vec<Piece>,
    /// The first line that is in no piece yet.
    next: usize,
}

impl Cutter<'_> {
    /// Cuts the lines up to `end`, which hold these definitions.
    fn run(&mut self, indices: &[usize], end: usize, place: &Place) {
        for &index in indices {
            let definition = &self.outline.definitions[index];
            let (start, last) = self.lines(definition, end);
            if start < self.next || last <= start {
                // Several on one line, or one inside another: already there.
                continue;
            }
            self.between(start, place);
            self.definition(index, last, place);
        }
        self.rest(end, place);
    }

    fn lines(&self, definition: &Definition, end: usize) -> (usize, usize) {
        let start = definition.lead_line.saturating_sub(1) as usize;
        (start.min(end), (definition.last_line as usize).min(end))
    }

    /// Cuts what stands before a definition.
    fn between(&mut self, start: usize, place: &Place) {
        let first = self.pieces.is_empty();
        if self.is_idle(self.next, start) && !first {
            self.extend(start);
        } else {
            let kind = if first { "preamble" } else { "code" };
            self.push(start, kind, place.hierarchy.clone());
        }
    }

    /// Cuts what stands after the last definition.
    fn rest(&mut self, end: usize, place: &Place) {
        if self.is_idle(self.next, end) && !self.pieces.is_empty() {
            self.extend(end);
        } else {
            self.push(end, "code", place.hierarchy.clone());
        }
    }

    fn definition(&mut self, index: usize, last: usize, place: &Place) {
        let definition = &self.outline.definitions[index];
        let mut inner = place.clone();
        inner.hierarchy.push(format!("{}:{}", self.word(definition), definition.name));
        inner.depth += 1;
        let level = self.work.options.level;
        let opens = match definition.kind {
            DefinitionKind::Module => true,
            kind => kind.is_type() && level != ChunkLevel::Class,
        };
        let members: Vec<usize> = self.members[index]
            .iter()
            .copied()
            .filter(|member| self.is_unit(*member, definition.kind))
            .collect();
        if definition.kind.is_function() && level == ChunkLevel::Block {
            self.blocks(last, definition.kind.as_str(), &inner.hierarchy);
            return;
        }
        if !opens || members.is_empty() || place.depth >= DEEPEST {
            self.push(last, definition.kind.as_str(), inner.hierarchy);
            return;
        }
        let first = members.first().map(|member| self.outline.definitions[*member].lead_line);
        let head = first.map_or(last, |line| (line.saturating_sub(1) as usize).min(last));
        if definition.kind == DefinitionKind::Module {
            // A namespace is not a unit of its own: its head belongs to what is before it.
            self.head(head, place);
        } else {
            self.push(head, definition.kind.as_str(), inner.hierarchy.clone());
        }
        self.run(&members, last, &inner);
    }

    /// Cuts a function where one of its outer blocks ends and the next begins.
    fn blocks(&mut self, end: usize, kind: &'static str, hierarchy: &[String]) {
        let look = |line: usize| {
            let text = self.work.lines.get(line).copied().unwrap_or_default();
            Line::look(text.trim_end(), self.work.language)
        };
        let outer = look(end.saturating_sub(1)).indent.min(look(self.next).indent);
        let shown = (self.next..end).map(look).filter(|line| !line.blank);
        let body = shown.map(|line| line.indent).filter(|indent| *indent > outer).min();
        let cuts: Vec<usize> = (self.next + 1..end)
            .filter(|line| {
                let (last, next) = (look(line - 1), look(*line));
                let begins = !next.blank && !next.closes && Some(next.indent) == body;
                begins && (last.blank || last.closes)
            })
            .collect();
        for (number, cut) in cuts.into_iter().chain([end]).enumerate() {
            let kind = if number == 0 { kind } else { "block" };
            self.push(cut, kind, hierarchy.to_vec());
        }
    }

    fn head(&mut self, end: usize, place: &Place) {
        match self.pieces.last() {
            Some(piece) if piece.kind == "preamble" => self.extend(end),
            _ => {
                let kind = if self.pieces.is_empty() { "preamble" } else { "code" };
                self.push(end, kind, place.hierarchy.clone());
            }
        }
    }

    /// Fields stay with the head of their type.
    fn is_unit(&self, index: usize, parent: DefinitionKind) -> bool {
        let kind = self.outline.definitions[index].kind;
        parent == DefinitionKind::Module || kind.is_function() || kind.is_type()
    }

    fn word(&self, definition: &Definition) -> &'static str {
        match (definition.kind, self.outline.language) {
            (DefinitionKind::Module, "csharp" | "cpp" | "php" | "typescript") => "namespace",
            (kind, _) => kind.as_str(),
        }
    }

    /// Whether lines only close what was opened, or are blank.
    fn is_idle(&self, start: usize, end: usize) -> bool {
        (start..end.min(self.work.lines.len())).all(|line| {
            let line = Line::look(self.work.lines[line].trim_end(), self.work.language);
            line.blank || line.closes
        })
    }

    fn extend(&mut self, end: usize) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.end = piece.end.max(end);
        }
        self.next = self.next.max(end);
    }

    fn push(&mut self, end: usize, kind: &'static str, hierarchy: Vec<String>) {
        if end > self.next {
            self.pieces.push(Piece {
                start: self.next,
                end,
                strategy: ChunkStrategy::Structural,
                kind,
                hierarchy,
                part: None,
            });
            self.next = end;
        }
    }
}
