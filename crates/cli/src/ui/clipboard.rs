//! Text on its way to the clipboard: by the system's own program, or else by the
//! terminal, with the sequence OSC 52.
//!
//! A terminal does the copying wherever it runs, so that works over SSH. Nothing says
//! whether it did: many terminals ask first, cut off, or ignore what is long.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::env;

/// Many terminals take no more encoded bytes than this.
pub(crate) const LIKELY_LIMIT: usize = 100_000;

/// The programs that copy what they read, and the variable without which they cannot.
const PROGRAMS: [(Option<&str>, &[&str]); 5] = [
    (None, &["pbcopy"]),
    (None, &["clip.exe"]),
    (Some(env::WAYLAND_DISPLAY), &["wl-copy"]),
    (Some(env::DISPLAY), &["xclip", "-selection", "clipboard"]),
    (Some(env::DISPLAY), &["xsel", "--clipboard", "--input"]),
];

/// Something that can be asked to copy.
pub(crate) enum Clipboard {
    /// A program, with its arguments.
    Program(&'static [&'static str]),
    /// A terminal.
    Terminal(File),
    /// A terminal that only standard error leads to.
    Stderr,
}

impl Clipboard {
    /// Finds a way to copy; there may be none.
    pub(crate) fn open() -> Option<Clipboard> {
        let directories = env::get(env::PATH).unwrap_or_default();
        let is_there = |program: &str| {
            std::env::split_paths(&directories).any(|directory| directory.join(program).is_file())
        };
        let is_usable = |variable: Option<&str>| variable.is_none_or(|it| env::get(it).is_some());
        let mut programs = PROGRAMS.into_iter();
        let found = programs.find(|(needs, program)| is_usable(*needs) && is_there(program[0]));
        if let Some((_, program)) = found {
            return Some(Clipboard::Program(program));
        }
        match OpenOptions::new().write(true).open("/dev/tty") {
            Ok(file) => Some(Clipboard::Terminal(file)),
            Err(_) => io::stderr().is_terminal().then_some(Clipboard::Stderr),
        }
    }

    /// Sends a text; returns how many bytes a terminal has to take, encoded.
    pub(crate) fn copy(&mut self, text: &[u8]) -> io::Result<Option<usize>> {
        let sequence = || sequence(text, env::get(env::TMUX).is_some());
        let sent = match self {
            Clipboard::Program(program) => return pipe(program, text).map(|()| None),
            Clipboard::Terminal(file) => {
                let sequence = sequence();
                file.write_all(&sequence).and_then(|()| file.flush())?;
                sequence.len()
            }
            Clipboard::Stderr => {
                let sequence = sequence();
                io::stderr().lock().write_all(&sequence)?;
                sequence.len()
            }
        };
        Ok(Some(sent))
    }
}

/// Hands a text to a program.
fn pipe(program: &[&str], text: &[u8]) -> io::Result<()> {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text)?;
    }
    let status = child.wait()?;
    let failed = || io::Error::other(format!("{} failed", program[0]));
    if status.success() { Ok(()) } else { Err(failed()) }
}

/// What makes a terminal copy a text; tmux wants its own wrapping around it.
fn sequence(text: &[u8], in_tmux: bool) -> Vec<u8> {
    let encoded = STANDARD.encode(text);
    let sequence = if in_tmux {
        // Every escape inside is doubled.
        format!("\x1bPtmux;\x1b\x1b]52;c;{encoded}\x07\x1b\\")
    } else {
        format!("\x1b]52;c;{encoded}\x07")
    };
    sequence.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_wrapped_for_the_terminal() {
        assert_eq!(sequence(b"hi", false), b"\x1b]52;c;aGk=\x07");
        assert_eq!(sequence("é".as_bytes(), true), b"\x1bPtmux;\x1b\x1b]52;c;w6k=\x07\x1b\\");
        assert_eq!(sequence(b"", false), b"\x1b]52;c;\x07");
    }
}
