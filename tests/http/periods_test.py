"""Periods and windows over HTTP: names, PERIOD's other spelling, turns, closing."""

import datetime
import time
import unittest

import support

UTC = datetime.timezone.utc


def before_the_hour(seconds):
    """An offset of the clock with which the next full hour comes after so many seconds."""
    now = time.time()
    return f"{int((3600 - now % 3600 - seconds) % 3600 * 1000)}ms"


# Instances are looked at from half past noon, so that no hour or day turns under a test.
TO_NOON_S = int(45_000 - time.time() % 86_400) % 86_400


def server_now():
    return time.time() + TO_NOON_S


class PeriodTest(support.ServerTest):
    OPTIONS = ("--clock-offset", f"{TO_NOON_S}s")

    def count(self, name):
        return self.ok(self.http.get(self.path(name, "count")))["count"]


class Instances(PeriodTest):
    def test_one_submit_feeds_every_period(self):
        board = self.board(periods=["day", "week", "month", "hour", "all"], policy="best")
        verdict = self.ok(self.http.submit(board, "ann", 5))
        self.assertEqual(set(verdict["periods"]), {"week", "month", "hour", "all"})
        for name in ("", "@day", "@week", "@month", "@hour", "@all"):
            with self.subTest(name=name):
                page = self.ok(self.http.get(self.path(board + name, "entries")))
                self.assertEqual([e["member"] for e in page["entries"]], ["ann"])

    def test_every_read_takes_an_instance_name(self):
        board = self.board(periods=["day", "all"])
        now = datetime.datetime.fromtimestamp(server_now(), UTC)
        yesterday = (now - datetime.timedelta(days=1)).strftime("%Y-%m-%d")
        self.ok(self.http.submit(board, "ann", 5))
        for name, size in ((f"{board}@day", 1), (f"{board}@day:-1", 0), (f"{board}@all", 1),
                           (f"{board}@day:{now:%Y-%m-%d}", 1), (f"{board}@day:{yesterday}", 0)):
            with self.subTest(name=name):
                self.assertEqual(self.count(name), size)
                for part in ("entries", "between", "histogram", "quantile?p=50",
                             "rank-of?score=1", "changes", ""):
                    self.ok(self.http.get(self.path(name) + (f"/{part}" if part else "")))
                if size:
                    for part in ("entries/ann", "entries/ann/around", "percentile?member=ann"):
                        self.ok(self.http.get(self.path(name) + f"/{part}"))

    def test_the_list_of_periods_is_that_of_the_board(self):
        board = self.board(periods=["day"])
        self.problem(self.http.get(self.path(f"{board}@day", "periods")), 400, "ERR")

    def test_an_encoded_at_is_the_same_name(self):
        board = self.board("coded", periods=["day"])
        self.http.submit(board, "ann", 5)
        self.ok(self.http.get("/v1/boards/coded@day/entries/ann"))
        self.ok(self.http.get("/v1/boards/coded%40day/entries/ann"))

    def test_names_that_find_nothing(self):
        board = self.board(periods=["day"])
        plain = self.board("without periods")
        for name in (f"{board}@week", f"{board}@day:-2", f"{board}@day:+1", f"{board}@day:",
                     f"{board}@", f"{board}@day@day", f"{board}@day:2026-13-01",
                     f"{board}@day:2999-01-01", f"{plain}@day", "absent@day"):
            with self.subTest(name=name):
                self.problem(self.http.get(self.path(name, "entries")), 404, "NOBOARD",
                             field="board")

    def test_writes_that_need_the_bare_name(self):
        board = self.board(periods=["day", "all"])
        name = f"{board}@day"
        self.problem(self.http.submit(name, "ann", 1), 400, "ERR")
        self.problem(self.http.put(self.path(name, "entries", "ann", "hidden")), 400, "ERR")
        self.assertGreaterEqual(self.http.put(self.path(name), {}).status, 400)
        self.assertGreaterEqual(self.http.patch(self.path(name), {"keep": 3}).status, 400)
        self.assertGreaterEqual(self.http.delete(self.path(name)).status, 400)
        self.assertEqual(self.count(board), 0)

    def test_writes_that_need_an_instance(self):
        board = self.board(periods=["day", "all"])
        self.http.submit(board, "ann", 1)
        self.problem(self.http.post(self.path(board, "pop"), {"n": 1}), 400, "ERR")
        self.problem(self.http.post(self.path(board, "trim"), {"n": 0}), 400, "ERR")
        popped = self.ok(self.http.post(self.path(f"{board}@day", "pop"), {"n": 1}))
        self.assertEqual(len(popped["entries"]), 1)
        self.assertEqual((self.count(f"{board}@day"), self.count(f"{board}@all")), (0, 1))

    def test_remove_and_clear_on_the_bare_name_act_on_every_instance(self):
        board = self.board(periods=["day", "all"])
        for member in ("a", "b", "c"):
            self.http.submit(board, member, 1)
        self.ok(self.http.delete(self.path(board, "entries", "a")))
        self.assertEqual((self.count(f"{board}@day"), self.count(f"{board}@all")), (2, 2))
        self.ok(self.http.delete(self.path(f"{board}@day", "entries", "b")))
        self.assertEqual((self.count(f"{board}@day"), self.count(f"{board}@all")), (1, 2))
        self.ok(self.http.post(self.path(board, "clear"), {}))
        self.assertEqual((self.count(f"{board}@day"), self.count(f"{board}@all")), (0, 0))

    def test_hidden_is_for_all_periods(self):
        board = self.board(periods=["day", "all"])
        self.http.submit(board, "a", 1)
        self.ok(self.http.put(self.path(board, "entries", "a", "hidden")))
        self.assertEqual((self.count(f"{board}@day"), self.count(f"{board}@all")), (0, 0))

    def test_periods_lists_the_instances(self):
        board = self.board(periods=["day", "all"])
        self.http.submit(board, "a", 1)
        listed = self.ok(self.http.get(self.path(board, "periods")))["periods"]
        self.assertGreaterEqual(len(listed), 2)
        for instance in listed:
            with self.subTest(instance=instance):
                name = instance.get("board") or instance.get("name")
                self.assertTrue(name)
                self.ok(self.http.get(self.path(name, "entries")))

    def test_at_in_the_instance_before(self):
        board = self.board(periods=["hour"], grace="2h")
        now = server_now()
        hour_ago = f"{int(now - now % 3600 - 1800)}"
        self.ok(self.http.submit(board, "late", 1, at=hour_ago))
        self.assertEqual((self.count(f"{board}@hour"), self.count(f"{board}@hour:-1")), (0, 1))
        strict = self.board("no grace", periods=["hour"])
        self.problem(self.http.submit(strict, "late", 1, at=hour_ago), 409, "CLOSED")

    def test_zones_and_turns(self):
        board = self.board(periods=["day"], tz="Asia/Shanghai", turn="05:00")
        self.http.submit(board, "a", 1)
        since_turn = datetime.timedelta(hours=8 - 5)
        local = datetime.datetime.fromtimestamp(server_now(), UTC) + since_turn
        self.assertEqual(self.count(f"{board}@day:{local:%Y-%m-%d}"), 1)
        shown = self.ok(self.http.get(self.path(board)))
        self.assertEqual((shown["tz"], shown["turn"]), ("Asia/Shanghai", "05:00"))

    def test_the_feed_of_an_instance(self):
        board = self.board(periods=["day", "all"])
        self.http.submit(board, "a", 1)
        events = self.ok(self.http.get(self.path(f"{board}@day", "changes")))["events"]
        named = [event["board"] for event in events if "board" in event]
        self.assertTrue(named)
        self.assertTrue(all("@day" in name for name in named), named)


