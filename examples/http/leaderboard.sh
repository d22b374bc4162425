#!/bin/sh
# A leaderboard over HTTP, with curl.
#
#     LAUREL_URL=http://127.0.0.1:7680 LAUREL_TOKEN=… sh leaderboard.sh
#
# The token must have the role admin, because the program creates a board and drops it at the end. A
# server without tokens needs none. JSON is read with sed here, because that is always installed; jq
# is the better tool.
set -eu

URL=${LAUREL_URL:-http://127.0.0.1:7680}
BOARD=/v1/boards/example
folder=$(mktemp -d)
stream=
# A curl that still follows a stream ends with the program.
trap '[ -z "$stream" ] || kill "$stream" 2>/dev/null || true; rm -rf "$folder"' EXIT

# Options are in a file, because other users can see the arguments of a process.
cat >"$folder/options" <<END
silent
show-error
fail-with-body
no-buffer
header = "Content-Type: application/json"
END
[ -z "${LAUREL_TOKEN:-}" ] ||
  echo "header = \"Authorization: Bearer $LAUREL_TOKEN\"" >>"$folder/options"

# send METHOD PATH [OPTION…]: prints the body of the answer; fails if the request was refused.
send() {
  method=$1 path=$2
  shift 2
  curl --config "$folder/options" --request "$method" "$@" "$URL$path"
}

# value NAME: the value of that name in the JSON on standard input.
value() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

# entries: the entries of the JSON on standard input, a line each: rank, member, score.
entries() {
  grep -o '"rank":[0-9]*,"member":"[^"]*","score":\["[^"]*"\]' |
    sed 's/"rank":\(.*\),"member":"\(.*\)","score":\["\(.*\)"\]/\1 \2 \3/'
}

# one_line: lines become one, with commas.
one_line() { paste -s -d, - | sed 's/,/, /g'; }

new_key() { cat /proc/sys/kernel/random/uuid; }

# submit MEMBER SCORE KEY. A retry with the same key changes nothing and gets the first verdict.
submit() {
  verdict=$(send POST "$BOARD/entries" -H "Idempotency-Key: $3" \
    -d "{\"member\":\"$1\",\"score\":[\"$2\"]}")
  duplicate=
  case $verdict in *'"duplicate":true'*) duplicate=', duplicate' ;; esac
  echo "$1 $2: $(echo "$verdict" | value status), rank $(echo "$verdict" | value rank)$duplicate"
}

# open_stream PATH: descriptor 3 reads the stream from now on.
open_stream() {
  rm -f "$folder/stream"
  mkfifo "$folder/stream"
  curl --config "$folder/options" -H 'Accept: text/event-stream' "$URL$1" >"$folder/stream" &
  stream=$!
  exec 3<"$folder/stream"
}

# next_event: sets event and data to those of the next event.
next_event() {
  event='' data=''
  while read -r line <&3; do
    case $line in
      'event: '*) event=${line#event: } ;;
      'data: '*) data=${line#data: } ;;
      '') [ -z "$data" ] || return 0 ;;
    esac
  done
  return 1
}

close_stream() {
  kill "$stream" 2>/dev/null || true
  wait "$stream" 2>/dev/null || true
  stream=
  exec 3<&-
}

# The first event has the whole top. Each update has the entries that have changed since: of two
# lines with the same rank the first one counts.
show_live() {
  next_event
  { echo "$data" | entries; cat "$folder/top"; } | awk '!seen[$1]++' | sort -n |
    head -n "$(echo "$data" | value size)" >"$folder/next"
  mv "$folder/next" "$folder/top"
  echo "live $event: $(one_line <"$folder/top")"
}

send PUT "$BOARD" -d '{"policy":"best"}' >"$folder/answer"
echo 'created example'

key=$(new_key)
submit ann 1200 "$key"
submit ann 1200 "$key" # as after a lost answer
submit bob 1500 "$(new_key)"
submit cem 900 "$(new_key)"

echo "top: $(send GET "$BOARD/entries?limit=3" | entries | one_line)"
entry=$(send GET "$BOARD/entries/cem")
echo "cem: rank $(echo "$entry" | value rank) of $(echo "$entry" | value count)"

: >"$folder/top"
open_stream "$BOARD/live?top=3"
show_live
submit dan 2000 "$(new_key)"
show_live
submit cem 1700 "$(new_key)"
show_live
close_stream

# A cursor of now, and then every event after it. None is lost in between.
cursor=$(send GET "$BOARD/changes?from=\$" | value next)
submit eve 800 "$(new_key)"
open_stream "$BOARD/changes?from=$cursor"
next_event
score=$(echo "$data" | sed 's/.*"score":\["\([^"]*\).*/\1/')
echo "change $event: $(echo "$data" | value member) $score"
close_stream

# A refusal is a document of the type application/problem+json.
if ! problem=$(send POST "$BOARD/entries" -d '{"member":"ann","score":["12.5"]}' 2>/dev/null); then
  echo "refused: $(echo "$problem" | value status) $(echo "$problem" | value code)," \
    "field $(echo "$problem" | value field)"
fi

send DELETE "$BOARD" >"$folder/answer"
echo 'dropped example'
