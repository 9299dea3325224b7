#!/usr/bin/env python3
"""The present host and the previous one on one store: each reads the other's data, and no data is lost.

    Tests/Scripts/versions.py HOST
    Tests/Scripts/versions.py OLD_HOST NEW_HOST [--turns 20] [--kills 100] [--seed 1]
    Tests/Scripts/versions.py HOST --write Tests/Scripts/fixtures/VERSION

1. HOST opens the stores in Tests/Scripts/fixtures, which hosts of earlier versions wrote: it gives each answer that is kept with
   them. Members may have been added. Then it changes the store, and compacts it.
2. Each host keeps its index while the other one is at work on the store too.
3. In turns: one host changes moods, some with an opId, undoes, saves navigation, compacts, and ends. The other answers
   the same to every read, and to each opId again.
4. Killed, in turns and together: kill9.py, with hosts of both versions by chance.

--write makes a fixture. This script builds nothing.
"""

import json
import os
import random
import shutil
import tempfile
import uuid

import kill9
import kill9hosts
from harness import script

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
TORN = b'{"seq":99,"at":"2026'
OPERATIONS = [f"operation {number}" for number in range(1, 4)]


def identifier(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def contains(wanted, found):
    """Whether `found` equals `wanted`, apart from added members."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(name in found and contains(value, found[name]) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(contains, wanted, found))
    return wanted == found


def expect(wanted, found, what):
    if not contains(wanted, found):
        raise kill9.Lost(f"{what}: {json.dumps(found, ensure_ascii=False)} and not {json.dumps(wanted, ensure_ascii=False)}")


class Host(kill9.Run):
    """A host that is closed on leaving; by the end of its input, if nothing went wrong."""

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.end()
        finally:
            self.close()


# MARK: fixtures

def write_fixture(command, folder, log):
    """Makes a store with a snapshot, a journal, history, operations, a backup and saved navigation, which ends in a
    torn line."""
    store = command[command.index("--store") + 1]

    def create(number, **more):
        return "mood.create", {"id": identifier(number), "emoji": "😊", "label": f"Mood {number}",
                               "timestamp": f"2026-01-0{number}T03:04:05.678Z", **more}
    attachment = {"kind": "link", "url": "https://example.org/", "title": "Example"}
    with Host(command, log) as host:
        for method, params in [
            create(1, notes="Two\nlines", tags=["walk", "sun"], opId=OPERATIONS[0]),
            create(2, valence=0.5, timeZone="Europe/Helsinki", attachments=[attachment], opId=OPERATIONS[1]),
            create(3, scales={"sleep": 7.5}), ("mood.toggleFavorite", {"id": identifier(1)}),
            ("mood.delete", {"id": identifier(3)}), ("store.compact", {}), create(4),
            ("mood.setNotes", {"id": identifier(2), "notes": "later", "opId": OPERATIONS[2]}), ("store.undo", {}),
            ("nav.open", {"url": f"moodboard://mood/{identifier(1)}"}), ("nav.save", {"name": "work"}),
        ]:
            host.ask(method, params)
        asked = [("store.info", {}), ("mood.list", {"count": True}), ("mood.list", {"sort": "label", "order": "asc"}),
                 *(("mood.history", {"id": identifier(number)}) for number in range(1, 5)),
                 create(1, notes="Two\nlines", tags=["walk", "sun"], opId=OPERATIONS[0]),
                 create(2, valence=0.5, timeZone="Europe/Helsinki", attachments=[attachment], opId=OPERATIONS[1]),
                 ("mood.setNotes", {"id": identifier(2), "notes": "later", "opId": OPERATIONS[2]}),
                 ("nav.restore", {"name": "work"}), ("store.info", {})]
        kept = []
        for method, params in asked:
            result = host.ask(method, params)
            for name in ("path", "bytes"):
                if method == "store.info":
                    result.pop(name, None)
            kept.append(json.dumps({"method": method, "params": params, "result": result}, ensure_ascii=False))
        # Like after a power cut: the host has not ended, and has begun one more line.
        files = os.path.join(folder, "store")
        shutil.copytree(store, files, ignore=shutil.ignore_patterns("index-*"))
    with open(os.path.join(folder, "asked.jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")
    for name, end in [("history/journal-1.jsonl", b"\n"), ("journal-2.jsonl", b"\n" + TORN)]:
        with open(os.path.join(files, name), "rb+") as file:
            lines = file.read().rstrip(b"\n")
            file.truncate(len(lines))
            file.seek(0, os.SEEK_END)
            file.write(end)


def open_fixtures(host, place, log):
    """Opens every fixture with this host. Returns the number of compared answers."""
    count = 0
    for name in sorted(name for name in os.listdir(FIXTURES) if os.path.isfile(os.path.join(FIXTURES, name, "asked.jsonl"))):
        store = os.path.join(place, name)
        shutil.copytree(os.path.join(FIXTURES, name, "store"), store)
        for folder, _, files in os.walk(store):
            os.chmod(folder, 0o700)
            for file in files:
                os.chmod(os.path.join(folder, file), 0o600)
        with open(os.path.join(FIXTURES, name, "asked.jsonl"), encoding="utf-8") as file:
            asked = [json.loads(line) for line in file]
        for _ in range(2):
            with Host([host, "--store", store], log) as run:
                for one in asked:
                    expect(one["result"], run.ask(one["method"], one["params"]), f"{name}, {one['method']}")
                    count += 1
        with Host([host, "--store", store], log) as run:
            moods = kill9.read_moods(run)
            kill9.verify(run, len(moods))
            made = run.ask("mood.create", {"emoji": "🎉", "label": "Next"})
            run.ask("store.compact")
            expect({**moods, made["id"]: made}, kill9.read_moods(run), f"{name}, after a change")
            kill9.verify(run, len(moods) + 1)
    return count


# MARK: in turns

def turn(command, log, randomness, kept):
    """Makes changes with one host; `kept` gets them, with the answer of every read after them."""
    with Host(command, log) as host:
        alive = list(kill9.read_moods(host))
        for _ in range(randomness.randint(1, 25)):
            load = kill9.Load(randomness)
            load.alive, load.number = alive, randomness.getrandbits(40)
            change = load.next()
            params = dict(change.params)
            if randomness.random() < 0.4:
                params["opId"] = str(uuid.UUID(int=randomness.getrandbits(128), version=4))
            answer = host.ask(change.method, params)
            if "opId" in params:
                kept["operations"].append((change.method, params, answer))
            draw = randomness.random()
            if draw < 0.04:
                host.ask("store.undo")
                alive[:] = kill9.read_moods(host)
            elif draw < 0.07:
                host.ask("store.compact")
            elif draw < 0.15:
                host.ask("nav.open", {"url": f"moodboard://mood/{randomness.choice(alive)}"})
                name = f"state {randomness.randrange(4)}"
                kept["navigation"][name] = host.ask("nav.save", {"name": name})["path"]
        kept["operations"] = kept["operations"][-200:]
        kept["reads"] = [(method, params, host.ask(method, params)) for method, params in [
            ("store.info", {}), ("mood.list", {"limit": 1000}), ("mood.list", {"sort": "label", "limit": 1000}),
            ("mood.list", {"sort": "updatedAt", "filter": {"isFavorite": True}, "limit": 1000}),
            *(("mood.history", {"id": one}) for one in randomness.sample(alive, min(3, len(alive))))]]
        kept["reads"][0][2].pop("bytes")


def check(command, log, randomness, kept):
    """Checks that the other host gives equal answers. Returns the number of compared answers."""
    with Host(command, log) as host:
        for method, params, answer in kept["reads"]:
            expect(answer, host.ask(method, params), method)
        for method, params, answer in randomness.sample(kept["operations"], min(20, len(kept["operations"]))):
            expect(answer, host.ask(method, params), f"{method} once more with its opId")
        for name, path in kept["navigation"].items():
            shown = host.ask("nav.restore", {"name": name, "router": name})
            expect([route for route in path if route not in shown["dropped"]], shown["path"], f"nav.restore {name}")
        expect(kept["reads"][0][2], host.ask("store.info"), "store.info after them")
        kill9.verify(host, kept["reads"][0][2]["moods"])
    return len(kept["reads"]) + min(20, len(kept["operations"])) + len(kept["navigation"])


def keep_their_indexes(commands, log):
    """Neither host makes the index again because the other one has been there: each version has a file of its own."""
    store = commands[0][commands[0].index("--store") + 1]
    with Host(commands[-1], log) as host:
        host.ask("mood.create", {"emoji": "😊", "label": "Happy", "notes": "Café"})
        host.ask("store.compact")
    seen = []
    for command in commands * 3:
        with Host(command, log) as host:
            expect(1, host.ask("mood.list", {"filter": {"text": "cafe"}, "count": True})["total"], "a search")
        seen.append({(entry.name, entry.inode()) for entry in os.scandir(store) if entry.name.startswith("index-")})
    if any(one != seen[1] for one in seen[1:]):
        raise kill9.Lost(f"indexes are made in turns: {seen}")


@script("hosts+", turns=20, kills=100, window=(64, "requests in flight"), seed=1, write=(str, "a folder for a new fixture"))
def main(options):
    both = options.hosts
    options.seconds, options.hosts = 86400, 4
    place, randomness = tempfile.mkdtemp(prefix="versions-"), random.Random(options.seed)

    def commands(name):
        return [[host, "--store", os.path.join(place, name)] for host in both]
    with open(os.path.join(place, "stderr"), "wb") as log:
        try:
            if options.write:
                write_fixture(commands("written")[0], options.write, log)
                return 0
            print(f"fixtures: {open_fixtures(both[-1], place, log)} answers are as they were", flush=True)
            if len(both) > 1:
                keep_their_indexes(commands("indexes"), log)
                kept, compared = {"operations": [], "navigation": {}}, 0
                for _ in range(options.turns):
                    pair = randomness.sample(commands("turns"), 2)
                    turn(pair[0], log, randomness, kept)
                    compared += check(pair[1], log, randomness, kept)
                print(f"in turns: {options.turns} turns, {compared} answers compared", flush=True)
                for name, run in [("killed in turns", kill9.run_alone), ("killed together", kill9hosts.run_rounds)]:
                    figures = dict.fromkeys(["kills", "acknowledged", "kept", "early", "again", "rounds"], 0)
                    run(commands(name), log, options, options.seed, figures)
                    print(name + ": {kills} kills, {acknowledged} acknowledged, {kept} more".format(**figures), flush=True)
        except (kill9.Lost, kill9.Unreadable, KeyError, ValueError, OSError) as error:
            print(f"WRONG: {type(error).__name__}: {str(error)[:2000]}\nkept in {place}")
            return 1
    print("0 wrong")
    shutil.rmtree(place)
    return 0
