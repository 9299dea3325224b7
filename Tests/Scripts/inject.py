#!/usr/bin/env python3
"""Makes every system call of the store fail, once or for ever, or be the host's last, and checks the result.

Each scenario (open, commit, compact, recover, migrate) is a prepared directory and a session of requests, sent one at a
time. A clean run under `strace -y` tells which calls of the host concern the directory, and which number each has
among the calls of its name and thread. Then the session runs again for each of them with
`strace -f -e inject=CALL:error=E:when=N`, `when=N+`, or `signal=KILL:when=N`, so that nothing before the store's first
call is hit. Every request has to be answered, unless the host was killed. Afterwards a healthy host opens the store:
each acknowledged change must be there, each refused one must not, and one without an answer or with an unknown
outcome may be either. The store must be writable again and pass `store.verify`.

Usage: inject.py HOST [--sample N] [--seed N] [--scenario NAME] [--jobs 2]
"""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import tempfile

from stores import OUTCOME_UNKNOWN, Host, create, identifier

from harness import Several, Skipped, run_drawn, script

CALLS = ["openat", "pread64", "pwrite64", "fdatasync", "fsync", "rename", "renameat", "renameat2", "link", "linkat",
         "unlink", "unlinkat", "ftruncate", "sync_file_range", "flock", "newfstatat", "fstat", "mkdir", "mkdirat", "getdents64"]
ERRORS = ["EIO", "ENOSPC", "EDQUOT", "EINTR", "EACCES", "EMFILE"]
LINE = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed)(.*)$")
READS = ("mood.list", "mood.get", "store.info", "store.verify", "store.compact")

Case = collections.namedtuple("Case", "scenario call number fault is_lasting")


def favorite(number, value):
    return "mood.setFavorite", {"id": identifier(number), "isFavorite": value}


def delete(number):
    return "mood.delete", {"id": identifier(number)}


def apply(moods, method, params):
    """The store's content after a change: id → (label, isFavorite)."""
    moods = dict(moods)
    if method == "mood.create":
        moods[params["id"]] = (params["label"], False)
    elif method == "mood.setFavorite" and params["id"] in moods:
        moods[params["id"]] = (moods[params["id"]][0], params["isFavorite"])
    elif method == "mood.delete":
        moods.pop(params["id"], None)
    return moods


LATER = [create(10), favorite(10, True), ("mood.list", {}), favorite(1, True), delete(2), ("store.info", {})]
# A commit whose line is written before its group ends.
LONG = ("mood.updateMany", {"ids": [identifier(number) for number in range(5)], "set": {"notes": "n" * 60_000}})
COMPACTING = [create(10), ("store.compact", {}), ("mood.list", {}), favorite(10, True), delete(1), ("mood.get", {"id": identifier(2)})]
SCENARIOS = {
    "open": ("empty", [("mood.list", {}), create(1), create(2), *LATER]),
    "commit": ("whole", [LONG, *LATER]),
    "compact": ("whole", COMPACTING),
    "recover": ("unclean", [("mood.list", {}), *LATER]),
    "migrate": ("version1", [("mood.list", {}), create(10), favorite(10, True), delete(10), ("store.info", {})]),
}
VERSION_1 = json.dumps({"schemaVersion": 1, "moods": [
    {"emoji": "😢", "label": "Sad", "timestamp": "2025-12-24T17:00:00Z"},
    {"emoji": "😊", "label": "Happy", "timestamp": "2026-01-02T03:04:05Z"}]}, ensure_ascii=False).encode()


def state(host):
    """The content that a healthy host reads: id → (label, isFavorite)."""
    answer = host.ask("mood.list", {"limit": 1000})
    if answer is None or "result" not in answer:
        raise AssertionError(f"a healthy host cannot read the store: {answer}")
    return {mood["id"]: (mood["label"], mood["isFavorite"]) for mood in answer["result"]["items"]}


