//! Configurations of older tools, rewritten as `loadline.toml`.
//!
//! One file per format, and each is a table: which key of theirs is which key
//! of ours, and how its value is converted. Nothing is dropped silently: what
//! has no row, or a value that cannot be carried over, becomes a note.

mod agent;
mod compaction;
mod context;
mod convert;
mod document;
mod draft;
mod handover;

#[cfg(test)]
mod tests;

use crate::Remark;
use crate::settings::{Config, ConfigError, Layer};
use convert::Convert;
use document::{Leaf, leaves};
use draft::Draft;

/// The formats that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// `.handover.yml`: file scoring and tiers.
    Handover,
    /// `context.json`: session allocations.
    ContextJson,
    /// `.agent/config.yml`: the chunk packer.
    AgentConfig,
    /// The compaction configuration as JSON: thresholds and patterns.
    Compaction,
}

/// An older configuration in our terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// A valid `loadline.toml`, with comments that name the origin of each value.
    pub toml: String,
    /// What the file turned out to be.
    pub format: ImportFormat,
    /// What has no equivalent, one note per key.
    pub notes: Vec<Remark>,
}

/// What becomes of one key of an older format.
enum Target {
    /// It is this key of ours, after conversion.
    Key(&'static str, Convert),
    /// It has no equivalent, for this reason.
    Nothing(&'static str),
}

/// A row of a format's table; a last segment `*` on both sides carries a name over.
type Row = (&'static str, Target);

/// Rewrites an older configuration file.
///
/// `name` is the file's name or path; it helps to tell the formats apart and
/// appears in notes and errors. The result always loads.
///
/// ```
/// let old = "context:\n  maxTokens: 100000\n";
/// let imported = loadline::settings::import_config(".handover.yml", old)?;
/// assert!(imported.toml.contains("window = 100000"));
/// # Ok::<(), loadline::settings::ConfigError>(())
/// ```
pub fn import_config(name: &str, text: &str) -> Result<Imported, ConfigError> {
    let leaves = leaves(&document::parse(name, text)?);
    let format = detect(name, &leaves)?;
    let mut draft = Draft::new(name);
    for leaf in &leaves {
        match format.find(leaf) {
            Some((Target::Key(key, convert), rest)) => draft.set(leaf, key, rest, *convert),
            Some((Target::Nothing(why), _)) => draft.no_equivalent(leaf, why),
            None => draft.no_equivalent(leaf, "the key is not known"),
        }
    }
    draft.complete("session.allocations.");
    // Values were checked one by one; loading finds those that contradict each
    // other, and puts weights right that do not add up.
    let config = load(name, &draft.toml(format))?;
    if !config.notes().is_empty() {
        draft.settle_weights(&config);
    }
    let toml = draft.toml(format);
    let notes = draft.into_notes();
    Ok(Imported { toml, format, notes })
}

fn load(name: &str, toml: &str) -> Result<Config, ConfigError> {
    Config::load([Layer::project(name, toml)])
}

/// Picks the format that knows most of the keys; the name decides between equals.
fn detect(name: &str, leaves: &[Leaf]) -> Result<ImportFormat, ConfigError> {
    let known = |format: &ImportFormat| {
        let keys = leaves.iter().filter(|leaf| format.find(leaf).is_some());
        (keys.count(), format.is_named(name))
    };
    // Of equals, `max_by_key` takes the last; the first format is the likelier one.
    ImportFormat::ALL
        .into_iter()
        .rev()
        .max_by_key(known)
        .filter(|format| known(format) != (0, false))
        .ok_or_else(|| ConfigError::UnknownFormat {
            name: name.to_owned(),
            first: leaves
                .first()
                .map_or_else(|| "none".to_owned(), |leaf| format!("`{}`", leaf.path)),
        })
}

impl ImportFormat {
    const ALL: [ImportFormat; 4] = [
        ImportFormat::Handover,
        ImportFormat::ContextJson,
        ImportFormat::AgentConfig,
        ImportFormat::Compaction,
    ];

    /// Returns the name used in output: that of the file the format is known by.
    pub const fn name(self) -> &'static str {
        match self {
            ImportFormat::Handover => ".handover.yml",
            ImportFormat::ContextJson => "context.json",
            ImportFormat::AgentConfig => ".agent/config.yml",
            ImportFormat::Compaction => "compaction config",
        }
    }

    fn is_named(self, name: &str) -> bool {
        let name = name.replace('\\', "/").to_lowercase();
        let stem = name.strip_suffix(".yaml").or(name.strip_suffix(".yml"));
        match self {
            ImportFormat::Handover => stem.is_some_and(|stem| stem.ends_with(".handover")),
            ImportFormat::ContextJson => name.ends_with("context.json"),
            ImportFormat::AgentConfig => stem.is_some_and(|stem| stem.ends_with(".agent/config")),
            ImportFormat::Compaction => name.ends_with(".json") && name.contains("compact"),
        }
    }

    fn rows(self) -> &'static [Row] {
        match self {
            ImportFormat::Handover => handover::ROWS,
            ImportFormat::ContextJson => context::ROWS,
            ImportFormat::AgentConfig => agent::ROWS,
            ImportFormat::Compaction => compaction::ROWS,
        }
    }

    /// Returns what becomes of a leaf, and the name that `*` stood for.
    fn find(self, leaf: &Leaf) -> Option<(&'static Target, &str)> {
        self.rows().iter().find_map(|(pattern, target)| {
            let rest = match pattern.strip_suffix('*') {
                Some(table) => leaf.path.strip_prefix(table)?,
                // The compaction settings come flat or in groups, under any name.
                None if self == ImportFormat::Compaction => {
                    let end = leaf.path.strip_suffix(pattern)?;
                    (end.is_empty() || end.ends_with('.')).then_some("")?
                }
                None => (leaf.path == *pattern).then_some("")?,
            };
            Some((target, rest))
        })
    }
}
