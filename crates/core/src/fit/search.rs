//! Finds how much of a row fits.
//!
//! Everything that cuts a row of pieces (lines, characters, messages) to a
//! budget asks here, so that there is one search and one place that proves that
//! what it returns was really tried.

use crate::tokens::{Counter, Tokens};

/// The longest beginning of a row that fits, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// How many pieces it has.
    pub taken: usize,
    /// What was written.
    pub text: String,
    /// What that costs.
    pub tokens: Tokens,
}

/// Writes as many of `count` pieces, from the first on, as fit the budget.
///
/// `write` writes the first so many pieces with whatever frame they need. Returns
/// `None` where not even the frame without pieces fits. More pieces are taken to
/// cost more; where that does not hold, what is returned still fits.
///
/// ```
/// use loadline::fit::fit_prefix;
/// use loadline::tokens::{Counter, Tokens};
///
/// let counter: Counter = "heuristic".parse()?;
/// let lines = ["one two three\n"; 100];
/// let most = Tokens::new(40);
/// let fitted = fit_prefix(lines.len(), most, &counter, |taken| lines[..taken].concat());
/// assert_eq!(fitted.map(|it| (it.taken, it.tokens)), Some((11, Tokens::new(39))));
/// # Ok::<(), loadline::tokens::CounterError>(())
/// ```
pub fn fit_prefix(
    count: usize,
    budget: Tokens,
    counter: &Counter,
    mut write: impl FnMut(usize) -> String,
) -> Option<Prefix> {
    let mut best = None;
    longest(count, |taken| {
        let text = write(taken);
        let tokens = counter.count_up_to(&text, budget);
        let fits = tokens.is_some();
        if let Some(tokens) = tokens {
            best = Some(Prefix { taken, text, tokens });
        }
        fits
    })?;
    best
}

/// Returns the largest number up to `count` that fits, or `None` where not even 0 does.
///
/// All is tried first, then ever more from the beginning, so that a short answer
/// in a long row is found without looking at the whole row. The last number that
/// `fits` accepted is the one returned.
pub fn longest(count: usize, mut fits: impl FnMut(usize) -> bool) -> Option<usize> {
    if fits(count) {
        return Some(count);
    }
    // What fits, and what does not: the answer is in between.
    let (mut low, mut high) = (None, count);
    let mut step = 1;
    while step < high {
        if fits(step) {
            low = Some(step);
            step *= 2;
        } else {
            high = step;
        }
    }
    while high > low.map_or(0, |low| low + 1) {
        let middle = low.map_or(0, |low| low + (high - low) / 2);
        if fits(middle) {
            low = Some(middle);
        } else if low.is_none() {
            return None;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_is_found_and_was_tried() {
        for count in 0..70 {
            for most in 0..80 {
                let mut last = None;
                let found = longest(count, |taken| {
                    let fits = taken <= most;
                    if fits {
                        last = Some(taken);
                    }
                    fits
                });
                assert_eq!(found, Some(most.min(count)));
                assert_eq!(found, last);
            }
            assert_eq!(longest(count, |_| false), None);
        }
    }

    #[test]
    fn a_long_row_is_not_looked_at_as_a_whole() {
        let mut asked = 0;
        let found = longest(1_000_000, |taken| {
            asked += 1;
            taken <= 37
        });
        assert_eq!((found, asked < 16), (Some(37), true));
    }
}
