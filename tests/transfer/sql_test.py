#!/usr/bin/env python3
"""Tables of MariaDB and PostgreSQL, moved by `mariadb --batch` and by COPY … TO into a server and a data folder.

Both databases are Debian's own programs. The test starts them in a temporary folder, with a socket there and without
a port, and ends them by their process ids. PostgreSQL does not run as root, so root runs it as another user.
"""

import glob
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import transfer_support
from support import eventually
from transfer_support import RUN_LIMIT_S, TransferTest, address

OTHER_USER = 65534
SECOND = 1_000_000  # microseconds
SHANGHAI = 1_700_000_000  # 2023-11-15 06:13:20 there

QUERY = "SELECT uid AS member, points AS score, updated AS at, note AS meta FROM ranking ORDER BY id"
TEXTS = [b"tab\there", b"line\nend", b"back\\slash", b"\\N", b"\\", b"\\\\n", b"cr\rcr\r\n", b"\t", b"\n", b" blank ",
         b'"quoted"', b"'single'", "玩家😀".encode(), b"a,b;c", b"#", b"x" * 1000]


def program(name, *folders):
    """The path of a program; Debian keeps servers where a user's PATH may not reach."""
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *folders]))
    if not found:
        raise AssertionError(f"{name} is missing; ./dev test installs it")
    return found


