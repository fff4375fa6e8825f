//! Finds the lines around an excerpt that a reader needs to follow it: the lines that
//! open the blocks it stands in, and the rest of a short definition that it begins or
//! ends in.
//!
//! Judged by indentation and the look of single lines, as passages are, so it costs
//! little, needs no grammar and never fails. Grammars would do better on code without
//! indentation only, and would have to parse every file that a choice considers.

use super::chunk::line::{Line, definition_name};
use super::lines::merged;

/// A definition of up to so many lines is shown whole, or by its header.
const WHOLE: u32 = 40;
/// Up to so many lines between two excerpts are shown rather than marked as a gap: the
/// mark would cost as much.
const GAP: u32 = 3;
/// An excerpt has at least so many lines of text: fewer say little on their own.
const LEAST: u32 = 6;
/// Lines of a signature that runs over several lines.
const SIGNATURE: u32 = 20;

/// How the lines of a text are nested.
#[derive(Clone, Debug)]
pub struct Nesting {
    lines: Vec<Nested>,
}

#[derive(Clone, Copy, Debug)]
struct Nested {
    indent: u32,
    /// Says nothing about nesting: blank, a comment, an attribute, a directive, a label.
    skipped: bool,
    blank: bool,
    /// Belongs to the definition that follows: a comment or an attribute.
    leads: bool,
    defines: bool,
    /// How it goes on with what an earlier line began: `}`, `) {`, `} else {`, `end`, or a
    /// `{` on a line of its own.
    closing: Option<u8>,
    /// Only closes.
    closes: bool,
}

impl Nested {
    fn look(line: &str, language: &str) -> Nested {
        let seen = Line::look(line, language);
        let text = line.trim();
        let first = text.bytes().next();
        let is_c = matches!(language, "c" | "cpp" | "csharp");
        let is_directive = is_c && first == Some(b'#');
        let is_label = is_c && seen.indent <= 1 && text.ends_with(':') && !text.contains(' ');
        let quotes = text.starts_with("\"\"\"") || text.starts_with("'''");
        Nested {
            indent: seen.indent,
            skipped: seen.blank || seen.leads || is_directive || is_label || quotes,
            blank: seen.blank,
            leads: seen.leads,
            defines: definition_name(line, language).is_some(),
            closing: first.filter(|first| seen.closes || text == "{" || b")]}".contains(first)),
            closes: seen.closes,
        }
    }
}

impl Nesting {
    /// Looks at every line of a text.
    pub fn new(text: &str, language: Option<&str>) -> Nesting {
        let language = language.unwrap_or_default();
        Nesting { lines: text.lines().map(|line| Nested::look(line, language)).collect() }
    }

    /// Widens ranges of lines to what a reader can follow.
    ///
    /// A definition of up to 40 lines that a range cuts is shown whole. The lines that open
    /// the blocks around a range are shown, signatures in full. Ranges have at least six
    /// lines of text, and gaps of up to three lines are closed. Ranges are sorted and apart.
    ///
    /// ```
    /// use loadline::text::Nesting;
    /// let body = "        work()\n".repeat(60);
    /// let text = format!("class Job:\n    name = 1\n\n    def run(self):\n{body}");
    /// let nesting = Nesting::new(&text, Some("python"));
    /// assert_eq!(nesting.readable(&[(40, 50)]), [(1, 7), (40, 50)]);
    /// ```
    pub fn readable(&self, ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let total = self.lines.len() as u32;
        let ranges = ranges.iter().map(|(first, last)| (*first, (*last).min(total)));
        let ranges = ranges.filter(|(first, last)| first <= last);
        let whole: Vec<(u32, u32)> = ranges.map(|range| self.whole_definitions(range)).collect();
        let whole = close_gaps(merged(whole));
        let openers = whole.iter().filter_map(|range| self.first_text(*range));
        let openers: Vec<(u32, u32)> = openers.flat_map(|line| self.openers(line)).collect();
        let all = close_gaps(merged([whole, openers].concat()));
        let grown = all.into_iter().map(|range| self.grow(range)).collect();
        close_gaps(merged(grown))
    }

