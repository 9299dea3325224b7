#!/usr/bin/env python3
"""Compares statistics with an independent computation; Python's standard library only.

    lookback.py HOST [--stores 40] [--moods 300] [--seed 1]

Each store has random moods in several zones, around changes of the clocks and the turn of a year, and days that begin at
00:00, 04:00 or 02:30. `stats.summary` of several spans and filters, `stats.year`, `stats.month`, `stats.onThisDay` and
`mood.tags` must equal the results here, numbers within 1e-9. Exit 1 at the first difference.

Every second store is one of files that is compacted between its changes, so that some moods are read from the columns of
its index and others from its journal; some of them were changed, or are deleted again.
"""
import math
import os
import random
import tempfile

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from harness import Host, Wrong, script

ZONES = ["Europe/Helsinki", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe", "UTC"]
FEELINGS = [("😊", "Happy", 0.8), ("😢", "Sad", -0.6), ("😌", "calm", 0.5), ("🐝", "Busy", None), ("😊", "Proud", 0.8), ("😐", "So So", 0)]
TAGS = ["work", "Work", "WORK", "rain", "Café", "café", "sport", "a", "b"]
EDGES = [-1, -0.6, -0.2, 0.2, 0.6, 1]
TOLERANCE = 1e-9


def text(moment):
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def make(chance, count, now):
    """Moods around the changes of the clocks of 2026, the turn of the year, and now."""
    centers = [datetime(2026, 3, 29, 1, tzinfo=timezone.utc), datetime(2026, 10, 25, 1, tzinfo=timezone.utc),
               datetime(2026, 11, 1, 6, tzinfo=timezone.utc), datetime(2026, 1, 1, tzinfo=timezone.utc),
               datetime(2024, 2, 29, 12, tzinfo=timezone.utc), now, now]
    moods = []
    for _ in range(count):
        center = chance.choice(centers)
        moment = center + timedelta(milliseconds=chance.randint(-12 * 86_400_000, 4 * 86_400_000))
        emoji, label, estimate = chance.choice(FEELINGS)
        mood = {"emoji": emoji, "label": label, "timestamp": text(moment), "isFavorite": chance.random() < 0.2}
        if chance.random() < 0.6:
            mood["valence"] = chance.choice([round(chance.uniform(-1, 1), 3), *EDGES])
        if chance.random() < 0.5:
            mood["timeZone"] = chance.choice(ZONES)
        tags = {}
        for tag in chance.sample(TAGS, chance.choice([0, 0, 1, 2, 3])):
            tags.setdefault(tag.casefold(), tag)
        mood["tags"] = list(tags.values())
        if chance.random() < 0.4:
            mood["scales"] = {name: round(chance.uniform(-10, 10), 2) for name in chance.sample(["sleep", "energy", "pain"], chance.choice([1, 2]))}
        moods.append((mood, estimate))
    return moods


class Journal:
    def __init__(self, moods, zone, day_start, now):
        self.zone, self.day_start, self.now = zone, day_start, now
        self.moods = []
        for mood, estimate in sorted(moods, key=lambda pair: (pair[0]["timestamp"], pair[0]["id"])):
            moment = datetime.fromisoformat(mood["timestamp"].replace("Z", "+00:00"))
            if moment > now:
                continue
            wall = moment.astimezone(ZoneInfo(mood.get("timeZone", zone))).replace(tzinfo=None)
            self.moods.append({
                **mood, "moment": moment, "hour": wall.hour, "day": (wall - day_start).date(),
                "value": mood.get("valence", estimate), "estimated": "valence" not in mood and estimate is not None})
        self.today = (now.astimezone(ZoneInfo(zone)).replace(tzinfo=None) - day_start).date()

    def summary(self, first=None, last=None, previous=None, wanted=lambda mood: True, by="day"):
        meant = [mood for mood in self.moods if wanted(mood)]
        inside = [m for m in meant if (first is None or m["day"] >= first) and (last is None or m["day"] <= last)]
        result = {
            "moods": len(inside), "favorites": sum(m["isFavorite"] for m in inside), "days": len({m["day"] for m in inside}),
            "valued": sum(m["value"] is not None for m in inside), "estimated": sum(m["estimated"] for m in inside),
            "average": mean(inside), "spread": spread(inside), "feelings": feelings(inside), "scales": scales(inside),
            "tags": compared(inside), "valences": valences(inside), "streak": self.streak(), "swings": swings(inside),
            "weekdays": [tally([m for m in inside if m["day"].weekday() == n]) for n in range(7)],
            "hours": [tally([m for m in inside if m["hour"] == n]) for n in range(24)],
            "partsOfDay": [tally([m for m in inside if m["hour"] // 6 == n]) for n in range(4)],
        }
        begin = first or (min((m["day"] for m in inside), default=None))
        end = last or self.today
        if begin is not None and (inside or first is not None):
            result["from"], result["to"] = begin.isoformat(), end.isoformat()
        if previous:
            before = [m for m in meant if previous[0] <= m["day"] <= previous[1]]
            result["previous"] = {"from": previous[0].isoformat(), "to": previous[1].isoformat(), "moods": len(before), "average": mean(before)}
        result["series"] = series(inside, begin, max([end] + [m["day"] for m in inside]), by) if begin else []
        return result

    def streak(self):
        days = sorted({m["day"] for m in self.moods})
        rows = []
        for day in days:
            if rows and day - rows[-1][1] == timedelta(1):
                rows[-1][1] = day
            else:
                rows.append([day, day])
        length = lambda row: (row[1] - row[0]).days + 1
        longest = max(rows, key=length, default=None)
        current = rows[-1] if rows and rows[-1][1] >= self.today - timedelta(1) else None
        return {
            "current": {"days": length(current), "from": current[0].isoformat()} if current else {"days": 0},
            "longest": {"days": length(longest), "from": longest[0].isoformat(), "to": longest[1].isoformat()} if longest else {"days": 0}}

    def faces(self, first, last):
        result = []
        for day in days_between(first, last):
            found = [m for m in self.moods if m["day"] == day]
            entry = {"date": day.isoformat(), **tally(found)}
            if found:
                counts = Counter(m["emoji"] for m in found)
                latest = [m for m in found if counts[m["emoji"]] == max(counts.values())][-1]
                entry["emoji"], entry["label"] = latest["emoji"], latest["label"]
            result.append(entry)
        return {"days": result}


def mean(moods):
    values = [m["value"] for m in moods if m["value"] is not None]
    return math.fsum(values) / len(values) if values else None


def spread(moods):
    values = [m["value"] for m in moods if m["value"] is not None]
    if not values:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))


def tally(moods):
    return {"count": len(moods), "average": mean(moods)}


def feelings(moods):
    groups = defaultdict(list)
    for mood in moods:
        groups[mood["emoji"], mood["label"]].append(mood)
    found = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0][1].encode(), item[0][0].encode()))[:20]
    return [{"emoji": key[0], "label": key[1], **tally(group)} for key, group in found]


