#!/usr/bin/env python3
"""A MoodBoard plugin: journals in Redis streams, one a replica; an entry is a record, or a part of one. Redis 7, no library.

    redis://[user:password@]host[:port]    config: {"prefix": "moodboard"}
"""
import json
import socket
import sys
import threading
import urllib.parse

PAGE = 1 << 20  # bytes of texts in an answer
PUSH = """
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local last = 0
if newest then
  local n, f = tonumber(string.match(newest[1], '^%d+')), newest[2]
  last = tonumber(f[2]) + 1 == tonumber(f[4]) and n or n - 1
end
for i = 1, #ARGV, 4 do
  local n, part, parts, text = tonumber(ARGV[i]), tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), ARGV[i + 3]
  if n == last + 1 then
    redis.call('XADD', KEYS[1], ARGV[i] .. '-*', 'part', part, 'parts', parts, 'text', text)
    if part + 1 == parts then last = n end
  end
end
if last > 0 then redis.call('SADD', KEYS[2], KEYS[3]); redis.call('SADD', KEYS[4], KEYS[5]) end
return last
"""


def send(message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


class Redis:
    """A connection; what goes wrong with it is an error of the request. (RESP2)"""

    def __init__(self, url):
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port or 6379), timeout=10)
        self.file = self.socket.makefile("rb")
        if place.password:
            self("AUTH", *filter(None, [place.username, place.password]))

    def __call__(self, *words):
        words = [one if isinstance(one, bytes) else str(one).encode() for one in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in words))
        return self.read()

    def read(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        if kind in (b"-", b""):
            raise OSError(rest.decode() or "Redis has closed the connection")
        return int(rest) if kind == b":" else rest.decode()


class Transport:
    redis, mine, followed = None, set(), None

    def open(self, url, config, journal=None):
        self.redis = Redis(url)
        self.all, self.name = config.get("prefix", "moodboard"), f"{config.get('prefix', 'moodboard')}:{journal}"
        if journal and self.followed != self.name:
            self.followed = self.name
            threading.Thread(target=self.follow, args=[Redis(url), self.name], daemon=True).start()
        return {"journals": self.redis("SMEMBERS", self.all)}

    def follow(self, redis, name):
        try:
            redis("SUBSCRIBE", name)
            redis.socket.settimeout(None)
            while self.followed == name:
                if redis.read()[2] not in self.mine:
                    send({"method": "transport.changed"})
        except OSError:
            self.followed = None  # until it is opened again

    def push(self, replica, records):
        self.mine.update([replica] if records else [])
        words = [word for one in records for word in (one["n"], one.get("part", 0), one.get("parts", 1), one["text"])]
        keys = [f"{self.name}:{replica}", self.name + ":replicas", replica, self.all, self.name.rsplit(":", 1)[1]]
        last = self.redis("EVAL", PUSH, len(keys), *keys, *words)
        if records:
            self.redis("PUBLISH", self.name, replica)
        return {"last": last}

    def pull(self, have, parts={}):
        records, last, size, more = [], {}, 0, False
        for replica in self.redis("SMEMBERS", self.name + ":replicas"):
            key, next, last[replica] = f"{self.name}:{replica}", have.get(replica, 0) + 1, self.push(replica, [])["last"]
            known, start = parts.get(replica, 0), f"{next}-0"
            first = self.redis("XRANGE", key, "-", "+", "COUNT", 1)
            while last[replica] >= next and size < PAGE and int(first[0][0].split("-")[0]) <= next:
                page = self.redis("XRANGE", key, start, "+", "COUNT", 20)
                for place, (_, part, _, count, _, text) in page:
                    n, part, count = int(place.split("-")[0]), int(part), int(count)
                    if n > last[replica] or size >= PAGE or (n == next and count > 1 and part < known):
                        continue
                    records.append({"replica": replica, "n": n, "text": text, **({"part": part, "parts": count} if count > 1 else {})})
                    size += len(text.encode())
                if not page:
                    break
                start = "(" + page[-1][0]
            more = more or size >= PAGE
        return {"records": records, "last": last, "more": more}

    def snapshots(self):
        listed = self.redis("HGETALL", self.name + ":snapshots")
        return {"items": [json.loads(one) for one in listed[1::2]]}

    def get_part(self, id, part):
        text = self.redis("HGET", f"{self.name}:snapshot:{id}", part)
        if text is None:
            raise KeyError(f"There is no part {part} of snapshot {id}.")
        return {"text": text}

    def put_part(self, id, part, text, vector=None):
        self.redis("HSET", f"{self.name}:snapshot:{id}", part, text)
        if vector is not None:
            item = {"id": id, "vector": vector, "parts": part + 1}
            self.redis("HSET", self.name + ":snapshots", id, json.dumps(item))
        return {}

    def drop(self, replica, upTo, ids):
        if self.push(replica, [])["last"] >= upTo:
            self.redis("XTRIM", f"{self.name}:{replica}", "MINID", f"{upTo}-0")  # the last one stays: it tells the number
        for id in ids:
            self.redis("HDEL", self.name + ":snapshots", id)
            self.redis("DEL", f"{self.name}:snapshot:{id}")
        return {}


transport = Transport()
methods = {
    "plugin.hello": lambda **_: {"protocol": 1}, "transport.open": transport.open, "transport.push": transport.push,
    "transport.pull": transport.pull, "transport.snapshots": transport.snapshots, "transport.getPart": transport.get_part,
    "transport.putPart": transport.put_part, "transport.drop": transport.drop}
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue
    method = methods.get(request["method"])
    try:
        reply = {"result": method(**request["params"])} if method else {"error": {"code": -32601, "message": "no such method"}}
    except KeyError as error:
        reply = {"error": {"code": 1001, "message": error.args[0]}}
    except (OSError, AttributeError) as error:  # what cannot be reached now is asked again later
        reply = {"error": {"code": -32000, "message": str(error)}}
    send({"id": request["id"], **reply})
