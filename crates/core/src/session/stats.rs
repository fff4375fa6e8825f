//! Measures a session: what it holds, what costs most, and how far counts are from the bill.
//!
//! Every block is counted once, by the measure that trims go by, so that what
//! is reported here is what a budget would be held against. What the provider
//! billed is compared in `billed`, by what the model is really shown.

mod billed;
mod reads;
mod wire;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::cost::{BLOCK_TOKENS, block_tokens};
use super::tool::{ToolKind, headline};
use super::transcript::{Block, ById, Content, Role, Transcript, Turn};
use crate::budget::{BudgetError, Pressure};
use crate::tokens::{Counter, Tokens};

pub use billed::{Billed, Compared};
pub use reads::FileUse;

/// How many of the largest blocks are named.
const LARGEST: usize = 10;

/// What a session holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct SessionStats {
    /// All tokens, as trims count them.
    pub tokens: Tokens,
    /// Messages of the user; results that a format gives to the user do not count.
    pub user_turns: usize,
    /// Who spoke, in the order of [`Role`]; results are a tool's, whoever brings them.
    #[serde(serialize_with = "named_rows")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Row<Role>>"))]
    pub roles: Vec<(Role, Amounts)>,
    /// What was said, by tokens.
    #[serde(serialize_with = "named_rows")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Row<BlockKind>>"))]
    pub kinds: Vec<(BlockKind, Amounts)>,
    /// Tools that were called, by tokens.
    pub tools: Vec<ToolTotals>,
    /// Files that were read, by tokens.
    pub files: Vec<FileUse>,
    /// The largest blocks, by size.
    pub largest: Vec<LargeBlock>,
    /// The tokens up to and including each turn.
    pub growth: Vec<Tokens>,
    /// The times of the first and the last turn, if they are known.
    pub span: Option<(Timestamp, Timestamp)>,
    /// What the provider counted, if the session says so.
    pub billed: Option<Billed>,
}

/// How much there is of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Amounts {
    /// How many blocks.
    pub blocks: usize,
    /// Their tokens.
    pub tokens: Tokens,
}

/// What sort of block it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Plain text.
    Text,
    /// The model asks for a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// What the model thought.
    Thinking,
    /// A picture.
    Image,
    /// A block of a type that is not known.
    Other,
}

/// What one tool was used for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolTotals {
    /// The tool.
    pub name: String,
    /// How often it was called.
    pub calls: usize,
    /// How often it failed.
    pub errors: usize,
    /// Tokens of the calls: names and arguments.
    pub call_tokens: Tokens,
    /// Tokens of what it answered.
    pub result_tokens: Tokens,
}

/// A block that costs much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargeBlock {
    /// The turn, counted from 1.
    pub turn: usize,
    /// What sort of block it is.
    pub kind: BlockKind,
    /// The tool of a call or a result.
    pub tool: Option<String>,
    /// One line that says what it is about: a file, a command, the first line of a text.
    pub about: String,
    /// Its tokens.
    pub tokens: Tokens,
}

/// How much there is of one role or kind, as it is written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row<N> {
    name: N,
    #[serde(flatten)]
    amounts: Amounts,
}

fn named_rows<N: Serialize + Copy, S: Serializer>(
    rows: &[(N, Amounts)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(|&(name, amounts)| Row { name, amounts }))
}

/// Measures a session.
///
/// ```
/// use loadline::session::{read_session, session_stats};
/// use loadline::tokens::Counter;
/// let log = br#"[{"role":"user","content":"list the files"},
///     {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}}]},
///     {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a.rs"}]}]"#;
/// let stats = session_stats(&read_session(log.to_vec(), None)?, &"o200k".parse()?);
/// assert_eq!(stats.user_turns, 1);
/// assert_eq!(stats.tools[0].calls, 1);
/// assert_eq!(stats.growth.last(), Some(&stats.tokens));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn session_stats(transcript: &Transcript, counter: &Counter) -> SessionStats {
    let counts = Counts::of(transcript, counter);
    let calls = calls(transcript);
    SessionStats {
        tokens: counts.growth().last().copied().unwrap_or_default(),
        user_turns: transcript.turns.iter().filter(|it| it.is_users()).count(),
        roles: roles(transcript, &counts),
        kinds: kinds(transcript, &counts),
        tools: tools(transcript, &calls, &counts),
        files: reads::files(transcript, &calls, &counts),
        largest: largest(transcript, &calls, &counts),
        growth: counts.growth(),
        span: span(&transcript.turns),
        billed: billed::billed(transcript, counter, &counts),
    }
}

