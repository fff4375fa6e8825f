//! Fits a counter to what was really billed.
//!
//! Every provider reports usage. Given what we counted for some requests and
//! what they cost, two numbers are fitted, a factor on the text and a fixed
//! price per tool call, and the error that remains is stated.

use serde::Serialize;

use super::Tokens;
use super::framing::Framing;
use crate::{Diagnose, Diagnosis};

/// One billed request: what we counted, how many tool calls it had, what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The tokens of its text by the counter to calibrate.
    pub counted: Tokens,
    /// The tool calls in it.
    pub calls: u32,
    /// The tokens that the provider billed.
    pub billed: Tokens,
}

/// A factor and a price per call, with the error they leave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// Factor on the count
    pub factor: f64,
    /// Tokens added for each call
    pub per_call: f64,
    /// The error that remains on the samples.
    #[serde(flatten)]
    pub residual: Residual,
}

/// How far a calibrated count is from the billed one, as a part of the billed one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Residual {
    /// Half of the samples are closer than this.
    #[serde(rename = "median_error")]
    pub median: f64,
    /// Nineteen in twenty samples are closer than this.
    #[serde(rename = "p95_error")]
    pub p95: f64,
}

/// Why no calibration can be fitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// Fewer than two samples with text and a bill.
    #[error("{usable} of {given} samples have both text and billed tokens; two are needed")]
    TooFew {
        /// Samples that could be used.
        usable: usize,
        /// Samples that were given.
        given: usize,
    },
    /// The fit gives a factor that no tokenizer has.
    #[error("the samples do not follow their text: the fitted factor is {0}")]
    NoFit(String),
}

impl Diagnose for CalibrationError {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::operation("LL-CTX-002")
            .hint("give requests whose whole text is known, of different lengths")
    }
}

impl Calibration {
    /// Claude from `o200k` counts, as measured on real sessions: the named
    /// fallback where the reconstructed vocabularies cannot be used.
    pub const CLAUDE_FROM_O200K: Calibration = Calibration {
        factor: 1.19,
        per_call: 68.0,
        residual: Residual { median: 0.05, p95: 0.15 },
    };

    /// Fits factor and price per call to the samples by least squares, each
    /// weighted by the inverse of its bill so that long requests do not drown
    /// the short ones.
    ///
    /// ```
    /// use loadline::tokens::{Calibration, Sample, Tokens};
    /// let billed = |counted, calls, billed| Sample {
    ///     counted: Tokens::new(counted), calls, billed: Tokens::new(billed),
    /// };
    /// let samples = [billed(100, 0, 120), billed(1000, 2, 1260), billed(500, 1, 630)];
    /// let calibration = Calibration::fit(&samples)?;
    /// assert!((calibration.factor - 1.2).abs() < 1e-9);
    /// assert!((calibration.per_call - 30.0).abs() < 1e-9);
    /// # Ok::<(), loadline::tokens::CalibrationError>(())
    /// ```
    pub fn fit(samples: &[Sample]) -> Result<Calibration, CalibrationError> {
        let usable: Vec<Sample> = samples
            .iter()
            .copied()
            .filter(|sample| !sample.counted.is_zero() && !sample.billed.is_zero())
            .collect();
        if usable.len() < 2 {
            return Err(CalibrationError::TooFew { usable: usable.len(), given: samples.len() });
        }
        let (factor, per_call) = least_squares(&usable);
        if !(0.1..=10.0).contains(&factor) {
            return Err(CalibrationError::NoFit(format!("{factor:.3}")));
        }
        Ok(Calibration { factor, per_call, residual: residual(&usable, factor, per_call) })
    }

    /// Corrects a count of text.
    pub fn apply(&self, counted: Tokens) -> Tokens {
        Tokens::new((counted.get() as f64 * self.factor).round() as u64)
    }

    pub(super) fn framing(&self) -> Framing {
        Framing::per_call(self.per_call.round() as i64)
    }
}

