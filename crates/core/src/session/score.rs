//! Scores how much a turn matters: a sum of named signals, from 0 to 100.
//!
//! The score is what `--strategy priority` goes by and what `session score`
//! shows. It looks at words, not at meaning: it is cheap, and it can be asked why.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};

use super::cost::turn_tokens;
use super::transcript::{Content, Role, Transcript, Turn, one_based};
use crate::tokens::{Counter, Tokens};

/// Characters of a turn's text that are shown; what is kept is never cut to them.
const PREVIEW: usize = 500;

/// How turns are scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreTurnOptions {
    /// Whether words must stand alone, so that "address" is not "add".
    pub whole_words: bool,
    /// Turns at the end that score at least 85.
    pub keep_last: usize,
}

impl Default for ScoreTurnOptions {
    fn default() -> ScoreTurnOptions {
        ScoreTurnOptions { whole_words: true, keep_last: 5 }
    }
}

/// What a turn scored, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnScore {
    /// The number of the turn in the transcript, from 0.
    #[serde(serialize_with = "one_based")]
    pub turn: usize,
    /// Who speaks.
    pub role: Role,
    /// What the turn is.
    pub kind: TurnKind,
    /// What its content costs.
    pub tokens: Tokens,
    /// The sum of the signals, from 0 to 100.
    pub score: u32,
    /// What it is the sum of.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, i32>"))]
    pub signals: TurnSignals,
    /// The beginning of its text.
    pub preview: String,
}

/// What a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// The user speaks.
    Instruction,
    /// The model asks for tools, or tools answer.
    ToolUse,
    /// The model answers.
    Response,
}

impl TurnKind {
    /// Returns the name that results use.
    pub fn name(self) -> &'static str {
        match self {
            TurnKind::Instruction => "instruction",
            TurnKind::ToolUse => "tool-use",
            TurnKind::Response => "response",
        }
    }
}

/// The points of a turn by where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnSignals {
    /// What every turn begins with: 50.
    pub base: i32,
    /// The user speaks: 15.
    pub user: i32,
    /// It asks for something: 10.
    pub instruction: i32,
    /// It concludes something: 10.
    pub conclusion: i32,
    /// More than three tool blocks and no text: -20.
    pub tool_heavy: i32,
    /// How late it is: 0 to 29.
    pub recency: i32,
    /// What lifts the first turn to 90 and the last ones to 85.
    pub floor: i32,
}

impl Serialize for TurnSignals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.list())
    }
}

impl TurnSignals {
    /// Returns the signals by name, those that say nothing left out.
    pub fn list(&self) -> Vec<(&'static str, i32)> {
        let TurnSignals { base, user, instruction, conclusion, tool_heavy, recency, floor } = *self;
        let mut list = vec![
            ("base", base),
            ("user", user),
            ("instruction", instruction),
            ("conclusion", conclusion),
            ("tool_heavy", tool_heavy),
            ("recency", recency),
            ("floor", floor),
        ];
        list.retain(|(_, points)| *points != 0);
        list
    }

    fn sum(&self) -> i32 {
        self.list().iter().map(|(_, points)| points).sum()
    }

    fn score(&self) -> u32 {
        self.sum().clamp(0, 100).unsigned_abs()
    }
}

/// Scores the turns of a session; the instructions of the system are not among them.
///
/// A turn that only brings results stands where its call stands.
///
/// ```
/// use loadline::session::{ScoreTurnOptions, read_session, score_turns};
/// use loadline::tokens::Counter;
/// let counter: Counter = "o200k".parse()?;
/// let session = read_session(br#"[{"role":"user","content":"Please fix it"}]"#.to_vec(), None)?;
/// let scores = score_turns(&session, &counter, &ScoreTurnOptions::default());
/// assert_eq!(scores[0].score, 90);
/// assert_eq!(scores[0].signals.instruction, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_turns(
    transcript: &Transcript,
    counter: &Counter,
    options: &ScoreTurnOptions,
) -> Vec<TurnScore> {
    let score = |(number, signals, text): (usize, TurnSignals, String)| {
        let turn = &transcript.turns[number];
        TurnScore {
            turn: number,
            role: turn.role,
            kind: kind(turn),
            tokens: turn_tokens(counter, turn),
            score: signals.score(),
            signals,
            preview: text.chars().take(PREVIEW).collect(),
        }
    };
    let all = all_signals(transcript, options);
    all.into_iter().map(score).collect()
}

