#!/usr/bin/env python3
"""Files that are malformed, huge or no files at all, and outputs that refuse.

A bad row is a reject with its line and a reason, and the exit code is 3. A file that cannot be used is one line of
error and the exit code 1, and nothing is written. No row is lost without a word.
"""

import json
import os
import stat
import subprocess
import threading

import transfer_support
from support import seeded_random
from transfer_support import TransferTest, address

MB = 1 << 20
DAY = 1_700_000_000
SMALL = 64 * MB  # more than the program needs for a file of any size with few rows


class HostileTest(TransferTest):
    """Imports one file a time, each into a new folder."""

    def setUp(self):
        super().setUp()
        self.imports = 0

    def import_file(self, name, data, *options, code):
        """Writes the file and imports it. Returns the outcome; self.data is the folder, self.rejects the rejects."""
        self.imports += 1
        self.data = f"data-{self.imports}"
        rejects = self.folder / f"rejects-{self.imports}.jsonl"
        if data is not None:
            self.write(name, data)
        kind = "--" + name.split(".")[1]
        done = self.run_import(kind, name, "--board", "lb", "--data", self.data, "--rejects", rejects.name, "--verify",
                               *options, code=code)
        text = rejects.read_text() if rejects.exists() else ""
        self.rejects = [json.loads(line) for line in text.splitlines()]
        return done

    def assert_nothing_written(self):
        self.run_export("--data", self.data, "--board", "lb", "--format", "csv", code=1)

    def assert_refused(self, name, data, reason, *options):
        """The file as a whole is an error of one line, and nothing is written."""
        with self.subTest(name=name, data=data and data[:60], options=options):
            done = self.import_file(name, data, *options, code=1)
            self.assertRegex(done.err, reason)
            self.assertEqual(done.err.strip().splitlines()[-1][:8], "laurel: ")
            self.assert_nothing_written()

    def assert_rejects(self, name, data, reasons, kept, *options):
        """`reasons`: {line: pattern} of the rows that are rejected; `kept`: members of the others, best first."""
        with self.subTest(name=name, data=data and data[:60], options=options):
            self.import_file(name, data, *options, code=3 if reasons else 0)
            self.assertEqual([reject["line"] for reject in self.rejects], list(reasons))
            for reject, reason in zip(self.rejects, reasons.values()):
                self.assertRegex(reject["reason"], reason)
                self.assertTrue("row" in reject or "row_base64" in reject, reject)
            self.assertEqual([member for member, _ in self.exported_scores(self.data, "lb")], kept)


