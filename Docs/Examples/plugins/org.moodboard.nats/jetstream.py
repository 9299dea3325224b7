"""A stream of NATS JetStream: what the rights of one journal allow (publish, CONSUMER.CREATE and DIRECT.GET under its subjects)."""
import asyncio
import collections
import json
import ssl
import uuid

import nats
from nats.js.errors import APIError

Entry = collections.namedtuple("Entry", "subject seq headers data")
STALE = 10071  # somebody has published on the subject meanwhile


class NoStream(Exception):
    pass


async def quiet(error):
    pass  # the library connects again; whoever asks meanwhile is told


async def connect(url, config):
    """A connection to any of nats://a,b,c or tls://a,b,c that comes back by itself."""
    scheme, servers = url.split("://")
    context = None
    if scheme == "tls" or "ca" in config:
        context = ssl.create_default_context(cafile=config.get("ca"))
        if "certificate" in config:
            context.load_cert_chain(config["certificate"], config["key"])
    return await asyncio.wait_for(nats.connect(
        [f"{scheme}://{one}" for one in servers.strip("/").split(",")], user_credentials=config.get("credentials"),
        tls=context, connect_timeout=3, reconnect_time_wait=0.2, max_reconnect_attempts=-1, error_cb=quiet,
        **({"inbox_prefix": config["inbox"]} if "inbox" in config else {})), 10)


class Stream:
    def __init__(self, connection, config):
        self.connection, self.js, self.name = connection, connection.jetstream(), config.get("stream", "MOODBOARD")
        self.heard = {}  # by subject: the newest sequence that was published from here, or told of
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
        raise failure

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
                continue
            if "error" not in answer:
                return answer["num_pending"]
            raise NoStream() if answer["error"]["code"] == 404 else RuntimeError(answer["error"]["description"])
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
        wanted = [name for name in self.heard if name.startswith(prefix) and (subject[-1] == ">" or "." not in name[len(prefix):])]
        for _ in range(100):
            entries = {}
            await self.read(subject, lambda one: entries.update({one.subject: one}), deliver_policy="last_per_subject",
                            headers_only=True)
            if all(name in entries and entries[name].seq >= self.heard[name] for name in wanted):
                break
            await asyncio.sleep(0.02)
        return list(entries.values())

    async def last(self, subject):
        """The last message of a subject. The server that answers may be behind: who publishes then has to look again."""
        one = await self.connection.request(f"$JS.API.DIRECT.GET.{self.name}.{subject}", b"", timeout=5)
        headers = one.headers or {}
        return Entry(subject, int(headers["Nats-Sequence"]), headers, one.data) if "Nats-Sequence" in headers else None

    async def publish(self, subject, data, headers):
        """Its sequence, once most of the servers have it."""
        headers = {name: str(value) for name, value in headers.items()}
        self.heard[subject] = (await self.js.publish(subject, data, headers=headers, timeout=5)).seq
        return self.heard[subject]

    async def follow(self, subject, is_news, tell):
        """Tells of what is published; of anything, where the consumer may have been lost with its server."""
        while True:
            try:
                messages = await self.connection.subscribe(self.connection.new_inbox())
                await self.consume(subject, messages.subject, deliver_policy="new", headers_only=True,
                                   idle_heartbeat=2_000_000_000)
                while True:
                    one = await messages.next_msg(timeout=6)
                    if one.reply:
                        self.heard[one.subject] = int(one.reply.split(".")[-4])
                        if is_news(one):
                            tell()
            except Exception:
                await asyncio.sleep(1)
                tell()
