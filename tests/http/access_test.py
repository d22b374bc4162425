"""Who may do what: tokens, roles, patterns, anonymous reads, Host, Origin and CORS."""

import os
import signal
import unittest

import support
from support import quoted, request

ROLES = ("read", "submit", "write", "admin")

# (least role, method, path, body); {b} is the board.
OPERATIONS = [
    ("read", "GET", "/v1/boards/{b}", None),
    ("read", "GET", "/v1/boards/{b}/entries", None),
    ("read", "GET", "/v1/boards/{b}/entries/m", None),
    ("read", "GET", "/v1/boards/{b}/entries/m/around", None),
    ("read", "POST", "/v1/boards/{b}/among", {"members": ["m"]}),
    ("read", "GET", "/v1/boards/{b}/rank-of?score=1", None),
    ("read", "GET", "/v1/boards/{b}/count", None),
    ("read", "GET", "/v1/boards/{b}/count?min=0", None),
    ("read", "GET", "/v1/boards/{b}/between", None),
    ("read", "GET", "/v1/boards/{b}/percentile?member=m", None),
    ("read", "GET", "/v1/boards/{b}/quantile?p=50", None),
    ("read", "GET", "/v1/boards/{b}/histogram", None),
    ("read", "GET", "/v1/boards/{b}/periods", None),
    ("read", "GET", "/v1/boards/{b}/changes", None),
    ("submit", "POST", "/v1/boards/{b}/entries", {"member": "m", "score": 1}),
    ("submit", "POST", "/v1/boards/{b}/entries", {"entries": [{"member": "m", "score": 1}]}),
    ("submit", "POST", "/v1/submit", {"submits": [{"board": "{b}", "member": "m", "score": 1}]}),
    ("write", "POST", "/v1/boards/{b}/entries", {"member": "m", "score": 1, "at": 1700000000}),
    ("write", "POST", "/v1/boards/{b}/entries", {"member": "m", "score": 1, "op": "set"}),
    ("write", "POST", "/v1/boards/{b}/entries", {"member": "m", "score": 1, "op": "incr"}),
    ("write", "POST", "/v1/boards/{b}/entries",
     {"entries": [{"member": "m", "score": 1}], "at": 1700000000}),
    ("write", "POST", "/v1/submit",
     {"submits": [{"board": "{b}", "member": "m", "score": 1}], "at": 1700000000}),
    ("write", "PUT", "/v1/boards/{b}/entries/m/meta", {"meta": "x"}),
    ("write", "PUT", "/v1/boards/{b}/entries/m/hidden", None),
    ("write", "DELETE", "/v1/boards/{b}/entries/m/hidden", None),
    ("write", "POST", "/v1/boards/{b}/remove", {"members": ["absent"]}),
    ("write", "POST", "/v1/boards/{b}/trim", {"n": 1000}),
    ("write", "POST", "/v1/boards/{b}/pop", {"n": 1}),
    ("write", "POST", "/v1/boards/{b}/entries", {"member": "m", "score": 1, "op": "set"}),
    ("write", "DELETE", "/v1/boards/{b}/entries/m", None),
    ("write", "POST", "/v1/boards/{b}/clear", {}),
    ("read", "PUT", "/v1/boards/{b}", {}),  # an equal spec: it only compares
    ("admin", "PATCH", "/v1/boards/{b}", {"cap": 0}),
    ("admin", "DELETE", "/v1/boards/{b}", None),
]


def with_board(value, board):
    """The body with {b} replaced."""
    return support.json.loads(support.json.dumps(value).replace("{b}", board))


class TokenTest(support.ServerTest):
    """A server with a token of every role for `rank:*`, and for all boards."""

    MORE = ()

    @classmethod
    def setUpClass(cls):
        cls.secrets, flags = {}, []
        for role in ROLES:
            for pattern, key in (("rank:*", role), ("*", role + "*")):
                secret, flag = support.make_token(role, pattern, f"{role}{len(flags)}")
                cls.secrets[key] = secret
                flags += ["--token", flag]
        cls.OPTIONS = tuple(flags) + tuple(cls.MORE)
        super().setUpClass()
        cls.admin = cls.server.client(cls.secrets["admin*"])
        for name in ("rank:1", "other"):
            cls.admin.put(f"/v1/boards/{quoted(name)}", {})
            cls.admin.submit(name, "m", 1)

    def setUp(self):
        super().setUp()
        self.http = self.client("admin*")

    def client(self, key):
        client = self.server.client(self.secrets.get(key, key))
        self.addCleanup(client.close)
        return client

    def restore(self, board):
        self.admin.put(f"/v1/boards/{quoted(board)}", {})
        self.admin.submit(board, "m", 1)