class Csv(HostileTest):
    def test_quotes_hold_delimiters_quotes_and_line_ends(self):
        self.assert_rejects("a.csv", b'member,score\n"a,""b""\r\nc",9\n"",8\n"d",7\n', {4: "the member is empty"},
                            ['a,"b"\r\nc', "d"])

    def test_text_beside_quotes_is_rejected(self):
        self.assert_rejects("a.csv", b'member,score\n"a"b,9\nc"d,8\n"e" ,7\nf,6\ng,5\n',
                            {2: "quote", 3: "quote", 4: "quote"}, ["f", "g"])

    def test_unclosed_quote_is_one_reject_that_names_its_lines(self):
        self.assert_rejects("a.csv", b'member,score\nann,5\n"bob,6\ncid,7\ndan,8\n', {3: "lines 3 to 5"}, ["ann"])

    def test_unclosed_quote_that_swallows_much_ends_the_import(self):
        self.assert_refused("a.csv", b'member,score\nann,5\n"bob,6\n' + b"cid,7\n" * 50_000, "line 3.*not closed")

    def test_byte_order_mark_and_crlf_are_no_part_of_cells(self):
        self.assert_rejects("a.csv", b"\xef\xbb\xbfmember,score\r\nann,5\r\nbob,6", {}, ["bob", "ann"])

    def test_byte_order_mark_before_a_quoted_header(self):
        self.assert_rejects("a.csv", b'\xef\xbb\xbf"member","score"\r\nann,5\r\nbob,6\r\n', {}, ["bob", "ann"])

    def test_lone_carriage_return_is_rejected(self):
        self.assert_rejects("a.csv", b"member,score\nann,5\rbob,6\ncid,7\ndan,8\n", {2: "carriage return"}, ["dan", "cid"])
        self.assert_refused("a.csv", b"member,score\rann,5\rbob,6\r", "carriage return")

    def test_nul_byte_is_rejected(self):
        self.assert_rejects("a.csv", b"member,score\nann,5\nb\0b,6\ncid,7\n", {3: "NUL|zero"}, ["cid", "ann"])

    def test_bytes_that_are_no_utf8_are_refused_with_their_line_unless_an_encoding_is_named(self):
        text = b"member,score\nann,7\nb\xff\xc0\x80,6\n\xed\xa0\x80,5\n"
        self.assert_refused("a.csv", text, "a.csv line 3 is not UTF-8: --encoding gb18030.*nothing was written")
        self.assert_rejects("a.csv", text, {}, ["ann", b"b\xff\xc0\x80", b"\xed\xa0\x80"], "--encoding", "bytes")

    def test_gbk_is_converted(self):
        text = "member,score,meta\n小明,7,第一名\nann,5,\n".encode("gbk")
        self.assert_refused("a.csv", text, "line 2 is not UTF-8")
        self.assert_rejects("a.csv", text, {}, ["小明", "ann"], "--encoding", "gb18030")
        self.assertEqual([meta for _, _, _, meta in self.exported(self.data, "lb")], ["第一名", None])
        self.assert_refused("a.csv", "member,score\n小明,7\n".encode() + b"b\xff,5\n", "is not GB18030", "--encoding", "gb18030")

    def test_utf16_is_named(self):
        for coding in ("utf-16-le", "utf-16-be"):
            mark = "\ufeff".encode(coding)
            self.assert_refused("a.csv", mark + "member,score\nann,5\n".encode(coding), "UTF-16")

    def test_file_without_header(self):
        self.assert_refused("a.csv", b"", "no header")
        self.assert_refused("a.csv", b"\xef\xbb\xbf", "no header")
        self.assert_refused("a.csv", b"\n\r\n\n", "no header")

    def test_header_alone_is_a_board_without_entries(self):
        self.assert_rejects("a.csv", b"member,score\n", {}, [])
        self.assert_rejects("a.csv", b"member,score", {}, [])

    def test_columns_of_the_header(self):
        self.assert_refused("a.csv", b"member,score,member\na,1,b\n", "two columns.*member")
        self.assert_refused("a.csv", b"member,score,score\na,1,2\n", "two columns.*score")
        self.assert_refused("a.csv", b"member,points\na,1\n", "score")
        self.assert_refused("a.csv", b"who,score\na,1\n", "member")
        self.assert_refused("a.csv", b"Member,Score\na,1\n", "member")
        self.assert_refused("a.csv", b"member,score,at,reached\na,1,1700000000,1700000001\n", "'at' and 'reached'")
        self.assert_refused("a.csv", b"member,score\na,1\n", "uid", "--columns", "member=uid,score=score")
        self.assert_refused("a.csv", b"member;score\na;1\nb;2\n", "member")

    def test_unknown_columns_are_ignored(self):
        self.assert_rejects("a.csv", b"x,member,y,score,\n1,ann,2,5,3\n1,bob,2,6,3\n", {}, ["bob", "ann"])

    def test_columns_by_number(self):
        words = ["--no-header", "--columns", "member=1,score=2,meta=3"]
        self.assert_refused("a.csv", b"ann,5\nbob,6,x\n", "'3' is no position", *words)
        self.assert_rejects("a.csv", b"ann,5,x\nbob,6\ncid,7,x,y\ndan,4,\n", {2: "2 columns", 3: "4 columns"}, ["ann", "dan"],
                            *words)

    def test_rows_with_too_few_or_too_many_cells_are_rejected(self):
        self.assert_rejects("a.csv", b"member,score\na,1,b\nb\nc,3\n\nd,4\n,\n" + b"e,1" + b"," * 30_000 + b"\n",
                            {2: "3 columns", 3: "1 column", 7: "empty", 8: "column"}, ["d", "c"])

    def test_line_numbers_count_the_lines_of_quoted_cells(self):
        self.assert_rejects("a.csv", b'member,score\n"a\n\n\nb",1\nbad,x\n"c\n",2\nbad,y\n', {6: "BADSCORE", 9: "BADSCORE"},
                            ["c\n", "a\n\n\nb"])


