#!/usr/bin/env python3
"""Replicas apply effects and have the primary's state, through reconnects and failovers."""

import support


class Load:
    """Random writes of every kind."""

    def __init__(self, random, keys):
        self.random = random
        self.keys = keys
        self.ids = 0

    def create(self, client):
        options = [(), ("CAP", 20, "POLICY", "best"), ("PERIODS", 2, "hour", "all", "KEEP", 2),
                   ("FEED", 30), ("EXPIRE", "500s", "DEDUP", 10),
                   ("FIELDS", 2, "a:int:desc", "b:decimal2:asc", "TIE", "last")]
        for key, option in zip(self.keys, options):
            client.ask("LB.CREATE", key, *option)

    def write(self, client, missing="REUSED"):
        """A random write. `missing`: the code of an error that is right besides those of wrong words."""
        random = self.random
        place = random.randrange(len(self.keys))
        key = self.keys[place]
        values = (random.randrange(100), random.randrange(100)) if place == 5 else (random.randrange(100),)
        member = f"m{random.randrange(60)}"
        kind = random.randrange(20)
        words = ("LB.SUBMIT", key, member) + values
        if kind == 0:
            words = ("LB.REMOVE", key, member, f"m{random.randrange(60)}")
        elif kind == 1:
            words = ("LB.HIDE", key, member)
        elif kind == 2:
            words = ("LB.SHOW", key, member)
        elif kind == 3:
            words = ("LB.META", key, member, "x" * random.randrange(50))
        elif kind == 4:
            words = ("LB.POP", key, 2) + (("PERIOD", "all") if place == 2 else ())
        elif kind == 5 and random.randrange(5) == 0:
            words = ("LB.CLEAR", key)
        elif kind == 6 and place != 1:
            words = ("LB.INCR", key, member) + values
        elif kind < 10:
            self.ids += 1
            words += ("ID", f"id{self.ids - random.randrange(3)}")
        elif kind == 10:
            many = [f"m{random.randrange(60)}", *values, f"n{random.randrange(60)}", *values]
            words = ("LB.MSUBMIT", key, 2, *many)
        try:
            client.ask(*words)
        except support.Failure as failure:
            if not str(failure).startswith(("REUSED", "ERR", missing)):
                raise


KEYS = ["plain", "capped", "periods", "fed", "ends", "wide"]


