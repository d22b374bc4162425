#!/usr/bin/env python3
"""LB.LOAD: a board is filled under a key of its own, and moves to its name at the commit."""

import time

import support
from support import chunk

DAY = 1_700_000_000
FIRST = chunk(("ann", 30, DAY), ("bob", 20, DAY + 1))
SECOND = chunk(("cid", 20, DAY + 2), ("dan", -5, DAY))
MEMBERS = ["ann", "bob", "cid", "dan"]


def begin(client, *options, board="lb", load="load"):
    client.ask("LB.LOAD", board, "BEGIN", load, *options)
    client.ask("LB.LOAD", board, "CHUNK", load, 1, FIRST)


def finish(client, *options, board="lb", load="load"):
    client.ask("LB.LOAD", board, "CHUNK", load, 2, SECOND)
    return support.flat(client.ask("LB.LOAD", board, "COMMIT", load, *options))


def members(client, board="lb"):
    return [support.flat(entry)["member"] for entry in client.ask("LB.TOP", board, 10)]


class Loading(support.ModuleTest):
    def test_board_has_its_name_at_the_commit_and_not_before(self):
        client = self.redis().client()
        begin(client)
        self.assertIn("NOBOARD", client.error("LB.SIZE", "lb"))
        self.assertEqual(client.ask("KEYS", "*"), ["load"])
        self.assertEqual(client.ask("TYPE", "load"), "laurel-lb")
        self.assertIn(client.ask("TTL", "load"), range(590, 601))
        client.ask("LB.LOAD", "lb", "CHUNK", "load", 1, FIRST)  # its reply was lost
        self.assertIn("does not follow", client.error("LB.LOAD", "lb", "CHUNK", "load", 3, SECOND))
        figures = finish(client)
        self.assertEqual(figures["count"], 4)
        self.assertEqual(support.flat(client.ask("LB.LOAD", "lb", "COMMIT", "load")), figures, "its reply was lost")
        self.assertEqual(client.ask("KEYS", "*"), ["lb"])
        self.assertEqual(client.ask("TTL", "lb"), -1)
        self.assertEqual(members(client), MEMBERS)
        self.assertEqual(client.ask("LB.SUBMIT", "lb", "eve", 99)[1], "accepted")

    def test_answers_are_those_of_laurel_serve(self):
        """Including the digest, which both compute from the chunks."""
        replies = []
        for server in (self.redis(), self.laurel()):
            client = server.client()
            begin(client, "POLICY", "best")
            replies.append([
                client.error("LB.LOAD", "lb", "BEGIN", "load"),
                client.error("LB.LOAD", "other", "COMMIT", "load"),
                client.error("LB.LOAD", "lb", "CHUNK", "load", 2, b"x"),
                client.error("LB.LOAD", "lb", "CHUNK", "load", "two", b"x"),
                client.error("LB.LOAD", "lb", "FINISH", "load"),
                client.error("LB.LOAD", "lb@x", "BEGIN", "load2"),
                finish(client),
                client.ask("LB.RANGE", "lb", 1, -1),
                client.ask("LB.LOAD", "lb", "BEGIN", "again"),
                client.error("LB.LOAD", "lb", "COMMIT", "again"),
                client.ask("LB.LOAD", "lb", "ABORT", "again"),
                client.ask("LB.LOAD", "lb", "BEGIN", "again"),
                client.error("LB.LOAD", "lb", "CHUNK", "again", 1, chunk(("far", 1, 9_000_000_000))),
                client.error("LB.LOAD", "lb", "ABORT", "again"),
            ])
        self.assertEqual(replies[0], replies[1])

    def test_other_commands_take_the_key_of_a_load_for_another_type(self):
        client = self.redis().client()
        begin(client)
        for words in (("LB.GET", "load", "ann"), ("LB.SET", "load", "ann", 1), ("LB.CREATE", "load"), ("LB.DROP", "load"),
                      ("LB.CHANGES", "load", "0"), ("LB.DESCRIBE", "load"), ("LB.ALTER", "load", "CAP", 1),
                      ("LB.HIDE", "load", "ann"), ("ZADD", "load", 1, "x")):
            self.assertIn("WRONGTYPE", client.error(*words), words)
        self.assertIn("EXISTS", client.error("LB.LOAD", "lb", "BEGIN", "load", "POLICY", "best"))
        self.assertEqual(finish(client)["count"], 4)

    def test_name_that_is_taken_is_replaced_only_if_asked(self):
        client = self.redis().client()
        client.ask("LB.CREATE", "lb", "EXPIRE", "1h")
        client.ask("LB.SET", "lb", "old", 1)
        begin(client)
        self.assertIn("EXISTS", client.error("LB.LOAD", "lb", "COMMIT", "load"))
        finish(client, "REPLACE")
        self.assertEqual(members(client), MEMBERS)
        self.assertEqual(client.ask("TTL", "lb"), -1)
        client.ask("SET", "text", "x")
        begin(client, board="text", load="load2")
        self.assertIn("WRONGTYPE", client.error("LB.LOAD", "text", "COMMIT", "load2", "REPLACE"))

    def test_board_that_is_replaced_stays_if_the_server_has_no_rename(self):
        client = self.redis(rename_command=("RENAME", "")).client()
        client.ask("LB.CREATE", "lb")
        client.ask("LB.SET", "lb", "old", 1)
        begin(client)
        self.assertIn("refuses to rename", client.error("LB.LOAD", "lb", "COMMIT", "load", "REPLACE"))
        self.assertEqual(members(client), ["old"])

    def test_board_gets_its_own_expiry(self):
        client = self.redis().client()
        begin(client, "END", int(time.time()) + 3600, "EXPIRE", "1h")
        finish(client)
        self.assertIn(client.ask("TTL", "lb"), range(7000, 7201))

    def test_refused_chunks_do_no_harm(self):
        server = self.redis()
        client = server.client()
        begin(client, "CAP", 3)
        self.assertIn("cap", client.error("LB.LOAD", "lb", "CHUNK", "load", 2, SECOND))
        self.assertIn("NOBOARD", client.error("LB.LOAD", "lb", "COMMIT", "load"))
        self.assertEqual(client.ask("KEYS", "*"), [])
        random = support.seeded_random(self.id())
        for i in range(300):
            client.ask("LB.LOAD", "lb", "BEGIN", f"load{i}")
            hostile = bytearray(FIRST)
            hostile[random.randrange(len(hostile))] = random.randrange(256)
            client.send("LB.LOAD", "lb", "CHUNK", f"load{i}", 1, bytes(hostile))
            client.read_or_failure()
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(support.info(client)["refused_applies"], 0, server.output())

    def test_load_can_end_when_memory_is_full(self):
        client = self.redis().client()
        begin(client)
        begin(client, board="other", load="load2")
        client.ask("CONFIG", "SET", "maxmemory", 1)
        for words in (("BEGIN", "load3"), ("CHUNK", "load", 2, SECOND)):
            self.assertTrue(client.error("LB.LOAD", "lb", *words).startswith("OOM"), words)
        self.assertEqual(support.flat(client.ask("LB.LOAD", "lb", "COMMIT", "load"))["count"], 2)
        self.assertEqual(client.ask("LB.LOAD", "other", "ABORT", "load2"), "OK")
        self.assertEqual(client.ask("KEYS", "*"), ["lb"])

    def test_transactions_and_scripts_are_refused(self):
        client = self.redis().client()
        client.ask("MULTI")
        client.ask("LB.LOAD", "lb", "BEGIN", "load")
        client.send("EXEC")
        self.assertIn("not allowed inside a transaction", str(client.read_or_failure()))
        self.assertIn("ERR", client.error("EVAL", "return redis.call('LB.LOAD', KEYS[1], 'BEGIN', KEYS[2])", 2, "lb", "l"))
        self.assertEqual(client.ask("KEYS", "*"), [])

    def test_acl_checks_both_keys(self):
        server = self.redis()
        admin = server.client()
        admin.ask("ACL", "SETUSER", "tool", "on", ">secret", "+@all", "~lb*")
        client = server.client()
        client.ask("AUTH", "tool", "secret")
        self.assertIn("NOPERM", client.error("LB.LOAD", "lb", "BEGIN", "load"))
        self.assertIn("NOPERM", client.error("LB.LOAD", "other", "BEGIN", "lb:load"))
        begin(client, load="lb:load")
        self.assertEqual(finish(client, load="lb:load")["count"], 4)

    def test_load_that_is_abandoned_goes(self):
        client = self.redis().client()
        begin(client)
        client.ask("PEXPIRE", "load", 1)
        self.assertTrue(support.eventually(lambda: client.ask("EXISTS", "load") == 0))
        self.assertIn("NOBOARD", client.error("LB.LOAD", "lb", "CHUNK", "load", 2, SECOND))


