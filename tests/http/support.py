"""What the black-box tests of HTTP share: a server, clients of HTTP, RESP and streams, and checks.

A test program is called as `NAME_test.py BINARY [TEST…]`; LAUREL_BINARY names another binary. Every
program starts servers of its own on free ports of 127.0.0.1 and ends them by their process ids.
LAUREL_TEST_SEED seeds what is random. Waiting has limits so that a failure ends: none of them is a
measurement.
"""

import http.client
import json
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

HOST = "127.0.0.1"
LIMIT_S = 120  # of any single wait
SANITIZED_START_S = 60
STAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$"

binary = os.environ.get("LAUREL_BINARY", "")


def is_readable(source, wait_s):
    """Whether the socket has input, or ends, within the time. For any number of open files."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    return bool(poll.poll(max(0, wait_s) * 1000))


def raise_open_files(wanted):
    """Raises the limit of open files of this process, and of servers that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main():
    """Runs the tests of the calling program."""
    global binary
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.path.sep in sys.argv[1]:
        binary = os.environ.get("LAUREL_BINARY") or sys.argv.pop(1)
    if not binary:
        sys.exit("usage: NAME_test.py BINARY [TEST…]")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end too
    unittest.main(module="__main__", warnings="ignore")


def seeded_random(name):
    """A generator whose seed is printed."""
    seed = int(os.environ.get("LAUREL_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"{name}: LAUREL_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


def quoted(text):
    """One segment of a path, or the value of a parameter."""
    return urllib.parse.quote(text, safe="")


def eventually(check, limit_s=LIMIT_S):
    """Calls check() until it is true, and returns its value; the last one if time is up."""
    deadline = time.monotonic() + limit_s
    while True:
        value = check()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.02)


def make_token(role, pattern="*", name=None):
    """(secret, value of --token), from `laurel token`."""
    made = subprocess.run([binary, "token", role, pattern], capture_output=True, text=True, check=True)
    secret = made.stderr.splitlines()[0]
    flag = re.search(r"--token '([^']*)'", made.stdout)[1]
    if name:
        flag = name + flag[flag.index(":"):]
    return secret, flag


# JSON ---------------------------------------------------------------------------------------------


def _pairs(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"doubled keys: {keys}")
    return dict(pairs)


def parse_json(data):
    """The value of a body, which must be strict UTF-8 without doubled keys, NaN or Infinity."""

    def refuse(text):
        raise ValueError(f"{text} is no JSON")

    if isinstance(data, (bytes, bytearray)):
        data = bytes(data).decode("utf-8", "strict")
    return json.loads(data, object_pairs_hook=_pairs, parse_constant=refuse)


# Answers ------------------------------------------------------------------------------------------


class Answer:
    """One HTTP answer. Names of headers are in lower case."""

    def __init__(self, status, headers, body, version="HTTP/1.1"):
        self.status = status
        self.headers = headers  # list of (name, value)
        self.body = body
        self.version = version

    def header(self, name):
        """The header's value; None if there is none. Raises if it is there twice."""
        values = [value for key, value in self.headers if key == name.lower()]
        if len(values) > 1:
            raise AssertionError(f"{name} is there {len(values)} times: {values}")
        return values[0] if values else None

    @property
    def json(self):
        return parse_json(self.body)

    def __str__(self):
        head = " ".join(f"{name}: {value};" for name, value in self.headers)
        return f"{self.version} {self.status} [{head}] {self.body[:2000]!r}"


class HttpClient:
    """A client that keeps its connection alive. Not for use by several threads."""

    def __init__(self, port, token=None, host=None):
        self.port = port
        self.token = token
        self.host = host
        self.connection = None

    def ask(self, method, path, body=None, headers=None, raw=None):
        """`body` becomes JSON; `raw` is sent as it is, as JSON unless headers say otherwise."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if self.host:
            sent["Host"] = self.host
        data = raw if raw is not None else None
        if body is not None:
            data = json.dumps(body).encode()
        if data is not None or method == "POST":
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        if self.connection is None:
            self.connection = http.client.HTTPConnection(HOST, self.port, timeout=LIMIT_S)
        try:
            self.connection.request(method, path, body=data, headers=sent)
            got = self.connection.getresponse()
            is_stream = got.getheader("Content-Type") == "text/event-stream"  # has no end
            answer = Answer(got.status, [(n.lower(), v) for n, v in got.getheaders()],
                            b"" if is_stream else got.read(),
                            "HTTP/1.1" if got.version == 11 else "HTTP/1.0")
            if got.will_close or is_stream:
                self.close()
            return answer
        except Exception:
            self.close()
            raise

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, body, **more)

    def put(self, path, body=None, **more):
        return self.ask("PUT", path, body, **more)

    def patch(self, path, body=None, **more):
        return self.ask("PATCH", path, body, **more)

    def delete(self, path, **more):
        return self.ask("DELETE", path, **more)

    def submit(self, board, member, score, key=None, **more):
        """POST …/entries of one entry."""
        headers = {"Idempotency-Key": key} if key is not None else None
        return self.post(f"/v1/boards/{quoted(board)}/entries",
                         dict(member=member, score=score, **more), headers=headers)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class RawClient:
    """A socket: sends any bytes, reads answers one by one."""

    def __init__(self, port, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, data):
        """Sends all of it. A server that has closed meanwhile is no error: its answer counts."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def _fill(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def read_until(self, mark):
        while mark not in self.buffer:
            if not self._fill():
                return None
        head, _, self.buffer = self.buffer.partition(mark)
        return head

    def read_bytes(self, count):
        while len(self.buffer) < count:
            if not self._fill():
                raise AssertionError(f"closed after {len(self.buffer)} of {count} bytes")
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_head(self):
        """An Answer without a body; None if the server closed instead."""
        head = self.read_until(b"\r\n\r\n")
        if head is None:
            if self.buffer:
                raise AssertionError(f"closed inside of a head: {self.buffer!r}")
            return None
        lines = head.decode("latin-1").split("\r\n")
        version, status, _ = lines[0].split(" ", 2)
        headers = []
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers.append((name.lower(), value.strip()))
        return Answer(int(status), headers, b"", version)

    def read_answer(self, to_head=False):
        """The next answer; None if the server closed instead."""
        answer = self.read_head()
        if answer is None or to_head or answer.status in (100, 204, 304):
            return answer
        length = answer.header("content-length")
        if length is None:
            raise AssertionError(f"an answer without Content-Length: {answer}")
        answer.body = self.read_bytes(int(length))
        return answer

    def is_closed(self, limit_s=LIMIT_S):
        """Whether the server closes without sending more."""
        self.socket.settimeout(limit_s)
        try:
            return not self.buffer and not self._fill()
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(LIMIT_S)

    def is_silent(self, wait_s=0.2):
        """Whether nothing arrives and the connection stays open for the given time."""
        readable = is_readable(self.socket, wait_s)
        return not self.buffer and not readable

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Stream:
    """Server-sent events of one GET."""

    def __init__(self, port, path, headers=None, token=None, receive_buffer=None):
        self.raw = RawClient(port, receive_buffer)
        lines = [f"GET {path} HTTP/1.1", f"Host: {HOST}:{port}", "Accept: text/event-stream"]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.raw.send("\r\n".join(lines + ["", ""]).encode())
        self.answer = None
        self.ended = False
        self.comments = 0

    def open(self):
        """The head of the answer. If it is no stream, with the body."""
        self.answer = self.raw.read_head()
        if self.answer is not None and self.answer.header("content-type") != "text/event-stream":
            length = int(self.answer.header("content-length") or 0)
            self.answer.body = self.raw.read_bytes(length)
        return self.answer

    def next(self, limit_s=LIMIT_S):
        """The next event, a dict with event, data (of JSON), id and retry; None at the end, False
        if there is none within the limit. Comments are counted."""
        deadline = time.monotonic() + limit_s
        while True:
            block = self._block(deadline)
            if block is None or block is False:
                return block
            event = self._parse(block)
            if event:
                return event

    def _block(self, deadline):
        while b"\n\n" not in self.raw.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not is_readable(self.raw.socket, left):
                return False
            if not self.raw._fill():
                if self.raw.buffer:
                    raise AssertionError(f"a stream ends inside of an event: {self.raw.buffer!r}")
                self.ended = True
                return None
        block, _, self.raw.buffer = self.raw.buffer.partition(b"\n\n")
        return block

    def _parse(self, block):
        event = {}
        for line in block.decode("utf-8", "strict").split("\n"):
            if line.startswith(":"):
                self.comments += 1
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                event["text"] = event.get("text", "") + value
            else:
                event[name] = value
        if "text" in event:
            event["data"] = parse_json(event["text"])
        return event

    def collect(self, until, limit_s=LIMIT_S):
        """All events up to the first for which until(event) is true. AssertionError if it does not
        come."""
        events = []
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            event = self.next(max(0.01, deadline - time.monotonic()))
            if event:
                events.append(event)
                if until(event):
                    return events
            elif event is None:
                raise AssertionError(f"the stream ended first: {events[-5:]}")
        raise AssertionError(f"not within {limit_s} s: {events[-5:]}")

    def close(self):
        self.raw.close()


# RESP ---------------------------------------------------------------------------------------------


class RespError(Exception):
    pass


class RespClient:
    """Commands and replies in RESP3: maps are dicts, texts are str where they are UTF-8."""

    def __init__(self, port, token=None):
        self.socket = socket.create_connection((HOST, port), timeout=LIMIT_S)
        self.file = self.socket.makefile("rb")
        if token:
            self.ask("HELLO", "3", "AUTH", "default", token)
        else:
            self.ask("HELLO", "3")

    def ask(self, *words):
        encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(encoded)
                            + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in encoded))
        reply = self._read()
        if isinstance(reply, RespError):
            raise reply
        return reply

    def _read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the server closed a RESP connection")
        kind, text = line[:1], line[1:-2].decode("utf-8", "surrogateescape")
        if kind in b"+,(":
            return text
        if kind == b"-":
            return RespError(text)
        if kind == b":":
            return int(text)
        if kind == b"#":
            return text == "t"
        if kind == b"_":
            return None
        if kind in b"$=":
            data = self.file.read(int(text) + 2)[:-2]
            try:
                return data.decode("utf-8", "strict")
            except UnicodeDecodeError:
                return data
        if kind in b"*~>":
            return [self._read() for _ in range(int(text))]
        if kind == b"%":
            return {self._read(): self._read() for _ in range(int(text))}
        raise AssertionError(f"a reply of unknown kind: {line!r}")

    def close(self):
        self.file.close()
        self.socket.close()


