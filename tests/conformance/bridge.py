#!/usr/bin/python3
"""Sends commands through redis-py's cluster client: bridge.py HOST PORT, any server of the cluster.

Listens on a free port of 127.0.0.1 and prints it. Serves one connection: each command (RESP) goes through the
client, and its reply goes back as RESP2.
"""

import logging
import socket
import sys

import redis
from redis.cluster import ClusterParser, RedisCluster


def read_command(stream):
    """The next command, as a list of bytes; None at the end."""
    line = stream.readline()
    if not line:
        return None
    words = []
    for _ in range(int(line[1:])):
        length = int(stream.readline()[1:])
        words.append(stream.read(length + 2)[:-2])
    return words


def encoded(reply):
    if reply is None:
        return b"$-1\r\n"
    if isinstance(reply, int):
        return b":%d\r\n" % reply
    if isinstance(reply, list):
        return b"*%d\r\n" % len(reply) + b"".join(map(encoded, reply))
    if isinstance(reply, redis.ResponseError):
        return b"-%s\r\n" % str(reply).encode()
    return b"$%d\r\n%s\r\n" % (len(reply), reply)


def ask(client, words):
    try:
        return client.execute_command(words[0].decode(), *words[1:])
    except redis.ResponseError as error:
        return error


def main():
    logging.disable()  # the client logs every redirection as an error
    ClusterParser.EXCEPTION_CLASSES.pop("ERR")  # which redis-py would remove from the error's text
    client = RedisCluster(host=sys.argv[1], port=int(sys.argv[2]))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"bridge.py ready: resp 127.0.0.1:{listener.getsockname()[1]}", flush=True)
        connection, _ = listener.accept()
    with connection, connection.makefile("rb") as stream:
        while words := read_command(stream):
            connection.sendall(encoded(ask(client, words)))


main()