class Windows(PeriodTest):
    def test_closed_before_and_after(self):
        for name, spec in (("early", {"start": "2090-01-01T00:00:00Z"}),
                           ("late", {"end": "2021-01-01T00:00:00Z"})):
            self.board(name, **spec)
            body = self.problem(self.http.submit(name, "ann", 1), 409, "CLOSED")
            self.assertRegex(body["detail"], r"20(90|21)-01-01")
            self.assertEqual(self.count(name), 0)
            listed = self.ok(self.http.get(f"/v1/boards?match={name}"))["boards"][0]
            self.assertNotEqual(listed["window"], "open")

    def test_after_the_end_reads_removal_and_hiding_work(self):
        board = self.board()
        for member in ("a", "b", "c"):
            self.http.submit(board, member, 1)
        self.ok(self.http.patch(self.path(board), {"end": "2021-01-01T00:00:00Z"}))
        self.problem(self.http.submit(board, "d", 1), 409, "CLOSED")
        self.problem(self.http.submit(board, "d", 1, op="set"), 409, "CLOSED")
        self.problem(self.http.submit(board, "d", 1, op="incr"), 409, "CLOSED")
        self.ok(self.http.delete(self.path(board, "entries", "a")))
        self.ok(self.http.put(self.path(board, "entries", "b", "hidden")))
        self.assertEqual(self.scores(board), [("c", ["1"])])
        self.ok(self.http.delete(self.path(board, "entries", "b", "hidden")))
        self.ok(self.http.patch(self.path(board), {"end": None}))
        self.ok(self.http.submit(board, "d", 1))

    def test_at_decides_within_grace(self):
        now = int(server_now())
        board = self.board(start=f"{now - 7200}", end=f"{now - 3600}", grace="2h")
        self.ok(self.http.submit(board, "in", 1, at=f"{now - 5000}"))
        self.problem(self.http.submit(board, "now", 1), 409, "CLOSED")
        self.problem(self.http.submit(board, "end", 1, at=f"{now - 3600}"), 409, "CLOSED")
        self.ok(self.http.submit(board, "start", 1, at=f"{now - 7200}"))
        self.problem(self.http.submit(board, "before", 1, at=f"{now - 7201}"), 409, "CLOSED")

    def test_a_window_without_inside_is_refused(self):
        for spec in ({"start": 1700000000, "end": 1700000000},
                     {"start": 1700000001, "end": 1700000000}):
            self.problem(self.http.put(self.path("no inside"), spec), 400, "ERR")

    def test_numbers_as_times_are_exact(self):
        board = self.board(start=1700000000.000001, end="1900000000000001us")
        shown = self.ok(self.http.get(self.path(board)))
        self.assertEqual((shown["start"], shown["end"]),
                         ("2023-11-14T22:13:20.000001Z", "2030-03-17T17:46:40.000001Z"))