/// Solves the two normal equations; without tool calls only the factor is free.
fn least_squares(samples: &[Sample]) -> (f64, f64) {
    let (mut tt, mut tc, mut cc, mut tb, mut cb) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for sample in samples {
        let (text, calls) = (sample.counted.get() as f64, f64::from(sample.calls));
        let billed = sample.billed.get() as f64;
        let weight = 1.0 / billed;
        tt += weight * text * text;
        tc += weight * text * calls;
        cc += weight * calls * calls;
        tb += weight * text * billed;
        cb += weight * calls * billed;
    }
    let determinant = tt * cc - tc * tc;
    if determinant.abs() <= 1e-9 * tt * cc.max(1e-9) {
        return (tb / tt, 0.0);
    }
    ((tb * cc - cb * tc) / determinant, (cb * tt - tb * tc) / determinant)
}

fn residual(samples: &[Sample], factor: f64, per_call: f64) -> Residual {
    let errors = samples.iter().map(|sample| {
        let billed = sample.billed.get() as f64;
        let guess = sample.counted.get() as f64 * factor + f64::from(sample.calls) * per_call;
        ((guess - billed) / billed).abs()
    });
    Residual::of(errors.collect()).unwrap_or(Residual { median: 0.0, p95: 0.0 })
}

impl Residual {
    /// Makes a residual of errors; `None` without any.
    pub(crate) fn of(mut errors: Vec<f64>) -> Option<Residual> {
        errors.sort_by(f64::total_cmp);
        let last = errors.len().checked_sub(1)?;
        let at = |part: f64| errors[(last as f64 * part).round() as usize];
        Some(Residual { median: at(0.5), p95: at(0.95) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Counter;

    fn sample(counted: u64, calls: u32, billed: u64) -> Sample {
        Sample { counted: Tokens::new(counted), calls, billed: Tokens::new(billed) }
    }

    #[test]
    fn f015_factor_overhead_and_residual_are_fitted() {
        let exact: Vec<Sample> =
            (1..40).map(|n| sample(n * 100, (n % 3) as u32, n * 130 + n % 3 * 68)).collect();
        let calibration = Calibration::fit(&exact).unwrap();
        assert!((calibration.factor - 1.3).abs() < 1e-6);
        assert!((calibration.per_call - 68.0).abs() < 1e-6);
        assert!(calibration.residual.p95 < 1e-6);

        let noisy: Vec<Sample> = (1..40)
            .map(|n| sample(n * 100, 0, n * 120 + if n % 2 == 0 { n * 6 } else { 0 }))
            .collect();
        let calibration = Calibration::fit(&noisy).unwrap();
        assert!((1.2..1.26).contains(&calibration.factor));
        assert!((0.01..0.06).contains(&calibration.residual.median));
    }

    #[test]
    fn f015_without_calls_only_the_factor_is_fitted() {
        let calibration = Calibration::fit(&[sample(10, 0, 12), sample(100, 0, 120)]).unwrap();
        assert_eq!(calibration.per_call, 0.0);
        assert_eq!(calibration.apply(Tokens::new(50)), Tokens::new(60));
    }

    #[test]
    fn f015_unusable_samples_are_an_error_with_numbers() {
        let error = Calibration::fit(&[sample(0, 1, 10), sample(10, 0, 0)]).unwrap_err();
        assert!(error.to_string().starts_with("0 of 2 samples"), "{error}");
        let error = Calibration::fit(&[sample(1, 0, 5_000), sample(2, 0, 9_000)]).unwrap_err();
        assert!(error.to_string().contains("factor is"), "{error}");
    }

    #[test]
    fn f015_a_counter_can_be_calibrated() {
        let base: Counter = "heuristic".parse().unwrap();
        let text = "four score and seven years ago";
        let samples = [1, 2, 3].map(|n| {
            let text = text.repeat(n);
            let counted = base.count(&text);
            Sample { counted, calls: 0, billed: Tokens::new(counted.get() * 2) }
        });
        let counter = base.clone().calibrated(Calibration::fit(&samples).unwrap());
        assert_eq!(counter.count(text).get(), base.count(text).get() * 2);
    }
}
