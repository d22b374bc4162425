"""Scores and members: every spelling that is taken, exactness, and bytes of any kind in names."""

import base64

import support
from support import quoted

INT_MAX = (1 << 63) - 1
INT_MIN = -(1 << 63)
THREE = [{"name": "points", "type": "int"},
         {"name": "deaths", "type": "int", "direction": "asc"},
         {"name": "time", "type": "decimal3", "direction": "asc"}]


def base64_of(data):
    return base64.b64encode(data).decode()


class ScoreTest(support.ServerTest):
    def send(self, board, text):
        """POST …/entries with the text of a body."""
        return self.http.post(self.path(board, "entries"), raw=text.encode())

    def score_of(self, board, member="ann"):
        return self.ok(self.http.get(self.path(board, "entries", member)))["score"]


class Spellings(ScoreTest):
    def test_an_array_an_object_and_one_value(self):
        one = self.board("one")
        for spelling in ('7', '"7"', '[7]', '["7"]', '{"score":7}', '{"score":"7"}', '7.0', '"+7"',
                         '7e0', '"7E+0"', '"0007"', '70e-1', '"7."'):
            with self.subTest(spelling=spelling):
                self.ok(self.send(one, f'{{"member":"zero","score":0,"op":"set"}}'))
                answer = self.send(one, f'{{"member":"zero","score":{spelling},"op":"set"}}')
                if spelling == '"7."' and answer.status == 422:
                    continue  # digits, then optionally a fraction: a bare point may be refused
                self.assertEqual(self.ok(answer)["score"], ["7"])

    def test_fields_by_name_in_any_order(self):
        board = self.board(fields=THREE)
        for body in ('[5,2,1.5]', '["5","2","1.500"]', '{"points":5,"deaths":2,"time":1.5}',
                     '{"time":"1.5","points":"5","deaths":2}'):
            with self.subTest(body=body):
                self.http.delete(self.path(board, "entries", "ann"))
                verdict = self.ok(self.send(board, f'{{"member":"ann","score":{body}}}'))
                self.assertEqual(verdict["score"], ["5", "2", "1.500"])

    def test_wrong_counts_and_names_are_refused(self):
        board = self.board(fields=THREE)
        for score in ('5', '"5"', '[5]', '[5,2]', '[5,2,1,1]', '[]', '{}', '{"points":5}',
                      '{"points":5,"deaths":2,"time":1,"more":1}',
                      '{"points":5,"deaths":2,"tim":1}', '{"Points":5,"deaths":2,"time":1}',
                      '{"points":5,"points":5,"deaths":2,"time":1}', '[5,2,null]', '[5,2,[1]]',
                      '[5,2,{"time":1}]', '{"points":5,"deaths":2,"time":[1]}', '[5,2,true]',
                      'null', 'true', '[[5,2,1]]'):
            with self.subTest(score=score):
                answer = self.send(board, f'{{"member":"ann","score":{score}}}')
                self.assertIn(answer.status, (400, 422), str(answer))
                self.problem(answer, answer.status, "ERR" if answer.status == 400 else "BADSCORE")
                self.assertEqual(self.scores(board), [])

    def test_too_few_values_name_the_fields(self):
        board = self.board("three fields", fields=THREE)
        body = self.problem(self.http.submit(board, "ann", [1, 2]), 400, "ERR")
        for name in ("points", "deaths", "time"):
            self.assertIn(name, body["detail"])

    def test_a_wrong_count_of_values_is_named_as_the_score(self):
        board = self.board(fields=THREE)
        self.problem(self.http.submit(board, "ann", [1, 2]), 400, "ERR", field="score")

    def test_wrong_counts_in_many_entries_never_shift_values(self):
        board = self.board(fields=THREE)
        full = {"member": "x", "score": [1, 2, 3]}
        # Taken together the values are 3 × n, so that a server that only counts all would misread.
        for entries in (
                [{"member": "a", "score": [1, 2]}, {"member": "b", "score": [1, 2, 3, 4]}],
                [{"member": "a", "score": [1, 2, 3, 4]}, {"member": "b", "score": [1, 2]}],
                [{"member": "a", "score": [1, 2, 3, "b", 4, 5, 6]}],
                [full, {"member": "a", "score": []}, {"member": "b", "score": [1, 2, 3, 4, 5, 6]}],
                [{"member": "a", "score": [1]}, full, {"member": "b", "score": [1, 2, 3, 4, 5]}],
                [{"member": "a", "score": 1}, full],
                [{"member": "a", "score": [1, 2, "ID"]}, full]):
            with self.subTest(entries=entries):
                answer = self.http.post(self.path(board, "entries"), {"entries": entries})
                self.assertIn(answer.status, (400, 422), str(answer))
                self.assertEqual(self.scores(board), [])

    def test_wrong_counts_in_a_submit_to_several_boards_never_shift_values(self):
        one, three = self.board("shift one"), self.board("shift three", fields=THREE)
        for submits in (
                [{"board": one, "member": "a", "score": [1, 2, 3]},
                 {"board": three, "member": "b", "score": [1]}],
                [{"board": one, "member": "a", "score": []},
                 {"board": three, "member": "b", "score": [1, 2, 3, 4]}],
                [{"board": three, "member": "a", "score": [1, 2]},
                 {"board": one, "member": "b", "score": [1, 2]}]):
            with self.subTest(submits=submits):
                answer = self.http.post("/v1/submit", {"submits": submits})
                self.assertIn(answer.status, (400, 422), str(answer))
                self.assertEqual(self.scores(one) + self.scores(three), [])

    def test_option_words_as_members_and_values_are_text(self):
        board = self.board()
        words = ["ID", "AT", "META", "NX", "XX", "WITHMETA", "PERIOD", "LIMIT", "KIND", "-1", "(",
                 "[", "*", "$", "0"]
        entries = [{"member": word, "score": i} for i, word in enumerate(words)]
        self.ok(self.http.post(self.path(board, "entries"), {"entries": entries}))
        self.assertEqual({m for m, _ in self.scores(board, "?limit=100")}, set(words))
        for word in words:
            self.ok(self.http.submit(board, word, 100, meta="META"))
            self.ok(self.http.get(self.path(board, "entries", word, "around")))
        self.assertEqual(self.ok(self.http.post(self.path(board, "remove"), {"members": words})),
                         {"removed": len(words)})
        self.assertEqual(self.scores(board), [])

    def test_option_words_in_a_score_are_no_options(self):
        one, three = self.board("words one"), self.board("words three", fields=THREE)
        for board, score in ((one, ["5", "AT", "1700000000"]), (one, ["5", "NX"]), (one, ["NX"]),
                             (one, ["NX", "5"]), (one, ["5", "META", "x"]), (one, "XX"),
                             (one, ["ID", "x", "5"]), (three, ["5", "AT", "1700000000"]),
                             (three, ["5", "6", "NX"]), (three, ["NX", "5", "6"]),
                             (three, ["1", "2", "3", "AT", "1700000000"])):
            with self.subTest(score=score):
                for answer in (self.http.submit(board, "ann", score),
                               self.http.post(self.path(board, "entries"), {
                                   "entries": [{"member": "ann", "score": score}]}),
                               self.http.post("/v1/submit", {"submits": [
                                   {"board": board, "member": "ann", "score": score}]})):
                    self.assertIn(answer.status, (400, 422), str(answer))
                self.assertEqual(self.scores(board), [])

    def test_an_option_word_as_a_score_is_a_bad_score(self):
        board = self.board()
        for word in ("ID", "AT", "META", "NX", "XX"):
            with self.subTest(word=word):
                self.problem(self.http.submit(board, "ann", word), 422, "BADSCORE")

    def test_an_option_word_as_a_score_of_rank_of_is_a_bad_score(self):
        board = self.board()
        for word in ("KIND", "PERIOD"):
            with self.subTest(word=word):
                self.problem(self.http.get(self.path(board, "rank-of") + f"?score={word}"), 422,
                             "BADSCORE")


