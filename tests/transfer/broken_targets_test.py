#!/usr/bin/env python3
"""Targets that break: full disks, kill -9 of import and export, servers and folders that refuse.

A data folder is as before the import or as after it. A refusal names its reason.
"""

import os
import resource
import shutil
import signal
import subprocess
import time

import transfer_support
from support import count, eventually, seeded_random
from transfer_support import RUN_LIMIT_S, Process, TransferTest, address, url

DAY = 1_700_000_000
ROUNDS = count(20, 200)


def table(rows, prefix="m"):
    return "member,score,at\n" + "".join(f"{prefix}{i},{i % 100},{DAY + i}\n" for i in range(rows))


class BrokenTest(TransferTest):
    def files(self, data):
        """What a data folder holds: {name: bytes}. The lock file is left out: it has the id of the last process."""
        return {path.name: path.read_bytes() for path in (self.folder / data).iterdir() if path.name != "lock"}

    def make_folder(self, data="data", rows=3000):
        self.write("old.csv", table(rows, "old"))
        self.run_import("old.csv", "--board", "old", "--data", data)
        return self.digest(data)

    def run_limited(self, limit, *arguments):
        """Runs the program with a bound on the size of files, which fails writes as a full disk does."""
        def preexec():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True, text=True,
                              timeout=RUN_LIMIT_S, preexec_fn=preexec)

    def run_on_small_disk(self, size, script):
        """Runs a shell script with a tmpfs of this size mounted on ./small, which only the script sees. Skips the test
        where the system does not allow it; the tests with a bound on files run everywhere."""
        (self.folder / "small").mkdir(exist_ok=True)
        alone = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
        mount = f"mount -t tmpfs -o size={size} tmpfs small || exit 99\n"
        probe = subprocess.run([*alone, "sh", "-c", mount], cwd=self.folder, capture_output=True)
        if probe.returncode != 0:
            self.skipTest("no mounts of its own: " + probe.stderr.decode())
        return subprocess.run([*alone, "sh", "-c", mount + script, "sh", *self.command()], cwd=self.folder,
                              capture_output=True, text=True, timeout=RUN_LIMIT_S)


