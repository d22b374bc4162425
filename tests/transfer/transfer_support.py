"""What the black-box tests of import and export share: servers, a data folder, the program, the seeds.

A test program is called as `NAME_test.py MODULE LAUREL [TEST…]`, as those of tests/module are, whose servers and
RESP client it uses.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "module"))

import support  # noqa: E402 (tests/module)
from support import Failure, Laurel, ModuleTest, Process, Redis, eventually, flat, free_port  # noqa: E402,F401

RUN_LIMIT_S = 300
ALL = os.environ.get("LAUREL_TEST_ALL") == "1"

# Runs a command and writes its ru_maxrss in bytes into a file. The kernel counts the memory that a process had before
# it called exec, which is that of its parent, so the parent is a small process and not the test.
MEASURE = """
import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss * 1024))
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
"""


def main():
    support.main()


class DurableLaurel(Process):
    """`laurel serve` with a data folder."""

    def __init__(self, data, *options):
        super().__init__()
        self.data = str(data)
        self.options = list(options)
        self.start()

    def start(self):
        self.port = free_port()
        self.start_process([support.laurel, "serve", "--data", self.data, "--port", str(self.port),
                            "--http-port", "none"] + self.options)
        self.await_answer()
        # It answers PING while it loads the folder.
        if not eventually(self.has_loaded):
            raise AssertionError(f"the server does not end to load:\n{self.output()}")

    def has_loaded(self):
        client = support.Client(self.port)
        try:
            client.ask("DBSIZE")
            return True
        except Failure:
            return False
        finally:
            client.close()

    def stop(self):
        """SIGTERM, so that the folder can be used by others."""
        for client in self.clients:
            client.close()
        self.clients.clear()
        self.process.terminate()
        code = self.process.wait(support.LIMIT_S)
        if code != 0:
            raise AssertionError(f"the server ended with {code}:\n{self.output()}")


class Outcome:
    """How a run of the program ended."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def __str__(self):
        return f"exit code {self.code}\n--- out\n{self.out}--- err\n{self.err}"


class TransferTest(ModuleTest):
    """Ends the servers of a test and removes its folder."""

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="laurel-transfer-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def plain_redis(self, **options):
        """redis-server without the module."""
        made = Redis(loads_module=False, **options)
        self.processes.append(made)
        return made

    def durable(self, data, *options):
        made = DurableLaurel(data, *options)
        self.processes.append(made)
        return made

    def command(self, *arguments):
        return [support.laurel, *[str(word) for word in arguments]]

    def start(self, *arguments, **more):
        """The program in the background; it is ended with the test."""
        process = subprocess.Popen(self.command(*arguments), cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **more)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def run_laurel(self, *arguments, stdin=None, code=0, env=None):
        """Runs the program, which must end with this exit code, or with any if it is None. `stdin`: bytes."""
        done = subprocess.run(self.command(*arguments), cwd=self.folder, input=stdin or b"",
                              capture_output=True, timeout=RUN_LIMIT_S,
                              env={**os.environ, **(env or {})})
        outcome = Outcome(done.returncode, done.stdout.decode(errors="replace"),
                          done.stderr.decode(errors="replace"))
        if code is not None:
            self.assertEqual(outcome.code, code, f"{arguments}\n{outcome}")
        return outcome

    def run_measured(self, *arguments, code=0):
        """Runs the program, which must end with this exit code; also gives its largest resident memory in bytes."""
        used = self.folder / "measured"
        done = subprocess.run([sys.executable, "-c", MEASURE, str(used), *self.command(*arguments)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_LIMIT_S)
        outcome = Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
        self.assertEqual(outcome.code, code, f"{arguments}\n{outcome}")
        return outcome, int(used.read_text())

    def assert_memory_below(self, used, bound):
        """A sanitizer needs memory of its own, so the bound is for programs without one."""
        if not support.sanitizer_environment():
            self.assertLess(used, bound)

    def exported(self, data, board):
        """[(member, [score…], reached, meta)…] of a board in a data folder that no server uses, best first."""
        lines = self.run_export("--data", data, "--board", board, "--format", "jsonl").out.splitlines()
        found = []
        for line in lines[1:]:
            entry = json.loads(line)
            member = base64.b64decode(entry["member_base64"]) if "member_base64" in entry else entry["member"]
            meta = base64.b64decode(entry["meta_base64"]) if "meta_base64" in entry else entry.get("meta")
            found.append((member, entry["score"], entry["reached"], meta))
        return found

    def exported_scores(self, data, board):
        """[(member, first score)…] of a board in a data folder that no server uses, best first."""
        return [(member, score[0]) for member, score, _, _ in self.exported(data, board)]

    def run_import(self, *arguments, **more):
        return self.run_laurel("import", *arguments, **more)

    def run_export(self, *arguments, **more):
        return self.run_laurel("export", *arguments, **more)

    def write(self, name, text):
        """A file in the test's folder."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def entries(self, server, board, *options):
        """[(member, [score…], stamp, meta)…] of a whole board, best first."""
        client = server.client()
        page = client.ask("LB.RANGE", board, 1, 1_000_000, "WITHMETA", *options)
        found = []
        for entry in page:
            fields = flat(entry)
            found.append((fields["member"], fields["score"], fields["stamp"], fields["meta"]))
        return found

    def scores(self, server, board):
        """[(member, first score)…] of a whole board, best first."""
        return [(member, score[0]) for member, score, _, _ in self.entries(server, board)]

    def served_folder(self, data):
        """A server on a data folder that an import has written."""
        return self.durable(data)

    def digest(self, data):
        """The digest that `laurel check` shows."""
        out = self.run_laurel("check", data).out
        return out.rsplit("digest ", 1)[1].split()[0]


def url(server, database=None):
    return f"redis://127.0.0.1:{server.port}" + ("" if database is None else f"/{database}")


def address(server):
    return f"127.0.0.1:{server.port}"
