"""Exactly once: Idempotency-Key, and the same ids over RESP and HTTP."""

import threading

import support


class IdTest(support.ServerTest):
    def many(self, board, entries, key, **more):
        return self.http.post(self.path(board, "entries"), dict(entries=entries, **more),
                              headers={"Idempotency-Key": key})

    def several(self, submits, key, **more):
        return self.http.post("/v1/submit", dict(submits=submits, **more),
                              headers={"Idempotency-Key": key})


class Retries(IdTest):
    def test_a_retry_gets_the_first_verdict_marked_duplicate(self):
        board = self.board(policy="sum")
        first = self.ok(self.http.submit(board, "ann", 5, key="k1"))
        self.assertNotIn("duplicate", first)
        self.ok(self.http.submit(board, "ann", 7, key="k2"))
        again = self.ok(self.http.submit(board, "ann", 5, key="k1"))
        self.assertIs(again.pop("duplicate"), True)
        self.assertEqual(again, first)
        self.assertEqual(self.scores(board), [("ann", ["12"])])

    def test_every_spelling_of_the_same_write_is_the_same(self):
        board = self.board("spelled", policy="sum")
        bodies = ['{"member":"ann","score":10}', '{"score":["10.0"],"member":"ann"}',
                  '{"member_base64":"YW5u","score":{"score":"1e1"}}',
                  '{"op":"submit","member":"\\u0061nn","score":[10]}']
        for i, body in enumerate(bodies):
            answer = self.ok(self.http.post(self.path(board, "entries"), raw=body.encode(),
                                            headers={"Idempotency-Key": "one"}))
            self.assertEqual("duplicate" in answer, i > 0, body)
        self.assertEqual(self.scores(board), [("ann", ["10"])])

    def test_another_write_under_the_id_is_refused(self):
        board = self.board()
        self.http.submit(board, "ann", 5, key="k")
        for other in (dict(member="ann", score=6), dict(member="bob", score=5),
                      dict(member="ann", score=5, op="set"), dict(member="ann", score=5, op="incr"),
                      dict(member="ann", score=5, meta="x"),
                      dict(member="ann", score=5, at=1700000000),
                      {"member": "ann", "score": 5, "if": "absent"},
                      dict(entries=[dict(member="ann", score=5)])):
            with self.subTest(other=other):
                answer = self.http.post(self.path(board, "entries"), other,
                                        headers={"Idempotency-Key": "k"})
                self.problem(answer, 422, "REUSED")
        self.assertEqual(self.scores(board), [("ann", ["5"])])

    def test_errors_are_not_remembered(self):
        board = self.board()
        self.problem(self.http.submit(board, "ann", "x", key="k"), 422, "BADSCORE")
        self.assertNotIn("duplicate", self.ok(self.http.submit(board, "ann", 1, key="k")))

    def test_ids_are_those_of_one_board(self):
        for name in ("ids a", "ids b"):
            self.board(name)
            self.assertNotIn("duplicate", self.ok(self.http.submit(name, "ann", 1, key="k")))

    def test_many_entries(self):
        board = self.board(policy="sum")
        entries = [dict(member="a", score=1), dict(member="b", score=2)]
        first = self.ok(self.many(board, entries, "k"))
        again = self.ok(self.many(board, entries, "k"))
        for old, new in zip(first["verdicts"], again["verdicts"], strict=True):
            self.assertIs(new.pop("duplicate"), True)
            self.assertEqual(old, new)
        self.assertEqual(self.scores(board), [("b", ["2"]), ("a", ["1"])])
        self.problem(self.many(board, entries[::-1], "k"), 422, "REUSED")
        self.problem(self.many(board, entries[:1], "k"), 422, "REUSED")

    def test_dedup_0_refuses_ids_and_n_forgets(self):
        board = self.board(dedup=0)
        self.problem(self.http.submit(board, "ann", 1, key="k"), 400, "ERR")
        self.assertEqual(self.scores(board), [])
        small = self.board("small dedup", dedup=2)
        for key in ("1", "2", "3"):
            self.ok(self.http.submit(small, "ann", 1, key=key))
        self.assertNotIn("duplicate", self.ok(self.http.submit(small, "ann", 1, key="1")))

    def test_keys_at_their_limit(self):
        board = self.board()
        self.ok(self.http.submit(board, "ann", 1, key="k" * 128))
        for key in ("k" * 129, ""):
            with self.subTest(key=key):
                answer = self.http.submit(board, "ann", 1, key=key)
                self.assertIn(answer.status, (400, 413), str(answer))
                self.problem(answer, answer.status, answer.json["code"])

    def test_a_key_that_is_too_long_is_named_as_the_field(self):
        answer = self.http.submit(self.board(), "ann", 1, key="k" * 129)
        self.problem(answer, answer.status, answer.json["code"], field="Idempotency-Key")

    def test_a_repeated_header_is_refused(self):
        board = self.board()
        body = b'{"member":"ann","score":1}'
        raw = self.raw()
        raw.send(support.request("POST", self.path(board, "entries"), body,
                                 ["Idempotency-Key: a", "Idempotency-Key: b"]))
        self.problem(raw.read_answer(), 400, "ERR")
        self.assertEqual(self.scores(board), [])

    def test_routes_that_remember_no_id_refuse_one(self):
        board = self.board()
        self.http.submit(board, "ann", 1)
        for method, path, body in (
                ("GET", self.path(board), None), ("GET", self.path(board, "entries"), None),
                ("GET", "/v1/boards", None), ("PUT", self.path(board), {}),
                ("PATCH", self.path(board), {"cap": 0}), ("DELETE", self.path(board), None),
                ("DELETE", self.path(board, "entries", "ann"), None),
                ("PUT", self.path(board, "entries", "ann", "hidden"), None),
                ("DELETE", self.path(board, "entries", "ann", "hidden"), None),
                ("PUT", self.path(board, "entries", "ann", "meta"), {"meta": "x"}),
                ("POST", self.path(board, "among"), {"members": ["ann"]}),
                ("POST", self.path(board, "remove"), {"members": ["ann"]}),
                ("POST", self.path(board, "pop"), {"n": 1}),
                ("POST", self.path(board, "trim"), {"n": 0}),
                ("POST", self.path(board, "clear"), {}),
                ("POST", "/v1/read", {"reads": [{"read": "board", "board": board}]}),
                ("PUT", "/v1/templates/x", {}), ("GET", self.path(board, "live"), None),
                ("GET", self.path(board, "changes"), None), ("GET", "/v1/whoami", None)):
            with self.subTest(method=method, path=path):
                answer = self.http.ask(method, path, body, headers={"Idempotency-Key": "k"})
                self.problem(answer, 400, "ERR", field="Idempotency-Key")
        self.assertEqual(self.scores(board), [("ann", ["1"])])
        self.assertEqual(self.ok(self.http.get("/v1/templates"))["templates"], [])

    def test_ids_survive_a_kill(self):
        server = support.Server().start()
        self.addCleanup(server.close)
        client = server.client()
        client.put("/v1/boards/b", {"policy": "sum"})
        first = client.submit("b", "ann", 5, key="k").json
        both = {"submits": [{"board": "b", "member": "bob", "score": 1}]}
        client.post("/v1/submit", both, headers={"Idempotency-Key": "k2"})
        server.kill()
        server.start()
        client = server.client()
        again = client.submit("b", "ann", 5, key="k").json
        self.assertIs(again.pop("duplicate"), True)
        self.assertEqual(again, first)
        again = client.post("/v1/submit", both, headers={"Idempotency-Key": "k2"}).json
        self.assertIs(again["verdicts"][0]["duplicate"], True)


