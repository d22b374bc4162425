#!/usr/bin/env python3
"""What time does to boards: expiry, closing, KEEP, old request ids, the sweep."""

import time

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

    def test_the_slow_scan_finds_a_renamed_board(self):
        self.client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.client.ask("RENAME", "lb", "other")
        self.pass_time(10 * HOUR)
        closed = support.eventually(lambda: "closed" in str(self.client.ask("LB.CHANGES", "other", "0")))
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


class RealTime(support.ModuleTest):
    def test_the_server_expires_a_board_by_itself(self):
        server = self.redis()
        client = server.client()
        replica = self.replica(server)
        client.ask("LB.CREATE", "lb", "EXPIRE", "2s")
        self.assertEqual(client.ask("TTL", "lb"), -1)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertIn(client.ask("TTL", "lb"), (1, 2))
        self.assert_same_digests(server, [replica], ["lb"])
        reader = replica.client()
        self.assertEqual(reader.ask("PEXPIRETIME", "lb"), client.ask("PEXPIRETIME", "lb"))
        client.ask("DEBUG", "RELOAD")
        self.assertIn(client.ask("TTL", "lb"), (0, 1, 2))
        time.sleep(2.1)
        self.assertEqual(client.ask("EXISTS", "lb"), 0)
        self.assertTrue(support.eventually(lambda: reader.ask("DBSIZE") == 0))

    def test_a_user_expire_is_the_keys(self):
        client = self.redis().client()
        client.ask("LB.CREATE", "lb")
        client.ask("EXPIRE", "lb", 100)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertGreater(client.ask("TTL", "lb"), 90)


if __name__ == "__main__":
    support.main()