class Exactness(ScoreTest):
    def test_the_whole_range_of_int(self):
        board = self.board()
        for value in (INT_MAX, INT_MIN, INT_MAX - 1, (1 << 53) + 1, -(1 << 53) - 1, 0):
            for spelling in (f"{value}", f'"{value}"', f"{value}.0", f"{value}e0"):
                with self.subTest(spelling=spelling):
                    self.ok(self.send(board, f'{{"member":"ann","score":{spelling}}}'))
                    self.assertEqual(self.score_of(board), [str(value)])

    def test_beyond_the_range_is_overflow(self):
        board = self.board()
        self.http.submit(board, "ann", 5)
        for spelling in (INT_MAX + 1, INT_MIN - 1, "1e19", "1E+30", 10**60, "9.3e18"):
            for text in (f"{spelling}", f'"{spelling}"'):
                with self.subTest(text=text):
                    answer = self.send(board, f'{{"member":"ann","score":{text}}}')
                    self.problem(answer, 422, "OVERFLOW")
        self.http.submit(board, "ann", INT_MAX, op="set")
        self.problem(self.http.submit(board, "ann", 1, op="incr"), 422, "OVERFLOW")
        self.assertEqual(self.score_of(board), [str(INT_MAX)])

    def test_an_overflow_in_one_of_many_changes_none(self):
        board = self.board(policy="sum")
        self.http.submit(board, "rich", INT_MAX)
        body = {"entries": [{"member": "poor", "score": 1}, {"member": "rich", "score": 1}]}
        self.problem(self.http.post(self.path(board, "entries"), body), 422, "OVERFLOW")
        self.assertEqual(self.scores(board), [("rich", [str(INT_MAX)])])

    def test_numbers_that_are_no_score(self):
        board = self.board()
        for spelling in ('1.5', '"1.5"', '"x"', '""', '" 1"', '"1 "', '"0x10"', '"1e"', '"--1"',
                         '"nan"', '"inf"', '"1,000"', '"１"', '"1_000"', '15e-1', '"+"', '"."'):
            with self.subTest(spelling=spelling):
                answer = self.send(board, f'{{"member":"ann","score":{spelling}}}')
                self.problem(answer, 422, "BADSCORE")
        self.assertEqual(self.scores(board), [])

    def test_a_bad_score_is_named_as_the_field(self):
        board = self.board()
        self.problem(self.http.submit(board, "ann", "x"), 422, "BADSCORE", field="score")

    def test_a_bad_score_of_many_is_named_with_its_place(self):
        board = self.board()
        body = {"entries": [{"member": "a", "score": 1}, {"member": "b", "score": "x"}]}
        self.problem(self.http.post(self.path(board, "entries"), body), 422, "BADSCORE",
                     field="entries.1.score")

    def test_numbers_that_are_no_json(self):
        board = self.board()
        for spelling in ("NaN", "Infinity", "-Infinity", "0x10", "+1", "01", "1.", ".5", "1e", "-",
                         "1_0", "--1", "'1'", "1e+", "00"):
            with self.subTest(spelling=spelling):
                answer = self.send(board, f'{{"member":"ann","score":{spelling}}}')
                self.problem(answer, 400, "ERR")
        self.assertEqual(self.scores(board), [])

    def test_decimals_are_exact_and_print_all_their_digits(self):
        board = self.board(fields=[{"name": "m", "type": "decimal9"}])
        for spelling, shown in (("0.1", "0.100000000"), ('"0.3"', "0.300000000"),
                                ("9223372036.854775807", "9223372036.854775807"),
                                ("-9223372036.854775808", "-9223372036.854775808"),
                                ("1e-9", "0.000000001"), ("-0.000000001", "-0.000000001"),
                                ("123456789e-9", "0.123456789"), ("-0", "0.000000000"),
                                ("1.000000000000000", "1.000000000")):
            with self.subTest(spelling=spelling):
                self.ok(self.send(board, f'{{"member":"ann","score":{spelling}}}'))
                self.assertEqual(self.score_of(board), [shown])
        self.problem(self.send(board, '{"member":"ann","score":9223372036.854775808}'), 422,
                     "OVERFLOW")
        self.problem(self.send(board, '{"member":"ann","score":1e-10}'), 422, "BADSCORE")

    def test_bounds_and_rank_of_are_exact(self):
        board = self.board()
        for i, value in enumerate((INT_MAX, INT_MAX - 1, INT_MAX - 2)):
            self.http.submit(board, f"m{i}", value)
        self.assertEqual(self.ok(self.http.get(
            self.path(board, "count") + f"?min={INT_MAX - 1}&max={INT_MAX - 1}"))["count"], 1)
        self.assertEqual(self.ok(self.http.get(
            self.path(board, "count") + f"?min=({INT_MAX - 1}"))["count"], 1)
        self.assertEqual(self.ok(self.http.get(
            self.path(board, "rank-of") + f"?score={INT_MAX - 1}"))["rank"], 3)
        histogram = self.ok(self.http.get(self.path(board, "histogram") + "?buckets=3"))["buckets"]
        self.assertEqual([b["from"] for b in histogram], [str(INT_MAX - 2), str(INT_MAX - 1),
                                                          str(INT_MAX)])

    def test_a_histogram_over_the_whole_range(self):
        board = self.board()
        self.http.submit(board, "low", INT_MIN)
        self.http.submit(board, "high", INT_MAX)
        buckets = self.ok(self.http.get(self.path(board, "histogram") + "?buckets=2"))["buckets"]
        self.assertEqual([b["count"] for b in buckets], [1, 1])
        self.assertEqual(buckets[0]["from"], str(INT_MIN))

    def test_rank_of_several_fields(self):
        board = self.board(fields=THREE)
        self.http.submit(board, "ann", [10, 2, "1.5"])
        path = self.path(board, "rank-of")
        self.assertEqual(self.ok(self.http.get(path + "?score=10&score=2&score=1.499"))["rank"], 1)
        self.assertEqual(self.ok(self.http.get(path + "?score=10&score=2&score=1.5"))["rank"], 2)
        self.problem(self.http.get(path + "?score=10&score=2"), 400, "ERR")


