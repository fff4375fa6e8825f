//! Describes what a caller brings to be packed: a text, where it is from, what is known of it.

use serde::{Deserialize, Serialize};

use crate::settings::PrioritySettings;

/// What sort of thing a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// What a tool printed.
    ToolResult,
    /// A file that is open in an editor.
    OpenFile,
    /// What a search found.
    SearchResult,
    /// Lines that changed lately.
    Change,
    /// What other content refers to.
    Reference,
    /// Anything else.
    Other,
}

impl SourceKind {
    /// The share that pays for all kinds that have none of their own.
    pub const REST: &'static str = "rest";

    /// All kinds, the most important first.
    pub const ALL: [SourceKind; 6] = [
        SourceKind::ToolResult,
        SourceKind::OpenFile,
        SourceKind::SearchResult,
        SourceKind::Change,
        SourceKind::Reference,
        SourceKind::Other,
    ];

    /// Returns the name of one source of this kind: `tool_result`.
    pub const fn name(self) -> &'static str {
        match self {
            SourceKind::ToolResult => "tool_result",
            SourceKind::OpenFile => "open_file",
            SourceKind::SearchResult => "search_result",
            SourceKind::Change => "change",
            SourceKind::Reference => "reference",
            SourceKind::Other => "other",
        }
    }

    /// Returns the name of the share that pays for this kind: `tool_results`.
    pub const fn share(self) -> &'static str {
        match self {
            SourceKind::ToolResult => "tool_results",
            SourceKind::OpenFile => "open_files",
            SourceKind::SearchResult => "search_results",
            SourceKind::Change => "changes",
            SourceKind::Reference => "references",
            SourceKind::Other => "other",
        }
    }

    /// Returns the word that marks a chunk of this kind in a list: `tool`.
    pub const fn mark(self) -> &'static str {
        match self {
            SourceKind::ToolResult => "tool",
            SourceKind::OpenFile => "open",
            SourceKind::SearchResult => "search",
            SourceKind::Change => "change",
            SourceKind::Reference => "reference",
            SourceKind::Other => "other",
        }
    }

    /// Returns the kind of either name, such as `open_file` or `open_files`.
    pub fn named(name: &str) -> Option<SourceKind> {
        let is_it = |kind: &SourceKind| kind.name() == name || kind.share() == name;
        SourceKind::ALL.into_iter().find(is_it)
    }

    /// Whether a source of this kind is lines of a file below the root.
    pub const fn is_file(self) -> bool {
        !matches!(self, SourceKind::ToolResult | SourceKind::Other)
    }

    /// Returns how much this kind counts, from 0 to 100; 50 for other ones.
    pub const fn priority(self, settings: &PrioritySettings) -> u32 {
        match self {
            SourceKind::ToolResult => settings.tool_results,
            SourceKind::OpenFile => settings.open_files,
            SourceKind::SearchResult => settings.search_results,
            SourceKind::Change => settings.changes,
            SourceKind::Reference => settings.references,
            SourceKind::Other => UNKNOWN_PRIORITY,
        }
    }
}

/// The priority of a kind that is not known.
const UNKNOWN_PRIORITY: u32 = 50;

/// Something to pack.
///
/// ```
/// use loadline::pack::{PackSource, SourceKind};
/// let source = PackSource::new(SourceKind::SearchResult, "src/a.rs")
///     .content("fn a() {}\n")
///     .lines(3, 3);
/// assert_eq!(source.lines, Some((3, 3)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackSource {
    /// What sort of thing it is.
    pub kind: SourceKind,
    /// The path from the root, or what else names it.
    pub path: String,
    /// The text; a file without one is read.
    pub content: Option<Vec<u8>>,
    /// First and last line of the content in its file, 1-based and inclusive.
    pub lines: Option<(u32, u32)>,
    /// What a search said of it, from 0 to 1.
    pub relevance: Option<f64>,
    /// When it last changed, in nanoseconds since 1970.
    pub changed_ns: Option<i64>,
    /// Whether it is wanted before all others.
    pub is_pinned: bool,
}

impl PackSource {
    /// Makes a source of which no more than its path is known.
    pub fn new(kind: SourceKind, path: impl Into<String>) -> PackSource {
        PackSource {
            kind,
            path: path.into(),
            content: None,
            lines: None,
            relevance: None,
            changed_ns: None,
            is_pinned: false,
        }
    }

    /// Gives the text.
    #[must_use]
    pub fn content(mut self, content: impl Into<Vec<u8>>) -> PackSource {
        self.content = Some(content.into());
        self
    }

    /// Says which lines of its file the text is, or which of them to read.
    #[must_use]
    pub fn lines(mut self, first: u32, last: u32) -> PackSource {
        self.lines = Some((first, last));
        self
    }

    /// Says that it is wanted before all others.
    #[must_use]
    pub fn pinned(mut self) -> PackSource {
        self.is_pinned = true;
        self
    }

    /// Says how well it answers the query, from 0 to 1.
    #[must_use]
    pub fn relevance(mut self, relevance: f64) -> PackSource {
        self.relevance = Some(relevance);
        self
    }

    /// Says when it last changed, in nanoseconds since 1970.
    #[must_use]
    pub fn changed_ns(mut self, changed_ns: i64) -> PackSource {
        self.changed_ns = Some(changed_ns);
        self
    }
}
