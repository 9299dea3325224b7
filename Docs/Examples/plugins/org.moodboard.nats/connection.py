"""The connection to the servers of NATS."""
import asyncio
import contextlib
import re
import ssl
import time

import nats
from nats.aio.client import Client

from words import Unusable

FRESH = 20  # seconds for which what a connection has said explains a request without an answer


class Ear:
    """Hears what a connection says beside its answers."""

    def __init__(self):
        self.error, self.time, self.count = None, 0, 0

    async def hear(self, error):
        self.count += 1
        if not (isinstance(error, ConnectionError) and isinstance(self.cause(), nats.errors.Error)):  # which tells less
            self.error, self.time = error, time.monotonic()

    def cause(self):
        """What explains that a request had no answer; None where nothing does."""
        return self.error if time.monotonic() - self.time < FRESH else None

    def is_forbidden(self):
        return "permissions violation" in f"{self.cause()}".lower()


def check(config):
    """Refuses a config that no server can make work."""
    name, copies = config.get("stream", "MOODBOARD"), config.get("replicas", 1)
    if not isinstance(name, str) or not re.fullmatch(r"[^\s.*>/\\]{1,200}", name):
        raise Unusable(f"In config, stream has to be a name without spaces, dots, slashes, * and >, not {name!r}.")
    if type(copies) is not int or not 1 <= copies <= 5:
        raise Unusable(f"In config, replicas has to be a number from 1 to 5, not {copies!r}.")
    if not re.fullmatch(r"[^\s*>]{1,200}", f"{config.get('inbox', '_INBOX')}"):
        raise Unusable("In config, inbox has to be a subject without spaces, * and >.")
    for member in ("credentials", "ca", "certificate", "key"):
        path = config.get(member)
        if path is None:
            continue
        try:
            with open(path, "rb"):
                pass
        except (OSError, TypeError) as error:
            raise Unusable(f"In config, {member} names no file that can be read ({getattr(error, 'strerror', None) or error}). Grant its "
                           "folder: mood plugin trust org.moodboard.nats --read FOLDER.") from None
    if ("certificate" in config) != ("key" in config):
        raise Unusable("In config, certificate and key go together.")


class Connection(Client):
    wants_tls = False

    def _connect_command(self):
        """The library goes on without TLS where the server offers none, and would send the password now."""
        if self.wants_tls and not self._server_info.get("tls_required"):
            raise nats.errors.Error("no TLS is offered")
        return super()._connect_command()


async def connect(url, config, ear):
    """A connection to any of nats://a,b,c or tls://a,b,c that comes back by itself. `ear` hears its errors."""
    check(config)
    (scheme, _, servers), context, connection = url.partition("://"), None, Connection()
    servers = [f"{scheme}://{one}" for one in servers.strip("/").split(",")]
    if scheme == "tls" or "ca" in config:
        context, connection.wants_tls = ssl.create_default_context(cafile=config.get("ca")), True
        if "certificate" in config:
            context.load_cert_chain(config["certificate"], config["key"])
    attempt = asyncio.ensure_future(connection.connect(
        servers, user_credentials=config.get("credentials"), tls=context, connect_timeout=3, reconnect_time_wait=0.2,
        max_reconnect_attempts=-1, error_cb=ear.hear, **({"inbox_prefix": config["inbox"]} if "inbox" in config else {})))
    end = time.monotonic() + 10
    # The library tries for ever; each server gets two attempts.
    while not attempt.done() and ear.count < 2 * len(servers) and time.monotonic() < end:
        await asyncio.wait([attempt], timeout=0.05)
    if not attempt.done():
        attempt.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await attempt
        # A server that refuses a password may be gone before that is read.
        is_refused = isinstance(ear.error, (ConnectionResetError, BrokenPipeError, nats.errors.UnexpectedEOF))
        raise nats.errors.AuthorizationError if is_refused and connection._server_info.get("auth_required") else TimeoutError
    try:
        attempt.result()
    except (ValueError, nats.errors.NoServersError) as error:
        raise Unusable(f"The URL names no servers: {error}.") from None
    return connection
