#!/usr/bin/env python3
"""Servers that are killed in the middle of an import, cut connections, and servers that speak no RESP.

An import goes on, or ends with an error that names the server, and a second run completes it.
"""

import os
import signal
import socket
import threading

import transfer_support
from cutting_proxy import CuttingProxy
from support import count, eventually, seeded_random
from transfer_support import RUN_LIMIT_S, TransferTest, address, url

DAY = 1_700_000_000


def table(rows):
    return "member,score,at\n" + "".join(f"m{i},{i % 100},{DAY + i}\n" for i in range(rows))


class KilledServer(TransferTest):
    ROWS = count(40_000, 200_000)

    def restart(self, server, port):
        """Starts the server again, on the port that it had."""
        server.start_process([transfer_support.support.laurel, "serve", "--data", str(self.folder / "data"), "--port",
                              str(port), "--http-port", "none"])
        server.port = port
        server.await_answer()
        self.assertTrue(eventually(lambda: self.is_loaded(server)))

    def is_loaded(self, server):
        try:
            return server.client().ask("DBSIZE") >= 0
        except (transfer_support.Failure, OSError):
            return False

    def size(self, server):
        """The entries of the board lb; -1 before it is there or while the server does not answer."""
        try:
            return server.client().ask("LB.SIZE", "lb")
        except (transfer_support.Failure, OSError):
            return -1

    def slow_proxy(self, port):
        """A proxy through which an import takes a while."""
        proxy = CuttingProxy(port, delay_s=0.05)
        self.addCleanup(proxy.close)
        return proxy

    def test_import_goes_on_when_the_server_is_killed_again_and_again(self):
        random = seeded_random(self.id())
        server = self.durable(self.folder / "data")
        port = server.port
        proxy = self.slow_proxy(port)
        self.write("a.csv", table(self.ROWS))
        process = self.start("import", "a.csv", "--board", "lb", "--to", f"127.0.0.1:{proxy.port}", "--verify")
        for _ in range(3):
            pieces = proxy.pieces + random.randrange(1, 6)
            eventually(lambda: process.poll() is not None or proxy.pieces > pieces)
            if process.poll() is not None:
                break
            server.kill()
            self.restart(server, port)
        out, err = process.communicate(timeout=RUN_LIMIT_S)
        self.assertIn(process.returncode, (0, 1), out + err)
        if process.returncode == 1:
            self.assertIn(str(proxy.port), err)
            self.assertEqual(self.size(server), -1, "a part of the board")
            self.run_import("a.csv", "--board", "lb", "--to", address(server), "--verify")
        self.assertEqual([(member, int(score)) for member, score in self.scores(server, "lb")],
                         [(f"m{i}", i % 100) for i in sorted(range(self.ROWS), key=lambda i: (-(i % 100), i))])

    def test_server_that_stays_away_is_an_error_and_a_second_run_completes(self):
        server = self.durable(self.folder / "data")
        port = server.port
        proxy = self.slow_proxy(port)
        self.write("a.csv", table(self.ROWS))
        process = self.start("import", "a.csv", "--board", "lb", "--to", f"127.0.0.1:{proxy.port}")
        self.assertTrue(eventually(lambda: process.poll() is not None or proxy.pieces >= 6))
        self.assertIsNone(process.poll(), "the import is over before the server is killed")
        server.kill()
        out, err = process.communicate(timeout=RUN_LIMIT_S)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn(f"127.0.0.1:{proxy.port}", err)
        self.restart(server, port)
        self.assertEqual(self.size(server), -1, "a part of the board")
        self.run_import("a.csv", "--board", "lb", "--to", address(server), "--verify")
        self.assertEqual(self.size(server), self.ROWS)

    def test_redis_with_the_module_that_is_killed(self):
        redis = self.redis(port=transfer_support.free_port(), appendonly="yes", appendfsync="always")
        self.write("a.csv", table(self.ROWS))
        proxy = self.slow_proxy(redis.port)
        process = self.start("import", "a.csv", "--board", "lb", "--to", f"redis://127.0.0.1:{proxy.port}", "--verify")
        self.assertTrue(eventually(lambda: process.poll() is not None or proxy.pieces >= 6))
        redis.restart()
        out, err = process.communicate(timeout=RUN_LIMIT_S)
        self.assertIn(process.returncode, (0, 1), out + err)
        if process.returncode == 1:
            self.run_import("a.csv", "--board", "lb", "--to", url(redis), "--verify")
        self.assertEqual(self.size(redis), self.ROWS)


