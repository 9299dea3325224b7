"""Three servers of NATS JetStream on loopback, each with a folder of its own; for tests."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, size=3):
        self.folder, self.size = tempfile.mkdtemp(prefix="nats-"), size
        ports = free_ports(3 * size)
        self.clients, self.routes, self.monitors = ports[:size], ports[size:2 * size], ports[2 * size:]
        self.url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in self.clients)
        self.servers = [None] * size
        for place in range(size):
            self.start(place)
        self.wait()

    def start(self, place):
        path = f"{self.folder}/{place}"
        with open(path + ".conf", "w", encoding="utf-8") as file:
            routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
            file.write(f'server_name: s{place}\nlisten: "127.0.0.1:{self.clients[place]}"\nhttp: "127.0.0.1:{self.monitors[place]}"\n'
                       f'jetstream {{ store_dir: "{path}" }}\n'
                       f'cluster {{ name: test, listen: "127.0.0.1:{self.routes[place]}", routes: [{routes}] }}\n')
        self.servers[place] = subprocess.Popen(
            ["nats-server", "-c", path + ".conf", "-l", path + ".log"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self, seconds=40):
        """Until they have a leader."""
        end = time.time() + seconds
        while time.time() < end:
            states = [self.ask(place, "jsz") for place in range(self.size) if self.servers[place]]
            if states and all(state and state.get("meta_cluster", {}).get("leader") for state in states):
                return
            time.sleep(0.1)
        raise TimeoutError("the servers of the cluster do not find each other")

    def ask(self, place, what):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.monitors[place]}/{what}", timeout=2) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def leader(self, stream="MOODBOARD"):
        """The server that leads a stream."""
        for place in range(self.size):
            state = self.servers[place] and self.ask(place, "jsz?streams=1&accounts=1") or {}
            for account in state.get("account_details", []):
                for one in account.get("stream_detail", []):
                    if one["name"] == stream and one.get("cluster", {}).get("leader"):
                        return int(one["cluster"]["leader"][1:])
        return None

    def kill(self, place):
        self.servers[place].kill()
        self.servers[place].wait()
        self.servers[place] = None

    def close(self):
        for place, server in enumerate(self.servers):
            if server:
                self.kill(place)
        shutil.rmtree(self.folder, ignore_errors=True)
