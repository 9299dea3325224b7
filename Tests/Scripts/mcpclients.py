#!/usr/bin/env python3
"""The official SDK of the Model Context Protocol as a client of the host.

    mcpclients.py HOST SCHEMAS    with an SDK installed: every tool, resource, template, prompt, completion, subscription; and every
                                  tool with each option that changes results, against its own output schema

SCHEMAS is a folder with the official JSON Schemas by version (2025-11-25.json …); each result is checked against that of its
version. Without SCHEMAS that is left out. `--malformed N` needs no SDK: N random malformed messages from a seed, after each of which
the next call works; then stdin is closed, and the host has to be gone within 100 ms.
"""
import asyncio
import json
import pathlib
import random
import re
import shutil
import tempfile
import warnings

from harness import Host, script

NEWER = "2026-07-28"
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NEWER]
META = {
    "io.modelcontextprotocol/protocolVersion": NEWER,
    "io.modelcontextprotocol/clientCapabilities": {},
}
RESULTS = {
    "tools/list": "ListToolsResult", "tools/call": "CallToolResult", "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
    "initialize": "InitializeResult", "server/discover": "DiscoverResult",
}


class Server(Host):
    def call(self, method, params=None, newer=False):
        """The whole answer."""
        return self.answer(method, {**(params or {}), **({"_meta": META} if newer else {})})


def every_call(host, newer):
    """Each request of a client with usual params: (method, answer)."""
    def call(method, params=None):
        answer = host.call(method, params, newer)
        calls.append((method, answer))
        assert "result" in answer, f"{method} {params}: {answer}"
        return answer["result"]

    def tool(name, **arguments):
        result = call("tools/call", {"name": name, "arguments": arguments})
        assert not result["isError"], f"{name} {arguments}: {result['content']}"
        return result["structuredContent"]

    calls = []
    tools = call("tools/list")["tools"]
    mood = tool("mood_add", emoji="😌", label="Calm", notes="by an SDK", tags=["sdk"])
    tool("mood_get", id=mood["id"], with_history=True)
    tool("mood_find", text="SDK")
    change = tool("mood_update", id=mood["id"], valence=0.5)
    tool("mood_undo", revision=change["revision"])
    tool("mood_favorite", id=mood["id"])
    for form in ["text", "markdown", "html", "ics"]:
        tool("mood_share", id=mood["id"], format=form)
    for route in ["menu", "crudList", f"moodboard://mood/{mood['id']}"]:
        tool("mood_screen", route=route)
    tool("mood_perform", action={"type": "toggleFavorite", "id": mood["id"]})
    names = [tool["name"] for tool in tools]
    if "mood_stats" in names:
        tool("mood_stats")
    if "mood_year" in names:
        tool("mood_year")
    for resource in call("resources/list")["resources"]:
        call("resources/read", {"uri": resource["uri"]})
    values = {"id": mood["id"], "date": mood["timestamp"][:10], "tag": "sdk", "span": "week", "year": "2026",
              "route": "crudList"}
    for template in call("resources/templates/list")["resourceTemplates"]:
        call("resources/read", {"uri": template["uriTemplate"].format(**values)})
        argument = template["uriTemplate"].split("{")[1].rstrip("}")
        call("completion/complete", {
            "ref": {"type": "ref/resource", "uri": template["uriTemplate"]},
            "argument": {"name": argument, "value": ""}})
    said = {"feeling": "content, but tired", "span": "2020-01-01T00:00:00Z", "since": "2020-01-01T00:00:00Z",
            "month": "2020-01-01T00:00:00Z"}
    for prompt in call("prompts/list")["prompts"]:
        name = prompt["arguments"][0]["name"]
        call("prompts/get", {"name": prompt["name"], "arguments": {name: said[name]}})
        call("completion/complete", {
            "ref": {"type": "ref/prompt", "name": prompt["name"]}, "argument": {"name": name, "value": ""}})
    tool("mood_delete", ids=[mood["id"]])
    return calls


