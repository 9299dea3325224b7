#!/usr/bin/env python3
"""Commits too long for memory: all of one is there or nothing, and no file is left over.

An import, its undo and its redo are written to a file while they are made. At a random moment the host is killed, or the request is
cancelled; or the disk is as full as it was just before. The disk is a file system in memory in a mount namespace; without one this is left
out.
"""
import collections
import json
import os
import random
import shutil
import subprocess
import tempfile
import time

from harness import Host, check, run_drawn, script

FULL, CANCELLED = 1012, -32800
MEBI = 1 << 20
FEW = 50
DISK = ["unshare", "-m", "-r", "sh", "-c", 'mount -t tmpfs -o size="$0",mode=700 moods "$1" && cp -r "$2" "$1/s" && shift 2 && exec "$@"']
Case = collections.namedtuple("Case", "method trouble moment")


def write_moods(path, count):
    with open(path, "w", encoding="utf-8") as lines:
        for number in range(count):
            lines.write(json.dumps({
                "id": f"01900000-0000-7000-8000-{number:012x}", "emoji": "😊", "label": "Happy", "timestamp": "2026-01-01T00:00:00.000Z",
                "notes": f"{number} " * 40}, ensure_ascii=False) + "\n")


class Stores:
    """A store before each of the long commits, and what the commit changes."""

    def __init__(self, host, folder, count):
        self.host, self.folder, self.count = host, folder, count
        self.lines, self.seconds = os.path.join(folder, "moods.jsonl"), {}
        write_moods(self.lines, count)
        with Host(host, "--no-plugins", store=self.before("import")) as asked:
            for number in range(FEW):
                asked.call("mood.create", emoji="😌", label=f"Before {number}")
            asked.end()
        for method, following in (("import", "undo"), ("undo", "redo"), ("redo", None)):
            if following:
                shutil.copytree(self.before(method), self.before(following))
            else:
                following = "after"
                shutil.copytree(self.before(method), self.before(following))
            with Host(host, "--no-plugins", store=self.before(following)) as asked:
                begin = time.monotonic()
                asked.ask(*self.request(method))
                self.seconds[method] = time.monotonic() - begin
                asked.end()

    def before(self, method):
        return os.path.join(self.folder, "before " + method)

    def request(self, method):
        if method == "import":
            return "store.import", {"path": self.lines}
        return "store." + method, {"scope": "store", "revision": FEW + 1}

    def totals(self, method):
        """The number of moods without the commit and with it."""
        return (FEW + self.count, FEW) if method == "undo" else (FEW, FEW + self.count)

    def revision(self, method):
        return FEW + 1 + ["import", "undo", "redo"].index(method)


def leftovers(store):
    return [name for name in os.listdir(store) if name.startswith("temporary-")]


def examine(stores, case, host, store, is_done):
    """`is_done` is None where the answer did not come."""
    # A change, so that the store is opened for writing.
    host.call("mood.create", emoji="😊", label="After")
    total = host.call("mood.list", limit=1)["total"] - 1
    without, done = stores.totals(case.method)
    check(total in (without, done), f"{total} moods, not {without} or {done}")
    check(is_done is None or (total == done) == is_done, f"{total} moods, and the answer said {'done' if is_done else 'not done'}")
    check(not leftovers(store), f"{leftovers(store)} are left over")
    file = os.path.join(store, "history", f"commit-{stores.revision(case.method)}.jsonl")
    check(is_done is not False or not os.path.exists(file), f"{file} is left over")
    check(host.call("store.verify")["ok"], "the store is damaged")
    return "done" if total == done else "nothing"


def attempt(stores, case, place):
    store = os.path.join(place, "s")
    command = [stores.host, "--no-plugins", "--store", store]
    if case.trouble == "full":
        size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(stores.before(case.method)) for name in names)
        room = size + MEBI + int(case.moment * 3 * os.path.getsize(stores.lines))
        command = [*DISK, str(room), place, stores.before(case.method), *command]
    else:
        shutil.copytree(stores.before(case.method), store)
    with Host(command) as host:
        host.call("host.ping")
        if case.trouble == "full":
            store = f"/proc/{host.pid}/root{store}"
        number = host.send(*stores.request(case.method))
        answer = None
        if case.trouble != "full":
            try:
                answer = host.receive(number, case.moment * 1.1 * stores.seconds[case.method])
            except TimeoutError:
                pass
        if case.trouble != "kill" or answer:
            if case.trouble == "cancel" and not answer:
                host.write(json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}).encode() + b"\n")
            answer = answer or host.receive(number)
            if "error" in answer:
                expected = FULL if case.trouble == "full" else CANCELLED
                check(answer["error"]["code"] == expected, f"answered {answer['error']}")
            return examine(stores, case, host, store, "result" in answer)
        host.kill()
    with Host(command) as host:
        return examine(stores, case, host, store, None)


def has_disk(folder):
    done = subprocess.run(
        ["unshare", "-m", "-r", "mount", "-t", "tmpfs", "moods", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


@script("host", cases=27, moods=50_000, seed=int)
def main(options):
    chance, folder = random.Random(options.seed), tempfile.mkdtemp(prefix="long-commits-")
    options.jobs = 1
    stores = Stores(options.host, folder, options.moods)
    troubles = ["kill", "cancel"] + (["full"] if has_disk(folder) else [])
    pairs = [(method, trouble) for trouble in troubles for method in ("import", "undo", "redo")]
    chance.shuffle(pairs)
    cases = [Case(*pairs[number % len(pairs)], round(chance.random(), 3)) for number in range(options.cases)]
    tried = os.path.join(folder, "cases")
    os.mkdir(tried)
    code = run_drawn(tried, cases, lambda case, place: attempt(stores, case, place), lambda case: f"{case.trouble}, {case.method}", options)
    if not code:
        shutil.rmtree(folder)
    return code
