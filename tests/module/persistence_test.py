#!/usr/bin/env python3
"""RDB, AOF, AOF rewrite, DUMP and RESTORE keep boards whole; damaged payloads are refused."""

import os
import struct

import support

KEYS = ["plain", "wide", "periods", "fed", "ends", "empty"]


def fill(client, entries=300):
    """Boards with everything that a board can hold."""
    client.ask("LB.CREATE", "plain")
    client.ask("LB.CREATE", "wide", "FIELDS", 2, "points:decimal2:desc", "time:int:asc", "CAP", 200)
    client.ask("LB.CREATE", "periods", "PERIODS", 2, "day", "all", "KEEP", 2, "TZ", "Asia/Tokyo")
    client.ask("LB.CREATE", "fed", "FEED", 50, "POLICY", "best")
    client.ask("LB.CREATE", "ends", "EXPIRE", "1000s")
    client.ask("LB.CREATE", "empty", "DEDUP", 7)
    for i in range(entries):
        client.ask("LB.SUBMIT", "plain", f"member:{i}", i * 7 % 100, "META", "m" * (i % 50))
        client.ask("LB.SUBMIT", "wide", i, f"{i}.25", i, "ID", f"id{i}")
    for i in range(20):
        client.ask("LB.SUBMIT", "periods", f"m{i}", i, "ID", f"id{i}")
        client.ask("LB.SUBMIT", "fed", f"m{i % 5}", i)
        client.ask("LB.SUBMIT", "ends", f"m{i}", i)
    client.ask("LB.HIDE", "plain", "member:3", "nobody")
    client.ask("LB.HIDE", "periods", "m3")
    client.ask("LB.REMOVE", "fed", "m1")


def await_rewrite(client):
    support.eventually(
        lambda: "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0" in client.ask("INFO", "persistence"))


class Persistence(support.ModuleTest):
    def digests(self, client):
        return client.ask("DEBUG", "DIGEST-VALUE", *KEYS) + [client.ask("DEBUG", "DIGEST")]

    def check_goes_on(self, client):
        """Stamps rise, ids are known, events follow after the reload."""
        top = client.ask("LB.GET", "plain", "member:5")
        again = client.ask("LB.SUBMIT", "plain", "member:5", 1000)
        self.assertGreater(support.flat(again)["stamp"], support.flat(top)["stamp"])
        self.assertIn("duplicate", client.ask("LB.SUBMIT", "wide", 7, "7.25", 7, "ID", "id7")[::2])
        page = support.flat(client.ask("LB.CHANGES", "fed", "0"))
        client.ask("LB.SUBMIT", "fed", "new", 1)
        after = support.flat(client.ask("LB.CHANGES", "fed", page["next"]))
        self.assertEqual([support.flat(event)["member"] for event in after["events"]], ["new"])
        self.assertNotIn("gap", after)

    def test_rdb_keeps_boards(self):
        client = self.redis().client()
        fill(client)
        before = self.digests(client)
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(self.digests(client), before)
        self.check_goes_on(client)

    def test_rdb_file_is_read_by_a_new_process(self):
        server = self.redis()
        client = server.client()
        fill(client)
        before = self.digests(client)
        client.ask("SAVE")
        server.restart()
        client = server.client()
        self.assertEqual(self.digests(client), before)
        self.check_goes_on(client)

    def test_aof_keeps_boards_after_kill(self):
        server = self.redis(appendonly="yes", appendfsync="always")
        client = server.client()
        fill(client, 100)
        before = self.digests(client)
        server.restart()
        client = server.client()
        self.assertEqual(self.digests(client), before)
        self.check_goes_on(client)

    def rewrite(self, preamble):
        server = self.redis(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble)
        client = server.client()
        fill(client, 100)
        client.ask("BGREWRITEAOF")
        client.ask("LB.SUBMIT", "plain", "late", 5)
        await_rewrite(client)
        before = self.digests(client)
        server.restart()
        client = server.client()
        self.assertEqual(self.digests(client), before)
        self.check_goes_on(client)

    def test_aof_rewrite_as_commands_keeps_boards(self):
        self.rewrite("no")

    def test_aof_rewrite_with_rdb_keeps_boards(self):
        self.rewrite("yes")

    def test_boards_of_many_chunks(self):
        server = self.redis(appendonly="yes", appendfsync="no", aof_use_rdb_preamble="no")
        client = server.client()
        client.ask("LB.CREATE", "big")
        for start in range(0, 40000, 1000):
            words = [word for i in range(start, start + 1000)
                     for word in (f"a-rather-long-name-of-a-member:{i:08}", i)]
            client.ask("LB.MSUBMIT", "big", 1000, *words)
        before = client.ask("DEBUG", "DIGEST-VALUE", "big")
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "big"), before)
        client.ask("BGREWRITEAOF")
        await_rewrite(client)
        client.ask("DEBUG", "LOADAOF")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "big"), before)
        self.assertEqual(client.ask("LB.SIZE", "big"), 40000)

    def test_dump_and_restore_carry_everything(self):
        client = self.redis().client()
        fill(client, 50)
        for key in KEYS:
            client.send("DUMP", key)
            payload = client.read_raw().split(b"\r\n", 1)[1][:-2]
            before = client.ask("DEBUG", "DIGEST-VALUE", key)
            expiry = max(client.ask("PEXPIRETIME", key), 0)
            client.ask("DEL", key)
            client.ask("RESTORE", key, expiry, payload, "ABSTTL")
            self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", key), before)

    def test_a_server_without_the_module_says_what_is_missing(self):
        server = self.redis()
        server.client().ask("LB.CREATE", "lb")
        server.client().ask("SAVE")
        server.loads_module = False
        server.kill()
        self.assertRaises(AssertionError, server.start)
        self.assertIn("laurel-lb", server.output())


