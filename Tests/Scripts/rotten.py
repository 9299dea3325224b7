#!/usr/bin/env python3
"""Damages blocks of the files beside the snapshot and its journal, and starts a host on the store.

The files are the operations, the journals in history/, the backup, the saved navigation, the settings, the trust of
plugins, and those of sync/; the damage is a block of 512 bytes that reads as zeros, as other bytes or with one bit flipped, or
a file that ends there. None of them is the home of a mood. A host starts on each damage, and one more after
it.

- Every mood is there, before and after a change and a compaction, and in what store.salvage writes.
- Operations that are sent again, histories of moods, saved navigation and settings are unchanged, or 1015. A history may also
  begin after the damage, where store.verify tells of it.
- A plugin is unchanged; else it is untrusted, with the reason, until a person mends the file.
- A change without an opId is done. Every request is answered, and the hosts end with 0.
- store.verify names the file, unless the damage is in line feeds after the last line.
- Of sync/: sync.now answers 1015 until the sync was left and set up again, or brings all to the others. Of these files
  store.verify names only replica.json, because the others can be rebuilt.

Usage: rotten.py HOST [--sample N] [--seed N] [--file NAME] [--jobs 2]
"""

import collections
import glob
import itertools
import json
import os
import random
import shutil
import tempfile

import stores
from flips import ask, state
from harness import script
from stores import create, identifier

BLOCK, MOODS, OPERATIONS = 512, 12, 30
DEEDS = ["zeros", "other bytes", "flip", "cut"]
# With the number of blocks of each.
SYNC = {"sync/replica.json": 1, "sync/own-*.jsonl": 6, "sync/others.jsonl": 2, "sync/status.json": 2}
PLUGIN = {
    "manifestVersion": 1, "id": "org.example.quiet", "name": "Quiet", "version": "1.0.0", "protocol": [1], "exec": ["./quiet"],
    "permissions": {"moods": "none"},
    "config": {"type": "object", "properties": {"city": {"type": "string"}, "token": {"type": "string", "writeOnly": True}}}}
Damage = collections.namedtuple("Damage", "file deed block seed")


def trust(binary, store):
    folder = os.path.join(store, "plugins", PLUGIN["id"])
    os.makedirs(folder)
    with open(os.path.join(folder, "plugin.json"), "w") as file:
        json.dump(PLUGIN, file)
    with open(os.open(os.path.join(folder, "quiet"), os.O_CREAT | os.O_WRONLY, 0o755), "w") as file:
        file.write("#!/bin/sh\nexec cat > /dev/null\n")
    which = {"id": PLUGIN["id"]}
    digest = ask(binary, store, [("plugin.info", which)])[0]["result"]["digest"]
    config = {"city": "Rome", "token": "t" * 600}
    ask(binary, store, [("plugin.trust", {**which, "digest": digest}), ("plugin.configure", {**which, "config": config})])


def prepare(binary, store):
    """The files by their paths, the moods, and requests with their answers."""
    operations = [(method, {**params, "opId": f"create {number}"}) for number, (method, params) in enumerate(map(create, range(MOODS)))]
    operations += [("mood.setNotes", {"id": identifier(number % MOODS), "notes": f"n {number}", "opId": f"notes {number}"})
                   for number in range(OPERATIONS - MOODS)]
    palette = [{"emoji": "😊", "label": f"Feeling {number}", "valence": 0.5} for number in range(20)]
    saves = [("settings.set", {"palette": palette})]
    for number in range(8):
        saves += [("nav.open", {"url": f"moodboard://mood/{identifier(number)}"}), ("nav.save", {"name": f"state {number}"})]
    half, answers = OPERATIONS // 2, []
    # One after the other: both journals get a commit during a compaction, and only one of them counts.
    for requests in [operations[:half], [("store.compact", {})], operations[half:], [("store.compact", {})], saves]:
        answers.append([answer["result"] for answer in ask(binary, store, requests)])
    kept = list(zip(operations, answers[0] + answers[2]))
    reads = [("mood.history", {"id": identifier(number)}) for number in range(MOODS)]
    reads += [("nav.restore", {"name": f"state {number}"}) for number in range(8)]
    reads += [("settings.get", {})]
    trust(binary, store)
    # The last change is in the journal that counts.
    ask(binary, store, [create(MOODS)])
    told = ask(binary, store, [("mood.list", {"limit": 1000}), *reads])
    kept += list(zip(reads, (answer["result"] for answer in told[1:])))
    names = [os.path.relpath(os.path.join(folder, name), store) for folder, _, names in os.walk(store) for name in names]
    rotten = [name for name in names if name.startswith(("history/", "backup-", "navigation", "settings", "plugins.", "plugins-secrets."))]
    return [*rotten, max(name for name in names if name.startswith("operations-"))], state(told[0]), kept


