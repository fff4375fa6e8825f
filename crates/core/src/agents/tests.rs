//! Logs, bills and sessions of every agent.

use std::fs::File;
use std::time::{Duration, SystemTime};

use loadline_testkit::Tree;

use super::*;
use crate::budget::Models;
use crate::usage::{UsageReportOptions, usage_report};

const CLAUDE: &str = r#"{"type":"user","uuid":"u0","timestamp":"2026-01-30T23:50:00.000Z","cwd":"/w/app","message":{"role":"user","content":"the word \"usage\" in a text"}}
{"type":"assistant","uuid":"u1","requestId":"r1","timestamp":"2026-01-30T23:59:00.000Z","cwd":"/w/app","message":{"id":"m1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":10,"output_tokens":1,"cache_creation_input_tokens":1000,"cache_read_input_tokens":5000,"cache_creation":{"ephemeral_5m_input_tokens":400,"ephemeral_1h_input_tokens":600}}}}
{"type":"assistant","uuid":"u2","requestId":"r1","timestamp":"2026-01-30T23:59:01.000Z","cwd":"/w/app","message":{"id":"m1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":10,"output_tokens":90,"cache_creation_input_tokens":1000,"cache_read_input_tokens":5000,"cache_creation":{"ephemeral_5m_input_tokens":400,"ephemeral_1h_input_tokens":600}}}}
{"type":"assistant","uuid":"u3","isSidechain":true,"requestId":"r2","timestamp":"2026-01-31T00:10:00.000Z","cwd":"/w/app","message":{"id":"m2","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":7,"output_tokens":3}}}
{"type":"assistant","uuid":"u4","timestamp":"2026-01-31T00:10:00.000Z","message":{"id":"m3","model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}
{"type":"assistant","uuid":"u5","message":{"id":"m4","usage":{"input_tok"#;

const CODEX: &str = r#"{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w/tool"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"turn_context","payload":{"model":"gpt-5"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":107},"last_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":107},"last_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}}}
{"timestamp":"2026-01-02T03:05:08.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":230},"last_token_usage":{"input_tokens":110,"cached_input_tokens":100,"output_tokens":13}}}}
"#;

const GEMINI: &str = r#"{"sessionId":"s","projectHash":"0123456789abcdef","messages":[
{"id":"a","timestamp":"2026-01-03T00:00:00Z","type":"user","content":"hi"},
{"id":"b","timestamp":"2026-01-03T00:00:01Z","type":"gemini","model":"gemini-2.5-pro","tokens":{"input":100,"output":10,"cached":30,"thoughts":5,"tool":2,"total":117}}]}"#;

const OPENCODE: &str = r#"{"id":"msg_1","role":"assistant","modelID":"my-model","path":{"cwd":"/w/oc"},"time":{"created":1767225600000},"cost":0.25,"tokens":{"input":5,"output":6,"reasoning":1,"cache":{"read":7,"write":8}}}"#;

const PI: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-04T00:00:00Z","cwd":"/w/pi"}
{"type":"message","id":"e1","timestamp":"2026-01-04T00:00:01Z","message":{"role":"user","content":"hi"}}
{"type":"message","id":"e2","timestamp":"2026-01-04T00:00:02Z","message":{"role":"assistant","model":"claude-opus-4-5","usage":{"input":10,"output":5,"cacheRead":100,"cacheWrite":1,"cost":{"total":1}}}}
"#;

const LOGGED: [Agent; 5] =
    [Agent::ClaudeCode, Agent::Codex, Agent::Gemini, Agent::Opencode, Agent::Pi];

#[test]
fn f129_a_request_of_several_lines_counts_once() {
    let requests = read_requests(CLAUDE.as_bytes(), Agent::ClaudeCode);
    assert_eq!(requests.len(), 2, "{requests:?}");
    let first = requests[0].spending;
    assert_eq!((first.input, first.output, first.cache_read), (10, 90, 5_000));
    assert_eq!((first.cache_write, first.cache_write_long), (400, 600));
    assert_eq!(requests[0].project.as_deref(), Some("/w/app"));
}

