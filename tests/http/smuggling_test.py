"""Requests that two parsers could read differently: refused, the connection closed, nothing done.

Each case carries a second request inside of what a lenient parser would take for the first one's
body, or the other way round. If the server executed it, the member `smuggled` would have an entry.
"""

import json

import support
from support import request

ENTRY = json.dumps({"member": "smuggled", "score": 1}).encode()
KIND = "Content-Type: application/json"


class Smuggling(support.ServerTest):
    def setUp(self):
        super().setUp()
        self.target = self.board()
        self.inner = request("POST", self.path(self.target, "entries"), ENTRY)

    def head(self, *headers, method="POST", path=None, version="HTTP/1.1"):
        return request(method, path or self.path(self.target, "entries"), headers=list(headers),
                       version=version)

    def refused(self, data, statuses=(400,), name=None):
        """One refusal, then the end of the connection; nothing was written."""
        with self.subTest(case=name or data[:120]), self.server.raw() as raw:
            raw.send(data)
            answer = raw.read_answer()
            self.assertIsNotNone(answer, "closed without an answer")
            self.assertIn(answer.status, statuses, str(answer))
            self.problem(answer, answer.status, answer.json["code"])
            self.assertEqual((answer.header("connection") or "").lower(), "close", str(answer))
            self.assertTrue(raw.is_closed())
            self.assertEqual(self.scores(self.target), [])

    def test_content_length_with_transfer_encoding(self):
        for first, second in (("Content-Length: 4", "Transfer-Encoding: chunked"),
                              ("Transfer-Encoding: chunked", "Content-Length: 4"),
                              ("Content-Length: 0", "Transfer-Encoding: chunked"),
                              ("Content-Length: 4", "transfer-encoding: CHUNKED"),
                              ("Content-Length: 4", "Transfer-Encoding: identity")):
            self.refused(self.head(KIND, first, second) + b"0\r\n\r\n" + self.inner, (400, 501))

    def test_doubled_content_length(self):
        length = len(ENTRY)
        for headers in ((f"Content-Length: {length}", "Content-Length: 0"),
                        ("Content-Length: 0", f"Content-Length: {length}"),
                        (f"Content-Length: {length}", f"Content-Length: {length}"),
                        (f"Content-Length: {length}, {length}",),
                        (f"Content-Length: {length}", f"content-length: {length}")):
            self.refused(self.head(KIND, *headers) + ENTRY)

    def test_lengths_that_are_no_number(self):
        length = len(ENTRY)
        for value in (f"+{length}", f"-{length}", f"0x{length:x}", f"{length}.0",
                      f"{length} {length}",
                      "", " ", f"{length};", f'"{length}"', f"{length}a", "1e1", f"{length}\x0b",
                      f"\x0b{length}", "-1", "18446744073709551616", f"{(1 << 64) + length}",
                      f"1_0", "٣"):
            data = self.head(KIND).replace(
                b"\r\n\r\n", b"\r\nContent-Length: " + value.encode() + b"\r\n\r\n") + ENTRY
            self.refused(data, (400, 413), name=value)

    def test_bare_line_feeds(self):
        good = request("POST", self.path(self.target, "entries"), ENTRY)
        head, _, body = good.partition(b"\r\n\r\n")
        self.refused(head.replace(b"\r\n", b"\n") + b"\n\n" + body, name="all lines")
        self.refused(head + b"\n\n" + body, name="the end")
        self.refused(head + b"\r\n\n" + body, name="the last line")
        self.refused(head + b"\n\r\n" + body, name="the line before the last")
        self.refused(head.replace(b"\r\n", b"\n", 1) + b"\r\n\r\n" + body, name="the first line")
        self.refused(head + b"\nX: y\r\n\r\n" + body, name="between headers")

    def test_bare_carriage_returns(self):
        good = request("POST", self.path(self.target, "entries"), ENTRY)
        head, _, body = good.partition(b"\r\n\r\n")
        self.refused(head + b"\rX: y\r\n\r\n" + body)
        self.refused(head + b"\r\nX: a\rb\r\n\r\n" + body)
        self.refused(head + b"\r\r\n\r\n" + body)
        self.refused(head.replace(b"\r\n", b"\r", 1) + b"\r\n\r\n" + body)

    def test_folded_headers(self):
        length = len(ENTRY)
        for folded in (f"X: a\r\n b", f"X: a\r\n\tb", f"X: a\r\n Content-Length: {length}",
                       f"Content-Length:\r\n {length}", "Transfer-Encoding:\r\n chunked"):
            self.refused(self.head(KIND, folded) + ENTRY)
        self.refused(b"POST / HTTP/1.1\r\n Host: localhost\r\n\r\n", name="the first header")

    def test_names_of_headers_that_are_malformed(self):
        length = len(ENTRY)
        for line in (f"Content-Length : {length}", f" Content-Length: {length}",
                     f"Content Length: {length}", f"Content-Length\t: {length}", ": x", "X",
                     "X;y: z",
                     f"Content-Length\x00: {length}", "X(y): z", "Ünïcode: x", '"X": y',
                     "Transfer-Encoding : chunked", "Transfer\xadEncoding: chunked", "X\x7f: y"):
            self.refused(self.head(KIND, line) + ENTRY, name=line)

    def test_values_of_headers_that_are_malformed(self):
        for value in ("a\x00b", "a\x01b", "a\x7fb", "\x1b[31m", "a\x08"):
            self.refused(self.head(KIND, f"X: {value}") + ENTRY, name=repr(value))

    def test_transfer_encodings_that_are_obscured(self):
        for value in ("chunked, chunked", "chunked, identity", "chunked,", "xchunked", "chunked x",
                      "chunked;q=1", ", chunked", '"chunked"', "chunked, gzip", "\x0bchunked",
                      "chun ked", "identity", "", "chunked\x00"):
            data = self.head(KIND).replace(
                b"\r\n\r\n", b"\r\nTransfer-Encoding: " + value.encode() + b"\r\n\r\n")
            self.refused(data + b"0\r\n\r\n" + self.inner, (400, 501), name=value)

    def test_doubled_transfer_encodings(self):
        self.refused(self.head(KIND, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")
                     + b"0\r\n\r\n" + self.inner, (400, 501))
        self.refused(self.head(KIND, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")
                     + b"0\r\n\r\n" + self.inner, (400, 501))

    def test_chunks_that_are_malformed(self):
        head = self.head(KIND, "Transfer-Encoding: chunked")
        size = b"%x" % len(ENTRY)
        end = b"\r\n0\r\n\r\n"
        for name, chunks in {
                "a sign": b"+" + size + b"\r\n" + ENTRY + end,
                "a minus": b"-" + size + b"\r\n" + ENTRY + end,
                "a prefix": b"0x" + size + b"\r\n" + ENTRY + end,
                "a space before": b" " + size + b"\r\n" + ENTRY + end,
                "a tab before": b"\t" + size + b"\r\n" + ENTRY + end,
                "a point": size + b".0\r\n" + ENTRY + end,
                "nothing": b"\r\n" + ENTRY + end,
                "no digits": b"g\r\n" + ENTRY + end,
                "an underscore": b"0_" + size + b"\r\n" + ENTRY + end,
                "beyond 64 bits": b"1" + b"0" * 16 + size + b"\r\n" + ENTRY + end,
                "many zeros": b"0" * 5000 + size + b"\r\n" + ENTRY + end,
                "a bare LF after the size": size + b"\n" + ENTRY + end,
                "a bare CR after the size": size + b"\r" + ENTRY + end,
                "a bare LF after the data": size + b"\r\n" + ENTRY + b"\n0\r\n\r\n",
                "no line end after the data": size + b"\r\n" + ENTRY + b"0\r\n\r\n",
                "more data than said": size + b"\r\n" + ENTRY + b"xx\r\n0\r\n\r\n",
                "a LF in an extension": size + b";a\nb\r\n" + ENTRY + end,
                "a CR in an extension": size + b";a\rb\r\n" + ENTRY + end,
                "a NUL in an extension": size + b";a\x00b\r\n" + ENTRY + end,
                "a bare LF after the last": size + b"\r\n" + ENTRY + b"\r\n0\n\n",
                "a bare LF as the end": size + b"\r\n" + ENTRY + b"\r\n0\r\n\n",
                "a folded trailer": size + b"\r\n" + ENTRY + b"\r\n0\r\nX: a\r\n b\r\n\r\n",
                "a trailer without a colon": size + b"\r\n" + ENTRY
                                             + b"\r\n0\r\nGET / HTTP/1.1\r\n\r\n",
                "a bare LF in a trailer": size + b"\r\n" + ENTRY + b"\r\n0\r\nX: a\n\r\n",
        }.items():
            self.refused(head + chunks, (400, 413, 431), name=name)

    def test_a_trailer_changes_nothing(self):
        head = self.head(KIND, "Transfer-Encoding: chunked")
        body = b"2\r\n{}\r\n"
        for trailer in ("Content-Length: 100", "Transfer-Encoding: chunked", "Host: evil.example",
                        "Authorization: Bearer x", "Content-Type: text/plain",
                        "Idempotency-Key: k"):
            with self.subTest(trailer=trailer), self.server.raw() as raw:
                raw.send(head + body + f"0\r\n{trailer}\r\n\r\n".encode()
                         + request("GET", "/healthz"))
                answer = raw.read_answer()
                self.problem(answer, 400, "ERR")
                if (answer.header("connection") or "").lower() != "close":
                    self.assertEqual(raw.read_answer().status, 200)

    def test_request_lines_that_are_malformed(self):
        for line in (b"GET  /healthz HTTP/1.1", b"GET /healthz  HTTP/1.1",
                     b" GET /healthz HTTP/1.1",
                     b"GET /healthz HTTP/1.1 ", b"GET\t/healthz HTTP/1.1",
                     b"GET /healthz HTTP/1.1x",
                     b"GET /healthz http/1.1", b"GET /healthz HTTP/1,1", b"GET /healthz HTTP/01.1",
                     b"GET /healthz HTTP/1.01", b"GET /healthz HTTP /1.1", b"GET /healthz",
                     b"GET /healthz\x00 HTTP/1.1", b"G\x00ET /healthz HTTP/1.1",
                     b"GET /health\x0bz HTTP/1.1", b"GET /healthz HTTP/1.1\x0b", b"", b" ",
                     b"G(ET /healthz HTTP/1.1", b"GET /a b HTTP/1.1", b"GET /\xff HTTP/1.1"):
            self.refused(line + b"\r\nHost: localhost\r\n\r\n", (400, 405, 501, 505), name=line)

    def test_an_unread_body_is_not_the_next_request(self):
        # Routes without a body, with one that looks like a request.
        for method, path, headers in (
                ("GET", "/healthz", (KIND,)), ("GET", "/nope", (KIND,)),
                ("PUT", "/healthz", (KIND,)),
                ("DELETE", "/v1/boards/absent", (KIND,)), ("OPTIONS", "/healthz", (KIND,)),
                ("GET", "/healthz", ()), ("HEAD", "/healthz", (KIND,)), ("BREW", "/", (KIND,)),
                ("POST", self.path(self.target, "clear"), ("Content-Type: text/plain",)),
                ("POST", "/v1/read", ("Content-Type: text/plain",)),
                ("POST", self.path("absent", "entries"), (KIND,)),
                ("GET", "/healthz", (KIND, "Host: evil.example")),
                ("GET", "/healthz", (KIND, "Origin: http://evil.example"))):
            for framing in ("length", "chunks"):
                with self.subTest(method=method, path=path, framing=framing), \
                        self.server.raw() as raw:
                    if framing == "length":
                        data = self.head(*headers, f"Content-Length: {len(self.inner)}",
                                         method=method, path=path) + self.inner
                    else:
                        data = self.head(*headers, "Transfer-Encoding: chunked", method=method,
                                         path=path)
                        data += b"%x\r\n%s\r\n0\r\n\r\n" % (len(self.inner), self.inner)
                    raw.send(data + request("GET", "/v1/whoami"))
                    first = raw.read_answer(to_head=method == "HEAD")
                    self.assertIsNotNone(first)
                    if (first.header("connection") or "").lower() == "close":
                        self.assertTrue(raw.is_closed())
                    else:
                        self.assertIn("role", self.ok(raw.read_answer()))
                        self.assertTrue(raw.is_silent(0.01))
                    self.assertEqual(self.scores(self.target), [])

    def test_a_request_after_a_refused_one_is_not_executed(self):
        self.refused(self.head(KIND, "Content-Length: 1", "Content-Length: 1") + self.inner * 5)
        self.refused(b"\x00" + self.inner * 5)
        self.refused(self.head(KIND, "X: " + "y" * 20_000) + self.inner * 5, (431,))
        self.refused(self.head(KIND, "Content-Length: 99999999999") + self.inner * 5, (413,))

    def test_requests_before_a_malformed_one_are_answered(self):
        with self.server.raw() as raw:
            raw.send(request("GET", "/healthz") * 3 + b"GET / HTTP/1.1\nHost: x\n\n" + self.inner)
            self.assertEqual([raw.read_answer().status for _ in range(3)], [200] * 3)
            self.problem(raw.read_answer(), 400, "ERR")
            self.assertTrue(raw.is_closed())
        self.assertEqual(self.scores(self.target), [])

    def send_twice(self, name, first, second):
        """The answer to a write that has one of its headers twice."""
        headers = {"Host": [f"127.0.0.1:{self.server.http_port}"],
                   "Content-Type": ["application/json"], "Content-Length": [str(len(ENTRY))]}
        headers[name] = [first, second]
        lines = [f"POST {self.path(self.target, 'entries')} HTTP/1.1"]
        lines += [f"{key}: {value}" for key, values in headers.items() for value in values]
        with self.server.raw() as raw:
            raw.send("\r\n".join(lines + ["", ""]).encode() + ENTRY)
            return raw.read_answer()

    def test_a_repeated_host_or_origin(self):
        own = f"http://127.0.0.1:{self.server.http_port}"
        for name, first, second in (("Host", "localhost", "127.0.0.1"),
                                    ("Host", "evil.example", "127.0.0.1"),
                                    ("Host", "127.0.0.1", "evil.example"),
                                    ("Origin", "http://evil.example", own)):
            with self.subTest(name=name, first=first, second=second):
                answer = self.send_twice(name, first, second)
                self.assertIn(answer.status, (400, 403), str(answer))
                self.assertEqual(self.scores(self.target), [])

    def test_a_foreign_origin_after_the_own_one(self):
        own = f"http://127.0.0.1:{self.server.http_port}"
        answer = self.send_twice("Origin", own, "http://evil.example")
        self.assertIn(answer.status, (400, 403), str(answer))

    def test_a_repeated_content_type(self):
        for first, second in (("application/json", "text/plain"),
                              ("text/plain", "application/json")):
            with self.subTest(first=first):
                answer = self.send_twice("Content-Type", first, second)
                self.assertIn(answer.status, (400, 415), str(answer))
                self.assertEqual(self.scores(self.target), [])

    def test_hop_by_hop_headers_do_not_remove_others(self):
        with self.server.raw() as raw:
            raw.send(request("POST", self.path(self.target, "entries"), ENTRY,
                             ["Connection: content-length, host"]) + request("GET", "/healthz"))
            self.assertEqual(raw.read_answer().status, 200)
            self.assertEqual(raw.read_answer().status, 200)

    def test_an_upgrade_is_not_taken(self):
        with self.server.raw() as raw:
            raw.send(request("GET", "/healthz", headers=[
                "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"])
                + request("GET", "/healthz"))
            self.assertEqual(raw.read_answer().status, 200)
            self.assertEqual(raw.read_answer().status, 200)


if __name__ == "__main__":
    support.main()
