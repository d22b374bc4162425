"""Malformed requests, idle and half-sent ones, readers that never read: other clients are served.

LAUREL_TEST_HTTP_REQUESTS is the number of malformed requests (10,000).
"""

import os
import socket
import threading
import time

import support
from support import request

REQUESTS = int(os.environ.get("LAUREL_TEST_HTTP_REQUESTS") or 10_000)
INTERESTING = [b"\r\n", b"\n", b"\r", b"\x00", b" ", b":", b"Content-Length: 5\r\n",
               b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"\xff\xfe", b"%00", b"%", b"/",
               b"..",
               b"HTTP/1.1", b"{", b"}", b"[", b"]", b'"', b"\\u0000", b"1e999", b"-", b"9" * 30,
               b"Host: evil.example\r\n", b"Expect: 100-continue\r\n", b"null",
               b"Connection: close\r\n",
               b"*1\r\n$4\r\nPING\r\n", b"Range: bytes=0-1\r\n", b";", b",", b"?", b"&", b"="]


def valid_requests(board):
    """Requests of every kind, as bytes. None of them touches the board of the served clients."""
    path = f"/v1/boards/{board}"
    return [
        request("GET", "/healthz"), request("GET", f"{path}/entries?limit=5&kind=dense&meta=1"),
        request("GET", f"{path}/entries/ann"),
        request("GET", f"{path}/entries/a%2Fb/around?radius=2"),
        request("POST", f"{path}/entries", {"member": "ann", "score": [1]}, ["Idempotency-Key: k"]),
        request("POST", f"{path}/entries", {"entries": [{"member": "b", "score": "2.0"}]}),
        request("POST", f"{path}/entries", {"member_base64": "/w==", "score": {"score": 3},
                                            "op": "incr", "at": 1700000000, "meta": "m"}),
        request("PUT", path, {"policy": "best", "cap": 10}), request("PATCH", path, {"cap": None}),
        request("POST", f"{path}/among", {"members": ["ann", "b"]}),
        request("POST", f"{path}/pop", {"n": 1, "bottom": True}),
        request("POST", "/v1/submit", {"submits": [{"board": board, "member": "a", "score": 1}]}),
        request("POST", "/v1/read", {"reads": [{"board": board, "read": "entries"}]}),
        request("GET", f"{path}/rank-of?score=10"), request("GET", f"{path}/count?min=(1&max=5"),
        request("OPTIONS", path, headers=["Origin: http://a.example",
                                          "Access-Control-Request-Method: PUT"]),
        request("HEAD", "/v1/boards"), request("GET", f"{path}/changes?limit=3"),
        request("GET", f"{path}/live?top=3&member=ann"), request("GET", "/openapi.json"),
        request("POST", f"{path}/entries", headers=["Content-Type: application/json",
                                                    "Transfer-Encoding: chunked"])
        + b'18\r\n{"member":"c","score":1}\r\n0\r\n\r\n',
    ]


def mutate(random, data):
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        place = random.randrange(len(data) + 1)
        kind = random.randrange(7)
        if kind == 0 and data:
            data[min(place, len(data) - 1)] = random.randrange(256)
        elif kind == 1:
            data[place:place] = random.choice(INTERESTING)
        elif kind == 2:
            del data[place:place + random.choice((1, 2, 5, 50))]
        elif kind == 3:
            end = place + random.choice((1, 4, 16, 200))
            data[place:place] = data[place:end]
        elif kind == 4:
            del data[place:]
        elif kind == 5:
            data[place:place] = bytes(random.randrange(256) for _ in range(random.choice((1, 9))))
        else:
            data[place:place] = random.choice((b"A", b"%41", b"\t")) * random.choice((10, 20_000))
    return bytes(data)


