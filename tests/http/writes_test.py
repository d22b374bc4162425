"""Writes of entries: verdicts, meta, hiding, removal, caps, and which bodies are refused."""

import support


class Writes(support.ServerTest):
    def test_a_verdict_says_what_happened(self):
        board = self.board(policy="best")
        first = self.ok(self.http.submit(board, "ann", 10))
        self.assertEqual((first["status"], first["rank"], first["previous_rank"], first["score"],
                          first["previous_score"]), ("accepted", 1, None, ["10"], None))
        self.assertRegex(first["reached"], support.STAMP)
        again = self.ok(self.http.submit(board, "ann", 10))
        self.assertEqual((again["status"], again["reached"]), ("unchanged", first["reached"]))
        worse = self.ok(self.http.submit(board, "ann", 9))
        self.assertEqual((worse["status"], worse["score"]), ("not-best", ["10"]))
        self.ok(self.http.submit(board, "bob", 20))
        better = self.ok(self.http.submit(board, "ann", 30))
        self.assertEqual((better["rank"], better["previous_rank"]), (1, 2))

    def test_set_and_incr_whatever_the_policy(self):
        board = self.board(policy="best")
        self.http.submit(board, "ann", 10)
        self.assertEqual(self.ok(self.http.submit(board, "ann", 3, op="set"))["score"], ["3"])
        self.assertEqual(self.ok(self.http.submit(board, "ann", -5, op="incr"))["score"], ["-2"])
        self.assertEqual(self.ok(self.http.submit(board, "new", 4, op="incr"))["score"], ["4"])
        self.assertEqual(self.ok(self.http.submit(board, "ann", 1, op="submit"))["score"], ["1"])

    def test_if_absent_and_present(self):
        board = self.board()
        skipped = self.ok(self.http.submit(board, "ann", 1, **{"if": "present"}))
        self.assertEqual(skipped["status"], "skipped")
        self.ok(self.http.submit(board, "ann", 1, **{"if": "absent"}))
        skipped = self.ok(self.http.submit(board, "ann", 2, **{"if": "absent"}))
        self.assertEqual((skipped["status"], skipped["score"]), ("skipped", ["1"]))
        taken = self.ok(self.http.submit(board, "ann", 3, **{"if": "present"}))
        self.assertEqual(taken["status"], "accepted")

    def test_at_is_the_stamp_in_every_spelling_of_a_time(self):
        board = self.board()
        spellings = ["2023-11-14T22:13:20.000001Z", 1700000000.000001, "1700000000.000001",
                     "1700000000000001us", "2023-11-15T06:13:20.000001+08:00"]
        for at in spellings:
            with self.subTest(at=at):
                verdict = self.ok(self.http.submit(board, f"m{at}", 1, at=at))
                self.assertEqual(verdict["reached"], "2023-11-14T22:13:20.000001Z")
        verdict = self.ok(self.http.submit(board, "ms", 1, at="1700000000123ms"))
        self.assertEqual(verdict["reached"], "2023-11-14T22:13:20.123000Z")

    def test_times_that_are_refused(self):
        board = self.board()
        for at in ("2090-01-01T00:00:00Z", "2023-11-14T22:13:20", "yesterday", 200000000000, "",
                   True, None, [], "1700000000.0000001"):
            with self.subTest(at=at):
                answer = self.http.submit(board, "ann", 1, at=at)
                self.assertIn(answer.status, (400, 422), str(answer))
                self.problem(answer, answer.status, "BADTIME" if answer.status == 422 else "ERR",
                             field="at")
        self.problem(self.http.submit(board, "ann", 1, at="2090-01-01T00:00:00Z"), 422, "BADTIME")
        self.assertEqual(self.scores(board), [])

    def test_many_are_all_or_nothing(self):
        board = self.board()
        body = {"entries": [{"member": "a", "score": 1}, {"member": "b", "score": "x"}]}
        self.problem(self.http.post(self.path(board, "entries"), body), 422, "BADSCORE")
        self.assertEqual(self.scores(board), [])
        body["entries"][1]["score"] = 2
        verdicts = self.ok(self.http.post(self.path(board, "entries"), body))["verdicts"]
        self.assertEqual([v["rank"] for v in verdicts], [2, 1])
        self.assertEqual([v["score"] for v in verdicts], [["1"], ["2"]])

    def test_many_with_at(self):
        board = self.board()
        body = {"entries": [{"member": "a", "score": 1}], "at": "2023-11-14T22:13:20Z"}
        verdicts = self.ok(self.http.post(self.path(board, "entries"), body))["verdicts"]
        self.assertEqual(verdicts[0]["reached"], "2023-11-14T22:13:20.000000Z")

    def test_bodies_that_are_refused(self):
        board = self.board()
        one = {"member": "a", "score": 1}
        bad = [
            {}, {"member": "a"}, {"score": 1}, {"member": 1.0, "score": 1},
            {"member": "a", "score": None}, {"member": "a", "score": True},
            {"member": "a", "score": 1, "op": "add"}, {"member": "a", "score": 1, "if": "maybe"},
            {"member": "a", "score": 1, "unknown": 1}, {"entries": []}, {"entries": {}},
            {"entries": [one], "member": "a", "score": 1}, {"entries": [one], "op": "incr"},
            {"entries": [one], "if": "absent"}, {"entries": [one], "meta": "x"},
            {"entries": [dict(one, meta="x")]}, {"entries": [dict(one, at=1)]},
            {"entries": [one, "a"]}, {"entries": [one, {"member": "b"}]}, [], [one], "a", 1, None,
            {"member": "a", "member_base64": "YQ==", "score": 1}, {"member": None, "score": 1},
        ]
        for body in bad:
            with self.subTest(body=body):
                raw = support.json.dumps(body).encode()
                answer = self.http.post(self.path(board, "entries"), raw=raw)
                self.problem(answer, 400, "ERR")
                self.assertEqual(self.scores(board), [])

    def test_an_integer_is_the_member_that_its_text_is(self):
        board = self.board()
        self.ok(self.http.submit(board, 12345678901234567890, 1))
        self.ok(self.http.post(self.path(board, "entries"), {"entries": [
            {"member": -7, "score": 2}, {"member": "0", "score": 3}]}))
        self.assertEqual(self.scores(board), [("0", ["3"]), ("-7", ["2"]),
                                              ("12345678901234567890", ["1"])])
        self.assertEqual(self.ok(self.http.submit(board, "-7", 2))["status"], "unchanged")
        among = self.ok(self.http.post(self.path(board, "among"), {"members": [-7, "0", 0]}))
        self.assertEqual([entry["member"] for entry in among["entries"]], ["0", "-7"])
        read = {"reads": [{"read": "entry", "board": board, "member": 0}]}
        self.assertEqual(self.ok(self.http.post("/v1/read", read))["results"][0]["member"], "0")
        self.assertEqual(self.ok(self.http.post(self.path(board, "remove"), {"members": [0, -7]})),
                         {"removed": 2})

    def test_meta_comes_and_goes_with_the_score(self):
        board = self.board()
        self.http.submit(board, "ann", 1, meta="first")
        self.http.submit(board, "ann", 1, meta="same score")
        entry, = self.entries(board, "?meta=1")
        self.assertEqual(entry["meta"], "first")
        self.http.submit(board, "ann", 2)
        self.assertEqual(self.entries(board, "?meta=1")[0]["meta"], "first")
        self.http.submit(board, "ann", 3, meta="third")
        self.assertEqual(self.entries(board, "?meta=true")[0]["meta"], "third")
        self.assertNotIn("meta", self.entries(board, "?meta=0")[0])
        self.assertNotIn("meta", self.entries(board)[0])

    def test_meta_alone(self):
        board = self.board()
        self.http.submit(board, "ann", 1)
        path = self.path(board, "entries", "ann", "meta")
        self.ok(self.http.put(path, {"meta": "Ann A."}))
        get = self.path(board, "entries", "ann") + "?meta=1"
        self.assertEqual(self.ok(self.http.get(get))["meta"], "Ann A.")
        self.ok(self.http.put(path, {"meta": ""}))
        self.assertIsNone(self.ok(self.http.get(get))["meta"])
        absent = self.path(board, "entries", "bob", "meta")
        self.problem(self.http.put(absent, {"meta": "x"}), 404, "NOMEMBER")
        for body in ({}, {"meta": 1}, {"meta": None}, {"meta": "x", "more": 1}):
            with self.subTest(body=body):
                self.problem(self.http.put(path, body), 400, "ERR")

    def test_meta_at_its_limit(self):
        board = self.board()
        self.ok(self.http.submit(board, "ann", 1, meta="x" * 4096))
        self.problem(self.http.submit(board, "bob", 1, meta="x" * 4097), 413, "LIMIT")
        path = self.path(board, "entries", "ann", "meta")
        self.problem(self.http.put(path, {"meta": "x" * 4097}), 413, "LIMIT")
        self.assertEqual(len(self.scores(board)), 1)

    def test_hide_and_show(self):
        board = self.board()
        for i, member in enumerate(("a", "b", "c")):
            self.http.submit(board, member, i)
        hidden = self.path(board, "entries", "b", "hidden")
        self.ok(self.http.put(hidden))
        self.assertEqual([m for m, _ in self.scores(board)], ["c", "a"])
        entry = self.ok(self.http.get(self.path(board, "entries", "b")))
        self.assertEqual((entry["rank"], entry["score"], entry["count"]), (None, ["1"], 2))
        verdict = self.ok(self.http.submit(board, "b", 50))
        self.assertEqual((verdict["hidden"], verdict["rank"]), (True, None))
        self.problem(self.http.get(self.path(board, "entries", "b", "around")), 404, "NOMEMBER")
        among = self.ok(self.http.post(self.path(board, "among"), {"members": ["b", "a"]}))
        self.assertEqual([(e["member"], e["rank"], e["score"]) for e in among["entries"]],
                         [("a", 2, ["0"]), ("b", None, ["50"])])
        self.ok(self.http.delete(hidden))
        self.assertEqual([m for m, _ in self.scores(board)], ["b", "c", "a"])
        self.assertEqual(self.ok(self.http.delete(hidden)), {"changed": 0})

    def test_a_mark_may_precede_the_entry(self):
        board = self.board()
        self.ok(self.http.put(self.path(board, "entries", "early", "hidden")))
        self.ok(self.http.submit(board, "early", 9))
        self.assertEqual(self.scores(board), [])
        self.ok(self.http.delete(self.path(board, "entries", "early", "hidden")))
        self.assertEqual(self.scores(board), [("early", ["9"])])

    def test_remove_one_and_several(self):
        board = self.board()
        for i in range(5):
            self.http.submit(board, f"m{i}", i)
        self.ok(self.http.delete(self.path(board, "entries", "m0")))
        self.problem(self.http.delete(self.path(board, "entries", "m0")), 404, "NOMEMBER")
        removed = self.ok(self.http.post(self.path(board, "remove"),
                                         {"members": ["m1", "m2", "absent", "m1"]}))
        self.assertEqual(removed, {"removed": 2})
        self.assertEqual([m for m, _ in self.scores(board)], ["m4", "m3"])
        self.assertEqual(self.ok(self.http.post(self.path(board, "remove"),
                                                {"members": ["absent"]})), {"removed": 0})

    def test_pop_trim_and_clear(self):
        board = self.board()
        for i in range(6):
            self.http.submit(board, f"m{i}", i)
        best = self.ok(self.http.post(self.path(board, "pop"), {"n": 2}))
        self.assertEqual([(e["member"], e["rank"]) for e in best["entries"]],
                         [("m5", 1), ("m4", 2)])
        worst = self.ok(self.http.post(self.path(board, "pop"), {"n": 1, "bottom": True}))
        self.assertEqual([e["member"] for e in worst["entries"]], ["m0"])
        self.assertEqual(self.ok(self.http.post(self.path(board, "trim"), {"n": 1})),
                         {"removed": 2})
        self.assertEqual(self.scores(board), [("m3", ["3"])])
        self.assertEqual(self.ok(self.http.post(self.path(board, "clear"), {})), {"removed": 1})
        self.assertEqual(self.scores(board), [])
        self.ok(self.http.get(self.path(board)))

    def test_bodies_of_pop_trim_clear_and_remove_are_strict(self):
        board = self.board()
        self.http.submit(board, "a", 1)
        for verb, bodies in (
                ("pop", ({}, {"n": "1"}, {"n": 1.5}, {"n": -1}, {"n": 1, "bottom": 1},
                         {"n": 1, "x": 1}, {"n": 10**30})),
                ("trim", ({}, {"n": -1}, {"n": "x"}, {"n": 1, "bottom": True}, {"n": 10**30})),
                ("clear", ({"n": 1}, [])),
                ("remove", ({}, {"members": []}, {"members": "a"}, {"members": [1.0]},
                            {"members": [None]}, {"members": ["a"], "n": 1})),
                ("among", ({}, {"members": "a"}, {"members": [["a"]]}))):
            for body in bodies:
                with self.subTest(verb=verb, body=body):
                    answer = self.http.post(self.path(board, verb), body)
                    self.problem(answer, 400, "ERR")
        self.assertEqual(self.scores(board), [("a", ["1"])])

    def test_a_capped_board_says_what_a_write_needs(self):
        board = self.board(policy="best", cap=2)
        self.http.submit(board, "a", 10)
        self.http.submit(board, "b", 20)
        verdict = self.ok(self.http.submit(board, "c", 10))
        self.assertEqual((verdict["status"], verdict["rank"], verdict["needs"]),
                         ("not-ranked", None, ["11"]))
        self.assertEqual(self.ok(self.http.submit(board, "c", 11))["rank"], 2)
        self.assertEqual([m for m, _ in self.scores(board)], ["b", "c"])
        self.problem(self.http.submit(board, "c", 1, op="incr"), 400, "ERR")
        self.ok(self.http.put(self.path(board, "entries", "b", "hidden")))
        self.ok(self.http.submit(board, "d", 1))
        self.assertEqual([m for m, _ in self.scores(board)], ["c", "d"])
        self.ok(self.http.delete(self.path(board, "entries", "b", "hidden")))
        self.assertEqual([m for m, _ in self.scores(board)], ["b", "c"])

    def test_writes_to_an_absent_board(self):
        absent = "absent"
        for answer in (
                self.http.submit(absent, "a", 1),
                self.http.post(self.path(absent, "entries"),
                               {"entries": [{"member": "a", "score": 1}]}),
                self.http.post("/v1/submit",
                               {"submits": [{"board": absent, "member": "a", "score": 1}]}),
                self.http.delete(self.path(absent, "entries", "a")),
                self.http.put(self.path(absent, "entries", "a", "hidden")),
                self.http.put(self.path(absent, "entries", "a", "meta"), {"meta": "x"}),
                self.http.post(self.path(absent, "remove"), {"members": ["a"]}),
                self.http.post(self.path(absent, "pop"), {"n": 1}),
                self.http.post(self.path(absent, "trim"), {"n": 1}),
                self.http.post(self.path(absent, "clear"), {})):
            with self.subTest(answer=str(answer)):
                self.problem(answer, 404, "NOBOARD")


if __name__ == "__main__":
    support.main()
