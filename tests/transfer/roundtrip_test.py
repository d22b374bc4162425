#!/usr/bin/env python3
"""Export, and import of what was exported: archive, JSONL, CSV, RESP and sorted sets."""

import csv
import io
import json
import subprocess

import transfer_support
from cutting_proxy import CuttingProxy
from seeds import SEEDS, Bits, Decimal, Divisor, Member, fill, shown
from support import seeded_random
from transfer_support import TransferTest, address, flat, url

DAY = 1_700_000_000_000_000


class Kinds(TransferTest):
    def fill_many_kinds(self):
        """Boards with fields, meta, hidden members, marks without entries, a cap, a window and periods."""
        random = seeded_random(self.id())
        ask = self.client.ask
        ask("LB.CREATE", "plain")
        ask("LB.CREATE", "run", "FIELDS", 3, "points:int:desc:sum", "deaths:int:asc:sum", "best:decimal2:asc:min")
        ask("LB.CREATE", "top", "POLICY", "best", "CAP", 20, "TIE", "last")
        ask("LB.CREATE", "event", "START", "2023-11-01T00:00:00Z", "END", "2023-12-01T00:00:00Z", "GRACE", "30000d")
        ask("LB.CREATE", "days", "PERIODS", 2, "day", "all", "POLICY", "sum", "TZ", "Asia/Shanghai")
        for i in range(60):
            stamp = f"{DAY + random.randrange(10**9)}us"
            ask("LB.SET", "plain", f"m{i}", random.randint(-2**63, 2**63 - 1), "AT", stamp, "META", bytes([i, 200]))
            ask("LB.SET", "run", f"ünï {i}", random.randint(0, 9), random.randint(0, 9), f"{i}.25", "AT", stamp)
            ask("LB.SUBMIT", "top", f"m{i}", random.randint(0, 50))
            ask("LB.SET", "event", f"m{i}", i % 7, "AT", stamp)
            ask("LB.SUBMIT", "days", f"m{i % 10}", i)
        ask("LB.SET", "plain", b"\xff\x00,\"\n", 5, "AT", f"{DAY}us")
        ask("LB.SET", "run", "", 5, 5, "1.25", "AT", f"{DAY}us")
        ask("LB.HIDE", "plain", "m3", "m4", "never-seen")
        ask("LB.HIDE", "top", "m5")
        ask("LB.HIDE", "days", "m1", "never-seen")
        ask("ZADD", "zset", "1.5", "a", "2.5", "b")

    def names(self):
        return ["plain", "run", "top", "event", "days"]

    def equal_boards(self, one, other, names):
        for name in names:
            parts = [()]
            if name == "days":
                parts = [("PERIOD", "all"), ("PERIOD", "day")]
                shown = [[{key: value for key, value in flat(line).items() if key != "cursor"}
                          for line in server.client().ask("LB.PERIODS", name)] for server in (one, other)]
                self.assertEqual(*shown)
            for part in parts:
                self.assertEqual(self.entries(one, name, *part), self.entries(other, name, *part), (name, part))
            self.assertEqual(self.spec(one.client(), name), self.spec(other.client(), name))
            self.assertEqual(self.hidden(one.client(), name), self.hidden(other.client(), name))

    def spec(self, client, board):
        return transfer_support.flat(client.ask("LB.DESCRIBE", board))["create"]

    def hidden(self, client, board):
        return transfer_support.flat(client.ask("LB.DESCRIBE", board))["hidden"]


