"""Boards and templates: declaring, altering, dropping, listing, adopting."""

import support
from support import quoted


class Boards(support.ServerTest):
    def test_put_declares_repeats_and_refuses_another_spec(self):
        path = self.path("declared")
        made = self.ok(self.http.put(path, {}), 201)
        self.assertEqual(made["board"], "declared")
        self.assertEqual(made["policy"], "set")
        self.assertEqual(made["tie"], "first")
        self.assertEqual([(f["name"], f["type"], f["direction"]) for f in made["fields"]],
                         [("score", "int", "desc")])
        self.ok(self.http.put(path, {}), 200)
        self.ok(self.http.put(path, {"policy": "set", "tie": "first", "cap": 0,
                                     "fields": [{"name": "score"}]}), 200)
        self.problem(self.http.put(path, {"policy": "best"}), 409, "EXISTS")
        self.assertEqual(self.ok(self.http.get(path))["policy"], "set")

    def test_every_option_of_a_spec_comes_back(self):
        spec = {
            "fields": [{"name": "points", "type": "int", "direction": "desc"},
                       {"name": "time", "type": "decimal3", "direction": "asc"}],
            "policy": "best", "tie": "last", "cap": 50,
            "start": "2020-01-01T00:00:00Z", "end": "2090-01-01T00:00:00Z",
            "grace": "15m", "expire": "30d", "dedup": 5,
        }
        self.ok(self.http.put(self.path("every option"), spec), 201)
        shown = self.ok(self.http.get(self.path("every option")))
        for name, value in spec.items():
            if name == "fields":
                for given, got in zip(value, shown[name], strict=True):
                    self.assertEqual({k: got[k] for k in given}, given)
            elif name in ("start", "end"):
                self.assertEqual(shown[name][:19], value[:19])
            else:
                self.assertEqual(shown[name], value, name)

    def test_a_description_can_be_sent_back_as_the_spec_of_another_board(self):
        self.ok(self.http.put(self.path("original"), {"policy": "best", "cap": 7}), 201)
        shown = self.ok(self.http.get(self.path("original")))
        spec = {name: shown[name] for name in ("fields", "policy", "tie", "cap", "start", "end",
                                               "grace", "expire", "dedup")}
        spec = {name: value for name, value in spec.items() if value is not None}
        self.ok(self.http.put(self.path("copied"), spec), 201)
        again = self.ok(self.http.get(self.path("copied")))
        self.assertEqual(again["create"], shown["create"])

    def test_operators(self):
        fields = [{"name": "points", "operator": "sum"},
                  {"name": "deaths", "direction": "asc", "operator": "sum"},
                  {"name": "fastest", "type": "decimal2", "direction": "asc", "operator": "min"}]
        board = self.board(fields=fields)
        self.http.submit(board, "ann", [10, 1, "9.50"])
        verdict = self.ok(self.http.submit(board, "ann", [5, 2, "9.75"]))
        self.assertEqual(verdict["score"], ["15", "3", "9.50"])
        self.assertEqual(verdict["previous_score"], ["10", "1", "9.50"])

    def test_patch_changes_and_null_clears(self):
        board = self.board(policy="best", cap=3, end="2090-01-01T00:00:00Z", expire="1d")
        for i in range(3):
            self.http.submit(board, f"m{i}", i)
        altered = self.ok(self.http.patch(self.path(board), {"cap": 2}))
        self.assertEqual(altered["cap"], 2)
        self.assertEqual([m for m, _ in self.scores(board)], ["m2", "m1"])
        cleared = self.ok(self.http.patch(self.path(board), {"cap": None, "end": None,
                                                             "expire": None}))
        self.assertEqual((cleared["cap"], cleared["end"], cleared["expire"]), (0, None, None))
        self.assertEqual(cleared["policy"], "best")

    def test_patch_refuses_what_cannot_change(self):
        board = self.board()
        for spec in ({"tie": "last"}, {"fields": [{"name": "x"}]}, {"periods": ["day"]},
                     {"tz": "UTC"}, {"turn": "01:00"}, {"adopt": True}):
            with self.subTest(spec=spec):
                self.problem(self.http.patch(self.path(board), spec), 400, "ERR",
                             field=next(iter(spec)))

    def test_patch_of_an_absent_board(self):
        self.problem(self.http.patch(self.path("absent"), {"cap": 1}), 404, "NOBOARD")

    def test_delete_drops_the_declaration(self):
        board = self.board()
        self.http.submit(board, "ann", 1)
        self.ok(self.http.delete(self.path(board)))
        self.problem(self.http.get(self.path(board)), 404, "NOBOARD")
        self.problem(self.http.delete(self.path(board)), 404, "NOBOARD")
        self.ok(self.http.put(self.path(board), {"policy": "sum"}), 201)

    def test_names_that_are_refused(self):
        self.problem(self.http.put(self.path("a@b"), {}), 400, "ERR")
        long_name = "n" * 512
        self.ok(self.http.put(self.path(long_name), {}), 201)
        self.ok(self.http.delete(self.path(long_name)))
        answer = self.http.put(self.path(long_name + "n"), {})
        self.assertIn(answer.json["code"], ("LIMIT", "ERR"), str(answer))

    def test_specs_that_are_refused(self):
        bad = [
            {"policy": "worst"}, {"tie": 1}, {"cap": -1}, {"cap": "many"}, {"cap": 1.5},
            {"fields": []}, {"fields": [{"name": f"f{i}"} for i in range(9)]},
            {"fields": [{"type": "int"}]}, {"fields": [{"name": "x", "type": "double"}]},
            {"fields": [{"name": "x", "direction": "up"}]},
            {"fields": [{"name": "x", "colour": "red"}]},
            {"fields": [{"name": "x"}, {"name": "x"}]}, {"fields": "score"},
            {"periods": ["fortnight"]}, {"periods": ["day", "day"]}, {"periods": "day"},
            {"tz": "Mars/Olympus"}, {"turn": "24:00"}, {"unknown": 1}, {"feed": 10},
            {"start": "2030-01-01T00:00:00Z", "end": "2029-01-01T00:00:00Z"},
            {"start": 200000000000}, {"start": "2030-01-01T00:00:00"}, {"grace": "1 fortnight"},
            {"policy": "sum", "cap": 10}, {"adopt": "yes"},
        ]
        for spec in bad:
            with self.subTest(spec=spec):
                answer = self.http.put(self.path("refused"), spec)
                self.assertIn(answer.status, (400, 422), str(answer))
                self.problem(answer, answer.status, answer.json["code"])
                self.problem(self.http.get(self.path("refused")), 404, "NOBOARD")

    def test_the_list_has_pages_a_pattern_and_both_kinds(self):
        names = {f"listed:{i}" for i in range(25)}
        for name in names:
            self.ok(self.http.put(self.path(name), {}), 201)
        self.resp().ask("ZADD", "listed:set", "1", "x")
        seen, cursor, pages = [], None, 0
        while True:
            query = "?match=listed:*&limit=10" + (f"&cursor={quoted(cursor)}" if cursor else "")
            page = self.ok(self.http.get("/v1/boards" + query))
            seen += [board["board"] for board in page["boards"]]
            cursor, pages = page["cursor"], pages + 1
            if not cursor:
                break
            self.assertLess(pages, 100)
        self.assertEqual(sorted(seen), sorted(names))
        self.assertGreater(pages, 1)
        page = self.ok(self.http.get("/v1/boards?match=listed:*&kind=sorted-set&limit=1000"))
        self.assertEqual([board["board"] for board in page["boards"]], ["listed:set"])

    def test_a_listed_board_has_size_policy_periods_window_and_memory(self):
        board = self.board(policy="best", periods=["day", "all"],
                           start="2020-01-01T00:00:00Z", end="2021-01-01T00:00:00Z")
        page = self.ok(self.http.get(f"/v1/boards?match={board}&limit=1000"))
        shown, = page["boards"]
        self.assertEqual(shown["policy"], "best")
        self.assertEqual(shown["periods"], ["day", "all"])
        self.assertEqual(shown["size"], 0)
        self.assertGreater(shown["bytes"], 0)
        self.assertNotEqual(shown["window"], "open")

    def test_lists_refuse_bad_parameters(self):
        for query in ("?limit=0", "?limit=1001", "?limit=x", "?kind=both", "?what=1",
                      "?limit=1&limit=2"):
            with self.subTest(query=query):
                self.problem(self.http.get("/v1/boards" + query), 400, "ERR",
                             field=query[1:].split("=")[0])
        self.problem(self.http.get("/v1/boards?cursor=zz"), 400, "ERR")

    def test_a_bad_cursor_is_named_as_the_field(self):
        self.problem(self.http.get("/v1/boards?cursor=zz"), 400, "ERR", field="cursor")

    def test_adopt_turns_a_sorted_set_into_a_leaderboard(self):
        resp = self.resp()
        resp.ask("ZADD", "adopted", "3", "c", "1", "a", "3", "b", "2", "z")
        before = resp.ask("ZREVRANGE", "adopted", "0", "-1")
        self.problem(self.http.put(self.path("adopted"), {}), 409, "WRONGTYPE")
        self.ok(self.http.put(self.path("adopted"), {"adopt": True}), 201)
        self.assertEqual([m for m, _ in self.scores("adopted")], before)
        self.ok(self.http.put(self.path("adopted"), {"adopt": True}), 200)
        self.problem(self.http.put(self.path("nothing"), {"adopt": True}), 404, "NOBOARD")
        resp.ask("ZADD", "unfit", "1.5", "a", "2", "b")
        self.problem(self.http.put(self.path("unfit"), {"adopt": True}), 422, "BADSCORE")
        self.assertEqual(resp.ask("ZCARD", "unfit"), 2)

    def test_a_sorted_set_is_no_leaderboard(self):
        self.resp().ask("ZADD", "a set", "1", "x")
        for answer in (self.http.get(self.path("a set", "entries")),
                       self.http.get(self.path("a set", "entries", "x")),
                       self.http.submit("a set", "x", 2),
                       self.http.delete(self.path("a set", "entries", "x")),
                       self.http.get(self.path("a set"))):
            with self.subTest():
                self.problem(answer, 409, "WRONGTYPE")