class OneWriteOverTwoProtocols(IdTest):
    def test_resp_then_http(self):
        board = self.board(policy="sum")
        first = self.resp().ask("LB.SUBMIT", board, "ann", "10", "ID", "k")
        again = self.ok(self.http.submit(board, "ann", "10.0", key="k"))
        self.assertIs(again["duplicate"], True)
        self.assertEqual(again["rank"], first["rank"])
        self.problem(self.http.submit(board, "ann", 11, key="k"), 422, "REUSED")

    def test_http_then_resp(self):
        board = self.board(policy="sum")
        resp = self.resp()
        at = "2023-11-14T22:13:20Z"
        self.ok(self.http.submit(board, "ann", 10, key="k", op="incr", at=at, meta="m"))
        again = resp.ask("LB.INCR", board, "ann", "1e1", "META", "m", "ID", "k", "AT", "1700000000")
        self.assertIs(again["duplicate"], True)
        with self.assertRaisesRegex(support.RespError, "^REUSED"):
            resp.ask("LB.SUBMIT", board, "ann", "10", "META", "m", "ID", "k", "AT", "1700000000")

    def test_set_with_a_condition(self):
        board = self.board()
        self.ok(self.http.submit(board, "ann", 1, key="k", op="set", **{"if": "absent"}))
        again = self.resp().ask("LB.SET", board, "ann", "1", "NX", "ID", "k")
        self.assertIs(again["duplicate"], True)

    def test_many(self):
        board = self.board(policy="sum")
        self.resp().ask("LB.MSUBMIT", board, "2", "a", "1", "b", "2", "ID", "k")
        again = self.ok(self.many(board, [dict(member="a", score=1), dict(member="b", score=2)],
                                  "k"))
        self.assertTrue(all(verdict["duplicate"] for verdict in again["verdicts"]))

    def test_racing_retries_count_once(self):
        board = self.board(policy="sum")
        rounds, threads = 40, 6
        duplicates, errors = [], []
        barrier = threading.Barrier(threads)

        def run(number):
            try:
                resp = self.server.resp() if number % 2 else None
                http = self.server.client()
                for i in range(rounds):
                    barrier.wait(support.LIMIT_S)
                    if resp:
                        verdict = resp.ask("LB.SUBMIT", board, "ann", "1", "ID", f"k{i}")
                    else:
                        verdict = http.submit(board, "ann", 1, key=f"k{i}").json
                    duplicates.append(bool(verdict.get("duplicate")))
            except Exception as error:  # pylint: disable=broad-except
                errors.append(error)
                barrier.abort()

        workers = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(errors, [])
        self.assertEqual(duplicates.count(False), rounds)
        self.assertEqual(self.scores(board), [("ann", [str(rounds)])])


