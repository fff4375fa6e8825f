//! Puts a window together: what is required, then what fits of the rest.

use super::error::PromptError;
use super::messages::{KeptMessages, Row};
use super::parts::{Gathered, called, title};
use super::phase::{MESSAGES, Most, PartRule, Phase};
use super::{LeftOut, Prompt, PromptItem, PromptOptions, PromptPart};
use crate::agents::BLOCK_TOKENS;
use crate::budget::Allocation;
use crate::fit::{Item, Policy, select};
use crate::tokens::{Counter, Tokens};

impl Prompt {
    /// Puts down what has to be there: required parts, the first and the newest message.
    pub(super) fn required(
        phase: &Phase,
        gathered: &[Gathered<'_>],
        row: &Row<'_>,
        counter: &Counter,
    ) -> Prompt {
        let parts = gathered.iter().map(|part| {
            let all = (0..part.items.len()).filter(|_| part.rule.required);
            PromptPart::of(part, &all.collect::<Vec<_>>(), counter)
        });
        let least = row.window(Tokens::ZERO);
        let mut window =
            Prompt { phase: phase.name.clone(), parts: parts.collect(), ..Prompt::default() };
        window.set_messages(least);
        window.recount(counter);
        window
    }

    /// Fails where what is required does not fit, and names the largest of it.
    pub(super) fn check(&self, row: &Row<'_>, available: Tokens) -> Result<(), PromptError> {
        if self.tokens <= available { Ok(()) } else { Err(self.too_large(row.least(), available)) }
    }

    /// Adds what is not required, part by part, and messages when their turn comes.
    pub(super) fn fill(
        &mut self,
        phase: &Phase,
        gathered: &[Gathered<'_>],
        row: &Row<'_>,
        options: &PromptOptions,
    ) {
        let aim = options.strategy.range().map(|(_, most)| most);
        let aim = aim.unwrap_or(Tokens::MAX).min(self.available);
        let mut rest = aim.saturating_sub(self.tokens);
        for rule in &phase.parts {
            if rule.part == MESSAGES {
                rest = self.fill_messages(rule, row, rest);
                continue;
            }
            let number = gathered.iter().position(|part| part.rule.part == rule.part);
            if let Some(number) = number.filter(|_| !rule.required) {
                let part = &gathered[number];
                rest = self.fill_part(number, part, rest, &options.counter);
            }
        }
        self.recount(&options.counter);
    }

    /// Adds messages, and returns what is left.
    fn fill_messages(&mut self, rule: &PartRule, row: &Row<'_>, rest: Tokens) -> Tokens {
        let least = self.messages_tokens;
        // Tokens limit all messages, a percentage those that are not required.
        let room = match rule.most {
            Some(Most::Tokens(most)) => most.min(least.saturating_add(rest)),
            Some(most) => least.saturating_add(most.of(rest)),
            None => least.saturating_add(rest),
        };
        self.set_messages(row.window(room));
        rest.saturating_sub(self.messages_tokens.saturating_sub(least))
    }

    /// Adds what fits of a part, and returns what is left.
    fn fill_part(
        &mut self,
        number: usize,
        part: &Gathered<'_>,
        rest: Tokens,
        counter: &Counter,
    ) -> Tokens {
        let limit = part.rule.most.map_or(rest, |most| most.of(rest));
        let chosen = part.choose(limit, counter);
        self.parts[number] = PromptPart::of(part, &chosen, counter);
        let others = (0..part.items.len()).filter(|it| chosen.binary_search(it).is_err());
        self.left_out.extend(others.map(|number| LeftOut {
            part: part.rule.part.clone(),
            name: part.items[number].name.clone(),
            tokens: counter.count(&part.items[number].text),
        }));
        rest.saturating_sub(self.parts[number].tokens)
    }

    fn set_messages(&mut self, window: KeptMessages) {
        self.first = window.first;
        self.messages_tokens = window.tokens;
        self.omitted_messages = window.omitted;
        self.messages = window.messages;
    }

    /// Counts the window as it is written.
    pub(super) fn recount(&mut self, counter: &Counter) {
        let text = self.system_text();
        let dress = if text.is_empty() { Tokens::ZERO } else { Tokens::new(BLOCK_TOKENS) };
        let system = counter.count(&text).saturating_add(dress);
        self.tokens = system.saturating_add(self.messages_tokens);
    }

    /// Names the largest of what is required.
    pub(super) fn too_large(&self, messages: Tokens, available: Tokens) -> PromptError {
        let parts = self.parts.iter().filter(|part| part.required);
        let parts = parts.map(|part| (part.tokens, called(&part.name)));
        let all = parts.chain([(messages, called(MESSAGES))]);
        let largest = all.max_by_key(|(tokens, _)| *tokens);
        let (tokens, part) = largest.unwrap_or_default();
        PromptError::TooLarge { part, tokens, needed: self.tokens, available }
    }
}

impl Gathered<'_> {
    /// Chooses items within a limit, the preferred first, past what does not fit.
    fn choose(&self, limit: Tokens, counter: &Counter) -> Vec<usize> {
        let heading = PromptPart::heading_tokens(self, counter);
        let Some(room) = limit.checked_sub(heading) else {
            return Vec::new();
        };
        let count = self.rule.count.unwrap_or(usize::MAX);
        let mut items: Vec<Item<usize>> = Vec::new();
        for place in 0..self.items.len().min(count) {
            let number = if self.newest_first { self.items.len() - 1 - place } else { place };
            let text = &self.items[number].text;
            // What is larger than all the room need not be counted to its end.
            let Some(tokens) = counter.count_up_to(text, room) else {
                continue;
            };
            let tokens = tokens.saturating_add(JOINT);
            let score = -(place as f64);
            items.push(Item::new(number, score).rendition("full", tokens));
        }
        let allocation = Allocation::of(room);
        let Ok(selection) = select(items, &allocation, &Policy::default()) else {
            return Vec::new();
        };
        let chosen = selection.ranked().filter(|(_, _, fate)| fate.rendition().is_some());
        let mut chosen: Vec<usize> = chosen.map(|(number, _, _)| *number).collect();
        chosen.sort_unstable();
        chosen
    }
}

/// What stands between two texts, at most.
const JOINT: Tokens = Tokens::new(2);

impl PromptPart {
    fn of(part: &Gathered<'_>, chosen: &[usize], counter: &Counter) -> PromptPart {
        let items = chosen.iter().map(|&number| {
            let material = &part.items[number];
            PromptItem {
                name: material.name.clone(),
                tokens: counter.count(&material.text),
                text: material.text.clone(),
            }
        });
        let items: Vec<PromptItem> = items.collect();
        let texts = items.iter().map(|item| item.tokens.saturating_add(JOINT));
        let texts = Tokens::saturating_sum(texts);
        PromptPart {
            name: part.rule.part.clone(),
            title: title(part.rule),
            required: part.rule.required,
            tokens: if items.is_empty() {
                Tokens::ZERO
            } else {
                texts.saturating_add(PromptPart::heading_tokens(part, counter))
            },
            items,
        }
    }

    fn heading_tokens(part: &Gathered<'_>, counter: &Counter) -> Tokens {
        let title = title(part.rule);
        title.map_or(Tokens::ZERO, |title| counter.count(&format!("## {title}\n\n")))
    }
}
