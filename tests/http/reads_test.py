"""Every read of entries, and which parameters are refused."""

import support


class Reads(support.ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.server.client()
        client.put("/v1/boards/r", {})
        # 30 20 20 10 10 10 0: ranks 1234567, 1224447, 1223334.
        for member, score in (("a", 30), ("b", 20), ("c", 20), ("d", 10), ("e", 10), ("f", 10),
                              ("g", 0)):
            client.submit("r", member, score)
        client.put("/v1/boards/empty", {})
        client.close()

    def ranks(self, query):
        return [entry["rank"] for entry in self.entries("r", query)]

    def test_rank_kinds(self):
        self.assertEqual(self.ranks("?kind=ordinal"), [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(self.ranks("?kind=competition"), [1, 2, 2, 4, 4, 4, 7])
        self.assertEqual(self.ranks("?kind=dense"), [1, 2, 2, 3, 3, 3, 4])
        self.assertEqual(self.ranks("?kind=dense&offset=3&limit=2"), [3, 3])
        self.assertEqual(self.ok(self.http.get("/v1/boards/r/entries/e?kind=competition"))["rank"],
                         4)
        self.assertEqual(self.ok(self.http.get("/v1/boards/r/rank-of?score=15&kind=dense"))["rank"],
                         3)
        around = self.ok(self.http.get("/v1/boards/r/entries/d/around?radius=1&kind=dense"))
        self.assertEqual([e["rank"] for e in around["entries"]], [2, 3, 3])
        between = self.ok(self.http.get("/v1/boards/r/between?min=10&max=20&kind=competition"))
        self.assertEqual([e["rank"] for e in between["entries"]], [2, 2, 4, 4, 4])
        among = self.ok(self.http.post("/v1/boards/r/among?kind=dense", {"members": ["g", "b"]}))
        self.assertEqual([(e["rank"], e["place"]) for e in among["entries"]], [(2, 1), (4, 2)])

    def test_pages(self):
        members = list("abcdefg")

        def page(query):
            return [m for m, _ in self.scores("r", query)]

        self.assertEqual(page(""), members)
        self.assertEqual(page("?offset=2&limit=3"), members[2:5])
        self.assertEqual(page("?offset=7"), [])
        self.assertEqual(page("?offset=1000000"), [])
        self.assertEqual(page("?offset=-1"), ["g"])
        self.assertEqual(page("?offset=-3&limit=2"), ["e", "f"])
        self.assertEqual(page("?offset=-7&limit=1000"), members)
        for query in ("?offset=-8&limit=2", "?offset=-100&limit=1000"):
            with self.subTest(query=query):  # an offset before the first entry: no shift
                self.assertIn(page(query), ([], members[:1], members[:2], members))

    def test_a_page_has_board_version_and_count(self):
        page = self.ok(self.http.get("/v1/boards/r/entries?limit=2"))
        self.assertEqual((page["board"], page["count"], len(page["entries"])), ("r", 7, 2))
        self.assertIn("version", page)
        for entry in page["entries"]:
            self.assertEqual(set(entry), {"rank", "member", "score", "reached"})
            self.assertRegex(entry["reached"], support.STAMP)
        empty = self.ok(self.http.get("/v1/boards/empty/entries"))
        self.assertEqual((empty["count"], empty["entries"]), (0, []))

    def test_parameters_that_are_refused(self):
        for path in ("entries?limit=1001", "entries?limit=-1", "entries?limit=",
                     "entries?limit=1e1", "entries?limit=+5", "entries?limit=%31%00",
                     "entries?offset=x", "entries?offset=99999999999999999999",
                     "entries?kind=best", "entries?kind=Dense", "entries?meta=2", "entries?meta=",
                     "entries?unknown=1", "entries?limit=1&limit=1", "entries?LIMIT=1",
                     "entries/a?limit=1", "entries/a/around?radius=-1",
                     "entries/a/around?radius=501", "rank-of", "rank-of?score=",
                     "count?limit=1", "between?offset=-1", "percentile", "quantile",
                     "quantile?p=101",
                     "quantile?p=-1", "quantile?p=x", "histogram?buckets=0",
                     "histogram?buckets=1001", "periods?x=1", "changes?limit=0",
                     "changes?limit=10001", "changes?wait=0", "changes?wait=60001",
                     "changes?from=nonsense", "live?top=-1", "live?top=1001"):
            with self.subTest(path=path):
                answer = self.http.get("/v1/boards/r/" + path)
                self.assertIn(answer.status, (400, 422), str(answer))
                self.problem(answer, answer.status, answer.json["code"])

    def test_one_member(self):
        entry = self.ok(self.http.get("/v1/boards/r/entries/b"))
        self.assertEqual((entry["rank"], entry["member"], entry["score"], entry["count"]),
                         (2, "b", ["20"], 7))
        self.problem(self.http.get("/v1/boards/r/entries/zz"), 404, "NOMEMBER", field="member")

    def test_around_is_cut_off_at_the_ends(self):
        def around(member, radius):
            path = f"/v1/boards/r/entries/{member}/around?radius={radius}"
            return [e["member"] for e in self.ok(self.http.get(path))["entries"]]

        self.assertEqual(around("a", 2), ["a", "b", "c"])
        self.assertEqual(around("d", 1), ["c", "d", "e"])
        self.assertEqual(around("g", 2), ["e", "f", "g"])
        self.assertEqual(around("d", 0), ["d"])
        self.problem(self.http.get("/v1/boards/r/entries/zz/around"), 404, "NOMEMBER")

    def test_among_is_best_first_with_absent_ones_last_in_the_order_asked(self):
        page = self.ok(self.http.post("/v1/boards/r/among",
                                      {"members": ["z2", "g", "a", "z1", "d"]}))
        self.assertEqual([(e["member"], e["rank"], e["place"]) for e in page["entries"]],
                         [("a", 1, 1), ("d", 4, 2), ("g", 7, 3), ("z2", None, None),
                          ("z1", None, None)])

    def test_among_nobody_is_an_empty_list(self):
        self.assertEqual(self.ok(self.http.post("/v1/boards/r/among",
                                                {"members": []}))["entries"], [])

    def test_rank_of(self):
        def rank(score):
            return self.ok(self.http.get(f"/v1/boards/r/rank-of?score={score}"))["rank"]

        self.assertEqual([rank(s) for s in (31, 30, 20, 10, 0, -1)], [1, 2, 4, 7, 8, 8])
        self.problem(self.http.get("/v1/boards/r/rank-of?score=x"), 422, "BADSCORE", field="score")
        self.problem(self.http.get("/v1/boards/r/rank-of?score=1&score=2"), 400, "ERR")
        self.problem(self.http.get("/v1/boards/r/rank-of?score=9223372036854775808"), 422,
                     "OVERFLOW", field="score")

    def test_rank_of_a_full_cap_is_null(self):
        board = self.board(policy="best", cap=1)
        self.http.submit(board, "a", 10)
        self.assertIsNone(self.ok(self.http.get(self.path(board, "rank-of") + "?score=10"))["rank"])
        self.assertEqual(self.ok(self.http.get(self.path(board, "rank-of") + "?score=11"))["rank"],
                         1)

    def test_count_and_between(self):
        def count(query=""):
            return self.ok(self.http.get("/v1/boards/r/count" + query))["count"]

        self.assertEqual(count(), 7)
        self.assertEqual(count("?min=10"), 6)
        self.assertEqual(count("?min=(10"), 3)
        self.assertEqual(count("?min=%2810&max=%2830"), 2)
        self.assertEqual(count("?max=10"), 4)
        self.assertEqual(count("?min=-inf&max=%2Binf"), 7)
        self.assertEqual(count("?min=9.5&max=10.5"), 3)

        def between(query):
            page = self.ok(self.http.get("/v1/boards/r/between" + query))
            return [e["member"] for e in page["entries"]]

        self.assertEqual(between("?min=10&max=20"), ["b", "c", "d", "e", "f"])
        self.assertEqual(between("?min=10&max=20&offset=1&limit=2"), ["c", "d"])
        self.assertEqual(between("?min=(30"), [])
        self.assertEqual(between(""), list("abcdefg"))
        for bad in ("?min=x", "?min=((1", "?max=nan", "?min=", "?min=100&max=10"):
            with self.subTest(bad=bad):
                answer = self.http.get("/v1/boards/r/count" + bad)
                self.assertIn(answer.status, (400, 422), str(answer))
                self.problem(answer, 400, "ERR")

    def test_the_parameter_that_is_wrong_is_named(self):
        for query, field in (("count?min=x", "min"), ("count?max=nan", "max"),
                             ("between?min=((1", "min"), ("rank-of?score=1&score=2", "score"),
                             ("quantile?p=x", "p"), ("changes?from=nonsense", "from"),
                             ("entries?limit=1001", "limit")):
            with self.subTest(query=query):
                answer = self.http.get("/v1/boards/r/" + query)
                self.problem(answer, answer.status, answer.json["code"], field=field)

    def test_a_plus_in_a_bound_is_a_plus(self):
        self.assertEqual(self.ok(self.http.get("/v1/boards/r/count?max=%2B10"))["count"], 4)

    def test_percentile_quantile_and_histogram(self):
        self.assertEqual(self.ok(self.http.get("/v1/boards/r/percentile?member=b")),
                         {"percentile": 66.6666, "worse": 4, "equal": 1, "count": 7})
        self.problem(self.http.get("/v1/boards/r/percentile?member=zz"), 404, "NOMEMBER")
        self.assertEqual([self.ok(self.http.get(f"/v1/boards/r/quantile?p={p}"))["score"]
                          for p in ("0", "50", "100", "85.8", "14.2")],
                         [["0"], ["10"], ["30"], ["30"], ["0"]])
        self.assertEqual(self.ok(self.http.get("/v1/boards/empty/quantile?p=50")), {"score": None})
        buckets = self.ok(self.http.get("/v1/boards/r/histogram?buckets=4"))["buckets"]
        self.assertEqual([(b["from"], b["to"], b["count"]) for b in buckets],
                         [("0", "8", 1), ("8", "16", 3), ("16", "24", 2), ("24", "32", 1)])
        self.assertEqual(sum(b["count"] for b in self.ok(
            self.http.get("/v1/boards/r/histogram?buckets=1000"))["buckets"]), 7)

    def test_reads_of_an_absent_board(self):
        for part in ("", "/entries", "/entries/a", "/entries/a/around", "/rank-of?score=1",
                     "/count",
                     "/count?min=1", "/between", "/percentile?member=a", "/quantile?p=1",
                     "/histogram", "/periods", "/changes", "/live"):
            with self.subTest(part=part):
                self.problem(self.http.get("/v1/boards/absent" + part), 404, "NOBOARD",
                             field="board")
        self.problem(self.http.post("/v1/boards/absent/among", {"members": ["a"]}), 404, "NOBOARD")

    def test_changes_as_json(self):
        board = self.board()
        start = self.ok(self.http.get(self.path(board, "changes") + "?from=$"))
        self.assertEqual(start["events"], [])
        self.http.submit(board, "ann", 1)
        self.http.submit(board, "bob", 2)
        self.http.delete(self.path(board, "entries", "ann"))
        page = self.ok(self.http.get(self.path(board, "changes") + f"?from={start['next']}"))
        self.assertEqual([(e["cause"], e.get("member")) for e in page["events"]],
                         [("put", "ann"), ("put", "bob"), ("removed", "ann")])
        self.assertRegex(page["events"][0]["reached"], support.STAMP)
        self.assertNotIn("stamp", page["events"][0])
        one = self.ok(self.http.get(self.path(board, "changes") + f"?from={start['next']}&limit=1"))
        self.assertEqual(len(one["events"]), 1)
        rest = self.ok(self.http.get(self.path(board, "changes") + f"?from={one['next']}"))
        self.assertEqual(one["events"] + rest["events"], page["events"])

    def test_the_last_changes(self):
        board = self.board()
        for i in range(5):
            self.http.submit(board, f"m{i}", i)
        page = self.ok(self.http.get(self.path(board, "changes")))
        last = self.ok(self.http.get(self.path(board, "changes") + "?from=-2"))
        self.assertEqual(last["events"], page["events"][-2:])

    def test_the_changes_of_one_member(self):
        board = self.board()
        self.http.submit(board, "ann", 1)
        self.http.submit(board, "bob", 1)
        self.http.delete(self.path(board, "entries", "ann"))
        of_ann = self.ok(self.http.get(self.path(board, "changes") + "?from=0&member=ann"))
        self.assertEqual([e["cause"] for e in of_ann["events"] if e.get("member")],
                         ["put", "removed"])

    def test_changes_wait_ends_with_an_event_and_without_one(self):
        board = self.board()
        cursor = self.ok(self.http.get(self.path(board, "changes") + "?from=$"))["next"]
        nothing = self.ok(self.http.get(self.path(board, "changes") + f"?from={cursor}&wait=50"))
        self.assertEqual(nothing["events"], [])
        waiting = self.server.raw()
        self.addCleanup(waiting.close)
        waiting.send(support.request("GET", self.path(board, "changes")
                                     + f"?from={cursor}&wait=60000"))
        self.assertTrue(waiting.is_silent())
        self.http.submit(board, "ann", 1)
        answer = waiting.read_answer()
        self.assertEqual([e["member"] for e in self.ok(answer)["events"]], ["ann"])


if __name__ == "__main__":
    support.main()
