#!/usr/bin/env python3
"""The cost of searching many moods, and of changing them all at once.

    scanfigures.py HOST [--moods 1000000] [--rounds 3] [--seed 1] [--most 1.5] [--no-peers]

Moods are made from the seed and imported. Then, in a new host each: filtered lists with their counts, in the best of the rounds
and the first after the start; summaries; verify and compact, and at last import, undo and redo. Each count of a list
is compared with a loop over the moods. CPU milliseconds of the host's process, and the most memory that it had.

Then the same lists of a store that has 140,000 moods above its snapshot (fewer with fewer moods), and in memory.

Beside it, in the same run: the same questions to SQLite (the module of Python, with indexes), and the same search by ripgrep over
`moods.json`, where it is installed.

Goals are for a million moods; for fewer they shrink with their number, but not below 5 ms and 24 MiB. The first list after a start
may take 25 ms more, above a snapshot 120 ms in all. The exit code is 1 where a figure is more than `--most` times its goal.
"""
import argparse
import contextlib
import fcntl
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata

WORDS = "walk sea garden café rain work family sleep music friends coffee évening".split()
FEELINGS = [("😊", "Happy", 0.7), ("😢", "Sad", -0.7), ("😌", "Calm", 0.4), ("😡", "Angry", -0.6), ("😴", "Tired", -0.2), ("🤩", "Excited", 0.8)]
TAGS = [f"tag {number}" for number in range(200)]
# CPU ms of the first list with 140,000 moods above the snapshot, and in memory: it reads each of them.
FIRST_ABOVE = 120
FIRST_IN_MEMORY = 1_500
MEBI = 1 << 20


def make(count, seed):
    """Moods with their own ids and times, not in the order of their ids."""
    rng = random.Random(seed)
    moment = 1_300_000_000_000
    for number in range(count):
        moment += rng.randrange(1_000, 400_000)
        emoji, label, valence = rng.choice(FEELINGS)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment // 1000)) + f".{moment % 1000:03}Z"
        mood = {
            "id": f"01900000-{number * 7919 % 65536:04x}-7000-8000-{number:012x}", "emoji": emoji,
            "label": f"{label} {rng.randrange(10)}", "timestamp": stamp, "isFavorite": rng.random() < 0.05,
            "notes": " ".join(rng.choice(WORDS) for _ in range(12)), "tags": rng.sample(TAGS, 2)}
        if rng.random() < 0.5:
            mood["valence"] = round(valence + rng.uniform(-0.2, 0.2), 2)
        yield mood