def prepare(binary, folder):
    """The directories for the beginning of scenarios, and the content of each."""
    begins = {"empty": {}}
    whole = os.path.join(folder, "whole")
    host = Host([binary, "--store", whole])
    for number in range(4):
        host.ask(*create(number))
    host.ask("store.compact", {})
    host.ask(*favorite(3, True))
    with open(os.path.join(whole, "lock"), "rb") as file:
        early = file.read()
    begins["whole"] = state(host)
    host.ask(*create(4))
    late = state(host)
    host.close()
    unclean = os.path.join(folder, "unclean")
    shutil.copytree(whole, unclean)
    # Its last line is whole but not published, and a torn one follows.
    with open(os.path.join(unclean, "lock"), "wb") as file:
        file.write(early)
    journal = os.path.join(unclean, "journal-2.jsonl")
    with open(journal, "rb") as file:
        lines = file.read().rstrip(b"\n")
    with open(journal, "wb") as file:
        file.write(lines + b'\n{"seq":99,"at":"2026')
    begins["whole"] = begins["unclean"] = late
    version1 = os.path.join(folder, "version1")
    os.mkdir(version1, 0o700)
    with open(os.path.join(version1, "moods.json"), "wb") as file:
        file.write(VERSION_1)
    copy = os.path.join(folder, "migrated")
    shutil.copytree(version1, copy)
    host = Host([binary, "--store", copy])
    begins["version1"] = state(host)
    host.close()
    if len(begins["version1"]) != 2:
        raise SystemExit(f"the version 1 file is not migrated as it should be: {begins['version1']}")
    return begins


def lay_out(folder, begin, place):
    """A fresh copy of the directory that a scenario begins with."""
    store = os.path.join(place, "store")
    if begin != "empty":
        shutil.copytree(os.path.join(folder, begin), store)
    return store


