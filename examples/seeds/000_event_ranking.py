#!/usr/bin/env python3
"""Seed 000 on Laurel: the ranking of an event that has a start and an end.

The seed keeps value.countdown as the score of a sorted set. A Lua script adds to it, and every
write sets EXPIRE again. Here the board adds, orders equal values and expires by itself.

- Two members that reach a value in the same second stand in the order in which they reached it.
- Values are exact up to 2^63 - 1. In the seed they are up to 2^32 - 1 for an event of ten days, and
  its reader takes 1000000 for 1.
- Adding 0 costs no member its place. A retry with the same request id counts once. A write outside
  the event is refused.

    LAUREL_REDIS_URL=redis://127.0.0.1:7600 python3 000_event_ranking.py
"""

import os
import time

import redis

SECOND = 1_000_000  # times are microseconds
HOUR = 3600 * SECOND
DAY = 24 * HOUR


def pairs(reply):
    """The map of a RESP2 reply."""
    return dict(zip(reply[::2], reply[1::2]))


class EventRanking:
    def __init__(self, client, key, start, end, expire):
        self.client, self.key = client, key
        client.execute_command("LB.CREATE", key, "POLICY", "sum", "START", f"{start}us",
                               "END", f"{end}us", "EXPIRE", expire)

    def update(self, uid, val, at, request_id=None):
        """Adds val to the user's value. Returns the new value."""
        options = ["ID", request_id] if request_id else []
        verdict = pairs(self.client.execute_command("LB.SUBMIT", self.key, uid, val,
                                                    "AT", f"{at}us", *options))
        return int(verdict["score"][0])

    def get_ranking_list(self, count):
        entries = map(pairs, self.client.execute_command("LB.TOP", self.key, count))
        return [(entry["member"], int(entry["score"][0])) for entry in entries]

    def get_user_rank(self, uid):
        """From 0, as ZREVRANK counts. None if the user is absent."""
        entry = self.client.execute_command("LB.GET", self.key, uid)
        return pairs(entry)["rank"] - 1 if entry else None

    def get_user_val(self, uid):
        entry = self.client.execute_command("LB.GET", self.key, uid)
        return int(pairs(entry)["score"][0]) if entry else None

    def get_total_count(self):
        return self.client.execute_command("LB.SIZE", self.key)


def main():
    client = redis.from_url(os.environ.get("LAUREL_REDIS_URL", "redis://127.0.0.1:7600"),
                            decode_responses=True)
    start = int(time.time()) * SECOND - DAY
    ranking = EventRanking(client, "seed:000", start, start + 10 * DAY, "30d")

    def update(uid, val, at, request_id=None):
        print(f"{uid} adds {val}: {ranking.update(uid, val, at, request_id)}")

    def show():
        for index, (uid, val) in enumerate(ranking.get_ranking_list(10)):
            print(f"  {index} {uid} {val}")

    print("ann reaches 100 half a second before bob")
    update("ann", 60, start + 60 * SECOND)
    update("ann", 40, start + HOUR)
    update("bob", 100, start + HOUR + SECOND // 2)
    show()

    print("adding 0 does not cost ann her place")
    update("ann", 0, start + 2 * HOUR)
    print(f"rank of ann: {ranking.get_user_rank('ann')}")

    print("a retry with the same request id counts once")
    update("bob", 5, start + 3 * HOUR, "order-17")
    update("bob", 5, start + 3 * HOUR, "order-17")

    print("2^53 and 2^53 + 1 are two values")
    update("cy", 2**53, start + 4 * HOUR)
    update("dee", 2**53 + 1, start + 5 * HOUR)
    show()

    print("a write before the event is refused")
    try:
        update("eve", 1, start - SECOND)
    except redis.ResponseError as error:
        print(f"eve adds 1: {str(error).split()[0]}")

    print(f"value of cy: {ranking.get_user_val('cy')}")
    print(f"value of eve: {ranking.get_user_val('eve') or 'none'}")
    print(f"users: {ranking.get_total_count()}")
    client.execute_command("LB.DROP", "seed:000")


if __name__ == "__main__":
    main()
