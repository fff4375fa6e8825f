//! pi: an extension of ours hands plain text to the hook and takes plain text back.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::bill::{Before, lines_with, time};
use super::install::script;
use super::{
    Agent, AgentHomes, Facts, FoundSession, InstallScope, PlannedFile, Profile, Request, Shell,
    Spending,
};
use crate::session::SessionFormat;

pub(super) struct Pi;

impl Profile for Pi {
    fn facts(&self) -> Facts {
        Facts {
            format: Some(SessionFormat::Pi),
            takes_summary: true,
            shell_of_windows: Shell::Cmd,
            ..Facts::new("pi", "pi, through an extension")
        }
    }

    fn log_places(&self, homes: &AgentHomes) -> Vec<PathBuf> {
        vec![own(homes).join("sessions")]
    }

    fn resume(&self, session: &FoundSession) -> Option<Vec<OsString>> {
        Some(vec!["--session".into(), session.path.clone().into()])
    }

    fn requests(&self, log: &[u8], before: &mut Before) -> Vec<Request> {
        let mut heads = lines_with::<Value>(log, "\"cwd\"");
        let head = heads.find(|line| line["type"] == "session");
        if let Some(head) = head {
            before.project = head["cwd"].as_str().map(str::to_owned);
            before.thread = head["id"].as_str().unwrap_or_default().to_owned();
        }
        lines_with::<Line>(log, "\"usage\"")
            .filter(|line| line.message.role == "assistant")
            .map(|line| line.request(before))
            .filter(|request| request.spending.total() > 0)
            .collect()
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let file = |homes: &AgentHomes| own(homes).join("extensions/loadline.ts");
        let path = scope.path(file, ".pi/extensions/loadline.ts");
        let extension = include_str!("../../data/agents/pi.ts");
        PlannedFile::whole(path, script(extension, scope, Agent::Pi))
    }
}

fn own(homes: &AgentHomes) -> PathBuf {
    homes.own(&homes.pi, ".pi/agent")
}

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    timestamp: Option<String>,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    model: Option<String>,
    usage: Usage,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Cost {
    total: Option<f64>,
}

impl Line {
    fn request(self, before: &Before) -> Request {
        let usage = self.message.usage;
        let id = self.id.unwrap_or_default();
        let stamp = self.timestamp.as_deref().unwrap_or_default();
        Request {
            agent: Agent::Pi,
            key: format!("pi:{id}:{stamp}"),
            time: time(self.timestamp.as_deref()),
            model: self.message.model,
            project: before.project.clone(),
            thread: before.thread.clone(),
            spending: Spending {
                input: usage.input.unwrap_or(0),
                output: usage.output.unwrap_or(0),
                cache_read: usage.cache_read.unwrap_or(0),
                cache_write: usage.cache_write.unwrap_or(0),
                cache_write_long: 0,
            },
            logged_cost: usage.cost.and_then(|cost| cost.total),
        }
    }
}
