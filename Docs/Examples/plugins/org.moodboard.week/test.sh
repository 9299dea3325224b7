#!/bin/sh
# Feeds lines to week.sh, among them the host's answers, and compares what it prints.
cd "$(dirname "$0")" || exit 1

printed=$(sh ./week.sh <<'LINES'
{"jsonrpc":"2.0","id":1,"method":"plugin.hello","params":{"protocol":1}}
{"jsonrpc":"2.0","id":2,"method":"detail.cells","params":{"mood":{"id":"m","timestamp":"2026-01-08T12:00:00.250Z"},"timeZone":"UTC"}}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}
{"jsonrpc":"2.0","id":"week","result":{"items":[{"timestamp":"2026-01-08T12:00:00.250Z","valence":1},{"timestamp":"2026-01-07T13:00:00.000Z","valence":0.5},{"timestamp":"2026-01-02T13:00:00.000Z","valence":-1},{"timestamp":"2026-01-02T13:00:00.000Z"}]}}
{"jsonrpc":"2.0","id":"3","method":"detail.cells","params":{"mood":{"id":"m","timestamp":"2026-01-08T12:00:00.250Z"},"timeZone":"UTC"}}
{"jsonrpc":"2.0","id":"week","error":{"code":1040,"message":"Not \"granted\"."}}
{"jsonrpc":"2.0","id":4,"method":"no.such"}
{"jsonrpc":"2.0","method":"plugin.goodbye"}
{"jsonrpc":"2.0","id":5,"method":"plugin.hello"}
LINES
)
expected=$(cat <<'LINES'
{"jsonrpc":"2.0","id":1,"result":{"protocol":1}}
{"jsonrpc":"2.0","id":"week","method":"mood.list","params":{"limit":1000,"filter":{"from":"2026-01-01T12:00:01Z","to":"2026-01-08T12:00:01Z"}}}
{"jsonrpc":"2.0","id":2,"result":{"maxAge":3600,"cells":[{"type":"info","id":"week","icon":"calendar","title":"The week before","value":"·▁····▇ 4 moods, mixed","color":"blue","accessibility":{"label":"The week before: 4 moods, mixed","traits":["staticText"]}}]}}
{"jsonrpc":"2.0","id":"week","method":"mood.list","params":{"limit":1000,"filter":{"from":"2026-01-01T12:00:01Z","to":"2026-01-08T12:00:01Z"}}}
{"jsonrpc":"2.0","id":"3","error":{"code":1,"message":"Not \"granted\"."}}
{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"There is no method no.such."}}
LINES
)
if [ "$printed" = "$expected" ]; then
    echo ok
else
    printf '%s\n--- instead of\n%s\n' "$printed" "$expected"
    exit 1
fi
