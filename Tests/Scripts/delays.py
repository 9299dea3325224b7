#!/usr/bin/env python3
"""The longest wait of a write during a compaction, compared with a plain write of equal size.

    delays.py HOST [--moods 100000] [--rounds 10]

One host changes a store, one change in flight, all the time. In turns another process writes a file as large as the
snapshot and syncs it, and another host compacts the store. Printed are the longest waits of a change during each, in
milliseconds, and how long each took. The contract (store, section 3) allows the compaction twice the plain write.
Exit 1 when the median of the longest waits is more than that.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from harness import Host, pipes, script

PLAIN = """
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
left, chunk = int(sys.argv[2]), os.urandom(1 << 18)
while left > 0:
    left -= os.write(f, chunk[:min(left, len(chunk))])
os.fsync(f)
os.unlink(sys.argv[1])
"""


class Writer(threading.Thread):
    """Changes moods one after the other, and notes the beginning and the duration of each change."""

    def __init__(self, host, store):
        super().__init__(daemon=True)
        self.client, self.waits, self.ends = Host(host, store=store), [], False

    def run(self):
        number = 0
        while not self.ends:
            number += 1
            start = time.monotonic()
            self.client.ask("mood.create", {"emoji": "😊", "label": f"Beside {number}"})
            self.waits.append((start, time.monotonic() - start))

    def longest(self, start, end):
        return max((wait for begun, wait in list(self.waits) if begun + wait >= start and begun <= end), default=0)


@script("host", moods=100_000, rounds=10)
def main(options):
    folder = tempfile.mkdtemp(prefix="delays-")
    store = os.path.join(folder, "store")
    try:
        pipes(options.host, [("mood.create", {"emoji": "😊", "label": f"Mood {number}", "notes": "n" * 150, "tags": ["a", "b"]})
                             for number in range(options.moods)], "--store", store, seconds=600)
        compactor = Host(options.host, store=store)
        compactor.ask("store.compact")
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
                    compactor.ask("store.compact")
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
