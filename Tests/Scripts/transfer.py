#!/usr/bin/env python3
"""Exports and imports of moods, checked with other programs: `csv` and `json` of Python, `sqlite3`, `icalendar`, `jrnl`
and `daylio-parser` of PyPI. Those that are not installed are named and skipped.

    transfer.py HOST [--mood MOOD] [--moods 200] [--damaged 1000] [--backups 20] [--seed 1]

1. Random moods are exported in each form. Each reader must read all of them, and find labels, times, notes and tags.
2. Those programs' files are imported: an export of jrnl, a calendar of icalendar.
3. Exports as jsonl and csv give equal moods in an empty store; importing the file again changes nothing.
4. Damaged files from the seed: the host answers each, a strict import that fails has changed nothing, each problem has its line.
5. With --mood: FILE may be a link, a pipe, a FIFO, /dev/stdin and -, of import and of restore; they leave nothing in TMPDIR; the
   exit status is 65 where a row was not taken or nothing was read, after all others were added.
6. Exports while four hosts write, with --mood by `mood backup`: each is whole and one moment's state. Every hundredth backup,
   and the last, is restored into an empty store, which is then verified.

Exit 1 on failure.
"""
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timezone

from stores import Host

from harness import script

FORMATS = ["jsonl", "csv", "daylio", "jrnl", "ics", "markdown", "html"]
WORDS = ["tea", "Öl", "日本語", "a,b", "c;d", "back\\slash", "\"quoted\"", "x" * 90, "=1+1", "<b>", "*star*"]
FAILED = []


def check(holds, what):
    if not holds:
        FAILED.append(what)
        print("WRONG", what[:400])


def opened(host, store):
    return Host([host, "--store", store, "--time-zone", "UTC", "--no-plugins"])


def result(host, method, params):
    answer = host.ask(method, params)
    if answer is None:
        sys.exit(f"{method}: the host has ended")
    if "result" not in answer:
        sys.exit(f"{method}: {answer}")
    return answer["result"]


def export(host, form, **more):
    text, cursor = "", None
    while True:
        page = result(host, "store.export", {"format": form, **({"cursor": cursor} if cursor else more)})
        text += page["text"]
        cursor = page.get("nextCursor")
        if not cursor:
            return text


def fill(host, count, chance):
    for number in range(count):
        moment = datetime.fromtimestamp(1_700_000_000 + 86_461 * number, timezone.utc)
        words = lambda most: " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))
        params = {
            "emoji": "😊", "label": f"{number} {words(2)}"[:150], "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "notes": chance.choice(["", words(3), words(2) + "\n" + words(2)]),
            "tags": sorted({chance.choice(["sea", "work", "Öl", "at home"]) for _ in range(chance.randint(0, 2))}),
            "isFavorite": chance.random() < 0.3,
        }
        if chance.random() < 0.3:
            params["valence"] = chance.choice([-1, 0, 0.5])
        if chance.random() < 0.3:
            params["scales"] = {"sleep": 7}
        result(host, "mood.create", params)


def listed(host):
    items, cursor = [], None
    while True:
        page = result(host, "mood.list", {"limit": 1000, "order": "asc", **({"cursor": cursor} if cursor else {})})
        items += page["items"]
        cursor = page.get("nextCursor")
        if not cursor:
            return items


def judge(host, moods, folder):
    texts = {form: export(host, form) for form in FORMATS}
    for form, text in texts.items():
        with open(os.path.join(folder, form), "w", newline="") as file:
            file.write(text)
    check([json.loads(line) for line in texts["jsonl"].splitlines()] == moods, "jsonl is not the moods")
    rows = list(csv.DictReader(io.StringIO(texts["csv"], newline="")))
    check([row["label"] for row in rows] == [mood["label"] for mood in moods], "csv: labels")
    check([row["notes"] for row in rows] == [mood["notes"] for mood in moods], "csv: notes")
    entries = json.loads(texts["jrnl"])["entries"]
    check([entry["title"] for entry in entries] == ["😊 " + mood["label"] for mood in moods], "jrnl: titles")
    judge_table(os.path.join(folder, "csv"), moods)
    judge_calendar(texts["ics"], moods)
    return texts


