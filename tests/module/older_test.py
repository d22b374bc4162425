#!/usr/bin/env python3
"""Servers whose module API differs: the module does without functions, or says which server it needs.

older_server.cc loads laurel.so and hides functions of the server from it, by name.
"""

import re

import support

# What Redis 6.2 does not have, and what 7.0 does not have, of the functions that the module asks for.
SINCE_7_2 = ["SetCommandACLCategories", "AddACLCategory"]
SINCE_7_0 = SINCE_7_2 + ["TryAlloc", "GetCommand", "SetCommandInfo", "ReplyWithMap", "ReplyWithBool",
                         "GetDbIdFromIO", "RegisterNumericConfig", "RegisterBoolConfig",
                         "RegisterStringConfig", "LoadConfigs"]


class Older(support.ModuleTest):
    def older(self, missing, *arguments, **options):
        words = [support.test_module("older_server"), support.module, len(missing), *missing, *arguments]
        return self.redis(loads_module=False, before=[words], **options)

    def check_works(self, missing):
        server = self.older(missing, "template", "rank:*", "POLICY best", "tick", 5, "clock",
                            1_800_000_000_000_000, aof_use_rdb_preamble="no")
        client = server.client()
        client.ask("LB.CREATE", "lb", "PERIODS", 2, "day", "all", "TZ", "Asia/Tokyo", "FEED", 20)
        client.ask("LB.CREATE", "ends", "EXPIRE", "1h")
        replica = self.redis(loads_module=False, before=server.before,
                             replicaof=f"{support.HOST} {server.port}")
        self.await_link(replica)
        for i in range(20):
            client.ask("LB.SUBMIT", "lb", f"m{i}", i, "ID", f"id{i}")
            client.ask("LB.SUBMIT", "rank:1", f"m{i}", i)
        client.ask("LB.SUBMIT", "ends", "ann", 1)
        keys = ["lb", "ends", "rank:1"]
        self.assert_same_digests(server, [replica], keys)
        before = client.ask("DEBUG", "DIGEST-VALUE", *keys)
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", *keys), before)
        client.ask("CONFIG", "SET", "appendonly", "yes")
        support.eventually(lambda: "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0" in
                           client.ask("INFO", "persistence"))
        client.ask("DEBUG", "LOADAOF")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", *keys), before)
        self.assertIn("duplicate", client.ask("LB.SUBMIT", "lb", "m3", 3, "ID", "id3")[::2])
        self.assertEqual(len(support.flat(client.ask("LB.CHANGES", "lb", "0"))["events"]), 20)
        self.assertGreater(client.ask("TTL", "ends"), 0)
        self.assertTrue(client.error("LB.TOP", "lb").startswith(
            "ERR wrong number of arguments for 'lb.top' command"))
        self.assertEqual(client.ask("COMMAND", "GETKEYS", "LB.TOP", "lb", "5"), ["lb"])
        client.ask("ACL", "SETUSER", "eve", "on", ">pw", "~mine:*", "+@all")
        eve = server.client()
        eve.ask("AUTH", "eve", "pw")
        self.assertTrue(eve.error("LB.TOP", "lb", 5).startswith("NOPERM"))
        return server

    def test_without_the_functions_of_7_2(self):
        server = self.check_works(SINCE_7_2)
        client = server.client(resp3=True)
        self.assertEqual(client.ask("LB.GET", "rank:1", "m3")["rank"], 17)
        self.assertEqual(client.ask("CONFIG", "GET", "laurel.tick"), {"laurel.tick": "5"})
        self.assertEqual(client.ask("COMMAND", "DOCS", "LB.SIZE")["lb.size"]["summary"],
                         "Counts the visible entries.")

    def test_without_the_functions_of_7_0(self):
        server = self.check_works(SINCE_7_0)
        client = server.client(resp3=True)
        # Arrays in place of maps, in RESP3 too; numbers in place of booleans; arguments in place of configs.
        self.assertEqual(support.flat(client.ask("LB.GET", "rank:1", "m3"))["rank"], 17)
        self.assertEqual(support.flat(client.ask("LB.CHANGES", "lb", "7-7"))["gap"], 1)
        self.assertEqual(client.ask("CONFIG", "GET", "laurel.*"), {})
        # The module checks the number of words itself.
        self.assertEqual(client.error("LB.DROP"),
                         "ERR wrong number of arguments for 'lb.drop' command: LB.DROP board")

    def test_a_newer_server_gets_acl_categories(self):
        output = self.older(["+categories"]).output()
        self.assertIn("new category: leaderboard", output)
        given = dict(re.findall(r"categories of (lb\.\w+): (.*)", output))
        self.assertEqual(len(given), 33)
        self.assertEqual(given["lb.get"], "read fast leaderboard")
        self.assertEqual(given["lb.top"], "read slow leaderboard")
        self.assertEqual(given["lb.submit"], "write fast leaderboard")
        self.assertEqual(given["lb.trim"], "write slow leaderboard")
        self.assertEqual(given["lb.changes"], "read slow blocking leaderboard")
        self.assertEqual(given["lb.apply"], "write slow dangerous leaderboard")
        seven = self.older(["+categories", "AddACLCategory"]).output()
        self.assertIn("categories of lb.get: read fast\n", seven)

    def test_a_server_that_is_too_old_says_which_one_is_needed(self):
        for missing in ("SetAbsExpire", "SignalKeyAsReady"):
            with self.assertRaises(AssertionError) as caught:
                self.older([missing])
            self.assertIn(f"this server has no RedisModule_{missing}: Redis 6.2.2 or Valkey 7.2 is the oldest",
                          str(caught.exception))


if __name__ == "__main__":
    support.main()
