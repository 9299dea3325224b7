#!/usr/bin/env python3
"""Checks the published description of the protocol: the OpenRPC document, its examples, and the schemas.

    openrpc.py [HOST] [--write]
    openrpc.py --write              builds, writes, builds again, writes what is published

The document is valid by the meta-schema of OpenRPC 1.4, every schema by those of draft-07 and 2020-12, every example by the schemas of
its method, and no two types have one title. With HOST the document equals the answer of HOST to rpc.discover, and every example
is called as the document says, with equal results. --write writes them into
Sources/MoodProtocol/Declarations/ExampleResults.swift instead. Checks that need the package jsonschema are SKIPPED without it. Exit 1 if something is
wrong.
"""
import concurrent.futures
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from harness import Host, Wrong, script

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
META = os.path.join(ROOT, "Tests", "Scripts", "fixtures", "openrpc", "1.4.json")
RESULTS = os.path.join(ROOT, "Sources", "MoodProtocol", "Declarations", "ExampleResults.swift")
SECONDS_MAX = 60


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return json.load(file)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def schemas(document):
    """Every schema of the document, with its place."""
    for method in document["methods"]:
        for param in method["params"]:
            yield f"{method['name']} {param['name']}", param["schema"]
        yield f"{method['name']} result", method["result"]["schema"]
    for name, schema in document["components"]["schemas"].items():
        yield name, schema
    for notification in document["x-notifications"]:
        yield notification["name"], notification["params"]


# MARK: Without a host


def titles(document):
    """Every type has a unique title."""
    seen = {}

    def look(place, schema, is_type):
        if not isinstance(schema, dict) or "$ref" in schema:
            return
        if (is_type or {"properties", "oneOf", "enum"} & set(schema)) and "title" not in schema:
            yield f"{place} has no title"
        if "title" in schema and seen.setdefault(schema["title"], place) != place:
            yield f"{place} and {seen[schema['title']]} have the title {schema['title']}"
        for name, part in schema.get("properties", {}).items():
            yield from look(f"{place}/{name}", part, False)
        for word in ("oneOf", "allOf"):
            for number, part in enumerate(schema.get(word, [])):
                yield from look(f"{place}/{word}/{number}", part, word == "oneOf")
        for word in ("items", "additionalProperties", "then"):
            yield from look(f"{place}/{word}", schema.get(word), False)

    for place, schema in schemas(document):
        yield from look(place, schema, True)


def by_schema(document):
    """The document, its schemas and its examples are valid."""
    meta = json.load(open(META, encoding="utf-8"))
    # The meta-schema only refers to the schema of JSON Schema.
    meta.pop("$schema")
    meta["definitions"]["JSONSchema"] = True
    for error in jsonschema.Draft7Validator(meta).iter_errors(document):
        yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
    for place, schema in schemas(document):
        for kind in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
            for error in kind(kind.META_SCHEMA).iter_errors(schema):
                yield f"{place}: {error.message[:200]}"

    def check(place, value, schema):
        rooted = {"allOf": [schema], "components": document["components"]}
        for error in jsonschema.Draft7Validator(rooted).iter_errors(value):
            yield f"{place}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"

    messages = {name: read("Schemas", name) for name in ("messages.schema.json", "draft-07/messages.schema.json")}
    for method in document["methods"]:
        declared = {param["name"]: param for param in method["params"]}
        for example in method["examples"]:
            given = {param["name"]: param["value"] for param in example["params"]}
            for name, param in declared.items():
                if param["required"] and name not in given:
                    yield f"the example of {method['name']} lacks {name}"
            for name, value in given.items():
                yield from check(f"the example of {method['name']}, {name}", value, declared[name]["schema"])
            result = example["result"]["value"]
            yield from check(f"the example of {method['name']}, result", result, method["result"]["schema"])
            request = {"jsonrpc": "2.0", "id": 1, "method": method["name"], "params": given}
            for name, schema in messages.items():
                for message in (request, {"jsonrpc": "2.0", "id": 1, "result": result}):
                    for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(message):
                        yield f"the example of {method['name']} breaks {name}: {error.message[:200]}"


def files():
    """The published schemas are valid in their own version, and none has the id of another."""
    seen = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "Schemas", "**", "*.schema.json"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        schema = read(name)
        if not schema.get("$id", "").startswith("moodboard://schemas/"):
            yield f"{name} has no absolute $id"
        if seen.setdefault(schema.get("$id"), name) != name:
            yield f"{name} has the $id of {seen[schema['$id']]}"
        kind = jsonschema.validators.validator_for(schema, None)
        if kind not in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
            yield f"{name} is of neither version"
            continue
        if (kind is jsonschema.Draft7Validator) != ("draft-07" in name):
            yield f"{name} is of the other version"
        for error in kind(kind.META_SCHEMA).iter_errors(schema):
            yield f"{name}: {error.message[:200]}"


# MARK: With a host


