#!/usr/bin/env python3
"""Stores that take part in one journal, while their hosts are killed.

    syncing.py HOST [--carrier folder|git|jetstream] [--stores N] [--lives N] [--troubles 0.1] [--seed N]

Each life is a host that makes and changes moods, syncs, and is killed with -9 at a random moment; now and then the folder
is away, or a store is copied. `--troubles`: the part of the lives before which all stores sync and one of them is put back,
whole, its moods alone or its `sync/` alone, or cloned with all ids, or the place is emptied or put back. At the end all stores
sync and must show equal moods, including every mood whose creation was acknowledged and that was not deleted. At last a host that runs has to notice that another process sets up
the sync of its store, and leaves it; a process of its own sends the changes of a host that lived shortly; a copied store
runs no filter; and a long sync reports progress. Exit code 1 if not.
"""
import argparse, atexit, collections, json, os, random, shutil, subprocess, sys, tempfile, threading, time

from restoring import files, put_back, stay


OPTIONS = []  # of the carrier


class Host:
    def __init__(self, program, store, *more):
        self.process = subprocess.Popen(
            [program, "--store", store, "--durability", "none", "--log-level", "error", *OPTIONS, *(more or ["--no-sync"])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.states = 0, []

    def send(self, method, params=None):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.number

    def answers(self):
        for line in self.process.stdout:
            try:
                yield json.loads(line)
            except ValueError:
                return  # the kill cut it off

    def ask(self, method, params=None):
        number = self.send(method, params)
        for answer in self.answers():
            if answer.get("id") == number:
                return answer.get("result", answer.get("error"))
            self.states.append(answer["params"]["state"])
        raise EOFError(method)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def moods(host):
    found, cursor = {}, None
    while True:
        page = host.ask("mood.list", {"limit": 1000, **({"cursor": cursor} if cursor else {})})
        for mood in page["items"]:
            del mood["revision"]
            found[mood["id"]] = mood
        cursor = page.get("nextCursor")
        if not cursor:
            return found


def live(program, store, chance, known, made, deleted, step):
    """One life, which ends with a kill."""
    host = Host(program, store)
    wanted = {}
    try:
        for turn in range(chance.randint(1, 6)):
            kind = chance.random()
            if kind < 0.5 or not known:
                wanted[host.send("mood.create", {"emoji": "😊", "label": f"mood {step}.{turn}", "tags": ["b", "a"]})] = None
            elif kind < 0.8:
                mood = chance.choice(sorted(known))
                host.send("mood.update", {"id": mood, "set": {"notes": f"note {step}.{turn}"}})
            elif kind < 0.85:
                mood = chance.choice(sorted(known))
                host.send("mood.delete", {"id": mood})
                deleted.add(mood)
            host.send("sync.now")
        killer = threading.Timer(chance.choice([0.02, 0.05, 0.1, 0.2, 0.4]), host.process.kill)
        killer.start()
        for answer in host.answers():
            if answer.get("id") in wanted and "result" in answer:
                made.add(answer["result"]["id"])
                known.add(answer["result"]["id"])
            if answer.get("id") == host.number:
                break
        killer.join()
    except BrokenPipeError:
        pass
    host.process.kill()
    host.process.wait()


def exchange(program, stores, rounds):
    """What the last round of each store says."""
    for _ in range(rounds):
        counts = []
        for store in stores:
            host = Host(program, store)
            counts.append(host.ask("sync.now"))
            host.end()
    return counts


class Troubles:
    """What happens to machines and places; all that a store knew is on another one, so nothing may be lost."""

    def __init__(self, program, stores, carrier, chance):
        self.program, self.stores, self.carrier, self.chance = program, stores, carrier, chance
        self.backups, self.places, self.count = {}, [], collections.Counter()

    def back_up(self):
        store = self.chance.choice(self.stores)
        self.backups[store] = files(store)
        if place := self.carrier.path:
            shutil.copytree(place, f"{place}-{len(self.places)}")
            self.places.append(f"{place}-{len(self.places)}")

    def come(self):
        exchange(self.program, self.stores, 2)
        kinds = ["machine", "moods", "notes"] * bool(self.backups) + ["clone"] * (len(self.stores) < 7) + ["place"] * bool(self.places) + ["emptied"]
        kind = self.chance.choice(kinds)
        self.count[kind] += 1
        if kind == "clone":
            store = self.chance.choice(self.stores)
            clone = f"{os.path.dirname(store)}/store{len(self.stores)}"
            shutil.copytree(store, clone)
            stay(clone)
            self.stores.append(clone)
        elif kind == "emptied":
            self.carrier.empty()
        elif kind == "place":
            shutil.rmtree(self.carrier.path)
            shutil.copytree(self.chance.choice(self.places), self.carrier.path)
        else:
            store = self.chance.choice(sorted(self.backups))
            now, was = files(store), self.backups[store]
            if kind != "machine":
                def is_kept(name):
                    return name.startswith("sync/") == (kind == "moods")
                was = {name: text for part, kept in ((now, True), (was, False)) for name, text in part.items() if is_kept(name) == kept}
            put_back(store, was)


def notice(program, store, url):
    """A host that runs all the time, while another one sets up the sync and leaves it."""
    running, other = Host(program, store, "--log-level", "error"), Host(program, store)
    watchdog = threading.Timer(60, running.process.kill)
    watchdog.start()
    running.ask("mood.create", {"emoji": "😊", "label": "before"})
    running.ask("events.subscribe", {"topics": ["sync"]})
    start = time.time()
    answer = other.ask("sync.setup", {"url": url, "confirm": True})
    assert answer.get("state") == "idle", answer
    seconds = []
    for _ in range(2):
        while running.states[-2:] != ["syncing", "idle"]:
            running.states.append(next(running.answers())["params"]["state"])
        seconds.append(time.time() - start)
        running.states, start = [], time.time()
        # This host sends.
        running.ask("mood.create", {"emoji": "😊", "label": "after"})
    while running.ask("sync.status")["pending"]:
        time.sleep(0.1)
    other.ask("sync.leave")
    end = time.time() + 10
    while running.ask("sync.status")["state"] != "off" and time.time() < end:
        time.sleep(0.1)
    running.states = []
    running.ask("mood.create", {"emoji": "😊", "label": "alone"})
    time.sleep(3)
    status = running.ask("sync.status")
    assert status["state"] == "off" and not running.states, (status, running.states)
    watchdog.cancel()
    for host in (running, other):
        host.end()
    print(f"a host that runs has synced {seconds[0]:.1f} s after another one set it up")


def hurry(program, store, url):
    """A process of its own sends the unsent changes of a host that lived shortly; not twice in a minute."""
    host = Host(program, store)
    answer = host.ask("sync.setup", {"url": url, "confirm": True})
    assert answer.get("state") == "idle", answer
    host.end()

    def pending_after_a_change():
        host = Host(program, store, "--lock-timeout", "30")
        host.ask("mood.create", {"emoji": "😊", "label": "in a hurry"})
        host.end()
        return pending()

    def pending():
        host = Host(program, store)
        status = host.ask("sync.status")
        host.end()
        return status["pending"]

    left, end = pending_after_a_change(), time.time() + 20
    while left and time.time() < end:
        time.sleep(0.1)
        left = pending()
    assert left == 0, "nobody has sent what a short life left"
    pending_after_a_change()
    time.sleep(3)
    assert pending() == 1, "it was sent within the same minute"


def seal(program, place):
    """A filter runs in the store in which a person set it, and not in a copy."""
    store, shared, turned = place + "/sealed", place + "/turned", ["tr", "A-Za-z", "N-ZA-Mn-za-m"]
    setup = {"url": "folder:" + shared, "filter": {"push": turned, "pull": turned}}
    host = Host(program, store)
    assert host.ask("sync.setup", {**setup, "new": True}).get("state") == "idle"
    host.ask("mood.create", {"emoji": "😊", "label": "Secret"})
    assert host.ask("sync.now").get("pushed") == 1
    host.end()
    there = b"".join(open(os.path.join(folder, name), "rb").read() for folder, _, names in os.walk(shared) for name in names)
    assert b"Secret" not in there and b"Frperg" not in there and b"sealed" in there
    shutil.copytree(store, store + "-copy")
    host = Host(program, store + "-copy")
    host.ask("mood.create", {"emoji": "😊", "label": "of the copy"})
    answer = host.ask("sync.now")
    assert answer.get("code") == 1003 and "copy" in answer["data"]["reason"], answer
    assert host.ask("sync.setup", setup).get("state") == "idle"
    assert host.ask("sync.status")["pending"] == 0
    host.end()
    host = Host(program, store)
    assert host.ask("sync.now")["applied"] == 1
    host.end()


def progress(program, place, moods=20_000):
    """Long work reports progress and can be cancelled; the next round does the rest."""
    host = Host(program, place + "/far")
    rows = (f"😊,mood {number},2026-01-{1 + number % 28:02} 12:00\n" for number in range(moods))
    text = "emoji,label,timestamp\n" + "".join(rows)
    assert host.ask("store.import", {"format": "csv", "text": text, "timeZone": "UTC"})["created"] == moods
    url = "folder:" + place + "/far-shared"
    assert host.ask("sync.setup", {"url": url, "new": True}).get("state") == "idle"
    host.end()
    host = Host(program, place + "/far-too")
    number = host.send("sync.setup", {"url": url, "progressToken": "how far"})
    told = []
    for answer in host.answers():
        if answer.get("method") == "$/progress":
            assert answer["params"]["token"] == "how far", answer
            told.append(answer["params"]["value"])
            if len(told) == 3:
                host.process.stdin.write(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n' % number)
                host.process.stdin.flush()
        if answer.get("id") == number:
            break
    counts = [value["done"] for value in told]
    assert counts and all(value["message"] for value in told) and max(counts) > 0, told
    was = "done before it was cancelled" if "result" in answer else f"error {answer['error']['code']}"
    host.end()
    host = Host(program, place + "/far-too")
    if host.ask("sync.status")["state"] == "off":
        assert host.ask("sync.setup", {"url": url}).get("state") == "idle"
    host.ask("sync.now")
    assert host.ask("mood.list", {"limit": 1})["total"] == moods
    host.end()
    print(f"a long sync told {len(told)} times how far it is, up to {max(counts)}; cancelled: {was}; afterwards all is there")


def main():
    import carrying  # which takes `moods` from here

    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--carrier", choices=["folder", "git", "jetstream"], default="folder")
    parser.add_argument("--stores", type=int, default=3)
    parser.add_argument("--lives", type=int, default=60)
    parser.add_argument("--troubles", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    place = tempfile.mkdtemp(prefix="syncing-")
    carrier = {"folder": carrying.Folder, "git": carrying.Git, "jetstream": carrying.JetStream}[options.carrier](place)
    OPTIONS[:], url = carrier.options, carrier.url
    atexit.register(carrier.close)
    stores = [f"{place}/store{number}" for number in range(options.stores)]
    for number, store in enumerate(stores):
        host = Host(options.host, store)
        host.ask("settings.get")
        carrier.prepare(host)
        answer = host.ask("sync.setup", {"url": url, "new": number == 0})
        assert answer.get("state") == "idle", answer
        host.end()
    known, made, deleted = set(), set(), set()
    troubles = Troubles(options.host, stores, carrier, random.Random(options.seed + 1))
    for step in range(options.lives):
        store = chance.choice(stores)
        if chance.random() < 0.04 and len(stores) < 7:
            copy = f"{place}/store{len(stores)}"
            shutil.copytree(store, copy)
            stores.append(copy)
        if troubles.chance.random() < options.troubles:
            troubles.back_up()
        if troubles.chance.random() < options.troubles:
            troubles.come()
        is_away = chance.random() < 0.1
        if is_away:
            carrier.cut()
        live(options.host, store, chance, known, made, deleted, step)
        if is_away:
            carrier.restore()
    counts, shown = exchange(options.host, stores, 3 + 3 * troubles.count.total()), []
    for store in stores:
        host = Host(options.host, store)
        shown.append(moods(host))
        verdict = host.ask("store.verify")
        assert verdict["ok"], verdict
        host.end()
    lost = made - deleted - set(shown[0])
    different = [number for number, other in enumerate(shown) if other != shown[0]]
    print(f"seed {options.seed}, {options.carrier}: {len(stores)} stores, {options.lives} lives, {len(made)} made,"
          f" troubles {dict(troubles.count)}, {len(shown[0])} shown, lost {len(lost)}, different {different}")
    if lost or different:
        print("kept:", place, *sorted(lost)[:5])
        for number in different[:1]:
            for mood in sorted(set(shown[0]) | set(shown[number])):
                if shown[0].get(mood) != shown[number].get(mood):
                    print(shown[0].get(mood), shown[number].get(mood), sep="\n")
                    break
        print(counts)
        sys.exit(1)
    if carrier.path:
        notice(options.host, place + "/running", url)
        hurry(options.host, place + "/hurried", url)
        seal(options.host, place)
        progress(options.host, place)
        print("a process of its own has sent what a short life left, once a minute; a filter was run where a person had named it")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()
