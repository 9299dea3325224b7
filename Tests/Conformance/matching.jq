# Patterns for expected answers, and the rules that every answer keeps: matching.py, for jq. Each function gives a stream of
# {fault: text} and {capture: name, value: any}; without a fault all is well. Numbers and ids are compared as jq keeps them.

def is_time: type == "string" and test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$");
def is_uuid: type == "string" and test("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$");

def wildcard($pattern; $at):
  . as $value | ($pattern[1:] | split(":")) as $parts | $parts[0] as $name | ($parts[1:] | join(":")) as $argument
  | def need($is): if $is then empty else {fault: "\($at): expected \($pattern), got \($value | tojson | .[:300])"} end;
  if $name == "any" then empty
  elif $name == "capture" then {capture: $argument, $value}
  elif $name == "error" then
    ($argument | split(":")) as $wanted | ($wanted[2:] | join(":")) as $path
    | need(type == "object" and ((.code | tostring) as $code | $wanted[0] | split("|") | any(. == $code))
      and (($wanted[1] // "") == "" or (.data.kind as $kind | $wanted[1] | split("|") | any(. == $kind)))
      and ($path == "" or .data.path == (if $path == "(root)" then "" else $path end)))
  elif $name == "uuid" then need(is_uuid)
  elif $name == "time" then need(is_time)
  elif $name == "match" then need(type == "string" and test($argument))
  elif ["string", "number", "boolean", "array", "object"] | any(. == $name) then need(type == $name)
  else {fault: "the transcript uses an unknown wildcard \($pattern)"} end;

def fit($pattern; $at):
  . as $value
  | def bad($what): {fault: "\($at): \($what), got \($value | tojson | .[:300])"};
  ($pattern | type) as $type
  | if $type == "string" and ($pattern | startswith("$")) then wildcard($pattern; $at)
    elif $type == "object" and ($pattern | keys) == ["$json"] then (try fromjson catch "no JSON") | fit($pattern["$json"]; $at + "(json)")
    elif $type == "object" then
      if type != "object" then bad("expected an object")
      else
        ($pattern | keys[] | select(. != "$rest")) as $name
          | if $pattern[$name] == "$absent" then (if has($name) then bad("\($name) must not be there") else empty end)
            elif has($name) | not then bad("\($name) is missing")
            else .[$name] | fit($pattern[$name]; "\($at)/\($name)") end,
        ((keys - ($pattern | keys)) as $more
          | if ($more | length) > 0 and ($pattern | has("$rest") | not) then bad("unexpected members \($more | join(", "))") else empty end)
      end
    elif $type == "array" and ($pattern[0] == "$includes") then
      if type != "array" then bad("expected an array")
      else $pattern[1:][] as $one
        | if any(.[]; [fit($one; $at) | select(.fault)] == []) then empty else bad("no element like \($one | tojson)") end end
    elif $type == "array" then
      if type != "array" or length != ($pattern | length) then bad("expected \($pattern | length) elements")
      else range(length) as $place | .[$place] | fit($pattern[$place]; "\($at)/\($place)") end
    elif . == $pattern then empty
    else bad("expected \($pattern | tojson)") end;

def rules($words):
  . as $answer
  | def need($is; $what): if $is then empty else {fault: "\($what): \($answer | tojson | .[:300])"} end;
  if type == "array" then need(length > 0; "an empty array is no answer"), (.[] | rules($words))
  elif type != "object" then need(false; "not an answer")
  else
    need(.jsonrpc == "2.0"; "jsonrpc is not 2.0"),
    (if keys == ["jsonrpc", "method", "params"] then
      if $words.notifications == null then empty
      else need(((($words.notifications[.method]) // ["?"]) - (.params | keys)) == []; "no notification with these params") end
    else
      need(keys == ["id", "jsonrpc", "result"] or keys == ["error", "id", "jsonrpc"]; "an answer has jsonrpc, id and result or error"),
      (if has("error") | not then empty
      else .error | need((.code | type) == "number" and (.message | type) == "string"; "an error has a code and a message"),
        (if $words.errors == null then empty
        else $words.errors[.code | tostring] as $kinds
          | need(keys == ["code", "data", "message"] and $kinds != null and $kinds[.data.kind] != null; "code and kind do not go together"),
            need((.message | test("\\S")); "an error has a message"),
            (.data.kind as $kind | if $words.maybeRetryable | any(. == $kind) then empty
              else need(.data.retryable == ($words.retryable | any(. == $kind)); "retryable is wrong") end),
            (.data as $data | ($kinds[.data.kind] // {}) | keys[]
              | need(split("|") | any(. as $name | $data | has($name)); "the data lacks \(.)")) end) end) end)
  end;
