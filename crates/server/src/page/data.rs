//! Reads the logs once, and again only when one of them has changed.
//!
//! Which logs there are is looked up for every page, which costs a listing. Their requests
//! are kept as long as names, times and sizes are the same; what a page does not show is not
//! worked out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::Offset;
use loadline::Remark;
use loadline::agents::{
    Agent, FoundSession, Log, Request, find_logs, find_sessions, read_each_log,
};
use loadline::usage::{UsageReport, UsageReportOptions, usage_report};

use super::{PageOptions, State};

/// What the logs say.
pub(super) struct Data {
    logs: Vec<Log>,
    /// Conversations, newest first.
    pub(super) sessions: Vec<Session>,
    /// Logs without a request.
    pub(super) silent: usize,
    /// What could not be read.
    pub(super) remarks: Vec<Remark>,
    report: OnceLock<UsageReport>,
}

/// A conversation with an agent.
pub(super) struct Session {
    pub(super) agent: Agent,
    /// The agent's name of it, or that of its log.
    pub(super) id: String,
    /// The log that has most of it.
    pub(super) log: Log,
    /// Whether an agent had it with a helper.
    pub(super) is_helper: bool,
    pub(super) requests: Vec<Request>,
    /// When it was last used.
    pub(super) last: Timestamp,
}

impl State {
    /// Returns what the logs say now.
    pub(super) fn data(&self) -> Arc<Data> {
        let options = &self.options;
        let logs = find_logs(&options.agents, &options.homes);
        let mut kept = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = kept.as_ref().filter(|data| data.logs == logs) {
            return Arc::clone(data);
        }
        let data = Arc::new(Data::read(logs, options));
        *kept = Some(Arc::clone(&data));
        data
    }

    /// Reports requests by the settings.
    pub(super) fn report(&self, requests: Vec<Request>) -> UsageReport {
        let resume = &self.options.settings.resume;
        let options = UsageReportOptions {
            offset: Offset::UTC,
            least: resume.least.get(),
            target: resume.target.get(),
        };
        usage_report(requests, &self.options.models, options)
    }
}

impl Data {
    fn read(logs: Vec<Log>, options: &PageOptions) -> Data {
        let (requests, mut remarks) = read_each_log(&logs, &options.store, (options.clock)());
        remarks.extend(options.store.take_notes());
        let silent = requests.iter().filter(|it| it.is_empty()).count();
        let sessions = sessions(&logs, requests);
        Data { logs, sessions, silent, remarks, report: OnceLock::new() }
    }

    /// Returns the report over all sessions, worked out when it is first asked for.
    pub(super) fn report(&self, state: &State) -> &UsageReport {
        self.report.get_or_init(|| {
            let requests = self.sessions.iter().flat_map(|it| it.requests.iter().cloned());
            state.report(requests.collect())
        })
    }

    /// Finds a session by its agent and its name, among those that there are.
    pub(super) fn find(&self, agent: &str, id: &str) -> Option<&Session> {
        self.sessions.iter().find(|it| it.agent.name() == agent && it.id == id)
    }
}

/// The requests of a conversation, and how many of them each log has.
type Thread = (Vec<Request>, Vec<(usize, usize)>);

/// Puts the requests of each conversation together, from whatever logs, newest first.
fn sessions(logs: &[Log], requests: Vec<Vec<Request>>) -> Vec<Session> {
    let mut threads: BTreeMap<(Agent, String), Thread> = BTreeMap::new();
    for (place, (log, requests)) in logs.iter().zip(requests).enumerate() {
        for request in requests {
            let id = match request.thread.as_str() {
                "" => stem(&log.path),
                thread => thread.to_owned(),
            };
            let (all, counts) = threads.entry((request.agent, id)).or_default();
            all.push(request);
            match counts.last_mut() {
                Some((at, count)) if *at == place => *count += 1,
                _ => counts.push((place, 1)),
            }
        }
    }
    let mut largest: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, count) in threads.values().flat_map(|(_, counts)| counts) {
        let most = largest.entry(*at).or_default();
        *most = (*most).max(*count);
    }
    let session = |((agent, id), (requests, counts)): ((Agent, String), Thread)| {
        let (at, count) = *counts.iter().rev().max_by_key(|(_, count)| *count)?;
        let log = logs.get(at)?.clone();
        // A database holds many sessions; a file holds one, and sometimes its helpers.
        let is_lines = log.path.extension().is_some_and(|it| it == "jsonl");
        let is_lesser = is_lines && largest.get(&at).is_some_and(|most| count < *most);
        let is_helper = is_lesser || stem(&log.path).starts_with("agent-");
        let last = requests.iter().filter_map(|it| it.time).max();
        let last = last.or_else(|| changed(&log)).unwrap_or_default();
        Some(Session { agent, id, log, is_helper, requests, last })
    };
    let mut sessions: Vec<Session> = threads.into_iter().filter_map(session).collect();
    sessions.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.id.cmp(&b.id)));
    sessions
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn changed(log: &Log) -> Option<Timestamp> {
    let since = log.changed.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Timestamp::from_second(i64::try_from(since.as_secs()).ok()?).ok()
}

impl Session {
    /// The directory that the agent worked in.
    pub(super) fn project(&self) -> Option<&str> {
        self.requests.iter().rev().find_map(|it| it.project.as_deref())
    }

    /// The model that answered last.
    pub(super) fn model(&self) -> Option<&str> {
        self.requests.iter().rev().find_map(|it| it.model.as_deref())
    }

    /// Tokens of the last request with its answer.
    pub(super) fn size(&self) -> u64 {
        let last = self.requests.iter().max_by_key(|it| it.time);
        last.map_or(0, |it| it.spending.sent().saturating_add(it.spending.output))
    }

    /// Names the session as the library reads it.
    pub(super) fn found(&self, options: &PageOptions) -> Option<FoundSession> {
        if self.agent == Agent::Opencode {
            let all = find_sessions(&options.homes, Path::new("/"));
            return all.into_iter().find(|it| it.id.as_deref() == Some(&self.id));
        }
        Some(FoundSession {
            agent: self.agent,
            path: self.log.path.clone(),
            id: None,
            directory: self.project().unwrap_or_default().into(),
            changed: self.log.changed,
        })
    }
}
