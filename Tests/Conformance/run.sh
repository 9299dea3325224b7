#!/bin/sh
# Replays conformance transcripts against a host, as run.py does, with a POSIX shell and jq. README.md beside this file describes the format.
#
#   run.sh [--methods NAME,…] HOST [FILE…]
#
# --methods: only transcripts that need no other methods. Prints TAP 13. TIMEOUT: seconds for a message (10). WORDS: the facts about another
# host (words.json). A transcript whose needs are missing is a SKIP, with the reason: @lock without flock(1).
set -u
folder=$(cd "$(dirname "$0")" && pwd)
methods=
if [ "${1:-}" = --methods ]; then
    methods=,$(printf '%s' "${2:?--methods wants names}" | tr -d ' '),
    shift 2
fi
host=${1:?HOST is missing}
shift
[ -e "$host" ] && host=$(cd "$(dirname "$host")" && pwd)/$(basename "$host")
[ $# -gt 0 ] || set -- "$folder"/*.transcript
words=${WORDS:-$folder/words.json}
turns=$((${TIMEOUT:-10} * 100))
path=$PATH

fail() { problem=$1; }

# The text with its macros replaced. Most texts have none.
expand() {
    text=$1
    case $text in *'${'*) ;; *) return ;; esac
    text=$(jq -nr --arg text "$text" --arg dir "$dir" --arg tmp "$tmp" --slurpfile kept "$tmp.captures" '
        def inner: if type == "string" then tojson[1:-1] else tojson end;
        ($kept | add // {}) as $kept
        | [$text | match("\\$\\{(?:repeat:([0-9]+):((?:.|\\n)+?):|([a-z][A-Za-z0-9]*))\\}"; "g")] as $found
        | reduce ($found | reverse[]) as $one ($text;
            ($one.captures | map(.string)) as [$count, $repeated, $name]
            | (if $count != null then $repeated * ($count | tonumber)
               elif $name == "dir" then $dir elif $name == "tmp" then $tmp
               elif $kept | has($name) then $kept[$name] | inner else error("nothing was captured as \($name)") end) as $new
            | .[:$one.offset] + $new + .[$one.offset + $one.length:])' 2>> "$tmp.problems") || fail "a macro cannot be replaced: $1"
}

start() {
    rm -f "$tmp.in" "$tmp.out"
    mkfifo "$tmp.in" "$tmp.out"
    : > "$tmp.lines"
    cat "$tmp.out" >> "$tmp.lines" 4>&- &
    reader=$!
    # shellcheck disable=SC2086 # words are split at spaces
    (cd / && ulimit -f "$blocks" && exec env -i PATH="$path" $environment $host $arguments) < "$tmp.in" > "$tmp.out" 2>> "$tmp.errors" 4>&- &
    pid=$!
    exec 3> "$tmp.in"
    taken=0
    runs=yes
}

running() { [ "$runs" = yes ] || { [ -z "$unread" ] || nothing_unread; start; }; }

# Expects the host to end with a code, in so many hundredths of a second.
ended() {
    left=$2
    while kill -0 "$pid" 2> /dev/null && [ "$left" -gt 0 ]; do sleep 0.01; left=$((left - 1)); done
    if kill -0 "$pid" 2> /dev/null; then
        kill -9 "$pid"
        fail "the host did not end in time"
    fi
    exec 3>&-
    wait "$pid" 2> /dev/null
    code=$?
    wait "$reader" 2> /dev/null
    runs=no
    unread=yes
    [ "$code" = "$1" ] || [ -n "$problem" ] || fail "exit code $code instead of $1"
}

finish() {
    if [ "$runs" = yes ]; then
        exec 3>&-
        ended 0 200
    fi
    nothing_unread
}

nothing_unread() {
    [ -z "$unread" ] || [ "$(size)" -eq "$taken" ] || [ -n "$problem" ] || fail "output that nobody expected: $(unread_bytes | tail -n 1)"
    unread=
}

# The number of bytes that the host has written, and of those that were not taken yet.
size() { wc -c < "$tmp.lines"; }
unread_bytes() { tail -c "+$((taken + 1))" "$tmp.lines"; }

# Waits until the host has written so many bytes after those that were taken.
await() {
    while [ "$(size)" -lt $((taken + $1)) ]; do
        [ "$left" -gt 0 ] || { fail "no answer arrived in time"; return 1; }
        [ "$runs" = yes ] && kill -0 "$pid" 2> /dev/null || left=$((left > 20 ? 20 : left))
        sleep 0.01
        left=$((left - 1))
    done
}

# The next line of the host, in the file .line.
receive_line() {
    await 1 || return
    while unread_bytes | head -n 1 > "$tmp.line"; length=$(wc -c < "$tmp.line"); [ "$(tail -c 1 "$tmp.line" | wc -l)" -eq 0 ]; do
        await $((length + 1)) || return
    done
    taken=$((taken + length))
}

# The next message of the host in this framing, line or header, in the file .line.
receive() {
    left=$turns
    receive_line || return
    [ "$1" = header ] || return 0
    body=0
    while [ "$(tr -d '\r\n' < "$tmp.line")" != "" ]; do
        case $(cat "$tmp.line") in
        Content-Length:*) body=$(sed 's/[^0-9]//g' "$tmp.line") ;;
        *:*) ;;
        *) fail "no header block: $(head -c 300 "$tmp.line")"; return 1 ;;
        esac
        receive_line || return
    done
    await "$body" || return
    unread_bytes | head -c "$body" > "$tmp.line"
    taken=$((taken + body))
}

