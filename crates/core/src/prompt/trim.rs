//! Makes a prompt smaller, in a fixed order.
//!
//! Previous units go first, the oldest before the newest; then older messages, then
//! what else is not required, the last part first. So what stays is the beginning of
//! one row, and the longest that fits is looked for.

use super::error::PromptError;
use super::message::{ChatMessage, groups};
use super::messages::marker;
use super::{LeftOut, Prompt, PromptItem, PromptPart};
use crate::fit::longest;
use crate::tokens::{Counter, Tokens};

impl Prompt {
    /// Trims to so many tokens: previous units, then older messages, then other parts
    /// that are not required. What is required stays byte for byte.
    ///
    /// Fails with the largest required part where that is not enough.
    pub fn trim_to(self, most: Tokens, counter: &Counter) -> Result<Prompt, PromptError> {
        let mut fitted = None;
        longest(self.optional(), |kept| {
            let trimmed = self.keeping(kept, counter);
            let fits = trimmed.tokens <= most;
            if fits {
                fitted = Some(trimmed);
            }
            fits
        });
        let Some(mut trimmed) = fitted else {
            let least = self.keeping(0, counter);
            return Err(least.too_large(least.messages_tokens, most));
        };
        for part in &mut trimmed.parts {
            part.tokens = counter.count(&part.text());
        }
        trimmed.available = trimmed.available.min(most);
        trimmed.parts.retain(|part| !part.items.is_empty());
        Ok(trimmed)
    }

    /// Returns how many things there are that may go.
    fn optional(&self) -> usize {
        let parts = self.parts.iter().filter(|part| !part.required);
        let items: usize = parts.map(|part| part.items.len()).sum();
        items + self.optional_groups().len()
    }

    /// Returns it with the first so many of the things that may go.
    fn keeping(&self, mut kept: usize, counter: &Counter) -> Prompt {
        let mut prompt = self.clone();
        for part in prompt.parts.iter_mut().filter(|part| !part.required) {
            if !part.is_units() {
                let stays = kept.min(part.items.len());
                kept -= stays;
                let gone = part.items.split_off(stays);
                prompt.left_out.extend(left_out(&part.name, gone));
            }
        }
        kept -= prompt.keep_groups(kept, counter);
        for part in prompt.parts.iter_mut().filter(|part| !part.required) {
            if part.is_units() {
                let stays = kept.min(part.items.len());
                let newest = part.items.split_off(part.items.len() - stays);
                let gone = std::mem::replace(&mut part.items, newest);
                prompt.left_out.extend(left_out(&part.name, gone));
            }
        }
        prompt.recount(counter);
        prompt
    }

    /// Returns the messages behind the first and the marker.
    fn tail(&self) -> &[ChatMessage] {
        let behind = self.first + usize::from(self.omitted_messages > 0);
        self.messages.get(behind..).unwrap_or_default()
    }

    /// Returns the lengths of the groups of messages that may go, the newest first.
    fn optional_groups(&self) -> Vec<usize> {
        let tail: Vec<&ChatMessage> = self.tail().iter().collect();
        let groups = groups(&tail);
        let lengths = groups.chunk_by(|a, b| a == b).map(<[usize]>::len);
        lengths.rev().skip(1).collect()
    }

    /// Keeps so many groups of messages between the first and the newest, and returns
    /// how many that are.
    fn keep_groups(&mut self, most: usize, counter: &Counter) -> usize {
        let groups = self.optional_groups();
        let kept = most.min(groups.len());
        let gone: usize = groups[kept..].iter().sum();
        if gone > 0 {
            let tail = self.tail()[gone..].to_vec();
            let newest = self.tail()[gone - 1].clone();
            self.omitted_messages += gone;
            self.messages.truncate(self.first);
            self.messages.push(marker(self.omitted_messages, &newest, tail.first()));
            self.messages.extend(tail);
            let costs = self.messages.iter().map(|it| it.tokens(counter));
            self.messages_tokens = Tokens::saturating_sum(costs);
        }
        kept
    }
}

impl PromptPart {
    fn is_units(&self) -> bool {
        self.name == "units"
    }
}

fn left_out(part: &str, gone: Vec<PromptItem>) -> impl Iterator<Item = LeftOut> {
    gone.into_iter().map(move |item| LeftOut {
        part: part.to_owned(),
        name: item.name,
        tokens: item.tokens,
    })
}
