#!/usr/bin/env python3
"""The longest wait of a ping beside requests that take the whole store: compaction, with and without changes and imports
around it.

    Tests/Scripts/pings.py PATH/TO/moodboard [--moods 100000] [--most 20]

A host never waits for itself: nothing is refused, and no request takes the lock's time-out. `cat` is asked in turns with the host: what it waits at
most, the kernel alone has anybody wait. Fails where a ping waits more than `--most` milliseconds longer than `cat`.
"""

import json
import os
import select
import subprocess
import tempfile
import time

from harness import Host, script

LOCK_SECONDS = 3


class Talk(Host):
    """A host, asked many things at a time, and pinged."""

    def beside(self, cat, requests):
        """Sends these; pings until all are answered. The longest ping, the longest cat, the seconds that all took, and the refusals."""
        start = time.monotonic()
        numbers = [self.send(*one) for one in requests]
        longest, floor = 0.0, 0.0
        while not all(number in self.answers for number in numbers):
            begin = time.monotonic()
            self.receive(self.send("host.ping"))
            middle = time.monotonic()
            cat.stdin.write(b"x" * 60)
            os.read(cat.stdout.fileno(), 100)
            longest, floor = max(longest, middle - begin), max(floor, time.monotonic() - middle)
            select.select([self.process.stdout], [], [], 0.001)
        refusals = [self.answers[number]["error"] for number in numbers if "error" in self.answers[number]]
        return longest * 1000, floor * 1000, time.monotonic() - start, refusals


def write_moods(path, count, first):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(first, first + count):
            file.write(json.dumps({"id": f"00000077-0000-4000-a000-{number:012x}", "emoji": "😊", "label": f"m{number}", "timestamp": "2025-01-02T03:04:05Z",
                                   "notes": "n" * 300}) + "\n")


@script("host", moods=100000, most=20.0)
def main(options):
    faults = []
    with tempfile.TemporaryDirectory(prefix="pings-") as folder:
        files = []
        for place, count in enumerate((options.moods, 700, 700, 5000)):
            files.append(os.path.join(folder, f"{place}.jsonl"))
            write_moods(files[-1], count, place * 1_000_000)
        talk = Talk(options.host, "--lock-timeout", str(LOCK_SECONDS), store=os.path.join(folder, "store"))
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        change = ("mood.create", {"emoji": "😊", "label": "x"})
        trials = {
            "an import": [("store.import", {"path": files[0]})],
            # The journal is longer than the snapshot then: an automatic compaction is due.
            "undo and redo of it": [("store.undo",), ("store.redo",), change],
            "imports where a compaction is due": [("store.import", {"path": files[3]}), change],
            "a compaction": [change, ("store.compact",)],
            "a compaction with changes around it": [change, ("store.compact",), change, change, ("store.compact",), change],
            "a compaction with an import behind it": [change, ("store.compact",), ("store.import", {"path": files[1]})],
            "an import with a compaction behind it": [("store.import", {"path": files[2]}), ("store.compact",), change],
        }
        for name, requests in trials.items():
            longest, floor, seconds, refusals = talk.beside(cat, requests)
            wrong = longest > floor + options.most or refusals
            print(f"{'FAIL ' if wrong else 'ok   '} {name}: ping {longest:.1f} ms at most, cat {floor:.1f} ms; {seconds:.1f} s"
                  + "".join(f"; refused: {json.dumps(one)[:300]}" for one in refusals), flush=True)
            if wrong:
                faults.append(name)
        talk.end()
        cat.communicate()
    print(f"{len(faults)} faults" if faults else "nobody waits")
    return 1 if faults else 0
