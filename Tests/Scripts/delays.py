#!/usr/bin/env python3
"""The longest wait of a write during a compaction, compared with a plain write of equal size.

    delays.py HOST [--moods 100000] [--rounds 10]

One host changes a store, one change in flight, all the time. In turns another process writes a file as large as the
snapshot and syncs it, and another host compacts the store. Printed are the longest waits of a change during each, in
milliseconds, and how long each took. The contract (store, section 3) allows the compaction twice the plain write.
Exit 1 when the median of the longest waits is more than that.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PLAIN = """
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
left, chunk = int(sys.argv[2]), os.urandom(1 << 18)
while left > 0:
    left -= os.write(f, chunk[:min(left, len(chunk))])
os.fsync(f)
os.unlink(sys.argv[1])
"""


class Client:
    def __init__(self, host, store):
        self.process = subprocess.Popen([host, "--store", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0

    def call(self, method, params=None):
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def fill(host, store, count):
    lines = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": n, "method": "mood.create", "params": {
            "emoji": "\N{SMILING FACE WITH SMILING EYES}", "label": f"Mood {n}", "notes": "n" * 150, "tags": ["a", "b"]}}).encode() + b"\n"
        for n in range(count))
    subprocess.run([host, "--store", store], input=lines, stdout=subprocess.DEVNULL, check=True)


class Writer(threading.Thread):
    """Changes moods one after the other, and notes the beginning and the duration of each change."""

    def __init__(self, host, store):
        super().__init__(daemon=True)
        self.client, self.waits, self.ends = Client(host, store), [], False

    def run(self):
        number = 0
        while not self.ends:
            number += 1
            start = time.monotonic()
            self.client.call("mood.create", {"emoji": "\N{SMILING FACE WITH SMILING EYES}", "label": f"Beside {number}"})
            self.waits.append((start, time.monotonic() - start))

    def longest(self, start, end):
        return max((wait for begun, wait in list(self.waits) if begun + wait >= start and begun <= end), default=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--moods", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="delays-")
    store = os.path.join(folder, "store")
    try:
        fill(options.host, store, options.moods)
        compactor = Client(options.host, store)
        compactor.call("store.compact")
        size = os.path.getsize(os.path.join(store, "moods.json"))
        writer = Writer(options.host, store)
        writer.start()
        waits, times = {"plain": [], "compact": []}, {"plain": [], "compact": []}
        time.sleep(0.5)
        quiet = writer.longest(0, time.monotonic())
        for _ in range(options.rounds):
            for kind in ("plain", "compact"):
                start = time.monotonic()
                if kind == "plain":
                    subprocess.run([sys.executable, "-c", PLAIN, os.path.join(folder, "plain"), str(size)], check=True)
                else:
                    compactor.call("store.compact")
                end = time.monotonic()
                time.sleep(0.3)
                waits[kind].append(1e3 * writer.longest(start, end))
                times[kind].append(1e3 * (end - start))
        writer.ends = True
        writer.join()
        writer.client.close()
        compactor.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{options.moods} moods, snapshot of {size} bytes, {len(writer.waits)} changes; longest wait alone {1e3 * quiet:.1f} ms")
    for kind, name in (("plain", "plain write"), ("compact", "compaction")):
        print(f"{name}: longest wait median {statistics.median(waits[kind]):.1f} ms, max {max(waits[kind]):.1f} ms;"
              f" took median {statistics.median(times[kind]):.0f} ms")
    ratio = statistics.median(waits["compact"]) / statistics.median(waits["plain"])
    print(f"compaction / plain write: {ratio:.2f}")
    return 0 if ratio <= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
