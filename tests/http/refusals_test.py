"""What refusals tell clients to do; refusals that come from the state of the server: memory, a full
disk, loading, LIMIT."""

import http.client
import os
import pathlib
import subprocess
import tempfile
import unittest

import support

MIB = 1 << 20


class WaysOut(support.ServerTest):
    """What a refusal tells a client to do is possible over HTTP."""

    def test_a_missing_board_names_the_request_that_makes_it(self):
        for ask in (lambda path: self.http.get(path), lambda path: self.http.get(path + "/entries"),
                    lambda path: self.http.submit("no such", "ann", 1),
                    lambda path: self.http.patch(path, {"cap": 1}),
                    lambda path: self.http.get(path + "/changes"),
                    lambda path: self.http.get(path + "/changes",
                                               headers={"Accept": "text/event-stream"}),
                    lambda path: self.http.get(path + "/live")):
            self.problem(ask("/v1/boards/no%20such"), 404, "NOBOARD", field="board",
                         detail="^no board 'no such': PUT /v1/boards/no%20such or a template "
                                "makes one$")
        self.problem(self.http.get("/v1/boards/none@day/entries"), 404, "NOBOARD",
                     detail="^no board 'none@day': PUT /v1/boards/none or a template makes one$")
        results = self.ok(self.http.post("/v1/read", {"reads": [
            {"read": "entries", "board": "none"}]}))["results"]
        self.assertEqual(results, [{"code": "NOBOARD", "detail":
                                    "no board 'none': PUT /v1/boards/none or a template makes one"}])
        self.problem(self.http.post("/v1/submit", {"submits": [
            {"board": "none", "member": "ann", "score": 1}]}), 404, "NOBOARD",
                     detail="PUT /v1/boards/none ")

    def test_a_sorted_set_names_the_request_that_adopts_it(self):
        self.resp().ask("ZADD", "set/1", "1", "ann")
        for answer in (self.http.get("/v1/boards/set%2F1/entries"),
                       self.http.put("/v1/boards/set%2F1", {}),
                       self.http.get("/v1/boards/set%2F1/changes")):
            self.problem(answer, 409, "WRONGTYPE",
                         detail="^'set/1' is a sorted set: PUT /v1/boards/set%2F1 with "
                                "\"adopt\":true makes it a leaderboard$")
        self.problem(self.http.delete("/v1/boards/set%2F1"), 409, "WRONGTYPE",
                     detail="^'set/1' is a sorted set: DEL removes it, over RESP$")

    def test_a_period_goes_with_the_name_of_the_board(self):
        board = self.board(periods=["day", "all"])
        for answer in (self.http.get(self.path(board, "entries") + "?period=day:-1"),
                       self.http.submit(board, "ann", 1, period="day")):
            self.problem(answer, 400, "ERR", field="period", detail="as in arena@day:-1$")
        self.problem(self.http.submit(f"{board}@day", "ann", 1), 400, "ERR",
                     detail=f"is a period of '{board}': name the board itself$")

    def test_an_idempotency_key_where_none_is_remembered(self):
        board = self.board()
        self.problem(self.http.patch(self.path(board), {"cap": 1}, headers={"Idempotency-Key": "k"}),
                     400, "ERR", field="Idempotency-Key",
                     detail="^this route takes no Idempotency-Key$")
        self.ok(self.http.submit(board, "ann", 1, key="k"))
        self.problem(self.http.submit(board, "ann", 2, key="k"), 422, "REUSED",
                     field="Idempotency-Key")

    def test_the_detail_alone_names_what_is_wrong(self):
        board = self.board()
        body = self.problem(self.http.post(self.path(board, "entries"), {"member": "ann"}), 400,
                            "ERR", field="score")
        self.assertEqual(body["detail"], "score is missing")
        self.problem(self.http.post(self.path(board, "entries"), {"entries": [
            {"member": "ann", "score": 1}, {"member": "bob", "score": "x"}]}), 422, "BADSCORE",
                     field="entries.1.score", detail="^entries.1.score: .*'x'")

    def test_an_expiry_that_has_passed(self):
        board = self.board(end="2026-01-01T00:00:00Z")
        self.problem(self.http.patch(self.path(board), {"expire": "1s"}), 400, "ERR",
                     detail="set END later, or drop the board$")

    def test_too_many_members(self):
        board = self.board()
        self.problem(self.http.post(self.path(board, "among"), {"members": list(range(10_001))}),
                     413, "LIMIT", detail="^one call takes at most 10000 members$")


