#!/usr/bin/python3
"""Starts a server, runs one client driver against it, and ends both.

    run.py BINARY DRIVER [--access] [--http] [--modules DIR]

BINARY is `laurel`, or a `redis-server` to prove that the checks themselves are right: the drivers
then leave out what only Laurel has. DRIVER is a .sh, .py or .mjs file, called with host and port.
--access starts the server with TLS and with the tokens of access.toml, --http with a port for HTTP.
--modules is the folder that holds node_modules. The driver finds in its environment:

    LAUREL_TARGET    laurel or redis
    LAUREL_CONTROL   two file descriptors, one to write `stop` or `start` to, one to read `ok` from:
                     the server ends, and comes back on the same ports with its data
    LAUREL_TLS_PORT, LAUREL_CA   with --access: the TLS port, and the certificate to trust
    LAUREL_HTTP      with --http: "http://", address and port
    LAUREL_MODULES   what --modules said

Exits 0 if the driver did and every end of the server was an orderly one.
"""

import argparse
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HOST = "127.0.0.1"
START_LIMIT_S = 60
STOP_LIMIT_S = 60
DRIVER_LIMIT_S = 240
INTERPRETERS = {".sh": ["bash"], ".py": [sys.executable], ".mjs": ["node"]}


class RunError(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def make_certificates(folder):
    """A CA of our own and a certificate by it for this host: ca.crt, server.crt, server.key."""
    new_key = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
               "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    commands = [
        new_key + ["-subj", "/CN=Laurel test CA", "-keyout", "ca.key", "-out", "ca.crt"],
        new_key + ["-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.crt",
                   "-CA", "ca.crt", "-CAkey", "ca.key",
                   "-addext", "basicConstraints=critical,CA:FALSE",
                   "-addext", f"subjectAltName=DNS:localhost,IP:{HOST}"],
    ]
    for command in commands:
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise RunError(f"openssl failed: {made.stderr}")


class Server:
    """One server process that can be ended and started again on the ports it had."""

    def __init__(self, binary, folder, access, http):
        self.binary = binary
        self.folder = folder
        self.access = access
        self.http = http
        self.port = 0
        self.tls_port = 0
        self.http_port = 0
        self.process = None
        self.output = folder / "server.log"
        self.is_redis = pathlib.Path(binary).name.startswith(("redis", "valkey"))

    def command(self):
        certificate, key = self.folder / "server.crt", self.folder / "server.key"
        if self.is_redis:
            self.port = self.port or free_port()
            command = [self.binary, "--port", str(self.port), "--bind", HOST,
                       "--save", "", "--appendonly", "yes", "--dir", str(self.folder)]
            if self.access:
                self.tls_port = self.tls_port or free_port()
                command += ["--tls-port", str(self.tls_port), "--tls-auth-clients", "no",
                            "--tls-ca-cert-file", str(self.folder / "ca.crt"),
                            "--tls-cert-file", str(certificate), "--tls-key-file", str(key)]
            return command
        command = [self.binary, "serve", "--bind", HOST, "--port", str(self.port),
                   "--http-port", str(self.http_port) if self.http else "none",
                   "--data", str(self.folder / "data")]
        if self.access:
            command += ["--tls-port", str(self.tls_port), "--tls-cert", str(certificate),
                        "--tls-key", str(key), "--config", str(HERE / "access.toml")]
        return command

    def start(self):
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_LIMIT_S
        while not self.read_ready_line():
            if self.process.poll() is not None:
                raise RunError(f"the server ended with {self.process.returncode}, never ready")
            if time.monotonic() > deadline:
                raise RunError(f"the server was not ready after {START_LIMIT_S} s")
            time.sleep(0.01)

    def read_ready_line(self):
        text = self.output.read_text(errors="replace")
        if self.is_redis:
            return "Ready to accept connections" in text
        line = re.search(r"^.*\bready: .*\n", text, re.MULTILINE)
        if not line:
            return False
        port = re.search(r"resp [^ ]*:([0-9]+)", line[0])
        tls_port = re.search(r"tls [^ ]*:([0-9]+)", line[0])
        http_port = re.search(r"http [^ ]*:([0-9]+)", line[0])
        if not port or (self.access and not tls_port) or (self.http and not http_port):
            raise RunError(f"the ready line lacks a port: {line[0]}")
        self.port = int(port[1])
        self.tls_port = int(tls_port[1]) if tls_port else 0
        self.http_port = int(http_port[1]) if http_port else 0
        return True

    def stop(self):
        if self.process is None:
            return
        process, self.process = self.process, None
        ended_by_itself = process.poll() is not None
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RunError(f"the server did not stop within {STOP_LIMIT_S} s of SIGTERM") from None
        if ended_by_itself or process.returncode != 0:
            raise RunError(f"the server ended with {process.returncode}"
                           + (" by itself" if ended_by_itself else " on SIGTERM"))

    def log(self):
        return self.output.read_text(errors="replace")[-8000:] if self.output.exists() else ""


def run_driver(server, driver, modules):
    """The driver's exit code; obeys its `stop` and `start` meanwhile."""
    request_read, request_write = os.pipe()
    reply_read, reply_write = os.pipe()
    environment = dict(os.environ,
                       LAUREL_TARGET="redis" if server.is_redis else "laurel",
                       LAUREL_CONTROL=f"{request_write} {reply_read}",
                       LAUREL_MODULES=str(modules))
    if server.access:
        environment.update(LAUREL_TLS_PORT=str(server.tls_port),
                           LAUREL_CA=str(server.folder / "ca.crt"))
    if server.http:
        environment.update(LAUREL_HTTP=f"http://{HOST}:{server.http_port}")
    command = INTERPRETERS[driver.suffix] + [str(driver), HOST, str(server.port)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment,
                               pass_fds=(request_write, reply_read))
    os.close(request_write)
    os.close(reply_read)
    deadline = time.monotonic() + DRIVER_LIMIT_S
    open_requests = [request_read]
    try:
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise RunError(f"the driver did not end within {DRIVER_LIMIT_S} s")
            if not select.select(open_requests, [], [], 0.05)[0]:
                continue
            requests = os.read(request_read, 4096).decode().split()
            if not requests:
                open_requests = []
            for request in requests:
                {"stop": server.stop, "start": server.start}[request]()
                os.write(reply_write, b"ok\n")
        return process.returncode
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(request_read)
        os.close(reply_write)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("--access", action="store_true")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--modules", type=pathlib.Path, default=HERE)
    arguments = parser.parse_args()
    # An end by SIGTERM still ends the server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="laurel-clients-") as name:
        folder = pathlib.Path(name)
        server = Server(arguments.binary, folder, arguments.access, arguments.http)
        try:
            if arguments.access:
                make_certificates(folder)
            server.start()
            code = run_driver(server, arguments.driver.resolve(), arguments.modules.resolve())
            server.stop()
        except (RunError, OSError) as error:
            print(f"run.py: {error}", file=sys.stderr)
            code = 1
        finally:
            if server.process is not None:
                server.process.kill()
                server.process.wait()
        if code != 0:
            print(f"--- the server said ---\n{server.log()}", file=sys.stderr)
        return code


if __name__ == "__main__":
    sys.exit(main())
