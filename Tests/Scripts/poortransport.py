"""An engine for transports with one fault, and the faults that `mood doctor transport` must find.

Each connection is a plugin's ([`plugins/carrier.py`](plugins/carrier.py)), which passes on requests line by line.
"""
import json
import socketserver
import threading

PAGE = 1 << 20
# Each fault, and a word that must be in a finding about it.
FAULTS = {
    "has what is not there": "before its first record",
    "takes what is sent again": "is there once",
    "takes gaps": "is a gap",
    "tells nothing of records": "`last` is told",
    "tells nothing of others": "last record of each replica",
    "changes texts": "not the records that were sent",
    "sends what is known": "comes that is known",
    "mixes journals": "another journal",
    "lists no journals": "among `journals`",
    "counts parts": "counts once its last part",
    "turns parts around": "Parts do not come",
    "has one page": "Page by page",
    "has endless pages": "at most 2 MiB",
    "believes the last one": "is written over",
    "lists halves": "before its last part",
    "changes snapshots": "not as it was put",
    "has one snapshot": "newer snapshot is not listed",
    "keeps what is dropped": "was dropped is listed",
    "has no code": "error 1001",
    "drops everything": "goes on with the next number",
    "leaves gaps": "Where there is a gap",
    "forgets": "started anew does not know",
    "is everywhere": "has to be an error",
    "has other shapes": "has to answer",
    "dies": "no answer",
    "prints": "It printed",
    "answers twice": "2 answers",
    "both result and error": "either a result or an error",
}


class Fault(Exception):
    pass


class Engine:
    """Serves on a port of loopback, in threads."""

    def __init__(self, fault):
        self.fault, self.journals, self.lock, self.talks = fault, {}, threading.Lock(), []
        engine = self

        class Talk(socketserver.StreamRequestHandler):
            def handle(self):
                engine.serve(self)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"poor://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, talk):
        talk.journal, talk.own = None, {}
        self.talks.append(talk)
        for line in talk.rfile:
            request = json.loads(line)
            method = request["method"].removeprefix("transport.")
            if self.fault == "dies" and method == "pull":
                break
            with self.lock:
                try:
                    reply = {"result": getattr(self, method)(talk, **request["params"])}
                except Fault as fault:
                    reply = {"error": {"code": -32000 if self.fault == "has no code" else 1001, "message": str(fault)}}
                self.send(talk, {"id": request["id"], **reply})
                if method == "push":
                    for other in self.talks:
                        if other is not talk and other.journal == talk.journal:
                            self.send(other, {"method": "transport.changed"})
        self.talks.remove(talk)

    def send(self, talk, message):
        if self.fault == "both result and error" and "result" in message:
            message["error"] = None
        if self.fault == "prints" and "id" in message:
            talk.wfile.write(b"working\n")
        if self.fault == "answers twice" and "id" in message:
            self.fault = "none"
            self.send(talk, message)
            self.fault = "answers twice"
        try:
            talk.wfile.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")
        except OSError:
            pass  # the plugin was killed

    def of(self, talk):
        place = talk.own if self.fault == "forgets" else self.journals
        name = "one" if self.fault == "mixes journals" else talk.journal
        return place.setdefault(name, {"logs": {}, "snapshots": {}})

    @staticmethod
    def last(log):
        """The last complete record."""
        return next((n for n, part, parts, _ in reversed(log) if part + 1 == parts), 0)

    def open(self, talk, url, config, journal=None):
        talk.journal = journal
        found = [name for name, one in self.journals.items() if name and any(one["logs"].values())]
        if self.fault == "has what is not there" and journal:
            self.journals.setdefault(journal, {"logs": {}, "snapshots": {}})
        if self.fault == "has what is not there":
            found = list(filter(None, self.journals))
        return {"journals": [] if self.fault == "lists no journals" else found}

    def push(self, talk, replica, records):
        log = self.of(talk)["logs"].setdefault(replica, [])
        for one in records:
            n, part, parts, last = one["n"], one.get("part", 0), one.get("parts", 1), self.last(log)
            if self.fault == "takes what is sent again" and n <= last:
                n = last + 1
            if self.fault == "believes the last one" and n == last:
                log[-1] = (n, part, parts, one["text"])
            if n == last + 1 or self.fault == "takes gaps" and n > last:
                if part == 0:
                    log[:] = [other for other in log if other[0] != n]
                if part == sum(other[0] == n for other in log):
                    log.append((n, part, parts, one["text"]))
        last = self.last(log)
        if self.fault == "counts parts" and log:
            last = log[-1][0]
        return {"last": 0 if self.fault == "tells nothing of records" and not records else last}

    def pull(self, talk, have, parts={}):
        records, lasts, size, more = [], {}, 0, False
        for replica, log in self.of(talk)["logs"].items():
            next = have.get(replica, 0) + (self.fault != "sends what is known")
            lasts[replica] = self.last(log)
            mine = [one for one in log if one[0] > next or one[0] == next and one[1] >= parts.get(replica, 0)]
            if all(one[0] != max(next, 1) for one in log) and self.fault != "leaves gaps":
                continue
            if self.fault == "turns parts around":
                mine.sort(key=lambda one: (one[0], -one[1]))
            for n, part, count, text in mine:
                if size > PAGE and self.fault != "has endless pages":
                    more = True
                    break
                text = text.replace("\u2028", " ") if self.fault == "changes texts" else text
                records.append({"replica": replica, "n": n, "text": text, **({"part": part, "parts": count} if count > 1 else {})})
                size += len(text.encode())
        if self.fault == "has other shapes":
            return {"items": records}
        if self.fault == "tells nothing of others":
            lasts = {}
        return {"records": records, "last": lasts, "more": more and self.fault != "has one page"}

    def snapshots(self, talk):
        items = [{"id": id, "vector": one.get("vector", {}), "parts": len(one["parts"])}
                 for id, one in self.of(talk)["snapshots"].items() if "vector" in one or self.fault == "lists halves"]
        return {"items": items[:1] if self.fault == "has one snapshot" else items}

    def getPart(self, talk, id, part):
        try:
            text = self.of(talk)["snapshots"][id]["parts"][part]
        except KeyError:
            raise Fault("there is none")
        return {"text": text.strip() + " " if self.fault == "changes snapshots" else text}

    def putPart(self, talk, id, part, text, vector=None):
        one = self.of(talk)["snapshots"].setdefault(id, {"parts": {}})
        one["parts"][part] = text
        if vector:
            one["vector"] = vector
        return {}

    def drop(self, talk, replica, upTo, ids):
        log = self.of(talk)["logs"].setdefault(replica, [])
        last = 0 if self.fault == "drops everything" else self.last(log)
        log[:] = [one for one in log if one[0] > upTo or one[0] == last]
        for id in ids if self.fault != "keeps what is dropped" else ():
            self.of(talk)["snapshots"].pop(id, None)
        return {}
