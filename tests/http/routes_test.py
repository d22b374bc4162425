"""The table of routes: methods, unknown paths, HEAD and OPTIONS; the routes of no board."""

import support


# Every method of every route, with a path and a body that succeed or name what is missing.
ROUTES = [
    ("GET", "/v1/boards"),
    ("GET", "/v1/boards/{b}"), ("PUT", "/v1/boards/{b}"), ("PATCH", "/v1/boards/{b}"),
    ("DELETE", "/v1/boards/{b}"),
    ("GET", "/v1/templates"),
    ("GET", "/v1/templates/t"), ("PUT", "/v1/templates/t"), ("DELETE", "/v1/templates/t"),
    ("POST", "/v1/boards/{b}/entries"), ("GET", "/v1/boards/{b}/entries"),
    ("GET", "/v1/boards/{b}/entries/m"), ("DELETE", "/v1/boards/{b}/entries/m"),
    ("GET", "/v1/boards/{b}/entries/m/around"),
    ("PUT", "/v1/boards/{b}/entries/m/hidden"), ("DELETE", "/v1/boards/{b}/entries/m/hidden"),
    ("PUT", "/v1/boards/{b}/entries/m/meta"),
    ("POST", "/v1/boards/{b}/among"), ("POST", "/v1/boards/{b}/remove"),
    ("POST", "/v1/boards/{b}/pop"), ("POST", "/v1/boards/{b}/trim"),
    ("POST", "/v1/boards/{b}/clear"),
    ("GET", "/v1/boards/{b}/rank-of"), ("GET", "/v1/boards/{b}/count"),
    ("GET", "/v1/boards/{b}/between"), ("GET", "/v1/boards/{b}/percentile"),
    ("GET", "/v1/boards/{b}/quantile"), ("GET", "/v1/boards/{b}/histogram"),
    ("GET", "/v1/boards/{b}/periods"), ("GET", "/v1/boards/{b}/changes"),
    ("GET", "/v1/boards/{b}/live"),
    ("POST", "/v1/submit"), ("POST", "/v1/read"),
    ("GET", "/v1/whoami"), ("GET", "/v1/server"), ("GET", "/v1/clients"), ("GET", "/v1/slowlog"),
    ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/openapi.json"),
    ("GET", "/"), ("GET", "/assets/f"),
]
METHODS = ("GET", "PUT", "PATCH", "POST", "DELETE")


class Server(support.ServerTest):
    def test_health_and_readiness(self):
        self.ok(self.http.get("/healthz"))
        ready = self.ok(self.http.get("/readyz"))
        self.assertIs(ready["writes"], True)

    def test_whoami_without_tokens(self):
        shown = self.ok(self.http.get("/v1/whoami"))
        self.assertEqual(shown, {"name": "default", "role": "admin", "boards": "*",
                                 "anonymous": False, "tokens": False})

    def test_server_has_figures(self):
        board = self.board()
        before = self.ok(self.http.get("/v1/server"))
        for score in range(20):
            self.ok(self.http.submit(board, "ann", score))
        self.problem(self.http.get("/v1/boards/nowhere/entries"), 404, "NOBOARD")
        after = self.ok(self.http.get("/v1/server"))
        self.assertGreaterEqual(after["commands_total"] - before["commands_total"], 21)
        self.assertGreater(after["errors_total"], before["errors_total"])
        self.assertGreaterEqual(after["cpu_us"], before["cpu_us"])
        self.assertRegex(after["time"], support.STAMP)
        self.assertGreater(after["time"], before["time"])
        self.assertGreaterEqual(after["stamp_lead_us"], 0)
        self.assertIsNone(after["disk"]["trouble"])

    def test_the_times_of_an_interval_are_the_difference_of_two_answers(self):
        board = self.board()
        before = self.ok(self.http.get("/v1/server"))
        for score in range(20):
            self.ok(self.http.submit(board, "ann", score))
        after = self.ok(self.http.get("/v1/server"))
        for name in ("engine_times", "fsync_times"):
            old, new = before[name], after[name]
            self.assertEqual(len(new["buckets"]), len(new["bounds_us"]) + 1)
            self.assertEqual(sum(new["buckets"]), new["count"])
            self.assertEqual(old["bounds_us"], sorted(new["bounds_us"]))
            counts = [new - old for old, new in zip(old["buckets"], new["buckets"])]
            self.assertGreaterEqual(min(counts), 0)
            self.assertGreaterEqual(sum(counts), 20)
            self.assertGreaterEqual(new["total_us"], old["total_us"])

    def test_clients_lists_this_connection(self):
        clients = self.ok(self.http.get("/v1/clients"))["clients"]
        port = self.http.connection.sock.getsockname()[1]
        self.assertIn(f"127.0.0.1:{port}", [client["address"] for client in clients])

    def test_slowlog_lists_slow_commands(self):
        resp = self.resp()
        resp.ask("CONFIG", "SET", "slowlog-log-slower-than", "0")
        self.http.put("/v1/boards/slow", {})
        self.http.submit("slow", "ann", 1)
        commands = self.ok(self.http.get("/v1/slowlog"))["commands"]
        resp.ask("CONFIG", "SET", "slowlog-log-slower-than", "10000")
        self.assertTrue(commands)

    def test_metrics_are_prometheus_text(self):
        answer = self.http.get("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.header("content-type").startswith("text/plain"))
        self.assertIn(b"# TYPE ", answer.body)
        self.assertTrue(answer.body.endswith(b"\n"))

    def test_the_console(self):
        answer = self.http.get("/")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.header("content-type").startswith("text/html"))

    def test_the_openapi_document_has_every_route(self):
        document = self.ok(self.http.get("/openapi.json"))
        self.assertTrue(document["openapi"].startswith("3.1"))
        described = {(method.upper(), path.count("/"), path.rsplit("/", 1)[-1])
                     for path, item in document["paths"].items()
                     for method in item if method.upper() in METHODS}
        for method, path in ROUTES:
            last = path.rsplit("/", 1)[-1]
            last = {"{b}": "{board}", "m": "{member}", "t": "{pattern}",
                    "f": "{file}"}.get(last, last)
            with self.subTest(method=method, path=path):
                self.assertIn((method, path.count("/"), last), described)