class LoadsThatOutlive(support.ModuleTest):
    def test_a_reload_of_the_rdb_file(self):
        client = self.redis().client()
        begin(client)
        before = client.ask("DEBUG", "DIGEST")
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(client.ask("DEBUG", "DIGEST"), before)
        self.assertEqual(finish(client)["count"], 4)
        self.assertEqual(members(client), MEMBERS)

    def test_a_restart_from_the_aof(self):
        for rewritten in (False, True):
            with self.subTest(rewritten=rewritten):
                server = self.redis(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no")
                client = server.client()
                begin(client)
                if rewritten:
                    client.ask("BGREWRITEAOF")
                    self.assertTrue(support.eventually(lambda: "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"
                                                       in client.ask("INFO", "persistence")))
                server.restart()
                client = server.client()
                self.assertIn(client.ask("TTL", "load"), range(500, 601))
                figures = finish(client)
                self.assertEqual(figures["count"], 4)
                server.restart()
                client = server.client()
                self.assertEqual(members(client), MEMBERS)
                self.assertEqual(client.ask("KEYS", "*"), ["lb"])
                self.assertEqual(support.info(client)["refused_applies"], 0)

    def test_a_full_synchronisation_and_a_promotion(self):
        primary = self.redis()
        early = self.replica(primary)
        client = primary.client()
        client.ask("LB.CREATE", "lb")
        begin(client, "EXPIRE", "1h")
        late = self.replica(primary)
        self.assert_same_digests(primary, [early, late], ["lb", "load"])
        begin(client, board="kept", load="kept-load")
        finish(client, "REPLACE")
        self.assert_same_digests(primary, [early, late], ["lb", "kept-load"])
        self.assertEqual(late.client().ask("EXISTS", "load"), 0)
        primary.kill()
        promoted = late.client()
        promoted.ask("REPLICAOF", "NO", "ONE")
        self.assertEqual(finish(promoted, board="kept", load="kept-load")["count"], 4)
        self.assertEqual(members(promoted, "kept"), MEMBERS)
        self.assertEqual(promoted.ask("TTL", "kept"), -1)
        for server in (early, late):
            self.assertEqual(support.info(server.client())["refused_applies"], 0, server.output())


if __name__ == "__main__":
    support.main()
