"""HTTP/1.1 itself: keep-alive, pipelines, Expect, versions, limits of requests, Content-Type."""

import json

import support
from support import request

LIMIT_TARGET = 8 << 10
LIMIT_HEAD = 16 << 10


class Connections(support.ServerTest):
    def test_a_connection_is_kept_alive(self):
        raw = self.raw()
        for _ in range(200):
            raw.send(request("GET", "/healthz"))
            answer = raw.read_answer()
            self.assertEqual(answer.status, 200)
            self.assertNotEqual((answer.header("connection") or "").lower(), "close")
        self.assertTrue(raw.is_silent(0.05))

    def test_close_is_answered_with_close(self):
        for value in ("close", "Close", "keep-alive, close", "close, foo", "foo,close"):
            with self.subTest(value=value), self.server.raw() as raw:
                raw.send(request("GET", "/healthz", headers=[f"Connection: {value}"])
                         + request("GET", "/healthz"))
                answer = raw.read_answer()
                self.assertEqual(answer.status, 200)
                self.assertEqual((answer.header("connection") or "").lower(), "close")
                self.assertTrue(raw.is_closed())

    def test_http_1_0_is_closed_after_the_answer(self):
        with self.server.raw() as raw:
            raw.send(request("GET", "/healthz", version="HTTP/1.0"))
            answer = raw.read_answer()
            self.assertEqual(answer.status, 200)
            self.assertTrue(raw.is_closed())
        with self.server.raw() as raw:
            raw.send(request("GET", "/healthz", version="HTTP/1.0", host=None))
            self.assertIn(raw.read_answer().status, (200, 400, 403))

    def test_http_1_0_with_keep_alive(self):
        with self.server.raw() as raw:
            raw.send(request("GET", "/healthz", version="HTTP/1.0",
                             headers=["Connection: keep-alive"]))
            answer = raw.read_answer()
            self.assertEqual(answer.status, 200)
            if (answer.header("connection") or "").lower() == "keep-alive":
                raw.send(request("GET", "/healthz", version="HTTP/1.0"))
                self.assertEqual(raw.read_answer().status, 200)
            self.assertTrue(raw.is_closed())

    def test_http_1_0_takes_a_body_with_a_length_only(self):
        board = self.board("old")
        body = json.dumps({"member": "a", "score": 1}).encode()
        with self.server.raw() as raw:
            raw.send(request("POST", "/v1/boards/old/entries", body, version="HTTP/1.0"))
            self.assertEqual(raw.read_answer().status, 200)
        with self.server.raw() as raw:
            raw.send(request("POST", "/v1/boards/old/entries", version="HTTP/1.0",
                             headers=["Content-Type: application/json",
                                      "Transfer-Encoding: chunked"]) + b"5\r\nhello\r\n0\r\n\r\n")
            answer = raw.read_answer()
            self.assertIn(answer.status, (400, 411, 501, 505), str(answer))
            self.assertTrue(raw.is_closed())
        self.assertEqual(self.scores(board), [("a", ["1"])])

    def test_a_pipeline_in_one_packet_is_answered_in_order(self):
        board = self.board()
        requests = []
        for i in range(100):
            requests.append(request("POST", self.path(board, "entries"),
                                    {"member": f"m{i}", "score": i}))
            requests.append(request("GET", self.path(board, "entries", f"m{i}")))
        raw = self.raw()
        raw.send(b"".join(requests))
        for i in range(100):
            self.assertEqual(self.ok(raw.read_answer())["score"], [str(i)])
            entry = self.ok(raw.read_answer())
            self.assertEqual((entry["member"], entry["rank"]), (f"m{i}", 1))

    def test_a_pipeline_with_refusals_between(self):
        raw = self.raw()
        raw.send(request("GET", "/healthz") + request("GET", "/nope") + request("PUT", "/healthz")
                 + request("GET", "/healthz") + request("POST", "/v1/read", b"{}")
                 + request("GET", "/healthz"))
        self.assertEqual([raw.read_answer().status for _ in range(6)],
                         [200, 404, 405, 200, 400, 200])

    def test_a_pipeline_byte_by_byte(self):
        board = self.board()
        raw = self.raw()
        data = request("POST", self.path(board, "entries"), {"member": "a", "score": 1}) \
            + request("GET", self.path(board, "count"))
        for byte in data:
            raw.send(bytes([byte]))
        self.assertEqual(self.ok(raw.read_answer())["rank"], 1)
        self.assertEqual(self.ok(raw.read_answer()), {"count": 1})

    def test_a_waiting_read_does_not_let_later_answers_overtake(self):
        board = self.board()
        cursor = self.ok(self.http.get(self.path(board, "changes") + "?from=$"))["next"]
        raw = self.raw()
        raw.send(request("GET", self.path(board, "changes") + f"?from={cursor}&wait=60000")
                 + request("GET", "/healthz"))
        self.assertTrue(raw.is_silent(0.3))
        self.http.submit(board, "a", 1)
        self.assertEqual(self.ok(raw.read_answer())["events"][0]["member"], "a")
        self.assertEqual(self.ok(raw.read_answer()), {"ok": True})

    def test_a_half_closed_client_gets_its_answers(self):
        raw = self.raw()
        raw.send(request("GET", "/healthz") * 3)
        raw.socket.shutdown(support.socket.SHUT_WR)
        self.assertEqual([raw.read_answer().status for _ in range(3)], [200] * 3)
        self.assertTrue(raw.is_closed())

    def test_empty_lines_before_a_request(self):
        raw = self.raw()
        raw.send(request("GET", "/healthz") + b"\r\n" + request("GET", "/healthz"))
        self.assertEqual(raw.read_answer().status, 200)
        self.assertEqual(raw.read_answer().status, 200)

    def test_resp_on_the_http_port_is_refused(self):
        for data in (b"*1\r\n$4\r\nPING\r\n", b"PING\r\n", b"\x16\x03\x01\x02\x00\x01\x00"):
            with self.subTest(data=data), self.server.raw() as raw:
                raw.send(data + b"\r\n\r\n")
                answer = raw.read_answer()
                if answer is not None:
                    self.problem(answer, 400, "ERR")
                self.assertTrue(raw.is_closed())


