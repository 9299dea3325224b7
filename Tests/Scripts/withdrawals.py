#!/usr/bin/env python3
"""Random lives of one plugin in two hosts of a store: trust, disable, configure, restart, kills, updates of its folder, and calls of every kind
that a plugin serves, from either host, in random order. It is told of changes all the time.

    Tests/Scripts/withdrawals.py PATH/TO/moodboard [--lives 300] [--seed 1]

Each request, and each member of a batch, has exactly one answer, and none is an internal error. A second after trust was withdrawn or taken by other bytes nothing of the old copy runs in either host:
each process says which version it is and writes it with its number into its data directory. In the end no process is left, no
child is a zombie, and the hosts have no more descriptors than at the start."""

import argparse
import collections
import hashlib
import json
import os
import random
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pluginhost  # noqa: E402

ID = "org.example.life"
PROGRAM = '''import json, os, sys, time
VERSION = %d
with open(os.environ["MOODBOARD_PLUGIN_DATA"] + "/starts", "a") as file:
    file.write("%%d\\n" %% VERSION)
asking, results = {}, {
    "plugin.hello": {"protocol": 1}, "say": {"version": VERSION}, "share.render": {"text": "x"}, "detail.cells": {"cells": [], "maxAge": 0},
    "import.read": {"moods": [{"emoji": "😊", "label": "read", "timestamp": "2026-01-02T03:04:05Z"}], "problems": []}, "export.write": {"text": "x"}}
def answer(number, result):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "method" not in message:
        # Whatever the host has said to the question.
        answer(asking.pop(message["id"]), {"version": VERSION})
    elif "id" in message:
        params = message["params"]
        if message["method"] == "say":
            time.sleep(params.get("wait", 0))
        if "ask" in params:
            asking[f"q{len(asking)}"] = message["id"]
            print(json.dumps({"jsonrpc": "2.0", "id": f"q{len(asking) - 1}", "method": params["ask"], "params": {}}), flush=True)
        else:
            answer(message["id"], results.get(message["method"], {}))
'''
MANIFEST = {
    "provides": {
        "methods": [{"name": "say", "summary": "Says it.", "params": {"type": "object"}, "result": {"type": "object"}, "effect": "read", "tool": True}],
        "hooks": [{"on": "change", "failure": "open", "timeoutMs": 500}, {"on": "navigate", "failure": "open", "timeoutMs": 500}],
        "shareFormats": [{"name": "life", "title": "Life", "mediaType": "text/plain"}], "cells": [{"type": "life"}], "events": ["mood"],
        "importers": [{"format": "life", "title": "Life", "extensions": ["life"]}],
        "exporters": [{"format": "life", "title": "Life", "extension": "life", "mediaType": "text/plain"}]},
    "permissions": {"moods": "read"},
    "config": {"type": "object", "properties": {"number": {"type": "integer"}}}, "limits": {"timeoutMs": 2000, "concurrency": 2}}
TOOL = "x_life_say_" + hashlib.sha256(f"x.{ID}.say".encode()).hexdigest()[:6]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "lives", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


