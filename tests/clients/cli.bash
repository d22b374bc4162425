# What the drivers of redis-cli and redis-benchmark share: sourced with HOST and PORT as arguments.

readonly HOST=$1 PORT=$2
readonly WAIT_LIMIT_S=30
folder=$(mktemp -d)
readonly folder
declare -a started=()

on_laurel() { [[ ${LAUREL_TARGET:-laurel} == laurel ]]; }

# Ends what the driver started and still runs, by process id.
clean_up() {
  local pid
  for pid in "${started[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap clean_up EXIT

fail() {
  echo "$(basename "$0"): $1" >&2
  exit 1
}

cli() { redis-cli -h "$HOST" -p "$PORT" "$@"; }

# check WHAT EXPECTED ACTUAL
check() { [[ $3 == "$2" ]] || fail "$1: expected '$2', got '$3'"; }

# check_like WHAT PATTERN ACTUAL: an extended regular expression, found anywhere.
check_like() { [[ $3 =~ $2 ]] || fail "$1: expected something like '$2', got '$3'"; }

# check_cli EXPECTED WORD…: what redis-cli prints for a command.
check_cli() {
  local expected=$1
  shift
  check "$*" "$expected" "$(cli "$@")"
}

# check_cli_like PATTERN WORD…
check_cli_like() {
  local pattern=$1
  shift
  check_like "$*" "$pattern" "$(cli "$@")"
}

# wait_until WHAT COMMAND…: polls until the command succeeds.
wait_until() {
  local what=$1 deadline=$((SECONDS + WAIT_LIMIT_S))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || fail "$what did not happen within $WAIT_LIMIT_S s"
    sleep 0.01
  done
}

# lines WORD…: one a line, as redis-cli prints an array.
lines() { printf '%s\n' "$@"; }

# control stop|start: asks the runner to end or start the server; see run.py.
control() {
  local request_fd reply_fd reply
  read -r request_fd reply_fd <<<"$LAUREL_CONTROL"
  echo "$1" >&"$request_fd"
  read -r reply <&"$reply_fd"
  check "the runner's answer to $1" ok "$reply"
}

# run_all TEST…
run_all() {
  local test
  for test in "$@"; do
    "$test"
  done
  echo "$(basename "$0"): $# tests passed"
}
