"""What later work refers to: the measure by which reduced notes are judged.

Notes are taken at a commit and looked at with the eyes of the next ones:

  names     file names, identifiers and task ids of the notes that later commits name again
  evidence  for every later commit, whether the three lines of the notes that say most about
            it (BM25 of its message and paths) have an equal in the result
  living    lines of the notes that are edited later, such as a task that is ticked off

`score` is the geometric mean of the three, each first averaged by repository. A sample is
{"repo", "dir", "commit", "paths", "after": [commits]}; repositories are git mirrors in
MIRRORS/owner+name/repo.
"""
import collections, difflib, functools, hashlib, json, math, os, re, subprocess, tempfile
import tiktoken

MIRRORS = os.environ.get("BENCH_MIRRORS", ".mirror")
CACHE = os.path.join(os.environ.get("BENCH_DIR") or os.path.join(tempfile.gettempdir(), "loadline-bench"), "notes")
ENCODING = tiktoken.get_encoding("o200k_base")
STOP = set("""a an and are as at be been but by can could did do does for from had has have how i if in into is it its
just may more most no not of on or our out over should so some such than that the their them then there these they this
those to too up use used using was we were what when where which while who will with would you your all also any both
each new now only other same via per add added adds adding fix fixed fixes update updated updates make made feat chore docs
refactor test tests style build ci wip merge commit file files line lines code""".split())
WORD = re.compile(r"[A-Za-z0-9_]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W\d_]+")
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
ITEM = re.compile(r"^\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+")
HEAD = re.compile(r"^\s{0,3}#{1,6}\s")
ENDING = r"(?:rs|tsx?|jsx?|mjs|cjs|py|go|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|sh|sql|html|css|scss|vue|svelte|json|ya?ml|toml|md|txt|lua|dart|gradle|xml|proto|tf|nix|ini|cfg|lock|env|csv|jl|exs?|mm?|plist|wasm)"
PATH = re.compile(r"[\w@.\-/\[\]()]*[\w\-\])]\." + ENDING + r"\b", re.I)
NAME = re.compile(r"\b(?:[a-z]+[A-Z]\w{2,}|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-zA-Z]+(?:_[a-zA-Z0-9]+)+|[A-Z]{2,}[-_]\d+[\w-]*|#\d{2,})\b")
TRAILER = re.compile(r"^(co-authored-by|signed-off-by|generated|🤖|claude-session|https?://claude).*$", re.I | re.M)


def count(text):
    return len(ENCODING.encode_ordinary(text))


def stem(word):
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[:-len(ending)]
    return word


@functools.lru_cache(maxsize=400000)
def words(text):
    found = []
    for word in WORD.findall(text):
        if ord(word[0]) > 0x2FFF:
            found.extend(word[i:i + 2] for i in range(max(1, len(word) - 1)))
            continue
        parts = [p.lower() for p in CAMEL.findall(word.replace("_", " "))] if word.isascii() else [word.lower()]
        found.extend(stem(p) for p in parts if len(p) > 1 and p not in STOP)
    return tuple(found)


def logical(text):
    """Items and paragraphs with their wrapped lines joined; long ones by sentence."""
    out, fence = [], False
    for line in (raw.rstrip() for raw in text.split("\n")):
        if re.match(r"^\s*(```|~~~)", line):
            fence = not fence
            continue
        if not line.strip() or re.match(r"^\s*([-=*_|: ]{3,})$", line):
            out.append(None)
            continue
        last = out[-1] if out else None
        new = (fence or HEAD.match(line) or ITEM.match(line) or line.lstrip().startswith("|") or last is None or HEAD.match(last)
               or last.lstrip().startswith("|") or last.rstrip().endswith(":") or re.match(r"^\s*\*\*", line))
        if new or len(last) <= 45:
            out.append(line)
        else:
            out[-1] += " " + line.strip()
    lines = []
    for line in filter(None, out):
        if len(words(line)) > 60:
            lines += [s.strip() for s in re.split(r"(?<=[.;。!?])\s+", line) if s.strip()]
        else:
            lines.append(line)
    return lines


def names(text):
    found = {os.path.basename(m.strip("()[]")).lower() for m in PATH.findall(text)}
    return found | {m.lower() for m in NAME.findall(text) if len(m) >= 4}


def git(repo, *arguments):
    command = ["git", "-C", f"{MIRRORS}/{repo.replace('/', '+')}/repo", *arguments]
    return subprocess.run(command, capture_output=True).stdout.decode("utf-8", "replace")


def key(sample):
    return hashlib.sha1((sample["repo"] + sample["commit"] + sample["dir"]).encode()).hexdigest()[:16]


