#!/usr/bin/env python3
"""Plays two hosts for nats_transport.py, on three servers on loopback, of which the leader is killed.

`--all` kills another one, too, and waits until the stream has no leader."""
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid

from cluster import Cluster, free_ports

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nats_transport.py")
PYTHON = os.environ.get("NATS_PYTHON", sys.executable)  # one that has nats-py


class Host:
    def __init__(self, url, journal):
        self.data, self.changes = tempfile.mkdtemp(), 0
        self.plugin = subprocess.Popen([PYTHON, "-B", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.ask("plugin.hello", {"protocol": 1, "dataDirectory": self.data}) == {"protocol": 1}
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
        """The numbers and texts of one replica's records."""
        while "records" not in (pulled := self.ask("transport.pull", {"have": {replica: have}})):
            time.sleep(0.1)  # its server is gone, and it looks for another one
        return [(one["n"], one["text"]) for one in pulled["records"] if one["replica"] == replica]

    def snapshots(self):
        return self.ask("transport.snapshots", {}).get("items", [])

    def end(self):
        self.plugin.stdin.close()
        self.plugin.wait(10)
        shutil.rmtree(self.data)


def wait_for(wanted, found, seconds=20):
    """What was acknowledged is there; a server may be behind."""
    end = time.time() + seconds
    while (seen := found()) != wanted:
        assert time.time() < end, seen
        time.sleep(0.1)


def record(number, text="", **part):
    return {"n": number, "text": text or f"record {number} 🌊", **part}


TROUBLE = """
import asyncio, nats, sys
async def main():
    connection = await nats.connect(sys.argv[1])
    await getattr(connection.jetstream(), sys.argv[2])("MOODBOARD")
asyncio.run(main())
"""


def troubles():
    """One server with faults, and what a person is told."""
    folder, journal, a, (port, closed) = tempfile.mkdtemp(), str(uuid.uuid4()), str(uuid.uuid4()), free_ports(2)
    url, servers = f"nats://me:secret@127.0.0.1:{port}", []

    def serve(text):
        for one in servers:
            one.kill()
            one.wait()
        with open(folder + "/conf", "w", encoding="utf-8") as file:
            file.write(f'listen: "127.0.0.1:{port}"\n{text}')
        servers[:] = [subprocess.Popen(["nats-server", "-c", folder + "/conf"], stderr=subprocess.DEVNULL)]
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port)).close()
            except OSError:
                time.sleep(0.05)

    def trouble(name):
        subprocess.run([PYTHON, "-c", TROUBLE, url, name], check=True)

    def told(place, config, *words):
        answer = host.ask("transport.open", {"url": place, "config": config, "journal": journal})
        assert all(word in answer["message"] for word in words) and "secret" not in answer["message"], (answer, words)

    host, password = Host("nats://", None), "authorization { user: me, password: secret }\n"
    try:
        told(f"nats://127.0.0.1:{closed}", {}, "can be reached", "connection refused")
        serve(password)
        told(url, {}, "no JetStream")
        told(url.replace("secret", "wrong"), {}, "refuses the user")
        told(url.replace("nats", "tls", 1), {}, "no safe connection")
        told(url, {"stream": "a b"}, "stream has to be")
        told(url, {"ca": "/nowhere"}, "ca names no file")
        serve(password + f'jetstream {{ store_dir: "{folder}" }}\n')
        opened = {"url": url, "config": {}, "journal": journal}
        assert host.ask("transport.open", opened) == {"journals": []}
        for name, again in (("delete_stream", 3), ("purge_stream", 4)):
            assert host.push(a, *(record(n) for n in range(1, again + 1))) == again
            assert host.ask("transport.open", opened)["journals"] in ([], [journal])
            trouble(name)  # under the running plugin, which makes the stream again and believes nothing that it knew
            assert "journals" in host.ask("transport.open", opened)
            assert host.push(a, *(record(n) for n in range(1, again + 2))) == again + 1
            assert [n for n, _ in host.pull(a, 0)] == list(range(1, again + 2))
        servers[0].kill()
        start = time.monotonic()
        told(url, {}, "can be reached")
        assert time.monotonic() - start < 5, "a person waits for the answer"
    finally:
        host.end()
        servers[0].kill()
        servers[0].wait()
        shutil.rmtree(folder)


