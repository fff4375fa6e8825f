//! Small files of ours for agents whose hooks are code.

/// The hooks of Copilot CLI.
pub(super) fn copilot(program: &str) -> String {
    let command = |event: &str| format!("{program} hook copilot {event}");
    let call = |event: &str| serde_json::json!([{"type": "command", "bash": command(event), "timeoutSec": 10}]);
    let hooks = serde_json::json!({
        "version": 1,
        "hooks": {"postToolUse": call("post-tool-use"), "sessionStart": call("session-start")},
    });
    format!("{hooks:#}\n")
}

/// The plugin of opencode: what its tools answer goes through the hook.
pub(super) fn opencode(program: &str) -> String {
    let program = serde_json::Value::from(program);
    format!(
        r#"// Written by `loadline install opencode`; `loadline uninstall opencode` removes it.
import {{ spawnSync }} from "node:child_process"

export const Loadline = async ({{ directory }}) => ({{
  "tool.execute.after": async (input, output) => {{
    if (typeof output.output !== "string" || output.output.length < 2000) return
    const event = {{
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args ?? output.metadata ?? {{}},
      tool_response: output.output,
    }}
    const run = spawnSync({program} + " hook opencode post-tool-use", {{
      shell: true, input: JSON.stringify(event), encoding: "utf8", timeout: 10000,
      maxBuffer: 1 << 28,
    }})
    try {{
      const answer = JSON.parse(run.stdout)
      if (typeof answer.output === "string") output.output = answer.output
    }} catch {{}}
  }},
}})
"#
    )
}

/// The extension of pi: what its tools answer goes through the hook.
pub(super) fn pi(program: &str) -> String {
    let program = serde_json::Value::from(program);
    format!(
        r#"// Written by `loadline install pi`; `loadline uninstall pi` removes it.
import {{ spawnSync }} from "node:child_process"

export default function (pi: any) {{
  pi.on("tool_result", async (event: any, ctx: any) => {{
    const texts = (event.content ?? []).filter((part: any) => part.type === "text")
    if (texts.length !== 1 || texts[0].text.length < 2000) return
    const run = spawnSync({program} + " hook pi post-tool-use", {{
      shell: true, encoding: "utf8", timeout: 10000, maxBuffer: 1 << 28,
      input: JSON.stringify({{
        session_id: ctx?.sessionManager?.getSessionFile?.() ?? "",
        cwd: ctx?.cwd ?? "",
        tool_name: event.toolName,
        tool_input: event.input ?? {{}},
        tool_response: texts[0].text,
      }}),
    }})
    try {{
      const answer = JSON.parse(run.stdout)
      if (typeof answer.output !== "string") return
      const content = event.content.map((part: any) =>
        part.type === "text" ? {{ ...part, text: answer.output }} : part)
      return {{ content }}
    }} catch {{}}
  }})
}}
"#
    )
}
