#!/usr/bin/env python3
"""Cuts the files of a small store at every byte, flips every bit of them, and starts a host on each result.

The store has a snapshot of two moods, and a journal of three commits whose growth is cut down to three line feeds. The
lock file says that all of them were acknowledged. For each damage a host is started on a fresh copy; it lists the
moods, verifies the store, and creates one more. It must answer every request and end with 0. Either all moods
are unchanged, or the host reports damage: the store cannot be opened, or is read-only with a reason, and then it
shows the state after some commit. Without a report, the new mood follows the others at the next start.

Usage: flips.py HOST [--sample N] [--seed N] [--jobs 2]
"""

import collections
import os
import random
import tempfile

from stores import identifier

from harness import pipes, run_drawn, script

NEXT = identifier(99)
Damage = collections.namedtuple("Damage", "file deed byte bit")


def ask(binary, store, requests, *options):
    return pipes(binary, requests, "--store", store, *options)


def state(answer):
    """The moods of a list, or None."""
    if "result" not in answer:
        return None
    return {mood["id"]: mood for mood in answer["result"]["items"]}


def prepare(binary, folder):
    """The files of the store, and its state after each commit of the journal."""
    store = os.path.join(folder, "whole")
    moods = [("mood.create", {"id": identifier(number), "emoji": "😊", "label": f"Mood {number}"}) for number in (1, 2, 3)]
    pipes(binary, [*moods[:2], ("store.compact", {})], "--store", store)
    changes = [moods[2], ("mood.setFavorite", {"id": identifier(1), "isFavorite": True}), ("mood.delete", {"id": identifier(2)})]
    states = [state(pipes(binary, [("mood.list", {})], "--store", store)[0])]
    for change in changes:
        states.append(state(pipes(binary, [change, ("mood.list", {})], "--store", store)[1]))
    files = {}
    for name in sorted(os.listdir(store)):
        if os.path.isfile(os.path.join(store, name)):
            with open(os.path.join(store, name), "rb") as file:
                files[name] = file.read()
    files["journal-2.jsonl"] = files["journal-2.jsonl"].rstrip(b"\n") + b"\n\n\n"
    return files, states


def damages(files):
    """Every damage; the deed is "cut" or "flip"."""
    for name in ["journal-2.jsonl", "moods.json", "index-2.v5", "lock"]:
        # An index is mostly pages of zeros, and IndexDamageTests go through the rest: here only some, of every bit.
        step = 97 if name == "index-2.v5" else 1
        yield from (Damage(name, "cut", offset, 0) for offset in range(0, len(files[name]), step))
        yield from (Damage(name, "flip", bit // 8, bit % 8) for bit in range(0, len(files[name]) * 8, step))


def lay_out(store, files, damage):
    os.mkdir(store, 0o700)
    for name, content in files.items():
        if name == damage.file and damage.deed == "cut":
            content = content[:damage.byte]
        elif name == damage.file:
            content = bytearray(content)
            content[damage.byte] ^= 1 << damage.bit
        with open(os.open(os.path.join(store, name), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(content)


def examine(binary, store, files, states, damage):
    """Returns "whole", "refused" or "read-only"; raises AssertionError for a fault."""
    lay_out(store, files, damage)
    listed, verified, created, info = pipes(binary, [
        ("mood.list", {}), ("store.verify", {}), ("mood.create", {"id": NEXT, "emoji": "😊", "label": "Next"}),
        ("store.info", {})], "--store", store)
    shown = state(listed)
    if "result" in created:
        if shown != states[-1]:
            raise AssertionError(f"writable, and shows {shown}")
        if "result" not in verified or (damage.file in ("journal-2.jsonl", "moods.json") and not verified["result"]["ok"]):
            raise AssertionError(f"writable, and store.verify says {verified}")
        again = state(pipes(binary, [("mood.list", {})], "--store", store)[0])
        if again is None or set(again) != set(states[-1]) | {NEXT} or any(again[one] != states[-1][one] for one in states[-1]):
            raise AssertionError(f"the next start shows {again}")
        return "whole"
    if shown is None:
        return "refused"
    if not info.get("result", {}).get("readOnlyReason"):
        raise AssertionError(f"refuses a change without a reason: {info}")
    # An edited snapshot shows its new content: the host reports that, and store.accept decides.
    if shown not in states and damage.file != "moods.json":
        raise AssertionError(f"read-only, and shows {shown}")
    if "result" in verified and verified["result"]["ok"]:
        raise AssertionError("read-only, and store.verify finds nothing")
    return "read-only"


@script("host", sample=(int, "so many damages, drawn by the seed (default: all)"), seed=1, jobs=2)
def main(options):
    folder = tempfile.mkdtemp(prefix="flips-")
    files, states = prepare(options.host, folder)
    cases = list(damages(files))
    if options.sample is not None:
        cases = random.Random(options.seed).sample(cases, min(options.sample, len(cases)))
    return run_drawn(
        folder, cases, lambda damage, place: examine(options.host, os.path.join(place, "store"), files, states, damage),
        lambda damage: f"{damage.file}, {damage.deed}", options)
