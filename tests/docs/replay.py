"""Replays the snippets of README and docs against a real server, each section from a fresh folder, or
the whole page on the server of `./dev run` if the page begins with that.

usage: replay.py LAUREL SOURCE_DIR PAGE...

What is replayed follows from the language of a fenced block:

  redis      a redis-cli session: "> COMMAND", then the reply as redis-cli prints it. A command
             without a reply must not be an error. "redis -3" is the same in RESP3.
  sh         shell commands, in order; `laurel serve` runs until the section ends. A command with
             "&" at its end runs in the background until `kill %1 && wait %1`, and must then end with code 0.
             `curl -N` is ended after its first event. `./dev run` starts `laurel demo`, which serves the
             rest of the page
  console    the same, each command after "$ " and followed by what it prints
  http       requests: "METHOD TARGET", then the JSON of the body if there is one. "HTTP/1.1 STATUS"
             and the JSON of the answer may follow. Without them the answer must not be an error.
  cpp        the blocks of a page together are the body of a function, which must compile
  anything else is not replayed

In an expected reply "…" matches the rest of a line, and a line of "…" any number of lines. Stamps
(16 digits) match any others. JSON is compared by its values: times, dates, versions, cursors, ids
of requests and sizes in memory match any others. A section begins at "## ". Its first redis,
console or http block starts a server unless a sh block before it did. The first command that names
port 6379 starts a plain redis-server of the section, without persistence.
"""

import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

DOCUMENTED_PORT = "7600"
DOCUMENTED_HTTP_PORT = "7680"
SECOND_PORTS = ("7700", "7780")  # of a server beside the first one
DOCUMENTED_REDIS_PORT = "6379"
READY_SECONDS = 30

# Parts of JSON strings that differ from run to run, and keys of numbers that do.
CHANGING = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\.\d{6}Z)?|\b[0-9a-f]{12}(?:-\d+)+\b"
    r"|\b[0-9a-f]+(?:-[0-9a-f]+){3}\b|\b[0-9a-f]{16}\b"
)
CHANGING_KEYS = {"bytes"}
METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS"


class Failure(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def sections(text):
    """Yields (heading, [(language, first line number, lines)])."""
    heading, blocks, block, language, start = "the top", [], None, "", 0
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"^```(.*)$", line)
        if block is None and line.startswith("## "):
            yield heading, blocks
            heading, blocks = line[3:], []
        elif fence and block is None:
            block, language, start = [], fence.group(1).strip(), number + 1
        elif fence:
            blocks.append((language, start, block))
            block = None
        elif block is not None:
            block.append(line)
    if block is not None:
        raise Failure(f"line {start}: the block has no end")
    yield heading, blocks


def pattern_of(line):
    pattern = re.escape(line)
    pattern = pattern.replace("…", ".*")
    return re.sub(r"\b\d{16}\b", r"\\d{16}", pattern)


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0].strip() == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return (
        bool(actual)
        and re.fullmatch(pattern_of(expected[0].rstrip()), actual[0].rstrip()) is not None
        and matches(expected[1:], actual[1:])
    )


def same_json(expected, actual):
    """Whether two values of JSON are equal, but for what differs from run to run."""
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and list(expected) == list(actual)
            and all(
                type(expected[key]) is type(actual[key])
                if key in CHANGING_KEYS
                else same_json(expected[key], actual[key])
                for key in expected
            )
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(map(same_json, expected, actual))
        )
    if isinstance(expected, str) and isinstance(actual, str):
        return CHANGING.sub("…", expected) == CHANGING.sub("…", actual)
    return type(expected) is type(actual) and expected == actual


def same_output(expected, actual):
    """Whether lines are as expected: as JSON if they are JSON, as text otherwise."""
    try:
        return same_json(json.loads("\n".join(expected)), json.loads("\n".join(actual)))
    except ValueError:
        return matches(expected, actual)