    /// Returns the definitions that a line stands in, the innermost first, as the lines
    /// from their comments to their end.
    pub fn definitions(&self, line: u32) -> Vec<(u32, u32)> {
        let own = self.at(line).defines.then_some((line, line));
        let around = self.openers(line).into_iter().filter(|(first, _)| self.at(*first).defines);
        let spans = own.into_iter().chain(around).map(|(first, _)| self.span(first));
        spans.filter(|(first, last)| (*first..=*last).contains(&line)).collect()
    }

    /// Widens lines to the innermost definition that holds all of them, if it has at most
    /// so many lines, and otherwise leaves them as they are.
    pub fn definition_of(&self, (first, last): (u32, u32), most: u32) -> (u32, u32) {
        let last = last.min(self.lines.len() as u32);
        let line = self.first_text((first, last));
        let mut around = line.map_or_else(Vec::new, |line| self.definitions(line)).into_iter();
        let whole = around.find(|it| it.0 <= first && last <= it.1);
        whole.filter(|it| it.1 + 1 - it.0 <= most).unwrap_or((first, last))
    }

    /// Returns the line that begins the innermost definition around lines: the one that they
    /// stand in, or the first that they define.
    pub fn heading(&self, (first, last): (u32, u32)) -> Option<u32> {
        let last = last.min(self.lines.len() as u32);
        let text = self.first_text((first, last))?;
        let around = || self.openers(text).into_iter().map(|(line, _)| line);
        let outer = around().find(|line| self.at(*line).defines);
        let inner = (first..=last).find(|line| self.at(*line).defines);
        if self.at(text).skipped {
            inner.or(outer)
        } else {
            inner.filter(|_| self.at(text).defines).or(outer).or(inner)
        }
    }

    fn at(&self, line: u32) -> &Nested {
        &self.lines[line as usize - 1]
    }

    /// The first line of a range that says something about nesting.
    fn first_text(&self, (first, last): (u32, u32)) -> Option<u32> {
        (first..=last).find(|line| !self.at(*line).blank)
    }

    /// Widens a range to the short definitions that it cuts.
    fn whole_definitions(&self, (first, last): (u32, u32)) -> (u32, u32) {
        let mut range = (first, last);
        for line in [self.first_text(range), self.last_text(range)].into_iter().flatten() {
            for (start, end) in self.definitions(line) {
                if end + 1 - start <= WHOLE {
                    range = (range.0.min(start), range.1.max(end));
                }
            }
        }
        range
    }

    fn last_text(&self, (first, last): (u32, u32)) -> Option<u32> {
        (first..=last).rev().find(|line| !self.at(*line).blank)
    }

    /// From the comments of a definition to its last line.
    fn span(&self, line: u32) -> (u32, u32) {
        let opens = *self.at(line);
        let belongs = |above: &u32| {
            let above = self.at(*above);
            above.leads && above.indent == opens.indent
        };
        let first = (1..line).rev().take_while(belongs).last().unwrap_or(line);
        let mut last = line;
        for below in line + 1..=self.lines.len() as u32 {
            let seen = self.at(below);
            if seen.skipped {
                continue;
            }
            let goes_on = seen.closing.is_some() && seen.indent == opens.indent;
            if seen.indent <= opens.indent && !goes_on {
                break;
            }
            last = below;
            if goes_on && seen.closes {
                break;
            }
        }
        (first, last)
    }

    /// The lines that open the blocks around a line, the innermost first; a signature over
    /// several lines is one range.
    fn openers(&self, line: u32) -> Vec<(u32, u32)> {
        let mut indent = self.at(line).indent;
        let mut found: Vec<(u32, u32)> = Vec::new();
        // The line whose opening line is still looked for.
        let mut closing: Option<u32> = None;
        for above in (1..line).rev() {
            if indent == 0 && closing.is_none() {
                break;
            }
            let seen = self.at(above);
            if seen.skipped {
                continue;
            }
            if let Some(closer) = closing.filter(|_| seen.indent == indent) {
                if seen.closing.is_none() {
                    let is_signature = self.at(closer).closing != Some(b'}');
                    let joins = is_signature && closer - above <= SIGNATURE;
                    match found.last_mut() {
                        Some(range) if joins => range.0 = above,
                        _ => found.push((above, above)),
                    }
                    closing = None;
                } else {
                    found.push((above, above));
                    closing = Some(above);
                }
            } else if seen.indent < indent {
                found.push((above, above));
                indent = seen.indent;
                closing = seen.closing.map(|_| above);
            }
        }
        found
    }

