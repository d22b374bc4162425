#!/usr/bin/env python3
"""kill -9 of a lone server under load: with AOF always every acknowledged write is there, and its id."""

import load
import support


class Kills(support.ModuleTest):
    def test_aof_always_keeps_every_acknowledged_write(self):
        server = self.redis(appendonly="yes", appendfsync="always", auto_aof_rewrite_min_size="100kb")
        client = server.client()
        board = "votes"
        client.ask("LB.CREATE", board, "POLICY", "sum", "PERIODS", 2, "all", "day", "FEED", 1000,
                   "DEDUP", load.DEDUP)
        rounds = support.count(5, 50)
        writers = 3
        before = [0] * writers  # requests of the rounds before
        total = unacknowledged = 0
        for _ in range(rounds):
            bursts = [load.Burst(server.port, board, f"m{i}", first=before[i], batch=1 + 7 * i)
                      for i in range(writers)]
            for burst in bursts:
                self.addCleanup(burst.ends.set)
                burst.await_progress(100)
            server.restart()
            client = server.client()
            for i, burst in enumerate(bursts):
                burst.stop()
                present = load.scores(client, board)[burst.member]
                self.assertGreaterEqual(present, before[i] + burst.acknowledged)
                self.assertLessEqual(present, before[i] + burst.sent)
                # The ids of those that are there are known; the others count now.
                applied = load.send_again(client, burst.requests())
                self.assertEqual(applied, before[i] + burst.sent - present)
                unacknowledged += burst.sent - burst.acknowledged
                before[i] += burst.sent
            expected = {f"m{i}": before[i] for i in range(writers)}
            self.assertEqual(load.scores(client, board), expected)
            self.assertEqual(load.scores(client, board, "PERIOD", "day"), expected)
            total = sum(before)
        self.assertEqual(support.info(client)["refused_applies"], 0)
        print(f"AOF always: {rounds} kills, {total - unacknowledged} acknowledged writes, 0 lost; "
              f"{unacknowledged} were on their way", flush=True)


if __name__ == "__main__":
    support.main()
