#!/usr/bin/env python3
"""The longest wait of a ping beside requests that take the whole store: compaction, with and without changes and imports
around it, a reset, changes of a plugin behind an import, changes of a plugin while another process has the store's lock, and lists that look through
all moods. The end of a cancelled list, too. Beside looks at a plugin of 24 MiB, and its trust, too: that keeps its place in the order, and is
cancelled as a whole.

    Tests/Scripts/pings.py PATH/TO/moodboard [--moods 100000] [--most 20]

A host never waits for itself: nothing is refused, and no request takes the lock's time-out. `cat` is asked in turns with the host: what it waits at
most, the kernel alone has anybody wait. Fails where a ping waits more than `--most` milliseconds longer than `cat`, without the time that the
host and this script waited for a processor.
"""

import fcntl
import json
import os
import select
import subprocess
import tempfile
import threading
import time

from harness import Host, processor_wait, script

LOCK_SECONDS = 3
PLUGIN = "org.example.a"
BIG = "org.example.big"
CANCELLED = -32800
FILTERS = [{"text": "zzqx"}, {"text": "n", "exact": True}, {"label": "m7"}, {"noTags": ["a"]}]


class Talk(Host):
    """A host, asked many things at a time, and pinged."""

    def beside(self, cat, requests):
        """Sends these; pings until all are answered. The longest ping, without the wait for a processor, the longest cat, the seconds that all took,
        and the refusals."""
        start = time.monotonic()
        numbers = [self.send(*one) for one in requests]
        longest, floor = 0.0, 0.0
        while not all(number in self.answers for number in numbers):
            waited, begin = waited_here(self.pid), time.monotonic()
            self.receive(self.send("host.ping"))
            middle = time.monotonic()
            longest = max(longest, middle - begin - (waited_here(self.pid) - waited))
            cat.stdin.write(b"x" * 60)
            os.read(cat.stdout.fileno(), 100)
            floor = max(floor, time.monotonic() - middle)
            select.select([self.process.stdout], [], [], 0.001)
        refusals = [self.answers[number]["error"] for number in numbers if "error" in self.answers[number]]
        return longest * 1000, floor * 1000, time.monotonic() - start, refusals

    def cancels(self, cat, most):
        """Whether lists end within so many milliseconds after they were cancelled, besides what `cat` waits."""
        longest, floor, ended = 0.0, 0.0, 0
        for chosen in FILTERS * 5:
            number = self.send("mood.list", {"filter": chosen, "count": True})
            time.sleep(0.002)
            waited, begin = waited_here(self.pid), time.monotonic()
            self.write(json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}).encode() + b"\n")
            answer = self.receive(number)
            middle = time.monotonic()
            longest = max(longest, middle - begin - (waited_here(self.pid) - waited))
            ended += answer.get("error", {}).get("code") == CANCELLED
            cat.stdin.write(b"x" * 60)
            os.read(cat.stdout.fileno(), 100)
            floor = max(floor, time.monotonic() - middle)
        right = longest * 1000 <= floor * 1000 + most and ended > 0
        print(f"{'ok   ' if right else 'FAIL '} cancelled lists: {longest * 1000:.1f} ms at most, cat {floor * 1000:.1f} ms; {ended} were cancelled in time")
        return right


def waited_here(pid):
    """The seconds that the host's loop and this script have been ready to run, and not run."""
    return processor_wait(pid) + processor_wait("self")


def write_plugin(store, name, **members):
    folder = os.path.join(store, "plugins", name)
    os.makedirs(folder, mode=0o700)
    with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump({"manifestVersion": 1, "id": name, "name": "A", "version": "1", "protocol": [1], "exec": ["cat"], "provides": {}, **members}, file)
    return folder


def trust_in_order(host, big):
    """The faults: a cancelled trust is none, and what follows a trust finds it done."""
    untrust = ("plugin.untrust", {"id": BIG})
    number = host.send("plugin.trust", big)
    host.write(json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}).encode() + b"\n")
    code = host.receive(number).get("error", {}).get("code")
    state = host.receive(host.send("plugin.info", {"id": BIG}))["result"]["state"]
    numbers = [host.send("plugin.trust", big), host.send("plugin.disable", {"id": BIG}), host.send("plugin.enable", {"id": BIG}), host.send(*untrust)]
    told = [host.receive(number).get("result", {}).get("state") for number in numbers]
    return [f"{code}, then {state}; {told}"] if (code, state, told) != (-32800, "untrusted", ["stopped", "disabled", "stopped", "untrusted"]) else []


def trust_at_the_end(host, store, big):
    """The faults: a signal ends a host at once while it copies, and the request is refused."""
    talk = Talk(host, store=store)
    talk.ask("host.ping")
    number = talk.send("plugin.trust", big)
    time.sleep(0.02)
    talk.process.terminate()
    start = time.monotonic()
    code = talk.receive(number).get("error", {}).get("code")
    status = talk.process.wait()
    return [f"{code}, exit status {status}"] if (code, status) != (-32802, 0) or time.monotonic() - start > 1 else []


