"""/live: the whole state, then differences, for readers of any speed."""

import threading
import time

import support
from support import request


class Follower:
    """What a reader of /live knows: the top by rank, and the followed members."""

    def __init__(self, stream):
        self.stream = stream
        self.top = {}
        self.members = {}
        self.count = None
        self.updates = 0

    def apply(self, event):
        kind, data = event.get("event"), event.get("data")
        if kind in ("state", "update"):
            if kind == "state":
                self.top = {}
            self.updates += kind == "update"
            self.count = data["count"]
            for entry in data["entries"]:
                self.top[entry["rank"]] = (entry["member"], entry["score"], entry["reached"])
            self.top = {rank: e for rank, e in self.top.items() if rank <= data["size"]}
        elif kind == "members":
            for entry in data["members"]:
                self.members[entry["member"]] = (entry["rank"], entry["score"])

    def listed(self):
        return [self.top[rank] for rank in sorted(self.top)]

    def follow_until(self, check, limit_s=support.LIMIT_S):
        """Applies events until check(self); an AssertionError if that does not come."""
        deadline = time.monotonic() + limit_s
        while not check(self):
            event = self.stream.next(max(0.01, deadline - time.monotonic()))
            if not event:
                raise AssertionError(f"{'ended' if event is None else 'silent'}: {self.listed()}, "
                                     f"{self.members}")
            self.apply(event)


class LiveTest(support.ServerTest):
    def live(self, board, query="", **more):
        """A stream of the board that is open."""
        stream = self.stream(self.path(board, "live") + query, **more)
        answer = stream.open()
        self.assertEqual(answer.status, 200, str(answer))
        self.assertEqual(answer.header("content-type"), "text/event-stream")
        self.assertIn("no-", answer.header("cache-control") or "")
        return stream

    def page(self, board, top):
        return [(e["member"], e["score"], e["reached"])
                for e in self.entries(board, f"?limit={top}")]