NUMBERS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+")
# Options that change the results of tools.
OPTIONS = [
    ["--mcp-no-notes"], ["--read-only"], ["--mcp-tools", "all"], ["--mcp-tools", "all", "--mcp-no-notes"],
    ["--mcp-tools", "all", "--limit", "mcpAnswerBytes=3000"],
]


def fill_store(host, folder):
    """Makes a store with moods of all kinds; returns the ids of two that exist, and of a deleted one."""
    process = Server([host, "--store", folder, "--no-plugins"])
    ids = []
    for number in range(30):
        process.call("mood.create", {
            "emoji": "😌", "label": f"Calm {number}", "notes": "by an SDK, " + "long " * (200 if number == 0 else number),
            "tags": ["sdk", f"tag {number}"], "scales": {"sleep": 7}, "valence": 0.5, "timeZone": "Europe/Helsinki",
            "attachments": [{"kind": "link", "url": "https://example.org/", "title": "a"}],
            "timestamp": f"2026-02-{number % 28 + 1:02}T10:00:00Z"})
    page = process.call("mood.list", {"limit": 30, "order": "asc"})["result"]["items"]
    ids = [mood["id"] for mood in page]
    for number in range(70):
        process.call("mood.setNotes", {"id": ids[0], "notes": f"changed {number} times " + "x" * 600})
    process.call("mood.delete", {"id": ids[2]})
    process.end()
    return ids[0], ids[1], ids[2]


def tool_calls(one, two, gone, revision):
    """Calls of every tool: the usual ones, and those with results of another form. `revision` is the last change's."""
    detail = {"name": "moodDetail", "id": one}
    return [
        ("mood_add", {"emoji": "calm", "notes": "said", "tags": ["x"], "scales": {"sleep": 3}, "valence": 0.25, "time_zone": "UTC"}),
        ("mood_add", {"emoji": "calm", "dry_run": True}), ("mood_add", {"emoji": "calm", "idempotency_key": "k"}),
        ("mood_add", {"emoji": "calm", "idempotency_key": "k"}),
        ("mood_find", {}), ("mood_find", {"text": "there is none"}), ("mood_find", {"limit": 1}),
        ("mood_find", {"with_notes": False, "tags": ["sdk"]}), ("mood_find", {"from": "2026-02-01", "to": "2026-02-02"}),
        ("mood_get", {"id": one}), ("mood_get", {"id": one, "with_history": True}),
        ("mood_get", {"id": one, "with_history": True, "with_notes": False}), ("mood_get", {"id": two, "with_history": True}),
        ("mood_update", {"id": two, "notes": "other " * 300, "valence": None}), ("mood_update", {"id": two, "valence": None}),
        ("mood_update", {"id": two, "label": "Other", "dry_run": True, "with_notes": False}),
        ("mood_favorite", {"id": two}), ("mood_favorite", {"id": two, "is_favorite": False, "dry_run": True}),
        ("mood_delete", {"ids": [two], "dry_run": True}), ("mood_undo", {"revision": revision, "dry_run": True}),
        ("mood_share", {"id": one}), ("mood_share", {"id": two, "format": "markdown"}),
        ("mood_share", {"id": two, "format": "html", "with_notes": False}), ("mood_share", {"id": two, "format": "ics"}),
        ("mood_stats", {}), ("mood_stats", {"span": "2026-02"}), ("mood_stats", {"span": "1999"}),
        ("mood_year", {}), ("mood_year", {"year": 1999}),
        ("mood_screen", {}), ("mood_screen", {"route": "crudList"}), ("mood_screen", {"route": f"moodboard://mood/{one}"}),
        ("mood_screen", {"route": "observation", "router": "mine"}),
        ("mood_perform", {"action": {"type": "toggleFavorite", "id": two}}),
        ("mood_perform", {"action": {"type": "share", "id": one}}),
        ("mood_perform", {"action": {"type": "navigate", "route": detail}}),
        ("mood_perform", {"action": {"type": "delete", "id": two}, "dry_run": True}),
        ("mood_create", {"emoji": "😌", "label": "Calm", "notes": "n"}), ("mood_list", {}), ("mood_list", {"rows": True, "limit": 3}),
        ("mood_list", {"filter": {"text": "none"}, "count": True}), ("mood_update_many", {"ids": [one, two], "set": {"valence": 0.5}}),
        ("mood_delete_many", {"ids": [one], "dry_run": True}), ("mood_set_favorite", {"id": one, "is_favorite": True}),
        ("mood_toggle_favorite", {"id": one}), ("mood_set_notes", {"id": two, "notes": "again"}),
        ("mood_history", {"id": one}), ("mood_history", {"id": two, "limit": 1}), ("mood_history", {"id": gone}),
        ("mood_deleted", {}), ("mood_undelete", {"id": gone}), ("mood_resolve", {"texts": [one, one[-8:], "ffffff"]}),
        ("mood_detail", {"id": one}), ("time_parse", {"text": "last week"}), ("time_parse", {"text": "2 hours ago"}),
        ("stats_summary", {"span": "2026-02"}), ("stats_summary", {}), ("stats_year", {"year": 2026}), ("stats_month", {"month": "2026-02"}),
        ("stats_on_this_day", {"date": "2027-02-01"}), ("stats_on_this_day", {}), ("stats_render", {"what": "year", "year": 2026}),
        ("stats_render", {"what": "summary", "format": "text"}), ("mood_tags", {}), ("nav_state", {}),
        ("nav_navigate", {"route": detail}), ("nav_replace", {"route": {"name": "crudList"}}), ("nav_go_back", {}),
        ("nav_navigate", {"route": {"name": "architecture"}}), ("nav_go_back_to_root", {}), ("nav_open", {"url": f"moodboard://mood/{one}"}),
        ("nav_url", {"route": detail}), ("nav_menu", {}), ("nav_screen", {"route": detail}), ("nav_screen", {}), ("nav_log", {}),
        ("nav_save", {"name": "s"}), ("nav_restore", {"name": "s"}), ("store_info", {}), ("store_log", {}), ("store_verify", {}),
        ("mood_delete", {"ids": [two]}),
    ]


