#!/usr/bin/env python3
"""Lists for AI clients end for all contents of moods, and lose none of them.

    mcplists.py HOST [--stores N] [--seed N]

Each store is made from the seed: moods with notes, tags and attachments of all lengths, some of them longer than an answer may be.
Then the script reads every list of a tool, resource or prompt page by page, in each era. An answer comes in time and within its limit,
and the pages together have each mood once. At the end the host ends by itself.
"""
import json
import random
import urllib.parse

from harness import Host, Refused, Wrong, script

SECONDS_MAX = 10
# The bytes of an answer around the result.
ENVELOPE = 400
NEWER = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
ALPHABETS = ["a", "word ", "ä", "😌", "\n", "\"", "\\", "\t\n", "\u2028", "e\u0301"]


class Lists(Host):
    meta = None

    def measured(self, method, params):
        """The answer, and its number of bytes."""
        number = self.send(method, {**params, **({"_meta": self.meta} if self.meta else {})})
        while True:
            line = self.line(SECONDS_MAX)
            if line is None:
                raise Wrong("the host has ended")
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message, len(line)


def mood(randomness, number):
    def text(count):
        return (randomness.choice(ALPHABETS) * count)[:count]

    length = randomness.choice([0, 0, 3, 120, 499, 500, 501, 600, 900, 4000, 12_000])
    made = {
        "emoji": "😌", "label": text(randomness.choice([1, 5, 190])).strip() or "Calm", "notes": text(length),
        "timestamp": f"2026-{1 + number % 12:02}-{1 + number // 12 % 28:02}T{number // 336 % 24:02}:00:00Z",
        "isFavorite": randomness.random() < 0.3, "tags": ["all"] if randomness.random() < 0.7 else [],
    }
    made["label"] = "".join(made["label"].split()) or "Calm"
    if randomness.random() < 0.1:
        made["tags"] = ["all"] + [f"{place}" + "ä" * randomness.choice([3, 60]) for place in range(30)]
    if randomness.random() < 0.08:
        line = text(2).strip() or "x"
        count = randomness.choice([1, 8, 32])
        made["attachments"] = [{"kind": "link", "url": "https://example.org/" + "x" * 2000, "title": "a"}] * count
        made["attachments"][0] = {"kind": "link", "url": "https://example.org/", "title": "".join(line.split()) or "x"}
    return made


def fill(host, randomness, count):
    """Makes moods, deletes some and changes one often; returns the ids of the existing and the deleted ones."""
    ids = [host.call("mood.create", **mood(randomness, number))["id"] for number in range(count)]
    gone = [one for one in ids if randomness.random() < 0.3]
    for one in gone:
        host.call("mood.delete", id=one)
    left = [one for one in ids if one not in gone]
    for number in range(randomness.choice([1, 60]) if left else 0):
        host.call("mood.setNotes", id=left[0], notes=f"{number}" + "n" * randomness.choice([1, 700, 30_000]))
    return left, gone


def tool(host, name, arguments, bytes_max, what):
    message, count = host.measured("tools/call", {"name": name, "arguments": arguments})
    if "result" not in message:
        raise Wrong(f"{what}: {message}")
    if count > bytes_max + ENVELOPE:
        raise Wrong(f"{what}: {count} bytes, and {bytes_max} are allowed")
    result = message["result"]
    if result["isError"]:
        raise Wrong(f"{what}: {result['content'][0]['text'][:200]}")
    return result["structuredContent"]


def walk_tool(host, name, arguments, bytes_max, key=lambda item: item["id"]):
    """Reads all pages of a tool; returns the key of each item, including those that were left out."""
    seen, cursor, what = [], None, f"{name} {arguments}"
    for _ in range(2000):
        page = tool(host, name, {**arguments, **({"cursor": cursor} if cursor else {})}, bytes_max, what)
        items = page["items"]
        if not items and not page.get("leftOut") and page.get("nextCursor"):
            raise Wrong(f"{what}: a page of nothing that is not the last")
        seen += [key(item) for item in items] + page.get("leftOut", [])
        if host.call("host.ping") != {}:
            raise Wrong("a ping is not answered")
        cursor = page.get("nextCursor")
        if cursor is None:
            return seen
    raise Wrong(f"{what}: no end of pages")


def walk_resource(host, uri, limit):
    seen, cursor = [], None
    for _ in range(2000):
        address = uri + (f"?cursor={urllib.parse.quote(cursor, safe='')}" if cursor else "")
        message, count = host.measured("resources/read", {"uri": address})
        if "result" not in message:
            raise Wrong(f"{address}: {message}")
        if count > limit:
            raise Wrong(f"{address}: {count} bytes")
        contents = message["result"]["contents"]
        page = json.loads(contents[0]["text"])
        seen += [item["id"] for item in page["items"]] + page.get("leftOut", [])
        cursor = page.get("nextCursor")
        if cursor is None:
            return seen
        if f"There are more: {uri}?cursor=" not in contents[1]["text"]:
            raise Wrong(f"{uri}: the Markdown does not say where it goes on")
    raise Wrong(f"{uri}: no end of pages")


def equal(what, found, wanted):
    if sorted(found) != sorted(wanted):
        raise Wrong(f"{what}: {len(found)} items, {len(set(found))} different ones, and {len(wanted)} are there")


