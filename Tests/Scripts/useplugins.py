#!/usr/bin/env python3
"""Uses each of the example plugins in a host like a person, and checks the answers.

    Tests/Scripts/useplugins.py PATH/TO/moodboard [--only NAME]

The plugin in Swift is used if it was built before (`words` beside its manifest). A missing language is `SKIPPED`.
"""

import datetime
import json
import os
import shutil
import xml.dom.minidom

from pluginhost import EXAMPLES, Refused, Trial, gone, wait_until

from harness import One, script

MOOD = {"emoji": "😊", "label": "Happy & <calm>", "notes": "A walk by the sea", "tags": ["sea"], "valence": 0.8}


class Skipped(Exception):
    """A requirement that this machine lacks."""


def expect(is_so, what):
    if not is_so:
        raise AssertionError(what)


def card(host, _):
    mood = host.ask("mood.create", MOOD)
    shared = host.ask("mood.share", {"id": mood["id"], "format": "card", "timeZone": "Europe/Berlin"})
    picture = xml.dom.minidom.parseString(shared["text"].encode())
    expect(shared["mediaType"].startswith("image/svg+xml"), shared["mediaType"])
    expect(picture.getElementsByTagName("title")[0].firstChild.data == "😊 Happy & <calm>", shared["text"])


def week(host, _):
    start = datetime.datetime(2026, 1, 2, 12, tzinfo=datetime.timezone.utc)
    for day in range(7):
        mood = host.ask("mood.create", {**MOOD, "timestamp": (start + datetime.timedelta(days=day)).isoformat(), "valence": day / 6})
    cells = host.ask("mood.detail", {"id": mood["id"], "waitMs": 5000})["cells"]
    own = [cell for cell in cells if cell["id"] == "org.moodboard.week/week"]
    expect(own == cells[-1:], cells)
    expect(own[0]["value"] == "▄▅▆▆▇██ 7 moods, mostly good", own)


def sleep_on_it(host, name):
    now = datetime.datetime.now(datetime.timezone.utc)
    clock = [(now + datetime.timedelta(hours=hours)).strftime("%H:%M") for hours in (-1, 1, 2)]
    host.ask("plugin.configure", {"id": name, "config": {"from": clock[0], "until": clock[1]}})
    try:
        host.ask("mood.create", MOOD)
        raise AssertionError("at night a mood is added")
    except Refused as refused:
        expect(refused.code == 1003 and refused.data["by"] == f"x.{name}" and "Sleep on it" in refused.data["reason"], refused)
    expect(host.ask("store.info")["moods"] == 0, "it was added")
    host.ask("mood.create", {**MOOD, "tags": ["awake"]})
    host.ask("plugin.configure", {"id": name, "config": {"from": clock[1], "until": clock[2]}})
    host.ask("mood.create", MOOD)
    try:
        host.ask("plugin.configure", {"id": name, "config": {"from": "late"}})
        raise AssertionError("a wrong setting is taken")
    except Refused as refused:
        expect(refused.code == -32602, refused)


def pixels(host, _):
    if all(method["name"] != "store.import" for method in host.ask("rpc.discover")["methods"]):
        raise Skipped("store.import")
    days = [{"date": f"2025-{1 + n // 28}-{1 + n % 28}", "type": "Mood", "scores": [1 + n % 5], "notes": f"Day {n}", "tags": []}
            for n in range(300)]
    text = json.dumps([*days, {"date": "2025-13-1", "scores": [1]}])
    first = host.ask("store.import", {"format": "pixelsScores", "text": text})
    expect(first["created"] == 300 and len(first["problems"]) == 1, first)
    again = host.ask("store.import", {"format": "pixelsScores", "text": text})
    expect(again["created"] == 0 and again["unchanged"] == 300, again)
    expect(host.ask("store.info")["moods"] == 300, "other moods")


def daily_notes(host, name):
    folder = os.path.join(host.home, "MoodBoard")
    host.ask("plugin.configure", {"id": name, "config": {"folder": folder}})
    one = host.ask("mood.create", {**MOOD, "timestamp": "2026-01-02T03:04:05Z"})
    path = os.path.join(folder, "2026-01-02.md")
    expect(wait_until(lambda: os.path.exists(path), 10) is not None, host.ask("plugin.info", {"id": name}))
    expect("## 03:04 😊 Happy & <calm>" in open(path, encoding="utf-8").read(), "another text")
    host.ask("mood.update", {"id": one["id"], "set": {"timestamp": "2026-01-03T03:04:05Z"}})
    expect(wait_until(lambda: os.listdir(folder) == ["2026-01-03.md"], 10) is not None, os.listdir(folder))


def words(host, name):
    for notes in ("Garden and sea", "Garden, rain", "Garden"):
        host.ask("mood.create", {**MOOD, "notes": notes})
    found = host.ask(f"x.{name}.frequent", {"limit": 1})
    expect(found["moods"] == 3 and found["words"][0]["word"] == "garden" and found["words"][0]["count"] == 3, found)
    items = [item for section in host.ask("nav.menu")["sections"] for item in section["items"]]
    item = next(item for item in items if item["title"] == "Frequent words")
    expect(host.ask("action.perform", {"action": item["action"]})["result"]["moods"] == 3, item)


def echo(host, name):
    expect(host.ask(f"x.{name}.echo", {"text": "é \u2028", "n": [1, None]}) == {"text": "é \u2028", "n": [1, None]}, "another answer")
    host.ask("mood.create", MOOD)


USES = {"card": card, "week": week, "sleep-on-it": sleep_on_it, "pixels": pixels, "daily-notes": daily_notes, "words": words, "echo": echo}
NEEDS = {"card": "python3", "week": "jq", "sleep-on-it": "python3", "pixels": "node", "daily-notes": "python3", "echo": "cc"}


def use(binary, short):
    """The problem in words, or None."""
    name = f"org.moodboard.{short}"
    with Trial(binary) as trial:
        trial.example(name)
        os.mkdir(os.path.join(trial.folder, "MoodBoard"), 0o700)
        host = trial.start(env={**os.environ, "HOME": trial.folder})
        host.home = trial.folder
        try:
            host.trust(name)
            USES[short](host, name)
            info = host.ask("plugin.info", {"id": name})
            expect(info["crashes"] == 0, info)
            found = None
        except Skipped:
            host.close()
            raise
        except (AssertionError, Refused, EOFError, TimeoutError, KeyError, StopIteration) as error:
            try:
                log = host.ask("plugin.log", {"id": name})["lines"][-5:]
            except (Refused, EOFError, BrokenPipeError):
                log = []
            found = f"{type(error).__name__}: {str(error)[:600]} {json.dumps(log) if log else ''}"
        if host.close() is None:
            found = found or "the host does not end"
        return found or (None if gone([], trial.store, 2) is not None else "processes stay")


@script("host", only=One(USES))
def main(options):
    used, failed = 0, 0
    for short in [options.only] if options.only else USES:
        if short == "words" and not os.path.exists(os.path.join(EXAMPLES, "org.moodboard.words/words")):
            print("SKIPPED: the plugin in Swift is not built")
        elif short in NEEDS and not shutil.which(NEEDS[short]):
            print(f"SKIPPED: {NEEDS[short]}")
        else:
            try:
                found = use(options.host, short)
            except Skipped as skipped:
                print(f"SKIPPED: {skipped}")
                continue
            used += 1
            if found:
                failed += 1
                print(f"{short}: {found}")
    print(f"{used - failed} example plugins do what they say, {failed} do not")
    return 1 if failed else 0
