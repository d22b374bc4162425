"""What the black-box tests of the module share: servers with laurel.so, a RESP client, checks.

A test program is called as `NAME_test.py MODULE LAUREL [TEST…]`: the module, and the program `laurel` to
compare with. LAUREL_TEST_REDIS names the server program, redis-server by default. Every program starts
servers of its own on free ports of 127.0.0.1 and ends them by their process ids. LAUREL_TEST_PRELOAD names the
libraries of a sanitizer that a server needs to load a module built with it: servers then end by SIGTERM, and
must leave no report. LAUREL_TEST_SEED seeds what is random. LAUREL_TEST_ALL=1 asks for the whole counts of tests that run with reduced ones. Waiting has
limits so that a failure ends: none of them is a measurement.
"""

import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HOST = "127.0.0.1"
LIMIT_S = 120  # of any single wait

WHOLE_COUNTS = os.environ.get("LAUREL_TEST_ALL") == "1"

module = ""
laurel = ""


def main():
    """Runs the tests of the calling program."""
    global module, laurel
    if len(sys.argv) < 3:
        sys.exit("usage: NAME_test.py MODULE LAUREL [TEST…]")
    module = os.path.abspath(sys.argv.pop(1))
    laurel = os.path.abspath(sys.argv.pop(1))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end too
    unittest.main(module="__main__", warnings="ignore")


