//! Text on its way to the clipboard, by the sequence OSC 52.
//!
//! The terminal does the copying, so it works over SSH and needs no program.
//! Nothing says whether it did: many terminals ask first, cut off, or ignore
//! what is long.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Many terminals take no more encoded bytes than this.
pub(crate) const LIKELY_LIMIT: usize = 100_000;

/// A terminal that can be asked to copy.
pub(crate) struct Clipboard {
    terminal: Terminal,
}

enum Terminal {
    Own(File),
    Stderr,
}

impl Clipboard {
    /// Finds the terminal; there may be none.
    pub(crate) fn open() -> Option<Clipboard> {
        let terminal = match OpenOptions::new().write(true).open("/dev/tty") {
            Ok(file) => Terminal::Own(file),
            Err(_) if io::stderr().is_terminal() => Terminal::Stderr,
            Err(_) => return None,
        };
        Some(Clipboard { terminal })
    }

    /// Sends a text and returns the bytes it took, encoded.
    pub(crate) fn copy(&mut self, text: &[u8], in_tmux: bool) -> io::Result<usize> {
        let sequence = sequence(text, in_tmux);
        match &mut self.terminal {
            Terminal::Own(file) => file.write_all(&sequence).and_then(|()| file.flush()),
            Terminal::Stderr => io::stderr().lock().write_all(&sequence),
        }?;
        Ok(sequence.len())
    }
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
