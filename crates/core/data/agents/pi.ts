// Written by `loadline install pi`; `loadline uninstall pi` removes it.
import { spawnSync } from "node:child_process"

export default function (pi: any) {
  pi.on("tool_result", async (event: any, ctx: any) => {
    const texts = (event.content ?? []).filter((part: any) => part.type === "text")
    if (texts.length !== 1 || texts[0].text.length < 2000) return
    const run = spawnSync("PROGRAM" + " hook pi post-tool-use", {
      shell: true, encoding: "utf8", timeout: 10000, maxBuffer: 1 << 28,
      input: JSON.stringify({
        session_id: ctx?.sessionManager?.getSessionFile?.() ?? "",
        cwd: ctx?.cwd ?? "",
        tool_name: event.toolName,
        tool_input: event.input ?? {},
        tool_response: texts[0].text,
      }),
    })
    try {
      const answer = JSON.parse(run.stdout)
      if (typeof answer.output !== "string") return
      const content = event.content.map((part: any) =>
        part.type === "text" ? { ...part, text: answer.output } : part)
      return { content }
    } catch {}
  })
}
