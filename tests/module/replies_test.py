#!/usr/bin/env python3
"""The module replies what `laurel serve` replies, byte for byte, in RESP2 and RESP3."""

import re

import support

AT = "1000000"  # a stamp of its own makes replies equal on both

DECLARATIONS = [
    "LB.CREATE lb",
    "LB.CREATE lb",
    "LB.CREATE lb CAP 3",
    "LB.CREATE run FIELDS 3 points:int:desc deaths:int:asc best:decimal2:asc POLICY best",
    "LB.CREATE ops FIELDS 3 points:int:desc:sum deaths:int:asc:sum fastest:decimal3:asc:min",
    "LB.CREATE cap CAP 2 POLICY best",
    "LB.CREATE old START 1970-01-01T00:00:00Z END 1970-02-01T00:00:00Z",
    "LB.CREATE per PERIODS 3 day week all KEEP 3 TZ Europe/Berlin TURN 04:00",
    "LB.CREATE bad FIELDS 9",
    "LB.CREATE bad TIE never",
    "LB.CREATE bad PERIODS 1 day TZ Mars/Phobos",
    "LB.CREATE bad PARTITIONS 2",
    "LB.CREATE bad PERIODS day all",
    "LB.CREATE bad FIELDS a b",
    "LB.CREATE bad PERIOD day",
    "LB.CREATE bad POLICY best FIELDS 1 a:int:desc:sum",
    "LB.CREATE bad EXPIRE 1s END 1970-02-01T00:00:00Z",
    "LB.DESCRIBE lb",
    "LB.DESCRIBE run",
    "LB.DESCRIBE per",
    "LB.DESCRIBE per PERIOD day",
    "LB.DESCRIBE none",
    "LB.ALTER lb CAP 100 DEDUP 5",
    "LB.ALTER none CAP 1",
    "LB.DROP none",
]

WRITES = [
    f"LB.SUBMIT lb ann 10 AT {AT}",
    f"LB.SUBMIT lb ann 10 AT {AT}",
    f"LB.SUBMIT lb bob 10 AT {AT}",
    f"LB.SUBMIT lb cid -9223372036854775808 AT {AT} META hello",
    f"LB.SUBMIT lb dan 9223372036854775808 AT {AT}",
    f"LB.SUBMIT lb dan 1.5 AT {AT}",
    f"LB.SUBMIT lb dan many AT {AT}",
    f"LB.SUBMIT lb eve 7 NX AT {AT}",
    f"LB.SUBMIT lb eve 8 NX AT {AT}",
    f"LB.SUBMIT lb fay 8 XX AT {AT}",
    f"LB.SUBMIT lb gus 8 AT {AT} ID first",
    f"LB.SUBMIT lb gus 8 AT {AT} ID first",
    f"LB.SUBMIT lb gus 9 AT {AT} ID first",
    f"LB.INCR lb cid 9223372036854775807 AT {AT}",
    f"LB.INCR lb bob 9223372036854775807 AT {AT}",
    f"LB.SET lb ann 3 AT {AT}",
    f"LB.MSUBMIT lb 3 x 1 y 2 z 3 AT {AT}",
    f"LB.MSUBMIT lb 3 x 1 y 2 z bad AT {AT}",
    "LB.MSUBMIT lb 3 x 1 y 2",
    "LB.MSUBMIT lb x 1 y 2",
    f"LB.SUBMIT run ann 5 1 9.50 AT {AT}",
    f"LB.SUBMIT run ann 5 1 9.49 AT {AT}",
    f"LB.SUBMIT run ann 4 1 9.49 AT {AT}",
    f"LB.SUBMIT run ann 5 1 AT {AT}",
    f"LB.SUBMIT ops ann 5 1 9.5 AT {AT}",
    f"LB.SUBMIT ops ann 5 1 9.9 AT {AT}",
    f"LB.SUBMIT cap ann 5 AT {AT}",
    f"LB.SUBMIT cap bob 6 AT {AT}",
    f"LB.SUBMIT cap cid 5 AT {AT}",
    f"LB.SUBMIT cap dan 7 AT {AT}",
    f"LB.INCR cap dan 7 AT {AT}",
    f"LB.SUBMIT old ann 5",
    f"LB.SUBMIT none ann 5",
    f"LB.SUBMIT lb ann 1 WHEN now",
    f"LB.META lb bob picture",
    f"LB.META lb nobody picture",
    f"LB.HIDE lb ann nobody",
    f"LB.SUBMIT lb ann 4 AT {AT}",
    f"LB.SHOW lb nobody",
]

