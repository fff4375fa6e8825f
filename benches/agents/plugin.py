"""One agent with our plugin: what its upstream gets to see of hooks, tools and skills."""
import json
import os
import re
import subprocess
import sys
import tempfile

from upstream import OUTPUT, REQUESTS, run, serve

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
STEPS = {
    "claude-code": [["plugin", "validate", os.path.join(ROOT, "plugins/loadline")],
                    ["plugin", "marketplace", "add", ROOT],
                    ["plugin", "install", "loadline@loadline"]],
    "codex": [["plugin", "marketplace", "add", ROOT], ["plugin", "add", "loadline@loadline"]],
}


def main():
    agent, program, binary = sys.argv[1:4]
    address = serve()
    with tempfile.TemporaryDirectory() as root:
        home, project, path = (os.path.join(root, it) for it in ("home", "project", "bin"))
        for directory in (os.path.join(home, ".codex"), project, path):
            os.makedirs(directory)
        os.symlink(program, os.path.join(path, "loadline"))
        variables = {"HOME": home, "PATH": f"{path}:{os.environ['PATH']}",
                     "LOADLINE_CACHE_DIR": os.path.join(root, "cache")}
        for step in STEPS[agent]:
            done = subprocess.run([binary, *step], env=variables, cwd=project, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
            assert done.returncode == 0, f"{step}: {done.stdout}{done.stderr}"
        ran = run(agent, binary, address, home, project, variables)
        seen = json.dumps(REQUESTS, ensure_ascii=False)
        handles = re.findall(r"kept [\d,]+ of [\d,]+ lines; recall (\w+)\]", seen)
        assert handles, f"no shortened output among {len(REQUESTS)} requests\n{ran.stdout}\n{ran.stderr}"
        recalled = subprocess.run([os.path.join(path, "loadline"), "recall", handles[0]],
                                  env=variables, cwd=project, capture_output=True, check=True, text=True).stdout
        assert recalled.strip() in OUTPUT or OUTPUT.strip() in recalled, "another text came back"
        tools = sorted(set(re.findall(r'"name": "([\w-]*loadline[\w-]*)"', seen)))
        skills = sorted(set(re.findall(r"loadline:(context|sessions)", seen)))
        print(f"ok {agent} plugin: recall {handles[0]} gives the original; "
              f"tools: {', '.join(tools) or 'none'}; skills: {', '.join(skills) or 'none'}")
        assert skills, "the skills are not listed"
        if os.environ.get("KEEP"):
            json.dump(REQUESTS, open(os.environ["KEEP"], "w"))


main()
