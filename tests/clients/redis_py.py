#!/usr/bin/python3
"""redis-py against a live server: redis_py.py HOST PORT. See run.py for the environment."""

import math
import os
import sys
import threading
import time

import redis

HOST, PORT = sys.argv[1], int(sys.argv[2])
ON_LAUREL = os.environ.get("LAUREL_TARGET", "laurel") == "laurel"
WAIT_LIMIT_S = 30


def check(what, actual, expected):
    if actual != expected or type(actual) is not type(expected):
        sys.exit(f"redis-py: {what}: expected {expected!r}, got {actual!r}")


def check_raises(what, error_type, text, call):
    try:
        got = call()
    except redis.RedisError as error:
        if isinstance(error, error_type) and text in str(error):
            return
        sys.exit(f"redis-py: {what}: expected {error_type.__name__} with {text!r}, got {error!r}")
    sys.exit(f"redis-py: {what}: expected {error_type.__name__} with {text!r}, got {got!r}")


def wait_until(what, condition):
    deadline = time.monotonic() + WAIT_LIMIT_S
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"redis-py: {what} did not happen within {WAIT_LIMIT_S} s")
        time.sleep(0.005)


def control(request):
    request_fd, reply_fd = map(int, os.environ["LAUREL_CONTROL"].split())
    os.write(request_fd, request.encode() + b"\n")
    check(f"the runner's answer to {request}", os.read(reply_fd, 3), b"ok\n")


def connect(**options):
    return redis.Redis(HOST, PORT, decode_responses=True, **options)


def flat_map(reply):
    """The dict of a RESP2 reply that is a map in RESP3."""
    return dict(zip(reply[::2], reply[1::2]))


def test_handshake(r):
    check("PING", r.ping(), True)
    check("ECHO", r.echo("hällo"), "hällo")
    with connect(client_name="laurel-py", db=0, health_check_interval=1).client() as named:
        check("the name given at connect", named.client_getname(), "laurel-py")
        check("CLIENT SETNAME", named.client_setname("renamed"), True)
        check("CLIENT GETNAME", named.client_getname(), "renamed")
        own_id = named.client_id()
        names = {entry["id"]: entry["name"] for entry in r.client_list()}
        check("CLIENT LIST knows the connection", names.get(str(own_id)), "renamed")
        check("CLIENT INFO", named.client_info()["name"], "renamed")
        check("SELECT 0", named.select(0), True)
        check("CLIENT KILL by id", r.client_kill_filter(_id=own_id), 1)
        check_raises("PING of a killed connection", redis.ConnectionError, "", named.ping)
        check("PING after it", named.ping(), True)
    check_raises("SELECT of no database", redis.ResponseError, "DB index is out of range",
                 connect(db=99).ping)
    if ON_LAUREL:
        check_raises("SELECT 1", redis.ResponseError, "DB index is out of range",
                     connect(db=1).ping)
        check("CLIENT SETINFO", r.execute_command("CLIENT SETINFO", "LIB-NAME", "redis-py"), "OK")
    hello = flat_map(r.execute_command("HELLO", "2"))
    check("HELLO's protocol", hello["proto"], 2)
    check("HELLO's role", hello["role"], "master")
    check_raises("HELLO 9", redis.ResponseError, "NOPROTO", lambda: r.execute_command("HELLO", 9))


def test_server_calls(r):
    info = r.info()
    check("INFO has a version", isinstance(info["redis_version"], str), True)
    check("INFO loading", info["loading"], 0)
    check("INFO server alone has no clients", "connected_clients" in r.info("server"), False)
    check("INFO clients", r.info("clients")["connected_clients"] >= 1, True)
    check("COMMAND knows ZADD", r.command()["zadd"]["arity"], -4)
    check("COMMAND COUNT", r.command_count() == len(r.command()), True)
    check("COMMAND GETKEYS", r.command_getkeys("ZADD", "z", "1", "a"), ["z"])
    seconds, micros = r.time()
    check("TIME", seconds > 1_500_000_000 and 0 <= micros < 1_000_000, True)
    check("CONFIG GET", "maxmemory" in r.config_get("maxmemory"), True)
    check("SLOWLOG LEN", isinstance(r.slowlog_len(), int), True)
    check("WAIT", r.wait(0, 1), 0)


