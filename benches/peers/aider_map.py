"""Makes aider's map of a repository, and nothing else: REPOSITORY TOKENS OUTPUT."""

import os
import subprocess
import sys

import tiktoken
from aider.io import InputOutput
from aider.repomap import RepoMap

repository, tokens, output = os.path.realpath(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
encoding = tiktoken.get_encoding("o200k_base")


class Model:
    """The one thing that the map asks of a model."""

    def token_count(self, text):
        return len(encoding.encode(text, disallowed_special=()))


os.chdir(repository)
listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout
paths = [os.path.join(repository, os.fsdecode(path)) for path in listed.split(b"\0") if path]
repo_map = RepoMap(
    map_tokens=tokens,
    root=repository,
    main_model=Model(),
    io=InputOutput(yes=True, pretty=False, fancy_input=False),
    max_context_window=2 * tokens,
    map_mul_no_files=1,
)
text = repo_map.get_repo_map([], [path for path in paths if os.path.isfile(path)]) or ""
with open(output, "w", encoding="utf-8") as file:
    file.write(text)
