#!/usr/bin/env python3
"""Two hosts of one store and one plugin: what is asked of one host reaches the plugin that the other one has.

    Tests/Scripts/pluginpairs.py PATH/TO/moodboard

A restart begins it afresh where it runs; a restart that skips passes over the event that it refuses, whichever host delivers; states, faults and
the log are the same at both. A request knows what the other host has just changed. Python's standard library only.
"""

import hashlib
import os
import time

from harness import script
from pluginhost import Refused, Trial, method

ID = "org.example.pair"
PROGRAM = """import json, os, sys
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
    if message["method"] == "plugin.hello":
        reply["result"] = {"protocol": 1}
    elif message["method"] == "pid":
        reply["result"] = {"pid": os.getpid()}
    elif message["method"] == "many":
        for _ in range(message["params"]["times"]):
            print(json.dumps({"jsonrpc": "2.0", "id": "q", **message["params"]["request"]}), flush=True)
            answer = json.loads(sys.stdin.buffer.readline())
        reply["result"] = answer
    elif message["method"] == "events.deliver":
        label = message["params"]["changes"][0]["mood"]["label"] if "mood" in message["params"]["changes"][0] else json.dumps(message["params"])
        print("told of", label, file=sys.stderr, flush=True)
        if "refused" in label:
            del reply["result"]
            reply["error"] = {"code": -32000, "message": "not this one"}
        else:
            with open(os.environ["MOODBOARD_PLUGIN_DATA"] + "/taken", "a") as file:
                file.write("%d\\n" % message["params"]["seq"])
    print(json.dumps(reply), flush=True)
"""
faults = []


def check(name, is_so, told=""):
    print(f"{'ok   ' if is_so else 'FAIL '} {name}" + ("" if is_so else f": {told}"), flush=True)
    if not is_so:
        faults.append(name)


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def info(host):
    return host.ask("plugin.info", {"id": ID})


