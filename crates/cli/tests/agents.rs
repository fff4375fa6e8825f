//! `loadline hook`, `statusline`, `install`, `uninstall`, `doctor` and `ledger`

use serde_json::{Value, json};

use crate::common::{
    Run, World, json as document, parsed, piped, run, write_home, write_user_config,
};

fn log(lines: usize) -> String {
    (0..lines).map(|line| format!("step {line} of the build went well\n")).collect()
}

fn bash(output: &str) -> Value {
    json!({
        "session_id": "s1", "cwd": "/w", "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false},
    })
}

fn read_file(text: &str) -> Value {
    json!({
        "session_id": "s1", "hook_event_name": "PostToolUse",
        "tool_name": "Read", "tool_input": {"file_path": "/w/a.rs"},
        "tool_response": {"type": "text", "file": {"filePath": "/w/a.rs", "content": text}},
    })
}

fn hook(world: &World, agent: &str, event: &str, body: impl AsRef<[u8]>) -> Run {
    piped(world, &["hook", agent, event], body)
}

fn post(world: &World, body: &Value) -> Run {
    hook(world, "claude-code", "post-tool-use", body.to_string())
}

/// The text that the model sees instead.
fn shortened(run: &Run) -> String {
    let answer = parsed(&run.stdout);
    let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
    let text = output["stdout"].as_str();
    text.or_else(|| output["file"]["content"].as_str()).unwrap().to_owned()
}

fn handle(text: &str) -> &str {
    let (_, rest) = text.split_once("recall ").unwrap();
    rest.split([']', '\n']).next().unwrap()
}

#[test]
fn a_long_output_is_shortened_and_comes_back() {
    let world = World::new("");
    let output = log(3_000);
    let run = post(&world, &bash(&output)).exits(0).is_silent();
    let text = shortened(&run);
    assert!(text.len() < 4_000, "{text}");
    assert!(text.contains("step 2999 of the build"), "{text}");
    crate::common::run(&world, &["recall", handle(&text)]).prints(output);
    let ledger = document(&world, &["ledger"]);
    assert_eq!(ledger["totals"][0]["tool"], "Bash");
    assert_eq!(ledger["totals"][0]["rule"], "command");
    assert_eq!(ledger["recalls"], 1);
    assert!(ledger["saved"].as_u64().unwrap() > 20_000, "{ledger}");
}

#[test]
fn small_outputs_files_and_diffs_stay() {
    let world = World::new("");
    let diff = format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n{}", log(2_000));
    for body in [bash("ok"), bash(&log(40)), bash(&diff), read_file(&log(3_000))] {
        post(&world, &body).exits(0).prints("");
    }
}

#[test]
fn a_file_that_is_read_again_becomes_a_pointer() {
    let world = World::new("");
    let text = log(3_000);
    assert_eq!(post(&world, &read_file(&text)).stdout, "");
    let pointer = shortened(&post(&world, &read_file(&text)));
    assert!(pointer.starts_with("[loadline: the same 3000 lines"), "{pointer}");
    assert_eq!(run(&world, &["recall", handle(&pointer)]).stdout, text);
    // Another session has not seen it, nor has an agent's own agent, and after a
    // compaction nobody has.
    let mut other = read_file(&text);
    other["session_id"] = "s2".into();
    assert_eq!(post(&world, &other).stdout, "");
    let mut inner = read_file(&text);
    inner["agent_id"] = "a1".into();
    assert_eq!(post(&world, &inner).stdout, "");
    let compacted = json!({"session_id": "s1", "hook_event_name": "PreCompact"});
    hook(&world, "claude-code", "pre-compact", compacted.to_string()).exits(0);
    assert_eq!(post(&world, &read_file(&text)).stdout, "");
}

