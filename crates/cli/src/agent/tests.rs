use serde_json::json;

use super::*;

/// Shortens every text of ten letters and more to its first.
fn shortened(agent: Agent, moment: &str, body: Value) -> Option<Value> {
    let event = agent.event(moment, body);
    event.shorten(|text| (text.len() >= 10).then(|| text[..1].to_owned()))
}

#[test]
fn moments_are_known_by_every_name() {
    let moments = [
        ("post-tool-use", Moment::PostTool),
        ("PostToolUse", Moment::PostTool),
        ("AfterTool", Moment::PostTool),
        ("postToolUse", Moment::PostTool),
        ("pre-compact", Moment::PreCompact),
        ("PreCompress", Moment::PreCompact),
        ("SessionStart", Moment::SessionStart),
        ("BeforeTool", Moment::PreTool),
        ("Stop", Moment::Other),
        ("", Moment::Other),
    ];
    for (name, moment) in moments {
        assert_eq!(Moment::of(name), moment, "{name}");
    }
}

#[test]
fn claude_code_keeps_the_shape_of_an_output() {
    let body = |tool: &str, response: Value| json!({"tool_name": tool, "tool_response": response});
    let bash =
        json!({"stdout": "0123456789", "stderr": "", "interrupted": false, "isImage": false});
    let answer = shortened(Agent::ClaudeCode, "post-tool-use", body("Bash", bash)).unwrap();
    assert_eq!(
        answer["hookSpecificOutput"],
        json!({
            "hookEventName": "PostToolUse",
            "updatedToolOutput":
                {"stdout": "0", "stderr": "", "interrupted": false, "isImage": false},
        })
    );
    let blocks = json!([{"type": "text", "text": "0123456789"}]);
    let answer = shortened(
        Agent::ClaudeCode,
        "post-tool-use",
        body("mcp__a__b", blocks),
    )
    .unwrap();
    let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!(output[0]["text"], "0");
    for (tool, response) in [
        ("Write", json!({"content": "0123456789"})),
        ("Bash", json!({"stdout": "0123456789", "isImage": true})),
        ("Bash", json!({"stdout": "short"})),
        ("Bash", Value::Null),
    ] {
        let answer = shortened(
            Agent::ClaudeCode,
            "post-tool-use",
            body(tool, response.clone()),
        );
        assert_eq!(answer, None, "{tool} {response}");
    }
}

#[test]
fn codex_and_gemini_say_it_as_a_reason() {
    let body = json!({"tool_name": "Bash", "tool_response": "0123456789"});
    let answer = shortened(Agent::Codex, "PostToolUse", body);
    assert_eq!(answer, Some(json!({"decision": "block", "reason": "0"})));
    let body =
        json!({"tool_response": {"llmContent": [{"text": "0123456789"}], "returnDisplay": ""}});
    let answer = shortened(Agent::Gemini, "AfterTool", body);
    assert_eq!(answer, Some(json!({"decision": "deny", "reason": "0"})));
    let picture = json!({"tool_response": {"llmContent": [{"inlineData": {}}]}});
    assert_eq!(shortened(Agent::Gemini, "AfterTool", picture), None);
}

#[test]
fn copilot_and_plugins_have_their_own_words() {
    let body = json!({
        "toolName": "bash",
        "toolArgs": "{\"command\":\"make\"}",
        "toolResult": {"resultType": "success", "textResultForLlm": "0123456789"},
    });
    let event = Agent::Copilot.event("postToolUse", body.clone());
    assert_eq!(
        (event.tool.as_str(), &event.arguments),
        ("bash", &json!({"command": "make"}))
    );
    let answer = shortened(Agent::Copilot, "postToolUse", body);
    let result = json!({"resultType": "success", "textResultForLlm": "0"});
    assert_eq!(answer, Some(json!({"modifiedResult": result})));
    let body = json!({"tool_name": "bash", "tool_response": "0123456789"});
    let answer = shortened(Agent::Pi, "post-tool-use", body);
    assert_eq!(answer, Some(json!({"output": "0"})));
}

#[test]
fn what_is_no_event_is_nothing() {
    for body in [
        Value::Null,
        json!([1]),
        json!({"tool_response": 7}),
        json!("x"),
    ] {
        for agent in Agent::value_variants() {
            assert_eq!(shortened(*agent, "post-tool-use", body.clone()), None);
        }
    }
}
