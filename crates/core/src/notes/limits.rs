//! Checks features against a team's budgets, alone and together.
//!
//! The limits are a file of the project, so that everybody and every check
//! uses the same:
//!
//! ```toml
//! max_percent = 85          # of each feature's own budget
//! max_tokens = "300k"       # all features together
//! [features.login]
//! max_tokens = "40k"
//! [teams.core]
//! features = ["login", "billing-*"]
//! max_tokens = "120k"
//! ```

use serde::Serialize;
use toml::{Table, Value};

use super::{FeatureStatus, NotesError};
use crate::Remark;
use crate::tokens::Tokens;

/// Limits for features, alone and together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamBudgets {
    /// Percent of its own budget that each feature may fill.
    pub max_percent: Option<f64>,
    /// The most tokens of all features together.
    pub max_tokens: Option<Tokens>,
    /// The limits of single features, by name.
    pub features: Vec<(String, FeatureLimit)>,
    /// The limits of teams, by name.
    pub teams: Vec<(String, TeamLimit)>,
}

/// What one feature may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureLimit {
    /// The most tokens.
    pub max_tokens: Option<Tokens>,
    /// Percent of its own budget.
    pub max_percent: Option<f64>,
}

/// What the features of a team may have together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamLimit {
    /// Names of features; a star stands for anything.
    pub features: Vec<String>,
    /// The most tokens of all of them.
    pub max_tokens: Tokens,
}

/// Whether one limit holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitCheck {
    /// What is limited, such as `feature login` or `team core`.
    pub subject: String,
    /// The features that it is about.
    pub features: Vec<String>,
    /// What they have.
    pub tokens: Tokens,
    /// What they may have.
    pub limit: Tokens,
}

impl LimitCheck {
    /// Tells whether the limit holds; exactly at it does.
    pub fn holds(&self) -> bool {
        self.tokens <= self.limit
    }
}

impl TeamBudgets {
    /// Reads a file of limits; keys that are not known cost a note.
    pub fn parse(text: &str) -> Result<(TeamBudgets, Vec<Remark>), NotesError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            NotesError::budgets("the file", error.message().to_owned())
        })?;
        let (mut budgets, mut notes) = (TeamBudgets::default(), Vec::new());
        for (key, value) in &table {
            match key.as_str() {
                "max_percent" => budgets.max_percent = Some(percent(key, value)?),
                "max_tokens" => budgets.max_tokens = Some(tokens(key, value)?),
                "features" => {
                    for (name, value) in inner(key, value)? {
                        let limit = feature(&format!("features.{name}"), value, &mut notes)?;
                        budgets.features.push((name.clone(), limit));
                    }
                }
                "teams" => {
                    for (name, value) in inner(key, value)? {
                        let limit = team(&format!("teams.{name}"), value, &mut notes)?;
                        budgets.teams.push((name.clone(), limit));
                    }
                }
                _ => notes.push(unknown(key)),
            }
        }
        Ok((budgets, notes))
    }

    /// Holds features against all limits: single ones first, then teams, then all together.
    pub fn check(&self, statuses: &[FeatureStatus]) -> Vec<LimitCheck> {
        let mut checks: Vec<LimitCheck> = statuses.iter().map(|it| self.check_one(it)).collect();
        for (name, team) in &self.teams {
            let listed = |name: &str| team.features.iter().any(|it| matches_star(it, name));
            let members = statuses.iter().filter(|it| listed(&it.feature));
            checks.push(together(&format!("team {name}"), members, team.max_tokens));
        }
        if let Some(limit) = self.max_tokens {
            checks.push(together("all features", statuses.iter(), limit));
        }
        checks
    }

    fn check_one(&self, status: &FeatureStatus) -> LimitCheck {
        let own = self.features.iter().find(|(name, _)| *name == status.feature);
        let own = own.map(|(_, limit)| limit.clone()).unwrap_or_default();
        let percent = own.max_percent.or(self.max_percent);
        let share = percent.map(|percent| {
            // In integers, so that 85 percent of anything is exact.
            let parts = (percent * 100.0).round() as u128;
            let limit = u128::from(status.max_tokens.get()) * parts / 10_000;
            Tokens::new(u64::try_from(limit).unwrap_or(u64::MAX))
        });
        let limits = [own.max_tokens, share].into_iter().flatten();
        LimitCheck {
            subject: format!("feature {}", status.feature),
            features: vec![status.feature.clone()],
            tokens: status.tokens,
            limit: limits.min().unwrap_or(status.max_tokens),
        }
    }
}

fn together<'a>(
    subject: &str,
    members: impl Iterator<Item = &'a FeatureStatus>,
    limit: Tokens,
) -> LimitCheck {
    let (mut features, mut tokens) = (Vec::new(), Tokens::ZERO);
    for member in members {
        features.push(member.feature.clone());
        tokens = tokens.saturating_add(member.tokens);
    }
    LimitCheck { subject: subject.to_owned(), features, tokens, limit }
}

