#!/usr/bin/env python3
"""Checks with strace that no answer to a change is written before the change is on stable storage.

Usage: syncorder.py HOST [--keep TRACE]

Runs a session on a fresh store under strace: changes one at a time, then pipelined with reads between them. The trace
must show, for each change (one journal line with its `seq`): a write of the line to a journal file has returned, then
an fdatasync (or fsync) of that file was begun and returned 0, and only then a write to stdout that carries the answer
to the change, or to a read behind it, begins. A journal opened with O_DSYNC or O_SYNC is synced by its writes.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile

from harness import Skipped, needs, script

CALLS = "write,pwrite64,writev,pwritev,pwritev2,fdatasync,fsync,openat,open"
LINE = re.compile(r"^(\d+) +(.*)$")
UNFINISHED = re.compile(r"^(\w+)\((.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)(.*)$", re.DOTALL)
TARGET = re.compile(r"^\d+<([^>]*)>")
SEQ = re.compile(r'\\"seq\\": ?(\d+)')
ANSWER = re.compile(r'\\"id\\": ?\\"(change|read)-(\d+)\\"')


class Event:
    """One system call: when it began and returned (positions in the trace), its name, arguments and result."""

    def __init__(self, began, returned, name, arguments, result):
        self.began, self.returned, self.name, self.arguments, self.result = began, returned, name, arguments, result
        found = TARGET.match(arguments)
        self.target = found[1] if found else ""


def read_trace(path):
    """The calls of a trace of all threads, in the order in which they returned."""
    open_calls, events = {}, []
    with open(path, encoding="utf-8", errors="replace") as file:
        for position, line in enumerate(file):
            found = LINE.match(line.rstrip("\n"))
            if not found:
                continue
            thread, text = found[1], found[2]
            if half := UNFINISHED.match(text):
                open_calls[thread] = (position, half[1], half[2])
                continue
            began = position
            if rest := RESUMED.match(text):
                if thread not in open_calls:
                    continue
                began, name, start = open_calls.pop(thread)
                text = f"{name}({start}{rest[2]}"
            if call := CALL.match(text):
                events.append(Event(began, position, call[1], call[2], int(call[3])))
    return events


def session():
    """The lines one at a time, the pipelined ones, and the commits; ids are "change-N", and "read-N" for a read after it."""
    requests, commits = [], 0
    identifier = "01890000-0000-7000-8000-{:012d}".format

    def change(method, params):
        nonlocal commits
        commits += 1
        requests.append((f"change-{commits}", method, params))

    def read(method, params):
        requests.append((f"read-{commits}", method, params))

    def round_of(first):
        for number in range(first, first + 10):
            change("mood.create", {"id": identifier(number), "emoji": "😊", "label": f"Mood {number}"})
            read("mood.get", {"id": identifier(number)})
        for number in range(first, first + 10):
            change("mood.toggleFavorite", {"id": identifier(number)})
            change("mood.setNotes", {"id": identifier(number), "notes": f"Notes {number}"})
            change("mood.update", {"id": identifier(number), "set": {"label": f"Label {number}"}})
            read("mood.list", {"limit": 5})
        change("mood.updateMany", {"ids": [identifier(first), identifier(first + 1)], "set": {"tags": ["t"]}})
        change("mood.delete", {"id": identifier(first)})
        read("store.info", {})
        change("mood.deleteMany", {"ids": [identifier(first + 1), identifier(first + 2)]})
        change("store.insertSamples", {})

    round_of(0)
    one_at_a_time = len(requests)
    round_of(100)
    round_of(200)
    # Groups so large that their first lines are written before the last ones are handled.
    for number in range(40):
        change("mood.setNotes", {"id": identifier(205), "notes": f"{number} " * 10_000})
        read("mood.get", {"id": identifier(205)})
    lines = [json.dumps({"jsonrpc": "2.0", "id": label, "method": method, "params": params}).encode() + b"\n"
             for label, method, params in requests]
    return lines[:one_at_a_time], lines[one_at_a_time:], commits


def run_session(command, single, pipelined):
    """Runs the session; returns the inode of the host's stdout pipe."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    inode = os.fstat(process.stdout.fileno()).st_ino
    reader = os.fdopen(os.dup(process.stdout.fileno()), "rb")
    answers = []
    for line in single:
        process.stdin.write(line)
        answers.append(reader.readline())
    process.stdin.write(b"".join(pipelined))
    answers += [reader.readline() for _ in pipelined]
    process.stdin.close()
    status = process.wait(60)
    reader.close()
    if status != 0:
        raise SystemExit(f"the host ended with {status}")
    for answer in answers:
        if b'"result"' not in answer:
            raise SystemExit(f"a request failed: {answer[:300]!r}")
    return inode


def check(events, stdout, commits):
    """The violations, and the number of checked answers."""
    unsynced, synced, dsync = {}, {}, set()
    answered, problems = set(), []
    # Sorted by their beginning: an answer counts from the beginning of its write.
    for event in sorted(events, key=lambda one: one.began):
        journal = "journal-" in event.target
        if event.name in ("open", "openat") and re.search(r"O_D?SYNC", event.arguments):
            dsync.update(re.findall(r'"([^"]*journal-[^"]*)"', event.arguments))
        elif event.name in ("fdatasync", "fsync") and journal and event.result == 0:
            for seq, (target, returned) in list(unsynced.items()):
                if target == event.target and returned < event.began:
                    synced.setdefault(seq, event.returned)
                    del unsynced[seq]
        elif journal and event.result > 0:
            for seq in map(int, SEQ.findall(event.arguments)):
                if any(os.path.basename(name) == os.path.basename(event.target) for name in dsync):
                    synced.setdefault(seq, event.returned)
                elif seq not in synced:
                    unsynced[seq] = (event.target, event.returned)
        elif event.target == stdout and event.result > 0:
            for kind, number in ANSWER.findall(event.arguments):
                seq = int(number)
                answered.add((kind, seq))
                if seq not in synced:
                    state = "written, not synced" if seq in unsynced else "not written"
                    problems.append(f"{kind}-{seq} was answered while its line was {state}")
                elif synced[seq] >= event.began:
                    problems.append(f"{kind}-{seq} was answered before the sync returned")
    for seq in range(1, commits + 1):
        if ("change", seq) not in answered:
            problems.append(f"the answer to change-{seq} is not in the trace")
    return problems, len(answered)


@script("host", keep=(str, "keep the trace in this file"))
def main(options):
    needs("strace")
    if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode != 0:
        raise Skipped("strace may not trace here, the order of sync and answer was NOT checked")
    folder = tempfile.mkdtemp(prefix="syncorder-")
    try:
        trace = os.path.join(folder, "trace")
        command = ["strace", "-f", "-y", "-s", "16777216", "-e", f"trace={CALLS}", "-o", trace,
                   options.host, "--store", os.path.join(folder, "store")]
        single, pipelined, commits = session()
        inode = run_session(command, single, pipelined)
        events = read_trace(trace)
        problems, checked = check(events, f"pipe:[{inode}]", commits)
        syncs = sum(event.name in ("fdatasync", "fsync") and "journal-" in event.target for event in events)
        if options.keep:
            shutil.copyfile(trace, options.keep)
    finally:
        shutil.rmtree(folder)
    for problem in problems[:20]:
        print("  ", problem)
    print(f"{commits} changes, {checked} answers checked, {syncs} syncs of the journal, {len(problems)} out of order")
    return 1 if problems else 0