class Templates(support.ServerTest):
    def test_put_get_list_and_delete(self):
        path = "/v1/templates/" + quoted("rank:*")
        self.ok(self.http.put(path, {"policy": "best"}), 201)
        self.ok(self.http.put(path, {"policy": "best", "cap": 3}), 200)
        shown = self.ok(self.http.get(path))
        self.assertEqual(shown["pattern"], "rank:*")
        self.assertEqual((shown["spec"]["policy"], shown["spec"]["cap"]), ("best", 3))
        listed = self.ok(self.http.get("/v1/templates"))["templates"]
        self.assertIn(shown, listed)
        verdict = self.ok(self.http.submit("rank:202410", "ann", 5))
        self.assertEqual(verdict["status"], "accepted")
        self.assertEqual(self.ok(self.http.get(self.path("rank:202410")))["cap"], 3)
        self.ok(self.http.delete(path))
        self.problem(self.http.get(path), 404, "NOBOARD")
        self.problem(self.http.submit("rank:202411", "ann", 5), 404, "NOBOARD")
        self.ok(self.http.get(self.path("rank:202410", "entries")))

    def test_the_longest_pattern_wins(self):
        self.ok(self.http.put("/v1/templates/" + quoted("t:*"), {"policy": "set"}), 201)
        self.ok(self.http.put("/v1/templates/" + quoted("t:long:*"), {"policy": "best"}), 201)
        self.http.submit("t:long:1", "a", 1)
        self.http.submit("t:1", "a", 1)
        self.assertEqual(self.ok(self.http.get(self.path("t:long:1")))["policy"], "best")
        self.assertEqual(self.ok(self.http.get(self.path("t:1")))["policy"], "set")

    def test_bad_specs_leave_no_template(self):
        for spec in ({"policy": "worst"}, {"adopt": True}, {"unknown": 1}):
            with self.subTest(spec=spec):
                self.problem(self.http.put("/v1/templates/bad", spec), 400, "ERR",
                             field=next(iter(spec)))
                self.assertEqual(self.http.get("/v1/templates/bad").status, 404)

    def test_a_submit_to_several_boards_uses_templates_too(self):
        self.ok(self.http.put("/v1/templates/" + quoted("multi:*"), {}), 201)
        body = {"submits": [{"board": f"multi:{i}", "member": "a", "score": i} for i in range(3)]}
        self.ok(self.http.post("/v1/submit", body))
        self.assertEqual(self.scores("multi:2"), [("a", ["2"])])
        body["submits"] = [{"board": "multi:new", "member": "a", "score": 1},
                           {"board": "not there", "member": "a", "score": 1}]
        self.problem(self.http.post("/v1/submit", body), 404, "NOBOARD")
        self.problem(self.http.get(self.path("multi:new")), 404, "NOBOARD")


if __name__ == "__main__":
    support.main()
