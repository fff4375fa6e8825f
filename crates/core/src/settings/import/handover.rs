//! `.handover.yml`: pins, boosts and a token limit for packing a repository.
//!
//! The limit moved from `context` to `contextWindow` in later versions of that
//! tool, which then read neither; both are honoured here. A `context` that is
//! plain text, as later versions have it, is advice to a writer.

use super::Row;
use super::Target::{Key, Nothing};
use super::convert::{list, same};

const WRITING: &str = "it is about writing documents, which is not done here";
const SERVICE: &str = "no model is called";

#[rustfmt::skip] // A table reads better with one row per line.
pub(super) const ROWS: &[Row] = &[
    ("context.maxTokens", Key("budget.window", same)),
    ("context.pin", Key("pack.pin", list)),
    ("context.boost", Key("pack.boost", list)),
    ("contextWindow.maxTokens", Key("budget.window", same)),
    ("contextWindow.pin", Key("pack.pin", list)),
    ("contextWindow.boost", Key("pack.boost", list)),
    ("compress", Key("pack.compress", same)),
    ("include", Key("pack.include", list)),
    ("exclude", Key("pack.exclude", list)),
    ("model", Key("model", same)),
    ("costWarningThreshold", Nothing("costs are shown, not limited; `loadline check --max-percent` limits tokens")),
    ("provider", Nothing("the model says who provides it")),
    ("authMethod", Nothing(SERVICE)),
    ("apiKeyEnv", Nothing(SERVICE)),
    ("baseUrl", Nothing(SERVICE)),
    ("timeout", Nothing(SERVICE)),
    ("output", Nothing(WRITING)),
    ("audience", Nothing(WRITING)),
    ("context", Nothing(WRITING)),
    ("project.*", Nothing(WRITING)),
    ("analysis.*", Nothing("analysis is always static and uses all cores")),
    ("embedding.*", Nothing("ranking needs no embeddings")),
    ("serve.*", Nothing("servers are configured by flags of `loadline mcp` and `loadline serve`")),
];
