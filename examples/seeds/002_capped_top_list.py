#!/usr/bin/env python3
"""Seed 002 on Laurel: the top list of a campaign, with a cap.

The seed writes the score as score.(9999999999 - time) and asks for the size and the last score
before it adds a member. It removes none, so the set grows, and two pods may both see room.

- The cap holds after every write: the board drops the last member by itself.
- A write that does not enter says what it would have needed.
- Equal scores keep the order of arrival above 524287 too, where the seed's seconds merge.

    LAUREL_REDIS_URL=redis://127.0.0.1:7600 python3 002_capped_top_list.py
"""

import os

import redis


def pairs(reply):
    """The map of a RESP2 reply."""
    return dict(zip(reply[::2], reply[1::2]))


class ScoreRankService:
    def __init__(self, client, key, count):
        """Shows count members, and keeps ten more for the case that some are removed."""
        self.client, self.key, self.count = client, key, count
        client.execute_command("LB.CREATE", key, "POLICY", "set", "CAP", count + 10)

    def insert_member(self, member, score):
        """Whether the member is on the board afterwards, and if not, the score that would do."""
        verdict = pairs(self.client.execute_command("LB.SUBMIT", self.key, member, score))
        needs = int(verdict["needs"][0]) if "needs" in verdict else None
        return verdict["status"] != "not-ranked", needs

    def get_member_list(self):
        entries = map(pairs, self.client.execute_command("LB.TOP", self.key, self.count))
        return [(entry["member"], int(entry["score"][0])) for entry in entries]

    def get_score_rank_count(self):
        return self.client.execute_command("LB.SIZE", self.key)

    def get_last_member_score(self):
        """0 if the board is empty."""
        entries = self.client.execute_command("LB.RANGE", self.key, -1, -1)
        return int(pairs(entries[0])["score"][0]) if entries else 0


def main():
    client = redis.from_url(os.environ.get("LAUREL_REDIS_URL", "redis://127.0.0.1:7600"),
                            decode_responses=True)
    service = ScoreRankService(client, "seed:002", 3)

    def insert(member, score):
        entered, needs = service.insert_member(member, score)
        print(f"{member} {score}: {'on the board' if entered else f'needs {needs}'}")

    def show():
        print(f"{service.get_score_rank_count()} members, the last has "
              f"{service.get_last_member_score()}")
        for member, score in service.get_member_list():
            print(f"  {member} {score}")

    show()
    print("twenty members reach 100, and thirteen places are free")
    entered = [service.insert_member(f"m{number:02}", 100)[0] for number in range(1, 21)]
    print(f"{entered.count(True)} of them enter")
    show()

    print("a late 100 stays out, 101 enters and the last one leaves")
    insert("late", 100)
    insert("late", 101)
    show()

    print("three members reach 600000 one after another")
    insert("zoe", 600000)
    insert("abe", 600000)
    insert("kim", 600000)
    show()
    client.execute_command("LB.DROP", "seed:002")


if __name__ == "__main__":
    main()
