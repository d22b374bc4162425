"""ETag, If-None-Match and 304: a page is new after everything that changes it."""

import support


class Caching(support.ServerTest):
    def filled(self, **spec):
        board = self.board(**spec)
        for i, member in enumerate(("a", "b", "c")):
            self.ok(self.http.submit(board, member, i + 1))
        return board

    def tag(self, path):
        answer = self.http.get(path)
        self.assertEqual(answer.status, 200, str(answer))
        tag = answer.header("etag")
        self.assertRegex(tag or "", r'^(W/)?"[^"]+"$', str(answer))
        return tag

    def is_fresh(self, path, tag):
        """Whether the tag is still that of the page: 304."""
        answer = self.http.get(path, headers={"If-None-Match": tag})
        if answer.status == 304:
            self.assertEqual(answer.body, b"")
            self.assertEqual(answer.header("etag"), tag)
            self.check_headers(answer)
            return True
        self.assertEqual(answer.status, 200, str(answer))
        self.assertNotEqual(answer.header("etag"), tag)
        return False

    def pages(self, board):
        return [self.path(board, "entries"), self.path(board, "entries") + "?limit=1&offset=1",
                self.path(board, "entries", "b"), self.path(board, "entries", "b", "around"),
                self.path(board, "between"), self.path(board, "count"),
                self.path(board, "count") + "?min=1",
                self.path(board, "percentile") + "?member=b",
                self.path(board, "quantile") + "?p=50", self.path(board, "histogram")]

    def test_every_page_has_a_tag_and_304(self):
        board = self.filled()
        for path in self.pages(board):
            with self.subTest(path=path):
                self.assertTrue(self.is_fresh(path, self.tag(path)))

    def test_the_openapi_document_names_the_answers_with_a_tag(self):
        board = self.filled()
        document = self.ok(self.http.get("/openapi.json"))
        asked = 0
        for pattern, methods in document["paths"].items():
            if "get" not in methods or pattern.endswith("/live"):
                continue
            query = "&".join(
                f"{parameter['name']}=" + {"member": "b", "score": "1", "p": "50"}[parameter["name"]]
                for parameter in methods["get"]["parameters"]
                if parameter.get("in") == "query" and parameter.get("required"))
            path = pattern.replace("{board}", board).replace("{member}", "b")
            answer = self.http.get(path + ("?" + query if query else ""))
            if answer.status == 404:  # no such template, no such file of the console
                continue
            with self.subTest(path=path):
                headers = methods["get"]["responses"]["200"]["headers"]
                self.assertEqual(answer.status, 200, str(answer))
                self.assertEqual(answer.header("etag") is not None, "ETag" in headers)
                asked += 1
        self.assertGreater(asked, 20)

    def test_the_version_of_a_page_is_its_tag(self):
        board = self.filled()
        answer = self.http.get(self.path(board, "entries"))
        self.assertEqual(answer.header("etag").strip('W/"'), str(answer.json["version"]))

    def test_every_change_makes_a_new_version(self):
        board = self.filled(policy="set")
        member = self.path(board, "entries", "b")
        changes = [
            ("a submit", lambda: self.http.submit(board, "d", 9)),
            ("a set", lambda: self.http.submit(board, "d", 8, op="set")),
            ("an increment", lambda: self.http.submit(board, "d", 1, op="incr")),
            ("many", lambda: self.http.post(self.path(board, "entries"), {
                "entries": [{"member": "e", "score": 1}]})),
            ("several boards", lambda: self.http.post("/v1/submit", {
                "submits": [{"board": board, "member": "f", "score": 1}]})),
            ("another stamp", lambda: self.http.submit(board, "f", 1, op="set", at=1700000000)),
            ("meta", lambda: self.http.put(member + "/meta", {"meta": "x"})),
            ("no meta", lambda: self.http.put(member + "/meta", {"meta": ""})),
            ("hide", lambda: self.http.put(member + "/hidden")),
            ("a write of a hidden member", lambda: self.http.submit(board, "b", 77)),
            ("show", lambda: self.http.delete(member + "/hidden")),
            ("a removal", lambda: self.http.delete(self.path(board, "entries", "d"))),
            ("removals", lambda: self.http.post(self.path(board, "remove"), {"members": ["e"]})),
            ("pop", lambda: self.http.post(self.path(board, "pop"), {"n": 1})),
            ("trim", lambda: self.http.post(self.path(board, "trim"), {"n": 2})),
            ("a lower cap", lambda: self.http.patch(self.path(board), {"cap": 1})),
            ("clear", lambda: self.http.post(self.path(board, "clear"), {})),
        ]
        path = self.path(board, "entries") + "?meta=1"
        for name, change in changes:
            with self.subTest(name=name):
                tag = self.tag(path)
                self.assertEqual(change().status, 200)
                self.assertFalse(self.is_fresh(path, tag))

    def test_changes_over_resp_make_a_new_version(self):
        board = self.filled()
        resp = self.resp()
        path = self.path(board, "entries")
        for words in (("ZADD", board, "50", "z"), ("ZINCRBY", board, "1", "z"),
                      ("ZREM", board, "z"), ("ZPOPMAX", board), ("LB.CLEAR", board),
                      ("LB.SUBMIT", board, "q", "1"), ("DEL", board)):
            with self.subTest(words=words):
                tag = self.tag(path)
                resp.ask(*words)
                self.assertFalse(self.is_fresh(path, tag))

    def test_expiry_makes_a_new_version(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        self.resp().ask("PEXPIRE", board, "50")
        self.assertTrue(support.eventually(lambda: not self.is_fresh(path, tag)))

    def test_a_board_that_was_dropped_and_declared_again_is_another(self):
        board = self.filled()
        path = self.path(board, "entries")
        seen = set()
        for _ in range(5):
            tag = self.tag(path)
            self.assertNotIn(tag, seen)
            seen.add(tag)
            self.ok(self.http.delete(self.path(board)))
            self.ok(self.http.put(self.path(board), {}), 201)
            for i, member in enumerate(("x", "y", "z")):
                self.ok(self.http.submit(board, member, i + 1))
            self.assertFalse(self.is_fresh(path, tag))

    def test_a_rename_in_its_place_is_another_board(self):
        one, two = self.filled(), self.board("renamed over")
        for i in range(3):
            self.ok(self.http.submit(two, f"m{i}", i))
        tag = self.tag(self.path(one, "entries"))
        self.resp().ask("RENAME", two, one)
        self.assertFalse(self.is_fresh(self.path(one, "entries"), tag))

    def test_a_write_that_changes_nothing_may_keep_the_version_and_a_read_does(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        for other in self.pages(board):
            self.http.get(other)
        self.http.post(self.path(board, "among"), {"members": ["a"]})
        self.assertTrue(self.is_fresh(path, tag))

    def test_tags_after_a_restart_are_not_those_of_another_state(self):
        server = support.Server().start()
        self.addCleanup(server.close)
        client = server.client()
        client.put("/v1/boards/b", {})
        tags = {}
        for i in range(5):
            client.submit("b", f"m{i}", i)
            answer = client.get("/v1/boards/b/entries")
            tags[answer.header("etag")] = answer.json["entries"]
        for end in (server.kill, server.stop):
            end()
            server.start()
            client = server.client()
            for i in range(5):
                client.submit("b", f"n{i}", i)
                for tag, entries in tags.items():
                    answer = client.get("/v1/boards/b/entries", headers={"If-None-Match": tag})
                    self.assertTrue(answer.status == 200, f"{tag} of {len(entries)} entries")

    def test_lists_weak_tags_and_the_star(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        for header in (f'"x", {tag}', f'{tag}, "x"', f'"x",{tag},"y"', "*", f"W/{tag}",
                       f'"a,b", {tag}'):
            with self.subTest(header=header):
                self.assertEqual(self.http.get(path, headers={"If-None-Match": header}).status, 304)
        for header in ('"x"', tag.strip('"'), tag[:-2] + '"', '""', "", f'"x{tag[1:]}', ","):
            with self.subTest(header=header):
                self.assertIn(self.http.get(path, headers={"If-None-Match": header}).status,
                              (200, 400))

    def test_the_question_is_part_of_what_is_cached(self):
        board = self.filled()
        small = self.path(board, "entries") + "?limit=1"
        large = self.path(board, "entries") + "?limit=2"
        self.assertEqual(len(self.http.get(small).json["entries"]), 1)
        self.assertEqual(len(self.http.get(large).json["entries"]), 2)

    def test_head_answers_304_too(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        self.assertEqual(self.http.ask("HEAD", path, headers={"If-None-Match": tag}).status, 304)

    def test_a_304_leaves_the_connection_usable(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        raw = self.raw()
        raw.send(support.request("GET", path, headers=[f"If-None-Match: {tag}"]) * 3
                 + support.request("GET", "/healthz"))
        self.assertEqual([raw.read_answer().status for _ in range(4)], [304, 304, 304, 200])

    def test_a_tag_does_not_hide_a_refusal(self):
        board = self.filled()
        tag = self.tag(self.path(board, "entries"))
        for path, status in ((self.path(board, "entries") + "?limit=1001", 400),
                             (self.path("absent", "entries"), 404)):
            for sent in (tag, "*"):
                with self.subTest(path=path, sent=sent):
                    answer = self.http.get(path, headers={"If-None-Match": sent})
                    self.assertEqual(answer.status, status, str(answer))

    def test_a_tag_does_not_hide_that_a_member_is_absent(self):
        board = self.filled()
        tag = self.tag(self.path(board, "entries"))
        for path in (self.path(board, "entries", "absent"),
                     self.path(board, "entries", "absent", "around"),
                     self.path(board, "percentile") + "?member=absent"):
            for sent in (tag, "*"):
                with self.subTest(path=path, sent=sent):
                    answer = self.http.get(path, headers={"If-None-Match": sent})
                    self.problem(answer, 404, "NOMEMBER")

    def test_a_tag_does_not_hide_that_the_board_went(self):
        board = self.filled()
        path = self.path(board, "entries")
        tag = self.tag(path)
        self.ok(self.http.delete(self.path(board)))
        self.problem(self.http.get(path, headers={"If-None-Match": tag}), 404, "NOBOARD")

    def test_a_condition_on_a_write_is_ignored(self):
        board = self.filled()
        tag = self.tag(self.path(board, "entries"))
        answer = self.http.post(self.path(board, "entries"), {"member": "new", "score": 1},
                                headers={"If-None-Match": tag})
        self.assertIn(answer.status, (200, 412), str(answer))
        self.assertEqual("new" in [m for m, _ in self.scores(board)], answer.status == 200)

    def test_instances_have_versions_of_their_own(self):
        board = self.board(periods=["day", "all"])
        self.http.submit(board, "a", 1)
        day, every = self.path(f"{board}@day", "entries"), self.path(f"{board}@all", "entries")
        day_tag, all_tag = self.tag(day), self.tag(every)
        self.ok(self.http.post(self.path(f"{board}@day", "pop"), {"n": 1}))
        self.assertFalse(self.is_fresh(day, day_tag))
        self.http.get(every, headers={"If-None-Match": all_tag})
        self.assertFalse(self.is_fresh(every, day_tag))

    def test_rank_of_changes_with_the_cap(self):
        board = self.filled(policy="best", cap=3)
        path = self.path(board, "rank-of") + "?score=0"
        answer = self.http.get(path)
        self.assertIsNone(answer.json["rank"])
        tag = answer.header("etag")
        self.ok(self.http.patch(self.path(board), {"cap": 10}))
        answer = self.http.get(path, headers={"If-None-Match": tag} if tag else None)
        self.assertEqual((answer.status, answer.json["rank"]), (200, 4))

    def test_answers_may_not_be_kept_by_caches_without_asking(self):
        board = self.filled()
        answer = self.http.get(self.path(board, "entries"))
        self.assertRegex(answer.header("cache-control") or "", "no-cache|no-store|must-revalidate")


if __name__ == "__main__":
    support.main()
