#!/usr/bin/env python3
"""Backups of a store and restores of them: no acknowledged data is lost without a report.

    Tests/Scripts/backups.py MOOD HOST [--old-mood MOOD --old-host HOST] [--only WORD]

1. Damage: a damaged store that shows less than was acknowledged reports it, and export and backup refuse it.
2. Rotation: --keep deletes copies of this store alone, the lowest revisions, and nothing while the store is damaged.
3. Restoring: all data of a store comes back, and an incomplete copy is reported.
4. Accepting: a store accepts its own earlier moods again.
5. With --old-mood and --old-host, backups between two versions; without, files of version 0.1.0.

This script builds nothing.
"""

import fcntl
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import time

from harness import Host, Wrong, in_folder, run_cases, script

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
OLDER = {"schemaVersion": 2, "theme": {"name": "night", "hue": 7}, "moods": [
    {"emoji": "😊", "label": "one", "timestamp": "2026-01-02T03:04:05Z", "notes": "a\u0000b"},
    {"emoji": "😌", "label": "two", "timestamp": "2026-01-03T03:04:05Z",
     "attachments": [{"kind": "link", "url": "https://e.x/", "seen": True}]},
    {"emoji": "😢", "label": "three", "timestamp": "2026-01-04T03:04:05Z",
     "attachments": [{"kind": "video", "path": "/v.mp4"}], "tags": [f"tag {n}" for n in range(30)], "weather": {"rain": 1}},
    {"emoji": "😴", "label": "four", "timestamp": "2026-01-05T03:04:05Z",
     "attachments": [{"kind": "link", "url": "ftp://no.where/"}, {"kind": "event", "title": "no times"}, {"kind": "link"}]}]}


def require(holds, what, *more):
    if not holds:
        raise Wrong(" ".join([what] + [str(one) for one in more]))


