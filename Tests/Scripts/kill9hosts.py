"""The rounds of kill9.py with several hosts on one directory.

Each round starts the hosts, lets all of them change the store at the same time, kills some of them at random moments,
starts some again while the others go on, lets those that live finish, and compares the whole store with the model. A
host changes moods of its own and toggles shared ones. Changes in flight of killed hosts may be there, of each host
only as a prefix in the order sent. The lengths are not known: there must be a choice of them that accounts
for every revision, every own mood and the parity of every shared one.
"""

import itertools
import json
import os
import random
import select
import time

import kill9

SHARED = 8
OWN_MAX = 40
CHOICES_MAX = 100_000
STORE_BUSY = 1010


class Lane:
    """One run of a host within a round: its moods, its requests and their answers."""

    def __init__(self, run, own):
        self.run, self.own, self.alive = run, own, list(own)
        self.sent, self.toggled, self.revisions = [], [], []
        self.acknowledged, self.unsent, self.compacts, self.is_open = 0, b"", 0, True

    def replay(self, count):
        """The host's own moods after the first `count` of its changes, without their revisions."""
        moods = {identifier: dict(mood) for identifier, mood in self.own.items()}
        for change in self.sent[:count]:
            change.apply(moods, 0)
        for mood in moods.values():
            mood.pop("revision", None)
        return moods

    def parity(self, count):
        """For each shared mood, whether the first `count` changes toggled it an odd number of times."""
        odd = [False] * SHARED
        for number in self.toggled[:count]:
            if number is not None:
                odd[number] = not odd[number]
        return odd


class Shared:
    """The store at the end of the latest round."""

    def __init__(self):
        self.revision, self.own, self.favorites = 0, {}, [False] * SHARED