class Database:
    """A server process in a folder of its own. A path of a socket has at most 107 bytes, so the folder is in /tmp."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="laurel-sql-", dir="/tmp"))
        self.process = None

    def launch(self, command, **more):
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **more)

    def await_answer(self, answers):
        if not eventually(lambda: self.process.poll() is not None or answers(), 120) or self.process.poll() is not None:
            raise AssertionError("the database does not answer:\n" + (self.folder / "output").read_text(errors="replace"))

    def remove(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class MariaDb(Database):
    """mariadbd without a network. Its own user is the one that runs the test, root included."""

    def start(self):
        data = self.folder / "data"
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        made = subprocess.run([program("mariadb-install-db"), "--no-defaults", f"--datadir={data}", f"--user={user}",
                               "--auth-root-authentication-method=normal", "--skip-test-db"],
                              capture_output=True, text=True)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        self.socket = self.folder / "socket"
        self.launch([program("mariadbd"), "--no-defaults", f"--datadir={data}", f"--socket={self.socket}", f"--user={user}",
                     f"--pid-file={self.folder}/pid", "--skip-networking", "--innodb-flush-log-at-trx-commit=0",
                     "--innodb-buffer-pool-size=16M", "--character-set-server=utf8mb4"])
        self.await_answer(lambda: self.run("SELECT 1").returncode == 0)

    def run(self, statement, *options):
        return subprocess.run([program("mariadb"), "--no-defaults", "--user=root", f"--socket={self.socket}",
                               "--default-character-set=utf8mb4", *options, "-e", statement], capture_output=True,
                              timeout=RUN_LIMIT_S)

    def execute(self, statements):
        """Statements from a file, so that they may be of any size and hold any byte."""
        done = subprocess.run([program("mariadb"), "--no-defaults", "--user=root", f"--socket={self.socket}", "--binary-mode",
                               "--default-character-set=utf8mb4"], input=statements, capture_output=True, timeout=RUN_LIMIT_S)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())

    def batch(self, query, *options):
        done = self.run("USE app; " + query, "--batch", *options)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return done.stdout


class PostgreSql(Database):
    """postgres without a port."""

    def start(self):
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:]
        self.psql = program("psql", *folders)
        other = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []} if os.geteuid() == 0 else {}
        if other:
            os.chown(self.folder, OTHER_USER, OTHER_USER)
        data = self.folder / "data"
        made = subprocess.run([program("initdb", *folders), "-D", data, "-U", "app", "-A", "trust", "-E", "UTF8",
                               "--locale=C", "--no-sync"], cwd=self.folder, capture_output=True, text=True, **other)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        self.launch([program("postgres", *folders), "-D", data, "-k", self.folder, "-c", "listen_addresses=", "-c",
                     "fsync=off"], cwd=self.folder, **other)
        self.await_answer(lambda: self.run("SELECT 1").returncode == 0)

    def run(self, statements):
        return subprocess.run([self.psql, "-X", "-q", "-h", self.folder, "-U", "app", "-d", "postgres", "-v",
                               "ON_ERROR_STOP=1", "-f", "-"], input=statements.encode(), capture_output=True,
                              timeout=RUN_LIMIT_S)

    def copy(self, statements):
        done = self.run(statements)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return done.stdout


class SqlTest(TransferTest):
    """Imports what a database has written into a server and into a data folder."""

    def import_text(self, table, *options, code=0):
        """[(member, [score], stamp, meta)…] of the server and of the folder, which must agree. The stamp of a row
        without a time, which is that of the import, is None. self.done: how the import into the server ended."""
        server = self.laurel()
        began = time.time() * SECOND
        words = ["--tsv", "-", "--board", "lb", "--verify", "--rejects", "bad.jsonl", *options]
        self.done = self.run_import(*words, "--to", address(server), stdin=table, code=code)
        self.run_import(*words, "--data", "data", stdin=table, code=self.done.code)
        served = self.served_folder(self.folder / "data")
        found = [[(member, score, stamp if stamp < began else None, meta) for member, score, stamp, meta in
                  self.entries(target, "lb")] for target in (server, served)]
        self.assertEqual(found[0], found[1])
        served.stop()
        shutil.rmtree(self.folder / "data")
        return found[0]


def literal(data):
    """A string of MariaDB with these bytes, or NULL."""
    return b"NULL" if data is None else b"x'" + data.hex().encode() + b"'" if data else b"''"


class FromMariaDb(SqlTest):
    @classmethod
    def setUpClass(cls):
        cls.database = MariaDb()
        cls.addClassCleanup(cls.database.remove)
        cls.database.start()

    def fill(self, rows, updated="DATETIME", note="TEXT"):
        """A table ranking of (uid, points, updated, note), each of them bytes or None."""
        head = (f"DROP DATABASE IF EXISTS app; CREATE DATABASE app; USE app; SET time_zone = '+00:00';"
                f"CREATE TABLE ranking (id INT AUTO_INCREMENT PRIMARY KEY, uid VARBINARY(1200) NOT NULL, points BIGINT, "
                f"updated {updated} NULL, note {note} NULL);\n").encode()
        values = b",".join(b"(%s,%d,%s,%s)" % (literal(uid), points, b"'" + updated.encode() + b"'" if updated else b"NULL",
                                               literal(note)) for uid, points, updated, note in rows)
        self.database.execute(head + b"INSERT INTO ranking (uid, points, updated, note) VALUES " + values + b";\n")

    def import_table(self, *options, query=QUERY, code=0, batch=()):
        return self.import_text(self.database.batch(query, *batch), *options, code=code)

    def test_values_of_64_bits_are_exact(self):
        points = [2**63 - 1, 2**63 - 2, 2**53 + 1, 2**53, 1, 0, -1, -2**53 - 1, -2**63 + 1, -2**63]
        self.fill([(b"m%d" % i, value, "2023-11-15 06:13:%02d" % i, None) for i, value in enumerate(points)])
        self.assertEqual(self.import_table("--tz", "Asia/Shanghai"),
                         [(f"m{i}", [str(value)], (SHANGHAI - 20 + i) * SECOND, None) for i, value in enumerate(points)])

    def test_ties_stand_in_the_order_of_time_then_of_the_table(self):
        """zoe was first by time; of those with one time and score, the table's order counts, not the name."""
        self.fill([(b"bob", 50, "2023-11-15 06:13:22", None), (b"zoe", 50, "2023-11-15 06:13:20", None),
                   (b"yan", 50, "2023-11-15 06:13:22", None), (b"ann", 50, "2023-11-15 06:13:22", None),
                   (b"top", 51, "2023-11-15 06:13:59", None)] +
                  [(b"m%d" % i, 7, "2023-11-15 07:00:00", None) for i in range(300)] +
                  [(b"a-later", 7, "2023-11-15 07:00:01", None)])
        entries = self.import_table("--tz", "Asia/Shanghai")
        self.assertEqual([member for member, _, _, _ in entries],
                         ["top", "zoe", "bob", "yan", "ann"] + [f"m{i}" for i in range(300)] + ["a-later"])
        self.assertEqual(entries[1][2], SHANGHAI * SECOND)
        for _, _, stamp, _ in entries[5:-1]:
            self.assertLess(stamp - (SHANGHAI + 2800) * SECOND, 300)

    def test_ties_one_microsecond_apart_keep_the_order_of_time(self):
        """Rows of one time are moved apart, past the time of rows that are later by less than that."""
        rows = [(b"m%d" % i, 7, "2023-11-15 06:13:20.000000", None) for i in range(50)]
        rows += [(b"late%d" % i, 7, "2023-11-15 06:13:20.%06d" % (i + 1), None) for i in range(20)]
        rows += [(b"other", 8, "2023-11-15 06:13:21.000000", None)]
        self.fill(list(reversed(rows[50:70])) + rows[:50] + rows[70:], updated="DATETIME(6)")
        entries = self.import_table("--tz", "Asia/Shanghai")
        self.assertEqual([member for member, _, _, _ in entries],
                         ["other"] + [f"m{i}" for i in range(50)] + [f"late{i}" for i in range(20)])

    def test_escaped_text_is_the_same_in_the_board(self):
        """mariadb --batch writes tab, newline, backslash and NUL as escapes."""
        texts = TEXTS + [b"nul\0nul", b"\0", b"\xff\xfe bytes"]
        self.fill([(b"%02d-" % i + text, i, "2023-11-15 06:13:20", text) for i, text in enumerate(texts)], note="BLOB")
        found = {}
        for member, _, _, meta in self.import_table("--tz", "Asia/Shanghai", "--force", "--encoding", "bytes"):
            member = member if isinstance(member, bytes) else member.encode()
            found[member] = meta if isinstance(meta, bytes) else (meta or "").encode()
        self.assertEqual(found, {b"%02d-" % i + text: text for i, text in enumerate(texts)})

    def test_digits_behind_a_nul_byte_are_kept_or_rejected(self):
        """mariadb writes a NUL byte and the digits 12 as `\\012`. COPY … TO writes no octal digits."""
        self.fill([(b"a\x0012", 1, "2023-11-15 06:13:20", None), (b"b", 2, "2023-11-15 06:13:21", None)])
        members = [member for member, _, _, _ in self.import_table("--tz", "Asia/Shanghai", code=None)]
        self.assertTrue("a\x0012" in members or self.done.code == 3, self.done)
        self.assertIn("b", members)

    def test_null_is_no_meta_and_no_time(self):
        self.fill([(b"ann", 5, "2023-11-15 06:13:20", None), (b"bob", 6, None, b""), (b"cid", 7, "2023-11-15 06:13:21", b"x")])
        entries = self.import_table("--tz", "Asia/Shanghai")
        self.assertEqual([(member, meta) for member, _, _, meta in entries], [("cid", "x"), ("bob", None), ("ann", None)])
        self.assertEqual([stamp for _, _, stamp, _ in entries], [(SHANGHAI + 1) * SECOND, None, SHANGHAI * SECOND])

    def test_members_of_the_name_null_are_rejected_and_never_lost_silently(self):
        self.fill([(b"NULL", 5, "2023-11-15 06:13:20", b"NULL"), (b"bob", 6, "2023-11-15 06:13:21", None),
                   (b"null", 7, "2023-11-15 06:13:22", b"null")])
        entries = self.import_table("--tz", "Asia/Shanghai", code=3)
        self.assertEqual([(member, meta) for member, _, _, meta in entries], [("null", "null"), ("bob", None)])
        self.assertIn("line 2", self.done.err)

    def test_microseconds_of_datetime_6(self):
        self.fill([(b"m%d" % i, 5 + i, f"2023-11-15 06:13:20.{i:06d}", None) for i in (0, 1, 123456, 999999)],
                  updated="DATETIME(6)")
        self.assertEqual(sorted(stamp for _, _, stamp, _ in self.import_table("--tz", "Asia/Shanghai")),
                         [SHANGHAI * SECOND + i for i in (0, 1, 123456, 999999)])

    def test_hours_that_are_doubled_or_missing_are_rejected_or_exact(self):
        """New York on 5 November 2023: 01:30 was there twice. On 12 March 2023 02:30 was not there at all."""
        self.fill([(b"before", 1, "2023-11-05 00:59:59", None), (b"twice", 2, "2023-11-05 01:30:00", None),
                   (b"after", 3, "2023-11-05 02:00:00", None), (b"never", 4, "2023-03-12 02:30:00", None),
                   (b"spring", 5, "2023-03-12 03:00:00", None)])
        found = {member: stamp // SECOND for member, _, stamp, _ in self.import_table("--tz", "America/New_York", code=None)}
        self.assertEqual(found["before"], 1_699_160_399)
        self.assertEqual(found["after"], 1_699_167_600)
        self.assertEqual(found["spring"], 1_678_604_400)
        # Either of the two hours is right if it is documented; a time between them is not.
        if "twice" in found:
            self.assertIn(found["twice"], (1_699_162_200, 1_699_165_800))
        else:
            self.assertRegex(self.done.err, "twice|two|ambiguous")
        if "never" in found:
            self.assertIn(found["never"], (1_678_602_600, 1_678_604_400, 1_678_606_200))
        else:
            self.assertRegex(self.done.err, "2023-03-12.02:30:00")
        self.assertEqual(self.done.code, 0 if len(found) == 5 else 3)

    def test_utc_and_times_without_zone(self):
        self.fill([(b"ann", 1, "2023-11-14 22:13:20", None), (b"bob", 2, "2023-11-14 22:13:21", None)])
        for zone in ("UTC", "Etc/UTC"):
            self.assertEqual([stamp for _, _, stamp, _ in self.import_table("--tz", zone)],
                             [(SHANGHAI + 1) * SECOND, SHANGHAI * SECOND])
        done = self.run_import("--tsv", "-", "--board", "lb", "--data", "none", stdin=self.database.batch(QUERY), code=1)
        self.assertIn("--tz", done.err)

    def test_zero_dates_are_rejected(self):
        self.database.execute(b"SET GLOBAL sql_mode = '';")
        self.addCleanup(self.database.execute, b"SET GLOBAL sql_mode = DEFAULT;")
        self.fill([(b"ann", 1, "0000-00-00 00:00:00", None), (b"bob", 2, "2023-11-15 06:13:21", None),
                   (b"cid", 3, "2023-11-00 00:00:00", None), (b"dan", 4, "2023-11-15 06:13:22", None)])
        self.assertEqual([member for member, _, _, _ in self.import_table("--tz", "Asia/Shanghai", code=3)], ["dan", "bob"])

    def test_numbers_as_times(self):
        self.fill([(b"ann", 5, "2023-11-14 22:13:20.250000", None), (b"bob", 5, "2023-11-14 22:13:20.125000", None),
                   (b"cid", 6, "2023-11-14 22:13:21.000000", None)], updated="DATETIME(6)")
        wanted = [("cid", (SHANGHAI + 1) * SECOND), ("bob", SHANGHAI * SECOND + 125_000), ("ann", SHANGHAI * SECOND + 250_000)]
        # (unit, what makes a number of the time, a number with decimals included)
        for unit, time in (("s", "UNIX_TIMESTAMP(updated)"), ("ms", "CAST(UNIX_TIMESTAMP(updated) * 1000 AS INTEGER)"),
                           ("us", "CAST(UNIX_TIMESTAMP(updated) * 1000000 AS INTEGER)")):
            with self.subTest(unit):
                query = f"SET time_zone = '+00:00'; SELECT uid AS member, points AS score, {time} AS at FROM ranking"
                entries = self.import_table("--at-unit", unit, query=query)
                self.assertEqual([(member, stamp) for member, _, stamp, _ in entries], wanted)

    def test_decimal_columns_fit_decimal_fields_exactly(self):
        self.fill([(b"ann", 1, None, None), (b"bob", 2, None, None)])
        query = ("SELECT uid AS member, CAST(points AS DECIMAL(20,2)) / 4 AS score FROM ranking")
        entries = self.import_table("--spec", "FIELDS 1 score:decimal6:asc", query=query)
        self.assertEqual([(member, score) for member, score, _, _ in entries],
                         [("ann", ["0.250000"]), ("bob", ["0.500000"])])

    def test_output_without_column_names(self):
        self.fill([(b"ann", 5, "2023-11-15 06:13:20", None), (b"bob", 6, "2023-11-15 06:13:21", b"x")])
        entries = self.import_table("--no-header", "--columns", "member=1,score=2,at=3,meta=4", "--tz", "Asia/Shanghai",
                                    batch=["--skip-column-names"])
        self.assertEqual([(member, meta) for member, _, _, meta in entries], [("bob", "x"), ("ann", None)])

    def test_raw_output_is_revealed(self):
        """mariadb --raw escapes nothing, so a newline in a text makes lines that are no rows."""
        self.fill([(b"ann", 5, "2023-11-15 06:13:20", b"two\nlines"), (b"bob", 6, "2023-11-15 06:13:21", b"C:\\games"),
                   (b"cid", 7, "2023-11-15 06:13:22", None)])
        entries = self.import_table("--tz", "Asia/Shanghai", code=3, batch=["--raw"])
        self.assertIn("cid", [member for member, _, _, _ in entries])
        self.assertNotIn("bob", [member for member, _, _, _ in entries])

    def test_members_with_several_rows(self):
        self.fill([(b"ann", 5, "2023-11-15 06:13:20", b"old"), (b"ann", 3, "2023-11-15 06:13:25", b"new"),
                   (b"ann", 9, "2023-11-15 06:13:22", b"mid"), (b"bob", 1, "2023-11-15 06:13:20", None)])
        for policy, wanted in (("set", ("ann", ["3"], (SHANGHAI + 5) * SECOND, "new")),
                               ("best", ("ann", ["9"], (SHANGHAI + 2) * SECOND, "mid")),
                               ("sum", ("ann", ["17"], (SHANGHAI + 5) * SECOND, "new"))):
            with self.subTest(policy):
                self.assertEqual(self.import_table("--tz", "Asia/Shanghai", "--spec", f"POLICY {policy}")[0], wanted)


class FromPostgreSql(SqlTest):
    @classmethod
    def setUpClass(cls):
        cls.database = PostgreSql()
        cls.addClassCleanup(cls.database.remove)
        cls.database.start()

    def import_copy(self, statements, *options, code=0):
        return self.import_text(self.database.copy(statements), *options, code=code)

    TABLE = ("DROP TABLE IF EXISTS ranking; CREATE TABLE ranking (id SERIAL, uid TEXT, points BIGINT, updated TIMESTAMPTZ, "
             "note TEXT); SET TIME ZONE 'Asia/Shanghai';\n")
    COPY = ("COPY (SELECT uid AS member, points AS score, updated AS at, note AS meta FROM ranking ORDER BY id) TO STDOUT "
            "WITH (FORMAT text, HEADER);\n")

    def test_copy_with_a_header(self):
        """Times with an offset of hours only, as PostgreSQL writes timestamptz: 2023-11-15 06:13:20.5+08."""
        rows = ("INSERT INTO ranking (uid, points, updated, note) VALUES ('zoe', 9223372036854775807, "
                "'2023-11-14 22:13:20.5+00', NULL), ('bob', -9223372036854775808, '2023-11-14 22:13:20.000001+00', ''), "
                "('ann', 9223372036854775807, '2023-11-14 22:13:20+00', 'x'), ('yan', 5, '2023-11-14 22:13:20+00', 'NUL'), "
                "('abe', 5, '2023-11-14 22:13:20+00', NULL);\n")
        self.assertEqual(self.import_copy(self.TABLE + rows + self.COPY),
                         [("ann", ["9223372036854775807"], SHANGHAI * SECOND, "x"),
                          ("zoe", ["9223372036854775807"], SHANGHAI * SECOND + 500_000, None),
                          ("yan", ["5"], SHANGHAI * SECOND, "NUL"), ("abe", ["5"], SHANGHAI * SECOND + 1, None),
                          ("bob", ["-9223372036854775808"], SHANGHAI * SECOND + 1, None)])

    def test_offsets_with_minutes_and_timestamps_without_zone(self):
        rows = ("SET TIME ZONE 'Asia/Kolkata'; INSERT INTO ranking (uid, points, updated) VALUES ('a', 1, "
                "'2023-11-14 22:13:20+00'), ('b', 2, '2023-11-14 22:13:21+00');\n")
        self.assertEqual([stamp for _, _, stamp, _ in self.import_copy(self.TABLE + rows + self.COPY)],
                         [(SHANGHAI + 1) * SECOND, SHANGHAI * SECOND])
        bare = self.COPY.replace("updated AS at", "updated AT TIME ZONE 'Asia/Shanghai' AS at")
        self.assertEqual([stamp for _, _, stamp, _ in self.import_copy(self.TABLE + rows + bare, "--tz", "Asia/Shanghai")],
                         [(SHANGHAI + 1) * SECOND, SHANGHAI * SECOND])

    def test_escaped_text_is_the_same_in_the_board(self):
        """COPY writes \\b \\f \\n \\r \\t \\v and \\\\ as escapes."""
        texts = TEXTS + [b"\b\f\v", b"\x01\x7f", b"a\\.b", b"\\."]
        values = ",".join(f"('{i:02d}-' || convert_from('\\x{text.hex()}', 'UTF8'), {i}, convert_from('\\x{text.hex()}', 'UTF8'))"
                          for i, text in enumerate(texts))
        statement = self.TABLE + f"INSERT INTO ranking (uid, points, note) VALUES {values};\n" + self.COPY
        found = {member: meta for member, _, _, meta in self.import_copy(statement)}
        self.assertEqual(found, {f"{i:02d}-" + text.decode(): text.decode() for i, text in enumerate(texts)})

    def test_null_is_no_member_and_the_word_null_is_rejected(self):
        rows = "INSERT INTO ranking (uid, points) VALUES (NULL, 1), ('ann', NULL), ('NULL', 3), ('bob', 4), ('cid', 5);\n"
        entries = self.import_copy(self.TABLE + rows + self.COPY, code=3)
        self.assertEqual([member for member, _, _, _ in entries], ["cid", "bob"])
        self.assertEqual(len((self.folder / "bad.jsonl").read_text().splitlines()), 3)

    def test_copy_without_a_header(self):
        rows = "INSERT INTO ranking (uid, points, note) VALUES ('ann', 5, NULL), ('bob', 6, 'x');\n"
        copy = "COPY (SELECT uid, points, note FROM ranking ORDER BY id) TO STDOUT;\n"
        entries = self.import_copy(self.TABLE + rows + copy, "--no-header", "--columns", "member=1,score=2,meta=3")
        self.assertEqual([(member, meta) for member, _, _, meta in entries], [("bob", "x"), ("ann", None)])

    def test_csv_of_copy(self):
        rows = ("INSERT INTO ranking (uid, points, note) VALUES ('a,\"b\"', 5, NULL), (E'two\\nlines', 6, ''), "
                "('', 7, 'x');\n")
        table = self.database.copy(self.TABLE + rows + "COPY (SELECT uid AS member, points AS score, note AS meta FROM ranking "
                                   "ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER);\n")
        done = self.run_import("--csv", "-", "--board", "lb", "--data", "data", "--verify", stdin=table, code=3)
        self.assertIn("the member is empty", done.err)
        self.assertEqual([(member, score, meta) for member, score, _, meta in self.exported("data", "lb")],
                         [("two\nlines", ["6"], None), ('a,"b"', ["5"], None)])


class Programs(unittest.TestCase):
    def test_missing_program_is_a_failure(self):
        with self.assertRaises(AssertionError):
            program("laurel-no-such-program")


if __name__ == "__main__":
    transfer_support.main()
