//! Writes a program's path so that a shell runs it, and reads such a command again.
//!
//! Agents hand the commands of their hooks to a shell. A path can hold spaces, quotes, `$`,
//! `&` or parentheses, and each shell has its own way to take them as they are.

/// A shell that an agent runs commands with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `sh -c`, also that of Git on Windows.
    Sh,
    /// `cmd /c`. It replaces `%NAME%` even between quotes, which nothing can prevent.
    Cmd,
    /// PowerShell, for which a quoted path is a text until `&` calls it.
    PowerShell,
}

impl Shell {
    /// Returns the command that calls a program; `rest` is written as it is.
    pub fn call(self, program: &str, rest: &str) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        if !program.is_empty() && program.bytes().all(is_plain) {
            return format!("{program} {rest}");
        }
        match self {
            Shell::Sh => format!("{} {rest}", quote(program)),
            // No path can hold a quotation mark where this shell runs.
            Shell::Cmd => format!("\"{program}\" {rest}"),
            Shell::PowerShell => format!("& '{}' {rest}", program.replace('\'', "''")),
        }
    }
}

/// Writes one word for `sh`.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Returns the words of a simple command, as any of the shells would read it; none where it
/// is more than that: a list, a pipe, or with variables.
pub fn words(command: &str) -> Option<Vec<String>> {
    let (command, doubled) = match command.trim().strip_prefix("& ") {
        Some(command) => (command, true),
        None => (command.trim(), false),
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = command.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' if doubled && letters.next_if_eq(&'\'').is_some() => word.push('\''),
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => {
                            word.push(letters.next_if(|it| "\"\\$`".contains(*it)).unwrap_or('\\'))
                        }
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '|' | '&' | ';' | '<' | '>' | '$' | '`' | '(' | ')' | '\n' | '#' => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

/// Tells whether a word names this program.
pub fn is_loadline(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").or(name.strip_suffix(".cmd")).unwrap_or(name);
    name.eq_ignore_ascii_case("loadline")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 9] = [
        "loadline",
        "/usr/bin/loadline",
        "/my tools/loadline",
        "/it's/loadline",
        "/a\"b/loadline",
        "/$HOME/`id`/loadline",
        "/r&d (x86)/a;b|c/loadline",
        "C:\\Program Files (x86)\\R&D\\loadline.exe",
        "/back\\slash/#!*?[a]{b}~/loadline",
    ];

    #[test]
    fn every_path_is_read_back() {
        for path in PATHS {
            for shell in [Shell::Sh, Shell::PowerShell, Shell::Cmd] {
                let is_possible = shell != Shell::Cmd || !path.contains(['"', '$', '`']);
                if is_possible {
                    let command = shell.call(path, "hook codex stop");
                    assert_eq!(
                        words(&command).unwrap(),
                        [path, "hook", "codex", "stop"],
                        "{command}"
                    );
                }
            }
            assert!(is_loadline(path), "{path}");
        }
        assert_eq!(Shell::Sh.call("loadline", "x"), "loadline x");
        assert_eq!(Shell::Cmd.call("C:\\a b\\loadline.exe", "x"), "\"C:\\a b\\loadline.exe\" x");
        assert_eq!(Shell::PowerShell.call("C:\\it's\\l.exe", "x"), "& 'C:\\it''s\\l.exe' x");
    }

    #[test]
    fn what_is_more_than_a_command_has_no_words() {
        for command in [
            "loadline hook codex stop && say done",
            "a | loadline hook codex stop",
            "loadline hook codex stop > log",
            "$LOADLINE hook codex stop",
            "\"$HOME/loadline\" hook codex stop",
            "loadline hook 'codex",
            "(loadline hook codex stop)",
        ] {
            assert_eq!(words(command), None, "{command}");
        }
        for other in ["my-loadline", "loadline2", "loadline/x", "/usr/bin/echo"] {
            assert!(!is_loadline(other), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn sh_runs_a_program_at_any_path() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        for name in ["a b", "it's", "a\"b", "$HOME `id`", "r&d (x86);|<>", "#!*?[a]{b}~\\"] {
            let path = directory.path().join(name).join("loadline");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "#!/bin/sh\necho \"$1 $2\"\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            let command = Shell::Sh.call(path.to_str().unwrap(), "hook codex");
            let run = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&run.stdout), "hook codex\n", "{command}");
        }
    }
}
