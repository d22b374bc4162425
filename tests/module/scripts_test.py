#!/usr/bin/env python3
"""LB commands in MULTI, Lua scripts and functions: errors in the middle, replication, WAIT."""

import support


class Pair(support.ModuleTest):
    """A primary with an AOF, and its replica."""

    def setUp(self):
        super().setUp()
        self.primary = self.redis("clock", 1_800_000_000_000_000, appendonly="yes", appendfsync="always",
                                  aof_use_rdb_preamble="no")
        self.reader = self.replica(self.primary, "clock", 1_800_000_000_000_000)
        self.client = self.primary.client()
        self.client.ask("LB.CREATE", "lb", "FEED", 50)
        self.client.ask("LB.CREATE", "other", "PERIODS", 2, "day", "all", "CAP", 3)
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)

    def scores(self, key="lb"):
        return {entry["member"]: entry["score"]
                for entry in map(support.flat, self.client.ask("LB.TOP", key, 100))}

    def check_copies(self):
        """The replica and the AOF have the state."""
        keys = sorted(self.client.ask("KEYS", "*"))
        self.assert_same_digests(self.primary, [self.reader], keys)
        before = self.client.ask("DEBUG", "DIGEST-VALUE", *keys)
        self.client.ask("DEBUG", "LOADAOF")
        self.assertEqual(self.client.ask("DEBUG", "DIGEST-VALUE", *keys), before)


