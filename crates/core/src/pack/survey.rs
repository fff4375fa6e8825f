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
const VERSION: u32 = 6;

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
    pub(super) edge_case: bool,
    /// Why the text is not one that people wrote, where it shows.
    pub(super) generated: Option<String>,
    /// Secrets that were taken out of the text.
    pub(super) secrets: u32,
    pub(super) outline: Option<Outline>,
    /// Whether an outline was asked for.
    pub(super) parsed: bool,
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
    edge_case: bool,
    generated: Option<String>,
    secrets: u32,
    problem: Option<String>,
    /// Whether an outline was asked for.
    outlined: bool,
}

/// Which files are parsed. Parsing is most of the work.
pub(super) enum Parsed<'a> {
    /// None, since everything is shown in full.
    None,
    /// What people wrote; of a very large repository only code that runs.
    Written,
    /// Those of these paths.
    These(&'a HashSet<String>),
}

/// Bytes above which tests and data are not parsed.
const LARGE: u64 = 96 << 20;

impl Parsed<'_> {
    /// Returns whether each file is parsed.
    fn choose(&self, files: &[FoundFile], paths: &[String], options: &PackOptions) -> Vec<bool> {
        let is_large = files.iter().map(FoundFile::size).sum::<u64>() > LARGE;
        let is_parsed = |path: &String| {
            let kind = FileKind::of(path, options.score.names());
            let runs = !kind.test && !kind.data;
            match self {
                Parsed::None => false,
                Parsed::Written => !kind.generated && (runs || !is_large),
                Parsed::These(paths) => paths.contains(path),
            }
        };
        paths.iter().map(is_parsed).collect()
    }
}

/// Surveys files, in their order.
pub(super) fn survey(
    files: Vec<FoundFile>,
    parsed: &Parsed<'_>,
    options: &PackOptions,
    store: &Cache,
) -> Vec<Surveyed> {
    let counted = if options.is_chosen_from() { "counted" } else { "whole" };
    let (counter, form) = (options.counter.name(), options.form());
    let kind = format!("survey/{VERSION}/{counter}/{form}/{counted}");
    let cached = options.counter.is_cacheable() && store.is_enabled();
    let stamps: Vec<FileStamp> = files.iter().map(|file| file.stamp.clone()).collect();
    let known = if cached {
        store.lookup_files(&kind, &stamps, options.now_ns)
    } else {
        vec![None; files.len()]
    };
    let (done, total) = (AtomicUsize::new(0), files.len());
    let paths = shown_paths(&files);
    let outlined = parsed.choose(&files, &paths, options);
    let surveyed: Vec<(Surveyed, Option<RecordedFile>)> = files
        .into_par_iter()
        .zip(paths)
        .zip(outlined)
        .zip(known)
        .map(|(((file, path), outlined), known)| {
            let before = done.fetch_add(1, Ordering::Relaxed);
            options.report(Stage::Read, before, total);
            let mut surveyed = begin(file, path, outlined, options);
            let is_closed =
                matches!(surveyed.state, State::Denied(_) | State::Lock | State::TooLarge(..));
            if is_closed || options.cancel.is_cancelled() {
                return (surveyed, None);
            }
            let recalled =
                known.and_then(|known| decode_record(known.hash, &known.value, outlined));
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
    files.map(|(file, path)| begin(file, path, false, options)).collect()
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
            TaskContent::Text(options.bare(&stamp.path, secrets.redact(&text).0.into_owned()))
        }
        (Decoded::Text { text, .. }, None) => {
            TaskContent::Text(options.bare(&stamp.path, text.into_owned()))
        }
    }
}

/// Reads the text of a file as it is shown.
pub(super) fn load(stamp: &FileStamp, options: &PackOptions) -> Result<String, String> {
    let bytes = read_again(stamp, options.walk.max_file_size)?;
    let text = match (decode(&bytes), &options.secrets) {
        (Decoded::Text { text, .. }, Some(secrets)) => secrets.redact(&text).0.into_owned(),
        (Decoded::Text { text, .. }, None) => text.into_owned(),
        (Decoded::Binary(kind), _) => return Err(format!("is {kind} now")),
    };
    Ok(options.bare(&stamp.path, text))
}

impl Facts {
    /// What the reader of a text should hear about it.
    pub(super) fn remark(&self, path: &str) -> Option<Remark> {
        let message = match (&self.generated, &self.problem) {
            _ if self.secrets > 0 => {
                let secrets = self.secrets;
                format!("{secrets} secret{} redacted", if secrets == 1 { "" } else { "s" })
            }
            // That it is generated shows in its score; that it is minified, nowhere else.
            (Some(why), _) if why.starts_with("minified") => why.clone(),
            (_, problem) => format!("no outline: {}", problem.as_ref()?),
        };
        Some(Remark::new(path.to_owned(), message))
    }
}

