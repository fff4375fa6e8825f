//! Follows what a provider's cache holds from request to request of a conversation.
//!
//! A provider keeps the beginning of what was sent for some minutes. A request that
//! begins the same reads it at a fraction of the price and writes the rest. Whatever was
//! held and is not read is paid for again; why, is told by what else changed.

use serde::Serialize;

use crate::agents::Request;
use crate::budget::Models;

/// Fewer tokens than this that are written again are an effect of where a cache ends.
const LEAST_AGAIN: u64 = 200;
/// The same as a part of what was held.
const LEAST_PART: f64 = 0.02;
/// A request that sends less than this part of the one before follows a compaction.
const COMPACTED: f64 = 0.7;

/// How the cache of a provider works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheRules {
    /// Seconds for which an entry lasts after it was last used.
    pub life: f64,
    /// The same for an entry that was written for long.
    pub long_life: f64,
    /// Seconds by which an entry may seem to outlive that: logs have the time of an
    /// answer, and the request was made before it.
    pub slack: f64,
    /// Whether everything that is sent is cached, and writing costs what input costs.
    pub is_implicit: bool,
}

impl CacheRules {
    /// Anthropic's: five minutes or an hour, written where the request says so.
    pub const ANTHROPIC: CacheRules =
        CacheRules { life: 300.0, long_life: 3_600.0, slack: 60.0, is_implicit: false };

    /// Returns the rules for a model. OpenAI drops entries after five to ten minutes;
    /// Google promises nothing.
    pub fn of(model: Option<&str>, models: &Models) -> CacheRules {
        let found = model.and_then(|name| models.find(name));
        let implicit = |life| CacheRules { life, is_implicit: true, ..CacheRules::ANTHROPIC };
        match found.map(|it| it.provider.as_str()) {
            Some("openai") => implicit(600.0),
            Some("google") => implicit(300.0),
            _ => CacheRules::ANTHROPIC,
        }
    }

    /// Returns for how many seconds what a request left in the cache lasts.
    pub fn life_after(&self, request: &Request) -> f64 {
        match request.spending.cache_write_long {
            0 => self.life,
            _ => self.long_life,
        }
    }

    /// Returns how much of a request is in the cache after it.
    pub fn held_after(&self, request: &Request) -> u64 {
        let spending = &request.spending;
        let uncached = if self.is_implicit { 0 } else { spending.input };
        spending.sent().saturating_sub(uncached)
    }
}

/// Why tokens were written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Cause {
    /// More time passed than the cache lives.
    Pause,
    /// Another model was asked.
    Model,
    /// Tools or the system prompt, which come first, are others.
    Instructions,
    /// Something behind the system prompt was changed or taken out.
    Edit,
    /// The agent compacted the session.
    Compaction,
    /// Nothing in the log tells why.
    Unknown,
}

impl Cause {
    /// Returns what it is in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Cause::Pause => "pause longer than the cache lives",
            Cause::Model => "change of model",
            Cause::Instructions => "change of tools or system prompt",
            Cause::Edit => "edited prefix",
            Cause::Compaction => "compaction",
            Cause::Unknown => "unknown",
        }
    }
}

/// What a cache did for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moment {
    /// Whether there is no request before it.
    pub(super) is_first: bool,
    /// Whether more time passed than the cache lives.
    pub(super) is_cold: bool,
    /// Whether far less is sent than before.
    pub(super) is_compacted: bool,
    /// Seconds since the request before, as far as they are known.
    pub(super) gap: f64,
    /// What had been cached and is paid for again, with the cause.
    pub(super) again: Option<(Cause, u64)>,
}

/// Follows a conversation.
pub(super) struct Cached<'a> {
    rules: CacheRules,
    before: Option<&'a Request>,
    /// What requests read even though the cache was cold: other conversations keep tools
    /// and the system prompt warm.
    pub(super) base: u64,
}

impl<'a> Cached<'a> {
    pub(super) fn new(rules: CacheRules) -> Cached<'a> {
        Cached { rules, before: None, base: 0 }
    }

    /// Takes the next request.
    pub(super) fn follow(&mut self, request: &'a Request) -> Moment {
        let read = request.spending.cache_read;
        let Some(before) = self.before.replace(request) else {
            self.base = read;
            return Moment { is_first: true, ..Moment::default() };
        };
        let gap = match (before.time, request.time) {
            (Some(before), Some(now)) => Some(now.duration_since(before).as_secs_f64()),
            _ => None,
        };
        let (sent, sent_before) = (request.spending.sent(), before.spending.sent());
        let held = self.rules.held_after(before);
        let again = held.saturating_sub(read).min(sent - read);
        let least = LEAST_AGAIN.max((held as f64 * LEAST_PART) as u64);
        let mut moment = Moment {
            is_cold: gap.is_some_and(|gap| gap > self.rules.life_after(before) + self.rules.slack),
            is_compacted: (sent as f64) < sent_before as f64 * COMPACTED,
            gap: gap.unwrap_or(0.0),
            ..Moment::default()
        };
        if again > least {
            let cause = self.cause(&moment, (before, request), gap.is_some());
            moment.again = Some((cause, again));
        }
        if moment.is_cold && read < held {
            self.base = self.base.max(read);
        }
        moment
    }

    fn cause(&self, moment: &Moment, (before, now): (&Request, &Request), timed: bool) -> Cause {
        if before.model != now.model {
            Cause::Model
        } else if moment.is_cold {
            Cause::Pause
        } else if moment.is_compacted {
            Cause::Compaction
        } else if !timed || self.rules.is_implicit {
            Cause::Unknown
        } else if now.spending.cache_read <= self.base {
            Cause::Instructions
        } else {
            Cause::Edit
        }
    }
}