def shared_id(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def next_change(lane, randomness, number):
    """A change of the lane's own moods, or a toggle of a shared one; each is one commit."""
    if randomness.random() < 0.25:
        chosen = randomness.randrange(SHARED)
        lane.toggled.append(chosen)
        return kill9.Change("mood.toggleFavorite", {"id": shared_id(chosen)}, lambda moods, revision: None)
    lane.toggled.append(None)
    load = kill9.Load(randomness)
    load.alive = lane.alive
    while True:
        # Never the number of an earlier change: an equal value would be no commit.
        load.number = number
        change = load.next()
        if change.method != "mood.create" or len(lane.alive) <= OWN_MAX:
            return change
        lane.alive.pop()


def send(lane, randomness, window, numbers):
    while len(lane.sent) - lane.acknowledged < window:
        change = next_change(lane, randomness, next(numbers))
        lane.sent.append(change)
        request = {"jsonrpc": "2.0", "id": len(lane.sent), "method": change.method, "params": change.params}
        lane.unsent += json.dumps(request, ensure_ascii=False).encode() + b"\n"
        if randomness.random() < 0.003:
            lane.unsent += b'{"jsonrpc":"2.0","id":"compact","method":"store.compact"}\n'
            lane.compacts += 1


def flush(lane):
    try:
        lane.unsent = lane.unsent[os.write(lane.run.input, lane.unsent):] if lane.unsent else lane.unsent
    except BlockingIOError:
        pass


def receive(lane, was_killed):
    lines = lane.run.lines(0)
    if lines is None:
        lane.is_open = False
        if not was_killed:
            raise kill9.Unreadable(f"a host ended by itself with {lane.run.process.wait()}")
        return
    for line in lines:
        answer = json.loads(line)
        # The host reports that another one is compacting, which is no fault.
        if answer["id"] == "compact" and answer.get("error", {}).get("code") == STORE_BUSY:
            lane.compacts -= 1
            continue
        if "result" not in answer:
            raise kill9.Lost(f"a valid change was refused: {answer}")
        if answer["id"] == "compact":
            lane.compacts -= 1
            continue
        if answer["id"] != lane.acknowledged + 1:
            raise kill9.Lost(f"answer {answer['id']} came after answer {lane.acknowledged}")
        lane.acknowledged = answer["id"]
        # Only an answer that is the mood itself has the revision of its change.
        if lane.sent[answer["id"] - 1].method in ("mood.create", "mood.toggleFavorite"):
            lane.revisions.append(answer["result"]["revision"])


class Round:
    """One round: lanes, the moments of their kills, and counts."""

    def __init__(self, commands, log, hosts, shared, options, randomness, numbers):
        self.commands, self.log = commands, log
        self.randomness, self.numbers, self.kills, self.again = randomness, numbers, 0, 0
        self.lanes, self.moments = [], []
        begin = time.monotonic()
        self.window = randomness.choice([1, 4, options.window])
        self.end = begin + randomness.uniform(0.01, 0.06)
        dealt = [dict(itertools.islice(shared.own.items(), place, None, hosts)) for place in range(hosts)]
        for own in dealt:
            moment = begin + randomness.uniform(0, 0.07) if randomness.random() < 0.8 else None
            self.start(own, moment)

    def start(self, own, moment):
        run = kill9.Run(self.randomness.choice(self.commands), self.log)
        self.lanes.append(Lane(run, own))
        self.moments.append(moment)

    def play(self):
        """Runs until every lane is killed, or has every answer; one with all answers is still killed at its moment."""
        deadline = time.monotonic() + kill9.START_TIMEOUT
        killed = [False] * len(self.lanes)
        while any(lane.is_open for lane in self.lanes):
            now = time.monotonic()
            if now > deadline:
                raise kill9.Unreadable(f"a host left requests unanswered for {kill9.START_TIMEOUT} s")
            for place, lane in enumerate(list(self.lanes)):
                if not lane.is_open:
                    continue
                if self.moments[place] is not None and now >= self.moments[place] and not killed[place]:
                    lane.run.kill()
                    killed[place], self.kills = True, self.kills + 1
                    if now < self.end and self.randomness.random() < 0.5:
                        moment = now + self.randomness.uniform(0, 0.02) if self.randomness.random() < 0.5 else None
                        self.start({}, moment)
                        killed.append(False)
                        self.again += 1
                if not killed[place]:
                    if now < self.end or not lane.sent:
                        send(lane, self.randomness, self.window, self.numbers)
                    flush(lane)
                    is_done = now >= self.end and lane.acknowledged == len(lane.sent) and lane.compacts == 0
                    if is_done and self.moments[place] is None:
                        lane.is_open = False
                        continue
            outputs = [lane.run.output for lane in self.lanes if lane.is_open]
            ready = select.select(outputs, [], [], 0.001)[0] if outputs else []
            for place, lane in enumerate(self.lanes):
                if lane.is_open and lane.run.output in ready:
                    receive(lane, killed[place])

    def close(self):
        for lane in self.lanes:
            lane.run.close()


def read_everything(run):
    """The revision and all moods, by id."""
    revision, found = run.ask("store.info")["revision"], kill9.read_moods(run)
    kill9.verify(run, len(found))
    return revision, found


def is_same(own, found):
    """Whether a lane's moods in the store equal `own`, member by member."""
    return all(
        identifier in found and all(found[identifier].get(name) == value for name, value in mood.items())
        for identifier, mood in own.items())


def settle(shared, lanes, revision, found):
    """Finds how much of each lane is there. Returns the number of changes that are there without an acknowledgement."""
    everyones = {identifier for lane in lanes for identifier in lane.own}
    mine = []
    for lane in lanes:
        ids = set(lane.own) | {change.params["id"] for change in lane.sent if change.method == "mood.create"}
        everyones |= ids
        mine.append({identifier: found[identifier] for identifier in ids if identifier in found})
    strangers = set(found) - everyones - {shared_id(number) for number in range(SHARED)}
    if strangers:
        raise kill9.Lost(f"nobody made {strangers}")
    candidates = []
    for lane, there in zip(lanes, mine):
        counts = []
        for count in range(lane.acknowledged, len(lane.sent) + 1):
            own = lane.replay(count)
            if set(own) == set(there) and is_same(own, there):
                counts.append(count)
        if not counts:
            raise kill9.Lost(f"no prefix of at least {lane.acknowledged} of {len(lane.sent)} changes is what is there")
        candidates.append(counts)
    favorites = [found[shared_id(number)]["isFavorite"] for number in range(SHARED)]
    for choice in itertools.islice(itertools.product(*candidates), CHOICES_MAX):
        if sum(choice) != revision - shared.revision:
            continue
        parities = [lane.parity(count) for lane, count in zip(lanes, choice)]
        expected = [before ^ (sum(odd[number] for odd in parities) % 2 == 1)
                    for number, before in enumerate(shared.favorites)]
        if expected == favorites:
            break
    else:
        raise kill9.Lost(f"no choice of prefixes {candidates} makes {revision - shared.revision} revisions and {favorites}")
    told = [one for lane in lanes for one in lane.revisions]
    if len(set(told)) != len(told) or any(not shared.revision < one <= revision for one in told):
        raise kill9.Lost("two acknowledged changes have the same revision, or one outside of the round")
    if any(lane.revisions != sorted(lane.revisions) for lane in lanes):
        raise kill9.Lost("the revisions of a host do not grow")
    shared.revision, shared.favorites = revision, favorites
    names = ("id", "emoji", "label", "notes", "tags", "isFavorite")
    shared.own = {identifier: {name: mood[name] for name in names}
                  for there in mine for identifier, mood in there.items()}
    return sum(choice) - sum(lane.acknowledged for lane in lanes)


def prepare(command, log, shared):
    """Makes the shared moods."""
    run = kill9.Run(command, log)
    for number in range(SHARED):
        run.ask("mood.create", {"id": shared_id(number), "emoji": "🎉", "label": "Shared"})
    shared.revision = run.ask("store.info")["revision"]
    run.end()
    run.close()


def run_rounds(commands, log, options, seed, figures):
    """Rounds with hosts of any of the commands, until there were enough kills; `figures` has the present state for the
    summary."""
    randomness, numbers, shared = random.Random(seed), itertools.count(), Shared()
    commands = [[*command, "--lock-timeout", "60"] for command in commands]
    prepare(commands[0], log, shared)
    begin = time.monotonic()
    while figures["kills"] < options.kills and time.monotonic() - begin < options.seconds:
        hosts = randomness.randint(2, options.hosts) if options.hosts > 2 else options.hosts
        one = Round(commands, log, hosts, shared, options, randomness, numbers)
        try:
            one.play()
            # A host that lived through the round must show the same as one that opens the store now.
            living = [lane for lane in one.lanes if lane.run.process.poll() is None]
            views = []
            for command in commands:
                reader = kill9.Run(command, log)
                try:
                    views.append(read_everything(reader))
                finally:
                    reader.close()
            # After them: a host that opens the store settles a killed one's changes.
            views += [read_everything(lane.run) for lane in living[:1]]
            if any(view != views[0] for view in views):
                raise kill9.Lost("hosts that see the same store do not see the same")
            revision, found = views[0]
            figures["kept"] += settle(shared, one.lanes, revision, found)
            figures["acknowledged"] += sum(lane.acknowledged for lane in one.lanes)
            figures["early"] += sum(lane.acknowledged == 0 for lane in one.lanes)
            figures["again"] += one.again
            figures["rounds"] += 1
        finally:
            figures["kills"] += one.kills
            one.close()