def test_keys(r):
    check("FLUSHALL", r.flushall(), True)
    check("DBSIZE of nothing", r.dbsize(), 0)
    r.zadd("k:1", {"a": 1})
    r.zadd("k:2", {"b": 2})
    r.zadd("other", {"c": 3})
    check("KEYS", sorted(r.keys("k:*")), ["k:1", "k:2"])
    check("SCAN", sorted(r.scan_iter(match="k:*", count=1)), ["k:1", "k:2"])
    check("SCAN by type", sorted(r.scan_iter(_type="zset")), ["k:1", "k:2", "other"])
    check("TYPE", r.type("other"), "zset")
    check("TYPE of nothing", r.type("none"), "none")
    check("EXISTS", r.exists("k:1", "k:1", "none"), 2)
    check("RENAME", r.rename("k:1", "k:3"), True)
    check("RENAMENX", r.renamenx("k:3", "k:2"), False)
    check("COPY", r.copy("k:3", "k:4"), True)
    check("TOUCH", r.touch("k:3", "k:4", "none"), 2)
    check("UNLINK", r.unlink("k:3", "k:4", "none"), 2)
    check("RANDOMKEY", r.randomkey() in ("k:2", "other"), True)
    check("GET of nothing", r.get("none"), None)
    check("DEL", r.delete("k:2", "other"), 2)


def test_zset_writes(r):
    check("ZADD", r.zadd("z", {"a": 1, "b": 2.5, "c": -3}), 3)
    check("ZADD NX", r.zadd("z", {"a": 9, "d": 4}, nx=True), 1)
    check("ZADD XX", r.zadd("z", {"a": 5, "e": 4}, xx=True), 0)
    check("ZADD XX CH", r.zadd("z", {"a": 6, "e": 4}, xx=True, ch=True), 1)
    check("ZADD GT CH", r.zadd("z", {"a": 5, "d": 7}, gt=True, ch=True), 1)
    check("ZADD LT CH", r.zadd("z", {"a": 5, "d": 8}, lt=True, ch=True), 1)
    check("ZADD INCR", r.zadd("z", {"a": 0.5}, incr=True), 5.5)
    check("ZADD INCR that NX stops", r.zadd("z", {"a": 1}, incr=True, nx=True), None)
    check("ZADD of infinities", r.zadd("z", {"up": math.inf, "down": -math.inf}), 2)
    check("ZINCRBY", r.zincrby("z", 2, "a"), 7.5)
    check("ZINCRBY of a new member", r.zincrby("z", -0.25, "f"), -0.25)
    check("ZRANGE of it all", r.zrange("z", 0, -1, withscores=True),
          [("down", -math.inf), ("c", -3.0), ("f", -0.25), ("b", 2.5), ("d", 7.0), ("a", 7.5),
           ("up", math.inf)])
    check("ZREM", r.zrem("z", "up", "down", "none"), 2)


def test_zset_reads(r):
    check("ZCARD", r.zcard("z"), 5)
    check("ZSCORE", r.zscore("z", "b"), 2.5)
    check("ZSCORE of nobody", r.zscore("z", "none"), None)
    check("ZMSCORE", r.zmscore("z", ["a", "none", "c"]), [7.5, None, -3.0])
    check("ZRANK", r.zrank("z", "c"), 0)
    check("ZREVRANK", r.zrevrank("z", "c"), 4)
    check("ZREVRANK of nobody", r.zrevrank("z", "none"), None)
    check("ZREVRANGE", r.zrevrange("z", 0, 1, withscores=True), [("a", 7.5), ("d", 7.0)])
    check("ZRANGE REV", r.zrange("z", 0, 1, desc=True, withscores=True), [("a", 7.5), ("d", 7.0)])
    check("ZRANGE BYSCORE", r.zrange("z", "-inf", "(7", byscore=True, offset=1, num=5), ["f", "b"])
    check("ZRANGE BYSCORE REV", r.zrange("z", 7, 0, byscore=True, desc=True), ["d", "b"])
    check("ZCOUNT", r.zcount("z", "(2.5", "+inf"), 2)
    check("ZRANGEBYSCORE", r.zrangebyscore("z", -1, 7, start=1, num=9, withscores=True),
          [("b", 2.5), ("d", 7.0)])
    check("ZREVRANGEBYSCORE", r.zrevrangebyscore("z", "(7.5", "-inf", start=0, num=2), ["d", "b"])
    check("ZRANDMEMBER", r.zrandmember("z") in "abcdf", True)
    check("ZRANDMEMBER of all", sorted(r.zrandmember("z", 9)), ["a", "b", "c", "d", "f"])
    r.zadd("lex", dict.fromkeys("abcde", 0))
    check("ZRANGEBYLEX", r.zrangebylex("lex", "[b", "(e"), ["b", "c", "d"])
    check("ZREVRANGEBYLEX", r.zrevrangebylex("lex", "+", "(c"), ["e", "d"])
    check("ZLEXCOUNT", r.zlexcount("lex", "-", "[c"), 3)
    check("ZREMRANGEBYLEX", r.zremrangebylex("lex", "[b", "[d"), 3)
    check("what ZREMRANGEBYLEX left", r.zrange("lex", 0, -1), ["a", "e"])


