#!/usr/bin/env python3
"""What time does to boards: expiry, closing, KEEP, old request ids, the sweep."""

import os
import shutil

import support

NOON = 1_800_000_000_000_000  # 2027-01-15T08:00:00Z, in µs
HOUR = 3_600_000_000


class Time(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis("clock", NOON, "tick", 1)
        self.client = self.server.client()

    def pass_time(self, micros):
        now = int(self.client.ask("CONFIG", "GET", "laurel.clock")[1]) + micros
        self.client.ask("CONFIG", "SET", "laurel.clock", now)

    def await_sweep(self):
        self.assertTrue(support.eventually(lambda: support.info(self.client)["sweep_due"] == 0))

    def test_stamps_never_repeat_or_go_back(self):
        self.client.ask("LB.CREATE", "lb")
        stamps = [support.flat(self.client.ask("LB.SUBMIT", "lb", f"m{i}", 1))["stamp"]
                  for i in range(5)]
        self.pass_time(-HOUR)
        stamps.append(support.flat(self.client.ask("LB.SUBMIT", "lb", "late", 1))["stamp"])
        self.assertEqual(stamps, sorted(set(stamps)))
        self.assertEqual(stamps[0], NOON)

    def test_a_window_closes(self):
        self.client.ask("LB.CREATE", "lb", "END", f"{NOON + HOUR}us", "GRACE", "60s")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.pass_time(HOUR)
        self.assertTrue(self.client.error("LB.SUBMIT", "lb", "ann", 2).startswith("CLOSED"))
        self.client.ask("LB.SUBMIT", "lb", "ann", 2, "AT", f"{NOON + HOUR - 1}us")
        self.assertEqual(self.client.ask("LB.REMOVE", "lb", "ann"), 1)

    def test_the_sweep_closes_and_drops_instances(self):
        self.client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "KEEP", 1, "FEED", 100)
        for i in range(4):
            self.client.ask("LB.SUBMIT", "lb", f"m{i}", i)
            self.pass_time(HOUR)
        self.await_sweep()
        causes = [support.flat(event)["cause"]
                  for event in support.flat(self.client.ask("LB.CHANGES", "lb", "0"))["events"]]
        self.assertEqual(causes.count("closed"), 4)
        shown = [support.flat(line) for line in self.client.ask("LB.PERIODS", "lb")]
        self.assertEqual([line["present"] for line in shown], [1, 0])
        self.assertIsNotNone(shown[1]["closed"])
        self.assertEqual(support.info(self.client)["entries"], 1)

    def test_old_request_ids_are_forgotten(self):
        self.client.ask("LB.CREATE", "lb")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1, "ID", "x")
        self.assertEqual(support.info(self.client)["request_ids"], 1)
        self.pass_time(25 * HOUR)
        self.await_sweep()
        self.assertEqual(support.info(self.client)["request_ids"], 0)

    def test_the_slow_scan_finds_a_copy_in_another_database(self):
        self.client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.client.ask("COPY", "lb", "lb", "DB", 1)
        self.client.ask("SELECT", 1)
        self.pass_time(10 * HOUR)
        closed = support.eventually(lambda: "closed" in str(self.client.ask("LB.CHANGES", "lb", "0")))
        self.assertTrue(closed)

    def test_the_boards_own_expire_ends_the_key(self):
        self.client.ask("LB.CREATE", "lb", "EXPIRE", "1h")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.pass_time(HOUR - 1)
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), 1)
        self.client.ask("LB.SUBMIT", "lb", "bob", 1)
        self.pass_time(HOUR - 1)
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), 2)
        self.pass_time(1)
        self.assertTrue(self.client.error("LB.SIZE", "lb").startswith("NOBOARD"))
        gone = support.eventually(lambda: self.client.ask("EXISTS", "lb") == 0)
        self.assertTrue(gone)

    def test_a_user_keeps_a_board_until_the_next_write(self):
        self.client.ask("LB.CREATE", "lb", "EXPIRE", "1h")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertEqual(self.client.ask("PERSIST", "lb"), 1)
        self.pass_time(2 * HOUR)
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), 1)
        self.client.ask("LB.SUBMIT", "lb", "ann", 2)
        self.assertGreater(self.client.ask("TTL", "lb"), 0)