def pair(trial, **members):
    folder = trial.plugin(ID, ["python3", "main.py"], **members)
    with open(os.path.join(folder, "main.py"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    one, other = trial.start(), trial.start()
    for host in (one, other):
        host.ask("mood.create", {"emoji": "😊", "label": "before"})
    one.trust(ID)
    # The other host hears of it by its watch.
    until(lambda: info(other)["state"] == "stopped")
    return one, other


def restarts(host_path):
    with Trial(host_path, "--limit", "pluginBackOffMs=20") as trial:
        one, other = pair(trial, provides={"methods": [method("pid")]})
        before = one.ask(f"x.{ID}.pid")
        check("restart: it runs at one host alone", "pid" in info(one) and "pid" not in info(other), info(other))
        other.ask("plugin.restart", {"id": ID})
        check("restart: at the other host it ends where it is", until(lambda: info(one).get("state") == "stopped", 3), info(one))
        after = one.ask(f"x.{ID}.pid")
        check("restart: and begins afresh", info(one)["starts"] == 2, (before, after, info(one)))
        check("restart: no crash is told of", info(one)["crashes"] == 0 and "lastError" not in info(one), info(one))
        # The other host pardons a plugin that has failed here.
        for _ in range(5):
            os.kill(int(info(one)["pid"]), 9) if "pid" in info(one) else None
            until(lambda: info(one)["state"] in ("backingOff", "failed", "stopped"))
            until(lambda: info(one)["state"] != "backingOff")
            if info(one)["state"] == "failed":
                break
            one.ask(f"x.{ID}.pid")
        check("restart: five crashes", info(one)["state"] == "failed", info(one))
        other.ask("plugin.restart", {"id": ID})
        check("restart: pardons it at the host that has given it up", until(lambda: info(one)["state"] == "stopped", 3), info(one))
        one.ask(f"x.{ID}.pid")
        lines = [[line["text"] for line in host.ask("plugin.log", {"id": ID})["lines"]] for host in (one, other)]
        check("both hosts have one log", lines[0] == lines[1] and lines[0], lines)
        one.close(), other.close()


def skips(host_path):
    with Trial(host_path, "--limit", "pluginBackOffMs=20") as trial:
        one, other = pair(trial, provides={"events": ["mood"]}, permissions={"moods": "read"})
        taken = os.path.join(trial.store, "plugins-data", ID, "taken")

        def seen():
            try:
                with open(taken, encoding="utf-8") as file:
                    return [int(line) for line in file]
            except OSError:
                return []

        first = other.ask("mood.create", {"emoji": "😊", "label": "first"})["revision"]
        check("skip: delivery begins", until(lambda: first in seen()), seen())
        holder, guest = (one, other) if "pid" in info(one) else (other, one)
        refused = guest.ask("mood.create", {"emoji": "😊", "label": "refused"})["revision"]
        behind = guest.ask("mood.create", {"emoji": "😊", "label": "behind"})["revision"]
        until(lambda: any("refused" in line["text"] for line in guest.ask("plugin.log", {"id": ID})["lines"]))
        time.sleep(0.5)
        check("skip: nothing passes the event that is refused", behind not in seen() and info(holder)["acknowledged"] < refused, (seen(), info(holder)))
        guest.ask("plugin.restart", {"id": ID, "skip": True})
        check("skip: from the other host the event is passed over", until(lambda: behind in seen()), (seen(), info(holder), info(guest)))
        check("skip: that one alone", refused not in seen() and seen() == sorted(set(seen())), seen())
        check("skip: both hosts know what was acknowledged", until(lambda: info(holder).get("acknowledged") == behind), info(holder))
        one.close(), other.close()


def withdrawn(host_path):
    """disable, by the other host, while a call is under way: the call is answered and nothing runs a second later."""
    with Trial(host_path, "--limit", "pluginBackOffMs=20") as trial:
        one, other = pair(trial, provides={"methods": [method("pid")]})
        one.ask(f"x.{ID}.pid")
        other.ask("plugin.disable", {"id": ID})
        check("disable: at the other host it is gone in a second", until(lambda: "pid" not in info(one), 1.2), info(one))
        try:
            one.ask(f"x.{ID}.pid")
            check("disable: a call is refused", False)
        except Refused as error:
            check("disable: a call is refused", error.code == 1030 and error.data.get("state") == "disabled", error)
        one.close(), other.close()


PROVIDES = {
    "methods": [method("pid")], "shareFormats": [{"name": "pair", "title": "Pair", "mediaType": "text/plain"}],
    "importers": [{"format": "pair", "title": "Pair", "extensions": ["pair"]}],
    "exporters": [{"format": "pair", "title": "Pair", "extension": "pair", "mediaType": "text/plain"}]}
CONFIG = {"type": "object", "properties": {"number": {"type": "integer"}}}


def outcome(host, name, params):
    """How a request ends: "ok", or the code of its error."""
    answer = host.receive(host.send(name, params))
    return answer.get("error", {}).get("code", "ok")


def at_once(host_path):
    """Each request at the other host right behind the trust, before a watch can tell of it. The plugin answers nothing of
    use, so 1031 is its own answer, and anything else is the host's."""
    mood = {}
    asked = {
        "plugin.restart": ({"id": ID}, "ok"), "plugin.disable": ({"id": ID}, "ok"), "plugin.enable": ({"id": ID}, "ok"),
        "plugin.configure": ({"id": ID, "config": {"number": 1}}, "ok"), f"x.{ID}.pid": ({}, "ok"),
        "mood.share": (mood, 1031), "store.import": ({"format": "pair", "text": "x"}, 1031), "store.export": ({"format": "pair"}, 1031),
        "action.perform": ({"action": {"type": f"x.{ID}.pid"}}, "ok"),
        "tools/call": ({"name": "", "arguments": {}}, "ok"),
    }
    for name, (params, wanted) in asked.items():
        with Trial(host_path) as trial:
            provides = {**PROVIDES, "methods": [{**method("pid"), "tool": name == "tools/call"}]}
            folder = trial.plugin(ID, ["python3", "main.py"], provides=provides, config=CONFIG)
            with open(os.path.join(folder, "main.py"), "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            one = trial.start()
            mood.update(one.ask("mood.create", {"emoji": "😊", "label": "before"}))
            if name == "mood.share":
                params = {"id": mood["id"], "format": "pair"}
            if name == "tools/call":
                one.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
                digest = hashlib.sha256(f"x.{ID}.pid".encode()).hexdigest()[:6]
                params = {"name": f"x_pair_pid_{digest}", "arguments": {}}
            digest = one.ask("plugin.info", {"id": ID})["digest"]
            other = trial.start()
            if name == "tools/call":
                other.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
            before = {plugin["id"]: plugin["state"] for plugin in other.ask("plugin.list")["plugins"]}[ID]
            one.ask("plugin.trust", {"id": ID, "digest": digest})
            if name == "plugin.enable":
                one.ask("plugin.disable", {"id": ID})
            found = outcome(other, name, params)
            state = info(one)["state"]
            check(f"at once: {name} knows of the trust", before == "untrusted" and found == wanted, (before, found, wanted))
            if name in ("plugin.disable", "plugin.enable"):
                check(f"at once: {name} holds at both", state == ("disabled" if "disable" in name else "stopped") == info(other)["state"], state)
            if name == "plugin.restart":
                one.ask("plugin.untrust", {"id": ID})
                check("at once: plugin.info knows of its end", info(other)["state"] == "untrusted", info(other))
            one.close(), other.close()


def counted(host_path):
    """Only what changes something counts as a change of a plugin that is told of changes."""
    with Trial(host_path) as trial:
        one, other = pair(trial, provides={"methods": [method("many")], "events": ["mood"]}, permissions={"moods": "write"}, limits={"timeoutMs": 60000})

        def many(times, name, params):
            return one.ask(f"x.{ID}.many", {"times": times, "request": {"method": name, "params": params}})

        mood = one.ask("mood.create", {"emoji": "😊", "label": "counted"})["id"]
        many(601, "mood.setFavorite", {"id": mood, "isFavorite": False})
        many(601, "mood.create", {"emoji": "😊"})
        answer = many(600, "mood.toggleFavorite", {"id": mood})
        check("counted: 600 changes after requests that changed nothing", "result" in answer, answer)
        answer = many(1, "mood.toggleFavorite", {"id": mood})
        check("counted: one more is refused", answer.get("error", {}).get("code") == 1020, answer)
        one.close(), other.close()


@script("host")
def main(options):
    for trial in (restarts, skips, withdrawn, at_once, counted):
        trial(options.host)
    print(f"{len(faults)} faults" if faults else "both hosts have one plugin")
    return faults
