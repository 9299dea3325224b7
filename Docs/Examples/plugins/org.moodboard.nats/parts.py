"""The parts of a snapshot that is read: the next ones are fetched, and are JSON, while the host reads the one before."""
import asyncio
import json

AHEAD = 3
RARE = bytes([*range(10), *range(11, 32)])  # characters that are escaped by name or number; the line feed is none of them


def json_text(text):
    """A text as JSON. Mostly only quotes, backslashes and line feeds are escaped, and bytes are fast."""
    if len(text.translate(None, RARE)) < len(text):
        return json.dumps(text.decode(), ensure_ascii=False).encode()
    return b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


class Parts:
    def __init__(self, stream, subject):
        self.stream, self.prefix = stream, subject + ".snapshot."
        self.id, self.slot, self.under_way = None, "0", {}

    async def get(self, id, part):
        """The JSON text of a part; None where it is not there."""
        if id != self.id:
            self.id, self.under_way = id, {}
        first = self.under_way.pop(part, None)
        found = await first if first else None
        if found is None:  # or it was not there yet
            found = await self.find(id, part)
        for one in range(part + 1, part + 1 + AHEAD) if found else ():
            if one not in self.under_way:
                self.under_way[one] = asyncio.ensure_future(self.find(id, one))
                self.under_way[one].add_done_callback(lambda task: task.cancelled() or task.exception())  # who asks is told
        return found

    async def find(self, id, part):
        for slot in (self.slot, "10"[int(self.slot)]):
            one = await self.stream.last(f"{self.prefix}{id[:36]}.{slot}.{part}")
            if one and one.headers.get("MB-Id") == id:
                self.slot = slot
                return json_text(one.data)
        return None
