#!/usr/bin/env python3
"""Uses a host with other people's JSON-RPC clients: each adds a mood, reads it, gets an error, and hears an event.

    otherclients.py HOST [--only NAME]

pygls, python-lsp-jsonrpc, agent-client-protocol and jsonrpcclient are packages of PyPI; jsonrpc-glib is GNOME's, gir1.2-jsonrpc-1.0 in
Debian, and may be known to the system's Python alone, which is asked then. What is missing is named as SKIPPED. Exit 1 where a client cannot do it.
"""
import asyncio
import json
import os
import queue
import subprocess
import sys
import threading

from harness import One, script

SECONDS_MAX = 20
MISSING = {"id": "00000000-0000-7000-8000-000000000000"}
MOOD = {"emoji": "😊", "label": "Happy"}
SYSTEM_PYTHON = "/usr/bin/python3"


def command(host):
    return [host, "--in-memory", "--no-plugins"]


def expect(is_right, what):
    if not is_right:
        raise AssertionError(what)


def check(mood, read, problem, event):
    """Every client must have seen these."""
    expect(mood["label"] == "Happy" and mood["emoji"] == "😊", f"the mood is {mood}")
    expect(read == mood, f"it is read as {read}")
    expect("1001" in str(problem) or "There is no mood" in str(problem), f"what is wrong is said as {problem!r}")
    expect(event["topic"] == "mood" and event["seq"] == 1, f"the event is {event}")