class Expectations(support.ServerTest):
    def head(self, board, length, expect="100-continue"):
        return request("POST", self.path(board, "entries"), headers=[
            "Content-Type: application/json", f"Content-Length: {length}", f"Expect: {expect}"])

    def test_100_continue_then_the_answer(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        raw = self.raw()
        for expect in ("100-continue", "100-Continue"):
            raw.send(self.head(board, len(body), expect))
            self.assertEqual(raw.read_answer().status, 100)
            raw.send(body)
            self.assertEqual(raw.read_answer().status, 200)

    def test_the_answer_to_a_body_that_came_at_once(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        raw = self.raw()
        raw.send(self.head(board, len(body)) + body + request("GET", "/healthz"))
        answer = raw.read_answer()
        if answer.status == 100:
            answer = raw.read_answer()
        self.assertEqual(answer.status, 200)
        self.assertEqual(raw.read_answer().status, 200)

    def test_a_body_that_is_too_large_is_refused_before_it_is_sent(self):
        board = self.board()
        raw = self.raw()
        raw.send(self.head(board, 100 << 20))
        self.problem(raw.read_answer(), 413, "LIMIT")
        self.assertTrue(raw.is_closed())

    def test_another_expectation_is_417(self):
        board = self.board()
        raw = self.raw()
        raw.send(self.head(board, 2, "200-ok") + b"{}")
        answer = raw.read_answer()
        self.problem(answer, 417, "ERR")

    def test_http_1_0_gets_no_100(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        raw = self.raw()
        raw.send(request("POST", self.path(board, "entries"), version="HTTP/1.0", headers=[
            "Content-Type: application/json", f"Content-Length: {len(body)}",
            "Expect: 100-continue"]) + body)
        self.assertEqual(raw.read_answer().status, 200)

    def test_expect_without_a_body(self):
        raw = self.raw()
        raw.send(request("GET", "/healthz", headers=["Expect: 100-continue"])
                 + request("GET", "/healthz"))
        self.assertEqual([raw.read_answer().status for _ in range(2)], [200, 200])


class Bodies(support.ServerTest):
    def test_chunks(self):
        board = self.board("chunked")
        body = json.dumps({"member": "a", "score": 1}).encode()
        pieces = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece)
                          for piece in (body[:1], body[1:10], body[10:]))
        for chunked in (pieces + b"0\r\n\r\n", pieces + b"0\r\nTrailer: x\r\n\r\n",
                        pieces.replace(b"\r\n", b";ext=1\r\n", 1) + b"0\r\n\r\n",
                        b"%X\r\n%s\r\n0\r\n\r\n" % (len(body), body),
                        b"000%x\r\n%s\r\n000\r\n\r\n" % (len(body), body)):
            with self.subTest(chunked=chunked), self.server.raw() as raw:
                raw.send(request("POST", "/v1/boards/chunked/entries", headers=[
                    "Content-Type: application/json", "Transfer-Encoding: chunked"])
                    + chunked + request("GET", "/healthz"))
                self.assertEqual(raw.read_answer().status, 200)
                self.assertEqual(raw.read_answer().status, 200)
        self.assertEqual(self.scores(board), [("a", ["1"])])

    def test_content_types(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        for kind in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON",
                     "application/json;charset=UTF-8"):
            with self.subTest(kind=kind):
                self.ok(self.http.post(self.path(board, "entries"), raw=body,
                                       headers={"Content-Type": kind}))
        for kind in (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                     "application/jsonx", "application/ld+json", "", "json", "text/json",
                     "application/json, text/plain"):
            with self.subTest(kind=kind):
                answer = self.http.post(self.path(board, "entries"), raw=body,
                                        headers={"Content-Type": kind})
                self.problem(answer, 415, "ERR", field="Content-Type")

    def test_every_post_and_every_body_needs_the_content_type(self):
        board = self.board()
        self.http.submit(board, "m", 1)
        for method, path in (("POST", self.path(board, "clear")),
                             ("POST", self.path(board, "entries")), ("POST", "/v1/read"),
                             ("POST", "/v1/submit"), ("PUT", self.path(board)),
                             ("PATCH", self.path(board)),
                             ("PUT", self.path(board, "entries", "m", "hidden")),
                             ("PUT", self.path(board, "entries", "m", "meta")),
                             ("DELETE", self.path(board, "entries", "m")),
                             ("GET", self.path(board, "entries"))):
            for kind in (None, "text/plain"):
                with self.subTest(method=method, path=path, kind=kind):
                    answer = self.http.ask(method, path, raw=b"{}", headers={"Content-Type": kind})
                    self.problem(answer, 415, "ERR", field="Content-Type")
        self.assertEqual(self.scores(board), [("m", ["1"])])

    def test_a_body_where_none_belongs(self):
        board = self.board()
        self.http.submit(board, "m", 1)
        for method, path in (("GET", self.path(board, "entries")),
                             ("DELETE", self.path(board, "entries", "m")),
                             ("PUT", self.path(board, "entries", "m", "hidden"))):
            with self.subTest(method=method):
                answer = self.http.ask(method, path, raw=b'{"members":["x"]}')
                self.assertIn(answer.status, (200, 400), str(answer))
                self.ok(self.http.get("/healthz"))

    def test_a_missing_body(self):
        board = self.board()
        for method, path in (("POST", self.path(board, "entries")), ("POST", "/v1/read"),
                             ("POST", "/v1/submit"), ("PATCH", self.path(board)),
                             ("POST", self.path(board, "pop"))):
            with self.subTest(path=path):
                answer = self.http.ask(method, path, headers={"Content-Type": "application/json"})
                if method == "PATCH" and answer.status == 200:
                    continue  # nothing to alter
                self.problem(answer, 400, "ERR")

    def test_a_body_with_a_content_coding_is_refused(self):
        board = self.board()
        answer = self.http.post(self.path(board, "entries"),
                                raw=b'{"member":"a","score":1}',
                                headers={"Content-Encoding": "gzip"})
        self.assertIn(answer.status, (400, 415, 501), str(answer))
        self.assertEqual(self.scores(board), [])


class Limits(support.ServerTest):
    OPTIONS = ("--max-body", "64kb")

    def closed_with(self, data, status, code="ERR"):
        with self.server.raw() as raw:
            raw.send(data)
            answer = raw.read_answer()
            self.problem(answer, status, code)
            self.assertEqual((answer.header("connection") or "").lower(), "close", str(answer))
            self.assertTrue(raw.is_closed())

    def test_a_body_at_the_limit(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        full = body + b" " * ((64 << 10) - len(body))
        self.ok(self.http.post(self.path(board, "entries"), raw=full))
        self.closed_with(request("POST", self.path(board, "entries"), full + b" "), 413, "LIMIT")
        self.closed_with(request("POST", self.path(board, "entries"), headers=[
            "Content-Type: application/json", "Content-Length: 999999999999"]), 413, "LIMIT")
        self.closed_with(request("POST", self.path(board, "entries"), headers=[
            "Content-Type: application/json", "Content-Length: 99999999999999999999"]), 400)

    def test_a_chunked_body_beyond_the_limit(self):
        board = self.board()
        head = request("POST", self.path(board, "entries"), headers=[
            "Content-Type: application/json", "Transfer-Encoding: chunked"])
        chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
        self.closed_with(head + chunk * 5, 413, "LIMIT")
        self.closed_with(head + b"ffffffff\r\n", 413, "LIMIT")

    def test_many_tiny_chunks_are_bounded(self):
        board = self.board()
        body = json.dumps({"member": "a", "score": 1}).encode()
        head = request("POST", self.path(board, "entries"), headers=[
            "Content-Type: application/json", "Transfer-Encoding: chunked"])
        with self.server.raw() as raw:
            raw.send(head + b"1;" + b"x" * 3000 + b"\r\n \r\n")
            raw.send((b"1;" + b"x" * 3000 + b"\r\n \r\n") * 40)
            raw.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
            answer = raw.read_answer()
            self.assertIn(answer.status, (400, 413, 431), str(answer))
            self.assertTrue(raw.is_closed())

    def test_a_target_at_the_limit_is_414_beyond(self):
        self.ok(self.http.get("/healthz"))
        path = "/v1/boards?match=" + "x" * (LIMIT_TARGET - len("/v1/boards?match="))
        with self.server.raw() as raw:
            raw.send(request("GET", path))
            answer = raw.read_answer()
            self.assertNotIn(answer.status, (414, 431), str(answer))
        self.closed_with(request("GET", path + "x"), 414)
        self.closed_with(b"GET /" + b"x" * (LIMIT_HEAD * 4), 414)

    def test_headers_beyond_their_limit_are_431(self):
        self.closed_with(request("GET", "/healthz", headers=["X: " + "y" * LIMIT_HEAD]), 431)
        self.closed_with(request("GET", "/healthz", headers=[f"X{i}: y" for i in range(101)]), 431)
        self.closed_with(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
                         + b"y" * (LIMIT_HEAD * 4), 431)
        raw = self.raw()
        raw.send(request("GET", "/healthz", headers=[f"X{i}: y" for i in range(99)]))
        self.assertEqual(raw.read_answer().status, 200)

    def test_versions(self):
        for version in ("HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3"):
            with self.subTest(version=version), self.server.raw() as raw:
                raw.send(request("GET", "/healthz", version=version))
                answer = raw.read_answer()
                if version == "HTTP/1.2" and answer.status == 200:
                    continue  # a later minor version may be served
                self.assertIn(answer.status, (400, 505), str(answer))
                self.assertTrue(raw.is_closed())
        self.closed_with(request("GET", "/healthz", version="HTTP/2.0"), 505)
        self.closed_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)

    def test_http_0_9_is_refused(self):
        with self.server.raw() as raw:
            raw.send(b"GET /healthz\r\n\r\n")
            answer = raw.read_answer()
            self.assertIn(answer.status, (400, 505), str(answer))

    def test_transfer_codings_that_are_not_there_are_501(self):
        board = self.board()
        for coding in ("gzip", "gzip, chunked", "deflate", "foo, chunked"):
            with self.subTest(coding=coding), self.server.raw() as raw:
                raw.send(request("POST", self.path(board, "entries"), headers=[
                    "Content-Type: application/json", f"Transfer-Encoding: {coding}"])
                    + b"0\r\n\r\n")
                answer = raw.read_answer()
                self.problem(answer, 501, "ERR")
                self.assertTrue(raw.is_closed())

    def test_unknown_methods(self):
        with self.server.raw() as raw:
            raw.send(request("BREW", "/healthz"))
            self.assertIn(raw.read_answer().status, (405, 501))
        with self.server.raw() as raw:
            raw.send(request("CONNECT", "example.com:80"))
            self.assertIn(raw.read_answer().status, (400, 405, 501))
        with self.server.raw() as raw:
            raw.send(request("TRACE", "/healthz", headers=["X-Secret: s3cret"]))
            answer = raw.read_answer()
            self.assertIn(answer.status, (405, 501))
            self.assertNotIn(b"s3cret", answer.body)

    def test_options_of_the_whole_server(self):
        with self.server.raw() as raw:
            raw.send(request("OPTIONS", "*"))
            self.assertIn(raw.read_answer().status, (200, 204))

    def test_the_absolute_form_of_a_target(self):
        with self.server.raw() as raw:
            raw.send(request("GET", f"http://127.0.0.1:{self.server.http_port}/healthz"))
            self.assertEqual(raw.read_answer().status, 200)
        with self.server.raw() as raw:
            raw.send(request("GET", "http://evil.example/healthz"))
            self.assertIn(raw.read_answer().status, (400, 403, 421))

    def test_targets_that_are_malformed(self):
        for target in ("healthz", "/health z", "/healthz#x", "", "*", "/\x7f", "/é", "\\healthz",
                       "http://", "/%"):
            with self.subTest(target=target), self.server.raw() as raw:
                raw.send(request("GET", target))
                self.problem(raw.read_answer(), 400, "ERR")

    def test_request_ids(self):
        given = self.http.get("/healthz", headers={"X-Request-Id": "abc-123"})
        self.assertEqual(given.header("x-request-id"), "abc-123")
        refused = self.http.get("/nope", headers={"X-Request-Id": "abc-124"})
        self.assertEqual(refused.json["request_id"], "abc-124")
        made = {self.http.get("/healthz").header("x-request-id") for _ in range(50)}
        self.assertEqual(len(made), 50)
        for bad in ("x" * 5000, 'a"b', "a b", "é", "\x01", "", "a,b;c={}"):
            with self.subTest(bad=bad[:10]):
                with self.server.raw() as raw:
                    raw.send(request("GET", "/nope", headers=[f"X-Request-Id: {bad}"]))
                    answer = raw.read_answer()
                    shown = answer.header("x-request-id")
                    self.assertTrue(shown)
                    self.assertLess(len(shown), 300)
                    self.assertEqual(answer.json["request_id"], shown)

    def test_two_host_headers_and_none(self):
        for data in (request("GET", "/healthz", host=None),
                     request("GET", "/healthz", headers=["Host: localhost"])):
            with self.subTest(data=data), self.server.raw() as raw:
                raw.send(data)
                self.problem(raw.read_answer(), 400, "ERR")


class SmallReplies(support.ServerTest):
    OPTIONS = ("--max-reply", "64kb", "--max-output", "1mb")

    def test_a_page_beyond_max_reply_is_limit(self):
        board = self.board()
        entries = [{"member": f"{i:04}" + "m" * 500, "score": i} for i in range(400)]
        self.ok(self.http.post(self.path(board, "entries"), {"entries": entries[:200]}))
        self.ok(self.http.post(self.path(board, "entries"), {"entries": entries[200:]}))
        self.ok(self.http.get(self.path(board, "entries") + "?limit=10"))
        self.problem(self.http.get(self.path(board, "entries") + "?limit=1000"), 413, "LIMIT")
        self.ok(self.http.get("/healthz"))


class JsonBombs(support.ServerTest):
    OPTIONS = ("--max-body", "8mb")

    def test_more_values_than_the_bound(self):
        board = self.board()
        body = b'{"entries":[' + b",".join([b'{"member":"a","score":1}'] * 200_000) + b"]}"
        answer = self.http.post(self.path(board, "entries"), raw=body)
        self.assertIn(answer.status, (400, 413), str(answer))
        self.assertEqual(self.scores(board), [])

    def test_many_different_unknown_keys(self):
        board = self.board()
        body = ("{" + ",".join(f'"k{i}":{i}' for i in range(49_000)) + "}").encode()
        answer = self.http.post(self.path(board, "entries"), raw=body)
        self.problem(answer, 400, "ERR")


if __name__ == "__main__":
    support.main()
