#!/usr/bin/env python3
"""Seed 003 on Laurel: more first, then earlier first, and orders by two fields.

The seed puts the inverted time in front of the id, so that Redis orders equal scores by time. A
writer must know the member that it wrote last, remove it and add another.

- A member is its id, which may have any bytes. No old member is left behind when two writers race.
- An update is one call. It needs no script and no knowledge of the old time.
- Values go beyond 2^53. A second field is a field, with a direction of its own.

    LAUREL_REDIS_URL=redis://127.0.0.1:7600 python3 003_two_field_order.py
"""

import os

import redis


def pairs(reply):
    """The map of a RESP2 reply."""
    return dict(zip(reply[::2], reply[1::2]))


class RankByValueAndTime:
    def __init__(self, client, key):
        self.client, self.key = client, key
        client.execute_command("LB.CREATE", key)

    def update_entry(self, value, seconds, uid):
        """Inserts or replaces the user's value, reached at this Unix time."""
        self.client.execute_command("LB.SET", self.key, uid, value, "AT", seconds)

    def add(self, delta, seconds, uid):
        """Adds to the value of a present user. Returns the new value; None if the user is absent."""
        verdict = pairs(self.client.execute_command("LB.INCR", self.key, uid, delta, "XX",
                                                    "AT", seconds))
        return int(verdict["score"][0]) if verdict["status"] != "skipped" else None

    def top(self, count):
        """[(value, Unix time, id)…]"""
        entries = map(pairs, self.client.execute_command("LB.TOP", self.key, count))
        return [(int(entry["score"][0]), entry["stamp"] // 1_000_000, entry["member"])
                for entry in entries]


def order_by_two_fields(client, second_direction):
    """Members by income, more first, then by cost in the given direction."""
    board = "seed:003:fields"
    client.execute_command("LB.CREATE", board, "FIELDS", 2, "income", f"cost:int:{second_direction}")
    client.execute_command("LB.MSUBMIT", board, 3, "ann", 70, 9, "bob", 70, 4, "cy", 80, 7)
    for entry in map(pairs, client.execute_command("LB.TOP", board, 3)):
        print(f"  {entry['member']} {' '.join(entry['score'])}")
    client.execute_command("LB.DROP", board)


def main():
    client = redis.from_url(os.environ.get("LAUREL_REDIS_URL", "redis://127.0.0.1:7600"),
                            decode_responses=True)
    rank = RankByValueAndTime(client, "seed:003")

    def show():
        for value, seconds, uid in rank.top(10):
            print(f"  {value} at {seconds} {uid}")

    print("equal values: the earlier one first, ids with a colon too")
    rank.update_entry(9876543210, 1721059260, "user123")
    rank.update_entry(9876543210, 1721059200, "guild:7")
    rank.update_entry(100, 1721059200, "user9")
    show()

    print("an update takes one call and leaves one entry")
    rank.update_entry(9876543210, 1721059100, "user123")
    show()

    print(f"user9 adds 2^53: {rank.add(2**53, 1721059300, 'user9')}")
    print(f"user9 adds 1: {rank.add(1, 1721059301, 'user9')}")
    print(f"absent adds 1: {rank.add(1, 1721059302, 'absent') or 'no such member'}")
    show()

    print("income, more first, then cost, less first")
    order_by_two_fields(client, "asc")
    print("income, more first, then cost, more first")
    order_by_two_fields(client, "desc")
    client.execute_command("LB.DROP", "seed:003")


if __name__ == "__main__":
    main()
