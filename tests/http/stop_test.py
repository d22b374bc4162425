"""SIGTERM: requests under way are answered, connections and streams end, nothing is lost."""

import http.client
import threading
import unittest

import support
from support import request


class Stop(unittest.TestCase):
    def start(self, *options, **more):
        server = support.Server(*options, **more)
        self.addCleanup(server.discard)
        server.start()
        self.http = server.client()
        self.addCleanup(self.http.close)
        self.assertEqual(self.http.put("/v1/boards/b", {}).status, 201)
        return server

    def test_streams_end_with_a_reason_and_a_random_retry(self):
        server = self.start()
        streams = []
        for i in range(40):
            stream = server.stream(f"/v1/boards/b/{'changes' if i % 2 else 'live'}")
            self.addCleanup(stream.close)
            self.assertEqual(stream.open().status, 200)
            streams.append(stream)
        server.terminate()
        retries = set()
        for stream in streams:
            end = stream.collect(lambda event: event.get("event") == "end")[-1]
            self.assertTrue(end["data"]["reason"])
            retries.add(int(end["retry"]))
            self.assertIsNone(stream.next())
        self.assertGreater(len(retries), 5, retries)
        self.assertEqual(server.wait(), 0)

    def is_stopping(self, server):
        return support.eventually(lambda: "stopping" in server.log())

    def await_read(self, raw, route):
        """Waits until the server has read the head of a request that the client has sent."""
        address = "addr=%s:%d " % raw.socket.getsockname()

        def is_read():
            lines = [client["line"] for client in self.http.get("/v1/clients").json["clients"]]
            return any(address in line and f" cmd=http|{route} " in line for line in lines)

        self.assertTrue(support.eventually(is_read))

    def under_way(self, server):
        """A connection with a read that waits for events."""
        cursor = self.http.get("/v1/boards/b/changes?from=$").json["next"]
        raw = server.raw()
        self.addCleanup(raw.close)
        raw.send(request("GET", f"/v1/boards/b/changes?from={cursor}&wait=3000"))
        self.assertTrue(support.eventually(lambda: self.http.get("/v1/server").json["connections"]["blocked"] == 1))
        return raw

    def test_a_long_wait_ends_with_an_answer(self):
        server = self.start()
        waiting = self.under_way(server)
        server.terminate()
        answer = waiting.read_answer()
        self.assertIsNotNone(answer, "closed without an answer")
        self.assertIn(answer.status, (200, 503), str(answer))
        self.assertEqual((answer.header("connection") or "").lower(), "close", str(answer))
        self.assertTrue(waiting.is_closed())
        self.assertEqual(server.wait(), 0)

    def test_a_half_sent_request_may_be_finished_within_drain(self):
        server = self.start("--drain", "20s")
        half = server.raw()
        self.addCleanup(half.close)
        whole = request("POST", "/v1/boards/b/entries", b'{"member":"half","score":1}')
        half.send(whole[:-5])
        self.await_read(half, "writeEntries")
        server.terminate()
        self.assertTrue(self.is_stopping(server))
        half.send(whole[-5:])
        answer = half.read_answer()
        self.assertIsNotNone(answer, "closed without an answer")
        self.assertIn(answer.status, (200, 503), str(answer))
        self.assertEqual((answer.header("connection") or "").lower(), "close", str(answer))
        self.assertEqual(server.wait(), 0)

    def test_readyz_is_503_while_a_request_is_under_way(self):
        server = self.start("--drain", "20s")
        probe = server.raw()
        self.addCleanup(probe.close)
        probe.send(request("GET", "/readyz"))
        self.assertEqual(probe.read_answer().status, 200)
        half = server.raw()
        self.addCleanup(half.close)
        whole = request("POST", "/v1/boards/b/entries", b'{"member":"half","score":1}')
        half.send(whole[:-5])
        self.await_read(half, "writeEntries")
        server.terminate()
        self.assertTrue(self.is_stopping(server))
        # The ports accept while a request is under way. The idle connection may be closed by now.
        client = server.raw()
        self.addCleanup(client.close)
        for asked in (probe, client):
            asked.send(request("GET", "/readyz"))
            answer = asked.read_answer()
            if asked is client:
                self.assertIsNotNone(answer, "closed without an answer")
            if answer is not None:
                self.assertEqual((answer.status, answer.json["ready"]), (503, False))
        half.send(whole[-5:])
        self.assertIsNotNone(half.read_answer())
        self.assertEqual(server.wait(), 0)

    def test_acknowledged_writes_survive_and_answers_are_whole(self):
        server = self.start()
        acknowledged, ends = [0] * 4, [None] * 4

        def write(number):
            client = server.client()
            try:
                while True:
                    answer = client.submit("b", f"m{number}", 1, op="incr")
                    if answer.status == 200:
                        acknowledged[number] += 1
                    if (answer.header("connection") or "").lower() == "close":
                        ends[number] = answer.status
                        return
                    if answer.status != 200:
                        ends[number] = str(answer)
                        return
            except (OSError, http.client.HTTPException) as error:
                # The connection was closed while this client began its next request.
                ends[number] = error

        threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        support.eventually(lambda: min(acknowledged) > 20)
        server.terminate()
        for thread in threads:
            thread.join()
        self.assertEqual(server.wait(), 0)
        server.start()
        for number, count in enumerate(acknowledged):
            score = int(server.client().get(f"/v1/boards/b/entries/m{number}").json["score"][0])
            if isinstance(ends[number], Exception):
                self.assertNotIsInstance(ends[number], http.client.IncompleteRead)
                self.assertIn(score, (count, count + 1))
            else:
                self.assertIn(ends[number], (200, 503))
                self.assertEqual(score, count)

    def test_a_new_connection_while_it_stops_gets_no_write_through(self):
        server = self.start("--drain", "20s")
        half = server.raw()
        self.addCleanup(half.close)
        half.send(request("POST", "/v1/boards/b/entries", b'{"member":"x","score":1}')[:-3])
        self.await_read(half, "writeEntries")
        server.terminate()
        for path in ("/readyz", "/healthz"):
            client = server.client()
            try:
                answer = client.get(path)
                if path == "/readyz":
                    self.assertEqual(answer.status, 503, str(answer))
            except (OSError, http.client.HTTPException):
                pass  # refused: the port is closed
            client.close()
        half.close()
        self.assertEqual(server.wait(), 0)

    def test_idle_connections_do_not_hold_the_end_up(self):
        server = self.start("--drain", "60s")
        idle = [server.raw() for _ in range(100)]
        for client in idle[:50]:
            client.send(request("GET", "/healthz"))
            self.assertEqual(client.read_answer().status, 200)
        server.terminate()
        for client in idle:
            self.assertTrue(client.is_closed())
            client.close()
        self.assertEqual(server.wait(), 0)

    def test_clients_that_never_finish_do_not_hold_the_end_up_beyond_drain(self):
        server = self.start("--drain", "500ms")
        clients = []
        for _ in range(20):
            client = server.raw(receive_buffer=4096)
            client.send(request("POST", "/v1/read", b"{" * 100)[:-50])
            clients.append(client)
        server.terminate()
        self.assertEqual(server.wait(), 0)
        for client in clients:
            client.close()

    def test_a_pipeline_is_answered_up_to_the_close(self):
        server = self.start()
        raw = server.raw()
        self.addCleanup(raw.close)
        count = 2000
        raw.send(b"".join(request("POST", "/v1/boards/b/entries",
                                  {"member": "p", "score": 1, "op": "incr"})
                          for i in range(count)))
        self.assertEqual(raw.read_answer().status, 200)
        server.terminate()
        done = 1
        while True:
            answer = raw.read_answer()
            if answer is None:
                break
            if answer.status == 200:
                done += 1
            if (answer.header("connection") or "").lower() == "close":
                self.assertTrue(raw.is_closed())
                break
        self.assertEqual(server.wait(), 0)
        server.start()
        score = int(server.client().get("/v1/boards/b/entries/p").json["score"][0])
        self.assertEqual(score, done)

    def test_shutdown_over_resp_ends_streams_too(self):
        server = self.start()
        stream = server.stream("/v1/boards/b/live")
        self.addCleanup(stream.close)
        self.assertEqual(stream.open().status, 200)
        resp = server.resp()
        self.addCleanup(resp.close)
        resp.socket.sendall(b"SHUTDOWN\r\n")
        end = stream.collect(lambda event: event.get("event") == "end")[-1]
        self.assertIn("retry", end)
        self.assertEqual(server.wait(), 0)

    def test_the_ready_line_names_the_ports(self):
        server = self.start()
        self.assertIn(f"http 127.0.0.1:{server.http_port}", server.ready_line)
        self.assertIn(f"resp 127.0.0.1:{server.resp_port}", server.ready_line)
        server.stop()

    def test_without_http_there_is_no_port(self):
        server = support.Server()
        self.addCleanup(server.discard)
        server.http_port = "none"
        with self.assertRaises(TypeError):  # the ready line names no port of HTTP
            server.start()
        self.assertNotIn("http ", (server.folder / "stdout").read_text())


if __name__ == "__main__":
    support.main()
