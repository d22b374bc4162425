#!/usr/bin/env python3
"""LB.WALK: a whole board in chunks, which LB.LOAD takes."""

import support
from support import chunk, flat

DAY = 1_700_000_000


def walk(client, board="lb", cursor="0"):
    return flat(client.ask("LB.WALK", board, cursor))


def chunks(client, board="lb"):
    """The replies of a whole walk."""
    found = [walk(client, board)]
    while found[-1]["cursor"] != "0":
        found.append(walk(client, board, found[-1]["cursor"]))
    return found


def as_bytes(value):
    return value if isinstance(value, bytes) else value.encode()


def load(client, found, board):
    """Loads what chunks() gave."""
    client.ask("LB.LOAD", board, "BEGIN", board + ":load", *found[0]["create"].split())
    for number, one in enumerate(found):
        client.ask("LB.LOAD", board, "CHUNK", board + ":load", number + 1, as_bytes(one["effects"]))
    return flat(client.ask("LB.LOAD", board, "COMMIT", board + ":load"))["count"]


class Walks(support.ModuleTest):
    def fill(self, client):
        client.ask("LB.CREATE", "lb", "POLICY", "sum", "PERIODS", 2, "day", "all")
        for i in range(50):
            client.ask("LB.SUBMIT", "lb", f"m{i}", i, "ID", f"id{i}")
        client.ask("LB.META", "lb", "m7", b"\xff\x00")
        client.ask("LB.HIDE", "lb", "m3", "never-seen")

    def test_chunks_make_an_equal_board_in_each_host(self):
        servers = [self.redis(), self.laurel()]
        self.fill(servers[0].client())
        found = chunks(servers[0].client())
        self.assertEqual(len({one["version"] for one in found}), 1)
        for server in servers:
            client = server.client()
            self.assertEqual(load(client, found, "copy"), 100)
            self.assertEqual(load(client, chunks(client, "copy"), "again"), 100)
            for board in ("copy", "again"):
                for period in ("day", "all"):
                    words = (1, -1, "PERIOD", period, "WITHMETA")
                    self.assertEqual(client.ask("LB.RANGE", board, *words),
                                     servers[0].client().ask("LB.RANGE", "lb", *words))
                self.assertEqual(client.ask("LB.SHOW", board, "m3", "never-seen"), 2)
                self.assertEqual(flat(client.ask("LB.DESCRIBE", board))["ids"], 0)

    def test_large_board_comes_in_bounded_chunks_also_from_a_replica(self):
        server = self.redis()
        client = server.client()
        client.ask("LB.CREATE", "lb")
        client.ask("LB.LOAD", "lb", "BEGIN", "load")
        for part in range(10):
            rows = [(f"member-{part}-{i}-" + "x" * 40, i, DAY) for i in range(5000)]
            client.ask("LB.LOAD", "lb", "CHUNK", "load", part + 1, chunk(*rows))
        client.ask("LB.LOAD", "lb", "COMMIT", "load", "REPLACE")
        replica = self.replica(server)
        for reader in (client, replica.client()):
            found = chunks(reader)
            self.assertGreater(len(found), 5)
            self.assertLessEqual(max(len(as_bytes(one["effects"])) for one in found), 512 * 1024)
            self.assertEqual(len({one["version"] for one in found}), 1)
            client.ask("DEL", "copy")
            self.assertEqual(load(client, found, "copy"), 50_000)
            self.assertEqual(client.ask("LB.RANGE", "copy", 1, -1), client.ask("LB.RANGE", "lb", 1, -1))
        # The order of a walk is that of one process.
        later = found[0]["cursor"]
        self.assertIn("begin again with 0", client.error("LB.WALK", "lb", later))
        before = walk(client)
        client.ask("DEBUG", "RELOAD")
        self.assertNotEqual(walk(client, cursor=before["cursor"])["version"], before["version"])

    def test_version_changes_with_what_a_walk_reads(self):
        for server in (self.redis(), self.laurel()):
            client = server.client()
            self.fill(client)
            seen = walk(client)["version"]
            for words, changes in ((("LB.GET", "lb", "m1"), False), (("LB.SUBMIT", "lb", "m1", 0, "ID", "id1"), None),
                                   (("LB.SUBMIT", "lb", "m1", 5), True), (("LB.HIDE", "lb", "m1"), True),
                                   (("LB.META", "lb", "m2", "x"), True), (("LB.ALTER", "lb", "KEEP", 40), True),
                                   (("LB.REMOVE", "lb", "m2"), True), (("LB.REMOVE", "lb", "nobody"), False),
                                   (("LB.DROP", "lb"), None), (("LB.CREATE", "lb"), True)):
                client.send(*words)
                client.read_or_failure()
                if words[0] == "LB.DROP":
                    continue
                version = walk(client)["version"]
                if changes is not None:
                    self.assertEqual(version != seen, changes, words)
                seen = version

    def test_refusals_are_those_of_laurel_serve(self):
        answers = []
        for server in (self.redis(), self.laurel()):
            client = server.client()
            self.fill(client)
            said = [client.error("LB.WALK", "lb", cursor) for cursor in ("", "1", "x", "-1", "00", "a" * 5000)]
            said.append(client.error("LB.WALK", "none", "0"))
            answers.append(said)
            client.ask("ZADD", "set", 1, "x")
            self.assertIn("WRONGTYPE", client.error("LB.WALK", "set", "0"))
            self.assertIn("ERR", client.error("EVAL", "return redis.call('LB.WALK', KEYS[1], '0')", 1, "lb"))
        self.assertEqual(*answers)

    def test_transactions_and_other_users_are_refused(self):
        server = self.redis()
        client = server.client()
        self.fill(client)
        client.ask("MULTI")
        client.ask("LB.WALK", "lb", "0")
        client.send("EXEC")
        self.assertIn("not allowed inside a transaction", str(client.read_or_failure()))
        client.ask("ACL", "SETUSER", "reader", "on", ">secret", "%R~lb", "+lb.walk")
        reader = server.client()
        reader.ask("AUTH", "reader", "secret")
        self.assertEqual(walk(reader)["cursor"], "0")
        self.assertIn("NOPERM", reader.error("LB.WALK", "other", "0"))


if __name__ == "__main__":
    support.main()
