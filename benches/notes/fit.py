#!/usr/bin/env python3
"""Fits the weights of crates/core/data/notes-weights.toml by what later commits referred to.

    fit.py SAMPLES.json [--bin loadline] [--git] [--climb SECONDS] [--write [--keep SHARE]] [--ablate]

Needs numpy and tiktoken, and the repositories of the samples in BENCH_MIRRORS. Units and
their signals come from `loadline notes units --json`. Repositories are left out as a whole,
a quarter at a time; what is printed is the score on those that were left out, at an eighth
of the notes and at 2,000 and 4,000 tokens. --write fits on all of them and writes the
table, after --climb seconds of random steps that the measure itself approves of, with a
price on large weights. --keep leaves that share of the weights that stand there: the mean of
two fits, on few repositories and on more, did better than the first on both. --ablate prints
what the score loses without each group of signals.
"""
import argparse, collections, heapq, json, math, os, re, subprocess, sys, tempfile, time
from multiprocessing import Pool
import numpy as np
import truth

WEIGHTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../crates/core/data/notes-weights.toml")
PROTECTED = ("decision", "constraint", "blocker")
SHARE, HEAD, TITLE = .08, 60, 9
# How much names, evidence and living lines count in the fit, and the most that one unit may.
GAINS, CAP = (.3, 1.5, 1), 40


def units_of(binary, sample, data, with_git):
    path = f"{truth.CACHE}/{truth.key(sample)}{'.git' if with_git else ''}.units.json"
    if os.path.exists(path):
        return json.load(open(path))["units"]
    with tempfile.TemporaryDirectory() as root:
        if with_git:
            # A work tree that has the notes alone; git still knows all of the past.
            mirror = os.path.abspath(f"{truth.MIRRORS}/{sample['repo'].replace('/', '+')}/repo")
            run = lambda *a: subprocess.run(["git", "-C", root, *a], check=True, capture_output=True)
            run("init", "-q")
            objects = os.path.join(mirror, "objects") if os.path.isdir(os.path.join(mirror, "objects")) else os.path.join(mirror, ".git/objects")
            open(root + "/.git/objects/info/alternates", "w").write(objects + "\n")
            run("update-ref", "HEAD", sample["commit"])
            run("read-tree", "HEAD")
            listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True).stdout
            subprocess.run(["git", "-C", root, "update-index", "--skip-worktree", "-z", "--stdin"], input=listed, check=True)
            subprocess.run(["git", "-C", root, "checkout-index", "-f", "--", *sample["paths"]], check=True)
            notes = os.path.join(root, sample["dir"])
        else:
            notes = root
            for name, text in data["notes"].items():
                open(f"{root}/{name}", "w").write(text)
        command = [binary, "notes", "units", notes, "--json", "-c", "o200k", *([] if with_git else ["--no-git"])]
        out = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, HOME=root))
    if out.returncode:
        sys.exit(out.stderr)
    units = json.loads(out.stdout)["units"]
    for unit in units:
        unit["signals"] = dict(unit["signals"])
    json.dump({"units": units}, open(path, "w"))
    return units


def prepare(job):
    binary, sample, with_git = job
    data = truth.load(sample)
    judge = truth.Truth(data)
    units = [u for u in units_of(binary, sample, data, with_git) if u["file"] != "git"]
    total = sum(judge.names.values()) or 1
    living = [set(truth.words(line)) for line in judge.living]
    gains = np.zeros((len(units), 3))
    for i, unit in enumerate(units):
        unit["w"] = truth.words(unit["text"])
        own = set(unit["w"])
        unit["cost"] = truth.count("- " + unit.get("shown", unit["text"]) + "\n")
        gains[i, 0] = sum(sorted((judge.names[x] for x in truth.names(unit["text"]) if x in judge.names), reverse=True)[:4]) / total
        for query, best, sources in judge.queries:
            if query & own:
                found = judge.bm25(query, unit["w"])
                gains[i, 1] += next((s / best / len(judge.queries) for s, _ in sources if found >= .9 * s), 0)
        gains[i, 2] = sum(len(w & own) >= .7 * len(w) for w in living) / max(1, len(living))
    return sample, data, judge, units, gains


