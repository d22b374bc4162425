#!/usr/bin/env python3
"""A million rows: CSV, JSONL, archives and a sorted set of Redis into data folders and a server, within bounds of memory.

With a sanitizer memory is not checked.
"""

import csv
import datetime
import json
import pathlib
import random
import shutil
import subprocess
import tempfile

import transfer_support
from transfer_support import TransferTest, address, url

ROWS = 1_000_000
FIRST = 1_700_000_000
MB = 1 << 20
# An import holds at most 80 bytes of each row and the folder's own board, whose entries take less than that here. The
# bound leaves room for half as much again, and not for a second copy of table and board.
MEMORY = 32 * MB + ROWS * 240


def member_of(i):
    return f"player-{i:011d}"  # 18 bytes


def reached(text):
    """Seconds and microseconds of a time that laurel export writes."""
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(time.replace(microsecond=0).timestamp()), time.microsecond


class Large(TransferTest):
    @classmethod
    def setUpClass(cls):
        """One table, with 2,000 scores and 500,000 times, so that both ties by time and equal times are common. Every
        tenth row has a meta."""
        cls.source = pathlib.Path(tempfile.mkdtemp(prefix="laurel-large-"))
        cls.addClassCleanup(shutil.rmtree, cls.source, ignore_errors=True)
        chosen = random.Random(5)
        order = list(range(ROWS))
        chosen.shuffle(order)
        cls.rows = [(chosen.randrange(2000), FIRST + chosen.randrange(500_000) // 1000, i) for i in order]
        cls.table = cls.source / "table.csv"
        with open(cls.table, "w") as file:
            file.write("member,score,at,meta\n")
            file.writelines(f"{member_of(i)},{score},{at},{f'name {i}' if i % 10 == 0 else ''}\n"
                            for score, at, i in cls.rows)

    def import_table(self, data="data", *options):
        return self.run_measured("import", self.table, "--board", "lb", "--data", data, *options)

    def test_csv_is_ordered_by_score_then_time_then_row_within_bounded_memory(self):
        _, used = self.import_table()
        self.assert_memory_below(used, MEMORY)
        _, used = self.run_measured("export", "--data", "data", "--board", "lb", "--format", "csv", "--output", "out.csv")
        self.assert_memory_below(used, MEMORY)
        # sorted() is stable, so equal score and time keep the order of the rows.
        wanted = sorted(self.rows, key=lambda row: (-row[0], row[1]))
        with open(self.folder / "out.csv", newline="") as file:
            lines = csv.DictReader(file)
            for rank, ((score, at, i), line) in enumerate(zip(wanted, lines), 1):
                meta = f"name {i}" if i % 10 == 0 else ""
                if (str(rank), member_of(i), str(score), meta) != (line["rank"], line["member"], line["score"], line["meta"]):
                    self.fail(f"rank {rank}: expected {member_of(i)} {score}, got {line}")
                if rank % 97 == 0:
                    second, microsecond = reached(line["reached"])
                    self.assertEqual(second, at)
                    self.assertLess(microsecond, 100)  # rows of equal score and time are moved apart
            self.assertEqual((rank, list(lines)), (ROWS, []))

    def test_verify_needs_bounded_memory(self):
        done, used = self.import_table("data", "--verify")
        self.assertIn(f"verified: {ROWS:,} entries", done.out)
        self.assert_memory_below(used, MEMORY)

    def test_jsonl_makes_an_equal_folder(self):
        self.import_table()
        self.run_export("--data", "data", "--board", "lb", "--format", "jsonl", "--output", "out.jsonl")
        _, used = self.run_measured("import", "out.jsonl", "--data", "copy")
        self.assert_memory_below(used, MEMORY)
        self.assertEqual(self.digest("copy"), self.digest("data"))

    def test_archive_makes_an_equal_folder(self):
        self.import_table()
        self.run_export("--data", "data", "--board", "lb", "--format", "archive", "--output", "out.laurel")
        self.run_import("--archive", "out.laurel", "--data", "copy", "--verify")
        self.assertEqual(self.digest("copy"), self.digest("data"))

    def test_csv_makes_an_equal_folder_again(self):
        self.import_table()
        self.run_export("--data", "data", "--board", "lb", "--format", "csv", "--output", "out.csv")
        self.run_import("out.csv", "--board", "lb", "--data", "copy", "--verify")
        self.assertEqual(self.digest("copy"), self.digest("data"))

    def test_second_import_into_the_folder_changes_nothing(self):
        self.import_table()
        before = self.digest("data")
        _, used = self.import_table("data", "--verify")
        self.assert_memory_below(used, MEMORY + ROWS * 100)  # the board that is there, beside the one that is made
        self.assertEqual(self.digest("data"), before)

    def test_server_gets_what_a_folder_gets(self):
        server = self.durable(self.folder / "served")
        self.run_import(self.table, "--board", "lb", "--to", address(server), "--verify")
        self.run_export("--board", "lb", "--from", address(server), "--format", "jsonl", "--output", "served.jsonl")
        self.import_table()
        self.run_export("--board", "lb", "--data", "data", "--format", "jsonl", "--output", "folder.jsonl")
        self.assertEqual((self.folder / "served.jsonl").read_bytes(), (self.folder / "folder.jsonl").read_bytes())

    def test_sorted_set_keeps_its_order(self):
        redis = self.plain_redis()
        pipe = subprocess.Popen(["redis-cli", "-p", str(redis.port), "--pipe"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        for first in range(0, ROWS, 500):
            words = ["ZADD", "lb"] + [text for score, _, i in self.rows[first:first + 500] for text in (str(score), member_of(i))]
            pipe.stdin.write((f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)).encode())
        out, _ = pipe.communicate()
        self.assertEqual(pipe.returncode, 0, out)
        self.assertEqual(redis.client().ask("ZCARD", "lb"), ROWS)
        done, used = self.run_measured("import", "--from", url(redis), "--key", "lb", "--data", "data", "--verify")
        self.assertIn(f"verified: {ROWS:,} entries", done.out)
        self.assert_memory_below(used, MEMORY)
        shown = subprocess.run(["redis-cli", "-p", str(redis.port), "ZREVRANGE", "lb", "0", "-1"], capture_output=True,
                               text=True, check=True).stdout.split()
        self.run_export("--data", "data", "--board", "lb", "--format", "jsonl", "--output", "out.jsonl")
        with open(self.folder / "out.jsonl") as file:
            next(file)
            self.assertTrue(shown == [json.loads(line)["member"] for line in file], "the order differs from Redis")


if __name__ == "__main__":
    transfer_support.main()
