//! One signal's part of a score, so that a score can be taken apart.

use std::fmt;

use serde::Serialize;

/// One signal's part of a score; the parts of a score add up to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "Written")]
pub struct Contribution {
    /// The signal, such as `body` or `relevance`.
    pub signal: &'static str,
    /// What the signal says.
    pub value: f64,
    /// How much that counts here, with all factors in it.
    pub weight: f64,
}

/// A contribution as it is written, with its product.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Written {
    signal: &'static str,
    value: f64,
    weight: f64,
    product: f64,
}

impl From<Contribution> for Written {
    fn from(part: Contribution) -> Written {
        Written {
            signal: part.signal,
            value: part.value,
            weight: part.weight,
            product: part.product(),
        }
    }
}

impl Contribution {
    /// Makes a part.
    pub const fn new(signal: &'static str, value: f64, weight: f64) -> Contribution {
        // Turns -0.0 into 0.0, which reads better.
        Contribution { signal, value: value + 0.0, weight }
    }

    /// Returns what the signal adds to the score; less than 0 takes away.
    pub fn product(&self) -> f64 {
        self.value * self.weight
    }

    /// Adds parts up.
    ///
    /// ```
    /// use loadline::pack::ranking::Contribution;
    /// let parts = [Contribution::new("body", 0.95, 0.5), Contribution::new("path", 0.5, 0.5)];
    /// assert_eq!(parts[0].to_string(), "body: 0.95 × 0.50 = 0.475");
    /// assert!((Contribution::sum(&parts) - 0.725).abs() < 1e-9);
    /// ```
    pub fn sum(parts: &[Contribution]) -> f64 {
        parts.iter().map(Contribution::product).sum()
    }
}

impl fmt::Display for Contribution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contribution { signal, value, weight } = self;
        let product = self.product();
        write!(out, "{signal}: {value:.2} × {weight:.2} = {product:.3}")
    }
}