class Boards(Kinds):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.server = self.durable(self.data)
        self.client = self.server.client()

    def test_archive_of_all_boards_makes_an_equal_folder(self):
        self.fill_many_kinds()
        self.client.ask("DEL", "zset")
        self.run_export("--match", "*", "--from", address(self.server), "--format", "archive", "--output", "a.laurel")
        self.run_import("--archive", "a.laurel", "--data", "copy", "--verify")
        self.server.stop()
        self.assertEqual(self.digest("copy"), self.digest(self.data))
        self.run_laurel("restore", "a.laurel", "restored")
        self.assertEqual(self.digest("restored"), self.digest(self.data))

    def test_jsonl_of_every_board_makes_an_equal_folder(self):
        self.fill_many_kinds()
        self.client.ask("DEL", "zset")
        for name in self.names():
            self.run_export("--board", name, "--from", address(self.server), "--format", "jsonl", "--output",
                            f"{name}.jsonl")
            self.run_import(f"{name}.jsonl", "--data", "copy", "--verify")
        self.server.stop()
        self.assertEqual(self.digest("copy"), self.digest(self.data))

    def test_csv_keeps_entries_stamps_and_meta(self):
        self.fill_many_kinds()
        for name, spec in [("plain", ""), ("run", "FIELDS 3 points:int:desc:sum deaths:int:asc:sum best:decimal2:asc:min"),
                           ("top", "POLICY best CAP 20 TIE last")]:
            self.run_export("--board", name, "--from", address(self.server), "--format", "csv", "--output", "a.csv")
            self.run_import("a.csv", "--board", f"copy-{name}", *(["--spec", spec] if spec else []), "--to",
                            address(self.server), "--verify")
            self.assertEqual(self.entries(self.server, f"copy-{name}"), self.entries(self.server, name))

    def test_archive_and_jsonl_into_a_server(self):
        self.fill_many_kinds()
        target = self.laurel()
        self.run_export("--match", "[prte]*", "--from", address(self.server), "--format", "archive", "--output", "a.laurel")
        self.run_import("--archive", "a.laurel", "--rename", "*=arch-*", "--to", address(target), "--verify")
        for name in ["plain", "run", "top", "event"]:
            self.run_export("--board", name, "--from", address(self.server), "--format", "jsonl", "--output", "a.jsonl")
            self.run_import("a.jsonl", "--to", address(target), "--verify")
            entries = self.entries(self.server, name)
            self.assertEqual(self.entries(target, name), entries)
            self.assertEqual(self.entries(target, f"arch-{name}"), entries)
            for copy in (name, f"arch-{name}"):
                self.assertEqual(self.spec(target.client(), copy), self.spec(self.client, name))
                self.assertEqual(self.hidden(target.client(), copy), self.hidden(self.client, name))
        self.assertEqual(target.client().ask("LB.SHOW", "plain", "never-seen"), 1)

    def test_archive_and_folder_with_periods_into_servers(self):
        self.fill_many_kinds()
        ask = self.client.ask
        ask("LB.CREATE", "days-past", "PERIODS", 1, "day", "KEEP", 10000)
        for day in range(3):
            self.write(f"{day}.csv", f"member,score,at\nann,{day},{DAY // 1_000_000 + 86400 * day}\n")
            self.run_import(f"{day}.csv", "--board", "days-past", "--to", address(self.server))
        self.run_export("--match", "days*", "--from", address(self.server), "--format", "archive", "--output", "d.laurel")
        targets = [self.laurel(), self.redis()]
        for target in targets:
            self.run_import("--archive", "d.laurel", "--to", address(target), "--verify")
            self.run_import("--archive", "d.laurel", "--to", address(target), "--verify")  # into the boards that are there
            self.equal_boards(target, self.server, ["days"])
            self.assertEqual(len(target.client().ask("LB.PERIODS", "days-past")), 4)  # with the present day
        expected = [self.entries(self.server, "days-past", "PERIOD", f"day:2023-11-{day}") for day in (14, 15, 16)]
        self.server.stop()
        for target in targets:
            self.run_import("--archive", self.data, "--board", "days-past", "--replace", "--to", address(target))
            self.assertEqual([self.entries(target, "days-past", "PERIOD", f"day:2023-11-{day}") for day in (14, 15, 16)],
                             expected)

    def test_boards_of_one_value_come_back(self):
        """What Laurel wrote itself is imported without doubts about values and times."""
        self.client.ask("LB.CREATE", "lb")
        for i in range(3):
            self.client.ask("LB.SET", "lb", f"m{i}", 95, "AT", DAY // 1_000_000)
        for kind, name in [("archive", "a.laurel"), ("jsonl", "a.jsonl")]:
            self.run_export("--board", "lb", "--from", address(self.server), "--format", kind, "--output", name)
        done = self.run_import("--archive", "a.laurel", "--rename", "lb=copy", "--to", address(self.server), "--verify")
        self.assertIn("3 entries, reached from 2023-11-14", done.out)
        self.run_import("a.jsonl", "--board", "other", "--to", address(self.server), "--verify")
        for name in ("copy", "other"):
            self.assertEqual(self.entries(self.server, name), self.entries(self.server, "lb"))

    def test_resp_stream_for_redis_cli(self):
        self.fill_many_kinds()
        target = self.redis()
        done = subprocess.run(self.command("export", "--match", "[prte]*", "--from", address(self.server), "--format",
                                           "resp"), capture_output=True, check=True)
        piped = subprocess.run(["redis-cli", "-p", str(target.port), "--pipe"], input=done.stdout, capture_output=True)
        self.assertEqual(piped.returncode, 0, piped.stdout + piped.stderr)
        self.assertIn(b"errors: 0", piped.stdout)
        for name in ["plain", "run", "top", "event"]:
            self.assertEqual(self.entries(target, name), self.entries(self.server, name))

    def test_ranks_periods_and_standard_output(self):
        self.client.ask("LB.CREATE", "days", "PERIODS", 2, "day", "all")
        for i in range(10):
            self.client.ask("LB.SUBMIT", "days", f"m{i}", i)
        done = self.run_export("--board", "days", "--from", address(self.server), "--period", "all", "--first", "2",
                               "--last", "4", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        self.assertEqual([(row["rank"], row["member"], row["score"]) for row in rows],
                         [("2", "m8", "8"), ("3", "m7", "7"), ("4", "m6", "6")])
        done = self.run_export("--board", "days", "--from", address(self.server), "--period", "day", "--first", "-2",
                               "--format", "jsonl")
        lines = [json.loads(line) for line in done.out.splitlines()]
        self.assertNotIn("PERIODS", lines[0]["spec"])
        self.assertEqual([line["member"] for line in lines[1:]], ["m1", "m0"])
        done = self.run_export("--board", "days", "--from", address(self.server), "--period", "month", "--format", "csv",
                               code=1)
        self.assertIn("month", done.err)

    def test_export_is_one_moment_of_a_server_that_is_written_to(self):
        """Two boards that are always written together are equal in the export."""
        ask = self.client.ask
        ask("LB.CREATE", "a")
        ask("LB.CREATE", "b")
        done = 0
        exports = []
        while len(exports) < 3:
            process = self.start("export", "--match", "[ab]", "--from", address(self.server), "--format", "archive",
                                 "--output", f"{len(exports)}.laurel")
            while process.poll() is None:
                ask("MULTI")
                ask("LB.SET", "a", f"m{done}", done)
                ask("LB.SET", "b", f"m{done}", done)
                ask("EXEC")
                done += 1
            self.assertEqual(process.returncode, 0, process.communicate())
            exports.append(done)
        for i in range(3):
            self.run_import("--archive", f"{i}.laurel", "--data", f"d{i}")
            server = self.served_folder(self.folder / f"d{i}")
            self.assertEqual(self.scores(server, "a"), self.scores(server, "b"))

    def test_data_folder_and_backup_as_sources(self):
        self.fill_many_kinds()
        entries = self.entries(self.server, "run")
        self.run_laurel("backup", "--from", address(self.server), "backup")
        self.server.stop()
        for source in (["--data", self.data], ["--archive", "backup"]):
            done = self.run_export("--board", "run", *source, "--format", "csv")
            self.assertEqual([row["member"] for row in csv.DictReader(io.StringIO(done.out))],
                             [entry[0] for entry in entries])

    def test_refusals(self):
        self.client.ask("LB.CREATE", "a")
        self.client.ask("LB.CREATE", "b")
        source = ["--from", address(self.server)]
        for words, reason in [(["--board", "none", "--format", "csv"], "there is no board 'none'"),
                              (["--match", "x*", "--format", "resp"], "no board matches"),
                              (["--board", "a", "--format", "csv", "--output", "/nowhere/x"], "/nowhere/x"),
                              (["--board", "a", "--format", "csv", "--output", "/dev/full"], "/dev/full")]:
            with self.subTest(words):
                if "/dev/full" in words:
                    self.client.ask("LB.SET", "a", "m", 1)
                self.assertIn(reason, self.run_export(*words, *source, code=1).err)
        usage = [([], "--board or --match"), (["--board", "a"], "--format or --to"),
                 (["--board", "a", "--match", "a", "--format", "csv"], "--board or --match"),
                 (["--board", "a", "--format", "xml"], "xml"),
                 (["--match", "*", "--format", "csv"], "holds one board"),
                 (["--board", "a", "--format", "csv", "--data", "d", "--token", "t"], "--token is for a server"),
                 (["--board", "a", "--format", "csv", "--ca", "c.pem"], "rediss://"),
                 (["--board", "a", "--format", "archive"], "--output"),
                 (["--board", "a", "--format", "archive", "--output", "x.laurel", "--first", "1"], "whole boards"),
                 (["--board", "a", "--format", "csv", "--first", "0"], "--first takes a rank"),
                 (["--board", "a", "--format", "csv", "--codec", "plain"], "--codec"),
                 (["--board", "a", "--format", "csv", "--key", "x"], "--key is for --to"),
                 (["--board", "a", "--to", "redis://h"], "--key"),
                 (["--board", "a", "--to", "h:1", "--key", "x"], "redis://"),
                 (["--board", "a", "--to", "redis://h", "--key", "x", "--codec", "divisor"], "import only"),
                 (["--board", "a", "--format", "csv", "--from", "x:1", "--data", "d"], "different sources")]
        for words, reason in usage:
            with self.subTest(words):
                done = self.run_export(*words, code=2)
                self.assertIn(reason, done.err)
                self.assertEqual(done.err.count("\n"), 1)
        self.assertLessEqual(max(len(line) for line in self.run_export("--help").out.splitlines()), 100)


class FromModule(Kinds):
    """The same boards in a Redis with the module, which are read by LB.WALK."""

    def setUp(self):
        super().setUp()
        self.server = self.redis()
        self.client = self.server.client()

    def fill(self):
        self.fill_many_kinds()
        self.client.ask("SET", "text", "x")

    def test_every_format_comes_back(self):
        self.fill()
        target = self.laurel()
        back = self.redis()
        self.run_export("--match", "*", "--from", address(self.server), "--format", "archive", "--output", "a.laurel")
        for server in (target, back):
            self.run_import("--archive", "a.laurel", "--to", address(server), "--verify")
            self.equal_boards(server, self.server, self.names())
        self.assertEqual(target.client().ask("LB.SHOW", "plain", "never-seen"), 1)
        for name in self.names():
            self.run_export("--board", name, "--from", url(self.server), "--format", "jsonl", "--output", f"{name}.jsonl")
            self.run_import(f"{name}.jsonl", "--to", address(back), "--replace", "--verify")
        self.equal_boards(back, self.server, self.names())
        back.client().ask("FLUSHALL")
        done = subprocess.run(self.command("export", "--match", "[prte]*", "--from", address(self.server), "--format",
                                           "resp"), capture_output=True, check=True)
        piped = subprocess.run(["redis-cli", "-p", str(back.port), "--pipe"], input=done.stdout, capture_output=True)
        self.assertIn(b"errors: 0", piped.stdout)
        self.equal_boards(back, self.server, ["plain", "run", "top", "event"])
        rows = list(csv.DictReader(io.StringIO(self.run_export("--board", "run", "--from", address(self.server),
                                                               "--format", "csv").out)))
        self.assertEqual([row["member"] for row in rows], [entry[0] for entry in self.entries(self.server, "run")])
        self.run_export("--board", "top", "--from", address(self.server), "--to", url(self.plain_redis()), "--key", "top")

    def test_many_chunks_and_a_board_that_is_written_all_the_time(self):
        ask = self.client.ask
        ask("LB.CREATE", "lb")
        rows = "".join(f"m{i},{i},{DAY // 1_000_000 + i}\n" for i in range(60_000))
        self.run_import(self.write("a.csv", "member,score,at\n" + rows), "--board", "lb", "--to", address(self.server))
        words = ("--board", "lb", "--from", address(self.server), "--format", "archive", "--output")
        self.run_export(*words, "quiet.laurel")
        moved = iter(range(60_000))

        def move_up():
            for _ in range(100):
                i = next(moved)
                ask("LB.SET", "lb", f"m{i}", 100_000 + i)  # from the end of the board

        proxy = CuttingProxy(self.server.port, before_request=move_up)
        self.addCleanup(proxy.close)
        busy = ("--board", "lb", "--from", address(proxy), "--format", "archive", "--output", "busy.laurel")
        out = self.run_export(*busy, code=3).out
        self.assertEqual(out.count("'lb' was written to during each of 3 readings"), 1, out)
        ask("CLIENT", "PAUSE", 100_000, "WRITE")
        self.run_export(*words, "paused.laurel")
        ask("CLIENT", "UNPAUSE")
        target = self.laurel()
        client = target.client()
        for name, options in (("quiet", ()), ("paused", ("--replace",)), ("busy", ("--replace",))):
            self.run_import("--archive", f"{name}.laurel", "--to", address(target), "--verify", *options)
            self.assertEqual(client.ask("LB.SIZE", "lb"), 60_000)
        later = dict(self.scores(self.server, "lb"))
        for member, score in self.scores(target, "lb"):
            self.assertTrue(int(score) == int(member[1:]) or 100_000 <= int(score) <= int(later[member]), member)

    def test_what_is_not_there(self):
        self.client.ask("LB.CREATE", "a")
        self.client.ask("ZADD", "zset", 1, "x")
        source = ["--from", address(self.server), "--format", "resp"]
        self.assertIn("there is no board 'none'", self.run_export("--board", "none", *source, code=1).err)
        self.assertIn("no board matches", self.run_export("--match", "x*", *source, code=1).err)
        self.assertIn("WRONGTYPE", self.run_export("--board", "zset", *source, code=1).err)
        plain = self.plain_redis()
        done = self.run_export("--board", "a", "--from", address(plain), "--format", "csv", code=1)
        self.assertIn("has no LB.WALK", done.err)
        done = self.run_laurel("backup", "--from", address(self.server), "copy", code=1)
        self.assertIn("laurel export --format archive", done.err)
        self.assertEqual(done.err.count("\n"), 1)


class SortedSets(TransferTest):
    def setUp(self):
        super().setUp()
        self.random = seeded_random(self.id())
        self.redis_server = self.plain_redis()
        self.client = self.redis_server.client()
        self.server = self.durable(self.folder / "data")

    def export(self, *words, **more):
        return self.run_export("--board", "lb", "--from", address(self.server), "--to", url(self.redis_server), "--key",
                               "back", *words, **more)

    def test_every_encoding_there_and_back(self):
        """Import and export make the same sorted set, score by score and member by member."""
        for seed in SEEDS:
            if seed is Divisor:
                continue
            with self.subTest(seed.__name__):
                self.client.ask("FLUSHALL")
                self.server.client().ask("FLUSHALL")
                moments = self.random.sample(range(seed.first, seed.last), 300)
                fill(self.client, "lb", seed, [(f"m{i}", self.random.randint(0, 1000), moments[i]) for i in range(300)])
                self.run_import("--from", url(self.redis_server), "--key", "lb", *seed.options, "--to",
                                address(self.server), "--verify")
                self.export(*seed.options)
                self.assertEqual(self.client.ask("ZRANGE", "back", 0, -1, "WITHSCORES"),
                                 self.client.ask("ZRANGE", "lb", 0, -1, "WITHSCORES"))

    def test_what_the_codec_cannot_hold_is_refused_and_nothing_is_written(self):
        client = self.server.client()
        client.ask("LB.CREATE", "lb")
        client.ask("LB.SET", "lb", "small", 5, "AT", f"{Bits.last}")
        client.ask("LB.SET", "lb", "large", 10**9, "AT", f"{Bits.last}")
        client.ask("LB.SET", "lb", "early", 7, "AT", "2009-06-01T00:00:00Z")
        self.assertIn("large", self.export(*Bits.options, code=1).err)
        self.assertEqual(self.client.ask("EXISTS", "back"), 0)
        done = self.export(*Bits.options, "--lossy", code=3)
        self.assertIn("1 entry was left out, 1 time was moved", done.out)
        self.assertEqual(shown(self.client, "back", Bits), [("early", 7), ("small", 5)])

    def test_boards_that_no_codec_holds(self):
        client = self.server.client()
        for words, codec, reason in [(["FIELDS", 2, "a", "b"], ["--codec", "plain"], "2 fields"),
                                     (["FIELDS", 1, "a:decimal2"], ["--codec", "scaled-time"], "fractions"),
                                     (["FIELDS", 1, "a:int:asc"], ["--codec", "decimal-time"], "less is better"),
                                     (["TIE", "last"], ["--codec", "member-time"], "TIE last")]:
            client.ask("FLUSHALL")
            client.ask("LB.CREATE", "lb", *words)
            self.assertIn(reason, self.export(*codec, code=1).err)

    def test_member_time_replaces_older_members(self):
        for seconds, value in [(Member.last - 50, 1), (Member.last - 40, 2)]:
            score, stored = Member.encode(value, seconds, "ann")
            self.client.ask("ZADD", "back", score, stored)
        self.client.ask("ZADD", "back", 9, Member.encode(9, Member.last, "other")[1])
        client = self.server.client()
        client.ask("LB.CREATE", "lb")
        client.ask("LB.SET", "lb", "ann", 3, "AT", Member.last)
        client.ask("LB.SET", "lb", "bob", 4, "AT", Member.last)
        self.assertIn("2 older members were removed", self.export("--codec", "member-time").out)
        self.assertEqual(shown(self.client, "back", Member), [("other", 9), ("bob", 4), ("ann", 3)])

    def test_plain_fractions(self):
        client = self.server.client()
        client.ask("LB.CREATE", "lb", "FIELDS", 1, "score:decimal2:asc")
        client.ask("LB.SET", "lb", "a", "0.10")
        client.ask("LB.SET", "lb", "b", "-1.25")
        self.export()
        self.assertEqual(self.client.ask("ZRANGE", "back", 0, -1), ["b", "a"])
        self.assertEqual(float(self.client.ask("ZSCORE", "back", "a")), 0.1)
        client.ask("LB.SET", "lb", "c", "92233720368547758.07")
        self.assertIn("not exact", self.export(code=1).err)

    def test_order_that_redis_cannot_keep_is_counted(self):
        client = self.server.client()
        client.ask("LB.CREATE", "lb")
        for i, member in enumerate("abc"):
            client.ask("LB.SET", "lb", member, 5, "AT", f"{Decimal.last}.{i}")
        self.assertIn("2 entries change places", self.export("--codec", "decimal-time").out)
        self.assertEqual([member for member, _ in shown(self.client, "back", Decimal)], ["c", "b", "a"])


if __name__ == "__main__":
    transfer_support.main()