impl SessionStats {
    /// Returns what the next request would send: by the last bill and what was
    /// said since, or by counting alone where nothing was billed.
    pub fn next_request(&self) -> Tokens {
        self.billed.as_ref().map_or(self.tokens, |it| it.next)
    }

    /// Returns what a request after each turn would send, by bills if there are any.
    pub fn filled(&self) -> &[Tokens] {
        self.billed.as_ref().map_or(&self.growth, |it| &it.filled)
    }

    /// Measures the next request against a window.
    pub fn pressure(&self, window: Tokens) -> Result<Pressure, BudgetError> {
        Pressure::new(self.next_request(), window)
    }

    /// Returns what reading the same lines again cost.
    pub fn repeated(&self) -> Tokens {
        Tokens::saturating_sum(self.files.iter().map(|file| file.repeated))
    }
}

impl BlockKind {
    /// Returns the name that results use.
    pub const fn name(self) -> &'static str {
        match self {
            BlockKind::Text => "text",
            BlockKind::ToolCall => "tool call",
            BlockKind::ToolResult => "tool result",
            BlockKind::Thinking => "thinking",
            BlockKind::Image => "image",
            BlockKind::Other => "other",
        }
    }

    fn of(block: &Block) -> BlockKind {
        match block.content {
            Content::Text(_) => BlockKind::Text,
            Content::Call(_) => BlockKind::ToolCall,
            Content::Result(_) => BlockKind::ToolResult,
            Content::Thinking(_) => BlockKind::Thinking,
            Content::Image(_) => BlockKind::Image,
            Content::Other(_) => BlockKind::Other,
        }
    }
}

impl Amounts {
    fn add(&mut self, tokens: Tokens) {
        self.blocks += 1;
        self.tokens = self.tokens.saturating_add(tokens);
    }
}

impl ToolTotals {
    fn tokens(&self) -> Tokens {
        self.call_tokens.saturating_add(self.result_tokens)
    }
}

/// What every block costs, by turn.
struct Counts(Vec<Vec<Tokens>>);

impl Counts {
    fn of(transcript: &Transcript, counter: &Counter) -> Counts {
        let turn = |turn: &Turn| {
            let blocks = turn.blocks.iter();
            blocks.map(|block| block_tokens(counter, block)).collect()
        };
        Counts(transcript.turns.iter().map(turn).collect())
    }

    /// Returns what a block costs.
    fn get(&self, turn: usize, block: usize) -> Tokens {
        let turn = self.0.get(turn).and_then(|turn| turn.get(block));
        turn.copied().unwrap_or_default()
    }

    /// Returns what a block costs without its frame.
    fn bare(&self, turn: usize, block: usize) -> u64 {
        self.get(turn, block).get().saturating_sub(BLOCK_TOKENS)
    }

    fn growth(&self) -> Vec<Tokens> {
        let mut sum = Tokens::ZERO;
        let mut add = |turn: &Vec<Tokens>| {
            sum = sum.saturating_add(Tokens::saturating_sum(turn.iter().copied()));
            sum
        };
        self.0.iter().map(&mut add).collect()
    }
}

/// A call as its results refer to it.
struct CallHead<'a> {
    tool: &'a str,
    /// What it is about: a file, a command.
    about: String,
    /// The file that it shows.
    reads: Option<String>,
}

fn calls(transcript: &Transcript) -> ById<'_, CallHead<'_>> {
    ById::of(transcript, |call| {
        let (kind, path) = ToolKind::of(&call.name, &call.arguments);
        CallHead {
            tool: &call.name,
            about: headline(&call.arguments, path.as_deref()),
            reads: path.filter(|_| kind == ToolKind::Read),
        }
    })
}

