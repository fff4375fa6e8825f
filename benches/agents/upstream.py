"""Runs agents offline against an upstream on this machine that records what it is sent."""
import http.server
import json
import os
import subprocess
import threading

# Codex itself cuts what is over 10,000 bytes.
COMMAND = "seq 1 290 | sed 's/^/a line of a long log, number /'"
OUTPUT = "".join(f"a line of a long log, number {line}\n" for line in range(1, 291))
# Every request, and whether the first answer calls the shell.
REQUESTS = []
CALLS = [True]


def events(pairs):
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs)


def anthropic(body):
    """Messages: a call of Bash first, then a word."""
    names = [tool.get("name") for tool in body.get("tools", [])]
    shell = next((name for name in names if name in ("Bash", "bash")), None)
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    is_first = CALLS[0] and shell and not any(b.get("type") == "tool_result" for b in blocks)
    if is_first:
        block = {"type": "tool_use", "id": "toolu_1", "name": shell, "input": {}}
        arguments = json.dumps({"command": COMMAND, "description": "run"})
        delta = {"type": "input_json_delta", "partial_json": arguments}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"),
               "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {"input_tokens": 10, "output_tokens": 1}}
    stop = {"stop_reason": "tool_use" if is_first else "end_turn", "stop_sequence": None}
    pairs = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return events((pair["type"], pair) for pair in pairs)


def responses(body):
    """The Responses API: a call of the shell first, then a word."""
    items = [item for item in body.get("input", []) if isinstance(item, dict)]
    is_first = CALLS[0] and not any("call_output" in str(item.get("type")) for item in items)
    if is_first:
        names = [tool.get("name") for tool in body.get("tools", [])]
        name = "exec_command" if "exec_command" in names else "shell"
        arguments = {"cmd": COMMAND} if name == "exec_command" else {"command": ["bash", "-lc", COMMAND]}
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name,
                "arguments": json.dumps(arguments)}
    else:
        text = [{"type": "output_text", "text": "done", "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": text}
    usage = {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11,
             "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    pairs = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]
    return events((pair["type"], pair) for pair in pairs)


def gemini(body):
    """Gemini's API: a call of the shell first, then a word."""
    parts = [part for item in body.get("contents", []) for part in item.get("parts", [])]
    tools = json.dumps(body.get("tools", []))
    if CALLS[0] and "run_shell_command" in tools and not any("functionResponse" in part for part in parts):
        part = {"functionCall": {"name": "run_shell_command",
                                 "args": {"command": COMMAND, "description": "run"}}}
    else:
        part = {"text": "done"}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11}
    return f"data: {json.dumps({'candidates': [candidate], 'usageMetadata': usage})}\r\n\r\n"


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", "{\"models\": [], \"data\": []}")

    do_HEAD = do_GET

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        REQUESTS.append(body)
        if "count_tokens" in self.path:
            self.answer("application/json", '{"input_tokens": 1}')
        elif "/messages" in self.path:
            self.answer("text/event-stream", anthropic(body))
        elif "streamGenerateContent" in self.path:
            self.answer("text/event-stream", gemini(body))
        elif "generateContent" in self.path:
            answer = gemini({})[len("data: "):].strip()
            self.answer("application/json", answer)
        elif "/responses" in self.path:
            self.answer("text/event-stream", responses(body))
        else:
            self.answer("application/json", "{}")

    def answer(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)



def serve():
    """Starts the upstream; returns its address."""
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{upstream.server_address[1]}"


def configure(agent, home, address):
    """Writes what an agent must find in its home to talk to the upstream."""
    if agent == "pi":
        write(home, ".pi/agent/models.json", {"providers": {"trial": {
            "baseUrl": address, "api": "anthropic-messages", "apiKey": "trial",
            "models": [{"id": "trial", "contextWindow": 1000000}]}}})
    elif agent == "opencode":
        write(home, ".config/opencode/opencode.json", {
            "model": "trial/trial", "small_model": "trial/trial", "autoupdate": False,
            "share": "disabled", "provider": {"trial": {
                "npm": "@ai-sdk/anthropic", "models": {"trial": {"limit": {
                    "context": 1000000, "output": 4096}}},
                "options": {"baseURL": address + "/v1", "apiKey": "trial"}}}})


def write(home, path, value):
    path = os.path.join(home, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file)


def run(agent, binary, address, home, project, variables, prompt="run it", resume=None,
        model="gpt-5.1-codex"):
    """Runs an agent with one prompt, in a new session or in the one that is given."""
    configure(agent, home, address)
    if agent == "claude-code":
        command = [binary, "-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]
        command += ["--resume", resume] if resume else []
        own = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-ant-trial",
               "DISABLE_AUTOUPDATER": "1", "MAX_THINKING_TOKENS": "4000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    elif agent == "pi":
        command = [binary, "-p", prompt, "--provider", "trial", "--model", "trial"]
        command += ["--session", resume] if resume else []
        own = {"PI_OFFLINE": "1"}
    elif agent == "gemini":
        command = [binary, "-p", prompt, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]
        command += ["--resume", resume] if resume else []
        own = {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "trial",
               "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SANDBOX": "false"}
    elif agent == "opencode":
        command = [binary, "run", "-m", "trial/trial"]
        command += ["-s", resume] if resume else []
        command += [prompt]
        own = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    else:
        provider = (f'model_providers.trial={{name="trial",base_url="{address}/v1",'
                    'wire_api="responses",env_key="TRIAL_KEY"}')
        command = [binary, "exec"] + (["resume"] if resume else [])
        command += ["--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                    "--dangerously-bypass-approvals-and-sandbox", "-c", provider,
                    "-c", 'model_provider="trial"', "-c", f'model="{model}"']
        command += ([resume] if resume else []) + [prompt]
        own = {"TRIAL_KEY": "trial"}
    return subprocess.run(command, cwd=project, env={**variables, **own}, capture_output=True,
                          text=True, timeout=180, stdin=subprocess.DEVNULL)