#[test]
fn f129_every_agent_is_read() {
    let codex = read_requests(CODEX.as_bytes(), Agent::Codex);
    assert_eq!(codex.len(), 2, "a count that is told again is no request");
    assert_eq!((codex[0].spending.input, codex[0].spending.cache_read), (60, 40));
    assert_eq!(codex[1].model.as_deref(), Some("gpt-5"));
    let gemini = read_requests(GEMINI.as_bytes(), Agent::Gemini);
    let spent = gemini[0].spending;
    assert_eq!((spent.input, spent.output, spent.cache_read), (72, 15, 30));
    assert_eq!(gemini[0].project.as_deref(), Some("01234567"));
    let broken = r#","tokens":{"input":9}},{"id":"c","tokens":{"input":5}}]}"#;
    let broken = GEMINI.replace(
        r#","tokens":{"input":100,"output":10,"cached":30,"thoughts":5,"tool":2,"total":117}}]}"#,
        broken,
    );
    let broken = read_requests(broken.as_bytes(), Agent::Gemini);
    assert_eq!(broken[1].model.as_deref(), Some("gemini-2.5-pro"), "that of the one before");
    let opencode = read_requests(OPENCODE.as_bytes(), Agent::Opencode);
    assert_eq!((opencode[0].spending.output, opencode[0].logged_cost), (7, Some(0.25)));
    let exported = format!(r#"{{"info":{{}},"messages":[{{"info":{OPENCODE},"parts":[]}}]}}"#);
    assert_eq!(read_requests(exported.as_bytes(), Agent::Opencode), opencode);
    let pi = read_requests(PI.as_bytes(), Agent::Pi);
    assert_eq!((pi.len(), pi[0].spending.sent()), (1, 111));
    let logs = [CLAUDE, CODEX, GEMINI, OPENCODE, PI];
    for (log, agent) in logs.into_iter().zip(LOGGED) {
        assert_eq!(Agent::detect(log.as_bytes()), Some(agent));
        for cut in [0, 1, log.len() / 2, log.len() - 1] {
            let _ = read_requests(&log.as_bytes()[..cut], agent);
        }
    }
    assert_eq!(Agent::detect(b"nothing\n{}"), None);
}

#[test]
fn f133_a_report_by_day_model_project_and_agent() {
    let logs = [CLAUDE, CODEX, GEMINI, OPENCODE, PI];
    let mut requests = Vec::new();
    for (log, agent) in logs.into_iter().zip(LOGGED) {
        requests.extend(read_requests(log.as_bytes(), agent));
    }
    // A session that was resumed has the same requests in a second file.
    requests.extend(read_requests(CLAUDE.as_bytes(), Agent::ClaudeCode));
    let models = Models::builtin().unwrap();
    let report = usage_report(requests.clone(), &models, UsageReportOptions::default());
    assert_eq!(report.total.requests, 7);
    let days: Vec<&str> = report.days.iter().map(|it| it.name.as_str()).collect();
    let want = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-30", "2026-01-31"];
    assert_eq!(days, want);
    let cost: f64 = report.models.iter().map(|it| it.cost).sum();
    assert!((cost - report.total.cost).abs() < 1e-9);
    assert_eq!(report.models[0].name, "my-model", "by its logged cost");
    assert!((report.models[0].cost - 0.25).abs() < 1e-9);
    assert!(report.models.is_sorted_by(|a, b| a.cost >= b.cost));
    assert_eq!(report.agents.len(), 5);
    assert_eq!(report.notes, []);
    // 23:59 is the next day two hours east.
    let offset = jiff::tz::Offset::constant(2);
    let east = usage_report(
        requests,
        &models,
        UsageReportOptions { offset, ..UsageReportOptions::default() },
    );
    assert!(east.days.iter().all(|day| day.name != "2026-01-30"));
}

#[test]
fn f133_a_model_without_prices_costs_a_note() {
    let log = OPENCODE.replace("0.25", "0");
    let requests = read_requests(log.as_bytes(), Agent::Opencode);
    let models = Models::builtin().unwrap();
    let report = usage_report(requests, &models, UsageReportOptions::default());
    assert_eq!((report.total.cost, report.total.unpriced), (0.0, 1), "money is not invented");
    assert_eq!(report.total.spending.total(), 27);
    assert!(report.notes[0].to_string().starts_with("my-model: its prices are not known"));
}

fn age(tree: &Tree, path: &str, seconds: u64) {
    let file = File::options().write(true).open(tree.path(path)).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - seconds);
    file.set_modified(time).unwrap();
}