def main():
    cluster, a, journal = Cluster(), str(uuid.uuid4()), str(uuid.uuid4())
    hosts = []
    try:
        one, two = hosts = [Host(cluster.url, journal) for _ in range(2)]
        assert one.opened == {"journals": []}, one.opened
        assert one.push(a) == 0 and one.push(a, *map(record, (1, 2, 3))) == 3
        assert one.push(a, record(3), record(4)) == 4 and one.push(a, record(6)) == 4
        wait_for([(3, "record 3 🌊"), (4, "record 4 🌊")], lambda: two.pull(a, 2))
        assert two.push(a, record(5, "two's")) == 5 and one.push(a, record(5, "one's")) == 5, "the first one stays"
        two.end()
        hosts[1] = two = Host(cluster.url, journal)  # one that has not written itself, and is told
        assert one.push(a, record(6, "6a", part=0, parts=2)) == 5 and one.push(a, record(6, "6b", part=1, parts=2), record(7)) == 7
        wait_for([(5, "two's"), (6, "6a"), (6, "6b"), (7, "record 7 🌊")], lambda: two.pull(a, 4))

        before = two.changes
        cluster.kill(cluster.leader())
        for number in range(8, 60):  # at first nobody leads, and the host asks again
            while one.ask("transport.push", {"replica": a, "records": [{"replica": a, **record(number)}]}).get("last") != number:
                time.sleep(0.1)
        wait_for(list(range(8, 60)), lambda: [n for n, _ in two.pull(a, 7)])
        end = time.time() + 20
        while two.changes == before and time.time() < end:  # what it followed by may have been on that server
            time.sleep(0.1)
            two.ask("transport.snapshots", {})
        assert two.changes > before

        for number, vector in ((1, {a: 20}), (2, {a: 40}), (3, {a: 59})):  # two slots in turn
            id = f"{a}-{number}"
            one.ask("transport.putPart", {"id": id, "part": 0, "text": f"{number} first"})
            one.ask("transport.putPart", {"id": id, "part": 1, "text": f"{number} second", "vector": vector})
        while {"id": f"{a}-3", "vector": {a: 59}, "parts": 2} not in two.snapshots():
            time.sleep(0.1)
        assert two.ask("transport.getPart", {"id": f"{a}-3", "part": 1}) == {"text": "3 second"}
        assert two.ask("transport.getPart", {"id": f"{a}-1", "part": 0})["code"] == 1001
        one.ask("transport.drop", {"replica": a, "upTo": 59, "ids": [f"{a}-2"]})
        wait_for([f"{a}-3"], lambda: [item["id"] for item in two.snapshots()])
        assert two.pull(a, 3) == [] and one.push(a, record(60)) == 60
        hosts.append(Host(cluster.url, None))
        assert hosts[2].opened == {"journals": [journal]}, hosts[2].opened

        leader = cluster.leader()
        for place, server in enumerate(cluster.servers):
            if server and place != leader:
                cluster.kill(place)  # the third one is gone already
        end = time.time() + 60
        while "--all" in sys.argv and "no leader" not in one.ask("transport.push", {"replica": a, "records": [{"replica": a, **record(61)}]}).get("message", ""):
            assert time.time() < end, "most servers are gone, and nobody says so"
            time.sleep(0.5)
    finally:
        for host in hosts:
            host.end()
        cluster.close()
    print("ok")


if not shutil.which("nats-server"):
    print("SKIPPED: nats-server")
elif PYTHON == sys.executable and not importlib.util.find_spec("nats"):
    print("SKIPPED: nats-py")
else:
    troubles()
    main()
