"""HTTP over TLS: the same answers, streams, and a certificate that is read again on SIGHUP."""

import os
import signal
import socket
import ssl
import subprocess
import unittest

import support
from support import request


def make_certificate(folder, name):
    """NAME.crt, signed by its own key NAME.key, for this host."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
               "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
               "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
               "-keyout", f"{name}.key", "-out", f"{name}.crt"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise AssertionError(f"openssl failed: {made.stderr}")


class Tls(unittest.TestCase):
    def setUp(self):
        self.server = support.Server()
        self.addCleanup(self.server.discard)
        self.folder = self.server.folder
        make_certificate(self.folder, "first")
        make_certificate(self.folder, "second")
        for kind in ("crt", "key"):
            os.symlink(f"first.{kind}", self.folder / f"server.{kind}")
        self.server.options = ["--http-tls-port", "0", "--tls-cert",
                               str(self.folder / "server.crt"), "--tls-key",
                               str(self.folder / "server.key")]
        self.server.start()
        ports = support.re.findall(r"127\.0\.0\.1:([0-9]+)", self.server.ready_line)
        others = {int(port) for port in ports} - {self.server.http_port, self.server.resp_port}
        self.assertEqual(len(others), 1, self.server.ready_line)
        self.port = others.pop()
        self.assertEqual(self.server.client().put("/v1/boards/b", {}).status, 201)

    def connect(self, trusted):
        """A RawClient over TLS that trusts one certificate."""
        context = ssl.create_default_context(cafile=str(self.folder / f"{trusted}.crt"))
        client = support.RawClient(self.port)
        self.addCleanup(client.close)
        client.socket = context.wrap_socket(client.socket, server_hostname="localhost")
        return client

    def test_requests_pipelines_and_streams(self):
        client = self.connect("first")
        body = {"member": "ann", "score": 5}
        client.send(request("POST", "/v1/boards/b/entries", body) + request("GET", "/healthz"))
        self.assertEqual(client.read_answer().json["rank"], 1)
        self.assertEqual(client.read_answer().json, {"ok": True})
        client.send(request("GET", "/v1/boards/b/live"))
        self.assertEqual(client.read_head().header("content-type"), "text/event-stream")
        self.assertIsNotNone(client.read_until(b"event: state"))
        self.assertEqual(self.server.client().submit("b", "bob", 9).status, 200)
        self.assertIsNotNone(client.read_until(b"event: update"))
        client.close()
        self.server.stop()

    def test_a_large_answer_and_a_large_body(self):
        client = self.connect("first")
        entries = [{"member": f"{i:03}" + "x" * 900, "score": i} for i in range(900)]
        client.send(request("POST", "/v1/boards/b/entries", {"entries": entries}))
        self.assertEqual(len(client.read_answer().json["verdicts"]), 900)
        client.send(request("GET", "/v1/boards/b/entries?limit=1000") * 3)
        for _ in range(3):
            self.assertEqual(len(client.read_answer().json["entries"]), 900)

    def test_plain_http_on_the_tls_port_is_refused(self):
        with socket.create_connection((support.HOST, self.port), timeout=support.LIMIT_S) as plain:
            plain.sendall(request("DELETE", "/v1/boards/b"))
            try:
                data = plain.recv(4096)
            except ConnectionResetError:
                data = b""
            self.assertNotIn(b" 200 ", data)
        self.assertEqual(self.server.client().get("/v1/boards/b").status, 200)

    def test_sighup_reads_the_certificate_again_and_keeps_connections(self):
        old = self.connect("first")
        old.send(request("GET", "/healthz"))
        self.assertEqual(old.read_answer().status, 200)
        for kind in ("crt", "key"):
            os.unlink(self.folder / f"server.{kind}")
            os.symlink(f"second.{kind}", self.folder / f"server.{kind}")
        os.kill(self.server.process.pid, signal.SIGHUP)

        def is_second():
            try:
                client = self.connect("second")
            except ssl.SSLError:
                return False
            client.send(request("GET", "/healthz"))
            return client.read_answer().status == 200

        self.assertTrue(support.eventually(is_second), self.server.log())
        with self.assertRaises(ssl.SSLError):
            self.connect("first")
        old.send(request("GET", "/healthz"))
        self.assertEqual(old.read_answer().status, 200)
        self.server.stop()

    def test_a_broken_certificate_on_sighup_keeps_the_old_one(self):
        os.unlink(self.folder / "server.crt")
        (self.folder / "server.crt").write_text("no certificate\n")
        os.kill(self.server.process.pid, signal.SIGHUP)
        self.assertTrue(support.eventually(lambda: "server.crt" in self.server.log(), 10),
                        self.server.log())
        client = self.connect("first")
        client.send(request("GET", "/healthz"))
        self.assertEqual(client.read_answer().status, 200)
        self.server.stop()


if __name__ == "__main__":
    support.main()
