//! Plans compactions so that all features together fit one budget.

use std::cmp::Reverse;

use super::{CompactionPlan, Features, Level, NotesError, NotesOptions, plan_compaction};
use crate::budget::Allocation;
use crate::fit::{Item, Policy, select};
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
    let mut plans: Vec<CompactionPlan> = Vec::new();
    for name in features.list()? {
        let feature = features.feature(&name);
        let plan = feature.and_then(|it| plan_compaction(&it, Some(Level::Raw), options));
        plans.extend(plan.ok());
    }
    for level in [Level::Compact, Level::Summarize, Level::Handoff] {
        let total = Tokens::saturating_sum(plans.iter().map(|plan| plan.tokens_after));
        if total <= budget {
            break;
        }
        let offers: Vec<Option<CompactionPlan>> = plans
            .iter()
            .map(|plan| {
                let feature = features.feature(&plan.feature).ok()?;
                let offer = plan_compaction(&feature, Some(level), options).ok()?;
                (offer.tokens_after < plan.tokens_after).then_some(offer)
            })
            .collect();
        let reduced = reduced(&plans, &offers, budget);
        for ((plan, offer), reduced) in plans.iter_mut().zip(offers).zip(reduced) {
            if let Some(offer) = offer.filter(|_| reduced) {
                *plan = offer;
            }
        }
    }
    plans.retain(|plan| plan.level != Level::Raw);
    plans.sort_by_key(|plan| (Reverse(plan.saved()), plan.feature.clone()));
    Ok(plans)
}

/// Chooses which features take what is offered: those that save least keep what they
/// have while that fits. Where nothing fits, all of them take it.
fn reduced(
    plans: &[CompactionPlan],
    offers: &[Option<CompactionPlan>],
    budget: Tokens,
) -> Vec<bool> {
    // A rendition without tokens would count as one that shows nothing.
    let cost = |plan: &CompactionPlan| plan.tokens_after.max(Tokens::new(1));
    let items = plans.iter().zip(offers).enumerate();
    let items = items.map(|(number, (plan, offer))| {
        let saved = offer
            .as_ref()
            .map_or(Tokens::ZERO, |offer| plan.tokens_after.saturating_sub(offer.tokens_after));
        let item = Item::new(Reverse(number), -(saved.get() as f64)).required();
        let item = item.rendition("as it is", cost(plan));
        match offer {
            Some(offer) => item.rendition("reduced", cost(offer)),
            None => item,
        }
    });
    match select(items.collect(), &Allocation::of(budget), &Policy::default()) {
        Ok(selection) => {
            let fates = selection.fates().iter();
            fates.map(|fate| fate.rendition() == Some(1)).collect()
        }
        Err(_) => vec![true; plans.len()],
    }
}
