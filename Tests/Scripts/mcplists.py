#!/usr/bin/env python3
"""Lists for AI clients end for all contents of moods, and lose none of them.

    mcplists.py HOST [--stores N] [--seed N]

Each store is made from the seed: moods with notes, tags and attachments of all lengths, some of them longer than an answer may be.
Then the script reads every list of a tool, resource or prompt page by page, in each era. An answer comes in time and within its limit,
and the pages together have each mood once. At the end the host ends by itself.
"""
import argparse
import json
import os
import random
import select
import subprocess
import sys
import time
import urllib.parse

SECONDS_MAX = 10
# The bytes of an answer around the result.
ENVELOPE = 400
NEWER = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
ALPHABETS = ["a", "word ", "ä", "😌", "\n", "\"", "\\", "\t\n", "\u2028", "e\u0301"]


class Failed(Exception):
    pass


class Host:
    def __init__(self, host, *arguments):
        self.process = subprocess.Popen([host, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.rest = b""
        self.meta = None

    def line(self, end):
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Failed(f"no answer within {SECONDS_MAX} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise Failed("the host has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def answer(self, method, params=None, newer=False):
        """The answer, and its number of bytes."""
        self.number += 1
        params = dict(params or {})
        if newer and self.meta:
            params["_meta"] = self.meta
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        end = time.monotonic() + SECONDS_MAX
        while True:
            line = self.line(end)
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message, len(line)

    def call(self, method, **params):
        message, _ = self.answer(method, params)
        if "error" in message:
            raise Failed(f"{method}: {message['error']}")
        return message["result"]

    def close(self):
        self.process.stdin.close()
        try:
            if self.process.wait(SECONDS_MAX) != 0:
                raise Failed(f"it ends with {self.process.returncode}")
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("it does not end") from None


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
    message, count = host.answer("tools/call", {"name": name, "arguments": arguments}, newer=True)
    if "result" not in message:
        raise Failed(f"{what}: {message}")
    if count > bytes_max + ENVELOPE:
        raise Failed(f"{what}: {count} bytes, and {bytes_max} are allowed")
    result = message["result"]
    if result["isError"]:
        raise Failed(f"{what}: {result['content'][0]['text'][:200]}")
    return result["structuredContent"]


def walk_tool(host, name, arguments, bytes_max, key=lambda item: item["id"]):
    """Reads all pages of a tool; returns the key of each item, including those that were left out."""
    seen, cursor, what = [], None, f"{name} {arguments}"
    for _ in range(2000):
        page = tool(host, name, {**arguments, **({"cursor": cursor} if cursor else {})}, bytes_max, what)
        items = page["items"]
        if not items and not page.get("leftOut") and page.get("nextCursor"):
            raise Failed(f"{what}: a page of nothing that is not the last")
        seen += [key(item) for item in items] + page.get("leftOut", [])
        if host.call("host.ping") != {}:
            raise Failed("a ping is not answered")
        cursor = page.get("nextCursor")
        if cursor is None:
            return seen
    raise Failed(f"{what}: no end of pages")


def walk_resource(host, uri, limit):
    seen, cursor = [], None
    for _ in range(2000):
        address = uri + (f"?cursor={urllib.parse.quote(cursor, safe='')}" if cursor else "")
        message, count = host.answer("resources/read", {"uri": address}, newer=True)
        if "result" not in message:
            raise Failed(f"{address}: {message}")
        if count > limit:
            raise Failed(f"{address}: {count} bytes")
        contents = message["result"]["contents"]
        page = json.loads(contents[0]["text"])
        seen += [item["id"] for item in page["items"]] + page.get("leftOut", [])
        cursor = page.get("nextCursor")
        if cursor is None:
            return seen
        if f"There are more: {uri}?cursor=" not in contents[1]["text"]:
            raise Failed(f"{uri}: the Markdown does not say where it goes on")
    raise Failed(f"{uri}: no end of pages")


def equal(what, found, wanted):
    if sorted(found) != sorted(wanted):
        raise Failed(f"{what}: {len(found)} items, {len(set(found))} different ones, and {len(wanted)} are there")


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
        message, count = host.answer("tools/call", arguments, newer=True)
        text = message["result"]["content"][0]["text"]
        if count > limit + ENVELOPE or message["result"]["isError"] and "moodboard://mood/ID" not in text:
            raise Failed(f"mood_get with_history: {count} bytes, {text[:200]}")
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
        message, count = host.answer("resources/list", {"cursor": cursor} if cursor else {}, newer=True)
        page = message["result"]
        if count > limit:
            raise Failed(f"resources/list: {count} bytes")
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
        message, count = host.answer("prompts/get", {"name": name, "arguments": arguments}, newer=True)
        if "result" not in message or count > limit:
            raise Failed(f"the prompt {name}: {count} bytes, {str(message)[:200]}")
    for one in ids[:3]:
        message, count = host.answer("resources/read", {"uri": f"moodboard://mood/{one}"}, newer=True)
        if "result" not in message or count > limit:
            raise Failed(f"the resource of a mood: {count} bytes, {str(message)[:200]}")


def run(host, seed):
    randomness = random.Random(seed)
    limit = randomness.choice([32 * 1024, 32 * 1024, 2500, 9000, 100_000])
    message_limit = randomness.choice([4 * 1024 * 1024, 4 * 1024 * 1024, 400_000])
    options = ["--in-memory", "--no-plugins", "--mcp-tools", "all", "--limit", f"mcpAnswerBytes={limit}",
               "--limit", f"messageBytes={message_limit}", "--time-zone", "UTC"]
    if randomness.random() < 0.2:
        options.append("--mcp-no-notes")
    process = Host(host, *options)
    try:
        count = randomness.choice([0, 1, 3, 50, 51, 120])
        check(process, randomness, limit, message_limit, count, newer=randomness.random() < 0.6)
        process.close()
    except Failed as failure:
        process.process.kill()
        raise Failed(f"seed {seed}, {' '.join(options)}: {failure}") from None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--stores", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.stores):
        try:
            run(options.host, seed)
        except Failed as failure:
            print(failure)
            return 1
    print(f"{options.stores} stores: every list comes to its end, and has each mood once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