class Names(ScoreTest):
    def round_trip(self, board, member):
        """Writes, reads and removes a member by its path and in bodies."""
        path = self.path(board, "entries", member)
        self.ok(self.http.submit(board, member, 1, meta=member))
        entry = self.ok(self.http.get(path + "?meta=1"))
        self.assertEqual((entry["member"], entry["meta"] or ""), (member, member))
        self.assertEqual(self.ok(self.http.get(path + "/around"))["entries"][0]["member"], member)
        self.assertEqual(self.ok(self.http.post(self.path(board, "among"),
                                                {"members": [member]}))["entries"][0]["member"],
                         member)
        self.assertEqual(self.ok(self.http.get(
            self.path(board, "percentile") + f"?member={quoted(member)}"))["count"], 1)
        self.ok(self.http.delete(path))
        self.problem(self.http.get(path), 404, "NOMEMBER")

    def test_members_of_any_text(self):
        board = self.board()
        for member in ("a/b", "/", "//", "..", ".", "../..", "%2F", "%", "%zz", "a b", "a+b", "+",
                       "a?b", "a#b", "a&b=c", ";", "é", "名字", "🏆", "\u202e", "a\x00b", "\x7f",
                       "\r\nX: y", "\t", '"', "\\", "'", "<script>", "{member}", "around",
                       "hidden", "@", "a@day", "\u2028", "\ufeff", "\U0010ffff"):
            with self.subTest(member=member):
                self.round_trip(board, member)

    def test_boards_of_any_text(self):
        for name in ("b/c", "..", ".", "%2e%2e", "a b", "名字", "🏆", "a?b", "b#c", "{board}", "+",
                     "entries", "\x01", "a\\b", '"q"'):
            with self.subTest(name=name):
                self.ok(self.http.put(self.path(name), {}), 201)
                self.assertEqual(self.ok(self.http.get(self.path(name)))["board"], name)
                self.round_trip(name, "m")
                listed = self.ok(self.http.get("/v1/boards?limit=1000"))["boards"]
                self.assertIn(name, [board["board"] for board in listed])
                self.ok(self.http.delete(self.path(name)))

    def test_dots_in_a_path_are_not_resolved(self):
        board = self.board("dots")
        self.http.submit(board, "..", 1)
        with self.server.raw() as raw:
            for path in ("/v1/boards/dots/entries/..", "/v1/boards/dots/entries/%2e%2e",
                         "/v1/boards/dots/entries/%2E."):
                raw.send(support.request("GET", path))
                self.assertEqual(self.ok(raw.read_answer())["member"], "..")
            raw.send(support.request("GET", "/v1/boards/dots/entries/a/../.."))
            self.problem(raw.read_answer(), 404, "ERR")

    def test_an_encoded_slash_does_not_split_a_segment(self):
        board = self.board("slash")
        self.http.submit(board, "m/around", 1)
        self.ok(self.http.get("/v1/boards/slash/entries/m%2Faround"))
        self.ok(self.http.get("/v1/boards/slash/entries/m%2faround"))
        self.problem(self.http.get("/v1/boards/slash/entries/m/around"), 404, "NOMEMBER")
        self.problem(self.http.get("/v1/boards/slash%2Fentries"), 404, "NOBOARD")

    def test_escapes_that_are_malformed(self):
        board = self.board("escapes")
        self.http.submit(board, "a", 1)
        for path in ("%", "%2", "%zz", "%2G", "a%", "%-1", "%+1"):
            with self.subTest(path=path):
                self.problem(self.http.get("/v1/boards/escapes/entries/" + path), 400, "ERR")
                self.problem(self.http.get("/v1/boards/escapes/percentile?member=" + path), 400,
                             "ERR")

    def test_bytes_that_are_not_utf8(self):
        board = self.board()
        raw = b"\xff\xfe\x00\x80"
        verdict = self.http.post(self.path(board, "entries"),
                                 {"member_base64": base64_of(raw), "score": 5,
                                  "meta_base64": base64_of(raw[::-1])})
        self.ok(verdict)
        entry, = self.entries(board, "?meta=1")
        self.assertEqual(base64.b64decode(entry["member_base64"]), raw)
        self.assertEqual(base64.b64decode(entry["meta_base64"]), raw[::-1])
        self.assertNotIn("member", entry)
        self.assertNotIn("meta", entry)
        escaped = "".join(f"%{byte:02x}" for byte in raw)
        self.assertEqual(self.ok(self.http.get(self.path(board, "entries") + "/" + escaped))
                         ["member_base64"], base64_of(raw))
        among = self.ok(self.http.post(self.path(board, "among"), {
            "members": [{"member_base64": base64_of(raw)}, "absent"]}))["entries"]
        self.assertEqual(among[0]["member_base64"], base64_of(raw))
        self.assertEqual(self.resp().ask("LB.GET", board, raw)["member"], raw)
        self.ok(self.http.put(self.path(board, "entries") + f"/{escaped}/meta",
                              {"meta_base64": base64_of(b"\xc0")}))
        self.assertEqual(self.entries(board, "?meta=1")[0]["meta_base64"], base64_of(b"\xc0"))
        changes = self.ok(self.http.get(self.path(board, "changes")))["events"]
        self.assertEqual(changes[-1]["member_base64"], base64_of(raw))
        self.assertEqual(self.ok(self.http.post(self.path(board, "remove"), {
            "members": [{"member_base64": base64_of(raw)}]})), {"removed": 1})

    def test_base64_of_text_is_the_text(self):
        board = self.board()
        self.ok(self.http.post(self.path(board, "entries"),
                               {"member_base64": base64_of("é".encode()), "score": 5}))
        self.assertEqual(self.scores(board), [("é", ["5"])])

    def test_base64_that_is_malformed(self):
        board = self.board()
        for text in ("YQ", "Y", "YQ=", "YQ===", "Y Q==", "YQ==\n", "_-==", "YR==", "====", 1, None):
            with self.subTest(text=text):
                answer = self.http.post(self.path(board, "entries"),
                                        {"member_base64": text, "score": 5})
                self.problem(answer, 400, "ERR", field="member_base64")
        self.assertEqual(self.scores(board), [])

    def test_overlong_and_broken_utf8_in_paths_are_bytes(self):
        board = self.board()
        for escaped, raw in (("%C0%AF", b"\xc0\xaf"), ("%ED%A0%80", b"\xed\xa0\x80"),
                             ("%F4%90%80%80", b"\xf4\x90\x80\x80"), ("%E2%82", b"\xe2\x82")):
            with self.subTest(escaped=escaped):
                self.resp().ask("LB.SUBMIT", board, raw, "1")
                entry = self.ok(self.http.get(self.path(board, "entries") + "/" + escaped))
                self.assertEqual(base64.b64decode(entry["member_base64"]), raw)

    def test_broken_utf8_in_a_body_is_refused(self):
        board = self.board()
        for raw in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82",
                    b"\x80"):
            for place in (b'{"member":"%s","score":1}', b'{"member":"a","score":1,"meta":"%s"}',
                          b'{"member":"a","score":1,"%s":1}', b'%s{"member":"a","score":1}'):
                with self.subTest(raw=raw, place=place):
                    answer = self.http.post(self.path(board, "entries"), raw=place % raw)
                    self.problem(answer, 400, "ERR")
        self.assertEqual(self.scores(board), [])

    def test_surrogates_in_escapes(self):
        board = self.board()
        self.ok(self.send(board, '{"member":"\\ud83c\\udfc6","score":1}'))
        self.assertEqual(self.scores(board), [("🏆", ["1"])])
        for bad in ("\\ud83c", "\\udfc6", "\\ud83cx", "\\udfc6\\ud83c", "\\ud83c\\u0041", "\\u12",
                    "\\x41", "\\U0041", "\\", "a\nb", "a\tb", "a\x00b", "a\x1fb"):
            with self.subTest(bad=bad):
                self.problem(self.send(board, f'{{"member":"{bad}","score":1}}'), 400, "ERR")

    def test_the_longest_member(self):
        board = self.board()
        for member in ("m" * 1024, "é" * 512, "/" * 1024, "\x00" * 1024, '"' * 1024):
            with self.subTest(member=member[:3]):
                self.round_trip(board, member)
                self.problem(self.http.submit(board, member + "x", 1), 413, "LIMIT")
        self.assertEqual(self.scores(board), [])

    def test_the_empty_member(self):
        board = self.board()
        self.ok(self.http.submit(board, "", 5))
        self.assertEqual(self.scores(board), [("", ["5"])])
        among = self.ok(self.http.post(self.path(board, "among"), {"members": ["", "x"]}))
        self.assertEqual([(e["member"], e["rank"]) for e in among["entries"]],
                         [("", 1), ("x", None)])
        self.problem(self.http.get(self.path(board, "entries") + "/"), 404, "ERR")
        read = self.ok(self.http.post("/v1/read", {"reads": [
            {"board": board, "read": "entry", "member": ""}]}))
        self.assertEqual(read["results"][0]["score"], ["5"])
        self.assertEqual(self.ok(self.http.post(self.path(board, "remove"), {"members": [""]})),
                         {"removed": 1})

    def test_repeated_and_unknown_keys_are_refused(self):
        board = self.board()
        for body in ('{"member":"a","member":"a","score":1}', '{"member":"a","score":1,"score":2}',
                     '{"member":"a","score":1,"\\u006dember":"b"}', '{"member":"a","score":1,"":1}',
                     '{"entries":[{"member":"a","member":"b","score":1}]}',
                     '{"member":"a","score":1}{"member":"b","score":1}',
                     '{"member":"a","score":1},', '{"member":"a","score":1,}', '{member:"a"}',
                     '// x\n{"member":"a","score":1}', '', ' ', '{', '{"member":"a","score":[1,]}'):
            with self.subTest(body=body):
                self.problem(self.send(board, body), 400, "ERR")
        self.assertEqual(self.scores(board), [])

    def test_white_space_around_json(self):
        board = self.board()
        self.ok(self.send(board, ' \t\r\n{ "member" : "a" ,\n"score"\t: [ 1 ] } \r\n'))
        self.problem(self.send(board, '\ufeff{"member":"a","score":1}'), 400, "ERR")
        self.problem(self.send(board, '\u00a0{"member":"a","score":1}'), 400, "ERR")
        self.problem(self.send(board, '\x0c{"member":"a","score":1}'), 400, "ERR")

    def test_depth_and_size_of_json_are_bounded(self):
        board = self.board()
        for body in ("[" * 100_000, '{"member":' * 50_000, '{"member":"a","score":' + "[" * 30 + "1"
                     + "]" * 30 + "}", '{"member":"a","score":' + "1" * 100 + "}"):
            with self.subTest(body=body[:30]):
                answer = self.send(board, body)
                self.assertIn(answer.status, (400, 413, 422), str(answer))
        self.assertEqual(self.scores(board), [])

    def test_the_answer_escapes_what_json_must_escape(self):
        board = self.board()
        member = "\x00\x01\x1f\"\\/\u2028\x7f"
        self.ok(self.http.submit(board, member, 1))
        body = self.http.get(self.path(board, "entries")).body
        self.assertNotRegex(body, rb"[\x00-\x1f]")
        self.assertEqual(self.scores(board), [(member, ["1"])])


if __name__ == "__main__":
    support.main()
