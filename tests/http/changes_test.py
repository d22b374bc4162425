"""/changes as server-sent events: every event in order, resumed over restarts, gaps told."""

import threading
import time
import unittest

import support


class ChangesTest(support.ServerTest):
    def changes(self, board, query="", last=None, **more):
        headers = {"Last-Event-ID": last} if last is not None else None
        stream = self.stream(self.path(board, "changes") + query, headers=headers, **more)
        answer = stream.open()
        self.assertEqual(answer.status, 200, str(answer))
        self.assertEqual(answer.header("content-type"), "text/event-stream")
        return stream

    def cursor(self, board):
        return self.ok(self.http.get(self.path(board, "changes") + "?from=$"))["next"]


def of_member(member):
    return lambda event: (event.get("data") or {}).get("member") == member


class Changes(ChangesTest):
    def test_every_event_in_order_with_its_cursor_as_id(self):
        board = self.board()
        stream = self.changes(board, "?from=0")
        for i in range(50):
            self.http.submit(board, f"m{i}", i)
        self.http.delete(self.path(board, "entries", "m0"))
        self.http.put(self.path(board, "entries", "m1", "hidden"))
        self.http.post(self.path(board, "clear"), {})
        self.http.submit(board, "last", 1)
        events = stream.collect(of_member("last"))
        listed = self.ok(self.http.get(self.path(board, "changes") + "?limit=1000"))["events"]
        self.assertEqual([event["data"] for event in events], listed)
        for event in events:
            self.assertEqual(event["id"], event["data"]["cursor"])
            self.assertEqual(event["event"], event["data"]["cause"])
        self.assertEqual(len({event["id"] for event in events}), len(events))

    def test_a_stream_begins_with_what_is_new(self):
        board = self.board()
        self.http.submit(board, "old", 1)
        stream = self.changes(board)
        self.http.submit(board, "new", 1)
        self.assertEqual([e["data"]["member"] for e in stream.collect(of_member("new"))], ["new"])

    def test_from_a_cursor_and_from_the_end(self):
        board = self.board()
        cursor = self.cursor(board)
        self.http.submit(board, "a", 1)
        self.http.submit(board, "b", 1)
        for query, members in ((f"?from={cursor}", ["a", "b", "c"]), ("?from=$", ["c"])):
            stream = self.changes(board, query)
            if members == ["c"]:
                continue
            self.http.submit(board, "c", 1)
            self.assertEqual([e["data"]["member"] for e in stream.collect(of_member("c"))], members)

    def test_last_event_id_resumes_after_it(self):
        board = self.board()
        stream = self.changes(board, "?from=0")
        for i in range(10):
            self.http.submit(board, f"m{i}", i)
        events = stream.collect(of_member("m9"))
        for place in (0, 4, 9):
            again = self.changes(board, last=events[place]["id"])
            got = again.collect(of_member("m9")) if place < len(events) - 1 else []
            self.assertEqual([e["id"] for e in got], [e["id"] for e in events[place + 1:]])

    def test_last_event_id_wins_over_from(self):
        board = self.board()
        stream = self.changes(board, "?from=0")
        self.http.submit(board, "a", 1)
        self.http.submit(board, "b", 1)
        events = stream.collect(of_member("b"))
        again = self.changes(board, "?from=0", last=events[1]["id"])
        self.assertEqual([e["data"]["member"] for e in again.collect(of_member("b"))], ["b"])

    def test_a_last_event_id_that_is_no_cursor(self):
        board = self.board()
        for value in ("x", "1-2", "zz-0-0-0", "9" * 500):
            with self.subTest(value=value):
                stream = self.stream(self.path(board, "changes"), headers={"Last-Event-ID": value})
                self.problem(stream.open(), 400, "ERR")

    def test_the_last_events(self):
        board = self.board()
        for i in range(5):
            self.http.submit(board, f"m{i}", i)
        stream = self.changes(board, "?from=-2")
        self.assertEqual([e["data"]["member"] for e in stream.collect(of_member("m4"))],
                         ["m3", "m4"])

    def test_the_events_of_one_member(self):
        board = self.board()
        stream = self.changes(board, "?from=0&member=a")
        for member in ("a", "b", "a", "b", "c"):
            self.http.submit(board, member, 1, op="incr")
        self.http.delete(self.path(board, "entries", "a"))
        events = stream.collect(lambda event: event.get("event") == "removed")
        self.assertNotIn("b", [e["data"].get("member") for e in events])
        self.assertEqual(len([e for e in events if e["data"].get("member") == "a"]), 3)

    def test_an_instance_shows_its_own_events(self):
        board = self.board(periods=["day", "all"])
        stream = self.changes(f"{board}@all", "?from=0")
        self.http.submit(board, "a", 1)
        event = stream.collect(of_member("a"))[-1]
        self.assertEqual(event["data"]["board"], f"{board}@all")

    def test_a_board_that_is_flushed_and_declared_again_is_a_gap(self):
        board = self.board()
        self.http.submit(board, "a", 1)
        cursor = self.cursor(board)
        self.resp().ask("FLUSHALL")
        self.problem(self.http.get(self.path(board, "changes") + f"?from={cursor}"), 404, "NOBOARD")
        self.ok(self.http.put(self.path(board), {}), 201)
        page = self.ok(self.http.get(self.path(board, "changes") + f"?from={cursor}"))
        self.assertTrue(page["gap"])
        self.assertEqual(page["events"], [])
        stream = self.changes(board, last=cursor)
        gap = stream.collect(lambda event: event.get("event") == "gap")[-1]
        self.assertTrue(gap.get("id"))
        self.http.submit(board, "b", 1)
        stream.collect(of_member("b"))
        again = self.changes(board, last=gap["id"])
        again.collect(of_member("b"))

    def test_a_board_that_gets_the_name_by_rename_is_a_gap(self):
        board, other = self.board("renamed"), self.board("other")
        self.http.submit(other, "a", 1)
        cursor = self.cursor(board)
        stream = self.changes(board, last=cursor)
        self.resp().ask("RENAME", other, board)
        event = stream.collect(lambda event: event.get("event") in ("gap", "end"))[-1]
        self.assertEqual(event["event"], "gap", event)

    def test_a_board_that_is_dropped_says_so_and_ends(self):
        board = self.board()
        stream = self.changes(board)
        self.ok(self.http.delete(self.path(board)))
        events = stream.collect(lambda event: event.get("event") == "end")
        self.assertEqual([event["event"] for event in events], ["dropped", "end"])
        self.assertIsNone(stream.next())

    def test_bytes_that_are_not_utf8_and_line_ends(self):
        board = self.board()
        stream = self.changes(board)
        self.resp().ask("LB.SUBMIT", board, b"\xff\xfe", "1")
        self.http.submit(board, "a\nb\r\ndata: x\n\nevent: y", 1)
        event = stream.next()
        self.assertEqual(event["data"]["member_base64"], "//4=")
        self.assertEqual(stream.next()["data"]["member"], "a\nb\r\ndata: x\n\nevent: y")

    def test_json_is_answered_where_no_stream_is_asked_for(self):
        board = self.board()
        for accept in (None, "*/*", "application/json", "text/html, application/json;q=0.9"):
            answer = self.http.get(self.path(board, "changes"),
                                   headers={"Accept": accept} if accept else None)
            self.assertIn("events", self.ok(answer))
        for accept in ("text/event-stream", "text/event-stream, */*", "TEXT/Event-Stream"):
            with self.subTest(accept=accept):
                answer = self.http.get(self.path(board, "changes"), headers={"Accept": accept})
                self.assertEqual(answer.header("content-type"), "text/event-stream")


    def test_events_with_more_values_than_a_request_may_have(self):
        board = self.board()
        resp = self.resp()
        fields = [f"f{i}" for i in range(8)]
        resp.ask("LB.DROP", board)
        resp.ask("LB.CREATE", board, "FIELDS", 8, *fields, "PERIODS", 1, "hour", "KEEP", 200,
                 "GRACE", "130h")
        entries = [word for i in range(100) for word in [f"m{i}"] + list(range(i, i + 8))]
        hour = int(time.time()) // 3600 * 3600
        for age in range(1, 106):
            resp.ask("LB.MSUBMIT", board, 100, *entries, "AT", hour - age * 3600)
        resp.ask("LB.ALTER", board, "GRACE", "0s")
        path = self.path(board, "changes") + "?from=0&member=nobody"

        def listed():
            return self.ok(self.http.get(path + "&limit=1000"))["events"]

        self.assertTrue(support.eventually(
            lambda: [e["cause"] for e in listed()].count("closed") >= 105))
        events, wanted = [], listed()
        stream = self.changes(board, "?from=0&member=nobody")
        while len(events) < len(wanted):
            event = stream.next()
            self.assertTrue(event, events[-1:])
            self.assertNotEqual(event["event"], "end", event)
            events.append(event["data"])
        self.assertEqual(events, wanted)


