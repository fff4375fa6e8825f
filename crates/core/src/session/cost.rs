//! Counts what blocks and turns cost: the one measure that trims, limits and statistics share.
//!
//! A block costs the tokens of what the model reads of it and a few for its
//! frame. Calls are read as their name and their arguments, key by key, since
//! that is what models are shown; JSON's own marks are not.

use super::transcript::{Block, Content, Turn};
pub(crate) use crate::agents::call_text;
pub use crate::agents::{BLOCK_TOKENS, IMAGE_TOKENS};
use crate::tokens::{Counter, Tokens};

/// Returns what a block costs.
pub fn block_tokens(counter: &Counter, block: &Block) -> Tokens {
    let tokens = match &block.content {
        Content::Text(text) | Content::Thinking(text) => counter.count(text),
        Content::Result(result) => {
            counter.count(&result.text).saturating_add(Tokens::new(result.images.tokens))
        }
        Content::Call(call) => counter.count(&call_text(&call.name, &call.arguments)),
        Content::Image(tokens) => Tokens::new(*tokens),
        Content::Other(_) => Tokens::new(block.raw.len() as u64 / 4),
    };
    tokens.saturating_add(Tokens::new(BLOCK_TOKENS))
}

/// Returns what a turn costs.
pub fn turn_tokens(counter: &Counter, turn: &Turn) -> Tokens {
    let blocks = turn.blocks.iter();
    Tokens::saturating_sum(blocks.map(|block| block_tokens(counter, block)))
}

/// Returns what turns cost together.
pub fn turns_tokens(counter: &Counter, turns: &[Turn]) -> Tokens {
    Tokens::saturating_sum(turns.iter().map(|turn| turn_tokens(counter, turn)))
}
