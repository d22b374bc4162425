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
            client.ask("LB.CREATE", board, "POLICY", "sum", "DEDUP", load.DEDUP)
        self.assertEqual(client.ask("WAIT", 1, 30_000), 1)
        client.close()

    def bursts(self, primary, waits):
        """Writers on the first board without WAIT, or on the second with it."""
        made = [load.Burst(primary.port, self.BOARDS[waits], f"m{i}", batch=1 if waits else 16, waits=waits)
                for i in range(2)]
        for burst in made:
            self.addCleanup(burst.ends.set)
            burst.await_progress(10)
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
        tally = Tally("cluster, kill -9 of the primary")
        for _ in range(support.count(2, 20)):
            cluster.forbid_failovers()
            primary = cluster.owner(slot)
            self.create(primary)
            waited = self.bursts(primary, waits=True)
            cluster.allow_failovers()
            plain = self.bursts(primary, waits=False)
            for burst in plain:
                burst.await_progress(1000)
            primary.kill()
            promoted = cluster.await_owner_other_than(primary, slot)
            tally.add(self.lost(promoted, plain), self.lost(promoted, waited))
            self.assertEqual(tally.rounds[-1][1][1], 0)
            topologies.ask(promoted, "DEL", *self.BOARDS)
            primary.start()
            cluster.await_health()
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
            waited = self.bursts(primary, waits=True)
            plain = self.bursts(primary, waits=False)
            for burst in plain:
                burst.await_progress(1000)
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
        waited = self.bursts(primary, waits=True)
        plain = self.bursts(primary, waits=False)
        link.hold()
        for burst in plain:
            burst.await_progress(100)
        self.promote(primary, link, replica)
        # Writes of a batch that were executed before hold(), or come through after it, are not lost.
        self.assertGreaterEqual(self.lost(replica, plain)[1], 200 - 2 * 16 - 10)
        self.assertEqual(self.lost(replica, waited)[1], 0)

    def test_a_transaction_is_lost_or_kept_whole(self):
        for _ in range(support.count(3, 20)):
            primary, link, replica = self.behind_a_link(0.001)
            bursts = [load.TransactionBurst(primary.port, self.BOARDS, f"m{i}", batch=1 + 5 * i)
                      for i in range(2)]
            for burst in bursts:
                self.addCleanup(burst.ends.set)
                burst.await_progress(30)
            link.hold()
            bursts[0].await_progress(30)
            self.promote(primary, link, replica)
            client = support.Client(replica.port)
            kept = load.scores(client, self.BOARDS[0])
            self.assertEqual(load.scores(client, self.BOARDS[1]), kept)
            for burst in bursts:
                burst.stop()
                self.assertLessEqual(kept.get(burst.member, 0), burst.sent)
            self.assertLess(kept.get(bursts[0].member, 0), bursts[0].acknowledged)
            client.close()
            replica.kill()


if __name__ == "__main__":
    support.main()