class CutConnections(TransferTest):
    def check(self, server, proxy, words):
        """Imports through the proxy until a run completes; every other run ends with an error that names the proxy."""
        for _ in range(20):
            done = self.run_import("a.csv", *words, "--to", f"127.0.0.1:{proxy.port}", "--verify", code=None)
            if done.code == 0:
                break
            self.assertEqual(done.code, 1, done)
            self.assertIn(str(proxy.port), done.err)
        self.assertEqual(done.code, 0, done)
        self.assertEqual([(member, int(score)) for member, score in self.scores(server, "lb")],
                         [(f"m{i}", i % 100) for i in sorted(range(3000), key=lambda i: (-(i % 100), i))])

    def test_cuts_at_random_places_lose_nothing(self):
        random = seeded_random(self.id())
        self.write("a.csv", table(3000))
        for make in (self.laurel, self.redis):
            with self.subTest(make.__name__):
                server = make()
                proxy = CuttingProxy(server.port, [random.choice([0, 5, 20, 50, 100]) + random.randrange(20)
                                                   for _ in range(count(5, 15))])
                self.addCleanup(proxy.close)
                self.check(server, proxy, ["--board", "lb"])
                self.assertGreater(proxy.connections, 1)

    def test_export_through_cut_connections_leaves_no_half_file(self):
        server = self.durable(self.folder / "data")
        self.write("a.csv", table(3000))
        self.run_import("a.csv", "--board", "lb", "--to", address(server))
        self.run_export("--board", "lb", "--from", address(server), "--format", "csv", "--output", "wanted.csv")
        random = seeded_random(self.id())
        for _ in range(10):
            proxy = CuttingProxy(server.port, [random.choice([0, 1, 50, 500, 5000, 30_000]) + random.randrange(20)] * 1000)
            self.addCleanup(proxy.close)
            done = self.run_export("--board", "lb", "--from", f"127.0.0.1:{proxy.port}", "--format", "csv", "--output",
                                   "out.csv", code=None)
            path = self.folder / "out.csv"
            self.assertEqual(path.exists(), done.code == 0, done)
            if done.code == 0:
                self.assertEqual(path.read_bytes(), (self.folder / "wanted.csv").read_bytes())
                path.unlink()
            else:
                self.assertEqual(done.code, 1, done)

    def test_export_from_the_module_goes_on_where_it_was_cut(self):
        server = self.redis()
        self.write("a.csv", table(30_000))
        self.run_import("a.csv", "--board", "lb", "--to", address(server))
        self.run_export("--board", "lb", "--from", address(server), "--format", "csv", "--output", "wanted.csv")
        random = seeded_random(self.id())
        proxy = CuttingProxy(server.port, [random.randrange(1_000, 600_000) for _ in range(6)])
        self.addCleanup(proxy.close)
        done = self.run_export("--board", "lb", "--from", f"127.0.0.1:{proxy.port}", "--format", "csv")
        self.assertEqual(done.out.encode(), (self.folder / "wanted.csv").read_bytes())
        self.assertGreater(proxy.connections, 1)

    def test_server_that_speaks_http_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                while True:
                    try:
                        client, _ = listener.accept()
                    except OSError:
                        return
                    with client:
                        client.recv(65536)
                        client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

            threading.Thread(target=answer, daemon=True).start()
            port = listener.getsockname()[1]
            self.write("a.csv", table(100))
            done = self.run_import("a.csv", "--board", "lb", "--to", f"127.0.0.1:{port}", code=1)
            self.assertIn(str(port), done.err)


class SilentPeer(TransferTest):
    """A peer that takes what is sent and says nothing. The first SIGTERM ends the program."""

    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(RUN_LIMIT_S)
        self.addCleanup(self.listener.close)
        self.peer = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.write("a.csv", table(100))

    def assert_ends(self, process):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=RUN_LIMIT_S)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn("stopped by a signal", err)

    def test_servers(self):
        for words in (["import", "a.csv", "--board", "lb", "--to", self.peer],
                      ["import", "--from", f"redis://{self.peer}", "--key", "lb", "--data", "data"],
                      ["export", "--board", "lb", "--from", self.peer, "--format", "csv"]):
            with self.subTest(words):
                process = self.start(*words)
                client, _ = self.listener.accept()
                with client:
                    self.assertNotEqual(client.recv(65536), b"")
                    self.assert_ends(process)

    def test_handshake(self):
        process = self.start("import", "--from", f"rediss://{self.peer}", "--key", "lb", "--data", "data")
        client, _ = self.listener.accept()
        with client:
            self.assertNotEqual(client.recv(65536), b"")
            self.assert_ends(process)

    def test_pipe(self):
        os.mkfifo(self.folder / "pipe.csv")
        process = self.start("import", "pipe.csv", "--board", "lb", "--data", "data")
        # Waits until the program has opened the pipe.
        with open(self.folder / "pipe.csv", "wb", buffering=0) as pipe:
            pipe.write(b"member,score\nann,5\n")
            self.assert_ends(process)


if __name__ == "__main__":
    transfer_support.main()
