#!/usr/bin/env python3
"""The cost of looking back on many moods, and of importing and exporting many.

    lookbackfigures.py HOST [--moods 1000000] [--rows 100000] [--rounds 5] [--seed 1] [--most 0]

A store of random moods over twelve years, in several zones, with tags and scales, is made and compacted. Then, each in a new
host, the first answer and the best of the rounds: `stats.summary` of everything and of a year, `stats.year`, `mood.tags`; how
much the host has grown by it; and how long a `host.ping` waits while a summary is made. At last an import of rows of CSV into
an empty store, and an export of all moods as jsonl.

Goals (for a million moods): 150 ms, 15 ms for a year, 16 MiB; 1 s, 1.5 s. With `--most N` the exit code is 1 where a time is
more than N times its goal.
"""
import json
import os
import random
import re
import subprocess
import tempfile
import time
from datetime import datetime, timedelta, timezone

from harness import Host, Wrong, script

FEELINGS = [("😊", "Happy"), ("😢", "Sad"), ("😌", "Calm"), ("😐", "Meh"), ("🎉", "Excited"), ("🐝", "Busy"), ("😴", "Tired")]
TAGS = ["work", "home", "sport", "rain", "friends", "family", "travel", "music"]
ZONES = ["Europe/Helsinki"] * 8 + ["America/New_York", "Asia/Tokyo"]
YEARS = range(2014, 2026)


class Measured(Host):
    def __init__(self, program, store):
        super().__init__(program, "--no-plugins", "--time-zone", "UTC", store=store)


def mood(chance):
    emoji, label = chance.choice(FEELINGS)
    start = datetime(YEARS[0], 1, 1, tzinfo=timezone.utc)
    moment = start + timedelta(seconds=chance.randrange(len(YEARS) * 365 * 86_400))
    made = {"emoji": emoji, "label": label, "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "tags": chance.sample(TAGS, chance.choice([0, 1, 1, 2]))}
    if chance.random() < 0.7:
        made["valence"] = round(chance.uniform(-1, 1), 2)
    if chance.random() < 0.5:
        made["timeZone"] = chance.choice(ZONES)
    if chance.random() < 0.3:
        made["scales"] = {"sleep": chance.randint(0, 10)}
    return made


def fill(program, store, count, chance):
    requests = os.path.join(os.path.dirname(store), "requests")
    with open(requests, "w") as out:
        for number in range(count):
            out.write('{"jsonrpc":"2.0","method":"mood.create","params":%s}\n' % json.dumps(mood(chance)))
    with open(requests) as lines:
        subprocess.run([program, "--no-plugins", "--store", store], stdin=lines, stdout=subprocess.DEVNULL, check=True)
    host = Measured(program, store)
    host.call("store.compact")
    host.close()


def measured(program, store, rounds, method, **params):
    host = Measured(program, store)
    host.call("host.info")
    host.call("mood.list", limit=1)
    before, cpu, times = host.memory_kib("VmRSS"), host.cpu_ms(), []
    for _ in range(rounds):
        start = time.perf_counter()
        host.ask(method, params)
        times.append((time.perf_counter() - start) * 1000)
    grown, cpu = host.memory_kib("VmRSS") - before, (host.cpu_ms() - cpu) / rounds
    host.close()
    return times[0], min(times), cpu, grown


def ping_beside(program, store):
    """The longest wait for a ping during summaries."""
    host = Measured(program, store)
    host.call("mood.list", limit=1)
    longest = 0
    for _ in range(5):
        summary = host.send("stats.summary")
        while summary not in host.answers:
            start = time.perf_counter()
            host.call("host.ping")
            if summary not in host.answers:
                longest = max(longest, (time.perf_counter() - start) * 1000)
    host.close()
    return longest


def imported(program, folder, rows, chance):
    path = os.path.join(folder, "rows.csv")
    with open(path, "w") as out:
        out.write("timestamp,emoji,label,valence,tags,note\n")
        for number in range(rows):
            one = mood(chance)
            out.write(f"{one['timestamp']},{one['emoji']},{one['label']},{one.get('valence', '')},{';'.join(one['tags'])},note {number}\n")
    host = Measured(program, os.path.join(folder, "imported"))
    host.call("host.info")
    start = time.perf_counter()
    answer = host.call("store.import", format="csv", path=path)
    taken, cpu = (time.perf_counter() - start) * 1000, host.cpu_ms()
    if answer["created"] != rows:
        raise Wrong(f"of {rows} rows were imported: {answer['created']}")
    host.close()
    return taken, cpu


def exported(program, store):
    """Takes pages as they come and checks them afterwards, so that the time is the host's."""
    host = Measured(program, store)
    host.call("mood.list", limit=1)
    output, before, pages, cursor = host.process.stdout.fileno(), host.cpu_ms(), [], {}
    start = time.perf_counter()
    while True:
        host.send("store.export", {"format": "jsonl", **cursor})
        pieces = [os.read(output, 1 << 20)]
        while not pieces[-1].endswith(b"\n"):
            pieces.append(os.read(output, 1 << 20))
        page = b"".join(pieces)
        pages.append(page)
        found = re.search(rb'"nextCursor":"([^"]*)"}}\n$', page[-200:])
        if not found:
            break
        cursor = {"cursor": found[1].decode()}
    taken, cpu = (time.perf_counter() - start) * 1000, host.cpu_ms() - before
    host.close()
    return taken, cpu, sum(json.loads(page)["result"]["text"].count("\n") for page in pages)


@script("host", moods=1_000_000, rows=100_000, rounds=5, seed=1, most=0.0)
def main(options):
    chance = random.Random(options.seed)
    scale = options.moods / 1_000_000
    slow = []

    def judge(what, taken, goal):
        if options.most and taken > goal * options.most:
            slow.append(f"{what}: {taken:.0f} ms, the goal is {goal:.0f}")

    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        fill(options.host, store, options.moods, chance)
        print(f"{options.moods:,} moods")
        print("| what | first, ms | best, ms | CPU, ms | goal, ms | grown, KiB |\n| --- | --- | --- | --- | --- | --- |")
        for what, goal, method, params in [
            ("stats.summary of everything", 150, "stats.summary", {}),
            ("stats.summary of 2020", 15, "stats.summary", {"in": "2020"}),
            ("stats.summary, tags: work", 150, "stats.summary", {"filter": {"tags": ["work"]}}),
            ("stats.year of 2020", 15, "stats.year", {"year": 2020}),
            ("stats.onThisDay", 15, "stats.onThisDay", {}),
            ("mood.tags", 150, "mood.tags", {}),
        ]:
            first, best, cpu, grown = measured(options.host, store, options.rounds, method, **params)
            print(f"| {what} | {first:.1f} | {best:.1f} | {cpu:.0f} | {max(goal * scale, 1):.1f} | {grown} |")
            judge(what, best, max(goal * scale, 1))
        print(f"a ping beside summaries waits for {ping_beside(options.host, store):.1f} ms at most")
        taken, cpu = imported(options.host, folder, options.rows, chance)
        print(f"import of {options.rows:,} rows of CSV: {taken:.0f} ms, {cpu:.0f} ms of CPU time")
        judge("import", taken, 1000 * options.rows / 100_000)
        taken, cpu, lines = exported(options.host, store)
        print(f"export of {lines:,} lines of jsonl: {taken:.0f} ms, with a reader in Python; {cpu:.0f} ms of CPU time of the host")
        judge("export", taken, 1500 * scale)
    for line in slow:
        print("SLOW", line)
    return slow
