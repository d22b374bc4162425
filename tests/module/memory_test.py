#!/usr/bin/env python3
"""Memory: large boards that go, maxmemory with each policy, and the figures of MEMORY USAGE and INFO."""

import re
import unittest

import support

LARGE = 5_000_000 if support.WHOLE_COUNTS else 200_000
AT_ONCE = 4000  # members of one LB.MSUBMIT


def fill(client, key, entries):
    """A board of members with 18 bytes and scores in another order."""
    client.ask("LB.CREATE", key)
    client.send("CLIENT", "REPLY", "OFF")
    for begin in range(0, entries, AT_ONCE):
        end = min(begin + AT_ONCE, entries)
        words = b"".join(b"$18\r\nmember:%011d\r\n$9\r\n%d\r\n" % (i, 100_000_000 + i * 7919 % 1_000_003)
                         for i in range(begin, end))
        head = support.encoded(("LB.MSUBMIT", key, end - begin)).split(b"\r\n", 1)[1]
        client.socket.sendall(b"*%d\r\n" % (3 + 2 * (end - begin)) + head + words)
    client.send("CLIENT", "REPLY", "ON")
    if client.read() != "OK":
        raise AssertionError("a reply to LB.MSUBMIT")
    if client.ask("LB.SIZE", key) != entries:
        raise AssertionError(f"{client.ask('LB.SIZE', key)} entries in place of {entries}")


# Whatever the server's defaults are: keys are freed by the thread that deletes them.
NOT_LAZY = {"lazyfree_lazy_" + name: "no"
            for name in ("eviction", "expire", "server_del", "user_del", "user_flush")}


def setUpModule():
    if support.sanitizer_environment():
        raise unittest.SkipTest("a sanitizer has an allocator of its own, whose figures say nothing")


