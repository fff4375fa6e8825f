#!/usr/bin/env python3
"""Makes samples for fit.py of the notes in git mirrors, a JSON list on standard output.

    samples.py MIRRORS [OWNER/NAME...]

Mirrors are MIRRORS/owner+name/repo; without names, all that are there. Of each repository
the two directories whose notes were changed most often are taken, each at up to six moments
that have ten commits after them, evenly spaced.
"""
import collections, json, os, re, subprocess, sys

NOTE = re.compile(
    r"^(?:(?P<dir>memory-bank|\.planning(?:/phases/[^/]+)?|docs/plans|tasks|planning|\.plan)/[^/]+\.(?:md|txt)"
    r"|(?:(?P<docs>docs)/)?(?:[\w-]*progress[\w-]*|task_plan|findings|todo|tasks|handoff|status|notes|roadmap|plan|decisions)\.(?:md|txt))$", re.I)
AFTER, MOMENTS, DIRECTORIES = 10, 6, 2
SMALLEST, LARGEST = 6_000, 400_000


def git(mirror, *args):
    return subprocess.run(["git", "-C", mirror, *args], capture_output=True).stdout.decode("utf-8", "replace")


def commits_of(mirror):
    """Commits, oldest first, each with the notes that it changed, by directory."""
    commits = []
    for line in git(mirror, "log", "--reverse", "--no-merges", "--no-renames", "--name-only", "--format=%x01%H").split("\n"):
        if line.startswith("\x01"):
            commits.append((line[1:], collections.defaultdict(set)))
        elif found := NOTE.match(line):
            commits[-1][1][found["dir"] or found["docs"] or ""].add(line)
    return commits


def sample(repo, mirror, directory, commits, place):
    commit = commits[place][0]
    listed = git(mirror, "ls-tree", "-l", commit, f"{directory}/" if directory else ".").split("\n")
    # A mirror may lack blobs; their size is no number.
    sizes = {row.split("\t")[1]: int(row.split()[3]) for row in listed if "\t" in row and row.split()[3].isdigit()}
    paths = sorted(p for p in sizes if (found := NOTE.match(p)) and (found["dir"] or found["docs"] or "") == directory)
    size = sum(sizes[p] for p in paths)
    if SMALLEST <= size <= LARGEST:
        after = [c for c, _ in commits[place + 1:place + 1 + AFTER]]
        return {"repo": repo, "dir": directory, "commit": commit, "paths": paths, "bytes": size, "after": after}


def samples_of(repo, mirror):
    commits = commits_of(mirror)
    changed = collections.defaultdict(list)
    for place, (_, notes) in enumerate(commits[:-AFTER]):
        for directory in notes:
            changed[directory].append(place)
    for directory in sorted(changed, key=lambda it: (-len(changed[it]), it))[:DIRECTORIES]:
        places = changed[directory]
        step = max(1, len(places) // (3 * MOMENTS))
        found = [s for place in places[::step] if (s := sample(repo, mirror, directory, commits, place))]
        yield from found[::max(1, -(-len(found) // MOMENTS))]


if __name__ == "__main__":
    mirrors = sys.argv[1]
    names = sys.argv[2:] or sorted(n.replace("+", "/") for n in os.listdir(mirrors) if os.path.isdir(f"{mirrors}/{n}/repo"))
    json.dump([s for n in names for s in samples_of(n, f"{mirrors}/{n.replace('/', '+')}/repo")], sys.stdout, indent=0)
