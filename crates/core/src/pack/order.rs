//! Names the strategies by which files are chosen, and the orders in which they are written.

/// In which order files are written; the lines of one file always ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackOrder {
    /// By path.
    #[default]
    Path,
    /// The best file first.
    Rank,
}

impl PackOrder {
    /// Returns the order of that name: `file` or `rank`.
    pub fn named(name: &str) -> Option<PackOrder> {
        match name {
            "file" => Some(PackOrder::Path),
            "rank" => Some(PackOrder::Rank),
            _ => None,
        }
    }
}

/// How files are chosen when there is no task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// README and manifests, then signatures and whole definitions by worth per token.
    #[default]
    Overview,
    /// One file after the other by score: in full, else as signatures, else not.
    Greedy,
}

impl Strategy {
    /// Returns the strategy of that name: `overview` or `greedy`.
    pub fn named(name: &str) -> Option<Strategy> {
        match name {
            "overview" => Some(Strategy::Overview),
            "greedy" => Some(Strategy::Greedy),
            _ => None,
        }
    }
}

/// What ranks the passages of a repository for a task or a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBy {
    /// Trees that were fitted to real changes, with the formula among what they see.
    #[default]
    Learned,
    /// The formula alone.
    Formula,
}

impl RankBy {
    /// Returns the way of that name: `learned` or `formula`.
    pub fn named(name: &str) -> Option<RankBy> {
        match name {
            "learned" => Some(RankBy::Learned),
            "formula" => Some(RankBy::Formula),
            _ => None,
        }
    }
}
