#!/usr/bin/env bash
# redis-cli against a live server: redis_cli.sh HOST PORT. See run.py for the environment, and
# redis_cli_access.sh for tokens and TLS.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cli.bash"

# json PYTHON: an expression over `reply`, the JSON on standard input.
json() { /usr/bin/python3 -c "import json, sys; reply = json.load(sys.stdin); print($1)"; }

handshake() {
  check_cli PONG PING
  check_cli hällo ECHO hällo
  check_cli OK SELECT 0
  check_cli PONG -n 0 PING
  check "a URI" PONG "$(redis-cli -u "redis://$HOST:$PORT/0" PING)"
  check_cli_like 'DB index is out of range' SELECT 99
  check_cli_like '^[1-9][0-9]*$' CLIENT ID
  check_cli_like 'cmd=client\|list' CLIENT LIST
  check_cli_like 'role:master' INFO replication
  check_cli_like 'loading:0' INFO persistence
  check "CLIENT SETNAME" "$(lines OK named)" \
    "$(lines 'CLIENT SETNAME named' 'CLIENT GETNAME' | cli)"
  check "HELLO's protocol" 3 "$(cli -3 --json HELLO | json 'reply["proto"]')"
  check_cli_like '^NOPROTO' HELLO 9
  check "PING three times" "$(lines PONG PONG PONG)" "$(cli -r 3 PING)"
  if on_laurel; then
    check_cli OK CLIENT SETINFO LIB-NAME redis-cli
    check_cli_like 'DB index is out of range' SELECT 1
  fi
}

# redis-cli asks for COMMAND DOCS when it starts to read lines, and makes its help from it.
command_table() {
  local count
  count=$(cli COMMAND COUNT)
  check "COMMAND LIST" "$count" "$(cli COMMAND LIST | grep -vcF '|')"
  check "COMMAND" "$count" "$(cli --json COMMAND | json 'len(reply)')"
  check "COMMAND DOCS" "$count" "$(cli --json COMMAND DOCS | json 'len(reply)')"
  check "COMMAND INFO" "$(lines zadd -4)" "$(cli COMMAND INFO zadd | sed -n 1,2p)"
  check_cli z COMMAND GETKEYS ZADD z 1 a
  check_like "help ZADD" 'ZADD.*key .*score member' "$(echo 'help ZADD' | cli)"
  if on_laurel; then
    check_like "help LB.SUBMIT" 'LB\.SUBMIT.*board member' "$(echo 'help LB.SUBMIT' | cli)"
    check "LB.SUBMIT's summary" True \
      "$(cli --json COMMAND DOCS LB.SUBMIT | json 'len(reply["lb.submit"]["summary"]) > 0')"
  fi
}

zset_commands() {
  check_cli 3 ZADD z 1 a 2.5 b -3 c
  check_cli 1 ZADD z NX 9 a 4 d
  check_cli 1 ZADD z XX CH 6 a 4 e
  check_cli 1 ZADD z GT CH 5 a 7 d
  check_cli 1 ZADD z LT CH 5 a 8 d
  check_cli 5.5 ZADD z INCR 0.5 a
  check_cli "" ZADD z NX INCR 1 a
  check_cli 7.5 ZINCRBY z 2 a
  check_cli "$(lines a 7.5 d 7 b 2.5 c -3)" ZREVRANGE z 0 -1 WITHSCORES
  check_cli "$(lines a 7.5 d 7)" ZRANGE z 0 1 REV WITHSCORES
  check_cli "$(lines b d)" ZRANGE z '(-3' '(7.5' BYSCORE
  check_cli 0 ZREVRANK z a
  check_cli 3 ZRANK z a
  check_cli "" ZREVRANK z none
  check_cli 2.5 ZSCORE z b
  check_cli "$(lines 7.5 '' -3)" ZMSCORE z a none c
  check_cli 2 ZCOUNT z '(2.5' +inf
  check_cli "$(lines b 2.5 d 7)" ZRANGEBYSCORE z -1 7 WITHSCORES LIMIT 0 9
  check_cli 4 ZCARD z
  check_cli 1 ZREMRANGEBYRANK z 0 0
  check_cli "$(lines b 2.5)" ZPOPMIN z
  check_cli "$(lines a 7.5)" ZPOPMAX z 1
  cli ZADD s1 1 a 2 b >/dev/null
  cli ZADD s2 3 b 4 c >/dev/null
  check_cli 3 ZUNIONSTORE u 2 s1 s2 WEIGHTS 10 1 AGGREGATE MAX
  check_cli "$(lines c 4 a 10 b 20)" ZRANGE u 0 -1 WITHSCORES
  check_cli "$(lines a 1)" ZDIFF 2 s1 s2 WITHSCORES
  check_cli 1 ZINTERCARD 2 s1 s2
  check_cli "$(lines 0 a 1 b 2)" ZSCAN s1 0
}

