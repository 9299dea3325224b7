#!/usr/bin/env python3
"""Shows that the runner of the transcripts notices every fault of a host, and accepts harmless differences.

    Tests/Scripts/noticed.py HOST [--runner 'COMMAND'] [--only TEXT]

HOST is wrapped in `proxyhost.py`, with one fault after the other; some transcript has to fail with each, and none with each
harmless rewrite. Exits 1 otherwise.
"""

import os
import shlex
import subprocess
import sys

import proxyhost

from harness import script

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../Conformance")
# Short ones, which cover all parts of the protocol.
TRANSCRIPTS = [
    "message-envelope", "message-batch", "message-ids", "json-broken", "mood-create", "mood-favorite-notes", "mood-list", "transport-header",
    "transport-split", "transport-signals", "transport-end-of-input", "events-mood", "order-pipelined",
]


@script(
    "host", runner=(f"{sys.executable} {FOLDER}/run.py", "another runner of the same files"),
    only=("", "only what has this in its name"))
def main(options):
    files = [os.path.join(FOLDER, name + ".transcript") for name in TRANSCRIPTS]
    outcomes = {True: [0, 0], False: [0, 0]}
    for name in proxyhost.ALL:
        if options.only not in name:
            continue
        is_harmless = name in proxyhost.HARMLESS
        # The proxy has to start and end within a transcript's second.
        command = [sys.executable, "-S", "-E", os.path.join(HERE, "proxyhost.py"), name, options.host]
        ended = subprocess.run(
            [*shlex.split(options.runner), "--jobs", "1" if is_harmless else "4", "--timeout", "2", shlex.join(command), *files],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        is_right = (ended.returncode == 0) == is_harmless
        outcomes[is_harmless][0 if is_right else 1] += 1
        print(f"{'ok   ' if is_right else 'FAIL '} {name}", flush=True)
        if not is_right:
            print("      " + ended.stdout.decode(errors="replace")[-1500:].replace("\n", "\n      "))
    (noticed, missed), (passed, stopped) = outcomes[False], outcomes[True]
    print(f"{noticed} faults noticed, {missed} missed; {passed} harmless rewrites passed, {stopped} not")
    return 1 if missed or stopped or not noticed + passed else 0
