#!/usr/bin/env python3
"""People's acts with machines that sync, on real folders and repositories: no acknowledged data is lost.

    restoring.py HOST [--only CASE]

Moods are restored alone, machines are restored or cloned with all of their ids, folders are emptied, other settings of git
and odd entries exist, a filter is bypassed, and a round hangs. Prints a line for each case; exit code 1 if one failed.
"""
import glob, json, os, resource, shutil, signal, subprocess, time, uuid

from harness import Host, Refused, belonging, environment, in_folder, run_cases, script

OLDER = os.path.dirname(os.path.abspath(__file__)) + "/fixtures/synced"
FORGED_AT = "2026-11-24T05:00:00.000Z"


class Store(Host):
    """A host on a store; it syncs only on request."""

    def __init__(self, folder, **more):
        home = os.path.dirname(folder) + "/home"
        os.makedirs(home, exist_ok=True)
        self.store = folder
        super().__init__(HOST, "--no-sync", store=folder, env=environment(home, **more))

    def add(self, label):
        return self.call("mood.create", emoji="😊", label=label)["id"]

    def now(self):
        return self.call("sync.now")

    def status(self):
        return self.call("sync.status")

    def moods(self):
        return {one: {name: value for name, value in mood.items() if name != "revision"} for one, mood in super().moods().items()}

    def labels(self):
        return sorted(mood["label"] for mood in self.moods().values())


def rounds(stores, count=4):
    for _ in range(count):
        for store in stores:
            store.now()


def equal(stores, *labels):
    moods = [store.moods() for store in stores]
    assert all(one == moods[0] for one in moods), [store.labels() for store in stores]
    assert set(labels) <= set(stores[0].labels()), (labels, stores[0].labels())
    conflicts = [sorted(one["id"] for one in store.call("sync.conflicts")["items"]) for store in stores]
    assert all(one == conflicts[0] for one in conflicts), conflicts
    for store in stores:
        status = store.status()
        assert (status["state"], status["pending"]) == ("idle", 0), status


