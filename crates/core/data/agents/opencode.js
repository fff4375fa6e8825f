// Written by `loadline install opencode`; `loadline uninstall opencode` removes it.
import { spawnSync } from "node:child_process"

export const Loadline = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    if (typeof output.output !== "string" || output.output.length < 2000) return
    const event = {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args ?? output.metadata ?? {},
      tool_response: output.output,
    }
    const run = spawnSync("PROGRAM" + " hook opencode post-tool-use", {
      shell: true, input: JSON.stringify(event), encoding: "utf8", timeout: 10000,
      maxBuffer: 1 << 28,
    })
    try {
      const answer = JSON.parse(run.stdout)
      if (typeof answer.output === "string") output.output = answer.output
    } catch {}
  },
})
