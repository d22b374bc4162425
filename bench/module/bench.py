#!/usr/bin/env python3
"""Measures the module beside sorted sets and an exact Lua script, in one redis-server process.

usage: bench.py MODULE [--only PART,…] [--quick] [--members N] [--requests N] [--output FILE]

Parts:
  speed   writes, reads and bytes per entry. A replica is attached and the AOF is on (everysec). redis-benchmark
          sends pipelines of 32 from 50 clients. The figure that is compared is the server's CPU time per request
          (user and system, of the main process), which a busy machine disturbs less than requests per second;
          both are printed. Rounds of the rivals alternate, and the median counts.
  lag     how far the replica is behind after 60 s of that load of writes.
  load    how long a start takes with an RDB file of 10 M entries, beside the same as a sorted set.
  bgsave  p99 of writes while BGSAVE saves those 10 M entries, beside the same as a sorted set.
"""

import argparse
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HOST = "127.0.0.1"
MEMBER = "member__rand_int__"  # 18 bytes
ROUNDS = 3
PARTS = ("speed", "lag", "load", "bgsave")

# Keeps the best score, ties by time, exactly: order keys are text, so no double rounds them.
LUA = """
local old = redis.call('HGET', KEYS[2], ARGV[1])
local score = tonumber(ARGV[2])
local before = false
if old then
  before = redis.call('ZRANK', KEYS[1], old .. ARGV[1])
  if tonumber(string.sub(old, 1, 19)) == 1e18 - score then
    return {'unchanged', before, before, ARGV[2]}
  end
  redis.call('ZREM', KEYS[1], old .. ARGV[1])
end
local now = redis.call('TIME')
local key = string.format('%019.0f', 1e18 - score) .. string.format('%010d%06d', now[1], now[2])
redis.call('ZADD', KEYS[1], 0, key .. ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], key)
return {'accepted', redis.call('ZRANK', KEYS[1], key .. ARGV[1]), before, ARGV[2]}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, module, *options):
        self.folder = tempfile.mkdtemp(prefix="laurel-bench-")
        self.module = module
        self.options = options
        self.start()

    def start(self):
        self.port = free_port()
        self.log = os.path.join(self.folder, "log")
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", HOST, "--dir", self.folder, "--save",
             "", "--logfile", self.log, "--enable-debug-command", "yes", "--loadmodule", self.module,
             *self.options])
        while self.cli("PING", check=False).strip() != "PONG":
            time.sleep(0.05)

    def cli(self, *words, check=True, stdin=None):
        return subprocess.run(["redis-cli", "-p", str(self.port), *map(str, words)], check=check,
                              capture_output=True, text=True, input=stdin).stdout

    def info(self, section, field):
        return re.search(rf"^{field}:(.*?)\r?$", self.cli("INFO", section), re.M)[1]

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.kill()
        self.process.wait()

    def remove(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def load(server, requests, members, words):
    """Sends the command so often. Returns (requests/s, server µs of CPU per request)."""
    before = server.cpu_s()
    run = subprocess.run(
        ["redis-benchmark", "-p", str(server.port), "-c", "50", "-P", "32", "-n", str(requests), "-r",
         str(members), "--csv", *map(str, words)], check=True, capture_output=True, text=True)
    rate = float(run.stdout.strip().splitlines()[-1].split('","')[1])
    return rate, (server.cpu_s() - before) * 1e6 / requests


def compare(server, requests, members, contestants):
    """Medians of alternating rounds: name -> (requests/s, µs of CPU)."""
    results = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, words in contestants.items():
            results[name].append(load(server, requests, members, words))
    return {name: (statistics.median(rate for rate, _ in rounds),
                   statistics.median(cpu for _, cpu in rounds)) for name, rounds in results.items()}


def fill(server, key, members, command):
    """Fills the key with all members once, in random order of scores, by one pipe. Returns bytes per entry."""
    before = int(server.info("memory", "used_memory_dataset"))
    pipe = subprocess.Popen(["redis-cli", "-p", str(server.port), "--pipe"], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True)
    state = 1
    lines = []
    for i in range(members):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        lines.append(command(key, f"member{i:012}", state >> 44))
        if len(lines) == 10_000 or i == members - 1:
            pipe.stdin.write("\n".join(lines) + "\n")
            lines.clear()
    pipe.stdin.close()
    if pipe.wait() != 0:
        sys.exit("bench: redis-cli --pipe failed")
    return (int(server.info("memory", "used_memory_dataset")) - before) / members


def percentile_99(server, members, words):
    """The p99 of one short run of writes, in ms."""
    run = subprocess.run(
        ["redis-benchmark", "-p", str(server.port), "-c", "50", "-P", "32", "-n", "50000", "-r",
         str(members), "--csv", *map(str, words)], check=True, capture_output=True, text=True)
    lines = run.stdout.strip().splitlines()
    names, values = (line.strip('"').split('","') for line in (lines[0], lines[-1]))
    return float(values[names.index("p99_latency_ms")])


# One key of each kind: how it is created and filled, and a write to it.
KINDS = {
    "board": (["LB.CREATE", "key"], "LB.SUBMIT {} {} {}", ["LB.SUBMIT", "key", MEMBER, "__rand_int__"]),
    "sorted set": (["PING"], "ZADD {0} {2} {1}", ["ZADD", "key", "__rand_int__", MEMBER]),
}


def large_keys(module, members, parts, bar):
    """Starts with, and saves, one key of so many members, of each kind in a server of its own."""
    load_s, p99_ms = {}, {}
    for kind, (create, command, write) in KINDS.items():
        server = Server(module, "--appendonly", "no")
        try:
            server.cli(*create)
            fill(server, "key", members, command.format)
            if "load" in parts:
                server.cli("SAVE")
                server.end()
                server.start()
                with open(server.log) as log:
                    load_s[kind] = float(re.findall(r"DB loaded from disk: ([0-9.]+)", log.read())[-1])
            if "bgsave" in parts:
                quiet = statistics.median(percentile_99(server, members, write) for _ in range(3))
                during = []
                for _ in range(ROUNDS):
                    server.cli("BGSAVE")
                    while server.info("persistence", "rdb_bgsave_in_progress") == "1":
                        during.append(percentile_99(server, members, write))
                p99_ms[kind] = statistics.median(during)
                print(f"{kind}: p99 of writes during BGSAVE {p99_ms[kind]:.2f} ms in {len(during)} runs, "
                      f"without {quiet:.2f} ms")
        finally:
            server.remove()
    if load_s:
        print(f"RDB load of {members:,} entries: board {load_s['board']:.2f} s, "
              f"sorted set {load_s['sorted set']:.2f} s")
        bar("RDB load / ZSET", load_s["board"] / load_s["sorted set"], 0.5, at_most=True)
    if p99_ms:
        bar("p99 of writes during BGSAVE / ZSET", p99_ms["board"] / p99_ms["sorted set"], 1.5,
            at_most=True)


def replica_lag(primary, replica, members, seconds):
    """Seconds until the replica has what was written in so many seconds of load."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        load(primary, 500_000, members, ["LB.SUBMIT", "lb", MEMBER, "__rand_int__"])
    started = time.monotonic()
    wanted = int(primary.info("replication", "master_repl_offset"))
    while int(replica.info("replication", "slave_repl_offset")) < wanted:
        time.sleep(0.02)
    return time.monotonic() - started


