"""The records of one answer, and the snapshots that are whole, taken from messages."""
import json

BYTES = 1 << 20


class Page:
    def __init__(self, have, parts, notes):
        self.have, self.parts, self.notes = have, parts, notes
        self.records, self.last, self.size, self.has_gap = [], {}, 0, False

    def begin(self, newest):
        """With the newest message of a replica; whether there is more of it, from the sequence `start` on."""
        self.replica, self.subject = newest.subject.split(".")[2], newest.subject
        self.next = self.have.get(self.replica, 0) + 1
        self.last[self.replica] = last_whole(newest.headers)
        # Where its last record that was read is; what was noted and is not known to the host any more counts for nothing.
        number, seq = self.notes.get(self.subject, (0, 0))
        # A stream that was made anew has lower sequences.
        self.start = seq + 1 if number < self.next and seq <= newest.seq else 1
        return self.last[self.replica] >= self.next and self.size < BYTES

    def take(self, one):
        """Takes a message; whether the page is full."""
        first, last = int(one.headers["MB-First"]), int(one.headers["MB-Last"])
        if last < self.next:
            return False
        if first > self.next:
            self.has_gap = True
            self.notes.pop(self.subject, None)
            return True  # dropped: a snapshot has what comes before
        part, parts = part_of(one.headers)
        about = {"part": part, "parts": parts} if parts > 1 else {}
        if parts == 1 or part >= self.parts.get(self.replica, 0):
            for number, text in enumerate(one.data.decode().split("\n"), first):
                if number >= self.next:
                    self.records.append({"replica": self.replica, "n": number, "text": text, **about})
            self.size += len(one.data)
        if part + 1 == parts:
            self.next = last + 1
            self.notes[self.subject] = (last, one.seq)
        return self.size >= BYTES


def part_of(headers):
    part, parts = headers.get("MB-Part", "0/1").split("/")
    return int(part), int(parts)


def last_whole(headers):
    """The last record that is there with the message of these headers."""
    part, parts = part_of(headers)
    return int(headers["MB-Last"]) - (part + 1 < parts)


def whole_slots(messages):
    """The snapshots that are whole: (subject without its part, id, vector, parts, sequence)."""
    found = {}
    for one in messages:
        slot, part = one.subject.rsplit(".", 1)
        found.setdefault(slot, {})[int(part)] = one
    for slot, parts in found.items():
        for part, one in parts.items():
            same = [parts[n] for n in range(part + 1) if n in parts and parts[n].headers.get("MB-Id") == one.headers.get("MB-Id")]
            if "MB-Vector" in one.headers and len(same) == part + 1:
                yield slot, one.headers["MB-Id"], json.loads(one.headers["MB-Vector"]), part + 1, one.seq
