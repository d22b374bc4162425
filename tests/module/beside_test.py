#!/usr/bin/env python3
"""laurel.so beside another module (other_module.cc), loaded by command, twice, and missing."""

import os
import shutil
import time

import support


def module_names(client):
    """The modules of a server, some of which are built in."""
    return [support.flat(one)["name"] for one in client.ask("MODULE", "LIST")]


class Beside(support.ModuleTest):
    """Both modules work, in both orders of loading. The other one uses the system's libstdc++."""

    def pair(self, order, **options):
        """A server and its replica, which loads the modules in the other order."""
        other = [[support.test_module("other_module")]]
        server = self.redis(**{order: other}, **options)
        return server, self.replica(server, before=server.after, after=server.before)

    def check(self, client, digest):
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), digest)
        self.assertEqual(client.ask("OTHER.GET", "other:3"), "text text text ")
        self.assertEqual(client.ask("OTHER.THROW", "x"), "thrown: x 1.5")
        self.assertTrue(client.error("LB.TOP", "lb", "many").startswith("ERR"))
        self.assertTrue(client.error("OTHER.GET", "lb").startswith("WRONGTYPE"))
        self.assertTrue(client.error("LB.GET", "other:1", "m1").startswith("WRONGTYPE"))

    def check_both_work(self, order):
        server, replica = self.pair(order, aof_use_rdb_preamble="no")
        client = server.client()
        self.assertLessEqual({"laurel", "other"}, set(module_names(client)))
        client.ask("LB.CREATE", "lb", "PERIODS", 2, "day", "all", "TZ", "Asia/Tokyo", "FEED", 10)
        for i in range(50):
            client.ask("LB.SUBMIT", "lb", f"m{i}", i, "ID", f"id{i}")
            client.ask("OTHER.SET", f"other:{i}", "text " * i)
        digest = client.ask("DEBUG", "DIGEST-VALUE", "lb")
        self.check(client, digest)
        client.ask("DEBUG", "RELOAD")
        self.check(client, digest)
        self.assert_same_digests(server, [replica], ["lb"])
        self.check(replica.client(), digest)
        client.ask("CONFIG", "SET", "appendonly", "yes")
        done = support.eventually(lambda: "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0" in
                                  client.ask("INFO", "persistence"))
        self.assertTrue(done)
        client.ask("DEBUG", "LOADAOF")
        self.check(client, digest)
        client.ask("SAVE")
        server.restart()
        self.check(server.client(), digest)

    def test_both_work_when_the_other_module_is_loaded_first(self):
        self.check_both_work("before")

    def test_both_work_when_the_other_module_is_loaded_last(self):
        self.check_both_work("after")

    def test_another_module_runs_commands_inside_notifications(self):
        server, replica = self.pair("after")
        client = server.client()
        client.ask("DEBUG", "SET-ACTIVE-EXPIRE", 0)
        client.ask("LB.CREATE", "events", "POLICY", "sum")
        client.ask("OTHER.FOLLOW", "events")
        client.ask("LB.CREATE", "lb", "FEED", 5)
        client.ask("LB.SUBMIT", "lb", "ann", 1)
        many = [word for i in range(2000) for word in (f"m{i}", i)]
        self.assertEqual(len(client.ask("LB.MSUBMIT", "lb", 2000, *many)), 2000)
        # A command that opens an expired key deletes it first. The other module runs its command then.
        missing = "NOBOARD no board 'lb'"
        for words in (("LB.TOP", "lb", "5"), ("LB.SUBMIT", "lb", "ann", "5"), ("LB.DROP", "lb"),
                      ("LB.AMONG", "lb", 2000, *many[::2]), ("LB.MSUBMIT", "lb", 2000, *many)):
            client.ask("PEXPIRE", "lb", 50)  # 1 ms may be over before the server sets it
            time.sleep(0.06)
            self.assertTrue(client.error(*words).startswith(missing), words[:3])
            client.ask("LB.CREATE", "lb")
        client.ask("PEXPIRE", "lb", 50)  # 1 ms may be over before the server sets it
        time.sleep(0.06)
        client.ask("LB.CREATE", "lb", "POLICY", "best")
        self.assertEqual(support.flat(client.ask("LB.DESCRIBE", "lb"))["policy"], "best")
        counts = {entry["member"]: entry["score"]
                  for entry in map(support.flat, client.ask("LB.TOP", "events", 100))}
        self.assertEqual([counts[event] for event in ("lb.create", "lb.submit", "lb.msubmit", "expired")],
                         [["7"], ["1"], ["1"], ["6"]])
        self.assert_same_digests(server, [replica], ["lb", "events"])

    def test_another_module_runs_commands_when_a_boards_own_time_has_come(self):
        server, replica = self.pair("after")
        client = server.client()
        client.ask("CONFIG", "SET", "laurel.clock", 1_800_000_000_000_000)
        client.ask("LB.CREATE", "events", "POLICY", "sum")
        client.ask("OTHER.FOLLOW", "events")
        for offset in range(3):
            client.ask("CONFIG", "SET", "laurel.clock", 1_800_000_000_000_000 + offset * 7_200_000_000)
            client.ask("LB.CREATE", "ends", "EXPIRE", "1h")
            client.ask("LB.SUBMIT", "ends", "ann", 1)
        self.assertEqual(support.flat(client.ask("LB.GET", "events", "expired"))["score"], ["2"])
        self.assertEqual(client.ask("LB.SIZE", "ends"), 1)
        self.assert_same_digests(server, [replica], ["ends", "events"])


