#!/usr/bin/env python3
"""A board is a key like any other: key commands, WATCH, notifications, templates, memory."""

import support

DIGEST = ("DEBUG", "DIGEST-VALUE")


class Keys(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis()
        self.client = self.server.client()

    def board(self, key="lb", *options):
        self.client.ask("LB.CREATE", key, *options)
        for i in range(10):
            self.client.ask("LB.SUBMIT", key, f"m{i}", i, "ID", f"id{i}")

    def test_type_and_scan_know_the_type(self):
        self.board()
        self.client.ask("SET", "text", 1)
        self.assertEqual(self.client.ask("TYPE", "lb"), "laurel-lb")
        self.assertEqual(self.client.ask("SCAN", 0, "TYPE", "laurel-lb", "COUNT", 100)[1], ["lb"])

    def test_other_types_are_wrong_on_both_sides(self):
        self.board()
        self.client.ask("ZADD", "z", 1, "a")
        wrong = "WRONGTYPE Operation against a key holding the wrong kind of value"
        for words in (("LB.GET", "z", "a"), ("LB.SUBMIT", "z", "a", 1), ("LB.CREATE", "z"),
                      ("LB.DROP", "z"), ("LB.CHANGES", "z", "0"), ("ZADD", "lb", 1, "a"),
                      ("ZRANGE", "lb", 0, -1), ("GET", "lb")):
            self.assertEqual(self.client.error(*words), wrong, words)

    def test_copy_has_entries_without_ids_and_events(self):
        self.board("lb", "FEED", 100)
        self.client.ask("LB.HIDE", "lb", "m3")
        self.assertEqual(self.client.ask("COPY", "lb", "copy"), 1)
        self.assertEqual(self.client.raw("LB.TOP", "lb", 20), self.client.raw("LB.TOP", "copy", 20))
        described = support.flat(self.client.ask("LB.DESCRIBE", "copy"))
        self.assertEqual((described["ids"], described["hidden"], described["feed"]), (0, 1, 100))
        self.assertEqual(support.flat(self.client.ask("LB.CHANGES", "copy", "0"))["events"], [])
        self.client.ask("LB.SUBMIT", "copy", "new", 99)
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), 9)

    def test_copy_of_a_board_with_periods(self):
        self.board("lb", "PERIODS", 2, "day", "all")
        self.client.ask("COPY", "lb", "copy")
        for period in ("day", "all"):
            self.assertEqual(self.client.raw("LB.TOP", "lb", 20, "PERIOD", period),
                             self.client.raw("LB.TOP", "copy", 20, "PERIOD", period))

    def test_rename_move_and_swapdb_carry_everything(self):
        self.board("lb", "FEED", 5)
        before = self.client.ask(*DIGEST, "lb")
        self.client.ask("RENAME", "lb", "other")
        self.assertEqual(self.client.ask(*DIGEST, "other"), before)
        self.client.ask("MOVE", "other", 1)
        self.client.ask("SWAPDB", 0, 1)
        self.assertEqual(self.client.ask(*DIGEST, "other"), before)
        reply = self.client.ask("LB.SUBMIT", "other", "m1", 1, "ID", "id1")
        self.assertIn("duplicate", reply[::2])

    def test_migrate_carries_everything(self):
        other = self.redis()
        self.board("lb", "FEED", 5)
        before = self.client.ask(*DIGEST, "lb")
        self.assertEqual(self.client.ask("MIGRATE", support.HOST, other.port, "lb", 0, 5000), "OK")
        self.assertEqual(other.client().ask(*DIGEST, "lb"), before)
        self.assertEqual(self.client.ask("EXISTS", "lb"), 0)

    def test_a_moved_board_takes_back_its_own_expiry_and_no_users(self):
        for key, expiry_ms in (("own", 3600_000), ("users", 1800_000)):
            self.client.ask("LB.CREATE", key, "EXPIRE", "1h")
            self.client.ask("LB.SUBMIT", key, "ann", 1)
            payload = self.client.raw("DUMP", key).split(b"\r\n", 1)[1][:-2]
            # As MIGRATE does: so long to live from now on, which is later than before.
            self.client.ask("RESTORE", key, expiry_ms + 250, payload, "REPLACE")
            self.client.ask("LB.ALTER", key, "EXPIRE", 0)
        self.assertEqual(self.client.ask("PTTL", "own"), -1)
        self.assertGreater(self.client.ask("PTTL", "users"), 0)

    def test_drop_deletes_the_key(self):
        self.board()
        self.assertEqual(self.client.ask("LB.DROP", "lb"), "OK")
        self.assertEqual(self.client.ask("EXISTS", "lb"), 0)

    def test_a_board_lives_without_entries(self):
        self.client.ask("LB.CREATE", "lb")
        self.assertEqual(self.client.ask("EXISTS", "lb"), 1)
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), 0)

    def test_flushall_async_and_unlink_free_memory(self):
        words = [word for i in range(20000) for word in (f"member:{i}", i)]
        for key in ("a", "b", "c"):
            self.client.ask("LB.CREATE", key)
            self.client.ask("LB.MSUBMIT", key, 20000, *words)
        self.assertEqual(support.info(self.client)["entries"], 60000)
        self.client.ask("LB.TRIM", "c", 100)
        self.client.ask("LB.CLEAR", "b")
        self.client.ask("UNLINK", "a")
        self.client.ask("FLUSHALL", "ASYNC")
        freed = support.eventually(
            lambda: (lambda now: now["boards"] == 0 and now["entries"] == 0 and
                     now["retired_bytes"] == 0)(support.info(self.client)))
        self.assertTrue(freed, support.info(self.client))

    def test_memory_usage_grows_with_the_board(self):
        self.client.ask("LB.CREATE", "lb")
        empty = self.client.ask("MEMORY", "USAGE", "lb")
        words = [word for i in range(10000) for word in (f"member:{i:011}", i)]
        self.client.ask("LB.MSUBMIT", "lb", 10000, *words)
        full = self.client.ask("MEMORY", "USAGE", "lb")
        self.assertLess(empty, 400)
        self.assertTrue(10000 * 40 < full < 10000 * 100, full)

    def test_removals_work_when_memory_is_short(self):
        self.board()
        self.client.ask("CONFIG", "SET", "maxmemory", 1)
        self.assertTrue(self.client.error("LB.SUBMIT", "lb", "x", 1).startswith("OOM"))
        self.assertEqual(self.client.ask("LB.REMOVE", "lb", "m1"), 1)
        self.assertEqual(len(self.client.ask("LB.POP", "lb", 1)), 1)
        self.assertEqual(self.client.ask("LB.CLEAR", "lb"), 8)

    def test_a_policy_that_evicts_boards_is_warned_of(self):
        server = self.redis("tick", 1, maxmemory="1gb", maxmemory_policy="allkeys-lru")
        server.client().ask("LB.CREATE", "lb")
        warned = support.eventually(lambda: "may evict whole leaderboards" in server.output())
        self.assertTrue(warned)

    def test_eviction_takes_whole_boards_on_replicas_too(self):
        primary = self.redis(maxmemory_policy="allkeys-random")
        replica = self.replica(primary)
        client = primary.client()
        words = [word for i in range(1000) for word in (f"member:{i}", i)]
        for i in range(30):
            client.ask("LB.CREATE", f"lb{i}")
            client.ask("LB.MSUBMIT", f"lb{i}", 1000, *words)
        client.ask("CONFIG", "SET", "maxmemory", int(client.ask("INFO", "memory").split(
            "used_memory:")[1].split()[0]) - 500_000)
        evicted = support.eventually(lambda: client.ask("PING") and client.ask("DBSIZE") < 30)
        self.assertTrue(evicted)
        client.ask("CONFIG", "SET", "maxmemory", 0)
        client.ask("WAIT", 1, 1000)
        keys = sorted(client.ask("KEYS", "*"))
        self.assertEqual(sorted(replica.client().ask("KEYS", "*")), keys)
        self.assert_same_digests(primary, [replica], keys)

    def test_templates_make_boards(self):
        server = self.redis("template", "rank:*", "POLICY best CAP 2", "template", "rank:x:*", "")
        client = server.client()
        self.assertEqual(client.ask("LB.TOP", "rank:1", 5), [])
        self.assertEqual(client.ask("EXISTS", "rank:1"), 0)
        self.assertIn("yet", client.error("LB.DESCRIBE", "rank:1"))
        client.ask("LB.SUBMIT", "rank:1", "ann", 5)
        client.error("LB.SUBMIT", "rank:2", "ann", "five")
        self.assertEqual(client.ask("EXISTS", "rank:1", "rank:2"), 1)
        self.assertEqual(support.flat(client.ask("LB.DESCRIBE", "rank:1"))["cap"], 2)
        client.ask("LB.SUBMIT", "rank:x:1", "ann", 5)
        self.assertEqual(support.flat(client.ask("LB.DESCRIBE", "rank:x:1"))["cap"], 0)
        client.ask("CONFIG", "SET", "laurel.templates", "day:* PERIODS 1 day; week:* PERIODS 1 week")
        self.assertEqual(client.ask("CONFIG", "GET", "laurel.templates")[1],
                         "week:* PERIODS 1 week; day:* PERIODS 1 day")
        self.assertIn("unknown option", client.error("CONFIG", "SET", "laurel.templates", "a:* NO"))
        client.ask("LB.SUBMIT", "day:1", "ann", 5)
        self.assertEqual(client.ask("EXISTS", "day:1"), 1)

    def test_names_of_boards_have_no_at_and_at_most_512_bytes(self):
        server = self.redis("template", "*", "PERIODS 1 day")
        self.client.ask("LB.CREATE", "x" * 512)
        for client, create in ((self.client, ("LB.CREATE",)), (server.client(), ("LB.SUBMIT",))):
            rest = ("ann", 1) if create == ("LB.SUBMIT",) else ()
            self.assertEqual(client.error(*create, "a@b", *rest), "ERR a leaderboard's name has no '@': 'a@b'")
            self.assertTrue(client.error(*create, "x" * 513, *rest).startswith("LIMIT board name"))
            self.assertEqual(client.ask("EXISTS", "a@b", "x" * 513), 0)
        # Keys that have such a name go on.
        self.board()
        names = ("a@b", "lb@day", "y" * 513)
        for name in names:
            self.client.ask("COPY", "lb", name)
        self.client.ask("DEBUG", "RELOAD")
        for name in names:
            self.client.ask("LB.SUBMIT", name, "new", 99)
            self.assertEqual(self.client.ask("LB.SIZE", name), 11)
            self.assertEqual(self.client.ask("LB.CREATE", name), "OK")
        self.assertEqual(self.client.ask("LB.DROP", "a@b"), "OK")

    def test_a_name_with_a_period_says_what_to_use(self):
        server = self.redis("template", "*", "PERIODS 1 day")
        wanted = "NOBOARD no board 'arena@day:-1': use PERIOD day:-1 on 'arena'"
        for client in (self.client, server.client()):
            for words in (("LB.TOP", "arena@day:-1", 10), ("LB.SUBMIT", "arena@day:-1", "ann", 1),
                          ("LB.CHANGES", "arena@day:-1", "0"), ("LB.DROP", "arena@day:-1")):
                self.assertEqual(client.error(*words), wanted, words)
        self.assertEqual(self.client.error("LB.TOP", "arena@x", 10),
                         "NOBOARD no board 'arena@x': an instance is chosen by PERIOD, as in PERIOD day:-1")

    def test_members_times_instances_are_bounded(self):
        client = self.redis("max-work", 60).client()
        client.ask("LB.CREATE", "days", "PERIODS", 3, "day", "week", "all")
        client.ask("LB.SUBMIT", "days", "ann", 1)
        most = [f"m{i}" for i in range(20)]
        for name in ("LB.REMOVE", "LB.HIDE", "LB.SHOW"):
            client.ask(name, "days", *most)
            self.assertEqual(client.error(name, "days", *most, "one-more"),
                             f"LIMIT {name.lower()} would touch 63 entries, more than max-work (60) leaves: ask for "
                             "less at a time")
        client.ask("CONFIG", "SET", "laurel.max-work", 0)
        client.ask("LB.HIDE", "days", *most, "one-more")
        self.assertEqual(self.client.ask("CONFIG", "GET", "laurel.max-work")[1], "1000000")


