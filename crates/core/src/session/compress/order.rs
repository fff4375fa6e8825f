//! Orders the lines of a result by how much they are wanted.
//!
//! An order lists groups of lines; a group is taken whole or not at all. Errors lead
//! if the text is output, since in a file or a list of matches the word means nothing.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

/// The most groups of an order: as many as could ever be taken, and some to pass over.
const MOST_GROUPS: usize = 20_000;

/// Lines that are looked at to tell what a text is.
const SAMPLE: usize = 2_000;

/// The most lines that are wanted of either end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) head: usize,
    pub(super) tail: usize,
}

impl Ends {
    fn total(self) -> usize {
        self.head.saturating_add(self.tail)
    }
}

/// Groups of lines, the most wanted first.
#[derive(Debug)]
pub(super) struct Order {
    groups: Vec<Range<usize>>,
    ends: Ends,
}

impl Order {
    /// Begins with the lines to preserve, then errors if they are wanted.
    pub(super) fn first(lines: &[&str], ends: Ends, errors: bool, preserve: &[Regex]) -> Order {
        let mut order = Order { groups: Vec::new(), ends };
        let most = ends.total().min(MOST_GROUPS);
        if !preserve.is_empty() {
            let is_kept = |line: &str| preserve.iter().any(|pattern| pattern.is_match(line));
            let kept = (0..lines.len()).filter(|number| is_kept(lines[*number]));
            order.groups.extend(kept.take(most).map(one));
        }
        if errors {
            let errors = error_lines(lines, most / 2).into_iter();
            order.groups.extend(errors.map(|line| with_frame(lines, line)));
        }
        order
    }

    /// Returns the groups, the most wanted first.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Range<usize>> {
        self.groups.iter()
    }

    /// Both ends, the beginning a little more.
    pub(super) fn head_tail(&mut self, lines: usize) {
        let (mut head, mut tail) = (0, 0);
        let both = self.ends.head.min(lines) + self.ends.tail.min(lines);
        for turn in 0..both.min(MOST_GROUPS) {
            let is_head = !matches!(turn % 5, 1 | 3);
            let take_head = (is_head || tail >= self.ends.tail) && head < self.ends.head;
            if head + tail >= lines {
                break;
            }
            if take_head {
                self.groups.push(one(head));
                head += 1;
            } else {
                tail += 1;
                self.groups.push(one(lines - tail));
            }
        }
    }

    /// The end, and the line it all began with.
    pub(super) fn tail(&mut self, lines: usize) {
        let most = self.ends.total().min(MOST_GROUPS);
        self.groups.extend((lines > 0).then(|| one(0)));
        self.groups.extend((0..lines).rev().take(most).map(one));
    }

    /// One line of every file that is named, then another, and so on.
    pub(super) fn elements(&mut self, lines: &[&str]) {
        let mut files: Vec<Vec<usize>> = Vec::new();
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        for (number, line) in lines.iter().enumerate() {
            let Some(name) = file_of(line) else { continue };
            let file = *by_name.entry(name).or_insert_with(|| {
                files.push(Vec::new());
                files.len() - 1
            });
            files[file].push(number);
        }
        let named: usize = files.iter().map(Vec::len).sum();
        // A plain list of paths, or text around a few of them.
        if named * 2 < lines.len() || files.len() == named {
            return self.head_tail(lines.len());
        }
        let rounds = files.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            let round = files.iter().filter_map(|file| file.get(round).copied());
            self.groups.extend(round.map(one));
            if self.groups.len() >= MOST_GROUPS {
                break;
            }
        }
    }

    /// One line of each kind, the latest of them first, between the two ends.
    pub(super) fn distinct(&mut self, lines: &[&str]) {
        let few = (self.ends.total() / 4).clamp(2, 20);
        self.groups.extend((!lines.is_empty()).then(|| one(0)));
        self.groups.extend((0..lines.len()).rev().take(few).map(one));
        let most = self.ends.total().min(MOST_GROUPS);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        // The first of a kind is where something began.
        for (number, line) in lines.iter().enumerate() {
            if !line.trim().is_empty() && seen.insert(shape(line)) {
                found.push(number);
            }
        }
        self.groups.extend(found.into_iter().rev().take(most).map(one));
        self.groups.extend((0..lines.len()).rev().take(most).map(one));
    }

    /// The names of files and hunks, then whole hunks as they come.
    pub(super) fn hunks(&mut self, lines: &[&str]) {
        let mut hunks: Vec<Range<usize>> = Vec::new();
        let mut in_hunk = false;
        for (number, line) in lines.iter().enumerate() {
            let is_file = line.starts_with("diff ") || line.starts_with("Index: ");
            let is_name = !in_hunk && (line.starts_with("--- ") || line.starts_with("+++ "));
            if line.starts_with("@@") {
                in_hunk = true;
                hunks.push(number..number + 1);
            } else if is_file || is_name {
                in_hunk = !is_file && in_hunk;
                if !line.starts_with("--- ") {
                    self.groups.push(one(number));
                }
            } else if in_hunk && let Some(hunk) = hunks.last_mut() {
                hunk.end = number + 1;
            }
        }
        self.groups.extend((!lines.is_empty()).then(|| one(0)));
        self.groups.extend(hunks.iter().take(MOST_GROUPS).cloned());
        // What is left goes to the changed lines of hunks too large to stay whole.
        let changed =
            hunks.into_iter().flatten().filter(|it| lines[*it].starts_with(['+', '-', '@']));
        self.groups.extend(changed.take(MOST_GROUPS).map(one));
    }
}