def seeded_random(name):
    """A generator whose seed is printed."""
    seed = int(os.environ.get("LAUREL_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"{name}: LAUREL_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


def count(reduced, whole):
    """A count of a long test: the whole one with LAUREL_TEST_ALL=1, as in `./dev test --all`."""
    return whole if os.environ.get("LAUREL_TEST_ALL") == "1" else reduced


def eventually(check, limit_s=LIMIT_S):
    """Calls check() until it is true, and returns its value; the last one if time is up."""
    deadline = time.monotonic() + limit_s
    while True:
        value = check()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.01)


# RESP ---------------------------------------------------------------------------------------------


class Failure(Exception):
    """An error reply."""


def encoded(words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
    return b"".join(parts)


class Client:
    """A blocking client. ask() gives the reply as Python values, raw() its bytes."""

    def __init__(self, port, resp3=False):
        self.socket = socket.create_connection((HOST, port), timeout=LIMIT_S)
        self.input = self.socket.makefile("rb")
        if resp3:
            self.ask("HELLO", 3)

    def close(self):
        self.input.close()
        self.socket.close()

    def send(self, *words):
        self.socket.sendall(encoded(words))

    def raw(self, *words):
        self.send(*words)
        return self.read_raw()

    def read_raw(self):
        line = self.input.readline()
        if not line:
            raise ConnectionError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind in b"$=" and rest != b"-1":
            return line + self.input.read(int(rest) + 2)
        elements = int(rest) if kind in b"*%~>" else 0
        if kind == b"%":
            elements *= 2
        return line + b"".join(self.read_raw() for _ in range(max(elements, 0)))

    def ask(self, *words):
        """The reply: int, str, bytes that are no text, None, list; a map as dict. Raises Failure."""
        self.send(*words)
        return self.read()

    def read(self):
        line = self.input.readline()
        if not line:
            raise ConnectionError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2].decode(errors="backslashreplace")
        if kind == b"-":
            raise Failure(rest)
        if kind == b":":
            return int(rest)
        if kind in b"+,":
            return rest
        if kind == b"_" or rest == "-1":
            return None
        if kind == b"#":
            return rest == "t"
        if kind in b"$=":
            data = self.input.read(int(rest) + 2)[:-2]
            try:
                return data.decode()
            except UnicodeDecodeError:
                return data
        if kind == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        return [self.read_or_failure() for _ in range(int(rest))]

    def read_or_failure(self):
        try:
            return self.read()
        except Failure as failure:
            return failure

    def bytes(self, *words):
        """A bulk string as bytes, whatever it holds."""
        return self.raw(*words).split(b"\r\n", 1)[1][:-2]

    def tell(self, commands):
        """Executes commands without their replies, which would take long to read. Errors are not seen."""
        self.send("CLIENT", "REPLY", "OFF")
        for words in commands:
            self.send(*words)
        self.send("CLIENT", "REPLY", "ON")
        if self.read() != "OK":
            raise AssertionError("a reply to a command that should have none")

    def error(self, *words):
        """The text of the error that the command must answer with."""
        try:
            reply = self.ask(*words)
        except Failure as failure:
            return str(failure)
        raise AssertionError(f"{words} answers {reply!r}")


# Servers ------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


class Process:
    """A server process with a folder of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="laurel-module-")
        self.process = None
        self.port = 0
        self.clients = []
        self.environment = {}  # variables besides those of the test

    def start_process(self, command):
        output = open(os.path.join(self.folder, "output"), "ab")
        with output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output,
                                            stdin=subprocess.DEVNULL, cwd=self.folder,
                                            env={**os.environ, **self.environment})

    def output(self):
        with open(os.path.join(self.folder, "output"), errors="replace") as file:
            return file.read()

    def answers(self):
        try:
            client = Client(self.port)
        except OSError:
            return False
        try:
            return client.ask("PING") == "PONG"
        except (Failure, OSError):
            return False
        finally:
            client.close()

    def await_answer(self):
        if not eventually(lambda: self.process.poll() is not None or self.answers()):
            raise AssertionError(f"the server does not answer:\n{self.output()}")
        if self.process.poll() is not None:
            raise AssertionError(f"the server has ended:\n{self.output()}")

    def client(self, resp3=False):
        made = Client(self.port, resp3)
        self.clients.append(made)
        return made

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        for client in self.clients:
            client.close()
        self.clients.clear()
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def server_program():
    return os.environ.get("LAUREL_TEST_REDIS") or "redis-server"


def sanitizer_environment():
    """The environment of a server whose module a sanitizer has instrumented; empty without one."""
    libraries = os.environ.get("LAUREL_TEST_PRELOAD")
    if not libraries:
        return {}
    return {"LD_PRELOAD": libraries, "ASAN_OPTIONS": "detect_odr_violation=0:exitcode=99",
            "UBSAN_OPTIONS": "print_stacktrace=1"}


def test_module(name):
    """The file of a module that is built from this folder."""
    return os.path.join(os.path.dirname(module), "tests", "module", name + ".so")


def chunk(*entries):
    """The bytes of LB.LOAD … CHUNK for entries (member, score, seconds) of a board with the default spec."""
    put, words, sign = 22, 2, 1 << 63
    encoded = b""
    for member, score, at in entries:
        name = member.encode()
        assert len(name) < 128
        encoded += bytes([put, words, len(name)]) + name
        encoded += struct.pack("<QQ", (score & (2 * sign - 1)) ^ (sign - 1), (at * 1_000_000) ^ sign)
    return encoded


class Redis(Process):
    """redis-server with the module. `arguments`: of the module; `options`: of the server.

    `port`: kept over restarts; otherwise every start takes another free one. `before`, `after`: modules that are
    loaded too, each a path and its arguments. `environment`: variables of the process.
    """

    def __init__(self, arguments=(), loads_module=True, port=None, before=(), after=(), environment=None,
                 **options):
        super().__init__()
        self.environment = {**sanitizer_environment(), **(environment or {})}
        self.arguments = list(arguments)
        self.loads_module = loads_module
        self.kept_port = port
        self.before = before
        self.after = after
        self.options = {"save": "", "appendonly": "no", "repl-diskless-sync-delay": 0,
                        "enable-debug-command": "yes"}
        self.options.update({name.replace("_", "-"): value for name, value in options.items()})
        self.start()

    def start(self):
        self.port = self.kept_port or free_port()
        command = [server_program(), "--port", str(self.port), "--bind", HOST, "--dir", self.folder]
        for name, value in self.options.items():
            command += ["--" + name, *(value if isinstance(value, tuple) else [str(value)])]
        own = [[module, *self.arguments]] if self.loads_module else []
        for words in [*self.before, *own, *self.after]:
            command += ["--loadmodule", *[str(word) for word in words]]
        self.start_process(command)
        self.await_answer()

    def check_clean_end(self):
        """Ends a server with a sanitizer, which looks for leaks then, and checks that it has nothing to report."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(LIMIT_S)
        if re.search("Sanitizer|runtime error", self.output()):
            raise AssertionError(f"the sanitizer reports:\n{self.output()}")

    def restart(self):
        """Kills the server and starts it on the same files, on another port unless it keeps its own."""
        self.kill()
        self.start()


class Laurel(Process):
    """`laurel serve` in memory, to compare with."""

    def __init__(self, *options):
        super().__init__()
        self.port = free_port()
        self.start_process([laurel, "serve", "--in-memory", "--port", str(self.port), "--http-port",
                            "none"] + list(options))
        self.await_answer()


class ModuleTest(unittest.TestCase):
    """Ends the servers of a test."""

    def setUp(self):
        self.processes = []

    def tearDown(self):
        try:
            for process in self.processes:
                if sanitizer_environment() and isinstance(process, Redis):
                    process.check_clean_end()
        finally:
            for process in self.processes:
                process.remove()

    def redis(self, *arguments, **options):
        made = Redis(arguments, **options)
        self.processes.append(made)
        return made

    def laurel(self, *options):
        made = Laurel(*options)
        self.processes.append(made)
        return made

    def replica(self, primary, *arguments, **options):
        made = self.redis(*arguments, replicaof=f"{HOST} {primary.port}", **options)
        self.await_link(made)
        client = primary.client()
        online = eventually(lambda: f"port={made.port},state=online" in client.ask("INFO", "replication"))
        self.assertTrue(online, primary.output())
        return made

    def await_link(self, server):
        client = server.client()
        linked = eventually(lambda: "master_link_status:up" in client.ask("INFO", "replication"))
        self.assertTrue(linked, server.output())

    def assert_same_digests(self, primary, replicas, keys):
        """All replicas have the primary's values, after they have got everything."""
        client = primary.client()
        direct = int(re.search(r"connected_slaves:(\d+)", client.ask("INFO", "replication"))[1])
        eventually(lambda: client.ask("WAIT", direct, 1000) >= direct)
        wanted = client.ask("DEBUG", "DIGEST-VALUE", *keys)
        for replica in replicas:
            reader = replica.client()
            # A replica behind a replica is not counted by WAIT.
            eventually(lambda: reader.ask("DEBUG", "DIGEST-VALUE", *keys) == wanted, 5)
            self.assertEqual(reader.ask("DEBUG", "DIGEST-VALUE", *keys), wanted)
            self.assertEqual(info(reader)["refused_applies"], 0)


def info(client):
    """The section laurel of INFO, names without prefix."""
    lines = re.findall(r"laurel_(\w+):(-?\d+)", client.ask("INFO", "laurel"))
    return {name: int(value) for name, value in lines}


def used_memory(client):
    """What the server has allocated, in bytes."""
    return int(re.search(r"used_memory:(\d+)", client.ask("INFO", "memory"))[1])


def flat(reply):
    """A map that RESP2 shows as a flat list."""
    return dict(zip(reply[::2], reply[1::2]))