class Signals(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis()
        self.client = self.server.client()
        self.client.ask("LB.CREATE", "lb")
        self.client.ask("LB.SUBMIT", "lb", "ann", 10)

    def breaks_watch(self, *words):
        """Whether the command breaks another client's WATCH."""
        watcher = self.server.client()
        watcher.ask("WATCH", "lb")
        try:
            self.client.ask(*words)
        except support.Failure:
            pass
        watcher.ask("MULTI")
        watcher.ask("PING")
        return watcher.ask("EXEC") is None

    def test_only_real_changes_break_a_watch(self):
        for words in (("LB.SUBMIT", "lb", "ann", 10), ("LB.GET", "lb", "ann"), ("LB.CREATE", "lb"),
                      ("LB.REMOVE", "lb", "nobody"), ("LB.SUBMIT", "lb", "ann", "x"),
                      ("LB.SHOW", "lb", "ann"), ("LB.TRIM", "lb", 100)):
            self.assertFalse(self.breaks_watch(*words), words)
        for words in (("LB.SUBMIT", "lb", "ann", 11), ("LB.HIDE", "lb", "ann"),
                      ("LB.ALTER", "lb", "CAP", 5), ("LB.CLEAR", "lb"), ("LB.DROP", "lb"),
                      ("LB.CREATE", "lb")):
            self.assertTrue(self.breaks_watch(*words), words)

    def test_only_real_changes_are_notified(self):
        self.client.ask("CONFIG", "SET", "notify-keyspace-events", "KEA")
        listener = self.server.client()
        listener.ask("PSUBSCRIBE", "__keyevent@0__:*")
        for words in (("LB.SUBMIT", "lb", "ann", 10), ("LB.SUBMIT", "lb", "ann", 11),
                      ("LB.GET", "lb", "ann"), ("LB.REMOVE", "lb", "nobody"),
                      ("LB.REMOVE", "lb", "ann"), ("LB.DROP", "lb"), ("LB.CREATE", "lb")):
            self.client.ask(*words)
        events = [listener.read()[2].split(":")[1] for _ in range(4)]
        self.assertEqual(events, ["lb.submit", "lb.remove", "del", "lb.create"])

    def test_client_side_caches_hear_of_changes(self):
        reader = self.server.client(resp3=True)
        reader.ask("CLIENT", "TRACKING", "ON")
        reader.ask("LB.TOP", "lb", 5)
        self.client.ask("LB.SUBMIT", "lb", "ann", 10)
        self.client.ask("LB.SUBMIT", "lb", "ann", 12)
        self.assertEqual(reader.read(), ["invalidate", ["lb"]])

    def test_nothing_is_replicated_when_nothing_changed(self):
        before = self.client.ask("INFO", "replication")
        replica = self.replica(self.server)
        offset = lambda: self.client.ask("INFO", "replication").split("master_repl_offset:")[1].split()[0]
        support.eventually(lambda: "state=online" in self.client.ask("INFO", "replication"))
        self.client.ask("CONFIG", "SET", "repl-ping-replica-period", 3600)
        before = offset()
        for words in (("LB.SUBMIT", "lb", "ann", 10), ("LB.REMOVE", "lb", "nobody"),
                      ("LB.CREATE", "lb"), ("LB.TRIM", "lb", 10)):
            self.client.ask(*words)
        self.assertEqual(offset(), before)
        self.assertTrue(replica.is_alive())


if __name__ == "__main__":
    support.main()
