//! Commits of a mirror: their files, indexed once per content, and their past.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, RwLock};

use loadline::pack::ranking::FileIndex;
use loadline::repo::{Decoded, EntryPoints, FileKind, decode, denied, language_of};
use rayon::prelude::*;

use crate::Failure;

/// Larger files are not looked at.
const LARGEST: u64 = 4 << 20;

/// A file of a commit.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) path: String,
}

pub(crate) struct Mirror {
    directory: PathBuf,
    cache: Option<PathBuf>,
    /// Indexes by the id of the content and the language; no index for what is not text.
    known: RwLock<HashMap<String, Option<&'static FileIndex>>>,
    fresh: Mutex<bool>,
}

impl Mirror {
    pub(crate) fn open(
        directory: &Path,
        cache: Option<&Path>,
        repo: &str,
    ) -> Result<Mirror, Failure> {
        let cache = cache.map(|cache| cache.join(repo.replace('/', "+")));
        let mut known = HashMap::new();
        if let Some(cache) = &cache {
            fs::create_dir_all(cache)?;
            if let Ok(bytes) = fs::read(cache.join("index")) {
                known = unpack(&bytes);
            }
        }
        Ok(Mirror {
            directory: directory.to_owned(),
            cache,
            known: RwLock::new(known),
            fresh: Mutex::new(false),
        })
    }