# Sends a request or a batch of a client in this framing.
send() {
    if [ "$1" = header ]; then
        printf 'Content-Length: %d\r\n\r\n%s' "$(printf '%s' "$2" | wc -c)" "$2" >&3 2> /dev/null
    else
        printf '%s\n' "$2" >&3 2> /dev/null
    fi || fail "the host does not read"
}

# Names, modes and contents of a file, or of all files below a directory.
tree() {
    find "$tmp"/$1 -type f -exec sh -c 'for one; do stat -c "%n %a" "$one"; cksum < "$one"; done' sh {} + | paste - - | sort
}

# Whether a value in a file matches a pattern; $3: and the rules of answers.
fits() {
    printf '%s' "$1" > "$tmp.pattern"
    jq -nc --slurpfile words "$words" --slurpfile pattern "$tmp.pattern" --slurpfile value "$2" --arg rules "$3" -L "$folder" '
        include "matching"; $value[0] | (if $rules == "yes" then rules($words[0]) else empty end), fit($pattern[0]; "")' \
        > "$tmp.outcome" 2>> "$tmp.problems" || { fail "no JSON: $(head -c 300 "$2")"; return; }
    [ -s "$tmp.outcome" ] || return
    fault=$(jq -r 'select(.fault).fault' "$tmp.outcome" | head -n 1)
    [ -z "$fault" ] || fail "$fault"
    jq -c 'select(.capture) | {(.capture): .value}' "$tmp.outcome" >> "$tmp.captures"
}

step() {
    marker=${1%% *}
    rest=${1#"$marker"}
    rest=${rest# }
    [ "$marker" = "-->hex" ] || expand "$rest"
    [ -z "$problem" ] || return
    case $marker in
    @*)
        first=${text%% *}
        second=${text#"$first"}
        second=${second# } ;;
    esac
    case $marker in
    '-->') running; framing=line; send line "$text" ;;
    '-->header') running; framing=header; send header "$text" ;;
    '-->crlf') running; printf '%s\r\n' "$text" >&3 ;;
    '-->part') running; printf '%s' "$text" >&3 ;;
    '-->hex') running; for byte in $(printf '%s' "$rest" | tr -d ' ' | sed 's/../& /g'); do printf "\\$(printf '%03o' "0x$byte")"; done >&3 ;;
    '<--') exchanges=$((exchanges + 1)); receive line && fits "$text" "$tmp.line" yes ;;
    '<--header') exchanges=$((exchanges + 1)); receive header && fits "$text" "$tmp.line" yes ;;
    '<--none')
        exchanges=$((exchanges + 1))
        running
        send "$framing" "$(jq -c --arg id "nothing-before-$exchanges" '{jsonrpc: "2.0", id: $id, method: .probe.method}' "$words")"
        receive "$framing" && fits "$(jq -c --arg id "nothing-before-$exchanges" '{jsonrpc: "2.0", id: $id, result: .probe.result}' "$words")" "$tmp.line" yes ;;
    @start) finish; arguments=$text; start ;;
    @restart) finish; start ;;
    @eof) running; exec 3>&-; ended 0 100 ;;
    @exit) running; ended "$text" 100 ;;
    @signal) running; kill -"$text" "$pid"; ended 0 100 ;;
    @kill) kill -9 "$pid"; ended 137 100; unread= ;;
    @wait) sleep "$(printf '%d.%03d' $((text / 1000)) $((text % 1000)))" ;;
    @env)
        case $text in
        PATH=*) path=${text#PATH=} ;;
        *)
            kept=
            for one in $environment; do case $one in "${text%%=*}="*) ;; *) kept="$kept $one" ;; esac; done
            environment=$kept
            case $text in *=*) environment="$environment $text" ;; esac ;;
        esac ;;
    @write)
        mkdir -p -m 700 "$(dirname "$tmp/$first")"
        if [ -n "$second" ]; then printf '%s\n' "$second" > "$tmp/$first"; else : > "$tmp/$first"; fi
        chmod 600 "$tmp/$first" ;;
    @filesize) blocks=$((text * 2)) ;;
    @replace)
        jq -Rrsj --arg old "${second%% => *}" --arg new "${second#* => }" 'split($old) | if length == 2 then join($new) else error("it stands \(length - 1) times") end' \
            "$tmp"/$first > "$tmp.replaced" 2>> "$tmp.problems" && cat "$tmp.replaced" > "$(echo "$tmp"/$first)" || fail "$text: this does not stand there once" ;;
    @remember) tree "$text" > "$tmp.tree-$(echo "$text" | tr -c 'a-z0-9' -)" ;;
    @same) tree "$text" | cmp -s - "$tmp.tree-$(echo "$text" | tr -c 'a-z0-9' -)" || fail "$text has changed since @remember" ;;
    @lock)
        mkfifo "$tmp.held"
        flock "$tmp/$text" sh -c 'exec cat "$1" > "$1.locked"' sh "$tmp.held" 3>&- &
        exec 4> "$tmp.held"
        until [ -e "$tmp.held.locked" ]; do sleep 0.01; done ;;
    @unlock) exec 4>&-; until flock -n "$tmp/$text" true; do sleep 0.01; done ;;
    @append) printf '%s' "$second" >> "$(echo "$tmp"/$first)" ;;
    @remove) rm "$tmp"/$first || fail "$text cannot be removed" ;;
    @mkdir) mkdir -p -m 700 "$tmp/$text" ;;
    @chmod) chmod "$second" "$tmp"/$first ;;
    @link) ln -s "$second" "$tmp/$first" ;;
    @exists) for one in "$tmp"/$text; do [ -e "$one" ] || fail "$text is not there"; break; done ;;
    @missing) for one in "$tmp"/$text; do [ ! -e "$one" ] || fail "$text must not be there"; done ;;
    @mode) mode=$(stat -c %a "$tmp"/$first) && [ "$mode" = "${second#0}" ] || fail "$first has mode $mode" ;;
    @json) fits "$second" "$(echo "$tmp"/$first)" no ;;
    @stderr-contains) left=200; until grep -qF -- "$text" "$tmp.errors"; do left=$((left - 1)); [ "$left" -gt 0 ] || { fail "stderr does not hold '$text'"; break; }; sleep 0.01; done ;;
    @stdout-contains) grep -qF -- "$text" "$tmp.lines" || fail "stdout does not hold '$text'"; unread= ;;
    *) fail "unknown directive $marker" ;;
    esac
}

