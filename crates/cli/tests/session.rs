//! `loadline session`, `loadline recall` and `loadline check`

use insta::assert_snapshot;

use crate::common::{World, json, parsed, piped, run};

/// A session of pi: a header, two changes that are no messages, and three requests.
const PI: &str = r#"//- /pi.jsonl
{"type":"session","version":3,"id":"s1","timestamp":"2026-01-31T12:00:00.000Z","cwd":"/work/app"}
{"type":"model_change","id":"m0","parentId":null,"timestamp":"2026-01-31T12:00:00.000Z","provider":"anthropic","modelId":"claude-opus-4-6"}
{"type":"thinking_level_change","id":"t0","parentId":"m0","timestamp":"2026-01-31T12:00:00.000Z","thinkingLevel":"off"}
{"type":"message","id":"a1","parentId":"t0","timestamp":"2026-01-31T12:00:01.000Z","message":{"role":"user","content":"Why does the parser fail on empty input?"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-31T12:00:09.000Z","message":{"role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"Let me read it."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"src/parser.py"}}],"usage":{"input":3,"output":60,"cacheRead":0,"cacheWrite":3000,"totalTokens":3063}}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-31T12:00:10.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"def parse(text):\n    first = text[0]\n    return [first] + parse(text[1:])\n"}],"isError":false}}
{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-01-31T12:01:40.000Z","message":{"role":"assistant","model":"claude-opus-4-6","content":[{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"/work/app/src/parser.py"}}],"usage":{"input":3,"output":61,"cacheRead":3000,"cacheWrite":100,"totalTokens":3164}}}
{"type":"message","id":"a5","parentId":"a4","timestamp":"2026-01-31T12:01:41.000Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"def parse(text):\n    first = text[0]\n    return [first] + parse(text[1:])\n"}],"isError":false}}
{"type":"message","id":"a6","parentId":"a5","timestamp":"2026-01-31T12:14:02.000Z","message":{"role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"It takes the first character of a text that has none."}],"usage":{"input":3,"output":15,"cacheRead":3100,"cacheWrite":99,"totalTokens":3217}}}
"#;

/// A session of messages that is long enough to be trimmed.
pub(crate) fn long_session() -> String {
    let mut messages =
        vec![r#"{"role":"user","content":"Find the bug in the parser."}"#.to_owned()];
    for round in 1..=24 {
        let lines: Vec<String> = (1..=60)
            .map(|line| {
                format!("line {line} of part {round}: value_{round}_{line} = compute({line})")
            })
            .collect();
        messages.push(format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"c{round}","name":"Read","input":{{"file_path":"src/part{round}.py"}}}}]}}"#
        ));
        messages.push(format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{round}","content":"{}"}}]}}"#,
            lines.join("\\n")
        ));
    }
    format!("//- /long.json\n[{}]\n", messages.join(",\n"))
}

