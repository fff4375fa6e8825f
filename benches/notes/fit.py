#!/usr/bin/env python3
"""Fits the weights of crates/core/data/notes-weights.toml, by need and by use.

    fit.py SAMPLES.json... [--bin loadline] [--git] [--write] [--ablate]

A unit of notes is *used* as far as the next commits refer to it (truth.py; samples.py makes
samples of any mirror), and *needed* as far as readers marked its lines: needed.json names,
for 144 repositories, the lines that a next session must have (about 800 tokens) and those
that would be useful to it (up to 2,560 tokens in all), by number, with columns where only a
part of a line was taken.

Needs numpy and tiktoken, and the repositories in BENCH_MIRRORS. Units and their signals come
from `loadline notes units --json`. Repositories are left out as a whole, a quarter at a time;
what is printed is what the choice is worth on those that were left out, at an eighth of the
notes and at 2,000 and 4,000 tokens (use), and how many of the marked units it holds at an
eighth and at 2,560 tokens (need), by the share of the budget that goes by need. --write fits
on all of them and writes the table: use with --git writes the column for notes whose
repository is known. --ablate prints what is lost without each group of signals.
"""
import argparse, collections, json, os, re, subprocess, sys, tempfile
from multiprocessing import Pool
import numpy as np
import truth

HERE = os.path.dirname(os.path.abspath(__file__))
WEIGHTS = os.path.join(HERE, "../../crates/core/data/notes-weights.toml")
# How much names, evidence and living lines count in the fit, and the most that one unit may.
GAINS, CAP = (.3, 1.5, 1), 40
RIDGE, COSTS, SHARES = .01, (.3, .45), (0, .2, .35, .5, .65, 1)
# The part of its need that a unit shares with the others of its section.
LENT = .4
# What the head and the titles of a document take.
HEAD = 100


def lay_out(root, sample, notes, with_git):
    """Writes the notes of a sample and returns where they are."""
    if not with_git:
        for name, text in notes.items():
            open(f"{root}/{name}", "w").write(text)
        return root
    # A work tree that has the notes alone; git still knows all of the past.
    mirror = os.path.abspath(f"{truth.MIRRORS}/{sample['repo'].replace('/', '+')}/repo")
    run = lambda *a, **k: subprocess.run(["git", "-C", root, *a], check=True, capture_output=True, **k).stdout
    run("init", "-q")
    objects = os.path.join(mirror, "objects") if os.path.isdir(os.path.join(mirror, "objects")) else os.path.join(mirror, ".git/objects")
    open(root + "/.git/objects/info/alternates", "w").write(objects + "\n")
    run("update-ref", "HEAD", sample["commit"])
    run("read-tree", "HEAD")
    run("update-index", "--skip-worktree", "-z", "--stdin", input=run("ls-files", "-z"))
    run("checkout-index", "-f", "--ignore-skip-worktree-bits", "--", *sample["paths"])
    return os.path.join(root, sample["dir"])


def units_of(binary, sample, notes, with_git):
    with tempfile.TemporaryDirectory() as root:
        where = lay_out(root, sample, notes, with_git)
        command = [binary, "notes", "units", where, "--json", "-c", "o200k", *([] if with_git else ["--no-git"])]
        out = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, HOME=root))
    if out.returncode:
        sys.exit(out.stderr)
    return [u for u in json.loads(out.stdout)["units"] if u["file"] != "git"]


