//! Kinds that can be one of two things: a share of the budget, a ladder of levels.

use toml::Value;

use crate::budget::Amount;
use crate::settings::kind::{Choice, Kind, Misfit};
use crate::settings::number::{Percent, Span, TokenCount, percent_text};

/// The kind of a share of the budget: `"40%"`, or tokens as `8000` or `"8k"`.
pub(super) struct Share;

impl Kind for Share {
    type Output = Amount;

    fn read(&self, value: &Value) -> Result<Amount, Misfit> {
        match percent_text(value) {
            Ok(Some(percent)) => {
                Ok(Amount::PercentOfAvailable(Span::new(0.0, 100.0).check(percent)?))
            }
            _ => TokenCount(0).read(value).map(Amount::Tokens),
        }
    }

    fn allowed(&self) -> String {
        "a share of the budget, such as \"40%\", or tokens, such as 8000 or \"8k\"".to_owned()
    }
}

/// At which fill levels of the window something is said.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderSetting {
    /// One of the named ladders: `session`, `rounds`, `memory`, `proactive`.
    Named(String),
    /// Own steps in percent, ascending.
    Steps(Vec<f64>),
}

/// The kind of [`LadderSetting`].
pub(super) struct Ladder(pub(super) &'static [&'static str]);

impl Kind for Ladder {
    type Output = LadderSetting;

    fn read(&self, value: &Value) -> Result<LadderSetting, Misfit> {
        if value.is_str() {
            return Choice(self.0).read(value).map(LadderSetting::Named);
        }
        let step = Percent(Span::above(0.0, 100.0));
        let steps: Vec<f64> = value
            .as_array()
            .ok_or(Misfit::Type)?
            .iter()
            .map(|value| step.read(value))
            .collect::<Result<_, _>>()?;
        let ascending = !steps.is_empty() && steps.is_sorted_by(|low, high| low < high);
        ascending.then_some(LadderSetting::Steps(steps)).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        format!(
            "{}, or ascending percentages above 0 and up to 100, such as [70, 85, 95]",
            Kind::allowed(&Choice(self.0))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    fn value(toml: &str) -> Value {
        let table: toml::Table = format!("v = {toml}").parse().unwrap();
        table["v"].clone()
    }

    #[test]
    fn a_share_is_a_percentage_or_tokens() {
        assert_eq!(Share.read(&value("'40%'")), Ok(Amount::PercentOfAvailable(40.0)));
        let tokens = Ok(Amount::Tokens(Tokens::new(8000)));
        assert_eq!(Share.read(&value("'8k'")), tokens);
        assert_eq!(Share.read(&value("8000")), tokens);
        assert_eq!(Share.read(&value("'140%'")), Err(Misfit::Range));
        assert_eq!(Share.read(&value("0.4")), Err(Misfit::Type));
    }
}
