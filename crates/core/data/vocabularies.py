#!/usr/bin/env python3
"""Writes the vocabulary files beside this script from their published form.

    vocabularies.py bpe RANKS.tiktoken OUT.merges     (o200k_base, cl100k_base)
    vocabularies.py claude PIECES.json OUT.pieces     (data files of ctok 1.3.0)

A `.merges` file is the 256 single-byte tokens in rank order, then for every
further rank the two tokens it is merged from, each as three bytes, little
endian. A `.pieces` file is the sorted pieces, front-coded: one byte for the
length shared with the piece before, one for the length of the rest, the rest.
The markers of a piece become the bytes F8 to FB, which no UTF-8 text holds.
"""
import base64
import json
import re
import sys

MARKERS = {"⟨bow⟩": 0xF8, "⟨eow⟩": 0xF9, "⟨shift⟩": 0xFA, "⟨caps⟩": 0xFB}
ATOM = re.compile("⟨(?:bow|eow|shift|caps)⟩|⟨0x[0-9A-Fa-f]{2}⟩|.", re.DOTALL)


def split(token, ranks):
    """The last two parts of `token` when merged by lower ranks only."""
    limit = ranks[token]
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        best = None
        for at in range(len(parts) - 1):
            rank = ranks.get(parts[at] + parts[at + 1], limit)
            if rank < limit and (best is None or rank < best[0]):
                best = (rank, at)
        if best is None:
            raise SystemExit(f"token {limit} cannot be merged")
        at = best[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def bpe(source, target):
    ranks = {}
    with open(source, "rb") as lines:
        for line in lines:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    tokens = sorted(ranks, key=ranks.get)
    assert [ranks[token] for token in tokens] == list(range(len(tokens)))
    out = bytearray(b"".join(tokens[:256]))
    assert len(out) == 256
    for token in tokens[256:]:
        for part in split(token, ranks):
            out += ranks[part].to_bytes(3, "little")
    open(target, "wb").write(out)


def encode(piece):
    out = bytearray()
    for atom in ATOM.findall(piece):
        if atom in MARKERS:
            out.append(MARKERS[atom])
        elif len(atom) > 1:
            out.append(int(atom[3:5], 16))
        else:
            out += atom.encode()
    return bytes(out)


def claude(source, target):
    groups = json.load(open(source, encoding="utf-8"))["tokens"]
    pieces = set()
    for group, entries in groups.items():
        for piece in entries:
            if group == "bytes_fallback":
                pieces.add(bytes.fromhex(piece))
            else:
                pieces.add(encode(piece))
            if group == "contractions":
                pieces.add(encode(piece + "⟨eow⟩"))
    out, before = bytearray(), b""
    for piece in sorted(pieces):
        if len(piece) < 2:
            continue  # every single byte is a token of its own
        shared = 0
        while shared < min(len(before), len(piece)) and before[shared] == piece[shared]:
            shared += 1
        out += bytes([shared, len(piece) - shared]) + piece[shared:]
        before = piece
    open(target, "wb").write(out)


{"bpe": bpe, "claude": claude}[sys.argv[1]](*sys.argv[2:])