def find_calls(binary, folder, name):
    """The calls of a clean run that concern the store, as (call, number among those of its name and thread)."""
    begin, requests = SCENARIOS[name]
    place = os.path.join(folder, "clean")
    os.mkdir(place)
    store, trace = lay_out(folder, begin, place), os.path.join(folder, "trace")
    command = ["strace", "-f", "-y", "-s", "256", "-e", f"trace={','.join(CALLS)}", "-o", trace, binary, "--store", store]
    host = Host(command)
    for method, params in requests:
        answer = host.ask(method, params)
        if answer is None or "result" not in answer:
            raise SystemExit(f"{name}: a clean run does not answer {method}: {answer}")
    host.close()
    counts, found = collections.Counter(), set()
    with open(trace, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = LINE.match(line)
            if not match or match[3] != "(":
                continue
            counts[match[1], match[2]] += 1
            if place in match[4].split(" = ")[0]:
                found.add((match[2], counts[match[1], match[2]]))
    shutil.rmtree(place)
    return sorted(found)


def possible(before, session):
    """The states that the answers allow. A change without an answer, or with an unknown outcome, may have happened or not."""
    states = [before]
    for method, params, answer in session:
        if method in READS:
            continue
        after = [apply(one, method, params) for one in states]
        if answer is not None and "result" in answer:
            states = after
        elif answer is None or answer["error"]["code"] == OUTCOME_UNKNOWN:
            states += [one for one in after if one not in states]
        # Nothing changed, as for notFound and every other error.
    return states


def check_reads(before, unproven, session):
    """Checks that reads between the changes show one of the states that are possible by then.

    A line that was never published adds `unproven`, which is hidden until a writer has judged it.
    """
    hidden = {key: value for key, value in before.items() if key not in unproven}
    for place, (method, _, answer) in enumerate(session):
        if method == "mood.list" and answer and "result" in answer:
            read = {mood["id"]: (mood["label"], mood["isFavorite"]) for mood in answer["result"]["items"]}
            was_written = any(one[0] not in READS and one[2] and "result" in one[2] for one in session[:place])
            allowed = possible(before, session[:place]) + ([] if was_written else [hidden])
            if read not in allowed:
                raise AssertionError(f"request {place} reads {short(read)}: {told(session)}")


def short(moods):
    """A state in a few words."""
    return " ".join(f"{label}{'*' if is_favorite else ''}" for label, is_favorite in sorted(moods.values()))


def told(session):
    """The answers, in a few words."""
    return ", ".join(
        f"{method}: " + ("nothing" if answer is None else "done" if "result" in answer else str(answer["error"]["message"]))
        for method, _, answer in session)


def run_case(binary, folder, begins, case, place):
    """Runs one case. Returns "killed", "hit" or "missed"; raises AssertionError or TimeoutError."""
    begin, requests = SCENARIOS[case.scenario]
    store, trace = lay_out(folder, begin, place), os.path.join(place, "trace")
    fault = "signal=KILL" if case.fault == "KILL" else f"error={case.fault}"
    number = f"{case.number}+" if case.is_lasting else str(case.number)
    host = Host(["strace", "-f", "-qq", "-s", "0", "-e", f"trace={case.call}", "-o", trace,
                 "-e", f"inject={case.call}:{fault}:when={number}", binary, "--store", store])
    session, has_ended = [], False
    try:
        for method, params in requests:
            answer = None if has_ended else host.ask(method, params)
            # Nothing was sent after the end, so nothing can have happened.
            if has_ended:
                break
            has_ended = answer is None
            session.append((method, params, answer))
    finally:
        status = host.close()
    if status is None or (status != 0 or has_ended) and case.fault != "KILL":
        raise AssertionError(f"the host ended with {status}")
    with open(trace, encoding="utf-8", errors="replace") as file:
        was_hit = "INJECTED" in (text := file.read()) or "killed by SIGKILL" in text
    before = begins[begin]
    check_reads(before, {identifier(4)} if begin == "unclean" else set(), session)
    healthy = Host([binary, "--store", store])
    try:
        allowed, found = possible(before, session), state(healthy)
        if found not in allowed:
            raise AssertionError(f"found {short(found)}, allowed {' | '.join(map(short, allowed))}; {told(session)}")
        for method, params in [create(50), ("store.verify", {}), ("store.compact", {})]:
            answer = healthy.ask(method, params)
            if answer is None or "result" not in answer or method == "store.verify" and not answer["result"]["ok"]:
                raise AssertionError(f"{method} afterwards: {answer}")
        if state(healthy) != apply(found, *create(50)):
            raise AssertionError("what was read changes with the next change")
    finally:
        healthy.close()
    if begin == "version1":
        old = os.path.join(store, "moods.v1.json")
        with open(old, "rb") as file:
            if file.read() != VERSION_1:
                raise AssertionError("the version 1 file is not kept as it was")
    return "killed" if has_ended or status else "hit" if was_hit else "missed"


@script("host", sample=(int, "so many cases, drawn by the seed (default: all)"), seed=1, scenario=Several(SCENARIOS), jobs=2)
def main(options):
    if shutil.which("strace") is None or subprocess.run(
            ["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode != 0:
        raise Skipped("strace, so no system call was made to fail")
    folder = tempfile.mkdtemp(prefix="inject-")
    begins = prepare(options.host, folder)
    cases = []
    for name in options.scenario or SCENARIOS:
        calls = find_calls(options.host, folder, name)
        cases += [Case(name, call, number, fault, is_lasting)
                  for call, number in calls for fault in [*ERRORS, "KILL"]
                  for is_lasting in ([False] if fault == "KILL" else [False, True])]
    if options.sample is not None:
        cases = random.Random(options.seed).sample(cases, min(options.sample, len(cases)))
    return run_drawn(
        folder, cases, lambda case, place: run_case(options.host, folder, begins, case, place), lambda case: case.scenario, options)
