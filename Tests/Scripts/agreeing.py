#!/usr/bin/env python3
"""Compares a host's result from records with that of an independent model of the sync in Python.

    agreeing.py HOST MODEL [--histories 10000] [--first 1] [--features pklrcsut]

MODEL is a Python file with `run(cls, features, seed)` and a class `Fixed` that has `local`, `view` and `conflicts`. The model runs
each history. The script writes the records of its first replica at the end to a folder in MoodBoard's form, those of some hundred
histories as one journal. A store takes part in that journal, and must show equal moods and conflicts.
"""
import argparse, collections, datetime, importlib.util, itertools, json, os, shutil, subprocess, sys, tempfile

TOGETHER = 200


def table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


TABLE = list(table())


def sealed(members):
    """A line with its CRC-32C."""
    head = json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()[:-1] + b","
    crc = 0xFFFFFFFF
    for byte in head:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return head + b'"crc":"%08x"}\n' % (crc ^ 0xFFFFFFFF)


def time(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def uuid(kind, seed, number):
    """An id from seed and number, so that ids have the model's order."""
    return f"{seed:08x}-{kind:04x}-7000-8000-{number:012x}"


class History:
    """A run of the model, with every record that it made."""

    def __init__(self, model, features, seed):
        self.seed, self.records, original = seed, {}, model.Fixed.local

        def local(replica, *words, **more):
            original(replica, *words, **more)
            record = replica.log[replica.id, replica.V[replica.id]]
            self.records.setdefault(record[:2], []).append(record)

        replicas, check = [], model.check
        model.Fixed.local, model.check = local, lambda truth, reps, bad: replicas.extend(reps)
        model.Base.feats, model.Base.serial = features, itertools.count(1)
        try:
            model.run(model.Fixed, features, seed)
        finally:
            model.Fixed.local, model.check = original, check
        self.end = replicas[0]

    def replica(self, name):
        return uuid(1, self.seed, int(name[1:]))

    def mood(self, name):
        return uuid(2, self.seed, int(name[1:]))

    def lines(self, journal):
        """The lines by replica, in order. A restored replica has made some numbers twice, and continues as another one
        before it sends them."""
        for (replica, number), made in sorted(self.records.items()):
            if number > self.end.V.get(replica, 0):
                continue
            known = [one for one in made if one[4] in self.end.known]
            name, _, saw, operation, _ = known[0]
            seen = {self.replica(one): last for one, last in sorted(saw.items()) if one != name}
            yield self.replica(name), sealed({
                "v": 1, "journal": journal, "replica": self.replica(name), "n": number, "saw": seen,
                "upTo": {"storeId": journal, "revision": number}, "ops": [self.operation(operation)]})

    def operation(self, operation):
        at = time(operation["at"])
        if operation["kind"] == "x":
            return {"at": at, "clear": True}
        if operation["kind"] == "d":
            return {"at": at, "delete": [self.mood(operation["mood"])]}
        whole = operation["whole"]
        mood = {"id": self.mood(operation["mood"]), "emoji": whole["emoji"], "label": whole["label"], "timestamp": time(10**9),
                "isFavorite": False, "notes": whole["notes"], "tags": sorted(name[2:] for name in whole if name[:2] == "t:"),
                "attachments": [], "createdAt": time(10**9), "updatedAt": at}
        changes = {}
        for name, replaced in operation["set"].items():
            member = name if name[:2] != "t:" else f"tags{'+' if name in whole else '-'}{name[2:]}"
            changes[member] = [f"{self.replica(replica)}/{number}/0" for replica, number in replaced]
        return {"at": at, "mood": mood, "set": changes}

    def moods(self):
        for name, mood in self.end.view().items():
            tags = sorted(member[2:] for member in mood if member[:2] == "t:")
            yield self.mood(name), (mood.get("emoji"), mood.get("label"), mood.get("notes"), tuple(tags))

    def conflicts(self):
        return {(self.mood(mood), member, value) for mood, member, value in self.end.conflicts()}


class Store:
    def __init__(self, program, place):
        self.process = subprocess.Popen(
            [program, "--store", place + "/store", "--no-sync", "--durability", "none", "--log-level", "error"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        return answer["result"]

    def moods(self):
        cursor = {}
        while cursor is not None:
            page = self.ask("mood.list", {"limit": 1000, **cursor})
            for mood in page["items"]:
                yield mood["id"], (mood["emoji"], mood["label"], mood["notes"], tuple(mood["tags"]))
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None

    def conflicts(self):
        return {(one["mood"], one["member"], one["other"]) for one in self.ask("sync.conflicts", {})["items"]}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def compare(program, histories):
    """The seeds of the histories that differ, and the amount that was compared."""
    place, journal = tempfile.mkdtemp(prefix="agreeing-"), uuid(0, histories[0].seed, 0)
    lines = collections.defaultdict(list)
    for one in histories:
        for replica, line in one.lines(journal):
            lines[replica].append(line)
    for replica, all_lines in lines.items():
        os.makedirs(f"{place}/shared/{journal}/{replica}")
        with open(f"{place}/shared/{journal}/{replica}/1.jsonl", "wb") as file:
            file.writelines(all_lines)
    store = Store(program, place)
    store.ask("sync.setup", {"url": f"folder:{place}/shared"})
    moods, conflicts = dict(store.moods()), store.conflicts()
    store.end()
    wanted = {one.seed: (dict(one.moods()), one.conflicts()) for one in histories}
    found = {one.seed: ({}, set()) for one in histories}
    for id, mood in moods.items():
        found[int(id[:8], 16)][0][id] = mood
    for one in conflicts:
        found[int(one[0][:8], 16)][1].add(one)
    shutil.rmtree(place)
    return [seed for seed in wanted if wanted[seed] != found[seed]], sum(map(len, lines.values())), len(moods), len(conflicts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("model")
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--features", default="pklrcsut")
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("model", options.model)
    model = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(model)
    different, counts, seeds = [], [0, 0, 0], range(options.first, options.first + options.histories)
    for start in range(0, len(seeds), TOGETHER):
        wrong, *more = compare(options.host, [History(model, options.features, seed) for seed in seeds[start:start + TOGETHER]])
        different += wrong
        counts = [one + another for one, another in zip(counts, more)]
    print(f"{options.histories} histories, {counts[0]} records, {counts[1]} moods, {counts[2]} conflicts: {len(different)} differ")
    if different:
        print("seeds", *different[:10])
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