#[test]
fn sessions_of_every_agent_are_found_newest_first() {
    let hashed = "0c9a453fad615c83c57d57c2b2be05fa938f0791d7624db43827a033227bf78b";
    let tree = Tree::new(
        r#"
        //- /.claude/projects/-work/a.jsonl
        {"type":"summary","summary":"x"}
        {"type":"user","cwd":"/work","message":{}}
        //- /.claude/projects/-work/agent-1.jsonl
        {"type":"user","cwd":"/work","message":{}}
        //- /.claude/projects/-other/b.jsonl
        {"type":"user","cwd":"/workshop","message":{}}
        //- /.claude/projects/-work/broken.jsonl
        {"type":
        //- /.codex/sessions/2026/01/02/rollout-1.jsonl
        {"type":"session_meta","payload":{"cwd":"/work/sub"}}
        //- /.pi/agent/sessions/--work--/c.jsonl
        {"type":"session","version":3,"cwd":"/work"}
        //- /.gemini/tmp/work/.project_root
        /work
        //- /.gemini/tmp/work/logs.json
        []
        //- /.gemini/tmp/work/chats/session-d.jsonl
        {"sessionId":"d","projectHash":"x","startTime":"t","kind":"main"}
        //- /.gemini/tmp/work/chats/session-e.jsonl
        {"sessionId":"e","projectHash":"x","startTime":"t","kind":"subagent"}
        //- /.gemini/tmp/HASH/chats/session-f.json
        {"sessionId":"f","projectHash":"x","startTime":"t","messages":[]}
        //- /.gemini/tmp/0123/chats/session-g.json
        {"sessionId":"g","projectHash":"x","startTime":"t","messages":[]}
        //- /.local/share/opencode/storage/session/p/ses_1.json
        {"id":"ses_1","directory":"/work","time":{"updated":999950000}}
        //- /.local/share/opencode/storage/session/p/ses_2.json
        {"id":"ses_2","directory":"/work","parentID":"ses_1","time":{"updated":2}}
        //- /.local/share/opencode/storage/message/ses_1/msg_1.json
        {"id":"msg_1","role":"user"}
        //- /.local/share/opencode/storage/part/msg_1/prt_1.json
        {"id":"prt_1","type":"text","text":"hello"}
        "#
        .replace("HASH", hashed)
        .as_str(),
    );
    let ages = [
        (".pi/agent/sessions/--work--/c.jsonl".to_owned(), 10),
        (".codex/sessions/2026/01/02/rollout-1.jsonl".to_owned(), 20),
        (".claude/projects/-work/a.jsonl".to_owned(), 30),
        (".gemini/tmp/work/chats/session-d.jsonl".to_owned(), 40),
        (format!(".gemini/tmp/{hashed}/chats/session-f.json"), 60),
    ];
    for (path, seconds) in ages {
        age(&tree, &path, seconds);
    }
    let homes = AgentHomes::new(tree.root());
    let found = find_sessions(&homes, Path::new("/work"));
    let names: Vec<_> =
        found.iter().map(|it| it.path.file_name().unwrap().to_str().unwrap()).collect();
    let want = [
        "c.jsonl",
        "rollout-1.jsonl",
        "a.jsonl",
        "session-d.jsonl",
        "ses_1.json",
        "session-f.json",
    ];
    assert_eq!(names, want);
    assert_eq!(found[1].directory, Path::new("/work/sub"));
    assert!(found[4].is_named("ses_1"));
    let session = crate::session::read_session(found[4].read().unwrap(), found[4].format());
    let texts: Vec<String> = session.unwrap().turns[0].texts().map(str::to_owned).collect();
    assert_eq!(texts, ["hello"]);
    let nowhere = AgentHomes::new(tree.path("nowhere"));
    assert!(find_sessions(&nowhere, Path::new("/work")).is_empty());
}
