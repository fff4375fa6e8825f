//! Surveys every file before anything is chosen.
//!
//! Each text is read once, decoded, freed of secrets, counted and outlined, on
//! all cores; contents are dropped again, and read anew if they are chosen.
//! What was found is cached by content, so that an unchanged file
//! is not even opened the next time.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::candidate::signature_text;
use super::source::{read_again, read_now};
use super::{PackOptions, Stage};
use crate::Remark;
use crate::cache::{Cache, ContentHash, FileStamp, RecordedFile};
use crate::pack::ranking::TaskContent;
use crate::repo::{ContentKind, Decoded, FileKind};
use crate::repo::{FoundFile, language_of};
use crate::repo::{content_kind, decode, denied, display_path, has_edge_case};
use crate::syntax::{Outline, SyntaxError, outline};
use crate::tokens::Tokens;

/// Raised whenever what is recorded changes its meaning.
const VERSION: u32 = 4;

/// One file with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Surveyed {
    /// The path from the root, with `/` between its parts.
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) language: Option<&'static str>,
    /// Whether it is worth parsing.
    outlined: bool,
    pub(super) state: State,
}

/// What a file turned out to be.
#[derive(Clone, Debug)]
pub(super) enum State {
    Text(Box<Facts>),
    /// Not text, and of which kind.
    Binary(String),
    /// Cannot be read, and why.
    Unreadable(String),
    /// Must not be shown, and why.
    Denied(&'static str),
    /// Over the limit for files: its size, and the limit.
    TooLarge(u64, u64),
    /// Written by a package manager, and not worth reading.
    Lock,
}

/// What is known of a text.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) hash: ContentHash,
    pub(super) lines: u32,
    /// The tokens of the whole text, without any frame.
    pub(super) tokens: Tokens,
    /// The tokens of its signatures, without any frame.
    pub(super) signature_tokens: Tokens,
    pub(super) edge_case: bool,
    /// Why the text is not one that people wrote, where it shows.
    pub(super) generated: Option<String>,
    /// Secrets that were taken out of the text.
    pub(super) secrets: u32,
    pub(super) outline: Option<Outline>,
    /// The text as it is shown, where it is known that it will be.
    pub(super) text: Option<Arc<str>>,
    /// Why there is no outline, where one was expected.
    pub(super) problem: Option<String>,
}

/// The part of a record before the outline.
#[derive(Serialize, Deserialize)]
struct Head {
    binary: Option<String>,
    lines: u32,
    tokens: u64,
    signature_tokens: u64,
    edge_case: bool,
    generated: Option<String>,
    secrets: u32,
    problem: Option<String>,
}

/// How much is learnt about files. Parsing is most of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Nothing is parsed, since everything is shown in full.
    Whole,
    /// What people wrote is parsed.
    Written,
    /// There is so much that only code which runs is parsed.
    Code,
}

/// Bytes above which tests and data are not parsed.
const LARGE: u64 = 96 << 20;

impl Work {
    fn of(files: &[FoundFile], options: &PackOptions) -> Work {
        let bytes: u64 = files.iter().map(FoundFile::size).sum();
        if !options.is_chosen_from() {
            Work::Whole
        } else if bytes > LARGE {
            Work::Code
        } else {
            Work::Written
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Work::Whole => "whole",
            Work::Written => "written",
            Work::Code => "code",
        }
    }

    /// Whether a file of this kind is parsed; what scores low is not worth it.
    const fn outlines(self, kind: FileKind) -> bool {
        match self {
            Work::Whole => false,
            Work::Written => !kind.generated,
            Work::Code => !kind.generated && !kind.test && !kind.data,
        }
    }
}

/// Surveys files, in their order.
pub(super) fn survey(files: Vec<FoundFile>, options: &PackOptions, store: &Cache) -> Vec<Surveyed> {
    let work = Work::of(&files, options);
    let kind = format!(
        "survey/{VERSION}/{}/{}/{}",
        options.counter.name(),
        match options.secrets {
            Some(_) => "redacted",
            None => "raw",
        },
        work.name(),
    );
    let cached = options.counter.is_cacheable() && store.is_enabled();
    let stamps: Vec<FileStamp> = files.iter().map(|file| file.stamp.clone()).collect();
    let known = if cached {
        store.lookup_files(&kind, &stamps, options.now_ns)
    } else {
        vec![None; files.len()]
    };
    let (done, total) = (AtomicUsize::new(0), files.len());
    let paths = shown_paths(&files);
    let surveyed: Vec<(Surveyed, Option<RecordedFile>)> = files
        .into_par_iter()
        .zip(paths)
        .zip(known)
        .map(|((file, path), known)| {
            let before = done.fetch_add(1, Ordering::Relaxed);
            options.report(Stage::Read, before, total);
            let mut surveyed = begin(file, path, work, options);
            let is_closed =
                matches!(surveyed.state, State::Denied(_) | State::Lock | State::TooLarge(..));
            if is_closed || options.cancel.is_cancelled() {
                return (surveyed, None);
            }
            let recalled = known.and_then(|known| decode_record(known.hash, &known.value));
            if let Some(state) = recalled {
                surveyed.state = state;
                return (surveyed, None);
            }
            let record = read(&mut surveyed, options);
            (surveyed, record)
        })
        .collect();
    let (surveyed, records): (Vec<_>, Vec<_>) = surveyed.into_iter().unzip();
    if cached {
        let records: Vec<RecordedFile> = records.into_iter().flatten().collect();
        store.record_files(&kind, &records, options.now_ns);
    }
    surveyed
}

