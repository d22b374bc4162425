"""The access log and the audit log: lines of JSON; who a request came from."""

import json
import re
import time
import unittest

import support
from support import request


def address_of(line):
    """The peer of a line without its port."""
    return re.sub(r"^(?:([0-9.]+)|\[([0-9a-f:]+)\]):[0-9]+$", r"\1\2", line["peer"])


class LogTest(support.ServerTest):
    MORE = ()

    @classmethod
    def setUpClass(cls):
        cls.secrets, flags = {}, []
        for role in ("read", "submit", "write", "admin"):
            cls.secrets[role], flag = support.make_token(role, "*", f"the-{role}")
            flags += ["--token", flag]
        cls.server = support.Server(*flags, *cls.MORE)
        cls.access = cls.server.folder / "access.log"
        cls.audit = cls.server.folder / "audit.log"
        cls.server.options += ["--access-log", str(cls.access), "--audit-log", str(cls.audit)]
        cls.server.start()

    def setUp(self):
        super().setUp()
        self.http = self.server.client(self.secrets["admin"])

    def lines(self, path):
        if not path.exists():
            return []
        text = path.read_bytes().decode("utf-8", "strict")
        return [support.parse_json(line) for line in text.splitlines()]

    def line_of(self, request_id):
        """The one line of the access log with the id."""
        found = support.eventually(
            lambda: [line for line in self.lines(self.access) if line["request_id"] == request_id])
        self.assertEqual(len(found or []), 1, f"{request_id}: {found}")
        return found[0]

    def ask(self, method, path, body=None, role="admin", headers=None, request_id=None):
        """An answer. The log is written once a second: look for lines after the last request."""
        client = self.server.client(self.secrets.get(role))
        self.addCleanup(client.close)
        sent = dict(headers or {})
        if request_id:
            sent["X-Request-Id"] = request_id
        return client.ask(method, path, body, headers=sent)

    def line_after(self, answer):
        return self.line_of(answer.header("x-request-id"))


class AccessLog(LogTest):
    def test_a_line_says_who_what_and_how_it_ended(self):
        answer = self.ask("PUT", "/v1/boards/b", {}, request_id="my-id-1")
        line = self.line_after(answer)
        self.assertEqual(answer.header("x-request-id"), "my-id-1")
        self.assertEqual((line["method"], line["path"], line["status"], line["token"]),
                         ("PUT", "/v1/boards/b", answer.status, "the-admin"))
        self.assertTrue(line["peer"].startswith("127.0.0.1"))
        self.assertIn("b", line["path"])
        self.assertRegex(line["time"], support.STAMP)
        self.assertEqual(line["bytes"], len(answer.body))

    def test_refusals_are_logged(self):
        sent = [(path, status, self.ask(method, path, role=role))
                for method, path, role, status in (
            ("GET", "/nope", "read", 404), ("GET", "/v1/whoami", None, 401),
            ("DELETE", "/v1/boards/b", "read", 403), ("PATCH", "/healthz", "read", 405),
            ("GET", "/v1/boards/b/entries?limit=1001", "read", 400))]
        for path, status, answer in sent:
            with self.subTest(path=path):
                line = self.line_after(answer)
                self.assertEqual((answer.status, line["status"]), (status, status))

    def test_malformed_requests_are_logged(self):
        raw = self.raw()
        raw.send(b"GARBAGE\r\n\r\n")
        answer = raw.read_answer()
        self.assertEqual(self.line_of(answer.header("x-request-id"))["status"], 400)

    def test_secrets_are_not_logged(self):
        self.ask("GET", "/v1/whoami", role="admin")
        wrong = self.server.client("a-wrong-secret")
        answer = wrong.get("/v1/whoami")
        self.line_of(answer.header("x-request-id"))
        text = self.access.read_text() + self.server.log()
        self.assertNotIn("a-wrong-secret", text)
        for secret in self.secrets.values():
            self.assertNotIn(secret, text)

    def test_user_text_cannot_forge_a_line(self):
        sent = []
        for path in ("/v1/boards/x%0A%7B%22status%22:200%7D/entries",
                     "/v1/boards/%22%7D%0A/entries",
                     "/v1/boards/%FF%FE/entries", "/v1/boards/a\"b/entries",
                     "/v1/boards/%E2%80%A8"):
            sent.append(self.ask("GET", path))
        for value in ("x\ty", 'a"b', "{}", "é"):
            raw = self.raw()
            raw.send(request("GET", "/nope", headers=[
                f"X-Request-Id: {value}", f"User-Agent: {value}\\n", f"X-Forwarded-For: {value}"]))
            sent.append(raw.read_answer())
        for answer in sent:
            self.assertEqual(self.line_after(answer)["status"], 404)
        self.lines(self.access)  # every line is JSON

    def test_every_request_of_a_pipeline_has_a_line(self):
        raw = self.raw()
        ids = [f"pipe-{i}" for i in range(50)]
        raw.send(b"".join(request("GET", "/healthz", headers=[f"X-Request-Id: {i}"]) for i in ids))
        for name in ids:
            self.assertEqual(raw.read_answer().header("x-request-id"), name)
        for name in ids:
            self.line_of(name)

    def test_a_stream_has_a_line(self):
        self.http.put("/v1/boards/streamed", {})
        stream = self.stream("/v1/boards/streamed/live", token=self.secrets["read"],
                             headers={"X-Request-Id": "a-stream"})
        self.assertEqual(stream.open().header("x-request-id"), "a-stream")
        stream.next()
        stream.close()
        line = self.line_of("a-stream")
        self.assertEqual((line["status"], line["token"]), (200, "the-read"))

    def test_a_log_that_was_moved_is_written_again_or_goes_on(self):
        self.ask("GET", "/healthz", request_id="before-the-move")
        moved = self.access.with_suffix(".1")
        self.access.rename(moved)
        self.http.get("/healthz", headers={"X-Request-Id": "after-the-move"})

        def written():
            return any(path.exists() and "after-the-move" in path.read_text()
                       for path in (moved, self.access))

        self.assertTrue(support.eventually(written))
        if not self.access.exists():
            moved.rename(self.access)

    def test_x_forwarded_for_of_a_stranger_is_ignored(self):
        line = self.line_after(self.ask("GET", "/healthz",
                                        headers={"X-Forwarded-For": "203.0.113.9"}))
        self.assertTrue(line["peer"].startswith("127.0.0.1"), line)


