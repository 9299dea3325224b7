#!/usr/bin/env python3
"""Stores that sync through one journal, with each carrier: its faults and its speed.

    carrying.py HOST agree    [--carrier folder|git|jetstream] [--stores 4] [--changes 2500] [--seed N] [--older HOST]
    carrying.py HOST latency  [--carrier jetstream] [--changes 300]
    carrying.py HOST push     [--carrier folder|jetstream] [--changes 100000]
    carrying.py HOST newcomer [--carrier folder|jetstream] [--changes 100000]
    carrying.py HOST forget   [--carrier folder|git|jetstream]

agree: all stores change moods at the same time, while hosts and plugins are killed with -9, the carrier is removed and put
back, and the server that leads the stream is killed; at the end all must show equal moods, with every acknowledged one
once. With --older every other store has a host of an earlier version, the third one until half of its changes are made, and at
the end all have the present one. latency: from `sync.now` in one host to the event in another one, which gets no request. push: changes
that were made before are sent. newcomer: a new store, until it shows all moods of another one, by its snapshot. forget: what a store that
will not come back has left goes once a snapshot of another one has it, a new store has all of it, and should it come back nothing
is lost.

jetstream: three servers of `nats-server` on loopback; NATS_PYTHON names the python3 of a virtual environment that has nats-py.
Where one of both is missing: SKIPPED.
"""
import argparse, json, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time

from syncing import moods

EXAMPLES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../Docs/Examples/plugins")
PLUGIN = "org.moodboard.nats"
SNAPSHOT = 10_001  # operations above every snapshot at which a replica uploads one
sys.dont_write_bytecode = True
sys.path.append(os.path.join(EXAMPLES, PLUGIN))