class Live(LiveTest):
    def test_the_state_comes_first_and_differences_follow(self):
        board = self.board()
        self.http.submit(board, "ann", 5)
        stream = self.live(board, "?top=3&member=ann&member=zed")
        first = stream.next()
        self.assertEqual(first["event"], "state")
        self.assertEqual((first["data"]["board"], first["data"]["count"]), (board, 1))
        self.assertEqual([e["member"] for e in first["data"]["entries"]], ["ann"])
        follower = Follower(stream)
        follower.apply(first)
        follower.follow_until(lambda f: f.members == {"ann": (1, ["5"]), "zed": (None, None)})
        self.http.submit(board, "bob", 9)
        follower.follow_until(lambda f: [e[0] for e in f.listed()] == ["bob", "ann"]
                              and f.members["ann"] == (2, ["5"]))
        self.http.submit(board, "zed", 7)
        follower.follow_until(lambda f: f.members["zed"] == (2, ["7"]))
        self.http.delete(self.path(board, "entries", "zed"))
        follower.follow_until(lambda f: f.members["zed"] == (None, None) and f.count == 2)
        self.assertEqual(follower.listed(), self.page(board, 3))

    def test_every_kind_of_change_is_told(self):
        board = self.board()
        follower = Follower(self.live(board, "?top=3"))
        follower.follow_until(lambda f: f.count == 0)
        resp = self.resp()
        for change in (lambda: self.http.submit(board, "a", 1),
                       lambda: self.http.post(self.path(board, "entries"), {"entries": [
                           {"member": m, "score": i} for i, m in enumerate("bcdef")]}),
                       lambda: self.http.submit(board, "below", -1),
                       lambda: self.http.delete(self.path(board, "entries", "below")),
                       lambda: self.http.submit(board, "f", 50, op="incr"),
                       lambda: self.http.put(self.path(board, "entries", "f", "hidden")),
                       lambda: self.http.delete(self.path(board, "entries", "f", "hidden")),
                       lambda: self.http.post(self.path(board, "pop"), {"n": 1}),
                       lambda: resp.ask("ZADD", board, "70", "g"),
                       lambda: resp.ask("ZREM", board, "g"),
                       lambda: self.http.post(self.path(board, "trim"), {"n": 2}),
                       lambda: self.http.patch(self.path(board), {"cap": 1}),
                       lambda: self.http.post(self.path(board, "clear"), {}),
                       lambda: self.http.submit(board, "z", 1)):
            change()
            wanted = self.page(board, 3)
            count = self.ok(self.http.get(self.path(board, "count")))["count"]
            follower.follow_until(lambda f: f.listed() == wanted and f.count == count)

    def test_random_writes_add_up(self):
        random = support.seeded_random("random_writes_add_up")
        board = self.board(fields=[{"name": "p"}, {"name": "t", "type": "decimal2",
                                                  "direction": "asc"}])
        followers = [Follower(self.live(board, query)) for query in
                     ("?top=5&member=m1", "?top=1", "?top=0&member=m1&member=m2", "?top=1000")]
        for step in range(300):
            member = f"m{random.randrange(20)}"
            kind = random.randrange(10)
            if kind < 7:
                self.http.submit(board, member, [random.randrange(5), random.randrange(3)])
            elif kind == 7:
                self.http.delete(self.path(board, "entries", member))
            elif kind == 8:
                self.http.put(self.path(board, "entries", member, "hidden"))
            else:
                self.http.delete(self.path(board, "entries", member, "hidden"))
        page = self.page(board, 1000)
        members = {}
        for entry in self.ok(self.http.post(self.path(board, "among"),
                                            {"members": ["m1", "m2"]}))["entries"]:
            members[entry["member"]] = (entry["rank"], entry["score"])
        for follower, top, names in zip(followers, (5, 1, 0, 1000),
                                        (("m1",), (), ("m1", "m2"), ())):
            follower.follow_until(lambda f, top=top, names=names: f.listed() == page[:top]
                                  and f.members == {n: members[n] for n in names})

    def test_a_new_stream_has_the_whole_state_again(self):
        board = self.board()
        for i in range(5):
            self.http.submit(board, f"m{i}", i)
        first = Follower(self.live(board))
        first.follow_until(lambda f: len(f.top) == 5)
        first.stream.close()
        self.http.submit(board, "new", 100)
        second = self.live(board, headers={"Last-Event-ID": "17"})
        event = second.next()
        self.assertEqual(event["event"], "state")
        self.assertEqual([e["member"] for e in event["data"]["entries"]][0], "new")

    def test_at_most_ten_updates_a_second(self):
        board = self.board()
        begin = time.monotonic()
        follower = Follower(self.live(board, "?top=5"))
        resp = self.resp()
        i = 0
        while time.monotonic() < begin + 2:
            resp.ask("LB.SET", board, f"m{i % 7}", str(i))
            i += 1
        wanted = self.page(board, 5)
        follower.follow_until(lambda f: f.listed() == wanted)
        # An upper bound: the server sent them all between these two moments.
        self.assertLessEqual(follower.updates, 10 * (time.monotonic() - begin) + 2)

    def test_followed_members_of_any_bytes_and_number(self):
        board = self.board()
        self.http.submit(board, "é/&", 1)
        stream = self.live(board, "?top=0&member=%C3%A9%2F%26&member=%FF&member=")
        seen = {}
        for event in stream.collect(lambda event: event.get("event") == "members"):
            for entry in event["data"].get("members", []):
                seen[entry.get("member", entry.get("member_base64"))] = entry["rank"]
        self.assertEqual(seen, {"é/&": 1, "/w==": None, "": None})

    def test_too_many_followed_members(self):
        board = self.board()
        query = "?top=1&" + "&".join(f"member=m{i}" for i in range(500))
        stream = self.stream(self.path(board, "live") + query)
        answer = stream.open()
        self.assertIn(answer.status, (200, 400, 413), str(answer))

    def test_meta_is_not_told_unasked(self):
        board = self.board()
        self.http.submit(board, "ann", 1, meta="private")
        stream = self.live(board)
        self.assertNotIn("private", stream.next()["text"])

    def test_a_board_that_is_dropped_ends_the_stream_with_a_reason(self):
        for how in ("delete", "flush"):
            with self.subTest(how=how):
                board = self.board(f"goes by {how}")
                stream = self.live(board, "?member=a")
                stream.next()
                if how == "delete":
                    self.ok(self.http.delete(self.path(board)))
                else:
                    self.resp().ask("FLUSHALL")
                end = stream.collect(lambda event: event.get("event") == "end")[-1]
                self.assertTrue(end["data"]["reason"])
                self.assertIsNone(stream.next())

    def test_a_board_that_is_renamed_ends_the_stream_or_empties_it(self):
        board = self.board()
        self.http.submit(board, "a", 1)
        stream = self.live(board)
        stream.next()
        self.resp().ask("RENAME", board, "renamed away")
        event = stream.collect(lambda event: event.get("event") in ("end", "state", "update"))[-1]
        if event["event"] != "end":
            self.assertEqual(event["data"]["count"], 0)

    def test_an_instance_that_never_was(self):
        board = self.board(periods=["day"])
        for name in (f"{board}@week", f"{board}@day:-9"):
            self.problem(self.stream(self.path(name, "live")).open(), 404, "NOBOARD")

    def test_an_empty_instance_of_the_past(self):
        board = self.board(periods=["day"])
        stream = self.live(f"{board}@day:-1")
        self.assertEqual(stream.next()["data"]["count"], 0)

    def test_the_bare_name_follows_the_first_period(self):
        board = self.board(periods=["day", "all"])
        follower = Follower(self.live(board))
        self.http.submit(board, "a", 1)
        follower.follow_until(lambda f: f.count == 1)

    def test_head_and_http_1_0(self):
        board = self.board()
        raw = self.raw()
        raw.send(request("HEAD", self.path(board, "live")))
        answer = raw.read_answer(to_head=True)
        self.assertEqual(answer.status, 200, str(answer))
        self.assertEqual(raw.buffer, b"")
        raw = self.raw()
        raw.send(request("GET", self.path(board, "live"), version="HTTP/1.0"))
        answer = raw.read_head()
        self.assertEqual(answer.status, 200)
        self.assertIsNone(answer.header("transfer-encoding"))
        self.assertIsNotNone(raw.read_until(b"event: state"))

    def test_a_stream_in_a_pipeline(self):
        board = self.board()
        raw = self.raw()
        raw.send(request("GET", "/healthz") + request("GET", self.path(board, "live"))
                 + request("DELETE", self.path(board)) * 3)
        self.assertEqual(raw.read_answer().status, 200)
        self.assertEqual(raw.read_head().header("content-type"), "text/event-stream")
        self.assertIsNotNone(raw.read_until(b"event: state"))
        self.ok(self.http.get(self.path(board)))  # what follows a stream is not executed

    def test_a_sender_that_floods_a_stream_is_bounded(self):
        board = self.board()
        stream = self.live(board)
        stream.next()
        before = self.server.resident_bytes()
        stream.raw.socket.settimeout(1)
        try:
            for _ in range(256):
                stream.raw.socket.sendall(b"x" * (1 << 20))
        except OSError:
            pass
        self.assertLess(self.server.resident_bytes() - before, 100 << 20)
        self.ok(self.http.get("/healthz"))