class TrustedProxies(LogTest):
    MORE = ("--trusted-proxies", "127.0.0.0/8", "--trusted-proxies", "10.0.0.0/8",
            "--trusted-proxies", "::1")

    def peers(self, values):
        """[(value, peer)…] of requests with these values of X-Forwarded-For."""
        sent = [(value, self.ask("GET", "/healthz", headers={"X-Forwarded-For": value}))
                for value in values]
        return [(value, address_of(self.line_after(answer))) for value, answer in sent]

    def test_the_client_is_the_last_address_that_is_no_proxy(self):
        wanted = {"203.0.113.9": "203.0.113.9", "203.0.113.9, 10.0.0.1": "203.0.113.9",
                  "6.6.6.6, 203.0.113.9": "203.0.113.9",
                  "6.6.6.6,203.0.113.9,10.1.2.3, 127.0.0.2": "203.0.113.9",
                  "2001:db8::1": "2001:db8::1", "  203.0.113.9  ": "203.0.113.9"}
        for value, peer in self.peers(wanted):
            with self.subTest(value=value):
                self.assertEqual(peer, wanted[value])

    def test_values_that_are_no_addresses(self):
        for value, peer in self.peers(("unknown", "", "203.0.113.9, garbage", "<script>",
                                       "203.0.113.999", ",", ", ,", "a" * 2000)):
            with self.subTest(value=value[:30]):
                self.assertIn(peer, ("127.0.0.1", "203.0.113.9"))

    def test_repeated_headers_are_one_list(self):
        raw = self.raw()
        raw.send(request("GET", "/healthz", headers=[
            "X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 203.0.113.9", "X-Request-Id: twice"]))
        raw.read_answer()
        self.assertEqual(address_of(self.line_of("twice")), "203.0.113.9")


class AuditLog(LogTest):
    def audited(self, check):
        """The lines for which check is true, once there is one."""
        return support.eventually(
            lambda: [line for line in self.lines(self.audit) if check(json.dumps(line))])

    def test_writes_of_write_and_admin_are_listed(self):
        writer = self.server.client(self.secrets["write"])
        self.addCleanup(writer.close)
        path = "/v1/boards/audited"
        for client, method, part, body, member in (
                (self.http, "PUT", "", {}, None),
                (self.http, "PATCH", "", {"cap": 0}, None),
                (writer, "POST", "/entries", {"member": "set", "score": 1, "op": "set"}, "set"),
                (writer, "POST", "/entries", {"member": "incr", "score": 1, "op": "incr"}, "incr"),
                (writer, "POST", "/entries", {"member": "at", "score": 1, "at": 1700000000}, "at"),
                (writer, "PUT", "/entries/set/meta", {"meta": "x"}, "set"),
                (writer, "PUT", "/entries/set/hidden", None, "set"),
                (writer, "DELETE", "/entries/set/hidden", None, "set"),
                (writer, "DELETE", "/entries/at", None, "at"),
                (writer, "POST", "/remove", {"members": ["set"]}, "set"),
                (writer, "POST", "/pop", {"n": 1}, None),
                (writer, "POST", "/trim", {"n": 0}, None),
                (writer, "POST", "/clear", {}, None),
                (self.http, "DELETE", "", None, None)):
            with self.subTest(method=method, part=part, body=body):
                before = len(self.lines(self.audit))
                self.assertIn(client.ask(method, path + part, body).status, (200, 201))
                self.assertTrue(support.eventually(
                    lambda before=before: len(self.lines(self.audit)) > before), "no line")
                line = self.lines(self.audit)[before]
                self.assertEqual((line["board"], line["token"], line["outcome"]), (
                    "audited", "the-admin" if client is self.http else "the-write", "ok"))
                self.assertTrue(line["peer"].startswith("127.0.0.1"), line)
                if member is not None:
                    self.assertEqual(line["member"], member)

    def test_writes_over_resp_are_listed_too(self):
        self.http.put("/v1/boards/both", {})
        self.resp(self.secrets["write"]).ask("LB.SET", "both", "over-resp", "1")
        line = self.audited(lambda text: "over-resp" in text)[0]
        self.assertEqual((line["board"], line["token"]), ("both", "the-write"))

    def test_a_refused_write_is_listed_with_its_outcome(self):
        self.http.put("/v1/boards/refusing", {})
        self.http.put("/v1/boards/refusing", {"policy": "best"})
        self.assertTrue(self.audited(lambda text: "refusing" in text and "EXISTS" in text))

    def test_reads_and_submits_are_not_listed(self):
        self.http.put("/v1/boards/quiet", {})
        self.server.client(self.secrets["submit"]).submit("quiet", "submitted", 1)
        self.server.client(self.secrets["read"]).get("/v1/boards/quiet/entries")
        time.sleep(0.5)
        for line in self.lines(self.audit):
            self.assertNotIn("submitted", json.dumps(line))


if __name__ == "__main__":
    support.main()
