#!/usr/bin/env bash
# redis-cli against a server with TLS and the tokens of access.toml: redis_cli_access.sh HOST PORT.
# See run.py for the environment. On Redis, which has no such tokens, TLS alone is tried.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cli.bash"

# as NAME WORD…: redis-cli with that token.
as() {
  local name=$1
  shift
  cli --no-auth-warning -a "$name-token" "$@"
}

# may NAME WORD…: the reply is no error.
may() {
  local reply
  reply=$(as "$@")
  [[ ! $reply =~ ^(NOPERM|NOAUTH|WRONGPASS|ERR|[A-Z]+\ ) ]] || fail "$*: refused with '$reply'"
}

# may_not NAME WORD…
may_not() { check_like "$*" '^NOPERM ' "$(as "$@")"; }

secure_cli() {
  redis-cli -h "$HOST" -p "$LAUREL_TLS_PORT" --tls --cacert "$LAUREL_CA" "$@"
}

tls() {
  local token=()
  if on_laurel; then
    check_like "no token over TLS" '^NOAUTH ' "$(secure_cli ZCARD lb:tls)"
    token=(--no-auth-warning -a keeper-token)
  fi
  check "PING over TLS" PONG "$(secure_cli "${token[@]}" PING)"
  check "ZADD over TLS" 1 "$(secure_cli "${token[@]}" ZADD lb:tls 5 a)"
  check "RESP3 over TLS" "(double) 5" "$(secure_cli "${token[@]}" -3 --no-raw ZSCORE lb:tls a)"
  local i
  for ((i = 0; i < 2000; i++)); do
    echo "ZADD lb:tls $i member:$i"
  done | secure_cli "${token[@]}" >"$folder/replies"
  check "2,000 ZADDs over TLS" 2000 "$(grep -cx 1 "$folder/replies")"
  check "a long reply over TLS" 2001 "$(secure_cli "${token[@]}" ZRANGE lb:tls 0 -1 | wc -l)"
  check "a URI of TLS" PONG \
    "$(redis-cli -u "rediss://$HOST:$LAUREL_TLS_PORT" --cacert "$LAUREL_CA" "${token[@]}" PING)"
  if redis-cli -h "$HOST" -p "$LAUREL_TLS_PORT" --tls "${token[@]}" PING >/dev/null 2>&1; then
    fail "redis-cli trusted a certificate whose CA it was not given"
  fi
  if timeout 5 redis-cli -h "$HOST" -p "$LAUREL_TLS_PORT" PING >/dev/null 2>&1; then
    fail "the TLS port answered without TLS"
  fi
  check "PING over TLS after both" PONG "$(secure_cli "${token[@]}" PING)"
}

without_a_token() {
  local words
  for words in PING "ZSCORE lb:1 a" "LB.TOP lb:1 3" "ZADD lb:1 1 a" "CONFIG GET *" FLUSHALL INFO \
    "CLIENT LIST" MONITOR COMMAND "HELLO 3"; do
    # The words are a command line.
    # shellcheck disable=SC2086
    check_like "$words without a token" '^NOAUTH ' "$(set -f && cli $words)"
  done
  check_cli OK QUIT
}

wrong_tokens() {
  check_cli_like '^WRONGPASS ' AUTH wrong-token
  check_cli_like '^WRONGPASS ' AUTH reader wrong-token
  check_cli_like '^WRONGPASS ' AUTH ''
  check_cli_like '^WRONGPASS ' HELLO 3 AUTH default wrong-token
  check "a connection after a refused AUTH" 1 \
    "$(lines 'AUTH wrong-token' 'ZCARD lb:1' | cli | grep -c '^NOAUTH ')"
}

ways_to_log_in() {
  check "AUTH token" "$(lines OK PONG)" "$(lines 'AUTH reader-token' PING | cli)"
  check "AUTH anyname token" "$(lines OK PONG)" "$(lines 'AUTH anyname reader-token' PING | cli)"
  check_cli PONG --user anyname --pass reader-token --no-auth-warning PING
  check_cli_like '"proto":3' --no-auth-warning -a reader-token -3 --json HELLO
  check_cli_like '(^|[[:space:]])3($|[[:space:]])' HELLO 3 AUTH default reader-token
  check "REDISCLI_AUTH" PONG "$(REDISCLI_AUTH=reader-token cli PING)"
  check "a URI" PONG \
    "$(redis-cli -u "redis://anyname:reader-token@$HOST:$PORT" --no-auth-warning PING)"
  check_like "another token on the same line" '^OK.*NOPERM .*OK.*1$' \
    "$(lines 'AUTH reader-token' 'ZADD lb:2 1 a' 'AUTH writer-token' 'ZADD lb:2 1 a' | cli |
      tr '\n' ' ' | sed 's/ *$//')"
}

