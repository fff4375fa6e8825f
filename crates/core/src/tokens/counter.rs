//! One type for every way to count, so that callers need not know which is in use.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;

use super::framing::Framing;
use super::{Calibration, Precision, Tokens, bpe, claude, heuristic, hf};
use crate::{Diagnose, Diagnosis, Remark};

/// A way to count that is not built in, such as a provider's API.
///
/// Wrap it with [`Counter::custom`].
pub trait CountTokens: Send + Sync {
    /// Returns the name shown in results.
    fn name(&self) -> &str;

    /// Returns how sure the counts are.
    fn precision(&self) -> Precision;

    /// Counts the tokens of `text`.
    fn count(&self, text: &str) -> Tokens;
}

/// Counts tokens the way one family of models does. Cheap to clone; counts
/// from any number of threads.
///
/// ```
/// use loadline::tokens::{Counter, Tokens};
/// let counter: Counter = "o200k".parse()?;
/// assert_eq!(counter.count("hello, world"), Tokens::new(3));
/// assert_eq!(counter.count_up_to("hello, world", Tokens::new(2)), None);
/// # Ok::<(), loadline::tokens::CounterError>(())
/// ```
#[derive(Clone)]
pub struct Counter(Kind);

#[derive(Clone)]
enum Kind {
    O200k,
    Cl100k,
    Claude3,
    Claude4_7,
    Claude4_8,
    Heuristic,
    HeuristicCode,
    Calibrated(Box<Counter>, Calibration),
    Custom(Arc<dyn CountTokens>),
}

/// Whether no token of OpenAI's vocabularies reaches across this place in a text.
///
/// Their patterns let line breaks end a piece, and let only more white space or a
/// slash follow them in it.
pub(crate) fn is_seam(text: &str, place: usize) -> bool {
    let before = text.get(..place).is_some_and(|text| text.ends_with('\n'));
    let after = text.get(place..).and_then(|text| text.chars().next());
    before && after.is_some_and(|letter| !letter.is_whitespace() && letter != '/')
}

/// Where a count came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CountSource {
    /// Counted just now, offline.
    Offline,
    /// Counted before and remembered.
    Cache,
    /// Counted by the provider.
    Api,
}

/// Why a counter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CounterError {
    /// The name is not one of [`Counter::NAMES`].
    #[error("unknown counter {0:?}")]
    Unknown(String),
    /// A vocabulary file cannot be used.
    #[error("cannot count with {file}: {reason}")]
    Vocabulary {
        /// The file that was asked for.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Diagnose for CounterError {
    fn diagnosis(&self) -> Diagnosis {
        let hint = match self {
            CounterError::Unknown(name) => {
                let meant = crate::text::nearest(name, Counter::NAMES.iter().copied());
                let meant = meant.map(|meant| format!("did you mean {meant:?}? "));
                let names = Counter::NAMES.join(", ");
                format!("{}use one of {names} or hf:FILE", meant.unwrap_or_default())
            }
            CounterError::Vocabulary { .. } => {
                "give a Hugging Face tokenizer.json, as hf:FILE".to_owned()
            }
        };
        Diagnosis::usage("LL-CTX-002").hint(hint)
    }
}

impl Counter {
    /// The names of the built-in counters, as `parse` takes them.
    pub const NAMES: [&'static str; 8] = [
        "o200k",
        "cl100k",
        "claude-3",
        "claude-4.7",
        "claude-4.8",
        "heuristic",
        "heuristic-code",
        "calibrated",
    ];

    /// Finds a counter by name, as `parse` does, but a vocabulary file that
    /// cannot be used costs precision and a remark rather than the run.
    pub fn open(name: &str) -> Result<(Counter, Option<Remark>), CounterError> {
        match name.parse() {
            Ok(counter) => Ok((counter, None)),
            Err(error @ CounterError::Vocabulary { .. }) => {
                let message = format!("{error}; token counts may be inaccurate (±15% error)");
                Ok((Counter(Kind::Heuristic), Some(Remark::new(name, message))))
            }
            Err(error) => Err(error),
        }
    }

    /// Wraps a counter of your own.
    pub fn custom(counter: impl CountTokens + 'static) -> Counter {
        Counter(Kind::Custom(Arc::new(counter)))
    }

    /// Counts with this counter and corrects the result by what was billed before.
    #[must_use]
    pub fn calibrated(self, calibration: Calibration) -> Counter {
        Counter(Kind::Calibrated(Box::new(self), calibration))
    }