class Numbers(HostileTest):
    def test_values_that_are_no_int64_are_rejected_and_the_ends_are_kept(self):
        bad = {"9223372036854775808": "OVERFLOW", "-9223372036854775809": "OVERFLOW", "1e400": "OVERFLOW",
               "1e99999999999999999999": "OVERFLOW", "NaN": "BADSCORE", "inf": "BADSCORE", "-Infinity": "BADSCORE",
               "1_000": "BADSCORE", '"1,000"': "BADSCORE", "0x10": "BADSCORE", " 5": "BADSCORE", "5 ": "BADSCORE",
               "": "BADSCORE", "-": "BADSCORE", ".": "BADSCORE", "1e": "BADSCORE", "5.5": "BADSCORE",
               "1e-400": "BADSCORE", "--5": "BADSCORE", "５": "BADSCORE", "0" * 401: "LIMIT"}
        good = {"9223372036854775807": None, "9223372036854775806.0": None, "1.0E7": None, "+5": None, "0e999999999": None,
                "-0": None, "-9223372036854775807": None, "-9223372036854775808": None}
        rows = [f"bad{i},{text}" for i, text in enumerate(bad)] + [f"good{i},{text}" for i, text in enumerate(good)]
        self.assert_rejects("a.csv", ("member,score\n" + "\n".join(rows) + "\n").encode(),
                            {i + 2: reason for i, reason in enumerate(bad.values())},
                            [f"good{i}" for i in range(len(good))])
        self.assertEqual([score for _, score in self.exported_scores(self.data, "lb")],
                         ["9223372036854775807", "9223372036854775806", "10000000", "5", "0", "0",
                          "-9223372036854775807", "-9223372036854775808"])

    def test_decimals_beyond_the_scale_are_rejected_never_rounded(self):
        self.assert_rejects("a.csv", b"member,score\na,1.234\nb,1.23\nc,92233720368547758.07\nd,92233720368547758.08\n"
                            b"e,1.230000\nf,1e-3\n",
                            {2: "BADSCORE", 5: "OVERFLOW", 7: "BADSCORE"}, ["c", "b", "e"],
                            "--spec", "FIELDS 1 score:decimal2:desc")
        self.assertEqual([score for _, score in self.exported_scores(self.data, "lb")],
                         ["92233720368547758.07", "1.23", "1.23"])

    def test_times_that_do_not_exist_are_rejected(self):
        bad = ["2023-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "10000-01-01T00:00:00Z",
               "1969-12-31T23:59:59Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z", "2023-11-14T22:13:20",
               "2023-11-14", "0000-00-00 00:00:00", "1e9", "-5", "99999999999999999999", "1700000000000", "soon",
               "2023-11-14T22:13:20+99:00", "1700000000.1234567"]
        rows = [f"bad{i},1,{text}" for i, text in enumerate(bad)]
        rows += [f"ann,5,{DAY}", f"bob,5,{DAY + 1}.5", "cid,4,2024-02-29T12:00:00+08:00"]
        self.assert_rejects("a.csv", ("member,score,at\n" + "\n".join(rows) + "\n").encode(),
                            {i + 2: "BADTIME" for i in range(len(bad))}, ["ann", "bob", "cid"])
        self.assertEqual([reached for _, _, reached, _ in self.exported(self.data, "lb")],
                         ["2023-11-14T22:13:20.000000Z", "2023-11-14T22:13:21.500000Z", "2024-02-29T04:00:00.000000Z"])

    def test_times_in_the_future_stop_the_import_or_with_force_are_rejected(self):
        text = f"member,score,at\nann,5,{DAY}\nbob,6,2999-01-01T00:00:00Z\ncid,7,{DAY + 1}\n".encode()
        self.assert_refused("a.csv", text, "ahead")
        self.assert_rejects("a.csv", text, {3: "BADTIME"}, ["cid", "ann"], "--force")


