//! Recognises what a call does by the tool's name and the keys of its arguments,
//! across agents, in one table.
//!
//! A command that only shows a file is a read, and one that carries a patch is
//! an edit: what counts is what the call did, not what it was called.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ToolKind {
    /// Changes a part of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Shows a file.
    Read,
    /// Runs a command.
    Command,
    /// Looks for files or lines, or lists them.
    Search,
    /// Keeps a plan, a list of tasks or a topic.
    Plan,
    /// Anything else: the web, questions, other agents.
    Other,
}

/// Names of tools, in lower case and without dashes and underscores.
const NAMES: &[(ToolKind, &[&str])] = &[
    (
        ToolKind::Edit,
        &[
            "edit",
            "multiedit",
            "replace",
            "strreplace",
            "strreplacebasededittool",
            "notebookedit",
            "editfile",
            "applydiff",
            "searchreplace",
        ],
    ),
    (ToolKind::Write, &["write", "writefile", "createfile", "writetofile"]),
    (
        ToolKind::Read,
        &[
            "read",
            "readfile",
            "readmanyfiles",
            "notebookread",
            "view",
            "viewfile",
            "cat",
            "openfile",
            "getfilecontents",
        ],
    ),
    (
        ToolKind::Search,
        &[
            "grep",
            "glob",
            "ls",
            "find",
            "search",
            "grepsearch",
            "filesearch",
            "searchfiles",
            "searchfilecontent",
            "codebasesearch",
            "listdirectory",
            "listdir",
            "listfiles",
            "list",
            "toolsearch",
            "websearch",
            "googlewebsearch",
        ],
    ),
    (
        ToolKind::Command,
        &[
            "bash",
            "shell",
            "exec",
            "execcommand",
            "localshell",
            "localshellcall",
            "runshellcommand",
            "runterminalcmd",
            "executecommand",
            "executebash",
            "runcommand",
            "terminal",
            "powershell",
            "writestdin",
            "bashoutput",
            "gitlog",
        ],
    ),
];

/// Keys that hold the path of a file, from the surest on.
const PATHS: [&str; 9] = [
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "target_file",
    "notebook_path",
    "planFilePath",
    "dir_path",
    "filename",
];

/// Keys that only an edit has.
const EDITS: [&str; 6] = ["old_string", "oldText", "oldString", "old_str", "old_text", "edits"];

/// How a patch begins, in an argument or within a command.
const PATCH: &str = "*** Begin Patch";

impl ToolKind {
    /// Returns what a call does, and the file it does it to.
    pub(crate) fn of(name: &str, arguments: &Value) -> (ToolKind, Option<String>) {
        let path = PATHS.iter().find_map(|key| arguments.get(key)?.as_str());
        let path = path.filter(|path| !path.is_empty()).map(str::to_owned);
        let name = plain_name(name);
        let patch = || find_string(arguments, &|text| text.contains(PATCH));
        if EDITS.iter().any(|key| arguments.get(key).is_some()) || name.contains("patch") {
            let path = path.or_else(|| patched(patch()?));
            return (ToolKind::Edit, path);
        }
        match by_name(&name, arguments) {
            ToolKind::Command => match patch() {
                Some(patch) => (ToolKind::Edit, patched(patch)),
                None => by_command(arguments),
            },
            ToolKind::Plan => (ToolKind::Plan, None),
            kind => (kind, path),
        }
    }
}

/// Returns the command that a call runs, if it runs one.
pub(crate) fn command(arguments: &Value) -> Option<Cow<'_, str>> {
    let command = ["command", "cmd", "commands"].iter().find_map(|key| arguments.get(key))?;
    match command {
        Value::String(command) => Some(Cow::Borrowed(command)),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(Cow::Owned(words.join(" ")))
        }
        _ => None,
    }
}

