#!/usr/bin/python3
"""redis-py's RedisCluster with LB commands: redis_py_cluster.py PORT SECONDS. Run by cluster_test.py.

Increments boards in many slots for about SECONDS while slots may move, then prints what it has acknowledged
as `board sum`.
"""

import logging
import sys
import time

from redis.cluster import RedisCluster

BOARDS = 20

logging.disable()  # redis-py logs every redirection

client = RedisCluster(host="127.0.0.1", port=int(sys.argv[1]), decode_responses=True)
sums = {f"py{i}": 0 for i in range(BOARDS)}
for board in sums:
    client.execute_command("LB.CREATE", board, "POLICY", "sum")
end = time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < end:
    number += 1
    for board in sums:
        client.execute_command("LB.INCR", board, "ann", 1, "ID", str(number))
        sums[board] += 1
for board, total in sums.items():
    shown = client.execute_command("LB.GET", board, "ann")
    if shown[shown.index("score") + 1] != [str(total)]:
        sys.exit(f"{board}: {shown}, not {total}")
    print(board, total)
