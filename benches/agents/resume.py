"""Resumes trimmed and compressed logs in a real agent, and compares what it sends with
what was promised.

    resume.py AGENT PROGRAM BINARY LOG...

A log of another format is converted first. Tokens are those of `session stats` with
o200k, without the agent's own instructions and without what it adds to a new session.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from upstream import CALLS, REQUESTS, run, serve

FORMAT = {"claude-code": "claude-code", "codex": "codex", "gemini": "gemini", "pi": "pi",
          "opencode": "opencode"}
PROMPT = "go on"
WAYS = [("coverage", "16k"), ("priority", "16k"), ("window", "16k"), ("compress", "")]


def gemini_messages(body):
    """The contents of a request to Gemini as Anthropic's messages."""
    messages = []
    for item in body.get("contents", []):
        blocks = []
        for number, part in enumerate(item.get("parts", [])):
            if "functionCall" in part:
                call = part["functionCall"]
                blocks.append({"type": "tool_use", "id": f"c{len(messages)}_{number}",
                               "name": call["name"], "input": call.get("args", {})})
            elif "functionResponse" in part:
                answer = part["functionResponse"].get("response", {})
                text = answer.get("output", answer.get("error", json.dumps(answer)))
                blocks.append({"type": "tool_result", "tool_use_id": "x",
                               "content": text if isinstance(text, str) else json.dumps(text)})
            elif "text" in part:
                kind = "thinking" if part.get("thought") else "text"
                blocks.append({"type": kind, kind: part["text"]})
            else:
                blocks.append({"type": "image"})
        messages.append({"role": {"model": "assistant"}.get(item.get("role"), "user"),
                         "content": blocks})
    return messages


def is_told(item):
    """Whether Codex added an item for this request: the prompt, or a setting."""
    text = json.dumps(item.get("content"))
    return item.get("role") == "developer" or item.get("role") == "user" and (
        "<environment_context>" in text or f'"{PROMPT}"' in text)


def unmasked(log, root):
    """Numbers the ids of opencode's messages anew where a public log has masked them."""
    text = open(log).read()
    if '"id": "REDACTED"' not in text and '"id":"REDACTED"' not in text:
        return log
    document = json.loads(text)
    for number, message in enumerate(document["messages"], 1):
        message["info"]["id"] = name = f"msg_{number:012x}00000000000000"
        if message["info"]["role"] == "user":
            asked = name
        else:
            message["info"]["parentID"] = asked
        for place, part in enumerate(message["parts"]):
            part["id"], part["messageID"] = f"prt_{number:012x}{place:014}", name
            if "callID" in part:
                part["callID"] = f"call_{number}_{place}"
    path = os.path.join(root, os.path.basename(log))
    with open(path, "w") as file:
        json.dump(document, file)
    return path


