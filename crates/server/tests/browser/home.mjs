// Writes a home directory with made-up logs of agents: prices known and unknown, pauses,
// text that would be markup if it were not escaped, and a log that ends in a line.
import { mkdirSync, writeFileSync } from "node:fs";

const home = process.argv[2];
const sessions = 60;
for (let number = 0; number < sessions; number++) {
    const place = `${home}/.claude/projects/-work-shop${number % 3}`;
    mkdirSync(place, { recursive: true });
    const id = `0000${number}-session`;
    const start = Date.UTC(2026, 0, 1 + (number % 28), 9);
    const model = number % 7 === 3 ? "nobody-knows-1" : "claude-sonnet-4-5";
    const lines = [];
    let minute = 0;
    const row = (type, message, more = {}) => {
        const timestamp = new Date(start + minute * 60_000).toISOString();
        const common = { sessionId: id, cwd: number % 3 === 2 ? "/home/me/<b>shop" : `/home/me/shop${number % 3}`, version: "2", uuid: `${id}-${lines.length}` };
        const parentUuid = lines.length ? `${id}-${lines.length - 1}` : null;
        lines.push(JSON.stringify({ type, ...common, parentUuid, timestamp, message, ...more }));
    };
    let size = 12_000;
    for (let turn = 0; turn < 20 + ((number * 7) % 40); turn++) {
        minute += turn % 13 === 12 ? 90 : 1;
        const cold = turn === 0 || turn % 13 === 12;
        const text = `Look at cart ${turn} <script>alert(1)</script>`;
        row("user", { role: "user", content: text });
        const usage = { input_tokens: 4, output_tokens: 300,
            cache_read_input_tokens: cold ? 12_000 : size - 1_000, cache_creation_input_tokens: cold ? size - 12_000 : 1_000 };
        size += 1_700;
        const call = { type: "tool_use", id: `t${turn}`, name: turn % 3 ? "Read" : turn % 2 ? "Grep" : "Bash",
            input: turn % 3 ? { file_path: `/home/me/src/cart${turn % 5}.py` } : { command: "make test" } };
        row("assistant", { role: "assistant", id: `m${number}-${turn}`, model, usage, content: [{ type: "text", text: "Reading it." }, call] },
            { requestId: `r${number}-${turn}` });
        const output = Array.from({ length: 20 + (turn % 5) * 25 }, (_, at) => `line ${at} of cart ${turn % 5}: total = ${at * turn}`).join("\n");
        row("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `t${turn}`, content: output }] });
    }
    const end = number === 3 ? '\n{"type":"assist' : "\n";
    writeFileSync(`${place}/${id}.jsonl`, lines.join("\n") + end);
}
