#!/usr/bin/env python3
"""What a failover loses without WAIT, measured, and that it loses nothing after WAIT has answered 1."""

import load
import support
import topologies


class Tally:
    """Acknowledged and lost writes, over several failovers."""

    def __init__(self, title):
        self.title = title
        self.rounds = []

    def add(self, plain, waited):
        """(acknowledged, lost, per second) of writes without WAIT, and of writes with it."""
        self.rounds.append((plain, waited))
        print(f"{self.title}, failover {len(self.rounds)}: {self.text(plain, waited)}", flush=True)

    def show(self):
        plain, waited = [[sum(column) for column in zip(*rounds)] for rounds in zip(*self.rounds)]
        count = len(self.rounds)
        for totals in (plain, waited):
            totals[2] /= count
        print(f"{self.title}, {count} failovers: {self.text(plain, waited)}; "
              f"{sum(plain[1] > 0 for plain, _ in self.rounds)} failovers lost writes, "
              f"the worst {max(plain[1] for plain, _ in self.rounds)}", flush=True)

    @staticmethod
    def text(plain, waited):
        return ", ".join(f"{lost} of {acknowledged} acknowledged writes lost {how} ({rate:.0f}/s)"
                         for (acknowledged, lost, rate), how in ((plain, "without WAIT"),
                                                                 (waited, "with WAIT")))


class Loss(support.ModuleTest):
    BOARDS = ("{b}plain", "{b}waited")

    def create(self, primary):
        client = support.Client(primary.port)
        for board in self.BOARDS:
            client.ask("LB.CREATE", board, "POLICY", "sum")
        self.assertEqual(client.ask("WAIT", 1, 30_000), 1)
        client.close()

    def bursts(self, primary):
        """Writers without WAIT, and with it."""
        made = [[load.Burst(primary.port, self.BOARDS[0], f"m{i}", batch=16) for i in range(2)],
                [load.Burst(primary.port, self.BOARDS[1], f"m{i}", waits=True) for i in range(2)]]
        for burst in made[0] + made[1]:
            self.addCleanup(burst.ends.set)
        return made

    def lost(self, promoted, bursts):
        """(acknowledged, lost, per second). A replica has the writes of a connection up to some point."""
        client = support.Client(promoted.port)
        acknowledged = lost = rate = 0
        for burst in bursts:
            burst.stop()
            present = load.scores(client, burst.board).get(burst.member, 0)
            self.assertLessEqual(present, burst.sent)
            acknowledged += burst.acknowledged
            lost += max(burst.acknowledged - present, 0)
            rate += burst.rate()
        # Whatever was lost: each write counts once when it is sent again.
        for burst in bursts:
            load.send_again(client, burst.requests())
            self.assertEqual(load.scores(client, burst.board)[burst.member], burst.sent)
        client.close()
        return acknowledged, lost, rate

    def test_failovers_of_a_cluster_after_kills(self):
        cluster = topologies.Cluster()
        self.addCleanup(cluster.remove)
        slot = topologies.slot_of(self.BOARDS[0])
        cluster.allow_failovers()
        tally = Tally("cluster, kill -9 of the primary")
        for _ in range(support.count(2, 20)):
            primary = cluster.owner(slot)
            self.create(primary)
            plain, waited = self.bursts(primary)
            for burst in plain + waited:
                burst.await_progress(100)
            primary.kill()
            promoted = cluster.await_owner_other_than(primary, slot)
            tally.add(self.lost(promoted, plain), self.lost(promoted, waited))
            self.assertEqual(tally.rounds[-1][1][1], 0)
            topologies.ask(promoted, "DEL", *self.BOARDS)
            primary.start()
            cluster.await_health()
            cluster.allow_failovers()
        tally.show()

    def behind_a_link(self, delay_s):
        """A primary, and a replica behind a link with latency."""
        primary = self.redis()
        link = topologies.Link(primary.port, delay_s)
        self.addCleanup(link.cut)
        replica = self.redis(replicaof=f"{support.HOST} {link.port}")
        self.await_link(replica)
        self.create(primary)
        return primary, link, replica

    def promote(self, primary, link, replica):
        """The primary and what is on its way are lost together, as with a machine."""
        primary.process.kill()
        link.cut()
        primary.kill()
        topologies.ask(replica, "REPLICAOF", "NO", "ONE")

    def lose_machines(self, delay_ms):
        tally = Tally(f"primary lost with its link of {delay_ms} ms")
        for _ in range(support.count(1, 20)):
            primary, link, replica = self.behind_a_link(delay_ms / 1000)
            plain, waited = self.bursts(primary)
            for burst in plain:
                burst.await_progress(500)
            for burst in waited:
                burst.await_progress(5)
            self.promote(primary, link, replica)
            tally.add(self.lost(replica, plain), self.lost(replica, waited))
            self.assertEqual(tally.rounds[-1][1][1], 0)
            replica.kill()
        tally.show()

    def test_a_lost_primary_whose_replica_is_1_ms_away(self):
        self.lose_machines(1)

    def test_a_lost_primary_whose_replica_is_20_ms_away(self):
        self.lose_machines(20)

    def test_what_a_replica_has_not_got_is_lost_unless_wait_has_answered(self):
        primary, link, replica = self.behind_a_link(0.001)
        plain, waited = self.bursts(primary)
        for burst in plain + waited:
            burst.await_progress(5)
        link.hold()
        for burst in plain:
            burst.await_progress(100)
        self.promote(primary, link, replica)
        self.assertGreaterEqual(self.lost(replica, plain)[1], 200 - 2 * 16)
        self.assertEqual(self.lost(replica, waited)[1], 0)


if __name__ == "__main__":
    support.main()