keys_and_scans() {
  local i keys
  for ((i = 0; i < 300; i++)); do
    echo "ZADD scan:$i $i m"
  done | cli >"$folder/replies"
  check "300 ZADDs on standard input" 300 "$(grep -cx 1 "$folder/replies")"
  check "--scan" 300 "$(cli --scan --pattern 'scan:*' | sort -u | wc -l)"
  check "--scan of one" scan:299 "$(cli --scan --pattern 'scan:299')"
  check_like "--bigkeys" 'Biggest +zset found' "$(cli --bigkeys)"
  check_like "--memkeys" 'Biggest +zset found' "$(cli --memkeys)"
  mapfile -t keys < <(cli KEYS 'scan:*')
  check_cli 300 DEL "${keys[@]}"
  check_cli zset TYPE z
  check_cli OK RENAME z z2
  check_cli "ERR no such key" RENAME z z2
  check_cli 1 COPY z2 z
  check_cli "" GET none
}

key_is_gone() { [[ $(cli EXISTS "$1") == 0 ]]; }

expiry() {
  cli ZADD e 1 a >/dev/null
  check_cli -1 TTL e
  check_cli -2 TTL none
  check_cli 1 EXPIRE e 1000
  check_cli_like '^[1-9][0-9]*$' TTL e
  check_cli 1 PERSIST e
  check_cli 1 EXPIREAT e 4000000000
  check_cli 4000000000 EXPIRETIME e
  check_cli 1 PEXPIRE e 20
  wait_until "the end of an expired key" key_is_gone e
}

errors() {
  cli ZADD z 1 a >/dev/null
  check_cli "WRONGTYPE Operation against a key holding the wrong kind of value" GET z
  check_cli "ERR value is not a valid float" ZADD z x a
  check_cli "ERR unknown command 'NOSUCH', with args beginning with: 'a' " NOSUCH a
  check_cli "ERR wrong number of arguments for 'zadd' command" ZADD z
  if cli -e NOSUCH >/dev/null 2>&1; then
    fail "-e: an error reply must end redis-cli with a failure"
  fi
  if on_laurel; then
    check_cli_like "^ERR unknown command" SET a b
    check_cli "ERR no scripts here: LB.INCR and LB.SUBMIT are atomic" EVAL 'return 1' 0
  fi
}

binary_members() {
  printf 'a\0b\r\n\xff' | cli -x ZADD binary 1 >/dev/null
  check_cli '1) "a\x00b\r\n\xff"' --no-raw ZRANGE binary 0 -1
  check "a member from standard input" 1 "$(printf 'a\0b\r\n\xff' | cli -x ZSCORE binary)"
  check_cli 0 --quoted-input ZRANK binary '"a\x00b\r\n\xff"'
}

transactions() {
  check "MULTI EXEC" "$(lines OK QUEUED QUEUED 1 6)" \
    "$(lines MULTI 'ZADD t 1 a' 'ZINCRBY t 5 a' EXEC | cli)"
  check "DISCARD" "$(lines OK QUEUED OK 6)" \
    "$(lines MULTI 'ZADD t 9 a' DISCARD 'ZSCORE t a' | cli)"
  check_like "a refused command" 'EXECABORT' "$(lines MULTI NOSUCH EXEC | cli)"
}

# A redis-cli that stays: what is written to ${line[1]} is a command, ${line[0]} reads replies.
open_line() {
  coproc line { stdbuf -oL redis-cli -h "$HOST" -p "$PORT"; }
  started+=("$line_PID")
}

# ask EXPECTED COMMAND: over the open line; one line of reply.
ask() {
  local reply
  echo "$2" >&"${line[1]}"
  read -r -t "$WAIT_LIMIT_S" reply <&"${line[0]}" || fail "no reply to '$2'"
  check "$2" "$1" "$reply"
}