def speed(primary, asked, report, bar):
    """Writes, reads and memory of a board beside a sorted set and a script."""
    board = fill(primary, "lb", asked.members, "LB.SUBMIT {} {} {}".format)
    zset = fill(primary, "z", asked.members, "ZADD {0} {2} {1}".format)
    print(f"bytes per entry: board {board:.1f}, sorted set {zset:.1f}")
    bar("bytes per entry / ZSET", board / zset, 0.5, at_most=True)
    sha = primary.cli("SCRIPT", "LOAD", LUA).strip()

    def figures(title, contestants, requests=asked.requests):
        print(title)
        found = compare(primary, requests, asked.members, contestants)
        report[title] = found
        for name, (rate, cpu) in found.items():
            print(f"  {name:34} {rate:12,.0f}/s {cpu:8.2f} µs of server CPU")
        return {name: cpu for name, (_, cpu) in found.items()}

    writes = figures("writes", {
        "LB.SUBMIT": ["LB.SUBMIT", "lb", MEMBER, "__rand_int__"],
        "ZADD": ["ZADD", "z", "__rand_int__", MEMBER],
        "exact Lua": ["EVALSHA", sha, 2, "l", "h", MEMBER, "__rand_int__"]})
    bar("ZADD / LB.SUBMIT", writes["ZADD"] / writes["LB.SUBMIT"], 1.4)
    bar("exact Lua / LB.SUBMIT", writes["exact Lua"] / writes["LB.SUBMIT"], 4)
    reads = figures("reads", {
        "LB.GET": ["LB.GET", "lb", MEMBER], "ZREVRANK": ["ZREVRANK", "z", MEMBER],
        "ZSCORE": ["ZSCORE", "z", MEMBER], "ZCARD": ["ZCARD", "z"]})
    bar("ZREVRANK / LB.GET", reads["ZREVRANK"] / reads["LB.GET"], 1)
    three = reads["ZREVRANK"] + reads["ZSCORE"] + reads["ZCARD"]
    bar("(ZREVRANK + ZSCORE + ZCARD) / LB.GET", three / reads["LB.GET"], 2)
    tops = figures("tops", {"LB.TOP 10": ["LB.TOP", "lb", 10],
                            "ZREVRANGE 0 9 WITHSCORES": ["ZREVRANGE", "z", 0, 9, "WITHSCORES"]},
                   asked.requests // 2)
    bar("LB.TOP 10 / ZREVRANGE", tops["LB.TOP 10"] / tops["ZREVRANGE 0 9 WITHSCORES"], 2.5, at_most=True)


def with_replica(module, asked, parts, report, bar):
    """Parts that need a primary with AOF and a replica."""
    primary = Server(module, "--appendonly", "yes", "--appendfsync", "everysec",
                     "--repl-diskless-sync-delay", "0")
    replica = Server(module, "--replicaof", f"{HOST} {primary.port}")
    try:
        while replica.info("replication", "master_link_status") != "up":
            time.sleep(0.1)
        primary.cli("LB.CREATE", "lb")
        if "speed" in parts:
            speed(primary, asked, report, bar)
        if "lag" in parts:
            behind = replica_lag(primary, replica, asked.members, asked.seconds)
            bar(f"seconds the replica is behind after {asked.seconds} s", behind, 1, at_most=True)
    finally:
        primary.remove()
        replica.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="members of load and bgsave")
    parser.add_argument("--seconds", type=int, default=60, help="of load before lag is measured")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything; no bar is meant for it")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to measure: " + ",".join(PARTS))
    parser.add_argument("--output", default="build/bench/module.json")
    asked = parser.parse_args()
    parts = asked.only.split(",")
    if not set(parts) <= set(PARTS):
        parser.error(f"--only takes {','.join(PARTS)}")
    if asked.quick:
        for name in ("members", "requests", "large", "seconds"):
            setattr(asked, name, getattr(asked, name) // 10)
    module = os.path.abspath(asked.module)
    report = {"machine": platform.machine(), "cores": os.cpu_count(), "members": asked.members,
              "load_average": os.getloadavg()[0],
              "server": subprocess.run(["redis-server", "--version"], capture_output=True,
                                       text=True).stdout.strip()}
    print(f"{report['server']}; {report['cores']} cores, load {report['load_average']:.1f}; "
          f"{asked.members:,} members of 18 bytes, pipeline 32, 50 clients, replica, AOF everysec")
    bars = []

    def bar(name, value, wanted, at_most=False):
        holds = value <= wanted if at_most else value >= wanted
        bars.append({"bar": name, "value": round(value, 2), "wanted": wanted, "holds": holds})
        print(f"  {name}: {value:.2f} (wanted {'≤' if at_most else '≥'} {wanted}) "
              f"{'holds' if holds else 'MISSED'}", flush=True)

    if {"speed", "lag"} & set(parts):
        with_replica(module, asked, parts, report, bar)
    if {"load", "bgsave"} & set(parts):
        large_keys(module, asked.large, parts, bar)
    report["bars"] = bars
    os.makedirs(os.path.dirname(asked.output) or ".", exist_ok=True)
    with open(asked.output, "w") as file:
        json.dump(report, file, indent=1)
    sys.exit(0 if all(one["holds"] for one in bars) else 1)


if __name__ == "__main__":
    main()
