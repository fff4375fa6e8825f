//! Finds the lines that commits with messages like the task changed.
//!
//! Only the commits whose messages resemble the task most are read. What they wrote is looked
//! for by its text, since line numbers have moved on: a line that still stands in its file
//! was touched, and so were the lines beside it that the patch shows.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::history::{Message, likenesses};
use super::query::Query;
use super::score::Candidate;
use super::weights::TaskWeights;

/// So many commits are read,
const READ: usize = 16;
/// of those that changed no more files than this.
const MOST_FILES: usize = 40;
/// A line that stands in more places of a file says little.
const MOST_PLACES: usize = 4;
/// Lines with fewer letters and digits are brackets and blanks.
const LEAST_LETTERS: usize = 3;

/// A commit whose message resembles the task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike<'a> {
    /// The id of the commit.
    pub id: &'a str,
    /// How much it resembles the task; the most alike has 1.
    pub likeness: f64,
    /// The part of the task's words that it has, by their weight.
    pub covered: f64,
}

/// Returns the commits whose changes should be read, the most alike first.
pub fn alike<'a>(
    files: &[Candidate],
    messages: &[Message<'a>],
    query: &Query,
    weights: &TaskWeights,
) -> Vec<Alike<'a>> {
    let known: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let found = likenesses(messages, query, weights);
    let best = found.iter().map(|(likeness, _)| *likeness).fold(0.0, f64::max);
    let commits = messages.iter().zip(found).filter(|(message, (likeness, _))| {
        *likeness > 0.0
            && message.files.len() <= MOST_FILES
            && message.files.iter().any(|file| known.contains(file))
    });
    let mut commits: Vec<Alike<'_>> = commits
        .map(|(message, (likeness, covered))| Alike {
            id: message.id,
            likeness: likeness / best,
            covered,
        })
        .collect();
    // Of equals the newest stays first.
    commits.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
    commits.truncate(READ);
    commits
}

/// What commits like the task touched.
#[derive(Clone, Debug, Default)]
pub struct Past {
    pub(super) commits: Vec<Commit>,
    /// By file.
    pub(super) touches: BTreeMap<usize, Vec<Touch>>,
}

/// A commit that was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Commit {
    pub(super) likeness: f64,
    pub(super) covered: f64,
    /// How many lines it wrote or took out.
    pub(super) lines: u32,
}

/// A line that still stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) commit: usize,
    pub(super) line: u32,
    /// One over the places where the same line stands.
    pub(super) part: f64,
}

impl Past {
    /// Looks the lines of patches up in the files as they are.
    ///
    /// `patches` is what `git diff-tree --stdin --patch` says of the commits; its paths begin
    /// with `prefix`, which the files' paths do without. `text` reads a file.
    pub fn of(
        patches: &str,
        alike: &[Alike<'_>],
        prefix: &str,
        files: &[Candidate],
        text: impl FnMut(usize) -> Option<String>,
    ) -> Past {
        let places: HashMap<&str, usize> =
            files.iter().enumerate().map(|(place, file)| (file.path.as_str(), place)).collect();
        let commits = alike
            .iter()
            .map(|it| Commit { likeness: it.likeness, covered: it.covered, lines: 0 })
            .collect();
        let past = Past { commits, ..Past::default() };
        let mut reader = Reader { past, text, known: HashMap::new(), commit: None, file: None };
        let mut is_hunk = false;
        for line in patches.lines() {
            if let Some(commit) = alike.iter().position(|it| it.id == line) {
                (reader.commit, reader.file, is_hunk) = (Some(commit), None, false);
            } else if line.starts_with("diff --git ") {
                (reader.file, is_hunk) = (None, false);
            } else if let Some(rest) = line.strip_prefix("@@ ") {
                is_hunk = true;
                let heading = rest.split_once("@@").map_or("", |(_, heading)| heading);
                reader.stands(heading);
            } else if is_hunk {
                reader.line(line);
            } else if let Some(path) = line.strip_prefix("+++ b/") {
                let path = path.trim_end_matches('\t').strip_prefix(prefix);
                reader.file = path.and_then(|path| places.get(path)).copied();
            }
        }
        reader.past
    }
}

/// Goes through patches line by line.
struct Reader<F> {
    past: Past,
    text: F,
    known: HashMap<usize, Lines>,
    /// Where in the patches it is.
    commit: Option<usize>,
    file: Option<usize>,
}

impl<F: FnMut(usize) -> Option<String>> Reader<F> {
    /// Takes a line of a hunk.
    fn line(&mut self, line: &str) {
        let Some(sign @ (b'+' | b'-' | b' ')) = line.bytes().next() else {
            return;
        };
        let commit = self.commit.and_then(|number| self.past.commits.get_mut(number));
        if let Some(commit) = commit.filter(|_| sign != b' ' && says(line)) {
            commit.lines += 1;
        }
        if sign != b'-' {
            self.stands(&line[1..]);
        }
    }

