//! What a marker names: a handle, and maybe turns of the session behind it.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::recall_turns;
use crate::archive::Archive;
use crate::session::error::OriginalError;
use crate::session::read_session;

/// A handle, and maybe turns: `k3f9c2td`, `k3f9c2td:7`, `k3f9c2td:3-7`.
///
/// ```
/// use loadline::session::RecallTarget;
/// let target: RecallTarget = "k3f9c2td:3-7".parse()?;
/// assert_eq!(target.handle, "k3f9c2td");
/// assert_eq!(target.turns.map(|turns| turns.get()), Some(3..=7));
/// assert!("k3f9c2td:7-3".parse::<RecallTarget>().is_err());
/// # Ok::<(), loadline::session::NoRange>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallTarget {
    /// The handle.
    pub handle: String,
    /// The turns, counted from 1; none means the whole.
    pub turns: Option<LineRange>,
}

/// Numbers from one to another, counted from 1: `7`, `3-7` or `3-`, which has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRange(RangeInclusive<usize>);

/// What is wrong with a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRange(String);

/// Returns what a target names, as text: turns, all turns of a session, or what a tool
/// printed. A range without an end goes to the last turn.
///
/// ```
/// use loadline::session::recall;
/// use loadline::archive::Archive;
/// let directory = tempfile::tempdir()?;
/// let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
/// let log = br#"[{"role":"user","content":"hello"}]"#;
/// let handle = blobs.handle(&blobs.put(log)?)?;
/// let text = recall(&blobs, &format!("{handle}:1").parse()?)?;
/// assert_eq!(text, "[turn 1 user]\nhello\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn recall(blobs: &Archive, target: &RecallTarget) -> Result<String, OriginalError> {
    let bytes = blobs.get(&blobs.find(&target.handle)?)?;
    let Some(turns) = &target.turns else {
        let session = read_session(bytes.clone(), None).ok().filter(|it| !it.turns.is_empty());
        return Ok(match session {
            Some(session) => recall_turns(&session, 1..=session.turns.len())?,
            None => String::from_utf8_lossy(&bytes).into_owned(),
        });
    };
    let transcript = read_session(bytes, None)?;
    let turns = turns.up_to(transcript.turns.len());
    Ok(recall_turns(&transcript, turns)?)
}

impl LineRange {
    /// Returns the range; one without an end goes on to the largest number.
    pub fn get(&self) -> RangeInclusive<usize> {
        self.0.clone()
    }

    /// Tells whether a number is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.0.contains(&number)
    }

    /// Gives a range without an end one.
    fn up_to(&self, last: usize) -> RangeInclusive<usize> {
        match *self.0.end() {
            usize::MAX => *self.0.start()..=last.max(*self.0.start()),
            end => *self.0.start()..=end,
        }
    }
}

impl FromStr for RecallTarget {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<RecallTarget, NoRange> {
        let (handle, turns) = match text.split_once(':') {
            Some((handle, turns)) => (handle, Some(turns.parse()?)),
            None => (text, None),
        };
        Ok(RecallTarget { handle: handle.to_owned(), turns })
    }
}

impl FromStr for LineRange {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<LineRange, NoRange> {
        let refuse = || NoRange(text.to_owned());
        let number = |text: &str| text.parse::<usize>().map_err(|_| refuse());
        let (first, last) = match text.split_once('-') {
            Some((first, "")) => (number(first)?, usize::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first >= 1 && first <= last { Ok(LineRange(first..=last)) } else { Err(refuse()) }
    }
}

impl fmt::Display for NoRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed range {:?}; write 7, 3-7 or 3-", self.0)
    }
}

impl std::error::Error for NoRange {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnose;

    #[test]
    fn a_target_is_a_handle_and_turns() {
        for (text, turns) in
            [("k3f9c2td", None), ("k3f9c2td:7", Some(7..=7)), ("k3f9c2td:3-7", Some(3..=7))]
        {
            let target: RecallTarget = text.parse().unwrap();
            assert_eq!(target.handle, "k3f9c2td");
            assert_eq!(target.turns.map(|turns| turns.get()), turns);
        }
        for text in ["a:", "a:0", "a:7-3", "a:x", "a:1-2-3", "a:TURN"] {
            assert!(text.parse::<RecallTarget>().is_err(), "{text}");
        }
        assert_eq!("3-".parse(), Ok(LineRange(3..=usize::MAX)));
    }

    #[test]
    fn a_range_without_an_end_goes_to_the_last_turn() {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
        let log = br#"[{"role":"user","content":"one"},{"role":"assistant","content":"two"}]"#;
        let handle = blobs.handle(&blobs.put(log).unwrap()).unwrap();
        let text = |turns: &str| recall(&blobs, &format!("{handle}:{turns}").parse().unwrap());
        assert_eq!(text("2-").unwrap(), "[turn 2 assistant]\ntwo\n");
        assert_eq!(text("3-").unwrap_err().code(), "LL-SES-009");
        let whole = recall(&blobs, &handle.parse().unwrap()).unwrap();
        assert_eq!(whole, "[turn 1 user]\none\n[turn 2 assistant]\ntwo\n");
    }
}
