//! Joins ranges of lines, 1-based and inclusive.

/// Sorts ranges and joins those that touch or overlap.
pub(crate) fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match merged.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_or_overlaps_is_one() {
        let ranges = vec![(8, 9), (1, 3), (4, 4), (20, u32::MAX), (21, 22), (2, 2)];
        assert_eq!(merged(ranges), [(1, 4), (8, 9), (20, u32::MAX)]);
    }
}
