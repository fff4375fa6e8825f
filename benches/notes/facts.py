#!/usr/bin/env python3
"""How many facts that the next session needs are still in a handoff?

    facts.py [--bin loadline] [--tokens 2560] [--misses]

facts.json has ten facts for each of 20 notes, chosen by readers who never saw a handoff:
what a fact says, where it stands, and patterns. A fact is kept if all its patterns match one
line of the handoff with its neighbours. The first and the last lines of every file, as many
as fit, are counted beside it. Needs tiktoken and the repositories in BENCH_MIRRORS. The facts
were not used to fit anything.
"""
import argparse, json, os, re, subprocess, tempfile
import truth

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = re.compile(r"[`*_]{1,2}(?=\S)|(?<=\S)[`*]{1,2}")


def kept(text, facts):
    lines = text.split("\n")
    around = [" ".join(lines[max(0, i - 1):i + 2]) for i in range(len(lines))]
    around = [f"{MARKS.sub('', it)} ¦ {it}" for it in around]
    return [any(all(re.search(p, it, re.I | re.S) for p in fact["all"]) for it in around) for fact in facts]


def handoff(binary, notes, tokens):
    with tempfile.TemporaryDirectory() as root:
        for name, text in notes.items():
            os.makedirs(os.path.dirname(f"{root}/notes/{name}"), exist_ok=True)
            open(f"{root}/notes/{name}", "w").write(text)
        command = [binary, "notes", "compact", "notes", "--level", "handoff", "--tokens", str(tokens), "--root", root, "-q", "-c", "o200k"]
        subprocess.run(command, check=True, capture_output=True, cwd=root, env=dict(os.environ, HOME=root))
        return open(f"{root}/notes/handoff.md").read()


def head_and_tail(notes, tokens):
    """Lines from both ends of every file, in turn, until they are as many tokens."""
    lines = {name: [it for it in text.split("\n") if it.strip()] for name, text in notes.items()}
    places = {name: set() for name in lines}
    for depth in range(max(map(len, lines.values()))):
        for name in lines:
            for place in (depth, len(lines[name]) - 1 - depth):
                if not 0 <= place < len(lines[name]) or place in places[name]:
                    continue
                cost = truth.count(lines[name][place] + "\n")
                if cost > tokens:
                    return "\n".join(lines[n][p] for n in lines for p in sorted(places[n]))
                places[name].add(place)
                tokens -= cost
    return "\n".join(line for name in lines for line in lines[name])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="loadline")
    parser.add_argument("--tokens", type=int, default=2560)
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    binary = os.path.abspath(args.bin) if os.path.exists(args.bin) else args.bin
    total = [0, 0, 0]
    for sample in json.load(open(HERE + "/facts.json")):
        name = lambda path: os.path.relpath(path, sample["dir"] or ".")
        notes = {name(p): truth.git(sample["repo"], "show", f"{sample['commit']}:{p}") for p in sample["paths"]}
        ours = kept(handoff(binary, notes, args.tokens), sample["facts"])
        ends = kept(head_and_tail(notes, args.tokens), sample["facts"])
        print(f"{sample['repo']:<44}{sum(ours):>4}{sum(ends):>4} of {len(ours)}")
        total = [a + b for a, b in zip(total, (sum(ours), sum(ends), len(ours)))]
        for fact, is_kept in zip(sample["facts"], ours):
            if args.misses and not is_kept:
                print(f"    {fact['where']}: {fact['fact']}")
    print("handoff {}, first and last lines {}, of {}".format(*total))