def test_zset_removals_and_pops(r):
    r.zadd("p", {f"m{i}": i for i in range(10)})
    check("ZREMRANGEBYRANK", r.zremrangebyrank("p", 0, 1), 2)
    check("ZREMRANGEBYSCORE", r.zremrangebyscore("p", "(8", "+inf"), 1)
    check("ZPOPMIN", r.zpopmin("p"), [("m2", 2.0)])
    check("ZPOPMAX of two", r.zpopmax("p", 2), [("m8", 8.0), ("m7", 7.0)])
    check("ZPOPMIN of nothing", r.zpopmin("none"), [])
    check("ZMPOP", r.zmpop(2, ["none", "p"], min=True, count=2),
          ["p", [["m3", "3"], ["m4", "4"]]])
    check("what the pops left", r.zrange("p", 0, -1), ["m5", "m6"])


def test_zset_combinations(r):
    r.zadd("s1", {"a": 1, "b": 2})
    r.zadd("s2", {"b": 3, "c": 4})
    check("ZUNIONSTORE", r.zunionstore("u", ["s1", "s2"]), 3)
    check("what ZUNIONSTORE stored", r.zrange("u", 0, -1, withscores=True),
          [("a", 1.0), ("c", 4.0), ("b", 5.0)])
    check("ZUNIONSTORE WEIGHTS AGGREGATE", r.zunionstore("u", {"s1": 10, "s2": 1}, "MAX"), 3)
    check("its scores", r.zmscore("u", ["a", "b", "c"]), [10.0, 20.0, 4.0])
    check("ZINTERSTORE", r.zinterstore("i", ["s1", "s2"]), 1)
    check("ZDIFFSTORE", r.zdiffstore("d", ["s1", "s2"]), 1)
    check("ZRANGESTORE", r.zrangestore("r", "u", 0, 1), 2)
    check("ZUNION", r.zunion(["s1", "s2"], aggregate="MIN", withscores=True),
          [("a", 1.0), ("b", 2.0), ("c", 4.0)])
    check("ZINTER", r.zinter(["s1", "s2"], withscores=True), [("b", 5.0)])
    check("ZDIFF", r.zdiff(["s1", "s2"]), ["a"])
    check("ZINTERCARD", r.zintercard(2, ["s1", "s2"]), 1)


def test_scan(r):
    expected = {f"member:{i}": float(i) for i in range(1000)}
    r.zadd("scan", expected)
    check("ZSCAN of 1,000", dict(r.zscan_iter("scan", count=50)), expected)
    check("ZSCAN MATCH", sorted(r.zscan_iter("scan", match="member:99?")),
          [(f"member:{i}", float(i)) for i in range(990, 1000)])


def test_blocking_pops(r):
    check("BZPOPMIN that times out", r.bzpopmin("queue", timeout=0.01), None)
    r.zadd("queue", {"ready": 1})
    check("BZPOPMAX with something there", r.bzpopmax(["none", "queue"], timeout=0),
          ("queue", "ready", 1.0))
    for pop, expected in (("bzpopmin", ("queue", "low", 1.0)),
                          ("bzpopmax", ("queue", "high", 2.0))):
        got = []
        waiter = threading.Thread(
            target=lambda pop=pop, got=got: got.append(getattr(connect(), pop)("queue", 0)),
            daemon=True)
        waiter.start()
        wait_until("a blocked client", lambda: r.info("clients")["blocked_clients"] == 1)
        r.zadd("queue", {"low": 1, "high": 2})
        waiter.join(WAIT_LIMIT_S)
        check(pop, got, [expected])
        check(f"{pop} took one", r.zcard("queue"), 1)
        r.delete("queue")


