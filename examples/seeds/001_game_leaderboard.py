#!/usr/bin/env python3
"""Seed 001 on Laurel: the leaderboard of a game, from set to delete.

The seed has a session of sorted-set commands, in which user3 stands ahead of user2 because of its
name. Its way out is score * 10^10 + (9999999999 - time), and it wishes for a sorted set of int64.

- user2 reached 95 first and stands ahead of user3, also within one second.
- Scores are all of int64. The formula is exact up to 900719.
- Neighbours of a player take one call, which answers from one state.

    LAUREL_REDIS_URL=redis://127.0.0.1:7600 python3 001_game_leaderboard.py
"""

import os

import redis


def pairs(reply):
    """The map of a RESP2 reply."""
    return dict(zip(reply[::2], reply[1::2]))


class GameLeaderboard:
    def __init__(self, client, name):
        self.client, self.name = client, name
        client.execute_command("LB.CREATE", name)

    def set_score(self, player, score):
        self.client.execute_command("LB.SET", self.name, player, score)

    def add_score(self, player, delta):
        """Returns the new score."""
        verdict = pairs(self.client.execute_command("LB.INCR", self.name, player, delta))
        return int(verdict["score"][0])

    def rank_and_score(self, player):
        """None if the player is absent."""
        entry = self.client.execute_command("LB.GET", self.name, player)
        return (pairs(entry)["rank"], int(pairs(entry)["score"][0])) if entry else None

    def top(self, count):
        return self._entries("LB.TOP", count)

    def around(self, player, count):
        """The player with up to count players on each side."""
        return self._entries("LB.AROUND", player, count)

    def remove(self, player):
        return self.client.execute_command("LB.REMOVE", self.name, player) == 1

    def delete(self):
        self.client.execute_command("LB.DROP", self.name)

    def _entries(self, command, *words):
        entries = map(pairs, self.client.execute_command(command, self.name, *words) or [])
        return [(entry["rank"], entry["member"], int(entry["score"][0])) for entry in entries]


def show(entries):
    for rank, player, score in entries:
        print(f"  {rank} {player} {score}")


def yes_or_no(holds):
    return "yes" if holds else "no"


def main():
    client = redis.from_url(os.environ.get("LAUREL_REDIS_URL", "redis://127.0.0.1:7600"),
                            decode_responses=True)
    lb = GameLeaderboard(client, "seed:001")

    print("user2 sets 95 before user3")
    for player, score in [("user1", 89), ("user2", 95), ("user3", 95), ("user4", 90)]:
        lb.set_score(player, score)
    show(lb.top(10))

    print("user2 sends 95 again and keeps the place")
    lb.set_score("user2", 95)
    print(f"user2: {lb.rank_and_score('user2')[0]}, user3: {lb.rank_and_score('user3')[0]}")

    print(f"user4 adds 6: {lb.add_score('user4', 6)}")
    show(lb.top(3))
    print("user3 with one player on each side")
    show(lb.around("user3", 1))

    print("scores beyond 900719 and beyond 2^53")
    lb.set_score("user5", 900720)
    lb.set_score("user6", 2**63 - 1)
    lb.set_score("user7", 2**63 - 2)
    show(lb.top(3))
    try:
        lb.add_score("user6", 1)
    except redis.ResponseError as error:
        print(f"user6 adds 1: {str(error).split()[0]}")

    print(f"user6 is removed: {yes_or_no(lb.remove('user6'))}, "
          f"once more: {yes_or_no(lb.remove('user6'))}")
    print(f"user6: {lb.rank_and_score('user6') or 'absent'}")
    lb.delete()
    print(f"exists after delete: {yes_or_no(client.exists('seed:001'))}")


if __name__ == "__main__":
    main()