/// Returns one line that says what a call is about: its file, its command, or its first text.
pub(crate) fn headline(arguments: &Value, path: Option<&str>) -> String {
    let text = match (path, command(arguments)) {
        (Some(path), _) => Cow::Borrowed(path),
        (None, Some(command)) => command,
        (None, None) => {
            find_string(arguments, &|text| !text.trim().is_empty()).unwrap_or_default().into()
        }
    };
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}

/// Tools of servers are named `mcp__server__tool`; only the last part says what they do.
fn plain_name(name: &str) -> String {
    let last = name.rsplit("__").next().unwrap_or(name);
    let letters = last.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

fn by_name(name: &str, arguments: &Value) -> ToolKind {
    let row = NAMES.iter().find(|(_, names)| names.contains(&name));
    if let Some((kind, _)) = row {
        return *kind;
    }
    let is_plan = ["todo", "plan", "updatetopic"].iter().any(|it| name.contains(it));
    if is_plan || name.starts_with("task") {
        return ToolKind::Plan;
    }
    if name.contains("write") && arguments.get("content").is_some() {
        return ToolKind::Write;
    }
    let has_path = PATHS.iter().any(|key| arguments.get(key).is_some());
    if name.starts_with("read") && has_path {
        return ToolKind::Read;
    }
    match command(arguments) {
        Some(_) => ToolKind::Command,
        None => ToolKind::Other,
    }
}

static SHOWS: LazyLock<Regex> = LazyLock::new(|| {
    let file = r"((?:[\w@.+~-]*/)*[\w@.+-]*[\w@+-]\.\w{1,6})\b";
    let verbs = r"(?:^|[\s;&|(])(?:cat|sed -n|head|tail|nl|less|bat|batcat)\b";
    Regex::new(&format!(r#"{verbs}(?:[^|;&<>\n]*?[\s"'])?{file}"#)).expect("literal regex")
});
static FILLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)\b(?:cat|tee)\b[^|;&\n]*?[>\s]\s*["']?([^\s"'<>|&]+)"#)
        .expect("literal regex")
});
static PATCHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$").expect("literal regex")
});

/// A command that shows a file reads it; one that fills a file from a here-document writes it.
fn by_command(arguments: &Value) -> (ToolKind, Option<String>) {
    let Some(command) = command(arguments) else {
        return (ToolKind::Command, None);
    };
    if command.contains("<<") && command.contains('>') {
        let path = first_match(&FILLS, &command);
        return match path {
            Some(path) => (ToolKind::Write, Some(path)),
            None => (ToolKind::Command, None),
        };
    }
    match first_match(&SHOWS, &command) {
        Some(path) => (ToolKind::Read, Some(path)),
        None => (ToolKind::Command, None),
    }
}

/// Returns the first file that a patch changes.
fn patched(patch: &str) -> Option<String> {
    first_match(&PATCHED, patch)
}

fn first_match(pattern: &LazyLock<Regex>, text: &str) -> Option<String> {
    let found = pattern.captures(text)?.get(1)?;
    Some(found.as_str().trim().to_owned())
}

