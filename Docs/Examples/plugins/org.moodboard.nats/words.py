"""Words for a person, in place of the library's own, that say what to do."""
import ssl

from nats import errors
from nats.js.errors import APIError, NoStreamResponseError

IN_USE = 10058  # a stream of this name is there, with another configuration
SAYS = "mood sync setup URL"


class Missing(Exception):
    """A part of a snapshot is not there."""


class Unusable(Exception):
    """What was asked cannot be done at any time: its words are for a person."""


class NoStream(Exception):
    """The stream is not there, or not as it has to be; with words for a person."""

    def __init__(self, name, failure=None):
        wish = "Ask the administrator of the servers to make it, as the README of org.moodboard.nats says."
        if getattr(failure, "err_code", 0) == IN_USE:
            super().__init__(f"The stream {name} is not made as it has to be, with --allow-direct and --allow-rollup. {wish}")
        else:
            why = f" ({failure.description or failure})" if isinstance(failure, APIError) else ""
            super().__init__(f"There is no stream {name}, and it cannot be made{why}. {wish}")


def without_secrets(url):
    return ",".join(one.rpartition("@")[2] for one in url.partition("://")[2].strip("/").split(","))


def of(error, where, cause=None):
    """The words for an error of a request to these servers."""
    if isinstance(error, (Missing, Unusable, NoStream)):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return f"The package {error.name} is missing. Credentials need: pip install 'nats-py[nkeys]'."
    for one in (error, cause):
        said = f"{one}".lower()
        if isinstance(one, errors.AuthorizationError) or "authorization" in said or "authentication" in said:
            return f"The server at {where} refuses the user, password or credentials. Set up again with the right ones ({SAYS})."
        if "permissions violation" in said:
            what = said.partition("violation for ")[2] or "it"
            return (f"The server at {where} does not allow {what}. Ask its administrator for the rights of this journal, and "
                    "name the journal (--journal).")
        if isinstance(one, ssl.SSLError) or "no tls" in said or "ssl" in said:
            return f"There is no safe connection to {where} ({one}). See that the server has TLS and that config has its ca."
    if isinstance(error, errors.NoRespondersError):
        return f"The server at {where} has no JetStream. Start it with nats-server --jetstream."
    if isinstance(error, NoStreamResponseError):
        return f"The stream has no leader at {where}: most of its servers do not answer, or have only begun. It is tried again."
    if isinstance(error, (APIError, RuntimeError)):
        return f"The server at {where} refuses it: {getattr(error, 'description', None) or error}."
    if isinstance(cause, (errors.Error, ValueError)) and "info" in f"{cause}".lower():
        return f"What answers at {where} is no NATS server. See that the URL and the port are right ({SAYS})."
    reason = getattr(cause, "strerror", None) or "no answer in time"
    if isinstance(cause, ConnectionRefusedError):
        reason = "connection refused"
    if isinstance(error, (ConnectionError, OSError, TimeoutError, errors.Error)):
        return f"No NATS server can be reached at {where} ({reason}). See that it runs and that the URL is right."
    return f"The plugin has a fault of its own ({type(error).__name__}: {error}). Please report it."


def answer(error, where, cause):
    """The error of an answer. What cannot be reached now is asked again later."""
    code = 1001 if isinstance(error, Missing) else -32602 if isinstance(error, Unusable) else -32000
    return {"error": {"code": code, "message": of(error, where, cause)}}
