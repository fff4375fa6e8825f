//! Cuts a text into passages: the short runs of lines that ranking looks at.
//!
//! A passage has 10 to 30 lines and ends where structure says that something
//! ends: before a definition with its comments, after a blank line, after a
//! closing bracket. Judged by the look of single lines, so it costs little,
//! needs no grammar and never fails. Passages cover a text without overlap.

use super::line::{Line, definition_name};

/// The bounds of a passage, in lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageOptions {
    /// The fewest lines, but for the end of a text.
    pub least: usize,
    /// The most lines before a short rest is added.
    pub most: usize,
}

impl Default for PassageOptions {
    fn default() -> PassageOptions {
        PassageOptions { least: 10, most: 30 }
    }
}

/// A run of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The first line, 1-based.
    pub first: u32,
    /// The last line, inclusive.
    pub last: u32,
    /// How many of the lines are comments.
    pub comments: u32,
    /// Whether most of the lines are tests that stand in the middle of code.
    pub tests: bool,
}

/// A name that a line defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    /// The name.
    pub(crate) name: &'a str,
    /// Its line, 1-based.
    pub(crate) line: u32,
    /// Columns of white space before it.
    pub(crate) indent: u32,
}

/// Cuts a text into passages.
///
/// ```
/// use loadline::text::{PassageOptions, passages};
/// let text = "fn a() {\n}\n\n".repeat(12);
/// let passages = passages(&text, Some("rust"), PassageOptions::default());
/// assert_eq!((passages[0].first, passages[0].last), (1, 12));
/// assert_eq!(passages.last().map(|passage| passage.last), Some(36));
/// ```
pub fn passages(text: &str, language: Option<&str>, options: PassageOptions) -> Vec<Passage> {
    passages_and_names(text, language, options).0
}

/// Cuts a text into passages, and lists the names that its lines define.
pub(crate) fn passages_and_names<'a>(
    text: &'a str,
    language: Option<&str>,
    options: PassageOptions,
) -> (Vec<Passage>, Vec<Named<'a>>) {
    let language = language.unwrap_or_default();
    let mut names = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let name = definition_name(line, language);
        let mut seen = Line::look(line, language);
        seen.defines = name.is_some();
        lines.push(seen);
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            names.push(Named { name, line, indent: seen.indent });
        }
    }
    if language == "rust" {
        mark_inner_tests(text, &mut lines);
    }
    lead_into_definitions(&mut lines);
    (cut(&lines, options), names)
}

/// Marks the lines of modules that are compiled for tests only.
fn mark_inner_tests(text: &str, lines: &mut [Line]) {
    let mut indent = None;
    let mut announced = false;
    for (line, seen) in text.lines().zip(lines) {
        let trimmed = line.trim();
        if let Some(outer) = indent {
            seen.tests = true;
            if seen.closes && seen.indent <= outer {
                indent = None;
            }
        } else if trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[cfg(all(test") {
            announced = true;
        } else if announced && !seen.leads && !seen.blank {
            let module = trimmed.starts_with("mod ") || trimmed.starts_with("pub mod ");
            if module && trimmed.ends_with('{') {
                seen.tests = true;
                indent = Some(seen.indent);
            }
            announced = false;
        }
    }
}

/// Marks the first line of the comments and attributes before a definition
/// in place of the definition itself.
fn lead_into_definitions(lines: &mut [Line]) {
    for index in (1..lines.len()).rev() {
        if lines[index].defines && lines[index - 1].leads && !lines[index - 1].defines {
            lines[index].defines = false;
            lines[index - 1].defines = true;
        }
    }
}

fn cut(lines: &[Line], options: PassageOptions) -> Vec<Passage> {
    let least = options.least.max(1);
    let most = options.most.max(least);
    let mut passages = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let end = boundary(lines, start, least, most);
        let end = if lines.len() - end <= least && end < lines.len() && end > start {
            // A short rest joins, unless it begins something of its own.
            lines.len()
        } else {
            end
        };
        passages.push(passage(lines, start, end));
        start = end;
    }
    passages
}

/// Finds the line before which the passage that begins at `start` ends.
fn boundary(lines: &[Line], start: usize, least: usize, most: usize) -> usize {
    let total = lines.len();
    if total - start <= least {
        return total;
    }
    let mut best = (f64::MIN, total);
    for end in start + least..=(start + most).min(total) {
        let score = match lines.get(end) {
            None => 2.5,
            Some(line) => before(&lines[end - 1], line),
        };
        if score > best.0 {
            best = (score, end);
        }
    }
    best.1
}

/// How well a text can be cut between two lines.
fn before(last: &Line, next: &Line) -> f64 {
    let mut score: f64 = 0.0;
    if next.defines {
        score += 3.0;
    }
    if last.blank && !next.blank {
        score += 1.0;
    }
    if last.closes {
        score += 0.7;
    }
    let depth = (f64::from(next.indent) / 4.0).min(4.0);
    (score - 0.6 * depth).max(0.05)
}

fn passage(lines: &[Line], start: usize, end: usize) -> Passage {
    let comments = lines[start..end].iter().filter(|line| line.comment).count();
    let tests = lines[start..end].iter().filter(|line| line.tests).count();
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Passage {
        first: number(start + 1),
        last: number(end),
        comments: number(comments),
        tests: tests * 2 > end - start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, language: &str) -> Vec<(u32, u32)> {
        let passages = passages(text, Some(language), PassageOptions::default());
        passages.iter().map(|passage| (passage.first, passage.last)).collect()
    }

    #[test]
    fn passages_cover_a_text_without_overlap() {
        for count in [1, 9, 10, 11, 20, 21, 30, 31, 40, 41, 199] {
            for line in ["x = 1\n", "\n", "        deep()\n", "}\n"] {
                let cut = cut(&line.repeat(count), "c");
                let mut next = 1;
                for (first, last) in &cut {
                    assert_eq!(*first, next);
                    assert!(last - first < 40, "{count} {line:?} {cut:?}");
                    next = last + 1;
                }
                assert_eq!(next as usize, count + 1);
            }
        }
        assert!(cut("", "c").is_empty());
    }

    #[test]
    fn a_passage_ends_before_the_comments_of_a_definition() {
        let text = format!(
            "{}\n# about f\n@cached\ndef f():\n{}",
            "a = 1\n".repeat(12),
            "    pass\n".repeat(20)
        );
        assert_eq!(cut(&text, "python")[0], (1, 13));
    }

    #[test]
    fn tests_inside_of_code_are_known() {
        let code = "fn a() {\n    b();\n}\n\n".repeat(5);
        let text = format!(
            "{code}#[cfg(test)]\nmod tests {{\n    {}}}\n{code}",
            "use super::*;\n    ".repeat(30)
        );
        let found = passages(&text, Some("rust"), PassageOptions::default());
        let tests: Vec<bool> = found.iter().map(|passage| passage.tests).collect();
        assert_eq!((tests.first(), tests.last()), (Some(&false), Some(&false)));
        assert!(tests.contains(&true));
    }

    #[test]
    fn inner_definitions_are_weaker_than_outer_ones() {
        let text = format!(
            "{}    def f(self):\n{}\nclass B:\n{}",
            "    a = 1\n".repeat(12),
            "        pass\n".repeat(5),
            "    b = 1\n".repeat(20)
        );
        assert_eq!(cut(&text, "python")[0], (1, 19));
    }
}