def scales(moods):
    groups = defaultdict(list)
    for mood in moods:
        for name, value in mood.get("scales", {}).items():
            groups[name].append(value)
    return [{"name": name, "count": len(values), "average": math.fsum(values) / len(values), "least": min(values), "greatest": max(values)}
            for name, values in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))]


def spellings(moods):
    first = {}
    for mood in moods:
        for tag in mood["tags"]:
            first.setdefault(tag.casefold(), tag)
    return first


def compared(moods):
    result = []
    for folded, spelling in spellings(moods).items():
        with_tag = [m for m in moods if folded in [t.casefold() for t in m["tags"]]]
        others = [m for m in moods if m not in with_tag]
        if min(sum(m["value"] is not None for m in group) for group in (with_tag, others)) < 5:
            continue
        result.append({"tag": spelling, "count": len(with_tag), "average": mean(with_tag), "without": mean(others),
                       "difference": mean(with_tag) - mean(others), "folded": folded})
    result.sort(key=lambda tag: (-tag["count"], tag["folded"].encode()))
    for tag in result:
        del tag["folded"]
    return result


def valences(moods):
    counts = [0] * 5
    for mood in moods:
        if mood["value"] is not None:
            counts[max(n for n in range(5) if mood["value"] >= EDGES[n])] += 1
    return [{"from": EDGES[n], "to": EDGES[n + 1], "count": counts[n]} for n in range(5)]