class SlowReaders(LiveTest):
    OPTIONS = ("--fsync", "always")

    def test_a_slow_reader_skips_to_the_newest_and_memory_is_bounded(self):
        board = self.board()
        padding = "p" * 900
        slow = [self.stream(self.path(board, "live") + "?top=100", receive_buffer=4096)
                for _ in range(20)]
        quick = Follower(self.live(board, "?top=100"))
        self.http.post(self.path(board, "entries"), {"entries": [
            {"member": f"{i}{padding}", "score": 0} for i in range(100)]})
        quick.follow_until(lambda f: f.count == 100)
        before = self.server.resident_bytes()
        rounds = 40
        for number in range(1, rounds + 1):  # every update is about 100 KB
            self.http.post(self.path(board, "entries"), {"entries": [
                {"member": f"{i}{padding}", "score": number * 1000 + i} for i in range(100)]})
            time.sleep(0.1)
        wanted = self.page(board, 100)
        quick.follow_until(lambda f: f.listed() == wanted)
        # Unbounded buffers would be 20 streams × 40 updates × 100 KB = 80 MB.
        self.assertLess(self.server.resident_bytes() - before, 40 << 20)
        for stream in slow[:3]:
            self.assertEqual(stream.open().status, 200)
            follower = Follower(stream)
            follower.follow_until(lambda f: f.listed() == wanted)
            self.assertLess(follower.updates, rounds)

    def test_readers_that_never_read_delay_no_writer_and_no_other_reader(self):
        board = self.board()
        for _ in range(50):
            self.stream(self.path(board, "live"), receive_buffer=4096)
            self.stream(self.path(board, "changes"), receive_buffer=4096)
        follower = Follower(self.live(board))
        for i in range(200):
            self.ok(self.http.submit(board, "m" * 500 + str(i), i))
        wanted = self.page(board, 10)
        follower.follow_until(lambda f: f.listed() == wanted)