#[test]
fn f154_f156_f157_a_session_is_shown_and_is_a_document() {
    let world = World::new(PI);
    assert_snapshot!(run(&world, &["session", "stats", "pi.jsonl", "--window", "8k"]), @r"
    Session tokens: ~133 (2% of context)
    pi · claude-opus-4-6 · window 8,000 · counted by claude-3 · 6 turns, 1 of the user · 14 min 1 s

    8.0k ┤
         ┤
    6.0k ┤
         ┤
    4.0k ┤                        ▁▁▁▁▁▁▁▁▁▁▁▁
         ┤████████████████████████████████████
    2.0k ┤████████████████████████████████████
         ┤████████████████████████████████████
       0 ┼────────────────────────────────────
          turn 1                             6

    role         blocks  tokens   share
    user              1      13   9.8 %  █▋
    assistant         4      58  43.6 %  ███████
    tool              2      62  46.6 %  ███████▌

    kind         blocks  tokens   share
    tool result       2      62  46.6 %  ███████▌
    text              3      38  28.6 %  ████▋
    tool call         2      33  24.8 %  ████

    tool  calls  failed  tokens in  out   share
    read      2                 33   62  71.4 %

    tokens  repeated  reads  file
        62        31      2  src/parser.py
    Reading the same lines again cost 31 tokens, 23.3 %.

    tokens  turn  largest blocks
        31     3  tool result, read  src/parser.py
        31     5  tool result, read  /work/app/src/parser.py
        19     4  tool call, read    /work/app/src/parser.py
        16     6  text               It takes the first character of a t…
        14     2  tool call, read    src/parser.py
        13     1  text               Why does the parser fail on empty i…
         9     2  text               Let me read it.

    billed   compared  billed  counted  median error  95 % within
    growth          2     199      198         1.0 %        1.0 %
    replies         2     121      120         1.6 %        1.6 %
    3 requests; system prompt and tools, which the log does not show: ~2,991 tokens.
    Next request: ~3,217 (40% of context)
    3 lines of 3 types are not sent to the model; --json lists them.
    ");
    let document = json(&world, &["session", "stats", "pi.jsonl"]);
    assert_eq!(document["format"], "pi");
    assert_eq!(document["counter"], "claude-3");
    assert_eq!((&document["turns"], &document["user_turns"]), (&6.into(), &1.into()));
    assert_eq!(document["growth"].as_array().unwrap().len(), 6);
    assert_eq!(document["span"][0], "2026-01-31T12:00:01Z");
    assert_eq!(document["files"][0]["path"], "src/parser.py");
    assert_eq!(document["files"][0]["reads"], 2);
    assert_eq!(document["billed"]["requests"], 3);
    assert!(document["billed"]["growth"]["median_error"].as_f64().unwrap() < 0.05);
    let document = json(&world, &["session", "stats", "pi.jsonl"]);
    assert_eq!(document["turns"], 6);
    assert_eq!(document["unknown"], serde_json::json!({}));
}

#[test]
fn f183_f184_pressure_is_told_in_three_shapes_and_a_full_window_fails_the_check() {
    let world = World::new(PI);
    let pressure =
        |more: &[&str]| run(&world, &[&["session", "pressure", "pi.jsonl"], more].concat());
    assert_snapshot!(pressure(&[]), @"░░░░░░░░░░░░░░░░░░░░ 0% of context, ~3,217 of 1,000,000 tokens");
    assert_snapshot!(pressure(&["--window", "4k"]), @r"
    ████████████████░░░░ 80% of context, ~3,217 of 4,000 tokens
    Context at 80.4%. Consider compaction.
    ");
    assert_snapshot!(pressure(&["--window", "4k", "--format", "footer"]), @r"

    <sub>📊 Context: ████████████████░░░░ 80%
    ℹ️ Older conversation turns are being summarized to preserve context quality.</sub>
    ");
    assert_snapshot!(pressure(&["--window", "40k", "--format", "footer"]), @"");
    let document = json(&world, &["session", "pressure", "pi.jsonl", "--window", "3k"]);
    assert_eq!(document["severity"], "emergency");
    assert_eq!(document["bar"], "█".repeat(20));
    assert!(document["percent"].as_u64() > Some(100));
    assert_snapshot!(run(&world, &["check", "pi.jsonl"]), @"ok: ~3,217 of 1,000,000 tokens, 0.3%, at most 85% allowed");
    assert_snapshot!(run(&world, &["check", "pi.jsonl", "--window", "3600", "--max-percent", "90"]), @"ok: ~3,217 of 3,600 tokens, 89.4%, at most 90% allowed");
    assert_snapshot!(run(&world, &["check", "pi.jsonl", "--max-tokens", "3k"]), @r"
    over: ~3,217 of 1,000,000 tokens, 0.3%, at most 3,000 tokens allowed
    --- exit 3
    ");
    let input = world.work().read("pi.jsonl");
    let document =
        parsed(&piped(&world, &["check", "--json", "--window", "3600"], input).exits(3).stdout);
    assert_eq!((&document["ok"], &document["max_percent"]), (&false.into(), &85.0.into()));
}

#[test]
fn f180_where_the_footer_begins_is_configured() {
    let world = World::new(PI).with("LOADLINE_PRESSURE_SHOW_ABOVE", "90");
    let args = ["session", "pressure", "pi.jsonl", "--format", "footer", "--window"];
    let footer = |window: &str| run(&world, &[&args[..], &[window]].concat()).stdout;
    assert_eq!(footer("4k"), "");
    assert!(footer("3k").contains("📊 Context: ████████████████████ 10"));
}

#[test]
fn a_session_is_converted() {
    let world = World::new(PI);
    let convert =
        |args: &[&str]| run(&world, &[&["session", "convert", "pi.jsonl", "--to"], args].concat());
    convert(&["pi"]).prints(world.work().read("pi.jsonl"));
    assert_snapshot!(convert(&["anthropic", "-o", "out.json"]), @"");
    let document = json(&world, &["session", "stats", "out.json"]);
    assert_eq!((&document["format"], &document["turns"]), (&"anthropic".into(), &6.into()));
    assert_snapshot!(convert(&["nothing"]).stderr.lines().next().unwrap(), @r#"error: invalid value 'nothing' for '--to <FORMAT>': unknown session format "nothing"; formats are claude-code, pi, swe-agent, codex, gemini, opencode, openai-responses, openai-chat, anthropic"#);
}

#[test]
fn f225_f280_what_was_cut_is_recalled_and_restored() {
    let world = World::new(&long_session());
    let trimmed =
        run(&world, &["session", "trim", "long.json", "--budget", "3000", "-c", "o200k", "-q"])
            .exits(0);
    world.work().write("trimmed.json", &trimmed.stdout);
    let found = regex::Regex::new("recall ([0-9a-z]{8})").unwrap();
    let handle = found.captures(&trimmed.stdout).unwrap()[1].to_owned();
    let original = world.work().read("long.json");
    let restored = run(&world, &["session", "restore", "trimmed.json", "-o", "again.json"]);
    assert_eq!(
        (restored.to_string().as_str(), world.work().read("again.json")),
        ("", original.clone())
    );
    assert_eq!(run(&world, &["recall", &handle]).stdout, original);
    let turn = format!("{handle}:6");
    let lines = run(&world, &["recall", &turn, "--lines", "1-6"]);
    assert_snapshot!(lines, @r"
    [turn 6 assistant call]
    Read
    file_path:
    src/part3.py
    [turn 7 user result]
    line 1 of part 3: value_3_1 = compute(1)
    ");
    assert_snapshot!(run(&world, &["recall", &turn, "--grep", "value_3_(7|42)\\b"]), @r"
    12: line 7 of part 3: value_3_7 = compute(7)
    47: line 42 of part 3: value_3_42 = compute(42)
    ");
    let document = json(&world, &["recall", &turn, "--lines", "4"]);
    assert_eq!(document["total_lines"], 65);
    assert_eq!(document["lines"][0]["number"], 4);
    run(&world, &["recall", &turn, "--grep", "no such thing"]).exits(1).prints("");
    let beyond = run(&world, &["recall", &format!("{handle}:99")]);
    assert_snapshot!(beyond, @r"
    --- stderr
    error[LL-SES-009]: there is no turn 99; the session has 49
    --- exit 2
    ");
}

#[test]
fn what_cannot_be_restored_says_why() {
    let world = World::new(
        "//- /whole.json\n[{\"role\":\"user\",\"content\":\"hello\"}]\n//- /gone.json\n[loadline: kept 1 of 2 lines; recall k3f9c2td:7]\n",
    );
    assert_snapshot!(run(&world, &["session", "restore", "whole.json"]), @r"
    --- stderr
    error[LL-SES-010]: nothing in this session names an original
      hint: it was not trimmed, or with the cache off; it may be whole
    --- exit 1
    ");
    assert_snapshot!(run(&world, &["session", "restore", "gone.json"]), @r#"
    --- stderr
    error[LL-STO-002]: no original has the handle "k3f9c2td"
      hint: handles work in the project they come from, until `loadline archive prune`
    --- exit 1
    "#);
    assert_snapshot!(run(&world, &["recall", "k3f9c2td"]), @r#"
    --- stderr
    error[LL-STO-002]: no original has the handle "k3f9c2td"
      hint: handles work in the project they come from, until `loadline archive prune`
    --- exit 1
    "#);
    assert_snapshot!(run(&world, &["recall", "k3f9c2td:7-3"]).stderr.lines().next().unwrap(), @r#"error: invalid value 'k3f9c2td:7-3' for '<HANDLE[:TURN]>': malformed range "7-3"; write 7, 3-7 or 3-"#);
}