class Trial:
    def __init__(self, agent, program, binary, root):
        self.agent, self.program, self.binary = agent, program, binary
        self.is_own = True
        self.home, self.project = os.path.join(root, "home"), os.path.join(root, "project")
        self.address, self.model = serve(), None
        self.added, self.is_new = set(), True
        os.makedirs(self.project)
        os.makedirs(self.home)
        if agent == "gemini":
            os.makedirs(os.path.join(self.home, ".gemini"))
            with open(os.path.join(self.home, ".gemini/settings.json"), "w") as file:
                file.write('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        self.variables = {"HOME": self.home, "PATH": os.environ["PATH"],
                          "LOADLINE_CACHE_DIR": os.path.join(root, "cache"),
                          "LOADLINE_DATA_DIR": os.path.join(root, "data")}

    def ours(self, *args, stdin=None):
        ran = subprocess.run([self.program, *args], env=self.variables, cwd=self.project,
                             capture_output=True, input=stdin)
        if ran.returncode:
            raise RuntimeError(ran.stderr.decode())
        return ran.stdout

    def tokens(self, source, form, without=()):
        stats = json.loads(self.ours("session", "stats", "-", "--from", form, "--counter",
                                     "o200k", "--json", stdin=source))
        return stats["tokens"] - sum(row["tokens"] for row in stats["roles"]
                                     if row["name"] in without)

    def sent(self):
        """The tokens of the messages of the largest request."""
        most = 0
        for body in REQUESTS:
            if "contents" in body:
                messages = gemini_messages(body)
            elif "input" in body:
                # What Codex says about the workspace and its skills comes behind the session.
                items = body["input"]
                while items and is_told(items[-1]):
                    items.pop()
                if not self.is_own:
                    # Before a session of another agent.
                    items = [item for item in items if not is_told(item)]
                most = max(most, self.tokens(json.dumps(items).encode(), "openai-responses"))
                continue
            else:
                messages = [message for message in body.get("messages", [])
                            if message["role"] != "system"]
            messages = self.without_added(messages)
            if messages:
                most = max(most, self.tokens(json.dumps(messages).encode(), "anthropic"))
        return most

    def without_added(self, messages):
        """Leaves out what the agent puts into a new session too."""
        kept = []
        for message in messages:
            blocks = message["content"]
            if isinstance(blocks, str):
                blocks = [{"type": "text", "text": blocks}]
            if self.is_new:
                self.added.update(block.get("text", "").strip() for block in blocks)
            blocks = [block for block in blocks
                      if block["type"] != "text" or block["text"].strip() not in self.added]
            if blocks:
                kept.append({**message, "content": blocks})
        return kept

    def ask(self, resume=None):
        REQUESTS.clear()
        # Codex tells the model what to do otherwise where it is another one than before.
        models = {"model": self.model} if self.model else {}
        ran = run(self.agent, self.binary, self.address, self.home, self.project,
                  self.variables, PROMPT, resume, **models)
        failure = None
        if ran.returncode or not REQUESTS:
            failure = (ran.stderr or ran.stdout).strip()[-600:]
        return self.sent(), failure

    def place(self, log):
        """Puts a log where the agent finds it; returns how it is named."""
        text = open(log).read()
        if self.agent == "claude-code":
            name = re.search(r'"sessionId":\s*"([^"]+)"', text).group(1)
            slug = re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(self.project))
            path = os.path.join(self.home, ".claude/projects", slug, name + ".jsonl")
        elif self.agent == "codex":
            self.is_own = '"role":"developer"' in text
            name = json.loads(text.splitlines()[0])["payload"]["id"]
            path = os.path.join(self.home, ".codex/sessions/2026/01/02",
                                f"rollout-2026-01-02T03-04-05-{name}.jsonl")
            shutil.rmtree(os.path.join(self.home, ".codex"), ignore_errors=True)
        elif self.agent == "gemini":
            name = json.loads(text.splitlines()[0])["sessionId"]
            own = os.path.dirname(glob.glob(os.path.join(self.home, ".gemini/tmp/*/chats"))[0])
            shutil.rmtree(os.path.join(own, "chats"))
            path = os.path.join(own, f"chats/session-2026-01-02T03-04-{name[:8]}.jsonl")
        elif self.agent == "opencode":
            document = json.loads(text)
            name = document["info"]["id"]
            document["info"]["directory"] = self.project
            # The session of a helper is resumed as one of the user.
            document["info"].pop("parentID", None)
            with open(log, "w") as file:
                json.dump(document, file)
            shutil.rmtree(os.path.join(self.home, ".local/share/opencode"), ignore_errors=True)
            ran = subprocess.run([self.binary, "import", log], cwd=self.project,
                                 env=self.variables, capture_output=True)
            if ran.returncode:
                raise RuntimeError(ran.stderr.decode()[-600:])
            return name
        else:
            own = os.path.join(self.home, ".pi/agent/sessions")
            shutil.rmtree(own, ignore_errors=True)
            path = name = os.path.join(own, "--trial--/session.jsonl")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            # Each agent looks for the sessions of the directory it is in.
            text = re.sub(r'"cwd":\s*"(?:[^"\\]|\\.)*"', f'"cwd":"{self.project}"', text)
            # Codex does not change the provider of a session.
            file.write(re.sub(r'"model_provider":(null|"[^"]*")', '"model_provider":"trial"', text))
        return name

    def resume(self, log):
        """Goes on with a log of the agent itself by `loadline resume`, an age after it was
        written; then undoes that."""
        with open(log, "rb") as file:
            whole = self.tokens(file.read(), FORMAT[self.agent])
        self.variables["LOADLINE_COUNTER"] = "o200k"
        self.variables["LOADLINE_RESUME_LEAST"] = "1000"
        self.variables["LOADLINE_RESUME_TARGET"] = str(min(16000, whole // 2))
        copy = os.path.join(self.home, "copy.json")
        shutil.copy(log, copy)
        name = self.place(copy)
        files = glob.glob(os.path.join(self.home, "**", "*.jsonl"), recursive=True)
        before = {path: open(path, "rb").read() for path in files}
        path = os.path.dirname(self.binary) + os.pathsep + self.variables["PATH"]
        self.variables["PATH"] = path
        plan = json.loads(self.ours("resume", self.agent, "--yes", "--no-start", "--json",
                                    "--now", "4102444800"))
        if not plan["trimmed"]:
            return 1, 0, f"not trimmed: {plan}"
        sent, failure = self.ask(plan["command"][-1] if self.agent == "opencode" else name)
        promised = plan["trimmed"]["conversation"]
        if self.agent == "gemini":
            with open(log, "rb") as file:
                promised -= self.context(file.read())
        changed = [path for path in files if open(path, "rb").read() != before[path]]
        if changed:
            self.ours("session", "undo", changed[0])
            if open(changed[0], "rb").read() != before[changed[0]]:
                failure = failure or "undo did not bring the log back"
        for name in ("COUNTER", "RESUME_LEAST", "RESUME_TARGET"):
            self.variables.pop(f"LOADLINE_{name}")
        return promised, sent, failure

    def trial(self, log, way, budget):
        form = FORMAT[self.agent]
        if way == "resume":
            return self.resume(log)
        converted = os.path.join(self.home, "converted")
        self.ours("session", "convert", log, "--to", form, "-o", converted)
        with open(converted, "rb") as file:
            whole = self.tokens(file.read(), form)
        if budget and whole <= 16000:
            budget = str(whole // 2)
        args = ["session", "compress", converted]
        if way != "compress":
            args = ["session", "trim", converted, "--budget", budget, "--strategy", way]
        written = self.ours(*args, "--counter", "o200k")
        trimmed = os.path.join(self.home, "trimmed.json")
        with open(trimmed, "wb") as file:
            file.write(written)
        promised = self.tokens(written, form)
        self.model = (re.findall(rb'"model":"([^"]+)"', written) or [b""])[-1].decode()
        sent, failure = self.ask(self.place(trimmed))
        if self.agent == "gemini":
            promised -= self.context(written)
        return promised, sent, failure

    def context(self, session):
        """The tokens of what Gemini CLI says about the workspace, which it writes anew."""
        context = re.search(rb'\{"text":\s*("<session_context>(?:[^"\\]|\\.)*")', session)
        if not context:
            return 0
        message = json.dumps([{"role": "user", "content": json.loads(context.group(1))}])
        return self.tokens(message.encode(), "anthropic")


def main():
    agent, *paths = sys.argv[1:]
    program, binary, *logs = map(os.path.abspath, paths)
    CALLS[0] = False
    bad = 0
    with tempfile.TemporaryDirectory() as root:
        trial = Trial(agent, program, binary, root)
        failure = trial.ask()[1]
        trial.is_new = False
        assert not failure, f"{agent} does not run: {failure}"
        for log in (unmasked(log, root) for log in logs):
            own = json.loads(trial.ours("session", "stats", log, "--json"))["format"]
            for way, budget in WAYS + [("resume", "")] * (own == FORMAT[agent]):
                try:
                    promised, sent, failure = trial.trial(log, way, budget)
                except RuntimeError as error:
                    promised, sent, failure = 1, 0, str(error)
                ratio = sent / promised
                is_good = not failure and .95 <= ratio <= 1.05
                bad += not is_good
                print("ok " if is_good else "BAD", agent, os.path.basename(log)[:40],
                      f"{way} {budget}".strip(),
                      f"promised {promised}, sent {sent}: {ratio:.2f}", failure or "",
                      flush=True)
    sys.exit(bad > 0)


main()
