#!/usr/bin/env python3
"""Checks the published OpenRPC document against the specification's own schema, and every schema in it as a schema.

Tests/Scripts/openrpc.py [META-SCHEMA]

META-SCHEMA is a file; without it the schema comes from https://meta.open-rpc.org. Needs the package jsonschema. Ends with a
line; exit 1 if something is wrong, 0 if nothing is or if there is nothing to check with.
"""
import json, os, sys, urllib.request

try:
    from jsonschema import Draft7Validator
except ImportError:
    sys.exit(print("SKIPPED: no package jsonschema"))

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def meta_schema():
    if len(sys.argv) > 1:
        return json.load(open(sys.argv[1]))
    try:
        return json.load(urllib.request.urlopen("https://meta.open-rpc.org", timeout=20))
    except (OSError, ValueError) as error:
        sys.exit(print(f"SKIPPED: no schema of OpenRPC: {error}"))


def schemas(document):
    """Every JSON Schema of the document, with where it stands."""
    for method in document["methods"]:
        for param in method["params"]:
            yield f"{method['name']} {param['name']}", param["schema"]
        yield f"{method['name']} result", method["result"]["schema"]
    for name, schema in document["components"]["schemas"].items():
        yield name, schema
    for notification in document["x-notifications"]:
        yield notification["name"], notification["params"]


document = json.load(open(os.path.join(ROOT, "Schemas", "openrpc.json")))
meta = meta_schema()
# What a JSON Schema is, the specification's schema only points to; it is looked at below.
meta.pop("$schema", None)
meta["definitions"]["JSONSchema"] = True
problems = [f"/{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in Draft7Validator(meta).iter_errors(document)]
count = 0
for place, schema in schemas(document):
    count += 1
    problems += [f"{place}: {e.message[:200]}" for e in Draft7Validator(Draft7Validator.META_SCHEMA).iter_errors(schema)]
for problem in problems:
    print(problem)
print(f"{len(document['methods'])} methods, {count} schemas, {len(problems)} problems")
sys.exit(1 if problems else 0)