/// Lists files without opening any; what may be opened is unreadable so far.
pub(super) fn list(files: Vec<FoundFile>, options: &PackOptions) -> Vec<Surveyed> {
    let paths = shown_paths(&files);
    let files = files.into_iter().zip(paths);
    files.map(|(file, path)| begin(file, path, Work::Whole, options)).collect()
}

/// Reads a file for the index of a task, and keeps what went wrong.
pub(super) fn load_for_index(
    stamp: &FileStamp,
    options: &PackOptions,
    failures: &Mutex<Vec<(PathBuf, String)>>,
) -> TaskContent {
    if options.cancel.is_cancelled() {
        return TaskContent::Unreadable;
    }
    let bytes = match read_again(stamp, options.walk.max_file_size) {
        Ok(bytes) => bytes,
        Err(why) => {
            let mut failures = failures.lock().unwrap_or_else(|error| error.into_inner());
            failures.push((stamp.path.clone(), why));
            return TaskContent::Unreadable;
        }
    };
    match (decode(&bytes), &options.secrets) {
        (Decoded::Binary { .. }, _) => TaskContent::NotText,
        (Decoded::Text { text, .. }, Some(secrets)) => {
            TaskContent::Text(secrets.redact(&text).0.into_owned())
        }
        (Decoded::Text { text, .. }, None) => TaskContent::Text(text.into_owned()),
    }
}

/// Reads the text of a file as it is shown.
pub(super) fn load(stamp: &FileStamp, options: &PackOptions) -> Result<String, String> {
    let bytes = read_again(stamp, options.walk.max_file_size)?;
    match (decode(&bytes), &options.secrets) {
        (Decoded::Text { text, .. }, Some(secrets)) => Ok(secrets.redact(&text).0.into_owned()),
        (Decoded::Text { text, .. }, None) => Ok(text.into_owned()),
        (Decoded::Binary { kind }, _) => Err(format!("is {kind} now")),
    }
}

/// What the reader should hear about a file.
pub(super) fn remark(surveyed: &Surveyed) -> Option<Remark> {
    let message = match &surveyed.state {
        State::Text(facts) if facts.secrets > 0 => {
            let secrets = facts.secrets;
            format!("{secrets} secret{} redacted", if secrets == 1 { "" } else { "s" })
        }
        State::Text(facts) => match (&facts.generated, &facts.problem) {
            // That it is generated shows in its score; that it is minified, nowhere else.
            (Some(why), _) if why.starts_with("minified") => why.clone(),
            (_, problem) => format!("no outline: {}", problem.as_ref()?),
        },
        State::Unreadable(why) => why.clone(),
        State::Denied(why) => format!("not packed: {why}; name its very path to pack it"),
        State::TooLarge(size, limit) => format!("{size} bytes, over the limit of {limit}"),
        State::Binary(_) | State::Lock => return None,
    };
    Some(Remark::new(surveyed.path.clone(), message))
}

/// Names files as they are shown, no two the same.
///
/// `a\nb` may be a name with a newline or one with a backslash; the one that
/// reads as it is keeps its name, the other gets a number.
fn shown_paths(files: &[FoundFile]) -> Vec<String> {
    let mut shown: Vec<String> = files.iter().map(|file| display_path(&file.relative)).collect();
    let is_plain = |number: &usize| files[*number].relative.to_str() == Some(&shown[*number]);
    let (plain, escaped): (Vec<usize>, Vec<usize>) = (0..files.len()).partition(is_plain);
    if escaped.is_empty() {
        return shown;
    }
    let mut taken: HashSet<String> = plain.iter().map(|&number| shown[number].clone()).collect();
    for number in escaped {
        let name = shown[number].clone();
        let mut copy = 2;
        while !taken.insert(shown[number].clone()) {
            shown[number] = format!("{name} ({copy})");
            copy += 1;
        }
    }
    shown
}