    /// Returns the name of this counter.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::O200k => "o200k",
            Kind::Cl100k => "cl100k",
            Kind::Claude3 => "claude-3",
            Kind::Claude4_7 => "claude-4.7",
            Kind::Claude4_8 => "claude-4.8",
            Kind::Heuristic => "heuristic",
            Kind::HeuristicCode => "heuristic-code",
            Kind::Calibrated(..) => "calibrated",
            Kind::Custom(counter) => counter.name(),
        }
    }

    /// Returns how sure the counts of this counter are.
    pub fn precision(&self) -> Precision {
        match &self.0 {
            Kind::O200k | Kind::Cl100k => Precision::Exact,
            Kind::Claude3 | Kind::Claude4_7 | Kind::Claude4_8 => Precision::Reconstructed,
            Kind::Calibrated(..) => Precision::Calibrated,
            Kind::Heuristic | Kind::HeuristicCode => Precision::Heuristic,
            Kind::Custom(counter) => counter.precision(),
        }
    }

    /// Returns what messages and tool calls cost in addition to their text.
    pub fn framing(&self) -> Framing {
        match &self.0 {
            Kind::Claude3 => Framing::CLAUDE_3,
            Kind::Claude4_7 => Framing::CLAUDE_4_7,
            Kind::Claude4_8 => Framing::CLAUDE_4_8,
            Kind::Calibrated(_, calibration) => calibration.framing(),
            Kind::O200k | Kind::Cl100k => Framing::OPENAI,
            Kind::Heuristic | Kind::HeuristicCode | Kind::Custom(_) => Framing::NONE,
        }
    }

    /// Counts the tokens of a text. An empty text has none; white space is not trimmed.
    pub fn count(&self, text: &str) -> Tokens {
        Tokens::new(self.count_to(text, u64::MAX))
    }

    /// Counts the tokens of bytes that should be UTF-8; what is not becomes U+FFFD.
    pub fn count_bytes(&self, bytes: &[u8]) -> Tokens {
        self.count(&String::from_utf8_lossy(bytes))
    }

    /// Counts up to `limit` tokens, or returns `None` once there are more.
    ///
    /// The built-in vocabularies stop as soon as the answer is known, so
    /// asking whether a huge text fits a small budget is cheap.
    pub fn count_up_to(&self, text: &str, limit: Tokens) -> Option<Tokens> {
        let count = self.count_to(text, limit.get());
        (count <= limit.get()).then_some(Tokens::new(count))
    }

    fn count_to(&self, text: &str, limit: u64) -> u64 {
        match &self.0 {
            Kind::O200k => bpe::O200K.count_to(text, limit),
            Kind::Cl100k => bpe::CL100K.count_to(text, limit),
            Kind::Claude3 => claude::V3.count_to(text, limit),
            Kind::Claude4_7 => claude::V4_7.count_to(text, limit),
            Kind::Claude4_8 => claude::V4_8.count_to(text, limit),
            Kind::Heuristic => heuristic::count(text),
            Kind::HeuristicCode => heuristic::count_code_aware(text),
            Kind::Calibrated(base, calibration) => calibration.apply(base.count(text)).get(),
            Kind::Custom(counter) => counter.count(text).get(),
        }
    }

    /// Whether a text may be counted in parts that begin where [`is_seam`] says.
    pub(crate) fn has_seams(&self) -> bool {
        matches!(self.0, Kind::O200k | Kind::Cl100k)
    }

    /// Tells whether counts may be cached under the counter's name. A custom
    /// counter may change without changing its name.
    pub fn is_cacheable(&self) -> bool {
        !matches!(self.base().0, Kind::Custom(_))
    }

    /// Returns the counter below all calibrations: its counts are facts.
    pub(crate) fn base(&self) -> &Counter {
        match &self.0 {
            Kind::Calibrated(base, _) => base.base(),
            _ => self,
        }
    }

    /// Makes a count of this counter from one of its [base](Counter::base).
    pub(crate) fn correct(&self, tokens: Tokens) -> Tokens {
        match &self.0 {
            Kind::Calibrated(base, calibration) => calibration.apply(base.correct(tokens)),
            _ => tokens,
        }
    }
}

impl FromStr for Counter {
    type Err = CounterError;