class Tsv(HostileTest):
    def test_unknown_escapes_are_rejected(self):
        self.assert_rejects("a.tsv", b"member\tscore\na\\qb\t5\nc\\\t6\nd\\\\\t7\n", {2: "escape|backslash", 3: "column|escape"},
                            ["d\\"])

    def test_null_is_no_member_and_no_score(self):
        self.assert_rejects("a.tsv", b"member\tscore\tmeta\nNULL\t5\tx\n\\N\t6\tx\na\tNULL\tx\nb\t\\N\tx\nc\t7\tNULL\n"
                            b"d\t8\t\\N\n", {2: "NULL", 3: "NULL", 4: "NULL", 5: "NULL"}, ["d", "c"])

    def test_too_few_and_too_many_cells(self):
        self.assert_rejects("a.tsv", b"member\tscore\na\t1\tx\nb\nc\t3\n", {2: "3 columns", 3: "1 column"}, ["c"])

    def test_empty_member_is_rejected(self):
        self.assert_rejects("a.tsv", b"member\tscore\n\t5\nann\t6\n", {2: "the member is empty"}, ["ann"])

    def test_nul_byte_is_rejected(self):
        self.assert_rejects("a.tsv", b"member\tscore\nann\t5\nb\0b\t6\ncid\t7\n", {3: "NUL|zero"}, ["cid", "ann"])


