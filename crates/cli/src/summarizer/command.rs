//! A command that reads turns and prints their summary.

use std::io::{Read, Write};
use std::process::{Child, Command as Process, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use loadline::settings::format_duration;

use super::{Failure, says_too_long};

/// The most bytes that are read of a summary, or of a complaint.
const LIMIT: u64 = 1 << 20;

/// What a shell reports of a command that cannot be run.
const NOT_RUN: [i32; 2] = [126, 127];

/// A command of the user's, run by the shell.
pub(super) struct Command {
    command: String,
    timeout: Duration,
}

/// What a command printed on both streams.
type Printed = (Vec<u8>, Vec<u8>);

impl Command {
    pub(super) fn new(command: &str, timeout: Duration) -> Command {
        Command { command: command.to_owned(), timeout }
    }

    /// Gives it a text and returns what it prints.
    pub(super) fn ask(&self, text: &str) -> Result<String, Failure> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let child = Process::new(shell)
            .args([flag, &self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let cannot = |error| Failure::Lasting(format!("cannot run {shell}: {error}"));
        let mut child = child.map_err(cannot)?;
        let answer = exchange(&mut child, text).recv_timeout(self.timeout);
        let Ok((printed, complaint)) = answer else {
            // It may have ended by itself in this moment.
            let _ = child.kill();
            let _ = child.wait();
            let patience = format_duration(self.timeout);
            return Err(Failure::Passing(format!("no answer within {patience}")));
        };
        let status = child.wait().map_err(cannot)?;
        if status.success() {
            Ok(String::from_utf8_lossy(&printed).into_owned())
        } else {
            Err(failure(status, &String::from_utf8_lossy(&complaint)))
        }
    }
}

/// Writes the text and reads both streams, each in a thread of its own: a
/// command may print before it has read everything.
fn exchange(child: &mut Child, text: &str) -> mpsc::Receiver<Printed> {
    let (sender, receiver) = mpsc::channel();
    let (input, text) = (child.stdin.take(), text.as_bytes().to_vec());
    thread::spawn(move || {
        // A command that does not read everything is free to.
        let _ = input.map(|mut input| input.write_all(&text));
    });
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        let complaint = thread::spawn(move || read(errors));
        let printed = read(output);
        let complaint = complaint.join().unwrap_or_default();
        // After a time-out nobody waits for it any more.
        let _ = sender.send((printed, complaint));
    });
    receiver
}

fn read(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // What was read before a failure is what there is.
        let _ = stream.take(LIMIT).read_to_end(&mut bytes);
    }
    bytes
}

fn failure(status: ExitStatus, complaint: &str) -> Failure {
    let line = complaint.lines().rfind(|line| !line.trim().is_empty());
    let reason = match line {
        Some(line) => format!("it failed ({status}): {}", line.trim()),
        None => format!("it failed ({status})"),
    };
    match status.code() {
        Some(code) if NOT_RUN.contains(&code) => Failure::Lasting(reason),
        _ if says_too_long(complaint) => Failure::TooLong(reason),
        _ => Failure::Passing(reason),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ask(command: &str, text: &str) -> Result<String, Failure> {
        Command::new(command, Duration::from_secs(20)).ask(text)
    }

    #[test]
    fn f171_a_command_reads_turns_and_prints_a_summary() {
        assert_eq!(ask("tr a-z A-Z", "hello"), Ok("HELLO".to_owned()));
        // More than a pipe holds, in both directions.
        let long = "abcdefg\n".repeat(50_000);
        assert_eq!(ask("cat", &long), Ok(long));
        assert_eq!(ask("echo done", &"x".repeat(1 << 20)), Ok("done\n".to_owned()));
    }

    #[test]
    fn f251_failures_are_told_apart() {
        let lasting = ask("no-such-command-at-all", "");
        assert!(matches!(lasting, Err(Failure::Lasting(_))), "{lasting:?}");
        let passing = ask("echo busy >&2; exit 3", "");
        let reason = "it failed (exit status: 3): busy".to_owned();
        assert_eq!(passing, Err(Failure::Passing(reason)));
        let long = ask("echo 'error: prompt is too long' >&2; exit 1", "");
        assert!(matches!(long, Err(Failure::TooLong(_))), "{long:?}");
        let silent = Command::new("sleep 60", Duration::from_millis(50)).ask("");
        let reason = "no answer within 50ms".to_owned();
        assert_eq!(silent, Err(Failure::Passing(reason)));
    }
}
