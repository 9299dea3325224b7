#!/usr/bin/env python3
"""Calendars read by programs that others wrote: `icalendar` and `ics` (both from PyPI).

    calendars.py HOST [--moods 200] [--seed 1]

Random moods are shared as VEVENT and as VJOURNAL. Each text must be read without an error, and what comes out must be
what went in: UID, DTSTAMP, DTSTART, summary, notes, tags. Exit 1 when one is not; 2 when no reader is installed.
"""
import argparse
import json
import random
import subprocess
import sys
from datetime import datetime, timezone

try:
    import icalendar
except ImportError:
    icalendar = None
try:
    import ics
except ImportError:
    ics = None

WORDS = ["tea", "Öl", "日本語", "a,b", "c;d", "back\\slash", "\N{SMILING FACE WITH SMILING EYES}", "\"quoted\"", "x" * 90, "e\u0301", "tab\there"]


def moods(count, seed):
    chance = random.Random(seed)

    def text(most, joiner=" "):
        return joiner.join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))

    for _ in range(count):
        yield {
            "emoji": "\N{SMILING FACE WITH SMILING EYES}", "label": text(2).replace("\t", " ").strip()[:150],
            "notes": text(30, chance.choice([" ", "\n", " \n "])) if chance.random() < 0.8 else "",
            "tags": sorted({text(1).replace("\t", " ").strip()[:60] for _ in range(chance.randint(0, 4))}),
            "timestamp": datetime.fromtimestamp(chance.randint(0, 4_000_000_000), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }


class Host:
    def __init__(self, path):
        self.process = subprocess.Popen([path, "--in-memory"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, method, params):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]


def problem(mood, text, kind):
    """What icalendar finds wrong, or None."""
    calendar = icalendar.Calendar.from_ical(text)
    if calendar.errors:
        return f"errors {calendar.errors}"
    parts = [part for part in calendar.walk() if part.name == kind]
    if len(parts) != 1 or parts[0].errors:
        return f"{len(parts)} parts, errors {[part.errors for part in parts]}"
    part = parts[0]
    start = datetime.fromisoformat(mood["timestamp"].replace("Z", "+00:00")).replace(microsecond=0)
    categories = part.get("categories")
    tags = [str(tag) for tag in categories.cats] if categories is not None else []
    checks = {
        "UID": str(part.get("uid")) == mood["id"],
        "DTSTAMP": part.get("dtstamp") is not None and part["dtstamp"].dt.tzinfo is not None,
        "DTSTART": part["dtstart"].dt == start,
        "SUMMARY": str(part["summary"]) == f"{mood['emoji']} {mood['label']}",
        "DESCRIPTION": str(part.get("description", "")) == mood["notes"],
        "CATEGORIES": tags == mood["tags"],
    }
    return next((f"{name} differs: {part.get(name)!r}" for name, is_right in checks.items() if not is_right), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--moods", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if icalendar is None and ics is None:
        print("neither icalendar nor ics is installed")
        return 2
    host, failed, read = Host(options.host), 0, 0
    for given in moods(options.moods, options.seed):
        mood = host.call("mood.create", given)
        for kind in ("vevent", "vjournal"):
            shared = host.call("mood.share", {"id": mood["id"], "format": "ics", "as": kind})
            assert shared["mediaType"] == "text/calendar; charset=utf-8", shared["mediaType"]
            found = problem(mood, shared["text"], kind.upper()) if icalendar else None
            # The second reader knows events only.
            if found is None and ics and kind == "vevent":
                events = list(ics.Calendar(shared["text"]).events)
                if len(events) != 1 or events[0].uid != mood["id"]:
                    found = f"ics reads {events}"
            read += 1
            if found:
                failed += 1
                print(f"{kind} of {mood}: {found}\n{shared['text']}")
    versions = [f"{module.__name__} {getattr(module, '__version__', '')}".strip() for module in (icalendar, ics) if module]
    print(f"{read} calendars read by {' and '.join(versions)}: {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