/// Scores the turns of a session without counting them: which turn, and its score.
pub(crate) fn scores_only(
    transcript: &Transcript,
    options: &ScoreTurnOptions,
) -> Vec<(usize, u32)> {
    let all = all_signals(transcript, options).into_iter();
    all.map(|(turn, signals, _)| (turn, signals.score())).collect()
}

/// The signals of every turn that is scored, with its number and its text.
fn all_signals(
    transcript: &Transcript,
    options: &ScoreTurnOptions,
) -> Vec<(usize, TurnSignals, String)> {
    let places = places(transcript);
    let total = places.last().map_or(0, |(_, place)| place + 1);
    let words = words(options.whole_words);
    let signals = |(number, place): (usize, usize)| {
        let turn = &transcript.turns[number];
        let position =
            Position { index: place, total, is_last: place + options.keep_last >= total };
        let text = text(turn);
        (number, signals(turn, &text, position, words), text)
    };
    places.into_iter().map(signals).collect()
}

/// Numbers the turns of a session that are scored: which turn, and how many came before it.
///
/// Results that stand alone share the place of the turn before them.
pub(crate) fn places(transcript: &Transcript) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(transcript.turns.len());
    for (number, turn) in transcript.turns.iter().enumerate() {
        if turn.role == Role::System {
            continue;
        }
        let place = match places.last() {
            Some((_, last)) if brings_only_results(turn) => *last,
            Some((_, last)) => last + 1,
            None => 0,
        };
        places.push((number, place));
    }
    places
}

/// Tells whether a turn brings results and says nothing itself.
pub(crate) fn brings_only_results(turn: &Turn) -> bool {
    let is_result = |content: &Content| matches!(content, Content::Result(_));
    !turn.blocks.is_empty() && turn.blocks.iter().all(|block| is_result(&block.content))
}

/// Where a turn stands in its session.
#[derive(Clone, Copy)]
struct Position {
    index: usize,
    total: usize,
    is_last: bool,
}

fn signals(turn: &Turn, text: &str, position: Position, words: &Words) -> TurnSignals {
    let points = |is_so: bool, points: i32| if is_so { points } else { 0 };
    let tools = turn.calls().count() + turn.results().count();
    let recency = position.index.saturating_mul(30) / position.total.max(1);
    let mut signals = TurnSignals {
        base: 50,
        user: points(kind(turn) == TurnKind::Instruction, 15),
        instruction: points(words.instruction.is_match(text), 10),
        conclusion: points(words.conclusion.is_match(text), 10),
        tool_heavy: points(tools > 3 && text.trim().is_empty(), -20),
        recency: i32::try_from(recency).unwrap_or(29),
        floor: 0,
    };
    let floor = match position {
        Position { index: 0, .. } => 90,
        Position { is_last: true, .. } => 85,
        _ => 0,
    };
    signals.floor = (floor - signals.sum()).max(0);
    signals
}

fn kind(turn: &Turn) -> TurnKind {
    match turn.role {
        Role::User if turn.is_users() => TurnKind::Instruction,
        _ if turn.calls().next().is_some() || turn.results().next().is_some() => TurnKind::ToolUse,
        Role::Tool => TurnKind::ToolUse,
        _ => TurnKind::Response,
    }
}

fn text(turn: &Turn) -> String {
    let texts: Vec<&str> = turn.texts().collect();
    texts.join("\n")
}

/// What requests and conclusions sound like.
struct Words {
    instruction: Regex,
    conclusion: Regex,
}

fn words(whole: bool) -> &'static Words {
    static WHOLE: LazyLock<Words> = LazyLock::new(|| compile(r"(?-u:\b)"));
    static PARTS: LazyLock<Words> = LazyLock::new(|| compile(""));
    if whole { &WHOLE } else { &PARTS }
}

fn compile(edge: &str) -> Words {
    let pattern = |words: &str| {
        RegexBuilder::new(&format!("{edge}(?:{words}){edge}"))
            .case_insensitive(true)
            .build()
            .expect("literal regex")
    };
    Words {
        instruction: pattern(
            "please|could you|I want|let's|we should|change|update|fix|add|remove|create|delete",
        ),
        conclusion: pattern("decided|conclusion|result|summary|answer|the .+ is"),
    }
}
