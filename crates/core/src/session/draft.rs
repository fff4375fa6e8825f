//! What a session is to become: the value that trimming and compressing make, and that
//! every format can write.

use serde_json::Value;

use super::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

/// Turns to write: those of a transcript, whole, in part or changed, and new ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// In the order in which they are written. Turns of the transcript keep theirs.
    pub turns: Vec<DraftTurn>,
}

/// A turn to write.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftTurn {
    /// A turn of the transcript.
    Of {
        /// Its number in the transcript.
        turn: usize,
        /// Its blocks that stay, in order.
        blocks: Vec<DraftBlock>,
    },
    /// A turn that is not in the transcript: excerpts, a summary, a marker.
    New {
        /// Who speaks.
        role: Role,
        /// What is said.
        text: String,
    },
}

/// A block of the transcript that stays.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftBlock {
    /// Its number in its turn.
    pub block: usize,
    /// What it says now; `None` means the same.
    pub change: Option<Change>,
}

/// What a block says instead.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The text of a text block or of a result.
    Text(String),
    /// The arguments of a call; of the same shape, only strings differ.
    Arguments(Value),
}

impl DraftBlock {
    /// A block as it is.
    pub fn kept(block: usize) -> DraftBlock {
        DraftBlock { block, change: None }
    }

    /// A block that says something else.
    pub fn changed(block: usize, change: Change) -> DraftBlock {
        DraftBlock { block, change: Some(change) }
    }
}

impl DraftTurn {
    /// A whole turn as it is.
    pub fn kept(transcript: &Transcript, turn: usize) -> DraftTurn {
        let blocks = transcript.turns.get(turn).map_or(0, |it| it.blocks.len());
        DraftTurn::Of { turn, blocks: (0..blocks).map(DraftBlock::kept).collect() }
    }
}

impl Draft {
    /// Everything as it is.
    pub fn whole(transcript: &Transcript) -> Draft {
        let turns = 0..transcript.turns.len();
        Draft { turns: turns.map(|turn| DraftTurn::kept(transcript, turn)).collect() }
    }

    /// Tells whether nothing was left out, changed or added.
    pub fn is_whole(&self, transcript: &Transcript) -> bool {
        *self == Draft::whole(transcript)
    }

    /// Returns the turns as they will be read back, for counting and for other formats.
    ///
    /// Blocks that are as they were keep their place in the source.
    pub fn turns(&self, transcript: &Transcript) -> Vec<Turn> {
        self.turns.iter().filter_map(|turn| turn.resolve(transcript)).collect()
    }
}

impl DraftTurn {
    fn resolve(&self, transcript: &Transcript) -> Option<Turn> {
        match self {
            DraftTurn::New { role, text } => {
                let block = Block::new(Content::Text(text.clone()), 0..0);
                Some(Turn::new(*role, vec![block]))
            }
            DraftTurn::Of { turn, blocks } => {
                let turn = transcript.turns.get(*turn)?;
                let blocks = blocks.iter().filter_map(|it| it.resolve(turn)).collect();
                Some(Turn { blocks, ..turn.clone_head() })
            }
        }
    }
}

impl DraftBlock {
    fn resolve(&self, turn: &Turn) -> Option<Block> {
        let block = turn.blocks.get(self.block)?;
        let Some(change) = &self.change else {
            return Some(block.clone());
        };
        let content = match (change, &block.content) {
            (Change::Text(text), Content::Result(result)) => {
                Content::Result(CallResult { text: text.clone(), ..result.clone_head() })
            }
            (Change::Text(text), _) => Content::Text(text.clone()),
            (Change::Arguments(arguments), Content::Call(call)) => Content::Call(Call {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: arguments.clone(),
            }),
            (Change::Arguments(_), content) => content.clone(),
        };
        Some(Block::new(content, block.raw.clone()))
    }
}

/// A block that stays, and what it says instead.
pub(crate) type Stays<'a> = (&'a Block, Option<&'a Change>);

impl Turn {
    /// Returns the blocks that stay.
    pub(crate) fn stays<'a>(
        &'a self,
        blocks: impl IntoIterator<Item = &'a DraftBlock>,
    ) -> Vec<Stays<'a>> {
        let stays = blocks.into_iter();
        stays.filter_map(|it| Some((self.blocks.get(it.block)?, it.change.as_ref()))).collect()
    }

    /// The turn without its blocks.
    fn clone_head(&self) -> Turn {
        Turn {
            role: self.role,
            blocks: Vec::new(),
            id: self.id.clone(),
            time: self.time,
            model: self.model.clone(),
            usage: self.usage,
        }
    }
}

impl CallResult {
    /// The result without its text.
    fn clone_head(&self) -> CallResult {
        CallResult {
            call: self.call.clone(),
            text: String::new(),
            is_error: self.is_error,
            images: self.images,
        }
    }
}
