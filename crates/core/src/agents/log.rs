//! Reads the requests in logs: a part of a file at a time, and an unchanged file once.
//!
//! Logs of a year are gigabytes of text, of which a bill needs some hundred bytes per
//! request. Those are kept in the cache under the name, time and size of the log.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

use jiff::Timestamp;
use memchr::memrchr;
use serde::{Deserialize, Serialize};

use super::bill::Before;
use super::find::{LARGEST, open_plain_file};
use super::{Agent, Request, Spending, each_once, opencode, read_log, read_requests};
use crate::Remark;
use crate::cache::{Cache, ContentHash};

/// The kind under which the requests of logs are kept in the cache.
const FACT: &str = "requests/v1";
/// Bytes of a log that are read at a time.
const PART: u64 = 8 << 20;
/// How many logs are written to the cache at a time.
const KEPT_AT_ONCE: usize = 64;

/// A file that may hold requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Where it is.
    pub path: PathBuf,
    /// When it last changed.
    pub changed: SystemTime,
    /// Its bytes.
    pub length: u64,
    /// The agents that may have written it.
    pub agents: Vec<Agent>,
}

/// Reads the requests in logs, in their order; those of unchanged logs from the cache.
///
/// A request may be in several logs. What cannot be read costs a remark.
pub fn read_logs(logs: &[Log], store: &Cache, now_ns: i64) -> (Vec<Request>, Vec<Remark>) {
    let (requests, remarks) = read_each_log(logs, store, now_ns);
    (requests.into_iter().flatten().collect(), remarks)
}

/// Reads what [`read_logs`] reads, and keeps the requests of each log apart.
pub fn read_each_log(logs: &[Log], store: &Cache, now_ns: i64) -> (Vec<Vec<Request>>, Vec<Remark>) {
    let keys: Vec<ContentHash> = logs.iter().map(Log::key).collect();
    let known = store.facts(FACT, &keys, now_ns);
    let (mut requests, mut remarks, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    for ((log, key), known) in logs.iter().zip(keys).zip(known) {
        if let Some(kept) = known.and_then(|bytes| postcard::from_bytes::<Kept>(&bytes).ok()) {
            requests.push(kept.into_requests().collect());
            continue;
        }
        let (found, more) = log.requests();
        // What is written beside a database says more than its own time.
        if more.is_empty() && !opencode::is_database(&log.path) {
            fresh.extend(postcard::to_allocvec(&Kept::of(&found)).ok().map(|it| (key, it)));
        }
        requests.push(found);
        remarks.extend(more);
        if fresh.len() == KEPT_AT_ONCE {
            store.record_facts(FACT, &std::mem::take(&mut fresh), now_ns);
        }
    }
    if !fresh.is_empty() {
        store.record_facts(FACT, &fresh, now_ns);
    }
    (requests, remarks)
}

impl Log {
    /// Reads the requests in it. What cannot be read costs a remark.
    pub fn requests(&self) -> (Vec<Request>, Vec<Remark>) {
        let is_lines = self.path.extension().is_some_and(|it| it == "jsonl");
        let read = if opencode::is_database(&self.path) {
            opencode::read_requests(&self.path).map_err(|error| error.to_string())
        } else if is_lines {
            self.read_lines().map_err(|error| error.to_string())
        } else {
            let bytes = read_log(&self.path).map_err(|error| error.to_string());
            bytes.map(|bytes| self.requests_in(&bytes))
        };
        match read {
            Ok(requests) => (requests, Vec::new()),
            Err(error) => {
                let message = format!("cannot be read: {error}");
                let place = self.path.display().to_string();
                (Vec::new(), vec![Remark::new(place, message)])
            }
        }
    }

    fn requests_in(&self, bytes: &[u8]) -> Vec<Request> {
        let agents = self.agents.iter();
        let mut found = agents.map(|agent| read_requests(bytes, *agent));
        let found = found.find(|requests| !requests.is_empty());
        found.unwrap_or_default()
    }

    fn read_lines(&self) -> io::Result<Vec<Request>> {
        let (mut file, _) = open_plain_file(&self.path)?;
        let mut readers: Vec<(Agent, Before)> =
            self.agents.iter().map(|agent| (*agent, Before::default())).collect();
        let (mut requests, mut part) = (Vec::new(), Vec::new());
        while let Some(end) = read_part(&mut file, &mut part)? {
            for (agent, before) in &mut readers {
                let found = agent.profile().requests(&part[..end], before);
                if !found.is_empty() {
                    let writer = *agent;
                    requests.extend(found);
                    readers.retain(|(agent, _)| *agent == writer);
                    break;
                }
            }
            part.drain(..end);
        }
        Ok(each_once(requests))
    }

    /// What stands for its contents in the cache.
    fn key(&self) -> ContentHash {
        let since = self.changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut key = self.path.as_os_str().as_encoded_bytes().to_vec();
        key.push(0);
        key.extend(since.as_nanos().to_le_bytes());
        key.extend(self.length.to_le_bytes());
        key.extend(self.agents.iter().map(|it| *it as u8));
        ContentHash::of(&key)
    }
}

/// Adds the next lines of a file to what is left of the last ones; returns where whole
/// lines end, or `None` at the end.
fn read_part(file: &mut File, part: &mut Vec<u8>) -> io::Result<Option<usize>> {
    loop {
        let before = part.len();
        if file.take(PART).read_to_end(part)? == 0 {
            return Ok((before > 0).then_some(before));
        }
        if let Some(end) = memrchr(b'\n', &part[before..]) {
            return Ok(Some(before + end + 1));
        }
        if part.len() as u64 > LARGEST {
            return Err(io::Error::other("it has a line of more than 512 MB"));
        }
    }
}

/// The requests of a log as the cache keeps them: names once, and numbers.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    names: Vec<String>,
    requests: Vec<KeptRequest>,
}