fn begin(file: FoundFile, path: String, work: Work, options: &PackOptions) -> Surveyed {
    let kind = FileKind::of(&path, options.score.names());
    let limit = options.walk.max_file_size.unwrap_or(u64::MAX);
    let state = match denied(&file.relative) {
        // A file that was named is wanted.
        _ if file.named => State::Unreadable(String::new()),
        Some(why) => State::Denied(why),
        None if kind.lock => State::Lock,
        None if file.size() > limit => State::TooLarge(file.size(), limit),
        None => State::Unreadable(String::new()),
    };
    Surveyed {
        language: language_of(&file.relative),
        outlined: work.outlines(kind),
        path,
        stamp: file.stamp,
        state,
    }
}

/// Reads a file, and says what to record of it.
fn read(surveyed: &mut Surveyed, options: &PackOptions) -> Option<RecordedFile> {
    let bytes = match read_now(&mut surveyed.stamp, options.walk.max_file_size) {
        Ok(bytes) => bytes,
        Err(why) => {
            surveyed.state = State::Unreadable(why);
            return None;
        }
    };
    let hash = ContentHash::of(&bytes);
    surveyed.state = match decode(&bytes) {
        Decoded::Binary { kind } => State::Binary(kind.to_owned()),
        Decoded::Text { text, .. } => {
            let found = facts(&text, hash, surveyed, options);
            State::Text(Box::new(found))
        }
    };
    Some(RecordedFile {
        stamp: surveyed.stamp.clone(),
        hash,
        value: encode_record(&surveyed.state)?,
    })
}

fn facts(text: &str, hash: ContentHash, surveyed: &Surveyed, options: &PackOptions) -> Facts {
    let language = surveyed.language;
    let (shown, findings) = match &options.secrets {
        Some(secrets) => secrets.redact(text),
        None => (text.into(), Vec::new()),
    };
    let generated = match content_kind(&shown) {
        ContentKind::Written => None,
        kind => Some(kind.to_string()),
    };
    let parsed = language.filter(|_| generated.is_none() && surveyed.outlined);
    let outlined = parsed.map(|language| outline(language, &shown));
    let problem = match &outlined {
        Some(Err(SyntaxError::UnknownLanguage { .. })) | None | Some(Ok(_)) => None,
        Some(Err(error)) => Some(error.to_string()),
    };
    let outline = outlined.and_then(Result::ok);
    let signature_tokens = if options.is_chosen_from() {
        let text = signature_text(&surveyed.path, language, outline.as_ref(), &shown);
        options.counter.count(&text)
    } else {
        Tokens::ZERO
    };
    Facts {
        hash,
        lines: u32::try_from(shown.lines().count()).unwrap_or(u32::MAX),
        tokens: if options.is_chosen_from() || !options.counter.has_seams() {
            options.counter.count(&shown)
        } else {
            // Counted once, when it is written.
            Tokens::ZERO
        },
        signature_tokens,
        edge_case: has_edge_case(&shown),
        generated,
        secrets: u32::try_from(findings.len()).unwrap_or(u32::MAX),
        outline,
        text: (!options.is_chosen_from()).then(|| Arc::from(shown)),
        problem,
    }
}

/// A line of JSON, then the outline.
fn encode_record(state: &State) -> Option<Vec<u8>> {
    let (head, outline) = match state {
        State::Text(facts) => {
            let head = Head {
                binary: None,
                lines: facts.lines,
                tokens: facts.tokens.get(),
                signature_tokens: facts.signature_tokens.get(),
                edge_case: facts.edge_case,
                generated: facts.generated.clone(),
                secrets: facts.secrets,
                problem: facts.problem.clone(),
            };
            (head, facts.outline.as_ref().map(Outline::to_bytes))
        }
        State::Binary(kind) => {
            let head = Head {
                binary: Some(kind.clone()),
                lines: 0,
                tokens: 0,
                signature_tokens: 0,
                edge_case: false,
                generated: None,
                secrets: 0,
                problem: None,
            };
            (head, None)
        }
        State::Unreadable(_) | State::Denied(_) | State::Lock | State::TooLarge(..) => return None,
    };
    let mut bytes = serde_json::to_vec(&head).ok()?;
    bytes.push(b'\n');
    bytes.extend(outline.unwrap_or_default());
    Some(bytes)
}

/// Undoes [`encode_record`]; anything odd means that the file is read again.
fn decode_record(hash: ContentHash, bytes: &[u8]) -> Option<State> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    if let Some(kind) = head.binary {
        return Some(State::Binary(kind));
    }
    let rest = &bytes[end + 1..];
    let outline = match rest {
        [] => None,
        rest => Some(Outline::from_bytes(rest)?),
    };
    Some(State::Text(Box::new(Facts {
        hash,
        lines: head.lines,
        tokens: Tokens::new(head.tokens),
        signature_tokens: Tokens::new(head.signature_tokens),
        edge_case: head.edge_case,
        generated: head.generated,
        secrets: head.secrets,
        outline,
        text: None,
        problem: head.problem,
    })))
}
