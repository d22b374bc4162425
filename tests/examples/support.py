"""What the tests of the examples share: servers, requests, streams, and the tests of --all.

Servers listen on free ports of 127.0.0.1 and are ended by their process id. Every wait is bounded.
"""

import contextlib
import difflib
import hashlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
WAIT_S = 60
SKIPPED = 77  # the exit code that ctest shows as skipped


def only_with_all(*programs):
    """Ends the test as skipped unless ./dev test --all runs it. With --all a missing program is a
    failure."""
    if os.environ.get("LAUREL_TEST_ALL") != "1":
        print(f"skipped: needs {', '.join(programs)}; ./dev test --all installs and runs it")
        sys.exit(SKIPPED)
    for program in programs:
        assert find(program), f"{program} is not installed"


def find(program):
    """The path of a program. Debian has some in folders that are not in every user's PATH."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def wait_until(what, condition, seconds=WAIT_S):
    """The first true value of the condition."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def new_token(name, role):
    """A token, and the value of --token for it."""
    token = secrets.token_hex(16)
    return token, f"{name}:{role}:sha256:{hashlib.sha256(token.encode()).hexdigest()}"


def end(process):
    """Ends a process that the test started; its exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{process.args[0]} did not end within {WAIT_S} s") from None
    return process.returncode


@contextlib.contextmanager
def program(command, log, **options):
    """A program that runs during the test. Its output goes to the file `log`."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, **options)
    try:
        yield process
    except BaseException:
        print(f"--- {command[0]} said ---\n{pathlib.Path(log).read_text(errors='replace')[-8000:]}",
              file=sys.stderr)
        raise
    finally:
        end(process)  # in order, so that the program ends its own children


def check_output(expected, program_name, done):
    """Fails unless a program, which is `done` with (exit code, output, errors), has printed what the
    file `expected` holds, and nothing else."""
    code, output, errors = done
    difference = "".join(difflib.unified_diff(expected.read_text().splitlines(True),
                                              output.splitlines(True), expected.name, program_name))
    assert not difference, f"{difference}{errors}"
    assert (code, errors) == (0, ""), f"exit code {code}: {errors}"


class Server:
    """A `laurel serve` with HTTP, which can be started again on its ports and its folder."""

    def __init__(self, binary, folder, *options):
        self.binary, self.folder, self.options = binary, pathlib.Path(folder), options
        self.port, self.resp_port, self.process = 0, 0, None
        self.log = self.folder / "laurel.log"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            return self.stop()
        self.process.kill()
        self.process.wait()
        print(f"--- laurel said ---\n{self.log.read_text(errors='replace')[-8000:]}",
              file=sys.stderr)

    def start(self, *options):
        command = [self.binary, "serve", "--bind", HOST, "--port", str(self.resp_port),
                   "--http-port", str(self.port), "--data", str(self.folder / "data"),
                   *self.options, *options]
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT)
        try:
            ports = wait_until("the ready line", self.ready_ports)
        except BaseException:
            self.process.kill()
            self.process.wait()
            print(f"--- laurel said ---\n{self.log.read_text()}", file=sys.stderr)
            raise
        self.resp_port, self.port = map(int, ports.groups())

    def ready_ports(self):
        assert self.process.poll() is None, "the server has ended before it was ready"
        return re.search(r" ready: resp [^ ]*:(\d+), http [^ ]*:(\d+),.*\n", self.log.read_text())

    def stop(self):
        assert self.process.poll() is None, f"the server ended by itself: {self.log.read_text()}"
        code = end(self.process)
        assert code == 0, f"the server ended with {code}"

    @property
    def url(self):
        return f"http://{HOST}:{self.port}"

    def send(self, method, path, body=None, headers=None):
        """Status, headers and text of the answer."""
        return send(http.client.HTTPConnection(HOST, self.port, timeout=WAIT_S), method, path, body,
                    headers)

    def call(self, method, path, body=None, headers=None):
        """The JSON of an answer of success."""
        status, _, text = self.send(method, path, body, headers)
        assert status < 300, f"{method} {path}: {status} {text}"
        return json.loads(text)


def send(connection, method, path, body=None, headers=None):
    """One request on a connection of its own: status, headers and text of the answer."""
    headers = dict(headers or {})
    if body is not None:
        body = json.dumps(body)
        headers["Content-Type"] = "application/json"
    with contextlib.closing(connection):
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


class Stream:
    """Server-sent events; one at a time, as they arrive."""

    def __init__(self, connection, path, headers=None):
        self.connection = connection
        connection.request("GET", path, headers={"Accept": "text/event-stream", **(headers or {})})
        self.answer = connection.getresponse()
        assert self.answer.status == 200, f"{path}: {self.answer.status} {self.answer.read()}"

    def next(self):
        """The fields of the next event; its data is parsed."""
        fields = {}
        while line := self.answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                return {**fields, "data": json.loads(fields["data"])}
            else:
                fields = {}  # a comment
        raise AssertionError("the stream has ended")

    def close(self):
        self.answer.close()
        self.connection.close()


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="laurel-examples-") as name:
        yield pathlib.Path(name)