def choose(units, values, budget, cost, said, share=SHARE):
    """What `choose.rs` does, without writing: the numbers of the units that fit."""
    idf = collections.Counter(w for u in units for w in set(u["w"]))
    idf = {w: math.log(1 + len(units) / c) for w, c in idf.items()}
    sets = [set(u["w"]) for u in units]
    told = [sum(idf[w] for w in s) or 1 for s in sets]
    covered, taken, texts, left = set(), [], set(), budget - HEAD - 7 * TITLE

    def rate(i):
        new = sum(idf[w] for w in sets[i] if w not in covered) / told[i]
        return values[i] * (1 - said + said * new) / units[i]["cost"] ** cost

    def greedy(pool, room):
        nonlocal left
        heap = [(-rate(i), i) for i in pool]
        heapq.heapify(heap)
        while heap:
            _, i = heapq.heappop(heap)
            fresh = rate(i)
            if heap and -fresh > heap[0][0] + 1e-12:
                heapq.heappush(heap, (-fresh, i))
            elif units[i]["cost"] <= min(left, room) and units[i]["text"].lower() not in texts:
                taken.append(i)
                texts.add(units[i]["text"].lower())
                left, room = left - units[i]["cost"], room - units[i]["cost"]
                covered.update(sets[i])

    greedy([i for i, u in enumerate(units) if u["role"] in PROTECTED and u["kind"].lower() != "heading"], share * budget)
    greedy([i for i in range(len(units)) if i not in set(taken)], left)
    return taken


def fit(samples, keys, ridge):
    place = {k: i for i, k in enumerate(keys)}
    per_repo = collections.Counter(s["repo"] for s, *_ in samples)
    xx, xy = np.zeros((len(keys), len(keys))), np.zeros(len(keys))
    for sample, _, _, units, gains in samples:
        # Each measure counts alike in every sample, however many lines it rests on.
        means = gains.mean(axis=0)
        goal = sum(by * np.minimum(gains[:, k] / means[k], CAP) for k, by in enumerate(GAINS) if means[k] > 0)
        x = np.zeros((len(units), len(keys)))
        for i, unit in enumerate(units):
            for name, value in unit["signals"].items():
                if name in place:
                    x[i, place[name]] = value
        weight = 1 / (per_repo[sample["repo"]] * len(units))
        xx += weight * x.T @ x
        xy += weight * x.T @ goal
    return dict(zip(keys, np.linalg.solve(xx + ridge * np.eye(len(keys)), xy)))


def values_of(units, weights):
    return [max(1e-6, sum(weights.get(k, 0) * v for k, v in u["signals"].items())) for u in units]