class Roles(TokenTest):
    def test_each_operation_needs_its_role(self):
        for least, method, path, body in OPERATIONS:
            for role in ROLES:
                with self.subTest(role=role, method=method, path=path, body=body):
                    self.restore("rank:1")
                    answer = self.client(role).ask(method, path.replace("{b}", "rank:1"),
                                                   with_board(body, "rank:1"))
                    if ROLES.index(role) >= ROLES.index(least):
                        self.assertEqual(answer.status, 200, str(answer))
                    else:
                        self.problem(answer, 403, "NOPERM")

    def test_no_role_reaches_a_board_outside_of_its_pattern(self):
        for _, method, path, body in OPERATIONS:
            for role in ROLES:
                with self.subTest(role=role, method=method, path=path):
                    answer = self.client(role).ask(method, path.replace("{b}", "other"),
                                                   with_board(body, "other"))
                    self.problem(answer, 403, "NOPERM")
                    there = answer.json
                    absent = self.client(role).ask(method, path.replace("{b}", "absent"),
                                                   with_board(body, "absent")).json
                    # Whether the board exists is not said.
                    for name in ("request_id",):
                        there.pop(name), absent.pop(name)
                    self.assertEqual(str(there).replace("other", "B"),
                                     str(absent).replace("absent", "B"))

    def test_below_admin_a_declaration_is_only_compared(self):
        self.admin.put("/v1/boards/rank:c", {"cap": 5, "policy": "best"})
        keeper = self.resp(self.secrets["admin*"])
        keeper.ask("ZADD", "rank:set", "1", "x")
        same = "rank:c", "POLICY", "best", "CAP", "5"
        others = [("rank:c",), (*same, "TIE", "last"), ("rank:new",), ("rank:set", "ADOPT"),
                  ("rank:set",)]
        before = keeper.ask("LB.DESCRIBE", "rank:c"), keeper.ask("KEYS", "rank:*")
        for role in ROLES[:-1]:
            with self.subTest(role=role):
                http, resp = self.client(role), self.resp(self.secrets[role])
                self.ok(http.put("/v1/boards/rank:c", {"policy": "best", "cap": 5}))
                for board, spec in (("rank:c", {}), ("rank:new", {}), ("rank:set", {"adopt": True})):
                    self.problem(http.put(f"/v1/boards/{quoted(board)}", spec), 403, "NOPERM")
                self.assertEqual(resp.ask("LB.CREATE", *same), "OK")
                for words in others:
                    with self.assertRaisesRegex(support.RespError, "^NOPERM .*role admin"):
                        resp.ask("LB.CREATE", *words)
                resp.ask("MULTI")
                resp.ask("LB.CREATE", *same)
                resp.ask("LB.CREATE", "rank:new")
                equal, missing = resp.ask("EXEC")
                self.assertEqual(equal, "OK")
                self.assertTrue(str(missing).startswith("NOPERM"), missing)
                with self.assertRaisesRegex(support.RespError, "^NOPERM"):
                    resp.ask("LB.CREATE", "other")
        self.assertEqual((keeper.ask("LB.DESCRIBE", "rank:c"), keeper.ask("KEYS", "rank:*")), before)
        with self.assertRaisesRegex(support.RespError, "^NOBOARD"):
            keeper.ask("LB.DESCRIBE", "rank:new")
        keeper.ask("DEL", "rank:set", "rank:c")

    def test_a_submit_token_cannot_reach_at_or_options_through_a_score(self):
        for score in (["5", "AT", "1700000000"], ["AT", "1700000000"], "AT", ["5", "NX"]):
            answer = self.client("submit").submit("rank:1", "m", score)
            self.assertIn(answer.status, (400, 403, 422), str(answer))

    def test_submit_may_use_if_id_and_meta(self):
        # LB.SUBMIT without AT is the role submit, whatever else it has.
        client = self.client("submit")
        self.restore("rank:1")
        self.ok(client.submit("rank:1", "m2", 1, **{"if": "absent"}))
        self.ok(client.submit("rank:1", "m2", 2, key="k", meta="x"))

    def test_several_boards_need_a_token_for_each(self):
        self.restore("rank:1")
        submits = [{"board": "rank:1", "member": "n", "score": 1},
                   {"board": "other", "member": "n", "score": 1}]
        for order in (submits, submits[::-1]):
            answer = self.client("admin").post("/v1/submit", {"submits": order})
            self.problem(answer, 403, "NOPERM")
        for board in ("rank:1", "other"):
            self.assertNotIn("n", [m for m, _ in self.scores(board)])

    def test_one_read_of_many_outside_of_the_pattern(self):
        reads = [{"board": "rank:1", "read": "count"}, {"board": "other", "read": "count"}]
        answer = self.client("read").post("/v1/read", {"reads": reads})
        if answer.status == 200:
            first, second = answer.json["results"]
            self.assertIn("count", first)
            self.assertEqual(second.get("code"), "NOPERM")
        else:
            self.problem(answer, 403, "NOPERM")

    def test_an_instance_belongs_to_its_board(self):
        self.admin.put("/v1/boards/rank:p", {"periods": ["day"]})
        self.admin.put("/v1/boards/op", {"periods": ["day"]})
        self.ok(self.client("read").get("/v1/boards/rank:p@day/entries"))
        self.problem(self.client("read").get("/v1/boards/op@day/entries"), 403, "NOPERM")
        for path in ("/v1/boards/op%40day/entries", "/v1/boards/o%70/entries",
                     "/v1/boards/rank:..%2Fother/entries", "/v1/boards/rank:1/../other/entries"):
            with self.subTest(path=path):
                self.assertIn(self.client("read").get(path).status, (403, 404))

    def test_the_list_shows_the_boards_of_the_pattern_only(self):
        for role in ROLES:
            listed = self.ok(self.client(role).get("/v1/boards?limit=1000"))
            names = {board["board"] for board in listed["boards"]}
            self.assertTrue(names)
            self.assertTrue(all(name.startswith("rank:") for name in names), names)
        self.resp(self.secrets["admin*"]).ask("ZADD", "secret set", "1", "x")
        listed = self.ok(self.client("read").get("/v1/boards?kind=sorted-set&limit=1000"))
        self.assertEqual(listed["boards"], [])
        everything = self.ok(self.client("read*").get("/v1/boards?limit=1000"))
        self.assertIn("other", {board["board"] for board in everything["boards"]})

    def test_templates_need_admin(self):
        for role in ROLES[:-1]:
            client = self.client(role + "*")
            self.problem(client.put("/v1/templates/x", {}), 403, "NOPERM")
            self.problem(client.delete("/v1/templates/x"), 403, "NOPERM")
        self.assertEqual(self.ok(self.client("admin*").get("/v1/templates"))["templates"], [])
        self.ok(self.client("admin*").put("/v1/templates/x", {}), 201)
        self.ok(self.client("admin*").delete("/v1/templates/x"))

    def test_a_template_beyond_the_pattern_of_the_token(self):
        self.problem(self.client("admin").put("/v1/templates/" + quoted("*"), {}), 403, "NOPERM")
        self.problem(self.client("admin").put("/v1/templates/other", {}), 403, "NOPERM")

    def test_routes_of_the_console_by_role(self):
        self.ok(self.client("admin*").get("/v1/clients"))
        self.ok(self.client("admin*").get("/v1/slowlog"))
        for role in ("read*", "submit*", "write*", "read", "admin"):
            for path in ("/v1/clients", "/v1/slowlog"):
                with self.subTest(role=role, path=path):
                    answer = self.client(role).get(path)
                    if role != "admin" or answer.status != 200:
                        self.problem(answer, 403, "NOPERM")

    def test_whoami(self):
        for role in ROLES:
            shown = self.ok(self.client(role).get("/v1/whoami"))
            self.assertEqual((shown["role"], shown["boards"]), (role, "rank:*"))
            self.assertTrue(shown["name"].startswith(role))
            self.assertNotIn(self.secrets[role], str(shown))
            self.assertEqual((shown["anonymous"], shown["tokens"]), (False, True))
        self.problem(self.server.client().get("/v1/whoami"), 401, "NOAUTH")

    def test_metrics_need_a_token_for_all_boards(self):
        self.assertEqual(self.client("read*").get("/metrics").status, 200)
        self.problem(self.client("read").get("/metrics"), 403, "NOPERM")
        self.problem(self.client("admin").get("/metrics"), 403, "NOPERM")
        self.problem(self.server.client().get("/metrics"), 401, "NOAUTH")

    def test_what_needs_no_token(self):
        client = self.server.client()
        for path in ("/healthz", "/readyz", "/openapi.json", "/"):
            with self.subTest(path=path):
                self.assertEqual(client.get(path).status, 200)
                self.assertEqual(self.client("read").get(path).status, 200)

    def test_a_stream_needs_the_pattern(self):
        for part in ("live", "changes"):
            stream = self.stream(f"/v1/boards/other/{part}", token=self.secrets["read"])
            self.problem(stream.open(), 403, "NOPERM")
            stream = self.stream(f"/v1/boards/rank:1/{part}")
            self.problem(stream.open(), 401, "NOAUTH")
            stream = self.stream(f"/v1/boards/rank:1/{part}", token=self.secrets["read"])
            self.assertEqual(stream.open().status, 200)