    /// Remembers where a line stands today.
    fn stands(&mut self, line: &str) {
        let (Some(commit), Some(file)) = (self.commit, self.file) else {
            return;
        };
        let lines = self.known.entry(file).or_insert_with(|| Lines::of((self.text)(file)));
        let places = lines.0.get(line.trim()).map(Vec::as_slice).unwrap_or_default();
        if places.is_empty() || places.len() > MOST_PLACES {
            return;
        }
        let part = 1.0 / places.len() as f64;
        let touches = places.iter().map(|line| Touch { commit, line: *line, part });
        self.past.touches.entry(file).or_default().extend(touches);
    }
}

/// The lines of a file by their text.
struct Lines(HashMap<String, Vec<u32>>);

impl Lines {
    fn of(text: Option<String>) -> Lines {
        let mut lines: HashMap<String, Vec<u32>> = HashMap::new();
        for (number, line) in text.unwrap_or_default().lines().enumerate() {
            if says(line) {
                lines.entry(line.trim().to_owned()).or_default().push(number as u32 + 1);
            }
        }
        Lines(lines)
    }
}

fn says(line: &str) -> bool {
    line.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80).count()
        >= LEAST_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::ranking::task::FileIndex;

    const TEXT: &str = "def one():\n    pass\n\ndef clock():\n    return now()\n    return now()\n";
    const PATCH: &str = "aa\n\
        diff --git a/src/a.py b/src/a.py\n\
        index 1..2 100644\n\
        --- a/src/a.py\n\
        +++ b/src/a.py\n\
        @@ -9,2 +9,2 @@ def clock():\n\
        -    return then()\n\
        +    return now()\n\
        +    return gone()\n\
        +}\n\
        \\ No newline at end of file\n\
        bb\n\
        diff --git a/src/b.py b/src/b.py\n\
        --- a/src/b.py\n\
        +++ /dev/null\n\
        @@ -1 +0,0 @@\n\
        -def one():\n";

    fn candidate(path: &str) -> Candidate {
        let query = Query::new("clock", &TaskWeights::default());
        Candidate::new(path, &FileIndex::build(TEXT, Some("python")), &query).unwrap()
    }

    #[test]
    fn f277_lines_that_commits_wrote_are_found_where_they_stand_now() {
        let alike = ["aa", "bb"].map(|id| Alike { id, likeness: 1.0, covered: 0.5 });
        let files = [candidate("a.py"), candidate("b.py")];
        let past = Past::of(PATCH, &alike, "src/", &files, |_| Some(TEXT.to_owned()));
        assert_eq!(past.commits.iter().map(|it| it.lines).collect::<Vec<_>>(), [3, 1]);
        // The name of the hunk, and the line that stands twice; what is gone is nowhere.
        let touches: Vec<_> =
            past.touches[&0].iter().map(|it| (it.commit, it.line, it.part)).collect();
        assert_eq!(touches, [(0, 4, 1.0), (0, 5, 0.5), (0, 6, 0.5)]);
        assert!(!past.touches.contains_key(&1));
        // Whatever stands there, nothing panics; other folders' files are not ours.
        assert!(Past::of(PATCH, &alike, "lib/", &files, |_| None).touches.is_empty());
        for text in ["@@", "@@ é", "aa\n@@ -1 +1 @@\n+é\n\n \n-", "+++ b/\n+"] {
            assert!(Past::of(text, &alike, "", &files, |_| None).touches.is_empty());
        }
    }

    #[test]
    fn commits_are_read_by_how_much_their_messages_resemble_the_task() {
        let message = |id: &'static str, text: &'static str, files: Vec<&'static str>| Message {
            id,
            text,
            files,
        };
        let messages = [
            message("none", "Something else", vec!["a.py"]),
            message("some", "Wind the clock of the tower that nobody sees", vec!["a.py"]),
            message("most", "Wind the clock", vec!["a.py"]),
            message("gone", "Wind the clock", vec!["gone.py"]),
            message("wide", "Wind the clock", vec!["a.py"; MOST_FILES + 1]),
        ];
        let weights = TaskWeights::default();
        let query = Query::new("Wind the clock", &weights);
        let found = alike(&[candidate("a.py")], &messages, &query, &weights);
        let ids: Vec<&str> = found.iter().map(|it| it.id).collect();
        assert_eq!((ids, found[0].likeness), (vec!["most", "some"], 1.0));
    }
}