def load(sample):
    """Reads the notes of a sample and what came after; kept in the cache."""
    os.makedirs(CACHE, exist_ok=True)
    path = f"{CACHE}/{key(sample)}.json"
    if os.path.exists(path):
        return json.load(open(path))
    repo, own = sample["repo"], set(sample["paths"])
    name = lambda p: re.sub(r"\.txt$", ".md", os.path.basename(p))
    at = lambda commit: {name(p): git(repo, "show", f"{commit}:{p}").replace("\r\n", "\n") for p in sample["paths"]}
    commits = []
    for commit in sample["after"]:
        message = TRAILER.sub("", git(repo, "show", "-s", "--format=%B", commit)).strip()
        paths = [p for p in git(repo, "show", "--name-only", "--format=", commit).split("\n") if p and p not in own]
        commits.append({"msg": message[:1500], "paths": paths[:200]})
    last, notes = sample["after"][-1], at(sample["commit"])
    skipped = [f":(exclude){p}" for p in [*sample["paths"], "*lock*", "*.svg", "*.min.*", "*.json"]]
    diff = git(repo, "diff", "-U0", sample["commit"], last, "--", ".", *skipped)[:600000]
    code = set()
    for line in diff.split("\n"):
        if line[:1] in "+-" and len(line) < 400:
            code |= {n for n in names(line[1:]) if len(n) >= 6}
    blame = {}
    for p in sample["paths"]:
        lines = git(repo, "blame", "--line-porcelain", sample["commit"], "--", p).split("\n")
        times, time = [], 0
        for line in lines:
            if line.startswith("committer-time "):
                time = int(line[15:])
            elif line.startswith("\t"):
                times.append(time)
        blame[name(p)] = times
    data = {"notes": notes, "commits": commits, "after": at(last), "code": sorted(code & names("\n".join(notes.values()))), "blame": blame}
    json.dump(data, open(path, "w"))
    return data


class Truth:
    def __init__(self, data):
        self.units = [u for n in sorted(data["notes"]) for u in logical(data["notes"][n])]
        total = len(self.units)
        self.words = [words(u) for u in self.units]
        df = collections.Counter(w for u in self.words for w in set(u))
        self.idf = {w: math.log(1 + (total - c + .5) / (c + .5)) for w, c in df.items()}
        self.average = sum(map(len, self.words)) / max(1, total)
        self.names = self._names(data, total)
        self.queries = self._queries(data, df, total)
        self.living = self._living(data)

    def _names(self, data, total):
        df = collections.Counter(x for u in self.units for x in names(u))
        later = set()
        for commit in data["commits"]:
            later |= names(commit["msg"]) | {os.path.basename(p).lower() for p in commit["paths"]}
        for name, text in data["after"].items():
            old = set(data["notes"].get(name, "").split("\n"))
            later |= names("\n".join(line for line in text.split("\n") if line not in old))
        own, most = {n.lower() for n in data["notes"]}, max(3, .1 * total)
        rare = {x for x in df if x not in own and df[x] <= most}
        found = {x: 1.0 for x in rare & later}
        return {**{x: .5 for x in rare & set(data["code"])}, **found}

    def _queries(self, data, df, total):
        queries = []
        for commit in data["commits"]:
            query = set(words(commit["msg"][:400]))
            for p in commit["paths"][:20]:
                query |= set(words(os.path.splitext(os.path.basename(p))[0]))
            query = {w for w in query if w in df and df[w] <= max(3, .15 * total)}
            best = sorted(((self.bm25(query, u), i) for i, u in enumerate(self.words)), reverse=True)[:3]
            if len(query) < 2 or sum(s for s, _ in best) <= 0 or len(query & set(self.words[best[0][1]])) < 2:
                continue
            queries.append((query, sum(s for s, _ in best), best))
        return queries

    @staticmethod
    def _living(data):
        living = []
        plain = lambda line: set(words(re.sub(r"\d+", "", line)))
        for name, old in data["notes"].items():
            new = data["after"].get(name, "")
            a, b = old.split("\n"), new.split("\n")
            changes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if new else []
            for tag, i, j, k, m in changes:
                added = [plain(line) for line in b[k:m][:60]] if tag == "replace" else []
                for line in a[i:j][:60] if added else []:
                    w = plain(line)
                    same = max((len(w & x) / len(w | x) for x in added if x), default=0)
                    if len(w) >= 4 and same >= .5 and line not in b:
                        living.append(line)
        return living[:80]

    def bm25(self, query, unit):
        tf = collections.Counter(unit)
        return sum(self.idf.get(w, 0) * tf[w] * 2.2 / (tf[w] + 1.2 * (.25 + .75 * len(unit) / self.average)) for w in query if tf[w])

    def score(self, text):
        lines = logical(text)
        line_words = [words(line) for line in lines]
        sets, result = [set(w) for w in line_words], {}
        if self.names:
            have = set()
            for line in lines:
                found = sorted(names(line))
                have |= set(found if len(found) <= 4 else [x for x in found if x in self.names][:4])
            result["names"] = sum(w for x, w in self.names.items() if x in have) / sum(self.names.values())
        if self.queries:
            total = 0
            for query, best, sources in self.queries:
                found = sorted((self.bm25(query, line_words[i]) for i in range(len(lines)) if query & sets[i]), reverse=True)
                total += sum(s for (s, _), f in zip(sources, found[:3] + [0, 0, 0]) if f >= .9 * s) / best
            result["evidence"] = total / len(self.queries)
        if self.living:
            kept = sum(any(len(w & s) >= .7 * len(w) for s in sets) for w in (set(words(line)) for line in self.living))
            result["living"] = kept / len(self.living)
        return result


def geometric(rows):
    """Rows are (repository, result); every repository counts the same."""
    means = []
    for measure in ("names", "evidence", "living"):
        by_repo = collections.defaultdict(list)
        for repo, result in rows:
            if measure in result:
                by_repo[repo].append(result[measure])
        if by_repo:
            means.append(sum(sum(v) / len(v) for v in by_repo.values()) / len(by_repo))
    return 100 * math.exp(sum(math.log(max(m, 1e-4)) for m in means) / len(means)), [round(100 * m, 1) for m in means]
