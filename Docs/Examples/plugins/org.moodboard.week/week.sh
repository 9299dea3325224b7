#!/bin/sh
# A MoodBoard plugin: a cell under each mood that says how the week up to it went, with a bar for each day.
# Needs jq. Every line is read by one jq, which makes the line to write.

# The first line of what it prints is the method, the second what to write, if there is anything.
first='
def moment: sub("\\.[0-9]+Z$"; "Z") | fromdate;
if has("id") | not then .method
elif .method == "plugin.hello" then .method, ({jsonrpc: "2.0", id, result: {protocol: 1}} | tojson)
elif .method == "detail.cells" then .method, ((.params.mood.timestamp | moment) as $last
  | {jsonrpc: "2.0", id: "week", method: "mood.list", params: {limit: 1000, filter:
      {from: ($last - 7 * 86400 + 1 | todate), to: ($last + 1 | todate)}}} | tojson)
else .method, ({jsonrpc: "2.0", id, error: {code: -32601, message: "There is no method \(.method)."}} | tojson)
end'

# The answer to detail.cells, from the request ($request) and the host's answer with the moods of the week.
second='
def moment: sub("\\.[0-9]+Z$"; "Z") | fromdate;
def mean: if length == 0 then null else add / length end;
def bar: if . == null then "·" else (. + 1) * 3.999 | floor as $n | "▁▂▃▄▅▆▇█"[$n:$n + 1] end;
def word: if . == null then "no mood valued" elif . < -0.2 then "mostly hard" elif . > 0.2 then "mostly good" else "mixed" end;
$request.id as $id | ($request.params.mood.timestamp | moment) as $last
| if .error then {jsonrpc: "2.0", $id, error: {code: 1, message: .error.message}}
  else .result.items
    | map({day: (6 - (($last - (.timestamp | moment)) / 86400 | floor)), valence}) as $moods
    | [range(7) as $day | $moods | map(select(.day == $day and .valence != null).valence) | mean] as $days
    | ("\($moods | length) mood\(if ($moods | length) == 1 then "" else "s" end), "
      + ($moods | map(.valence | select(. != null)) | mean | word)) as $words
    | {jsonrpc: "2.0", $id, result: {maxAge: 3600, cells: [{type: "info", id: "week", icon: "calendar",
        title: "The week before", value: "\($days | map(bar) | add) \($words)", color: "blue",
        accessibility: {label: "The week before: \($words)", traits: ["staticText"]}}]}}
  end'

newline='
'
while IFS= read -r line; do
    told=$(printf '%s' "$line" | jq -r "$first") || exit 1
    case $told in
    plugin.goodbye) exit 0 ;;
    "detail.cells$newline"*)
        printf '%s\n' "${told#*"$newline"}"
        # Between question and answer only notifications can come.
        while IFS= read -r answer; do
            made=$(printf '%s' "$answer" | jq -c --argjson request "$line" "if has(\"method\") then empty else $second end") || exit 1
            if [ -n "$made" ]; then
                printf '%s\n' "$made"
                break
            fi
        done
        ;;
    *"$newline"*) printf '%s\n' "${told#*"$newline"}" ;;
    esac
done