class OutOfMemory(support.ServerTest):
    OPTIONS = ("--max-memory", "16mb", "--fsync", "off")

    def fill(self, board):
        """Writes until a write is refused, and returns the refusal."""
        for i in range(1000):
            entries = [{"member": f"{i}:{j}" + "m" * 900, "score": j} for j in range(200)]
            answer = self.http.post(self.path(board, "entries"), {"entries": entries})
            if answer.status != 200:
                return answer
        raise AssertionError("200,000 entries fit into --max-memory")

    def test_writes_are_refused_and_reads_and_removals_are_not(self):
        board = self.board()
        self.problem(self.fill(board), 507, "OOM")
        small = {"submits": [{"board": board, "member": "x", "score": 1}]}
        for answer in (self.http.submit(board, "x", 1), self.http.post("/v1/submit", small),
                       self.http.submit(board, "x", 1, op="incr"),
                       self.http.put(self.path("another"), {})):
            self.problem(answer, 507, "OOM")
        count = self.ok(self.http.get(self.path(board, "count")))["count"]
        page = self.entries(board, "?limit=1000")
        self.assertEqual(len(page), min(count, 1000))
        self.ok(self.http.post("/v1/read", {"reads": [{"read": "count", "board": board}]}))
        self.ok(self.http.delete(self.path(board, "entries", page[0]["member"])))
        self.ok(self.http.post(self.path(board, "remove"), {"members": [page[1]["member"]]}))
        self.assertIs(self.ok(self.http.get("/readyz"))["ready"], True)
        self.ok(self.http.post(self.path(board, "trim"), {"n": 10}))
        self.assertTrue(support.eventually(
            lambda: self.http.submit(board, "x", 1).status == 200), "memory does not return")


