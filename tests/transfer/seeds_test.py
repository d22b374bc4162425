#!/usr/bin/env python3
"""Sorted sets in the encodings of the seeds, moved into a server, a data folder and Redis with the module."""

import transfer_support
from seeds import NOW, SEEDS, Bits, Countdown, Decimal, Divisor, Member, Scaled, fill, shown
from support import seeded_random
from transfer_support import TransferTest, address, url

ROWS = 200


def random_rows(random, seed, count):
    """Rows with many equal values, and some equal seconds."""
    moments = [random.randint(seed.first, seed.last) for _ in range(count // 4)]
    return [(f"player-{i}", random.randint(0, 30), random.choice(moments)) for i in range(count)]


class Seeds(TransferTest):
    def setUp(self):
        super().setUp()
        self.random = seeded_random(self.id())
        self.source = self.plain_redis()
        self.client = self.source.client()

    def filled(self, seed, count=ROWS):
        rows = random_rows(self.random, seed, count)
        fill(self.client, "lb", seed, rows)
        return rows

    def check(self, server, seed, rows):
        """The board shows what the service showed, in its order, with the times of the rows."""
        wanted = shown(self.client, "lb", seed)
        entries = self.entries(server, "lb")
        self.assertEqual([(member, int(score[0])) for member, score, _, _ in entries], wanted)
        if seed is Divisor:
            return
        seconds = {member: moment for member, _, moment in rows}
        for member, _, stamp, _ in entries:
            self.assertEqual(stamp // 1_000_000, seconds[member], member)

    def test_every_seed_into_a_server(self):
        server = self.laurel()
        for seed in SEEDS:
            with self.subTest(seed.__name__):
                self.client.ask("FLUSHALL")
                server.client().ask("FLUSHALL")
                rows = self.filled(seed)
                done = self.run_import("--from", url(self.source), "--key", "lb", *seed.options, "--to",
                                       address(server), "--verify")
                self.assertIn("verified: 200 entries", done.out)
                self.assertIn("the source has not changed", done.out)
                self.check(server, seed, rows)

    def test_every_seed_into_a_data_folder(self):
        for seed in SEEDS:
            with self.subTest(seed.__name__):
                self.client.ask("FLUSHALL")
                rows = self.filled(seed)
                data = self.folder / seed.__name__
                done = self.run_import("--from", url(self.source), "--key", "lb", *seed.options, "--data", data,
                                       "--verify")
                self.assertIn("verified: 200 entries", done.out)
                server = self.served_folder(data)
                self.check(server, seed, rows)
                server.stop()

    def test_every_seed_into_redis_with_the_module(self):
        target = self.redis()
        for seed in SEEDS:
            with self.subTest(seed.__name__):
                self.client.ask("FLUSHALL")
                target.client().ask("FLUSHALL")
                rows = self.filled(seed)
                self.run_import("--from", url(self.source), "--key", "lb", *seed.options, "--to", url(target), "--verify")
                self.check(target, seed, rows)

    def test_rows_of_equal_value_and_time_keep_the_order_that_redis_shows(self):
        server = self.laurel()
        moment = Scaled.last - 100
        fill(self.client, "lb", Scaled, [(name, 7, moment) for name in "adcbe"] + [("first", 7, moment - 1)])
        done = self.run_import("--from", url(self.source), "--key", "lb", "--codec", "scaled-time", "--to",
                               address(server), "--verify", "--force")
        self.assertEqual([(member, stamp) for member, _, stamp, _ in self.entries(server, "lb")],
                         [("first", (moment - 1) * 1_000_000)] +
                         [(member, moment * 1_000_000 + i) for i, member in enumerate("edcba")])
        self.assertIn("5 entries in 1 group share score and 1s", done.out)
        self.assertIn("7: 'e', 'd' and 3 more", done.out)

    def test_equal_rows_of_a_set_that_is_shown_from_the_lowest(self):
        self.client.ask("ZADD", "lb", 5, "b", 5, "a", 3, "z", 5, "c")
        server = self.laurel()
        self.run_import("--from", url(self.source), "--key", "lb", "--spec", "FIELDS 1 ms:int:asc", "--to",
                        address(server), "--verify")
        self.assertEqual([member for member, _ in self.scores(server, "lb")], self.client.ask("ZRANGE", "lb", 0, -1))

    def test_plain_scores_keep_fractions_and_the_order_of_equals(self):
        server = self.laurel()
        for score, member in [("1.5", "a"), ("-0.25", "b"), ("1.5", "c"), ("1e3", "d"), ("0.1", "e")]:
            self.client.ask("ZADD", "lb", score, member)
        self.run_import("--from", url(self.source), "--key", "lb", "--spec", "FIELDS 1 score:decimal2", "--to",
                        address(server), "--verify")
        self.assertEqual(self.scores(server, "lb"), [("d", "1000.00"), ("c", "1.50"), ("a", "1.50"), ("e", "0.10"),
                                                     ("b", "-0.25")])

    def test_plain_fractions_do_not_fit_an_int(self):
        server = self.laurel()
        self.client.ask("ZADD", "lb", "1.5", "a", "2", "b", "3", "c")
        done = self.run_import("--from", url(self.source), "--key", "lb", "--to", address(server), code=3)
        self.assertIn("BADSCORE", done.err)
        self.assertIn("--spec 'FIELDS 1 score:decimal1'", done.out)
        self.assertEqual(self.scores(server, "lb"), [("c", "3"), ("b", "2")])

    def test_older_rows_of_a_member_fold(self):
        """Seed 003 leaves the old member behind when two writers race."""
        moment = Member.last - 100
        for policy, wanted in [("set", ("ann", "5")), ("best", ("ann", "9")), ("sum", ("ann", "15"))]:
            with self.subTest(policy):
                server = self.laurel()
                for value, seconds in [(9, moment), (1, moment + 5), (5, moment + 9)]:
                    score, stored = Member.encode(value, seconds, "ann")
                    self.client.ask("ZADD", "lb", score, stored)
                score, stored = Member.encode(7, moment, "bob:x")
                self.client.ask("ZADD", "lb", score, stored)
                self.run_import("--from", url(self.source), "--key", "lb", "--codec", "member-time", "--spec",
                                f"POLICY {policy}", "--to", address(server), "--verify")
                self.assertEqual(dict(self.scores(server, "lb")), dict([wanted, ("bob:x", "7")]))

    def test_wrong_codecs_are_refused_before_anything_is_written(self):
        server = self.laurel()
        self.filled(Scaled)
        board = ["--from", url(self.source), "--key", "lb", "--to", address(server)]
        cases = [
            (["--codec", "scaled-time", "--unit", "ms"], "before 2009"),
            (["--codec", "scaled-time", "--epoch", "2025-01-01T00:00:00Z"], "more than a day ahead"),
            (["--codec", "decimal-time"], "before 2009"),
            (["--codec", "member-time"], "none of 200 rows can be used"),
        ]
        for codec, reason in cases:
            with self.subTest(codec):
                done = self.run_import(*board, *codec, code=1)
                self.assertRegex(done.err, reason)
                self.assertRegex(done.err, "probably --codec")
                self.assertEqual(server.client().ask("LB.LIST"), ["0", []])

    def test_packed_scores_are_refused_without_a_codec(self):
        server = self.laurel()
        words = ["--from", url(self.source), "--key", "lb", "--to", address(server)]
        for seed in (Scaled, Decimal, Member, Divisor):
            with self.subTest(seed.__name__):
                self.client.ask("FLUSHALL")
                self.filled(seed)
                done = self.run_import(*words, code=1)
                self.assertIn("lb: the scores are hardly plain values. " + " ".join(seed.options) + " fits", done.err)
                self.assertEqual(server.client().ask("LB.LIST"), ["0", []])
        # The end is not known, so the message shows where it belongs.
        for seed, option, more in ((Countdown, "decimal-countdown --start TIME", ["--spec", "FIELDS 1 score:decimal6"]),
                                   (Countdown, "decimal-countdown --start TIME", []), (Bits, "bit-fields", [])):
            with self.subTest(seed.__name__, more=more):
                self.client.ask("FLUSHALL")
                fill(self.client, "lb", seed, [(f"player-{i}", i % 31, NOW - 2987 * i) for i in range(200)])
                self.assertIn(f"--codec {option} --end TIME fits", self.run_import(*words, *more, code=1).err)
        self.client.ask("FLUSHALL")
        self.filled(Scaled)
        self.run_import(*words, "--codec", "plain", "--verify")
        self.assertEqual(server.client().ask("LB.SIZE", "lb"), 200)

    def test_equal_values_and_equal_times_are_refused_unless_forced(self):
        server = self.laurel()
        moment = Scaled.last - 100
        for rows, reason in [([(f"m{i}", 5, moment - i) for i in range(20)], "the same value"),
                             ([(f"m{i}", i, moment) for i in range(20)], "the same time")]:
            with self.subTest(reason):
                self.client.ask("FLUSHALL")
                fill(self.client, "lb", Scaled, rows)
                words = ["--from", url(self.source), "--key", "lb", "--codec", "scaled-time", "--to", address(server)]
                self.assertIn(reason, self.run_import(*words, code=1).err)
                self.run_import(*words, "--dry-run", code=1)
                self.run_import(*words, "--force")
                self.assertEqual(len(self.entries(server, "lb")), 20)
                server.client().ask("LB.DROP", "lb")
                self.client.ask("ZREMRANGEBYRANK", "lb", 0, 0)
                self.run_import(*words)
                server.client().ask("LB.DROP", "lb")

    def test_dry_run_writes_nothing(self):
        server = self.laurel()
        self.filled(Countdown)
        words = ["--from", url(self.source), "--key", "lb", *Countdown.options, "--dry-run"]
        done = self.run_import(*words, "--to", address(server))
        self.assertIn("200 entries", done.out)
        self.assertIn("would be written", done.out)
        self.assertIn(f"the best: '{shown(self.client, 'lb', Countdown)[0][0]}' ", done.out)
        self.assertEqual(server.client().ask("LB.LIST"), ["0", []])
        self.run_import(*words, "--data", self.folder / "data")
        self.assertFalse((self.folder / "data").exists())

    def test_board_with_periods_needs_to_know_which_one_the_set_fills(self):
        self.filled(Scaled)
        words = ["--from", url(self.source), "--key", "lb", "--codec", "scaled-time", "--data", "data", "--spec",
                 "PERIODS 2 day all"]
        self.assertIn("--period", self.run_import(*words, code=1).err)
        self.run_import(*words, "--period", "all", "--verify")

    def test_many_sets_by_pattern_get_new_names(self):
        server = self.laurel()
        for month in (202410, 202411):
            fill(self.client, f"project:rank:{month}", Scaled, [("ann", 1, Scaled.last - 9), ("bob", month, Scaled.last)])
        self.client.ask("SET", "project:rank:text", "no set")
        self.client.ask("ZADD", "other", 1, "x")
        self.run_import("--from", url(self.source), "--match", "project:rank:*", "--rename", "project:rank:*=rank-*",
                        "--codec", "scaled-time", "--to", address(server), "--verify")
        self.assertCountEqual(server.client().ask("LB.LIST")[1], ["rank-202410", "rank-202411"])
        self.assertEqual(self.scores(server, "rank-202411"), [("bob", "202411"), ("ann", "1")])

    def test_board_that_is_there_keeps_its_spec(self):
        server = self.laurel()
        self.filled(Scaled)
        server.client().ask("LB.CREATE", "lb", "POLICY", "best", "CAP", "10")
        words = ["--from", url(self.source), "--key", "lb", "--codec", "scaled-time", "--to", address(server)]
        self.assertRegex(self.run_import(*words, "--spec", "POLICY set", code=1).err,
                         "is there with FIELDS 1 score:int:desc POLICY best .*, not with FIELDS 1 .* POLICY set")
        self.run_import(*words, "--verify")
        self.assertEqual([(member, int(score)) for member, score in self.scores(server, "lb")],
                         shown(self.client, "lb", Scaled)[:10])

    def test_what_is_no_sorted_set_is_refused(self):
        server = self.laurel()
        self.client.ask("SET", "text", "x")
        for words, reason in [(["--key", "text"], "is no sorted set"), (["--key", "absent"], "there is no sorted set"),
                              (["--match", "x*"], "no sorted set matches")]:
            done = self.run_import("--from", url(self.source), *words, "--to", address(server), code=1)
            self.assertIn(reason, done.err)

    def test_target_without_the_commands_is_refused(self):
        self.client.ask("ZADD", "lb", 1, "a", 2, "b")
        done = self.run_import("--from", url(self.source), "--key", "lb", "--to", address(self.source), code=1)
        self.assertIn("neither Laurel nor Redis with the module", done.err)


if __name__ == "__main__":
    transfer_support.main()