def spoil(path, damage):
    """Makes the damage; returns whether it counts, which damage in line feeds after the last line does not."""
    randomness = random.Random(damage.seed)
    with open(path, "r+b") as file:
        content = bytearray(file.read())
        begin, end = damage.block * BLOCK, min(len(content), (damage.block + 1) * BLOCK)
        before = bytes(content)
        if damage.deed == "cut":
            del content[begin:]
            file.truncate(begin)
        elif damage.deed == "flip":
            content[randomness.randrange(begin, end)] ^= 1 << randomness.randrange(8)
        else:
            content[begin:end] = bytes(end - begin) if damage.deed == "zeros" else randomness.randbytes(end - begin)
        file.seek(0)
        file.write(content)
    text = before.rstrip(b"\n")
    return content[:len(text)] != text


def check_moods(answer, moods, when):
    shown = state(answer)
    if shown != moods:
        raise AssertionError(f"{when} mood.list shows {answer if shown is None else set(moods) ^ set(shown) or 'other moods'}")


def examine(binary, whole, moods, kept, damage, place):
    store, saved = os.path.join(place, "store"), os.path.join(place, "saved")
    shutil.copytree(whole, store)
    is_damage = spoil(os.path.join(store, damage.file), damage)
    requests = [request for request, _ in kept]
    listed, verified, plugin, *answers = ask(
        binary, store, [("mood.list", {"limit": 1000}), ("store.verify", {}), ("plugin.info", {"id": PLUGIN["id"]}), *requests])
    check_moods(listed, moods, "at first")
    said = 0
    is_trusted = "trusted" in plugin["result"] and plugin["result"]["config"] == {"city": "Rome"}
    if not is_trusted:
        if not damage.file.startswith("plugins") or plugin["result"]["state"] != "untrusted" or "reason" not in plugin["result"]:
            raise AssertionError(f"plugin.info is answered {plugin}")
        said += 1
    for (method, params), result, answer in zip(requests, (result for _, result in kept), answers):
        if answer.get("result") != result:
            items = answer.get("result", {}).get("items")
            is_newest = method == "mood.history" and items is not None and items == result["items"][:len(items)]
            if not is_newest and answer.get("error", {}).get("code") != stores.STORE_CORRUPT:
                raise AssertionError(f"{method} {params} is answered {answer} instead of {result}")
            said += 1
    problems = verified["result"]["problems"]
    if not any(problem["file"] in damage.file for problem in problems) and (is_damage or said or problems):
        raise AssertionError(f"store.verify says {verified['result']}, and {said} requests were answered 1015 or less")
    created, _, salvaged, listed = ask(binary, store, [
        create(99), ("store.compact", {}), ("store.salvage", {"to": saved}), ("mood.list", {"limit": 1000})])
    if "result" not in created or "result" not in salvaged:
        raise AssertionError(f"a change: {created}; store.salvage: {salvaged}")
    moods = {**moods, identifier(99): created["result"]}
    check_moods(listed, moods, "after a change")
    for path in (store, saved):
        check_moods(ask(binary, path, [("mood.list", {"limit": 1000})])[0], moods, f"of {os.path.basename(path)}, the next host's")
    return "said" if said else "reported" if problems else "whole"