def files(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            if os.path.isfile(whole) and not os.path.islink(whole):
                with open(whole, "rb") as file:
                    found[os.path.relpath(whole, folder)] = file.read()
    return found


def put_back(folder, was):
    """Restores in place, so that only the contents show it."""
    for name in files(folder):
        if name not in was:
            os.unlink(folder + "/" + name)
    for name, contents in was.items():
        os.makedirs(os.path.dirname(folder + "/" + name), exist_ok=True)
        with os.fdopen(os.open(folder + "/" + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(contents)
    stay(folder)


def stay(folder, change=lambda text: text, copied=False):
    """Makes it a disk copied block by block: device and inode equal those in the file, but for a `copied` folder."""
    path = folder + "/sync/replica.json"
    status = os.stat(path)
    with open(path, "r+", encoding="utf-8") as file:
        value = json.loads(change(file.read()))
        value.pop("crc", None)
        if not copied:
            value.update(device=str(status.st_dev), inode=str(status.st_ino))
        file.seek(0)
        file.truncate()
        file.write(json.dumps(value, indent=2))


def carry(folders):
    """Another program merges copies of a folder: file by file, the later one wins."""
    newest = {}
    for folder in folders:
        for name in files(folder):
            time_ = os.stat(f"{folder}/{name}").st_mtime_ns
            if time_ > newest.get(name, (0, ""))[0]:
                newest[name] = (time_, folder)
    for name, (_, source) in newest.items():
        for folder in folders:
            if folder != source:
                os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
                shutil.copy2(f"{source}/{name}", f"{folder}/{name}")


def pair(url, root):
    one, other = Store(root + "/a/s"), Store(root + "/b/s")
    one.call("sync.setup", url=url, new=True)
    one.add("first")
    one.now()
    other.call("sync.setup", url=url)
    rounds([one, other], 2)
    return one, other


def moods_put_back_alone(root):
    for lost, more in ((1, 1), (3, 3), (3, 5)):
        place = f"{root}/{lost}{more}"
        os.makedirs(place + "/f")
        one, other = pair("folder:" + place + "/f", place)
        one.close()
        was = {name: contents for name, contents in files(one.store).items() if not name.startswith("sync/")}
        one = Store(one.store)
        for number in range(lost):
            one.add(f"after {number}")
        rounds([one, other], 2)
        one.close()
        for name in files(one.store):
            if not name.startswith("sync/") and name not in was:
                os.unlink(f"{one.store}/{name}")
        for name, contents in was.items():
            with open(f"{one.store}/{name}", "r+b") as file:
                file.truncate()
                file.write(contents)
        one = Store(one.store)
        new = [one.add(f"new {number}") for number in range(more)]
        one.now()
        assert set(new) <= set(one.moods()), "an acknowledged mood is gone"
        rounds([other, one])
        equal([one, other], "first", *(f"after {number}" for number in range(lost)), *(f"new {number}" for number in range(more)))


def machine_put_back(root):
    folders = [root + "/fa", root + "/fb"]
    for folder in folders:
        os.makedirs(folder)
    one = Store(root + "/a/s")
    one.call("sync.setup", url="folder:" + folders[0], new=True)
    one.add("first")
    one.now()
    carry(folders)
    other = Store(root + "/b/s")
    other.call("sync.setup", url="folder:" + folders[1])
    other.now()
    carry(folders)
    one.now()
    one.close()
    was, was_there = files(one.store), files(folders[0])
    one = Store(one.store)
    one.add("after 1")
    one.add("after 2")
    one.now()
    carry(folders)
    other.add("other's")
    other.now()
    carry(folders)
    one.close()
    put_back(one.store, was)
    for name in files(folders[0]):
        os.unlink(f"{folders[0]}/{name}")
    for name, contents in was_there.items():
        with open(f"{folders[0]}/{name}", "wb") as file:
            file.write(contents)
    one = Store(one.store)
    for number in range(3):
        one.add(f"new {number}")
        one.now()
    for _ in range(5):
        carry(folders)
        rounds([one, other], 1)
    equal([one, other], "first", "after 1", "after 2", "other's", "new 0", "new 1", "new 2")


def machine_put_back_beside_its_records(root):
    """The place keeps what the machine has sent and does not know any more."""
    os.makedirs(root + "/f")
    one, other = pair("folder:" + root + "/f", root)
    journal, replica = (one.status()[name] for name in ("journal", "replica"))
    one.close()
    was = files(one.store)
    one = Store(one.store)
    for number in range(2):
        one.add(f"after {number}")
    one.now()
    one.close()
    put_back(one.store, was)
    one = Store(one.store)
    for number in range(3):
        one.add(f"new {number}")
    one.now()
    # No record of one branch stands behind those of another.
    lines = [json.loads(line) for name, text in sorted(files(f"{root}/f/{journal}/{replica}").items()) if name != "snapshot.jsonl"
             for line in text.splitlines()]
    for before, line in zip(lines, lines[1:]):
        assert line["sawCrc"][replica] == before["crc"], (before, line)
    new = Store(root + "/n/s")
    new.call("sync.setup", url="folder:" + root + "/f")
    rounds([one, other, new], 3)
    equal([one, other, new], "first", "after 0", "after 1", "new 0", "new 1", "new 2")


def machine_cloned(root):
    os.makedirs(root + "/f")
    one, other = pair("folder:" + root + "/f", root)
    one.close()
    shutil.copytree(root + "/a/s", root + "/x/s")
    shutil.copytree(root + "/f", root + "/fx")
    stay(root + "/x/s", lambda text: text.replace(root + "/f\"", root + "/fx\""))
    one, clone = Store(one.store), Store(root + "/x/s")
    assert one.status()["replica"] == clone.status()["replica"]
    for number in range(3):
        one.add(f"one {number}")
        clone.add(f"clone {number}")
        rounds([one, other, clone], 1)
        carry([root + "/f", root + "/fx"])
    for _ in range(5):
        rounds([one, other, clone], 1)
        carry([root + "/f", root + "/fx"])
    equal([one, other, clone], "first", *(f"{who} {number}" for who in ("one", "clone") for number in range(3)))
    assert one.status()["replica"] != clone.status()["replica"]


def place_emptied(root):
    for trouble in ("emptied", "put back", "no snapshot"):
        place = f"{root}/{trouble}"
        folder = place + "/f"
        os.makedirs(folder)
        one = Store(place + "/a/s")
        one.call("sync.setup", url="folder:" + folder, new=True)
        one.add("early")
        one.now()
        shutil.copytree(folder, place + "/backup")
        ids = [one.add(f"m{number}") for number in range(600)]
        for number in range(20):
            one.call("mood.updateMany", ids=ids, set={"notes": f"n{number}"})
        one.now()
        snapshots = glob.glob(folder + "/*/*/snapshot.jsonl")
        assert snapshots
        if trouble == "no snapshot":
            os.unlink(snapshots[0])
        else:
            shutil.rmtree(folder)
            if trouble == "emptied":
                os.makedirs(folder)
            else:
                shutil.copytree(place + "/backup", folder)
        rounds([one], 3)
        one.add("after the loss")
        new = Store(place + "/b/s")
        one.now()
        new.call("sync.setup", url="folder:" + folder)
        rounds([new, one], 2)
        equal([one, new], "early", "m0", "after the loss")


def folder_of_a_device_removed(root):
    os.makedirs(root + "/f")
    one, other = pair("folder:" + root + "/f", root)
    third = Store(root + "/c/s")
    journal = third.call("sync.setup", url="folder:" + root + "/f")["journal"]
    third.add("third's")
    rounds([third, one, other], 2)
    gone = third.status()["replica"]
    one.add("later")
    other.add("later too")
    rounds([one, other], 2)
    third.close()
    shutil.rmtree(f"{root}/f/{journal}/{gone}")
    new = Store(root + "/n/s")
    new.call("sync.setup", url="folder:" + root + "/f")
    assert new.status()["state"] == "incomplete", new.status()
    assert new.status()["missing"]
    rounds([one, other, new], 3)
    equal([one, other, new], "first", "third's", "later", "later too")


def files_of_an_older_host(root):
    """A store and a place whose records and snapshot name no checksums: the same machine, another one, and a new device."""
    for copied in (False, True):
        place = f"{root}/{copied}"
        shutil.copytree(OLDER + "/place", place + "/f")
        shutil.copytree(OLDER + "/store", place + "/a/s")
        stay(place + "/a/s", lambda text: text.replace("folder:/place", f"folder:{place}/f"), copied)
        new, one = Store(place + "/b/s"), Store(place + "/a/s")
        new.call("sync.setup", url=f"folder:{place}/f")
        assert new.labels() == [f"m{number}" for number in range(6)], new.labels()
        one.add("later")
        rounds([one, new], 3)
        assert one.labels() == ["later", *(f"m{number}" for number in range(1, 6)), "unsent"], one.labels()
        equal([one, new])


def settings_of_git(root):
    cases = {
        "nothing": ("", {}, None), "ignore": ("", {".config/git/ignore": "*.jsonl\n"}, None),
        "excludesFile": ("[core]\n\texcludesFile = $HOME/ignored\n", {"ignored": "*.jsonl\n"}, None),
        "attributes": ("", {".config/git/attributes": "* text=auto eol=crlf\n"}, None),
        "eol": ("[core]\n\teol = crlf\n", {".config/git/attributes": "* text=auto\n"}, None),
        "merge": ("[merge]\n\tff = only\n\tverifySignatures = true\n[commit]\n\tgpgsign = true\n", {}, None),
        "template": ("[init]\n\ttemplateDir = $HOME/template\n", {"template/info/exclude": "*\n"}, None),
        "ignore in the branch": ("", {}, (".gitignore", "*.jsonl\n")),
        "attributes in the branch": ("", {}, (".gitattributes", "* text eol=crlf\n")),
    }
    for name, (settings, more, branch) in cases.items():
        place = f"{root}/{name.replace(' ', '_')}"
        remote = place + "/r.git"
        subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
        for who in "ab":
            home = f"{place}/{who}/home"
            for path, text in {".gitconfig": settings, **more}.items():
                os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
                with open(f"{home}/{path}", "w", encoding="utf-8") as file:
                    file.write(text.replace("$HOME", home))
        one, other = Store(place + "/a/s"), Store(place + "/b/s")
        one.call("sync.setup", url="git+file://" + remote, new=True)
        one.add("one")
        one.now()
        if branch:
            clone = place + "/clone"
            subprocess.run(["git", "clone", "-q", "-b", "moodboard", remote, clone], check=True)
            with open(f"{clone}/{branch[0]}", "w", encoding="utf-8") as file:
                file.write(branch[1])
            git = ["git", "-C", clone, "-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false"]
            for words in (["add", "-A"], ["commit", "-qm", "x"], ["push", "-q", "origin", "HEAD:moodboard"]):
                subprocess.run(git + words, check=True)
            one.add("two")
        other.call("sync.setup", url="git+file://" + remote)
        rounds([one, other], 2)
        equal([one, other], "one", *(["two"] if branch else []))
        # Remains of a killed git.
        for path in (place + "/a/s/sync/git/.git/index.lock", place + "/a/s/sync/git/.git/HEAD.lock"):
            with open(path, "w", encoding="utf-8"):
                pass
        for path in glob.glob(place + "/a/s/sync/git/.git/objects/??/*")[:2]:
            os.chmod(path, 0o600)
            with open(path, "w", encoding="utf-8"):
                pass
        one.add("after the fault")
        rounds([one, other], 2)
        equal([one, other], "after the fault")
        one.close()
        other.close()


def push_refused(root):
    remote = root + "/r.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    one = Store(root + "/a/s")
    one.call("sync.setup", url="git+file://" + remote, new=True)
    one.add("one")
    one.now()
    hook = remote + "/hooks/pre-receive"
    with open(hook, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho the quota is full >&2\nexit 1\n")
    os.chmod(hook, 0o755)
    one.add("two")
    one.add("three")
    for _ in range(2):
        assert one.now()["pushed"] == 0
        status = one.status()
        assert status["pending"] == 2 and "the quota is full" in status["lastError"], status
    os.unlink(hook)
    assert one.now()["pushed"] == 2
    assert one.status()["pending"] == 0


def nothing_waits_for_the_network(root):
    remote, fake = root + "/r.git", root + "/fake"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    os.makedirs(fake)
    with open(fake + "/git", "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ -e {root}/hang ] && case "$*" in *ls-remote*) exec sleep 20;; esac\nexec {shutil.which("git")} "$@"\n')
    os.chmod(fake + "/git", 0o755)
    path = fake + ":" + os.environ["PATH"]
    one = Store(root + "/a/s", PATH=path)
    one.call("sync.setup", url="git+file://" + remote, new=True)
    one.add("x")
    one.now()
    with open(root + "/hang", "w", encoding="utf-8"):
        pass
    one.send("sync.now")
    time.sleep(1)
    another = Store(root + "/a/s", PATH=path)
    for host, method in ((one, "sync.status"), (one, "sync.conflicts"), (another, "sync.conflicts"), (one, "sync.leave")):
        start = time.monotonic()
        host.ask(method)
        assert time.monotonic() - start < 2.5, method
    assert one.status()["state"] == "off"
    os.unlink(root + "/hang")
    one.process.kill()


def in_order(root):
    os.makedirs(root + "/f")
    one, other = pair("folder:" + root + "/f", root)
    mood = one.add("x")
    rounds([one, other], 2)
    one.call("mood.update", id=mood, set={"label": "A"})
    time.sleep(0.02)
    other.call("mood.update", id=mood, set={"label": "B"})
    rounds([one, other], 2)
    conflict = one.call("sync.conflicts")["items"][0]["id"]
    numbers = [one.send("sync.settle", {"id": conflict, "take": "other"}), one.send("mood.get", {"id": mood}), one.send("sync.conflicts"),
               one.send("mood.update", {"id": mood, "set": {"notes": "after"}})]
    answers = [one.message() for _ in numbers]
    assert [message["id"] for message in answers] == numbers, answers
    assert answers[0]["result"]["label"] == answers[1]["result"]["label"] == "A", answers
    assert answers[2]["result"]["items"] == [] and answers[3]["result"]["notes"] == "after", answers
    rounds([one, other], 2)
    equal([one, other], "A")


def setup_in_order(root):
    os.makedirs(root + "/f")
    os.makedirs(root + "/g")
    one = Store(root + "/a/s")
    requests = [
        ("sync.setup", {"url": "folder:" + root + "/f"}), ("sync.status", {}), ("sync.setup", {"url": "folder:" + root + "/f", "new": True}),
        ("sync.status", {}), ("mood.create", {"emoji": "😊", "label": "x"}), ("sync.now", {}),
        ("sync.setup", {"url": "folder:" + root + "/g"}), ("sync.status", {}), ("sync.conflicts", {}),
        ("sync.forget", {"replica": str(uuid.uuid4())}), ("sync.leave", {}), ("sync.status", {}),
        ("sync.setup", {"url": "folder:" + root + "/f"}), ("sync.status", {}), ("mood.list", {})]
    numbers = [one.send(method, params) for method, params in requests]
    messages = [one.message() for _ in numbers]
    one.close()
    ordered = [message["id"] for message in messages if requests[numbers.index(message["id"])][0] != "sync.now"]
    assert ordered == [number for number, (method, _) in zip(numbers, requests) if method != "sync.now"], ordered
    said = {message["id"]: message for message in messages}
    results = [said[number].get("result", said[number].get("error")) for number in numbers]
    assert results[0]["code"] and results[1]["state"] == "off", results[:2]  # nothing is there to join
    assert results[2]["url"] == results[3]["url"] == "folder:" + root + "/f", results[2:4]
    assert results[5]["pushed"] == 1 and results[7]["url"] == "folder:" + root + "/g", results[5:8]
    assert results[8] == {"items": []} and results[9]["data"]["kind"] == "notFound", results[8:10]
    assert results[10]["state"] == results[11]["state"] == "off", results[10:12]
    assert "confirm" in results[12]["message"] and results[13]["state"] == "off", results[12:]  # both sides have moods


def hanging(root, where, seconds=60):
    """A host whose git hangs in a command, once a file says so."""
    remote, fake = root + "/r.git", root + "/fake"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    os.makedirs(fake)
    with open(fake + "/git", "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ -e {root}/hang ] && case "$*" in *{where}*) sleep {seconds};; esac\nexec {shutil.which("git")} "$@"\n')
    os.chmod(fake + "/git", 0o755)
    with open(root + "/hang", "w", encoding="utf-8"):
        pass
    return Store(root + "/a/s", PATH=fake + ":" + os.environ["PATH"]), "git+file://" + remote


def alone(one, root):
    """Nothing that the host has started is left."""
    deadline = time.monotonic() + 3
    while left := [pid for pid in belonging(root + "/fake") if pid != one.pid]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def setup_that_hangs(root):
    one, url = hanging(root, "ls-remote")
    with open(root + "/new.jsonl", "w", encoding="utf-8") as file:
        file.write('{"emoji":"😊","label":"brought in","timestamp":"2026-01-01T00:00:00Z"}\n')
    setup = one.send("sync.setup", {"url": url, "new": True})
    time.sleep(0.5)
    start = time.monotonic()
    for method, params in (("mood.list", {}), ("mood.create", {"emoji": "😊", "label": "x"}), ("host.ping", {}), ("plugin.list", {}),
                           ("store.import", {"path": root + "/new.jsonl"}), ("mood.list", {})):
        one.ask(method, params)
    assert time.monotonic() - start < 5 and one.labels() == ["brought in", "x"], (time.monotonic() - start, one.labels())
    status, listed, ping = one.send("sync.status"), one.send("mood.list"), one.send("host.ping")
    one.receive(ping, 5)
    assert not one.answers, one.answers
    one.write(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n' % setup)
    start = time.monotonic()
    assert one.receive(setup, 5)["error"]["code"] == -32800
    assert one.receive(status, 5)["result"]["state"] == "off"
    assert len(one.receive(listed, 5)["result"]["items"]) == 2
    assert time.monotonic() - start < 3, time.monotonic() - start
    alone(one, root)
    os.unlink(root + "/hang")
    assert one.call("sync.setup", url=url, new=True)["pending"] == 0


def now_that_hangs(root):
    one, url = hanging(root, "fetch")
    one.call("sync.setup", url=url, new=True)
    numbers = [one.send("sync.now") for _ in range(2)]
    time.sleep(0.5)
    for number in reversed(numbers):
        one.write(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n' % number)
        assert one.receive(number, 3)["error"]["code"] == -32800
    alone(one, root)
    one.send("sync.now")
    time.sleep(0.5)
    start = time.monotonic()
    one.process.terminate()
    one.ended(5)
    assert time.monotonic() - start < 1.5, time.monotonic() - start
    alone(one, root)


def setup_that_ends(root):
    """Its answer comes, whether the input or the host ends."""
    one, url = hanging(root, "ls-remote", 60)
    one.send("sync.setup", {"url": url, "new": True})
    one.send("sync.status")
    time.sleep(0.5)
    start = time.monotonic()
    one.process.terminate()
    one.ended(5)
    assert time.monotonic() - start < 1.5, time.monotonic() - start
    alone(one, root)
    with open(root + "/fake/git", encoding="utf-8") as file:
        text = file.read()
    with open(root + "/fake/git", "w", encoding="utf-8") as file:
        file.write(text.replace("sleep 60", "sleep 1"))
    one = Store(one.store, PATH=root + "/fake:" + os.environ["PATH"])
    setup, status, listed = one.send("sync.setup", {"url": url, "new": True}), one.send("sync.status"), one.send("mood.list")
    one.end()
    assert one.answers[setup]["result"]["url"] == one.answers[status]["result"]["url"] == url, one.answers
    assert one.answers[listed]["result"]["items"] == [], one.answers


def process_that_only_syncs(root):
    """A signal ends it with its git."""
    one, url = hanging(root, "ls-remote")
    os.unlink(root + "/hang")
    one.call("sync.setup", url=url, new=True)
    one.add("x")
    one.close()
    with open(root + "/hang", "w", encoding="utf-8"):
        pass
    for end in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        alone = subprocess.Popen([HOST, "--store", one.store, "--sync-once"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env=environment(root + "/a/home", PATH=root + "/fake:" + os.environ["PATH"]))
        deadline = time.monotonic() + 5
        while len(belonging(root + "/fake")) < 2:
            assert time.monotonic() < deadline, "git was not started"
            time.sleep(0.05)
        start = time.monotonic()
        alone.send_signal(end)
        said = alone.communicate(timeout=5)[1]
        assert time.monotonic() - start < 1.5, time.monotonic() - start
        assert b"cancelled" in said, said
        assert not belonging(root + "/fake"), end
    one = Store(one.store)
    assert one.status()["pending"] == 1, one.status()


def first_round_that_hangs(root):
    one, url = hanging(root, "push?-q")
    one.add("x")
    setup, start = one.send("sync.setup", {"url": url, "new": True}), time.monotonic()
    assert one.status()["url"] == url and one.call("sync.conflicts") == {"items": []}
    assert time.monotonic() - start < 5 and setup not in one.answers, one.answers
    # The sync is left in its place, and the round does not hold it up.
    start = time.monotonic()
    assert one.call("sync.leave")["state"] == one.status()["state"] == "off"
    said = one.receive(setup)["result"]
    # The setup is answered before the store has left, or after it.
    assert time.monotonic() - start < 8 and (said["state"] == "off" or "cancelled" in said["lastError"]), said
    alone(one, root)


def left_in_order(root):
    remote = root + "/r.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    for place, url in (("a", "git+file://" + remote), ("b", "folder:" + root + "/f")):
        os.makedirs(root + "/f", exist_ok=True)
        one = Store(f"{root}/{place}/s")
        one.call("sync.setup", url=url, new=True)
        requests = [("mood.create", {"emoji": "😊", "label": "x"}), ("sync.now", {}), ("sync.leave", {}), ("sync.status", {}), ("mood.list", {})]
        numbers = [one.number + 1 + place for place in range(len(requests))]
        one.write(b"".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
                           for number, (method, params) in zip(numbers, requests)))
        answers = [one.receive(number) for number in numbers]
        assert answers[1]["result"]["pushed"] == 1, answers
        assert answers[2]["result"]["state"] == answers[3]["result"]["state"] == "off", answers
        batch = [{"jsonrpc": "2.0", "id": number, "method": method, "params": params} for number, (method, params) in enumerate(
            [("sync.setup", {"url": url, "confirm": True}), ("sync.status", {}), ("mood.list", {}), ("sync.now", {}), ("sync.leave", {}), ("sync.status", {})])]
        one.write(json.dumps(batch).encode() + b"\n")
        answers = one.message()
        assert [answer["id"] for answer in answers] == list(range(len(batch))), answers
        assert answers[1]["result"]["url"] == url and [answers[place]["result"]["state"] for place in (4, 5)] == ["off", "off"], answers
        assert "pushed" in answers[3]["result"], answers
        one.close()


def disks_that_are_full(root):
    """Whatever cannot be written, the answer says so, and with space it goes on."""
    os.makedirs(root + "/f")
    one, other = pair("folder:" + root + "/f", root)
    for store in (one, other):
        one.add("x" * 150)
        for size in (0, 300, 1000):
            resource.prlimit(store.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            try:
                store.now()
            except Refused as failure:
                assert failure.code == 1012, failure
            store.call("mood.list")
        resource.prlimit(store.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        rounds([one, other], 2)
        equal([one, other], "x" * 150)


def odd_entries(root):
    for kind in ("fifo", "folder", "link", "conflict copy", "copied folder", "file"):
        place = f"{root}/{kind.replace(' ', '_')}"
        os.makedirs(place + "/f")
        one, other = pair("folder:" + place + "/f", place)
        one.add("seen")
        one.now()
        there = f"{place}/f/{one.status()['journal']}/{one.status()['replica']}"
        odd = there + "/900000.jsonl"
        if kind == "fifo":
            os.mkfifo(odd)
        elif kind == "folder":
            os.mkdir(odd)
        elif kind == "link":
            os.symlink("/etc/passwd", odd)
        elif kind == "conflict copy":
            odd = None
            shutil.copy(there + "/1.jsonl", there + "/1.sync-conflict-20261122-101112-ABCDEFG.jsonl")
        else:
            odd = f"{os.path.dirname(there)}/{uuid.uuid4()}"
            if kind == "copied folder":
                shutil.copytree(there, odd)
            else:
                with open(odd, "w", encoding="utf-8"):
                    pass
        other.now()
        assert "seen" in other.labels(), kind
        named = other.status().get("passedOver", [])
        assert any(path.startswith(odd) for path in named) if odd else named == [], (kind, named)
        one.close()
        other.close()


def sealed(members):
    head = json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()[:-1] + b","
    crc = 0xFFFFFFFF
    for byte in head:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return head + b'"crc":"%08x"}\n' % (crc ^ 0xFFFFFFFF)


def filter_is_not_passed_by(root):
    os.makedirs(root + "/f")
    seal = {}
    for way, first in (("push", "printf SEAL"), ("pull", '[ "$(head -c 4)" = SEAL ] || exit 1')):
        seal[way] = [f"{root}/{way}"]
        with open(seal[way][0], "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{first}\ntr 'a-zA-Z' 'n-za-mN-ZA-M'\n")
        os.chmod(seal[way][0], 0o755)
    one, other = Store(root + "/a/s"), Store(root + "/b/s")
    journal = one.call("sync.setup", url="folder:" + root + "/f", new=True, filter=seal)["journal"]
    one.add("secret")
    one.now()
    other.call("sync.setup", url="folder:" + root + "/f", filter=seal)
    rounds([one, other], 2)
    equal([one, other], "secret")
    forger, mood = str(uuid.uuid4()), str(uuid.uuid4())
    forged = {"id": mood, "emoji": "😈", "label": "forged", "timestamp": FORGED_AT, "isFavorite": False, "notes": "", "tags": [],
              "attachments": [], "createdAt": FORGED_AT, "updatedAt": FORGED_AT}
    record = {"v": 1, "journal": journal, "replica": forger, "n": 1, "saw": {}, "upTo": {"storeId": str(uuid.uuid4()), "revision": 1},
              "ops": [{"at": FORGED_AT, "mood": forged, "set": {"label": []}}, {"at": FORGED_AT, "clear": True}]}
    os.makedirs(f"{root}/f/{journal}/{forger}")
    with open(f"{root}/f/{journal}/{forger}/1.jsonl", "wb") as file:
        file.write(sealed(record))
    one.add("after it")
    rounds([one, other], 2)
    for store in (one, other):
        assert store.labels() == ["after it", "secret"], store.labels()
        assert any(forger in text for text in store.status()["refused"]), store.status()
        assert "syncs twice" not in store.status()["lastError"], store.status()
    # What the filter cannot open stops nobody either; who has another filter sends nothing.
    another = str(uuid.uuid4())
    os.makedirs(f"{root}/f/{journal}/{another}")
    with open(f"{root}/f/{journal}/{another}/1.jsonl", "wb") as file:
        file.write(sealed({"v": 1, "replica": another, "n": 1, "sealed": "Z2FyYmFnZSBnYXJiYWdl"}))
    one.add("after that")
    rounds([one, other], 2)
    for store in (one, other):
        assert store.labels() == ["after it", "after that", "secret"], store.labels()
        assert any(another in text for text in store.status()["refused"]), store.status()
    new, before = Store(root + "/n/s"), files(root + "/f")
    new.add("new")
    assert "has failed" in new.call("sync.setup", url="folder:" + root + "/f", confirm=True, filter={"push": ["cat"], "pull": ["false"]})["lastError"]
    assert files(root + "/f") == before
    new.call("sync.setup", url="folder:" + root + "/f", filter=seal)
    rounds([new, one], 2)
    assert new.labels() == one.labels() and "new" in new.labels(), new.labels()


CASES = [moods_put_back_alone, machine_put_back, machine_put_back_beside_its_records, machine_cloned, place_emptied, folder_of_a_device_removed, files_of_an_older_host, settings_of_git,
         push_refused, nothing_waits_for_the_network, in_order, setup_in_order, setup_that_hangs, now_that_hangs,
         setup_that_ends, process_that_only_syncs, first_round_that_hangs, left_in_order, disks_that_are_full, odd_entries, filter_is_not_passed_by]


@script("host", only=("", "cases that have this in their names"))
def main(options):
    global HOST
    HOST = options.host
    return run_cases([(case.__name__, in_folder(case)) for case in CASES], options.only)
