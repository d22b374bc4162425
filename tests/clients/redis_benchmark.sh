#!/usr/bin/env bash
# redis-benchmark against a live server: redis_benchmark.sh HOST PORT. What counts is that every run
# ends well and left behind what it must; its figures are for ./dev bench.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cli.bash"

readonly REQUESTS=20000

# bench COUNT OPTION…: must end well, print COUNT results and nothing like an error.
bench() {
  local count=$1 output results
  shift
  output=$(redis-benchmark -h "$HOST" -p "$PORT" -n "$REQUESTS" -q "$@" 2>&1 | tr '\r' '\n') ||
    fail "redis-benchmark $*: $output"
  if grep -iE 'error|warning|failed|ERR |WRONGTYPE' <<<"$output"; then
    fail "redis-benchmark $*: printed an error"
  fi
  results=$(grep -cE 'requests per second, p50=' <<<"$output") || true
  check "results of redis-benchmark $*" "$count" "$results"
}

standard_tests() {
  local protocol threads
  for protocol in "" -3; do
    for threads in "" "--threads 2"; do
      # Both are empty or options.
      # shellcheck disable=SC2086
      bench 4 -t ping,zadd,zpopmin -P 16 $protocol $threads
    done
  done
  bench 2 -t ping -c 200
  bench 1 -t zadd -r 5000 -P 16
  check_cli_like '^[1-9][0-9]*$' ZCARD myzset
}

custom_commands() {
  bench 1 -P 16 -r 10000 ZADD board __rand_int__ member:__rand_int__
  bench 1 -P 16 -r 10000 ZINCRBY board 1 member:__rand_int__
  bench 1 -P 16 -r 10000 -3 ZREVRANK board member:__rand_int__
  bench 1 -P 16 --threads 2 ZREVRANGE board 0 9 WITHSCORES
  bench 1 -P 16 -3 ZREVRANGE board 0 9 WITHSCORES
  check "members within -r" True \
    "$(cli ZCARD board | /usr/bin/python3 -c 'print(0 < int(input()) <= 10000)')"
}

fresh_connections() {
  local before after
  before=$(cli INFO stats | tr -d '\r' | sed -n 's/^total_connections_received://p')
  redis-benchmark -h "$HOST" -p "$PORT" -n 500 -c 10 -k 0 -q ZADD board 1 a >"$folder/fresh" 2>&1 ||
    fail "redis-benchmark -k 0: $(<"$folder/fresh")"
  after=$(cli INFO stats | tr -d '\r' | sed -n 's/^total_connections_received://p')
  ((after >= before + 500)) ||
    fail "connections: $before before, $after after 500 connections"
}

leaderboards() {
  check_cli OK LB.CREATE lb POLICY best
  bench 1 -P 16 -r 10000 LB.SUBMIT lb member:__rand_int__ __rand_int__
  bench 1 -P 16 -r 10000 -3 LB.SUBMIT lb member:__rand_int__ __rand_int__
  bench 1 -P 16 -r 10000 --threads 2 ZADD lb __rand_int__ member:__rand_int__
  bench 1 -P 16 -r 10000 -3 LB.AROUND lb member:__rand_int__ 5
  bench 1 -P 16 LB.TOP lb 10
  check "LB.SIZE and ZCARD" "$(cli ZCARD lb)" "$(cli LB.SIZE lb)"
}

check_cli OK FLUSHALL
tests=(standard_tests custom_commands fresh_connections)
if on_laurel; then
  tests+=(leaderboards)
fi
run_all "${tests[@]}"