def changed(value, paths, change, at=""):
    """A value with `change` applied to the members that vary, by their JSON Pointers; None removes them."""
    if isinstance(value, list):
        return [changed(one, paths, change, f"{at}/{place}") for place, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    shown = {}
    for name, member in value.items():
        place = f"{at}/{name}"
        member = change(member) if place in paths else changed(member, paths, change, place)
        if member is not None or place not in paths:
            shown[name] = member
    return shown


def without(value, paths):
    """A value without the members that vary."""
    return changed(value, paths, lambda _: None)


def short(value, paths):
    """A value in the document's form, with short members that vary."""
    def shorter(old):
        if isinstance(old, (dict, list)):
            return type(old)()
        return 4321 if isinstance(old, int) else "laptop" if old == socket.gethostname() else old
    return changed(value, paths, shorter)


class Hosts:
    """The hosts of one example, in a separate folder."""

    def __init__(self, program, described):
        self.program, self.described, self.running, self.last = program, described, {}, 0
        self.folder = tempfile.mkdtemp(prefix="example-")
        for path, text in described["files"].items():
            path = self.here(path)
            os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o644)

    def here(self, text):
        return text.replace(self.described["folder"], self.folder)

    def ask(self, method, params, host="journal"):
        """The answer, with the folder of the document."""
        if host not in self.running:
            self.running[host] = Host([self.program, *map(self.here, self.described["hosts"][host])])
        answer = self.running[host].answer(method, json.loads(self.here(compact(params))), SECONDS_MAX)
        return json.loads(compact(answer).replace(self.folder, self.described["folder"]))

    def end(self):
        for host in self.running.values():
            host.end(SECONDS_MAX)
        # A process of a synced store may send the last changes after the end.
        for _ in range(50):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                return
            time.sleep(0.1)


def replay(program, document, method, by_position=False):
    """The answer to a method's example, and the error of a call before it. By position, a null stands for each left out
    param, like in a client that was generated from the document."""
    example = method["examples"][0]
    hosts = Hosts(program, document["x-examples"])
    try:
        for call in document["x-examples"]["before"] + example.get("x-after", []):
            answer = hosts.ask(call["method"], call["params"], call.get("host", "journal"))
            if "result" not in answer:
                return answer, f"{call['method']} before it: {compact(answer)}"
        params = {param["name"]: param["value"] for param in example["params"]}
        if by_position:
            params = [params.get(param["name"]) for param in method["params"]]
        return hosts.ask(method["name"], params), None
    finally:
        hosts.end()


def replays(program, document, by_position=False):
    """Each method with the answer to its example; by position, the methods that allow it."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        asked = [
            (method, pool.submit(replay, program, document, method, by_position)) for method in document["methods"]
            if not by_position or method["paramStructure"] != "by-name"]
        for method, answer in asked:
            yield method, *answer.result(timeout=SECONDS_MAX)


def against(program, document):
    with Host(program) as host:
        if host.ask("rpc.discover") != document:
            yield "rpc.discover does not answer with Schemas/openrpc.json"
    for by_position in (False, True):
        manner = ", by position" if by_position else ""
        for method, answer, problem in replays(program, document, by_position):
            example = method["examples"][0]
            varying = example.get("x-varying", [])
            if problem or "result" not in answer:
                yield f"the example of {method['name']}{manner}: {problem or compact(answer)}"
            elif without(answer["result"], varying) != without(example["result"]["value"], varying):
                yield f"the example of {method['name']}{manner} is answered with {compact(answer['result'])}"


def write(program):
    """The results as a source file; the calls are the program's."""
    document = json.loads(subprocess.run([program, "--openrpc"], stdout=subprocess.PIPE, check=True).stdout)
    lines = []
    for method, answer, problem in replays(program, document):
        if problem or "result" not in answer:
            raise Wrong(f"the example of {method['name']}: {problem or compact(answer)}")
        result = compact(short(answer["result"], method["examples"][0].get("x-varying", [])))
        result = result.replace('"version":' + compact(document["info"]["version"]), '"version":"${version}"')
        lines.append(f'        {method["name"]} {result}\n')
    with open(RESULTS, encoding="utf-8") as file:
        begin, end = file.read().split('##"""\n', 1)[0], '        """##\n}\n'
    with open(RESULTS, "w", encoding="utf-8") as file:
        file.write(begin + '##"""\n' + "".join(lines) + end)
    print(f"{len(lines)} results")


def write_all():
    """The results, and what is published of them: the order matters, because a host has the results of its own build."""
    def swift(*words, **more):
        subprocess.run(["swift", *words], cwd=ROOT, check=True, env={**os.environ, **more})
    swift("build", "--product", "moodboard")
    write(os.path.join(ROOT, ".build", "debug", "moodboard"))
    swift("build", "--build-tests")
    swift("test", "--skip-build", "--filter", "ReferenceTests", MOODBOARD_GOLDEN="write")


@script("host?", write=False)
def main(options):
    program = options.host and options.host
    if options.write:
        return write(program) if program else write_all()
    document = read("Schemas", "openrpc.json")
    problems = list(titles(document))
    if jsonschema:
        problems += list(by_schema(document)) + list(files())
    else:
        print("SKIPPED: no package jsonschema")
    if program:
        problems += list(against(program, document))
    for problem in problems:
        print(problem)
    count = sum(1 for _ in schemas(document))
    print(f"{len(document['methods'])} methods with examples, {count} schemas, {len(problems)} problems")
    return 1 if problems else 0