class Bench:
    """A temporary folder, the programs, and the last command's output."""

    def __init__(self, mood, host, folder):
        self.mood, self.host, self.folder = mood, host, folder
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "TZ": "UTC"}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, store, *words, code=0, text=None, **more):
        done = subprocess.run(
            [self.mood, "--host", self.host, "--store", self.path(store), *words], input=text, capture_output=True,
            env=self.environment, timeout=120, **more)
        self.out, self.err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        require(code is None or done.returncode == code, f"mood {' '.join(words)} ended with {done.returncode}, not {code}:",
                self.out, self.err)
        return done.returncode

    def ask(self, store, *messages, options=()):
        """The host's answers to requests, each a method and its params."""
        lines = b"".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": m, "params": p}).encode() + b"\n"
                         for n, (m, p) in enumerate(messages))
        place = ["--store", self.path(store)] if store else ["--in-memory"]
        done = subprocess.run([self.host, *place, *options], input=lines, capture_output=True, env=self.environment,
                              timeout=120)
        self.err = done.stderr.decode(errors="replace")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def add(self, store, *labels):
        for label in labels:
            self.run(store, "add", "😊", label)

    def moods(self, store):
        self.run(store, "list", "--jsonl")
        return [json.loads(line) for line in self.out.splitlines()]

    def labels(self, store):
        return sorted(mood["label"] for mood in self.moods(store))

    def older_store(self, name):
        os.mkdir(self.path(name), 0o700)
        with open(os.open(self.path(name, "moods.json"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            json.dump(OLDER, file, ensure_ascii=True)
        self.run(name, "list", "--count")


def flip(path, text, by=1):
    """Flips bits of one byte of a file."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    at = content.index(text.encode()) + len(text.encode()) - 1
    content[at] ^= by
    with open(path, "wb") as file:
        file.write(content)


def copies(folder, word):
    """The files of a folder that contain a word."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            if word.encode() in file.read():
                found.append(name)
    return found


def crc32c(data):
    table = crc32c.__dict__.setdefault("table", [])
    if not table:
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
            table.append(byte)
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


# MARK: Damage

def spoil_journal(bench, store):
    flip(bench.path(store, "journal-1.jsonl"), '"label":"m3')


def spoil_last_commit(bench, store):
    """Damages the last commit, which was published and so acknowledged."""
    flip(bench.path(store, "journal-1.jsonl"), '"label":"m8')


def spoil_snapshot(bench, store):
    bench.run(store, "store", "compact")
    flip(bench.path(store, "moods.json"), '"label":"m3')


def spoil_second_journal(bench, store):
    """Damages the header of the second journal, which an unclean end makes."""
    with open(bench.path(store, "journal-1.jsonl"), "r+b") as file:
        content = file.read().rstrip(b"\n") + b"\n"
        file.seek(0)
        file.truncate()
        file.write(content + b'{"seq":9,"at":"20')
    bench.add(store, "m9")
    require(os.path.exists(bench.path(store, "journal-2.jsonl")), "there is a second journal")
    flip(bench.path(store, "journal-2.jsonl"), '"format":"moodboard-jou')


def lose_end(bench, store):
    """Cuts the journal after its third commit."""
    with open(bench.path(store, "journal-1.jsonl"), "rb") as file:
        lines = file.read().splitlines(keepends=True)
    with open(bench.path(store, "journal-1.jsonl"), "wb") as file:
        file.write(b"".join(lines[:4]))


DAMAGES = [spoil_journal, spoil_last_commit, spoil_snapshot, spoil_second_journal, lose_end]


def damage_is_said(bench):
    for number, spoil in enumerate(DAMAGES):
        store, folder = f"s{number}", f"bk{number}"
        os.mkdir(bench.path(folder))
        bench.add(store, *[f"m{n}" for n in range(1, 9)])
        bench.run(store, "backup", bench.path(folder))
        require("not whole" not in bench.err, "nothing is said of a store that is whole")
        spoil(bench, store)
        name = spoil.__name__
        for words in [["list"], ["list", "--count"], ["list", "--jsonl"], ["stats"], ["tags"], ["info"], ["year"]]:
            bench.run(store, *words)
            require("not whole" in bench.err, f"{name}: mood {' '.join(words)} says it:", bench.err)
        for words in [["export"], ["export", "csv"], ["export", "-o", bench.path(f"e{number}")], ["export", "--history"],
                      ["export", "ics", "--favorite"], ["backup", bench.path(f"b{number}")],
                      ["backup", bench.path(folder)], ["backup", bench.path(folder), "--keep", "1"]]:
            bench.run(store, *words, code=1)
            require(not bench.out, f"{name}: mood {' '.join(words)} writes nothing")
            require("--damaged" in bench.err, f"{name}: mood {' '.join(words)} says what to do:", bench.err)
        require(not os.path.exists(bench.path(f"e{number}")) and not os.path.exists(bench.path(f"b{number}")), "no file")
        require(len(copies(bench.path(folder), '"m8"')) == 1, f"{name}: the whole copy stays")
        bench.run(store, "export", "--damaged")
        bench.run(store, "backup", bench.path(f"d{number}"), "--damaged")
        bench.run(store, "backup", bench.path(folder), "--keep", "1", "--damaged")
        require("No older copy was deleted" in bench.err, f"{name}: --damaged deletes nothing:", bench.err)
        require(len(os.listdir(bench.path(folder))) == 2, f"{name}: both copies are there")
        # The kept data comes back, and there is no more.
        last = copies(bench.path(folder), '"label":"m8"')
        whole = next(name for name in copies(bench.path(folder), '"label":"m3"') if name in last)
        bench.run(f"r{number}", "restore", bench.path(folder, whole), "--yes")
        require(bench.labels(f"r{number}") == [f"m{n}" for n in range(1, 9)], f"{name}: the copy is whole")
        info, host, listed, screen, export = bench.ask(
            store, ("store.info", {}), ("host.info", {}), ("mood.list", {}),
            ("nav.screen", {"route": {"name": "crudList"}}), ("store.export", {"format": "csv"}),
            options=["--read-only"] if number % 2 else [])
        damaged = info["result"]["damaged"]
        require(host["result"]["store"]["damaged"] == damaged, f"{name}: host.info says the same")
        require(damaged["shown"] == info["result"]["revision"] and damaged["file"], f"{name}:", damaged)
        if spoil is not spoil_snapshot:
            require(damaged["durable"] > damaged["shown"] or spoil is spoil_second_journal, f"{name}:", damaged)
            require(damaged["offset"] >= 0, f"{name}:", damaged)
        require(screen["result"]["footer"], f"{name}: the screen says it")
        require(export["error"]["code"] == 1015 and export["error"]["data"]["file"] == damaged["file"], f"{name}:", export)
        if listed["result"]["items"]:
            mood = listed["result"]["items"][0]["id"]
            detail, shown, observed, taken = bench.ask(
                store, ("mood.detail", {"id": mood}), ("nav.screen", {"route": {"name": "moodDetail", "id": mood}}),
                ("nav.screen", {"route": {"name": "observation"}}), ("store.export", {"format": "jsonl", "damaged": True}))
            require(any(cell["id"] == "damaged" for cell in detail["result"]["cells"]), f"{name}: the detail says it")
            require(shown["result"]["footer"] and len(observed["result"]["footer"]) > 1, f"{name}: screens say it")
            require("text" in taken["result"], f"{name}:", taken)
        models(bench, store, name, damaged)


def models(bench, store, name, damaged):
    """Checks that AI clients get a line and a member of `_meta`, in both eras."""
    newer = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                       "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                       "io.modelcontextprotocol/clientCapabilities": {}}}
    begin = ("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    for opening, more in [([], newer), ([begin], {})]:
        answers = bench.ask(
            store, *opening, ("tools/call", {"name": "mood_find", "arguments": {"limit": 2}, **more}),
            ("tools/call", {"name": "mood_stats", "arguments": {}, **more}),
            ("resources/read", {"uri": "moodboard://moods", **more}))
        for answer in answers[len(opening):]:
            result = answer["result"]
            require(result["_meta"]["moodboard/damaged"] == damaged, f"{name}: _meta says it:", answer)
            require("damaged" not in result.get("structuredContent", {}), f"{name}: the structure is the tool's own")
            if "content" in result:
                require("not whole" in result["content"][-1]["text"], f"{name}: a line says it:", result["content"])


def whole_store_says_nothing(bench):
    bench.add("s", "one")
    info, screen, mcp, call = bench.ask(
        "s", ("store.info", {}), ("nav.screen", {"route": {"name": "crudList"}}),
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        ("tools/call", {"name": "mood_find", "arguments": {}}))
    require("damaged" not in info["result"], "store.info:", info)
    require("moodboard/damaged" not in call["result"]["_meta"] and len(call["result"]["content"]) == 1, "MCP:", call)
    memory, = bench.ask(None, ("store.info", {}))
    require("damaged" not in memory["result"], "in memory:", memory)
    # Data that was never acknowledged is not missing.
    with open(bench.path("s", "journal-1.jsonl"), "r+b") as file:
        content = file.read().rstrip(b"\n") + b"\n"
        file.seek(0)
        file.truncate()
        file.write(content + b'{"seq":2,"at":"20')
    bench.run("s", "export")
    require("not whole" not in bench.err, "a torn end is no damage:", bench.err)


def edit_is_said_until_accepted(bench):
    bench.add("s", "one", "two")
    bench.run("s", "store", "compact")
    with open(bench.path("s", "moods.json"), encoding="utf-8") as file:
        text = file.read()
    with open(bench.path("s", "moods.json"), "w", encoding="utf-8") as file:
        file.write(text.replace('"one"', '"uno"'))
    bench.run("s", "backup", bench.path("b"), code=1)
    bench.run("s", "backup", bench.path("b"), "--damaged")
    bench.run("s", "store", "accept", "--yes")
    bench.run("s", "backup", bench.path("c"))
    require("not whole" not in bench.err, "accepted, it is whole:", bench.err)


def damage_under_a_running_host(bench):
    """Checks that an export, which reads the files, reports damage that the running host's memory does not have."""
    bench.add("s", *[f"m{n}" for n in range(1, 9)])
    with Host(bench.host, store=bench.path("s"), env=bench.environment) as host:
        require(len(host.moods()) == 8, "all are there")
        spoil_journal(bench, "s")
        answer = host.answer("store.export", {"format": "jsonl"})
        require(answer.get("error", {}).get("code") == 1015 or answer["result"]["text"].count('"label"') == 8,
                "an export is whole or refused:", answer)
        host.end()


def damage_below_an_index(bench):
    """Checks a flipped bit without a changed time: the index differs from the record."""
    bench.add("s", *[f"m{n}" for n in range(8)])
    bench.run("s", "store", "compact")
    bench.run("s", "list", "--count")
    path = bench.path("s", "moods.json")
    before = os.stat(path)
    flip(path, '"label":"m3')
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.mkdir(bench.path("bk"))
    for words in [["export"], ["export", "csv", "-o", bench.path("e")], ["backup", bench.path("bk"), "--keep", "1"]]:
        bench.run("s", *words, code=1)
    require(os.listdir(bench.path("bk")) == [] and not os.path.exists(bench.path("e")), "no half file is left")
    bench.run("s", "export", "--damaged")
    require(len(bench.out.splitlines()) == 8, "--damaged takes what is there:", bench.out)
    answers = bench.ask("s", ("mood.list", {}), ("store.info", {}))
    require(answers[0]["error"]["code"] == 1015 and answers[1]["result"]["damaged"]["file"] == "moods.json", "told:", answers)


def damaged_history_keeps_copies(bench):
    """Checks that nothing is deleted while the store is damaged, even with all moods whole."""
    os.mkdir(bench.path("bk"))
    bench.add("s", "one", "two", "three")
    bench.run("s", "backup", bench.path("bk"))
    bench.run("s", "store", "compact")
    bench.add("s", "four")
    flip(bench.path("s", "history", "journal-1.jsonl"), '"label":"two')
    bench.run("s", "backup", bench.path("bk"), "--keep", "1", code=1)
    require(len(os.listdir(bench.path("bk"))) == 2, "both copies stay")
    require("not whole" in bench.err and "journal-1.jsonl" in bench.err, "it says why:", bench.err)


# MARK: Rotation

def keeps_others(bench):
    os.mkdir(bench.path("bk"))
    bench.add("work", "work1", "work2")
    bench.add("private", "private")
    bench.run("work", "backup", bench.path("bk"))
    for name, text in [("moodboard-20260101T000000Z.jsonl", "{}\n"), ("moods-notes.jsonl", "mine\n"), ("list.txt", "x")]:
        with open(bench.path("bk", name), "w") as file:
            file.write(text)
    for _ in range(3):
        bench.run("private", "backup", bench.path("bk"), "--keep", "1")
    require(len(copies(bench.path("bk"), "work1")) == 1, "the other store's copy stays:", os.listdir(bench.path("bk")))
    require(len(copies(bench.path("bk"), '"private"')) == 1, "one of this store's stays:", os.listdir(bench.path("bk")))
    for name in ["moodboard-20260101T000000Z.jsonl", "moods-notes.jsonl", "list.txt"]:
        require(os.path.exists(bench.path("bk", name)), name, "stays")
    require("moodboard-20260101T000000Z.jsonl" in bench.err, "what stays is named:", bench.err)


def keeps_by_revision(bench):
    folder = bench.path("bk")
    os.mkdir(folder)
    heads = []
    for number in range(5):
        bench.add("s", f"m{number}")
        bench.run("s", "backup", folder)
        heads.append(sorted(os.listdir(folder), key=lambda name: os.stat(os.path.join(folder, name)).st_mtime_ns)[-1])
    with open(bench.path("bk", heads[0])) as file:
        head = json.loads(file.readline())
    require(list(head) == ["format", "version", "storeId", "schemaVersion", "revision", "at", "history", "crc"], "head:", head)
    require(all(name.startswith(f"moods-{head['storeId'][:8]}-") for name in heads), "names:", heads)
    # Clocks do not matter: change the names and times.
    os.rename(bench.path("bk", heads[0]), bench.path("bk", f"moods-{head['storeId'][:8]}-20990101T000000Z.jsonl"))
    bench.add("s", "last")
    bench.run("s", "backup", folder, "--keep", "3")
    require([len(copies(folder, f'"label":"m{n}"')) for n in range(5)] == [3, 3, 3, 3, 2], "the highest stay:",
            os.listdir(folder), bench.err)
    require(len(copies(folder, '"last"')) == 1, "the copy just made stays")
    # A store was restored to an earlier state: later copies are of another past.
    shutil.copytree(bench.path("s"), bench.path("past"))
    for label in ["x", "y"]:
        bench.add("s", label)
        bench.run("s", "backup", folder)
    bench.run("past", "backup", folder, "--keep", "1")
    require(len(copies(folder, '"x"')) == 2, "copies of another past stay:", os.listdir(folder))
    require(bench.err.count("it is of revision") == 2, "they are named:", bench.err)
    require(len(copies(folder, '"last"')) == 3, "the older ones of this past are gone:", os.listdir(folder))


def keeps_what_is_cut(bench):
    folder = bench.path("bk")
    os.mkdir(folder)
    bench.add("s", "one")
    bench.run("s", "backup", folder)
    whole, = os.listdir(folder)
    bench.add("s", "two")
    bench.run("s", "backup", folder)
    cut, = set(os.listdir(folder)) - {whole}
    os.truncate(bench.path("bk", cut), os.path.getsize(bench.path("bk", cut)) - 30)
    bench.add("s", "three")
    bench.run("s", "backup", folder, "--keep", "2")
    require(os.path.exists(bench.path("bk", whole)), "a cut copy does not take the place of a whole one")
    require(cut in bench.err, "it is named:", bench.err)


def keeps_links(bench):
    """Checks that links and folders stay, which no backup wrote."""
    folder = bench.path("bk")
    os.mkdir(folder)
    bench.add("s", "one")
    bench.run("s", "backup", folder)
    first, = os.listdir(folder)
    os.rename(bench.path("bk", first), bench.path("elsewhere"))
    os.symlink(bench.path("elsewhere"), bench.path("bk", first))
    os.mkdir(bench.path("bk", first.replace("Z", "Z-9")))
    os.mkfifo(bench.path("bk", first.replace("Z", "Z-8")))
    bench.add("s", "two")
    bench.run("s", "backup", folder, "--keep", "1")
    require(os.path.exists(bench.path("bk", first)), "the link stays")


def fails_on_a_full_disk(bench):
    os.mkdir(bench.path("bk"))
    bench.add("s", *["x" * 150 + str(n) for n in range(8)])
    bench.run("s", "backup", bench.path("bk"))

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    bench.add("s", "more")
    code = bench.run("s", "backup", bench.path("bk"), "--keep", "1", code=None, preexec_fn=limit)
    require(code == 65, "it fails with a sentence:", code)
    require(len(os.listdir(bench.path("bk"))) == 1, "the older copy stays, alone:", os.listdir(bench.path("bk")))


def survives_kills(bench):
    """Checks that after a kill at any moment there is a whole copy, and no incomplete one under a copy's name."""
    os.mkdir(bench.path("bk"))
    bench.add("s", "one")
    lines = "".join(json.dumps({"emoji": "😊", "label": f"n{n}", "timestamp": "2026-01-02T03:04:05Z", "notes": "y" * 900})
                    + "\n" for n in range(3000))
    with open(bench.path("many.jsonl"), "w") as file:
        file.write(lines)
    bench.run("s", "import", bench.path("many.jsonl"), "--yes")
    bench.run("s", "backup", bench.path("bk"))
    for number in range(12):
        process = subprocess.Popen(
            [bench.mood, "--host", bench.host, "--store", bench.path("s"), "backup", bench.path("bk"), "--keep", "1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=bench.environment)
        time.sleep(0.02 + 0.01 * number)
        process.kill()
        process.wait()
        found = glob.glob(bench.path("bk", "moods-*.jsonl"))
        require(found, "a copy is left")
        for name in found:
            with open(name, "rb") as file:
                require(b"moodboard-backup-end" in file.read()[-200:], name, "is whole")
    # The next backup removes the files of dead writers, and keeps those of living ones.
    with open(found[0] + ".part-2", "w") as file:
        file.write("half")
    held = found[0] + ".part-1"
    with open(held, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        bench.run("s", "backup", bench.path("bk"))
        require([name for name in os.listdir(bench.path("bk")) if ".part-" in name] == [os.path.basename(held)], "dead parts go")
    bench.run("s", "backup", bench.path("bk"))
    require(not glob.glob(bench.path("bk", "*.part-*")), "the last part goes")


# MARK: Restoring

def shown(moods):
    """Moods without their revisions, which belong to their store."""
    return sorted((json.dumps({name: value for name, value in mood.items() if name != "revision"}, sort_keys=True)
                   for mood in moods))


def restores_what_a_store_holds(bench):
    bench.older_store("old")
    bench.run("old", "store", "verify")
    bench.run("old", "backup", bench.path("b.jsonl"))
    bench.run("new", "restore", bench.path("b.jsonl"), "--yes")
    require(bench.err.count("not checked") == 0, "it was checked:", bench.err)
    require(shown(bench.moods("old")) == shown(bench.moods("new")), "all comes back")
    require(any("\u0000" in mood["notes"] for mood in bench.moods("new")), "U+0000 too")
    bench.run("new", "store", "verify")
    bench.run("new", "store", "compact")
    with open(bench.path("new", "moods.json"), encoding="utf-8") as file:
        head = file.readline()
    require('"theme":{"name":"night","hue":7}' in head, "members of the document come back:", head)
    bench.run("new", "backup", bench.path("c.jsonl"))
    with open(bench.path("b.jsonl"), encoding="utf-8") as a, open(bench.path("c.jsonl"), encoding="utf-8") as b:
        first, second = json.loads(a.readline()), json.loads(b.readline())
    require(first["storeId"] != second["storeId"], "a restored store is a new one")
    require(first["document"] == second["document"], "a copy of it has them too")
    # Again: nothing changes. As another program's file it is refused in part.
    bench.run("new", "restore", bench.path("b.jsonl"), "--yes", "--json")
    require(json.loads(bench.out)["unchanged"] == 4, "the same again:", bench.out)
    bench.run("foreign", "import", bench.path("b.jsonl"), "--yes", "--strict", code=65)
    # A different mood stays, unless it is to be replaced.
    mood = next(mood for mood in bench.moods("new") if mood["label"] == "two")
    bench.run("new", "edit", mood["id"], "--label", "zwei")
    bench.run("new", "restore", bench.path("b.jsonl"), "--yes")
    require("zwei" in bench.labels("new"), "what was changed later stays")
    bench.run("new", "restore", bench.path("b.jsonl"), "--yes", "--replace")
    require("two" in bench.labels("new"), "unless --replace")


def restores_over_a_higher_limit(bench):
    notes = "n" * 200_000
    bench.ask("s", ("mood.create", {"emoji": "😊", "label": "long", "notes": notes, "tags": [f"t{n}" for n in range(90)]}),
              options=["--limit", "notesBytes=400000", "--limit", "tags=100"])
    bench.run("s", "backup", bench.path("b"))
    bench.run("new", "restore", bench.path("b"), "--yes")
    mood, = bench.moods("new")
    require(mood["notes"] == notes and len(mood["tags"]) == 90, "all of it")


def restores_the_longest(bench):
    """Checks moods of the longest allowed length."""
    bench.ask("s", ("mood.create", {"emoji": "😊", "label": "long", "notes": "é\n" * 340_000}),
              options=["--limit", "notesBytes=1048576"])
    bench.run("s", "store", "verify")
    bench.run("s", "backup", bench.path("b"))
    bench.run("new", "restore", bench.path("b"), "--yes")
    bench.run("new", "backup", bench.path("c"))
    with open(bench.path("b"), encoding="utf-8") as a, open(bench.path("c"), encoding="utf-8") as b:
        notes = json.loads(a.readlines()[1])["notes"]
        require(len(notes) == 680_000 and notes == json.loads(b.readlines()[1])["notes"], "all of it")


def restores_settings(bench):
    bench.add("s", "one")
    bench.run("s", "rpc", "settings.set", '{"timeZone":"Europe/Berlin"}')
    bench.run("s", "backup", bench.path("b"))
    with open(bench.path("b")) as file:
        lines = [json.loads(line) for line in file]
    require("settings" in lines[1] and lines[-1]["count"] == 1, "the settings are in it, and no mood:", lines)
    bench.run("new", "restore", bench.path("b"), "--yes")
    bench.run("new", "rpc", "settings.get")
    require("Europe/Berlin" in bench.out, "they come back:", bench.out)


def seals(bench):
    """Checks that the first line's checksum is of the line before it, the last line's of the file before it."""
    bench.add("s", "one", "two")
    bench.run("s", "backup", bench.path("b"))
    with open(bench.path("b"), "rb") as file:
        content = file.read()
    head, end = content.split(b"\n")[0], content.split(b"\n")[-2]
    for line, before in [(head, head[:-17]), (end, content[:-18])]:
        crc = json.loads(line)["crc"]
        require(crc == f"{crc32c(before):08x}", "checksum:", line)
    require(list(json.loads(end)) == ["format", "count", "history", "crc"] and json.loads(end)["count"] == 2, "end:", end)


def notices_damage_of_copies(bench):
    bench.add("s", *[f"m{n}" for n in range(1, 6)])
    bench.run("s", "backup", bench.path("b"))
    with open(bench.path("b"), "rb") as file:
        content = file.read()
    lines = content.splitlines(keepends=True)
    cases = {
        "cut": content[:-40], "without end": b"".join(lines[:-1]), "a line less": b"".join(lines[:2] + lines[3:]),
        "a line twice": b"".join(lines[:2] + lines[1:]), "other order": b"".join([lines[0]] + lines[2:4] + [lines[1]] + lines[4:]),
        "another word": content.replace(b'"label":"m3"', b'"label":"m9"'), "without head": b"".join(lines[1:]),
        "CRLF": content.replace(b"\n", b"\r\n"), "goes on": content + lines[1], "half a line": content[:len(content) // 2],
        "empty": b"", "blank": b"\n\n", "two": content + content,
        "another head": content.replace(b'"revision":5', b'"revision":6', 1), "no JSON": content[:600] + b"{" + content[601:],
    }
    for name, text in cases.items():
        with open(bench.path("c"), "wb") as file:
            file.write(text)
        store = "into " + name
        bench.run(store, "restore", bench.path("c"), "--yes", code=65)
        require("--damaged" in bench.err, f"{name}: it says what to do:", bench.err)
        require(not os.path.exists(bench.path(store, "moods.json")) or bench.labels(store) == [], f"{name}: nothing is taken")
        bench.run(store, "restore", bench.path("c"), "--yes", "--dry-run", code=65)
        bench.run(store, "restore", bench.path("c"), "--yes", "--damaged")
        found = len(bench.labels(store)) if os.path.exists(bench.path(store, "moods.json")) else 0
        require(found >= {"empty": 0, "blank": 0, "half a line": 1}.get(name, 4), f"{name}: --damaged takes what is there:", found)


def says_what_a_file_is(bench):
    import gzip
    import zipfile
    bench.add("s", "one")
    bench.run("s", "backup", bench.path("b"))
    with open(bench.path("b"), "rb") as file:
        content = file.read()
    with gzip.open(bench.path("b.gz"), "wb") as file:
        file.write(content)
    with zipfile.ZipFile(bench.path("b.zip"), "w") as file:
        file.writestr("b", content)
    with open(bench.path("b.csv"), "w") as file:
        file.write("mood,when\nHappy,2026-01-02T03:04:05Z\n")
    for name, word in [("b.gz", "gzip"), ("b.zip", "zip"), ("b.csv", "csv"), ("s/moods.json", "moods.json"),
                       ("s/journal-1.jsonl", "journal")]:
        bench.run("new", "restore", bench.path(name), "--yes", code=65)
        require(word in bench.err, f"{name}: it says what it is:", bench.err)
    for name in ["b.gz", "b.zip"]:
        bench.run("new", "import", bench.path(name), "--yes", code=65)
        require("unpack" in bench.err, f"{name}: what to do:", bench.err)
    later = json.loads(content.splitlines()[0])
    for member, value in [("version", 2), ("schemaVersion", 4)]:
        head = json.dumps({**later, member: value}, separators=(",", ":"))[:-17].encode()
        text = head + b'"crc":"%08x"}\n' % crc32c(head) + b"\n".join(content.split(b"\n")[1:-2]) + b"\n"
        end = json.dumps({"format": "moodboard-backup-end", "count": 1, "history": None}, separators=(",", ":"))[:-1].encode()
        text += end + b',"crc":"%08x"}\n' % crc32c(text + end + b",")
        with open(bench.path("later"), "wb") as file:
            file.write(text)
        bench.run("new", "restore", bench.path("later"), "--yes", code=65)
        require("newer" in bench.err, f"{member}:", bench.err)


def asks_of_copies(bench):
    """Checks the requests about copies that are allowed, and those that are not."""
    bench.add("s", "one")
    answers = bench.ask(
        "s", ("store.export", {"format": "csv", "backup": True}), ("store.export", {"format": "jsonl", "backup": True, "history": True}),
        ("store.export", {"format": "jsonl", "backup": True, "filter": {"isFavorite": True}}),
        ("store.import", {"text": "", "damaged": True}), ("store.import", {"text": "x", "copy": True, "format": "csv"}),
        ("store.export", {"format": "jsonl", "backup": True}))
    for answer in answers[:-1]:
        require(answer["error"]["code"] == -32602, "refused:", answer)
    text = answers[-1]["result"]["text"]
    memory, = bench.ask(None, ("store.export", {"format": "jsonl", "backup": True}))
    require(json.loads(memory["result"]["text"].splitlines()[-1])["count"] == 0, "in memory:", memory)
    done, again = bench.ask("new", ("store.import", {"text": text, "copy": True, "opId": "a"}),
                            ("store.import", {"text": text, "copy": True, "opId": "a"}))
    require(done["result"]["created"] == 1 and done["result"]["isChecked"] and again["result"] == done["result"], "opId:", again)


# MARK: Accepting

def accepts_what_was_held(bench):
    bench.older_store("s")
    for compacts in [False, True]:
        if compacts:
            bench.run("s", "store", "compact")
        old, new = ('"one"', '"uno"') if not compacts else ('"uno"', '"eins"')
        with open(bench.path("s", "moods.json"), encoding="utf-8") as file:
            text = file.read()
        with open(bench.path("s", "moods.json"), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        bench.run("s", "store", "accept", "--yes")
        require(new.strip('"') in bench.labels("s"), "the edit is there")
        bench.run("s", "store", "verify")
    # The rules hold for a mood that the store did not have before.
    with open(bench.path("s", "moods.json"), encoding="utf-8") as file:
        text = file.read()
    with open(bench.path("s", "moods.json"), "w", encoding="utf-8") as file:
        file.write(text.replace("/v.mp4", "/w.mp4"))
    bench.run("s", "store", "accept", "--yes", code=1)
    require("moods.json" in bench.err, "it says where:", bench.err)


def accepts_what_journals_hold(bench):
    """Checks a mood over a limit, which only the journal of an earlier generation has."""
    bench.ask("s", ("mood.create", {"emoji": "😊", "label": "long", "notes": "n" * 100_000}),
              ("mood.create", {"emoji": "😊", "label": "one"}), ("store.compact", {}), options=["--limit", "notesBytes=200000"])
    for name in glob.glob(bench.path("s", "index-*")) + glob.glob(bench.path("s", "backup-*")):
        os.remove(name)
    with open(bench.path("s", "moods.json"), encoding="utf-8") as file:
        text = file.read()
    with open(bench.path("s", "moods.json"), "w", encoding="utf-8") as file:
        file.write(text.replace('"one"', '"uno"'))
    bench.run("s", "store", "accept", "--yes")
    require(bench.labels("s") == ["long", "uno"], "both are there")


def salvages_the_document(bench):
    """Checks a document with a long first line too."""
    bench.older_store("s")
    with open(bench.path("s", "moods.json"), encoding="utf-8") as file:
        text = file.read()
    theme = json.dumps({"name": "night", "hue": 7}, separators=(",", ":"))
    with open(bench.path("s", "moods.json"), "w", encoding="utf-8") as file:
        file.write(text.replace(theme, json.dumps({"name": "n" * 2000}, separators=(",", ":"))))
    bench.run("s", "store", "salvage", bench.path("saved"))
    require(shown(bench.moods("saved")) == shown(bench.moods("s")), "all moods are saved")
    with open(bench.path("saved", "moods.json"), encoding="utf-8") as file:
        require('"theme":{"name":"nnn' in file.readline(), "and what the document has besides")


# MARK: Versions

def reads_copies_of_earlier_versions(bench):
    for path in sorted(glob.glob(os.path.join(FIXTURES, "copies", "*.jsonl"))):
        store = os.path.basename(path)
        bench.run(store, "restore", path, "--yes")
        require("not checked for completeness" in bench.err, "it says that it was not checked:", bench.err)
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        require(shown(bench.moods(store)) == shown([line for line in lines if "emoji" in line]), "all comes back")


def versions(bench, old):
    """Checks that each version reads the other's stores and copies."""
    old.older_store("theirs")
    old.add("theirs", "plain")
    old.run("theirs", "backup", bench.path("theirs.jsonl"))
    bench.run("new", "restore", bench.path("theirs.jsonl"), "--yes")
    require("not checked for completeness" in bench.err, "said:", bench.err)
    require(shown(bench.moods("new")) == shown(old.moods("theirs")), "a copy of theirs comes back")
    bench.run("theirs", "backup", bench.path("of theirs.jsonl"))
    bench.run("new2", "restore", bench.path("of theirs.jsonl"), "--yes")
    require(shown(bench.moods("new2")) == shown(old.moods("theirs")), "a store of theirs is backed up")
    # The older version skips both new lines, if its rules allow the moods.
    bench.add("ours", "one", "two")
    bench.run("ours", "backup", bench.path("ours.jsonl"))
    for command in ["restore", "import"]:
        old.run(command, command, bench.path("ours.jsonl"), "--yes")
        require(shown(old.moods(command)) == shown(bench.moods("ours")), f"they {command} ours")
    # In one folder, each version deletes only its own copies.
    os.mkdir(bench.path("bk"))
    old.run("theirs", "backup", bench.path("bk"))
    bench.add("theirs", "later")
    bench.run("theirs", "backup", bench.path("bk"), "--keep", "1")
    require(len(os.listdir(bench.path("bk"))) == 2, "the copy of before stays")
    require("moodboard-" in bench.err, "and is named:", bench.err)
    # Names of the older version count seconds.
    time.sleep(1.1)
    old.run("theirs", "backup", bench.path("bk"), "--keep", "1")
    require(glob.glob(bench.path("bk", "moods-*.jsonl")), "they do not know our names")


CASES = [
    damage_is_said, whole_store_says_nothing, edit_is_said_until_accepted, damage_under_a_running_host,
    damage_below_an_index, damaged_history_keeps_copies, keeps_others, keeps_by_revision, keeps_what_is_cut, keeps_links, fails_on_a_full_disk,
    survives_kills, restores_what_a_store_holds, restores_over_a_higher_limit, restores_the_longest, restores_settings,
    seals, notices_damage_of_copies, says_what_a_file_is, asks_of_copies, accepts_what_was_held,
    accepts_what_journals_hold, salvages_the_document, reads_copies_of_earlier_versions,
]


@script("mood", "host", old_mood=str, old_host=str, only=("", "cases whose names have this in them"))
def main(arguments):
    cases = [case for case in CASES if arguments.only in case.__name__]
    if arguments.old_host and arguments.only in versions.__name__:
        cases.append(versions)

    def with_bench(case):
        def run(folder):
            benches = [Bench(arguments.mood, arguments.host, folder)]
            if case is versions:
                benches.append(Bench(os.path.abspath(arguments.old_mood), os.path.abspath(arguments.old_host), folder))
            case(*benches)
        return in_folder(run)
    return run_cases([(case.__name__, with_bench(case)) for case in cases])
