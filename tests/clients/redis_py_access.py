#!/usr/bin/python3
"""redis-py against a server with TLS and the tokens of access.toml: redis_py_access.py HOST PORT.

See run.py for the environment. On Redis, which has no such tokens, TLS alone is tried.
"""

import os
import sys

import redis

HOST, PORT = sys.argv[1], int(sys.argv[2])
TLS_PORT, CA = int(os.environ["LAUREL_TLS_PORT"]), os.environ["LAUREL_CA"]
ON_LAUREL = os.environ.get("LAUREL_TARGET", "laurel") == "laurel"


def check(what, actual, expected):
    if actual != expected:
        sys.exit(f"redis-py: {what}: expected {expected!r}, got {actual!r}")


def check_raises(what, error_type, text, call):
    try:
        got = call()
    except redis.RedisError as error:
        if type(error) is error_type and text in str(error):
            return
        got = error
    sys.exit(f"redis-py: {what}: expected {error_type.__name__} with {text!r}, got {got!r}")


def test_tokens():
    for name in ({}, {"username": "anyname"}):
        writer = redis.Redis(HOST, PORT, password="writer-token", **name)
        check("ZADD", writer.zadd("lb:1", {"a": 1}), 1)
        check("ZREM", writer.zrem("lb:1", "a"), 1)
        check_raises("DEL", redis.exceptions.NoPermissionError, "", lambda: writer.delete("lb:1"))
        check_raises("another board", redis.exceptions.NoPermissionError, "",
                     lambda: writer.zscore("other", "a"))
    url = redis.from_url(f"redis://anyname:reader-token@{HOST}:{PORT}/0")
    check("a URL", url.zscore("lb:1", "a"), None)
    check_raises("a write by a reader", redis.exceptions.NoPermissionError, "",
                 lambda: url.zadd("lb:1", {"a": 1}))
    check_raises("no token", redis.AuthenticationError, "Authentication required",
                 redis.Redis(HOST, PORT).ping)
    check_raises("a wrong token", redis.ResponseError, "WRONGPASS",
                 redis.Redis(HOST, PORT, password="wrong-token").ping)


def test_tls():
    token = {"password": "keeper-token"} if ON_LAUREL else {}
    r = redis.Redis(HOST, TLS_PORT, ssl=True, ssl_ca_certs=CA, ssl_check_hostname=True, **token)
    with r.pipeline(transaction=False) as pipe:
        for i in range(2000):
            pipe.zadd("lb:tls", {f"m{i}": i})
        check("ZADDs over TLS", pipe.execute(), [1] * 2000)
    check("ZRANGE over TLS", len(r.zrange("lb:tls", 0, -1, withscores=True)), 2000)
    check_raises("an unknown CA", redis.ConnectionError, "CERTIFICATE_VERIFY_FAILED",
                 redis.Redis(HOST, TLS_PORT, ssl=True, **token).ping)
    check("PING after it", r.ping(), True)


def main():
    tests = [test_tokens, test_tls] if ON_LAUREL else [test_tls]
    for test in tests:
        test()
    print(f"redis-py {redis.__version__}: {len(tests)} tests passed")


if __name__ == "__main__":
    main()