class Tokens(TokenTest):
    def test_without_a_token_nothing_is_served_or_said(self):
        client = self.server.client()
        for _, method, path, body in OPERATIONS:
            for board in ("rank:1", "absent"):
                with self.subTest(method=method, path=path, board=board):
                    answer = client.ask(method, path.replace("{b}", board), with_board(body, board))
                    self.problem(answer, 401, "NOAUTH")
        for path in ("/v1/boards", "/v1/templates", "/v1/server", "/v1/clients", "/v1/slowlog"):
            with self.subTest(path=path):
                self.problem(client.get(path), 401, "NOAUTH")
        self.problem(client.post("/v1/read", {"reads": [{"read": "count", "board": "rank:1"}]}),
                     401, "NOAUTH")

    def test_a_request_without_a_valid_token_is_refused_at_its_head(self):
        for headers in ([], ["Authorization: Bearer wrong"]):
            for length in ("Content-Length: 1000000", "Transfer-Encoding: chunked"):
                with self.subTest(headers=headers, length=length), self.raw() as raw:
                    raw.send(request("POST", "/v1/boards/rank:1/entries",
                                     headers=["Content-Type: application/json", length] + headers))
                    answer = raw.read_answer()
                    self.assertEqual(answer.status, 401, str(answer))
                    self.assertEqual(answer.header("connection"), "close")

    def test_a_request_that_needs_no_token_is_answered_at_its_head(self):
        for method, path, status in (("GET", "/healthz", 200), ("GET", "/openapi.json", 200),
                                     ("OPTIONS", "/v1/boards", 204), ("GET", "/metrics", 401)):
            with self.subTest(path=path), self.raw() as raw:
                raw.send(request(method, path, headers=["Content-Type: application/json",
                                                        "Content-Length: 1000"]))
                answer = raw.read_answer()
                self.assertEqual(answer.status, status, str(answer))
                self.assertEqual(answer.header("connection"), "close")

    def test_a_client_that_sends_a_whole_body_first_gets_the_refusal(self):
        with self.raw() as raw:
            raw.send(request("POST", "/v1/boards/rank:1/entries", headers=[
                "Content-Type: application/json", "Content-Length: 1000000"]))
            raw.send(b"x" * 1_000_000)
            self.assertEqual(raw.read_answer().status, 401)
            self.assertTrue(raw.is_closed())

    def test_refused_bodies_are_not_kept(self):
        clients = [self.raw() for _ in range(200)]
        before = self.server.resident_bytes()
        for raw in clients:
            raw.send(request("POST", "/v1/boards/rank:1/entries", headers=[
                "Content-Type: application/json", "Content-Length: 1000000"]))
            raw.send(b"x" * 500_000)
        for raw in clients:
            self.assertEqual(raw.read_answer().status, 401)
        self.assertLess(self.server.resident_bytes(), before + (40 << 20))

    def test_a_body_is_awaited_with_a_valid_token(self):
        with self.raw() as raw:
            body = b'{"member":"slow","score":1}'
            raw.send(request("POST", "/v1/boards/rank:1/entries", headers=[
                "Content-Type: application/json", f"Content-Length: {len(body)}",
                f"Authorization: Bearer {self.secrets['submit']}"]))
            self.assertTrue(raw.is_silent())
            raw.send(body)
            self.assertEqual(raw.read_answer().status, 200)

    def test_forms_of_the_header(self):
        # Refusals are delayed, so all requests are sent before the first answer is read.
        secret = self.secrets["read"]
        sent = []
        for value, status in ((f"Bearer {secret}", 200), (f"bearer {secret}", 200),
                              (f"BEARER {secret}", 200), (f"Bearer  {secret}", (200, 400, 401)),
                              (f"Bearer {secret} ", 200), (f"Bearer\t{secret}", (200, 400, 401)),
                              (secret, 401), (f"Basic {secret}", 401), ("Bearer", 401),
                              ("Bearer ", 401), (f"Bearer {secret}x", 401),
                              (f"Bearer {secret[:-1]}", 401), (f"Bearer {secret.upper()}", 401),
                              (f"Bearer {secret} {secret}", 401),
                              (f"Bearer x, Bearer {secret}", 401),
                              ("", 401), (f"Token {secret}", 401), ("Bearer " + "x" * 10_000, 401),
                              (f'Bearer "{secret}"', 401), (f"Bearer={secret}", 401)):
            raw = self.raw()
            raw.send(request("GET", "/v1/whoami", headers=[f"Authorization: {value}"]))
            sent.append((value, status, raw))
        for value, status, raw in sent:
            with self.subTest(value=value[:90]):
                answer = raw.read_answer()
                allowed = status if isinstance(status, tuple) else (status,)
                self.assertIn(answer.status, allowed, str(answer))
                if answer.status == 401:
                    self.problem(answer, 401, "NOAUTH")
                self.assertNotIn(secret.encode(), answer.body)

    def test_a_repeated_header_is_refused(self):
        good, bad = f"Authorization: Bearer {self.secrets['read']}", "Authorization: Bearer x"
        for headers in ([good, bad], [bad, good], [good, good]):
            with self.subTest(headers=headers):
                raw = self.raw()
                raw.send(request("GET", "/v1/whoami", headers=headers))
                self.assertIn(raw.read_answer().status, (400, 401))

    def test_a_refused_token_delays_no_other_client(self):
        wrong = self.raw()
        for _ in range(6):  # each refusal of a connection is delayed more than the one before
            wrong.send(request("GET", "/v1/whoami", headers=["Authorization: Bearer wrong"]))
        for _ in range(20):
            self.ok(self.client("read").get("/v1/whoami"))
        self.assertEqual(wrong.read_answer().status, 401)

    def test_a_token_is_not_taken_from_the_query(self):
        client = self.server.client()
        secret = self.secrets["read"]
        for name in ("token", "access_token", "authorization"):
            self.assertIn(client.get(f"/v1/boards/rank:1/entries?{name}={secret}").status,
                          (400, 401))

    def test_each_request_of_a_connection_is_checked(self):
        raw = self.raw()
        auth = f"Authorization: Bearer {self.secrets['read']}"
        raw.send(request("GET", "/v1/whoami", headers=[auth]) + request("GET", "/v1/whoami")
                 + request("GET", "/v1/whoami", headers=["Authorization: Bearer wrong"])
                 + request("GET", "/v1/whoami", headers=[auth]))
        answers = [raw.read_answer() for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [200, 401])
        third = raw.read_answer()
        if third is not None:
            self.assertEqual(third.status, 401)

    def test_a_wrong_token_is_refused_also_where_none_is_needed(self):
        client = self.server.client("wrong")
        self.assertIn(client.get("/healthz").status, (200, 401))

    def test_an_unknown_route_or_a_bad_request_tells_no_more_without_a_token(self):
        client = self.server.client()
        for method, path in (("GET", "/v1/boards/rank:1/entries?limit=1001"),
                             ("GET", "/v1/boards/rank:1/entries/absent"),
                             ("POST", "/v1/boards/rank:1/pop")):
            with self.subTest(path=path):
                self.assertIn(client.ask(method, path).status, (400, 401))


