#!/usr/bin/env python3
"""Places that other programs carry: git over ssh, and a folder on each machine between which Syncthing copies.

    places.py HOST [--only ssh]

ssh: `sshd` on loopback with keys of its own; two stores push at once, a key is refused, the server goes away and comes back.
syncthing: two of them on loopback, each with a folder; two stores change at once, also while one of both is away, and after a conflict
copy. At the end both stores are equal with every mood. What is not installed is SKIPPED.
"""
import getpass, glob, json, os, shutil, socket, subprocess, time, urllib.request

from harness import Host, in_folder, run_cases, script

STARTED = []
SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def wait(what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.2)
    return found


class Store(Host):
    def __init__(self, store, **environment):
        super().__init__(HOST, "--no-sync", store=store, env={**os.environ, **environment})

    def ask(self, method, **params):
        """The result, or the error."""
        answer = self.answer(method, params)
        return answer.get("result") or answer["error"]

    def add(self, label):
        return self.ask("mood.create", emoji="😊", label=label)["id"]

    def moods(self):
        return {mood["id"]: {**mood, "revision": 0} for mood in self.ask("mood.list", limit=1000)["items"]}


def settle(stores, count):
    """Until all have as many moods, nothing to send and nothing to say."""
    def done():
        for store in stores:
            store.ask("sync.now")
        said = [store.ask("sync.status") for store in stores]
        return all(len(store.moods()) == count for store in stores) and all(
            (one["state"], one["pending"]) == ("idle", 0) for one in said)
    wait(done)
    assert all(store.moods() == stores[0].moods() for store in stores), "they differ"


def ssh(root):
    port, keys = free_port(), root + "/keys"
    os.makedirs(keys)
    os.makedirs("/run/sshd", exist_ok=True)
    for name in ("host", "mine", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{keys}/{name}"], check=True)
    shutil.copy(keys + "/mine.pub", keys + "/authorized")
    with open(root + "/sshd_config", "w", encoding="utf-8") as file:
        file.write(f"ListenAddress 127.0.0.1:{port}\nHostKey {keys}/host\nAuthorizedKeysFile {keys}/authorized\nPidFile none\n"
                   "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n")
    servers = []

    def serve():
        servers.append(subprocess.Popen([SSHD, "-D", "-f", root + "/sshd_config"], stderr=subprocess.DEVNULL))
        STARTED.append(servers[-1])
        wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)

    def command(key):
        return (f"ssh -F none -i {keys}/{key} -oIdentitiesOnly=yes -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null"
                " -oBatchMode=yes -oLogLevel=ERROR")

    remote = root + "/moods.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    url = f"git+ssh://{getpass.getuser()}@127.0.0.1:{port}{remote}"
    serve()
    refused = Store(root + "/c/store", HOME=root, GIT_SSH_COMMAND=command("other")).ask("sync.setup", url=url, new=True)
    assert "Permission denied" in refused["message"], refused
    one, other = (Store(f"{root}/{name}/store", HOME=root, GIT_SSH_COMMAND=command("mine")) for name in "ab")
    assert one.ask("sync.setup", url=url, new=True)["state"] == "idle"
    one.add("first")
    one.ask("sync.now")
    assert other.ask("sync.setup", url=url)["state"] == "idle"
    for number in range(10):
        one.add(f"one {number}")
        other.add(f"other {number}")
    settle([one, other], 21)
    servers[0].terminate()
    servers[0].wait()
    one.add("while it is away")
    one.ask("sync.now")
    status = one.ask("sync.status")
    assert (status["state"], status["pending"]) == ("offline", 1) and "git ls-remote" in status["lastError"], status
    serve()
    settle([one, other], 22)


class Syncthing:
    def __init__(self, root, name):
        self.home, self.folder, self.port, self.listen = f"{root}/{name}-home", f"{root}/{name}-folder", free_port(), free_port()
        os.makedirs(self.folder)
        subprocess.run(["syncthing", "generate", f"--home={self.home}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.home + "/config.xml", encoding="utf-8") as file:
            self.key = file.read().partition("<apikey>")[2].partition("</apikey>")[0]

    def start(self):
        self.process = subprocess.Popen(
            ["syncthing", "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-default-folder", f"--gui-address=127.0.0.1:{self.port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "STNOUPGRADE": "1", "HOME": self.home})
        STARTED.append(self.process)
        self.id = wait(self.who)

    def who(self):
        try:
            return self.ask("GET", "system/status")["myID"]
        except OSError:
            return None

    def ask(self, how, path, value=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/rest/{path}", method=how, data=json.dumps(value).encode() if value is not None else None,
            headers={"X-API-Key": self.key, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def share(self, other):
        options = self.ask("GET", "config/options")
        options.update(listenAddresses=[f"tcp://127.0.0.1:{self.listen}"], globalAnnounceEnabled=False, localAnnounceEnabled=False,
                       relaysEnabled=False, natEnabled=False, urAccepted=-1, reconnectionIntervalS=1)
        self.ask("PUT", "config/options", options)
        self.ask("PUT", f"config/devices/{other.id}", {"deviceID": other.id, "addresses": [f"tcp://127.0.0.1:{other.listen}"]})
        self.ask("PUT", "config/folders/moods", {
            "id": "moods", "path": self.folder, "devices": [{"deviceID": self.id}, {"deviceID": other.id}], "fsWatcherEnabled": True,
            "fsWatcherDelayS": 1, "rescanIntervalS": 5})

    def stop(self):
        self.process.terminate()
        self.process.wait()


def syncthing(root):
    here, there = Syncthing(root, "here"), Syncthing(root, "there")
    for one in (here, there):
        one.start()
    here.share(there)
    there.share(here)
    phone, laptop = (Store(f"{root}/{name}/store") for name in "ab")
    assert phone.ask("sync.setup", url="folder:" + here.folder, new=True)["state"] == "idle"
    phone.add("first")
    phone.ask("sync.now")
    wait(lambda: glob.glob(there.folder + "/*/*/1.jsonl"))
    assert wait(lambda: laptop.ask("sync.setup", url="folder:" + there.folder).get("state")) in ("idle", "incomplete")
    for number in range(20):
        phone.add(f"phone {number}")
        laptop.add(f"laptop {number}")
        if number % 5 == 0:
            phone.ask("sync.now")
            laptop.ask("sync.now")
    settle([phone, laptop], 41)
    there.stop()
    for number in range(5):
        phone.add(f"phone, alone {number}")
        laptop.add(f"laptop, alone {number}")
        phone.ask("sync.now")
        laptop.ask("sync.now")
    # What both have changed is a conflict copy for Syncthing: here a file that only one of both may write.
    mine = glob.glob(f"{here.folder}/*/{phone.ask('sync.status')['replica']}/1.jsonl")[0]
    with open(there.folder + mine[len(here.folder):], "ab") as file:
        file.write(b'{"half a line')
    there.start()
    settle([phone, laptop], 51)


def ended(case):
    """The case, after which no server is left."""
    def run(root):
        try:
            return case(root)
        finally:
            for one in STARTED:
                one.kill()
                one.wait()
            STARTED.clear()
    return in_folder(run)


@script("host", only="")
def main(options):
    global HOST
    HOST, cases = options.host, []
    for case, name, tool in ((ssh, "sshd", SSHD), (syncthing, "syncthing", shutil.which("syncthing"))):
        if tool:
            cases.append((case.__name__, ended(case)))
        else:
            print(f"SKIPPED: {name}")
    return run_cases(cases, options.only) if cases else 77
