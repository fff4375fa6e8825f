//! Guesses which name was meant by one that does not exist.

/// Returns the candidate with the fewest slips, if they are few enough to be slips.
///
/// ```
/// use loadline::text::nearest;
/// assert_eq!(nearest("mian", ["main", "topic"]), Some("main"));
/// assert_eq!(nearest("elsewhere", ["main", "topic"]), None);
/// ```
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let slips = candidates.into_iter().map(|it| (strsim::osa_distance(text, it), it));
    let most = 2.max(text.len() / 4);
    slips.min().filter(|(slips, _)| *slips <= most && *slips < text.len()).map(|(_, it)| it)
}
