#!/usr/bin/env python3
"""A MoodBoard plugin: journals in a NATS JetStream stream. A message is one record or several, or a part of one.

    moodboard.<journal>.<replica>                          headers MB-First, MB-Last, and of a long record MB-Part "0/3"
    moodboard.<journal>.snapshot.<replica>.<0|1>.<part>    two slots in turn; headers MB-Id, on the last part MB-Vector

One publish is in flight, and names the sequence of the subject's last message: so nothing is there twice, nor with a gap.
"""
import asyncio
import json
import os
import sys

import connection
import jetstream
import words
from page import BYTES, Page, last_whole, whole_slots
from parts import Parts

BATCH = 256 << 10  # bytes of records in a message


def send(message, result=None):
    """`result`: JSON that is ready, for the end of the message."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
    sys.stdout.buffer.write((text if result is None else text[:-1] + b',"result":' + result + b"}") + b"\n")
    sys.stdout.buffer.flush()


class Transport:
    settings, follower, stream, ear, notes, where = None, None, None, None, {}, ""

    async def hello(self, dataDirectory=None, **_):
        self.path = os.path.join(dataDirectory, "places.json") if dataDirectory else None
        if self.path and os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.notes = json.load(file)
        return {"protocol": 1}

    async def open(self, url, config, journal=None):
        self.where, is_new = words.without_secrets(url), self.settings != (url, config) or self.stream.connection.is_closed
        self.ear = connection.Ear() if is_new else self.stream.ear
        if is_new:
            stream = jetstream.Stream(await connection.connect(url, config, self.ear), config, self.ear)
            if self.stream:
                self.leave()
            self.stream, self.settings, self.follower, self.mine, self.tails = stream, (url, config), None, set(), {}
        elif self.follower and self.found and self.subject == f"moodboard.{journal}":
            await self.stream.last(self.subject + ".0")  # nothing; but the stream is there
            return {"journals": self.found}  # asked again, at the beginning of a round
        self.subject = f"moodboard.{journal or '*'}"
        self.parts = Parts(self.stream, self.subject)
        if self.follower:
            self.follower.cancel()
        self.follower = self.stream.view = None
        found = await self.stream.newest(self.subject + ".*")
        if journal:
            self.follower = asyncio.ensure_future(self.stream.follow(
                self.subject + ".>", self.is_news, lambda: send({"method": "transport.changed"})))
        self.found = sorted({one.subject.split(".")[1] for one in found})
        return {"journals": self.found}

    def leave(self):
        if self.follower:
            self.follower.cancel()
        asyncio.ensure_future(self.stream.connection.close())

    async def renew(self):
        await self.stream.renew()
        self.notes, self.tails = {}, {}

    def is_news(self, one):
        """Whether a message is a record of others."""
        words = one.subject.split(".")
        return len(words) == 3 and words[2] not in self.mine

    async def tail(self, replica, fresh=False):
        """The sequence of a replica's last message, and its last record that is there as a whole."""
        if fresh or replica not in self.tails:
            one = await self.stream.last(f"{self.subject}.{replica}")
            self.tails[replica] = (one.seq, last_whole(one.headers)) if one else (0, 0)
        return self.tails[replica]

    async def push(self, replica, records):
        self.mine.add(replica)
        is_again = not records or records[0]["n"] <= self.tails.get(replica, (0, 0))[1]  # or it was purged meanwhile
        (seq, last), tries = await self.tail(replica, fresh=is_again), 0
        while records := [one for one in records if one["n"] > last]:
            if records[0]["n"] > last + 1 and records[0]["n"] - 1 > await self.covered(replica):
                break  # a gap
            batch, size = records[:1], len(records[0]["text"].encode())
            for one in records[1:]:
                if "part" in batch[0] or "part" in one or size >= BATCH:
                    break
                batch.append(one)
                size += len(one["text"].encode())
            headers = {"MB-First": batch[0]["n"], "MB-Last": batch[-1]["n"], "Nats-Expected-Last-Subject-Sequence": seq}
            if "part" in batch[0]:
                headers["MB-Part"] = f"{batch[0]['part']}/{batch[0]['parts']}"
            try:
                text = "\n".join(one["text"] for one in batch).encode()
                seq = await self.stream.publish(f"{self.subject}.{replica}", text, headers)
                last, tries, records = last_whole(headers), 0, records[len(batch):]
                self.tails[replica] = seq, last
            except Exception as error:  # perhaps it has arrived: the subject's last message says so
                tries += 1
                if self.ear.is_forbidden() or tries > (20 if getattr(error, "err_code", 0) == jetstream.STALE else 3):
                    raise
                await asyncio.sleep(0.05 * tries)
                seq, last = await self.tail(replica, fresh=True)
        return {"last": last}

    async def pull(self, have, parts={}):
        page = Page(have, parts, self.notes)
        for newest in await self.stream.newest(self.subject + ".*"):
            if not page.begin(newest):
                continue
            if int(newest.headers["MB-First"]) <= page.next and "MB-Part" not in newest.headers:  # mostly it has all that is new
                one = await self.stream.last(newest.subject, newest.seq)
                if one and one.seq >= newest.seq and int(one.headers["MB-First"]) <= page.next and "MB-Part" not in one.headers:
                    page.take(one)
            if page.next <= page.last[page.replica]:
                await self.stream.read(
                    newest.subject, page.take, deliver_policy="by_start_sequence", opt_start_seq=page.start)
        if page.has_gap:
            self.stream.doubt()  # the snapshot that covers it may not have been heard of
        if self.path:
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.notes, file)
            os.replace(self.path + ".new", self.path)
        return {"records": page.records, "last": page.last, "more": page.size >= BYTES}

    async def slots(self):
        """The snapshots that are whole: (subject without its part, id, vector, parts, sequence)."""
        return whole_slots(await self.stream.newest(self.subject + ".snapshot.>"))

    async def snapshots(self):
        return {"items": [{"id": id, "vector": vector, "parts": parts} for _, id, vector, parts, _ in await self.slots()]}

    async def covered(self, replica):
        return max([item["vector"].get(replica, 0) for item in (await self.snapshots())["items"]], default=0)

    async def get_part(self, id, part):
        text = await self.parts.get(id, part)
        if text is None:
            raise words.Missing(f"There is no part {part} of snapshot {id}.")
        return b'{"text":' + text + b"}"

    async def put_part(self, id, part, text, vector=None):
        if part == 0:  # not where the newest whole one is, unless it is the same
            prefix = f"{self.subject}.snapshot.{id[:36]}."
            mine = sorted([(seq, slot, known) for slot, known, _, _, seq in await self.slots() if slot.startswith(prefix)])
            _, slot, known = mine[-1] if mine else (0, prefix + "1", None)
            self.slot = slot if known == id else prefix + "10"[int(slot[-1])]
        headers = {"MB-Id": id, "Nats-Rollup": "sub", **({"MB-Vector": json.dumps(vector)} if vector else {})}
        await self.stream.publish(f"{self.slot}.{part}", text.encode(), headers)
        return {}

    async def drop(self, replica, upTo, ids):
        """The last message, published again, takes the place of all before it. So the log goes on where it was."""
        one = await self.stream.last(f"{self.subject}.{replica}")
        if one and "Nats-Rollup" not in one.headers and "MB-Part" not in one.headers and int(one.headers["MB-First"]) <= upTo + 1:
            headers = {name: one.headers[name] for name in ("MB-First", "MB-Last")}
            await self.stream.publish(one.subject, one.data, {
                **headers, "Nats-Rollup": "sub", "Nats-Expected-Last-Subject-Sequence": one.seq})
            self.tails.pop(replica, None)
        for slot, _, _, parts, _ in [some for some in await self.slots() if some[1] in ids]:
            for part in range(parts):
                await self.stream.publish(f"{slot}.{part}", b"", {"Nats-Rollup": "sub"})
        return {}


async def main():
    transport, loop = Transport(), asyncio.get_running_loop()
    methods = {
        "plugin.hello": transport.hello, "transport.open": transport.open, "transport.push": transport.push,
        "transport.pull": transport.pull, "transport.snapshots": transport.snapshots, "transport.getPart": transport.get_part,
        "transport.putPart": transport.put_part, "transport.drop": transport.drop}
    while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
        request = json.loads(line)
        if "id" not in request:
            continue
        try:
            method = methods.get(request["method"])
            try:
                result = await method(**request["params"]) if method else None
            except words.NoStream:
                await transport.renew()
                result = await method(**request["params"])
            if isinstance(result, bytes):
                send({"id": request["id"]}, result)
                continue
            reply = {"result": result} if method else {"error": {"code": -32601, "message": "no such method"}}
        except Exception as error:
            reply = words.answer(error, transport.where, transport.ear and transport.ear.cause())
        send({"id": request["id"], **reply})


if __name__ == "__main__":
    asyncio.run(main())