def swings(moods):
    means = {day: mean([m for m in moods if m["day"] == day]) for day in {m["day"] for m in moods}}
    found = [abs(means[day] - means[day - timedelta(1)]) for day in means
             if means[day] is not None and means.get(day - timedelta(1)) is not None]
    return math.fsum(found) / len(found) if found else None


def days_between(first, last):
    return [first + timedelta(n) for n in range((last - first).days + 1)]


def series(moods, first, last, by):
    start = {"day": lambda day: day, "week": lambda day: day - timedelta(day.weekday()), "month": lambda day: day.replace(day=1)}[by]
    groups = {}
    for day in days_between(min([first] + [m["day"] for m in moods]), last):
        groups.setdefault(start(day), [])
    for mood in moods:
        groups[start(mood["day"])].append(mood)
    return [{"date": day.isoformat(), **tally(group)} for day, group in groups.items()]


def same(found, expected, place=""):
    if isinstance(expected, dict):
        expected = {name: value for name, value in expected.items() if value is not None}
        if found.keys() != expected.keys():
            raise Wrong(f"{place}: {sorted(found)} instead of {sorted(expected)}")
        for name, value in expected.items():
            same(found[name], value, f"{place}/{name}")
    elif isinstance(expected, list):
        if len(found) != len(expected):
            raise Wrong(f"{place}: {len(found)} entries instead of {len(expected)}: {found} instead of {expected}")
        for number, (one, other) in enumerate(zip(found, expected)):
            same(one, other, f"{place}/{number}")
    elif isinstance(expected, float):
        if abs(found - expected) > TOLERANCE:
            raise Wrong(f"{place}: {found!r} instead of {expected!r}")
    elif found != expected:
        raise Wrong(f"{place}: {found!r} instead of {expected!r}")


