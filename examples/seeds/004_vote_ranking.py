#!/usr/bin/env python3
"""Seed 004 on Laurel: a ranking of votes that many requests add to at once.

The seed shifts the points beside a countdown in one long, and adds by WATCH and MULTI, at most 15
times. Its second way adds points + 10^6 / time, so the member with more writes ranks ahead.

- An increment is one atomic call. None is lost, and none fails because others write too.
- Points are exact up to 2^63 - 1. The seed's are up to 524287, because Redis keeps a double.
- A retry with the same request id counts once.
- The time at which a score was reached is kept, in microseconds, whatever the end of the event.

    LAUREL_REDIS_URL=redis://127.0.0.1:7600 python3 004_vote_ranking.py
"""

import os
import threading
from datetime import datetime, timedelta, timezone

import redis

BEIJING = timezone(timedelta(hours=8))


def pairs(reply):
    """The map of a RESP2 reply."""
    return dict(zip(reply[::2], reply[1::2]))


class VoteRanking:
    def __init__(self, client, key):
        self.client, self.key = client, key
        client.execute_command("LB.CREATE", key, "POLICY", "sum")

    def update_ranking(self, user, add_point, at, request_id):
        self.client.execute_command("LB.SUBMIT", self.key, user, add_point, "AT", at,
                                    "ID", request_id)

    def get_point_by_user(self, user):
        """0 if the user is absent."""
        entry = self.client.execute_command("LB.GET", self.key, user)
        return int(pairs(entry)["score"][0]) if entry else 0

    def get_date_by_user(self, user):
        """When the user reached the present points."""
        entry = pairs(self.client.execute_command("LB.GET", self.key, user))
        return datetime.fromtimestamp(entry["stamp"] // 1_000_000, BEIJING)

    def get_rank_by_user(self, user):
        """From 1. -1 if the user is absent."""
        entry = self.client.execute_command("LB.GET", self.key, user)
        return pairs(entry)["rank"] if entry else -1

    def rank(self, count):
        """The best users with their points, best first."""
        entries = map(pairs, self.client.execute_command("LB.TOP", self.key, count))
        return [(entry["member"], int(entry["score"][0])) for entry in entries]

    def pop_top(self, count):
        """Removes no user, in the seed neither."""
        return self.rank(count)


def vote_at_once(ranking, user, voters, votes):
    """Each voter sends each vote twice, as after a lost reply."""
    def vote(voter):
        for number in range(votes):
            for _ in range(2):
                ranking.update_ranking(user, 1, "2022-12-05T12:00:00+08:00", f"{voter}-{number}")

    threads = [threading.Thread(target=vote, args=(voter,)) for voter in range(voters)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    client = redis.from_url(os.environ.get("LAUREL_REDIS_URL", "redis://127.0.0.1:7600"),
                            decode_responses=True)
    ranking = VoteRanking(client, "seed:004")

    print("8 voters at once, 50 votes each, each vote sent twice")
    vote_at_once(ranking, "1001", 8, 50)
    print(f"points of 1001: {ranking.get_point_by_user('1001')}")

    print("1002 reaches 400 in two writes, a second later than 1001")
    ranking.update_ranking("1002", 150, "2022-12-05T11:00:00+08:00", "a")
    ranking.update_ranking("1002", 250, "2022-12-05T12:00:01+08:00", "b")
    for user, points in ranking.rank(10):
        print(f"  {ranking.get_rank_by_user(user)} {user} {points} "
              f"{ranking.get_date_by_user(user).isoformat()}")

    print("points beyond 524287")
    ranking.update_ranking("1003", 10**10, "2022-12-06T08:30:00+08:00", "c")
    ranking.update_ranking("1003", 1, "2022-12-06T08:30:01+08:00", "d")
    for user, points in ranking.pop_top(1):
        print(f"  {ranking.get_rank_by_user(user)} {user} {points} "
              f"{ranking.get_date_by_user(user).isoformat()}")

    print(f"absent: rank {ranking.get_rank_by_user('1009')}, "
          f"points {ranking.get_point_by_user('1009')}")
    client.execute_command("LB.DROP", "seed:004")


if __name__ == "__main__":
    main()