class Loading(support.ModuleTest):
    def board(self, server):
        client = server.client()
        client.ask("LB.CREATE", "lb", "PERIODS", 1, "hour", "FEED", 10)
        client.ask("LB.SUBMIT", "lb", "ann", 5, "ID", "one")
        return client

    def test_a_second_load_is_refused_and_harms_nothing(self):
        server = self.redis(enable_module_command="yes")
        client = self.board(server)
        before = client.ask("DEBUG", "DIGEST-VALUE", "lb")
        copy = os.path.join(server.folder, "copy.so")
        shutil.copy(support.module, copy)
        for path in (support.module, copy):
            self.assertIn("Error loading the extension", client.error("MODULE", "LOAD", path))
            self.assertIn("Error loading the extension",
                          client.error("MODULE", "LOADEX", path, "ARGS", "max-reply", 5))
        self.assertIn("laurel is loaded already", server.output())
        self.assertEqual(module_names(client).count("laurel"), 1)
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        client.ask("CONFIG", "SET", "laurel.clock-offset", 7_200_000)  # the sweep goes on
        closed = support.eventually(lambda: "closed" in str(client.ask("LB.CHANGES", "lb", "0")))
        self.assertTrue(closed)
        client.ask("DEBUG", "RELOAD")
        self.assertIn("duplicate", client.ask("LB.SUBMIT", "lb", "ann", 5, "ID", "one")[::2])

    def test_the_module_cannot_be_unloaded(self):
        client = self.board(self.redis(enable_module_command="yes"))
        self.assertIn("exports one or more module-side data types",
                      client.error("MODULE", "UNLOAD", "laurel"))
        self.assertEqual(client.ask("LB.SIZE", "lb"), 1)

    def test_loadex_takes_configs_and_arguments(self):
        server = self.redis(loads_module=False, enable_module_command="yes")
        client = server.client()
        for words in (("CONFIG", "laurel.max-reply", "many"), ("ARGS", "max-reply", "many"),
                      ("ARGS", "template"), ("ARGS", "unknown", "1")):
            self.assertIn("Error loading the extension",
                          client.error("MODULE", "LOADEX", support.module, *words))
            self.assertIn("unknown command", client.error("LB.SIZE", "lb"))
        client.ask("MODULE", "LOADEX", support.module, "CONFIG", "laurel.max-reply", "5000", "ARGS",
                   "tick", "7", "template", "rank:*", "POLICY best CAP 3")
        values = [client.ask("CONFIG", "GET", "laurel." + name)[1] for name in ("max-reply", "tick")]
        self.assertEqual(values, ["5000", "7"])
        client.ask("LB.SUBMIT", "rank:1", "ann", 5)
        self.assertEqual(support.flat(client.ask("LB.DESCRIBE", "rank:1"))["cap"], 3)

    def refused_start(self, server):
        """The log of a start that must fail."""
        server.kill()
        self.assertRaises(AssertionError, server.start)
        return server.output()

    def test_a_start_without_the_module_names_what_is_missing(self):
        rdb = self.redis()
        self.board(rdb).ask("SAVE")
        rdb.loads_module = False
        self.assertIn("no matching module type 'laurel-lb'", self.refused_start(rdb))
        aof = self.redis(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no")
        self.board(aof)
        aof.loads_module = False
        self.assertIn("unknown command 'lb.apply'", self.refused_start(aof).lower())
        # With the module, both are as they were.
        for server in (rdb, aof):
            server.loads_module = True
            server.start()
            self.assertEqual(support.flat(server.client().ask("LB.GET", "lb", "ann"))["score"], ["5"])

    def test_a_replica_without_the_module_does_not_lose_its_primary(self):
        server = self.redis()
        self.board(server)
        replica = self.redis(loads_module=False)
        replica.client().ask("REPLICAOF", support.HOST, server.port)
        said = support.eventually(lambda: "no matching module type 'laurel-lb'" in replica.output())
        self.assertTrue(said, replica.output())
        self.assertEqual(server.client().ask("LB.SIZE", "lb"), 1)

    def test_a_start_on_an_unknown_version_says_what_to_do(self):
        server = self.redis(rdbcompression="no", rdbchecksum="no")
        self.board(server).ask("SAVE")
        path = os.path.join(server.folder, "dump.rdb")
        with open(path, "rb") as file:
            data = file.read()
        # The key's name, nine bytes of the type's id, then the format version: an unsigned 1.
        at = data.index(b"\x02lb") + 3 + 9
        self.assertEqual(data[at:at + 2], b"\x02\x01")
        with open(path, "wb") as file:
            file.write(data[:at + 1] + b"\x07" + data[at + 2:])
        output = self.refused_start(server)
        self.assertIn("has the format 1.7, this laurel.so", output)
        self.assertIn("load it with the laurel.so that saved it, or a newer one", output)


if __name__ == "__main__":
    support.main()