#[derive(Serialize, Deserialize)]
struct KeptRequest {
    agent: u8,
    key: String,
    /// In microseconds.
    time: Option<i64>,
    model: Option<u32>,
    project: Option<u32>,
    thread: u32,
    /// Input, output, read, written, written for an hour.
    spending: [u64; 5],
    logged_cost: Option<f64>,
}

impl Kept {
    fn of(requests: &[Request]) -> Kept {
        let mut kept = Kept::default();
        for request in requests {
            let spending = &request.spending;
            let request = KeptRequest {
                agent: request.agent as u8,
                key: request.key.clone(),
                time: request.time.map(|it| it.as_microsecond()),
                model: request.model.as_deref().map(|it| kept.name(it)),
                project: request.project.as_deref().map(|it| kept.name(it)),
                thread: kept.name(&request.thread),
                spending: [
                    spending.input,
                    spending.output,
                    spending.cache_read,
                    spending.cache_write,
                    spending.cache_write_long,
                ],
                logged_cost: request.logged_cost,
            };
            kept.requests.push(request);
        }
        kept
    }

    fn name(&mut self, name: &str) -> u32 {
        // The same few names follow one another.
        let place = self.names.iter().rposition(|it| it == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        place as u32
    }

    fn into_requests(self) -> impl Iterator<Item = Request> {
        let name = move |place: u32| self.names.get(place as usize).cloned();
        self.requests.into_iter().filter_map(move |it| {
            let [input, output, cache_read, cache_write, cache_write_long] = it.spending;
            Some(Request {
                agent: *Agent::ALL.iter().find(|agent| **agent as u8 == it.agent)?,
                key: it.key,
                time: it.time.and_then(|it| Timestamp::from_microsecond(it).ok()),
                model: it.model.and_then(&name),
                project: it.project.and_then(&name),
                thread: name(it.thread).unwrap_or_default(),
                spending: Spending { input, output, cache_read, cache_write, cache_write_long },
                logged_cost: it.logged_cost,
            })
        })
    }
}
