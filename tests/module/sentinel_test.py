#!/usr/bin/env python3
"""A primary, two replicas and three sentinels: failovers under load, as clients of sentinels see them."""

import load
import support
import topologies

REPLICAS = 2
SENTINELS = 3
QUORUM = 2
DOWN_AFTER_MS = 1500


class Sentinels(support.ModuleTest):
    def setUp(self):
        super().setUp()
        first = self.server()
        self.servers = [first] + [self.server(replicaof=f"{support.HOST} {first.port}")
                                  for _ in range(REPLICAS)]
        for server in self.servers[1:]:
            self.await_link(server)
        self.sentinels = []
        for _ in range(SENTINELS):
            self.sentinels.append(topologies.Sentinel(first, QUORUM, DOWN_AFTER_MS))
            self.processes.append(self.sentinels[-1])
        self.await_agreement()

    def server(self, **options):
        made = topologies.server_on_kept_port(**options)
        self.processes.append(made)
        return made

    def await_agreement(self):
        """All sentinels know the same primary, both replicas and each other; the replicas follow it."""
        def follows(server, primary_port):
            role = topologies.replication(server)
            if server.port == primary_port:
                return role["role"] == "master"
            return role["master_link_status"] == "up" and int(role["master_port"]) == primary_port

        def is_settled():
            try:
                ports = {sentinel.primary_port() for sentinel in self.sentinels}
                return (len(ports) == 1 and
                        all(sentinel.knows(REPLICAS, SENTINELS) for sentinel in self.sentinels) and
                        all(follows(server, *ports) for server in self.servers))
            except (OSError, support.Failure, KeyError):
                return False
        if not support.eventually(is_settled, topologies.LONG_LIMIT_S):
            self.fail("\n".join(process.output()[-3000:] for process in self.processes))

    def primary(self):
        port = self.sentinels[0].primary_port()
        return next(server for server in self.servers if server.port == port)

    def kill_and_bring_back(self, writer):
        """Kills the primary under load; the sentinels promote a replica; it returns as a replica."""
        writer.await_progress()
        killed = self.primary()
        killed.kill()
        promoted = support.eventually(
            lambda: all(sentinel.primary_port() not in (None, killed.port) for sentinel in self.sentinels),
            topologies.LONG_LIMIT_S)
        self.assertTrue(promoted, self.sentinels[0].output()[-5000:])
        writer.await_progress()
        # It starts as a primary without data, as its file says. The sentinels make it a replica.
        killed.start()
        self.await_agreement()

    def test_requests_that_are_sent_again_after_kills_count_once(self):
        client = self.primary().client()
        boards = load.Boards("a")
        boards.create(client)
        self.assertEqual(client.ask("WAIT", REPLICAS, 30_000), REPLICAS)
        writers = [load.Writer(topologies.SentinelClient(self.sentinels), boards, f"w{i}") for i in range(2)]
        follower = load.Follower(topologies.SentinelClient(self.sentinels), boards.sums)
        for worker in writers + [follower]:
            self.addCleanup(worker.ends.set)
        rounds = support.count(1, 20)
        for _ in range(rounds):
            self.kill_and_bring_back(writers[0])
        for writer in writers:
            writer.stop()
        client = self.primary().client()
        expected = [{}, {}]
        for writer in writers:
            for board, scores in zip(expected, writer.expected()):
                board.update(scores)
        present = load.scores(client, boards.sums)
        for member, score in present.items():
            self.assertLessEqual(score, expected[0][member], member)
        increments = sum(expected[0].values())
        lost = increments - sum(present.values())
        applied = sum(load.send_again(client, [words for words in writer.requests if words[0] == "LB.INCR"])
                      for writer in writers)
        # An increment and its id are lost together, or not at all.
        self.assertEqual(applied, lost)
        for writer in writers:
            load.send_again(client, writer.requests)
        self.assertEqual(load.scores(client, boards.sums), expected[0])
        self.assertEqual(load.scores(client, boards.sums, "PERIOD", "day"), expected[0])
        self.assertEqual(load.scores(client, boards.bests), expected[1])
        follower.stop()
        self.assertEqual(follower.scores(), expected[0])
        self.assertLessEqual(follower.gaps, rounds)
        self.assert_same_digests(self.primary(), [server for server in self.servers
                                                  if server is not self.primary()], boards.names)
        print(f"sentinels: {rounds} kills, {sum(len(writer.requests) for writer in writers)} requests, "
              f"{sum(writer.retries for writer in writers)} retries, "
              f"{sum(writer.applied_before for writer in writers)} of them applied before, "
              f"{lost} of {increments} acknowledged increments lost and sent again, {follower.gaps} gaps",
              flush=True)


if __name__ == "__main__":
    support.main()
