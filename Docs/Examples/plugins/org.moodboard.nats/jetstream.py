"""A stream of NATS JetStream: what the rights of one journal allow (publish, CONSUMER.CREATE and DIRECT.GET under its subjects)."""
import asyncio
import collections
import contextlib
import json
import time
import uuid

import nats
from nats.js.errors import APIError

from words import NoStream

Entry = collections.namedtuple("Entry", "subject seq headers data")
BELIEVED = 60  # seconds that a consumer which follows is kept
STALE = 10071  # somebody has published on the subject meanwhile


class Stream:
    def __init__(self, connection, config, ear):
        self.connection, self.js, self.ear = connection, connection.jetstream(), ear
        self.name = config.get("stream", "MOODBOARD")
        self.heard = {}  # by subject: the newest sequence that was published from here, or told of
        self.view = None  # by subject: its newest message without what is in it, while somebody follows
        self.is_over = False  # whether who follows has to begin anew
        self.sizes = [config["replicas"]] if "replicas" in config else [3, 1]

    async def make(self):
        """The first one of a deployment makes it, on three servers where there are so many. It discards nothing old."""
        for size in self.sizes:
            try:
                return await self.js.add_stream(
                    name=self.name, subjects=["moodboard.>"], discard="new", num_replicas=size, allow_direct=True,
                    allow_rollup_hdrs=True)
            except APIError as error:
                failure = error
            except nats.errors.TimeoutError as error:
                if not self.ear.is_forbidden():
                    raise
                failure = error
                break
        raise NoStream(self.name, failure)

    async def consume(self, subject, inbox, **more):
        """Has messages sent to an inbox; it ends with the subscription. How many there are."""
        for patience in (1, 1, 1, 1, 1, 2, 4, 5):  # it may be given to a server that is gone; then another one is tried
            config = {"deliver_subject": inbox, "filter_subject": subject, "ack_policy": "none", "num_replicas": 1,
                      "mem_storage": True, "name": uuid.uuid4().hex, "inactive_threshold": 5_000_000_000, **more}
            place = f"$JS.API.CONSUMER.CREATE.{self.name}.{config['name']}.{subject}"
            question = json.dumps({"stream_name": self.name, "config": config}).encode()
            try:
                answer = json.loads((await self.connection.request(place, question, timeout=patience)).data)
            except nats.errors.TimeoutError:
                if self.ear.is_forbidden() or not self.connection.is_connected:
                    raise
                continue
            if "error" not in answer:
                return answer["num_pending"]
            raise NoStream(self.name) if answer["error"]["code"] == 404 else RuntimeError(answer["error"]["description"])
        raise nats.errors.TimeoutError

    async def read(self, subject, take, **more):
        """Has `take` see what is there of a subject, one after the other, until it says that this is enough."""
        inbox = self.connection.new_inbox()
        messages = await self.connection.subscribe(inbox)
        try:
            left = await self.consume(subject, inbox, **more)
            while left > 0:
                one = await messages.next_msg(timeout=5)
                if one.reply:  # $JS.ACK.stream.consumer.delivered.stream sequence.consumer sequence.time.pending
                    words = one.reply.split(".")
                    left = int(words[-1])
                    if take(Entry(one.subject, int(words[-4]), one.headers or {}, one.data)):
                        return
        finally:
            await messages.unsubscribe()

    async def newest(self, subject):
        """The newest message of each subject that fits, without what is in it. A server that is behind is asked again."""
        prefix = subject.rstrip("*>")

        def fits(name):
            return name.startswith(prefix) and (subject[-1] == ">" or "." not in name[len(prefix):])

        for turn in range(100):
            entries, pause = {name: one for name, one in (self.view or {}).items() if fits(name)}, 0.005
            if turn == 20 and self.view is not None:
                self.doubt()  # who follows has not heard what this one has
            if self.view is None or "*" in prefix:
                entries, pause = {}, 0.02
                await self.read(subject, lambda one: entries.update({one.subject: one}), deliver_policy="last_per_subject",
                                headers_only=True)
            for one in entries.values():
                self.hear(one)
            if all(name in entries and entries[name].seq >= seq for name, seq in self.heard.items() if fits(name)):
                break
            await asyncio.sleep(pause)
        else:  # it will not come: the stream was purged, or made again
            self.heard = {name: seq for name, seq in self.heard.items() if not fits(name)}
            self.heard.update((name, one.seq) for name, one in entries.items())
        return list(entries.values())

    async def last(self, subject, after=0):
        """The last message of a subject, with at least the sequence `after` where that comes soon. The server that answers may
        be behind: who publishes then has to look again."""
        for _ in range(20):
            try:
                one = await self.connection.request(f"$JS.API.DIRECT.GET.{self.name}.{subject}", b"", timeout=3)
            except nats.errors.NoRespondersError:
                raise NoStream(self.name) from None
            except nats.errors.TimeoutError:  # also where there is no stream: a consumer is refused then
                if not self.connection.is_connected:
                    raise
                await self.connection.flush(timeout=3)
                await self.read(subject, lambda one: True, headers_only=True)
                raise
            headers = one.headers or {}
            seq = int(headers.get("Nats-Sequence", 0))
            if seq >= after:
                break
            await asyncio.sleep(0.005)
        return Entry(subject, seq, headers, one.data) if seq else None

    async def renew(self):
        """Makes the stream anew, which is gone; what was known of it counts no more."""
        await self.make()
        self.heard = {}
        self.doubt()

    async def publish(self, subject, data, headers):
        """Its sequence, once most of the servers have it."""
        headers = {name: str(value) for name, value in headers.items()}
        answer = await self.js.publish(subject, data, headers=headers, timeout=5)
        self.hear(Entry(subject, answer.seq, headers, data))
        return answer.seq

    def hear(self, entry):
        """Notes how far a subject is; whether that was not known."""
        is_new = entry.seq > self.heard.get(entry.subject, 0)
        if is_new:
            self.heard[entry.subject] = entry.seq
        return is_new

    def doubt(self):
        """Who follows begins anew: a consumer may stand still, and say that it lives."""
        self.view, self.is_over = None, True

    async def follow(self, subject, is_news, tell):
        """Keeps the view of a subject, and tells of what is published; of anything, where the consumer may have been lost with
        its server. No consumer is believed for long."""
        while True:
            messages = None
            try:
                messages, self.is_over = await self.connection.subscribe(self.connection.new_inbox()), False
                end = time.monotonic() + BELIEVED
                left, view = await self.consume(subject, messages.subject, deliver_policy="last_per_subject", headers_only=True,
                                                idle_heartbeat=2_000_000_000), {}
                while not self.is_over and time.monotonic() < end:
                    if left == 0 and self.view is None:
                        self.view = view
                    one = await messages.next_msg(timeout=6)
                    if not one.reply:
                        continue  # it is alive
                    words = one.reply.split(".")
                    entry, was_there = Entry(one.subject, int(words[-4]), one.headers or {}, one.data), left > 0
                    view[one.subject], left = entry, int(words[-1]) if was_there else 0
                    # What was there before may have come after it was last looked at.
                    is_new = self.hear(entry) or not was_there
                    if is_new and is_news(entry):
                        tell()
            except Exception:
                self.view = None
                await asyncio.sleep(1)
                tell()
            finally:
                self.view = None
                with contextlib.suppress(Exception):  # the connection may be away
                    await messages.unsubscribe()
