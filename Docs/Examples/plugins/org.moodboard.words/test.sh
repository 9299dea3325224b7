#!/bin/sh
# Builds the program in a folder of its own, feeds lines to it, among them the host's answers, and compares what it prints.
cd "$(dirname "$0")" || exit 1
build=${WORDS_BUILD:-$(mktemp -d)}
[ -n "$WORDS_BUILD" ] || trap 'rm -rf "$build"' EXIT
swift build --scratch-path "$build" > "$build.log" 2>&1 || { cat "$build.log"; exit 1; }
rm -f "$build.log"
program=$(swift build --scratch-path "$build" --show-bin-path)/words

printed=$("$program" <<'LINES'
{"jsonrpc":"2.0","id":1,"method":"plugin.hello","params":{"protocol":1}}
{"jsonrpc":"2.0","id":2,"method":"frequent","params":{"limit":2}}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}
{"jsonrpc":"2.0","id":"asked","result":{"items":[{"notes":"Garden, garden and the Sea","valence":1},{"notes":"sea/Garden"}],"nextCursor":"c"}}
{"jsonrpc":"2.0","id":"asked","result":{"items":[{"notes":"Rain. GARDEN","valence":-0.5},{"notes":"rainy Straße"}]}}
{"jsonrpc":"2.0","id":"3","method":"frequent","params":{}}
{"jsonrpc":"2.0","id":"asked","error":{"code":1040,"message":"Not granted."}}
{"jsonrpc":"2.0","id":4,"method":"no.such"}
{"jsonrpc":"2.0","method":"plugin.goodbye"}
LINES
)
expected=$(cat <<'LINES'
{"id":1,"jsonrpc":"2.0","result":{"protocol":1}}
{"id":"asked","jsonrpc":"2.0","method":"mood.list","params":{"limit":1000}}
{"id":"asked","jsonrpc":"2.0","method":"mood.list","params":{"cursor":"c","limit":1000}}
{"id":2,"jsonrpc":"2.0","result":{"moods":4,"words":[{"average":0.25,"count":3,"word":"garden"},{"average":-0.5,"count":1,"word":"rain"}]}}
{"id":"asked","jsonrpc":"2.0","method":"mood.list","params":{"limit":1000}}
{"error":{"code":1040,"message":"Not granted."},"id":"3","jsonrpc":"2.0"}
{"error":{"code":-32601,"message":"There is no method no.such."},"id":4,"jsonrpc":"2.0"}
LINES
)
if [ "$printed" = "$expected" ]; then
    echo ok
else
    printf '%s\n--- instead of\n%s\n' "$printed" "$expected"
    exit 1
fi
