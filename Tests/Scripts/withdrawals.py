#!/usr/bin/env python3
"""Random lives of one plugin in two hosts of a store: calls, hooked changes, trust, disable, configure, restart, kills and updates of its
folder, from either host, in random order.

    Tests/Scripts/withdrawals.py PATH/TO/moodboard [--lives 300] [--seed 1]

Each request has exactly one answer. A second after trust was withdrawn or taken by other bytes nothing of the old copy runs in either host:
each process says which version it is and writes it with its number into its data directory. In the end no process is left, no
child is a zombie, and the hosts have no more descriptors than at the start."""

import argparse
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
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "say":
        time.sleep(message["params"].get("wait", 0))
    result = {"protocol": 1} if message["method"] == "plugin.hello" else {"version": VERSION} if message["method"] == "say" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
'''
MANIFEST = {
    "provides": {
        "methods": [{"name": "say", "summary": "Says it.", "params": {"type": "object"}, "result": {"type": "object"}, "effect": "read"}],
        "hooks": [{"on": "change", "failure": "open", "timeoutMs": 500}]},
    "config": {"type": "object", "properties": {"number": {"type": "integer"}}}, "limits": {"timeoutMs": 2000, "concurrency": 2}}


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
            ["call", "change", "trust", "update", "untrust", "disable", "enable", "configure", "restart", "kill"],
            [8, 4, 3, 2, 2, 2, 2, 2, 1, 1])[0]
        if what == "call":
            asked.append((host, host.send(f"x.{ID}.say", {"wait": generator.choice((0, 0, 0.01, 0.3))})))
        elif what == "change":
            asked.append((host, host.send("mood.create", {"emoji": "😊", "label": "life"})))
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
        hosts = [trial.start(), trial.start()]
        state = {"version": 0, "trusted": None, "looks": 0}
        for host in hosts:
            host.ask("plugin.list")
            host.ask("mood.create", {"emoji": "😊", "label": "before"})
            life(trial, hosts, generator, state)
            host.ask("mood.list")
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
              f"descriptors {before} then {after}, ended after {ends} s")
        return 1 if left or any(children) or None in ends or any(b > a + 2 for a, b in zip(before, after)) else 0


if __name__ == "__main__":
    sys.exit(main())