class FullDisk(BrokenTest):
    def test_import_that_finds_no_room_leaves_the_folder_as_it_was(self):
        self.make_folder()
        before = self.files("data")
        self.write("new.csv", table(20_000))
        for limit in (0, 1, 100, 4096, 65_536, 300_000):
            with self.subTest(limit):
                done = self.run_limited(limit, "import", "new.csv", "--board", "lb", "--data", "data")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertEqual(self.files("data"), before)
        server = self.served_folder(self.folder / "data")
        self.assertEqual(server.client().ask("LB.SIZE", "old"), 3000)
        server.stop()
        self.run_import("new.csv", "--board", "lb", "--data", "data", "--verify")

    def test_import_on_a_full_disk_leaves_the_folder_as_it_was(self):
        before = self.make_folder()
        self.write("new.csv", table(20_000))
        for size in (128, 256, 400):
            with self.subTest(size):
                shutil.rmtree(self.folder / "after", ignore_errors=True)
                done = self.run_on_small_disk(f"{size}k", "cp -r data small/data || exit 98\n"
                                              "\"$1\" import new.csv --board lb --data small/data; code=$?\n"
                                              "cp -r small/data after && exit $code\n")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left on device", done.stderr)
                self.assertEqual(self.files("after"), self.files("data"))
                self.assertEqual(self.digest("after"), before)
                server = self.served_folder(self.folder / "after")
                self.assertEqual(server.client().ask("LB.SIZE", "old"), 3000)
                server.stop()

    def test_export_that_finds_no_room_leaves_no_half_file(self):
        self.make_folder()
        for form in ("csv", "jsonl", "resp", "archive"):
            name = "out.laurel" if form == "archive" else f"out.{form}"
            words = ["export", "--data", "data", "--board", "old", "--format", form, "--output", name]
            for limit in (0, 100, 30_000):
                with self.subTest(form=form, limit=limit):
                    done = self.run_limited(limit, *words)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("File too large", done.stderr)
                    self.assertEqual(sorted(path.name for path in self.folder.glob("out*")), [])
        for form in ("csv", "jsonl", "resp"):
            with self.subTest(form=form, older=True):
                path = self.write(f"out.{form}", "older")
                self.assertEqual(self.run_limited(100, "export", "--data", "data", "--board", "old", "--format", form,
                                                  "--output", path.name).returncode, 1)
                self.assertEqual(path.read_text(), "older")
                self.assertEqual(sorted(path.name for path in self.folder.glob(f"out.{form}*")), [path.name])

    def test_export_to_a_full_disk_leaves_no_half_file(self):
        self.make_folder()
        for form, name in (("csv", "out.csv"), ("jsonl", "out.jsonl"), ("archive", "out.laurel"), ("archive", "folder")):
            with self.subTest(form=form, name=name):
                done = self.run_on_small_disk("24k", f"\"$1\" export --data data --board old --format {form} --output "
                                              f"small/{name}; code=$?\nls -A small >left; exit $code\n")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left on device", done.stderr)
                self.assertEqual((self.folder / "left").read_text(), "")

    def test_server_without_room_for_the_backup_of_an_export(self):
        """laurel export takes a backup into TMPDIR."""
        server = self.durable(self.folder / "data")
        self.write("a.csv", table(3000))
        self.run_import("a.csv", "--board", "lb", "--to", address(server))
        (self.folder / "tmp").mkdir()
        words = ["export", "--board", "lb", "--from", address(server), "--format", "csv", "--output", "out.csv"]
        self.run_laurel(*words, env={"TMPDIR": str(self.folder / "absent")}, code=1)
        self.assertFalse((self.folder / "out.csv").exists())
        done = self.run_on_small_disk("24k", f"TMPDIR=$PWD/small \"$1\" {' '.join(words)}; code=$?\nls -A small >left; "
                                      "exit $code\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual((self.folder / "left").read_text(), "")
        self.assertFalse((self.folder / "out.csv").exists())
        self.run_laurel(*words, env={"TMPDIR": str(self.folder / "tmp")})
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_server_whose_disk_is_full_is_reported_and_a_second_run_completes(self):
        server = self.durable(self.folder / "data")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        self.write("a.csv", table(30_000))
        done = self.run_import("a.csv", "--board", "lb", "--to", address(server), code=1)
        self.assertRegex(done.err.splitlines()[-1], f"{address(server)}: (MISCONF|UNKNOWN)")
        server.kill()
        healed = self.durable(self.folder / "data")
        self.run_import("a.csv", "--board", "lb", "--to", address(healed), "--verify")
        self.assertEqual(healed.client().ask("LB.SIZE", "lb"), 30_000)


class KilledImport(BrokenTest):
    def setUp(self):
        super().setUp()
        self.before = self.make_folder("base")
        self.write("new.csv", table(count(60_000, 300_000)))
        shutil.copytree(self.folder / "base", self.folder / "whole")
        began = time.monotonic()
        self.run_import("new.csv", "--board", "lb", "--data", "whole")
        self.whole_s = time.monotonic() - began
        self.after = self.digest("whole")

    def kill_one(self, moment):
        """Starts the import on a copy of the folder and kills it once moment(process) returns."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        shutil.copytree(self.folder / "base", self.folder / "data")
        process = self.start("import", "new.csv", "--board", "lb", "--data", "data")
        moment(process)
        process.kill()
        process.communicate()
        found = self.digest("data")
        self.assertIn(found, (self.before, self.after))
        self.run_import("new.csv", "--board", "lb", "--data", "data", "--verify")
        self.assertEqual(self.digest("data"), self.after)
        self.assertEqual(sorted(name for name in self.files("data") if not name.startswith("snapshot-")), [])
        return found == self.after, process.returncode == -signal.SIGKILL

    def test_kill_9_at_random_moments_leaves_the_old_or_the_new_folder(self):
        random = seeded_random(self.id())
        rounds = [self.kill_one(lambda process: time.sleep(random.uniform(0, self.whole_s))) for _ in range(ROUNDS)]
        self.assertTrue(any(killed for _, killed in rounds))
        self.assertTrue(any(not new for new, _ in rounds))

    def test_kill_9_while_the_snapshot_is_written_leaves_the_old_or_the_new_folder(self):
        random = seeded_random(self.id())

        def moment(process):
            names = set(os.listdir(self.folder / "base"))
            while process.poll() is None and not set(os.listdir(self.folder / "data")) - names:
                pass
            time.sleep(random.uniform(0, self.whole_s / 10))

        for _ in range(ROUNDS // 2):
            self.kill_one(moment)

    def test_server_starts_on_a_folder_whose_import_was_killed(self):
        random = seeded_random(self.id())
        for _ in range(3):
            shutil.rmtree(self.folder / "data", ignore_errors=True)
            shutil.copytree(self.folder / "base", self.folder / "data")
            process = self.start("import", "new.csv", "--board", "lb", "--data", "data")
            time.sleep(random.uniform(0, self.whole_s))
            process.kill()
            process.communicate()
            server = self.served_folder(self.folder / "data")
            self.assertEqual(server.client().ask("LB.SIZE", "old"), 3000)
            server.client().ask("LB.SET", "old", "more", 1)
            server.stop()
            self.run_import("new.csv", "--board", "lb", "--data", "data", "--verify")

    def test_killed_export_leaves_no_half_file_under_its_name(self):
        random = seeded_random(self.id())
        for form in ("csv", "archive"):
            name = "out.laurel" if form == "archive" else "out.csv"
            words = ["export", "--data", "whole", "--board", "lb", "--format", form, "--output", name]
            self.run_laurel(*words)
            wanted = (self.folder / name).read_bytes()
            for _ in range(ROUNDS // 4):
                (self.folder / name).unlink(missing_ok=True)
                process = self.start(*words)
                time.sleep(random.uniform(0, self.whole_s))
                process.kill()
                process.communicate()
                if (self.folder / name).exists() and form == "csv":
                    self.assertTrue((self.folder / name).read_bytes() == wanted, "half a file")
                elif (self.folder / name).exists():
                    shutil.rmtree(self.folder / "restored", ignore_errors=True)
                    self.run_import("--archive", name, "--data", "restored")
            # What a killed export has left does not hinder the next one.
            (self.folder / name).unlink(missing_ok=True)
            self.run_laurel(*words)


class Refusals(BrokenTest):
    def setUp(self):
        super().setUp()
        self.write("a.csv", table(100))

    def assert_refused(self, server, board, reason, *options, env=None):
        """The import writes nothing, and one line names the reason."""
        done = self.run_import("a.csv", "--board", board, "--to", address(server), *options, env=env, code=1)
        self.assertRegex(done.err, reason)
        self.assertEqual(done.err.count("\n"), 1, done.err)

    def server_with_tokens(self):
        """A server, a client with all rights, and {role: secret}. `writer of x` may write boards that begin with x."""
        secrets, flags = {}, []
        for name, words in {"admin": ["admin"], "write": ["write"], "submit": ["submit"], "read": ["read"],
                            "writer of x": ["write", "x*"]}.items():
            made = self.run_laurel("token", *words)
            flags += ["--token", made.out.split("--token '")[1].split("'")[0]]
            secrets[name] = made.err.split()[0]
        server = Process()
        self.processes.append(server)
        server.port = transfer_support.free_port()
        server.start_process([*self.command("serve", "--in-memory", "--port", server.port, "--http-port", "none"), *flags])
        self.assertTrue(eventually(lambda: "ready" in server.output()), server.output())
        admin = server.client()
        admin.ask("AUTH", secrets["admin"])
        return server, admin, secrets

    def test_tokens_without_rights(self):
        server, admin, secrets = self.server_with_tokens()
        self.assert_refused(server, "lb", r"NOAUTH .*\(set LAUREL_TOKEN to a token of the role admin\)")
        for words in (["backup", "--from", address(server), "copy"],
                      ["export", "--from", address(server), "--board", "lb", "--format", "csv"]):
            self.assertIn("LAUREL_TOKEN", self.run_laurel(*words, code=1).err)
        self.assert_refused(server, "lb", "WRONGPASS", env={"LAUREL_TOKEN": "wrong"})
        for role in ("read", "submit", "write", "writer of x"):
            self.assert_refused(server, "lb", "NOPERM", env={"LAUREL_TOKEN": secrets[role]})
        self.assertEqual(admin.ask("LB.LIST"), ["0", []])
        admin.ask("LB.CREATE", "lb")
        for role in ("read", "submit", "writer of x"):
            self.assert_refused(server, "lb", "NOPERM", env={"LAUREL_TOKEN": secrets[role]})
        self.assertEqual(admin.ask("LB.SIZE", "lb"), 0)
        self.run_import("a.csv", "--board", "lb", "--to", address(server), "--verify", env={"LAUREL_TOKEN": secrets["write"]})
        self.assertEqual(admin.ask("LB.SIZE", "lb"), 100)

    def test_board_that_is_there_is_filled_though_its_window_is_over(self):
        server = self.laurel()
        client = server.client()
        client.ask("LB.CREATE", "lb", "START", DAY - 1000, "END", DAY + 86_400)
        self.run_import("a.csv", "--board", "lb", "--to", address(server), "--verify")
        self.assertEqual(client.ask("LB.SIZE", "lb"), 100)
        self.assertIn("CLOSED", client.error("LB.SET", "lb", "late", 1))

    def test_new_board_whose_window_is_over_is_filled_and_closed(self):
        server = self.laurel()
        client = server.client()
        words = ["a.csv", "--board", "lb", "--spec", f"START {DAY} END {DAY + 86_400}", "--verify"]
        self.run_import(*words, "--to", address(server))
        self.run_import(*words, "--data", "data")
        self.assertEqual(self.exported_scores("data", "lb"), self.scores(server, "lb"))
        self.assertEqual(client.ask("LB.SIZE", "lb"), 100)
        self.assertIn("CLOSED", client.error("LB.SET", "lb", "late", 1))

    def test_boards_with_another_spec(self):
        server = self.laurel()
        client = server.client()
        client.ask("LB.CREATE", "two", "FIELDS", 2, "a", "b")
        client.ask("LB.CREATE", "best", "POLICY", "best")
        client.ask("ZADD", "set", 1, "x")
        self.assert_refused(server, "two", "'a'")
        self.assert_refused(server, "two", "'two' is there", "--spec", "POLICY set")
        self.assert_refused(server, "best", "'best' is there.*POLICY best", "--spec", "POLICY set")
        self.assert_refused(server, "set", "no leaderboard")
        self.assert_refused(server, "a@b", "@")
        self.assert_refused(server, "x" * 513, "512|name")
        self.assertEqual(sorted(client.ask("LB.LIST")[1]), ["best", "two"])

    def test_capped_board_holds_the_best(self):
        server = self.laurel()
        server.client().ask("LB.CREATE", "lb", "POLICY", "best", "CAP", 10)
        self.run_import("a.csv", "--board", "lb", "--to", address(server), "--verify")
        self.assertEqual(self.scores(server, "lb"), [(f"m{i}", str(i)) for i in range(99, 89, -1)])
        self.run_import("a.csv", "--board", "lb", "--data", "data", "--spec", "POLICY best CAP 10", "--verify")
        self.assertEqual(self.exported_scores("data", "lb"), self.scores(server, "lb"))

    def test_servers_that_are_full(self):
        self.write("a.csv", table(60_000))
        for server in (self.laurel("--max-memory", "2mb"), self.redis(maxmemory="3mb", maxmemory_policy="noeviction")):
            done = self.run_import("a.csv", "--board", "lb", "--to", url(server), code=1)
            self.assertRegex(done.err.splitlines()[-1], f"{address(server)}: OOM")

    def test_servers_of_another_kind(self):
        redis = self.plain_redis()
        self.assert_refused(redis, "lb", "knows no LB commands")
        self.assertIn("no laurel serve", self.run_laurel("backup", "--from", address(redis), "copy", code=1).err)
        replica = self.redis(replicaof="127.0.0.1 1")
        self.assertIn("READONLY", self.run_import("a.csv", "--board", "lb", "--to", url(replica), code=1).err)
        redis = self.redis()
        redis.client().ask("SET", "lb", "text")
        self.assertIn("no leaderboard", self.run_import("a.csv", "--board", "lb", "--to", url(redis), code=1).err)

    def test_folder_that_is_a_file_is_refused_and_stays_as_it_is(self):
        path = self.write("file", "text")
        self.assertIn("Not a directory", self.run_import("a.csv", "--board", "lb", "--data", "file", code=1).err)
        self.assertEqual(path.read_text(), "text")

    def test_folder_with_other_files_keeps_them(self):
        (self.folder / "deep").mkdir()
        path = self.write("deep/photo.jpg", "text")
        self.run_import("a.csv", "--board", "lb", "--data", "deep", "--verify")
        self.run_import("a.csv", "--board", "lb", "--data", "deep/er/data", "--verify")
        self.assertEqual(path.read_text(), "text")
        self.assertEqual(self.digest("deep"), self.digest("deep/er/data"))

    def test_folder_without_permission_is_refused(self):
        """Root may write every folder, so the program runs without that capability then."""
        self.make_folder()
        before = self.files("data")
        os.chmod(self.folder / "data", 0o500)
        without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        done = subprocess.run([*without, *self.command("import", "a.csv", "--board", "lb", "--data", "data")],
                              cwd=self.folder, capture_output=True, text=True, timeout=RUN_LIMIT_S)
        os.chmod(self.folder / "data", 0o700)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Permission denied", done.stderr)
        self.assertEqual(self.files("data"), before)

    def test_damaged_folder_is_refused_and_stays_as_it_is(self):
        self.make_folder()
        name = next(iter(self.files("data")))
        path = self.folder / "data" / name
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        path.write_bytes(damaged)
        done = self.run_import("a.csv", "--board", "lb", "--data", "data", code=1)
        self.assertIn(name, done.err)
        self.assertEqual(self.files("data"), {name: bytes(damaged)})


if __name__ == "__main__":
    transfer_support.main()