class Case:
    """Notes whose units have signals, costs, and a goal for the fit."""

    def __init__(self, sample, units, notes):
        self.repo, self.signals = sample["repo"], [dict(u["signals"]) for u in units]
        self.total = truth.count("\n".join(notes.values()))
        self.cost = np.array([truth.count("- " + u["text"] + "\n") for u in units], dtype=float)
        starts = [i == 0 or u["kind"] == "heading" or u["file"] != units[i - 1]["file"] for i, u in enumerate(units)]
        self.sections = np.cumsum(starts) - 1
        # What introduces others is shown with them, not for itself.
        self.frames = np.array([u["text"].endswith((":", "：")) for u in units], dtype=bool)
        self.texts = [re.sub(r"\W+", " ", u["text"].lower()).strip() for u in units]

    def rows(self, keys):
        place = {k: i for i, k in enumerate(keys)}
        self.x = np.zeros((len(self.signals), len(keys)), dtype=np.float32)
        for i, signals in enumerate(self.signals):
            for name, value in signals.items():
                if name in place:
                    self.x[i, place[name]] = value

    def lend(self, values):
        means = np.bincount(self.sections, values) / np.bincount(self.sections)
        return values + LENT * (means[self.sections] - values)

    def choose(self, needed, used, budget, share):
        """What `choose.rs` does, without writing."""
        left, room = budget - HEAD, share * budget
        taken, said = np.zeros(len(self.cost), bool), set()
        frames = set(np.flatnonzero(self.frames))
        for values, power, by_need in zip((self.lend(self.x @ needed), self.x @ used), COSTS, (True, False)):
            rate = np.maximum(values, 1e-6) / self.cost ** power
            for i in np.argsort(-rate, kind="stable"):
                limit = min(room, left) if by_need else left
                if not taken[i] and i not in frames and self.cost[i] <= limit and self.texts[i] not in said:
                    taken[i] = True
                    said.add(self.texts[i])
                    left, room = left - self.cost[i], room - self.cost[i]
        return taken


class Used(Case):
    def __init__(self, sample, units, data):
        super().__init__(sample, units, data["notes"])
        judge = truth.Truth(data)
        known = {x: i for i, x in enumerate(sorted(judge.names))}
        self.name_weights = np.array([judge.names[x] for x in sorted(judge.names)])
        self.names = [np.array([known[x] for x in sorted(truth.names(u["text"])) if x in known][:4], dtype=int) for u in units]
        words = [truth.words(u["text"]) for u in units]
        sets = [set(w) for w in words]
        self.queries = [(np.array([judge.bm25(q, w) if q & s else 0 for w, s in zip(words, sets)]), best, [v for v, _ in sources]) for q, best, sources in judge.queries]
        living = [set(truth.words(line)) for line in judge.living]
        self.living = [np.array([i for i, s in enumerate(sets) if len(w & s) >= .7 * len(w)], dtype=int) for w in living]
        gains = np.zeros((3, len(units)))
        gains[0] = [sum(sorted(self.name_weights[n], reverse=True)[:4]) for n in self.names]
        for found, best, sources in self.queries:
            gains[1] += [next((s for s in sources if f >= .9 * s), 0) / best if f else 0 for f in found]
        for same in self.living:
            gains[2][same] += 1
        # Each measure counts alike in every sample, however many lines it rests on.
        self.goal = sum((by * np.minimum(g / g.mean(), CAP) for g, by in zip(gains, GAINS) if g.any()), np.zeros(len(units)))

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


class Needed(Case):
    def __init__(self, sample, units, notes):
        super().__init__(sample, units, notes)
        self.must, self.useful = (self.marked(sample[part], units, notes) for part in ("must", "useful"))
        self.useful &= ~self.must
        goal = 3. * self.must + self.useful
        self.goal = np.minimum(goal / max(goal.mean(), 1e-9), CAP)

    @staticmethod
    def marked(marks, units, notes):
        """Which units say what was marked."""
        found = np.zeros(len(units), bool)
        texts = [spoken(u["text"]) for u in units]
        for name, places in marks.items():
            lines = notes[name].split("\n")
            for place in places:
                number, first, last = place if isinstance(place, list) else (place, 0, None)
                mark = spoken(lines[number - 1][first:last])
                for i, unit in enumerate(units):
                    found[i] |= unit["file"] == name and is_same(mark, texts[i])
        return found


def spoken(text):
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def is_same(mark, unit):
    """Tells whether a unit is what was marked, a part of it, or more than that."""
    if mark == unit or (len(unit) >= 8 and f" {unit} " in f" {mark} ") or (len(mark) >= 12 and f" {mark} " in f" {unit} "):
        return True
    marked, said = set(mark.split()), set(unit.split())
    both = len(marked & said)
    return (len(said) >= 4 and both >= .85 * len(said)) or (len(marked) >= 4 and both >= .85 * len(marked) and len(marked) > .3 * len(said))


def prepare(job):
    binary, sample, with_git = job
    if "must" in sample:
        notes = {os.path.basename(p): truth.git(sample["repo"], "show", f"{sample['commit']}:{p}") for p in sample["paths"]}
        return Needed(sample, units_of(binary, sample, notes, False), notes)
    data = truth.load(sample)
    return Used(sample, units_of(binary, sample, data["notes"], with_git), data)


