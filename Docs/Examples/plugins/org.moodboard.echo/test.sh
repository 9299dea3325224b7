#!/bin/sh
# Compiles echo.c, feeds lines to it, whole and byte by byte, and compares what it prints.
cd "$(dirname "$0")" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -std=c11 -O2 -Wall -Wextra -Werror -o "$folder/echo" echo.c || exit 1

cat > "$folder/lines" <<'LINES'
{"jsonrpc":"2.0","id":1,"method":"plugin.hello","params":{"protocol":1}}
{"jsonrpc":"2.0","id":2,"method":"echo","params":{"text":"a \"quote\\\", {[ and ] é","n":[1,{"x":null}],"s":1e2}}
{ "params" : {"id":7} , "method" : "echo" , "id" : "a\"b" , "jsonrpc" : "2.0" }
{"jsonrpc":"2.0","id":3,"method":"echo"}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}
{"jsonrpc":"2.0","id":4,"method":"hook.change","params":{"changes":[{"type":"created","id":"m","after":{}}]}}
{"jsonrpc":"2.0","id":5,"method":"no.such"}
LINES
cat > "$folder/expected" <<'LINES'
{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"Echo","version":"1.0.0"}}
{"jsonrpc":"2.0","id":2,"result":{"text":"a \"quote\\\", {[ and ] é","n":[1,{"x":null}],"s":1e2}}
{"jsonrpc":"2.0","id":"a\"b","result":{"id":7}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"result":{}}
{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"There is no such method."}}
LINES
"$folder/echo" < "$folder/lines" | cmp - "$folder/expected" || exit 1
dd bs=1 if="$folder/lines" 2> /dev/null | "$folder/echo" | cmp - "$folder/expected" || exit 1

# A line longer than any buffer at first.
head -c 1000000 /dev/zero | tr '\0' x > "$folder/long"
printf '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"%s"}}\n' "$(cat "$folder/long")" > "$folder/lines" || exit 1
"$folder/echo" < "$folder/lines" | cut -c 1-50 | grep -q '"id":1,"result":{"text":"xxx' || exit 1
"$folder/echo" < "$folder/lines" | wc -c | grep -q '^1000046$' || { echo "a long line is cut"; exit 1; }
echo ok
