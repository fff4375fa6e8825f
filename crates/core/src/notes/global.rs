//! One budget over all features: which of them to compact first?

use super::{CompactionPlan, Features, Level, NotesError, NotesOptions, plan_compaction};
use crate::tokens::Tokens;

/// Plans compactions until all features together fit a budget.
///
/// The one that saves most comes first; level by level, so that nothing is
/// summarised while compacting is enough. A feature has one plan at most. What
/// is returned may not be enough where nothing more can be saved. A feature
/// that cannot be read is passed over.
pub fn plan_features(
    features: &Features,
    budget: Tokens,
    options: &NotesOptions,
) -> Result<Vec<CompactionPlan>, NotesError> {
    let names = features.list()?;
    let mut plans: Vec<Option<CompactionPlan>> = vec![None; names.len()];
    let mut total = Tokens::ZERO;
    for name in &names {
        if let Ok(plan) = plan_one(features, name, Level::Raw, options) {
            total = total.saturating_add(plan.tokens_before);
        }
    }
    for level in [Level::Compact, Level::Summarize, Level::Handoff] {
        if total <= budget {
            break;
        }
        let mut offers: Vec<(usize, CompactionPlan, Tokens)> = names
            .iter()
            .enumerate()
            .filter_map(|(index, name)| {
                let plan = plan_one(features, name, level, options).ok()?;
                let known = plans[index]
                    .as_ref()
                    .map_or(plan.tokens_before, |it| it.tokens_after);
                let gain = known.checked_sub(plan.tokens_after)?;
                (!gain.is_zero()).then_some((index, plan, gain))
            })
            .collect();
        offers.sort_by(|left, right| (right.2, left.0).cmp(&(left.2, right.0)));
        for (index, plan, gain) in offers {
            if total <= budget {
                break;
            }
            total = total.saturating_sub(gain);
            plans[index] = Some(plan);
        }
    }
    let mut plans: Vec<CompactionPlan> = plans.into_iter().flatten().collect();
    plans.sort_by(|left, right| {
        right
            .saved()
            .cmp(&left.saved())
            .then(left.feature.cmp(&right.feature))
    });
    Ok(plans)
}

fn plan_one(
    features: &Features,
    name: &str,
    level: Level,
    options: &NotesOptions,
) -> Result<CompactionPlan, NotesError> {
    plan_compaction(&features.feature(name)?, Some(level), options)
}