/// What the reader should hear about a file that is not a text.
pub(super) fn remark(surveyed: &Surveyed) -> Option<Remark> {
    let message = match &surveyed.state {
        State::Text(_) => return None,
        State::Unreadable(why) => why.clone(),
        State::Denied(why) => format!("not packed: {why}; give its full path to pack it"),
        State::TooLarge(size, limit) => format!("{size} bytes, over the limit of {limit}"),
        State::Binary(_) | State::Lock => return None,
    };
    Some(Remark::new(surveyed.path.clone(), message))
}

/// Names files as they are shown, no two the same.
///
/// `a\nb` may be a name with a newline or one with a backslash; the one that
/// reads as it is keeps its name, the other gets a number.
pub(super) fn shown_paths(files: &[FoundFile]) -> Vec<String> {
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

fn begin(file: FoundFile, path: String, outlined: bool, options: &PackOptions) -> Surveyed {
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
    Surveyed { language: language_of(&file.relative), outlined, path, stamp: file.stamp, state }
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
        Decoded::Binary(kind) => State::Binary(kind.to_owned()),
        Decoded::Text { text, .. } => {
            let found = facts(&text, hash, surveyed, options);
            State::Text(Box::new(found))
        }
    };
    Some(RecordedFile {
        stamp: surveyed.stamp.clone(),
        hash,
        value: encode_record(&surveyed.state, surveyed.outlined)?,
    })
}

fn facts(text: &str, hash: ContentHash, surveyed: &Surveyed, options: &PackOptions) -> Facts {
    let language = surveyed.language;
    let (shown, findings) = match &options.secrets {
        Some(secrets) => secrets.redact(text),
        None => (text.into(), Vec::new()),
    };
    let shown = options.bare(&surveyed.stamp.path, shown.into_owned());
    let generated = match content_kind(&shown) {
        ContentKind::Written => None,
        kind => Some(kind.to_string()),
    };
    let parsed = language.filter(|_| generated.is_none() && surveyed.outlined);
    let outlined = parsed.map(|language| outline(language, &shown));
    let (outline, problem) = match outlined {
        Some(Err(SyntaxError::UnknownLanguage { .. })) | None => (None, None),
        Some(Err(error)) => (None, Some(error.to_string())),
        Some(Ok(outline)) if is_garbled(&outline) => (None, Some("syntax errors".to_owned())),
        Some(Ok(outline)) => (Some(outline), None),
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
        edge_case: has_edge_case(&shown),
        generated,
        secrets: u32::try_from(findings.len()).unwrap_or(u32::MAX),
        outline,
        parsed: surveyed.outlined,
        text: (!options.is_chosen_from()).then(|| Arc::from(shown)),
        problem,
    }
}

/// Tells whether errors left nothing of a text to outline.
fn is_garbled(outline: &Outline) -> bool {
    outline.has_errors && outline.definitions.is_empty() && outline.imports.is_empty()
}

/// A line of JSON, then the outline.
fn encode_record(state: &State, outlined: bool) -> Option<Vec<u8>> {
    let (head, outline) = match state {
        State::Text(facts) => {
            let head = Head {
                binary: None,
                lines: facts.lines,
                tokens: facts.tokens.get(),
                edge_case: facts.edge_case,
                generated: facts.generated.clone(),
                secrets: facts.secrets,
                problem: facts.problem.clone(),
                outlined,
            };
            (head, facts.outline.as_ref().map(Outline::to_bytes))
        }
        State::Binary(kind) => {
            let head = Head {
                binary: Some(kind.clone()),
                lines: 0,
                tokens: 0,
                edge_case: false,
                generated: None,
                secrets: 0,
                problem: None,
                outlined: true,
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

/// Undoes [`encode_record`]; anything odd, or an outline that is wanted and missing,
/// means that the file is read again.
fn decode_record(hash: ContentHash, bytes: &[u8], outlined: bool) -> Option<State> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    if let Some(kind) = head.binary {
        return Some(State::Binary(kind));
    }
    if outlined && !head.outlined {
        return None;
    }
    // The same with and without a record: what was not asked for is not there.
    let outline = match &bytes[end + 1..] {
        rest if outlined && !rest.is_empty() => Some(Outline::from_bytes(rest)?),
        _ => None,
    };
    Some(State::Text(Box::new(Facts {
        hash,
        lines: head.lines,
        tokens: Tokens::new(head.tokens),
        edge_case: head.edge_case,
        generated: head.generated,
        secrets: head.secrets,
        outline,
        parsed: outlined,
        text: None,
        problem: head.problem.filter(|_| outlined),
    })))
}
