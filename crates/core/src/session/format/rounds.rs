//! Brings turns that were read from one format into an order that every other takes.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::session::transcript::{Block, Call, CallResult, Content, Images, Role, Turn};

/// What stands for the result of a call that was never answered.
const UNANSWERED: &str = "aborted";

/// What stands for what the user said before the model spoke.
const BEGINNING: &str = "[loadline: the session begins here]";

/// Brings turns into rounds, which every provider takes.
///
/// A turn of the model holds all it said at once; the turn after it is the tools'
/// and has one result for each call, in the order of the calls. No two calls have
/// the same name, and what a call is given is an object. A call that was never
/// answered is answered as aborted; a result that answers nothing becomes text.
pub(crate) fn rounds(turns: &[Turn]) -> Vec<Turn> {
    let mut rounds = Rounds::default();
    for (number, turn) in turns.iter().enumerate() {
        for block in &turn.blocks {
            if let Content::Result(result) = &block.content {
                rounds.open.push_back((number, block, result));
            }
        }
    }
    for (number, turn) in turns.iter().enumerate() {
        match turn.role {
            Role::Assistant => rounds.answer(number, turn),
            _ => rounds.say(number, turn),
        }
    }
    rounds.begin_with_user();
    rounds.turns
}

/// A result with its turn and its block.
type Open<'a> = (usize, &'a Block, &'a CallResult);

#[derive(Default)]
struct Rounds<'a> {
    turns: Vec<Turn>,
    /// Results that answer no call yet, with their turns.
    open: VecDeque<Open<'a>>,
    /// The names of the calls so far.
    names: BTreeSet<String>,
}

impl Rounds<'_> {
    /// No provider takes a session that begins with the model.
    fn begin_with_user(&mut self) {
        let first = self.turns.iter().position(|turn| turn.role != Role::System);
        if let Some(first) = first.filter(|it| self.turns[*it].role != Role::User) {
            let said = made(Content::Text(BEGINNING.to_owned()));
            self.turns.insert(first, Turn::new(Role::User, vec![said]));
        }
    }

    /// Adds a turn of the model, and behind it the results of its calls.
    fn answer(&mut self, number: usize, turn: &Turn) {
        let mut blocks = Vec::new();
        let mut results = Vec::new();
        for block in &turn.blocks {
            match &block.content {
                Content::Call(call) => {
                    let id = self.name(&call.id);
                    results.push(self.result(number, call, &id));
                    blocks.push(made(Content::Call(Call {
                        id,
                        name: call.name.clone(),
                        arguments: as_object(&call.arguments),
                    })));
                }
                Content::Result(_) => {}
                _ => blocks.push(block.clone()),
            }
        }
        match self.turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == Role::Assistant => last.blocks.extend(blocks),
            _ => self.turns.push(Turn { blocks, ..head(turn) }),
        }
        if !results.is_empty() {
            self.turns.push(Turn::new(Role::Tool, results));
        }
    }

    /// Adds a turn of anyone else without the results that stand elsewhere by now.
    fn say(&mut self, number: usize, turn: &Turn) {
        let mut blocks = Vec::new();
        for block in &turn.blocks {
            match &block.content {
                Content::Result(result) => {
                    let is_this = |it: &Open<'_>| it.0 == number && it.2 == result;
                    if let Some(at) = self.open.iter().position(is_this) {
                        self.open.remove(at);
                        blocks.push(made(Content::Text(result.text.clone())));
                    }
                }
                _ => blocks.push(block.clone()),
            }
        }
        if blocks.is_empty() {
            return;
        }
        let role = match turn.role {
            Role::Tool => Role::User,
            role => role,
        };
        self.turns.push(Turn { role, blocks, ..head(turn) });
    }

    /// Finds the result of a call of turn `number` and takes it.
    fn result(&mut self, number: usize, call: &Call, id: &str) -> Block {
        let answers = |it: &Open<'_>| it.0 >= number && it.2.call == call.id;
        let at = self.open.iter().position(answers);
        let Some((_, block, found)) = at.and_then(|at| self.open.remove(at)) else {
            return made(Content::Result(CallResult {
                call: id.to_owned(),
                text: UNANSWERED.to_owned(),
                is_error: true,
                images: Images::default(),
            }));
        };
        let result = CallResult { call: id.to_owned(), ..found.clone() };
        // Its pictures are found by its place.
        Block::new(Content::Result(result), block.raw.clone())
    }

    /// Returns a name that no call has yet, of signs that every provider takes.
    fn name(&mut self, id: &str) -> String {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        let plain: String = id.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
        let plain = if plain.is_empty() { "call" } else { &plain };
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.to_owned()).chain(numbered);
        let name = names.find(|it| !self.names.contains(it));
        let name = name.unwrap_or_default();
        self.names.insert(name.clone());
        name
    }
}

fn made(content: Content) -> Block {
    Block::new(content, 0..0)
}

fn head(turn: &Turn) -> Turn {
    Turn {
        id: turn.id.clone(),
        time: turn.time,
        model: turn.model.clone(),
        usage: turn.usage,
        ..Turn::new(turn.role, Vec::new())
    }
}

fn as_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => json!({}),
        Value::String(text) if text.is_empty() => json!({}),
        other => json!({ "input": other }),
    }
}
