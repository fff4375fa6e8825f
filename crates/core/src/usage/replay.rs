//! Works out what a conversation would have cost, had it been handled otherwise.
//!
//! Sizes and times are as recorded. What was read and written follows from the rules of
//! the cache, from changes that the record shows (another model, a compaction, an edited
//! prefix) and from what a policy cuts.

use super::caching::{CacheRules, Cached, Cause};
use crate::agents::{Request, Spending};

/// What a policy decides upon: a request, before it is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayMoment {
    /// Whether the cache no longer holds the conversation.
    pub is_cold: bool,
    /// Seconds since the request before.
    pub gap: f64,
    /// Tokens that would be sent.
    pub sent: u64,
    /// How many of them are new since the request before.
    pub grown: u64,
    /// How many of them, at the beginning, are tools and system prompt.
    pub base: u64,
}

/// What a policy takes out of a request and all that follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Of what was sent before: what comes behind tools and system prompt is no longer cached.
    pub old: u64,
    /// Of what is new.
    pub new: u64,
}

/// Replays the requests of one conversation, in their order.
///
/// `reread` is the part of what was cut that the model has to read again.
pub fn replay(
    thread: &[Request],
    rules: CacheRules,
    reread: f64,
    mut policy: impl FnMut(ReplayMoment) -> Cut,
) -> Vec<Spending> {
    let mut cached = Cached::new(rules);
    let (mut cut, mut held, mut sent_before) = (0, 0, 0);
    let mut spent = Vec::with_capacity(thread.len());
    for request in thread {
        let moment = cached.follow(request);
        let recorded = &request.spending;
        if moment.is_compacted {
            cut = 0;
        }
        let sent = recorded.sent().saturating_sub(cut);
        let base = cached.base;
        let mut read = match moment.again {
            _ if moment.is_first => recorded.cache_read,
            // What other conversations kept warm is in no record but this.
            _ if moment.is_cold => base.min(recorded.cache_read).min(held),
            Some((cause, _)) if cause != Cause::Pause => {
                let kept = recorded.cache_read;
                held.min(kept.saturating_sub(cut).max(base.min(kept)))
            }
            _ => held,
        };
        let grown = recorded.sent().saturating_sub(sent_before).min(sent);
        sent_before = recorded.sent();
        let taken =
            policy(ReplayMoment { is_cold: moment.is_cold, gap: moment.gap, sent, grown, base });
        if taken.old > 0 {
            read = read.min(base);
        }
        let back = (taken.old as f64 * reread) as u64;
        cut = (cut + taken.old + taken.new).saturating_sub(back);
        let prefix = rules.held_after(request).saturating_sub(cut);
        let read = read.min(prefix);
        spent.push(spending(recorded, rules, read, prefix - read));
        held = prefix;
    }
    spent
}

/// What a request costs that reads and writes this much, in the way it was recorded.
fn spending(recorded: &Spending, rules: CacheRules, read: u64, written: u64) -> Spending {
    let mut spending =
        Spending { output: recorded.output, cache_read: read, ..Spending::default() };
    if rules.is_implicit {
        spending.input = written;
        return spending;
    }
    spending.input = recorded.input;
    match recorded.cache_write_long {
        0 => spending.cache_write = written,
        _ => spending.cache_write_long = written,
    }
    spending
}

/// Cuts a conversation to `target` tokens behind tools and system prompt when its cache is
/// cold and it is longer than `least` tokens.
pub fn trim_when_cold(least: u64, target: u64) -> impl Fn(ReplayMoment) -> Cut {
    move |moment| {
        let kept = moment.base.saturating_add(target).saturating_add(moment.grown);
        if !moment.is_cold || moment.sent <= least {
            return Cut::default();
        }
        Cut { old: moment.sent.saturating_sub(kept), new: 0 }
    }
}