    fn git(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.directory).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes())?;
        }
        Ok(child.wait_with_output()?.stdout)
    }

    /// Returns what the cache holds, or works it out and keeps it.
    fn kept(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<Vec<u8>, Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let Some(path) = self.cache.as_ref().map(|cache| cache.join(name)) else {
            return work();
        };
        if let Ok(bytes) = fs::read(&path) {
            return Ok(bytes);
        }
        let bytes = work()?;
        fs::write(path, &bytes)?;
        Ok(bytes)
    }

    /// Lists the files of a commit that a pack would look at.
    pub(crate) fn files(&self, commit: &str) -> Result<Vec<Entry>, Failure> {
        let listed = self.kept(&format!("tree-{commit}"), || {
            self.git(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit], "")
        })?;
        let mut files = Vec::new();
        for row in listed.split(|byte| *byte == 0) {
            let Ok(row) = std::str::from_utf8(row) else {
                continue;
            };
            let Some((head, path)) = row.split_once('\t') else {
                continue;
            };
            let parts: Vec<&str> = head.split_whitespace().collect();
            let [mode, "blob", id, size] = parts.as_slice() else {
                continue;
            };
            let hidden = path.split('/').any(|part| part.starts_with('.'));
            let size: u64 = size.parse().unwrap_or(u64::MAX);
            let lock = FileKind::of(path, EntryPoints::Extended).lock;
            if *mode == "120000"
                || hidden
                || size > LARGEST
                || lock
                || denied(Path::new(path)).is_some()
            {
                continue;
            }
            files.push(Entry { id: (*id).to_owned(), path: path.to_owned() });
        }
        Ok(files)
    }

    /// Indexes the contents that are not known yet.
    pub(crate) fn index(&self, files: &[Entry]) -> Result<(), Failure> {
        let mut seen = HashSet::new();
        let new: Vec<&Entry> = {
            let known = self.known.read().map_err(|error| error.to_string())?;
            files
                .iter()
                .filter(|file| !known.contains_key(&file.id) && seen.insert(&file.id))
                .collect()
        };
        for part in new.chunks(2_000) {
            let mut reader = self.reader()?;
            let texts: Vec<(&Entry, Option<String>)> =
                part.iter().map(|file| (*file, reader.text(&file.id))).collect();
            let indexed: Vec<(String, Option<&'static FileIndex>)> = texts
                .into_par_iter()
                .map(|(file, text)| {
                    let language = language_of(Path::new(&file.path));
                    let index =
                        text.map(|text| &*Box::leak(Box::new(FileIndex::build(&text, language))));
                    (file.id.clone(), index)
                })
                .collect();
            self.known.write().map_err(|error| error.to_string())?.extend(indexed);
            *self.fresh.lock().map_err(|error| error.to_string())? = true;
        }
        Ok(())
    }

    /// Writes the indexes to the cache.
    pub(crate) fn keep(&self) -> Result<(), Failure> {
        let fresh = *self.fresh.lock().map_err(|error| error.to_string())?;
        let (Some(cache), true) = (&self.cache, fresh) else {
            return Ok(());
        };
        let known = self.known.read().map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        for (id, index) in known.iter() {
            let value = index.map(|index| index.as_bytes());
            bytes.push(id.len() as u8);
            bytes.extend(id.as_bytes());
            bytes.extend(value.map_or(u32::MAX, |value| value.len() as u32).to_le_bytes());
            bytes.extend(value.unwrap_or_default());
        }
        fs::write(cache.join("index"), bytes)?;
        Ok(())
    }

    pub(crate) fn known(&self, id: &str) -> Option<&'static FileIndex> {
        *self.known.read().ok()?.get(id)?
    }

    /// Reads the last thousand commits.
    pub(crate) fn log(&self, commit: &str) -> Result<Vec<u8>, Failure> {
        self.kept(&format!("commits-{commit}"), || {
            self.git(
                &[
                    "log",
                    "--no-merges",
                    "--no-renames",
                    "--name-only",
                    "-z",
                    "-n",
                    "1000",
                    "--format=%x01%H%n%B%x02",
                    commit,
                    "--",
                ],
                "",
            )
        })
    }

    /// Reads what commits changed.
    pub(crate) fn patches(&self, ids: &[&str]) -> Result<String, Failure> {
        let Some((first, _)) = ids.split_first() else {
            return Ok(String::new());
        };
        let digest =
            ids.iter().flat_map(|id| id.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        let bytes = self.kept(&format!("patches-{first}-{digest:x}"), || {
            let arguments =
                ["diff-tree", "--root", "-r", "-p", "-U3", "--no-renames", "--no-ext-diff"];
            self.git(&[&arguments[..], &["--stdin"]].concat(), &ids.join("\n"))
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn reader(&self) -> Result<Reader, Failure> {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(&self.directory)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Reader { child, input: Some(input), output })
    }
}

/// Reads contents by their ids.
pub(crate) struct Reader {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reader {
    /// Returns a content if it is there and is text.
    pub(crate) fn text(&mut self, id: &str) -> Option<String> {
        let input = self.input.as_mut()?;
        input.write_all(format!("{id}\n").as_bytes()).ok()?;
        input.flush().ok()?;
        let mut head = String::new();
        self.output.read_line(&mut head).ok()?;
        let size: usize = head.split_whitespace().nth(2)?.parse().ok()?;
        let mut bytes = vec![0; size + 1];
        self.output.read_exact(&mut bytes).ok()?;
        bytes.truncate(size);
        match decode(&bytes) {
            Decoded::Text { text, .. } => Some(text.into_owned()),
            Decoded::Binary { .. } => None,
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

/// Parts a log into messages and files.
pub(crate) fn commits(log: &[u8]) -> Vec<(String, String, Vec<&str>)> {
    let mut commits = Vec::new();
    for commit in log.split(|byte| *byte == 1).skip(1) {
        let Some(end) = commit.iter().position(|byte| *byte == 2) else {
            continue;
        };
        let text = String::from_utf8_lossy(&commit[..end]).into_owned();
        let (id, message) = text.split_once('\n').unwrap_or((&text, ""));
        let files = commit[end + 1..]
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .map(|name| name.trim_start_matches('\n'))
            .filter(|name| !name.is_empty())
            .collect();
        commits.push((id.to_owned(), message.to_owned(), files));
    }
    commits
}

fn unpack(bytes: &[u8]) -> HashMap<String, Option<&'static FileIndex>> {
    let mut known = HashMap::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first() {
        let Some((id, after)) = after.split_at_checked(usize::from(*length)) else {
            break;
        };
        let Some((size, after)) = after.split_first_chunk::<4>() else {
            break;
        };
        let size = u32::from_le_bytes(*size);
        let id = String::from_utf8_lossy(id).into_owned();
        if size == u32::MAX {
            known.insert(id, None);
            rest = after;
            continue;
        }
        let Some((value, after)) = after.split_at_checked(size as usize) else {
            break;
        };
        if let Some(index) = FileIndex::from_bytes(value.to_vec()) {
            known.insert(id, Some(&*Box::leak(Box::new(index))));
        }
        rest = after;
    }
    known
}