    /// Adds the lines below a range until it has enough of text, and those above at the end.
    fn grow(&self, (first, mut last): (u32, u32)) -> (u32, u32) {
        let has_text = |line: &u32| !self.at(*line).blank;
        let mut text = (first..=last).filter(has_text).count() as u32;
        let total = self.lines.len() as u32;
        while text < LEAST && last < total {
            last += 1;
            text += u32::from(has_text(&last));
        }
        let mut start = first;
        while text < LEAST && start > 1 {
            start -= 1;
            text += u32::from(has_text(&start));
        }
        (start, last)
    }
}

/// Joins ranges with a few lines between them.
fn close_gaps(ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut closed: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match closed.last_mut() {
            Some(before) if first <= before.1.saturating_add(GAP + 1) => {
                before.1 = before.1.max(last);
            }
            _ => closed.push((first, last)),
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks the lines that are shown, given those that were asked for.
    #[track_caller]
    fn check(language: &str, text: &str, asked: &[(u32, u32)], shown: &[(u32, u32)]) {
        assert_eq!(Nesting::new(text, Some(language)).readable(asked), shown, "{text}");
    }

    #[test]
    fn f301_an_excerpt_brings_the_lines_that_open_its_blocks() {
        let deep = "        x();\n".repeat(50);
        let rust =
            format!("impl A {{\n    fn f(\n        a: u8,\n    ) -> u8 {{\n{deep}    }}\n}}\n");
        check("rust", &rust, &[(30, 40)], &[(1, 6), (30, 40)]);
        let allman = format!("class A\n{{\n    void F(int a)\n    {{\n{deep}    }}\n}}\n");
        check("csharp", &allman, &[(30, 40)], &[(1, 6), (30, 40)]);
        let c = format!("int f(int a)\n{{\n#ifdef X\nout:\n{deep}}}\n");
        check("c", &c, &[(30, 40)], &[(1, 6), (30, 40)]);
    }

    #[test]
    fn f301_both_sides_of_an_else_are_opened() {
        let body = "        x()\n".repeat(30);
        let text = format!("def f():\n    if a:\n{body}    else:\n{body}");
        check("python", &text, &[(50, 60)], &[(1, 6), (33, 38), (50, 60)]);
        let text =
            format!("function f() {{\n    if (a) {{\n{body}    }} else {{\n{body}    }}\n}}\n");
        check("javascript", &text, &[(50, 60)], &[(1, 6), (33, 38), (50, 60)]);
    }

    #[test]
    fn f301_short_definitions_are_whole_and_gaps_closed() {
        let short = "# says\n@cached\ndef f():\n    a()\n\n    b()\n    c()\n\n\n";
        let text = short.repeat(20);
        check("python", &text, &[(6, 6)], &[(1, 7)]);
        check("python", &text, &[(6, 6), (16, 16)], &[(1, 16)]);
        check("python", &text, &[(5, 500)], &[(1, 180)]);
        check("python", "", &[(1, 3)], &[]);
        check("python", "\n\n\n", &[(2, 2)], &[(1, 3)]);
    }

    #[test]
    fn a_passage_is_named_by_its_definition() {
        let body = "        work()\n".repeat(60);
        let text =
            format!("class Job:\n    name = 1\n\n    def run(self):\n{body}\ndef g():\n    pass\n");
        let nesting = Nesting::new(&text, Some("python"));
        assert_eq!(nesting.heading((30, 40)), Some(4));
        assert_eq!(nesting.heading((66, 67)), Some(66));
        assert_eq!(nesting.heading((60, 67)), Some(4));
        assert_eq!(Nesting::new("a\nb\n", None).heading((1, 2)), None);
    }
}