def judge_table(path, moods):
    program = shutil.which("sqlite3")
    if not program:
        print("SKIPPED: sqlite3")
        return
    # Rows in hexadecimal, because notes have line breaks.
    made = subprocess.run(
        [program, ":memory:"], input=f".import --csv {path} moods\nselect id, hex(label), hex(notes), hex(tags) from moods;\n",
        capture_output=True, text=True, timeout=60)
    rows = [line.split("|") for line in made.stdout.splitlines()]
    words = [[mood["id"]] + [text.encode().hex().upper() for text in (mood["label"], mood["notes"], ",".join(mood["tags"]))]
             for mood in moods]
    check(made.stderr == "" and rows == words, f"sqlite3: {made.stderr} {len(rows)} rows")
    print("read by sqlite3:", len(rows))


def judge_calendar(text, moods):
    try:
        import icalendar
        found = [part for part in icalendar.Calendar.from_ical(text).walk() if part.name == "VEVENT"]
        check([str(event["UID"]) for event in found] == [mood["id"] for mood in moods], "icalendar: UIDs")
        check([str(event["SUMMARY"]) for event in found] == ["😊 " + mood["label"] for mood in moods], "icalendar: summaries")
        check([str(event.get("DESCRIPTION", "")) for event in found] == [mood["notes"] for mood in moods], "icalendar: notes")
        print("read by icalendar:", len(found))
    except ImportError:
        print("SKIPPED: icalendar")


def judge_daylio(host_path, folder):
    """Checks its five moods, which are all that the program knows."""
    try:
        from daylio_parser.parser import Parser
    except ImportError:
        print("SKIPPED: daylio-parser")
        return
    host = opened(host_path, os.path.join(folder, "daylio-store"))
    names = ["rad", "good", "meh", "bad", "awful"]
    for number, name in enumerate(names):
        result(host, "mood.create", {
            "emoji": "😊", "label": name, "timestamp": f"2026-11-2{number}T21:3{number}:00Z", "notes": "a, \"b\"\nc",
            "tags": ["sea", "at home"], "scales": {"sleep": 7}})
    path = os.path.join(folder, "daylio.csv")
    with open(path, "w", newline="") as file:
        file.write(export(host, "daylio"))
    entries = Parser().load_csv(path)
    check([entry.mood.name for entry in entries] == names, "daylio-parser: moods")
    check([entry.datetime.minute for entry in entries] == list(range(30, 35)), "daylio-parser: times")
    check(all(sorted(entry.activities) == ["at home", "sea"] for entry in entries), "daylio-parser: activities")
    check(all(entry.notes == "a, \"b\"\nc" for entry in entries), "daylio-parser: notes")
    again = opened(host_path, os.path.join(folder, "daylio-again"))
    report = result(again, "store.import", {"path": path, "timeZone": "UTC", "strict": True})
    check(report["created"] == 5, f"daylio: {report}")
    host.close()
    again.close()
    print("read by daylio-parser:", len(entries))