class SeveralBoards(IdTest):
    def boards(self, count=2, **spec):
        return [self.board(f"{self._testMethodName}{i}", **spec) for i in range(count)]

    def test_all_or_nothing(self):
        a, b = self.boards()
        self.http.submit(b, "full", (1 << 63) - 1)
        good = dict(board=a, member="x", score=1)
        for bad, status, code in (
                (dict(board="absent", member="x", score=1), 404, "NOBOARD"),
                (dict(board=b, member="x", score="q"), 422, "BADSCORE"),
                (dict(board=b, member="x", score=[1, 2]), 400, "ERR"),
                (dict(board=b, member="x", score="9" * 30), 422, "OVERFLOW"),
                (dict(board=b, member="m" * 1025, score=1), 413, "LIMIT"),
                (dict(board=b, member="x"), 400, "ERR"),
                (dict(board=b, member="x", score=1, op="set"), 400, "ERR"),
                (dict(board=b, member="x", score=1, meta="m"), 400, "ERR")):
            for submits in ([good, bad], [bad, good]):
                with self.subTest(submits=submits):
                    self.problem(self.http.post("/v1/submit", {"submits": submits}), status, code)
                    self.assertEqual(self.scores(a), [])

    def test_an_overflow_on_the_second_board_undoes_the_first(self):
        a, b = self.boards(policy="sum")
        self.http.submit(b, "x", (1 << 63) - 1)
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=1)]
        self.problem(self.http.post("/v1/submit", {"submits": submits}), 422, "OVERFLOW")
        self.assertEqual(self.scores(a), [])

    def test_a_closed_window_on_one_board_refuses_all(self):
        a = self.board()
        b = self.board("closed one", end="2021-01-01T00:00:00Z")
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=1)]
        self.problem(self.http.post("/v1/submit", {"submits": submits}), 409, "CLOSED")
        self.assertEqual(self.scores(a), [])

    def test_the_same_board_and_member_twice(self):
        a, _ = self.boards(policy="sum")
        submits = [dict(board=a, member="x", score=1), dict(board=a, member="y", score=5),
                   dict(board=a, member="x", score=2)]
        answer = self.http.post("/v1/submit", {"submits": submits})
        if answer.status == 200:
            self.assertEqual(self.scores(a), [("y", ["5"]), ("x", ["3"])])
            self.assertEqual([v["score"] for v in answer.json["verdicts"]], [["1"], ["5"], ["3"]])
        else:
            self.problem(answer, 400, "ERR")
            self.assertEqual(self.scores(a), [])

    def test_verdicts_are_in_the_order_of_the_submits(self):
        a, b = self.boards()
        submits = [dict(board=b, member="x", score=1), dict(board=a, member="y", score=2),
                   dict(board=b, member="z", score=3)]
        verdicts = self.ok(self.http.post("/v1/submit", {"submits": submits}))["verdicts"]
        self.assertEqual([v["score"] for v in verdicts], [["1"], ["2"], ["3"]])
        self.assertEqual([v["rank"] for v in verdicts], [2, 1, 1])

    def test_a_retry_changes_nothing(self):
        a, b = self.boards(policy="sum")
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        first = self.ok(self.several(submits, "k"))
        again = self.ok(self.several(submits, "k"))
        for old, new in zip(first["verdicts"], again["verdicts"], strict=True):
            self.assertIs(new.pop("duplicate"), True)
            self.assertEqual(old, new)
        self.assertEqual(self.scores(a) + self.scores(b), [("x", ["1"]), ("x", ["2"])])

    def test_an_id_known_on_some_boards_only_is_refused(self):
        a, b = self.boards()
        self.ok(self.http.submit(a, "x", 1, key="k"))
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        self.problem(self.several(submits, "k"), 422, "REUSED")
        self.problem(self.several(submits[::-1], "k"), 422, "REUSED")
        self.assertEqual(self.scores(b), [])

    def test_an_id_known_for_other_contents_is_refused(self):
        a, b, c = self.boards(3, policy="sum")
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        self.ok(self.several(submits, "k"))
        for other in ([submits[0]], [submits[1]], submits[::-1],
                      submits + [dict(board=c, member="x", score=1)],
                      [submits[0], dict(board=b, member="x", score=3)],
                      [submits[0], dict(board=b, member="y", score=2)],
                      submits + [dict(board=b, member="y", score=2)]):
            with self.subTest(other=other):
                answer = self.several(other, "k")
                if other in ([submits[0]], [submits[1]], submits[::-1]) and answer.status == 200:
                    # The id is known on every board named, for what each of them was asked.
                    self.assertTrue(all(v["duplicate"] for v in answer.json["verdicts"]))
                else:
                    self.problem(answer, 422, "REUSED")
        self.problem(self.http.submit(a, "x", 7, key="k"), 422, "REUSED")
        self.assertEqual(self.scores(a) + self.scores(b) + self.scores(c),
                         [("x", ["1"]), ("x", ["2"])])

    def test_a_refused_submit_remembers_its_id_nowhere(self):
        a, b = self.boards()
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score="bad")]
        self.problem(self.several(submits, "k"), 422, "BADSCORE")
        submits[1]["score"] = 2
        verdicts = self.ok(self.several(submits, "k"))["verdicts"]
        self.assertFalse(any("duplicate" in verdict for verdict in verdicts))

    def test_one_board_that_refuses_ids_refuses_all(self):
        a = self.board()
        b = self.board("no ids", dedup=0)
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        self.problem(self.several(submits, "k"), 400, "ERR")
        self.assertEqual(self.scores(a) + self.scores(b), [])
        self.ok(self.http.post("/v1/submit", {"submits": submits}))

    def test_bodies_that_are_refused(self):
        for body in ({}, {"submits": []}, {"submits": {}}, {"submits": [1]}, {"submits": [{}]},
                     {"submits": [], "at": 1}, {"submit": []}):
            with self.subTest(body=body):
                self.problem(self.http.post("/v1/submit", body), 400, "ERR")

    def test_at_is_the_stamp_of_all(self):
        a, b = self.boards()
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        verdicts = self.ok(self.http.post("/v1/submit", {"submits": submits, "at": 1700000000}))
        self.assertEqual({v["reached"] for v in verdicts["verdicts"]},
                         {"2023-11-14T22:13:20.000000Z"})

    def test_an_instance_name_is_refused(self):
        a = self.board(periods=["day", "all"])
        self.problem(self.http.post("/v1/submit", {"submits": [
            dict(board=f"{a}@day", member="x", score=1)]}), 400, "ERR")
        verdicts = self.ok(self.http.post("/v1/submit", {"submits": [
            dict(board=a, member="x", score=1)]}))["verdicts"]
        self.assertEqual(verdicts[0]["periods"]["all"]["rank"], 1)

    def test_the_entries_of_one_submit_reach_the_feed_of_each_board(self):
        a, b = self.boards()
        submits = [dict(board=a, member="x", score=1), dict(board=b, member="x", score=2)]
        self.ok(self.http.post("/v1/submit", {"submits": submits}))
        for board in (a, b):
            events = self.ok(self.http.get(self.path(board, "changes")))["events"]
            self.assertEqual([e["cause"] for e in events], ["created", "put"])


if __name__ == "__main__":
    support.main()