def check(host, randomness, limit, message_limit, count, newer):
    ids, gone = fill(host, randomness, count)
    if newer:
        host.meta = NEWER
    else:
        version = randomness.choice(["2024-11-05", "2025-06-18", "2025-11-25"])
        host.call("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "1"})
    whole, page = {}, {"nextCursor": None}
    while "nextCursor" in page:
        page = host.call("mood.list", limit=1000, cursor=page["nextCursor"])
        whole.update({one["id"]: one for one in page["items"]})
    equal("mood.list", list(whole), ids)
    for arguments in [
        {}, {"with_notes": False}, {"limit": 7}, {"sort": "label", "order": "asc"}, {"sort": "updatedAt"},
    ]:
        equal(f"mood_find {arguments}", walk_tool(host, "mood_find", arguments, limit), ids)
    favorites = [one for one in ids if whole[one]["isFavorite"]]
    equal("mood_find favorites", walk_tool(host, "mood_find", {"favorites": True}, limit), favorites)
    for arguments in [{}, {"limit": 1000}, {"with_notes": False}, {"rows": True}]:
        equal(f"mood_list {arguments}", walk_tool(host, "mood_list", arguments, limit), ids)
    equal("mood_deleted", walk_tool(host, "mood_deleted", {}, limit), gone)
    for one in ids[:1]:
        changes = walk_tool(host, "mood_history", {"id": one}, limit, key=lambda item: item["revision"])
        equal("mood_history", changes, sorted(set(changes)))
        # A single mood may exceed an answer, which then names what to read.
        arguments = {"name": "mood_get", "arguments": {"id": one, "with_history": True}}
        message, count = host.measured("tools/call", arguments)
        text = message["result"]["content"][0]["text"]
        if count > limit + ENVELOPE or message["result"]["isError"] and "moodboard://mood/ID" not in text:
            raise Wrong(f"mood_get with_history: {count} bytes, {text[:200]}")
    # A store in memory keeps as much history as it has room for.
    kept = [item["revision"] for item in host.call("store.log", limit=1000)["items"]]
    commits = walk_tool(host, "store_log", {"limit": 1000}, limit, key=lambda item: item["revision"])
    equal("store_log", commits, kept)
    for _ in range(150):
        host.call("nav.navigate", route={"name": "crudList"})
        host.call("nav.goBack")
    for name, arguments in [
        ("mood_tags", {}), ("nav_log", {"limit": 1000}), ("nav_menu", {}), ("stats_year", {"year": 2026}),
        ("stats_month", {"month": "2026-03"}), ("stats_on_this_day", {"date": "2027-03-01"}), ("stats_summary", {}),
        ("mood_stats", {}), ("mood_year", {"year": 2026}), ("mood_screen", {"route": "crudList"}),
    ]:
        if limit >= 32 * 1024:
            tool(host, name, arguments, limit, name)
    check_resources(host, ids, whole, message_limit)


def check_resources(host, ids, whole, limit):
    listed, cursor = [], None
    while True:
        message, count = host.measured("resources/list", {"cursor": cursor} if cursor else {})
        page = message["result"]
        if count > limit:
            raise Wrong(f"resources/list: {count} bytes")
        listed += [one["uri"] for one in page["resources"] if one["uri"].startswith("moodboard://mood/")]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    equal("resources/list", listed, [f"moodboard://mood/{one}" for one in ids])
    equal("moodboard://moods", walk_resource(host, "moodboard://moods", limit), ids)
    tagged = [one for one in ids if "all" in whole[one]["tags"]]
    equal("moodboard://tag/all", walk_resource(host, "moodboard://tag/all", limit), tagged)
    days = {whole[one]["timestamp"][:10] for one in ids}
    for day in sorted(days)[:3]:
        of_day = [one for one in ids if whole[one]["timestamp"].startswith(day)]
        equal(f"moodboard://day/{day}", walk_resource(host, f"moodboard://day/{day}", limit), of_day)
    for name, arguments in [
        ("reflect", {"span": "2026"}), ("month", {"month": "2026-03"}), ("before-therapy", {"since": "2026-01-01"}),
    ]:
        message, count = host.measured("prompts/get", {"name": name, "arguments": arguments})
        if "result" not in message or count > limit:
            raise Wrong(f"the prompt {name}: {count} bytes, {str(message)[:200]}")
    for one in ids[:3]:
        message, count = host.measured("resources/read", {"uri": f"moodboard://mood/{one}"})
        if "result" not in message or count > limit:
            raise Wrong(f"the resource of a mood: {count} bytes, {str(message)[:200]}")


def run(host, seed):
    randomness = random.Random(seed)
    limit = randomness.choice([32 * 1024, 32 * 1024, 2500, 9000, 100_000])
    message_limit = randomness.choice([4 * 1024 * 1024, 4 * 1024 * 1024, 400_000])
    options = ["--in-memory", "--no-plugins", "--mcp-tools", "all", "--limit", f"mcpAnswerBytes={limit}",
               "--limit", f"messageBytes={message_limit}", "--time-zone", "UTC"]
    if randomness.random() < 0.2:
        options.append("--mcp-no-notes")
    process = Lists([host, *options])
    try:
        count = randomness.choice([0, 1, 3, 50, 51, 120])
        check(process, randomness, limit, message_limit, count, newer=randomness.random() < 0.6)
        process.end(SECONDS_MAX)
    except (Wrong, Refused, TimeoutError) as failure:
        process.kill()
        raise Wrong(f"seed {seed}, {' '.join(options)}: {failure}") from None


@script("host", stores=12, seed=1)
def main(options):
    for seed in range(options.seed, options.seed + options.stores):
        run(options.host, seed)
    print(f"{options.stores} stores: every list comes to its end, and has each mood once")