READS = [
    "LB.GET lb bob", "LB.GET lb ann", "LB.GET lb nobody", "LB.GET lb cid WITHMETA",
    "LB.GET none x", "LB.GET lb bob KIND dense", "LB.GET lb bob KIND odd",
    "LB.TOP lb 3", "LB.TOP lb 0", "LB.TOP lb 100 WITHMETA", "LB.TOP lb 100 KIND competition",
    "LB.TOP lb -1", "LB.TOP lb many", "LB.TOP run 5", "LB.TOP lb 1 PERIOD day", "LB.TOP per 5",
    "LB.TOP per 5 PERIOD all", "LB.TOP per 5 PERIOD month", "LB.TOP per 5 PERIOD day:1999-01-01",
    "LB.RANGE lb 1 -1", "LB.RANGE lb 0 1", "LB.RANGE lb 5 2", "LB.RANGE lb -2 -1",
    "LB.AROUND lb bob 1", "LB.AROUND lb nobody 1", "LB.AROUND lb ann 1",
    "LB.AMONG lb bob ann", "LB.TOP lb 0 9", "LB.TOP lb 9 WITHSCORES", "LB.TOP lb 9 WITHMETAS",
    "LB.AMONG lb 3 bob nobody ann", "LB.AMONG lb 0", "LB.AMONG lb 2 bob",
    "LB.RANKOF lb 5", "LB.RANKOF lb 5 KIND dense", "LB.RANKOF cap 1", "LB.RANKOF run 1",
    "LB.COUNT lb -inf +inf", "LB.COUNT lb (1 5", "LB.COUNT lb 5 1", "LB.COUNT lb x y",
    "LB.BETWEEN lb 1 5", "LB.BETWEEN lb -inf +inf LIMIT 1 2", "LB.SIZE lb", "LB.SIZE none",
    "LB.PERCENTILE lb bob", "LB.PERCENTILE lb x", "LB.PERCENTILE lb y", "LB.PERCENTILE lb nobody",
    "LB.PERCENTILE cap dan", "LB.QUANTILE lb 50", "LB.QUANTILE lb 101", "LB.QUANTILE per 50",
    "LB.HISTOGRAM lb 3", "LB.HISTOGRAM lb 0", "LB.PERIODS lb", "LB.HISTOGRAM run 2",
]

REMOVALS = [
    "LB.REMOVE lb x nobody", "LB.POP lb 1", "LB.POP lb 1 BOTTOM WITHMETA", "LB.POP lb 0",
    "LB.TRIM lb 2", "LB.SIZE lb", "LB.CLEAR lb", "LB.TOP lb 3", "LB.SHOW lb ann", "LB.CLEAR none",
    "LB.POP per 1 PERIOD week", "LB.TRIM per 1", "LB.DROP lb", "LB.TOP lb 1",
]


class Replies(support.ModuleTest):
    def compare(self, resp3):
        theirs = self.laurel().client(resp3)
        ours = self.redis().client(resp3)
        for line in DECLARATIONS + WRITES + READS + REMOVALS:
            words = line.split()
            with self.subTest(line):
                self.assertEqual(self.comparable(ours.raw(*words)),
                                 self.comparable(theirs.raw(*words)))

    @staticmethod
    def comparable(reply):
        """Without the memory of a board, which depends on its host, and without the present time."""
        reply = re.sub(rb"(\$5\r\nbytes\r\n:)\d+", rb"\1", reply)
        return re.sub(rb"(now|write at) \d{4}-\d\d-\d\dT[0-9:.]+Z", rb"\1", reply)

    def test_the_server_refuses_a_wrong_number_of_words_with_its_own_text(self):
        theirs, ours = self.laurel().client(), self.redis().client()
        for words in (("LB.CREATE",), ("LB.SUBMIT", "lb", "ann"), ("LB.TOP", "lb")):
            refusal = ours.error(*words)
            self.assertTrue(theirs.error(*words).startswith(refusal + ": " + words[0] + " board "))

    def test_errors_name_the_options_that_the_module_takes(self):
        client = self.redis().client()
        client.ask("LB.CREATE", "lb")
        self.assertEqual(client.error("LB.CREATE", "bad", "FEDE", 10),
                         "ERR unknown option 'FEDE'; did you mean FEED?")
        self.assertTrue(client.error("LB.CREATE", "bad", "COLOUR", "red").endswith(", KEEP, DEDUP, FEED"))
        self.assertEqual(client.error("LB.ALTER", "lb", "TIE", "last"),
                         "ERR TIE cannot be altered: LB.ALTER takes POLICY, CAP, START, END, GRACE, EXPIRE, "
                         "KEEP, DEDUP, FEED; to change TIE, declare another board and move the entries by laurel export and import")

    def test_resp2_replies_are_those_of_laurel_serve(self):
        self.compare(resp3=False)

    def test_resp3_replies_are_those_of_laurel_serve(self):
        self.compare(resp3=True)

    def test_a_reply_beyond_max_reply_is_refused_before_it_begins(self):
        client = self.redis("max-reply", 2000).client()
        client.ask("LB.CREATE", "lb")
        for i in range(50):
            client.ask("LB.SUBMIT", "lb", f"member{i}", i)
        self.assertEqual(client.error("LB.TOP", "lb", 50),
                         "LIMIT the reply exceeds 2000 bytes (max-reply): ask for less at a time")
        self.assertEqual(len(client.ask("LB.TOP", "lb", 5)), 5)


if __name__ == "__main__":
    support.main()
