#!/usr/bin/env python3
"""Calendars in two other programs: `icalendar` and `ics` (both from PyPI).

    calendars.py HOST [--moods 200] [--seed 1]

Random moods are shared as VEVENT and as VJOURNAL, and the events that they carry exported as the action exportEvent does.
Each text must be read without an error, and what comes out must be what went in: UID, DTSTAMP, DTSTART, DTEND, summary,
notes, tags, place, address, alarm. Exit 1 when one is not; 2 when no reader is installed.
"""
import random
from datetime import datetime, timedelta, timezone

from harness import Host, script

try:
    import icalendar
except ImportError:
    icalendar = None
try:
    import ics
except ImportError:
    ics = None

WORDS = ["tea", "Öl", "日本語", "a,b", "c;d", "back\\slash", "\N{SMILING FACE WITH SMILING EYES}", "\"quoted\"", "x" * 90, "e\u0301", "tab\there"]


def moment(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def moods(count, seed):
    chance = random.Random(seed)

    def text(most, joiner=" "):
        return joiner.join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))

    def line(most):
        return text(most).replace("\t", " ").strip()[:150]

    def event():
        found = {"kind": "event", "title": line(3), "occurrences": []}
        for _ in range(chance.choice([1, 1, 2, 32])):
            start = chance.randint(0, 4_000_000_000)
            end = start + chance.choice([0, 1, 3600, 200_000])
            found["occurrences"].append({"start": moment(start), "end": moment(end)})
        for name, value in (("location", line(4)), ("description", text(30, "\n")), ("hostName", line(2)), ("url", "https://example.org/?a=b,c;d")):
            if chance.random() < 0.6:
                found[name] = value
        return found

    for _ in range(count):
        yield {
            "emoji": "\N{SMILING FACE WITH SMILING EYES}", "label": text(2).replace("\t", " ").strip()[:150],
            "notes": text(30, chance.choice([" ", "\n", " \n "])) if chance.random() < 0.8 else "",
            "tags": sorted({text(1).replace("\t", " ").strip()[:60] for _ in range(chance.randint(0, 4))}),
            "timestamp": moment(chance.randint(0, 4_000_000_000)),
            "attachments": [chance.choice([event(), {"kind": "link", "url": "https://example.org"}]) for _ in range(chance.randint(0, 3))],
        }


def event_uids(mood, place):
    """The UIDs of an event's occurrences: from the mood's id and the event's title, and from their start if there are
    several."""
    event = mood["attachments"][place]
    title = 0xcbf29ce484222325
    for byte in event["title"].encode():
        title = (title ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    before = sum(other.get("title") == event["title"] and other["kind"] == "event" for other in mood["attachments"][:place])
    uid = f"{mood['id']}-{title:016x}" + (f"-{before}" if before else "")
    starts = [read_moment(times["start"]).strftime("%Y%m%dT%H%M%SZ") for times in event["occurrences"]]
    if len(starts) == 1:
        return [uid]
    again = [starts[:number].count(start) for number, start in enumerate(starts)]
    return [f"{uid}-{start}" + (f"-{count}" if count else "") for start, count in zip(starts, again)]


def problem(mood, text, kind):
    """The problem that icalendar finds, or None."""
    calendar = icalendar.Calendar.from_ical(text)
    if calendar.errors:
        return f"errors {calendar.errors}"
    parts = [part for part in calendar.walk() if part.name == kind]
    if len(parts) != 1 or parts[0].errors:
        return f"{len(parts)} parts, errors {[part.errors for part in parts]}"
    part = parts[0]
    start = read_moment(mood["timestamp"]).replace(microsecond=0)
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


def event_problem(mood, place, text):
    """The problem that icalendar finds in an exported event, or None."""
    event = mood["attachments"][place]
    calendar = icalendar.Calendar.from_ical(text)
    parts = [part for part in calendar.walk() if part.name == "VEVENT"]
    if calendar.errors or any(part.errors for part in calendar.walk()) or len(parts) != len(event["occurrences"]):
        return f"{len(parts)} parts, errors {calendar.errors} {[part.errors for part in calendar.walk()]}"
    about = [text for text in (event.get("description"), f"Host: {event['hostName']}" if "hostName" in event else None) if text]
    uids = event_uids(mood, place)
    for part, times, uid in zip(parts, event["occurrences"], uids):
        start, end = read_moment(times["start"]), read_moment(times["end"])
        alarms = part.walk("VALARM")
        checks = {
            "UID": str(part.get("uid")) == uid,
            "DTSTAMP": part.get("dtstamp") is not None and part["dtstamp"].dt.tzinfo is not None,
            "DTSTART": part["dtstart"].dt == start,
            "DTEND": part["dtend"].dt == end if end > start else part.get("dtend") is None,
            "SUMMARY": str(part["summary"]) == event["title"],
            "DESCRIPTION": str(part.get("description", "")) == "\n".join(about),
            "LOCATION": str(part.get("location", "")) == event.get("location", ""),
            "URL": str(part.get("url", "")) == event.get("url", ""),
            "CLASS": str(part["class"]) == "PRIVATE",
            "TRANSP": str(part["transp"]) == "TRANSPARENT",
            "VALARM": len(alarms) == 1 and alarms[0]["trigger"].dt == -timedelta(hours=1, minutes=30),
        }
        wrong = next((f"{name} differs: {part.get(name)!r}" for name, is_right in checks.items() if not is_right), None)
        if wrong:
            return f"occurrence {number}: {wrong}"
    return None


def exported(host, mood, place):
    """The text of an event, in the form that a client gets."""
    action = {"type": "exportEvent", "id": mood["id"], "attachment": place}
    effects = host.ask("action.perform", {"action": action})["effects"]
    assert [(effect["type"], effect["what"], effect["mediaType"]) for effect in effects] == [
        ("present", "calendarEvent", "text/calendar; charset=utf-8")], effects
    return effects[0]["text"]


@script("host", moods=200, seed=1)
def main(options):
    if icalendar is None and ics is None:
        print("neither icalendar nor ics is installed")
        return 2
    host, failed, read = Host(options.host), 0, 0
    for given in moods(options.moods, options.seed):
        mood = host.ask("mood.create", given)
        for kind in ("vevent", "vjournal"):
            shared = host.ask("mood.share", {"id": mood["id"], "format": "ics", "as": kind})
            assert shared["mediaType"] == "text/calendar; charset=utf-8", shared["mediaType"]
            found = problem(mood, shared["text"], kind.upper()) if icalendar else None
            # The second reader knows only events.
            if found is None and ics and kind == "vevent":
                events = list(ics.Calendar(shared["text"]).events)
                if len(events) != 1 or events[0].uid != mood["id"]:
                    found = f"ics reads {events}"
            read += 1
            if found:
                failed += 1
                print(f"{kind} of {mood}: {found}\n{shared['text']}")
        for place, attachment in enumerate(mood["attachments"]):
            if attachment["kind"] != "event":
                continue
            text = exported(host, mood, place)
            found = event_problem(mood, place, text) if icalendar else None
            if found is None and ics:
                uids = {event.uid for event in ics.Calendar(text).events}
                if uids != set(event_uids(mood, place)):
                    found = f"ics reads {uids}"
            read += 1
            if found:
                failed += 1
                print(f"event {place} of {mood}: {found}\n{text}")
    versions = [f"{module.__name__} {getattr(module, '__version__', '')}".strip() for module in (icalendar, ics) if module]
    print(f"{read} calendars read by {' and '.join(versions)}: {failed} wrong")
    return 1 if failed else 0