def check(host, seed, count, store=None):
    chance = random.Random(seed)
    zone = chance.choice(ZONES)
    start = chance.choice(["00:00", "04:00", "02:30"])
    now = datetime(2026, 11, chance.randint(2, 28), chance.randint(0, 23), 30, tzinfo=timezone.utc)
    running = Host([host, *(["--store", store] if store else ["--in-memory"])], "--time-zone", zone, "--no-plugins")
    ask = running.call
    ask("settings.set", dayStartsAt=start)
    moods = make(chance, count, now)
    compactions = chance.sample(range(count), 2) if store else []
    changed = []
    for number, (mood, _) in enumerate(moods):
        mood["id"] = f"00000000-0000-7000-8000-{number:012x}"
        before = chance.choice(moods)[0] if store and chance.random() < 0.3 else mood
        ask("mood.create", **{**before, "id": mood["id"]})
        if before is not mood:
            changed.append(number)
        if store and chance.random() < 0.1:
            gone = f"00000000-0000-7000-9000-{number:012x}"
            ask("mood.create", **{**before, "id": gone})
            changed.append(gone)
        if number in compactions:
            ask("store.compact")
    for one in changed:
        if isinstance(one, str):
            ask("mood.delete", id=one)
            continue
        mood = moods[one][0]
        members = {"valence": None, "timeZone": None, "scales": None, **mood}
        ask("mood.update", id=members.pop("id"), set=members)
    hours, minutes = map(int, start.split(":"))
    journal = Journal(moods, zone, timedelta(hours=hours, minutes=minutes), now)
    said = {"now": text(now)}
    today = journal.today
    compare = lambda name, found, expected: same(found, expected, f"seed {seed}, {zone}, {start}, {name}")

    compare("all", ask("stats.summary", by="month", **said), journal.summary(by="month"))
    november = date(2026, 11, 1), date(2026, 11, 30)
    for by in ("day", "week", "month"):
        found = ask("stats.summary", **{"in": "2026-11"}, by=by, **said)
        compare("month by " + by, found, journal.summary(*november, (date(2026, 10, 1), date(2026, 10, 31)), by=by))
    compare("year", ask("stats.summary", **{"in": "2026"}, by="week", **said),
            journal.summary(date(2026, 1, 1), date(2026, 12, 31), (date(2025, 1, 1), date(2025, 12, 31)), by="week"))
    monday = today - timedelta(today.weekday())
    compare("week", ask("stats.summary", **{"in": "this week"}, **said),
            journal.summary(monday, monday + timedelta(6), (monday - timedelta(7), monday - timedelta(1))))
    compare("ten days", ask("stats.summary", **{"in": "last 10 days"}, **said),
            journal.summary(today - timedelta(9), today, (today - timedelta(19), today - timedelta(10))))
    compare("from", ask("stats.summary", **{"from": "2026-10-20"}, **said),
            journal.summary(date(2026, 10, 20), None, (date(2026, 10, 20) - (today - date(2026, 10, 20)) - timedelta(1), date(2026, 10, 19))))
    for name, given, wanted in [
        ("favorites", {"isFavorite": True}, lambda m: m["isFavorite"]),
        ("tag", {"tags": ["WORK"]}, lambda m: "work" in [t.casefold() for t in m["tags"]]),
        ("valence", {"valenceFrom": 0.2}, lambda m: m["value"] is not None and m["value"] >= 0.2),
        ("day", {"dayTo": "2026-10-25"}, lambda m: m["day"] <= date(2026, 10, 25)),
    ]:
        compare(name, ask("stats.summary", filter=given, by="week", **said), journal.summary(wanted=wanted, by="week"))
    compare("stats.year", ask("stats.year", year=2026, **said), journal.faces(date(2026, 1, 1), date(2026, 12, 31)))
    compare("stats.month", ask("stats.month", month="2026-10", **said), journal.faces(date(2026, 10, 1), date(2026, 10, 31)))
    for day in (date(2026, 2, 28), date(2028, 2, 29), today, date(2027, 10, 26)):
        years = defaultdict(list)
        for mood in journal.moods:
            if (mood["day"].month, mood["day"].day) == (day.month, day.day) and mood["day"].year < day.year:
                years[mood["day"].year].append(mood["id"])
        found = ask("stats.onThisDay", date=day.isoformat(), **said)["items"]
        compare("stats.onThisDay", [[item["year"], [m["id"] for m in item["moods"]]] for item in found],
                [[year, ids] for year, ids in sorted(years.items(), reverse=True)])
    everything = [{**mood, "moment": datetime.fromisoformat(mood["timestamp"].replace("Z", "+00:00"))}
                  for mood, _ in sorted(moods, key=lambda pair: (pair[0]["timestamp"], pair[0]["id"]))]
    counted = [{"tag": spelling, "count": len(found), "last": text(max(found)), "folded": folded}
               for folded, spelling in spellings(everything).items()
               for found in [[m["moment"] for m in everything if folded in [t.casefold() for t in m["tags"]]]]]
    counted.sort(key=lambda tag: (-tag["count"], tag.pop("folded").encode()))
    compare("mood.tags", ask("mood.tags"), {"tags": counted})
    running.end(10)


@script("host", stores=40, moods=300, seed=1)
def main(arguments):
    for seed in range(arguments.seed, arguments.seed + arguments.stores):
        if seed % 2:
            check(arguments.host, seed, arguments.moods)
            continue
        with tempfile.TemporaryDirectory() as folder:
            check(arguments.host, seed, arguments.moods, os.path.join(folder, "store"))
    print(f"{arguments.stores} stores of {arguments.moods} moods: every number is the same")
