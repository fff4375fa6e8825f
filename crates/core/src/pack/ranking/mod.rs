//! Ranks what a pack may show.
//!
//! `task` finds the lines that a task needs, by an index of words that is kept
//! in the store. `weighted` ranks chunks of any origin by four plain factors.
//! Scores of both come apart into the parts of `contribution`.

pub(crate) mod contribution;
pub(crate) mod task;
pub(crate) mod weighted;

pub use contribution::Contribution;
pub use task::{
    Alike, Candidate as TaskCandidate, Content as TaskContent, FileIndex, FileSignals, Gathered,
    Judged, Lift, Message, PassageSignals, Past, Pick, Query as TaskQuery, RankedFile,
    RankedPassage, TaskKind, TaskSource, TaskWeights, Trees, alike, choose as choose_lines,
    describe, gather as look_up, rank as rank_for_task,
};
pub use weighted::{
    Boost, MOST_CHUNKS, Part, RankError, RankWeights, WeightedChunk, WeightedOptions,
    WeightedRanking, WeightedScore, rank_weighted,
};
