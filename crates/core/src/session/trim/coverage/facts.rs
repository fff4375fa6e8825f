//! Gathers what is known of the files and of the session as a whole.

use std::num::NonZeroU32;

use super::lines::{BlockInfo, Kind, SessionLines};
use super::model::{NEVER, NONE};
use super::relevance::Relevance;
use crate::session::tool::ToolKind;

/// Blocks count for this many tokens at most in [`Facts::capped_from_end`].
const CAP: u64 = 300;

/// What is known of the session as a whole.
pub(super) struct Facts {
    units: usize,
    pub(super) files: Vec<FileFacts>,
    /// Tokens from the beginning of a block to the end of the session, by block.
    pub(super) from_end: Vec<u64>,
    /// The same with small blocks only: a long output does not make all before it old.
    pub(super) capped_from_end: Vec<u64>,
    pub(super) relevance: Relevance,
}

/// A unit or another number in the session; by default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct When(Option<NonZeroU32>);

impl When {
    pub(super) fn at(number: usize) -> When {
        When(NonZeroU32::new(number as u32 + 1))
    }

    /// Returns this, or the other if there is none.
    pub(super) fn or(self, other: When) -> When {
        When(self.0.or(other.0))
    }

    fn number(self) -> Option<usize> {
        self.0.map(|number| number.get() as usize - 1)
    }
}

/// What is known of a file. Times are units.
#[derive(Clone, Default)]
pub(super) struct FileFacts {
    /// When it was last edited or written.
    pub(super) edited: When,
    /// When it was last read.
    pub(super) read: When,
    /// When a call was last about it.
    pub(super) touched: When,
    /// How often it was edited or written.
    pub(super) edits: u32,
    /// How many other files a call was about later.
    pub(super) touched_later: usize,
    /// How many other files were read later and not edited since.
    pub(super) waiting: usize,
}

impl Facts {
    pub(super) fn of(session: &SessionLines<'_>) -> Facts {
        let blocks = &session.blocks;
        let mut facts = Facts {
            units: session.units.len(),
            files: files(session),
            from_end: vec![0; blocks.len() + 1],
            capped_from_end: vec![0; blocks.len() + 1],
            relevance: Relevance::of(session),
        };
        for (number, block) in blocks.iter().enumerate().rev() {
            let lines = &session.lines[block.lines.clone()];
            let tokens = 4 + lines.iter().map(|it| u64::from(it.tokens)).sum::<u64>();
            facts.from_end[number] = facts.from_end[number + 1] + tokens;
            facts.capped_from_end[number] = facts.capped_from_end[number + 1] + tokens.min(CAP);
        }
        facts
    }

    /// Returns how many units ago something was.
    pub(super) fn age(&self, unit: When) -> f32 {
        unit.number().map_or(NEVER, |unit| (self.units - 1 - unit) as f32)
    }

    /// Returns how many units ago something was done to the file of a block.
    pub(super) fn file_age(&self, file: Option<u32>, of: impl Fn(&FileFacts) -> When) -> f32 {
        file.map_or(NONE, |file| self.age(of(&self.files[file as usize])))
    }

    /// Returns what is known of the file of a block.
    pub(super) fn file(&self, block: &BlockInfo<'_>) -> Option<&FileFacts> {
        block.file.map(|file| &self.files[file as usize])
    }
}

fn files(session: &SessionLines<'_>) -> Vec<FileFacts> {
    let mut files = vec![FileFacts::default(); session.files];
    for block in &session.blocks {
        let (Some(file), Kind::Call(kind)) = (block.file, block.kind) else {
            continue;
        };
        let file = &mut files[file as usize];
        file.touched = When::at(block.unit);
        match kind {
            ToolKind::Edit | ToolKind::Write => {
                file.edited = When::at(block.unit);
                file.edits += 1;
            }
            ToolKind::Read => file.read = When::at(block.unit),
            _ => {}
        }
    }
    let mut touched: Vec<When> = files.iter().map(|it| it.touched).collect();
    touched.sort_unstable();
    let waits = |it: &&FileFacts| it.edited < it.read;
    let mut waiting: Vec<When> = files.iter().filter(waits).map(|it| it.read).collect();
    waiting.sort_unstable();
    let later = |list: &[When], unit: When| list.len() - list.partition_point(|it| *it <= unit);
    for file in &mut files {
        file.touched_later = later(&touched, file.touched);
        file.waiting = later(&waiting, file.read);
    }
    files
}