def plain(value):
    """Plain values from clients' objects."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return plain(vars(value)) if hasattr(value, "__dict__") else value


def pygls(host):
    from pygls.client import JsonRPCClient

    async def use():
        client, heard = JsonRPCClient(), asyncio.Queue()

        @client.feature("events.event")
        def hear(params):
            heard.put_nowait(plain(params))
        await client.start_io(*command(host))
        ask = client.protocol.send_request_async
        await ask("events.subscribe", {"topics": ["mood"]})
        mood = plain(await ask("mood.create", MOOD))
        read = plain(await ask("mood.get", {"id": mood["id"]}))
        try:
            problem = await ask("mood.get", MISSING)
        except Exception as error:
            problem = f"{getattr(error, 'code', '')} {error}"
        check(mood, read, problem, await heard.get())
        await ask("host.shutdown")
        await client.stop()
    asyncio.run(asyncio.wait_for(use(), SECONDS_MAX))


def python_lsp_jsonrpc(host):
    from pylsp_jsonrpc.endpoint import Endpoint
    from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter
    process = subprocess.Popen(command(host), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    heard = queue.Queue()
    endpoint = Endpoint({"events.event": lambda params: heard.put(params)}, JsonRpcStreamWriter(process.stdin).write)
    reader = JsonRpcStreamReader(process.stdout)
    listening = threading.Thread(target=reader.listen, args=(endpoint.consume,), daemon=True)
    listening.start()

    def ask(method, params):
        return endpoint.request(method, params).result(timeout=SECONDS_MAX)
    ask("events.subscribe", {"topics": ["mood"]})
    mood = ask("mood.create", MOOD)
    read = ask("mood.get", {"id": mood["id"]})
    try:
        problem = ask("mood.get", MISSING)
    except Exception as error:
        problem = f"{getattr(error, 'code', '')} {error}"
    check(mood, read, problem, heard.get(timeout=SECONDS_MAX))
    process.stdin.close()
    expect(process.wait(timeout=SECONDS_MAX) == 0, "the host did not end well")
    endpoint.shutdown()


def agent_client_protocol(host):
    from acp.connection import Connection
    from acp.transports import spawn_stdio_transport

    async def use():
        heard = asyncio.Queue()

        async def hear(method, params, is_notification):
            heard.put_nowait(params)
        async with spawn_stdio_transport(*command(host)) as (reader, writer, _):
            connection = Connection(hear, writer, reader)
            await connection.send_request("events.subscribe", {"topics": ["mood"]})
            mood = await connection.send_request("mood.create", MOOD)
            read = await connection.send_request("mood.get", {"id": mood["id"]})
            try:
                problem = await connection.send_request("mood.get", MISSING)
            except Exception as error:
                problem = f"{getattr(error, 'code', '')} {error}"
            check(mood, read, problem, await heard.get())
            await connection.close()
    asyncio.run(asyncio.wait_for(use(), SECONDS_MAX))


def jsonrpcclient(host):
    from jsonrpcclient import Ok, parse_json, request_json
    process = subprocess.Popen(command(host), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    heard = []

    def ask(method, params):
        print(request_json(method, params=params), file=process.stdin, flush=True)
        for line in process.stdout:
            if "method" not in json.loads(line):
                return parse_json(line)
            heard.append(json.loads(line)["params"])
        raise AssertionError("the host has ended")
    expect(isinstance(ask("events.subscribe", {"topics": ["mood"]}), Ok), "no subscription")
    mood = ask("mood.create", MOOD).result
    read = ask("mood.get", {"id": mood["id"]}).result
    check(mood, read, ask("mood.get", MISSING), heard[0])
    process.stdin.close()
    expect(process.wait(timeout=SECONDS_MAX) == 0, "the host did not end well")


def jsonrpc_glib(host):
    import gi
    gi.require_version("Jsonrpc", "1.0")
    from gi.repository import Gio, GLib, Jsonrpc
    GLib.timeout_add_seconds(SECONDS_MAX, lambda: os._exit(1))
    process = Gio.Subprocess.new(command(host), Gio.SubprocessFlags.STDIN_PIPE | Gio.SubprocessFlags.STDOUT_PIPE)
    stream = Gio.SimpleIOStream.new(process.get_stdout_pipe(), process.get_stdin_pipe())
    client, heard = Jsonrpc.Client.new(stream), []
    client.connect("notification", lambda _, method, params: heard.append(params.unpack()))
    client.start_listening()

    context = GLib.MainContext.default()

    def ask(method, params):
        kinds = {name: GLib.Variant("as" if isinstance(one, list) else "s", one) for name, one in params.items()}
        done = []
        client.call_async(method, GLib.Variant("a{sv}", kinds), None, lambda _, outcome: done.append(outcome))
        while not done:
            context.iteration(True)
        return client.call_finish(done[0])[1].unpack()
    ask("events.subscribe", {"topics": ["mood"]})
    mood = ask("mood.create", MOOD)
    read = ask("mood.get", {"id": mood["id"]})
    try:
        problem = ask("mood.get", MISSING)
    except GLib.Error as error:
        problem = f"{error.code} {error.message}"
    while not heard:
        context.iteration(True)
    check(mood, read, problem, heard[0])
    ask("host.shutdown", {})


# name: its import, and the code that uses it.
CLIENTS = {
    "pygls": ("pygls", pygls), "python-lsp-jsonrpc": ("pylsp_jsonrpc", python_lsp_jsonrpc),
    "agent-client-protocol": ("acp", agent_client_protocol), "jsonrpcclient": ("jsonrpcclient", jsonrpcclient),
    "jsonrpc-glib": ("gi", jsonrpc_glib),
}


def is_there(name):
    try:
        __import__(CLIENTS[name][0])
        if name == "jsonrpc-glib":
            import gi
            gi.require_version("Jsonrpc", "1.0")
        return True
    except (ImportError, ValueError):
        return False


@script("host", only=One(CLIENTS))
def main(options):
    host = options.host
    failed = 0
    for name in [options.only] if options.only else CLIENTS:
        if not is_there(name):
            if name == "jsonrpc-glib" and not options.only and os.path.exists(SYSTEM_PYTHON):
                sys.stdout.flush()
                failed += subprocess.run([SYSTEM_PYTHON, os.path.abspath(__file__), host, "--only", name]).returncode
            else:
                print(f"SKIPPED: {name}")
            continue
        try:
            CLIENTS[name][1](host)
            print(f"ok    {name}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL  {name}: {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0