class Section:
    """The server and the folder of one section."""

    def __init__(self, laurel, page):
        self.laurel, self.page = os.path.abspath(laurel), page
        self.folder = tempfile.mkdtemp(prefix="laurel-docs-")
        self.port = free_port()
        self.http_port = free_port()
        self.second_ports = {port: free_port() for port in SECOND_PORTS}
        self.redis_port = None
        self.is_demo = False  # the server is that of `./dev run`
        self.servers = []
        self.redis_server = None
        self.background = None  # the command in the background
        self.captured = {}
        self.replayed = 0

    def close(self):
        for process in [self.background, *self.servers, self.redis_server]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=READY_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)

    def fail(self, line, message):
        raise Failure(f"{self.page}:{line}: {message}")

    def start_server(self, line, arguments, command="serve"):
        # A second `laurel serve` of a section replaces the first, unless it has a port of its own. It
        # does not replace the demo: a reader who types it finds the port in use.
        for server in self.servers:
            if server.poll() is None and "--port" not in arguments and not self.is_demo:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=READY_SECONDS)
        on_port = [] if "--port" in arguments else ["--port", self.port]
        on_http = [] if "--http-port" in arguments else ["--http-port", self.http_port]
        server = subprocess.Popen(
            [self.laurel, command] + on_port + on_http + arguments,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.servers.append(server)
        ready = server.stdout.readline()
        if "ready" not in ready:
            self.fail(line, f"laurel serve did not start: {server.stderr.read()}")

    def start_redis(self):
        self.redis_port = free_port()
        options = ["--port", self.redis_port, "--bind", "127.0.0.1", "--save", ""]
        self.redis_server = subprocess.Popen(
            ["redis-server"] + options, cwd=self.folder, stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", int(self.redis_port))).close()
                return
            except OSError:
                if self.redis_server.poll() is not None or time.monotonic() > deadline:
                    raise Failure(f"{self.page}: redis-server did not start") from None
                time.sleep(0.05)

    def follow(self, line, command):
        with subprocess.Popen(
            ["bash", "-c", f"exec {command}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as stream:
            first = stream.stdout.readline()
            stream.kill()
            if not first.startswith("event: "):
                self.fail(line, f"{command} printed {first}")

    def start_in_background(self, command):
        with open(os.path.join(self.folder, "background.log"), "w", encoding="utf-8") as log:
            self.background = subprocess.Popen(
                ["bash", "-c", f"exec {command}"], cwd=self.folder, stdout=log, stderr=log
            )

    def end_background(self, line):
        self.background.send_signal(signal.SIGTERM)
        code = self.background.wait(timeout=READY_SECONDS)
        with open(os.path.join(self.folder, "background.log"), encoding="utf-8") as log:
            if code != 0:
                self.fail(line, f"the command in the background ended with {code}: {log.read()}")

    def redis(self, line, lines, resp3):
        if not self.servers:
            self.start_server(line, [])
        for at, command, expected in self.exchanges(line, lines, "> "):
            words = ["redis-cli", "-p", self.port, "--no-raw"] + (["-3"] if resp3 else [])
            reply = subprocess.run(
                words + shlex.split(command), capture_output=True, text=True, timeout=60
            )
            actual = reply.stdout.rstrip("\n").split("\n")
            if not expected and actual[0].startswith("(error)"):
                self.fail(at, f"{command}: {actual[0]}")
            if expected and not matches(expected, actual):
                shown = "\n".join(actual)
                self.fail(at, f"{command}: the reply differs; it is\n{shown}")
            self.replayed += 1

    def command_of(self, text):
        """A command of a page, for the server and the ports of this section."""
        command = text.split("  #")[0].strip()
        command = re.sub(r"(?<![\w./])(?:build/release/)?laurel(?= )", shlex.quote(self.laurel), command)
        command = re.sub(rf"\b{DOCUMENTED_PORT}\b", self.port, command)
        command = re.sub(rf"\b{DOCUMENTED_HTTP_PORT}\b", self.http_port, command)
        if re.search(rf"\b{DOCUMENTED_REDIS_PORT}\b", command):
            if self.redis_port is None:
                self.start_redis()
            command = re.sub(rf"\b{DOCUMENTED_REDIS_PORT}\b", self.redis_port, command)
        for documented, port in self.second_ports.items():
            command = re.sub(rf"\b{documented}\b", port, command)
        command = re.sub(r"\bredis-cli ", "redis-cli -e ", command)  # errors end with a code
        for name, value in self.captured.items():
            command = command.replace(name, value)
        return command

    def shell(self, line, lines):
        joined = "\n".join(lines).replace("\\\n", " ").split("\n")
        for offset, text in enumerate(joined):
            command = re.sub(r"^curl ", "curl -sS --fail-with-body ", self.command_of(text))
            if not command or command.startswith("#"):
                continue
            words = shlex.split(command)
            if len(words) > 1 and words[0] == self.laurel and words[1] == "serve":
                self.start_server(line + offset, words[2:])
            elif words == ["./dev", "run"]:
                self.start_server(line + offset, [], "demo")
                self.is_demo = True
            elif words[0] == "curl" and "-N" in words:
                self.follow(line + offset, command)
            elif words[-1] == "&":
                self.start_in_background(command.removesuffix("&"))
            elif words == ["kill", "%1", "&&", "wait", "%1"]:
                self.end_background(line + offset)
            else:
                self.run(line + offset, command)
            self.replayed += 1

    def console(self, line, lines):
        if not self.servers:
            self.start_server(line, [])
        for at, command, expected in self.exchanges(line, lines, "$ "):
            while command.endswith("\\"):
                command = command[:-1] + expected.pop(0).strip()
            result = self.run(at, self.command_of(command))
            actual = result.rstrip("\n").split("\n")
            if expected and not same_output(expected, actual):
                self.fail(at, f"{command}: it prints\n{result}")
            self.replayed += 1

    def exchanges(self, line, lines, mark):
        """Yields (line number, command, lines that follow it) for the lines that begin with mark."""
        found = []
        for offset, text in enumerate(lines):
            if text.startswith(mark):
                found.append((line + offset, text[len(mark) :], []))
            elif found:
                found[-1][2].append(text)
            else:
                self.fail(line + offset, "a session begins with a command")
        for _, _, expected in found:
            while expected and not expected[-1].strip():
                expected.pop()
        return found

    def http(self, line, lines):
        if not self.servers:
            self.start_server(line, [])
        starts = [i for i, text in enumerate(lines) if re.match(rf"({METHODS}) /", text)]
        for begin, end in zip(starts, starts[1:] + [len(lines)]):
            method, target = lines[begin].split(" ")
            answers = [i for i in range(begin, end) if lines[i].startswith("HTTP/1.1 ")]
            answer = answers[0] if answers else end
            status, body = self.request(method, target, "\n".join(lines[begin + 1 : answer]).strip())
            expected = "\n".join(lines[answer + 1 : end]).strip()
            if answers and lines[answer] != f"HTTP/1.1 {status}":
                self.fail(line + begin, f"{lines[begin]}: {status}\n{body}")
            if not answers and not status.startswith("2"):
                self.fail(line + begin, f"{lines[begin]}: {status}\n{body}")
            if expected and not same_output(expected.split("\n"), body.split("\n")):
                self.fail(line + begin, f"{lines[begin]}: the answer differs; it is\n{body}")
            self.replayed += 1

    def request(self, method, target, body):
        """Returns the status line without the protocol, and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", int(self.http_port), timeout=60)
        headers = {"Content-Type": "application/json"} if body or method == "POST" else {}
        connection.request(method, target, body or None, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return f"{answer.status} {answer.reason}", text

    def run(self, line, command):
        result = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        if result.returncode != 0 or result.stdout.startswith("(error)"):
            self.fail(line, f"{command} ended with {result.returncode}: {result.stdout}{result.stderr}")
        secret = re.search(r"^([0-9a-f]{64})$", result.stderr, re.M)
        if secret:  # of `laurel token`: the page calls it TOKEN
            self.captured["TOKEN"] = secret.group(1)
        return result.stdout


def compile_cpp(page, source, snippets):
    """Checks that the cpp blocks of a page compile as one function."""
    body = "\n".join(line for _, _, lines in snippets for line in lines)
    includes = "\n".join(line for line in body.split("\n") if line.startswith("#include"))
    rest = "\n".join(line for line in body.split("\n") if not line.startswith("#include"))
    program = (
        f"{includes}\n#include <string>\n"
        "static int Fail(const std::string&) { return 1; }\n"
        f"int Snippets() {{\n{rest}\nreturn 0;\n}}\n"
    )
    result = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-I", os.path.join(source, "include"), "-x", "c++", "-"],
        input=program,
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        raise Failure(f"{page}: the cpp blocks do not compile:\n{result.stderr}")


def replay(laurel, source, page):
    with open(os.path.join(source, page), encoding="utf-8") as file:
        text = file.read()
    replayed, snippets, section = 0, [], Section(laurel, page)
    try:
        for _, blocks in sections(text):
            if not section.is_demo:
                section.close()
                section = Section(laurel, page)
            before = section.replayed
            for language, line, lines in blocks:
                if language in ("redis", "redis -3"):
                    section.redis(line, lines, language.endswith("-3"))
                elif language == "sh":
                    section.shell(line, lines)
                elif language == "console":
                    section.console(line, lines)
                elif language == "http":
                    section.http(line, lines)
                elif language == "cpp":
                    snippets.append((language, line, lines))
            replayed += section.replayed - before
    finally:
        section.close()
    if snippets:
        compile_cpp(page, source, snippets)
    return replayed


def main():
    laurel, source, pages = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = False
    for page in pages:
        started = time.monotonic()
        try:
            count = replay(laurel, source, page)
            print(f"{page}: {count} commands replayed in {time.monotonic() - started:.1f} s")
        except Failure as failure:
            print(failure, file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