class LargeBoards(support.ModuleTest):
    """Boards of 5,000,000 entries (200,000 unless LAUREL_TEST_ALL=1) go, and the server goes on."""

    def setUp(self):
        super().setUp()
        options = {**NOT_LAZY, "repl_backlog_size": "16kb"}
        self.primary = self.redis(**options)
        self.client = self.primary.client()
        self.other = self.primary.client()
        self.reader = self.replica(self.primary, **options).client()
        self.empty = self.used()
        fill(self.client, "source", LARGE)
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        self.size = self.client.ask("MEMORY", "USAGE", "source")

    def used(self):
        return [support.used_memory(client) for client in (self.client, self.reader)]

    def copy(self):
        """A second large board, on the replica too."""
        self.assertEqual(self.client.ask("COPY", "source", "lb", "REPLACE"), 1)
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        self.assertEqual(self.reader.ask("LB.SIZE", "lb"), LARGE)

    def check_comes_back(self, before, entries):
        """The memory of both servers is as before, and other clients are served meanwhile."""
        for client, at_first in zip((self.client, self.reader), before):
            def is_back():
                now = support.info(client)
                return (self.other.ask("PING") == "PONG" and now["entries"] == entries and
                        now["retired_bytes"] == 0 and
                        support.used_memory(client) < at_first + self.size // 20)
            self.assertTrue(support.eventually(is_back),
                            (support.info(client), support.used_memory(client), at_first))

    def test_what_drops_a_large_board_gives_its_memory_back(self):
        self.client.ask("LB.CREATE", "tiny")
        before = self.used()
        # Whether the memory is freed in slices; otherwise by another thread.
        for words, left, sliced in (
                (("DEL", "lb"), 0, True), (("UNLINK", "lb"), 0, False), (("LB.DROP", "lb"), 0, False),
                (("LB.CLEAR", "lb"), 0, True), (("LB.TRIM", "lb", 10), 10, True),
                (("RENAME", "tiny", "lb"), 0, True)):
            with self.subTest(words[0]):
                self.copy()
                # In one write, so that no timer of the server runs in between.
                self.client.socket.sendall(support.encoded(words) + support.encoded(("INFO", "laurel")))
                self.client.read()
                retired = int(re.search(r"retired_bytes:(\d+)", self.client.read())[1])
                self.assertEqual(retired > self.size // 2, sliced)
                self.check_comes_back(before, LARGE + left)
                self.client.ask("DEL", "lb")
        self.assert_same_digests(self.primary, self.processes[1:], ["source"])
        self.client.ask("COPY", "source", "kept", "DB", 1)
        self.copy()
        with self.subTest("FLUSHDB SYNC"):
            self.client.ask("FLUSHDB", "SYNC")
            self.check_comes_back(before, LARGE)
        with self.subTest("FLUSHALL ASYNC"):
            self.client.ask("FLUSHALL", "ASYNC")
            self.check_comes_back(self.empty, 0)
            self.assertEqual(support.info(self.reader)["boards"], 0)


class Kept(support.ModuleTest):
    """What the module keeps beside the boards is bounded."""

    def check_growth(self, client, before):
        small = support.eventually(lambda: support.used_memory(client) < before + 500_000)
        self.assertTrue(small, (support.used_memory(client), before))

    def test_hints_of_boards_that_are_gone_are_forgotten(self):
        # The sweep keeps a hint for each board that time can change: here until the end of the month.
        primary = self.redis(repl_backlog_size="16kb")
        client = primary.client()
        reader = self.replica(primary, repl_backlog_size="16kb").client()
        before = [support.used_memory(one) for one in (client, reader)]
        client.tell(words for i in range(20_000)
                    for words in (("LB.CREATE", f"board:{i}", "PERIODS", 1, "month"),
                                  ("LB.SUBMIT", f"board:{i}", "ann", 1), ("DEL", f"board:{i}")))
        self.assertEqual(client.ask("WAIT", 1, 30000), 1)
        for one, at_first in zip((client, reader), before):
            self.check_growth(one, at_first)
            self.assertEqual(support.info(one)["boards"], 0)

    def test_a_command_of_many_words_leaves_no_scratch_memory(self):
        client = self.redis().client()
        before = support.used_memory(client)
        client.ask("LB.CREATE", "lb")
        members = [f"m{i}" for i in range(20_000)]
        client.tell([("LB.MSUBMIT", "lb", len(members), *[word for member in members for word in (member, 1)]),
                     ("LB.AMONG", "lb", len(members), *members), ("LB.REMOVE", "lb", *members)])
        self.assertEqual(client.ask("LB.SIZE", "lb"), 0)
        self.check_growth(client, before)


class MaxMemory(support.ModuleTest):
    ENTRIES = 12_000  # more than what is freed in one slice
    BOARDS = 6  # of each kind

    def setUp(self):
        super().setUp()
        options = {**NOT_LAZY, "repl_backlog_size": "16kb", "maxmemory_samples": 64}
        self.primary = self.redis(**options)
        self.client = self.primary.client()
        self.reader = self.replica(self.primary, **options).client()

    def limit(self, room):
        """Sets maxmemory to what counts as used now and `room` bytes more."""
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        memory = self.client.ask("INFO", "memory")
        used, buffers = (int(re.search(name + r":(\d+)", memory)[1])
                         for name in ("used_memory", "mem_not_counted_for_evict"))
        self.client.ask("CONFIG", "SET", "maxmemory", used - buffers + room)

    def unlimit(self):
        self.client.ask("CONFIG", "SET", "maxmemory", 0)

    def check_replica(self):
        self.assertEqual(self.client.ask("WAIT", 1, 30000), 1)
        keys = sorted(self.client.ask("KEYS", "*"))
        self.assertEqual(sorted(self.reader.ask("KEYS", "*")), keys)
        self.assert_same_digests(self.primary, self.processes[1:], keys)

    def evicted(self, policy):
        """The boards that go when the memory of one and a half is missing."""
        self.client.ask("CONFIG", "SET", "maxmemory-policy", policy)
        source = self.client.ask("RANDOMKEY")
        keys = {f"{kind}:{i}" for kind in ("keep", "ends") for i in range(self.BOARDS)}
        for key in keys - {source}:
            self.client.ask("COPY", source, key)
        for key in keys:
            self.client.ask(*(("PERSIST", key) if key.startswith("keep") else ("EXPIRE", key, 1000)))
        self.limit(-3 * self.client.ask("MEMORY", "USAGE", "keep:0") // 2)
        try:
            self.client.ask("LB.CREATE", "new")
        finally:
            self.unlimit()
        self.assertEqual(self.client.ask("LB.DROP", "new"), "OK")
        left = set(self.client.ask("KEYS", "*"))
        for key in left:
            self.assertEqual(self.client.ask("LB.SIZE", key), self.ENTRIES)
        self.check_replica()
        return keys - left

    def test_each_policy_evicts_whole_boards_that_it_may_and_no_more_than_needed(self):
        fill(self.client, "keep:0", self.ENTRIES)
        for policy in ("allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
                       "volatile-random", "volatile-ttl"):
            with self.subTest(policy):
                gone = self.evicted(policy)
                self.assertEqual(len(gone), 2, gone)
                if policy.startswith("volatile"):
                    self.assertEqual({key.split(":")[0] for key in gone}, {"ends"})

    def test_reads_touch_a_board_and_the_sweep_does_not(self):
        client = self.client
        # A read touches no key while a child of the server saves, here for the replica.
        support.eventually(lambda: "rdb_bgsave_in_progress:0" in client.ask("INFO", "persistence"))
        client.ask("CONFIG", "SET", "laurel.tick", 1)
        client.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        client.ask("RESTORE", "lb", 0, client.bytes("DUMP", "lb"), "REPLACE", "IDLETIME", 5000)
        listener = self.primary.client()
        client.ask("CONFIG", "SET", "notify-keyspace-events", "Ed")
        listener.ask("SUBSCRIBE", "__keyevent@0__:lb.advance")
        client.ask("CONFIG", "SET", "laurel.clock-offset", 7_200_000)
        self.assertEqual(listener.read()[2], "lb")
        self.assertGreaterEqual(client.ask("OBJECT", "IDLETIME", "lb"), 5000)
        client.ask("LB.GET", "lb", "ann")
        self.assertLess(client.ask("OBJECT", "IDLETIME", "lb"), 5000)
        client.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu")
        client.ask("RESTORE", "lb", 0, client.bytes("DUMP", "lb"), "REPLACE", "FREQ", 0)
        self.assertEqual(client.ask("OBJECT", "FREQ", "lb"), 0)
        client.ask("LB.GET", "lb", "ann")
        self.assertGreater(client.ask("OBJECT", "FREQ", "lb"), 0)

    def test_a_volatile_policy_leaves_boards_without_expiry_and_refuses_writes(self):
        fill(self.client, "lb", self.ENTRIES)
        for policy in ("volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"):
            self.client.ask("CONFIG", "SET", "maxmemory-policy", policy)
            self.client.ask("CONFIG", "SET", "maxmemory", 1)
            self.assertTrue(self.client.error("LB.SUBMIT", "lb", "x", 1).startswith("OOM"), policy)
            self.unlimit()
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), self.ENTRIES)

    GROW = (("LB.CREATE", "new"), ("LB.SUBMIT", "lb", "x", 1), ("LB.SET", "lb", "ann", 2),
            ("LB.INCR", "lb", "ann", 2), ("LB.MSUBMIT", "lb", 2, "x", 1, "y", 2),
            ("LB.META", "lb", "ann", "picture"), ("LB.SUBMIT", "made:1", "x", 1))
    READ = (("LB.GET", "lb", "ann"), ("LB.TOP", "lb", 3), ("LB.RANGE", "lb", 1, 3),
            ("LB.AROUND", "lb", "ann", 1), ("LB.AMONG", "lb", 1, "ann"), ("LB.RANKOF", "lb", 5),
            ("LB.COUNT", "lb", 0, 5), ("LB.BETWEEN", "lb", 0, 5), ("LB.SIZE", "lb"),
            ("LB.PERCENTILE", "lb", "ann"), ("LB.QUANTILE", "lb", 50), ("LB.HISTOGRAM", "lb", 3),
            ("LB.PERIODS", "lb"), ("LB.DESCRIBE", "lb"), ("LB.CHANGES", "lb", "0"))
    REMOVE = (("LB.REMOVE", "lb", "m1"), ("LB.POP", "lb", 1), ("LB.POP", "lb", 1, "BOTTOM"),
              ("LB.HIDE", "lb", "m5"), ("LB.SHOW", "lb", "m5"), ("LB.ALTER", "lb", "CAP", 6),
              ("LB.TRIM", "lb", 5), ("LB.CLEAR", "lb"), ("LB.DROP", "lb"))

    def test_noeviction_refuses_what_grows_and_nothing_else(self):
        client = self.client
        client.ask("CONFIG", "SET", "laurel.templates", "made:* POLICY best")
        client.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        client.ask("LB.CREATE", "lb", "FEED", 100)
        client.ask("LB.MSUBMIT", "lb", 11, "ann", 1, *[word for i in range(10) for word in (f"m{i}", i)])
        client.ask("CONFIG", "SET", "maxmemory", 1)
        before = client.ask("DEBUG", "DIGEST-VALUE", "lb")
        offset = client.ask("INFO", "replication").split("master_repl_offset:")[1].split()[0]
        for words in self.GROW:
            self.assertTrue(client.error(*words).startswith("OOM command not allowed"), words)
            client.ask("MULTI")
            self.assertTrue(client.error(*words).startswith("OOM command not allowed"), words)
            self.assertTrue(client.error("EXEC").startswith("EXECABORT"), words)
            script = "return redis.pcall(unpack(ARGV))"
            self.assertIn("OOM", client.error("EVAL", script, 1, words[1], *words))
        for words in self.READ:
            client.ask(*words)
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        self.assertEqual(client.ask("KEYS", "*"), ["lb"])
        self.assertEqual(client.ask("INFO", "replication").split("master_repl_offset:")[1].split()[0],
                         offset)
        for words in self.REMOVE[:-1]:
            client.ask(*words)
            self.check_replica()
        self.assertEqual(client.ask("LB.DROP", "lb"), "OK")
        self.check_replica()

    def test_memory_that_a_removal_gives_back_can_be_written_at_once(self):
        client = self.client
        client.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        client.ask("LB.CREATE", "other")
        for words in (("DEL", "lb"), ("LB.CLEAR", "lb"), ("LB.TRIM", "lb", 10)):
            with self.subTest(words[0]):
                client.ask("DEL", "lb")
                fill(client, "lb", 5 * self.ENTRIES)
                self.limit(-1_000_000)
                self.assertTrue(client.error("LB.SUBMIT", "other", "x", 1).startswith("OOM"))
                client.socket.sendall(support.encoded(words) +
                                      support.encoded(("LB.SUBMIT", "other", words[0], 1)))
                client.read()
                self.assertEqual(support.flat(client.read())["status"], "accepted")
                self.unlimit()


class Figures(support.ModuleTest):
    """MEMORY USAGE and used_memory say what boards take."""

    SHAPES = {"plain": ((), lambda i: (i,)),
              "three fields, meta": (("FIELDS", 3, "a:int", "b:decimal2:asc", "c:int"),
                                     lambda i: (i, i % 7, i % 3, "META", "m" * (i % 100))),
              "request ids": ((), lambda i: (i, "ID", f"request:{i:011}")),
              "periods": (("PERIODS", 3, "day", "week", "all"), lambda i: (i,)),
              "feed": (("FEED", 100_000), lambda i: (i,))}

    def submits(self, key, shape, entries):
        return [("LB.SUBMIT", key, f"member:{i:011}", *self.SHAPES[shape][1](i)) for i in range(entries)]

    def test_memory_usage_of_large_boards_is_what_the_server_allocates(self):
        client = self.redis().client()
        client.tell(("PING", "x" * 1000) for _ in range(1000))  # the client's own buffers
        for shape, (options, _) in self.SHAPES.items():
            with self.subTest(shape):
                client.ask("LB.CREATE", shape, *options)
                before = support.used_memory(client) - client.ask("MEMORY", "USAGE", shape)
                client.tell(self.submits(shape, shape, 20_000))
                allocated = support.used_memory(client) - before
                usage = client.ask("MEMORY", "USAGE", shape)
                print(f"{shape}: MEMORY USAGE {usage}, used_memory {allocated}", flush=True)
                self.assertTrue(0.85 * allocated < usage < 1.05 * allocated, (usage, allocated))
                self.assertEqual(client.ask("MEMORY", "USAGE", shape, "SAMPLES", 0), usage)

    def test_a_board_of_20_entries_is_as_small_as_in_laurel_serve(self):
        ours = self.redis().client()
        theirs = self.laurel().client()
        for i in range(20):
            ours.ask("ZADD", "zset", i, f"member:{i:011}")
        zset = ours.ask("MEMORY", "USAGE", "zset")
        for shape, (options, _) in self.SHAPES.items():
            if shape == "feed":  # laurel serve has its log in place of it
                continue
            with self.subTest(shape):
                for client in (ours, theirs):
                    client.ask("LB.CREATE", shape, *options)
                    for words in self.submits(shape, shape, 20):
                        client.ask(*words)
                sizes = [support.flat(client.ask("LB.DESCRIBE", shape))["bytes"]
                         for client in (ours, theirs)]
                usages = [client.ask("MEMORY", "USAGE", shape) for client in (ours, theirs)]
                print(f"{shape}: 20 entries take {usages[0]} bytes, in laurel serve {usages[1]}, "
                      f"in a sorted set {zset}", flush=True)
                # Stamps far apart take more bytes than near ones: up to 3 more for each entry.
                self.assertAlmostEqual(*sizes, delta=60)
                self.assertLessEqual(usages[0], usages[1] + 60)

    def test_the_servers_memory_commands_work_beside_boards(self):
        server = self.redis()
        client = server.client()
        fill(client, "lb", 20_000)
        before = client.ask("DEBUG", "DIGEST-VALUE", "lb")
        self.assertTrue(client.ask("MEMORY", "DOCTOR"))
        self.assertIn("keys.count", client.ask("MEMORY", "STATS"))
        self.assertEqual(client.ask("MEMORY", "PURGE"), "OK")
        client.ask("MEMORY", "MALLOC-STATS")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)

    def test_active_defragmentation_leaves_boards_as_they_are(self):
        server = self.redis()
        client = server.client()
        try:
            client.ask("CONFIG", "SET", "activedefrag", "yes")
        except support.Failure as failure:
            self.skipTest(str(failure))
        client.ask("CONFIG", "SET", "active-defrag-ignore-bytes", 1)
        client.ask("CONFIG", "SET", "active-defrag-threshold-lower", 0)
        client.ask("CONFIG", "SET", "active-defrag-cycle-min", 50)
        keys = [f"lb{i}" for i in range(40)]
        for key in keys:
            fill(client, key, 2000)
        client.ask("DEL", *keys[::2])
        before = client.ask("DEBUG", "DIGEST-VALUE", *keys[1::2])
        scanned = lambda: int(re.search(r"active_defrag_key_(?:hits|misses):(\d+)",
                                        client.ask("INFO", "stats"))[1])
        support.eventually(lambda: scanned() > 0, 5)
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", *keys[1::2]), before)


if __name__ == "__main__":
    support.main()