class Served:
    """Well-behaved clients in the background. Every request of theirs must succeed."""

    def __init__(self, server, board, threads=3):
        self.server = server
        self.board = board
        self.stop_flag = threading.Event()
        self.errors = []
        self.counts = [0] * threads
        self.threads = [threading.Thread(target=self._run, args=(i,)) for i in range(threads)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        client = self.server.client()
        i = 0
        try:
            while not self.stop_flag.is_set():
                member = f"served{number}"
                answer = client.submit(self.board, member, 1, key=f"{number}:{i}")
                if answer.status != 200 or answer.json["score"] != [str(i + 1)]:
                    raise AssertionError(str(answer))
                answer = client.get(f"/v1/boards/{self.board}/entries/{member}")
                if answer.status != 200 or answer.json["score"] != [str(i + 1)]:
                    raise AssertionError(str(answer))
                i += 1
                self.counts[number] = i
                time.sleep(0.002)
        except Exception as error:  # pylint: disable=broad-except
            self.errors.append(f"client {number}, request {i}: {error!r}")
        finally:
            client.close()

    def progressed(self, since, by=5):
        return all(now >= then + by for now, then in zip(self.counts, since))

    def finish(self):
        self.stop_flag.set()
        for thread in self.threads:
            thread.join()
        return self.errors


class RobustnessTest(support.ServerTest):
    OPTIONS = ("--fsync", "off")

    def served(self):
        board = self.board("served", policy="sum")
        clients = Served(self.server, board)
        self.addCleanup(self.check_served, clients)
        return clients

    def check_served(self, clients):
        since = list(clients.counts)
        moved = support.eventually(lambda: clients.errors or clients.progressed(since))
        self.assertEqual(clients.finish(), [])
        self.assertTrue(moved, "the served clients were not served in the end")
        self.http.close()  # it was idle all the time, which a slow machine makes too long
        for number, count in enumerate(clients.counts):
            entry = self.ok(self.http.get(self.path(clients.board, "entries", f"served{number}")))
            self.assertEqual(entry["score"], [str(count)])
        self.ok(self.http.delete(self.path(clients.board)))


class Malformed(RobustnessTest):
    def statuses_of(self, data):
        """The statuses in what the server sent, which must be whole answers."""
        statuses = []
        while data:
            head, mark, rest = data.partition(b"\r\n\r\n")
            if not mark or not head.startswith(b"HTTP/1.1 "):
                raise AssertionError(f"no answer: {data[:200]!r}")
            status = int(head[9:12])
            statuses.append(status)
            lines = head.lower().split(b"\r\n")
            if any(line == b"content-type: text/event-stream" for line in lines):
                break
            lengths = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
            if status in (100, 204, 304):
                lengths = [0]
            data = rest[lengths[0]:] if self.has_body else rest
        return statuses

    has_body = True

    def one(self, data):
        """Sends bytes, and returns what comes until the server closes: after its answers, because
        this client sends no more. Empty after a reset, which may cut an answer off."""
        with socket.create_connection((support.HOST, self.server.http_port), timeout=30) as client:
            got = b""
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                while True:
                    more = client.recv(65536)
                    if not more:
                        break
                    got += more
                    if b"text/event-stream" in got:
                        break
            except OSError:
                return b""
            return got

    def test_malformed_requests_beside_served_clients(self):
        random = support.seeded_random("malformed_requests")
        self.board("victim")
        valid = valid_requests("victim")
        self.served()
        counts = {}
        for i in range(REQUESTS):
            data = mutate(random, random.choice(valid))
            got = self.one(data)
            self.has_body = not data.startswith(b"HEAD")
            try:
                statuses = self.statuses_of(got) if self.has_body else []
            except (AssertionError, ValueError, IndexError) as error:
                self.fail(f"request {i}: {data[:500]!r}: {error}")
            for status in statuses:
                counts[status] = counts.get(status, 0) + 1
                # A body of the server's own making is never at fault.
                self.assertNotEqual(status, 500, data)
        self.assertGreater(counts.get(400, 0), REQUESTS // 10, counts)
        self.assertGreater(counts.get(200, 0), 0, counts)


class Connections(RobustnessTest):
    @classmethod
    def setUpClass(cls):
        support.raise_open_files(8192)
        super().setUpClass()

    def open_many(self, count, first=b""):
        clients = []
        for _ in range(count):
            client = socket.create_connection((support.HOST, self.server.http_port), timeout=30)
            self.addCleanup(client.close)
            if first:
                client.sendall(first)
            clients.append(client)
        return clients

    def test_idle_connections(self):
        self.served()
        before = self.server.resident_bytes()
        idle = self.open_many(2500) + self.open_many(2500, request("GET", "/healthz"))
        self.assertLess(self.server.resident_bytes() - before, 160 << 20)
        for client in idle[::100]:
            client.sendall(request("GET", "/healthz"))
            self.assertTrue(client.recv(4096).startswith(b"HTTP/1.1 200 "))

    def test_half_sent_requests(self):
        self.served()
        whole = request("POST", "/v1/boards/served/entries", {"member": "half", "score": 1})
        for cut in range(1, len(whole), 3):
            self.open_many(1, whole[:cut])
        kind = "Content-Type: application/json"
        for part in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
                     request("POST", "/v1/read", headers=[kind, "Content-Length: 1000"]) + b"{",
                     request("POST", "/v1/read", headers=[kind, "Transfer-Encoding: chunked"])
                     + b"3e8\r\n"):
            self.open_many(100, part)
        self.assertNotIn("half", [m for m, _ in self.scores("served")])

    def test_half_sent_bodies_that_announce_much_hold_little_memory(self):
        before = self.server.resident_bytes()
        head = request("POST", "/v1/read", headers=["Content-Type: application/json",
                                                    "Content-Length: 1000000"])
        self.open_many(500, head + b"{" * 100)
        self.ok(self.http.get("/healthz"))
        self.assertLess(self.server.resident_bytes() - before, 100 << 20)

    def test_readers_that_never_read(self):
        self.served()
        board = self.board("large")
        entries = [{"member": f"{i:03}" + "x" * 900, "score": i} for i in range(800)]
        self.ok(self.http.post(self.path(board, "entries"), {"entries": entries}))
        one = request("GET", self.path(board, "entries") + "?limit=1000")  # 800 KB
        self.ok(self.http.get(self.path(board, "entries") + "?limit=1000"))
        before = self.server.resident_bytes()
        lazy = []
        for _ in range(10):
            client = self.server.raw(receive_buffer=4096)
            self.addCleanup(client.close)
            client.socket.settimeout(0.2)
            client.send(one * 200)  # 160 MB of answers each
            lazy.append(client)
        for _ in range(20):
            self.ok(self.http.get("/healthz"))
            time.sleep(0.05)
        self.assertLess(self.server.resident_bytes() - before, 400 << 20)
        reader = lazy[0]
        reader.socket.settimeout(support.LIMIT_S)
        answer = reader.read_answer()
        if answer is not None:
            self.assertEqual(len(self.ok(answer)["entries"]), 800)

    def test_connections_that_come_and_go(self):
        self.served()
        for _ in range(1500):
            client = socket.create_connection((support.HOST, self.server.http_port), timeout=30)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            client.sendall(request("GET", "/v1/boards") * 3)
            client.close()  # a reset, with answers on their way


class Stalls(support.ServerTest):
    OPTIONS = ("--stall-timeout", "500ms")

    def test_a_client_that_stops_inside_of_a_request_is_closed(self):
        for part in (b"GET /healthz HT", request("POST", "/v1/read", headers=[
                "Content-Type: application/json", "Content-Length: 10"]) + b"{"):
            with self.subTest(part=part):
                raw = self.raw()
                raw.send(part)
                answer = raw.read_answer()
                if answer is not None:
                    self.assertEqual(answer.status, 408, str(answer))
                    self.assertTrue(raw.is_closed())


class Idleness(support.ServerTest):
    OPTIONS = ("--idle-timeout", "2s")

    def new_client(self):
        """For a single request: a slow machine makes the pause before a second one too long."""
        client = self.server.client()
        self.addCleanup(client.close)
        return client

    def test_an_idle_connection_is_closed_and_a_stream_is_not(self):
        board = self.board()
        stream = self.stream(self.path(board, "live"))
        self.assertEqual(stream.open().status, 200)
        self.assertEqual(stream.next()["event"], "state")
        raw = self.raw()
        raw.send(request("GET", "/healthz"))
        self.assertEqual(raw.read_answer().status, 200)
        self.assertTrue(raw.is_closed())
        self.assertFalse(stream.next(4.5), "an event, or the end, of a stream without news")
        self.assertFalse(stream.ended)
        self.new_client().submit(board, "a", 1)
        self.assertTrue(stream.next())

    def test_a_waiting_read_is_not_idle(self):
        board = self.board()
        cursor = self.ok(self.new_client().get(self.path(board, "changes") + "?from=$"))["next"]
        answer = self.new_client().get(self.path(board, "changes") + f"?from={cursor}&wait=4500")
        self.assertEqual(self.ok(answer)["events"], [])


class MaxClients(support.ServerTest):
    OPTIONS = ("--max-clients", "50")

    def test_a_client_beyond_max_clients_is_told(self):
        clients = []
        refused = None
        for _ in range(60):
            raw = self.raw()
            raw.send(request("GET", "/healthz"))
            clients.append(raw)
            answer = raw.read_answer()
            if answer is None or answer.status != 200:
                refused = answer
                break
        else:
            self.fail("60 clients, and none was refused")
        if refused is not None:
            self.assertEqual(refused.status, 503, str(refused))
        for client in clients:
            client.close()

        def served():
            try:
                return self.server.client().get("/healthz").status == 200
            except Exception:  # pylint: disable=broad-except
                return False

        self.assertTrue(support.eventually(served))


if __name__ == "__main__":
    support.main()
