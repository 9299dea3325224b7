#!/usr/bin/env python3
"""Shows that the doctors of `mood` find every fault, and no other.

    Tests/Scripts/doctors.py PATH/TO/mood [--only NAME] [--hosts | --plugins | --transports]

`mood doctor transport` has to find every fault of `poortransport.py`, and none of the example transports, on a Redis server and on three
of NATS where NATS_PYTHON names the python3 of a virtual environment that has nats-py. `mood doctor plugin` has to find every fault of `plugins/poor.py`, and none of the examples in Docs/Examples/plugins; `mood doctor
host` every fault of `poorhost.py`, and none of moodboard. Each finding names a clause. Exits 1 where one does not.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../Docs/Examples/plugins")
ID = "org.example.poor"
# Each fault, and a word that must be in a finding about it.
PLUGIN_FAULTS = {
    "slow hello": "within 5000 ms",
    "ends at once": "before it answered plugin.hello",
    "another protocol": "protocol",
    "result unlike its schema": "hello:",
    "declares what is not there": "declares",
    "wrong shape": "share.render",
    "veto without a reason": "hook.change",
    "veto is a number": "hook.change",
    "veto and set": "hook.change",
    "hook answers a text": "hook.change",
    "hook answers a list": "hook.change",
    "hook answers nothing": "hook.change",
    "set is a text": "hook.change",
    "sets another mood": "something else than the moods of the change",
    "sets what no mood has": "what no mood may have",
    "slow hook": "within 1000 ms",
    "slow method": "within 2000 ms",
    "asks with a list as id": "The id of a request",
    "ends when idle": "while the host was silent",
    "is no tool": "is no tool for AI clients",
    "set of texts": "hook.change",
    "navigation is set": "hook.navigate",
    "result that is no JSON": "no answer",
    "wrong code": "-32601",
    "error without message": "message",
    "result for the unknown": "-32601",
    "number ids alone": "id",
    "ids as texts": "id",
    "floats": "id",
    "both result and error": "either",
    "no version": "jsonrpc",
    "reads in blocks": "plugin.hello",
    "short lines": "no answer",
    "the first of a write": "no answer",
    "chats about rubbish": "printed",
    "prints": "printed",
    "answers cancellations": "answer",
    "answers notifications": "answer",
    "dies of the unknown": "no answer",
    "drops what was cancelled": "no answer",
    "drops every hundredth": "no answer",
    "answers twice": "2 answers",
    "stays": "still runs",
    "deaf to the end": "still runs",
    "deaf to SIGTERM": "SIGTERM",
}
# Rare manners that are right.
PLUGIN_MANNERS = ["none", "asks in a batch"]
MANIFEST = {
    "manifestVersion": 1, "id": ID, "name": "Poor", "version": "1.0.0", "protocol": [1],
    "provides": {
        "methods": [{
            "name": "hello", "summary": "Says hello.", "effect": "read",
            "params": {"type": "object", "properties": {"name": {"type": "string"}}},
            "result": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}],
        "hooks": [{"on": "change", "failure": "open", "timeoutMs": 1000}, {"on": "navigate", "failure": "open", "timeoutMs": 1000}],
        "shareFormats": [{"name": "poor", "title": "Poor", "mediaType": "text/plain"}]},
    "permissions": {"moods": "none"}, "limits": {"timeoutMs": 2000},
}


# Not every AI client can read such a pattern.
TOOL = {"methods": [{
    "name": "hello", "summary": "Says hello.", "effect": "read", "tool": True, "params": {"type": "object"},
    "result": {"type": "object", "patternProperties": {"\\p{L}": {}}}}]}
ECHO = {"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object"}}
# MCP servers: each fault's settings, and a word that must be in a finding about it.
SERVERS = {
    "right server": {"tools": [ECHO]}, "right older server": {"era": "older", "tools": [ECHO]},
    "ends at the unknown": {"era": "fragile", "tools": [ECHO]}, "tool without a name": {"tools": [ECHO, {"inputSchema": {"type": "object"}}]},
    "items without a name": {"tools": [ECHO], "more": True},
}
SERVER_FAULTS = {
    "right server": None, "right older server": None, "ends at the unknown": "server/discover", "tool without a name": "left out",
    "items without a name": "left out",
}


def doctor(mood, *arguments):
    """The findings, and the exit code. Any other outcome is a fault of the doctor."""
    ended = subprocess.run([mood, "doctor", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    try:
        findings = json.loads(ended.stdout)["findings"]
    except ValueError:
        raise SystemExit(f"{arguments}: {ended.stdout[-500:]!r} {ended.stderr[-500:]!r}")
    if ended.returncode != (1 if findings else 0):
        raise SystemExit(f"{arguments}: exit status {ended.returncode} with {len(findings)} findings")
    return findings


def poor_plugin(folder, fault):
    place = os.path.join(folder, "poor", ID)
    shutil.rmtree(os.path.dirname(place), ignore_errors=True)
    os.makedirs(place, mode=0o755)
    shutil.copy(os.path.join(HERE, "plugins/poor.py"), place)
    with open(os.path.join(place, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump({**MANIFEST, **({"provides": TOOL} if fault == "is no tool" else {}), "exec": ["python3", "./poor.py", fault]}, file)
    return place


def poor_server(folder, fault):
    place = poor_plugin(folder, fault)
    shutil.copy(os.path.join(HERE, "plugins/server.py"), place)
    with open(os.path.join(place, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump({**MANIFEST, "provides": {}, "kind": "mcp", "exec": ["python3", "./server.py"]}, file)
    with open(os.path.join(place, "settings.json"), "w", encoding="utf-8") as file:
        json.dump(SERVERS[fault], file)
    return place


# Python modules that example plugins need, and the PATH of plugins.
MODULES = {"org.moodboard.nats": "nats"}
PATH = "/usr/local/bin:/usr/bin:/bin"


def examples(folder):
    """Copies of the example plugins that can run here, built if necessary."""
    for name in sorted(os.listdir(EXAMPLES)):
        source = os.path.join(EXAMPLES, name)
        if "." not in name or not os.path.isdir(source):
            continue
        place = os.path.join(folder, "examples", name)
        shutil.copytree(source, place, ignore=shutil.ignore_patterns(".build"))
        if os.path.exists(os.path.join(place, "echo.c")):
            subprocess.run(["cc", "-O2", "-o", os.path.join(place, "echo"), os.path.join(place, "echo.c")], check=True)
        with open(os.path.join(place, "plugin.json"), encoding="utf-8") as file:
            program = json.load(file)["exec"][0]
        missing = not os.path.exists(os.path.join(place, program)) if program.startswith("./") else not shutil.which(program)
        module = MODULES.get(name)
        if missing:
            print(f"SKIPPED: {name}: {program} is not there")
        elif module and subprocess.run(["python3", "-c", f"import {module}"], env={"PATH": PATH}, capture_output=True).returncode:
            print(f"SKIPPED: {name}: there is no {module} for Python")
        else:
            yield name, place


def poor_transport(folder, fault):
    place = os.path.join(folder, "carrier", ID)
    shutil.rmtree(os.path.dirname(place), ignore_errors=True)
    os.makedirs(place, mode=0o755)
    shutil.copy(os.path.join(HERE, "plugins/carrier.py"), place)
    manifest = {
        "manifestVersion": 1, "id": ID, "name": "Poor", "version": "1.0.0", "protocol": [1], "exec": ["python3", "./carrier.py", fault],
        "provides": {"transports": [{"scheme": "poor", "title": "Poor"}]}, "permissions": {"moods": "none", "network": True},
    }
    with open(os.path.join(place, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return place


def transports(mood, folder, only):
    """Whether the doctor judges each example transport and each fault correctly."""
    import poortransport
    for name, engine in {"org.moodboard.redis": redis, "org.moodboard.nats": nats}.items():
        if only in name:
            yield from engine(mood, os.path.join(EXAMPLES, name))
    for fault, word in {"none": None, **poortransport.FAULTS}.items():
        if only in fault:
            engine = poortransport.Engine(fault)
            yield expect(f"transport: {fault}", doctor(mood, "transport", poor_transport(folder, fault), engine.url), word)
            engine.close()


def redis(mood, plugin):
    if not shutil.which("redis-server"):
        print("SKIPPED: redis-server")
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(["redis-server", "--port", str(port), "--dir", folder, "--save", ""], stdout=subprocess.DEVNULL)
        try:
            for _ in range(100):
                with socket.socket() as one:
                    if one.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield expect("redis", doctor(mood, "transport", plugin, f"redis://127.0.0.1:{port}"), None)
        finally:
            server.kill()
            server.wait()


def nats(mood, plugin):
    if not shutil.which("nats-server") or "NATS_PYTHON" not in os.environ:
        print("SKIPPED: nats-server, or NATS_PYTHON")
        return
    import carrying
    carrier = carrying.JetStream(None)
    try:
        runtimes = [word for one in carrying.JetStream.runtimes() for word in ("--runtime", one)]
        yield expect("nats", doctor(mood, "transport", plugin, carrier.url, *runtimes), None)
    finally:
        carrier.close()


def expect(name, findings, word):
    """Whether the findings are right: none, or one with the word in it."""
    if word is None:
        wrong = [f"{one['clause']}: {one['what']}" for one in findings]
    else:
        found = any(word in one["what"] or word in one["clause"] for one in findings) and all(one["clause"] for one in findings)
        wrong = [] if found else [f"not found; found: {[one['what'] for one in findings]}"]
    print(f"{'ok   ' if not wrong else 'FAIL '} {name}" + "".join(f"\n      {one}" for one in wrong), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mood")
    parser.add_argument("--only", default="", help="only what has this in its name")
    parser.add_argument("--hosts", action="store_true", help="hosts alone")
    parser.add_argument("--plugins", action="store_true", help="plugins alone")
    parser.add_argument("--transports", action="store_true", help="transports alone")
    options = parser.parse_args()
    mood = os.path.abspath(options.mood)
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="doctors-") as folder:
        os.chmod(folder, 0o755)
        if not options.hosts and not options.plugins:
            outcomes += transports(mood, folder, options.only)
        if not options.hosts and not options.transports:
            for name, place in examples(folder):
                if options.only in name:
                    outcomes.append(expect(name, doctor(mood, "plugin", place), None))
            for fault, word in SERVER_FAULTS.items():
                if options.only in fault:
                    outcomes.append(expect(f"server: {fault}", doctor(mood, "plugin", poor_server(folder, fault)), word))
            for fault, word in {**dict.fromkeys(PLUGIN_MANNERS), **PLUGIN_FAULTS}.items():
                if options.only in fault:
                    outcomes.append(expect(f"plugin: {fault}", doctor(mood, "plugin", "--limit", "pluginHelloMs=5000", poor_plugin(folder, fault)), word))
        if not options.plugins and not options.transports:
            import poorhost
            host = os.path.join(os.path.dirname(mood), "moodboard")
            if options.only in "moodboard":
                outcomes.append(expect("moodboard", doctor(mood, "host", "--", host, "--in-memory"), None))
            for fault, word in {"none": None, **poorhost.FAULTS}.items():
                if options.only in fault:
                    command = [sys.executable, os.path.join(HERE, "poorhost.py"), fault]
                    outcomes.append(expect(f"host: {fault}", doctor(mood, "host", "--", *command), word))
    print(f"{sum(outcomes)} as they have to be, {len(outcomes) - sum(outcomes)} not")
    return 0 if all(outcomes) and outcomes else 1


if __name__ == "__main__":
    sys.exit(main())
