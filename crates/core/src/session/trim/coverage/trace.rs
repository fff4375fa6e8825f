//! Estimates how likely a mention is to be referred to, by where it occurs.

use super::facts::{Facts, When};
use super::lines::{BlockInfo, Kind, SessionLines};
use super::model::{Model, NONE};
use crate::session::mentions::MentionKind;
use crate::session::tool::ToolKind;

/// How many features the model of mentions has.
pub(super) const FEATURES: usize = 20;
/// Lines at the beginning and the end of a block that are its edge.
const EDGE: usize = 4;

/// What is known of a mention. There are millions of them in a large session.
#[derive(Clone, Default)]
struct Trace {
    /// Blocks, and blocks of the agent, that have it.
    blocks: u32,
    agent_blocks: u32,
    last_block: When,
    /// The smallest of these blocks, by size.
    smallest: Option<u8>,
    from_end: f32,
    capped_from_end: f32,
    overlap: f32,
    overlap_around: f32,
    at_edge: bool,
    first: When,
    last: When,
    by_user: When,
    by_agent: When,
    in_change: When,
    in_search: When,
    /// When a file that has it was last edited.
    edited: When,
}

/// Returns what `value` makes of every mention: how likely it is to be referred to, and how
/// many blocks have it.
pub(super) fn traces(
    session: &SessionLines<'_>,
    facts: &Facts,
    value: impl Fn(f64, u32) -> f64,
) -> Vec<f64> {
    let mut traces = vec![Trace::default(); session.mentions.len()];
    for (number, block) in session.blocks.iter().enumerate() {
        follow(session, facts, number, block, &mut traces);
    }
    let model = Model::mentions();
    let likelihood = |(mention, trace): (usize, &Trace)| {
        let features = trace.features(session, facts, mention);
        value(model.likelihood(&features), trace.blocks)
    };
    traces.iter().enumerate().map(likelihood).collect()
}

/// Adds what a block says to the traces of its mentions.
fn follow(
    session: &SessionLines<'_>,
    facts: &Facts,
    number: usize,
    block: &BlockInfo<'_>,
    traces: &mut [Trace],
) {
    let is_agent = matches!(block.kind, Kind::Assistant | Kind::Call(_));
    let size = block.lines.len();
    let size_bin = [5, 20, 80, 300].iter().filter(|&&most| size > most).count() as u8;
    let (unit, here) = (When::at(block.unit), When::at(number));
    let mut from_end = facts.from_end[number];
    for (place, line) in block.lines.clone().enumerate() {
        from_end -= u64::from(session.lines[line].tokens);
        for &mention in session.mentions_of(line) {
            let trace = &mut traces[mention as usize];
            if std::mem::replace(&mut trace.last_block, here) != here {
                trace.blocks += 1;
                trace.agent_blocks += u32::from(is_agent);
            }
            trace.smallest = Some(trace.smallest.map_or(size_bin, |it| it.min(size_bin)));
            trace.from_end = from_end as f32;
            trace.capped_from_end = facts.capped_from_end[number] as f32;
            trace.overlap = trace.overlap.max(facts.relevance.own[line]);
            trace.overlap_around = trace.overlap_around.max(facts.relevance.around[line]);
            trace.at_edge |= place < EDGE || place + EDGE >= size;
            trace.first = trace.first.or(unit);
            trace.last = unit;
            if is_agent {
                trace.by_agent = unit;
            }
            match block.kind {
                Kind::User => trace.by_user = unit,
                Kind::Call(ToolKind::Edit | ToolKind::Write) => trace.in_change = unit,
                Kind::Result(ToolKind::Search) => trace.in_search = unit,
                Kind::Result(ToolKind::Read) => {
                    let edited = facts.file(block).map(|file| file.edited);
                    trace.edited = trace.edited.max(edited.unwrap_or_default());
                }
                _ => {}
            }
        }
    }
}

impl Trace {
    /// The features, in the order of the table.
    fn features(
        &self,
        session: &SessionLines<'_>,
        facts: &Facts,
        mention: usize,
    ) -> [f32; FEATURES] {
        let (kind, length) = session.mentions[mention];
        let by_agent = facts.age(self.by_agent);
        let only = |wanted: MentionKind| if kind == wanted { by_agent } else { -1.0 };
        let file = session.file_of_mention.get(&(mention as u32)).copied();
        [
            self.agent_blocks as f32,
            f32::from(self.smallest.unwrap_or_default()),
            self.from_end,
            self.capped_from_end,
            self.overlap,
            self.overlap_around,
            facts.age(self.by_user),
            facts.age(self.last),
            f32::from(u8::from(self.at_edge)),
            facts.age(self.first),
            kind_number(kind),
            facts.age(self.edited),
            by_agent,
            only(MentionKind::Number),
            only(MentionKind::Name),
            facts.age(self.in_search),
            f32::from(u8::from(self.first == When::at(0))),
            file.map_or(NONE, |file| facts.file_age(Some(file), |it| it.read)),
            length as f32,
            facts.age(self.in_change),
        ]
    }
}

fn kind_number(kind: MentionKind) -> f32 {
    match kind {
        MentionKind::Path => 0.0,
        MentionKind::Url => 1.0,
        MentionKind::Name => 2.0,
        MentionKind::Number => 3.0,
        MentionKind::Code => 4.0,
        MentionKind::Quote => 5.0,
    }
}