class FewStreams(LiveTest):
    OPTIONS = ("--max-streams", "3")

    def test_one_more_is_503_until_one_leaves(self):
        board = self.board()
        streams = [self.live(board), self.live(board), self.stream(self.path(board, "changes"))]
        self.assertEqual(streams[2].open().status, 200)
        for part in ("live", "changes"):
            answer = self.stream(self.path(board, part)).open()
            self.problem(answer, 503, answer.json["code"])
        self.ok(self.http.get(self.path(board, "entries")))
        self.ok(self.http.get(self.path(board, "changes")))
        for leaving in streams:
            leaving.close()

            def opens():
                stream = self.stream(self.path(board, "live"))
                return stream.open().status == 200

            self.assertTrue(support.eventually(opens))

    def test_streams_that_ended_with_their_board_are_not_counted(self):
        for i in range(5):
            board = self.board(f"ended {i}")

            def opens():
                stream = self.stream(self.path(board, "live"))
                return stream if stream.open().status == 200 else None

            stream = support.eventually(opens)
            self.assertTrue(stream)
            self.ok(self.http.delete(self.path(board)))
            stream.collect(lambda event: event.get("event") == "end")


class InMemory(LiveTest):
    IN_MEMORY = True

    def test_live_works(self):
        board = self.board()
        follower = Follower(self.live(board))
        self.http.submit(board, "a", 1)
        follower.follow_until(lambda f: f.count == 1)

    def test_changes_are_refused_with_the_reason(self):
        board = self.board()
        self.problem(self.http.get(self.path(board, "changes")), 400, "ERR",
                     detail="memory|no log")
        self.problem(self.stream(self.path(board, "changes")).open(), 400, "ERR",
                     detail="memory|no log")


class ManyStreams(LiveTest):
    @classmethod
    def setUpClass(cls):
        support.raise_open_files(8192)
        super().setUpClass()

    def test_all_streams_see_every_state_in_order(self):
        board = self.board()
        streams = [Follower(self.live(board, "?top=3")) for _ in range(2000)]
        stop = threading.Event()

        def write():
            client = self.server.client()
            i = 0
            while not stop.is_set():
                client.submit(board, f"m{i % 4}", i)
                i += 1
            client.close()

        writer = threading.Thread(target=write)
        writer.start()
        time.sleep(2)
        stop.set()
        writer.join()
        wanted = self.page(board, 3)
        for follower in streams:
            versions = []

            def done(f):
                return f.listed() == wanted

            apply = follower.apply

            def note(event, apply=apply, versions=versions):
                if event.get("event") in ("state", "update"):
                    versions.append(event["data"]["version"])
                apply(event)

            follower.apply = note
            follower.follow_until(done)
            self.assertEqual(versions, sorted(versions))


if __name__ == "__main__":
    support.main()