    /// Finds a counter by name: one of [`Counter::NAMES`], an alias (`bpe`,
    /// `o200k_base`, `cl100k_base`, `claude`), or `hf:FILE`.
    fn from_str(name: &str) -> Result<Counter, CounterError> {
        if let Some(file) = name.strip_prefix("hf:") {
            return hf::open(file);
        }
        let kind = match name {
            "o200k" | "o200k_base" | "bpe" => Kind::O200k,
            "cl100k" | "cl100k_base" => Kind::Cl100k,
            "claude-3" => Kind::Claude3,
            "claude-4.7" => Kind::Claude4_7,
            "claude-4.8" | "claude" => Kind::Claude4_8,
            "heuristic" => Kind::Heuristic,
            "heuristic-code" => Kind::HeuristicCode,
            "calibrated" => {
                return Ok(Counter(Kind::O200k).calibrated(Calibration::CLAUDE_FROM_O200K));
            }
            _ => {
                return Err(CounterError::Unknown(name.to_owned()));
            }
        };
        Ok(Counter(kind))
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Counter").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(name: &str) -> Counter {
        name.parse().unwrap()
    }

    #[test]
    fn parts_between_seams_add_up() {
        let bits = [
            "\n", "\n", " ", "  \n", "\r\n", "/", "#", "## File", "```", "<file>", "a", "don't",
            "12345", "日本", "🎉", "\t", "'s", "=====", "\u{2028}", "\u{301}",
        ];
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize
        };
        for name in ["o200k", "cl100k"] {
            let counter = counter(name);
            assert!(counter.has_seams());
            for _ in 0..2_000 {
                let length = next() % 40;
                let text: String = (0..length).map(|_| bits[next() % bits.len()]).collect();
                let mut start = 0;
                let mut sum = 0;
                for place in (1..text.len()).filter(|place| is_seam(&text, *place)) {
                    sum += counter.count(&text[start..place]).get();
                    start = place;
                }
                sum += counter.count(&text[start..]).get();
                assert_eq!(sum, counter.count(&text).get(), "{name} {text:?}");
            }
        }
    }

    #[test]
    fn every_name_is_a_counter_of_that_name() {
        for name in Counter::NAMES {
            assert_eq!(counter(name).name(), name);
        }
        assert_eq!(counter("claude").name(), "claude-4.8");
        let error = "gpt".parse::<Counter>().unwrap_err();
        assert_eq!(error.to_string(), "unknown counter \"gpt\"");
        assert!(error.hint().unwrap().contains("o200k, cl100k, claude-3"));
    }

    #[test]
    fn f007_a_provider_counts_in_its_own_way() {
        struct FortyTwo;
        impl CountTokens for FortyTwo {
            fn name(&self) -> &str {
                "forty-two"
            }
            fn precision(&self) -> Precision {
                Precision::Exact
            }
            fn count(&self, _text: &str) -> Tokens {
                Tokens::new(42)
            }
        }
        let counter = Counter::custom(FortyTwo);
        assert_eq!(counter.count("whatever the text"), Tokens::new(42));
        assert_eq!(counter.count_up_to("x", Tokens::new(41)), None);
    }

    #[test]
    fn f010_unicode_white_space_and_nothing_are_counted() {
        for name in Counter::NAMES {
            let counter = counter(name);
            assert_eq!(counter.count(""), Tokens::ZERO, "{name}");
            for text in ["🎉", "日本語", "مرحبا", "   ", "\n \n", "\0", "\u{fdd0}"] {
                assert!(counter.count(text) > Tokens::ZERO, "{name} {text:?}");
            }
            assert!(counter.count_bytes(b"ab\xFF\xFEcd") > Tokens::ZERO);
        }
        // White space is content, not trimmed away.
        assert_eq!(counter("o200k").count("   \n  "), Tokens::new(2));
        // Claude's frame ends in newlines, and a message's last ones join them for free.
        assert_eq!(counter("claude-4.8").count("\n\n\n"), Tokens::ZERO);
    }

    #[test]
    fn counting_up_to_a_limit_agrees_with_counting() {
        let text =
            "The quick brown fox, it's said, jumps over 1,234 lazy dogs.\n\n  fn main() {}\n";
        for name in Counter::NAMES {
            let counter = counter(name);
            let count = counter.count(text);
            assert_eq!(counter.count_up_to(text, count), Some(count), "{name}");
            let below = count.saturating_sub(Tokens::new(1));
            assert_eq!(counter.count_up_to(text, below), None, "{name}");
        }
    }
}