class Jsonl(HostileTest):
    def test_lines_that_are_no_row_are_rejected(self):
        lines = [(b'{"member":"a","score":1,"score":2}', "second time"), (b'{"member":"a","score":NaN}', "JSON"),
                 (b'{"member":"a","score":1e400}', "OVERFLOW"), (b'{"member":"a","score":9223372036854775808}', "OVERFLOW"),
                 (b'{"member":"a","score":1_000}', "JSON"), (b'{"member":"a","score":01}', "JSON"),
                 (b'{"member":"a","score":[1,2]}', "2 values"), (b'{"member":"a","score":{"other":1}}', "other|score"),
                 (b'{"member":"a","score":null}', "score"), (b'{"member":"a","score":true}', "boolean"),
                 (b'{"member":"a"}', "score"), (b'{"score":1}', "member"), (b'{"member":null,"score":1}', "member"),
                 (b'{"member":["a"],"score":1}', "member"), (b'{"member":"a","member_base64":"YQ==","score":1}', "member"),
                 (b'{"member_base64":"?","score":1}', "base64"), (b'[1]', "array"), (b'"x"', "string"), (b"7", "number"),
                 (b'{"member":"a","score":1} x', "JSON"), (b'{"member":"a","score":1', "JSON"), (b'{"member":"a\\ud800","score":1}', "JSON"),
                 (b'{"member":"a","score":1,"more":2}', "more"),
                 (b'{"member":"a","score":1,"at":"2023-02-30T00:00:00Z"}', "BADTIME"), (b"{'member':'a','score':1}", "JSON"),
                 (b'{"member":"a","score":1,"hidden":"maybe"}', "hidden")]
        text = b'{"member":"good","score":1}\n' + b"\n".join(line for line, _ in lines) + b'\n\n{"member":"last","score":2}'
        self.assert_rejects("a.jsonl", text, {i + 2: reason for i, (_, reason) in enumerate(lines)}, ["last", "good"])

    def test_bytes_that_are_no_utf8_end_the_import_or_are_a_reject(self):
        text = b'{"member":"ann","score":1}\n{"member":"b\xff","score":2}\n'
        self.assert_refused("a.jsonl", text, "a.jsonl line 2 is not UTF-8")
        self.assert_rejects("a.jsonl", text, {2: "UTF-8"}, ["ann"], "--encoding", "bytes")

    def test_deep_nesting_is_rejected(self):
        text = (b'{"member":"ann","score":5}\n{"member":"x","score":' + b"[" * 30_000 + b"]" * 30_000 + b"}\n" +
                b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"\n" + b"[" * 60_000 + b'\n{"member":"bob","score":6}\n')
        self.assert_rejects("a.jsonl", text, {2: "levels", 3: "levels", 4: "levels"}, ["bob", "ann"])

    def test_escapes_and_exact_numbers_are_kept(self):
        self.assert_rejects("a.jsonl", b'{"member":"\\u0000\\ud83d\\ude00\\t","score":9223372036854775807}\r\n'
                            b'{"member":"","score":"-9223372036854775808"}\r\n', {}, ["\0😀\t", ""])

    def test_file_without_rows(self):
        self.assert_rejects("a.jsonl", b'{"board":"lb","spec":"FIELDS 1 score:int:desc POLICY set TIE first"}\n', {}, [])
        self.assert_refused("a.jsonl", b'{"board":"lb","spec":"FIELDS 9"}\n{"member":"a","score":1}\n', "spec|FIELDS")

    def test_rows_of_a_second_board_do_not_go_into_the_first(self):
        """Two exports, one behind the other: the second header names another board."""
        head = b'{"board":"%s","spec":"FIELDS 1 score:int:desc POLICY set TIE first"}\n'
        self.write("a.jsonl", head % b"lb" + b'{"member":"ann","score":1}\n' + head % b"other" + b'{"member":"ann","score":7}\n')
        done = self.run_import("a.jsonl", "--data", "data", code=None)
        if done.code in (0, 3):
            self.assertEqual(self.exported_scores("data", "lb"), [("ann", "1")])
        else:
            self.assertRegex(done.err, "line 3|board")


class Huge(HostileTest):
    def check_long_line(self, name, before, after, line):
        path = self.folder / name
        with open(path, "wb") as file:
            file.write(before)
            for _ in range(100):
                file.write(b"x" * MB)
            file.write(after)
        _, used = self.run_measured("import", name, "--board", "lb", "--data", "data", "--rejects", "bad.jsonl", code=3)
        os.remove(path)
        self.assert_memory_below(used, SMALL)
        self.assertLess((self.folder / "bad.jsonl").stat().st_size, MB)
        reject = json.loads((self.folder / "bad.jsonl").read_text())
        self.assertEqual(reject["line"], line)
        self.assertRegex(reject["reason"], "LIMIT")
        self.assertEqual(self.exported_scores("data", "lb"), [("bob", "6"), ("ann", "5")])

    def test_a_line_of_100_mb_of_csv_is_rejected_with_its_number(self):
        self.check_long_line("a.csv", b"member,score\nann,5\n", b",1\nbob,6\n", 3)

    def test_a_quoted_cell_of_100_mb_is_rejected_with_its_number(self):
        self.check_long_line("a.csv", b'member,score\nann,5\n"', b'\n",1\nbob,6\n', 3)

    def test_a_line_of_100_mb_of_tsv_is_rejected_with_its_number(self):
        self.check_long_line("a.tsv", b"member\tscore\nann\t5\n", b"\t1\nbob\t6\n", 3)

    def test_a_line_of_100_mb_of_jsonl_is_rejected_with_its_number(self):
        self.check_long_line("a.jsonl", b'{"member":"ann","score":5}\n{"member":"', b'","score":1}\n{"member":"bob","score":6}\n', 2)

    def test_header_of_100_mb_is_an_error(self):
        self.write("a.csv", b"member,score," + b"x" * (100 * MB) + b"\nann,5,6\n")
        done, used = self.run_measured("import", "a.csv", "--board", "lb", "--data", "data", code=1)
        self.assertIn("header", done.err)
        self.assert_memory_below(used, SMALL)

    def test_members_and_meta_beyond_their_limits_are_rejected(self):
        self.assert_rejects("a.csv", b"member,score,meta\n" + b"m" * 1024 + b",5,\n" + b"n" * 1025 + b",6,\nmeta,7," +
                            b"x" * 4096 + b"\nmore,8," + b"x" * 4097 + b"\n", {3: "LIMIT|1024", 5: "LIMIT|4096"},
                            ["meta", "m" * 1024])


