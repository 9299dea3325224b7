#!/usr/bin/env python3
"""Plays two hosts for redis_transport.py, on a server of its own on loopback."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "redis_transport.py")


class Host:
    def __init__(self, url, journal):
        self.changes = 0
        self.plugin = subprocess.Popen([sys.executable, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.ask("plugin.hello", {"protocol": 1}) == {"protocol": 1}
        self.opened = self.ask("transport.open", {"url": url, "config": {}, "journal": journal})

    def ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.plugin.stdin.write(json.dumps(message).encode() + b"\n")
        self.plugin.stdin.flush()
        for line in self.plugin.stdout:
            message = json.loads(line)
            if message.get("id") == method:
                return message["result"] if "result" in message else message["error"]
            self.changes += message["method"] == "transport.changed"

    def push(self, replica, *records):
        return self.ask("transport.push", {"replica": replica, "records": [{"replica": replica, **one} for one in records]})["last"]

    def pull(self, replica, have):
        return [(one["n"], one["text"]) for one in self.ask("transport.pull", {"have": {replica: have}})["records"]]

    def end(self):
        self.plugin.stdin.close()
        self.plugin.wait(10)


def record(number, text="", **part):
    return {"n": number, "text": text or f"record {number} 🌊", **part}


def main():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder, a, journal = tempfile.mkdtemp(), str(uuid.uuid4()), str(uuid.uuid4())
    command = ["redis-server", "--port", str(port), "--dir", folder, "--save", "", "--requirepass", "secret"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    hosts, url = [], f"redis://:secret@127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        hosts = one, two = [Host(url, journal) for _ in range(2)]
        time.sleep(0.5)  # until they listen
        assert one.opened == {"journals": []}, one.opened
        assert one.push(a) == 0 and one.push(a, *map(record, (1, 2, 3))) == 3
        assert one.push(a, record(3), record(4)) == 4 and one.push(a, record(6)) == 4
        assert two.pull(a, 2) == [(3, "record 3 🌊"), (4, "record 4 🌊")]
        for _ in range(100):
            if two.changes or two.ask("transport.snapshots", {}) != {"items": []}:
                break
            time.sleep(0.05)
        assert two.changes > 0
        assert two.push(a, record(5, "two's")) == 5 and one.push(a, record(5, "one's")) == 5, "the first one stays"
        assert one.push(a, record(6, "6a", part=0, parts=2)) == 5 and one.push(a, record(6, "6b", part=1, parts=2)) == 6
        assert two.pull(a, 4) == [(5, "two's"), (6, "6a"), (6, "6b")]
        one.ask("transport.putPart", {"id": f"{a}-1", "part": 0, "text": "first"})
        assert two.ask("transport.snapshots", {}) == {"items": []}
        one.ask("transport.putPart", {"id": f"{a}-1", "part": 1, "text": "second", "vector": {a: 6}})
        assert two.ask("transport.snapshots", {}) == {"items": [{"id": f"{a}-1", "vector": {a: 6}, "parts": 2}]}
        assert two.ask("transport.getPart", {"id": f"{a}-1", "part": 1}) == {"text": "second"}
        one.ask("transport.drop", {"replica": a, "upTo": 6, "ids": [f"{a}-1"]})
        assert two.ask("transport.getPart", {"id": f"{a}-1", "part": 1})["code"] == 1001
        assert two.pull(a, 2) == [] and one.push(a, record(7)) == 7 and two.pull(a, 6) == [(7, "record 7 🌊")]
        server.kill()
        assert one.ask("transport.push", {"replica": a, "records": []})["code"] == -32000
    finally:
        for host in hosts:
            host.end()
        server.kill()
        server.wait()
        shutil.rmtree(folder)
    print("ok")


print("SKIPPED: redis-server") if not shutil.which("redis-server") else main()