/// Every block with its turn, its place there and its tokens.
fn blocks<'a>(
    transcript: &'a Transcript,
    counts: &'a Counts,
) -> impl Iterator<Item = (usize, &'a Turn, &'a Block, Tokens)> {
    let turns = transcript.turns.iter().enumerate();
    turns.flat_map(move |(number, turn)| {
        let blocks = turn.blocks.iter().enumerate();
        blocks.map(move |(place, block)| (number, turn, block, counts.get(number, place)))
    })
}

fn roles(transcript: &Transcript, counts: &Counts) -> Vec<(Role, Amounts)> {
    let mut roles: BTreeMap<Role, Amounts> = BTreeMap::new();
    for (_, turn, block, tokens) in blocks(transcript, counts) {
        let role = match block.content {
            Content::Result(_) => Role::Tool,
            _ => turn.role,
        };
        roles.entry(role).or_default().add(tokens);
    }
    roles.into_iter().collect()
}

fn kinds(transcript: &Transcript, counts: &Counts) -> Vec<(BlockKind, Amounts)> {
    let mut kinds: BTreeMap<BlockKind, Amounts> = BTreeMap::new();
    for (_, _, block, tokens) in blocks(transcript, counts) {
        kinds.entry(BlockKind::of(block)).or_default().add(tokens);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, amounts)| (std::cmp::Reverse(amounts.tokens), *kind));
    kinds
}

fn tools(
    transcript: &Transcript,
    calls: &ById<'_, CallHead<'_>>,
    counts: &Counts,
) -> Vec<ToolTotals> {
    let mut tools: BTreeMap<&str, ToolTotals> = BTreeMap::new();
    for (turn, _, block, tokens) in blocks(transcript, counts) {
        match &block.content {
            Content::Call(call) => {
                let tool = tools.entry(&call.name).or_default();
                tool.calls += 1;
                tool.call_tokens = tool.call_tokens.saturating_add(tokens);
            }
            Content::Result(result) => {
                let name = calls.get(turn, &result.call).map_or("", |call| call.tool);
                let tool = tools.entry(name).or_default();
                tool.errors += usize::from(result.is_error);
                tool.result_tokens = tool.result_tokens.saturating_add(tokens);
            }
            _ => {}
        }
    }
    let named = tools.into_iter().map(|(name, tool)| ToolTotals { name: name.to_owned(), ..tool });
    let mut tools: Vec<ToolTotals> = named.collect();
    tools.sort_by(|a, b| (b.tokens(), &a.name).cmp(&(a.tokens(), &b.name)));
    tools
}

fn largest(
    transcript: &Transcript,
    calls: &ById<'_, CallHead<'_>>,
    counts: &Counts,
) -> Vec<LargeBlock> {
    let mut all: Vec<_> = blocks(transcript, counts).collect();
    all.sort_by_key(|(turn, _, _, tokens)| (std::cmp::Reverse(*tokens), *turn));
    all.truncate(LARGEST);
    let large = all.into_iter().map(|(turn, _, block, tokens)| {
        let call = match &block.content {
            Content::Call(call) => calls.get(turn, &call.id),
            Content::Result(result) => calls.get(turn, &result.call),
            _ => None,
        };
        LargeBlock {
            turn: turn + 1,
            kind: BlockKind::of(block),
            tool: call.map(|call| call.tool.to_owned()),
            about: call.map_or_else(|| first_line(block), |call| call.about.clone()),
            tokens,
        }
    });
    large.collect()
}

/// The first line of a text that says something; a lone tag does not.
fn first_line(block: &Block) -> String {
    let text = match &block.content {
        Content::Text(text) | Content::Thinking(text) => text,
        Content::Result(result) => &result.text,
        Content::Other(kind) => kind,
        Content::Call(_) | Content::Image(_) => "",
    };
    let is_tag = |line: &str| line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !is_tag(line));
    line.unwrap_or_default().to_owned()
}

fn span(turns: &[Turn]) -> Option<(Timestamp, Timestamp)> {
    let times = || turns.iter().filter_map(|turn| turn.time);
    Some((times().min()?, times().max()?))
}