class Zstd(HostileTest):
    def compressed(self, data):
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout

    def setUp(self):
        super().setUp()
        self.frame = self.compressed(b"member,score\n" + b"".join(b"m%d,%d\n" % (i, i) for i in range(20_000)))

    def test_data_that_is_cut_off_is_an_error(self):
        for length in (4, 5, 8, 20, len(self.frame) // 2, len(self.frame) - 1):
            self.assert_refused("a.csv.zst", self.frame[:length], "cut off")
        self.assert_refused("a.csv.zst", self.frame[:3], "line 1 is not UTF-8")

    def test_frame_that_is_cut_off_at_the_end_of_a_line_is_an_error(self):
        """The first frame is whole, and only the second one shows that rows are missing."""
        self.assert_refused("a.csv.zst", self.frame + self.compressed(b"x,1\n" * 1000)[:-1], "cut off")

    def test_bytes_behind_the_last_frame_are_an_error(self):
        for garbage in (b"garbage", b"\0", b"member,score\n", self.frame[1:]):
            self.assert_refused("a.csv.zst", self.frame + garbage, "zstd|cut off")

    def test_damaged_bytes_are_an_error(self):
        random = seeded_random(self.id())
        for _ in range(20):
            place = random.randrange(4, len(self.frame))
            changed = bytearray(self.frame)
            changed[place] ^= 1 << random.randrange(8)
            # The checksum of the frame finds a change that decompresses. The bits of the header that have no
            # meaning may change.
            self.write("a.csv.zst", bytes(changed))
            whole = subprocess.run(["zstd", "-dqc", "a.csv.zst"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
            if whole.returncode != 0:
                self.assert_refused("a.csv.zst", None, "zstd")

    def test_frames_one_behind_the_other_are_one_file(self):
        parts = [b"member,sc", b"ore\nann,5\nbo", b"", b"b,6\n"]
        skippable = b"\x50\x2a\x4d\x18\x04\0\0\0skip"
        self.assert_rejects("a.csv.zst", skippable.join(self.compressed(part) for part in parts), {}, ["bob", "ann"])

    def test_file_that_grows_a_thousandfold_needs_little_memory(self):
        """400 MB of one line, and of empty lines, that zstd makes a few KB of."""
        for end, code, reason in ((b"", 3, "LIMIT"), (b"\n", 0, "")):
            unit = b"\n" * MB if end else b"x" * MB
            packer = subprocess.Popen(["zstd", "-q", "-f", "-o", str(self.folder / "a.csv.zst")], stdin=subprocess.PIPE)
            packer.stdin.write(b"member,score\nann,5\nbob,6\n")
            for _ in range(400):
                packer.stdin.write(unit)
            packer.stdin.close()
            self.assertEqual(packer.wait(), 0)
            self.assertLess((self.folder / "a.csv.zst").stat().st_size, MB)
            done, used = self.run_measured("import", "--csv", "a.csv.zst", "--board", "lb", "--data", "data", "--rejects",
                                           "bad.jsonl", code=code)
            self.assertIn(reason, done.err)
            self.assert_memory_below(used, SMALL)

    def test_window_of_two_gib_is_refused(self):
        data = subprocess.run(["zstd", "-q", "-c", "-1", "--long=31"], input=b"member,score\nann,5\n" + b"\n" * (200 * MB),
                              stdout=subprocess.PIPE, check=True).stdout
        self.write("a.csv.zst", data)
        done, used = self.run_measured("import", "--csv", "a.csv.zst", "--board", "lb", "--data", "data", code=1)
        self.assertIn("memory", done.err)
        self.assert_memory_below(used, 512 * MB)

    def test_text_under_the_name_of_zstd_is_read(self):
        self.assert_rejects("a.csv.zst", b"member,score\nann,5\n", {}, ["ann"])


class NoFiles(HostileTest):
    def test_folders_and_absent_files_are_errors(self):
        (self.folder / "folder.csv").mkdir()
        self.assert_refused("folder.csv", None, "folder.csv.*directory")
        self.assert_refused("absent.csv", None, "absent.csv.*No such file")
        for archive in ("folder.csv", "absent.laurel"):
            self.run_import("--archive", archive, "--data", "data", code=1)

    def test_file_of_another_kind_is_no_archive(self):
        self.write("a.laurel", b"member,score\nann,5\n")
        self.assertIn("a.laurel", self.run_import("--archive", "a.laurel", "--data", "data", code=1).err)
        self.write("a.laurel", b"")
        self.assertIn("a.laurel", self.run_import("--archive", "a.laurel", "--data", "data", code=1).err)

    def test_archive_that_is_cut_off_or_damaged_writes_nothing(self):
        random = seeded_random(self.id())
        self.write("a.csv", "member,score\n" + "".join(f"m{i},{i}\n" for i in range(500)))
        self.run_import("a.csv", "--board", "lb", "--data", "source")
        self.run_export("--data", "source", "--board", "lb", "--format", "archive", "--output", "whole.laurel")
        whole = (self.folder / "whole.laurel").read_bytes()
        cases = [whole[:random.randrange(len(whole))] for _ in range(10)] + [whole + b"x"]
        for _ in range(10):
            changed = bytearray(whole)
            changed[random.randrange(len(whole))] ^= 1 << random.randrange(8)
            cases.append(bytes(changed))
        for case in cases:
            self.write("bad.laurel", case)
            done = self.run_import("--archive", "bad.laurel", "--data", "data", code=1)
            self.assertEqual(done.err.count("\n"), 1, done.err)
            self.run_export("--data", "data", "--board", "lb", "--format", "csv", code=1)

    def test_fifo_is_read_to_its_end(self):
        path = self.folder / "pipe.csv"
        os.mkfifo(path)

        def feed():
            with open(path, "wb") as pipe:
                pipe.write(b"member,score\nann,5\nbo")
                pipe.flush()
                pipe.write(b"b,6\n")

        writer = threading.Thread(target=feed, daemon=True)
        writer.start()
        self.assert_rejects("pipe.csv", None, {}, ["bob", "ann"])
        writer.join()

    def test_file_without_permission_is_an_error(self):
        """Root may read every file, so the program runs without that capability then."""
        os.chmod(self.write("a.csv", "member,score\nann,5\n"), 0)
        without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        done = subprocess.run([*without, *self.command("import", "a.csv", "--board", "lb", "--data", "data")],
                              cwd=self.folder, capture_output=True, text=True, timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a.csv: Permission denied", done.stderr)


class Outputs(HostileTest):
    def setUp(self):
        super().setUp()
        self.write("good.csv", "member,score\n" + "".join(f"m{i},{i}\n" for i in range(20_000)))
        self.run_import("good.csv", "--board", "lb", "--data", "good")

    def test_full_output_of_an_export_is_an_error(self):
        for form in ("csv", "jsonl", "resp"):
            with self.subTest(form):
                words = ["--data", "good", "--board", "lb", "--format", form]
                self.assertIn("/dev/full", self.run_export(*words, "--output", "/dev/full", code=1).err)
                with open("/dev/full", "wb") as full:
                    done = subprocess.run(self.command("export", *words), cwd=self.folder, stdout=full,
                                          stderr=subprocess.PIPE, timeout=transfer_support.RUN_LIMIT_S)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"No space left", done.stderr)
        self.run_export("--data", "good", "--board", "lb", "--format", "archive", "--output", "/dev/full", code=1)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_reader_that_leaves_is_an_error(self):
        process = self.start("export", "--data", "good", "--board", "lb", "--format", "csv")
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("Broken pipe", err)

    def test_absent_board_leaves_an_older_file_as_it_was(self):
        self.write("old.csv", "old")
        self.run_export("--data", "good", "--board", "other", "--format", "csv", "--output", "old.csv", code=1)
        self.assertEqual((self.folder / "old.csv").read_text(), "old")
        self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_full_reject_file_ends_the_import_before_it_writes(self):
        """One reject fits into a buffer, so it is written last: the import must not be done by then."""
        for rows in (1, 900):
            self.write("a.csv", "member,score\n" + "x,y\n" * rows + "ann,5\nbob,6\n")
            with self.subTest(rows=rows, target="folder"):
                done = self.run_import("a.csv", "--board", "lb", "--data", f"data-{rows}", "--rejects", "/dev/full", code=1)
                self.assertIn("/dev/full", done.err)
                self.run_export("--data", f"data-{rows}", "--board", "lb", "--format", "csv", code=1)
            with self.subTest(rows=rows, target="server"):
                server = self.laurel()
                self.run_import("a.csv", "--board", "lb", "--to", address(server), "--rejects", "/dev/full", code=1)
                self.assertEqual(server.client().ask("LB.LIST"), ["0", []])

    def test_reject_file_that_is_the_source_is_refused(self):
        text = "member,score\nann,5\nbob,x\n"
        os.symlink("a.csv", self.folder / "link.csv")
        for name in ("a.csv", "./a.csv", "link.csv"):
            with self.subTest(name):
                path = self.write("a.csv", text)
                done = self.run_import("a.csv", "--board", "lb", "--data", "data", "--rejects", name, code=None)
                self.assertIn(done.code, (1, 2))
                self.assertEqual(path.read_text(), text)

    def test_max_rejects_counts_exactly(self):
        text = b"member,score\n" + b"x,y\n" * 5 + b"ann,5\nbob,6\n"
        self.assert_refused("a.csv", text, "5 rows were rejected", "--max-rejects", "4")
        self.assertEqual([reject["line"] for reject in self.rejects], [2, 3, 4, 5, 6])
        self.assert_rejects("a.csv", text, {line: "BADSCORE" for line in range(2, 7)}, ["bob", "ann"], "--max-rejects", "5")
        self.assert_refused("a.csv", text, "1 row was rejected", "--max-rejects", "0")

    def test_failed_import_makes_no_folder(self):
        self.write("a.csv", "member\nann\n")
        self.run_import("a.csv", "--board", "lb", "--data", "new", code=1)
        self.assertFalse((self.folder / "new").exists())

    def test_dry_run_writes_nothing_and_reports_rejects(self):
        self.write("a.csv", "member,score\nann,5\nbob,x\n")
        done = self.run_import("a.csv", "--board", "lb", "--data", "new", "--dry-run", "--rejects", "bad.jsonl", code=3)
        self.assertIn("1 row was rejected", done.err)
        self.assertEqual(json.loads((self.folder / "bad.jsonl").read_text())["line"], 3)
        self.assertFalse((self.folder / "new").exists())


if __name__ == "__main__":
    transfer_support.main()