def test_pipelines(r):
    with r.pipeline(transaction=False) as pipe:
        for i in range(5000):
            pipe.zadd("pipe", {f"m{i}": i})
        pipe.zcard("pipe").zrevrank("pipe", "m0").zscore("pipe", "m4999")
        replies = pipe.execute()
    check("a pipeline's replies", replies, [1] * 5000 + [5000, 4999, 4999.0])
    with r.pipeline(transaction=False) as pipe:
        pipe.zscore("pipe", "m1").get("pipe").zscore("pipe", "m2")
        replies = pipe.execute(raise_on_error=False)
    check("an error in a pipeline", type(replies[1]), redis.ResponseError)
    check("the others in it", [replies[0], replies[2]], [1.0, 2.0])


def test_transactions(r):
    with r.pipeline() as pipe:
        pipe.zadd("t", {"a": 1}).zincrby("t", 5, "a").zrange("t", 0, -1, withscores=True)
        check("MULTI EXEC", pipe.execute(), [1, 6.0, [("a", 6.0)]])
    with r.pipeline() as pipe:
        pipe.watch("t")
        check("a read under WATCH", pipe.zscore("t", "a"), 6.0)
        connect().zadd("t", {"a": 7})
        pipe.multi()
        pipe.zadd("t", {"a": 100})
        check_raises("EXEC after a change", redis.WatchError, "Watched variable changed",
                     pipe.execute)
    check("an aborted EXEC changed nothing", r.zscore("t", "a"), 7.0)
    with r.pipeline() as pipe:
        pipe.watch("t")
        pipe.multi()
        pipe.zadd("t", {"a": 8})
        check("EXEC without a change", pipe.execute(), [0])
    attempts = []

    def raise_by_one(pipe):
        attempts.append(pipe.zscore("t", "a"))
        if len(attempts) == 1:
            connect().zadd("t", {"a": 50})
        pipe.multi()
        pipe.zadd("t", {"a": attempts[-1] + 1})

    r.transaction(raise_by_one, "t")
    check("the retry of transaction()", (attempts, r.zscore("t", "a")), ([8.0, 50.0], 51.0))
    with r.pipeline() as pipe:
        pipe.zadd("t", {"a": 9}).execute_command("NOSUCHCOMMAND")
        check_raises("EXEC with a command refused", redis.ResponseError, "unknown command",
                     pipe.execute)
    check("the refused EXEC changed nothing", r.zscore("t", "a"), 51.0)
    with r.pipeline() as pipe:
        pipe.zadd("t", {"a": 9}).get("t").zadd("t", {"a": 10})
        check_raises("EXEC with a command that fails", redis.ResponseError, "WRONGTYPE",
                     pipe.execute)
    check("the others of it applied", r.zscore("t", "a"), 10.0)


def test_expiry(r):
    r.zadd("e", {"a": 1})
    check("TTL of a lasting key", r.ttl("e"), -1)
    check("TTL of no key", r.ttl("none"), -2)
    check("EXPIRE", r.expire("e", 1000), True)
    check("TTL", 0 < r.ttl("e") <= 1000, True)
    check("EXPIRE NX", r.expire("e", 50, nx=True), False)
    check("EXPIRE GT", r.expire("e", 2000, gt=True), True)
    check("PERSIST", r.persist("e"), True)
    check("EXPIREAT", r.expireat("e", 4_000_000_000), True)
    check("EXPIRETIME", r.execute_command("EXPIRETIME", "e"), 4_000_000_000)
    check("EXPIRE of no key", r.expire("none", 10), False)
    check("PEXPIRE", r.pexpire("e", 20), True)
    wait_until("the end of an expired key", lambda: r.exists("e") == 0)
    r.zadd("e", {"a": 1})
    check("EXPIRE in the past", r.expire("e", -1), True)
    check("EXISTS after it", r.exists("e"), 0)