def write_moods(path, count, first):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(first, first + count):
            file.write(json.dumps({"id": f"00000077-0000-4000-a000-{number:012x}", "emoji": "😊", "label": f"m{number}", "timestamp": "2025-01-02T03:04:05Z",
                                   "notes": "n" * 300}) + "\n")


def hold_lock(path, seconds):
    """Holds the lock for some time, as another process."""
    file = open(path, "r+b")
    fcntl.flock(file, fcntl.LOCK_EX)

    def release():
        time.sleep(seconds)
        file.close()

    thread = threading.Thread(target=release)
    thread.start()
    return thread


@script("host", moods=100000, most=20.0)
def main(options):
    faults = []
    with tempfile.TemporaryDirectory(prefix="pings-") as folder:
        store = os.path.join(folder, "store")
        os.makedirs(os.path.join(store, "plugins"), mode=0o700)
        os.chmod(store, 0o700)
        write_plugin(store, PLUGIN, config={"type": "object"})
        big_folder = write_plugin(store, BIG)
        for number in range(6):
            with open(os.path.join(big_folder, f"part{number}"), "wb") as file:
                file.write(os.urandom(4 << 20))
        files = []
        for place, count in enumerate((options.moods, 700, 700, 5000, options.moods)):
            files.append(os.path.join(folder, f"{place}.jsonl"))
            write_moods(files[-1], count, place * 1_000_000)
        talk = Talk(options.host, "--lock-timeout", str(LOCK_SECONDS), store=store)
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        change = ("mood.create", {"emoji": "😊", "label": "x"})
        plugin = {"id": PLUGIN, "digest": talk.receive(talk.send("plugin.info", {"id": PLUGIN}))["result"]["digest"]}
        big = {"id": BIG, "digest": talk.receive(talk.send("plugin.info", {"id": BIG}))["result"]["digest"]}
        lists = [("mood.list", {"filter": chosen, "count": True}) for chosen in FILTERS]
        trials = {
            "a big plugin": [("plugin.list",), ("plugin.info", {"id": BIG}), ("plugin.trust", big), ("plugin.untrust", {"id": BIG})],
            "an import": [("store.import", {"path": files[0]})],
            # The journal is longer than the snapshot then: an automatic compaction is due.
            "undo and redo of it": [("store.undo",), ("store.redo",), change],
            "imports where a compaction is due": [("store.import", {"path": files[3]}), change],
            "a compaction": [change, ("store.compact",)],
            "a compaction with changes around it": [change, ("store.compact",), change, change, ("store.compact",), change],
            "a compaction with an import behind it": [change, ("store.compact",), ("store.import", {"path": files[1]})],
            "changes of a plugin behind an import": [
                ("store.import", {"path": files[4]}), ("plugin.trust", plugin), *[(f"plugin.{name}", {"id": PLUGIN}) for name in (
                    "restart", "disable", "enable")], ("plugin.configure", {"id": PLUGIN, "config": {}}), ("plugin.untrust", {"id": PLUGIN}), change],
            "an import with a compaction behind it": [("store.import", {"path": files[2]}), ("store.compact",), change],
            "changes of a plugin, and another process has the lock": [
                ("plugin.trust", plugin), ("plugin.disable", {"id": PLUGIN}), ("plugin.untrust", {"id": PLUGIN}), change],
            "lists that look through all moods": lists,
            "lists beside a compaction": [change, ("store.compact",), *lists, *lists],
            "lists behind an import": [("store.import", {"path": files[4], "replace": True}), *lists],
            "resets": [change, ("store.reset", {"confirm": True}), change, ("store.reset", {"confirm": True})],
        }
        for name, requests in trials.items():
            holder = hold_lock(os.path.join(store, "lock"), 1) if "another process" in name else None
            longest, floor, seconds, refusals = talk.beside(cat, requests)
            if holder:
                holder.join()
            wrong = longest > floor + options.most or refusals
            print(f"{'FAIL ' if wrong else 'ok   '} {name}: ping {longest:.1f} ms at most, cat {floor:.1f} ms; {seconds:.1f} s"
                  + "".join(f"; refused: {json.dumps(one)[:300]}" for one in refusals), flush=True)
            if wrong:
                faults.append(name)
            if name == "lists that look through all moods" and not talk.cancels(cat, options.most):
                faults.append("cancelled lists")
        faults += trust_in_order(talk, big)
        talk.end()
        faults += trust_at_the_end(options.host, store, big)
        cat.communicate()
    print(f"{len(faults)} faults: {'; '.join(faults)}" if faults else "nobody waits")
    return 1 if faults else 0