class Replication(support.ModuleTest):
    def test_two_replicas_and_one_behind_them_are_equal(self):
        random = support.seeded_random("replication")
        primary = self.redis()
        client = primary.client()
        load = Load(random, KEYS)
        load.create(client)
        for _ in range(200):
            load.write(client)
        replicas = [self.replica(primary) for _ in range(2)]
        replicas.append(self.replica(replicas[0], appendonly="yes", appendfsync="always"))
        for _ in range(20):
            for _ in range(100):
                load.write(client)
            self.assert_same_digests(primary, replicas[:2], KEYS)
        self.assert_same_digests(primary, replicas, KEYS)
        for key in KEYS:
            self.assertEqual(client.raw("LB.TOP", key, 50), replicas[2].client().raw("LB.TOP", key, 50))
        # The AOF of a replica holds what it applied.
        wanted = client.ask("DEBUG", "DIGEST-VALUE", *KEYS)
        replicas[2].client().ask("REPLICAOF", "NO", "ONE")
        replicas[2].restart()
        replicas[2].client().ask("REPLICAOF", "NO", "ONE")
        self.assertEqual(replicas[2].client().ask("DEBUG", "DIGEST-VALUE", *KEYS), wanted)

    def test_ranges_that_are_removed_at_once_are_removed_on_replicas(self):
        primary = self.redis()
        replica = self.replica(primary)
        client = primary.client()
        ties = ("first", "last", "member")
        for tie in ties:
            client.ask("LB.CREATE", tie, "TIE", tie)
            client.tell(("LB.SUBMIT", tie, f"m{i}", i % 7) for i in range(5000))
            client.ask("LB.POP", tie, 1500)
            client.ask("LB.TRIM", tie, 2000)
            client.ask("LB.ALTER", tie, "CAP", 10)
            self.assertEqual(client.ask("LB.SIZE", tie), 10)
        self.assert_same_digests(primary, [replica], ties)

    def test_key_commands_give_replicas_the_same_boards(self):
        random = support.seeded_random("keys")
        primary = self.redis(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no")
        other = self.redis()
        client = primary.client()
        load = Load(random, KEYS)
        load.create(client)
        replica = self.replica(primary)
        payload = lambda key: client.bytes("DUMP", key)
        for step in ((("RENAME", "plain", "x"),), (("COPY", "fed", "copy"),), (("MOVE", "capped", 1),),
                     (("SWAPDB", 0, 1), ("SWAPDB", 0, 2), ("SWAPDB", 1, 0)), (("RENAME", "x", "plain"),),
                     (("MIGRATE", support.HOST, other.port, "wide", 0, 30000),),
                     (("RESTORE", "periods", 0, payload("periods"), "REPLACE"),), (("DEBUG", "RELOAD"),),
                     (("EXPIRE", "ends", 1000),), (("PERSIST", "ends"),), (("UNLINK", "fed"),)):
            for _ in range(50):
                load.write(client, missing="NOBOARD")
            for words in step:
                client.ask(*words)
            for _ in range(50):
                load.write(client, missing="NOBOARD")
            for database in range(3):
                selected = [primary.client(), replica.client()]
                self.assertEqual(client.ask("WAIT", 1, 30000), 1)
                for one in selected:
                    one.ask("SELECT", database)
                keys = [sorted(one.ask("KEYS", "*")) for one in selected]
                self.assertEqual(*keys, step)
                if keys[0]:
                    digests = [one.ask("DEBUG", "DIGEST-VALUE", *keys[0]) for one in selected]
                    self.assertEqual(*digests, step)
        self.assertEqual(other.client().ask("EXISTS", "wide"), 1)
        before = client.ask("DEBUG", "DIGEST")
        client.ask("DEBUG", "LOADAOF")
        self.assertEqual(client.ask("DEBUG", "DIGEST"), before)
        self.assertEqual(support.info(replica.client())["refused_applies"], 0)

    def test_a_promoted_replica_goes_on_with_stamps_ids_and_events(self):
        primary = self.redis()
        client = primary.client()
        client.ask("LB.CREATE", "lb", "FEED", 100)
        client.ask("LB.SUBMIT", "lb", "ann", 5, "ID", "one")
        # An hour behind the primary.
        replica = self.replica(primary, "clock-offset", -3600 * 1000)
        self.assert_same_digests(primary, [replica], ["lb"])
        place = support.flat(client.ask("LB.CHANGES", "lb", "0"))["next"]
        stamp = support.flat(client.ask("LB.GET", "lb", "ann"))["stamp"]
        primary.kill()
        client = replica.client()
        client.ask("REPLICAOF", "NO", "ONE")
        self.assertIn("duplicate", client.ask("LB.SUBMIT", "lb", "ann", 5, "ID", "one")[::2])
        after = support.flat(client.ask("LB.SUBMIT", "lb", "bob", 5))
        self.assertEqual((after["rank"], after["stamp"] > stamp), (2, True))
        page = support.flat(client.ask("LB.CHANGES", "lb", place))
        self.assertEqual([support.flat(event)["member"] for event in page["events"]], ["bob"])
        self.assertNotIn("gap", page)

    def test_events_that_a_failover_lost_are_a_gap(self):
        primary = self.redis()
        client = primary.client()
        client.ask("LB.CREATE", "lb", "FEED", 100)
        replica = self.replica(primary)
        self.assert_same_digests(primary, [replica], ["lb"])
        replica.client().ask("REPLICAOF", "NO", "ONE")
        client.ask("LB.SUBMIT", "lb", "lost", 5)
        place = support.flat(client.ask("LB.CHANGES", "lb", "0"))["next"]
        other = replica.client()
        for member in ("a", "b"):
            other.ask("LB.SUBMIT", "lb", member, 1)
        page = support.flat(other.ask("LB.CHANGES", "lb", place))
        self.assertEqual((page["events"], page["gap"]), ([], 1))

    def test_retries_with_ids_over_failovers_count_once(self):
        servers = [self.redis()]
        servers[0].client().ask("LB.CREATE", "votes", "POLICY", "sum")
        sent = 0
        for _ in range(3):
            primary = servers[-1]
            replica = self.replica(primary)
            client = primary.client()
            for _ in range(300):
                client.ask("LB.INCR", "votes", "ann", 1, "ID", f"vote{sent}")
                sent += 1
            primary.kill()  # with what it has not sent yet
            client = replica.client()
            client.ask("REPLICAOF", "NO", "ONE")
            entry = client.ask("LB.GET", "votes", "ann")
            self.assertLessEqual(int(support.flat(entry)["score"][0]) if entry else 0, sent)
            for i in range(sent):
                client.ask("LB.INCR", "votes", "ann", 1, "ID", f"vote{i}")
            self.assertEqual(support.flat(client.ask("LB.GET", "votes", "ann"))["score"], [str(sent)])
            servers.append(replica)

    def test_failover_command_hands_over_while_the_sweep_has_work(self):
        primary = self.redis("tick", 1)
        client = primary.client()
        replica = self.replica(primary, "tick", 1)
        for i in range(20):
            client.ask("LB.CREATE", f"lb{i}", "PERIODS", 1, "hour", "FEED", 10)
            client.ask("LB.SUBMIT", f"lb{i}", "ann", 1)
        client.ask("CONFIG", "SET", "laurel.clock-offset", 7200 * 1000)
        client.ask("FAILOVER", "TO", support.HOST, replica.port)
        done = support.eventually(lambda: "role:master" in replica.client().ask("INFO", "replication"))
        self.assertTrue(done)
        self.await_link(primary)
        self.assert_same_digests(replica, [primary], [f"lb{i}" for i in range(20)])

    def test_reads_on_a_replica_whose_clock_is_behind_follow_the_boards_turns(self):
        primary = self.redis("clock", 1_800_000_000_000_000)
        client = primary.client()
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "day")
        replica = self.replica(primary, "clock", 1_800_000_000_000_000)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        client.ask("CONFIG", "SET", "laurel.clock", 1_800_086_400_000_000)
        client.ask("LB.SUBMIT", "lb", "bob", 1)
        self.assert_same_digests(primary, [replica], ["lb"])
        self.assertEqual(replica.client().raw("LB.TOP", "lb", 5), client.raw("LB.TOP", "lb", 5))

    def test_a_replica_does_not_sweep(self):
        primary = self.redis("clock", 1_800_000_000_000_000, "tick", 1)
        client = primary.client()
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        replica = self.replica(primary, "clock", 1_900_000_000_000_000, "tick", 1)
        reader = replica.client()
        self.assert_same_digests(primary, [replica], ["lb"])
        client.ask("CONFIG", "SET", "laurel.clock", 1_800_100_000_000_000)
        swept = support.eventually(lambda: "closed" in str(client.ask("LB.CHANGES", "lb", "0")))
        self.assertTrue(swept)
        self.assert_same_digests(primary, [replica], ["lb"])
        self.assertEqual(reader.raw("LB.CHANGES", "lb", "0"), client.raw("LB.CHANGES", "lb", "0"))

    def test_a_replica_does_not_collect_boards_that_are_gone(self):
        primary = self.redis("tick", 1)
        client = primary.client()
        replica = self.replica(primary, "tick", 1)
        reader = replica.client()
        client.ask("LB.CREATE", "stays")
        client.ask("LB.SUBMIT", "stays", "ann", 1, "ID", "x")
        for i in range(2000):
            client.ask("LB.CREATE", f"goes{i}", "EXPIRE", "1h")
            client.ask("LB.SUBMIT", f"goes{i}", "ann", 1, "ID", "x")
            client.ask("LB.DROP", f"goes{i}")
        self.assert_same_digests(primary, [replica], ["stays"])
        few = support.eventually(lambda: support.info(reader)["sweep_due"] < 1100)
        self.assertTrue(few, support.info(reader))
        # What is left is known when the replica becomes the primary: an id older than a day goes.
        reader.ask("REPLICAOF", "NO", "ONE")
        reader.ask("CONFIG", "SET", "laurel.clock-offset", 25 * 3600 * 1000)
        self.assertTrue(support.eventually(lambda: support.info(reader)["request_ids"] == 0))

    def test_a_replica_in_a_cluster_does_not_sweep_before_it_has_found_its_primary(self):
        noon, options = 1_800_000_000_000_000, {"cluster_enabled": "yes", "repl_backlog_size": "10mb"}
        primary, replica = (self.redis("clock", noon, "tick", 1, cluster_port=support.free_port(), **options)
                            for _ in range(2))
        client, reader = primary.client(), replica.client()
        client.ask("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        reader.ask("CLUSTER", "MEET", support.HOST, primary.port, primary.options["cluster-port"])
        known = client.ask("CLUSTER", "MYID")
        self.assertTrue(support.eventually(lambda: known in reader.ask("CLUSTER", "NODES")))
        reader.ask("CLUSTER", "REPLICATE", known)
        self.await_link(replica)
        self.assertTrue(support.eventually(lambda: "cluster_state:ok" in client.ask("CLUSTER", "INFO")))
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 100)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assert_same_digests(primary, [replica], ["lb"])
        # It saves its place in the stream. When it comes back, time has passed, and it loads for longer than
        # a tick, so that the sweep's timer is the first to run.
        with self.assertRaises(ConnectionError):
            reader.ask("SHUTDOWN", "SAVE")
        replica.arguments = ["clock", noon + 36_000_000_000, "tick", 1]
        replica.options["key-load-delay"] = 300_000
        replica.restart()
        self.await_link(replica)
        self.assertIn("sync_partial_ok:1", client.ask("INFO", "stats"))
        self.assert_same_digests(primary, [replica], ["lb"])
        client.ask("CONFIG", "SET", "laurel.clock", noon + 36_000_000_000)
        closed = support.eventually(lambda: "closed" in str(client.ask("LB.CHANGES", "lb", "0")))
        self.assertTrue(closed)
        self.assert_same_digests(primary, [replica], ["lb"])


if __name__ == "__main__":
    support.main()