role_admin() {
  may keeper LB.CREATE lb:1 POLICY best
  may keeper LB.CREATE lb:sum POLICY sum
  may keeper LB.CREATE other
  may keeper ZADD lb:1 5 ann 4 bob
  may keeper ZADD other 5 ann
  may keeper ZADD plain 5 ann
  may keeper LB.ALTER lb:1 CAP 100
  may keeper LB.TEMPLATE SET 'lb:t:*' POLICY best
  may keeper CONFIG GET maxmemory
  may keeper CLIENT LIST
  may keeper RENAME plain plain2
  may keeper DEL plain2
}

role_read() {
  local words
  may reader PING
  may reader LB.TOP lb:1 10
  may reader LB.GET lb:1 ann
  may reader ZREVRANGE lb:1 0 -1 WITHSCORES
  may reader ZSCORE lb:1 ann
  may reader ZREVRANK lb:1 ann
  may reader CLIENT SETNAME x
  may reader COMMAND COUNT
  for words in "LB.SUBMIT lb:1 ann 9" "LB.SET lb:1 ann 9" "LB.INCR lb:1 ann 9" "ZADD lb:1 9 ann" \
    "ZINCRBY lb:1 9 ann" "ZREM lb:1 ann" "ZPOPMAX lb:1" "LB.REMOVE lb:1 ann" "LB.HIDE lb:1 ann" \
    "LB.CREATE lb:9" "LB.DROP lb:1" "DEL lb:1" "EXPIRE lb:1 9" "RENAME lb:1 lb:9" FLUSHALL \
    "CONFIG SET maxmemory 1" "ZUNIONSTORE lb:9 1 lb:1" SHUTDOWN MONITOR; do
    # shellcheck disable=SC2086
    may_not reader $words
  done
}

role_submit() {
  may submitter LB.TOP lb:1 10
  may submitter LB.SUBMIT lb:1 ann 6
  may submitter LB.MSUBMIT lb:1 2 ann 7 bob 8
  local words
  for words in "LB.SUBMIT lb:1 ann 9 AT 1700000000" "LB.MSUBMIT lb:1 1 ann 9 AT 1700000000" \
    "LB.SET lb:1 ann 9" "LB.INCR lb:1 ann 1" "ZADD lb:1 9 ann" "ZINCRBY lb:1 1 ann" \
    "LB.META lb:1 ann x" "LB.REMOVE lb:1 ann" "LB.CREATE lb:9" "DEL lb:1"; do
    # shellcheck disable=SC2086
    may_not submitter $words
  done
  check "the score as submitted" 7 "$(as submitter ZSCORE lb:1 ann)"
}

role_write() {
  may writer ZSCORE lb:1 ann
  may writer LB.SUBMIT lb:1 ann 10 AT 1700000000
  may writer LB.SET lb:1 ann 3
  may writer LB.INCR lb:sum cid 4
  may writer ZADD lb:sum 5 dan
  may writer ZINCRBY lb:sum 1 dan
  may writer LB.META lb:1 ann hello
  may writer LB.HIDE lb:1 ann
  may writer LB.SHOW lb:1 ann
  may writer LB.REMOVE lb:1 bob
  may writer ZREM lb:sum cid
  local words
  for words in "LB.CREATE lb:9" "LB.ALTER lb:1 CAP 5" "LB.DROP lb:1" "DEL lb:1" "RENAME lb:1 lb:9" \
    "EXPIRE lb:1 9" FLUSHALL FLUSHDB "CONFIG SET maxmemory 1" "LB.TEMPLATE SET lb:u:* POLICY best" SHUTDOWN; do
    # shellcheck disable=SC2086
    (set -f && may_not writer $words)
  done
}

board_patterns() {
  local name words
  for name in reader submitter writer; do
    for words in "LB.TOP other 3" "ZSCORE other ann" "ZREVRANGE other 0 -1" "EXISTS other" \
      "ZUNION 2 lb:1 other"; do
      # shellcheck disable=SC2086
      may_not "$name" $words
    done
  done
  may_not submitter LB.SUBMIT other ann 100
  may_not writer ZADD other 100 ann
  may_not writer ZADD plain 100 ann
  check "a refused board is as it was" 5 "$(as keeper ZSCORE other ann)"
  check_like "a refused command in MULTI" 'NOPERM.*EXECABORT' \
    "$(lines MULTI 'ZADD other 1 ann' EXEC | as writer | tr '\n' ' ')"
}

if on_laurel; then
  run_all without_a_token wrong_tokens role_admin role_read role_submit ways_to_log_in role_write \
    board_patterns tls
else
  run_all tls
fi