close_line() {
  local pid=$line_PID
  echo QUIT >&"${line[1]}"
  wait "$pid" || true
}

watch_aborts() {
  cli ZADD t 1 a >/dev/null
  open_line
  ask OK "WATCH t"
  cli ZADD t 2 a >/dev/null
  ask OK MULTI
  ask QUEUED "ZADD t 100 a"
  ask "" EXEC
  ask 2 "ZSCORE t a"
  ask OK "WATCH t"
  ask OK MULTI
  ask QUEUED "ZADD t 100 a"
  ask 0 EXEC
  ask 100 "ZSCORE t a"
  close_line
}

blocked_clients_are() { [[ $(cli INFO clients) == *"blocked_clients:$1"* ]]; }

blocking_pops() {
  check_cli "" BZPOPMIN queue 0.01
  local command member score pid
  while read -r command member score; do
    cli "$command" none queue 0 >"$folder/popped" </dev/null &
    pid=$!
    started+=("$pid")
    wait_until "a blocked client" blocked_clients_are 1
    check_cli 2 ZADD queue 1 low 2 high
    wait "$pid"
    check "$command" "$(lines queue "$member" "$score")" "$(<"$folder/popped")"
    check_cli 1 DEL queue
  done < <(lines "BZPOPMIN low 1" "BZPOPMAX high 2")
}

mass_insert() {
  local i member
  for ((i = 0; i < 5000; i++)); do
    member=member:$i
    # The dollar signs are RESP's.
    # shellcheck disable=SC2016
    printf '*4\r\n$4\r\nZADD\r\n$4\r\nmass\r\n$%d\r\n%d\r\n$%d\r\n%s\r\n' \
      ${#i} "$i" ${#member} "$member"
  done >"$folder/mass"
  check_like "--pipe" 'errors: 0, replies: 5000' "$(cli --pipe <"$folder/mass")"
  check_cli 5000 ZCARD mass
  check_like "--pipe of inline commands" 'errors: 1, replies: 3' \
    "$(printf 'ZADD mass 1 x\r\nNOSUCH\r\nZADD mass 2 y\r\n' | cli --pipe 2>&1)"
  check_cli 5002 ZCARD mass
}

resp3() {
  cli DEL z >/dev/null
  cli -3 ZADD z 1 a 2.5 b >/dev/null
  check_cli "(double) 2.5" -3 --no-raw ZSCORE z b
  check_cli '[["a",1],["b",2.5]]' -3 --json ZRANGE z 0 -1 WITHSCORES
  check_cli '["a",1]' -3 --json ZPOPMIN z
  check_cli '["z",[["b",2.5]]]' -3 --json ZMPOP 1 z MIN
  check_cli null -3 --json ZSCORE z none
  check_cli '"a","1","b","2"' --csv ZRANGE s1 0 -1 WITHSCORES
}

# has_lines COUNT PATTERN FILE: at least so many lines match.
has_lines() {
  local found
  found=$(grep -scE "$2" "$3") || true
  ((${found:-0} >= $1))
}

diagnostics() {
  stdbuf -oL redis-cli -h "$HOST" -p "$PORT" MONITOR >"$folder/monitor" &
  local pid=$!
  started+=("$pid")
  wait_until "MONITOR's OK" grep -sqx OK "$folder/monitor"
  cli ZADD watched 95 'us"er' >/dev/null
  wait_until "a command in MONITOR" \
    grep -sqE '^[0-9]+\.[0-9]{6} \[0 127\.0\.0\.1:[0-9]+\] "ZADD" "watched" "95" "us\\"er"$' \
    "$folder/monitor"
  kill "$pid"
  stdbuf -oL redis-cli -h "$HOST" -p "$PORT" --stat -i 0.05 >"$folder/stat" &
  pid=$!
  started+=("$pid")
  wait_until "two lines of --stat" has_lines 2 '^[0-9]+ ' "$folder/stat"
  kill "$pid"
  check_like "--latency" '^[0-9]+ [0-9]+ [0-9.]+ [0-9]+' "$(cli --latency -i 0.1)"
}

leaderboard_commands() {
  check_cli OK LB.CREATE best POLICY best
  check_cli_like '^EXISTS ' LB.CREATE best POLICY sum
  check "the first verdict" "['accepted', 1, None, ['100'], None]" \
    "$(cli -3 --json LB.SUBMIT best ann 100 | json '[reply[key] for key in
       ("status", "rank", "previous_rank", "score", "previous_score")]')"
  check "a verdict in RESP2" "$(lines status accepted rank 1 previous_rank)" \
    "$(cli LB.SUBMIT best bob 120 | sed -n 1,5p)"
  check "not-best" not-best "$(cli -3 --json LB.SUBMIT best ann 90 | json 'reply["status"]')"
  check "unchanged" unchanged "$(cli -3 --json LB.SUBMIT best ann 100 | json 'reply["status"]')"
  check "LB.TOP" "[(1, 'bob', ['120']), (2, 'ann', ['100'])]" \
    "$(cli -3 --json LB.TOP best 10 | json '[(e["rank"], e["member"], e["score"]) for e in reply]')"
  check_cli_like '^NOBOARD ' LB.TOP none 1
  check_cli_like '^BADSCORE ' ZADD best 95.5 ann
  check_cli_like '^OVERFLOW ' ZADD best 1e30 ann
  check_cli 0 ZADD best 9223372036854775807 ann
  check_cli "(double) 9223372036854775807" -3 --no-raw ZSCORE best ann
  check_cli '"9223372036854775807"' --no-raw ZSCORE best ann
  check_cli OK LB.CREATE whole
  local number
  for number in 95:95 95.0:95 +5:5 1.0E7:10000000 1e+16:10000000000000000 -3.0:-3; do
    cli ZADD whole "${number%:*}" m >/dev/null
    check "LB.GET after ${number%:*}" "['${number#*:}']" \
      "$(cli -3 --json LB.GET whole m | json 'reply["score"]')"
  done
}