class BoardsThatMove(support.ModuleTest):
    """The sweep follows a board to its new name. The slow scan over the other keys takes longer than a test waits."""

    OTHER_KEYS = 100_000

    def setUp(self):
        super().setUp()
        self.server = self.redis("clock", NOON)
        self.client = self.server.client()
        self.client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)

    def assert_closed_in_time(self, board, server=None):
        client = (server or self.server).client()
        client.ask("DEBUG", "POPULATE", self.OTHER_KEYS)
        client.ask("CONFIG", "SET", "laurel.clock", NOON + 10 * HOUR)
        closed = support.eventually(lambda: "closed" in str(client.ask("LB.CHANGES", board, "0")))
        self.assertTrue(closed)

    def test_rename(self):
        self.client.ask("RENAME", "lb", "other")
        self.assert_closed_in_time("other")

    def test_rename_of_a_rename(self):
        self.client.ask("RENAME", "lb", "other")
        self.client.ask("RENAME", "other", "third")
        self.assert_closed_in_time("third")

    def test_copy(self):
        self.client.ask("COPY", "lb", "other")
        self.assert_closed_in_time("other")

    def test_move(self):
        self.client.ask("MOVE", "lb", 1)
        self.client.ask("SELECT", 1)
        self.client.ask("MOVE", "lb", 0)
        self.assert_closed_in_time("lb")

    def test_swapdb(self):
        for first, second in ((0, 1), (1, 2), (2, 1), (0, 1)):
            self.client.ask("SWAPDB", first, second)
        self.assert_closed_in_time("lb")

    def test_restore(self):
        data = self.client.bytes("DUMP", "lb")
        self.client.ask("RESTORE", "other", 0, data)
        self.assert_closed_in_time("other")

    def test_a_rename_on_a_replica_that_is_promoted(self):
        replica = self.replica(self.server, "clock", NOON)
        self.client.ask("RENAME", "lb", "other")
        self.assert_same_digests(self.server, [replica], ["other"])
        replica.client().ask("REPLICAOF", "NO", "ONE")
        self.assert_closed_in_time("other", replica)

    def test_a_load_that_a_restart_reads_from_aof(self):
        server = self.redis("clock", NOON, appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no")
        self.load(server)
        server.restart()
        self.assert_closed_in_time("lb", server)

    def test_a_load_on_a_replica_that_is_promoted(self):
        server = self.redis("clock", NOON)
        replica = self.replica(server, "clock", NOON)
        self.load(server)
        self.assert_same_digests(server, [replica], ["lb"])
        replica.client().ask("REPLICAOF", "NO", "ONE")
        self.assert_closed_in_time("lb", replica)

    def load(self, server):
        client = server.client()
        client.ask("LB.LOAD", "lb", "BEGIN", "load", "PERIODS", 2, "hour", "all")
        client.ask("LB.LOAD", "lb", "COMMIT", "load")
        client.ask("LB.ALTER", "lb", "FEED", 10)
        client.ask("LB.SUBMIT", "lb", "ann", 1)


class ClocksThatDiffer(support.ModuleTest):
    """A replica whose clock is an hour off has the same state, and is promoted."""

    BOARDS = {"plain": (), "window": ("START", f"{NOON - HOUR}us", "END", f"{NOON + HOUR // 2}us"),
              "hours": ("PERIODS", 2, "hour", "all", "KEEP", 1, "FEED", 50)}

    def pair(self, hours):
        self.primary = self.redis("clock", NOON, "tick", 1)
        client = self.primary.client()
        for key, options in self.BOARDS.items():
            client.ask("LB.CREATE", key, *options)
        replica = self.replica(self.primary, "clock", NOON + hours * HOUR, "tick", 1)
        for key in self.BOARDS:
            client.ask("LB.SUBMIT", key, "ann", 5, "ID", "one")
        self.assert_same_digests(self.primary, [replica], self.BOARDS)
        return client, replica

    def promote(self, replica):
        client = replica.client()
        client.ask("REPLICAOF", "NO", "ONE")
        for key in self.BOARDS:
            if key == "window" and "CLOSED" in str(client.raw("LB.SUBMIT", key, "bob", 5)):
                continue
            self.assertIn("duplicate", client.ask("LB.SUBMIT", key, "ann", 5, "ID", "one")[::2], key)
        after = support.flat(client.ask("LB.SUBMIT", "plain", "bob", 5))
        self.assertEqual((after["rank"], after["stamp"] > NOON), (2, True))
        return client

    def check_back(self, replica):
        """The old primary follows the new one."""
        self.primary.client().ask("REPLICAOF", support.HOST, replica.port)
        self.await_link(self.primary)
        self.assert_same_digests(replica, [self.primary], self.BOARDS)

    def members(self, client, *words):
        return [support.flat(entry)["member"] for entry in client.ask("LB.TOP", "hours", 5, *words)]

    def test_a_replica_an_hour_ahead(self):
        client, replica = self.pair(1)
        reader = replica.client()
        self.assertEqual((self.members(client), self.members(reader)), (["ann"], []))
        self.assertEqual(self.members(reader, "PERIOD", "hour:-1"), ["ann"])
        self.assertEqual(reader.ask("LB.SIZE", "window"), 1)
        self.assert_same_digests(self.primary, [replica], self.BOARDS)
        client = self.promote(replica)
        self.assertTrue(client.error("LB.SUBMIT", "window", "bob", 7).startswith("CLOSED"))
        client.ask("LB.SUBMIT", "hours", "bob", 7)
        self.assertEqual((self.members(client), self.members(client, "PERIOD", "hour:-1")),
                         (["bob"], ["ann"]))
        closed = support.eventually(lambda: "closed" in str(client.ask("LB.CHANGES", "hours", "0")))
        self.assertTrue(closed)
        self.check_back(replica)
        # The clock of the old primary is behind: its readers see the board's last turn.
        self.assertEqual(self.members(self.primary.client()), ["bob"])

    def test_a_replica_an_hour_behind(self):
        client, replica = self.pair(-1)
        reader = replica.client()
        self.assertEqual((self.members(client), self.members(reader)), (["ann"], ["ann"]))
        client = self.promote(replica)
        self.assertEqual(support.flat(client.ask("LB.SUBMIT", "window", "bob", 7))["status"], "accepted")
        client.ask("LB.SUBMIT", "hours", "bob", 7)  # not into the hour before
        self.assertEqual(self.members(client), ["bob", "ann"])
        self.assertEqual(self.members(client, "PERIOD", "hour:-1"), [])
        self.assertNotIn("closed", str(client.ask("LB.CHANGES", "hours", "0")))
        self.check_back(replica)

    def test_turns_without_a_write_are_not_taken_back(self):
        """A promoted replica three hours behind is in no earlier hour than the primary was."""
        self.primary = self.redis("clock", NOON, "tick", 1)
        client = self.primary.client()
        for key in ("idle", "empty"):
            client.ask("LB.CREATE", key, "PERIODS", 2, "hour", "day", "KEEP", 9)
        replica = self.replica(self.primary, "clock", NOON, "tick", 1)
        client.ask("LB.SUBMIT", "idle", "ann", 5)
        client.ask("CONFIG", "SET", "laurel.clock", NOON + 3 * HOUR)
        self.assertTrue(support.eventually(lambda: support.info(client)["sweep_due"] == 0))
        self.assert_same_digests(self.primary, [replica], ["idle", "empty"])
        promoted = replica.client()
        promoted.ask("REPLICAOF", "NO", "ONE")
        for key in ("idle", "empty"):
            self.assertEqual(promoted.ask("LB.SIZE", key, "PERIOD", "hour:2027-01-15T11+0000"), 0)
            promoted.ask("LB.SUBMIT", key, "bob", 7)
            self.assertEqual(promoted.ask("LB.SIZE", key, "PERIOD", "hour:2027-01-15T11+0000"), 1)
            self.assertEqual(promoted.raw("LB.TOP", key, 5, "PERIOD", "hour"),
                             promoted.raw("LB.TOP", key, 5, "PERIOD", "hour:2027-01-15T11+0000"))

    def check_expiry(self, offset_ms):
        primary = self.redis()
        client = primary.client()
        replica = self.replica(primary, "clock-offset", offset_ms)
        client.ask("LB.CREATE", "lb", "EXPIRE", "3h")
        client.ask("LB.SUBMIT", "lb", "ann", 5)
        self.assert_same_digests(primary, [replica], ["lb"])
        reader = replica.client()
        self.assertEqual(reader.ask("PEXPIRETIME", "lb"), client.ask("PEXPIRETIME", "lb"))
        self.assertEqual(reader.ask("LB.SIZE", "lb"), 1)
        reader.ask("REPLICAOF", "NO", "ONE")
        reader.ask("LB.SUBMIT", "lb", "bob", 5)
        # Three hours from now, on whatever clock.
        self.assertTrue(10_000 < reader.ask("TTL", "lb") <= 10_800, reader.ask("TTL", "lb"))
        client.ask("REPLICAOF", support.HOST, replica.port)
        self.await_link(primary)
        self.assert_same_digests(replica, [primary], ["lb"])
        self.assertEqual(reader.ask("PEXPIRETIME", "lb"), client.ask("PEXPIRETIME", "lb"))

    def test_expire_with_a_replica_an_hour_ahead(self):
        self.check_expiry(3_600_000)

    def test_expire_with_a_replica_an_hour_behind(self):
        self.check_expiry(-3_600_000)


class OlderZones(support.ModuleTest):
    """A server whose tzdata lacks the zone of a board, or has other rules for it."""

    ZONES = "/usr/share/zoneinfo"
    REFUSED = "ERR the time zone 'Asia/Tokyo' is not known here: update tzdata and restart the server"

    def zone_folder(self, files):
        """A folder of zone files: name in it, name in the system's."""
        self.primary = self.redis("clock", NOON, "tick", 1)
        self.client = self.primary.client()
        folder = os.path.join(self.primary.folder, "zoneinfo")
        for name, source in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy(os.path.join(self.ZONES, source), os.path.join(folder, name))
        return folder

    def create(self, key):
        self.client.ask("LB.CREATE", key, "PERIODS", 2, "day", "all", "TZ", "Asia/Tokyo", "KEEP", 2, "FEED", 9)
        self.client.ask("LB.SUBMIT", key, "ann", 5, "ID", "one")

    def next_day(self, days):
        self.client.ask("CONFIG", "SET", "laurel.clock", NOON + 24 * days * HOUR)

    def test_a_replica_that_lacks_the_zone(self):
        folder = self.zone_folder({"UTC": "UTC"})
        self.create("before")
        replica = self.replica(self.primary, "clock", NOON, "tick", 1, environment={"TZDIR": folder})
        reader = replica.client()
        warned = lambda: replica.output().count("does not know the time zone 'Asia/Tokyo'")
        self.assertEqual(warned(), 1)
        self.create("after")
        keys = ["before", "after"]
        self.assert_same_digests(self.primary, [replica], keys)
        self.assertEqual(warned(), 2)
        for words in (("LB.TOP", 5), ("LB.GET", "ann"), ("LB.TOP", 5, "PERIOD", "day"),
                      ("LB.TOP", 5, "PERIOD", "all"), ("LB.TOP", 5, "PERIOD", "day:2027-01-15"),
                      ("LB.RANKOF", 3), ("LB.SIZE",), ("LB.PERIODS",), ("LB.PERCENTILE", "ann")):
            for key in keys:
                self.assertEqual(reader.raw(words[0], key, *words[1:]),
                                 self.client.raw(words[0], key, *words[1:]), words)
        self.assertIn("time zone 'Asia/Tokyo'", reader.error("LB.CHANGES", "before", "0"))
        # The primary turns, closes and drops; the replica has no part in it.
        for day in range(1, 5):
            self.next_day(day)
            for key in keys:
                self.client.ask("LB.SUBMIT", key, f"m{day}", day, "ID", f"id{day}")
        self.assertTrue(support.eventually(lambda: support.info(self.client)["sweep_due"] == 0))
        self.assert_same_digests(self.primary, [replica], keys)
        self.check_promoted(replica, keys)

    def check_promoted(self, replica, keys):
        reader = replica.client()
        wanted = reader.ask("DEBUG", "DIGEST-VALUE", *keys)
        reader.ask("REPLICAOF", "NO", "ONE")
        self.assertEqual(reader.error("LB.SUBMIT", "after", "bob", 5), self.REFUSED)
        self.assertEqual(reader.error("LB.MSUBMIT", "after", 1, "bob", 5), self.REFUSED)
        self.assertIn("time zone 'Asia/Tokyo'", reader.error("LB.ALTER", "after", "CAP", 5))
        self.assertIn("time zone 'Asia/Tokyo'",
                      reader.error("LB.CREATE", "new", "PERIODS", 1, "day", "TZ", "Asia/Tokyo"))
        reader.ask("DEBUG", "RELOAD")
        self.assertEqual(reader.ask("DEBUG", "DIGEST-VALUE", *keys), wanted)
        self.assertEqual(reader.ask("LB.REMOVE", "after", "ann"), 1)
        # Days pass, and the sweep forgets old ids. It neither closes nor drops instances.
        kept = [line[1] for line in reader.ask("LB.PERIODS", "after")]
        reader.ask("CONFIG", "SET", "laurel.clock", NOON + 240 * HOUR)
        forgotten = support.eventually(lambda: support.info(reader)["request_ids"] == 0)
        self.assertTrue(forgotten, support.info(reader))
        self.assertEqual([line[1] for line in reader.ask("LB.PERIODS", "after")], kept)
        self.assertEqual(reader.ask("LB.TOP", "after", 5), [])
        # With the zone, the same file goes on.
        entries = reader.raw("LB.TOP", "after", 9, "PERIOD", "all")
        reader.ask("SAVE")
        replica.environment = {}
        del replica.options["replicaof"]
        replica.restart()
        reader = replica.client()
        self.assertEqual(reader.raw("LB.TOP", "after", 9, "PERIOD", "all"), entries)
        self.assertEqual(support.flat(reader.ask("LB.SUBMIT", "after", "bob", 5))["status"], "accepted")

    def test_a_replica_with_other_rules_for_the_zone(self):
        folder = self.zone_folder({"Asia/Tokyo": "America/New_York"})
        self.create("lb")
        replica = self.replica(self.primary, "clock", NOON, environment={"TZDIR": folder})
        for day in range(1, 4):
            self.next_day(day)
            self.client.ask("LB.SUBMIT", "lb", f"m{day}", day)
            self.assert_same_digests(self.primary, [replica], ["lb"])
        reader = replica.client()
        for words in (("LB.TOP", "lb", 5, "PERIOD", "all"), ("LB.TOP", "lb", 5, "PERIOD", "day:2027-01-17")):
            self.assertEqual(reader.raw(*words), self.client.raw(*words))
        # Promoted, it decides by its own rules, and its replica follows.
        reader.ask("REPLICAOF", "NO", "ONE")
        follower = self.replica(replica, "clock", NOON)
        for day in range(3, 6):
            reader.ask("CONFIG", "SET", "laurel.clock", NOON + 24 * day * HOUR)
            reader.ask("LB.SUBMIT", "lb", f"n{day}", day)
            self.assert_same_digests(replica, [follower], ["lb"])


class RealTime(support.ModuleTest):
    def test_the_server_expires_a_board_by_itself(self):
        server = self.redis()
        client = server.client()
        replica = self.replica(server)
        client.ask("LB.CREATE", "lb", "EXPIRE", "1h")
        self.assertEqual(client.ask("TTL", "lb"), -1)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertIn(client.ask("TTL", "lb"), range(3000, 3601))
        self.assert_same_digests(server, [replica], ["lb"])
        reader = replica.client()
        self.assertEqual(reader.ask("PEXPIRETIME", "lb"), client.ask("PEXPIRETIME", "lb"))
        client.ask("DEBUG", "RELOAD")
        self.assertIn(client.ask("TTL", "lb"), range(3000, 3601))
        client.ask("LB.CREATE", "soon", "EXPIRE", "1s")
        client.ask("LB.SUBMIT", "soon", "ann", 1)
        self.assertTrue(support.eventually(lambda: client.ask("EXISTS", "soon") == 0))
        self.assertTrue(support.eventually(lambda: reader.ask("DBSIZE") == 1))

    def test_a_user_expire_is_the_keys(self):
        client = self.redis().client()
        client.ask("LB.CREATE", "lb")
        client.ask("EXPIRE", "lb", 100)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertGreater(client.ask("TTL", "lb"), 90)


if __name__ == "__main__":
    support.main()