# Server -------------------------------------------------------------------------------------------


class Server:
    """One server process with a data folder, which start() after stop() or kill() uses again."""

    def __init__(self, *options, folder=None, in_memory=False):
        self.options = [str(option) for option in options]
        self.in_memory = in_memory
        self.is_own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="laurel-http-"))
        self.process = None
        self.http_port = 0
        self.resp_port = 0
        self.ready_line = ""

    def start(self, *more):
        where = ["--in-memory"] if self.in_memory else ["--data", str(self.folder / "data")]
        command = [binary, "serve", "--port", str(self.resp_port), "--http-port",
                   str(self.http_port)] + where + self.options + [str(option) for option in more]
        with open(self.folder / "stdout", "wb") as output, open(self.folder / "stderr",
                                                                "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=log)
        if not eventually(self._is_ready, SANITIZED_START_S):
            raise AssertionError(f"the server is not ready: {self.log()}")
        return self

    def _is_ready(self):
        text = (self.folder / "stdout").read_text()
        line = re.search(r"^.*\bready: .*\n", text, re.MULTILINE)
        if not line:
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {self.log()}")
            return False
        self.ready_line = line[0]
        self.resp_port = int(re.search(r"\bresp [^ ]*:([0-9]+)", line[0])[1])
        self.http_port = int(re.search(r"\bhttp [^ ]*:([0-9]+)", line[0])[1])
        return True

    def terminate(self):
        """SIGTERM, without waiting."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """The exit code after SIGTERM."""
        process, self.process = self.process, None
        try:
            return process.wait(SANITIZED_START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"did not stop: {self.log()}") from None

    def stop(self):
        """An orderly end, which must have the exit code 0."""
        if self.process is None:
            return
        if self.process.poll() is not None:
            code, self.process = self.process.returncode, None
            raise AssertionError(f"the server ended by itself with {code}: {self.log()}")
        self.terminate()
        code = self.wait()
        if code != 0:
            raise AssertionError(f"the server ended with {code}: {self.log()}")

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self):
        """Ends the server and removes its folder."""
        try:
            self.stop()
        finally:
            self.discard()

    def discard(self):
        """Ends the server, if it still runs, without a check, and removes its folder."""
        self.kill()
        if self.is_own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return (self.folder / "stderr").read_text(errors="replace")[-4000:]

    def client(self, token=None, host=None):
        return HttpClient(self.http_port, token, host)

    def raw(self, **more):
        return RawClient(self.http_port, **more)

    def resp(self, token=None):
        return RespClient(self.resp_port, token)

    def stream(self, path, **more):
        return Stream(self.http_port, path, **more)

    def resident_bytes(self):
        """Resident memory, from /proc."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+([0-9]+) kB", text)[1]) << 10


