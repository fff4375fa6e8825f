//! A patch of one file, taken apart into hunks that can be shown one by one.
//!
//! Git writes the patch, so that whatever is shown of it can be applied. Secrets are
//! looked for in the whole files, never in the patch: a hunk inside a private key has
//! neither its first line nor its last.

use std::fmt::Write;

/// What changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The lines before the first hunk.
    pub(crate) header: String,
    pub(crate) hunks: Vec<Hunk>,
}

/// Lines that changed, with a few around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The first line of the old text, and how many.
    pub(crate) old: (u32, u32),
    /// The first line of the new text, and how many.
    pub(crate) new: (u32, u32),
    /// What git names the hunk after: a line further up.
    heading: String,
    /// Each with its sign and its line break.
    lines: Vec<String>,
}

/// Takes the output of `git diff` apart, one patch per file.
pub(super) fn parse(text: &str) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            patches.push(Patch { header: line.to_owned(), hunks: Vec::new() });
            continue;
        }
        let Some(patch) = patches.last_mut() else {
            continue;
        };
        match (Hunk::begin(line), patch.hunks.last_mut()) {
            (Some(hunk), _) => patch.hunks.push(hunk),
            (None, Some(hunk)) => hunk.lines.push(line.to_owned()),
            (None, None) => patch.header.push_str(line),
        }
    }
    patches
}

impl Patch {
    /// One patch of two for the same path, as where a file becomes a link.
    pub(super) fn joined(mut first: Patch, second: Patch) -> Patch {
        first.header.push_str(&first.hunks.iter().map(Hunk::text).collect::<String>());
        Patch { header: first.header + &second.header, hunks: second.hunks }
    }

    /// The patch that makes a file which git does not track.
    pub(crate) fn creating(path: &str, text: &str, mode: &str) -> Patch {
        let [old, new] = ["a/", "b/"].map(|side| quoted(&format!("{side}{path}")));
        let mut header = format!("diff --git {old} {new}\nnew file mode {mode}\n");
        if text.is_empty() {
            header.push_str("index 0000000..e69de29\n");
            return Patch { header, hunks: Vec::new() };
        }
        // A name with a space ends in a tab, or a date might follow.
        let tab = if path.contains(' ') { "\t" } else { "" };
        let _ = write!(header, "--- /dev/null\n+++ {new}{tab}\n");
        let mut lines: Vec<String> =
            text.split_inclusive('\n').map(|line| format!("+{line}")).collect();
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        if !text.ends_with('\n') {
            lines.push("\n\\ No newline at end of file\n".to_owned());
        }
        let hunk = Hunk { old: (0, 0), new: (1, count), heading: String::new(), lines };
        Patch { header, hunks: vec![hunk] }
    }

    /// Whether git only says that the file differs.
    pub(crate) fn is_binary(&self) -> bool {
        self.hunks.is_empty() && self.header.lines().any(|line| line.starts_with("Binary files "))
    }

    /// Whether the file is a link, whose text is a path.
    pub(crate) fn is_link(&self) -> bool {
        self.header.lines().any(|line| line.ends_with(" 120000"))
    }

    /// The lines added and removed.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
            Some(b'+') => (added + 1, removed),
            Some(b'-') => (added, removed + 1),
            _ => (added, removed),
        })
    }

    /// Shows lines as they stand in texts that are free of secrets.
    pub(crate) fn redact(&mut self, old: Option<&str>, new: Option<&str>) {
        let lines = |text: Option<&str>| -> Vec<String> {
            text.unwrap_or_default().lines().map(str::to_owned).collect()
        };
        let (old, new) = (lines(old), lines(new));
        for hunk in &mut self.hunks {
            // It may be any line of the file.
            hunk.heading.clear();
            hunk.each_line(|sign, old_line, new_line, line| {
                let safe = match sign {
                    b'-' => old.get(old_line as usize - 1),
                    _ => new.get(new_line as usize - 1),
                };
                let safe = safe.map_or("", String::as_str);
                *line = format!("{}{safe}\n", sign as char);
            });
        }
    }
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@ heading`.
    fn begin(line: &str) -> Option<Hunk> {
        let (ranges, heading) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| -> Option<(u32, u32)> {
            let (first, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((first.parse().ok()?, count.parse().ok()?))
        };
        let heading = heading.trim().to_owned();
        Some(Hunk { old: range(old)?, new: range(new)?, heading, lines: Vec::new() })
    }

    /// The hunk as it stands in a patch.
    pub(crate) fn text(&self) -> String {
        let ((old, removed), (new, added)) = (self.old, self.new);
        let space = if self.heading.is_empty() { "" } else { " " };
        let head = format!("@@ -{old},{removed} +{new},{added} @@{space}{}\n", self.heading);
        head + &self.lines.concat()
    }

    /// The lines of the new text that were added, or beside which some are gone.
    pub(crate) fn touched(&self) -> Vec<u32> {
        let mut touched = Vec::new();
        let mut copy = self.clone();
        copy.each_line(|sign, _, new, _| match sign {
            b'+' => touched.push(new),
            b'-' => touched.extend([new.saturating_sub(1).max(1), new]),
            _ => {}
        });
        touched.dedup();
        touched
    }

    /// The lines of the old text that are gone.
    pub(crate) fn removed(&self) -> Vec<u32> {
        let mut removed = Vec::new();
        self.clone().each_line(|sign, old, _, _| {
            if sign == b'-' {
                removed.push(old);
            }
        });
        removed
    }

    /// Calls `each` with the sign of a line and its numbers in both texts.
    fn each_line(&mut self, mut each: impl FnMut(u8, u32, u32, &mut String)) {
        let (mut old, mut new) = (self.old.0.max(1), self.new.0.max(1));
        // An empty side is named by the line before it.
        if self.new.1 == 0 {
            new = self.new.0 + 1;
        }
        for line in &mut self.lines {
            let sign = line.as_bytes().first().copied().unwrap_or(b' ');
            if sign == b'\\' || sign == b'\n' {
                continue;
            }
            each(sign, old, new, line);
            old += u32::from(sign != b'+');
            new += u32::from(sign != b'-');
        }
    }
}

/// Writes a name as git does: in quotes where it holds what would end it.
fn quoted(name: &str) -> String {
    let is_odd = |character: char| character.is_control() || matches!(character, '"' | '\\');
    if !name.contains(is_odd) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\{:03o}", control as u32);
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}
