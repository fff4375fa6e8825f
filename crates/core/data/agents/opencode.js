// Written by `loadline install opencode`; `loadline uninstall opencode` removes it.
import { spawnSync } from "node:child_process"

const ask = (moment, event) => {
  const run = spawnSync("COMMAND" + moment, {
    shell: true, input: JSON.stringify(event), encoding: "utf8", timeout: 20000,
    maxBuffer: 1 << 28,
  })
  try {
    return JSON.parse(run.stdout)
  } catch {}
}

export const Loadline = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    if (typeof output.output !== "string" || output.output.length < 2000) return
    const answer = ask("post-tool-use", {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args ?? output.metadata ?? {},
      tool_response: output.output,
    })
    if (typeof answer?.output === "string") output.output = answer.output
  },
  "experimental.session.compacting": async (input, output) => {
    const answer = ask("pre-compact", { session_id: input.sessionID, cwd: directory })
    if (typeof answer?.summary !== "string") return
    output.prompt = "Answer with exactly the text between the lines of equals signs, and " +
      "nothing else.\n==========\n" + answer.summary + "\n=========="
  },
})