def test_errors(r):
    r.zadd("z", {"a": 1})
    error = redis.ResponseError
    check_raises("GET of a board", error, "WRONGTYPE", lambda: r.get("z"))
    check_raises("no number", error, "value is not a valid float", lambda: r.zadd("z", {"a": "x"}))
    check_raises("NaN", error, "not a valid float", lambda: r.zadd("z", {"a": math.nan}))
    check_raises("an unknown command", error, "unknown command",
                 lambda: r.execute_command("NOSUCH", "a", "b"))
    check_raises("too few arguments", error, "wrong number of arguments",
                 lambda: r.execute_command("ZADD", "z"))
    check_raises("RENAME of nothing", error, "no such key", lambda: r.rename("none", "x"))
    check_raises("CR and LF in an unknown command", error, "unknown command",
                 lambda: r.execute_command("NO\r\n+OK\r\nSUCH"))
    check("the connection after errors", r.ping(), True)
    if ON_LAUREL:
        check_raises("SET", error, "unknown command", lambda: r.set("a", "b"))
        check_raises("EVAL", error, "no scripts here", lambda: r.eval("return 1", 0))


def test_binary_members(r):
    raw = redis.Redis(HOST, PORT)
    every_byte = bytes(range(256))
    members = [every_byte, b"", b"a\r\nb", b"\x00", b"\xff\xfe", "排行榜".encode(), b"x" * 1024]
    raw.zadd(every_byte, {member: index for index, member in enumerate(members)})
    check("binary members", raw.zrange(every_byte, 0, -1), members)
    check("ZSCORE of every byte", raw.zscore(every_byte, every_byte), 0.0)
    check("ZREVRANK of none", raw.zrevrank(every_byte, b""), 5)
    check("KEYS of a binary name", every_byte in raw.keys("*"), True)
    if ON_LAUREL:
        raw.execute_command("LB.CREATE", "binary")
        members.remove(b"")
        raw.zadd("binary", {member: 1 for member in members})
        check("binary members of a leaderboard", raw.zrevrange("binary", 0, -1), members)
    check("a member as text", r.zscore(every_byte, "排行榜"), 5.0)


def test_leaderboard_commands(r):
    lb = r.execute_command
    check("LB.CREATE", lb("LB.CREATE", "best", "POLICY", "best"), "OK")
    check("LB.CREATE again", lb("LB.CREATE", "best", "POLICY", "best"), "OK")
    check_raises("LB.CREATE of another spec", redis.ResponseError, "EXISTS",
                 lambda: lb("LB.CREATE", "best", "POLICY", "sum"))
    verdict = flat_map(lb("LB.SUBMIT", "best", "ann", "100"))
    stamp = verdict["stamp"]
    check("the first verdict", verdict,
          {"status": "accepted", "rank": 1, "previous_rank": None, "score": ["100"],
           "previous_score": None, "stamp": stamp})
    check("a stamp is a number", isinstance(stamp, int) and stamp > 1_500_000_000_000_000, True)
    check("bob's verdict", flat_map(lb("LB.SUBMIT", "best", "bob", 120))["rank"], 1)
    check("not-best", flat_map(lb("LB.SUBMIT", "best", "ann", 90))["status"], "not-best")
    same = flat_map(lb("LB.SUBMIT", "best", "ann", 100))
    check("unchanged", (same["status"], same["stamp"]), ("unchanged", stamp))
    better = flat_map(lb("LB.SUBMIT", "best", "ann", 2**63 - 1))
    check("the better verdict",
          [better[key] for key in ("status", "rank", "previous_rank", "score", "previous_score")],
          ["accepted", 1, 2, ["9223372036854775807"], ["100"]])
    check("skipped", flat_map(lb("LB.SUBMIT", "best", "ann", 1, "NX"))["status"], "skipped")
    top = [flat_map(entry) for entry in lb("LB.TOP", "best", 10)]
    check("LB.TOP", [(entry["rank"], entry["member"], entry["score"]) for entry in top],
          [(1, "ann", ["9223372036854775807"]), (2, "bob", ["120"])])
    check("LB.TOP's keys", list(top[0]), ["rank", "member", "score", "stamp"])
    entry = flat_map(lb("LB.GET", "best", "bob"))
    check("LB.GET", (entry["rank"], entry["score"], entry["count"]), (2, ["120"], 2))
    check("LB.GET of nobody", lb("LB.GET", "best", "none"), None)
    error = redis.ResponseError
    check_raises("NOBOARD", error, "NOBOARD", lambda: lb("LB.TOP", "none", 1))
    check_raises("OVERFLOW", error, "OVERFLOW", lambda: lb("LB.INCR", "best", "ann", 1))
    check_raises("BADSCORE", error, "BADSCORE", lambda: r.zadd("best", {"ann": 95.5}))
    check("LB.SIZE", lb("LB.SIZE", "best"), 2)
    check("LB.DROP", lb("LB.DROP", "best"), "OK")


