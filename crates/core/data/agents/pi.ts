// Written by `loadline install pi`; `loadline uninstall pi` removes it.
import { spawnSync } from "node:child_process"

export default function (pi: any) {
  const ask = (moment: string, event: object) => {
    const run = spawnSync("COMMAND" + moment, {
      shell: true, encoding: "utf8", timeout: 20000, maxBuffer: 1 << 28,
      input: JSON.stringify(event),
    })
    try {
      return JSON.parse(run.stdout)
    } catch {}
  }
  pi.on("tool_result", async (event: any, ctx: any) => {
    const texts = (event.content ?? []).filter((part: any) => part.type === "text")
    if (texts.length !== 1 || texts[0].text.length < 2000) return
    const answer = ask("post-tool-use", {
      session_id: ctx?.sessionManager?.getSessionFile?.() ?? "",
      cwd: ctx?.cwd ?? "",
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_response: texts[0].text,
    })
    if (typeof answer?.output !== "string") return
    const content = event.content.map((part: any) =>
      part.type === "text" ? { ...part, text: answer.output } : part)
    return { content }
  })
  pi.on("session_before_compact", async (event: any, ctx: any) => {
    const { firstKeptEntryId, tokensBefore } = event.preparation ?? {}
    const path = ctx?.sessionManager?.getSessionFile?.() ?? ""
    const answer = ask("pre-compact", {
      session_id: path, transcript_path: path, cwd: ctx?.cwd ?? "", first_kept: firstKeptEntryId,
    })
    if (typeof answer?.summary !== "string") return
    return { compaction: { summary: answer.summary, firstKeptEntryId, tokensBefore } }
  })
}