def fold(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").casefold()


class Host:
    def __init__(self, program, store=None):
        place = ["--store", store] if store else ["--in-memory"]
        self.process = subprocess.Popen(
            [program, "--no-plugins", "--time-zone", "UTC", *place], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.number = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def __call__(self, method, **params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline() or sys.exit("the host has ended"))
            if "id" in answer:
                return answer["result"] if "result" in answer else sys.exit(f"{method}: {answer['error']}")

    def cpu(self):
        """Milliseconds of all threads so far."""
        # The number of another process's clock, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime(~self.process.pid << 3 | 2) * 1000

    def peak(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


class Figures:
    def __init__(self, options):
        self.scale = options.moods / 1_000_000
        self.most = options.most
        self.slow = []
        print(f"{options.moods} moods, CPU ms of the best round (first round), goal, peer")

    def row(self, name, value, goal, unit="ms", first=None, peer="", least=None, first_goal=0):
        floor = least or (24 if unit == "MiB" else 5)
        goal = max(goal * self.scale, floor) if goal else None
        told = f"{value:9.1f} {unit:3}" + (f" ({first:.1f})" if first is not None else "")
        print(f"{name:30} {told:26} " + (f"{goal:7.0f} {unit}" if goal else " " * 10) + (f"   {peer}" if peer else ""), flush=True)
        if goal and value > goal * self.most:
            self.slow.append(name)
        elif goal and first and first > max((first_goal or 0) * self.scale, goal + 25) * self.most:
            self.slow.append(name + ", first")


# Name, filter, order, goal, a function that checks one mood, and the SQL.
def questions():
    def tag(name):
        return f"id IN (SELECT mood FROM tag WHERE name = '{name}')"

    return [
        ("a tag", {"tags": ["tag 7"]}, {}, 20, lambda m: "tag 7" in m["tags"], tag("tag 7")),
        ("two tags", {"tags": ["tag 7", "tag 9"]}, {}, 20, lambda m: {"tag 7", "tag 9"} <= set(m["tags"]), f"{tag('tag 7')} AND {tag('tag 9')}"),
        ("any of three tags", {"anyTags": ["tag 1", "tag 2", "tag 3"]}, {}, 20, lambda m: bool({"tag 1", "tag 2", "tag 3"} & set(m["tags"])),
         " OR ".join(tag(f"tag {n}") for n in (1, 2, 3))),
        ("none of a tag", {"noTags": ["tag 7"]}, {}, 20, lambda m: "tag 7" not in m["tags"], "NOT " + tag("tag 7")),
        ("an emoji", {"emoji": "😊"}, {}, 20, lambda m: m["emoji"] == "😊", "emoji = '😊'"),
        ("a label", {"label": "happy 3"}, {}, 20, lambda m: m["label"] == "Happy 3", "label = 'Happy 3'"),
        # No mood has such a valence from the palette.
        ("a range of valence", {"valenceFrom": 0.9}, {}, 20, lambda m: m.get("valence", 0) >= 0.9, "valence >= 0.9"),
        ("favorites", {"isFavorite": True}, {}, 5, lambda m: m["isFavorite"], "favorite = 1"),
        ("text that nobody has", {"text": "zzqx"}, {}, 80, lambda m: False, "body LIKE '%zzqx%'"),
        ("text, accents folded", {"text": "cafe"}, {}, 80, lambda m: "cafe" in fold(m["notes"]), "body LIKE '%café%'"),
        ("text, exact", {"text": "café", "exact": True}, {}, 150, lambda m: "café" in m["notes"], "body LIKE '%café%'"),
        ("one letter", {"text": "z"}, {}, 80, lambda m: False, "body LIKE '%z%'"),
        ("a tag, by label", {"tags": ["tag 7"]}, {"sort": "label", "order": "asc"}, 25, lambda m: "tag 7" in m["tags"], None),
        ("a tag, by update", {"tags": ["tag 7"]}, {"sort": "updatedAt"}, 25, lambda m: "tag 7" in m["tags"], None),
    ]


def ask(figures, host, moods, rounds, question, goal, peer=None, label="", first_goal=0):
    """One list, several times: the best round, and the first."""
    name, chosen, order, _, is_meant, sql = question
    times = []
    for _ in range(rounds):
        before = host.cpu()
        answer = host("mood.list", filter=chosen, count=True, limit=50, **order)
        times.append(host.cpu() - before)
    wanted = sum(1 for mood in moods if is_meant(mood))
    if answer["total"] != wanted:
        sys.exit(f"{name}{label}: {answer['total']} moods are told, and there are {wanted}")
    told = peer(sql, chosen.get("text")) if peer else ""
    figures.row(name + label, min(times), goal, first=times[0], peer=told, first_goal=first_goal)


def lists(figures, program, store, moods, rounds, peer):
    for question in questions():
        with Host(program, store) as host:
            ask(figures, host, moods, rounds, question, question[3], peer)
    with Host(program, store) as host:
        # Each list of tags is parsed once, and 50,000 moods have most lists of a million.
        for name, method, goal, least in (("summary", "stats.summary", 120, 15), ("tags", "mood.tags", 60, 30)):
            times = []
            for _ in range(rounds):
                before = host.cpu()
                host(method)
                times.append(host.cpu() - before)
            figures.row(name, min(times), goal, first=times[0], least=least)
        figures.row("memory of a summary", host.peak(), 64, "MiB")


# These are asked in other places too.
SOME = ("a tag", "favorites", "text, accents folded", "one letter", "a tag, by label")


def elsewhere(figures, program, store, folder, moods, rounds):
    """Lists where the moods are not in a snapshot alone."""
    some = [question for question in questions() if question[0] in SOME]
    more = list(make(round(140_000 * figures.scale), 99))
    for number, mood in enumerate(more):
        mood["id"] = f"01910000-0000-7000-8000-{number:012x}"
    copied = os.path.join(folder, "layered")
    shutil.copytree(store, copied)
    with Host(program, copied) as host:
        for start in range(0, len(more), 5_000):
            text = "\n".join(json.dumps(mood, ensure_ascii=False) for mood in more[start:start + 5_000])
            host("store.import", text=text, format="jsonl")
        for question in some:
            ask(figures, host, moods + more, rounds, question, question[3], label=", above", first_goal=FIRST_ABOVE)
        figures.row("memory, above a snapshot", host.peak(), 160, "MiB", least=48)
    shutil.rmtree(copied)
    with Host(program) as host:
        host("store.import", path=os.path.join(folder, "moods.jsonl"))
        for question in some:
            ask(figures, host, moods, rounds, question, question[3], label=", in memory", first_goal=FIRST_IN_MEMORY)


@contextlib.contextmanager
def lock_held(store):
    """Yields a list, and appends the longest time for which the store's lock was not to be had, in milliseconds."""
    longest, done = [], threading.Event()

    def watch():
        most, since = 0.0, None
        while not done.wait(0.002):
            try:
                with open(os.path.join(store, "lock"), "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                since = None
            except FileNotFoundError:
                continue
            except BlockingIOError:
                since = since or time.monotonic()
                most = max(most, time.monotonic() - since)
        longest.append(most * 1000)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield longest
    finally:
        done.set()
        thread.join()


def whole(figures, program, store, lines, count):
    """The work that changes or reads all: a new host each, with its own growth of memory."""
    steps = [
        ("import", 8_000, 200, lambda host: host("store.import", path=lines)["created"]),
        ("verify", 2_500, 64, lambda host: count if host("store.verify")["ok"] else 0),
        ("compact", 3_000, 100, lambda host: host("store.compact")["moods"]),
        ("undo of the import", 8_000, 200, lambda host: host("store.undo", scope="store", revision=1) and count),
        ("redo of the import", 8_000, 200, lambda host: host("store.redo", scope="store", revision=1) and count),
    ]
    for name, goal, memory, step in steps:
        with Host(program, store) as host:
            before = host.cpu()
            with lock_held(store) as held:
                done = step(host)
            if done != count:
                sys.exit(f"{name}: {done} of {count} moods")
            figures.row(name, host.cpu() - before, goal)
            if name == "import":
                figures.row(name + ", lock held", held[0], goal, least=200)
            figures.row(name + ", memory", host.peak(), memory, "MiB")
        if name == "compact":
            yield
    yield


class Peers:
    """SQLite with suitable indexes, and ripgrep."""

    def __init__(self, moods, store):
        self.snapshot = os.path.join(store, "moods.json")
        self.base = sqlite3.connect(":memory:")
        self.base.execute("CREATE TABLE mood (id INTEGER PRIMARY KEY, emoji, label, favorite, at, body, valence)")
        self.base.execute("CREATE TABLE tag (name, mood)")
        self.base.executemany(
            "INSERT INTO mood VALUES (?,?,?,?,?,?,?)",
            ((n, m["emoji"], m["label"], m["isFavorite"], m["timestamp"], "\n".join([m["label"], m["notes"], *m["tags"]]), m.get("valence"))
             for n, m in enumerate(moods)))
        self.base.executemany("INSERT INTO tag VALUES (?,?)", ((name, n) for n, m in enumerate(moods) for name in m["tags"]))
        for index in ("mood(emoji)", "mood(label)", "mood(favorite)", "mood(at)", "mood(valence)", "tag(name, mood)"):
            self.base.execute(f"CREATE INDEX i{abs(hash(index))} ON {index}")

    def __call__(self, sql, text):
        told = []
        if sql:
            start = time.process_time()
            self.base.execute(f"SELECT count(*) FROM mood WHERE {sql}").fetchone()
            self.base.execute(f"SELECT * FROM mood WHERE {sql} ORDER BY at DESC LIMIT 50").fetchall()
            told.append(f"SQLite {1000 * (time.process_time() - start):.0f}")
        if text and shutil.which("rg"):
            before = os.times()
            subprocess.run(["rg", "-c", "-i", text, self.snapshot], stdout=subprocess.DEVNULL, check=False)
            after = os.times()
            told.append(f"ripgrep {1000 * (after[2] + after[3] - before[2] - before[3]):.0f}")
        return ", ".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", type=os.path.abspath)
    parser.add_argument("--moods", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=1.5)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    figures = Figures(options)
    with tempfile.TemporaryDirectory() as folder:
        store, lines = os.path.join(folder, "store"), os.path.join(folder, "moods.jsonl")
        moods = list(make(options.moods, options.seed))
        with open(lines, "w", encoding="utf-8") as file:
            for mood in moods:
                file.write(json.dumps(mood, ensure_ascii=False) + "\n")
        steps = whole(figures, options.host, store, lines, options.moods)
        next(steps)
        peer = (lambda sql, text: "") if options.no_peers else Peers(moods, store)
        lists(figures, options.host, store, moods, options.rounds, peer)
        sizes = [os.path.getsize(os.path.join(store, name)) for name in os.listdir(store) if name.startswith("index-")]
        figures.row("index, of the snapshot", 100 * max(sizes) / os.path.getsize(os.path.join(store, "moods.json")), 60, "%", least=62)
        elsewhere(figures, options.host, store, folder, moods, options.rounds)
        next(steps)
    if figures.slow:
        sys.exit(f"more than {options.most} times the goal: {', '.join(figures.slow)}")


if __name__ == "__main__":
    main()
