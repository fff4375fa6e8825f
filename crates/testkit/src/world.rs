//! A sealed world for running a program: its own home, settings and cache, and
//! nothing of the environment the tests run in.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::Tree;

/// A home directory with a working directory `work` in it, removed when dropped.
///
/// The home is what stands in for everything outside: `XDG_*` and the cache
/// lie in it, and a search for files upwards ends there.
#[derive(Debug)]
pub struct World {
    // Dropped before the home that holds it.
    work: Tree,
    home: TempDir,
    variables: Vec<(String, String)>,
}

/// What a program printed and returned, with the paths of its world replaced.
///
/// Displays as the output, then what went to stderr, then the exit code, the
/// last two only where there is something to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; -1 after a signal.
    pub code: i32,
    /// What was typed, for the messages of checks that fail.
    typed: String,
}

impl World {
    /// Makes a world whose working directory holds the files of `fixture`.
    ///
    /// # Panics
    ///
    /// Panics where [`Tree::new`] would.
    pub fn new(fixture: &str) -> World {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("no tempdir: {error}"));
        World { work: Tree::new_in(home.path(), "work", fixture), home, variables: Vec::new() }
    }

    /// Sets an environment variable for all further runs.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> World {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Returns the working directory.
    pub fn work(&self) -> &Tree {
        &self.work
    }

    /// Returns the home directory.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns a command that runs `program` in this world.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.work.root())
            .env_clear()
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("XDG_CACHE_HOME", self.home().join(".cache"))
            .env("COLUMNS", "100")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    ///
    /// Panics where it cannot be started.
    pub fn run(&self, command: &mut Command) -> Run {
        let output = command.output();
        let output = output.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        self.seen(command, output)
    }

    /// Runs a command to its end, with `input` on its standard input.
    ///
    /// # Panics
    ///
    /// Panics where it cannot be started.
    pub fn run_with(&self, command: &mut Command, input: impl AsRef<[u8]>) -> Run {
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn();
        let mut child = child.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        if let Some(mut stdin) = child.stdin.take() {
            // A program need not read its input.
            let _ = stdin.write_all(input.as_ref());
        }
        let output = child.wait_with_output();
        let output = output.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        self.seen(command, output)
    }

    /// Replaces the paths of this world, which differ from run to run, by `[HOME]`.
    pub fn normalise(&self, text: &str) -> String {
        let home = self.home();
        let real = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        text.replace(&real.display().to_string(), "[HOME]")
            .replace(&home.display().to_string(), "[HOME]")
    }

    fn seen(&self, command: &Command, output: Output) -> Run {
        let text = |bytes: &[u8]| self.normalise(&String::from_utf8_lossy(bytes));
        let words = command.get_args().map(|it| it.to_string_lossy());
        Run {
            typed: words.collect::<Vec<_>>().join(" "),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

/// Checks, each of which panics with all of the run where it fails.
impl Run {
    /// Checks the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, code, "{}\n{self}", self.typed);
        self
    }

    /// Checks what is on standard output, byte for byte.
    #[track_caller]
    pub fn prints(self, text: impl AsRef<str>) -> Run {
        assert_eq!(self.stdout, text.as_ref(), "{}\n{self}", self.typed);
        self
    }

    /// Checks how standard output begins.
    #[track_caller]
    pub fn begins(self, text: &str) -> Run {
        assert!(self.stdout.starts_with(text), "{text:?} of {}\n{self}", self.typed);
        self
    }

    /// Checks that nothing is on standard error.
    #[track_caller]
    pub fn is_silent(self) -> Run {
        assert_eq!(self.stderr, "", "{}\n{self}", self.typed);
        self
    }

    /// Checks that each of these texts is on standard output.
    #[track_caller]
    pub fn shows(self, texts: &[&str]) -> Run {
        self.check(&self.stdout, texts, true)
    }

    /// Checks that none of these texts is on standard output.
    #[track_caller]
    pub fn hides(self, texts: &[&str]) -> Run {
        self.check(&self.stdout, texts, false)
    }

    /// Checks that each of these texts is on standard error.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Run {
        self.check(&self.stderr, texts, true)
    }

    /// Checks that none of these texts is on standard error.
    #[track_caller]
    pub fn says_no(self, texts: &[&str]) -> Run {
        self.check(&self.stderr, texts, false)
    }

    #[track_caller]
    fn check(&self, output: &str, texts: &[&str], is_there: bool) -> Run {
        for text in texts {
            assert_eq!(output.contains(text), is_there, "{text:?} of {}\n{self}", self.typed);
        }
        self.clone()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "--- stderr\n{}", self.stderr)?;
        }
        if self.code != 0 {
            writeln!(f, "--- exit {}", self.code)?;
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_sealed() {
        let world = World::new("//- /a.txt\nhello\n").with("EXTRA", "1");
        let run = world.run(world.command("/usr/bin/env").arg("-u").arg("PWD"));
        assert_eq!(
            run.to_string(),
            "COLUMNS=100\nEXTRA=1\nHOME=[HOME]\nXDG_CACHE_HOME=[HOME]/.cache\n\
             XDG_CONFIG_HOME=[HOME]/.config\n"
        );
    }

    #[test]
    fn a_run_shows_input_errors_and_exit_code() {
        let world = World::new("//- /a.txt\nhello\n");
        let mut shell = world.command("/bin/sh");
        let run = world.run_with(shell.args(["-c", "cat - a.txt; pwd >&2; exit 3"]), "in\n");
        assert_eq!(run.to_string(), "in\nhello\n--- stderr\n[HOME]/work\n--- exit 3\n");
    }
}