fn feature(key: &str, value: &Value, notes: &mut Vec<Remark>) -> Result<FeatureLimit, NotesError> {
    let mut limit = FeatureLimit::default();
    for (name, value) in inner(key, value)? {
        let key = format!("{key}.{name}");
        match name.as_str() {
            "max_tokens" => limit.max_tokens = Some(tokens(&key, value)?),
            "max_percent" => limit.max_percent = Some(percent(&key, value)?),
            _ => notes.push(unknown(&key)),
        }
    }
    Ok(limit)
}

fn team(key: &str, value: &Value, notes: &mut Vec<Remark>) -> Result<TeamLimit, NotesError> {
    let (mut features, mut most) = (None, None);
    for (name, value) in inner(key, value)? {
        let key = format!("{key}.{name}");
        match name.as_str() {
            "max_tokens" => most = Some(tokens(&key, value)?),
            "features" => {
                let names = value.as_array().and_then(|names| {
                    let names = names.iter().map(|it| Some(it.as_str()?.to_owned()));
                    names.collect::<Option<Vec<String>>>()
                });
                let wrong = || NotesError::budgets(&key, "it must be a list of names".to_owned());
                features = Some(names.ok_or_else(wrong)?);
            }
            _ => notes.push(unknown(&key)),
        }
    }
    let missing = |part: &str| NotesError::budgets(key, format!("it has no {part}"));
    Ok(TeamLimit {
        features: features.ok_or_else(|| missing("features"))?,
        max_tokens: most.ok_or_else(|| missing("max_tokens"))?,
    })
}

fn inner<'a>(key: &str, value: &'a Value) -> Result<&'a Table, NotesError> {
    let wrong = || NotesError::budgets(key, "it must be a table".to_owned());
    value.as_table().ok_or_else(wrong)
}

fn tokens(key: &str, value: &Value) -> Result<Tokens, NotesError> {
    let read = match value {
        Value::Integer(number) => u64::try_from(*number).ok().map(Tokens::new),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let wrong = || NotesError::budgets(key, format!("{value} is not a number of tokens"));
    read.ok_or_else(wrong)
}

fn percent(key: &str, value: &Value) -> Result<f64, NotesError> {
    let number = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::String(text) => text.trim().trim_end_matches('%').trim().parse().ok(),
        _ => None,
    };
    let allowed = number.filter(|it| *it > 0.0 && *it <= 1_000.0);
    let wrong = || NotesError::budgets(key, format!("{value} is not a percentage"));
    allowed.ok_or_else(wrong)
}

fn unknown(key: &str) -> Remark {
    Remark::new(key, "unknown key of a file of budgets, ignored")
}

/// Tells whether a name fits a pattern in which a star stands for anything.
fn matches_star(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::Diagnose;

    fn status(feature: &str, tokens: u64) -> FeatureStatus {
        FeatureStatus {
            feature: feature.to_owned(),
            files: Vec::new(),
            tokens: Tokens::new(tokens),
            max_tokens: Tokens::new(1_000),
            level: Level::Raw,
            notes: Vec::new(),
        }
    }

    #[test]
    fn f275_limits_hold_for_features_teams_and_all_together() {
        let text = "max_percent = 85\nmax_tokens = '2k'\nodd = 1\n[features.login]\nmax_tokens = 500\n[teams.core]\nfeatures = ['log*', 'pay']\nmax_tokens = '1.2k'\n";
        let (budgets, notes) = TeamBudgets::parse(text).unwrap();
        assert_eq!(notes.len(), 1);
        let checks = budgets.check(&[status("login", 501), status("pay", 850), status("x", 851)]);
        let shown: Vec<(&str, u64, bool)> =
            checks.iter().map(|it| (it.subject.as_str(), it.limit.get(), it.holds())).collect();
        let want = [
            ("feature login", 500, false),
            ("feature pay", 850, true),
            ("feature x", 850, false),
            ("team core", 1_200, false),
            ("all features", 2_000, false),
        ];
        assert_eq!(shown, want);
    }

    #[test]
    fn f275_what_is_wrong_in_a_file_is_named() {
        for (text, want) in [
            ("max_percent = 'x'", "max_percent: \"x\" is not a percentage"),
            ("[teams.a]\nmax_tokens = 1", "teams.a: it has no features"),
            ("features = 1", "features: it must be a table"),
            ("max_tokens = -1", "max_tokens: -1 is not a number of tokens"),
        ] {
            let error = TeamBudgets::parse(text).unwrap_err();
            assert!(error.to_string().ends_with(want), "{error}");
            assert_eq!(error.code(), "LL-MEM-008");
        }
        assert!(TeamBudgets::parse("= 1").is_err());
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*c*e", "abcde", true),
            ("a*e*c", "abcde", false),
            ("*", "x", true),
        ] {
            assert_eq!(matches_star(pattern, name), want, "{pattern} {name}");
        }
    }
}
