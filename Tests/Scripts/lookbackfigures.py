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
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

FEELINGS = [("😊", "Happy"), ("😢", "Sad"), ("😌", "Calm"), ("😐", "Meh"), ("🎉", "Excited"), ("🐝", "Busy"), ("😴", "Tired")]
TAGS = ["work", "home", "sport", "rain", "friends", "family", "travel", "music"]
ZONES = ["Europe/Helsinki"] * 8 + ["America/New_York", "Asia/Tokyo"]
YEARS = range(2014, 2026)


class Host:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, "--no-plugins", "--time-zone", "UTC", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, method, **params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.number

    def read(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the host has ended")
            answer = json.loads(line)
            if "id" in answer:
                if "error" in answer:
                    sys.exit(f"answered {answer['error']}")
                return answer

    def __call__(self, method, **params):
        self.send(method, **params)
        return self.read()["result"]

    def cpu(self):
        """Milliseconds of the host's CPU time, which other work on the machine changes little."""
        return sum(int(number) for number in open(f"/proc/{self.process.pid}/stat").read().rsplit(") ", 1)[1].split()[11:13]) * 10

    def rss(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


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
    host = Host(program, "--store", store)
    host("store.compact")
    host.close()


def measured(program, store, rounds, method, **params):
    host = Host(program, "--store", store)
    host("host.info")
    host("mood.list", limit=1)
    before, cpu, times = host.rss(), host.cpu(), []
    for _ in range(rounds):
        start = time.perf_counter()
        host(method, **params)
        times.append((time.perf_counter() - start) * 1000)
    grown, cpu = host.rss() - before, (host.cpu() - cpu) / rounds
    host.close()
    return times[0], min(times), cpu, grown


def ping_beside(program, store):
    """The longest wait for a ping during summaries."""
    host = Host(program, "--store", store)
    host("mood.list", limit=1)
    longest = 0
    for _ in range(5):
        summary = host.send("stats.summary")
        while True:
            start = time.perf_counter()
            ping = host.send("host.ping")
            answers = {host.read()["id"]}
            if answers == {ping}:
                longest = max(longest, (time.perf_counter() - start) * 1000)
                continue
            host.read()
            break
        assert summary
    host.close()
    return longest


def imported(program, folder, rows, chance):
    path = os.path.join(folder, "rows.csv")
    with open(path, "w") as out:
        out.write("timestamp,emoji,label,valence,tags,note\n")
        for number in range(rows):
            one = mood(chance)
            out.write(f"{one['timestamp']},{one['emoji']},{one['label']},{one.get('valence', '')},{';'.join(one['tags'])},note {number}\n")
    host = Host(program, "--store", os.path.join(folder, "imported"))
    host("host.info")
    start = time.perf_counter()
    answer = host("store.import", format="csv", path=path)
    taken, cpu = (time.perf_counter() - start) * 1000, host.cpu()
    if answer["created"] != rows:
        sys.exit(f"of {rows} rows were imported: {answer['created']}")
    host.close()
    return taken, cpu


def exported(program, store):
    """Takes pages as they come and checks them afterwards, so that the time is the host's."""
    host = Host(program, "--store", store)
    host("mood.list", limit=1)
    output, before, pages, cursor = host.process.stdout.fileno(), host.cpu(), [], {}
    start = time.perf_counter()
    while True:
        host.send("store.export", format="jsonl", **cursor)
        pieces = [os.read(output, 1 << 20)]
        while not pieces[-1].endswith(b"\n"):
            pieces.append(os.read(output, 1 << 20))
        page = b"".join(pieces)
        pages.append(page)
        found = re.search(rb'"nextCursor":"([^"]*)"}}\n$', page[-200:])
        if not found:
            break
        cursor = {"cursor": found[1].decode()}
    taken, cpu = (time.perf_counter() - start) * 1000, host.cpu() - before
    host.close()
    return taken, cpu, sum(json.loads(page)["result"]["text"].count("\n") for page in pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("host")
    parser.add_argument("--moods", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    scale = arguments.moods / 1_000_000
    slow = []

    def judge(what, taken, goal):
        if arguments.most and taken > goal * arguments.most:
            slow.append(f"{what}: {taken:.0f} ms, the goal is {goal:.0f}")

    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        fill(arguments.host, store, arguments.moods, chance)
        print(f"{arguments.moods:,} moods")
        print("| what | first, ms | best, ms | CPU, ms | goal, ms | grown, KiB |\n| --- | --- | --- | --- | --- | --- |")
        for what, goal, method, params in [
            ("stats.summary of everything", 150, "stats.summary", {}),
            ("stats.summary of 2020", 15, "stats.summary", {"in": "2020"}),
            ("stats.summary, tags: work", 150, "stats.summary", {"filter": {"tags": ["work"]}}),
            ("stats.year of 2020", 15, "stats.year", {"year": 2020}),
            ("stats.onThisDay", 15, "stats.onThisDay", {}),
            ("mood.tags", 150, "mood.tags", {}),
        ]:
            first, best, cpu, grown = measured(arguments.host, store, arguments.rounds, method, **params)
            print(f"| {what} | {first:.1f} | {best:.1f} | {cpu:.0f} | {max(goal * scale, 1):.1f} | {grown} |")
            judge(what, best, max(goal * scale, 1))
        print(f"a ping beside summaries waits for {ping_beside(arguments.host, store):.1f} ms at most")
        taken, cpu = imported(arguments.host, folder, arguments.rows, chance)
        print(f"import of {arguments.rows:,} rows of CSV: {taken:.0f} ms, {cpu} ms of CPU time")
        judge("import", taken, 1000 * arguments.rows / 100_000)
        taken, cpu, lines = exported(arguments.host, store)
        print(f"export of {lines:,} lines of jsonl: {taken:.0f} ms, with a reader in Python; {cpu} ms of CPU time of the host")
        judge("export", taken, 1500 * scale)
    for line in slow:
        print("SLOW", line)
    sys.exit(1 if slow else 0)


main()