/// Returns the first string within a value for which `is_wanted` holds.
fn find_string<'a>(value: &'a Value, is_wanted: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    match value {
        Value::String(text) => is_wanted(text).then_some(text),
        Value::Array(elements) => elements.iter().find_map(|it| find_string(it, is_wanted)),
        Value::Object(members) => members.values().find_map(|it| find_string(it, is_wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ToolKind::{Command, Edit, Other, Plan, Read, Search, Write};
    use super::*;

    fn of(name: &str, arguments: Value) -> (ToolKind, Option<String>) {
        ToolKind::of(name, &arguments)
    }

    #[test]
    fn tools_of_every_agent_are_recognised() {
        for (name, arguments, kind, path) in [
            ("Read", json!({"file_path": "a.rs"}), Read, "a.rs"),
            ("read", json!({"filePath": "a.rs"}), Read, "a.rs"),
            ("read_file", json!({"path": "a.rs"}), Read, "a.rs"),
            ("mcp__fs__read_file", json!({"path": "a.rs"}), Read, "a.rs"),
            ("Edit", json!({"file_path": "a", "old_string": "x"}), Edit, "a"),
            ("replace", json!({"file_path": "a", "old_string": "x"}), Edit, "a"),
            ("edit", json!({"path": "a", "oldText": "x"}), Edit, "a"),
            ("Write", json!({"file_path": "a", "content": "x"}), Write, "a"),
            ("write_file", json!({"file_path": "a", "content": "x"}), Write, "a"),
            ("Grep", json!({"pattern": "x", "path": "src"}), Search, "src"),
            ("list_directory", json!({"dir_path": "src"}), Search, "src"),
            ("Bash", json!({"command": "cargo test"}), Command, ""),
            ("exec_command", json!({"cmd": "cargo test"}), Command, ""),
            ("local_shell", json!({"command": ["cargo", "test"]}), Command, ""),
            ("run_shell_command", json!({"command": "ls"}), Command, ""),
            ("sandbox", json!({"command": "ls"}), Command, ""),
            ("TodoWrite", json!({"todos": []}), Plan, ""),
            ("update_plan", json!({"plan": []}), Plan, ""),
            ("TaskCreate", json!({"subject": "x"}), Plan, ""),
            ("WebFetch", json!({"url": "x"}), Other, ""),
            ("Agent", json!({"prompt": "x"}), Other, ""),
            ("", Value::Null, Other, ""),
        ] {
            let path = (!path.is_empty()).then(|| path.to_owned());
            assert_eq!(of(name, arguments.clone()), (kind, path), "{name} {arguments}");
        }
    }

    #[test]
    fn commands_that_show_a_file_are_reads() {
        for (command, path) in [
            ("cat src/main.rs", "src/main.rs"),
            ("cd app && sed -n '1,80p' src/lib.rs", "src/lib.rs"),
            ("sed -n \"1,80p\" ./a/b.test.ts | nl", "./a/b.test.ts"),
            ("nl -ba docs/guide.md | head -5", "docs/guide.md"),
            ("head -n 20 '/tmp/x/a.py'", "/tmp/x/a.py"),
        ] {
            let want = (Read, Some(path.to_owned()));
            assert_eq!(of("Bash", json!({"command": command})), want, "{command}");
            let list = json!({"command": ["bash", "-lc", command]});
            assert_eq!(of("shell", list), want, "{command}");
        }
        for command in ["cargo test | tail -5", "concat a.rs", "git log", "cat"] {
            assert_eq!(of("Bash", json!({"command": command})), (Command, None));
        }
    }

    #[test]
    fn patches_and_here_documents_change_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch";
        let edit = (Edit, Some("src/a.rs".to_owned()));
        assert_eq!(of("apply_patch", json!({"input": patch})), edit);
        assert_eq!(of("apply_patch", json!(patch)), edit);
        let shell = json!({"command": ["bash", "-lc", format!("apply_patch <<'E'\n{patch}\nE")]});
        assert_eq!(of("shell", shell), edit);
        let fills = json!({"command": "cat > notes/a.txt <<'E'\nhello\nE"});
        assert_eq!(of("Bash", fills), (Write, Some("notes/a.txt".to_owned())));
        let feeds = json!({"command": "python3 - <<'E'\nprint(1 > 0)\nE"});
        assert_eq!(of("Bash", feeds), (Command, None));
    }

    #[test]
    fn a_headline_says_what_a_call_is_about() {
        let call = json!({"command": "\ncargo test\n--all"});
        assert_eq!(headline(&call, None), "cargo test");
        assert_eq!(headline(&call, Some("a.rs")), "a.rs");
        assert_eq!(headline(&json!({"n": 1, "url": "x"}), None), "x");
        assert_eq!(headline(&Value::Null, None), "");
    }
}