class Anonymous(TokenTest):
    MORE = ("--anonymous", "read:rank:*")

    def test_reads_of_the_pattern_need_no_token(self):
        client = self.server.client()
        for least, method, path, body in OPERATIONS:
            with self.subTest(method=method, path=path):
                answer = client.ask(method, path.replace("{b}", "rank:1"),
                                    with_board(body, "rank:1"))
                if least == "read":
                    self.assertEqual(answer.status, 200, str(answer))
                else:
                    self.assertIn(answer.status, (401, 403), str(answer))
                answer = client.ask(method, path.replace("{b}", "other"), with_board(body, "other"))
                self.assertIn(answer.status, (401, 403), str(answer))

    def test_a_write_without_a_token_is_refused_at_its_head(self):
        with self.raw() as raw:
            raw.send(request("POST", "/v1/boards/rank:1/entries", headers=[
                "Content-Type: application/json", "Content-Length: 1000000"]))
            self.assertEqual(raw.read_answer().status, 403)

    def test_a_body_without_a_token_has_at_most_64_kib(self):
        least = b'{"members":["m"]}'
        path = "/v1/boards/rank:1/among"
        for bytes_, status in ((65_536, 200), (65_537, 413)):
            body = least.ljust(bytes_)
            chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (bytes_, body)
            chunked_head = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
            for sent in (request("POST", path, body),
                         request("POST", path, headers=chunked_head) + chunked):
                with self.subTest(bytes=bytes_), self.raw() as raw:
                    # The head comes first: one that is refused ends the connection.
                    head, _, rest = sent.partition(b"\r\n\r\n")
                    raw.send(head + b"\r\n\r\n")
                    if status == 200:
                        self.assertTrue(raw.is_silent(0.05))
                        raw.send(rest)
                    else:
                        raw.send(rest[:7])  # the line of a chunk
                    answer = raw.read_answer()
                    self.assertEqual(answer.status, status, str(answer))
                    if status == 413:
                        self.problem(answer, 413, "LIMIT")
                        self.assertIn("without a token", answer.json["detail"])
                        self.assertIn("65536", answer.json["detail"])
        with self.raw() as raw:
            raw.send(request("POST", path, least.ljust(200_000),
                             headers=[f"Authorization: Bearer {self.secrets['read']}"]))
            self.assertEqual(raw.read_answer().status, 200)

    def test_half_bodies_without_a_token_are_not_kept(self):
        for path in ("/v1/read", "/v1/boards/rank:1/among"):
            for length in ("Content-Length: 1000000", "Transfer-Encoding: chunked"):
                with self.subTest(path=path, length=length):
                    clients = [self.raw() for _ in range(100)]
                    before = self.server.resident_bytes()
                    chunk = b"" if length.startswith("Content") else b"f4240\r\n"
                    for raw in clients:
                        raw.send(request("POST", path, headers=["Content-Type: application/json",
                                                                length]))
                        raw.send(chunk + b" " * 500_000)
                    for raw in clients:
                        # A chunked body is refused inside: its sender may lose the answer.
                        answer = raw.read_answer()
                        if answer is not None or not chunk:
                            self.assertEqual(answer.status, 413, str(answer))
                    self.assertLess(self.server.resident_bytes(), before + (25 << 20))
                    for raw in clients:
                        raw.close()

    def test_lists_streams_and_reads_of_one_state(self):
        client = self.server.client()
        listed = self.ok(client.get("/v1/boards?limit=1000"))
        self.assertEqual([board["board"] for board in listed["boards"]], ["rank:1"])
        self.assertEqual(self.stream("/v1/boards/rank:1/live").open().status, 200)
        self.assertIn(self.stream("/v1/boards/other/live").open().status, (401, 403))
        answer = client.post("/v1/read", {"reads": [{"read": "count", "board": "rank:1"}]})
        self.ok(answer)

    def test_a_wrong_token_is_no_anonymous_one(self):
        self.problem(self.server.client("wrong").get("/v1/boards/rank:1/entries"), 401, "NOAUTH")

    def test_what_is_not_a_board_stays_closed(self):
        client = self.server.client()
        for path in ("/metrics", "/v1/clients", "/v1/slowlog"):
            with self.subTest(path=path):
                self.assertIn(client.get(path).status, (401, 403))

    def test_whoami_says_that_the_client_has_no_token(self):
        self.assertEqual(self.ok(self.server.client().get("/v1/whoami")),
                         {"name": "anonymous", "role": "read", "boards": "rank:*",
                          "anonymous": True, "tokens": True})
        self.assertIs(self.ok(self.client("read").get("/v1/whoami"))["anonymous"], False)

    def test_the_figures_of_the_server_stay_closed(self):
        self.assertIn(self.server.client().get("/v1/server").status, (401, 403))