def synced(binary, place):
    """A store that takes part in a journal with another, and has unsent records; the moods, and the journal."""
    replicas, journal = [os.path.join(place, name) for name in ("store", "other")], os.path.join(place, "journal")
    os.makedirs(journal)
    setup = ("sync.setup", {"url": f"folder:{journal}", "confirm": True})
    for number, store in enumerate(replicas):
        ask(binary, store, [(setup[0], {**setup[1], "new": number == 0}), create(number), ("sync.now", {})], "--no-sync")
    ask(binary, replicas[0], [create(2), ("sync.now", {})], "--no-sync")
    os.rename(journal, journal + ".away")
    listed = ask(binary, replicas[0], [create(3), ("sync.now", {}), create(4), ("mood.list", {"limit": 1000})], "--no-sync")[-1]
    os.rename(journal + ".away", journal)
    return replicas, setup, state(listed)


def without_revision(moods):
    return {name: {key: value for key, value in mood.items() if key != "revision"} for name, mood in moods.items()}


def examine_sync(binary, damage, place):
    (store, other), setup, moods = synced(binary, place)
    [path] = glob.glob(os.path.join(store, damage.file))
    spoil(path, damage)
    listed, verified, created, answer = ask(
        binary, store, [("mood.list", {"limit": 1000}), ("store.verify", {}), create(99), ("sync.now", {})], "--no-sync")
    check_moods(listed, moods, "at first")
    named = any(problem["file"] == damage.file for problem in verified["result"]["problems"])
    is_refused = answer.get("error", {}).get("code") == stores.STORE_CORRUPT
    if is_refused != named or "result" not in created or ("error" in answer and not is_refused):
        raise AssertionError(f"store.verify says {verified}, a change {created}, sync.now {answer}")
    if is_refused:
        again = [ask(binary, store, [request], "--no-sync")[0] for request in (("sync.leave", {}), setup, ("sync.now", {}))]
        if any("error" in one for one in again):
            raise AssertionError(f"left and set up again: {again}")
    moods = without_revision({**moods, identifier(99): created["result"]})
    for path in (other, store):
        ask(binary, path, [("sync.now", {})], "--no-sync")
        [listed] = ask(binary, path, [("mood.list", {"limit": 1000})], "--no-sync")
        check_moods({"result": {"items": list(without_revision(state(listed)).values())}}, moods, f"after the sync, {path}:")
    return "said" if is_refused else "whole"


@script("host", sample=(int, "so many damages, drawn by the seed (default: all)"), seed=1, file=(str, "a path in the store"), jobs=2)
def main(options):
    folder = tempfile.mkdtemp(prefix="rotten-")
    whole, randomness = os.path.join(folder, "whole"), random.Random(options.seed)
    files, moods, kept = prepare(options.host, whole)
    cases = []
    for name in [options.file] if options.file else sorted(files):
        with open(os.path.join(whole, name), "rb") as file:
            content = file.read()
        # Two blocks of the line feeds that extend a journal.
        blocks = range(min(-(-len(content) // BLOCK), len(content.rstrip(b"\n")) // BLOCK + 3))
        cases += [Damage(name, deed, block, randomness.getrandbits(32))
                  for deed, block in itertools.product(DEEDS, blocks)]
    for name, blocks in SYNC.items() if options.file is None else []:
        cases += [Damage(name, deed, block, randomness.getrandbits(32)) for deed, block in itertools.product(DEEDS, range(blocks))]
    if options.sample is not None:
        cases = randomness.sample(cases, min(options.sample, len(cases)))
    return stores.run(
        folder, cases,
        lambda damage, place: examine_sync(options.host, damage, place) if damage.file in SYNC
        else examine(options.host, whole, moods, kept, damage, place),
        lambda damage: f"{damage.file}, {damage.deed}", options)