class SmallDisk:
    """A tmpfs of a few megabytes."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="laurel-disk-"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,nosuid,nodev",
                                  "laurel-test", str(self.root)], capture_output=True, text=True,
                                 check=False)
        self.refusal = mounted.stderr if mounted.returncode else ""

    def add_ballast(self, free_bytes):
        space = os.statvfs(self.root)
        free = space.f_bavail * space.f_bsize
        (self.root / "ballast").write_bytes(b"b" * (free - free_bytes))

    def drop_ballast(self):
        (self.root / "ballast").unlink()

    def close(self):
        if not self.refusal:
            subprocess.run(["umount", "-l", str(self.root)], check=False)
        self.root.rmdir()


class FullDisk(unittest.TestCase):
    problem = support.ServerTest.problem
    check_headers = support.ServerTest.check_headers

    def setUp(self):
        self.disk = SmallDisk()
        self.addCleanup(self.disk.close)
        if self.disk.refusal:
            self.skipTest(f"mounting a tmpfs is not permitted: {self.disk.refusal}")
        self.server = support.Server("--log-segment", "1mb", "--snapshot-log", "1mb", "--keep-log",
                                     "0", folder=self.disk.root)
        self.addCleanup(self.server.close)
        self.server.start()
        self.http = self.server.client()

    def fill(self):
        """Writes until the server gives up freeing space. Returns every refusal."""
        refusals = []
        meta = "x" * 3000
        for i in range(20_000):
            answer = self.http.submit("b", f"m{i}", i, meta=meta)
            if answer.status == 200 and i % 2:
                answer = self.http.put(f"/v1/boards/b/entries/m{i}/meta", {"meta": ""})
            if answer.status != 200:
                refusals.append(answer)
                if "writes that add are refused" in self.server.log():
                    return refusals
        raise AssertionError("20,000 entries fit on the disk")

    def test_writes_are_refused_reads_are_served_and_room_heals(self):
        self.assertEqual(self.http.put("/v1/boards/b", {}).status, 201)
        self.assertEqual(self.http.submit("b", "first", -1, key="k").status, 200)
        self.disk.add_ballast(5 * MIB)
        for answer in self.fill():
            # A write that did not fit may be in memory already: its outcome is not known.
            self.problem(answer, 503, answer.json["code"])
            self.assertIn(answer.json["code"], ("MISCONF", "UNKNOWN"))
        self.assertTrue(support.eventually(
            lambda: self.http.get("/readyz").json["writes"] is False), "readyz")
        ready = self.http.get("/readyz")
        self.assertEqual((ready.status, ready.json["ready"]), (200, True))
        self.assertEqual(self.http.get("/healthz").status, 200)
        for answer in (self.http.submit("b", "late", 1), self.http.put("/v1/boards/other", {}),
                       self.http.submit("b", "first", -1, key="k"),
                       self.http.put("/v1/templates/t", {})):
            self.problem(answer, 503, "MISCONF")
        count = self.http.get("/v1/boards/b/count").json["count"]
        self.assertGreater(count, 100)
        self.assertEqual(len(self.http.get("/v1/boards/b/entries?limit=1000").json["entries"]),
                         min(1000, count))
        self.disk.drop_ballast()
        self.assertTrue(support.eventually(
            lambda: self.http.get("/readyz").json["writes"] is True), self.server.log())
        answer = self.http.submit("b", "first", -1, key="k")
        self.assertEqual((answer.status, answer.json["duplicate"]), (200, True))
        self.assertEqual(self.http.submit("b", "late", 1).status, 200)


    def test_a_submit_to_several_boards_is_refused_as_one_to_one_board(self):
        self.assertEqual(self.http.put("/v1/boards/b", {}).status, 201)
        self.disk.add_ballast(5 * MIB)
        self.fill()
        self.assertTrue(support.eventually(
            lambda: self.http.get("/readyz").json["writes"] is False), "readyz")
        answer = self.http.post("/v1/submit", {"submits": [
            {"board": "b", "member": "late", "score": 1}]})
        self.problem(answer, 503, "MISCONF")


class Loading(unittest.TestCase):
    problem = support.ServerTest.problem
    check_headers = support.ServerTest.check_headers

    def fill(self, server):
        resp = server.resp()
        for i in range(300):
            words = ["ZADD", "set"]
            for j in range(1000):
                words += [str(j), f"member:{i}:{j}"]
            resp.ask(*words)
        resp.close()

    def test_a_loading_server_is_alive_and_not_ready(self):
        server = support.Server("--fsync", "off").start()
        self.addCleanup(server.close)
        self.assertEqual(server.client().put("/v1/boards/b", {}).status, 201)
        self.fill(server)
        server.kill()  # so that the next start reads the log
        seen = []

        def look():
            # Called again and again until the server is ready.
            client = server.client()
            try:
                alive, ready = client.get("/healthz"), client.get("/readyz")
                refused = [client.get("/v1/boards/b/entries"), client.submit("b", "early", 1),
                           client.post("/v1/submit", {"submits": [
                               {"board": "b", "member": "early", "score": 1}]}),
                           client.post("/v1/read", {"reads": [{"board": "b", "read": "count"}]}),
                           client.get("/v1/boards"), client.get("/v1/boards/b/live")]
                still = client.get("/readyz")
            except (OSError, http.client.HTTPException):
                return
            finally:
                client.close()
            if ready.status == 503 and still.status == 503:
                seen.append((alive, ready, refused))

        is_ready = server._is_ready
        server._is_ready = lambda: (look(), is_ready())[1]
        server.start()
        if not seen:
            self.skipTest("loading was too quick to be seen")
        for alive, ready, refused in seen:
            self.assertEqual(alive.status, 200)
            self.assertIs(ready.json["ready"], False)
            for answer in refused:
                self.problem(answer, 503, "LOADING")
        self.assertEqual(server.client().get("/readyz").status, 200)


class Work(support.ServerTest):
    OPTIONS = ("--max-work", "1000", "--fsync", "off")

    def test_work_beyond_max_work_is_limit(self):
        board = self.board(periods=["day", "all"])
        for i in range(2):
            entries = [{"member": f"{i}:{j}", "score": j} for j in range(1000)]
            self.ok(self.http.post(self.path(board, "entries"), {"entries": entries}))
        members = [f"0:{j}" for j in range(1000)]
        answer = self.http.post(self.path(board, "remove"), {"members": members})
        if answer.status != 200:
            self.problem(answer, 413, "LIMIT")
            self.assertEqual(self.ok(self.http.get(self.path(board, "count")))["count"], 2000)


if __name__ == "__main__":
    support.main()