replay() {
    scratch=$(mktemp -d)
    scratch=$(cd "$scratch" && pwd -P)
    tmp=$scratch/t dir=$scratch/t/store problem= unread= runs=no exchanges=0 number=0 framing=line blocks=unlimited
    environment="TZ=UTC HOME=$tmp/home"
    mkdir -m 700 "$tmp"
    : > "$tmp.errors"; : > "$tmp.captures"; : > "$tmp.problems"; : > "$tmp.lines"
    arguments=$(jq -r '.start | join(" ")' "$words" | sed "s|\${dir}|$dir|g")
    while [ -z "$problem" ] && IFS= read -r line; do
        number=$((number + 1))
        case $line in '' | '#'*) continue ;; esac
        step "$line"
    done < "$1"
    [ -n "$problem" ] || { line="(end of the transcript)"; finish; }
    [ "$exchanges" -gt 0 ] || [ -n "$problem" ] || fail "a transcript expects at least one message, or <--none"
    [ "$runs" = no ] || { kill -9 "$pid" 2> /dev/null; exec 3>&-; wait 2> /dev/null; }
    rm -rf "$scratch"
}

# Whether the host has all methods that a transcript needs.
is_wanted() {
    [ -n "$methods" ] || return 0
    for one in $(sed -n 's/^# needs://p; s/^# also://p' "$1" | tr , ' '); do
        case $methods,nothing, in *",$one,"*) ;; *) return 1 ;; esac
    done
}

# The wanted files; a missing one stays, and fails.
wanted=$(for file in "$@"; do if [ ! -f "$file" ] || is_wanted "$file"; then printf '%s\n' "$file"; fi; done)
IFS='
'
set -f
# shellcheck disable=SC2086 # one file a line
set -- $wanted
set +f
unset IFS

trap '' PIPE
passed=0 failed=0 count=0
echo "TAP version 13"
echo "1..$#"
for file in "$@"; do
    count=$((count + 1))
    name=$(basename "$file" .transcript)
    if [ ! -r "$file" ]; then
        failed=$((failed + 1))
        printf 'not ok %s - %s\n# there is no such transcript: %s\n' "$count" "$name" "$file"
        continue
    fi
    if grep -q '^@lock' "$file" && ! command -v flock > /dev/null; then
        echo "ok $count - $name # SKIP it holds a lock, and there is no flock here"
        continue
    fi
    replay "$file"
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
        echo "ok $count - $name"
    else
        failed=$((failed + 1))
        echo "not ok $count - $name"
        printf '%s\n' "$(basename "$file"):$number: $(printf '%s' "$line" | head -c 300)" \
            "exchange $exchanges of $(grep -c '^<--' "$file"): $problem" | sed 's/^/# /'
    fi
done
echo "# $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
