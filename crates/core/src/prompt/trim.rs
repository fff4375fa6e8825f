//! Makes a window smaller, in a fixed order, until it fits.
//!
//! Previous units go first, the oldest before the newest; then older messages, then
//! what else is not required, the last part first. Every step takes something away,
//! so the end comes: the window fits, or only what is required is left.

use super::error::PromptError;
use super::message::{ChatMessage, groups};
use super::messages::marker;
use super::{LeftOut, Prompt, PromptPart};
use crate::tokens::{Counter, Tokens};

impl Prompt {
    /// Trims to so many tokens: previous units, then older messages, then other parts
    /// that are not required. What is required stays byte for byte.
    ///
    /// Fails with the largest required part where that is not enough.
    pub fn trim_to(mut self, most: Tokens, counter: &Counter) -> Result<Prompt, PromptError> {
        while self.tokens > most {
            let over = self.tokens.saturating_sub(most);
            let smaller =
                self.drop_units(over) || self.drop_messages(over, counter) || self.drop_items(over);
            if !smaller {
                return Err(self.too_large(self.messages_tokens, most));
            }
            self.recount(counter);
        }
        self.recount_parts(counter);
        self.available = self.available.min(most);
        self.parts.retain(|part| !part.items.is_empty());
        Ok(self)
    }

    /// Takes previous units away, the oldest first.
    fn drop_units(&mut self, over: Tokens) -> bool {
        let is_units = |part: &&mut PromptPart| part.name == "units" && !part.required;
        let Some(units) = self.parts.iter_mut().find(is_units) else {
            return false;
        };
        let gone = units.drop_from_front(over);
        self.left_out.extend(gone.iter().cloned());
        !gone.is_empty()
    }

    /// Takes messages away behind the first, but never the newest.
    fn drop_messages(&mut self, over: Tokens, counter: &Counter) -> bool {
        let behind = self.first + usize::from(self.omitted_messages > 0);
        let Some(tail) = self.messages.get(behind..) else {
            return false;
        };
        let tail: Vec<&ChatMessage> = tail.iter().collect();
        let groups = groups(&tail);
        let runs: Vec<usize> = groups.chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
        let mut freed = Tokens::ZERO;
        let mut gone = 0;
        for run in runs.iter().take(runs.len().saturating_sub(1)) {
            if freed > over {
                break;
            }
            let group = &tail[gone..gone + run];
            let costs = group.iter().map(|message| message.tokens(counter));
            freed = freed.saturating_add(Tokens::saturating_sum(costs));
            gone += run;
        }
        if gone == 0 {
            return false;
        }
        self.omitted_messages += gone;
        let marker = marker(self.omitted_messages, tail.get(gone).copied());
        let mut messages = self.messages[..self.first].to_vec();
        messages.push(marker);
        messages.extend(tail[gone..].iter().map(|it| (*it).clone()));
        self.messages = messages;
        let costs = self.messages.iter().map(|it| it.tokens(counter));
        self.messages_tokens = Tokens::saturating_sum(costs);
        true
    }

    /// Takes items of other parts away, the last first.
    fn drop_items(&mut self, over: Tokens) -> bool {
        let optional = self.parts.iter_mut().rev().filter(|part| !part.required);
        for part in optional {
            let gone = part.drop_from_back(over);
            if !gone.is_empty() {
                self.left_out.extend(gone);
                return true;
            }
        }
        false
    }

    fn recount_parts(&mut self, counter: &Counter) {
        for part in &mut self.parts {
            part.tokens = counter.count(&part.text());
        }
    }
}

impl PromptPart {
    fn drop_from_front(&mut self, over: Tokens) -> Vec<LeftOut> {
        self.items.reverse();
        let gone = self.drop_from_back(over);
        self.items.reverse();
        gone
    }

    /// Takes items away until so many tokens are free, or none is left.
    fn drop_from_back(&mut self, over: Tokens) -> Vec<LeftOut> {
        let mut freed = Tokens::ZERO;
        let mut gone = Vec::new();
        while freed < over
            && let Some(item) = self.items.pop()
        {
            freed = freed.saturating_add(item.tokens);
            gone.push(LeftOut {
                part: self.name.clone(),
                name: item.name,
                tokens: item.tokens,
            });
        }
        gone
    }
}