class Host:
    def __init__(self, program, store, carrier, *more):
        self.process = subprocess.Popen(
            [program, "--store", store, "--durability", "none", "--lock-timeout", "60", "--log-level", "error",
             *carrier.options, *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.events = 0, []

    def send(self, method, params=None):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.number

    def next(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError  # the host was killed
        return json.loads(line)

    def answer(self, number):
        while True:
            message = self.next()
            if message.get("id") == number:
                return message["result"] if "result" in message else {"error": message["error"]}
            self.events.append(message)

    def ask(self, method, params=None):
        return self.answer(self.send(method, params))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


class Folder:
    options = ()

    def __init__(self, place):
        self.path = place + "/shared"
        os.mkdir(self.path)
        self.url = "folder:" + self.path

    def prepare(self, host):
        pass

    def empty(self):
        shutil.rmtree(self.path)
        os.mkdir(self.path)

    def cut(self):
        os.rename(self.path, self.path + "-away")

    def restore(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.rename(self.path + "-away", self.path)

    def left(self, journal, replica):
        """What is there of a replica: the number of files or messages with records, and whether there is a snapshot."""
        names = self.names(f"{journal}/{replica}")
        return sum(name[0].isdigit() for name in names), "snapshot.jsonl" in names

    def names(self, place):
        return os.listdir(f"{self.path}/{place}")

    def close(self):
        pass


class Git(Folder):
    def __init__(self, place):
        self.path = place + "/shared"
        self.url = "git+file://" + self.path
        self.empty()

    def empty(self):
        shutil.rmtree(self.path, ignore_errors=True)
        subprocess.run(["git", "init", "-q", "--bare", self.path], check=True)

    def names(self, place):
        tree = subprocess.run(["git", "-C", self.path, "ls-tree", "--name-only", f"moodboard:{place}"], check=True, capture_output=True)
        return tree.stdout.decode().split()


class JetStream:
    options, path = ("--plugins", EXAMPLES), None

    def __init__(self, place):
        from cluster import Cluster
        self.cluster = Cluster()
        self.url = self.cluster.url

    @staticmethod
    def runtimes():
        """The folder of nats-py, and that of its original Python if that is not the system's."""
        prefixes = subprocess.run(
            [os.environ["NATS_PYTHON"], "-c", "import sys; print(sys.prefix, sys.base_prefix)"], check=True, capture_output=True)
        return [one for one in prefixes.stdout.decode().split() if one != "/usr"]

    def prepare(self, host):
        info = host.ask("plugin.info", {"id": PLUGIN})
        answer = host.ask("plugin.trust", {"id": PLUGIN, "digest": info["digest"], "runtimes": self.runtimes()})
        assert "error" not in answer, answer

    def empty(self):
        self.ask("$JS.API.STREAM.DELETE.MOODBOARD")

    def cut(self):
        self.killed = self.cluster.leader()
        if self.killed is not None:
            self.cluster.kill(self.killed)

    def restore(self):
        if self.killed is not None:
            self.cluster.start(self.killed)

    def left(self, journal, replica):
        subject = f"moodboard.{journal}.{replica}"
        state = json.loads(self.ask("$JS.API.STREAM.INFO.MOODBOARD", {"subjects_filter": f"moodboard.{journal}.>"}))["state"]
        parts = [name for name in state["subjects"] if f".snapshot.{replica}." in name]
        return state["subjects"].get(subject, 0), any(b"MB-Id" in self.ask(f"$JS.API.DIRECT.GET.MOODBOARD.{part}") for part in parts)

    def ask(self, subject, question=None):
        """The servers' answer with its headers."""
        text = json.dumps(question).encode() if question else b""
        port = next(port for port, server in zip(self.cluster.clients, self.cluster.servers) if server)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, connection.makefile("rwb") as file:
            file.write(b'CONNECT {"verbose":false,"headers":true}\r\nSUB _INBOX.left 1\r\n'
                       + f"PUB {subject} _INBOX.left {len(text)}\r\n".encode() + text + b"\r\n")
            file.flush()
            while line := file.readline():
                if line.startswith((b"MSG", b"HMSG")):
                    return file.read(int(line.split()[-1]))
        raise EOFError(subject)

    def close(self):
        self.cluster.close()


class Trial:
    def __init__(self, options):
        self.options, self.chance = options, random.Random(options.seed)
        self.place = tempfile.mkdtemp(prefix="carrying-")
        self.carrier = {"folder": Folder, "git": Git, "jetstream": JetStream}[options.carrier](self.place)
        self.journal, self.upgraded = None, set()

    def host(self, number, *more):
        is_older = self.options.older and number > 0 and number not in self.upgraded
        return Host(self.options.older if is_older else self.options.host, f"{self.place}/store{number}", self.carrier, *more)

    def join(self, number):
        """Makes a store that takes part from now on."""
        host = self.host(number, "--no-sync")
        host.ask("settings.get")
        self.carrier.prepare(host)
        host.ask("mood.create", {"emoji": "😊", "label": f"of {number}"})
        more = {"journal": self.journal, "confirm": True} if self.journal else {"new": True}
        while True:
            answer = host.ask("sync.setup", {"url": self.carrier.url, **more})
            if "error" not in answer:
                break
            assert self.journal and answer["error"]["code"] == 1001, answer  # the carrier lags
        self.journal = answer["journal"]
        return host

    def close(self):
        self.carrier.close()
        shutil.rmtree(self.place, ignore_errors=True)

    # All at once

    def agree(self):
        for number in range(self.options.stores):
            self.join(number).end()
        self.made, self.done = [set() for _ in range(self.options.stores)], False
        threads = [threading.Thread(target=self.live, args=[number]) for number in range(self.options.stores)]
        start = time.time()
        for one in threads:
            one.start()
        cuts = 0
        while any(one.is_alive() for one in threads):
            time.sleep(self.chance.uniform(1, 4))
            if self.chance.random() < 0.4:
                self.carrier.cut()
                time.sleep(self.chance.uniform(0.2, 2))
                self.carrier.restore()
                cuts += 1
        seconds = time.time() - start
        for turn in range(2 if self.options.older else 1):  # mixed, then all of the present version
            hosts = [self.host(number, "--no-sync") for number in range(self.options.stores)]
            if turn:
                for number, host in enumerate(hosts):
                    self.made[number].add(host.ask("mood.create", {"emoji": "😊", "label": f"upgraded {number}"})["id"])
            self.settle(*hosts)
            shown = [moods(host) for host in hosts]
            for host in hosts:
                assert host.ask("store.verify")["ok"]
                host.end()
            self.upgraded.update(range(self.options.stores))
            assert all(other == shown[0] for other in shown), [len(one) for one in shown]
        made = set().union(*self.made)
        labels = [mood["label"] for mood in shown[0].values()]
        lost, doubled = len(made - set(shown[0])), len(labels) - len(set(labels))
        different = sum(other != shown[0] for other in shown)
        print(f"{self.options.carrier}, seed {self.options.seed}: {self.options.stores} stores, {self.options.changes} changes each,"
              f" {self.kills} kills of hosts, {self.plugin_kills} of plugins, {cuts} cuts, {seconds:.0f} s;"
              f" {len(labels)} moods, lost {lost}, doubled {doubled}, different {different}")
        return lost or doubled or different

    def settle(self, *hosts):
        """Waits until no store has anything for the others, and all are reached."""
        for _ in range(120):
            answers = [host.ask("sync.now") for host in hosts]
            statuses = [host.ask("sync.status") for host in hosts]
            if all(not any(answer.get(name, 1) for name in ("pushed", "pulled", "applied")) for answer in answers) \
                    and all(status["state"] == "idle" and status["pending"] == 0 for status in statuses):
                return
            time.sleep(0.3)

    kills = plugin_kills = 0

    def live(self, number):
        chance, host, count, known = random.Random(self.options.seed * 100 + number), None, 0, []
        while count < self.options.changes:
            if number % 2 == 0 and count * 2 >= self.options.changes and number not in self.upgraded:
                self.upgraded.add(number)
                if host:
                    host.kill()
                    host = None
            try:
                host = host or self.host(number, "--no-sync")
                asked, victim = {}, None
                for turn in range(min(50, self.options.changes - count)):
                    if chance.random() < 0.6 or not known:
                        label = {"emoji": "😊", "label": f"{number}.{count + turn}.{time.time()}", "tags": ["b", "a"]}
                        asked[host.send("mood.create", label)] = True
                    else:
                        change = {"notes": f"{number}.{count + turn}"} if chance.random() < 0.5 else {"isFavorite": chance.random() < 0.5}
                        asked[host.send("mood.update", {"id": chance.choice(known), "set": change})] = False
                wanted = host.send("sync.now")
                if chance.random() < 0.15:
                    threading.Timer(chance.uniform(0, 0.4), host.process.kill).start()
                    self.kills += 1
                elif self.options.carrier == "jetstream" and chance.random() < 0.15:
                    victim = host.send("plugin.info", {"id": PLUGIN})
                while asked or wanted:
                    message = host.next()
                    if victim and message.get("id") == victim:
                        self.kill_plugin(message["result"])
                    if asked.pop(message.get("id"), False) and "result" in message:
                        self.made[number].add(message["result"]["id"])
                        known.append(message["result"]["id"])
                    if message.get("id") == wanted:
                        wanted = None
                count += 50
            except (EOFError, BrokenPipeError, ConnectionResetError):
                host.kill()
                host = None
                count += 10
        if host:
            host.kill()

    def kill_plugin(self, info):
        """Kills the plugin, not its keeper: the host sees the plugin's end."""
        if info.get("pid"):
            try:
                os.kill(info["pid"], signal.SIGKILL)
                self.plugin_kills += 1
            except ProcessLookupError:
                pass

    # How fast

    def latency(self):
        one = self.join(0)
        self.join(1).end()
        two = self.host(1)
        two.ask("events.subscribe", {"topics": ["mood"]})
        time.sleep(4)  # its first round
        times, pushes = [], []
        for number in range(self.options.changes):
            mood = one.ask("mood.create", {"emoji": "😊", "label": f"late {number}"})["id"]
            start = time.perf_counter()
            wanted = one.send("sync.now")
            while mood not in json.dumps(two.next()):
                pass
            times.append((time.perf_counter() - start) * 1000)
            one.answer(wanted)
            pushes.append((time.perf_counter() - start) * 1000)
            time.sleep(0.05)
        times.sort()
        p99 = times[len(times) * 99 // 100]
        print(f"{self.options.carrier}: {len(times)} changes, from sync.now to the other's event: median {times[len(times) // 2]:.0f} ms,"
              f" p99 {p99:.0f} ms, longest {times[-1]:.0f} ms")
        for host in (one, two):
            host.end()
        return p99 > 250

    def make(self, host, count, notes="A few words about a day."):
        for start in range(0, count, 500):
            numbers = [host.send("mood.create", {"emoji": "😊", "label": f"mood {start + n}", "notes": notes})
                       for n in range(min(500, count - start))]
            for number in numbers:
                host.answer(number)

    def push(self):
        host = self.join(0)
        self.make(host, self.options.changes)
        start = time.perf_counter()
        answer = host.ask("sync.now")
        seconds = time.perf_counter() - start
        print(f"{self.options.carrier}: {answer.get('pushed')} changes, a record each, sent in {seconds:.2f} s,"
              f" {answer.get('pushed', 0) / seconds:.0f} a second")
        assert answer["pushed"] == self.options.changes, answer
        host.end()

    def newcomer(self):
        host = self.join(0)
        self.make(host, self.options.changes)
        host.ask("sync.now")
        while True:  # its snapshot is read back
            host.ask("mood.create", {"emoji": "😊", "label": "one more"})
            if host.ask("sync.now")["pushed"] == 1:
                break
        host.end()
        new = self.host(1, "--no-sync")
        new.ask("settings.get")
        self.carrier.prepare(new)
        start = time.perf_counter()
        answer = new.ask("sync.setup", {"url": self.carrier.url, "journal": self.journal})
        seconds = time.perf_counter() - start
        assert answer.get("state") == "idle", answer
        print(f"{self.options.carrier}: a new store has {new.ask('store.info')['moods']} moods after {seconds:.2f} s")
        new.end()

    # One that will not come back

    def forget(self):
        home, lost = self.join(0), self.join(1)
        gone = lost.ask("sync.status")["replica"]

        def left():
            return self.carrier.left(self.journal, gone)

        self.make(lost, SNAPSHOT)
        self.settle(lost)  # a snapshot of its own
        for _ in range(3):
            self.make(lost, 300, "long " * 1000)
            self.settle(lost)
        self.settle(home)
        before = left()
        assert before[0] > 2 and before[1], before

        home.ask("sync.forget", {"replica": gone})
        self.settle(home)
        assert left() == before, "no other snapshot has what it did last"
        assert gone not in [one["id"] for one in home.ask("sync.status")["replicas"]]
        self.make(home, SNAPSHOT)
        self.settle(home)
        after = left()
        assert after[0] < before[0] and not after[1], (before, after)

        new = self.join(2)
        self.settle(new, home)
        assert moods(new) == moods(home) and len(moods(new)) == 2 * SNAPSHOT + 903
        found = lost.ask("mood.create", {"emoji": "😊", "label": "found again"})["id"]
        self.settle(lost, home, new)
        shown = [moods(host) for host in (lost, home, new)]
        assert found in shown[0] and shown[0] == shown[1] == shown[2], [(len(one), found in one) for one in shown]
        assert gone in [one["id"] for one in home.ask("sync.status")["replicas"]]
        for host in (home, lost, new):
            host.end()
        print(f"{self.options.carrier}: of a forgotten replica {before[0]} files or messages and a snapshot were there, then {after[0]}"
              f" and none; {len(shown[0])} moods in three stores")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("what", choices=["agree", "latency", "push", "newcomer", "forget"])
    parser.add_argument("--carrier", choices=["folder", "git", "jetstream"], default="folder")
    parser.add_argument("--stores", type=int, default=4)
    parser.add_argument("--changes", type=int)
    parser.add_argument("--older")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    options.changes = options.changes or {"agree": 2500, "latency": 300}.get(options.what, 100_000)
    if options.carrier == "jetstream":
        if not shutil.which("nats-server") or "NATS_PYTHON" not in os.environ:
            print("SKIPPED: nats-server, or NATS_PYTHON")
            return 0
    trial = Trial(options)
    try:
        return 1 if getattr(trial, options.what)() else 0
    finally:
        trial.close()


if __name__ == "__main__":
    sys.exit(main())