class Turns(unittest.TestCase):
    """A server whose clock reaches the next hour a few seconds after its start."""

    def test_the_turn_of_an_hour(self):
        server = support.Server("--clock-offset", before_the_hour(4)).start()
        self.addCleanup(server.close)
        http = server.client()
        http.put("/v1/boards/lb", {"periods": ["hour", "all"]})
        path = "/v1/boards/lb@hour/entries"
        self.assertEqual(http.submit("lb", "ann", 5).status, 200)
        before = http.get(path)
        self.assertEqual([e["member"] for e in before.json["entries"]], ["ann"])
        tag = before.header("etag")
        live = server.stream("/v1/boards/lb@hour/live?top=3&member=ann")
        self.addCleanup(live.close)
        self.assertEqual(live.open().status, 200)
        feed = server.stream("/v1/boards/lb/changes")
        self.addCleanup(feed.close)
        self.assertEqual(feed.open().status, 200)
        self.assertEqual(http.get(path, headers={"If-None-Match": tag}).status, 304)

        def has_turned():
            return http.get("/v1/boards/lb@hour:-1/entries").json.get("count") == 1

        self.assertTrue(support.eventually(has_turned))
        after = http.get(path, headers={"If-None-Match": tag})
        self.assertEqual((after.status, after.json["entries"]), (200, []))
        self.assertEqual(http.get("/v1/boards/lb@all/count").json["count"], 1)
        closed = feed.collect(lambda event: event.get("event") == "closed")[-1]["data"]
        self.assertEqual((closed["cause"], closed["count"], closed["top"][0]["member"]),
                         ("closed", 1, "ann"))
        # The stream of the instance says that it turned, and goes on with the new one.
        self.assertEqual(http.submit("lb", "bob", 7).status, 200)

        def is_bob(event):
            entries = (event.get("data") or {}).get("entries") or []
            return [e["member"] for e in entries if e["score"]] == ["bob"]

        events = live.collect(is_bob)
        states = [event["data"] for event in events if event["event"] == "state"]
        self.assertEqual(len({state["board"] for state in states}), 2, states)
        self.assertNotIn("ann", [entry["member"] for entry in states[-1]["entries"]])
        gone = [event["data"]["members"][0]["score"] for event in events
                if event["event"] == "members"]
        if None not in gone:
            live.collect(lambda event: event.get("event") == "members"
                         and event["data"]["members"][0]["score"] is None)


if __name__ == "__main__":
    support.main()
