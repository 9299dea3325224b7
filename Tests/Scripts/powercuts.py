"""The files that a power cut can leave of a store, made from a session that is recorded file by file after each answer.

A cut takes the files as they were after some answer, for those are synced; but `lock`, which never is, is of an earlier
moment, empty, torn or zeros; the journal's last line may be followed by the next one or a part of it; an index may be
missing or rubbish.
"""

import os

from stores import Host, Moods, create, identifier

CUTS = ["no store", "creation", "clean", "old lock", "lock of the generation before", "empty lock", "zero lock", "torn lock",
        "old lock, torn line", "old lock, next line"]


class Record:
    """A session, and the directory after each of its answers."""

    def __init__(self, binary, store):
        self.store, self.moods, self.moments, self.acknowledged = store, Moods(), [{}], [{}]
        host = Host([binary, "--store", store])
        for number in range(1, 13):
            if number in (5, 9):
                host.ask("store.compact", {})
                self.keep()
            mood, notes = identifier(number if number % 4 else 1), f"n {number}" * 20
            if mood in self.moods.acknowledged:
                answer = host.ask("mood.setNotes", {"id": mood, "notes": notes})
            else:
                answer = host.ask("mood.create", {**create(number)[1], "notes": notes, "opId": f"operation {number}"})
            if answer is None or "result" not in answer:
                raise SystemExit(f"the session cannot be recorded: {answer}")
            self.moods.acknowledged[mood] = self.moods.ask(mood, notes)
            self.keep()
        host.kill()

    def keep(self):
        files = {}
        for folder, _, names in os.walk(self.store):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    files[os.path.relpath(os.path.join(folder, name), self.store)] = file.read()
        self.moments.append(files)
        self.acknowledged.append(dict(self.moods.acknowledged))

    def cut(self, name, randomness):
        """The files that a power cut leaves, and the required content."""
        if name in ("no store", "creation"):
            begun = {"lock": b"", "journal-1.jsonl": self.moments[1]["journal-1.jsonl"].split(b"\n")[0] + b"\n"}
            return begun if name == "creation" else {}, Moods()
        # After a commit that another one follows in the same journal.
        last = [max((name for name in files if name.startswith("journal")), default="") for files in self.moments]
        at = randomness.choice([one for one in range(2, len(self.moments) - 1) if last[one] == last[one + 1] != ""])
        files, journal, latest = dict(self.moments[at]), last[at], at
        lines, following = (self.moments[one][journal].rstrip(b"\n").split(b"\n") for one in (at, at + 1))
        if len(following) != len(lines) + 1:
            raise SystemExit(f"the journal does not grow by a line with each commit: {len(lines)}, {len(following)}")
        if name.startswith("old lock"):
            before = [one for one in range(1, at) if last[one] == journal] or [at - 1]
            files["lock"] = self.moments[randomness.choice(before)]["lock"]
        elif name == "lock of the generation before":
            before = [one for one in range(1, at + 1) if last[one] != journal] or [1]
            files["lock"] = self.moments[randomness.choice(before)]["lock"]
        elif name != "clean":
            lock = files["lock"]
            torn = lock[:randomness.randrange(1, 130)]
            files["lock"] = {"empty": b"", "zero": bytes(len(lock)), "torn": torn}[name.split()[0]]
        tail = randomness.choice([b"", b"\n" * 600])
        if name.endswith("torn line"):
            tail = following[-1][:randomness.randrange(1, len(following[-1]))] + tail
        elif name.endswith("next line"):
            tail, latest = following[-1] + b"\n" + tail, at + 1
        files[journal] = b"\n".join(lines) + b"\n" + tail
        for index in [name for name in files if name.startswith("index")]:
            files[index] = randomness.choice([files[index], bytes(len(files[index])), files[index][:4096], None])
        moods = Moods()
        for mood, place in self.acknowledged[latest].items():
            moods.values[mood] = self.moods.values[mood][:place + 1]
        moods.acknowledged.update(self.acknowledged[at])
        return {name: content for name, content in files.items() if content is not None}, moods
