//! Rules that span several keys.
//!
//! Each value was checked alone when its layer was read. What is left are
//! thresholds that have to ascend, parts that have to fit into their whole,
//! and weights, which are put right rather than refused.

use crate::Remark;
use crate::budget::Amount;
use crate::settings::ConfigError;
use crate::settings::key::KeyPath;
use crate::settings::keys::{
    AllocationSettings, BudgetSettings, ChunkSettings, MemorySettings, RankSettings, Settings,
};
use crate::settings::source::Source;
use crate::settings::values::{Entry, Values};
use crate::tokens::Tokens;

/// How far from its mark a sum of weights or percentages may be.
const SLACK: f64 = 0.01;

/// Refuses settings that contradict one another.
pub(super) fn check(settings: &Settings, values: &Values) -> Result<(), ConfigError> {
    budget(&settings.budget, values)?;
    chunk(&settings.chunk, values)?;
    rank(&settings.rank, values)?;
    allocations(&settings.session.allocations, values)?;
    memory(&settings.memory, values)
}

/// Makes the weights of the ranking add up to 1, with a note if that changed them.
pub(super) fn normalise(settings: &mut Settings) -> Option<Remark> {
    let sum = weight_sum(&settings.rank);
    if (sum - 1.0).abs() <= SLACK {
        return None;
    }
    let rank = &mut settings.rank;
    rank.relevance /= sum;
    rank.recency /= sum;
    rank.source /= sum;
    rank.position /= sum;
    let message = format!("the weights add up to {sum:.3}, not 1; each was divided by that");
    Some(Remark::new("rank", message))
}

fn budget(budget: &BudgetSettings, values: &Values) -> Result<(), ConfigError> {
    // A preset brings reserves of its own, and those by default follow the window;
    // applying them checks those.
    let keys = ["budget.window", "budget.response_reserve", "budget.system_reserve"];
    let is_set = |key: &str| values.get(key).is_some_and(|it| it.source != Source::Default);
    let set = [(keys[1], budget.response_reserve), (keys[2], budget.system_reserve)];
    let set = set.into_iter().filter(|(key, _)| is_set(key)).map(|(_, tokens)| tokens);
    let reserves = Tokens::saturating_sum(set);
    if budget.preset == "none" && budget.window.is_some_and(|window| window <= reserves) {
        let rule = "the window has to be larger than both reserves together";
        return Err(conflict(at(values, &keys), rule));
    }
    let shares = values.within("budget.shares").collect();
    let percents = budget.shares.iter().filter_map(|(_, share)| match share {
        Amount::PercentOfAvailable(percent) => Some(*percent),
        _ => None,
    });
    let sum: f64 = percents.clone().sum();
    if sum > 100.0 + SLACK {
        return Err(conflict(shares, "shares must not exceed 100% together"));
    }
    let only_percents = percents.count() == budget.shares.len() && !budget.shares.is_empty();
    if only_percents && sum < 100.0 - SLACK {
        return Err(conflict(shares, "percentages alone have to add up to 100%"));
    }
    Ok(())
}

fn chunk(chunk: &ChunkSettings, values: &Values) -> Result<(), ConfigError> {
    if chunk.max_tokens < chunk.min_tokens {
        let keys = ["chunk.max_tokens", "chunk.min_tokens"];
        let rule = "max_tokens must not be below min_tokens";
        return Err(conflict(at(values, &keys), rule));
    }
    if chunk.overlap >= chunk.lines {
        let keys = ["chunk.overlap", "chunk.lines"];
        let rule = "overlap has to be below lines";
        return Err(conflict(at(values, &keys), rule));
    }
    Ok(())
}

fn rank(rank: &RankSettings, values: &Values) -> Result<(), ConfigError> {
    let sum = weight_sum(rank);
    if sum > 0.0 && sum.is_finite() {
        return Ok(());
    }
    let keys = ["rank.relevance", "rank.recency", "rank.source", "rank.position"];
    let rule = "the weights have to add up to a number above 0";
    Err(conflict(at(values, &keys), rule))
}

fn allocations(allocations: &AllocationSettings, values: &Values) -> Result<(), ConfigError> {
    // Taken apart in full, so that a new allocation cannot be left out of the sum.
    let AllocationSettings {
        system_prompt,
        skills,
        knowledge_base,
        cross_issue,
        session_summary,
        session_recent,
        current_prompt,
        reserved_for_response,
    } = allocations;
    let given = system_prompt + skills + knowledge_base + cross_issue;
    let sum = given + session_summary + session_recent + current_prompt + reserved_for_response;
    if sum > 100.0 + SLACK {
        let all = values.within("session.allocations").collect();
        return Err(conflict(all, "allocations must not exceed 100 together"));
    }
    Ok(())
}

fn memory(memory: &MemorySettings, values: &Values) -> Result<(), ConfigError> {
    if memory.compact < memory.summarize && memory.summarize < memory.handoff {
        return Ok(());
    }
    let keys = ["memory.compact", "memory.summarize", "memory.handoff"];
    let rule = "compact, summarize and handoff have to ascend";
    Err(conflict(at(values, &keys), rule))
}

fn weight_sum(rank: &RankSettings) -> f64 {
    rank.relevance + rank.recency + rank.source + rank.position
}

/// Returns the entries of keys that are set.
fn at<'a>(values: &'a Values, keys: &[&str]) -> Vec<(KeyPath, &'a Entry)> {
    keys.iter().filter_map(|key| Some((KeyPath::dotted(key), values.get(key)?))).collect()
}

/// Makes the error about several values; the one from the strongest layer is to blame.
fn conflict<P: ToString>(mut entries: Vec<(P, &Entry)>, rule: &'static str) -> ConfigError {
    entries.sort_by(|(_, a), (_, b)| b.source.cmp(&a.source));
    let show = |(path, entry): &(P, &Entry)| {
        let (path, value) = (path.to_string(), &entry.value);
        format!("`{path}` is {value} ({})", entry.source)
    };
    let others: Vec<String> = entries.iter().skip(1).map(show).collect();
    let blamed = entries.first();
    ConfigError::Conflict {
        place: blamed.map_or(Source::Default, |(_, entry)| entry.source.clone()),
        key: blamed.map_or_else(String::new, |(path, _)| path.to_string()),
        value: blamed.map_or_else(String::new, |(_, entry)| entry.value.to_string()),
        rule,
        other: others.join(", "),
    }
}