class Counting(pluginhost.Host):
    """Counts the answers to each request; a batch's count as those of its members."""

    def sort(self, message):
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and "id" in one and "method" not in one:
                self.counts[one["id"]] += 1
                code = one.get("error", {}).get("code")
                self.outcomes[code] += 1
                if code == -32603 or one["id"] is None:
                    self.wrong.append(one)
            super().sort(one)

    def send_batch(self, requests):
        self.number += len(requests)
        numbers = list(range(self.number - len(requests) + 1, self.number + 1))
        self.write(json.dumps([{"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                               for number, (method, params) in zip(numbers, requests)]).encode() + b"\n")
        return numbers


def counting(trial):
    host = Counting(trial.command)
    host.counts, host.outcomes, host.wrong = collections.Counter(), collections.Counter(), []
    return host


def calls(mood):
    """Requests that the plugin serves, or is asked about."""
    change = {"emoji": "😊", "label": "life"}
    return [
        *[(f"x.{ID}.say", {"wait": wait}) for wait in (0, 0, 0.01, 0.3)], *[("mood.create", change)] * 4,
        *[(f"x.{ID}.say", {"ask": method}) for method in ("mood.list", "store.info", "settings.set", "no.such")], ("mood.share", {"id": mood, "format": "life"}),
        *[("mood.detail", {"id": mood, "waitMs": wait}) for wait in (0, 100)], ("store.import", {"format": "life", "text": "x"}),
        ("store.export", {"format": "life", "filter": {"text": "before"}}), ("nav.navigate", {"route": {"name": "moodDetail", "id": mood}}),
        ("tools/call", {"name": TOOL, "arguments": {"wait": 0}, "_meta": META}), ("tools/list", {"_meta": META}), ("rpc.discover", {})]


def descriptors(host):
    return len(os.listdir(f"/proc/{host.pid}/fd"))


def processes(folder):
    """The processes whose program runs in the folder of copies, by number, with the digest of their copy."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                place = os.readlink(f"/proc/{name}/cwd")
            except OSError:
                continue
            if place.startswith(folder + "/"):
                found[int(name)] = place[len(folder) + 1:].split(" ")[0]
    return found


def life(trial, hosts, generator, state):
    """A few steps, and the checks afterwards."""
    folder = os.path.join(trial.store, "plugins", ID)
    asked, last, steps = [], None, {}
    for _ in range(generator.randint(2, 7)):
        host = generator.choice(hosts)
        what = generator.choices(
            ["call", "batch", "trust", "update", "untrust", "disable", "enable", "configure", "restart", "kill"],
            [12, 2, 3, 2, 2, 2, 2, 2, 1, 1])[0]
        if what == "call":
            what, params = generator.choice(calls(state["mood"]))
            asked.append((host, host.send(what, params)))
        elif what == "batch":
            asked += [(host, number) for number in host.send_batch([generator.choice(calls(state["mood"])) for _ in range(generator.randint(1, 4))])]
        elif what == "update":
            state["version"] += 1
            with open(os.path.join(folder, "main.py"), "w", encoding="utf-8") as file:
                file.write(PROGRAM % state["version"])
        elif what == "kill":
            for number in processes(trial.copies):
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        elif what == "trust":
            digest = host.ask("plugin.info", {"id": ID})["digest"]
            asked.append((host, host.send("plugin.trust", {"id": ID, "digest": digest})))
            state["trusted"] = digest
            last = time.monotonic()
        else:
            params = {"id": ID, **({"config": {"number": generator.randint(0, 9)}} if what == "configure" else {})}
            asked.append((host, host.send(f"plugin.{what}", params)))
            if what == "untrust":
                state["trusted"] = None
            last = time.monotonic()
        if asked:
            steps.setdefault((asked[-1][1], asked[-1][0]), what)
    for host, number in asked:
        try:
            host.receive(number, 20)
        except TimeoutError as error:
            raise AssertionError(
                f"{steps[number, host]}, of {[(hosts.index(one), what) for (_, one), what in steps.items()]}: {error}{described(hosts, time.monotonic(), (), host, number)}"
            ) from None
    for host in hosts:
        several = [number for number, count in host.counts.items() if count != 1]
        if several or host.wrong:
            raise AssertionError(f"answered otherwise than once: {several}; wrong: {host.wrong}")
        host.counts.clear()
    records = hosts[0].ask("plugin.info", {"id": ID})
    if last is not None and generator.random() < 0.2:
        time.sleep(max(0.0, last + 1.2 - time.monotonic()))
        allowed = records.get("trusted", "").replace("sha256:", "") if records["state"] not in ("disabled", "untrusted") else ""
        wrong = {number: place for number, place in processes(trial.copies).items() if not allowed or allowed not in place}
        if wrong:
            raise AssertionError(f"{records['state']}, and there runs {wrong}{described(hosts, last, wrong)}")
        state["looks"] += 1


def processes_of(hosts):
    return [(number, pluginhost.status(number)) for host in hosts for number in pluginhost.descendants(host.pid)]


def described(hosts, last, wrong, waiting=None, number=None):
    """When what runs is gone after all, or the answer comes, and what each host knows of the plugin: where the machine is so busy that a
    process that is killed does not come to its end, its state is R, and the load is high."""
    states = [pluginhost.status(number) for number in wrong]
    pluginhost.wait_until(lambda: not any(pluginhost.is_running(number) for number in wrong), 10)
    told = [f"\n{f'host {hosts.index(waiting)}; ' if waiting else ''}gone {time.monotonic() - last:.1f} s after it was withdrawn; {states}, load {os.getloadavg()[0]:.0f}"]
    for host in hosts:
        info = host.ask("plugin.info", {"id": ID})
        told.append(json.dumps({name: info.get(name) for name in ("state", "reason", "pid", "starts", "crashes", "lastError")}))
    if waiting:
        told.append(f"processes: {processes_of(hosts)}")
        start = time.monotonic()
        try:
            told.append(f"it comes after all, {waiting.receive(number, 60)}, {time.monotonic() - start:.1f} s later")
        except TimeoutError:
            told.append("it does not come in a minute more")
    told += [f"{line['at']} {line['from']} {line['text'][:200]}" for line in hosts[0].ask("plugin.log", {"id": ID, "lines": 12})["lines"]]
    return "\n".join(told)


def main():
    parser = argparse.ArgumentParser(description="Random lives of a plugin in two hosts.")
    parser.add_argument("host")
    parser.add_argument("--lives", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with pluginhost.Trial(options.host, "--durability", "none", "--limit", "pluginBackOffMs=20") as trial:
        trial.copies = os.path.realpath(trial.store) + f"/plugins-run/{ID}"
        folder = trial.plugin(ID, ["python3", "main.py"], **MANIFEST)
        os.chmod(trial.store, 0o700)
        with open(os.path.join(folder, "main.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM % 0)
        hosts = [counting(trial), counting(trial)]
        state = {"version": 0, "trusted": None, "looks": 0}
        for host in hosts:
            host.ask("plugin.list")
            state["mood"] = host.ask("mood.create", {"emoji": "😊", "label": "before"})["id"]
            # Descriptors that the first of its kind opens stay open.
            host.ask("plugin.trust", {"id": ID, "digest": host.ask("plugin.info", {"id": ID})["digest"]})
            for method, params in calls(state["mood"]):
                host.answer(method, params)
            host.ask("plugin.disable", {"id": ID})
            host.ask("plugin.untrust", {"id": ID})
            life(trial, hosts, generator, state)
        for host in hosts:
            host.ask("plugin.log", {"id": ID})
        time.sleep(2)
        before = [descriptors(host) for host in hosts]
        for number in range(options.lives):
            try:
                life(trial, hosts, generator, state)
            except (AssertionError, TimeoutError, EOFError, pluginhost.Refused) as error:
                print(f"life {number} of seed {options.seed}: {type(error).__name__}: {error}")
                for host in hosts:
                    host.kill()
                return 1
        hosts[0].ask("plugin.info", {"id": ID})
        try:
            hosts[0].ask("plugin.untrust", {"id": ID})
        except pluginhost.Refused:
            pass
        time.sleep(2)
        left = processes(trial.copies)
        after = [descriptors(host) for host in hosts]
        children = [open(f"/proc/{host.pid}/task/{host.pid}/children").read().split() for host in hosts]
        ends = [host.close(5) for host in hosts]
        print(f"{options.lives} lives, {state['version']} versions, looked {state['looks']} times a second later; left: {left}, children {children}, "
              f"descriptors {before} then {after}, ended after {ends} s; answers by code: {dict(sum((host.outcomes for host in hosts), collections.Counter()))}")
        return 1 if left or any(children) or None in ends or any(b > a for a, b in zip(before, after)) else 0


if __name__ == "__main__":
    sys.exit(main())
