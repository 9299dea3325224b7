"""Patterns for expected answers: JSON equality with a few wildcards, and the rules that every answer keeps."""

import json
import re
import sys
from decimal import Decimal

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)

# code -> the kinds that may stand beside it
KINDS = {
    -32700: {"parseError"},
    -32600: {"invalidRequest", "messageTooLarge", "batchTooLarge"},
    -32601: {"methodNotFound"},
    -32602: {"invalidParams"},
    -32603: {"internalError"},
    -32800: {"cancelled"},
    -32802: {"shuttingDown"},
    1001: {"notFound"},
    1002: {"conflict"},
    1003: {"refused"},
    1010: {"storeBusy"},
    1011: {"storeReadOnly"},
    1012: {"storageFull"},
    1013: {"outcomeUnknown"},
    1014: {"storeUnavailable"},
    1015: {"storeCorrupt"},
    1020: {"limitExceeded"},
    1030: {"pluginUnavailable"},
    1031: {"pluginFailed"},
    1032: {"pluginTimeout"},
    1040: {"permissionDenied"},
    -32022: {"unsupportedProtocolVersion"},
    -32002: {"resourceNotFound"},
}
RETRYABLE = {"storeBusy", "storageFull", "outcomeUnknown"}
# kind -> members of `data` that must be there, with their types
DATA = {
    "parseError": {"reason": str},
    "methodNotFound": {"suggestions": list},
    "invalidParams": {"path": str, "reason": str},
    "conflict": {"reason": str},
    "storeReadOnly": {"reason": str},
    "storeUnavailable": {"reason": str},
    "storeCorrupt": {"file": str, "offset": (int, Decimal)},
    "limitExceeded": {"limit": object, "value": object},
}


class Mismatch(Exception):
    """What differs, and where."""


def _pairs(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate member")
    return members


SURROGATE = re.compile(r"[\ud800-\udfff]")
sys.set_int_max_str_digits(0)  # a number may have any number of digits


def _constant(text):
    raise ValueError(f"{text} is not JSON")


DECODER = json.JSONDecoder(parse_float=Decimal, object_pairs_hook=_pairs, parse_constant=_constant)


def parse(text):
    """Parses strict JSON; numbers keep their exact value, duplicate members and lone surrogates are refused."""
    try:
        value = DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\u" in text and SURROGATE.search(json.dumps(value, ensure_ascii=False, default=str)):
        raise ValueError("a lone surrogate")
    return value


def is_number(value):
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def same_number(a, b):
    if Decimal(a) == Decimal(b):
        return True
    left, right = float(a), float(b)
    return left == right and abs(left) != float("inf")


def match(pattern, value, captures, where=""):
    """Raises `Mismatch` unless `value` fits `pattern`; fills `captures`."""
    if isinstance(pattern, str) and pattern.startswith("$"):
        return match_wildcard(pattern, value, captures, where)
    if isinstance(pattern, dict):
        if set(pattern) == {"$json"}:
            if not isinstance(value, str):
                raise Mismatch(f"{where}: not a string with JSON")
            return match(pattern["$json"], parse(value), captures, where + "(json)")
        if not isinstance(value, dict):
            raise Mismatch(f"{where}: expected an object, got {show(value)}")
        named = {name for name in pattern if name != "$rest"}
        for name in sorted(named):
            if pattern[name] == "$absent":
                if name in value:
                    raise Mismatch(f"{where}/{name}: must not be there, is {show(value[name])}")
                continue
            if name not in value:
                raise Mismatch(f"{where}/{name}: missing")
            match(pattern[name], value[name], captures, f"{where}/{name}")
        extra = sorted(set(value) - named)
        if extra and "$rest" not in pattern:
            raise Mismatch(f"{where}: unexpected members {', '.join(extra)}")
        return None
    if isinstance(pattern, list):
        if not isinstance(value, list):
            raise Mismatch(f"{where}: expected an array, got {show(value)}")
        if pattern[:1] == ["$includes"]:
            for wanted in pattern[1:]:
                if not any(fits(wanted, element, captures) for element in value):
                    raise Mismatch(f"{where}: no element like {show(wanted)} in {show(value)}")
            return None
        if len(pattern) != len(value):
            raise Mismatch(f"{where}: expected {len(pattern)} elements, got {len(value)}: {show(value)}")
        for index, (p, v) in enumerate(zip(pattern, value)):
            match(p, v, captures, f"{where}/{index}")
        return None
    if is_number(pattern):
        if not is_number(value) or not same_number(pattern, value):
            raise Mismatch(f"{where}: expected {pattern}, got {show(value)}")
        return None
    if type(pattern) is not type(value) or pattern != value:
        raise Mismatch(f"{where}: expected {show(pattern)}, got {show(value)}")
    return None


def fits(pattern, value, captures):
    try:
        match(pattern, value, captures)
        return True
    except Mismatch:
        return False


def match_wildcard(pattern, value, captures, where):
    name, _, argument = pattern[1:].partition(":")
    if name == "any":
        return
    if name == "capture":
        captures[argument] = value
        return
    if name == "error":
        return match_error(argument, value, where)
    checks = {
        "string": lambda: isinstance(value, str),
        "number": lambda: is_number(value),
        "boolean": lambda: isinstance(value, bool),
        "array": lambda: isinstance(value, list),
        "object": lambda: isinstance(value, dict),
        "uuid": lambda: isinstance(value, str) and UUID.fullmatch(value),
        "time": lambda: isinstance(value, str) and TIME.fullmatch(value),
        "match": lambda: isinstance(value, str) and re.search(argument, value),
    }
    if name not in checks:
        raise Mismatch(f"{where}: the transcript uses an unknown wildcard {pattern}")
    if not checks[name]():
        raise Mismatch(f"{where}: expected {pattern}, got {show(value)}")


def match_error(argument, value, where):
    codes, _, rest = argument.partition(":")
    kinds, _, path = rest.partition(":")
    if not isinstance(value, dict):
        raise Mismatch(f"{where}: expected an error object, got {show(value)}")
    if str(value.get("code")) not in codes.split("|"):
        raise Mismatch(f"{where}/code: expected {codes}, got {show(value)}")
    data = value.get("data") or {}
    if kinds and data.get("kind") not in kinds.split("|"):
        raise Mismatch(f"{where}/data/kind: expected {kinds}, got {show(value)}")
    if path and data.get("path") != (path if path != "(root)" else ""):
        raise Mismatch(f"{where}/data/path: expected {path}, got {show(value)}")


def check_answer(answer, header_framed):
    """The rules for every answer, whatever the transcript expects."""
    if isinstance(answer, list):
        if not answer:
            raise Mismatch("an empty array is no answer")
        for one in answer:
            if not isinstance(one, dict):
                raise Mismatch("a member of a batch answer is no object")
            check_answer(one, header_framed)
        return
    if not isinstance(answer, dict):
        raise Mismatch(f"not an answer: {show(answer)}")
    if set(answer) not in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}):
        if set(answer) == {"jsonrpc", "method", "params"}:
            return check_notification(answer["method"], answer["params"])
        raise Mismatch(f"an answer has the members jsonrpc, id and result or error: {sorted(answer)}")
    if answer["jsonrpc"] != "2.0":
        raise Mismatch("jsonrpc is not \"2.0\"")
    if "error" in answer:
        check_error(answer["error"], header_framed)


