#!/usr/bin/env python3
"""Measures the module beside sorted sets and an exact Lua script, in one redis-server process.

usage: bench.py MODULE [--members N] [--requests N] [--load-members N] [--output FILE]

A replica is attached and the AOF is on (everysec). redis-benchmark sends pipelines of 32 from 50 clients. The
figure that is compared is the server's CPU time per request (user and system, of the main process), which a
busy machine disturbs less than requests per second; both are printed. Rounds of the rivals alternate, and the
median counts.
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
    """Fills the key with all members once, in random order of scores, by one pipe."""
    lines = []
    state = 1
    for i in range(members):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        lines.append(command(key, f"member{i:012}", state >> 44))
    before = int(server.info("memory", "used_memory_dataset"))
    subprocess.run(["redis-cli", "-p", str(server.port), "--pipe"], check=True,
                   input="\n".join(lines) + "\n", capture_output=True, text=True)
    return (int(server.info("memory", "used_memory_dataset")) - before) / members


def load_time(module, members):
    """Seconds that a start takes with one key of so many members: (board, sorted set)."""
    seconds = []
    for create, command in ((["LB.CREATE", "key"], "LB.SUBMIT {} {} {}"), (None, "ZADD {0} {2} {1}")):
        server = Server(module, "--appendonly", "no")
        try:
            if create:
                server.cli(*create)
            fill(server, "key", members, command.format)
            server.cli("SAVE")
            server.end()
            server.start()
            with open(server.log) as log:
                seconds.append(float(re.findall(r"DB loaded from disk: ([0-9.]+)", log.read())[-1]))
        finally:
            server.remove()
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--load-members", type=int, default=1_000_000, help="10000000 for the bar")
    parser.add_argument("--output", default="build/bench/module.json")
    asked = parser.parse_args()
    module = os.path.abspath(asked.module)
    report = {"machine": platform.machine(), "cores": os.cpu_count(), "members": asked.members,
              "load_average": os.getloadavg()[0],
              "server": subprocess.run(["redis-server", "--version"], capture_output=True,
                                       text=True).stdout.strip()}
    print(f"{report['server']}; {report['cores']} cores, load {report['load_average']:.1f}; "
          f"{asked.members:,} members of 18 bytes, pipeline 32, 50 clients, replica, AOF everysec")
    primary = Server(module, "--appendonly", "yes", "--appendfsync", "everysec",
                     "--repl-diskless-sync-delay", "0")
    replica = Server(module, "--replicaof", f"{HOST} {primary.port}")
    bars = []

    def bar(name, value, wanted, at_most=False):
        holds = value <= wanted if at_most else value >= wanted
        bars.append({"bar": name, "value": round(value, 2), "wanted": wanted, "holds": holds})
        print(f"  {name}: {value:.2f} (wanted {'≤' if at_most else '≥'} {wanted}) "
              f"{'holds' if holds else 'MISSED'}")

    try:
        while replica.info("replication", "master_link_status") != "up":
            time.sleep(0.1)
        primary.cli("LB.CREATE", "lb")
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
        bar("LB.TOP 10 / ZREVRANGE", tops["LB.TOP 10"] / tops["ZREVRANGE 0 9 WITHSCORES"], 2.5,
            at_most=True)
        load(primary, asked.requests, asked.members, ["LB.SUBMIT", "lb", MEMBER, "__rand_int__"])
        started = time.monotonic()
        wanted = int(primary.info("replication", "master_repl_offset"))
        while int(replica.info("replication", "slave_repl_offset")) < wanted:
            time.sleep(0.02)
        bar("seconds the replica is behind after the load", time.monotonic() - started, 1, at_most=True)
    finally:
        primary.remove()
        replica.remove()
    board_s, zset_s = load_time(module, asked.load_members)
    print(f"RDB load of {asked.load_members:,} entries: board {board_s:.2f} s, sorted set {zset_s:.2f} s")
    bar("RDB load / ZSET", board_s / zset_s, 0.5, at_most=True)
    report["bars"] = bars
    os.makedirs(os.path.dirname(asked.output) or ".", exist_ok=True)
    with open(asked.output, "w") as file:
        json.dump(report, file, indent=1)
    sys.exit(0 if all(one["holds"] for one in bars) else 1)


if __name__ == "__main__":
    main()