/// Tells whether a text is a diff.
pub(crate) fn is_diff(text: &str) -> bool {
    are_diff(&text.lines().take(60).collect::<Vec<&str>>())
}

/// Tells whether lines begin as a diff does.
pub(super) fn are_diff(lines: &[&str]) -> bool {
    let head = &lines[..lines.len().min(60)];
    let names = |start: &str| head.iter().any(|line| line.starts_with(start));
    names("@@ ") && (names("diff ") || names("+++ ") || names("Index: "))
}

/// Tells whether most lines of a text name a file and then say something of it.
pub(super) fn are_matches(lines: &[&str]) -> bool {
    let step = lines.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<&&str> = lines.iter().step_by(step).collect();
    let named = sample.iter().filter(|line| file_of(line).is_some()).count();
    named * 10 >= sample.len() * 8
}

/// Tells whether most lines of a text are like others but for their numbers.
pub(super) fn is_log(lines: &[&str]) -> bool {
    let step = lines.len().div_ceil(SAMPLE).max(1);
    let sample = lines.iter().step_by(step).filter(|line| !line.trim().is_empty());
    let (mut seen, mut total) = (HashSet::new(), 0_usize);
    for line in sample {
        seen.insert(shape(line));
        total += 1;
    }
    total >= 40 && seen.len() * 2 < total
}

/// What a line is like: its text with every number and long hexadecimal word as one sign.
fn shape(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut in_number = false;
    for byte in line.trim().bytes().take(200) {
        if byte.is_ascii_digit() {
            if !in_number {
                0_u8.hash(&mut hasher);
            }
            in_number = true;
            continue;
        }
        // Within 3fa9c2 the letters belong to the number.
        in_number = in_number && byte.is_ascii_hexdigit();
        if !in_number {
            byte.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Lines that tell of errors, one of each kind: the first and the last, `most` at most.
fn error_lines(lines: &[&str], most: usize) -> Vec<usize> {
    static ERRORS: LazyLock<Regex> = LazyLock::new(|| {
        let words = "error|fail(?:ed|ures?|ing|s)?|panic(?:ked)?|exception|traceback|fatal|\
                     assert(?:ion)?|cannot|undefined|not found|denied|expected";
        RegexBuilder::new(&format!(r"(?-u:\b)(?:{words}|\w+(?:error|exception)(?-u:\b))"))
            .case_insensitive(true)
            .unicode(false)
            .build()
            .expect("literal regex")
    });
    let mut seen = HashSet::new();
    let is_new_error = |number: &usize| {
        let line = lines[*number];
        let end = line.floor_char_boundary(2_000);
        ERRORS.is_match(&line[..end]) && seen.insert(shape(line))
    };
    let all: Vec<usize> = (0..lines.len()).filter(is_new_error).collect();
    if all.len() <= most {
        return all;
    }
    let (head, tail) = (most.div_ceil(2), most / 2);
    [&all[..head], &all[all.len() - tail..]].concat()
}

/// Adds the innermost frame of a stack to the error that it belongs to: Python writes it
/// before the error, most others after it.
fn with_frame(lines: &[&str], error: usize) -> Range<usize> {
    let frame = |line: usize, mark: &str| {
        let text = lines.get(line).map(|it| it.trim_start());
        text.is_some_and(|it| it.starts_with(mark) && it.len() < lines[line].len())
    };
    let before = (1..=3).filter_map(|above| error.checked_sub(above));
    let start = before.into_iter().find(|line| frame(*line, "File \""));
    let end = error + 1 + usize::from(frame(error + 1, "at "));
    start.unwrap_or(error)..end
}

/// Returns the file that a line of a search names: `src/a.rs:12:…`.
fn file_of(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let is_path = name.contains(['/', '.']) && !name.contains(' ');
    is_path.then_some(name)
}

fn one(number: usize) -> Range<usize> {
    number..number + 1
}