def request(method, path, body=b"", headers=(), host="127.0.0.1", version="HTTP/1.1"):
    """The bytes of a request; a body gets Content-Length and Content-Type."""
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
    lines = [f"{method} {path} {version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += list(headers)
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


# Tests --------------------------------------------------------------------------------------------


class ServerTest(unittest.TestCase):
    """Tests that share one server per class; OPTIONS are its flags. Boards have names of their own
    tests: use self.board()."""

    OPTIONS = ()
    IN_MEMORY = False
    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.OPTIONS, in_memory=cls.IN_MEMORY).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def setUp(self):
        self.http = self.server.client()
        self.addCleanup(self.http.close)

    def resp(self, token=None):
        client = self.server.resp(token)
        self.addCleanup(client.close)
        return client

    def raw(self, **more):
        client = self.server.raw(**more)
        self.addCleanup(client.close)
        return client

    def stream(self, path, **more):
        """A stream, not yet opened."""
        stream = self.server.stream(path, **more)
        self.addCleanup(stream.close)
        return stream

    def board(self, name=None, **spec):
        """Declares a leaderboard, by default under the test's own name, and returns its name."""
        name = name or self._testMethodName
        self.ok(self.http.put(f"/v1/boards/{quoted(name)}", spec), 201)
        return name

    def path(self, board, *parts):
        return "/v1/boards/" + "/".join(quoted(part) for part in (board, *parts))

    def entries(self, board, query="", client=None):
        answer = (client or self.http).get(self.path(board, "entries") + query)
        return self.ok(answer)["entries"]

    def scores(self, board, query=""):
        """[(member, score)…] of a page."""
        return [(entry["member"], entry["score"]) for entry in self.entries(board, query)]

    # Checks

    def ok(self, answer, status=200):
        """The JSON of a success."""
        self.assertEqual(answer.status, status, str(answer))
        self.check_headers(answer)
        self.assertEqual(answer.header("content-type"), "application/json", str(answer))
        return answer.json

    def check_headers(self, answer):
        self.assertTrue(answer.header("x-request-id"), str(answer))
        self.assertTrue(answer.header("date"), str(answer))

    def problem(self, answer, status, code, field=None, detail=None):
        """The JSON of a refusal, whose shape is checked. `detail` is a pattern."""
        self.assertEqual(answer.status, status, str(answer))
        self.assertEqual(answer.header("content-type"), "application/problem+json", str(answer))
        self.check_headers(answer)
        body = answer.json
        self.assertEqual(body["status"], status, str(answer))
        self.assertEqual(body["code"], code, str(answer))
        self.assertEqual(body["request_id"], answer.header("x-request-id"), str(answer))
        for name in ("title", "detail"):
            self.assertTrue(isinstance(body[name], str) and body[name], str(answer))
        self.assertNotIn("\n", body["detail"])
        self.assertNotRegex(body["detail"], r"(?i)\blb\.[a-z]", "HTTP has no commands")
        self.assertLessEqual(set(body), {"type", "title", "status", "code", "detail", "field",
                                         "request_id", "instance"}, str(answer))
        if field is not None:
            self.assertEqual(body.get("field"), field, str(answer))
        if detail is not None:
            self.assertRegex(body["detail"], detail)
        if status == 401:
            self.assertIn("bearer", (answer.header("www-authenticate") or "").lower(), str(answer))
        if status == 503:
            self.assertRegex(answer.header("retry-after") or "", r"^[0-9]+$", str(answer))
        if status == 405:
            self.assertTrue(answer.header("allow"), str(answer))
        return body
