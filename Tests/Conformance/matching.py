"""Patterns for expected answers: JSON equality with a few wildcards, and the rules for every answer."""

import json
import os
import re
import sys
from decimal import Decimal

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)

class Words:
    """The facts about one host: see words.json."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as opened:
            words = json.load(opened)
        self.start = words.get("start", [])
        self.probe = words["probe"]
        # code -> kind -> the required members of `data`, with their types; None: any error will do
        self.errors = words.get("errors")
        self.retryable = set(words.get("retryable", []))
        self.maybe_retryable = set(words.get("maybeRetryable", []))
        # method -> the required members of its params; None: any notification will do
        self.notifications = words.get("notifications")


WORDS = Words(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.json"))
TYPES = {"string": str, "integer": int, "number": (int, Decimal), "array": list, "any": object}


class Mismatch(Exception):
    """The difference, and its place."""


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
    """Raises `Mismatch` unless `value` matches `pattern`; fills `captures`."""
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


def check_notification(method, params):
    if WORDS.notifications is None:
        return
    missing = set(WORDS.notifications.get(method, ["?"])) - set(params)
    if missing:
        raise Mismatch(f"no notification {method} with these params: {show(params)}")


def check_error(error, header_framed):
    if WORDS.errors is None:
        if not isinstance(error, dict) or not {"code", "message"} <= set(error) <= {"code", "message", "data"}:
            raise Mismatch(f"an error has the members code and message, and perhaps data: {show(error)}")
        if not isinstance(error["code"], int) or not isinstance(error["message"], str):
            raise Mismatch(f"an error has a whole number and a text: {show(error)}")
        return
    if not isinstance(error, dict) or set(error) != {"code", "message", "data"}:
        raise Mismatch(f"an error has the members code, message and data: {show(error)}")
    data, kinds = error["data"], WORDS.errors.get(str(error["code"]))
    if kinds is None:
        raise Mismatch(f"unknown error code {error['code']}")
    if not isinstance(error["message"], str) or not error["message"].strip():
        raise Mismatch("an error has a message")
    if not isinstance(data, dict) or data.get("kind") not in kinds:
        raise Mismatch(f"code {error['code']} goes with {sorted(kinds)}: {show(error)}")
    kind = data["kind"]
    wanted = data.get("retryable") is True if kind in WORDS.maybe_retryable else kind in WORDS.retryable
    if data.get("retryable") is not wanted:
        raise Mismatch(f"retryable is wrong for {kind}: {show(error)}")
    wanted = dict(kinds[kind])
    if kind == "parseError" and not header_framed:
        wanted["offset"] = "integer"
    if kind == "conflict" and data.get("reason") == "revision":
        wanted["currentRevision"] = "integer"
    for names, type_name in wanted.items():
        given = [data[name] for name in names.split("|") if name in data]
        if not given or not isinstance(given[0], TYPES[type_name]):
            raise Mismatch(f"{kind} needs data.{names.replace('|', ' or data.')}: {show(error)}")


def raw_ids(text):
    """The raw text of the top-level `id` of a message, or of each message of a batch; None if there is none."""
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
