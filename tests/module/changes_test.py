#!/usr/bin/env python3
"""LB.CHANGES: the events that a board keeps, cursors, filters, BLOCK."""


import support


def events(page):
    return [support.flat(event) for event in support.flat(page)["events"]]


class Changes(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis()
        self.client = self.server.client()
        self.client.ask("LB.CREATE", "lb", "FEED", 5)

    def submit(self, *members):
        for i, member in enumerate(members):
            self.client.ask("LB.SUBMIT", "lb", member, i)

    def members(self, *words):
        return [event.get("member") for event in events(self.client.ask("LB.CHANGES", "lb", *words))]

    def test_the_last_events_are_kept(self):
        self.assertEqual(events(self.client.ask("LB.CHANGES", "lb", "0"))[0]["cause"], "created")
        self.submit(*"abcdefg")
        self.assertEqual(self.members("0"), list("cdefg"))
        self.assertEqual(self.members("-2"), ["f", "g"])
        self.assertEqual(self.members("$"), [])
        self.assertEqual(self.members("0", "COUNT", 2), ["c", "d"])
        self.assertEqual(self.members("0", "MEMBER", "e"), ["e"])

    def test_a_reader_goes_on_where_it_stopped(self):
        self.submit("a", "b")
        page = support.flat(self.client.ask("LB.CHANGES", "lb", "0", "COUNT", 2))
        self.assertEqual(self.members(page["next"]), ["b"])
        self.submit(*"cdefghi")
        late = support.flat(self.client.ask("LB.CHANGES", "lb", page["next"]))
        self.assertEqual((late["events"], late["gap"]), ([], 1))
        self.assertEqual(self.members(late["next"]), list("efghi"))
        self.assertEqual(self.client.error("LB.CHANGES", "lb", "yesterday"),
                         "ERR 'yesterday' is no cursor: expected 0, $, -n, or the value of next in a reply")

    def test_every_kind_of_event(self):
        self.client.ask("LB.ALTER", "lb", "FEED", 100)
        self.submit("a", "b", "c")
        self.client.ask("LB.HIDE", "lb", "a")
        self.client.ask("LB.SHOW", "lb", "a")
        self.client.ask("LB.REMOVE", "lb", "a")
        self.client.ask("LB.ALTER", "lb", "CAP", 1)
        self.client.ask("LB.CLEAR", "lb")
        causes = [event["cause"] for event in events(self.client.ask("LB.CHANGES", "lb", "0"))]
        self.assertEqual(causes, ["created", "put", "put", "put", "hidden", "shown", "put",
                                  "removed", "altered", "evicted", "cleared"])

    def test_a_board_without_feed_says_so(self):
        self.client.ask("LB.CREATE", "none")
        self.assertIn("keeps no events", self.client.error("LB.CHANGES", "none", "0"))
        self.client.ask("LB.ALTER", "none", "FEED", 3)
        self.client.ask("LB.SUBMIT", "none", "a", 1)
        self.assertEqual(len(events(self.client.ask("LB.CHANGES", "none", "0"))), 1)
        self.client.ask("LB.ALTER", "none", "FEED", 0)
        self.assertIn("keeps no events", self.client.error("LB.CHANGES", "none", "0"))

    def test_the_declaration_shows_feed(self):
        described = support.flat(self.client.ask("LB.DESCRIBE", "lb"))
        self.assertEqual(described["feed"], 5)
        self.assertTrue(described["create"].endswith(" FEED 5"))
        self.assertEqual(self.client.ask("LB.CREATE", "copy", *described["create"].split()), "OK")
        self.assertTrue(self.client.error("LB.CREATE", "lb").startswith("EXISTS"))
        self.assertTrue(self.client.error("LB.CREATE", "x", "FEED", 1000001).startswith("LIMIT"))

    def test_period_selects_an_instance(self):
        self.client.ask("LB.CREATE", "p", "PERIODS", 2, "day", "all", "FEED", 50)
        self.client.ask("LB.SUBMIT", "p", "a", 1)
        shown = events(self.client.ask("LB.CHANGES", "p", "0", "PERIOD", "all"))
        self.assertEqual([event.get("board") for event in shown], [None, "p@all"])
        self.assertTrue(self.client.error("LB.CHANGES", "p", "0", "PERIOD", "week").startswith("NOBOARD"))

    def test_block_waits_for_an_event_that_passes(self):
        waiter = self.server.client()
        waiter.send("LB.CHANGES", "lb", "$", "MEMBER", "b", "BLOCK", 20000)
        support.eventually(lambda: "blocked_clients:1" in self.client.ask("INFO", "clients"))
        self.submit("a")
        self.submit("b")
        self.assertEqual([event["member"] for event in events(waiter.read())], ["b"])

    def test_block_ends_after_its_time_with_a_cursor(self):
        self.submit("a")
        page = support.flat(self.client.ask("LB.CHANGES", "lb", "$", "BLOCK", 20))
        self.assertEqual(page["events"], [])
        self.submit("z")
        self.assertEqual(self.members(page["next"]), ["z"])

    def test_unblock_ends_a_wait_with_a_cursor_behind_what_was_read(self):
        waiter = self.server.client()
        number = waiter.ask("CLIENT", "ID")
        waiter.send("LB.CHANGES", "lb", "$", "MEMBER", "b", "BLOCK", 0)
        support.eventually(lambda: "blocked_clients:1" in self.client.ask("INFO", "clients"))
        self.submit("a")
        self.assertEqual(self.client.ask("CLIENT", "UNBLOCK", number), 1)
        page = support.flat(waiter.read())
        self.assertEqual(page["events"], [])
        self.assertEqual(page["next"], support.flat(self.client.ask("LB.CHANGES", "lb", "$"))["next"])

    def wait_on(self, server, *words):
        waiter = server.client()
        waiter.send("LB.CHANGES", *words, "BLOCK", 20000)
        support.eventually(lambda: "blocked_clients:1" in server.client().ask("INFO", "clients"))
        return waiter

    def assert_goes_on(self, name, cursors, server=None):
        """Each cursor is followed by the one event of the board, without a gap."""
        client = (server or self.server).client()
        for cursor in cursors:
            page = support.flat(client.ask("LB.CHANGES", name, cursor))
            self.assertNotIn("gap", page, cursor)
            self.assertEqual([support.flat(event).get("member") for event in page["events"]], ["b"], cursor)

    def cursors_of(self, name, *servers):
        """What a reader goes on with, on each server. They are equal everywhere, and belong to a term."""
        cursors = {support.flat(server.client().ask("LB.CHANGES", name, begin))["next"]
                   for server in servers for begin in ("0", "$", "-3")}
        self.assertEqual(len(cursors), 1, cursors)
        self.assertNotIn("0-0", cursors)
        return cursors

    def test_a_feed_that_begins_later_has_cursors_that_hold(self):
        replica = self.replica(self.server)
        self.client.ask("LB.CREATE", "plain")
        self.client.ask("LB.SUBMIT", "plain", "a", 1)
        self.client.ask("LB.ALTER", "plain", "FEED", 5)
        self.assert_same_digests(self.server, [replica], ["plain"])
        cursors = self.cursors_of("plain", self.server, replica)
        waiters = [self.wait_on(server, "plain", "$") for server in (self.server, replica)]
        self.client.ask("LB.SUBMIT", "plain", "b", 2)
        for waiter in waiters:
            page = support.flat(waiter.read())
            self.assertNotIn("gap", page)
            self.assertEqual([support.flat(event)["member"] for event in page["events"]], ["b"])
        self.assert_same_digests(self.server, [replica], ["plain"])
        for server in (self.server, replica):
            self.assert_goes_on("plain", cursors, server)
        self.client.ask("LB.ALTER", "plain", "FEED", 0)
        self.client.ask("LB.ALTER", "plain", "FEED", 5)
        self.assertEqual(support.flat(self.client.ask("LB.CHANGES", "plain", cursors.pop()))["gap"], 1)

    def test_a_copy_has_cursors_of_its_own_that_hold(self):
        replica = self.replica(self.server)
        self.submit("a")
        own = support.flat(self.client.ask("LB.CHANGES", "lb", "$"))["next"]
        self.client.ask("COPY", "lb", "copy")
        self.client.ask("COPY", "lb", "other")
        self.assert_same_digests(self.server, [replica], ["lb", "copy", "other"])
        cursors = self.cursors_of("copy", self.server, replica)
        self.assertNotEqual(cursors, self.cursors_of("other", self.server, replica))
        for foreign in (own, *self.cursors_of("other", self.server)):
            self.assertEqual(support.flat(self.client.ask("LB.CHANGES", "copy", foreign))["gap"], 1)
        waiters = [self.wait_on(server, "copy", "$") for server in (self.server, replica)]
        self.client.ask("LB.SUBMIT", "copy", "b", 2)
        for waiter in waiters:
            page = support.flat(waiter.read())
            self.assertNotIn("gap", page)
            self.assertEqual([support.flat(event)["member"] for event in page["events"]], ["b"])
        self.assert_same_digests(self.server, [replica], ["lb", "copy", "other"])
        for server in (self.server, replica):
            self.assert_goes_on("copy", cursors, server)
        # The next copy of another state begins another term.
        self.submit("b")
        self.client.ask("COPY", "lb", "copy", "REPLACE")
        page = support.flat(self.client.ask("LB.CHANGES", "copy", cursors.pop()))
        self.assertEqual((page["events"], page["gap"]), ([], 1))

    def test_first_cursors_hold_over_a_restart_and_a_restore(self):
        server = self.redis(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no")
        client = server.client()
        client.ask("LB.CREATE", "lb", "FEED", 5)
        client.ask("LB.CREATE", "plain")
        client.ask("LB.ALTER", "plain", "FEED", 5)
        client.ask("COPY", "lb", "copy")
        cursors = {name: self.cursors_of(name, server) for name in ("plain", "copy")}
        digests = client.ask("DEBUG", "DIGEST-VALUE", *cursors)
        server.restart()
        client = server.client()
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", *cursors), digests)
        client.ask("DEBUG", "RELOAD")
        self.assertEqual(client.ask("DEBUG", "DIGEST-VALUE", *cursors), digests)
        for name in list(cursors):
            client.ask("RESTORE", f"{name}2", 0, client.bytes("DUMP", name))
            cursors[f"{name}2"] = cursors[name]
        for name, first in cursors.items():
            self.assertEqual(self.cursors_of(name, server), first)
            client.ask("LB.SUBMIT", name, "b", 2)
            self.assert_goes_on(name, first, server)

    def test_place_between_two_terms_is_known_while_the_events_after_it_are_kept(self):
        client = self.redis().client()
        client.ask("LB.CREATE", "lb", "FEED", 3)
        for i in range(5):
            client.ask("LB.SUBMIT", "lb", "a", i)
        cursor = support.flat(client.ask("LB.CHANGES", "lb", "$"))["next"]
        client.ask("DEBUG", "RELOAD")  # the next event begins a term
        for i in range(3):
            client.ask("LB.SUBMIT", "lb", "b", i)
        page = support.flat(client.ask("LB.CHANGES", "lb", cursor))
        self.assertNotIn("gap", page)
        self.assertEqual(len(page["events"]), 3)
        client.ask("LB.SUBMIT", "lb", "b", 9)
        self.assertIn("gap", support.flat(client.ask("LB.CHANGES", "lb", cursor)))

    def test_many_wait_on_a_replica(self):
        replica = self.replica(self.server)
        waiters = [replica.client() for _ in range(10)]
        for waiter in waiters:
            waiter.send("LB.CHANGES", "lb", "$", "BLOCK", 20000)
        support.eventually(lambda: "blocked_clients:10" in replica.client().ask("INFO", "clients"))
        self.submit("a")
        for waiter in waiters:
            self.assertEqual([event["member"] for event in events(waiter.read())], ["a"])


if __name__ == "__main__":
    support.main()