class Transactions(Pair):
    def execute(self, *commands):
        self.client.ask("MULTI")
        for words in commands:
            self.assertEqual(self.client.ask(*words), "QUEUED")
        return self.client.ask("EXEC")

    def test_errors_in_the_middle_leave_the_others(self):
        self.client.ask("SET", "text", 1)
        done = self.execute(
            ("LB.CREATE", "new", "POLICY", "sum"), ("LB.SUBMIT", "new", "ann", 5), ("LB.SUBMIT", "lb", "ann", "x"),
            ("LB.SUBMIT", "other", "ann", 5), ("LB.SUBMIT", "none", "ann", 5), ("LB.SUBMIT", "text", "ann", 5),
            ("LB.INCR", "new", "ann", 9223372036854775807), ("LB.SUBMIT", "new", "ann", 2),
            ("LB.CHANGES", "lb", "0", "BLOCK", "10"), ("LB.GET", "new", "ann"), ("LB.DROP", "none"),
            ("SET", "after", 1))
        codes = [str(one).split()[0] if isinstance(one, support.Failure) else None for one in done]
        self.assertEqual(codes, [None, None, "BADSCORE", None, "NOBOARD", "WRONGTYPE", "OVERFLOW", None,
                                 "ERR", None, "NOBOARD", None])
        self.assertEqual(str(done[8]), "ERR Command not allowed inside a transaction")
        self.assertEqual(support.flat(done[9])["score"], ["7"])
        self.check_copies()

    def test_stamps_inside_a_transaction_rise(self):
        done = self.execute(*[("LB.SUBMIT", "lb", f"m{i}", 1) for i in range(5)])
        stamps = [support.flat(one)["stamp"] for one in done]
        self.assertEqual(stamps, [1_800_000_000_000_000 + i for i in range(5)])
        self.check_copies()

    def test_a_board_is_made_written_renamed_and_dropped_in_one_go(self):
        self.execute(("LB.CREATE", "a", "FEED", 5), ("LB.SUBMIT", "a", "ann", 1), ("RENAME", "a", "b"),
                     ("LB.SUBMIT", "b", "bob", 2), ("COPY", "b", "c"), ("LB.DROP", "b"),
                     ("LB.CREATE", "b", "POLICY", "best"), ("LB.SUBMIT", "b", "eve", 3), ("DEL", "other"))
        self.assertEqual(sorted(self.client.ask("KEYS", "*")), ["b", "c", "lb"])
        self.assertEqual((list(self.scores("b")), list(self.scores("c"))), (["eve"], ["bob", "ann"]))
        self.check_copies()

    def test_discard_and_a_broken_watch_change_nothing(self):
        before = self.client.ask("DEBUG", "DIGEST-VALUE", "lb")
        self.client.ask("MULTI")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.client.ask("DISCARD")
        self.assertEqual(self.client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        self.client.ask("WATCH", "lb")
        self.primary.client().ask("LB.SUBMIT", "lb", "bob", 1)
        self.assertIsNone(self.execute(("LB.SUBMIT", "lb", "ann", 1)))
        self.assertEqual(list(self.scores()), ["bob"])

    def test_a_reader_of_the_replica_sees_all_of_a_transaction_or_nothing(self):
        reader = self.reader.client()
        for i in range(100):
            self.execute(("LB.SET", "lb", "ann", i), ("LB.SET", "lb", "bob", i))
            seen = [support.flat(entry)["score"] for entry in reader.ask("LB.TOP", "lb", 2)]
            self.assertEqual(seen[:1], seen[1:])
        self.check_copies()

    def test_wait_counts_the_replica(self):
        self.assertIn(self.execute(("LB.SUBMIT", "lb", "ann", 1), ("WAIT", 0, 10))[1], (0, 1))
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        self.assertEqual(self.reader.client().ask("LB.SIZE", "lb"), 1)


class Scripts(Pair):
    def test_a_script_calls_several_commands(self):
        script = """
            redis.call('LB.CREATE', KEYS[2], 'POLICY', 'sum')
            for i = 1, 100 do
              redis.call('LB.INCR', KEYS[1], 'm' .. i % 7, i)
              local request = i % 50  -- each is sent twice
              redis.call('LB.SUBMIT', KEYS[2], 'm' .. request % 5, request, 'ID', 'id' .. request)
            end
            redis.call('LB.REMOVE', KEYS[1], 'm3')
            return redis.call('LB.TOP', KEYS[1], 2)"""
        top = self.client.ask("EVAL", script, 2, "lb", "sums")
        self.assertEqual([support.flat(entry)["member"] for entry in top], ["m2", "m1"])
        self.assertEqual(sum(int(score[0]) for score in self.scores("sums").values()), sum(range(50)))
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        self.check_copies()

    def test_an_error_ends_a_script_and_leaves_what_it_had_done(self):
        script = """
            redis.call('LB.SUBMIT', KEYS[1], 'ann', 1)
            redis.call('LB.SUBMIT', KEYS[1], 'bob', 'many')
            redis.call('LB.SUBMIT', KEYS[1], 'eve', 1)"""
        self.assertIn("BADSCORE", self.client.error("EVAL", script, 1, "lb"))
        self.assertEqual(list(self.scores()), ["ann"])
        self.check_copies()

    def test_a_script_goes_on_after_an_error_that_it_catches(self):
        script = """
            local refused = redis.pcall('LB.SUBMIT', KEYS[1], 'bob', 'many')
            redis.call('LB.SUBMIT', KEYS[1], 'ann', 1)
            return refused.err"""
        self.assertTrue(self.client.ask("EVAL", script, 1, "lb").startswith("BADSCORE"))
        self.assertEqual(list(self.scores()), ["ann"])
        self.check_copies()

    def test_scripts_get_maps_in_resp3(self):
        self.client.ask("LB.SUBMIT", "lb", "ann", 7)
        script = """
            redis.setresp(3)
            local entry = redis.call('LB.GET', KEYS[1], 'ann').map
            return {entry.rank, entry.score[1]}"""
        self.assertEqual(self.client.ask("EVAL", script, 1, "lb"), [1, "7"])
        shown = self.client.ask("EVAL", "return redis.call('LB.GET', KEYS[1], 'ann')", 1, "lb")
        self.assertEqual(support.flat(shown)["score"], ["7"])

    def test_read_only_scripts_read_on_both_servers(self):
        self.client.ask("LB.SUBMIT", "lb", "ann", 7)
        self.client.ask("WAIT", 1, 30000)
        for client in (self.client, self.reader.client()):
            size = client.ask("EVAL_RO", "return redis.call('LB.SIZE', KEYS[1])", 1, "lb")
            self.assertEqual(size, 1)
            refused = client.error("EVAL_RO", "return redis.call('LB.CLEAR', KEYS[1])", 1, "lb")
            self.assertIn("rite", refused)  # "Write commands are not allowed …", READONLY
        self.assertEqual(list(self.scores()), ["ann"])

    def test_changes_are_refused_in_scripts(self):
        for words in (("LB.CHANGES", "lb", "0"), ("LB.CHANGES", "lb", "$", "BLOCK", "10")):
            refused = self.client.error("EVAL", "return redis.call(unpack(ARGV))", 1, "lb", *words)
            self.assertIn("not allowed from script", refused)

    def test_functions_call_commands(self):
        library = """#!lua name=boards
            redis.register_function('both', function(keys, arguments)
              for _, key in ipairs(keys) do redis.call('LB.SUBMIT', key, arguments[1], arguments[2]) end
              return redis.call('LB.SIZE', keys[1])
            end)
            redis.register_function{function_name='size', flags={'no-writes'}, callback=function(keys)
              return redis.call('LB.SIZE', keys[1])
            end}
            redis.register_function{function_name='wrong', flags={'no-writes'}, callback=function(keys)
              return redis.call('LB.CLEAR', keys[1])
            end}"""
        self.client.ask("FUNCTION", "LOAD", library)
        self.assertEqual(self.client.ask("FCALL", "both", 2, "lb", "other", "ann", 5), 1)
        self.assertIn("BADSCORE", self.client.error("FCALL", "both", 2, "lb", "other", "ann", "x"))
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        self.assertEqual(self.reader.client().ask("FCALL_RO", "size", 1, "lb"), 1)
        self.assertIn("rite", self.client.error("FCALL", "wrong", 1, "lb"))
        self.assertEqual((self.scores(), self.scores("other")), ({"ann": ["5"]}, {"ann": ["5"]}))
        self.check_copies()

    def test_a_script_inside_a_transaction(self):
        self.client.ask("MULTI")
        self.client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.client.ask("EVAL", "return redis.call('LB.INCR', KEYS[1], 'ann', 2)", 1, "lb")
        self.client.ask("LB.GET", "lb", "ann")
        done = self.client.ask("EXEC")
        self.assertEqual(support.flat(done[2])["score"], ["3"])
        self.check_copies()


if __name__ == "__main__":
    support.main()