class Diverged(support.ModuleTest):
    """A replica that clients write to differs from its primary. Whatever state it is in, it can load it again."""

    def writable_replica(self, *options, **server_options):
        primary = self.redis()
        primary.client().ask("LB.CREATE", "lb", *options)
        replica = self.replica(primary, replica_read_only="no", **server_options)
        await_rewrite(replica.client())  # an AOF begins with what was synchronised
        return primary.client(), replica

    def make_primary(self, server):
        """Restarts a server on its own files."""
        server.options.pop("replicaof", None)
        server.restart()
        return server.client()

    def over_cap(self, **server_options):
        """A replica with 7 entries of CAP 5."""
        client, replica = self.writable_replica("CAP", 5, "FEED", 50, **server_options)
        local = replica.client()
        for i in range(2):
            local.ask("LB.SUBMIT", "lb", f"local{i}", 100 + i)
        for i in range(5):
            client.ask("LB.SUBMIT", "lb", f"m{i}", i)
        self.assertTrue(support.eventually(lambda: local.ask("LB.SIZE", "lb") == 7))
        return replica, local

    def check_next_write_evicts(self, server):
        client = server.client()
        self.assertEqual(client.ask("LB.SIZE", "lb"), 7)
        follower = self.replica(server)
        self.assert_same_digests(server, [follower], ["lb"])
        client.ask("LB.SUBMIT", "lb", "m4", 4)  # changes nothing itself
        self.assertEqual([support.flat(entry)["member"] for entry in client.ask("LB.TOP", "lb", 9)],
                         ["local1", "local0", "m4", "m3", "m2"])
        self.assertIn("'lb' had more entries than its CAP 5", server.output())
        self.assert_same_digests(server, [follower], ["lb"])
        page = support.flat(client.ask("LB.CHANGES", "lb", "-2"))
        self.assertEqual({support.flat(event)["member"] for event in page["events"]}, {"m0", "m1"})
        self.assertEqual(support.info(client)["refused_applies"], 0)

    def test_a_board_over_its_cap_is_loaded_from_rdb(self):
        replica, local = self.over_cap()
        before = local.ask("DEBUG", "DIGEST-VALUE", "lb")
        local.ask("DEBUG", "RELOAD")
        self.assertEqual(local.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        self.assertIn("'lb' has more entries than its CAP 5", replica.output())
        local.ask("SAVE")
        client = self.make_primary(replica)
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        self.assertEqual((client.ask("COPY", "lb", "copy"), client.ask("LB.SIZE", "copy")), (1, 7))
        client.ask("LB.ALTER", "copy", "CAP", 6)  # evicts by the new cap
        self.assertEqual(client.ask("LB.SIZE", "copy"), 6)
        self.check_next_write_evicts(replica)

    def test_a_board_over_its_cap_is_loaded_from_aof(self):
        for preamble in ("yes", "no"):
            replica, local = self.over_cap(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble)
            before = local.ask("DEBUG", "DIGEST-VALUE", "lb")
            local.ask("BGREWRITEAOF")
            await_rewrite(local)
            client = self.make_primary(replica)
            self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
            self.assertIn("'lb' has more entries than its CAP 5", replica.output())
            self.check_next_write_evicts(replica)

    def test_an_alter_that_leaves_the_cap_evicts_too(self):
        for options in (("CAP", 5), ("FEED", 10)):
            replica, local = self.over_cap()
            replica_output = replica.output()
            self.assertEqual(replica_output.count("'lb' has more entries than its CAP 5"), 1)
            local.ask("REPLICAOF", "NO", "ONE")
            local.ask("LB.ALTER", "lb", *options)
            self.assertEqual(local.ask("LB.SIZE", "lb"), 5)

    def test_refused_effects_are_counted_until_the_data_is_loaded_anew(self):
        client, replica = self.writable_replica("PERIODS", 2, "day", "all", appendonly="yes", appendfsync="always")
        local = replica.client()
        local.ask("LB.SUBMIT", "lb", "local", 5)  # makes instances of its own
        client.ask("LB.HIDE", "lb", "hid")
        client.ask("LB.SUBMIT", "lb", "ann", 5)
        self.assertTrue(support.eventually(lambda: support.info(local)["refused_applies"] == 1))
        self.assertIn("is created twice", replica.output())
        before = local.ask("DEBUG", "DIGEST-VALUE", "lb")
        local.ask("DEBUG", "RELOAD")
        self.assertEqual(support.info(local)["refused_applies"], 1, "the file has the same state")
        # The AOF leads to the same state. It still differs from the primary's.
        restarted = self.make_primary(replica)
        self.assertEqual(restarted.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        self.assertEqual(support.info(restarted)["refused_applies"], 1)
        restarted.ask("REPLICAOF", *client.socket.getpeername())
        self.await_link(replica)
        self.assertEqual(support.info(restarted)["refused_applies"], 0)
        self.assertEqual(restarted.ask("DEBUG", "DIGEST-VALUE", "lb"), client.ask("DEBUG", "DIGEST-VALUE", "lb"))


class Fixtures(support.ModuleTest):
    """Values saved by every version so far are read. `fixtures/NAME.dump` is a payload of RESTORE.

    To make those of a new version: LAUREL_WRITE_FIXTURES=1, with a new VERSION.
    """

    VERSION = 1
    FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
    BOARDS = {"plain": (), "wide": ("FIELDS", 2, "points:decimal2:desc", "time:int:asc", "CAP", 5),
              "periods": ("PERIODS", 2, "day", "all", "TZ", "Asia/Tokyo", "FEED", 5)}

    def fill(self, client):
        for key, options in self.BOARDS.items():
            client.ask("LB.CREATE", key, *options)
            for i in range(10):
                values = (f"{i}.5", i) if key == "wide" else (i,)
                client.ask("LB.SUBMIT", key, f"m{i}", *values, "ID", f"id{i}")
            client.ask("LB.HIDE", key, "m7")

    def test_every_version_is_read(self):
        client = self.redis("clock", 1_800_000_000_000_000).client()
        self.fill(client)
        if os.environ.get("LAUREL_WRITE_FIXTURES"):
            os.makedirs(self.FOLDER, exist_ok=True)
            for key in self.BOARDS:
                client.send("DUMP", key)
                payload = client.read_raw().split(b"\r\n", 1)[1][:-2]
                with open(os.path.join(self.FOLDER, f"v{self.VERSION}-{key}.dump"), "wb") as file:
                    file.write(payload)
        found = sorted(os.listdir(self.FOLDER))
        self.assertIn(f"v{self.VERSION}-plain.dump", found)
        for name in found:
            key = name.split("-")[1].split(".")[0]
            with open(os.path.join(self.FOLDER, name), "rb") as file:
                client.ask("RESTORE", "read", 0, file.read(), "REPLACE")
            for words in (("LB.TOP", 20), ("LB.GET", "m7"), ("LB.SIZE",)):
                self.assertEqual(client.raw(words[0], "read", *words[1:]),
                                 client.raw(words[0], key, *words[1:]), name)
            values = ("3.5", 3) if key == "wide" else (3,)
            again = client.ask("LB.SUBMIT", "read", "m3", *values, "ID", "id3")
            self.assertIn("duplicate", again[::2], name)
            if key == "periods":
                page = support.flat(client.ask("LB.CHANGES", "read", "0"))
                self.assertEqual(len(page["events"]), 5)


class Zones(support.ModuleTest):
    def test_a_board_of_an_unknown_zone_can_be_read_and_not_written(self):
        client = self.redis("clock", 1_800_000_000_000_000).client()
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "day", "TZ", "Asia/Tokyo")
        client.ask("LB.SUBMIT", "lb", "ann", 5)
        client.send("DUMP", "lb")
        payload = client.read_raw().split(b"\r\n", 1)[1][:-2]
        server = self.redis("clock", 1_800_000_000_000_000, environment={"TZDIR": "/nonexistent"})
        other = server.client()
        self.assertEqual(other.ask("RESTORE", "lb", 0, payload), "OK")
        self.assertIn("does not know the time zone 'Asia/Tokyo'", server.output())
        shown = other.ask("LB.TOP", "lb", 5, "PERIOD", "day:2027-01-15")
        self.assertEqual(support.flat(shown[0])["member"], "ann")
        self.assertEqual(other.error("LB.SUBMIT", "lb", "bob", 5),
                         "ERR the time zone 'Asia/Tokyo' is not known here: update tzdata and restart "
                         "the server")
        self.assertIn("TZ", other.error("LB.CREATE", "x", "PERIODS", 1, "day", "TZ", "Asia/Tokyo"))
        self.assertEqual(other.ask("LB.REMOVE", "lb", "ann"), 1)


# Damage -------------------------------------------------------------------------------------------

POLYNOMIAL = 0x95AC9329AC4BC9B5  # the servers' CRC-64, reflected


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ POLYNOMIAL if value & 1 else value >> 1
        table.append(value)
    return table


CRC = crc_table()


def crc64(data):
    state = 0
    for byte in data:
        state = CRC[(state ^ byte) & 255] ^ state >> 8
    return state


def sealed(body):
    """A payload of RESTORE: the value and the version of its format, with the right checksum."""
    return body + struct.pack("<Q", crc64(body))


class Damage(support.ModuleTest):
    def dump(self, client, key):
        client.send("DUMP", key)
        return client.read_raw().split(b"\r\n", 1)[1][:-2]

    def test_damaged_payloads_are_refused_and_the_server_lives(self):
        random = support.seeded_random("damage")
        server = self.redis(rdbcompression="no")
        client = server.client()
        fill(client, 30)
        bodies = [self.dump(client, key)[:-8] for key in KEYS]
        self.assertEqual(client.ask("RESTORE", "copy", 0, sealed(bodies[0])), "OK")
        rounds = int(os.environ.get("LAUREL_TEST_DAMAGES", "1500"))
        refused = 0
        for _ in range(rounds):
            body = bytearray(random.choice(bodies))
            value, version = body[:-2], body[-2:]
            kind = random.randrange(4)
            if kind == 0:
                del value[random.randrange(1, len(value)):]
            elif kind == 1:
                for _ in range(random.choice((1, 1, 2, 8))):
                    value[random.randrange(1, len(value))] = random.randrange(256)
            elif kind == 2:
                at = random.randrange(1, len(value))
                value[at:at] = bytes(random.randrange(256) for _ in range(random.randrange(1, 9)))
            else:
                at = random.randrange(1, len(value))
                del value[at:at + random.randrange(1, 9)]
            client.ask("DEL", "hurt")
            try:
                client.ask("RESTORE", "hurt", 0, sealed(bytes(value) + bytes(version)))
            except support.Failure:
                refused += 1
                continue
            # It was read: then it is a board that works.
            for words in (("LB.TOP", "hurt", 10), ("LB.SUBMIT", "hurt", "x", 1), ("LB.CLEAR", "hurt"),
                          ("LB.PERIODS", "hurt"), ("LB.CHANGES", "hurt", "0")):
                try:
                    client.ask(*words)
                except support.Failure:
                    pass
        self.assertGreater(refused, rounds // 10)
        self.assertTrue(server.is_alive(), server.output())
        self.assertEqual(client.ask("PING"), "PONG")

    def test_hostile_effects_are_refused_and_counted(self):
        random = support.seeded_random("effects")
        server = self.redis("apply", "yes")
        client = server.client()
        client.ask("LB.CREATE", "lb", "PERIODS", 2, "day", "all", "FEED", 10)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        self.assertIn("not created", client.error("LB.APPLY", "none", b"\x05\x02"))
        self.assertIn("malformed", client.error("LB.APPLY", "lb", b"\x01"))
        client.ask("SET", "text", "1")
        self.assertIn("another type", client.error("LB.APPLY", "text", b""))
        before = support.info(client)["refused_applies"]
        self.assertGreaterEqual(before, 3)
        for _ in range(3000):
            data = bytes(random.choice((random.randrange(256), random.randrange(31),
                                        random.randrange(64, 70), 0, 1))
                         for _ in range(random.randrange(1, 40)))
            try:
                client.ask("LB.APPLY", "lb", data)
            except support.Failure:
                pass
            for words in (("LB.TOP", "lb", 3), ("LB.SUBMIT", "lb", "bob", 1)):
                try:
                    client.ask(*words)
                except support.Failure:
                    pass
        self.assertGreater(support.info(client)["refused_applies"], before)
        self.assertTrue(server.is_alive(), server.output())

    def test_an_unknown_version_says_what_to_do(self):
        server = self.redis(rdbcompression="no")
        client = server.client()
        client.ask("LB.CREATE", "lb")
        body = self.dump(client, "lb")[:-8]
        # The type's id is 9 bytes (a mark of 64 bits); after it comes: unsigned, the format version.
        at = body.index(b"\x02\x01", 9)
        refused = client.error("RESTORE", "new", 0, sealed(body[:at] + b"\x02\x07" + body[at + 2:]))
        self.assertEqual(refused, "ERR Bad data format")
        self.assertIn("load it with the laurel.so that saved it, or a newer one", server.output())


if __name__ == "__main__":
    support.main()
