//! Names the orders in which files are written.

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