class Methods(support.ServerTest):
    def paths(self):
        board = self.board()
        self.http.submit(board, "m", 1)
        grouped = {}
        for method, path in ROUTES:
            grouped.setdefault(path.replace("{b}", board), set()).add(method)
        return grouped

    def test_other_methods_are_405_and_name_those_allowed(self):
        for path, allowed in self.paths().items():
            for method in METHODS + ("TRACE", "PROPFIND", "get"):
                if method in allowed:
                    continue
                with self.subTest(method=method, path=path):
                    answer = self.http.ask(method, path, headers={"Content-Type": None})
                    self.problem(answer, 405, "ERR")
                    names = {name.strip() for name in answer.header("allow").split(",")}
                    wanted = allowed | {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
                    self.assertEqual(names, wanted)

    def test_options_names_the_methods(self):
        for path, allowed in self.paths().items():
            with self.subTest(path=path):
                answer = self.http.ask("OPTIONS", path)
                self.assertIn(answer.status, (200, 204), str(answer))
                names = {name.strip() for name in answer.header("allow").split(",")}
                self.assertLessEqual(allowed, names)
                self.assertIsNone(answer.header("access-control-allow-origin"))

    def test_head_has_the_headers_of_get_and_no_body(self):
        for path, allowed in self.paths().items():
            if "GET" not in allowed or path.endswith(("/live", "/v1/clients", "/metrics")):
                continue
            for more in ("?score=1" if path.endswith("rank-of") else
                         "?member=m" if path.endswith("percentile") else
                         "?p=1" if path.endswith("quantile") else "",):
                with self.subTest(path=path):
                    get = self.http.get(path + more)
                    with self.server.raw() as raw:
                        raw.send(support.request("HEAD", path + more)
                                 + support.request("GET", "/healthz"))
                        head = raw.read_answer(to_head=True)
                        self.assertEqual(head.status, get.status)
                        for name in ("content-type", "content-length", "etag"):
                            self.assertEqual(head.header(name), get.header(name), name)
                        self.assertEqual(raw.read_answer().status, 200)  # no body came between

    def test_unknown_paths_are_404(self):
        for path in ("/v1", "/v1/", "/v2/boards", "/boards", "/v1/boards/", "/v1/boards//entries",
                     "/v1/boards/x/entries/", "/v1/boards/x/entries//around", "/v1/boards/x/nope",
                     "/healthz/", "//healthz", "/HEALTHZ", "/v1/boards/x/entries/m/around/deeper",
                     "/index.html", "/.git/config", "/v1/boards/../../healthz", "/%68ealthz/x"):
            with self.subTest(path=path):
                self.problem(self.http.get(path), 404, "ERR")

    def test_unknown_paths_name_the_nearest_route_or_the_document(self):
        for path, nearest in (("/v1/boards/", "/v1/boards"),
                              ("/v1/boards/x/entries/", "/v1/boards/{board}/entries"),
                              ("/v1/board/x", "/v1/boards/{board}"), ("/boards", "/v1/boards"),
                              ("/v1/boards/x/entry", "/v1/boards/{board}/entries"),
                              ("/v1//boards//x", "/v1/boards/{board}"),
                              ("/api/v1/boards/x", "/v1/boards/{board}")):
            with self.subTest(path=path):
                self.assertEqual(self.problem(self.http.get(path), 404, "ERR")["detail"],
                                 f"there is no such route; did you mean {nearest}? "
                                 "/openapi.json lists all")
        for method, path, below in (
                ("GET", "/v1/boards/x/top", " below /v1/boards/{board} there are entries, .*, live;"),
                ("OPTIONS", "/v1/players/ann", " below /v1 there are boards, .*;"),
                ("GET", "/players/ann", "")):
            self.problem(self.http.ask(method, path), 404, "ERR",
                         detail=f"^there is no such route:{below} /openapi.json lists all$")

    def test_a_percent_encoded_route_is_the_route(self):
        self.ok(self.http.get("/%68ealthz"))


if __name__ == "__main__":
    support.main()
