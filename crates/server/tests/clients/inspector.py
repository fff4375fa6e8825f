"""Lists and calls everything with the command line of the MCP inspector."""

import json
import os
import subprocess
import sys

from calls import TOOLS, calls

inspector, binary, project, url, transport, era, handle = sys.argv[1:]
servers = {
    "stdio": [binary, "mcp", project],
    "http": [url, "--transport", "http"],
}
server = [*servers[transport], "--protocol-era", era]


def ask(*arguments):
    command = [inspector, "--cli", *server, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


tools = ask("--method", "tools/list", "--strict")["tools"]
assert [tool["name"] for tool in tools] == TOOLS, tools
for tool, arguments, expected in calls(handle):
    given = [part for key, value in arguments.items() for part in ("--tool-arg", f"{key}={value}")]
    answer = ask("--method", "tools/call", "--tool-name", tool, *given)
    text = answer["content"][0]["text"]
    assert expected in text, f"{tool} {arguments}: {text}"
resources = ask("--method", "resources/list")["resources"]
assert any(handle in it["uri"] for it in resources), resources
templates = ask("--method", "resources/templates/list")["resourceTemplates"]
assert len(templates) == 2, templates
read = ask("--method", "resources/read", "--uri", f"loadline://recall/{handle}:1")
assert "Make sessions expire in time." in read["contents"][0]["text"], read
prompts = ask("--method", "prompts/list")["prompts"]
assert [it["name"] for it in prompts] == ["handoff"], prompts
prompt = ask("--method", "prompts/get", "--prompt-name", "handoff")
assert "# Handoff" in prompt["messages"][0]["content"]["text"], prompt