class OpenMetrics(TokenTest):
    MORE = ("--metrics-open",)

    def test_metrics_open_opens_the_metrics_alone(self):
        client = self.server.client()
        self.assertEqual(client.get("/metrics").status, 200)
        self.problem(client.get("/v1/boards"), 401, "NOAUTH")


class Hosts(support.ServerTest):
    OPTIONS = ("--http-hosts", "boards.example", "--http-hosts", "Other.Example")

    def status(self, host, path="/healthz"):
        raw = self.raw()
        raw.send(request("GET", path, host=host))
        answer = raw.read_answer()
        if answer.status not in (200, 400):
            self.problem(answer, answer.status, answer.json["code"])
        return answer.status

    def test_hosts_that_are_served(self):
        for host in ("127.0.0.1", "127.0.0.1:80", "localhost", "localhost:7680", "LOCALHOST",
                     "[::1]",
                     "[::1]:7680", "10.1.2.3", "192.168.0.1:1234", "boards.example",
                     "boards.example:443", "BOARDS.example", "other.example",
                     "[2001:db8::1]"):
            with self.subTest(host=host):
                self.assertEqual(self.status(host), 200)

    def test_hosts_that_are_refused(self):
        for host in ("evil.example", "localhost.evil.example", "evil.localhost.example",
                     "boards.example.evil", "xboards.example", "127.0.0.1.nip.io", "1.2.3",
                     "127.0.0.1.", "0x7f.0.0.1", "2130706433", "",
                     "user@localhost", "localhost/x", "[::1", "::1", "[evil]", "localhost, evil",
                     "256.1.1.1", "boards.example@evil.example", "127.1"):
            with self.subTest(host=host):
                self.assertIn(self.status(host), (400, 403, 421))

    def test_ports_that_are_no_ports(self):
        for host in ("localhost:x", "localhost:80:80", "127.0.0.1:99999", "localhost:evil.example"):
            with self.subTest(host=host):
                self.assertEqual(self.status(host), 400)

    def test_the_rule_holds_for_every_route(self):
        for path in ("/", "/openapi.json", "/metrics", "/v1/boards", "/v1/whoami", "/nope"):
            with self.subTest(path=path):
                self.assertIn(self.status("evil.example", path), (400, 403, 421))


