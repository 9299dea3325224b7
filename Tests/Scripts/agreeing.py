#!/usr/bin/env python3
"""Compares a host's result from records with that of an independent model of the sync in Python.

    agreeing.py HOST MODEL [--histories 10000] [--first 1] [--features pklrcsutbywmgfen]

MODEL is a Python file: `run(features, seed)` runs a history and ends with `check(truth, replicas, …)`; replicas `take(record)` the
records (`rid`, replica `r`, number `n`, checksum `h`, all that it `saw`, `op`) that they apply, and `S.K` has the ids of those that one
knows, `S.M` its moods; `view` and `conflicts` show moods. The script writes the records that the first replica knows at the end in
MoodBoard's form, those of some hundred histories as one journal. A folder holds one branch of a replica, so the others go to further
folders. A store takes part in that journal, one folder after the other, and must show equal moods and conflicts.

A history is passed over where the model keeps less of a record than MoodBoard does: two copies of a commit saw different records, or
the model's replica lacks a record that one it knows saw. The last line counts these.
"""
import argparse, collections, datetime, importlib.util, json, os, shutil, subprocess, sys, tempfile

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


class Unlike(Exception):
    """The model's history has no form in records."""


class History:
    """A run of the model, with every record that its first replica knows at the end."""

    def __init__(self, model, features, seed):
        self.seed, made, replicas = seed, collections.defaultdict(list), []
        take, check = model.Rep.take, model.check

        def taken(replica, record):
            take(replica, record)
            made[record.rid].append(record)

        model.Rep.take, model.check = taken, lambda truth, reps, *rest: replicas.extend(reps)
        try:
            model.run(features, seed)
        finally:
            model.Rep.take, model.check = take, check
        end = replicas[0].S
        self.view, self.disputed = model.view(end.M), model.conflicts(end.M)
        self.records = {rid: made[rid][0] for rid in end.K}
        for rid, record in self.records.items():
            if any((one.saw, one.op) != (record.saw, record.op) for one in made[rid]) or not record.saw <= end.K:
                raise Unlike
        names = sorted({record.r for record in self.records.values()})
        self.places = {name: place for place, name in enumerate(names, 1)}
        numbers = collections.Counter((record.r, record.n) for record in self.records.values())
        self.ambiguous = {number for number, count in numbers.items() if count > 1}
        self.crcs = {}

    def replica(self, name):
        return uuid(1, self.seed, self.places[name])

    def mood(self, name):
        return uuid(2, self.seed, int(name[1:]))

    def chain(self, rid):
        """The records of a branch, from the last to the first."""
        while rid is not None:
            yield rid
            rid = self.before[rid]

    def heads(self, rids):
        """The last records of all branches by replica, the greatest number first."""
        rids = set(rids)
        for rid in list(rids):
            rids.difference_update(list(self.chain(rid))[1:])
        heads = collections.defaultdict(list)
        for rid in sorted(rids, key=lambda rid: (self.records[rid].n, self.crcs[rid]), reverse=True):
            heads[self.replica(self.records[rid].r)].append((self.records[rid].n, self.crcs[rid]))
        return heads

    def branches(self, journal):
        """By replica, the lines of each of its branches."""
        self.before, lines = {}, {}
        for rid in sorted(self.records, key=lambda rid: len(self.records[rid].saw)):
            record = self.records[rid]
            own = {one for one in record.saw if self.records[one].r == record.r}
            before = [one for one in own if self.records[one].n == record.n - 1]
            if not record.saw <= lines.keys() or len(before) != (record.n > 1):
                raise Unlike
            self.before[rid] = before[0] if before else None
            if own != set(list(self.chain(rid))[1:]):
                raise Unlike
            seen = self.heads(record.saw - own)
            crcs = {one: heads[0][1] for one, heads in seen.items()}
            if before:
                crcs[self.replica(record.r)] = self.crcs[before[0]]
            also = {one: [f"{number}/{crc}" for number, crc in heads[1:]] for one, heads in seen.items() if heads[1:]}
            lines[rid] = sealed({
                "v": 1, "journal": journal, "replica": self.replica(record.r), "n": record.n,
                "saw": {one: heads[0][0] for one, heads in seen.items()}, "sawCrc": crcs, "sawAlso": also,
                "upTo": {"storeId": journal, "revision": record.n}, "ops": [self.operation(record.op)]})
            self.crcs[rid] = lines[rid][-11:-3].decode()
        ends = set(lines) - {one for one in self.before.values() if one is not None}
        branches = collections.defaultdict(list)
        for rid in sorted(ends):
            branches[self.replica(self.records[rid].r)].append([lines[one] for one in reversed(list(self.chain(rid)))])
        return branches

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
        changes, crcs = {}, {}
        for name, replaced in operation["set"].items():
            member = name if name[:2] != "t:" else f"tags{'+' if name in whole else '-'}{name[2:]}"
            if any(one not in self.crcs for one in replaced):
                raise Unlike
            named = [self.records[one] for one in replaced]
            changes[member] = [f"{self.replica(one.r)}/{one.n}/0" for one in named]
            if any((one.r, one.n) in self.ambiguous for one in named):
                crcs[member] = [self.crcs[one] for one in replaced]
        return {"at": at, "mood": mood, "set": changes, **({"setCrc": crcs} if crcs else {})}

    def moods(self):
        for name, mood in self.view.items():
            tags = sorted(member[2:] for member in mood if member[:2] == "t:")
            yield self.mood(name), (mood.get("emoji"), mood.get("label"), mood.get("notes"), tuple(tags))

    def conflicts(self):
        return {(self.mood(mood), member, value) for mood, member, value in self.disputed}


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
    folders, count = 0, 0
    for one in histories:
        for replica, branches in one.branches(journal).items():
            for folder, lines in enumerate(branches):
                os.makedirs(f"{place}/{folder}/{journal}/{replica}")
                with open(f"{place}/{folder}/{journal}/{replica}/1.jsonl", "wb") as file:
                    file.writelines(lines)
            folders = max(folders, len(branches))
        count += len(one.records)
    store = Store(program, place)
    # A branch may wait for another one, which is elsewhere.
    for folder in list(range(folders)) * (3 if folders > 1 else 1):
        store.ask("sync.setup", {"url": f"folder:{place}/{folder}"})
        if folders > 1:
            store.ask("sync.now", {})
    moods, conflicts = dict(store.moods()), store.conflicts()
    store.end()
    wanted = {one.seed: (dict(one.moods()), one.conflicts()) for one in histories}
    found = {one.seed: ({}, set()) for one in histories}
    for id, mood in moods.items():
        found[int(id[:8], 16)][0][id] = mood
    for one in conflicts:
        found[int(one[0][:8], 16)][1].add(one)
    shutil.rmtree(place)
    return [seed for seed in wanted if wanted[seed] != found[seed]], count, len(moods), len(conflicts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("model")
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--features", default="pklrcsutbywmgfen")
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("model", options.model)
    model = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(model)
    different, counts, unlike = [], [0, 0, 0], 0
    seeds = range(options.first, options.first + options.histories)
    for start in range(0, len(seeds), TOGETHER):
        histories = []
        for seed in seeds[start:start + TOGETHER]:
            try:
                history = History(model, options.features, seed)
                history.branches("")
                histories.append(history)
            except Unlike:
                unlike += 1
        if not histories:
            continue
        wrong, *more = compare(options.host, histories)
        different += wrong
        counts = [one + another for one, another in zip(counts, more)]
    print(
        f"{options.histories} histories, {counts[0]} records, {counts[1]} moods, {counts[2]} conflicts: "
        f"{len(different)} differ, {unlike} passed over")
    if different:
        print("seeds", *different[:10])
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