# play EXPECTED…: four ZADDs with a tie at the top, then the board, best first.
play() {
  check_cli 1 ZADD lb 89 user1
  check_cli 1 ZADD lb 95 user2
  check_cli 1 ZADD lb 95 user3
  check_cli 1 ZADD lb 90 user4
  check_cli "$(lines "$@")" ZREVRANGE lb 0 -1 WITHSCORES
}

first_come_after_del_and_rename() {
  local first_come=(user2 95 user3 95 user4 90 user1 89)
  play user3 95 user2 95 user4 90 user1 89
  check_cli 1 DEL lb
  on_laurel || return 0
  check_cli OK LB.CREATE lb
  play "${first_come[@]}"
  check_cli 1 DEL lb
  check_cli 0 EXISTS lb
  play "${first_come[@]}"
  check_cli OK RENAME lb old
  play "${first_come[@]}"
  check_cli "$(lines "${first_come[@]}")" ZREVRANGE old 0 -1 WITHSCORES
}

# Only at a terminal does redis-cli connect again by itself; a dumb one spares it line editing.
reconnect() {
  if [[ -z ${LAUREL_CONTROL:-} ]]; then
    echo "nobody to restart the server: reconnect left out"
    return
  fi
  cli ZADD before 1 a >/dev/null
  coproc terminal {
    TERM=dumb script -qfec "redis-cli -h $HOST -p $PORT" /dev/null >"$folder/terminal"
  }
  # shellcheck disable=SC2154
  local pid=$terminal_PID input=${terminal[1]}
  started+=("$pid")
  echo "ECHO first" >&"$input"
  wait_until "a reply at the terminal" grep -sqF '"first"' "$folder/terminal"
  control stop
  control start
  # The first command finds the connection closed, the next one opens another.
  echo "PING" >&"$input"
  echo "ZADD after 1 a" >&"$input"
  echo "ECHO second" >&"$input"
  wait_until "a reply after the restart" grep -sqF '"second"' "$folder/terminal"
  echo "exit" >&"$input"
  wait "$pid"
  check_cli 1 ZSCORE after a
  check_cli 1 EXISTS before
}

check_cli OK FLUSHALL
tests=(handshake command_table zset_commands keys_and_scans expiry errors binary_members
  transactions watch_aborts blocking_pops mass_insert resp3 diagnostics)
if on_laurel; then
  tests+=(leaderboard_commands)
fi
run_all "${tests[@]}" first_come_after_del_and_rename reconnect