class Origins(support.ServerTest):
    def test_a_foreign_origin_is_refused(self):
        board = self.board()
        for origin in ("http://evil.example", "https://evil.example", "null",
                       "http://localhost.evil",
                       "file://", "http://127.0.0.1.evil.example", "garbage", "http://",
                       "chrome-extension://abc", "http://localhost@evil.example"):
            for method, path, body in (
                    ("GET", self.path(board, "entries"), None), ("GET", "/healthz", None),
                    ("POST", self.path(board, "entries"), {"member": "a", "score": 1}),
                    ("DELETE", self.path(board), None), ("GET", "/metrics", None),
                    ("GET", self.path(board, "live"), None)):
                with self.subTest(origin=origin, method=method, path=path):
                    answer = self.http.ask(method, path, body, headers={"Origin": origin})
                    self.problem(answer, 403, answer.json["code"])
                    self.assertIsNone(answer.header("access-control-allow-origin"))
        self.assertEqual(self.scores(board), [])

    def test_the_own_origin_is_served(self):
        for host in (f"127.0.0.1:{self.server.http_port}", f"localhost:{self.server.http_port}"):
            answer = self.http.get("/healthz", headers={"Host": host, "Origin": f"http://{host}"})
            self.assertEqual(answer.status, 200, str(answer))

    def test_another_port_of_this_host_is_foreign(self):
        answer = self.http.get("/healthz", headers={"Origin": "http://127.0.0.1:1"})
        self.assertEqual(answer.status, 403, str(answer))

    def test_a_preflight_is_refused(self):
        answer = self.http.ask("OPTIONS", "/v1/boards", headers={
            "Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"})
        self.assertIsNone(answer.header("access-control-allow-origin"))
        self.assertIsNone(answer.header("access-control-allow-methods"))
        self.assertEqual(answer.status, 403, str(answer))


