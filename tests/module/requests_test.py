#!/usr/bin/env python3
"""What users of sorted sets and of TairZset ask for, one test each, with whole replies."""

import support

NOW = 1_800_000_000_000_000  # 2027-01-15T08:00:00Z, a Friday, in µs; stamps rise by one each
HOUR = 3_600_000_000


def entry(rank, member, score, stamp, **more):
    return {"rank": rank, "member": member, "score": score, "stamp": NOW + stamp, **more}


def verdict(status, rank, previous_rank, score, previous_score, stamp, **more):
    return {"status": status, "rank": rank, "previous_rank": previous_rank, "score": score,
            "previous_score": previous_score, "stamp": NOW + stamp, **more}


class Requests(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis("clock", NOW)
        self.client = self.server.client(resp3=True)

    def test_who_reached_a_score_first_stands_ahead(self):
        # A sorted set orders equal scores by name, and loses the time.
        ask = self.client.ask
        ask("LB.CREATE", "lb", "POLICY", "sum")
        ask("LB.SUBMIT", "lb", "zoe", 10)
        ask("LB.SUBMIT", "lb", "ann", 4)
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 6),
                         verdict("accepted", 2, 2, ["10"], ["4"], 2))
        # Nothing added: the place stays.
        self.assertEqual(ask("LB.SUBMIT", "lb", "zoe", 0),
                         verdict("unchanged", 1, 1, ["10"], ["10"], 0))
        self.assertEqual(ask("LB.TOP", "lb", 2), [entry(1, "zoe", ["10"], 0), entry(2, "ann", ["10"], 2)])

    def test_equal_scores_share_a_rank(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        ask("LB.MSUBMIT", "lb", 4, "a", 9, "b", 7, "c", 7, "d", 5)
        for kind, ranks in (("ordinal", (1, 2, 3, 4)), ("competition", (1, 2, 2, 4)),
                            ("dense", (1, 2, 2, 3))):
            wanted = [entry(rank, member, [score], stamp) for rank, member, score, stamp
                      in zip(ranks, "abcd", "9775", range(4))]
            self.assertEqual(ask("LB.TOP", "lb", 4, "KIND", kind), wanted)
            self.assertEqual(ask("LB.AROUND", "lb", "c", 1, "KIND", kind), wanted[1:])
            self.assertEqual(ask("LB.GET", "lb", "c", "KIND", kind), {**wanted[2], "count": 4})
            self.assertEqual(ask("LB.RANKOF", "lb", 5, "KIND", kind), {"ordinal": 5}.get(kind, ranks[3]))

    def test_rank_and_score_come_in_one_call(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        ask("LB.MSUBMIT", "lb", 2, "a", 9, "b", 7)
        self.assertEqual(ask("LB.GET", "lb", "b"), entry(2, "b", ["7"], 1, count=2))
        self.assertIsNone(ask("LB.GET", "lb", "nobody"))

    def test_several_ranks_come_at_once(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        ask("LB.MSUBMIT", "lb", 3, "a", 9, "b", 7, "c", 5)
        self.assertEqual(ask("LB.AMONG", "lb", 3, "c", "nobody", "a"),
                         [entry(1, "a", ["9"], 0, place=1), entry(3, "c", ["5"], 2, place=2),
                          {"rank": None, "member": "nobody", "score": None, "stamp": None, "place": None}])

    def test_one_dimension_is_incremented_while_another_is_set(self):
        # TairZset's issue 22: EXZINCRBY adds to all dimensions, EXZADD sets all.
        ask = self.client.ask
        ask("LB.CREATE", "lb", "FIELDS", 3, "points:int:desc:sum", "level:int:desc:set", "best:int:desc:max")
        ask("LB.SUBMIT", "lb", "ann", 10, 7, 40)
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 5, 3, 30),
                         verdict("accepted", 1, 1, ["15", "3", "40"], ["10", "7", "40"], 1))
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 0, 3, 50),
                         verdict("accepted", 1, 1, ["15", "3", "50"], ["15", "3", "40"], 2))

    def test_hourly_and_weekly_boards_need_no_jobs(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb", "POLICY", "sum", "PERIODS", 3, "hour", "week", "all")
        ask("LB.SUBMIT", "lb", "ann", 1)
        ask("CONFIG", "SET", "laurel.clock", NOW + HOUR)
        self.assertEqual(
            ask("LB.SUBMIT", "lb", "ann", 2),
            verdict("accepted", 1, None, ["2"], None, HOUR, periods={
                period: verdict("accepted", 1, 1, ["3"], ["1"], HOUR) for period in ("week", "all")}))
        for period, score in (("hour", "2"), ("hour:-1", "1"), ("hour:2027-01-15T08+0000", "1"),
                              ("week", "3"), ("week:2027-W02", "3"), ("all", "3")):
            shown = ask("LB.TOP", "lb", 5, "PERIOD", period)
            self.assertEqual([(one["member"], one["score"]) for one in shown], [("ann", [score])], period)
        ask("CONFIG", "SET", "laurel.clock", NOW + 72 * HOUR)  # Monday
        self.assertEqual(ask("LB.TOP", "lb", 5, "PERIOD", "week"), [])
        self.assertEqual(ask("LB.SIZE", "lb", "PERIOD", "week:-1"), 1)

    def test_only_better_scores_are_taken(self):
        # ZADD GT and LT, of the whole tuple: TairZset has neither.
        ask = self.client.ask
        ask("LB.CREATE", "most", "POLICY", "best", "FIELDS", 2, "points", "seconds:decimal1:asc")
        ask("LB.SUBMIT", "most", "ann", 10, "5.5")
        self.assertEqual(ask("LB.SUBMIT", "most", "ann", 10, "5.6"),
                         verdict("not-best", 1, 1, ["10", "5.5"], ["10", "5.5"], 0))
        self.assertEqual(ask("LB.SUBMIT", "most", "ann", 10, "5.4"),
                         verdict("accepted", 1, 1, ["10", "5.4"], ["10", "5.5"], 1))

    def test_only_new_or_only_known_members_are_taken(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        nobody = {"status": "skipped", "rank": None, "previous_rank": None, "score": None,
                  "previous_score": None, "stamp": None}
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 1, "XX"), nobody)
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 1, "NX")["status"], "accepted")
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 2, "NX")["status"], "skipped")
        self.assertEqual(ask("LB.INCR", "lb", "ann", 2, "XX")["score"], ["3"])

    def test_a_board_keeps_its_best_entries_only(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb", "CAP", 2, "POLICY", "best")
        ask("LB.MSUBMIT", "lb", 3, "a", 3, "b", 2, "c", 1)
        refused = ask("LB.SUBMIT", "lb", "d", 2)
        self.assertEqual((refused["status"], refused["rank"], refused["needs"]), ("not-ranked", None, ["3"]))
        self.assertEqual([one["member"] for one in ask("LB.TOP", "lb", 9)], ["a", "b"])

    def test_scores_beyond_two_to_the_53_are_exact(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        ask("LB.MSUBMIT", "lb", 2, "a", 2**53, "b", 2**53 + 1)
        self.assertEqual([one["score"] for one in ask("LB.TOP", "lb", 2)], [[str(2**53 + 1)], [str(2**53)]])
        self.assertEqual(ask("LB.INCR", "lb", "a", 2)["score"], [str(2**53 + 2)])

    def test_a_write_that_is_sent_again_counts_once(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb", "POLICY", "sum")
        first = ask("LB.SUBMIT", "lb", "ann", 5, "ID", "7f3c")
        self.assertEqual(ask("LB.SUBMIT", "lb", "ann", 5, "ID", "7f3c"), {**first, "duplicate": True})
        self.assertEqual(ask("LB.GET", "lb", "ann")["score"], ["5"])

    def test_a_client_that_waits_on_a_replica_gets_the_write(self):
        # Blocking pops of TairZset replicate wrongly. Here a wait changes nothing, on any server.
        ask = self.client.ask
        ask("LB.CREATE", "lb", "FEED", 10)
        replica = self.replica(self.server, "clock", NOW)
        self.assert_same_digests(self.server, [replica], ["lb"])
        reader = replica.client(resp3=True)
        place = reader.ask("LB.CHANGES", "lb", "0")["next"]
        reader.send("LB.CHANGES", "lb", place, "MEMBER", "bob", "BLOCK", 25000)
        watcher = replica.client()
        waits = support.eventually(lambda: "blocked_clients:1" in watcher.ask("INFO", "clients"))
        self.assertTrue(waits)
        ask("LB.SUBMIT", "lb", "ann", 5)
        ask("LB.SUBMIT", "lb", "bob", 7)
        page = reader.read()
        self.assertEqual([(event["cause"], event["member"], event["score"]) for event in page["events"]],
                         [("put", "bob", ["7"])])
        self.assertEqual(page, ask("LB.CHANGES", "lb", place, "MEMBER", "bob"))
        self.assertEqual([one["member"] for one in ask("LB.POP", "lb", 1)], ["bob"])
        self.assert_same_digests(self.server, [replica], ["lb"])


if __name__ == "__main__":
    support.main()