#[test]
fn a_session_is_kept_before_it_is_compacted_and_told_of_after_a_pause() {
    let world = World::new(
        r#"
        //- /log.jsonl
        {"type":"user","uuid":"a","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"Fix the login page."}}
        {"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s1","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"The form posts to the wrong address."}]}}
        "#,
    );
    let path = world.work().path("log.jsonl");
    let body = |event: &str, source: &str| {
        json!({"session_id": "s1", "hook_event_name": event, "source": source,
            "transcript_path": path.to_str()})
        .to_string()
    };
    let told = hook(&world, "claude-code", "pre-compact", body("PreCompact", ""))
        .shows(&["Fix the login page."]);
    let handle = told.stdout.split("recall ").nth(1).unwrap();
    let handle = handle.split('`').next().unwrap();
    let kept = run(&world, &["recall", handle]).stdout;
    assert_eq!(kept, std::fs::read_to_string(&path).unwrap());
    let start = |now: &str| {
        let args = ["hook", "claude-code", "session-start", "--now", now];
        let input = body("SessionStart", "resume");
        piped(&world, &args, input)
    };
    assert_eq!(start("1000000000").stdout, "", "it was written just now");
    start("4000000000").shows(&["additionalContext", "wrong address"]);
}

#[test]
fn rules_are_the_users() {
    let world = World::new("");
    write_user_config(&world, "[hook]\nread = 300\n[hook.tools]\nBash = 0\n");
    assert_eq!(post(&world, &bash(&log(3_000))).stdout, "");
    assert!(shortened(&post(&world, &read_file(&log(3_000)))).len() < 3_000);
    write_user_config(&world, "[hook]\nenabled = false\n");
    assert_eq!(post(&world, &bash(&log(3_001))).stdout, "");
}

#[test]
fn what_the_user_asked_to_see_stays() {
    let world = World::new(
        r#"
        //- /log.jsonl
        {"type":"user","message":{"role":"user","content":"run it and show me the log"}}
        "#,
    );
    let mut body = bash(&log(3_000));
    body["transcript_path"] = world.work().path("log.jsonl").to_str().into();
    assert_eq!(post(&world, &body).stdout, "");
}

#[test]
fn a_log_that_is_a_device_is_not_read() {
    let world = World::new("");
    let link = world.work().path("link.jsonl");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    for path in ["/dev/zero", link.to_str().unwrap()] {
        let body = json!({"session_id": "s1", "transcript_path": path}).to_string();
        hook(&world, "claude-code", "pre-compact", &body).exits(0).prints("");
        let mut output = bash(&log(3_000));
        output["transcript_path"] = path.into();
        assert!(shortened(&post(&world, &output)).len() < 4_000);
    }
}

#[test]
fn a_hook_never_fails_the_agent() {
    let world = World::new("");
    let half = bash(&log(3_000)).to_string();
    let inputs: [&[u8]; 6] = [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"{\"tool_name\": 7}",
        &half.as_bytes()[..half.len() / 2],
    ];
    for input in inputs {
        for agent in ["claude-code", "codex", "gemini", "copilot", "opencode", "pi"] {
            for event in ["post-tool-use", "pre-tool-use", "session-start", "pre-compact", "what"] {
                hook(&world, agent, event, input).exits(0).prints("");
            }
        }
    }
    write_user_config(&world, "[hook]\nleast = \"many\"\n");
    post(&world, &bash(&log(3_000))).exits(0).prints("");
    let kept = std::fs::read_to_string(world.home().join(".cache/loadline/hook.log")).unwrap();
    assert!(kept.contains("hook.least"), "{kept}");
}

#[test]
fn an_archive_that_cannot_be_written_stops_nothing() {
    let world = World::new("//- /file\nnot a directory\n");
    let directory = world.work().path("file").join("data");
    let world = world.with("LOADLINE_DATA_DIR", directory.to_str().unwrap());
    post(&world, &bash(&log(3_000))).exits(0).prints("");
}

#[test]
fn every_agent_is_answered_in_its_words() {
    let world = World::new("");
    let text = log(3_000);
    let codex =
        json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": text});
    let answer = parsed(&hook(&world, "codex", "post-tool-use", codex.to_string()).stdout);
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("; recall "));
    let gemini = json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"},
        "tool_response": {"llmContent": text, "returnDisplay": ""}});
    let answer = parsed(&hook(&world, "gemini", "post-tool-use", gemini.to_string()).stdout);
    assert_eq!(answer["decision"], "deny");
}

#[test]
fn a_status_line_is_drawn_from_what_was_added() {
    let world = World::new(
        r#"
        //- /log.jsonl
        {"type":"user","message":{"role":"user","content":"hello"}}
        "#,
    )
    .with("PATH", "/usr/bin:/bin");
    let body = json!({
        "model": {"display_name": "Opus"},
        "transcript_path": world.work().path("log.jsonl").to_str(),
        "context_window": {"context_window_size": 200_000, "current_usage": {"input_tokens": 50_000}},
    });
    let line = |args: &[&str]| piped(&world, args, body.to_string());
    for _ in 0..2 {
        line(&["statusline"]).shows(&["50k/200k 25%"]);
    }
    line(&["statusline", "--chain", "echo before"]).begins("before Opus");
    piped(&world, &["statusline"], "no json").exits(0).prints("\n");
}

#[test]
fn installing_and_uninstalling_leaves_no_trace() {
    let world = World::new("").with("PATH", "/usr/bin:/bin");
    let before = "{\n  // mine\n  \"model\": \"opus\",\n}\n";
    let path = write_home(&world, ".claude/settings.json", before);
    run(&world, &["install", "claude-code"])
        .shows(&["hook claude-code post-tool-use"])
        .says(&["--yes"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    run(&world, &["install", "claude-code", "--yes"]).exits(0);
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.contains("// mine") && after.contains("PostToolUse"), "{after}");
    run(&world, &["install", "claude-code", "--yes"]).says(&["nothing to change"]);
    run(&world, &["doctor", "claude-code"]).exits(0).shows(&["ok       trial: "]);
    run(&world, &["uninstall", "claude-code", "--yes"]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    run(&world, &["doctor", "claude-code"]).exits(1).shows(&["loadline install claude-code"]);
}

#[test]
fn settings_that_are_not_understood_are_not_touched() {
    let world = World::new("");
    let path = write_home(&world, ".gemini/settings.json", "{\"hooks\": []}");
    run(&world, &["install", "gemini", "--yes"]).exits(1).says(&["LL-SET-003"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"hooks\": []}");
}