def measure(samples, weights_of, budget, cost, said, share=SHARE):
    rows = []
    for sample, data, judge, units, _ in samples:
        total = truth.count("\n".join(data["notes"][n] for n in sorted(data["notes"])))
        limit = budget or max(300, total // 8)
        if budget and total < 2 * limit:
            continue
        taken = choose(units, values_of(units, weights_of(sample["repo"])), limit, cost, said, share)
        text = "\n".join("- " + units[i].get("shown", units[i]["text"]) for i in sorted(taken))
        rows.append((sample["repo"], judge.score(text)))
    return truth.geometric(rows)


def folds_of(samples, keys, ridge):
    repos = sorted({s["repo"] for s, *_ in samples})
    fitted = {}
    for fold in (repos[i::4] for i in range(4)):
        weights = fit([x for x in samples if x[0]["repo"] not in fold], keys, ridge)
        fitted.update({repo: weights for repo in fold})
    return fitted.__getitem__


class Climber:
    """Judges a choice fast: what each unit would cover is worked out once."""

    def __init__(self, sample, keys):
        record, data, judge, units, _ = sample
        place = {k: i for i, k in enumerate(keys)}
        self.repo, self.total = record["repo"], truth.count("\n".join(data["notes"].values()))
        self.x = np.zeros((len(units), len(keys)), dtype=np.float32)
        for i, unit in enumerate(units):
            for name, value in unit["signals"].items():
                if name in place:
                    self.x[i, place[name]] = value
        self.cost = np.array([u["cost"] for u in units], dtype=float)
        self.protected = np.array([u["role"] in PROTECTED and u["kind"].lower() != "heading" for u in units], dtype=bool)
        known = {x: i for i, x in enumerate(sorted(judge.names))}
        self.name_weights = np.array([judge.names[x] for x in sorted(judge.names)])
        self.names = [np.array([known[x] for x in sorted(truth.names(u["text"])) if x in known][:4], dtype=int) for u in units]
        sets = [set(u["w"]) for u in units]
        self.queries = [(np.array([judge.bm25(q, u["w"]) if q & s else 0 for u, s in zip(units, sets)]), best, [v for v, _ in src]) for q, best, src in judge.queries]
        living = [set(truth.words(line)) for line in judge.living]
        self.living = [np.array([i for i, s in enumerate(sets) if len(w & s) >= .7 * len(w)], dtype=int) for w in living]

    def choose(self, weights, budget, cost):
        rate = np.maximum(self.x @ weights, 1e-6) / self.cost ** cost
        order, taken, room, left = np.argsort(-rate, kind="stable"), np.zeros(len(rate), bool), SHARE * budget, budget - 100
        for i in order[self.protected[order]]:
            if self.cost[i] <= room:
                taken[i], room, left = True, room - self.cost[i], left - self.cost[i]
        rest = order[~taken[order]]
        taken[rest[:np.searchsorted(np.cumsum(self.cost[rest]), left, side="right")]] = True
        return taken

    def score(self, taken):
        shown, result = np.flatnonzero(taken), {}
        if len(self.name_weights):
            have = np.zeros(len(self.name_weights), bool)
            for i in shown:
                have[self.names[i]] = True
            result["names"] = float(self.name_weights[have].sum() / self.name_weights.sum())
        if self.queries:
            tops = ((np.sort(found[shown])[::-1][:3], best, sources) for found, best, sources in self.queries)
            result["evidence"] = sum(sum(s for s, f in zip(sources, top) if f >= .9 * s) / best for top, best, sources in tops) / len(self.queries)
        if self.living:
            result["living"] = float(np.mean([taken[i].any() for i in self.living]))
        return result


def climb(samples, keys, start, cost, seconds):
    """Takes random steps from a fit while they help; large weights have a price."""
    climbers = [Climber(s, keys) for s in samples]
    spread = np.maximum(np.mean([c.x.std(axis=0) for c in climbers], axis=0), .05)

    def goal(weights):
        scores = []
        for budget in (0, 2000, 4000):
            used = [(c, budget or max(300, c.total // 8)) for c in climbers if c.total >= 2 * budget]
            scores.append(truth.geometric([(c.repo, c.score(c.choose(weights, limit, cost))) for c, limit in used])[0])
        return sum(scores) / 3 - .02 * np.abs(weights * spread).sum()

    random, weights, until = np.random.default_rng(1), np.array([start[k] for k in keys]), time.monotonic() + seconds
    best, size = goal(weights), .2 * np.abs(weights * spread).mean()
    while time.monotonic() < until:
        some = random.choice(len(keys), random.integers(1, 6), replace=False)
        step = weights.copy()
        step[some] += random.normal(0, size, len(some)) / spread[some]
        value = goal(step)
        if value > best:
            best, weights = value, step
    return dict(zip(keys, weights))


def write(weights, column, cost, said, keep):
    text = open(WEIGHTS).read()
    known = {m[1]: [float(m[2]), float(m[3])] for m in re.finditer(r"^(\w+) = \[(\S+), (\S+)\]", text, re.M)}
    for name, value in weights.items():
        row = known.setdefault(name, [0.0, 0.0])
        row[column] = keep * row[column] + (1 - keep) * value
    head = text[:text.index("[weights]")]
    head = re.sub(r"^cost = .*", f"cost = {cost}", head, flags=re.M)
    head = re.sub(r"^said = .*", f"said = {said}", head, flags=re.M)
    rows = "".join(f"{name} = [{a:.4f}, {b:.4f}]\n" for name, (a, b) in sorted(known.items()))
    open(WEIGHTS, "w").write(head + "[weights]\n" + rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("samples")
    parser.add_argument("--bin", default="loadline")
    parser.add_argument("--git", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--climb", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--keep", type=float, default=0, metavar="SHARE")
    parser.add_argument("--ridge", type=float, default=.05)
    args = parser.parse_args()
    jobs = [(args.bin, s, args.git) for s in json.load(open(args.samples))]
    with Pool(2) as pool:
        samples = pool.map(prepare, jobs, chunksize=4)
    keys = sorted({k for _, _, _, units, _ in samples for u in units for k in u["signals"]})
    keys = [k for k in keys if args.git or not k.startswith("past_")]
    best = max((measure(samples[::2], folds_of(samples, keys, args.ridge), 0, c, s)[0], c, s) for c in (.3, .45, .6, .75) for s in (.05, .2, .4))
    _, cost, said = best
    print("cost", cost, "said", said)
    for budget in (0, 2000, 4000):
        print(budget or "eighth", *measure(samples, folds_of(samples, keys, args.ridge), budget, cost, said), flush=True)
    if args.ablate:
        full = measure(samples, folds_of(samples, keys, args.ridge), 2000, cost, said)[0]
        for group in sorted({k.split("_")[0] for k in keys}):
            rest = [k for k in keys if k.split("_")[0] != group]
            print(f"without {group}: {measure(samples, folds_of(samples, rest, args.ridge), 2000, cost, said)[0] - full:+.1f}", flush=True)
    if args.write:
        weights = fit(samples, keys, args.ridge)
        if args.climb:
            weights = climb(samples, keys, weights, cost, args.climb)
        write(weights, int(args.git), cost, said, args.keep)