class Restarts(unittest.TestCase):
    def test_a_follower_misses_and_repeats_nothing(self):
        server = support.Server().start()
        self.addCleanup(server.close)
        http = server.client()
        http.put("/v1/boards/b", {"policy": "sum"})
        written, seen, last = [], [], None
        for round_number in range(4):
            stream = server.stream("/v1/boards/b/changes" + ("" if last else "?from=0"),
                                   headers={"Last-Event-ID": last} if last else None)
            self.assertEqual(stream.open().status, 200)
            http = server.client()
            for i in range(20):
                member = f"r{round_number}n{i}"
                self.assertEqual(http.submit("b", member, 1).status, 200)
                written.append(member)
            # The last few events of a round are left for the next connection.
            for event in stream.collect(of_member(f"r{round_number}n{15}")):
                last = event["id"]
                if event["event"] == "put":
                    seen.append(event["data"]["member"])
            stream.close()
            (server.kill if round_number % 2 else server.stop)()
            server.start()
        stream = server.stream("/v1/boards/b/changes", headers={"Last-Event-ID": last})
        self.assertEqual(stream.open().status, 200)
        seen += [event["data"]["member"] for event in stream.collect(of_member(written[-1]))
                 if event["event"] == "put"]
        stream.close()
        self.assertEqual(seen, written)

    def test_log_that_is_gone_is_a_gap(self):
        options = ("--keep-log", "0", "--snapshot-log", "1mb", "--log-segment", "1mb")
        server = support.Server(*options).start()
        self.addCleanup(server.close)
        http, resp = server.client(), server.resp()
        http.put("/v1/boards/b", {})
        cursor = http.get("/v1/boards/b/changes?from=$").json["next"]
        for i in range(40):
            entries = [{"member": f"m{j}" + "x" * 900, "score": i * 100 + j} for j in range(100)]
            self.assertEqual(http.post("/v1/boards/b/entries", {"entries": entries}).status, 200)
        resp.ask("SAVE")
        resp.ask("LB.SUBMIT", "b", "x", "1")
        self.assertTrue(support.eventually(
            lambda: "gap" in http.get(f"/v1/boards/b/changes?from={cursor}&limit=1").json, 10),
            "the log was kept")
        stream = server.stream("/v1/boards/b/changes", headers={"Last-Event-ID": cursor})
        self.addCleanup(stream.close)
        self.assertEqual(stream.open().status, 200)
        first = stream.next()
        self.assertEqual(first["event"], "gap", first)
        http.submit("b", "after", 1)
        stream.collect(of_member("after"))


class Comments(ChangesTest):
    def test_comments_come_while_nothing_happens(self):
        board = self.board()
        streams = [self.changes(board), self.stream(self.path(board, "live"))]
        self.assertEqual(streams[1].open().status, 200)
        deadline = time.monotonic() + support.LIMIT_S
        while time.monotonic() < deadline and not all(stream.comments for stream in streams):
            for stream in streams:
                stream.next(0.2)
        self.assertTrue(all(stream.comments for stream in streams))


class Writers(ChangesTest):
    def test_the_feed_of_concurrent_writers_gives_the_board(self):
        board = self.board(policy="sum")
        streams = [self.changes(board, "?from=0") for _ in range(3)]

        def write(number):
            client = self.server.client()
            for i in range(100):
                client.submit(board, f"m{(number + i) % 7}", 1)
            client.close()

        writers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        self.http.submit(board, "end", 1)
        wanted = {m: s for m, s in self.scores(board, "?limit=100")}
        for stream in streams:
            state = {}
            for event in stream.collect(of_member("end")):
                if event["event"] == "put":
                    state[event["data"]["member"]] = event["data"]["score"]
            self.assertEqual(state, wanted)


if __name__ == "__main__":
    support.main()