class Cors(TokenTest):
    MORE = ("--cors-origins", "https://game.example", "--cors-origins", "http://localhost:3000")
    ORIGIN = "https://game.example"

    def test_a_preflight_needs_no_token(self):
        answer = self.server.client().ask("OPTIONS", "/v1/boards/rank:1/entries", headers={
            "Origin": self.ORIGIN, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,idempotency-key"})
        self.assertIn(answer.status, (200, 204), str(answer))
        self.assertEqual(answer.header("access-control-allow-origin"), self.ORIGIN)
        self.assertIn("POST", answer.header("access-control-allow-methods"))
        allowed = answer.header("access-control-allow-headers").lower()
        for name in ("authorization", "content-type", "idempotency-key"):
            self.assertIn(name, allowed)
        self.assertIn("origin", (answer.header("vary") or "").lower())
        self.assertNotEqual(answer.header("access-control-allow-credentials"), "true")

    def test_answers_name_the_origin_also_when_they_refuse(self):
        for client, path, status in ((self.client("read"), "/v1/boards/rank:1/entries", 200),
                                     (self.client("read"), "/v1/boards/other/entries", 403),
                                     (self.server.client(), "/v1/boards/rank:1/entries", 401),
                                     (self.client("read"), "/nope", 404)):
            with self.subTest(path=path, status=status):
                answer = client.get(path, headers={"Origin": self.ORIGIN})
                self.assertEqual(answer.status, status, str(answer))
                self.assertEqual(answer.header("access-control-allow-origin"), self.ORIGIN)
                self.assertIn("origin", (answer.header("vary") or "").lower())

    def test_a_page_may_read_the_headers_it_needs(self):
        answer = self.client("read").get("/v1/boards/rank:1/entries",
                                         headers={"Origin": self.ORIGIN})
        exposed = (answer.header("access-control-expose-headers") or "").lower()
        for name in ("etag", "x-request-id"):
            self.assertIn(name, exposed)

    def test_streams_name_the_origin(self):
        stream = self.stream("/v1/boards/rank:1/live", token=self.secrets["read"],
                             headers={"Origin": self.ORIGIN})
        self.assertEqual(stream.open().header("access-control-allow-origin"), self.ORIGIN)

    def test_other_origins_are_refused(self):
        for origin in ("http://game.example", "https://game.example:444",
                       "https://GAME.example.evil",
                       "https://game.example.evil", "https://xgame.example", "null",
                       "https://game.example/", "http://localhost:3001"):
            with self.subTest(origin=origin):
                answer = self.client("read").get("/v1/boards/rank:1/entries",
                                                 headers={"Origin": origin})
                self.assertEqual(answer.status, 403, str(answer))
                self.assertIsNone(answer.header("access-control-allow-origin"))


class CorsForAll(TokenTest):
    MORE = ("--cors-origins", "*")

    def test_every_origin_is_served_without_credentials(self):
        answer = self.client("read").get("/v1/boards/rank:1/entries",
                                         headers={"Origin": "http://any.example"})
        self.assertEqual(answer.status, 200, str(answer))
        self.assertIn(answer.header("access-control-allow-origin"), ("*", "http://any.example"))
        self.assertNotEqual(answer.header("access-control-allow-credentials"), "true")


class Reload(unittest.TestCase):
    """SIGHUP reads the configuration file's tokens again."""

    def test_a_removed_token_ends_its_connections_and_streams(self):
        keep, keep_flag = support.make_token("read", "*", "keep")
        gone, gone_flag = support.make_token("read", "*", "gone")
        late, late_flag = support.make_token("read", "*", "late")

        def lines(flag):
            name, role, *rest = flag.split(":")
            return (f'[[token]]\nname = "{name}"\nrole = "{role}"\nhash = "{rest[0]}:{rest[1]}"\n'
                    f'boards = "*"\n')

        admin, admin_flag = support.make_token("admin", "*", "root")
        server = support.Server()
        config = server.folder / "laurel.toml"
        config.write_text(lines(keep_flag) + lines(gone_flag) + lines(admin_flag))
        server.options = ["--config", str(config)]
        self.addCleanup(server.discard)
        server.start()
        self.assertEqual(server.client(admin).put("/v1/boards/b", {}).status, 201)
        streams = {name: server.stream("/v1/boards/b/live", token=secret)
                   for name, secret in (("keep", keep), ("gone", gone))}
        for stream in streams.values():
            self.addCleanup(stream.close)
            self.assertEqual(stream.open().status, 200)
            self.assertEqual(stream.next()["event"], "state")
        resp = server.resp(gone)
        self.addCleanup(resp.close)
        cursor = server.client(gone).get("/v1/boards/b/changes?from=$").json["next"]
        waiting = server.raw()
        self.addCleanup(waiting.close)
        waiting.send(support.request("GET", f"/v1/boards/b/changes?from={cursor}&wait=60000",
                                     headers=[f"Authorization: Bearer {gone}"]))
        waits = lambda: server.client(admin).get("/v1/server").json["connections"]["blocked"] == 1
        self.assertTrue(support.eventually(waits))
        config.write_text(lines(keep_flag) + lines(late_flag) + lines(admin_flag))
        os.kill(server.process.pid, signal.SIGHUP)
        late_is_known = lambda: server.client(late).get("/v1/whoami").status == 200
        self.assertTrue(support.eventually(late_is_known), server.log())
        self.assertEqual(server.client(gone).get("/v1/whoami").status, 401)
        self.assertEqual(server.client(keep).get("/v1/whoami").status, 200)
        end = streams["gone"].collect(lambda event: event.get("event") == "end")[-1]
        self.assertTrue(end["data"]["reason"])
        self.assertIsNone(streams["gone"].next())
        # The reader that waited is told where it can go on.
        answer = waiting.read_answer()
        self.assertEqual((answer.status, answer.json["next"]), (200, cursor))
        with self.assertRaises((EOFError, OSError, support.RespError)):
            resp.ask("LB.SIZE", "b")
        server.client(admin).submit("b", "ann", 1)
        self.assertTrue(streams["keep"].collect(lambda event: event.get("event") == "update"))
        server.stop()


if __name__ == "__main__":
    support.main()
