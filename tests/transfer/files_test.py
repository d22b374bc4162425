#!/usr/bin/env python3
"""CSV, TSV and JSONL files, moved into a server and into a data folder; rejects; refusals; exit codes."""

import json
import subprocess

import transfer_support
from transfer_support import TransferTest, address, url

DAY = 1_700_000_000


class Files(TransferTest):
    def setUp(self):
        super().setUp()
        self.server = self.laurel()

    def to_server(self, *arguments, **more):
        return self.run_import(*arguments, "--to", address(self.server), **more)

    def rows(self, board="lb"):
        return self.entries(self.server, board)

    def test_csv_with_a_header(self):
        self.write("a.csv", f"member,score,at,meta\r\nann,5,{DAY},\"x, \"\"y\"\"\"\r\nbob,7,{DAY + 1}.5,\r\n")
        done = self.to_server("--board", "lb", "a.csv", "--verify")
        self.assertIn("2 rows", done.out)
        self.assertEqual(self.rows(), [("bob", ["7"], (DAY + 1) * 1_000_000 + 500_000, None),
                                       ("ann", ["5"], DAY * 1_000_000, 'x, "y"')])

    def test_chosen_columns_units_and_zones(self):
        self.write("a.csv", "uid;points;when;noise\n1;10;2023-11-15 06:13:20;z\n2;20;2023-11-15 06:13:21;z\n")
        self.to_server("--csv", "a.csv", "--board", "lb", "--delimiter", ";", "--columns",
                       "member=uid,score=points,at=when", "--tz", "Asia/Shanghai")
        self.assertEqual([(member, stamp) for member, _, stamp, _ in self.rows()],
                         [("2", (DAY + 1) * 1_000_000), ("1", DAY * 1_000_000)])
        self.write("b.csv", f"x,1,{DAY}001\ny,2,{DAY}002\n")
        self.to_server("--csv", "b.csv", "--board", "ms", "--no-header", "--at-unit", "ms")
        self.assertEqual([stamp for _, _, stamp, _ in self.rows("ms")],
                         [DAY * 1_000_000 + 2000, DAY * 1_000_000 + 1000])

    def test_rows_without_times_keep_the_order_of_the_file(self):
        self.write("a.csv", "member,score\nz,5\na,5\nm,5\nb,9\n")
        self.to_server("a.csv", "--board", "lb", "--verify")
        self.assertEqual([member for member, _, _, _ in self.rows()], ["b", "z", "a", "m"])

    def test_tsv_of_mysql_from_standard_input(self):
        text = b"member\tscore\tmeta\nann\\tx\t5\tNULL\nbob\t6\ta\\nb\\\\\n"
        self.to_server("--tsv", "-", "--board", "lb", "--verify", stdin=text)
        self.assertEqual([(member, score, meta) for member, score, _, meta in self.rows()],
                         [("bob", ["6"], "a\nb\\"), ("ann\tx", ["5"], None)])

    def test_jsonl_with_several_fields_and_hidden_rows(self):
        lines = [{"member": "ann", "score": {"points": 5, "time": "1.25"}, "reached": "2023-11-14T22:13:20Z"},
                 {"member": "bob", "score": [5, 1.5], "at": DAY, "meta": "é"},
                 {"member": "cheat", "score": ["9", "0"], "at": DAY, "hidden": True}]
        self.write("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.to_server("a.jsonl", "--board", "lb", "--spec", "FIELDS 2 points:int:desc time:decimal2:asc", "--verify",
                       "--force")
        self.assertEqual([(member, score, meta) for member, score, _, meta in self.rows()],
                         [("ann", ["5", "1.25"], None), ("bob", ["5", "1.50"], "é")])
        self.assertEqual(self.server.client().ask("LB.SHOW", "lb", "cheat"), 1)
        self.assertEqual(self.rows()[0][0], "cheat")

    def test_zstd_is_decompressed(self):
        self.write("a.csv", "member,score\nann,5\nbob,6\n")
        subprocess.run(["zstd", "-q", "a.csv", "-o", "b.csv.zst"], cwd=self.folder, check=True)
        self.to_server("b.csv.zst", "--board", "lb")
        self.assertEqual(self.scores(self.server, "lb"), [("bob", "6"), ("ann", "5")])

    def test_serialised_members_are_unwrapped(self):
        self.write("a.csv", 'member,score\n"""ann""",5\n17,6\n')
        self.to_server("a.csv", "--board", "lb", "--member", "json")
        self.assertEqual(self.scores(self.server, "lb"), [("17", "6"), ("ann", "5")])

    def test_bad_rows_go_to_the_reject_file(self):
        self.write("a.csv", "member,score\nann,5\nbob,abc\ncid,99999999999999999999\ndan\n,7\neve,6\n")
        done = self.to_server("a.csv", "--board", "lb", "--rejects", "bad.jsonl", "--verify", code=3)
        self.assertIn("4 rows were rejected; see bad.jsonl", done.err)
        self.assertEqual(self.scores(self.server, "lb"), [("eve", "6"), ("ann", "5")])
        rejects = [json.loads(line) for line in (self.folder / "bad.jsonl").read_text().splitlines()]
        self.assertEqual([reject["line"] for reject in rejects], [3, 4, 5, 6])
        self.assertEqual(rejects[0]["row"], "bob,abc")
        self.assertRegex(rejects[0]["reason"], "BADSCORE")
        self.assertRegex(rejects[1]["reason"], "OVERFLOW")
        self.assertRegex(rejects[3]["reason"], "the member is empty")

    def test_too_many_rejects_end_the_import_before_it_writes(self):
        self.write("a.csv", "member,score\n" + "x,y\n" * 5 + "ann,5\nbob,6\n")
        done = self.to_server("a.csv", "--board", "lb", "--max-rejects", "4", code=1)
        self.assertIn("LIMIT" if "LIMIT" in done.err else "rejected", done.err)
        self.assertEqual(self.server.client().ask("LB.LIST"), ["0", []])
        self.to_server("a.csv", "--board", "lb", "--max-rejects", "5", code=3)
        self.assertEqual(len(self.rows()), 2)

    def test_second_import_changes_nothing_and_corrects_meta(self):
        self.write("a.csv", f"member,score,at,meta\nann,5,{DAY},one\nbob,7,{DAY + 1},two\n")
        self.to_server("a.csv", "--board", "lb", "--verify")
        before = self.rows()
        self.to_server("a.csv", "--board", "lb", "--verify")
        self.assertEqual(self.rows(), before)
        self.write("a.csv", f"member,score,at,meta\nann,5,{DAY},new\nbob,7,{DAY + 1},\n")
        self.to_server("a.csv", "--board", "lb", "--verify")
        self.assertEqual([meta for _, _, _, meta in self.rows()], [None, "new"])

    def test_entries_besides_the_source_are_found_by_verify(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        self.to_server("a.csv", "--board", "lb")
        self.server.client().ask("LB.SET", "lb", "eve", 6)
        done = self.to_server("a.csv", "--board", "lb", "--verify", code=3)
        self.assertIn("1 besides", done.out)
        self.assertIn("'eve' is on the board and not in the source", done.out)

    def test_rows_go_into_the_instances_of_their_times(self):
        """Into a board that is there too, on a server and in a folder."""
        spec = "PERIODS 2 day all KEEP 10000"
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\nann,9,{DAY + 86400}\n")
        words = ["a.csv", "--board", "lb", "--spec", spec, "--verify"]
        self.to_server(*words)
        self.run_import(*words, "--data", "data")
        for server in (self.server, self.served_folder(self.folder / "data")):
            self.assertEqual([(m, s) for m, s, _, _ in self.entries(server, "lb@day:2023-11-14")],
                             [("bob", ["7"]), ("ann", ["5"])])
            self.assertEqual([(m, s) for m, s, _, _ in self.entries(server, "lb@day:2023-11-15")], [("ann", ["9"])])
            self.assertEqual([(m, s) for m, s, _, _ in self.entries(server, "lb@all")], [("ann", ["9"]), ("bob", ["7"])])
        self.to_server(*words)
        self.to_server(*words, "--replace")
        self.write("b.csv", f"member,score,at\ncid,8,{DAY}\nann,1,{DAY + 2}\n")
        words[0] = "b.csv"
        self.to_server(*words[:-1])
        for name in ("a.csv", "b.csv"):
            self.run_import(name, *words[1:-1], "--data", "data2")
        for server in (self.server, self.served_folder(self.folder / "data2")):
            self.assertEqual([(m, s) for m, s, _, _ in self.entries(server, "lb@day:2023-11-14")],
                             [("cid", ["8"]), ("bob", ["7"]), ("ann", ["1"])])
            self.assertEqual([(m, s) for m, s, _, _ in self.entries(server, "lb@day:2023-11-15")], [("ann", ["9"])])

    def test_replace_leaves_nothing_of_the_board_that_was_there(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        self.write("b.csv", f"member,score,at\ncid,1,{DAY}\n")
        redis = self.redis()
        for target in (["--to", address(self.server)], ["--to", url(redis)], ["--data", "data"]):
            with self.subTest(target):
                self.run_import("a.csv", "--board", "lb", *target)
                self.run_import("b.csv", "--board", "lb", "--spec", "POLICY best", *target, code=1)
                self.run_import("b.csv", "--board", "lb", "--spec", "POLICY best", "--replace", "--verify", *target)
                shown = self.exported_scores("data", "lb") if "data" in target else self.scores(
                    redis if url(redis) in target else self.server, "lb")
                self.assertEqual(shown, [("cid", "1")])
        self.run_import("--archive", "data", "--data", "data2")
        self.run_import("--archive", "data", "--data", "data2", code=1)
        self.run_import("--archive", "data", "--data", "data2", "--replace", "--verify")
        self.server.client().ask("LB.DROP", "lb")
        self.server.client().ask("ZADD", "lb", 1, "x")
        self.to_server("a.csv", "--board", "lb", "--replace")
        self.assertEqual(self.scores(self.server, "lb"), [("bob", "7"), ("ann", "5")])
        redis.client().ask("DEL", "lb")
        redis.client().ask("SET", "lb", "text")
        self.assertIn("WRONGTYPE", self.run_import("a.csv", "--board", "lb", "--replace", "--to", url(redis), code=1).err)
        self.assertEqual(redis.client().ask("KEYS", "*"), ["lb"])

    def test_period_all_alone(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        self.run_import("a.csv", "--board", "lb", "--spec", "PERIODS 2 day all", "--period", "all", "--data", "data",
                        "--verify")
        server = self.served_folder(self.folder / "data")
        self.assertEqual([m for m, _, _, _ in self.entries(server, "lb@all")], ["bob", "ann"])
        self.assertEqual(self.entries(server, "lb@day"), [])

    def test_data_folder_that_a_server_uses_is_refused(self):
        self.durable(self.folder / "data")
        self.write("a.csv", "member,score\nann,5\nbob,6\n")
        self.assertIn("in use", self.run_import("a.csv", "--board", "lb", "--data", "data", code=1).err)

    def test_second_import_into_a_folder_adds_to_it(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        self.write("b.csv", f"member,score,at\nann,9,{DAY + 2}\ncid,1,{DAY + 3}\n")
        self.run_import("a.csv", "--board", "lb", "--data", "data", "--verify")
        self.run_import("b.csv", "--board", "lb", "--data", "data")
        self.run_import("b.csv", "--board", "other", "--data", "data", "--verify")
        server = self.served_folder(self.folder / "data")
        self.assertEqual(self.scores(server, "lb"), [("ann", "9"), ("bob", "7"), ("cid", "1")])
        self.assertEqual(self.scores(server, "other"), [("ann", "9"), ("cid", "1")])

    def test_spec_that_ends_the_board_at_once_is_refused_before_the_first_row(self):
        spec = "START 2023-11-01T00:00:00Z END 2023-12-01T00:00:00Z EXPIRE 30d"
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        for words in (["--dry-run"], [], ["--data", "data"]):
            target = words if "--data" in words else [*words, "--to", address(self.server)]
            done = self.run_import("a.csv", "--board", "lb", "--spec", spec, *target, code=1)
            self.assertIn("would drop the board at once", done.err)
        self.assertEqual(self.server.client().ask("LB.LIST"), ["0", []])

    def test_what_a_cap_leaves_out_is_said(self):
        rows = "".join(f"m{i},{i},{DAY + i}\n" for i in range(5))
        self.write("a.csv", "member,score,at\n" + rows)
        words = ["a.csv", "--board", "lb", "--spec", "POLICY best CAP 3", "--verify"]
        self.assertIn("CAP 3 leaves out 2", self.to_server(*words).out)
        self.assertIn("CAP 3 leaves out 2", self.run_import(*words, "--data", "data").out)
        self.assertEqual([member for member, _ in self.scores(self.server, "lb")], ["m4", "m3", "m2"])

    def test_second_import_into_a_folder_corrects_meta(self):
        rows = f"member,score,at,meta\nann,5,{DAY},one\nbob,7,{DAY + 1},two\ncid,8,{DAY + 2},three\n"
        self.write("a.csv", rows)
        self.write("b.csv", rows.replace("one", "new").replace("two", "").replace("8", "9").replace("three", ""))
        self.run_import("a.csv", "--board", "lb", "--data", "data")
        self.run_import("b.csv", "--board", "lb", "--data", "data", "--verify")
        server = self.served_folder(self.folder / "data")
        wanted = [("cid", None), ("bob", None), ("ann", "new")]
        self.assertEqual([(member, meta) for member, _, _, meta in self.entries(server, "lb")], wanted)
        self.to_server("a.csv", "--board", "lb")
        self.to_server("b.csv", "--board", "lb", "--verify")
        self.assertEqual([(member, meta) for member, _, _, meta in self.rows()], wanted)

    def test_first_lines_that_describe_no_leaderboard(self):
        for line, reason in [('{"board":"z","spec":"sorted set"}', "is a sorted set: say with --spec"),
                             ('{"board":"z","spec":"POLICY set","last_stamp":null}', "'last_stamp' is no time"),
                             ('{"board":"z","spec":"POLICY set","turned_at":"soon"}', "'turned_at'")]:
            with self.subTest(line):
                self.write("a.jsonl", line + '\n{"member":"a","score":["1"]}\n')
                self.assertIn(reason, self.to_server("a.jsonl", code=1).err)

    def test_dry_run_refuses_what_the_import_would(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\nbob,7,{DAY + 1}\n")
        self.server.client().ask("LB.CREATE", "lb", "POLICY", "best")
        self.assertIn("is there", self.to_server("a.csv", "--board", "lb", "--spec", "CAP 5", "--dry-run", code=1).err)
        self.run_import("a.csv", "--board", "lb", "--data", "data")
        words = ["--archive", "data", "--data", "data2"]
        self.run_import(*words)
        self.assertIn("'lb'", self.run_import(*words, "--dry-run", code=1).err)

    def test_bad_path_of_a_data_folder_is_one_line_of_error(self):
        self.write("a.csv", f"member,score,at\nann,5,{DAY}\n")
        for path in ("x" * 300, "a.csv/data"):
            for more in ([], ["--dry-run"]):
                with self.subTest(path=path, more=more):
                    done = self.run_import("a.csv", "--board", "lb", "--data", path, *more, code=1)
                    self.assertEqual(done.err.count("\n"), 1, done.err)

    def test_row_with_an_open_quote_is_whole_in_the_reject_file(self):
        row = '"bob,7\n' + "eve,9\n" * 20
        self.write("a.csv", f"member,score\nann,5\nzoe,6\n{row}")
        self.to_server("a.csv", "--board", "lb", "--rejects", "bad.jsonl", code=3)
        self.assertEqual(json.loads((self.folder / "bad.jsonl").read_text())["row"], row)

    def test_packed_scores_of_a_sorted_set_are_refused(self):
        rows = [(f"m{i}", (i + 1) * 10**10 + 10**10 - 1 - (DAY + i)) for i in range(30)]
        self.write("a.csv", "member,score\n" + "".join(f"{member},{score}\n" for member, score in rows))
        self.write("a.tsv", "member\tscore\n" + "".join(f"{member}\t{score}\n" for member, score in rows))
        self.write("a.jsonl", "".join(json.dumps({"member": member, "score": score}) + "\n" for member, score in rows))
        for name in ("a.csv", "a.tsv", "a.jsonl"):
            with self.subTest(name):
                done = self.to_server(name, "--board", "lb", code=1)
                self.assertIn("--codec scaled-time", done.err)
                self.assertIn("--codec plain", done.err)
        self.assertEqual(self.server.client().ask("LB.LIST"), ["0", []])
        for number, words in enumerate((["--force"], ["--codec", "plain"])):
            self.to_server("a.csv", "--board", f"lb{number}", *words)
            self.assertEqual(self.server.client().ask("LB.SIZE", f"lb{number}"), 30)
        # A column of times, and a second field, change nothing about the scores.
        self.write("timed.csv", "member,score,at\n" + "".join(f"{m},{s},{DAY + i}\n" for i, (m, s) in enumerate(rows)))
        self.write("two.csv", "member,a,b\n" + "".join(f"{m},{i},{s}\n" for i, (m, s) in enumerate(rows)))
        for name, spec in (("timed.csv", []), ("two.csv", ["--spec", "FIELDS 2 a b"])):
            done = self.to_server(name, "--board", "new", *spec, code=1)
            self.assertIn("--codec scaled-time", done.err)
            self.to_server(name, "--board", "new", *spec, "--codec", "plain", "--dry-run")
        # --codec plain speaks of the scores only.
        self.write("b.csv", "member,score,at\n" + "".join(f"{m},{s},1\n" for m, s in rows))
        done = self.to_server("b.csv", "--board", "lb", "--codec", "plain", code=1)
        self.assertIn("before 2009", done.err)

    def test_malformed_files(self):
        cases = {
            "empty.csv": (b"", "empty|header"),
            "nocolumn.csv": (b"who,points\nann,5\n", "try --columns member=who,score=points"),
            "noheader.csv": (b"ann,5\nbob,6\n", "if that is a row, --no-header"),
            "semicolon.csv": (b"member;score\nann;5\n", "try --delimiter ';'"),
            "tab.csv": (b"member\tscore\nann\t5\n", "try --delimiter tab"),
            "comma.tsv": (b"member,score\nann,5\n", "try --csv$"),
            "semicolon.tsv": (b"member;score\nann;5\n", "try --csv --delimiter ';'"),
            "utf16.csv": ("member,score\nann,5\n".encode("utf-16"), "UTF-16"),
            "noboard.jsonl": (b'{"member":"a","score":1}\n', "--board"),
        }
        for name, (text, reason) in cases.items():
            with self.subTest(name):
                self.write(name, text)
                board = [] if "noboard" in name else ["--board", "lb"]
                self.assertRegex(self.to_server(name, *board, code=1).err, reason)
        self.assertIn("No such file", self.to_server("absent.csv", "--board", "lb", code=1).err)
        self.assertEqual(self.server.client().ask("LB.LIST"), ["0", []])

    def test_odd_rows_are_rejected_and_the_others_imported(self):
        long_line = b"x" * (4_000_000) + b",1\n"
        self.write("a.csv", b"\xef\xbb\xbfmember,score\r\nann,5\r\nb\0b,6\r\n" + long_line + b'"c"d,7\r\neve,8\r\n')
        self.to_server("a.csv", "--board", "lb", "--verify", code=3)
        self.assertEqual(self.scores(self.server, "lb"), [("eve", "8"), ("ann", "5")])

    def test_full_reject_file_is_an_error(self):
        self.write("a.csv", "member,score\n" + "x,y\n" * 900 + "ann,5\nbob,6\n")
        done = self.to_server("a.csv", "--board", "lb", "--rejects", "/dev/full", code=1)
        self.assertIn("/dev/full", done.err)


class Usage(TransferTest):
    def test_wrong_arguments_are_one_line_with_a_hint(self):
        cases = [
            ([], "a source is missing"),
            (["a.csv"], "--board is missing"),
            (["a.txt", "--board", "lb"], "no name of a known format"),
            (["a.csv", "--jsonl", "b"], "more than one source"),
            (["a.csv", "b.csv"], "at most one file"),
            (["--from", "127.0.0.1:1", "--key", "lb"], "redis://"),
            (["--from", "redis://u:geheim@h:x", "--key", "lb"], "port"),
            (["--from", "redis://h"], "either --key or --match"),
            (["--from", "redis://h", "--key", "lb", "--match", "l*"], "either --key or --match"),
            (["--from", "redis://h", "--match", "l*", "--board", "lb"], "--rename"),
            (["--from", "redis://h", "--key", "lb", "--codec", "nope"], "nope"),
            (["--from", "redis://h", "--key", "lb", "--codec", "bit-fields"], "end"),
            (["--from", "redis://h", "--key", "lb", "--digits", "9"], "digits"),
            (["--from", "redis://h", "--key", "lb", "--codec", "scaled-time", "--digits", "x"], "digits"),
            (["--from", "redis://h", "--key", "lb", "--tz", "UTC"], "--tz is for files"),
            (["a.csv", "--board", "lb", "--codec", "scaled-time"], "--codec is for sorted sets"),
            (["a.csv", "--board", "lb", "--codec", ""], "--codec is for sorted sets"),
            (["--archive", "a", "--codec", "plain"], "--codec is for sorted sets"),
            (["a.csv", "--board", "lb", "--end", "5"], "--end is for sorted sets"),
            (["a.csv", "--board", "lb", "--follow"], "--follow is for sorted sets"),
            (["a.jsonl", "--board", "lb", "--no-header"], "--no-header is for"),
            (["a.tsv", "--board", "lb", "--delimiter", ";"], "--delimiter is for --csv"),
            (["a.csv", "--board", "lb", "--delimiter", "ab"], "--delimiter"),
            (["a.csv", "--board", "lb", "--columns", "x"], "laurel: --columns: 'x' is not ROLE=COLUMN"),
            (["a.csv", "--board", "lb", "--encoding", "gbk"], "gb18030"),
            (["--from", "redis://h", "--key", "lb", "--encoding", "bytes"], "--encoding is for files"),
            (["a.csv", "--board", "lb", "--tz", "Mars/Base"], "--tz"),
            (["a.csv", "--board", "lb", "--at-unit", "h"], "--at-unit"),
            (["a.csv", "--board", "lb", "--member", "xml"], "--member"),
            (["a.csv", "--board", "lb", "--spec", "FIELDS 9"], "--spec"),
            (["a.csv", "--board", "lb", "--rename", "a*=b*"], "--rename"),
            (["a.csv", "--board", "lb", "--to", "x:1", "--data", "d"], "two targets"),
            (["a.csv", "--board", "lb", "--to", "::1"], "brackets"),
            (["a.csv", "--board", "lb", "--max-rejects", "-1"], "--max-rejects"),
            (["a.csv", "--board", "lb", "--interval", "5s"], "--interval is for"),
            (["a.csv", "--board", "lb", "--dry-run", "--verify"], "nothing to --verify"),
            (["--from", "redis://h", "--key", "lb", "--follow", "--data", "d"], "--follow needs a server"),
            (["--from", "redis://h", "--key", "lb", "--follow", "--interval", "1ms"], "at least"),
            (["--archive", "a", "--spec", "POLICY set"], "--spec is not for --archive"),
            (["a.csv", "--bord", "lb"], "did you mean --board"),
            (["a.csv", "--board", "lb", "--to", "user:geheim@h"], "needs redis://"),
            (["a.csv", "--board", "lb", "--ca", "c.pem"], "rediss://"),
            (["a.csv", "--board", "lb", "--data", "d", "--insecure-tls"], "rediss://"),
            (["a.csv", "--board", "lb", "--data", "d", "--token", "t"], "--token is for a server"),
            (["a.csv", "--board", "lb", "--to", "redis://:x@h", "--token", "t"], "--token is another"),
            (["--archive", "a", "--period", "all"], "--period is not for --archive"),
            (["--from", "redis://h", "--key", "lb", "--board", "x", "--rename", "a*=b*"], "two names"),
        ]
        for arguments, reason in cases:
            with self.subTest(arguments):
                done = self.run_import(*arguments, code=2)
                self.assertEqual(done.out, "")
                self.assertEqual(done.err.count("\n"), 1, done.err)
                self.assertIn(reason, done.err)
                self.assertNotIn("geheim", done.err)
                self.assertIn("see laurel import --help", done.err)

    def test_help_names_every_codec_and_fits_a_terminal(self):
        text = self.run_import("--help").out
        for codec in ["plain", "decimal-countdown", "scaled-time", "decimal-time", "member-time", "bit-fields", "divisor"]:
            self.assertIn(f"\n  {codec}", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 100)

    def test_absent_server_is_an_error_that_names_it(self):
        self.write("a.csv", "member,score\nann,5\n")
        port = transfer_support.free_port()
        done = self.run_import("a.csv", "--board", "lb", "--to", f"127.0.0.1:{port}", code=1)
        self.assertIn(f"cannot connect to 127.0.0.1:{port}", done.err)


if __name__ == "__main__":
    transfer_support.main()
