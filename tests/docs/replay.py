"""Replays the snippets of README and docs against a real server, each section from a fresh folder.

usage: replay.py LAUREL SOURCE_DIR PAGE...

What is replayed follows from the language of a fenced block:

  redis      a redis-cli session: "> COMMAND", then the reply as redis-cli prints it. A command
             without a reply must not be an error. "redis -3" is the same in RESP3.
  sh         shell commands, in order; `laurel serve` runs until the section ends
  cpp        the blocks of a page together are the body of a function, which must compile
  anything else is not replayed

In an expected reply "…" matches the rest of a line, and a line of "…" any number of lines. Stamps
(16 digits) match any others. A section begins at "## ". Its first
redis block starts a server unless a sh block before it did.
"""

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
READY_SECONDS = 30


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


class Section:
    """The server and the folder of one section."""

    def __init__(self, laurel, page):
        self.laurel, self.page = os.path.abspath(laurel), page
        self.folder = tempfile.mkdtemp(prefix="laurel-docs-")
        self.port = free_port()
        self.servers = []
        self.captured = {}
        self.replayed = 0

    def close(self):
        for server in self.servers:
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=READY_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)

    def fail(self, line, message):
        raise Failure(f"{self.page}:{line}: {message}")

    def start_server(self, line, arguments):
        for server in self.servers:  # a second `laurel serve` of a section replaces the first
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=READY_SECONDS)
        http = [] if "--http-port" in arguments else ["--http-port", "none"]
        server = subprocess.Popen(
            [self.laurel, "serve", "--port", self.port] + http + arguments,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.servers.append(server)
        ready = server.stdout.readline()
        if "ready" not in ready:
            self.fail(line, f"laurel serve did not start: {server.stderr.read()}")

    def redis(self, line, lines, resp3):
        if not self.servers:
            self.start_server(line, [])
        commands = []
        for offset, text in enumerate(lines):
            if text.startswith("> "):
                commands.append((line + offset, text[2:], []))
            elif commands:
                commands[-1][2].append(text)
            else:
                self.fail(line + offset, "a session begins with a command")
        for at, command, expected in commands:
            words = ["redis-cli", "-p", self.port, "--no-raw"] + (["-3"] if resp3 else [])
            reply = subprocess.run(
                words + shlex.split(command), capture_output=True, text=True, timeout=60
            )
            actual = reply.stdout.rstrip("\n").split("\n")
            while expected and not expected[-1].strip():
                expected.pop()
            if not expected and actual[0].startswith("(error)"):
                self.fail(at, f"{command}: {actual[0]}")
            if expected and not matches(expected, actual):
                shown = "\n".join(actual)
                self.fail(at, f"{command}: the reply differs; it is\n{shown}")
            self.replayed += 1

    def shell(self, line, lines):
        joined = "\n".join(lines).replace("\\\n", " ").split("\n")
        for offset, text in enumerate(joined):
            command = text.split("  #")[0].strip()
            if not command or command.startswith("#"):
                continue
            command = re.sub(r"(?<![\w./])(?:build/release/)?laurel(?= )", shlex.quote(self.laurel), command)
            command = re.sub(rf"\b{DOCUMENTED_PORT}\b", self.port, command)
            command = re.sub(r"\bredis-cli ", "redis-cli -e ", command)  # errors end with a code
            for name, value in self.captured.items():
                command = command.replace(name, value)
            words = shlex.split(command)
            if len(words) > 1 and words[0] == self.laurel and words[1] == "serve":
                self.start_server(line + offset, words[2:])
            else:
                self.run(line + offset, command)
            self.replayed += 1

    def run(self, line, command):
        result = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        if result.returncode != 0 or result.stdout.startswith("(error)"):
            self.fail(line, f"{command} ended with {result.returncode}: {result.stdout}{result.stderr}")
        secret = re.search(r"^([0-9a-f]{64})$", result.stdout, re.M)
        if secret:  # of `laurel token`: the page calls it TOKEN; its lines go to the file
            self.captured["TOKEN"] = secret.group(1)
            lines = result.stdout.split("\n")
            begin = next(i for i, text in enumerate(lines) if text.startswith("[["))
            with open(os.path.join(self.folder, "laurel.toml"), "a", encoding="utf-8") as config:
                config.write("\n".join(lines[begin:]) + "\n")


def compile_cpp(page, source, snippets):
    """Checks that the cpp blocks of a page compile as one function."""
    body = "\n".join(line for _, _, lines in snippets for line in lines)
    includes = "\n".join(line for line in body.split("\n") if line.startswith("#include"))
    rest = "\n".join(line for line in body.split("\n") if not line.startswith("#include"))
    program = (
        f"{includes}\n#include <string>\n"
        "static int Fail(const std::string&) { return 1; }\n"
        f"int Snippets() {{\n{rest}\nreturn bytes.empty() ? 1 : 0;\n}}\n"
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
    replayed, snippets = 0, []
    for _, blocks in sections(text):
        section = Section(laurel, page)
        try:
            for language, line, lines in blocks:
                if language in ("redis", "redis -3"):
                    section.redis(line, lines, language.endswith("-3"))
                elif language == "sh":
                    section.shell(line, lines)
                elif language == "cpp":
                    snippets.append((language, line, lines))
        finally:
            section.close()
        replayed += section.replayed
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