# What the notifications hold that the host sends of its own.
NOTIFICATIONS = {
    "$/progress": {"token", "value"},
    "events.event": {"subscription", "topic", "seq", "at"},
    "notifications/progress": {"progressToken", "progress"},
    "notifications/resources/updated": {"uri"},
    "notifications/resources/list_changed": set(),
    "notifications/tools/list_changed": set(),
    "notifications/subscriptions/acknowledged": {"notifications", "_meta"},
}


def check_notification(method, params):
    missing = NOTIFICATIONS.get(method, {"?"}) - set(params)
    if missing:
        raise Mismatch(f"no notification {method} with these params: {show(params)}")


def check_error(error, header_framed):
    if not isinstance(error, dict) or set(error) != {"code", "message", "data"}:
        raise Mismatch(f"an error has the members code, message and data: {show(error)}")
    data = error["data"]
    if error["code"] not in KINDS:
        raise Mismatch(f"unknown error code {error['code']}")
    if not isinstance(error["message"], str) or not error["message"].strip():
        raise Mismatch("an error has a message")
    if not isinstance(data, dict) or data.get("kind") not in KINDS[error["code"]]:
        raise Mismatch(f"code {error['code']} goes with {KINDS[error['code']]}: {show(error)}")
    # A plugin that has too many calls waiting may be asked again; one that does not run may not.
    wanted = data.get("retryable") is True if data["kind"] == "pluginUnavailable" else data["kind"] in RETRYABLE
    if data.get("retryable") is not wanted:
        raise Mismatch(f"retryable is wrong for {data['kind']}: {show(error)}")
    wanted = dict(DATA.get(data["kind"], {}))
    if data["kind"] == "parseError" and not header_framed:
        wanted["offset"] = int
    if data["kind"] == "conflict" and data.get("reason") == "revision":
        wanted["currentRevision"] = int
    for name, kind in wanted.items():
        if name not in data or not isinstance(data[name], kind):
            raise Mismatch(f"{data['kind']} needs data.{name}: {show(error)}")
    if data["kind"] == "notFound" and not ({"id", "name"} & set(data)):
        raise Mismatch(f"notFound needs data.id or data.name: {show(error)}")


def raw_ids(text):
    """The text of the top-level `id` of a message, or of each message of a batch; None where there is none."""
    position = _space(text, 0)
    if text[position] != "[":
        return [_raw_id(text, position)[0]]
    found, position = [], _space(text, position + 1)
    while text[position] != "]":
        if text[position] == "{":
            raw, position = _raw_id(text, position)
        else:
            raw, position = None, DECODER.raw_decode(text, position)[1]
        found.append(raw)
        position = _space(text, position)
        if text[position] == ",":
            position = _space(text, position + 1)
    return found


def _space(text, position):
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _raw_id(text, position):
    raw = None
    position = _space(text, position + 1)
    while text[position] != "}":
        name, position = DECODER.raw_decode(text, position)
        position = _space(text, _space(text, position) + 1)
        start = position
        _, position = DECODER.raw_decode(text, position)
        if name == "id":
            raw = text[start:position]
        position = _space(text, position)
        if text[position] == ",":
            position = _space(text, position + 1)
    return raw, position + 1


def show(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else text[:300] + f"… ({len(text)} characters)"