def judge_jrnl(host_path, folder):
    """Checks jrnl's files here, and ours in jrnl."""
    program = shutil.which("jrnl", path=os.path.dirname(sys.executable)) or shutil.which("jrnl")
    # A venv that has lost the package may still have the program, which then fails.
    if not program or subprocess.run([program, "--version"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: jrnl")
        return
    config, journal = os.path.join(folder, "jrnl.yaml"), os.path.join(folder, "journal.txt")
    with open(config, "w") as file:
        file.write(
            f"journals:\n  default:\n    journal: {journal}\nencrypt: false\ntagsymbols: '@'\ntimeformat: '%F %r'\n"
            "default_hour: 9\ndefault_minute: 0\nhighlight: false\nlinewrap: 79\ntemplate: false\ncolors:\n"
            "  body: none\n  date: none\n  tags: none\n  title: none\nindent_character: '|'\neditor: ''\nversion: v4.2\n")
    def run(*words, text=None):
        return subprocess.run(
            [program, "--config-file", config, *words], input=text, capture_output=True, text=True, timeout=60)
    run("2026-11-20 21:30: Calm at last. A long walk by the @sea.")
    run("2026-11-21 08:00: 😊 Happy.\nBody of it, with @work.")
    made = run("--export", "json").stdout
    start = made.find("{")
    check(start >= 0, "jrnl has written nothing")
    if start < 0:
        return
    store = os.path.join(folder, "from-jrnl")
    host = opened(host_path, store)
    report = result(host, "store.import", {"text": made[start:], "timeZone": "Europe/Berlin", "strict": True})
    check(report["created"] == 2, f"jrnl: {report}")
    host.close()
    print("written by jrnl, read here:", report["created"])


def round_trips(host_path, texts, moods, folder):
    for form in ["jsonl", "csv"]:
        host = opened(host_path, os.path.join(folder, "empty-" + form))
        path = os.path.join(folder, form)
        report = result(host, "store.import", {"path": path, "strict": True})
        check(report == {"created": len(moods), "updated": 0, "unchanged": 0, "leftOut": 0, "problems": []}, f"{form}: {report}")
        plain = lambda mood: {name: value for name, value in mood.items() if name != "revision"}
        check([plain(mood) for mood in listed(host)] == [plain(mood) for mood in moods], f"{form}: other moods")
        again = result(host, "store.import", {"path": path})
        check(again["unchanged"] == len(moods) and again["created"] == 0, f"{form} again: {again}")
        host.close()


# Formats for import only, each a small file of several entries.
BROUGHT = {
    "jrnl text": "".join(
        f"[2019-09-{day:02} 0{day % 10}:00] Day {day}{' *' if day % 2 else ''}\nTook them @school.\n\n" for day in range(1, 29)),
    "dayone": json.dumps({"metadata": {"version": "1.0"}, "entries": [
        {"uuid": f"{day:032X}", "creationDate": f"2018-12-{day:02}T16:50:12Z", "timeZone": "America/Denver", "starred": True,
         "tags": ["walk"], "text": f"# Title {day}\n\nA line\\.\n\n![](dayone-moment://{day})"} for day in range(1, 29)]}, indent=1),
    "pixels": "[" + ",\n".join(json.dumps(
        {"date": f"2025-1-{day}", "type": "Mood", "scores": [day % 5 + 1], "notes": "n",
         "tags": [{"type": "Emotions", "entries": [":3"]}]}) for day in range(1, 29)) + "]",
    "table": "sep=;\nStimmung;Datum;Uhrzeit;Schlaf\n" + "".join(
        f"Gut;{day:02}/04/2024;21.{day:02};7:45\n" for day in range(1, 29)),
    "daylio of a phone": "full_date,date,weekday,time,mood,activities,scales,note_title,note\n" + "".join(
        f"2026-05-{day:02},{day}. Mai,Samstag,9:10 pm,Gut,\"a | b\",\"Rest: 7/10 points | Sleep: 7:45\",\"\",\"<b>x</b><br>y\"\n"
        for day in range(1, 29)),
    "calendar": "BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Rome\r\nBEGIN:VTIMEZONE\r\nTZID:Own\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000\r\n"
        "TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n" + "".join(
        f"BEGIN:VEVENT\r\nUID:{day}\r\nSEQUENCE:1\r\nDTSTART;TZID=Own:202605{day:02}T101500\r\nSUMMARY:Fine\r\nEND:VEVENT\r\n"
        for day in range(1, 29)) + "END:VCALENDAR\r\n",
}


def through_the_shell(host_path, mood, folder):
    """Every kind of FILE gives the same moods, and the exit status shows whether all were imported."""
    rows = "".join(f"Happy,2026-01-{day:02}T10:00:00Z\n" for day in range(1, 21))
    path, link, fifo = (os.path.join(folder, name) for name in ["some.csv", "link.csv", "fifo"])
    with open(path, "w") as file:
        file.write("label,timestamp\n" + rows)
    os.symlink("some.csv", link)
    os.mkfifo(fifo)
    spool = os.path.join(folder, "spool")
    os.mkdir(spool)
    number = 0

    def run(command, expected, moods, check_moods=True):
        nonlocal number
        number += 1
        store = os.path.join(folder, f"shell-{number}")
        client = f"{mood} --host {host_path} --store {store}"
        made = subprocess.run(
            ["bash", "-c", command.replace("MOOD", client)], capture_output=True, text=True, timeout=60,
            env={**os.environ, "TMPDIR": spool, "F": path, "LINK": link, "FIFO": fifo})
        check(made.returncode == expected, f"{command}: {made.returncode} {made.stdout} {made.stderr}")
        check(os.listdir(spool) == [], f"{command}: {os.listdir(spool)} stay")
        if moods is not None:
            check(f"Added {moods} mood" in made.stdout, f"{command}: {made.stdout}")
        return made

    for command in [
            "MOOD import $F --yes", "MOOD import $LINK --yes", "cat $F | MOOD import - --yes", "MOOD import - --yes < $F",
            "cat $F | MOOD import /dev/stdin --yes", "MOOD import /dev/stdin --yes < $F", "MOOD import <(cat $F) --yes",
            "(cat $F > $FIFO) & MOOD import $FIFO --yes", "MOOD import /dev/fd/3 --yes 3< $F"]:
        run(command, 0, 20)
    backup = os.path.join(folder, "shell.jsonl")
    store = os.path.join(folder, "shell-1")
    subprocess.run([mood, "--host", host_path, "--store", store, "backup", backup], capture_output=True, timeout=60)
    for command in [f"MOOD restore <(cat {backup}) --yes", f"cat {backup} | MOOD restore - --yes", f"cat {backup} | MOOD restore /dev/stdin --yes"]:
        run(command, 0, 20)
    for text, code, moods in [
            ("label,timestamp\\nHappy,2026-01-01T10:00:00Z\\nSad,soon\\n", 65, 1), ("label,timestamp\\n", 65, 0),
            ("label,timestamp,valence\\nHappy,2026-01-01T10:00:00Z,much\\n", 0, 1), ("My secret, all of it.\\n", 65, None), ("", 65, None),
            ("BEGIN:VCALENDAR\\nBEGIN:VEVENT\\nSTATUS:CANCELLED\\nDTSTART:20260101T100000Z\\nSUMMARY:x\\nEND:VEVENT\\nEND:VCALENDAR\\n", 65, 0)]:
        made = run(f"printf '{text}' | MOOD import - --yes", code, moods)
        check("secret" not in made.stdout + made.stderr, f"{text}: its content was shown")
    print("files, links and pipes:", number)


def damaged(host_path, texts, count, chance, folder):
    texts = {**texts, **BROUGHT}
    host = opened(host_path, os.path.join(folder, "damaged"))
    pieces = ["\"", ",", "\n", "\r", "{", "}", "[", ":", "\\", "\ufeff", "\u2028", "BEGIN:VEVENT\n", "END:VEVENT\n", "0", "-", "9" * 40]
    refused = listed_problems = 0
    for number in range(count):
        form = chance.choice(["jsonl", "csv", "daylio", "jrnl", "ics"] + list(BROUGHT))
        text = texts[form]
        start = chance.randrange(max(len(text) - 3000, 1))
        text = texts[form][:chance.choice([200, 1500])] + text[start:start + 1500]
        for _ in range(chance.randint(1, 12)):
            at = chance.randrange(len(text) + 1)
            change = chance.randrange(3)
            text = text[:at] + (chance.choice(pieces) if change else "") + text[at + (0 if change == 1 else chance.randint(1, 20)):]
        before = result(host, "store.info", {})["revision"]
        params = {"text": text, "strict": chance.random() < 0.5}
        if chance.random() < 0.7 and (form not in BROUGHT or form in ("dayone", "pixels")):
            params["format"] = form
        answer = host.ask("store.import", params)
        if answer is None:
            check(False, f"the host has ended, case {number}: {text!r}")
            return
        after = result(host, "store.info", {})["revision"]
        lines = text.count("\n") + text.count("\r") + 1
        if "error" in answer:
            refused += 1
            check(answer["error"]["code"] == -32602, f"case {number}: {answer['error']}")
            check(after == before, f"case {number}: half an import")
            problems = answer["error"]["data"].get("problems", [])
        else:
            check(after - before in (0, 1), f"case {number}: {after - before} commits")
            problems = answer["result"]["problems"]
            lost = sum(1 for problem in problems if not problem.get("isKept"))
            check(lost == answer["result"]["leftOut"], f"case {number}: {lost} rows listed, {answer['result']['leftOut']} left out")
        listed_problems += len(problems)
        for problem in problems:
            check(1 <= problem["line"] <= lines and problem["reason"], f"case {number}: {problem}")
    check(host.close() == 0, "the host has not ended well")
    print(f"damaged files: {count}, refused {refused}, problems {listed_problems}")


def while_others_write(host_path, mood, count, folder):
    """Each writer counts; a backup is one moment's state if it has each writer's numbers without a gap."""
    backup = os.path.join(folder, "backup.jsonl")
    store = os.path.join(folder, "shared")
    stop = threading.Event()

    def write(writer):
        host = opened(host_path, store)
        number = 0
        while not stop.is_set():
            result(host, "mood.create", {"emoji": "😊", "label": f"{writer} {number}", "timestamp": "2026-01-01T00:00:00Z"})
            number += 1
            # Slow enough to keep a thousand backups short.
            time.sleep(0.05)
        host.close()

    def client(*words):
        made = subprocess.run([mood, "--host", host_path, *words], capture_output=True, text=True, timeout=120)
        check(made.returncode == 0, f"mood {words}: {made.stderr}")

    def restored(moods):
        copy = os.path.join(folder, "restored")
        shutil.rmtree(copy, ignore_errors=True)
        client("--store", copy, "restore", backup, "--yes")
        host = opened(host_path, copy)
        check(len(listed(host)) == len(moods), "a backup that was restored has other moods")
        check(result(host, "store.verify", {})["ok"], "a backup that was restored is not whole")
        host.close()

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for writer in writers:
        writer.start()
    reader = opened(host_path, store)
    seen = 0
    for number in range(count):
        deadline = time.monotonic() + 20
        while result(reader, "store.info", {})["revision"] <= seen and time.monotonic() < deadline:
            time.sleep(0.001)
        if mood:
            client("--store", store, "backup", backup, "--force")
            with open(backup) as file:
                text = file.read()
        else:
            text = export(reader, "jsonl")
        moods = [json.loads(line) for line in text.splitlines()]
        if mood:
            head, *moods, end = moods
            check(head["revision"] == len(moods) == end["count"], f"backup {number}: its first and last line say otherwise")
        if mood and (number % 100 == 99 or number == count - 1):
            restored(moods)
        for writer in range(4):
            numbers = sorted(int(mood["label"].split()[1]) for mood in moods if mood["label"].startswith(f"{writer} "))
            check(numbers == list(range(len(numbers))), f"backup {number}: writer {writer} has gaps")
        top = max((mood["revision"] for mood in moods), default=0)
        check(top == len(moods), f"backup {number}: {len(moods)} moods at revision {top}")
        check(top >= seen, f"backup {number} is older than the one before")
        seen = top
    stop.set()
    for writer in writers:
        writer.join()
    reader.close()
    print(f"backups while four hosts write: {count}, the last of {seen} moods")


@script("host", mood=str, moods=200, damaged=1000, backups=20, seed=1)
def main(given):
    chance = random.Random(given.seed)
    folder = tempfile.mkdtemp(prefix="transfer-")
    try:
        host = opened(given.host, os.path.join(folder, "store"))
        fill(host, given.moods, chance)
        moods = listed(host)
        texts = judge(host, moods, folder)
        host.close()
        judge_daylio(given.host, folder)
        judge_jrnl(given.host, folder)
        round_trips(given.host, texts, moods, folder)
        if given.mood:
            through_the_shell(given.host, given.mood, folder)
        damaged(given.host, texts, given.damaged, chance, folder)
        while_others_write(given.host, given.mood, given.backups, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(FAILED)} wrong")
    return FAILED
