#!/usr/bin/env python3
"""The longest wait of a ping beside requests that take the whole store: compaction, with and without changes and imports
around it.

    Tests/Scripts/pings.py PATH/TO/moodboard [--moods 100000] [--most 20]

A host never waits for itself: nothing is refused, and no request takes the lock's time-out. `cat` is asked in turns with the host: what it waits at
most, the kernel alone has anybody wait. Fails where a ping waits more than `--most` milliseconds longer than `cat`.
"""

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import time

LOCK_SECONDS = 3


class Talk:
    """A host, asked many things at a time, and pinged."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.pending, self.answers, self.number = b"", {}, 0

    def send(self, method, params=None):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}).encode() + b"\n")
        return self.number

    def receive(self, number, seconds=120):
        end = time.monotonic() + seconds
        while number not in self.answers:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer to {number}")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                raise EOFError
            *lines, self.pending = (self.pending + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line)
                if "id" in message:
                    self.answers[message["id"]] = (message, time.monotonic())
        return self.answers[number][0]

    def beside(self, requests):
        """Sends these; pings until all are answered. The longest ping, the longest cat, the seconds that all took, and the refusals."""
        start = time.monotonic()
        numbers = [self.send(*one) for one in requests]
        longest, floor = 0.0, 0.0
        while not all(number in self.answers for number in numbers):
            begin = time.monotonic()
            self.receive(self.send("host.ping"))
            middle = time.monotonic()
            self.cat.stdin.write(b"x" * 60)
            os.read(self.cat.stdout.fileno(), 100)
            longest, floor = max(longest, middle - begin), max(floor, time.monotonic() - middle)
            select.select([self.process.stdout], [], [], 0.001)
        refusals = [self.answers[number][0]["error"] for number in numbers if "error" in self.answers[number][0]]
        return longest * 1000, floor * 1000, time.monotonic() - start, refusals

    def close(self):
        for one in (self.process, self.cat):
            one.stdin.close()
            one.stdout.read()
            one.wait()


def write_moods(path, count, first):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(first, first + count):
            file.write(json.dumps({"id": f"00000077-0000-4000-a000-{number:012x}", "emoji": "😊", "label": f"m{number}", "timestamp": "2025-01-02T03:04:05Z",
                                   "notes": "n" * 300}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host")
    parser.add_argument("--moods", type=int, default=100000)
    parser.add_argument("--most", type=float, default=20)
    options = parser.parse_args()
    faults = []
    with tempfile.TemporaryDirectory(prefix="pings-") as folder:
        files = []
        for place, count in enumerate((options.moods, 700, 700, 5000)):
            files.append(os.path.join(folder, f"{place}.jsonl"))
            write_moods(files[-1], count, place * 1_000_000)
        talk = Talk([os.path.abspath(options.host), "--store", os.path.join(folder, "store"), "--lock-timeout", str(LOCK_SECONDS)])
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
            longest, floor, seconds, refusals = talk.beside(requests)
            wrong = longest > floor + options.most or refusals
            print(f"{'FAIL ' if wrong else 'ok   '} {name}: ping {longest:.1f} ms at most, cat {floor:.1f} ms; {seconds:.1f} s"
                  + "".join(f"; refused: {json.dumps(one)[:300]}" for one in refusals), flush=True)
            if wrong:
                faults.append(name)
        talk.close()
    print(f"{len(faults)} faults" if faults else "nobody waits")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