def prepare(host, folder):
    """A store, and the calls of tools on it."""
    one, two, gone = fill_store(host, folder)
    process = Server([host, "--store", folder, "--no-plugins"])
    revision = process.call("store.info")["result"]["revision"]
    process.end()
    return tool_calls(one, two, gone, revision)


def check_called(tools, calls):
    missing = {tool for tool in tools} - {name for name, _ in calls}
    assert not missing, f"no call of {sorted(missing)}"


def check_tools(host, parent):
    """Every tool's results against its own output schema, with all options, in all revisions."""
    import jsonschema
    folder = pathlib.Path(parent) / "prepared"
    prepared = prepare(host, str(folder))
    checked, failures, seen = 0, [], set()
    for place, (options, version) in enumerate((o, v) for o in OPTIONS for v in VERSIONS):
        store = pathlib.Path(parent) / f"raw{place}"
        shutil.copytree(folder, store)
        process, newer = Server([host, "--store", str(store), "--no-plugins", *options]), version == NEWER
        if not newer:
            process.call("initialize", {
                "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        tools = {tool["name"]: tool for tool in process.call("tools/list", newer=newer)["result"]["tools"]}
        check_called(tools, prepared)
        validators = {}
        for tool in tools.values():
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                if json.dumps(schema) not in seen:
                    jsonschema.Draft202012Validator.check_schema(schema)
                seen.add(json.dumps(schema))
            validators[tool["name"]] = jsonschema.Draft202012Validator(tool["outputSchema"])
        for name, arguments in prepared:
            if name not in tools:
                continue
            what = f"{version} {' '.join(options)}: {name} {arguments}"
            answer = process.call("tools/call", {"name": name, "arguments": arguments}, newer)
            result = answer.get("result")
            assert result, f"{what}: {answer}"
            if result["isError"]:
                if "mcpAnswerBytes=3000" not in options or "structuredContent" in result:
                    failures.append(f"{what}: {result['content']}")
                continue
            found = result["structuredContent"]
            # Results that differ only in numbers have one form.
            shape = (name, json.dumps(tools[name]["outputSchema"]), NUMBERS.sub("0", json.dumps(found)))
            fault = None if shape in seen else jsonschema.exceptions.best_match(validators[name].iter_errors(found))
            seen.add(shape)
            if fault:
                failures.append(f"{what}: {fault.json_path}: {fault.message[:300]}")
            if "--mcp-no-notes" in options or arguments.get("with_notes") is False:
                assert "by an SDK" not in json.dumps(result) and "changed 69" not in json.dumps(result), f"{what}: notes"
            if version < "2025-06-18" and json.loads(result["content"][0]["text"]) != found:
                failures.append(f"{what}: the text is not the JSON")
            checked += 1
        process.end()
    assert not failures, "\n".join(failures)
    print(f"{checked} results are as their tools' own output schemas want them")


def check_schemas(host, folder):
    """Every result against the official schema of its version."""
    import jsonschema
    checked = 0
    for version in VERSIONS:
        process = Server([host, "--in-memory", "--samples"])
        calls = []
        if version == NEWER:
            calls.append(("server/discover", process.call("server/discover", newer=True)))
        else:
            calls.append(("initialize", process.call("initialize", {
                "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})))
        calls += every_call(process, version == NEWER)
        schema = json.loads((pathlib.Path(folder) / f"{version}.json").read_text())
        key = "$defs" if "$defs" in schema else "definitions"
        for method, answer in calls:
            wanted = {"$ref": f"#/{key}/{RESULTS[method]}", key: schema[key]}
            jsonschema.Draft202012Validator(wanted).validate(answer["result"])
            checked += 1
        process.end()
    print(f"{checked} results are as the official schemas of five versions want them")


# MARK: the SDKs


def sdk_version():
    import importlib.metadata
    return importlib.metadata.version("mcp")


async def with_sdk(host, parent):
    import mcp
    from mcp.client.stdio import stdio_client
    version = sdk_version()
    folder = pathlib.Path(parent) / "for-sdk"
    calls = prepare(host, str(folder))
    is_first = version.startswith("1.")
    if is_first:
        await with_first_sdk(host, version)
    else:
        for mode in ["auto", "legacy"]:
            await with_second_sdk(host, version, mode)
    for place, options in enumerate(OPTIONS):
        mode = "legacy" if is_first or place % 2 else "auto"
        store = pathlib.Path(parent) / f"sdk{place}"
        shutil.copytree(folder, store)
        parameters = mcp.StdioServerParameters(command=host, args=["mcp", "--store", str(store), "--no-plugins", *options])
        label = f"mcp {version} {mode}"
        if is_first:
            async with stdio_client(parameters) as (reader, writer), mcp.ClientSession(reader, writer) as session:
                await session.initialize()
                await use_every_tool(session, label, calls, options)
        else:
            async with mcp.Client(parameters, mode=mode) as client:
                await use_every_tool(client, label, calls, options)
    print(f"mcp {version}: every tool with {len(OPTIONS)} sets of options")


async def use_every_tool(session, label, calls, options):
    """Calls every tool with an option. The SDK checks each result against the tool's output schema, once it has the list."""
    tools = {tool.name for tool in (await session.list_tools()).tools}
    check_called(tools, calls)
    for name, arguments in calls:
        if name in tools:
            result = await session.call_tool(name, arguments)
            assert "--limit" in options or not is_error(result), f"{label} {options}: {name} {arguments}: {result}"


# Addresses of a faulty server: one SDK refuses the whole list for them, another passes them on as something else.
ODD_ADDRESSES = [
    "note:///plain", "note:///a b", "note:///a%20b", "plain", "plain text", "", "uri:note:///a%20b", "http://bad host/x", "note://h:99999/",
    "note://[::1", "note:///Ä", "Note:///x", "note:///a/../b", "a_b:///c", "note:///\t", "note:///<x>", "note:é", "note:///%zz", "://",
]
# Schemas of a plugin's methods: what comes of their results is what the SDK checks by what it was told.
ODD_METHODS = {
    "array": ({"type": ["object", "null"]}, {"type": ["object", "null"]}, {}, {"a": 1}),
    "untyped": ({"properties": {"a": True, "b": False}}, {"properties": {"a": True, "b": False}}, {"a": 1}, {"a": 1}),
    "recursive": ({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False},
                  {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False}, {"next": {}}, {"next": {"next": {}}}),
    "spaced": ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a b"}}, "$defs": {"a b": {"type": "integer"}}},
               {"type": "object", "properties": {"a": {"$ref": "#/$defs/a b"}}, "$defs": {"a b": {"type": "integer"}}}, {"a": 1}, {"a": 1}),
    "named": ({"$id": "https://example.org/a b", "$schema": "no such", "type": "object"}, {"$id": "https://example.org/a b", "type": "object"}, {}, {}),
    "namesake": ({"type": "object"}, {"$id": "https://example.org/a b", "type": "object", "required": ["a"]}, {}, {"a": 1}),
    "anything": ({"type": "object"}, True, {}, "text"),
    "listing": ({"type": "object"}, {"type": "array", "items": {"$ref": "#"}}, {}, [[], [[]]]),
    "word": ({"type": "object", "properties": {"a": {"pattern": "^\\-\\p{L}$"}}}, {"type": "string", "pattern": "^\\p{L}+$"}, {}, "Äh"),
    "nothing": ({"type": "object"}, {"type": ["object", "null"], "required": ["a"]}, {}, None),
    "texts": ({"enum": ["a"]}, {"type": "object"}, {}, {}),
    "patterned": ({"type": "object"}, {"type": "object", "patternProperties": {"^\\p{L}$": {}}}, {}, {}),
}
ODD_PLUGIN = """import json, sys
RESULTS = json.load(open("results.json"))
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message:
        result = {"protocol": 1} if message["method"] == "plugin.hello" else RESULTS[message["method"]]
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


async def with_odd_guests(host):
    """No list is broken by what plugins and servers have written, and what is listed can be used."""
    import mcp
    import pluginhost
    from mcp.client.stdio import stdio_client
    version = sdk_version()
    with pluginhost.Trial(host) as trial:
        server = trial.plugin("org.example.server", ["python3", "./server.py"], [pathlib.Path(pluginhost.FOLDER) / "server.py"], kind="mcp")
        tools = [{"name": "sum", "inputSchema": {"type": "object"}}, {"name": "sum", "inputSchema": {"type": "object"}}, {"name": "a b"}]
        listed = [{"uri": uri, "name": "n"} for uri in ODD_ADDRESSES]
        (pathlib.Path(server) / "settings.json").write_text(json.dumps(
            {"era": "older", "more": True, "tools": tools, "resources": [*listed, {"name": "none"}, {"uri": 7}]}))
        odd = trial.plugin("org.example.odd", ["python3", "./odd.py"], provides={"methods": [
            {"name": name, "summary": "Odd.", "params": given, "result": result, "effect": "read", "tool": True}
            for name, (given, result, _, _) in ODD_METHODS.items()]})
        (pathlib.Path(odd) / "odd.py").write_text(ODD_PLUGIN)
        (pathlib.Path(odd) / "results.json").write_text(json.dumps({name: one[3] for name, one in ODD_METHODS.items()}))
        running = trial.start()
        for name in ("org.example.server", "org.example.odd"):
            assert "digest" in running.ask("plugin.info", {"id": name}), running.ask("plugin.info", {"id": name})
            running.trust(name)
        parameters = mcp.StdioServerParameters(command=host, args=["--store", trial.store])
        if version.startswith("1."):
            async with stdio_client(parameters) as (reader, writer), mcp.ClientSession(reader, writer) as session:
                await session.initialize()
                await use_odd_guests(session)
        else:
            async with mcp.Client(parameters) as client:
                await use_odd_guests(client)
        logs = {name: "\n".join(line["text"] for line in running.ask("plugin.log", {"id": name})["lines"] if line["from"] == "host")
                for name in ("org.example.server", "org.example.odd")}
        running.close()
        for words in ("is listed twice", '"a b"', "has no uri"):
            assert words in logs["org.example.server"], logs
        for words in ("texts is no tool for AI clients", "patterned is no tool for AI clients"):
            assert words in logs["org.example.odd"], logs
    print(f"mcp {version}: {len(ODD_ADDRESSES)} odd addresses and {len(ODD_METHODS)} odd schemas break no list")


async def use_odd_guests(session):
    found, cursor = [], None
    while True:
        page = await session.list_resources(**({"cursor": cursor} if cursor else {}))
        found += [str(one.uri) for one in page.resources if str(one.uri).startswith("x.org.example.server.")]
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            break
    assert len(found) == len(ODD_ADDRESSES), found
    for uri, wanted in zip(found, ODD_ADDRESSES):
        contents = (await session.read_resource(uri)).contents
        assert contents[0].text == f"This is {wanted}" and str(contents[0].uri) == uri, (uri, wanted, contents)
    await session.list_resource_templates()
    await session.list_prompts()
    tools = {tool.name.split("_")[2]: tool for tool in (await session.list_tools()).tools if tool.name.startswith("x_odd_")}
    assert sorted(tools) == sorted(set(ODD_METHODS) - {"texts", "patterned"}), sorted(tools)
    for name, tool in tools.items():
        schemas = [getattr(tool, "inputSchema", None) or tool.input_schema, getattr(tool, "outputSchema", None) or tool.output_schema]
        for schema in schemas:
            # The SDK for TypeScript refuses a list with another root, or with a member that is true.
            assert schema["type"] == "object" and all(isinstance(one, dict) for one in schema.get("properties", {}).values()), schema
        _, _, arguments, wanted = ODD_METHODS[name]
        result = await session.call_tool(tool.name, arguments)
        if name == "nothing":
            assert is_error(result), result
        else:
            assert not is_error(result) and structured(result) == (wanted if isinstance(wanted, dict) else {"result": wanted}), (name, result)


async def drive(session, label, read, templates, changed):
    """Runs what both generations of the SDK can do. `read` reads a resource by its address."""
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    added = await session.call_tool("mood_add", {"emoji": "😌", "label": "Calm", "notes": label, "tags": ["sdk"]})
    mood = structured(added)
    calls = [
        ("mood_get", {"id": mood["id"], "with_history": True}), ("mood_find", {"text": label}),
        ("mood_update", {"id": mood["id"], "valence": 0.5}), ("mood_favorite", {"id": mood["id"]}),
        ("mood_share", {"id": mood["id"], "format": "markdown"}), ("mood_screen", {"route": "crudList"}),
        ("mood_perform", {"action": {"type": "toggleFavorite", "id": mood["id"]}}),
    ]
    calls += [(name, {}) for name in ["mood_stats", "mood_year"] if name in tools]
    for name, arguments in calls:
        result = await session.call_tool(name, arguments)
        assert not is_error(result), f"{label}: {name}: {result}"
    undone = await session.call_tool("mood_undo", {"revision": structured(
        await session.call_tool("mood_update", {"id": mood["id"], "notes": "x"}))["revision"]})
    assert not is_error(undone), undone
    wrong = await session.call_tool("mood_get", {"idd": 1})
    assert is_error(wrong) and "id" in wrong.content[0].text, wrong
    for resource in (await session.list_resources()).resources[:5]:
        assert (await read(str(resource.uri))).contents, resource
    assert (await read(f"moodboard://mood/{mood['id']}")).contents
    assert templates(await session.list_resource_templates())
    prompts = (await session.list_prompts()).prompts
    assert len(prompts) == 4, prompts
    got = await session.get_prompt("log", {"feeling": "content"})
    assert got.messages
    await changed(mood["id"])
    gone = await session.call_tool("mood_delete", {"ids": [mood["id"]]})
    assert structured(gone)["deleted"] == 1
    assert len(tools) >= 10, sorted(tools)


def structured(result):
    value = getattr(result, "structured_content", None)
    return value if value is not None else result.structuredContent


def is_error(result):
    value = getattr(result, "is_error", None)
    return value if value is not None else result.isError


async def with_first_sdk(host, version):
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    from pydantic import AnyUrl
    told = asyncio.Event()

    async def hear(message):
        if isinstance(message, types.ServerNotification) and isinstance(
                message.root, types.ResourceUpdatedNotification):
            told.set()

    parameters = StdioServerParameters(command=host, args=["mcp", "--in-memory", "--samples"])
    async with stdio_client(parameters) as (reader, writer):
        async with ClientSession(reader, writer, message_handler=hear) as session:
            await session.initialize()
            await session.send_ping()

            async def changed(mood):
                uri = AnyUrl(f"moodboard://mood/{mood}")
                await session.subscribe_resource(uri)
                progress = []

                async def note(done, total, message):
                    progress.append(done)

                await session.call_tool("mood_favorite", {"id": mood}, progress_callback=note)
                await asyncio.wait_for(told.wait(), 5)
                assert progress == [1], progress
                await session.unsubscribe_resource(uri)
                completed = await session.complete(
                    types.ResourceTemplateReference(type="ref/resource", uri="moodboard://mood/{id}"),
                    {"name": "id", "value": "calm"})
                assert mood in completed.completion.values

            await drive(session, f"mcp {version}", lambda uri: session.read_resource(AnyUrl(uri)),
                        lambda result: result.resourceTemplates, changed)
    print(f"mcp {version}: every part works")


async def with_second_sdk(host, version, mode):
    import mcp
    told = asyncio.Event()

    async def hear(message):
        if "updated" in str(getattr(message, "method", "")) or "ResourceUpdated" in type(message).__name__:
            told.set()

    parameters = mcp.StdioServerParameters(command=host, args=["mcp", "--in-memory", "--samples"])
    async with mcp.Client(parameters, mode=mode, message_handler=hear) as client:
        async def changed(mood):
            uri = f"moodboard://mood/{mood}"
            progress = []

            async def note(done, total, message):
                progress.append(done)

            if mode == "legacy":
                await client.subscribe_resource(uri)
                await client.call_tool("mood_favorite", {"id": mood}, progress_callback=note)
                await asyncio.wait_for(told.wait(), 5)
                await client.unsubscribe_resource(uri)
            else:
                async with client.listen(resource_subscriptions=[uri]) as events:
                    await client.call_tool("mood_favorite", {"id": mood}, progress_callback=note)

                    async def first():
                        async for event in events:
                            return event

                    assert await asyncio.wait_for(first(), 5)
            assert progress == [1], progress

        await drive(client, f"mcp {version} {mode}", client.read_resource,
                    lambda result: result.resource_templates, changed)
        protocol = client.protocol_version
    assert (protocol == NEWER) == (mode == "auto"), protocol
    print(f"mcp {version}, {mode}: every part works, as {protocol}")


# MARK: malformed messages


def malformed(host, count, seed):
    """Sends messages with one known mistake each, and checks the error."""
    source = random.Random(seed)
    process = Server([host, "--in-memory", "--samples"])
    kinds = {}
    for number in range(count):
        message, codes = broken(source, number)
        process.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        if codes is not None:
            wanted = None if codes == {-32700} else f"m{number}"
            answer = process.receive(wanted)
            got = answer["error"]["code"] if "error" in answer else "isError" if answer["result"].get("isError") else "ok"
            assert got in codes, f"seed {seed}, message {number}: {message} was answered with {answer}"
            kinds[got] = kinds.get(got, 0) + 1
        if number % 10 == 0:
            assert "result" in process.call("tools/call", {"name": "mood_find", "arguments": {"limit": 1}}, newer=True)
    assert "result" in process.call("tools/list", newer=True)
    seconds = process.end()
    assert seconds < 0.1, f"the host took {seconds * 1000:.0f} ms to be gone"
    print(f"{count} malformed messages from seed {seed}: {kinds}; gone after {seconds * 1000:.1f} ms")


def broken(source, number):
    """A message, and the codes of which one must come; None is no answer."""
    rubbish = [1, -1.5e300, "x", [], [1], {"a": 1}, True]
    good = {"jsonrpc": "2.0", "id": f"m{number}", "method": "tools/call",
            "params": {"name": "mood_find", "arguments": {"limit": 1}, "_meta": dict(META)}}
    choice = source.randrange(14)
    params = good["params"]
    if choice == 0:
        data = json.dumps(good).encode()
        return data[:source.randrange(1, len(data) - 1)], {-32700}
    if choice == 1:
        good["jsonrpc"] = source.choice(rubbish)
        return good, {-32600}
    if choice == 2:
        good["method"] = source.choice([None, 1, [], {}])
        return good, {-32600}
    if choice == 3:
        good["method"] = source.choice(["tools/cal", "tools", "resources/", "initialise", "notifications/initialized"])
        return good, {-32601}
    if choice == 4:
        good["params"] = source.choice([1, "x", True])
        return good, {-32600}
    if choice == 5:
        del params["_meta"][source.choice(list(META))]
        return good, {-32602}
    if choice == 6:
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = source.choice(["", "2025-11-25", "x" * 500])
        return good, {-32022}
    if choice == 7:
        params["_meta"] = source.choice([1, "x", [1], True])
        return good, {-32602}
    if choice == 8:
        params["name"] = source.choice([None, 1, [], {}, "", "mood", "mood_finds", "é" * 300])
        return good, {-32602}
    if choice == 9:
        params["arguments"] = source.choice([1, "x", [1], True])
        return good, {-32602}
    if choice == 10:
        name = source.choice(["text", "tags", "from", "favorites", "limit", "sort", "cursor", "nothing"])
        params["arguments"] = {name: source.choice([{"a": 1}, [[1]], -1.5e300, [1]])}
        return good, {"isError"}
    if choice == 11:
        good["method"] = source.choice(["resources/read", "prompts/get", "completion/complete", "subscriptions/listen"])
        good["params"] = {"_meta": dict(META), source.choice(["uri", "name", "ref", "x"]): source.choice(rubbish)}
        return good, {-32602}
    if choice == 12:
        good["method"] = source.choice(["ping", "initialize", "logging/setLevel", "resources/subscribe"])
        return good, {-32601}
    good["method"] = source.choice(["notifications/cancelled", "notifications/progress", "notifications/roots/list_changed"])
    del good["id"]
    good["params"] = source.choice([{}, {"requestId": source.choice(rubbish)}])
    return good, None


@script("host", "schemas?", malformed=int, seed=1)
def main(options):
    warnings.simplefilter("ignore")  # its own SDK deprecates the older era, and this tests it on purpose
    if options.malformed:
        return malformed(options.host, options.malformed, options.seed)
    with tempfile.TemporaryDirectory() as parent:
        if options.schemas:
            check_schemas(options.host, options.schemas)
            # Once is enough: both generations of the SDK run side by side.
            if not sdk_version().startswith("1."):
                check_tools(options.host, parent)
        asyncio.run(with_sdk(options.host, parent))
    asyncio.run(with_odd_guests(options.host))