def fit(cases, columns):
    per_repo = collections.Counter(c.repo for c in cases)
    xx, xy = np.zeros((len(columns), len(columns))), np.zeros(len(columns))
    for case in cases:
        weight = 1 / (per_repo[case.repo] * len(per_repo) * len(case.goal))
        x = case.x[:, columns]
        xx += weight * x.T @ x
        xy += weight * x.T @ case.goal
    weights = np.zeros(cases[0].x.shape[1])
    weights[columns] = np.linalg.solve(xx + RIDGE * np.eye(len(columns)), xy)
    return weights


def left_out(cases, columns, all_repos):
    """Per repository: the weights of a fit without its quarter of all repositories."""
    fitted = {}
    for fold in (all_repos[i::4] for i in range(4)):
        weights = fit([c for c in cases if c.repo not in fold], columns)
        fitted.update({repo: weights for repo in fold})
    return fitted


def measure(cases, needed, used, share):
    """Scores of use at three budgets, and shares of needed and useful units at two."""
    uses, needs = [c for c in cases if isinstance(c, Used)], [c for c in cases if isinstance(c, Needed)]
    choose = lambda c, budget: c.choose(needed[c.repo], used[c.repo], budget, share)
    result = []
    for budget in (0, 2000, 4000):
        rows = [(c.repo, c.score(choose(c, budget or max(300, c.total // 8)))) for c in uses if c.total >= 2 * budget]
        result.append(truth.geometric(rows)[0])
    for budget in (0, 2560):
        taken = [(c, choose(c, budget or max(600, c.total // 8))) for c in needs if c.total >= 2 * budget]
        result += [100 * np.mean([t[part(c)].mean() for c, t in taken if part(c).any()]) for part in (lambda c: c.must, lambda c: c.useful)]
    return result


def write(columns):
    head, rows = open(WEIGHTS).read().split("[weights]\n")
    known = {m[1]: [float(v) for v in m[2].split(", ")] for m in re.finditer(r"^(\w+) = \[(.*)\]", rows, re.M)}
    table = {**{n: [0.0] * 3 for weights in columns.values() for n in weights}, **known}
    for column, weights in columns.items():
        for name in table:
            table[name][column] = float(weights.get(name, 0.0))
    rows = "".join(f"{n} = [{', '.join(f'{v:.4f}' for v in row)}]\n" for n, row in sorted(table.items()))
    open(WEIGHTS, "w").write(head + "[weights]\n" + rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("samples", nargs="+")
    parser.add_argument("--bin", default="loadline")
    for flag in ("--git", "--write", "--ablate"):
        parser.add_argument(flag, action="store_true")
    args = parser.parse_args()
    samples = [s for path in args.samples for s in json.load(open(path))] + json.load(open(HERE + "/needed.json"))
    with Pool(2) as pool:
        cases = [c for c in pool.map(prepare, [(args.bin, s, args.git) for s in samples], chunksize=4) if len(c.cost)]
    keys = sorted({k for c in cases for s in c.signals for k in s})
    for case in cases:
        case.rows(keys)
    repos = sorted({c.repo for c in cases})
    uses, needs = [c for c in cases if isinstance(c, Used)], [c for c in cases if isinstance(c, Needed)]
    alone = [i for i, k in enumerate(keys) if not k.startswith("past_")]
    all_columns = list(range(len(keys)))

    def report(title, columns, shares):
        needed = left_out(needs, [i for i in columns if i in alone], repos)
        used = left_out(uses, columns if args.git else [i for i in columns if i in alone], repos)
        for share in shares:
            print(f"{title:<24} share {share:<4}", *(f"{v:5.1f}" for v in measure(cases, needed, used, share)), flush=True)

    print(f"{'':<36} use: 8th    2k    4k  need: 8th (useful)  2,560 (useful)")
    report("left out", all_columns, SHARES)
    if args.ablate:
        for group in sorted({k.split("_")[0] for k in keys}):
            report("without " + group, [i for i in all_columns if keys[i].split("_")[0] != group], (.35,))
    if args.write:
        table = lambda weights: dict(zip(keys, weights))
        if args.git:
            write({2: table(fit(uses, all_columns))})
        else:
            write({0: table(fit(needs, alone)), 1: table(fit(uses, alone))})
