"""POST /v1/read: up to 32 reads that see one state, whatever writers do meanwhile."""

import threading

import support
from support import quoted


class OneState(support.ServerTest):
    def read(self, reads, client=None):
        return (client or self.http).post("/v1/read", {"reads": reads})

    def results(self, reads, client=None):
        return self.ok(self.read(reads, client))["results"]

    def filled(self, name=None, **spec):
        board = self.board(name, **spec)
        for i, member in enumerate("abcdef"):
            self.ok(self.http.submit(board, member, i * 10, meta=f"meta {member}"))
        return board

    def test_each_kind_answers_what_its_route_does(self):
        board = self.filled(periods=["day", "all"])
        path = self.path(board)
        for read, route in (
                (dict(read="entries"), "/entries"),
                (dict(read="entries", offset=2, limit=2, kind="dense", meta=True),
                 "/entries?offset=2&limit=2&kind=dense&meta=1"),
                (dict(read="entries", offset=-2), "/entries?offset=-2"),
                (dict(read="entry", member="c"), "/entries/c"),
                (dict(read="entry", member="c", meta=True, kind="competition"),
                 "/entries/c?meta=1&kind=competition"),
                (dict(read="around", member="c", radius=1), "/entries/c/around?radius=1"),
                (dict(read="around", member="c"), "/entries/c/around"),
                (dict(read="rank-of", score=[25]), "/rank-of?score=25"),
                (dict(read="rank-of", score="25", kind="dense"), "/rank-of?score=25&kind=dense"),
                (dict(read="count"), "/count"),
                (dict(read="count", min="(10", max="40"), "/count?min=(10&max=40"),
                (dict(read="between", min="10", max="30", limit=2, offset=1),
                 "/between?min=10&max=30&limit=2&offset=1"),
                (dict(read="percentile", member="c"), "/percentile?member=c"),
                (dict(read="quantile", p=50), "/quantile?p=50"),
                (dict(read="quantile", p="50"), "/quantile?p=50"),
                (dict(read="histogram", buckets=3), "/histogram?buckets=3"),
                (dict(read="periods"), "/periods"),
                (dict(read="board"), "")):
            with self.subTest(read=read):
                result, = self.results([dict(read, board=board)])
                self.assertEqual(result, self.ok(self.http.get(path + route)))
        among, = self.results([dict(read="among", board=board, members=["c", "a", "zz"])])
        self.assertEqual(among, self.ok(self.http.post(path + "/among",
                                                       {"members": ["c", "a", "zz"]})))

    def test_instances_and_several_boards(self):
        board = self.filled("with periods", periods=["day", "all"])
        other = self.filled("another")
        results = self.results([dict(read="count", board=f"{board}@day"),
                                dict(read="count", board=f"{board}@all"),
                                dict(read="count", board=f"{board}@day:-1"),
                                dict(read="count", board=other)])
        self.assertEqual([result["count"] for result in results], [6, 6, 0, 6])

    def test_thirty_two_reads_and_not_one_more(self):
        board = self.filled()
        one = dict(read="count", board=board)
        self.assertEqual(self.results([one] * 32), [{"count": 6}] * 32)
        answer = self.read([one] * 33)
        self.assertIn(answer.status, (400, 413), str(answer))
        self.problem(answer, answer.status, answer.json["code"], field="reads")

    def test_reads_return_twenty_thousand_entries_together(self):
        board = self.board()
        for first in range(0, 2000, 1000):
            entries = [{"member": f"m{i}", "score": i} for i in range(first, first + 1000)]
            self.ok(self.http.post(self.path(board, "entries"), {"entries": entries}))
        page = dict(read="entries", board=board, limit=1000)
        friends = dict(read="among", board=board, members=[f"m{i}" for i in range(2000)])
        buckets = dict(read="histogram", board=board, buckets=1000)
        count = dict(read="count", board=board)
        results = self.results([page] * 10 + [friends] * 4 + [buckets] * 2)
        self.assertEqual([len(result["entries"]) for result in results[:14]],
                         [1000] * 10 + [2000] * 4)
        for more in (count, page, friends, buckets):
            with self.subTest(more=more["read"]):
                results = self.results([page] * 10 + [friends] * 4 + [buckets] * 2 + [more, count])
                self.assertEqual([result.get("code") for result in results],
                                 [None] * 16 + ["LIMIT"] * 2)
                self.assertEqual(results[16]["detail"], "these reads return more than 20000 entries "
                                 "together (max-exec-entries): ask for less at a time")

    def test_no_reads(self):
        answer = self.read([])
        if answer.status == 200:
            self.assertEqual(answer.json["results"], [])
        else:
            self.problem(answer, 400, "ERR", field="reads")

    def test_a_read_that_fails_does_not_fail_the_others(self):
        board = self.filled()
        self.resp().ask("ZADD", "a sorted set", "1", "x")
        reads = [dict(read="count", board=board), dict(read="count", board="absent"),
                 dict(read="entry", board=board, member="absent"),
                 dict(read="rank-of", board=board, score="x"),
                 dict(read="count", board="a sorted set"), dict(read="count", board=board)]
        results = self.results(reads)
        self.assertEqual([result.get("code") for result in results],
                         [None, "NOBOARD", "NOMEMBER", "BADSCORE", "WRONGTYPE", None])
        for result in results[1:-1]:
            self.assertTrue(result["detail"])

    def test_bodies_that_are_refused(self):
        board = self.board()
        good = dict(read="count", board=board)
        for reads in ([dict(good, read="write")], [dict(good, read="changes")], [dict(board=board)],
                      [dict(read="count")], [good, 1], [dict(good, unknown=1)], {}, "x",
                      [dict(good, limit="x")], [dict(read="entries", board=board, limit=1001)],
                      [dict(read="entries", board=board, limit=1001)],
                      [dict(read="entry", board=board)],
                      [dict(read="among", board=board)], [dict(read="quantile", board=board)],
                      [dict(good, read=None)], [dict(good, board=None)]):
            with self.subTest(reads=reads):
                answer = self.read(reads)
                if answer.status == 200:  # an error of its own, in its place
                    self.assertEqual([r.get("code") for r in answer.json["results"]], ["ERR"])
                else:
                    self.problem(answer, 400, "ERR")

    def test_a_key_that_its_kind_does_not_take_is_refused(self):
        board = self.filled()
        for read in (dict(read="entry", member="a", limit=1), dict(read="count", member="a"),
                     dict(read="entries", member="a"), dict(read="entries", p=5),
                     dict(read="board", meta=True), dict(read="percentile", member="a", radius=1)):
            with self.subTest(read=read):
                answer = self.read([dict(read, board=board)])
                if answer.status == 200:
                    self.assertEqual(answer.json["results"][0].get("code"), "ERR")
                else:
                    self.problem(answer, 400, "ERR")

    def test_one_state_under_writers(self):
        """Two boards that are written together always have the same sum and the same count."""
        boards = [self.board(f"pair {i}", policy="sum") for i in range(2)]
        stop, errors = threading.Event(), []

        def write(number):
            client = self.server.client()
            i = 0
            while not stop.is_set() and not errors:
                submits = [{"board": board, "member": f"m{i % 5}", "score": 1} for board in boards]
                if i % 7 == 6:
                    submits += [{"board": board, "member": f"w{number}n{i}", "score": 3}
                                for board in boards]
                answer = client.post("/v1/submit", {"submits": submits})
                if answer.status != 200:
                    errors.append(str(answer))
                i += 1
            client.close()

        writers = [threading.Thread(target=write, args=(i,)) for i in range(3)]
        for writer in writers:
            writer.start()
        reads = [dict(read="entries", board=board, limit=1000) for board in boards] \
            + [dict(read="count", board=board) for board in boards] \
            + [dict(read="entry", board=board, member="m0") for board in boards]
        states = set()
        try:
            while len(states) < 100 and not errors:
                a, b, count_a, count_b, m_a, m_b = self.results(reads)
                values = [{e["member"]: e["score"] for e in page["entries"]} for page in (a, b)]
                self.assertEqual(values[0], values[1])
                self.assertEqual(count_a["count"], count_b["count"])
                self.assertEqual(count_a["count"], len(values[0]))
                self.assertEqual(m_a.get("score"), m_b.get("score"))
                if "score" in m_a:
                    self.assertEqual(m_a["score"], values[0]["m0"])
                states.add(str(sorted(values[0].items())))
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        self.assertEqual(errors, [])

    def test_one_state_beside_writers_of_resp_transactions(self):
        boards = [self.board(f"exec {i}") for i in range(2)]
        stop = threading.Event()

        def write():
            resp = self.server.resp()
            i = 0
            while not stop.is_set():
                resp.ask("MULTI")
                for board in boards:
                    resp.ask("LB.SET", board, "x", str(i))
                resp.ask("EXEC")
                i += 1
            resp.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            seen = set()
            while len(seen) < 50:
                a, b = self.results([dict(read="entry", board=board, member="x")
                                     for board in boards])
                self.assertEqual(a.get("score"), b.get("score"))
                seen.add(str(a.get("score")))
        finally:
            stop.set()
            writer.join()

    def test_names_of_any_bytes(self):
        board = self.board("b/ü", fields=[{"name": "score"}])
        self.http.submit(board, "名/x", 1)
        result, = self.results([dict(read="entry", board=board, member="名/x")])
        self.assertEqual(result["score"], ["1"])
        self.ok(self.http.get(f"/v1/boards/{quoted(board)}/entries"))


if __name__ == "__main__":
    support.main()
