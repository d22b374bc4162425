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
