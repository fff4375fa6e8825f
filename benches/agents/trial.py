"""One agent, one tool call with a long output, and what its upstream gets to see."""
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

# Codex itself cuts what is over 10,000 bytes.
COMMAND = "seq 1 290 | sed 's/^/a line of a long log, number /'"
OUTPUT = "".join(f"a line of a long log, number {line}\n" for line in range(1, 291))
REQUESTS = []


def events(pairs):
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs)


def anthropic(body):
    """Messages: a call of Bash first, then a word."""
    names = [tool.get("name") for tool in body.get("tools", [])]
    shell = next((name for name in names if name in ("Bash", "bash")), None)
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    is_first = shell and not any(b.get("type") == "tool_result" for b in blocks)
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
    is_first = not any("call_output" in str(item.get("type")) for item in items)
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
    if "run_shell_command" in tools and not any("functionResponse" in part for part in parts):
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


def run(agent, binary, port, home, project, variables):
    address = f"http://127.0.0.1:{port}"
    if agent == "claude-code":
        command = [binary, "-p", "run it", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]
        own = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-ant-trial",
               "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    elif agent == "pi":
        models = {"trial": {"baseUrl": address, "api": "anthropic-messages", "apiKey": "trial",
                            "models": [{"id": "trial"}]}}
        with open(os.path.join(home, ".pi/agent/models.json"), "w") as file:
            json.dump({"providers": models}, file)
        command = [binary, "-p", "run it", "--provider", "trial", "--model", "trial"]
        own = {"PI_OFFLINE": "1"}
    elif agent == "gemini":
        command = [binary, "-p", "run it", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]
        own = {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "trial",
               "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SANDBOX": "false"}
    else:
        provider = (f'model_providers.trial={{name="trial",base_url="{address}/v1",'
                    'wire_api="responses",env_key="TRIAL_KEY"}')
        command = [binary, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                   "--dangerously-bypass-approvals-and-sandbox", "-c", provider,
                   "-c", 'model_provider="trial"', "-c", 'model="gpt-5.1-codex"', "run it"]
        own = {"TRIAL_KEY": "trial"}
    return subprocess.run(command, cwd=project, env={**variables, **own}, capture_output=True,
                          text=True, timeout=180, stdin=subprocess.DEVNULL)


def main():
    agent, program, binary = sys.argv[1:4]
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as root:
        home, project = os.path.join(root, "home"), os.path.join(root, "project")
        settings = os.path.join(home, {"claude-code": ".claude/settings.json",
                                       "codex": ".codex/hooks.json",
                                       "gemini": ".gemini/settings.json",
                                       "pi": ".pi/agent/extensions/loadline.ts"}[agent])
        os.makedirs(os.path.dirname(settings))
        os.makedirs(project)
        before = '{\n  "hooks": {}\n}\n'
        if agent == "gemini":
            before = '{\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
        if agent == "pi":
            before = None
        else:
            open(settings, "w").write(before)
        variables = {"HOME": home, "PATH": os.environ["PATH"],
                     "LOADLINE_CACHE_DIR": os.path.join(root, "cache")}

        def ours(*args):
            return subprocess.run([program, *args], env=variables, cwd=project,
                                  capture_output=True, check=True).stdout

        ours("install", agent, "--yes")
        ran = run(agent, binary, upstream.server_address[1], home, project, variables)
        seen = json.dumps(REQUESTS, ensure_ascii=False)
        handles = re.findall(r"kept [\d,]+ of [\d,]+ lines; recall (\w+)\]", seen)
        assert handles, f"no shortened output among {len(REQUESTS)} requests\n{ran.stdout}\n{ran.stderr}"
        assert "number 140\\" not in seen, "the middle of the output was sent"
        original = ours("recall", handles[0]).decode()
        assert original.strip() in OUTPUT or OUTPUT.strip() in original, "another text came back"
        ours("uninstall", agent, "--yes")
        after = open(settings).read() if os.path.exists(settings) else None
        assert after == before, "the settings are not as they were"
        ledger = json.loads(ours("ledger", "--json"))
        saved = ledger["saved"]
        print(f"ok {agent}: {len(REQUESTS)} requests, {saved} tokens not sent, "
              f"recall {handles[0]} gives the original, settings as before")


main()