def test_doubles_on_an_int_leaderboard(r):
    r.execute_command("LB.CREATE", "whole")
    numbers = {"a": 95.0, "b": 1e7, "c": 1e16, "d": -3.0, "e": 2.0**53, "f": 0.0, "g": -1e18}
    check("ZADD of doubles", r.zadd("whole", numbers), len(numbers))
    for member, number in numbers.items():
        entry = flat_map(r.execute_command("LB.GET", "whole", member))
        check(f"LB.GET after {number!r}", entry["score"], [str(int(number))])
        check(f"ZSCORE after {number!r}", r.zscore("whole", member), number)
    check("ZINCRBY by a double", r.zincrby("whole", 5.0, "a"), 100.0)
    check("ZADD INCR by a double", r.zadd("whole", {"a": 1e7}, incr=True), 10000100.0)
    check("LB.GET after both",
          flat_map(r.execute_command("LB.GET", "whole", "a"))["score"], ["10000100"])
    check_raises("a double beyond int64", redis.ResponseError, "OVERFLOW",
                 lambda: r.zadd("whole", {"a": 1e19}))


def test_first_come_after_del_and_rename(r):
    scores = {"user1": 89, "user2": 95, "user3": 95, "user4": 90}

    def play(expected):
        for member, score in scores.items():
            check("ZADD lb", r.zadd("lb", {member: score}), 1)
        check("ZREVRANGE lb", r.zrevrange("lb", 0, -1, withscores=True), expected)

    first_come = [("user2", 95.0), ("user3", 95.0), ("user4", 90.0), ("user1", 89.0)]
    as_in_redis = [("user3", 95.0), ("user2", 95.0), ("user4", 90.0), ("user1", 89.0)]
    play(as_in_redis)
    r.delete("lb")
    if ON_LAUREL:
        check("LB.CREATE lb", r.execute_command("LB.CREATE", "lb"), "OK")
        play(first_come)
        check("DEL lb", r.delete("lb"), 1)
        check("EXISTS of an empty leaderboard", r.exists("lb"), 0)
        play(first_come)
        check("RENAME lb old", r.rename("lb", "old"), True)
        play(first_come)
        check("ZREVRANGE old", r.zrevrange("old", 0, -1, withscores=True), first_come)


def test_reconnect(r):
    if "LAUREL_CONTROL" not in os.environ:
        print("redis-py: nobody to restart the server: reconnect left out")
        return
    single = connect(single_connection_client=True)
    for client in (r, single):
        client.zadd("before", {"a": 1})
    control("stop")
    for client in (r, single):
        check_raises("PING of no server", redis.ConnectionError, "", client.ping)
    control("start")
    for client in (r, single):
        check("PING after the restart", client.ping(), True)
    check("what was acknowledged is still there", r.exists("before"), 1)
    check("ZADD after the restart", single.zadd("after", {"a": 1}), 1)
    check("ZSCORE after the restart", r.zscore("after", "a"), 1.0)
    # A client that was idle during the restart finds out with its next command, and retries.
    idle = connect(retry_on_error=[redis.ConnectionError])
    idle.ping()
    control("stop")
    control("start")
    check("the first command after an unseen restart", idle.zadd("again", {"a": 1}), 1)


def main():
    r = connect()
    tests = [test_handshake, test_server_calls, test_keys, test_zset_writes, test_zset_reads,
             test_zset_removals_and_pops, test_zset_combinations, test_scan, test_blocking_pops,
             test_pipelines, test_transactions, test_expiry, test_errors, test_binary_members]
    if ON_LAUREL:
        tests += [test_leaderboard_commands, test_doubles_on_an_int_leaderboard]
    tests += [test_first_come_after_del_and_rename, test_reconnect]
    r.flushall()
    for test in tests:
        test(r)
    print(f"redis-py {redis.__version__}: {len(tests)} tests passed")


if __name__ == "__main__":
    main()
